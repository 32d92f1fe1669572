## max.m: max of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = max (varargin)
  if (nargout < 2)
    y = __gpu_array__ ("max", varargin{:});
  else
    [y, at] = __gpu_array__ ("max", varargin{:});
  endif
endfunction
