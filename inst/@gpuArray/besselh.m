## besselh.m: says that gpuArrays have no besselh
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = besselh (varargin)
  varargout = {__gpu_array__("besselh", gpuArray (0))}; # the error that names gather
endfunction
