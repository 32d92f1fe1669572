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
    stats = dense_stats (k);
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
  if (stats.dense)
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
## among them; otherwise s was moved too far, and the loop tries more eigenvalues or another s. Where
## eigenvalues crowd around sigma on all scales, no s tells them all from each other relative to their
## distances; then values with small residuals of A are the result.
function [d, V, stats] = by_inverses (A, k, sigma, request)

  n = rows (A);
  request.which = "lm";
  request.inverse = true;
  request.block_function = true;
  request.single = false;         # sparse factors are double
  request.n = n;
  size_ = max (norm (A, "columns"));      # a lower bound of the norm
  s = sigma;
  wanted = k;
  products = 0;
  nudges = -2 ^ -10 * (-1/3) .^ (0:39);   # below sigma first: many singular matrices have no eigenvalues below 0
  closer = size_ * 2 .^ [-24, -36];
  accurate = [];                  # the best result so far
  room = Inf;                     # a shift at this distance from sigma has not been too near, one at a quarter may be
  order = request.order;
  solver = request.solver;
  noise = request.noise;
  if (isempty (order))
    order = __eigs_order__ (A);
  endif
  if (isempty (solver) && norm (sum (A, 2) - sigma, 1) <= 8 * eps * n * norm (A, 1))
    s = sigma + nudges(1);        # sigma is an eigenvalue, with the vector of ones: as for Laplacians
    nudges(1) = [];
  endif
  is_large = n > 1024 || request.maxit > 0;     # otherwise it is solved as a full matrix if this takes long
  for count = 1:{8, 40}{1 + is_large}
    if (count > 1 || isempty (solver))
      [solver, noise] = __eigs_factor__ (A, s, order, 0);
    endif
    if (isempty (solver))
      if (! isempty (accurate) || room <= 16 * eps * size_)
        break;
      elseif (isfinite (room))
        room /= 4;
        s = sigma - room;
      else
        s = sigma + nudges(1);
        nudges(1) = [];
      endif
      continue;
    endif
    request.k = wanted;
    request.shift = s;
    closer(closer >= abs (s - sigma)) = [];
    [d, stats, V, error_] = around_shift (A, solver, noise, request, isempty (closer));
    products += stats.products;
    whole = stats.complete || ! request.certify;
    if (! (stats.converged == wanted && whole) && isempty (accurate) && ! isempty (closer) && request.maxit == 0)
      s = sigma - closer(1);
      closer(1) = [];
      continue;
    elseif (stats.converged < wanted)
      break;
    endif
    distance = abs (d - s);
    kth = sort (abs (d - sigma))(k);
    room = min ([room, abs(s - sigma), 2 * kth]);
    covered = abs (s - sigma) + kth <= max (distance) * (1 + 1e-9) + 16 * eps * size_ || wanted == n;
    exact = min (distance) >= 1e-4 * max (distance);
    if (covered && (whole || is_large) && (exact || error_ <= max (256 * eps, request.tol) * size_))
      accurate = {d, V, stats};
    endif
    if (covered && exact)
      break;
    elseif (exact && abs (s - sigma) <= kth / 4)
      wanted = min (n, wanted + max (4, ceil (wanted / 2)));
    else
      s = middle_of_gap (d, sigma, kth / 8);
    endif
  endfor
  if (! isempty (accurate))
    [d, V, stats] = accurate{:};
  elseif (n <= 1024 && (request.maxit == 0 || isempty (solver) || stats.converged == wanted))
    [V, d] = of_dense (full (A));
    stats = dense_stats (k);
  elseif (isempty (solver) || stats.converged == wanted)
    error ("gpulinalg:singular",
           "eigs_lanczos: no shift was found near sigma with which A - sigma * I can be factored");
  endif
  stats.products = products;
  stats.factorizations = count;

endfunction

## The eigenvalues nearest to the shift, and the largest residual |A*v - d*v|, Inf where not all have
## converged. Where that takes long, a patient call goes on with a tolerance of `noise`, the error of the
## solver. The residuals of vectors of the
## inverse grow for A by |A| over the distance from the shift; one step of inverse iteration and a
## projection of A onto the vectors make up for that. Eigenvalues of the projection have an error of the
## order of eps * |A|. Those of the inverse are replaced by them where both differ by more.
function [d, stats, V, error_] = around_shift (A, solver, noise, request, patient)

  maxit = request.maxit;
  request.doubt = [];
  if (maxit == 0)
    request.doubt = @(done) true;         # give up after 40 restarts, unless all have converged
    request.maxit = 300;
  endif
  [d, ~, stats, V] = __eigs_lanczos__ (solver, request);
  if (stats.converged < request.k && patient && maxit == 0)
    request.doubt = [];
    request.tol = max (request.tol, noise);
    products = stats.products;
    [d, ~, stats, V] = __eigs_lanczos__ (solver, request);
    stats.products += products;
  endif
  error_ = Inf;
  if (stats.converged == request.k)
    shift = request.shift;
    X = solver (V);
    X += solver (V - (A * X - shift * X));      # the factors may have errors of 2^-40
    [V, ~] = qr (X, 0);
    H = V' * (A * V - shift * V);
    [Q, h] = of_dense ((H + H') / 2);
    V *= Q;
    d = sort (d);
    h += shift;
    worse = abs (d - h) > 16 * eps * max (norm (A, "columns"));
    d(worse) = h(worse);
    d = sort (d);
    error_ = max (norm (A * V - V .* d.', "columns"));
  endif

endfunction

## Not by eig: of complex matrices it may end Octave, where LAPACK calls the zgemv of OpenBLAS 0.3.21, which reads up to 48
## bytes behind a vector.
function [V, d] = of_dense (A)

  [V, d, ~] = batcheig (A, "vector", "lower", "device", "cpu");

endfunction

function stats = dense_stats (k)

  stats = struct ("converged", k, "products", 0, "restarts", 0, "steps", 0, "basis", 0,
                  "block", 0, "complete", true, "norm", 0, "orthogonality", 0, "dense", true,
                  "device", "cpu", "factorizations", 0);

endfunction

## The middle of the largest gap between the eigenvalues d within the distance r of sigma.
function s = middle_of_gap (d, sigma, r)

  points = sort ([sigma - r; d(abs (d - sigma) < r); sigma + r]);
  [~, at] = max (diff (points));
  s = (points(at) + points(at+1)) / 2;

endfunction
