## __eigs_solve__.m: chooses the methods of eigs_lanczos and runs them in order
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [d, residuals, stats, X] = __eigs_solve__ (A, problem, k, sigma, o): the arguments are the outputs of
## __eigs_arguments__. With at most three outputs, vectors and residuals are computed only if the
## method needs them.

function [d, residuals, stats, X] = __eigs_solve__ (A, problem, k, sigma, o)

  [request, operator] = make_request (A, problem, k, sigma, o);
  can_retry = o.maxit == 0 && can_be_factored (problem, o, sigma);
  first = request;
  first.resident = strcmp (o.vectors, "gpuarray");      # all else works with vectors of the host
  if (can_retry && (problem.is_full || nnz (matrix_of (A)) < 1e6))
    first.doubt = @(done) is_slower (A, k, sigma, request, done);
  endif

  ## One BLAS thread, so that products of dense matrices have the same bits for any number of threads.
  held = __shift_factor__ ("hold");
  release_blas = onCleanup (@() __shift_factor__ ("release", held));
  if (k == 0)
    [d, residuals, stats, X] = empty_results (problem);
  elseif (isnumeric (sigma) && ! problem.is_function)
    [d, residuals, stats, X] = nearest (explicit (operator), k, sigma, request);
  elseif (nargout > 3)
    [d, residuals, stats, X] = by_products (operator, first, o);
  else
    [d, residuals, stats] = by_products (operator, first, o);
  endif
  if (k > 0 && isnumeric (sigma) && problem.is_function)
    lost = digits_are_lost (operator, d, sigma, request);
    d(lost) = NaN;
    if (nargout > 3)
      X(:,lost) = NaN;
    endif
    stats.converged = sum (! isnan (d));
  endif
  if (isnumeric (sigma) && ! isfield (stats, "factorizations"))
    stats.factorizations = 0;           # by products, or by a function of the user
  endif
  found = stats.converged == k && (stats.complete || ! o.certify || isempty (first.doubt));
  if (! found && can_retry)
    A = explicit (A);
    request = in_type_of (A, request);
    request.again = isempty (d);        # the products were given up
    [e, r, other, Y] = __eigs_ends__ (A, k, sigma, request);
    if (request.again || other.converged > stats.converged || (other.converged == k && other.complete))
      [d, residuals, stats, X] = deal (e, r, other, Y);
    endif
  endif

endfunction

## Whether products take longer than a factorization.
function yes = is_slower (A, k, which, request, done)

  A = explicit (A);
  yes = factor_gains (A, k, which, in_type_of (A, request), done);

endfunction

## Products alone. The library does not look where a NaN or Inf is; ranks have one text for all.
## (Octave 6 would not find functions that the user's function calls behind a list [varargout{:}] =.)
function [d, residuals, stats, X] = by_products (A, request, o)

  try
    if (nargout > 3)
      [d, residuals, stats, X] = __eigs_lanczos__ (A, request);
    else
      [d, residuals, stats] = __eigs_lanczos__ (A, request);
    endif
  catch err
    if (isempty (o.mpi) && strcmp (err.message, "eigs_lanczos: A has NaN or Inf"))
      check_finite (matrix_of (A));
    elseif (request.block_function && strcmp (err.message, "eigs_lanczos: the function returned NaN or Inf"))
      error ("gpulinalg:bad-value", "eigs_lanczos: A * x overflows for a vector x of ones; scale A, or make it sparse");
    endif
    rethrow (err);
  end_try_catch

endfunction

## The request for the class of A: explicit () makes complex matrices without imaginary parts real.
function request = in_type_of (A, request)

  request.complex = iscomplex (A);
  if (! request.complex)
    request.v0 = real (request.v0);
  endif

endfunction

