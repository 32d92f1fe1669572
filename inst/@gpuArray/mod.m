## mod.m: mod of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = mod (varargin)
  y = __gpu_array__ ("mod", varargin{:});
endfunction
