## median.m: median of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = median (varargin)
  y = __gpu_array__ ("median", varargin{:});
endfunction
