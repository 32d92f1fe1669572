## cond.m: condition number of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function c = cond (a, p = 2)
  if (nargin < 1)
    print_usage ();
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "cond: A must be a 2-D matrix");
  endif
  if (islogical (a))
    a = double (a);
  endif
  if (isempty (a))
    c = gpuArray (zeros (1, 1, underlyingType (a)));
  elseif (isequal (p, 2))
    c = __gpu_pages__ ("of_matrix", "cond", @() pagecond (a));
  else
    c = __gpu_pages__ ("of_matrix_quietly", "cond", @() norm (a, p) * norm (inv (a), p));
  endif
endfunction
