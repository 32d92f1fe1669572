## ellipke.m: says that gpuArrays have no ellipke
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = ellipke (varargin)
  varargout = {__gpu_array__("ellipke", gpuArray (0))}; # the error that names gather
endfunction
