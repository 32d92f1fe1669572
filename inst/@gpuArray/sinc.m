## sinc.m: sin (pi x) / (pi x) of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = sinc (varargin)
  y = __gpu_array__ ("sinc", varargin{:});
endfunction
