## cummax.m: cummax of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = cummax (x, dim = [])
  dim = gather (dim);
  if (isempty (dim))
    dim = [find(size (x) != 1, 1), 1](1);
  endif
  if (! isgpuarray (x) || ! existsOnGPU (x) || isempty (x))
    [y, at] = cummax (gather (x), dim);
    y = gpuArray (y);
    at = gpuArray (at);
    return;
  elseif (nargout > 1 || ! (isscalar (dim) && dim >= 1 && dim == fix (dim)))
    __gpu_array__ ("cummax", x); # the error that names gather
  endif
  y = running (@max, x, dim);
endfunction
