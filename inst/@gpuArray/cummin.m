## cummin.m: cummin of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = cummin (varargin)
  varargout = cell (1, max (nargout, 1));
  [varargout{:}] = running_extreme ("cummin", @min, varargin{:});
endfunction
