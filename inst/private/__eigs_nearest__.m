## __eigs_nearest__.m: the eigenvalues of a sparse Hermitian matrix that are nearest to sigma
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [d, residuals, stats, V] = __eigs_nearest__ (A, k, sigma, request): A is sparse, double, finite
## and Hermitian; d descends in value; request as for __eigs_lanczos__.
##
## Lanczos on the inverse of A - s*I, factored once. An eigenvalue is s + 1 / theta, with an error
## relative to the largest theta: where sigma is an eigenvalue, or so near to one that the others lose
## digits, s moves away from it.

function [d, residuals, stats, V] = __eigs_nearest__ (A, k, sigma, request)

  n = rows (A);
  directly = n <= 300 || nnz (A) == 0;
  if (directly)
    if (nnz (A) == 0)
      d = zeros (k, 1);
      V = eye (n, k);
    else
      [V, d] = eig (full (A), "vector");
    endif
    stats = struct ("converged", k, "products", 0, "restarts", 0, "steps", 0, "basis", 0,
                    "block", 0, "complete", true, "norm", 0, "orthogonality", 0, "dense", true,
                    "device", "cpu", "factorizations", 0);
    e = 0;
  else
    ## Entries of the order of 1, so that nothing overflows on the way.
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

## At least k eigenvalues, among them the k nearest to sigma. With so many as are found around s
## they are all that lie within the largest distance from s; so those nearest to sigma are among
## them if that distance covers the k-th from sigma. If it does not, s was moved too far.
function [d, V, stats] = by_inverses (A, k, sigma, request)

  n = rows (A);
  request.which = "lm";
  request.inverse = true;
  request.block_function = true;
  request.single = false;         # Octave's factors are double
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
    s = sigma + nudge;            # as for Laplacians: the vector of ones belongs to sigma
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

## The eigenvalues nearest to the shift. Solutions are not better than noise, relative to the largest.
## Vectors that are right for the inverse are worse for A by the ratio of |A| to their distance from the
## shift: they take one more step of inverse iteration, and are made diagonal for A.
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
    [Q, ~] = eig ((H + H') / 2);
    V *= Q;
    d = sort (d);
  endif

endfunction

## In the largest gap between the eigenvalues d that there is within r of sigma.
function s = middle_of_gap (d, sigma, r)

  walls = sort ([sigma - r; d(abs (d - sigma) < r); sigma + r]);
  [~, at] = max (diff (walls));
  s = (walls(at) + walls(at+1)) / 2;

endfunction
