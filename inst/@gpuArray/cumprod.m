## cumprod.m: cumprod of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = cumprod (varargin)
  y = __gpu_array__ ("cumprod", varargin{:});
endfunction
