## bessely.m: says that gpuArrays have no bessely
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = bessely (varargin)
  varargout = {__gpu_array__("bessely", gpuArray (0))}; # the error that names gather
endfunction
