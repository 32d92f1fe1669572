## pinv.m: pseudo-inverse of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function y = pinv (a, varargin)
  if (nargin < 1 || nargin > 2)
    print_usage ("pinv");
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "pinv: X must be a 2-dimensional matrix");
  endif
  if (islogical (a))
    a = double (a);
  endif
  y = pagepinv (a, varargin{:});
endfunction
