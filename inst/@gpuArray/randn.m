## randn.m: randn of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = randn (varargin)
  y = __gpu_array__ ("randn", varargin{:});
endfunction
