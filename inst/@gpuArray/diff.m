## diff.m: diff of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = diff (x, k = 1, dim = [])
  if (! isgpuarray (x))
    y = diff (x, gather (k), gather (dim));
    return;
  endif
  k = double (gather (k));
  dim = double (gather (dim));
  if (isempty (k))
    k = 1;
  endif
  if (! (isscalar (k) && k >= 0 && k == fix (k)))
    error ("gpulinalg:bad-value", "diff: order K must be a scalar or []");
  elseif (! isempty (dim) && ! (isscalar (dim) && dim >= 1 && dim == fix (dim)))
    error ("gpulinalg:bad-value", "diff: DIM must be a valid dimension");
  endif
  if (isempty (dim))
    dim = [find(size (x) != 1, 1), 1](1);
    if (k > 0 && size (x, dim) <= k)
      __gpu_array__ ("diff", x); # Octave goes on in the next dimension; the error that names gather
    endif
  endif
  y = x;
  if (k > 0 && islogical (x))
    y = double (y);
  endif
  at = repmat ({":"}, 1, max (ndims (x), dim));
  for step = 1:k
    n = size (y, dim);
    from = to = at;
    from{dim} = 1:n-1;
    to{dim} = 2:n;
    y = y(to{:}) - y(from{:});
  endfor
endfunction
