## realsqrt.m: realsqrt of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = realsqrt (varargin)
  y = __gpu_array__ ("realsqrt", varargin{:});
endfunction
