## sum.m: sum of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = sum (varargin)
  y = __gpu_array__ ("sum", varargin{:});
endfunction
