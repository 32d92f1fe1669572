## SPDX-License-Identifier: GPL-3.0-or-later
## eigs_lanczos.m: a few eigenvalues of a large sparse Hermitian matrix

## -*- texinfo -*-
## @deftypefn  {gpulinalg} {@var{d} =} eigs_lanczos (@var{A})
## @deftypefnx {gpulinalg} {@var{d} =} eigs_lanczos (@var{A}, @var{k})
## @deftypefnx {gpulinalg} {@var{d} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma})
## @deftypefnx {gpulinalg} {@var{d} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma}, @var{opts})
## @deftypefnx {gpulinalg} {@var{d} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma}, @var{name}, @var{value}, @dots{})
## @deftypefnx {gpulinalg} {@var{d} =} eigs_lanczos (@var{fcn}, @var{n}, @dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} eigs_lanczos (@dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{flag}] =} eigs_lanczos (@dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{flag}, @var{stats}] =} eigs_lanczos (@dots{})
## A few eigenvalues and eigenvectors of a large real symmetric or complex Hermitian
## matrix, by Lanczos' method.
##
## Arguments and results are those of @code{eigs}.  @var{A} is a sparse matrix
## (double or logical), a plan of @code{spmv_plan}, or a full matrix.  The work is
## done on an NVIDIA GPU where there is one and where it is faster, otherwise on all
## cores of the CPU.
##
## @var{k} eigenvalues are computed, 6 unless given.  @var{sigma} says which:
##
## @table @asis
## @item @qcode{"lm"}, @qcode{"largestabs"}
## The largest in modulus (default), in descending order of modulus.
## @item @qcode{"la"}, @qcode{"lr"}, @qcode{"largestreal"}
## The largest, descending.
## @item @qcode{"sa"}, @qcode{"sr"}, @qcode{"smallestreal"}
## The smallest, ascending.
## @item @qcode{"be"}, @qcode{"bothendsreal"}
## Half of them from each end, ascending; where @var{k} is odd, one more of the large
## ones.
## @item @qcode{"sm"}, @qcode{"smallestabs"}
## The smallest in modulus, as a @var{sigma} of 0.
## @item a real number
## The nearest to @var{sigma}, in descending order.
## @end table
##
## With @qcode{"sm"} or a number, @code{@var{A} - @var{sigma} * I} is factored once, on
## the CPU, by Octave's sparse Cholesky or LU factorization, and the iteration
## multiplies by its inverse.  That takes the time and the memory of the
## factorization, which for a large graph may be more than there is.  Where
## @var{sigma} is an eigenvalue a shift near it is taken.  Matrices of up to 300 rows
## are solved by @code{eig} then.
##
## With a function handle, @code{@var{y} = @var{fcn} (@var{x})} returns
## @code{@var{A} * @var{x}} for a column @var{x} of @var{n} elements; for @qcode{"sm"}
## @code{@var{A} \ @var{x}}; for a number @code{(@var{A} - @var{sigma} * I) \ @var{x}}.
##
## @code{@var{A} * @var{V} = @var{V} * @var{D}} with orthonormal columns in @var{V} and a
## diagonal matrix @var{D}.  @var{flag} is 0 where all eigenvalues have converged.
## Otherwise it is 1, and those that have not converged are NaN; without
## @var{flag} the warning @code{gpulinalg:not-converged} says so.
##
## Small residuals do not tell whether an eigenvalue was left out, for instance one of
## several that are equal.  So a search for eigenvalues that were missed follows,
## unless the option @qcode{"certify"} is false.
##
## Options are fields of the struct @var{opts}, or names with values.  Names that
## are not known are an error.
##
## @table @asis
## @item @qcode{"tol"}, @qcode{"Tolerance"}
## Residuals below so many times the norm of @var{A} have converged @{@code{eps}@}.
## @item @qcode{"maxit"}, @qcode{"MaxIterations"}
## So many restarts at most @{300@}.
## @item @qcode{"p"}, @qcode{"SubspaceDimension"}
## Vectors in the basis, more than @var{k} @{by @var{k} and memory@}.
## @item @qcode{"v0"}, @qcode{"StartVector"}
## A column to start with @{random, the same in every call@}.
## @item @qcode{"seed"}
## Of the random start, a non-negative integer @{0@}.
## @item @qcode{"method"}
## @qcode{"restarted"} (default): Lanczos in blocks, with full orthogonality and thick
## restarts (Wu and Simon 2000).  @qcode{"plain"}: the recurrence alone, without
## reorthogonalization; the test of Cullum and Willoughby tells which values are
## eigenvalues, and each is found once, whatever its multiplicity.
## @item @qcode{"steps"}
## With @qcode{"plain"}: exactly so many steps, without a test of convergence.
## @item @qcode{"block"}
## Vectors multiplied at once, 1 to 8 @{by @var{n} and machine@}.
## @item @qcode{"certify"}
## Search for missed eigenvalues @{@code{true}@}.
## @item @qcode{"precision"}
## @qcode{"double"} or @qcode{"single"} @{the class of @var{A}@}: of the computation and
## the results.
## @item @qcode{"device"}
## @qcode{"auto"} (default): the faster place.  @qcode{"cpu"}.  @qcode{"gpu"}.  A vector
## of numbers: these GPUs, as @code{gpulinalg_info} counts them, from 0.
## @item @qcode{"progress"}
## @code{true}: show a meter in one line.  A function handle @var{f}: call
## @code{@var{f} (@var{done}, @var{total})} with numbers of eigenvalues now and then.
## @item @qcode{"isreal"}
## @code{false}: the function stands for a complex Hermitian matrix @{@code{true}@}.
## @item @qcode{"issym"}, @qcode{"IsFunctionSymmetric"}
## Must be @code{true}, and is unless given.
## @item @qcode{"disp"}, @qcode{"Display"}
## 1: a line at the end.  2: and a meter @{0@}.
## @item @qcode{"FailureTreatment"}
## @qcode{"replacenan"} (default) or @qcode{"drop"} what has not converged.
## @end table
##
## The fields of @var{stats} are @code{converged}; @code{products} with vectors,
## @code{restarts}, @code{steps}; @code{basis} and @code{block} as they were used;
## @code{residuals}, @code{norm (@var{A} * @var{V} - @var{V} * @var{D}, "columns")};
## @code{orthogonality}, the largest entry of @code{abs (@var{V}' * @var{V} - I)};
## @code{complete}, true where the search found nothing that was missed;
## @code{norm}, an estimate of that of @var{A}; @code{dense}, true where @var{n} was
## small enough to compute all eigenvalues; @code{device}, @qcode{"cpu"} or the number
## of the GPU; @code{seconds}.
##
## The same call gives the same bits on one device.
##
## @example
## @group
## A = ba_graph (20000, 3);
## d = eigs_lanczos (A, 3, "la");
## norm (d - eigs (A, 3, "la")) < 1e-12
##    @result{} ans = 1
## @end group
## @end example
##
## @seealso{eigs, spmv_plan, ba_graph, read_graph}
## @end deftypefn

