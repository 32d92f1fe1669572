## expint.m: says that gpuArrays have no expint
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = expint (varargin)
  varargout = {__gpu_array__("expint", gpuArray (0))}; # the error that names gather
endfunction
