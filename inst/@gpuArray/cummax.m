## cummax.m: cummax of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = cummax (varargin)
  varargout = cell (1, max (nargout, 1));
  [varargout{:}] = running_extreme ("cummax", @max, varargin{:});
endfunction
