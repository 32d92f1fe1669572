## __gpu_part__.m: the wanted part of eigenvalues and eigenvectors on a GPU
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [lambda, V, count] = __gpu_part__ (lambda, V, kept, want): lambda is n x 1 x P, ascending, and V is n x n x P, or [] where no
## vectors are wanted. kept (P x 1): so many of each page count, 0 of a page that failed. want.part is "all", "range"
## (il, iu), "largest" (k) or "interval" (vl, vu), want.bounds these numbers. Behind the wanted ones a page is NaN. count,
## on the host: how many of each page are returned.

function [lambda, V, count] = __gpu_part__ (lambda, V, kept, want)

  n = rows (lambda);
  pages = size (lambda, 3);
  first = zeros (pages, 1);
  switch (want.part)
    case "all"
      count = kept;
      columns_ = max (kept);
    case "range"
      first(:) = want.bounds(1) - 1;
      columns_ = want.bounds(2) - want.bounds(1) + 1;
      count = max (min (kept - first, columns_), 0);
    case "largest"
      columns_ = want.bounds;
      first = max (kept - columns_, 0);
      count = min (kept, columns_);
    case "interval"
      inner = reshape (1:n, n, 1) <= reshape (kept, 1, 1, pages);
      below = @(x) gather (sum (lambda <= x & inner, 1))(:);
      first = below (want.bounds(1));
      count = below (want.bounds(2)) - first;
      columns_ = max (count);
  endswitch
  if (want.all_columns)
    columns_ = n;
  endif

  places = first.' + (1:columns_).';
  missing = (1:columns_).' > count.';
  if (columns_ < n || any (first))
    at = min (places, n) + n * (0:pages-1);
    lambda = reshape (lambda(at(:)), [columns_, 1, pages]);
    if (! isempty (V))
      V = reshape (V, n, n * pages);
      V = reshape (V(:,at(:)), [n, columns_, pages]);
    endif
  endif
  if (any (missing(:)))
    fill = ones (size (missing), underlyingType (lambda));
    fill(missing) = NaN;
    lambda = lambda .* reshape (fill, [columns_, 1, pages]);
    if (! isempty (V))
      V = V .* reshape (fill, [1, columns_, pages]);
    endif
  endif

endfunction