## The eigenvalues nearest to sigma. If sigma is outside of Gershgorin's bounds, they are an end of the
## spectrum and are computed as such, because the inverse loses their digits if sigma is far away.
function [d, residuals, stats, X] = nearest (A, k, sigma, request)

  request = in_type_of (A, request);
  centres = real (diag (A));
  radii = full (sum (abs (A), 2)) - abs (diag (A));
  low = full (min (centres - radii));
  high = full (max (centres + radii));
  room = (high - low) / 4;
  if (rows (A) <= 300 || nnz (A) == 0)
    [d, residuals, stats, X] = __eigs_nearest__ (A, k, max (low - room, min (sigma, high + room)), request);
  elseif (sigma > high + room)
    [d, residuals, stats, X] = one_end (A, k, "la", request);
  elseif (sigma < low - room)
    [d, residuals, stats, X] = one_end (A, k, "sa", request);
    order = [flipud(find (! isnan (d))); find(isnan (d))];
    d = d(order);
    residuals = residuals(order);
    X = X(:,order);
  else
    [d, residuals, stats, X] = __eigs_nearest__ (A, k, sigma, request);
  endif

endfunction

## The eigenvalues at one end of the spectrum: by products, and if these do not converge, by a
## factorization near that end.
function [d, residuals, stats, X] = one_end (A, k, which, request)

  class_ = {"double", "single"}{1 + request.single};
  request.which = which;
  request.shift = 0;
  request.single = false;
  first = request;
  if (request.maxit == 0)
    first.doubt = @(done) factor_gains (A, k, which, request, done);
  endif
  [d, residuals, stats, X] = __eigs_lanczos__ (A, first);
  if (stats.converged < k && request.maxit == 0)
    request.again = isempty (d);
    [d, residuals, stats, X] = __eigs_ends__ (A, k, which, request);
  endif
  d = cast (d, class_);
  X = cast (X, class_);

endfunction

