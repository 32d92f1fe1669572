## realpow.m: realpow of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = realpow (varargin)
  y = __gpu_array__ ("realpow", varargin{:});
endfunction
