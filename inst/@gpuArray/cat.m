## cat.m: cat of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = cat (varargin)
  y = __gpu_array__ ("cat", varargin{:});
endfunction
