## ones.m: ones of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = ones (varargin)
  y = __gpu_array__ ("ones", varargin{:});
endfunction
