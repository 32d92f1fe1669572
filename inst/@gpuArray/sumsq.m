## sumsq.m: sumsq of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = sumsq (varargin)
  y = __gpu_array__ ("sumsq", varargin{:});
endfunction