function [V, D, flag, stats] = eigs_lanczos (A, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  start = tic ();
  [A, problem, args] = read_problem (A, varargin);
  [k, sigma, args] = read_wanted (problem, args);
  o = __eigs_options__ (args, problem.n, k);
  problem = settle_types (problem, o);
  [request, A] = make_request (A, problem, k, sigma, o);

  if (k == 0)
    [d, residuals, stats, X] = nothing (problem);
  elseif (isnumeric (sigma) && ! problem.is_function)
    [d, residuals, stats, X] = __eigs_nearest__ (explicit (A), k, sigma, request);
  elseif (nargout > 1 || o.disp > 0)
    [d, residuals, stats, X] = __eigs_lanczos__ (A, request);
  else
    [d, residuals, stats] = __eigs_lanczos__ (A, request);
  endif
  stats.residuals = residuals;
  stats.seconds = toc (start);

  flag = double (stats.converged < k);
  if (flag && nargout < 3)
    warning ("gpulinalg:not-converged",
             "eigs_lanczos: only %d of the %d eigenvalues have converged; the others are NaN",
             stats.converged, k);
  endif
  if (o.disp > 0)
    show (stats, k);
  endif
  keep = true (size (d));
  if (strcmp (o.failure, "drop"))
    keep = ! isnan (d);
  endif
  if (nargout > 1)
    V = X(:,keep);
    D = diag (d(keep));
  else
    V = d(keep);
  endif

endfunction

#-------------------------------------------------------------------------------
# arguments
#-------------------------------------------------------------------------------

## A as __eigs_lanczos__ takes it, what is known of it, and the arguments that follow.
function [A, problem, args] = read_problem (A, args)

  problem = struct ("is_function", false, "is_plan", false, "is_full", false, "n", 0,
                    "complex", false, "single", false);
  if (is_function_handle (A) || ischar (A) || isa (A, "inline"))
    problem.is_function = true;
    if (isempty (args))
      print_usage ("eigs_lanczos");
    endif
    n = args{1};
    if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 0 && n == fix (n) && n < flintmax ()))
      error ("gpulinalg:bad-value", "eigs_lanczos: N must be a non-negative integer");
    endif
    problem.n = double (n);
    args(1) = [];
    return;
  endif
  problem.is_plan = isa (A, "spmv_plan");
  matrix = A;
  if (problem.is_plan)
    matrix = A.matrix;
  elseif (! (isfloat (A) || (issparse (A) && islogical (A))))
    error ("gpulinalg:bad-class", ["eigs_lanczos: A must be a sparse or full matrix, a plan of ", ...
                                   "spmv_plan or a function, not %s"], class (A));
  endif
  if (ndims (matrix) > 2 || rows (matrix) != columns (matrix))
    error ("gpulinalg:bad-shape", "eigs_lanczos: A must be square, but it is %s",
           sprintf ("%dx%d", size (matrix)(1:2)));
  endif
  problem.is_full = ! issparse (matrix);
  problem.n = rows (matrix);
  problem.complex = iscomplex (matrix);
  problem.single = isa (matrix, "single");
  if (numel (args) > 0 && isnumeric (args{1}))
    if (isempty (args{1}))
      args(1) = [];
    elseif (! isscalar (args{1}) && size_equal (args{1}, matrix))
      error ("gpulinalg:bad-option",
             "eigs_lanczos: the generalized problem with B is not served; use eigs");
    endif
  endif

