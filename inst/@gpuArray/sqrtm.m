## sqrtm.m: says that gpuArrays have no sqrtm
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = sqrtm (varargin)
  varargout = {__gpu_array__("sqrtm", gpuArray (0))}; # the error that names gather
endfunction
