## hypot.m: hypot of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = hypot (varargin)
  y = __gpu_array__ ("hypot", varargin{:});
endfunction
