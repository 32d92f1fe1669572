## complex.m: complex of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = complex (varargin)
  y = __gpu_array__ ("complex", varargin{:});
endfunction
