## running_extreme.m: cummax and cummin of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## `name` is the function, and f the one of two arrays: max or min. On a GPU log2 (n) steps (Hillis, Steele 1986).

function [y, at] = running_extreme (name, f, x, dim = [])
  dim = gather (dim);
  if (isempty (dim))
    dim = [find(size (x) != 1, 1), 1](1);
  endif
  if (! isgpuarray (x) || ! existsOnGPU (x) || isempty (x))
    [y, at] = feval (name, gather (x), dim);
    y = gpuArray (y);
    at = gpuArray (at);
    return;
  elseif (nargout > 1 || ! (isscalar (dim) && dim >= 1 && dim == fix (dim)))
    __gpu_array__ (name, x); # the error that names gather
  endif
  n = size (x, dim);
  y = x;
  all_of = repmat ({":"}, 1, max (ndims (x), dim));
  step = 1;
  while (step < n)
    first = before = rest = all_of;
    first{dim} = 1:step;
    before{dim} = 1:n-step;
    rest{dim} = step+1:n;
    y = cat (dim, y(first{:}), f (y(before{:}), y(rest{:})));
    step *= 2;
  endwhile
endfunction
