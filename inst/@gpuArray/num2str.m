## num2str.m: num2str with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function text = num2str (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  text = num2str (varargin{:});
endfunction
