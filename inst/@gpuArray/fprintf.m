## fprintf.m: fprintf with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = fprintf (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  [varargout{1:nargout}] = fprintf (varargin{:});
endfunction
