## nnz.m: nnz of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = nnz (varargin)
  y = __gpu_array__ ("nnz", varargin{:});
endfunction
