## cumsum.m: cumsum of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = cumsum (varargin)
  y = __gpu_array__ ("cumsum", varargin{:});
endfunction
