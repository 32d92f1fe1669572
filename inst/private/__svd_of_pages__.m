## __svd_of_pages__.m: singular values of pages, and vectors, for another function
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [s, U, V] = __svd_of_pages__ (who, A, device): s has a column for each page. Pages that fail are NaN, with a
## warning in the name of `who`.

function [s, U, V] = __svd_of_pages__ (who, A, device)

  if (nargout == 1)
    s = as_caller (who, @() values_alone (A, device));
    bad = gather (any (isnan (s), 1)(:));
  else
    [U, s, V, info] = as_caller (who, @() batchsvd (A, "econ", "vector", "device", device));
    bad = info != 0;
  endif
  if (any (bad))
    warning ("gpulinalg:pages-failed",
             "%s: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             who, sum (bad), numel (bad), find (bad, 1));
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
