## mean.m: means of gpuArrays along a dimension
## SPDX-License-Identifier: GPL-3.0-or-later

function y = mean (varargin)
  y = __gpu_array__ ("mean", varargin{:});
endfunction
