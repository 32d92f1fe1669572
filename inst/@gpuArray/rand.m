## rand.m: rand of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = rand (varargin)
  y = __gpu_array__ ("rand", varargin{:});
endfunction
