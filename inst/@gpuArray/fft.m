## fft.m: fft of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = fft (varargin)
  y = __gpu_array__ ("fft", varargin{:});
endfunction
