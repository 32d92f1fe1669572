## arrayfun.m: arrayfun of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = arrayfun (varargin)
  if (nargout < 2)
    varargout{1} = __gpu_array__ ("arrayfun", varargin{:});
  else
    [varargout{1:nargout}] = __gpu_array__ ("arrayfun", varargin{:});
  endif
endfunction
