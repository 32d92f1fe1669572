## __gpu_pageeig__.m: pageeig of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## D = __gpu_pageeig__ (X, as_matrix, place) or [V, D, W]: what pageeig returns. All pages must be Hermitian, because
## others are not solved on a GPU.

function [V, D, W] = __gpu_pageeig__ (X, as_matrix, place)

  dims = size (X);
  n = dims(1);
  pages = prod (dims(3:end));
  X = reshape (X, n, n, pages);
  [V, d, info] = if_all_hermitian (X, nargout, place);
  if (isempty (info))
    [bad, hermitian] = kinds (X);
    if (any (bad))
      X(:,:,bad) = NaN;
    endif
    check_pages (hermitian | bad);
    [V, d, info] = batch (X, nargout, place);
  endif
  if (any (info))
    warn_of_failed_pages (not_finite (X), info);
  endif

  if (as_matrix)
    D = zeros (n * n, pages, "like", d);
    D(1:n+1:end,:) = reshape (d, n, pages);
    D = reshape (D, dims);
  else
    D = reshape (d, [n, 1, dims(3:end)]);
  endif
  if (nargout > 1)
    V = W = reshape (V, dims);
  else
    V = D;
  endif

endfunction

function check_pages (hermitian)

  if (! all (hermitian))
    error ("gpulinalg:gather-needed",
           "pageeig: page %d is not Hermitian, and a gpuArray must be; gather (X) copies it to the host",
           find (! hermitian, 1));
  endif

endfunction

## All pages by batcheig, which checks that they are Hermitian. Where a page is not, or there is none, all outputs are
## empty; the first page is looked at before, so that pages of another kind do not cost a call.
function [V, d, info] = if_all_hermitian (X, outputs, place)

  V = d = info = [];
  if (isempty (X))
    return;
  endif
  [~, hermitian] = kinds (X(:,:,1));
  if (! hermitian)
    return;
  endif
  try
    [V, d, info] = batch (X, outputs, place);
  catch err
    if (! strcmp (err.identifier, "gpulinalg:not-hermitian"))
      rethrow (err);
    endif
  end_try_catch

endfunction

## The pages that hold NaN or Inf, and the others that are Hermitian.
function [bad, hermitian] = kinds (X)

  bad = not_finite (X);
  hermitian = ! bad & near_hermitian (X);

endfunction

## The pages that hold NaN or Inf.
function bad = not_finite (X)

  bad = gather (any (any (! isfinite (X), 1), 2)(:));

endfunction

## The pages of a gpuArray that batcheig computes: those with |X - X'| of the size of rounding errors.
function near = near_hermitian (X)

  most = @(Y) max (max (abs (Y), [], 1), [], 2);
  column = @(y) reshape (double (gather (y)), [], 1);     # the bound of tiny pages in double precision
  X .*= 1 - 0.875 * (most (X) > 1);     # an eighth: |X| and differences must not overflow, and tiny elements not vanish
  near = column (most (X - conj (permute (X, [2, 1, 3])))) <= 10 * rows (X) * eps (underlyingType (X)) * column (most (X));
  if (isempty (near))                   # no rows
    near = true (size (X, 3), 1);
  endif

endfunction

## Eigenvalues of Hermitian pages, and a nonzero info for pages that failed; V is empty where one output is wanted.
function [V, d, info] = batch (X, outputs, place)

  V = [];
  if (outputs > 1)
    [V, d, info] = batcheig (X, "vector", "device", place);
  else
    warning ("off", "gpulinalg:pages-failed", "local");
    d = batcheig (X, "vector", "device", place);
    info = gather (any (isnan (d), 1)(:));
  endif

endfunction

function warn_of_failed_pages (bad, info)

  stuck = info != 0 & ! bad;
  pages = numel (bad);
  if (any (bad) && any (stuck))
    warning ("gpulinalg:pages-failed",
             ["pageeig: %d of %d pages hold NaN or Inf (the first is page %d), and %d did not ", ...
              "converge (the first is page %d); they are NaN in the result"],
             sum (bad), pages, find (bad, 1), sum (stuck), find (stuck, 1));
  elseif (any (bad))
    warning ("gpulinalg:pages-failed",
             "pageeig: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             sum (bad), pages, find (bad, 1));
  elseif (any (stuck))
    warning ("gpulinalg:pages-failed",
             "pageeig: %d of %d pages did not converge and are NaN in the result; the first is page %d",
             sum (stuck), pages, find (stuck, 1));
  endif

endfunction
