## __eigs_factor__.m: solutions with A - s*I for eigs_lanczos, from a factorization
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [solver, noise, info] = __eigs_factor__ (A, s, order, most): x = solver (b) solves (A - s*I) x = b for
## a sparse Hermitian A with entries of the order of 1; noise is the error that its largest solutions
## may have. solver is [] where A - s*I is singular to rounding, or where the factorization takes more than
## `most` operations (0: any). info has the fields flops, negative (eigenvalues below s; NaN where that is
## not known) and singular. order as from amd.
##
## The factor is L*D*L' with pivots from near the diagonal only. Where that is not accurate enough,
## each solution is refined once, and where that does not help, Octave's LU takes its place.

function [solver, noise, info] = __eigs_factor__ (A, s, order, most)

  noise = 0;
  solver = [];
  [F, info] = __shift_factor__ (A, s, order, most, 2 ^ -44);
  if (isempty (F))
    return;
  endif
  for way = {@(b) __shift_factor__(F, b), @(b) refined(A, s, F, b)}
    solver = way{1};
    [noise, error_] = quality (A, s, solver);
    if (error_ <= 2 ^ -40 || ! (noise < 1e-3))
      break;
    endif
  endfor
  if (! (error_ <= 2 ^ -40) && noise < 1e-3)
    clear F way
    solver = by_lu (A, s);
    noise = Inf;
    info.negative = NaN;
    if (! isempty (solver))
      noise = quality (A, s, solver);
    endif
  endif
  if (! (noise < 1e-3))
    solver = [];
    info.singular = true;
  endif

endfunction

## The error of the largest solutions, from the norm of the inverse by three steps of the power method;
## and the largest residual of these, relative.
function [noise, error_] = quality (A, s, solver)

  x = cos (1:rows (A)).';
  size_ = norm (A, 1) + abs (s);
  error_ = 0;
  for step = 1:3
    b = x / norm (x);
    x = solver (b);
    error_ = max (error_, norm (A * x - s * x - b) / (size_ * norm (x)));
    if (! isfinite (norm (x)))
      error_ = NaN;
    endif
  endfor
  noise = 8 * eps * norm (x) * size_;

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

## A factor that is nearly singular is what a shift near an eigenvalue makes.
function x = solve_quietly (L, U, P, Q, b)

  warning ("off", "Octave:nearly-singular-matrix", "local");
  warning ("off", "Octave:singular-matrix", "local");
  x = Q * (U \ (L \ (P * b)));

endfunction
