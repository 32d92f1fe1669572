## true.m: true of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = true (varargin)
  y = __gpu_array__ ("true", varargin{:});
endfunction
