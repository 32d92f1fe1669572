## circshift.m: elements moved in a circle, of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function y = circshift (varargin)
  y = __gpu_array__ ("circshift", varargin{:});
endfunction
