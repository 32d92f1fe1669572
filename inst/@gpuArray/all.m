## all.m: all of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = all (varargin)
  y = __gpu_array__ ("all", varargin{:});
endfunction
