## int2str.m: int2str with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function text = int2str (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  text = int2str (varargin{:});
endfunction
