## fft2.m: fft2 of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = fft2 (varargin)
  y = __gpu_array__ ("fft2", varargin{:});
endfunction
