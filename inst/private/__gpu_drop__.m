## __gpu_drop__.m: batcheig (A, B, "drop", t) of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [lambda, V, info, more] = __gpu_drop__ (A, B, want): as __gpu_swap__; want has t in the field `drop`, 0 for n * eps.
##
## B = U*M*U'. The eigenvectors whose eigenvalues are large enough, divided by the roots of these, are the first r
## columns of T, and the others are 0; C = T'*A*T is r x r. It is solved as an n x n problem: the rest of the
## diagonal is larger than |C|, so its eigenvalues come last, and all that couples them is 0.

function [lambda, V, info, more] = __gpu_drop__ (A, B, want)

  n = rows (A);
  pages = max (size (A, 3), size (B, 3));
  at = @(x) x(min ((1:pages).', numel (x)));    # a number for each page from one for all
  [S, bad_b, b] = hermitian ("B", B, want.triangle);
  [T, rank_, b_info, b] = basis (S, bad_b, b, want);
  [H, bad_a, a] = hermitian ("A", A, want.triangle);
  info = at (b_info);
  info(info == 0 & at (bad_a)) = n + 1;
  kept = at (rank_) .* (info == 0);

  ## the problem in the basis
  C = pagemtimes (T, "ctranspose", pagemtimes (H, T), "none");
  dropped = reshape (1:n, n, 1) > reshape (kept, 1, 1, pages);
  above = 4 * max (sum (abs (C), 1), [], 2);
  C = C + eye (n) .* (dropped .* (above + (above == 0)));
  [lambda, V, found] = __gpu_eig__ (want.vectors, C, "lower", "vector", "phase", "none", want.args{:}, want.progress{:});
  if (want.vectors)
    V = turned (pagemtimes (T, V), want.phase);
  endif
  info(info == 0) = double (found(info == 0));
  kept(info != 0) = 0;

  ## out of the scales of A and B
  a = at (a(:));
  b = at (b(:));
  factor = @(e) reshape (cast (2 .^ e, underlyingType (lambda)), 1, 1, pages);
  half = fix ((a - b) / 2);
  lambda = lambda .* factor (half) .* factor (a - b - half);
  if (want.vectors)
    V = V .* factor (-b / 2);
  endif
  [lambda, V, more.count] = __gpu_part__ (lambda, V, kept, want);
  more.rank = kept;
  if (want.more)
    [~, more.rcond, ~] = pageinv (S);
    more.rcond = at (gather (more.rcond)(:));
  endif

endfunction

## The eigenvectors of B over 2^b that are kept, divided by the roots of their eigenvalues, by falling eigenvalue; zeros
## behind them. b becomes even.
function [T, rank_, info, b] = basis (S, bad, b, want)

  n = rows (S);
  b = b(:);
  odd = mod (b, 2);
  S = S .* reshape (cast (2 .^ -odd, underlyingType (S)), 1, 1, []);
  b += odd;
  [mu, U, found] = __gpu_eig__ (true, S, "lower", "vector", "phase", "none", want.args{:});
  mu = double (reshape (gather (mu), n, []));
  rounding = n * eps (underlyingType (S));
  t = want.drop;
  if (t == 0)
    t = rounding;
  endif
  negative = sum (mu < -max (t, rounding) * max (abs (mu), [], 1), 1).';
  info = double (found);
  info(bad) = n + 1;
  info(info == 0 & negative > 0) = n + 1 + negative(info == 0 & negative > 0);
  mu = mu(n:-1:1,:);
  keeps = mu > 0 & mu > t * mu(1,:);
  keeps(:,info != 0) = false;
  rank_ = sum (keeps, 1).';
  weights = zeros (size (mu));
  weights(keeps) = 1 ./ sqrt (mu(keeps));
  T = U(:,n:-1:1,:) .* reshape (cast (weights, underlyingType (S)), [1, n, columns(weights)]);
  T(:,:,info != 0) = 0;

endfunction

## Columns whose largest component is real and positive; of components whose moduli differ by less than one in a
## thousand the first one is meant.
function V = turned (V, phase)

  if (! strcmp (phase, "max"))
    return;
  endif
  [n, k, pages] = size (V);
  moduli = abs (V);
  [~, first] = max (moduli >= 0.999 * max (moduli, [], 1), [], 1);
  places = reshape (first, 1, k * pages) + n * (0:k*pages-1);
  component = reshape (V(places), [1, k, pages]);
  modulus = abs (component);
  factor = conj (component) ./ (modulus + (modulus == 0));
  V = V .* (factor + (modulus == 0));
  V(places) = modulus(:);

endfunction

## The Hermitian pages that batcheig reads from a gpuArray. A has n x n x P; triangle is "full", "lower" or "upper". H is
## (A + A') / 2, or the triangle and its mirror image, over a power of 2 for each page that brings the largest
## magnitude to [0.5, 1). bad, on the host: the page holds NaN or Inf; it is 0 in H. Ends with gpulinalg:not-hermitian
## where a full page of the matrix `name` is not Hermitian to within 10 * n * eps.
function [H, bad, exponents] = hermitian (name, A, triangle)

  n = rows (A);
  adjoint = conj (permute (A, [2, 1, 3]));
  if (strcmp (triangle, "full"))
    skew = double (gather (largest_of (A - adjoint)));
    H = A;
  else
    inner = (1:n).' > (1:n);
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
