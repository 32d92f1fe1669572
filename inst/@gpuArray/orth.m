## orth.m: orthonormal basis of the range of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function u = orth (a, tol)
  if (nargin < 1)
    print_usage ();
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "orth: A must be a 2-D matrix");
  elseif (nargin > 1 && ischar (tol))
    __gpu_array__ ("orth", a); # the error that names gather
  elseif (isempty (a))
    u = gpuArray ([]);
    return;
  endif
  if (islogical (a))
    a = double (a);
  endif
  [u, s] = __gpu_pages__ ("of_matrix_quietly", "orth", @() batchsvd (a, "vector", "econ"));
  if (nargin < 2)
    tol = max (size (a)) * s(1) * eps (underlyingType (a));
  endif
  if (isnan (gather (s(1))))
    error ("gpulinalg:bad-value", "orth: A holds NaN or Inf");
  endif
  u = u(:,1:gather (sum (s > tol)));
endfunction
