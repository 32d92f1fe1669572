## zeros.m: zeros of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = zeros (varargin)
  y = __gpu_array__ ("zeros", varargin{:});
endfunction
