## pinv.m: pseudo-inverse of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function y = pinv (a, varargin)
  if (nargin < 1 || nargin > 2)
    print_usage ("pinv");
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "pinv: X must be a 2-dimensional matrix");
  elseif (nargin > 1 && ! isnumeric (gather (varargin{1})))
    error ("gpulinalg:bad-value", "pinv: tol must be a number that is not negative");
  endif
  if (islogical (a))
    a = double (a);
  endif
  y = __gpu_pages__ ("of_matrix", "pinv", @() pagepinv (a, varargin{:}));
endfunction
