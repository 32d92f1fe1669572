## min.m: min of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = min (varargin)
  varargout = cell (1, nargout + (nargout == 0));
  [varargout{:}] = __gpu_array__ ("min", varargin{:});
endfunction
