## __gpu_triangle__.m: X = R \ C for upper triangular pages on a GPU
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [X, condition] = __gpu_triangle__ (R, C): R has n x n x P. condition: an estimate of norm (R) times norm
## (inv (R)) for each page, Inf where R has a 0 on the diagonal; NaN where R holds NaN or Inf.
## The columns of R should have about the same length.
##
## gla_pagesolve finds the pivots of a triangle on its diagonal and has nothing to eliminate. On a GPU it
## does pages of up to `most` rows; larger ones are blocks of these.

function [X, condition] = __gpu_triangle__ (R, C)

  n = rows (R);
  most = __gpu_array__ ("solved_rows");
  if (nargout < 2)
    X = divide (R, C, most);
  elseif (n == 1)
    X = C ./ R;
    r = abs (R)(:);
    condition = 1 ./ (r > 0);
    condition(! isfinite (r)) = NaN;
  elseif (n <= most)
    [X, rcond, ~] = pagemldivide (R, C);
    condition = 1 ./ double (rcond(:));
  else
    X = divide (R, C, most);
    condition = iterated (R, most);
  endif

endfunction

function X = divide (R, C, most)

  n = rows (R);
  if (n == 1)
    X = C ./ R;
    return;
  elseif (n <= most)
    [X, ~, ~] = pagemldivide (R, C);    # with three outputs there are no warnings
    return;
  endif
  X = C;
  for first = fix ((n - 1) / most) * most + 1 : -most : 1
    here = first:min (first + most - 1, n);
    rest = here(end)+1:n;
    part = X(here,:,:);
    if (! isempty (rest))
      part -= pagemtimes (R(here,rest,:), X(rest,:,:));
    endif
    X(here,:,:) = divide (R(here,here,:), part, most);
  endfor

endfunction

## The norm of the inverse by three steps of inverse iteration with R' * R, as the CPU does it; at most the
## norm, and near it where the norm is large. The norm of R is at most that of Frobenius.
function condition = iterated (R, most)

  n = rows (R);
  pages = size (R, 3);
  turned = flip (flip (conj (permute (R, [2, 1, 3])), 1), 2);     # R' with rows and columns in reverse
  y = 0 * R(:,1,:) + (1 + mod ((0:n-1).' * 37, 101) / 64);
  norm_of_inverse = zeros (pages, 1);
  for step = 1:3
    y = y ./ pagenorm (y, "fro");
    z = flip (divide (turned, flip (y, 1), most), 1);
    size_ = pagenorm (z, "fro");
    y = divide (R, z ./ size_, most);
    norm_of_inverse = max (norm_of_inverse, max (double (gather (size_)(:)), double (gather (pagenorm (y, "fro"))(:))));
  endfor
  condition = double (gather (pagenorm (R, "fro"))(:)) .* norm_of_inverse;
  finite = gather (all (all (isfinite (R), 1), 2))(:);
  regular = gather (all (diagonals (R) != 0, 1))(:);
  condition(! regular | isnan (condition)) = Inf;
  condition(! finite) = NaN;

endfunction

function d = diagonals (R)

  n = rows (R);
  pages = size (R, 3);
  d = reshape (R((1:n+1:n*n).' + n * n * (0:pages-1)), [n, 1, pages]);

endfunction
