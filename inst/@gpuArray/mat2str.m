## mat2str.m: mat2str with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function text = mat2str (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  text = mat2str (varargin{:});
endfunction
