## sort.m: sort of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = sort (varargin)
  if (nargout < 2)
    y = __gpu_array__ ("sort", varargin{:});
  else
    [y, at] = __gpu_array__ ("sort", varargin{:});
  endif
endfunction
