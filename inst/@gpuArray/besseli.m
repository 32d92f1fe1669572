## besseli.m: says that gpuArrays have no besseli
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = besseli (varargin)
  varargout = {__gpu_array__("besseli", gpuArray (0))}; # the error that names gather
endfunction
