## atan2.m: atan2 of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = atan2 (varargin)
  y = __gpu_array__ ("atan2", varargin{:});
endfunction
