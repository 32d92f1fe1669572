## printf.m: printf with gpuArrays, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function printf (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  printf (varargin{:});
endfunction
