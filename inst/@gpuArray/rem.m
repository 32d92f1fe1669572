## rem.m: rem of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = rem (varargin)
  y = __gpu_array__ ("rem", varargin{:});
endfunction
