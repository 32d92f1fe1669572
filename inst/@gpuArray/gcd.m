## gcd.m: says that gpuArrays have no gcd
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = gcd (varargin)
  varargout = {__gpu_array__("gcd", gpuArray (0))}; # the error that names gather
endfunction
