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
  [S, bad_b, b] = __gpu_hermitian__ ("B", B, want.triangle);
  [T, rank_, b_info, b] = basis (S, bad_b, b, want);
  [H, bad_a, a] = __gpu_hermitian__ ("A", A, want.triangle);
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
