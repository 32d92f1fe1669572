## prod.m: prod of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = prod (varargin)
  y = __gpu_array__ ("prod", varargin{:});
endfunction
