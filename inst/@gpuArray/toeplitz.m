## toeplitz.m: Toeplitz matrices of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = toeplitz (varargin)
  y = __gpu_array__ ("toeplitz", varargin{:});
endfunction
