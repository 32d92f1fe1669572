## ifftn.m: ifftn of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = ifftn (varargin)
  y = __gpu_array__ ("ifftn", varargin{:});
endfunction
