## any.m: any of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = any (varargin)
  y = __gpu_array__ ("any", varargin{:});
endfunction
