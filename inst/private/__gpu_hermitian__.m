## __gpu_hermitian__.m: the Hermitian pages that batcheig reads from a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [H, bad, exponents] = __gpu_hermitian__ (name, A, triangle): A has n x n x P; triangle is "full", "lower" or "upper". H is
## (A + A') / 2, or the triangle and its mirror image, over a power of 2 for each page that brings the largest
## magnitude to [0.5, 1). bad, on the host: the page holds NaN or Inf; it is 0 in H. Ends with gpulinalg:not-hermitian
## where a full page of the matrix `name` is not Hermitian to within 10 * n * eps.

function [H, bad, exponents] = __gpu_hermitian__ (name, A, triangle)

  n = rows (A);
  adjoint = conj (permute (A, [2, 1, 3]));
  if (strcmp (triangle, "full"))
    skew = double (gather (largest_of (A - adjoint)));
    H = A;
  else
    inner = tril (true (n), -1);
    if (strcmp (triangle, "upper"))
      inner = inner.';
    endif
    H = arrayfun (@(outer, x, y) merge (outer, y, x), inner.', A, adjoint);
    A = H;
    skew = 0;
  endif
  bad = ! gather (all (all (isfinite (A), 1), 2))(:);
  most = double (gather (largest_of (A)));
  wrong = find (skew(:) > 10 * n * eps (underlyingType (A)) * most(:) & ! bad, 1);
  if (! isempty (wrong))
    error ("gpulinalg:not-hermitian", ["batcheig: page %d of %s is not Hermitian: the largest |%s - %s'| is %g; ", ...
           "\"lower\" or \"upper\" reads one triangle only"], wrong, name, name, name, skew(wrong));
  endif

  [~, exponents] = log2 (most);
  exponents(bad) = 0;
  half = fix (exponents / 2);           # 2 ^ -exponent itself may be out of range
  type = underlyingType (A);
  H = H .* cast (2 .^ -half, type) .* cast (2 .^ (half - exponents), type);
  H(:,:,bad) = 0;
  H = (H + conj (permute (H, [2, 1, 3]))) / 2; # before they are scaled, sums may be out of range

endfunction

function x = largest_of (A)
  x = max (max (abs (A), [], 1), [], 2);
endfunction
