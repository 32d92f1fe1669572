## diag.m: diag of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = diag (varargin)
  y = __gpu_array__ ("diag", varargin{:});
endfunction
