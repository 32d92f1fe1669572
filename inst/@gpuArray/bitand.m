## bitand.m: says that gpuArrays have no bitand
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = bitand (varargin)
  varargout = {__gpu_array__("bitand", gpuArray (0))}; # the error that names gather
endfunction
