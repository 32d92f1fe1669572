## vertcat.m: vertcat of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = vertcat (varargin)
  y = __gpu_array__ ("vertcat", varargin{:});
endfunction
