## repmat.m: repmat of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function x = repmat (varargin)
  x = __gpu_array__ ("repmat", varargin{:});
endfunction
