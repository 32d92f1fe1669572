## airy.m: says that gpuArrays have no airy
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = airy (varargin)
  varargout = {__gpu_array__("airy", gpuArray (0))}; # the error that names gather
endfunction
