## besselj.m: says that gpuArrays have no besselj
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = besselj (varargin)
  varargout = {__gpu_array__("besselj", gpuArray (0))}; # the error that names gather
endfunction
