## bitxor.m: says that gpuArrays have no bitxor
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = bitxor (varargin)
  varargout = {__gpu_array__("bitxor", gpuArray (0))}; # the error that names gather
endfunction
