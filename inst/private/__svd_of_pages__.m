## __svd_of_pages__.m: singular values of pages, and vectors, for another function
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [s, scale, U, V] = __svd_of_pages__ (who, A, device): the decomposition of scale .* A; s has a column for each page.
## scale is 1, or has a power of 2 for each page: below 1 where a singular value of A overflows. Pages that fail are
## NaN, with a warning in the name of `who`.

function [s, scale, U, V] = __svd_of_pages__ (who, A, device)

  scale = 1;
  [s, U, V, bad] = decompose (who, A, device, nargout > 2);
  over = gather (any (isinf (s), 1)(:));
  if (any (over))
    scale = ones ([1, 1, size(A)(3:end)], underlyingType (A));
    scale(over) = 2 ^ -64;
    [s, U, V, bad] = decompose (who, scale .* A, device, nargout > 2);
  endif
  if (any (bad))
    warning ("gpulinalg:pages-failed",
             "%s: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             who, sum (bad), numel (bad), find (bad, 1));
  endif

endfunction

function [s, U, V, bad] = decompose (who, A, device, vectors)

  if (vectors)
    [U, s, V, info] = as_caller (who, @() batchsvd (A, "econ", "vector", "device", device));
    bad = info != 0;
  else
    U = V = [];
    s = as_caller (who, @() values_alone (A, device));
    bad = gather (any (isnan (s), 1)(:));
  endif

endfunction

## No warning of batchsvd, which has no output info here. The warning of the caller must come after this function: a
## second "local" in one function would leave the state of the first one behind.
function s = values_alone (A, device)

  warning ("off", "gpulinalg:pages-failed", "local");
  s = batchsvd (A, "device", device);

endfunction

## Errors of batchsvd in the name of the function that was called.
function varargout = as_caller (who, f)

  try
    [varargout{1:nargout}] = f ();
  catch err
    if (strncmp (err.message, "batchsvd:", 9))
      error (err.identifier, "%s:%s", who, err.message(10:end));
    endif
    rethrow (err);
  end_try_catch

endfunction
