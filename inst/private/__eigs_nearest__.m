## __eigs_nearest__.m: computes the eigenvalues of a sparse Hermitian matrix nearest to sigma
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [d, residuals, stats, V] = __eigs_nearest__ (A, k, sigma, request): A is sparse, double, finite
## and Hermitian; d descends in value; request as for __eigs_lanczos__.
##
## The method is Lanczos on the inverse of A - s*I, which is factored once. An eigenvalue theta of the
## inverse gives s + 1 / theta. Its error is relative to the largest theta. So if sigma is an
## eigenvalue, or so near to one that the others lose digits, s is moved away from sigma.

function [d, residuals, stats, V] = __eigs_nearest__ (A, k, sigma, request)

  n = rows (A);
  directly = n <= 300 || nnz (A) == 0;
  if (directly)
    if (nnz (A) == 0)
      d = zeros (k, 1);
      V = eye (n, k);
    else
      [V, d] = of_dense (full (A));
    endif
    stats = struct ("converged", k, "products", 0, "restarts", 0, "steps", 0, "basis", 0,
                    "block", 0, "complete", true, "norm", 0, "orthogonality", 0, "dense", true,
                    "device", "cpu", "factorizations", 0);
    e = 0;
  else
    ## Scale the entries to the order of 1 to avoid overflow.
    [~, e] = log2 (full (max (max (abs (A)))));
    A = __times_power_of_2__ (A, -e);
    sigma = __times_power_of_2__ (sigma, -e);
    [d, V, stats] = by_inverses (A, k, sigma, request);
  endif
  [~, order] = sort (abs (d - sigma));      # NaN come last
  order = order(1:k);
  [~, at] = sort (-d(order));
  d = d(order(at));
  V = V(:,order(at));
  stats.converged = sum (! isnan (d));
  if (directly)
    stats.orthogonality = full (max (max (abs (V' * V - eye (k)))));
  endif

  R = A * V - V .* d.';
  largest = max (max (abs (R), [], 1), realmin ());
  residuals = __times_power_of_2__ ((largest .* norm (R ./ largest, "columns")).', e);
  d = __times_power_of_2__ (d, e);
  stats.norm = __times_power_of_2__ (norm (A, 1), e);
  if (request.single)
    d = single (d);
    V = single (V);
  endif

endfunction

## At least k eigenvalues, among them the k nearest to sigma. Lanczos finds all eigenvalues within a
## distance from s. If the k-th nearest to sigma is within this distance, the k nearest to sigma are
## among them; otherwise s was moved too far, and the loop tries more eigenvalues or another s.
function [d, V, stats] = by_inverses (A, k, sigma, request)

  n = rows (A);
  request.which = "lm";
  request.inverse = true;
  request.block_function = true;
  request.single = false;         # sparse factors are double
  request.n = n;
  s = sigma;
  wanted = k;
  products = 0;
  nudge = -2 ^ -10;    # below sigma first: many singular matrices have no eigenvalues below 0
  order = request.order;
  solver = request.solver;
  noise = request.noise;
  if (isempty (order))
    order = __eigs_order__ (A);
  endif
  if (isempty (solver) && norm (sum (A, 2) - sigma, 1) <= 8 * eps * n * norm (A, 1))
    s = sigma + nudge;            # sigma is an eigenvalue, with the vector of ones: as for Laplacians
    nudge /= -3;
  endif
  for count = 1:40
    if (count > 1 || isempty (solver))
      [solver, noise] = __eigs_factor__ (A, s, order, 0);
    endif
    if (isempty (solver))
      s = sigma + nudge;
      nudge /= -3;
      continue;
    endif
    request.k = wanted;
    request.shift = s;
    [d, stats, V] = around_shift (A, solver, noise, request);
    products += stats.products;
    if (stats.converged < wanted)
      break;
    endif
    distance = abs (d - s);
    kth = sort (abs (d - sigma))(k);
    covered = abs (s - sigma) + kth <= max (distance) * (1 + 1e-9) || wanted == n;
    exact = min (distance) >= 1e-4 * max (distance);
    if (covered && exact)
      break;
    elseif (exact && abs (s - sigma) <= kth / 4)
      wanted = min (n, wanted + max (4, ceil (wanted / 2)));
    else
      s = middle_of_gap (d, sigma, kth / 8);
    endif
  endfor
  if (isempty (solver) || ! (stats.converged < wanted || (covered && exact)))
    error ("gpulinalg:singular",
           "eigs_lanczos: no shift was found near sigma with which A - sigma * I can be factored");
  endif
  stats.products = products;
  stats.factorizations = count;

endfunction

## The eigenvalues nearest to the shift. The tolerance is at least `noise`, the error of the solver. The
## residuals of vectors of the inverse grow for A by |A| over the distance from the shift; one step of
## inverse iteration and a projection of A onto the vectors make up for that.
function [d, stats, V] = around_shift (A, solver, noise, request)

  maxit = request.maxit;
  if (maxit == 0)
    request.maxit = 40;
  endif
  [d, ~, stats, V] = __eigs_lanczos__ (solver, request);
  found = stats.converged == request.k && (stats.complete || ! request.certify);
  if (! found && maxit == 0)
    request.maxit = 300;
    request.tol = max (request.tol, noise);
    products = stats.products;
    [d, ~, stats, V] = __eigs_lanczos__ (solver, request);
    stats.products += products;
  endif
  if (stats.converged == request.k)
    [V, ~] = qr (solver (V), 0);
    H = V' * (A * V - request.shift * V);
    [Q, ~] = of_dense ((H + H') / 2);
    V *= Q;
    d = sort (d);
  endif

endfunction

## Not by eig: of complex matrices it may end Octave, where LAPACK calls the zgemv of OpenBLAS 0.3.21, which reads up to 48
## bytes behind a vector.
function [V, d] = of_dense (A)

  [V, d, ~] = batcheig (A, "vector", "lower", "device", "cpu");

endfunction

## The middle of the largest gap between the eigenvalues d within the distance r of sigma.
function s = middle_of_gap (d, sigma, r)

  points = sort ([sigma - r; d(abs (d - sigma) < r); sigma + r]);
  [~, at] = max (diff (points));
  s = (points(at) + points(at+1)) / 2;

endfunction
