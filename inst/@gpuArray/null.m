## null.m: null space of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function z = null (a, tol)
  if (nargin < 1)
    print_usage ();
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "null: A must be a 2-D matrix");
  elseif (nargin > 1 && ischar (tol))
    __gpu_array__ ("null", a); # the error that names gather
  endif
  if (islogical (a))
    a = double (a);
  endif
  if (isempty (a))
    z = gpuArray (eye (columns (a), underlyingType (a)));
    return;
  endif
  n = columns (a);
  if (rows (a) < n)
    [v, s] = __gpu_pages__ ("of_matrix", "null", @() right_vectors (a));
  else
    [v, s] = __gpu_pages__ ("of_matrix", "null", @() right_vectors (a, "econ"));
  endif
  if (nargin < 2)
    tol = max (size (a)) * s(1) * eps (underlyingType (a));
  endif
  z = v(:,gather (sum (s > tol))+1:n);
  z(abs (z) < eps (underlyingType (a))) = 0;
endfunction

function [v, s] = right_vectors (a, varargin)
  [~, s, v] = batchsvd (a, "vector", varargin{:});
endfunction
