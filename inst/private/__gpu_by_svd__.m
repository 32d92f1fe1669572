## __gpu_by_svd__.m: pagepinv, pagelsqminnorm, pagerank and pagecond of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## x = __gpu_by_svd__ (who, A, tol, device, ...): what the function `who` returns. tol is [] where none was given. More
## arguments of pagelsqminnorm: B, the regularization as it divides singular values, and whether to warn of ranks.

function x = __gpu_by_svd__ (who, A, tol, device, varargin)

  if (any (strcmp (who, {"pagerank", "pagecond"})))
    [s, scale] = decompose (who, A, device);
  else
    [s, scale, U, V] = decompose (who, A, device);
  endif
  if (isempty (tol))
    tol = max (rows (A), columns (A)) * eps (underlyingType (A)) * max (s, [], 1);
  else
    tol = tol .* scale;
  endif
  switch (who)
    case "pagerank"
      x = sum (s > tol, 1);
      x(any (isnan (s), 1)) = NaN;
    case "pagecond"
      x = s(1,1,:) ./ s(end,1,:);
      x(s(end,1,:) == 0) = Inf;
      x = reshape (x, [1, 1, size(A)(3:end)]);
    case "pagepinv"
      inverse = 1 ./ s .* scale;
      inverse(s <= tol) = 0;
      x = pagemtimes (V .* permute (inverse, [2, 1, 3:ndims(A)]), "none", U, "ctranspose");
    case "pagelsqminnorm"
      x = least_norm (s, scale, U, V, tol, varargin{:});
  endswitch

endfunction

function X = least_norm (s, scale, U, V, tol, B, alpha, must_warn)

  if (must_warn)
    warn_of_rank (s, tol);
  endif
  if (any (scale(:) != 1))
    B = B .* scale;
  endif
  alpha = cast (alpha, underlyingType (s)) .* scale;
  s(s <= tol | s == 0) = Inf;
  divisor = s + alpha ./ s .* alpha;    # no square or reciprocal, which might vanish or overflow
  X = pagemtimes (V, pagemtimes (U, "ctranspose", B, "none") ./ divisor);

endfunction

function warn_of_rank (s, tol)

  short = gather (any (s <= tol, 1)(:));
  if (any (short))
    warning ("gpulinalg:rank-deficient",
             "pagelsqminnorm: %d of %d pages of A have not full rank; the first is page %d",
             sum (short), numel (short), find (short, 1));
  endif

endfunction

## The decomposition of scale .* A; s has a column for each page. scale is 1, or has a power of 2 for each page: below 1
## where a singular value of A overflows. Pages that fail are NaN, with a warning in the name of `who`.
function [s, scale, U, V] = decompose (who, A, device)

  scale = 1;
  [s, U, V, bad] = svd_of_pages (A, device, nargout > 2);
  over = gather (any (isinf (s), 1)(:));
  if (any (over))
    scale = ones ([1, 1, size(A)(3:end)], underlyingType (A));
    scale(over) = 2 ^ -64;
    [s, U, V, bad] = svd_of_pages (scale .* A, device, nargout > 2);
  endif
  if (any (bad))
    warning ("gpulinalg:pages-failed",
             "%s: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             who, sum (bad), numel (bad), find (bad, 1));
  endif

endfunction

function [s, U, V, bad] = svd_of_pages (A, device, vectors)

  U = V = [];
  if (vectors)
    [U, s, V, info] = batchsvd (A, "econ", "vector", "device", device);
    bad = info != 0;
  else
    s = values_alone (A, device);
    bad = gather (any (isnan (s), 1)(:));
  endif

endfunction

## No warning of batchsvd, which has no output info here. The warning of the caller must come after this function: a
## second "local" in one function would leave the state of the first one behind.
function s = values_alone (A, device)

  warning ("off", "gpulinalg:pages-failed", "local");
  s = batchsvd (A, "device", device);

endfunction
