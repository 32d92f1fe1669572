## sprintf.m: sprintf with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = sprintf (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  [varargout{1:max (1, nargout)}] = sprintf (varargin{:});
endfunction
