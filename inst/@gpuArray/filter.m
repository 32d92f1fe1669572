## filter.m: says that gpuArrays have no filter
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = filter (varargin)
  varargout = {__gpu_array__("filter", gpuArray (0))}; # the error that names gather
endfunction
