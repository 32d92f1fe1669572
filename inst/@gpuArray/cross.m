## cross.m: vector product of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = cross (varargin)
  y = __gpu_array__ ("cross", varargin{:});
endfunction