endfunction

## The number of eigenvalues, and which: "la", "sa", "lm", "be", or a number that they are nearest to.
function [k, sigma, args] = read_wanted (problem, args)

  k = min (6, problem.n);
  if (! isempty (args) && ! isstruct (args{1}) && ! ischar (args{1}))
    k = args{1};
    args(1) = [];
    if (! (isnumeric (k) && isreal (k) && isscalar (k) && k == fix (k)))
      error ("gpulinalg:bad-value", "eigs_lanczos: K must be an integer from 1 to %d", problem.n);
    elseif (k < 1 || k > problem.n)
      error ("gpulinalg:bad-value", "eigs_lanczos: K must be an integer from 1 to %d, not %d",
             problem.n, k);
    endif
    k = double (k);
  endif
  sigma = "lm";
  if (! isempty (args) && isnumeric (args{1}))
    sigma = args{1};
    args(1) = [];
    if (! (isscalar (sigma) && imag (sigma) == 0 && isfinite (sigma)))
      error ("gpulinalg:bad-value", "eigs_lanczos: SIGMA must be a finite real number or a string");
    endif
    sigma = double (real (sigma));
  elseif (! isempty (args) && ischar (args{1}) && mod (numel (args), 2) == 1 ...
          || numel (args) == 2 && ischar (args{1}) && isstruct (args{2}))
    sigma = short_name (args{1});
    args(1) = [];
  endif

