## __eigs_factor__.m: factors A - s*I for eigs_lanczos and returns a solver
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [solver, noise, info] = __eigs_factor__ (A, s, order, most): x = solver (b) solves (A - s*I) x = b for
## a sparse Hermitian A with entries of the order of 1; noise is the relative error of its largest
## solutions. solver is [] if A - s*I is singular to rounding, or if the factorization needs more than
## `most` operations (0: no limit). info has the fields flops, negative (the number of eigenvalues below
## s, NaN if unknown) and singular. order is a permutation as from amd.
##
## The factorization is L*D*L' with pivots from near the diagonal only. If it is not accurate enough,
## each solution is refined once; if that does not help, Octave's LU replaces it. A matrix whose rows and
## columns have very different sizes may have a small pivot without being near to a singular one.

function [solver, noise, info] = __eigs_factor__ (A, s, order, most)

  limit = 2 ^ -5;                 # of noise
  noise = 0;
  solver = [];
  [F, info] = __shift_factor__ (A, s, order, most, 2 ^ -44);
  if (info.singular && is_graded (A, s))
    [F, info] = __shift_factor__ (A, s, order, most, 0);
  endif
  if (isempty (F))
    return;
  endif
  for candidate = {@(b) __shift_factor__(F, b), @(b) refined(A, s, F, b)}
    solver = candidate{1};
    [noise, error_] = quality (A, s, solver, limit);
    if (error_ <= 2 ^ -40 && noise < limit)
      break;
    endif
  endfor
  if (! (error_ <= 2 ^ -40) && noise < limit)
    clear F candidate
    solver = by_lu (A, s);
    noise = Inf;
    info.negative = NaN;
    if (! isempty (solver))
      noise = quality (A, s, solver, limit);
    endif
  endif
  if (! (noise < limit))
    solver = [];
    info.singular = true;
  endif

endfunction

## Whether the diagonal of A - s*I has elements that are tiny, but not zero.
function yes = is_graded (A, s)

  sizes = abs (full (diag (A)) - s);
  yes = any (sizes < 2 ^ -40 & sizes > 0);

endfunction

## noise: the error of the largest solutions, from the norm of the inverse by three steps of the power
## method. error_: the largest relative residual of these steps. Where noise is above the limit, it may be
## less: residuals that are small in each element are those of a matrix B near M = A - s*I with
## abs (B - M) <= eps * abs (M) (Oettli and Prager 1964), and change 1 / norm (x) by no more than
## eps * abs (u)' * abs (M) * abs (u), where u = x / norm (x).
function [noise, error_] = quality (A, s, solver, limit)

  x = cos (1:rows (A)).';
  M = A - s * speye (rows (A));
  size_ = norm (A, 1) + abs (s);
  error_ = 0;
  for step = 1:3
    b = x / norm (x);
    x = solver (b);
    residual = M * x - b;
    error_ = max (error_, norm (residual) / (size_ * norm (x)));
    if (! isfinite (norm (x)))
      error_ = NaN;
    endif
  endfor
  noise = 8 * eps * norm (x) * size_;
  if (noise >= limit)
    images = abs (M) * abs (x);
    if (all (abs (residual) <= 64 * eps * (images + abs (b))))
      noise = 8 * eps * (abs (x)' * images) / norm (x);
    endif
  endif

endfunction

function x = refined (A, s, F, b)

  x = __shift_factor__ (F, b);
  x += __shift_factor__ (F, b - (A * x - s * x));

endfunction

function solver = by_lu (A, s)

  solver = [];
  [L, U, P, Q] = lu (A - s * speye (rows (A)));
  pivots = abs (diag (U));
  if (min (pivots) > 0 && all (isfinite (pivots)))
    solver = @(b) solve_quietly (L, U, P, Q, b);
  endif

endfunction

## Without the warnings about nearly singular matrices: a shift near an eigenvalue always causes them.
function x = solve_quietly (L, U, P, Q, b)

  warning ("off", "Octave:nearly-singular-matrix", "local");
  warning ("off", "Octave:singular-matrix", "local");
  x = Q * (U \ (L \ (P * b)));

endfunction
