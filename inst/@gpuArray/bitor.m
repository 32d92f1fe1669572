## bitor.m: says that gpuArrays have no bitor
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = bitor (varargin)
  varargout = {__gpu_array__("bitor", gpuArray (0))}; # the error that names gather
endfunction