endfunction

function sigma = short_name (given)

  names = {"lm", "largestabs", "lm"; "sm", "smallestabs", 0; ...
           "la", "largestreal", "la"; "sa", "smallestreal", "sa"; ...
           "lr", "largestreal", "la"; "sr", "smallestreal", "sa"; "be", "bothendsreal", "be"};
  at = find (any (strcmpi (names(:,1:2), given), 2), 1);
  if (isempty (at))
    error ("gpulinalg:bad-value", ['eigs_lanczos: SIGMA must be a number, "lm", "sm", "la", "sa", ', ...
           '"be", "largestabs", "smallestabs", "largestreal", "smallestreal" or "bothendsreal", ', ...
           'not "%s"'], given);
  endif
  sigma = names{at,3};

endfunction

## Single or double, real or complex.
function problem = settle_types (problem, o)

  if (problem.is_function)
    problem.complex = ! o.isreal;
  endif
  if (problem.is_plan && ! isempty (o.precision))
    error ("gpulinalg:bad-option",
           'eigs_lanczos: "precision" is an option of spmv_plan where A is a plan');
  elseif (! isempty (o.precision))
    problem.single = strcmp (o.precision, "single");
  endif
  if (iscomplex (o.v0) && ! problem.complex)
    error ("gpulinalg:bad-value", "eigs_lanczos: the start vector is complex, but the problem is real");
  endif

endfunction

## What __eigs_lanczos__ takes; a full matrix becomes a function.
function [request, A] = make_request (A, problem, k, sigma, o)

  request = struct ("n", problem.n, "k", k, "which", "lm", "method", o.method, "block", o.block, ...
                    "basis", o.p, "tol", o.tol, "maxit", o.maxit, "seed", o.seed, "v0", o.v0, ...
                    "certify", o.certify, "steps", o.steps, "device", o.device, ...
                    "progress", o.progress, "inverse", false, "shift", 0, "single", problem.single, ...
                    "complex", problem.complex, "block_function", false);
  if (o.disp > 1 && isequal (o.progress, false))
    request.progress = true;
  endif
  if (ischar (sigma))
    request.which = sigma;
  else
    request.inverse = problem.is_function;
    request.shift = sigma;
  endif
  if (problem.is_full)
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

  if (! all (isfinite (nonzeros (A))))
    error ("gpulinalg:bad-value", "eigs_lanczos: A holds NaN or Inf");
  endif
  [i, j] = find (A != A', 1);
  if (! isempty (i))
    error ("gpulinalg:not-hermitian",
           "eigs_lanczos: A must be symmetric or Hermitian, but A(%d,%d) differs from A(%d,%d)", i, j, j, i);
  endif

endfunction

## The matrix for a factorization.
function A = explicit (A)

  if (isa (A, "spmv_plan"))
    A = A.matrix;
  endif
  A = sparse (double (A));
  check_hermitian (A);

endfunction

#-------------------------------------------------------------------------------
# results
#-------------------------------------------------------------------------------

function [d, residuals, stats, X] = nothing (problem)

  class_ = {"double", "single"}{1 + problem.single};
  d = zeros (0, 1, class_);
  X = zeros (problem.n, 0, class_);
  residuals = zeros (0, 1);
  stats = struct ("converged", 0, "products", 0, "restarts", 0, "steps", 0, "basis", 0, "block", 0, ...
                  "complete", true, "norm", 0, "orthogonality", 0, "dense", true, "device", "cpu");

endfunction

function show (stats, k)

  printf (["eigs_lanczos: %d of %d eigenvalues, %d products, %d restarts, largest residual %.2g, ", ...
           "%.3g s\n"], stats.converged, k, stats.products, stats.restarts, max (stats.residuals), ...
          stats.seconds);

endfunction
