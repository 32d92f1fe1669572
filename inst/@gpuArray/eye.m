## eye.m: eye of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = eye (varargin)
  y = __gpu_array__ ("eye", varargin{:});
endfunction
