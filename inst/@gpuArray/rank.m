## rank.m: numerical rank of a matrix that is a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function r = rank (a, varargin)
  if (nargin < 1 || nargin > 2)
    print_usage ("rank");
  elseif (ndims (a) > 2)
    error ("gpulinalg:bad-shape", "rank: A must be a 2-dimensional matrix");
  elseif (nargin > 1 && ! isnumeric (gather (varargin{1})))
    error ("gpulinalg:bad-value", "rank: tol must be a number that is not negative");
  endif
  if (islogical (a))
    a = double (a);
  endif
  r = __gpu_pages__ ("of_matrix", "rank", @() pagerank (a, varargin{:}));
endfunction
