## sprintf.m: sprintf with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function text = sprintf (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  text = sprintf (varargin{:});
endfunction
