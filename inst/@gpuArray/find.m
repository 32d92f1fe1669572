## find.m: find of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = find (varargin)
  if (nargout < 2)
    varargout{1} = __gpu_array__ ("find", varargin{:});
  else
    [varargout{1:nargout}] = __gpu_array__ ("find", varargin{:});
  endif
endfunction
