## nth_element.m: says that gpuArrays have no nth_element
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = nth_element (varargin)
  varargout = {__gpu_array__("nth_element", gpuArray (0))}; # the error that names gather
endfunction
