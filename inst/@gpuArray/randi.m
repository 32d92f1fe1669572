## randi.m: randi of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = randi (varargin)
  y = __gpu_array__ ("randi", varargin{:});
endfunction
