## orth.m: says that gpuArrays have no orth
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = orth (varargin)
  varargout = {__gpu_array__("orth", gpuArray (0))}; # the error that names gather
endfunction
