## max.m: max of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = max (varargin)
  varargout = cell (1, nargout + (nargout == 0));
  [varargout{:}] = __gpu_array__ ("max", varargin{:});
endfunction
