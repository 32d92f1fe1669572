## repmat.m: copies of a gpuArray side by side
## SPDX-License-Identifier: GPL-3.0-or-later

function y = repmat (varargin)
  y = __gpu_array__ ("repmat", varargin{:});
endfunction
