## bitshift.m: says that gpuArrays have no bitshift
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = bitshift (varargin)
  varargout = {__gpu_array__("bitshift", gpuArray (0))}; # the error that names gather
endfunction
