## corrcoef.m: correlation coefficients of the columns of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function r = corrcoef (x, y, varargin)
  if (nargin < 1)
    print_usage ();
  elseif (nargin > 2 || (nargin > 1 && ischar (y)))
    __gpu_array__ ("corrcoef", gpuArray (0)); # the error that names gather
  elseif (nargin > 1 && numel (x) > 0 && numel (y) > 0 && numel (x) != numel (y))
    error ("gpulinalg:bad-shape", "corrcoef: X and Y must be the same size");
  elseif (nargin > 1)
    x = [x(:), y(:)];
  endif
  if (! isreal (x) || ndims (x) > 2)
    __gpu_array__ ("corrcoef", gpuArray (0)); # the error that names gather
  elseif (isempty (x) || isscalar (x))
    r = gpuArray (NaN);
    return;
  elseif (isrow (x))
    x = x(:);
  endif
  n = columns (x);
  missing = any (isnan (x), 1); # not where an infinite mean makes it so
  x -= mean (x, 1);
  d = sqrt (sumsq (x, 1));
  r = (x.' * x) ./ (d.' .* d);
  ## 1 also for columns whose elements are all the same
  r(1:n+1:n*n) = merge (missing, NaN (underlyingType (x)), ones (1, n, underlyingType (x)));
endfunction
