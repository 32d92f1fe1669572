## ifft2.m: ifft2 of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = ifft2 (varargin)
  y = __gpu_array__ ("ifft2", varargin{:});
endfunction
