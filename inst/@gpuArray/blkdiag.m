## blkdiag.m: block diagonal matrices of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = blkdiag (varargin)
  y = __gpu_array__ ("blkdiag", varargin{:});
endfunction
