## dot.m: dot of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = dot (varargin)
  y = __gpu_array__ ("dot", varargin{:});
endfunction
