## __eigs_ends__.m: computes an end of the spectrum if products alone do not converge to it
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [d, residuals, stats, V] = __eigs_ends__ (A, k, which, request): as __eigs_lanczos__, for a sparse
## A, double, finite and Hermitian, and "la", "sa" or "be". Eigenvalues that are not found are NaN. Where nothing
## can be factored, products find what they can if request.again is true.
##
## The smallest eigenvalues of a stiffness matrix or of a Laplacian, and the gaps between them, may be
## 1e-10 of the norm; products alone would take too long to separate them. If a factorization of A - s*I
## has no negative pivots, all eigenvalues are above s, and the smallest are those nearest to s. First an
## s just below zero is tried, then one just below Gershgorin's bound. For the largest, A becomes -A.

function [d, residuals, stats, V] = __eigs_ends__ (A, k, which, request)

  low = struct ("sa", k, "la", 0, "be", floor (k / 2)).(which);
  parts = {};
  if (low > 0)
    parts{end+1} = lowest (A, low, request);
  endif
  if (low < k)
    part = lowest (-A, k - low, request);
    part.d = -part.d;
    if (strcmp (which, "be"))
      part = reversed (part);
    endif
    parts{end+1} = part;
  endif
  parts = [parts{:}];
  d = vertcat (parts.d);
  residuals = vertcat (parts.residuals);
  V = horzcat (parts.V);
  stats = parts(1).stats;
  if (numel (parts) > 1)
    [V, d, residuals] = orthonormal (A, V, d, residuals);
  endif
  for p = parts(2:end)
    for name = {"converged", "products", "restarts", "factorizations"}
      stats.(name{1}) += p.stats.(name{1});
    endfor
    stats.complete &= p.stats.complete;
    stats.norm = max (stats.norm, p.stats.norm);
    stats.orthogonality = max (abs (double (V)' * double (V) - eye (k))(:));
  endfor
  stats.converged = sum (! isnan (d));

endfunction

## Vectors of both ends, of which each part is orthonormal, made orthogonal to each other: where the ends
## are near to each other, they are so only up to the residuals over the distance. That changes the
## residuals by no more than rounding does. A vector that both ends have found counts once.
function [V, d, residuals] = orthonormal (A, V, d, residuals)

  good = find (! isnan (d));
  [~, e] = log2 (full (max (max (abs (A)))));
  [Q, R] = qr (double (V(:,good)), 0);
  pivots = diag (R);
  V(:,good) = Q .* (pivots ./ abs (pivots)).';
  twice = good(abs (pivots) < 2 ^ -10);
  V(:,twice) = d(twice) = residuals(twice) = NaN;
  good = find (! isnan (d));
  X = double (V(:,good));
  left = __times_power_of_2__ (A, -e) * X - X .* __times_power_of_2__ (double (d(good)), -e).';
  residuals(good) = __times_power_of_2__ (norm (left, "columns").', e);

endfunction

## The k smallest, ascending. A is scaled to entries of the order of 1, which the factorization needs.
function part = lowest (A, k, request)

  [~, e] = log2 (full (max (max (abs (A)))));
  A = __times_power_of_2__ (A, -e);
  if (request.single)
    request.tol = max (request.tol, 16 * eps ("single"));       # the factors are double
  endif
  most = 2e10;                    # operations of a factorization, some seconds
  request.order = __eigs_order__ (A);
  below = 2 ^ -36 * norm (A, 1);
  s = -below;
  info = struct ("negative", 1, "flops", 0);
  if (all (diag (A) >= 0))                # otherwise A has negative eigenvalues
    [request.solver, request.noise, info] = __eigs_factor__ (A, s, request.order, most);
  endif
  if (info.negative != 0 && info.flops <= most)
    s = full (min (real (diag (A)) + abs (diag (A)) - sum (abs (A), 2))) - below;
    request.solver = [];
    if (s < -below)
      [request.solver, request.noise, info] = __eigs_factor__ (A, s, request.order, most);
    endif
  endif
  if (! isempty (request.solver) && info.negative == 0)
    [d, residuals, stats, V] = __eigs_nearest__ (A, k, s, request);
    part = reversed (struct ("d", d, "residuals", residuals, "V", V, "stats", stats));
  elseif (! request.again)
    stats = struct ("converged", 0, "products", 0, "restarts", 0, "complete", false, "norm", 0, "factorizations", 0);
    part = struct ("d", NaN (k, 1), "residuals", NaN (k, 1), "V", NaN (rows (A), k), "stats", stats);
  else
    request.k = k;
    request.which = "sa";
    [d, residuals, stats, V] = __eigs_lanczos__ (A, request);
    stats.factorizations = 0;
    part = struct ("d", d, "residuals", residuals, "V", V, "stats", stats);
  endif
  part.d = __times_power_of_2__ (part.d, e);
  part.residuals = __times_power_of_2__ (part.residuals, e);
  part.stats.norm = __times_power_of_2__ (part.stats.norm, e);

endfunction

## In the other order; those that have not converged stay behind.
function part = reversed (part)

  order = [flipud(find (! isnan (part.d))); find(isnan (part.d))];
  part.d = part.d(order);
  part.residuals = part.residuals(order);
  part.V = part.V(:,order);

endfunction
