## besselk.m: says that gpuArrays have no besselk
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = besselk (varargin)
  varargout = {__gpu_array__("besselk", gpuArray (0))}; # the error that names gather
endfunction
