## inv.m: inverse of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, rcond] = inv (a)
  if (nargin != 1)
    print_usage ();
  elseif (ndims (a) > 2 || rows (a) != columns (a))
    error ("gpulinalg:bad-shape", "inverse: argument must be a square matrix");
  endif
  if (islogical (a))
    a = double (a);
  endif
  if (isscalar (a) && nargout < 2)
    y = 1 ./ a;
    return;
  endif
  [y, rcond, ~] = __gpu_pages__ ("of_matrix_quietly", "inv", @() pageinv (a));
  reciprocal = gather (rcond);
  if (nargout < 2 && ! (reciprocal > 0))          # NaN: the matrix holds NaN or Inf
    warning ("Octave:singular-matrix", "matrix singular to machine precision");
  elseif (nargout < 2 && reciprocal + 1 == 1)
    warning ("Octave:nearly-singular-matrix", "matrix singular to machine precision, rcond = %g", reciprocal);
  endif
endfunction
