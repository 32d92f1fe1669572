## horzcat.m: horzcat of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = horzcat (varargin)
  y = __gpu_array__ ("horzcat", varargin{:});
endfunction
