## median.m: median of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = median (x, dim = [])
  dim = gather (dim);
  if (! isgpuarray (x) || ! existsOnGPU (x) || isempty (x))
    if (isempty (dim))
      y = gpuArray (median (gather (x)));
    else
      y = gpuArray (median (gather (x), dim));
    endif
    return;
  elseif (ischar (dim) || ! (isempty (dim) || (isscalar (dim) && dim >= 1 && dim == fix (dim))) || ! isreal (x))
    __gpu_array__ ("median", x); # the error that names gather
  endif
  if (isempty (dim))
    dim = [find(size (x) != 1, 1), 1](1);
  endif
  if (islogical (x))
    x = double (x);
  endif
  if (dim > ndims (x))
    y = x;
    return;
  endif
  s = sort (x, dim);
  n = size (x, dim);
  at = last = repmat ({":"}, 1, ndims (x));
  at{dim} = ceil (n / 2);
  last{dim} = n;
  y = s(at{:});
  if (mod (n, 2) == 0)
    at{dim} = n / 2 + 1;
    z = s(at{:});
    equal = y == z; # infinities, of which the mean would be NaN
    mean = y / 2 + z / 2;
    mean(equal) = y(equal);
    y = mean;
  endif
  y(isnan (s(last{:}))) = NaN; # sort puts them last
endfunction
