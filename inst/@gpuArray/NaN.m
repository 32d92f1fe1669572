## NaN.m: NaN of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = NaN (varargin)
  y = __gpu_array__ ("NaN", varargin{:});
endfunction