## Which eigenvalues from a user's inverse have fewer than 3 correct digits. That happens if sigma is so
## far away that the inverse equals a multiple of the identity to rounding.
function lost = digits_are_lost (f, d, sigma, request)

  unit = eps ({"double", "single"}{1 + request.single});
  lost = 16 * unit * abs (double (d) - sigma) > 1e-3 * max (abs (double (d)));
  if (any (lost))
    x = cast (cos (1:request.n).', {"double", "single"}{1 + request.single});
    y = double (feval (f, x)); # f may be a name
    x = double (x);
    scale = max (abs (y));
    y /= scale;
    theta = (x' * y) / (x' * x);
    lost &= norm (y - theta * x) <= 1e4 * unit * norm (theta * x);
  endif

endfunction

## The options struct of __eigs_lanczos__, and what it multiplies by: a full matrix becomes a function.
function [request, A] = make_request (A, problem, k, sigma, o)

  request = struct ("n", problem.n, "k", k, "which", "lm", "method", o.method, "block", o.block, ...
                    "basis", o.p, "tol", o.tol, "maxit", o.maxit, "seed", o.seed, "v0", o.v0, ...
                    "certify", o.certify, "steps", o.steps, "device", {o.device}, ...
                    "progress", {o.progress}, "inverse", false, "shift", 0, "single", problem.single, ...
                    "complex", problem.complex, "block_function", false, ...
                    "by_rows", problem.by_rows, "resident", false, ...
                    "order", [], "solver", [], "noise", 0, ...
                    "doubt", [], "again", true);
  if (o.disp > 1 && isequal (o.progress, false))
    request.progress = true;
  endif
  if (ischar (sigma))
    request.which = sigma;
  else
    request.inverse = problem.is_function;
    request.shift = sigma;
    request.tol = max (o.tol, 16 * eps ({"double", "single"}{1 + problem.single}));
  endif
  if (problem.by_rows && problem.is_full)
    A = sparse (double (A));
  elseif (problem.is_full)
    check_hermitian (A);
    if (problem.single != isa (A, "single"))
      A = cast (A, {"double", "single"}{1 + problem.single});
    endif
    if (ischar (sigma))
      request.block_function = true;
      A = @(x) A * x;
    endif
  endif

endfunction

function check_hermitian (A)

  check_finite (A);
  [i, j] = find (A != A', 1);
  if (! isempty (i) && i == j)
    error ("gpulinalg:not-hermitian",
           "eigs_lanczos: A must be symmetric or Hermitian, but A(%d,%d) is not real", i, j);
  elseif (! isempty (i))
    error ("gpulinalg:not-hermitian",
           "eigs_lanczos: A must be symmetric or Hermitian, but A(%d,%d) differs from A(%d,%d)", i, j, j, i);
  endif

endfunction

function check_finite (A)

  if (! all (isfinite (nonzeros (A))))
    [i, j] = find (! isfinite (A), 1);
    error ("gpulinalg:bad-value", "eigs_lanczos: A holds NaN or Inf: A(%d,%d) is %s", i, j, num2str (full (A(i,j))));
  endif

endfunction

## The matrix of a plan, or the matrix itself.
function A = matrix_of (A)

  if (isa (A, "spmv_plan"))
    A = A.matrix;
  endif

endfunction

## The sparse double matrix for a factorization.
function A = explicit (A)

  A = sparse (double (matrix_of (A)));
  check_hermitian (A);

endfunction

## Full matrices of up to 1024 rows the library solves densely where products do not converge.
function yes = can_be_factored (problem, o, sigma)

  yes = ! (problem.is_function || problem.by_rows || (problem.is_full && problem.n <= 1024)) ...
        && strcmp (o.method, "restarted") && any (strcmp (sigma, {"la", "sa", "be"}));

endfunction

function [d, residuals, stats, X] = empty_results (problem)

  class_ = {"double", "single"}{1 + problem.single};
  d = zeros (0, 1, class_);
  X = zeros (problem.rows, 0, class_);
  residuals = zeros (0, 1);
  stats = struct ("converged", 0, "products", 0, "restarts", 0, "steps", 0, "basis", 0, "block", 0, ...
                  "complete", true, "norm", 0, "orthogonality", 0, "dense", true, "device", "cpu");

endfunction

## Whether a factorization finds an end of the spectrum sooner than products. A is sparse, double and Hermitian; which is
## "la", "sa" or "be"; `done` of the k eigenvalues have converged within 40 restarts of a basis of usual size. Operations
## are counted, not seconds, so that the same input takes the same way.
function yes = factor_gains (A, k, which, request, done)

  most = 2e10;                    # operations of a factorization, as in __eigs_ends__
  [~, flops, entries] = __eigs_order__ (A);
  yes = false;
  if (flops > most)
    return;
  endif

  ## In units of what one entry of a product takes. Dense operations take less, by what was measured.
  n = rows (A);
  basis = request.basis;
  if (basis == 0)
    basis = max (2 * k + 20, 40);
  endif
  restarts = 260;                 # of the default of 300
  if (done > 0)
    restarts = min (restarts, 40 * (k - done) / done);
  endif
  products = restarts * (basis - k) / 2;
  left = products * (nnz (A) + 0.5 * basis * n);
  if (n <= 1024)
    left = min (left, n ^ 3 / 2);         # it is solved as a full matrix
  endif

  ## The nearer the shift is to the wanted end, the fewer products with the inverse are needed.
  ends = rough_ends (A, request);
  low = min (real (diag (A)) + abs (diag (A)) - sum (abs (A), 2));
  high = max (real (diag (A)) - abs (diag (A)) + sum (abs (A), 2));
  distance = [ends(1) - low, high - ends(2)];
  distance(ends(:).' .* [1, -1] > 0 & strcmp (which, {"sa", "la"})) = 0;
  parts = struct ("sa", 1, "la", 2, "be", 1:2).(which);
  steps = max (3 * basis, products * sqrt (max (0, distance(parts)) / diff (ends)));
  yes = sum (0.2 * flops + steps * (1.2 * entries + 0.5 * basis * n)) < left;

endfunction

## The ends of the spectrum to about a hundredth of their distance, by some products.
function d = rough_ends (A, request)

  request.which = "be";
  request.k = 2;
  request.tol = 1e-2;
  request.basis = min (30, rows (A) - 1);
  request.maxit = 4;
  request.certify = false;
  request.doubt = [];
  request.progress = false;
  request.single = false;
  request.v0 = [];
  request.resident = false;
  request.device = "cpu";
  request.block_function = false;
  d = __eigs_lanczos__ (A, request);

endfunction
