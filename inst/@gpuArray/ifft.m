## ifft.m: ifft of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = ifft (varargin)
  y = __gpu_array__ ("ifft", varargin{:});
endfunction
