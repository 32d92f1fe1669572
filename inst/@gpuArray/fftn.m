## fftn.m: fftn of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = fftn (varargin)
  y = __gpu_array__ ("fftn", varargin{:});
endfunction
