## arrayfun.m: arrayfun of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, varargout] = arrayfun (varargin)
  if (nargout < 2)
    y = __gpu_array__ ("arrayfun", varargin{:});
  else
    [y, varargout{1:nargout-1}] = __gpu_array__ ("arrayfun", varargin{:});
  endif
endfunction
