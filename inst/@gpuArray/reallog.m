## reallog.m: reallog of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = reallog (varargin)
  y = __gpu_array__ ("reallog", varargin{:});
endfunction
