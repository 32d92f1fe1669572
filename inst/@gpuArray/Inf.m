## Inf.m: Inf of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = Inf (varargin)
  y = __gpu_array__ ("Inf", varargin{:});
endfunction
