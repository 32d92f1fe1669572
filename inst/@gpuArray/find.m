## find.m: find of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = find (varargin)
  varargout = cell (1, nargout + (nargout == 0));
  [varargout{:}] = __gpu_array__ ("find", varargin{:});
endfunction
