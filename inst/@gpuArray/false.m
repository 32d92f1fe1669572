## false.m: false of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = false (varargin)
  y = __gpu_array__ ("false", varargin{:});
endfunction
