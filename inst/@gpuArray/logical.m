## logical.m: logical of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = logical (varargin)
  y = __gpu_array__ ("logical", varargin{:});
endfunction
