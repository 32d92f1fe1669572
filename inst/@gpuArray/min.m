## min.m: min of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = min (varargin)
  if (nargout < 2)
    y = __gpu_array__ ("min", varargin{:});
  else
    [y, at] = __gpu_array__ ("min", varargin{:});
  endif
endfunction
