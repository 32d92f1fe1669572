## error.m: error with gpuArrays in its text, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function error (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  error (varargin{:});
endfunction
