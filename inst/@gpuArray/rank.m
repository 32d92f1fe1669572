## rank.m: numerical rank of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function r = rank (a, varargin)
  if (nargin < 1 || nargin > 2)
    print_usage ("rank");
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "rank: A must be a 2-dimensional matrix");
  endif
  if (islogical (a))
    a = double (a);
  endif
  r = pagerank (a, varargin{:});
endfunction
