## norm.m: norm of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = norm (varargin)
  y = __gpu_array__ ("norm", varargin{:});
endfunction
