## -*- texinfo -*-
## @c eigs_lanczos.m: a few eigenvalues of a large sparse Hermitian matrix
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{A})
## @deftypefnx {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{A}, @var{k})
## @deftypefnx {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma})
## @deftypefnx {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma}, @var{opts})
## @deftypefnx {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{A}, @var{k}, @var{sigma}, @var{name}, @var{value}, @dots{})
## @deftypefnx {gpulinalg} {@var{lambda} =} eigs_lanczos (@var{fcn}, @var{n}, @dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} eigs_lanczos (@dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{flag}] =} eigs_lanczos (@dots{})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{flag}, @var{stats}] =} eigs_lanczos (@dots{})
## Compute a few eigenvalues and eigenvectors of a large real symmetric or complex
## Hermitian matrix by the Lanczos method.
##
## Arguments and results are those of @code{eigs}.  @var{A} is an
## @var{n}-by-@var{n} sparse matrix (double or logical), a plan of @code{spmv_plan}, or
## a full matrix (single or double); it must be Hermitian to the bit.  The work is done
## on an NVIDIA GPU where there is one and where it is faster, otherwise on all cores of
## the CPU.
##
## The function computes @var{k} eigenvalues, 6 unless given.  @var{sigma} says which:
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
## The smallest in modulus, as with a @var{sigma} of 0.
## @item a real number
## The nearest to @var{sigma}, in descending order.
## @end table
##
## These are the orders of @code{eigs} for real symmetric matrices; they are the same for complex
## Hermitian ones, and with one output or more.  @code{eigs} treats a complex @var{A} as a general matrix:
## it gives the nearest to @var{sigma} first, and all in the reverse order with more than one output (Octave 7).
##
## With one output, @var{lambda} is a column of the eigenvalues.  With more,
## @code{@var{A} * @var{V} = @var{V} * @var{D}} with orthonormal columns in @var{V}
## (@var{n}-by-@var{k}) and a diagonal matrix @var{D}.  @var{flag} is 0 where all
## eigenvalues have converged.  Otherwise it is 1, and those that have not converged
## are NaN; without the output @var{flag} the warning @code{gpulinalg:not-converged}
## reports them.
##
## With @qcode{"sm"} or a number, @code{@var{A} - @var{sigma} * I} is factored once, on
## the CPU, as L*D*L' (by Octave's LU where that is not accurate enough), and the
## iteration multiplies by its inverse.  That takes the time and the memory of the
## factorization, which for a large graph may be more than there is.  Where
## @var{sigma} is an eigenvalue, a shift near it is taken.  Where @var{sigma} lies
## outside of the Gershgorin bounds by more than a quarter of their distance, the end of
## the spectrum is computed.  Matrices of up to 300 rows are solved by @code{batcheig} in
## this case.
##
## With @qcode{"la"}, @qcode{"sa"} or @qcode{"be"} a matrix (not a function), definite or indefinite, is
## factored, too, where @qcode{"maxit"} was not given, not all eigenvalues have converged
## within 40 restarts, and a factorization is predicted to take less time than the
## restarts that are left, by counts of operations; of a sparse matrix with a million
## entries or more where 300 restarts do not do.  It is shifted to below the spectrum, for the
## largest eigenvalues to above it, and takes no more than some seconds.  Where all eigenvalues
## have converged they are kept, and products go on to look for missed ones.
##
## With a function handle, @code{@var{y} = @var{fcn} (@var{x})} returns
## @code{@var{A} * @var{x}} for a column @var{x} of @var{n} elements; for @qcode{"sm"}
## @code{@var{A} \ @var{x}}; for a number @code{(@var{A} - @var{sigma} * I) \ @var{x}}.
## Where @var{sigma} is so far away that this is a multiple of @var{x}, but for rounding,
## the eigenvalues have no digits: they are NaN, and @var{flag} is 1.
##
## A matrix or function with up to 1024 rows is solved as a full matrix by @code{batcheig} where
## none of this converges, unless @qcode{"maxit"} was given.
##
## Small residuals do not show whether an eigenvalue was left out, for instance one of
## several equal ones.  So a search for missed eigenvalues follows, unless the option
## @qcode{"certify"} is false.
##
## Options are fields of the struct @var{opts}, or names with values, in upper or lower
## case.  The default is in braces.
##
## @table @asis
## @item @qcode{"tol"}, @qcode{"Tolerance"}
## A pair has converged when its residual is at most this number times the norm of
## @var{A} @{@code{64 * eps}@}; smaller numbers count as the default.  With @qcode{"sm"}
## or a number: times the norm of the inverse.
## @item @qcode{"maxit"}, @qcode{"MaxIterations"}
## The largest number of restarts @{300@}.
## @item @qcode{"p"}, @qcode{"SubspaceDimension"}
## The number of vectors in the basis, more than @var{k}
## @{@code{max (2 * @var{k} + 20, 40)}, with blocks of more than two vectors
## @code{max (4 * @var{k}, 64)}, fewer where memory is short@}.
## @item @qcode{"v0"}, @qcode{"StartVector"}
## A column of @var{n} elements to start with @{random, the same in every call@}.
## @item @qcode{"seed"}
## The seed of the random start, an integer from 0 to @code{flintmax ()} @{0@}.
## @item @qcode{"method"}
## @qcode{"restarted"}: Lanczos in blocks, with full orthogonality and thick restarts.
## @qcode{"plain"}: the recurrence alone, without reorthogonalization; the test of Cullum
## and Willoughby finds which values are eigenvalues, and each is found once, whatever
## its multiplicity @{@qcode{"restarted"}@}.
## @item @qcode{"steps"}
## With @qcode{"plain"}: exactly this number of steps, without a test of convergence.
## @item @qcode{"block"}
## The number of vectors multiplied at once, 1 to 8, on a GPU 1, 2, 4 or 8 @{1 on the CPU, 4
## on a GPU@}.
## @item @qcode{"certify"}
## Search for missed eigenvalues @{@code{true}@}.
## @item @qcode{"precision"}
## @qcode{"double"} or @qcode{"single"}, of the computation and the results @{the class
## of @var{A}@}.  A plan has its own, @code{P.precision}.  What is factored is double, and
## its results are rounded.
## @item @qcode{"device"}
## @qcode{"auto"}: the faster place.  @qcode{"cpu"}.  @qcode{"gpu"}.  A vector of
## numbers: these GPUs, as @code{gpulinalg_info} counts them, from 0 @{@qcode{"auto"}@}.
## Several GPUs share the rows of @var{A} and of the vectors, those of a list always, all
## of @qcode{"gpu"} where that is predicted to be faster or where one has too little memory.
## For functions, @qcode{"plain"}, and a gpuArray @var{V} the first of them does the work.
## @item @qcode{"vectors"}
## @qcode{"gpuArray"}: @var{V} is a gpuArray, see below.  @qcode{"host"}
## @{@qcode{"gpuArray"} where @qcode{"v0"} is one, else @qcode{"host"}@}.
## @item @qcode{"progress"}
## @code{true}: show a meter in one line.  A function handle @var{f}: call
## @code{@var{f} (@var{done}, @var{total})} with numbers of eigenvalues now and then
## @{@code{false}@}.
## @item @qcode{"isreal"}
## @code{false}: the function describes a complex Hermitian matrix @{@code{true}@}.
## @item @qcode{"issym"}, @qcode{"IsFunctionSymmetric"}
## Must be @code{true} @{@code{true}@}.
## @item @qcode{"disp"}, @qcode{"Display"}
## 1: a line at the end.  2: and a meter @{0@}.
## @item @qcode{"FailureTreatment"}
## @qcode{"replacenan"}: what has not converged is NaN.  @qcode{"drop"}: it is left out
## @{@qcode{"replacenan"}@}.
## @end table
##
## @subheading Rows on several processes
## With the option @qcode{"mpi"} and the value @qcode{"rows"}, the rows of @var{A} on
## rank 0, those on rank 1 and so on are one square matrix; see @code{gpulinalg_mpi}.  All
## ranks make the same call.  Each passes its own rows of @var{A}, sparse or full, and of
## @qcode{"v0"}, and gets these rows of @var{V}; a rank may have none.  All other results
## but @code{seconds} are the same on all ranks, to the bit.  The Lanczos vectors are spread over
## the ranks like the rows of @var{A}, so several computers can hold what is too large for one.
## The call is fastest where all have about equally many nonzeros.  Each rank works on its CPU
## or, with @qcode{"device"} @qcode{"gpu"}, or @qcode{"auto"} where all would gain, each on one
## GPU, on which its rows of the vectors stay; @qcode{"plain"} runs on the CPU.  All ranks must
## ask for the same, but for the numbers of GPUs.
##
## @var{sigma} must be @qcode{"lm"}, @qcode{"la"}, @qcode{"sa"} or @qcode{"be"}, because
## nothing is factored.  @var{A} cannot be a plan or a function, and there is no
## @qcode{"progress"}.  Warnings, and what @qcode{"disp"} prints, come from rank 0.  Whether
## @var{A} is Hermitian is tested by a checksum, so the error does not name an element.
##
## The fields of @var{stats} are @code{converged}, a number of eigenvalues;
## @code{products} with vectors, @code{restarts}, @code{steps}, numbers of each;
## @code{basis} and @code{block} as they were used;
## @code{residuals}, @code{norm (@var{A} * @var{V} - @var{V} * @var{D}, "columns")};
## @code{orthogonality}, the largest entry of @code{abs (@var{V}' * @var{V} - I)};
## @code{complete}, true where the search found nothing that was missed;
## @code{norm}, an estimate of that of @var{A}; @code{dense}, true where all
## eigenvalues were computed; @code{device}, @qcode{"cpu"} or the number
## of the GPU; @code{seconds}; and with @qcode{"sm"} or a number
## @code{factorizations}.
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
## The smallest eigenvalues of the Laplacian of a path of 1000 nodes, which is singular:
##
## @example
## @group
## L = spdiags ([-1, 2, -1] .* ones (1000, 1), -1:1, 1000, 1000);
## L(1,1) = L(end,end) = 1;
## [V, D, flag] = eigs_lanczos (L, 3, "sm");
## norm (diag (D) - 2 + 2 * cos (pi * [2; 1; 0] / 1000)) < 1e-13
##    @result{} ans = 1
## @end group
## @end example
##
## @subheading gpuArrays
## @qcode{"v0"} may be a gpuArray; this one vector is copied to the host, where it is checked and
## scaled.  Where @var{V} is a gpuArray, the work is done on the GPU of @qcode{"v0"}, or on the
## current one, whatever @qcode{"device"} lists, and the basis and @var{V} never leave it.  The eigenvalues come from the host and
## stay there: @var{lambda}, @var{D} and @var{stats} are values of the host.  Where the CPU works,
## with @qcode{"sm"} or a number, with a full @var{A} or a function, or where @qcode{"device"}
## is @qcode{"cpu"}, @var{V} is copied to the GPU at the end.  @var{A} is a matrix of the host or a plan.
##
## @example
## @group
## A = ba_graph (2000, 3);
## [V, D] = eigs_lanczos (A, 2, "la", "vectors", "gpuArray");
## isgpuarray (V)
##    @result{} ans = 1
## @end group
## @group
## norm (spmv (A, V) - V * D, "fro") < 1e-11
##    @result{} ans = 1
## @end group
## @end example
##
## @subheading Limits
## The problem is the standard one, with a Hermitian matrix.  The generalized problem
## with a matrix B is not done; use @code{eigs}.
##
## @subheading Errors
## @table @code
## @item gpulinalg:not-hermitian
## @var{A} is not Hermitian; the message names an element.
## @item gpulinalg:bad-class
## @var{A} is not a sparse or full matrix, a plan or a function.
## @item gpulinalg:gather-needed
## @var{A} is a gpuArray.
## @item gpulinalg:bad-shape
## @var{A} is not square.
## @item gpulinalg:bad-option
## The option is unknown or has no value, does not go together with another one, or
## belongs to the generalized problem.
## @item gpulinalg:bad-value
## @var{A} holds NaN or Inf; @var{k}, @var{sigma} or @var{n} is out of range; or the
## option does not take this value.
## @item gpulinalg:bad-function
## The function does not return a column of @var{n} numbers, real where the problem is
## real.
## @item gpulinalg:singular
## No shift near @var{sigma} was found with which @code{@var{A} - @var{sigma} * I} can be
## factored.
## @item gpulinalg:busy
## The plan is in use by a call that has called this function.
## @item gpulinalg:no-device
## The GPU that was asked for does not exist, or has failed in an earlier call.
## @item gpulinalg:forked
## A GPU was asked for in a child of @code{fork}.
## @item gpulinalg:no-mpi
## @itemx gpulinalg:mpi-mismatch
## @itemx gpulinalg:mpi-failed
## With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
## @item Octave:bad-alloc
## There is not enough memory for the basis, the factors or the results.
## @end table
##
## Warnings: @code{gpulinalg:not-converged}, see @var{flag};
## @code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU had too
## little memory or failed, and the CPU did the work.
##
## @subheading References
## K. Wu and H. Simon, Thick-restart Lanczos method for large symmetric eigenvalue
## problems, SIAM J. Matrix Anal.@: Appl.@: 22 (2000), 602--616;
## G. H. Golub and R. Underwood, The block Lanczos method for computing eigenvalues,
## in: Mathematical Software III (1977), 361--377;
## J. K. Cullum and R. A. Willoughby, Lanczos algorithms for large symmetric eigenvalue
## computations, Birkh@"auser (1985).
##
## @seealso{eigs, spmv_plan, gpulinalg_mpi, ba_graph, read_graph}
## @end deftypefn

function [V, D, flag, stats] = eigs_lanczos (A, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  start = tic ();
  by_rows = wants_mpi (varargin);
  try
    [A, problem, k, sigma, o] = __eigs_arguments__ (A, varargin, by_rows);
  catch err
    if (by_rows)
      __eigs_lanczos__ (regexprep (err.message, '^eigs_lanczos: ', '')); # the others wait for this rank
    endif
    rethrow (err);
  end_try_catch
  if (nargout > 1 || o.disp > 0)
    [d, residuals, stats, X] = __eigs_solve__ (A, problem, k, sigma, o);
  else
    [d, residuals, stats] = __eigs_solve__ (A, problem, k, sigma, o);
  endif
  stats.residuals = residuals;
  stats.seconds = toc (start);
  speaks = ! by_rows || gpulinalg_mpi () == 0;

  flag = double (stats.converged < k);
  if (flag && nargout < 3 && speaks)
    warning ("gpulinalg:not-converged",
             "eigs_lanczos: only %d of the %d eigenvalues have converged; the others are %s",
             stats.converged, k, {"NaN", "left out"}{1 + strcmp (o.failure, "drop")});
  endif
  if (o.disp > 0 && speaks)
    print_stats (stats, k);
  endif
  keep = true (size (d));
  if (strcmp (o.failure, "drop"))
    keep = ! isnan (d);
  endif
  if (nargout > 1)
    V = X;
    if (! all (keep))
      V = X(:,keep);
      stats.residuals = residuals(keep);
    endif
    if (strcmp (o.vectors, "gpuarray"))
      V = resident (V, problem.complex, o.v0);
    endif
    D = diag (d(keep));
  else
    V = d(keep);
  endif

endfunction

## Whether "mpi" is an option, by name or in a struct.
function yes = wants_mpi (args)

  yes = any (cellfun (@(c) (ischar (c) && strcmpi (c, "mpi")) ...
                           || (isstruct (c) && any (strcmpi (fieldnames (c), "mpi"))), args));

endfunction

## V as a gpuArray, on the GPU of v0 where that is one.
function V = resident (V, is_complex, v0)

  if (! isgpuarray (V) && existsOnGPU (v0))
    V = V + 0 * double (v0(1));
  endif
  V = gpuArray (V);
  if (is_complex && isreal (V))
    V = complex (V);
  endif

endfunction

function print_stats (stats, k)

  largest = max (stats.residuals);
  if (k == 0)
    largest = 0;
  endif
  printf (["eigs_lanczos: %d of %d eigenvalues, %d products, %d restarts, largest residual %.2g, ", ...
           "%.3g s\n"], stats.converged, k, stats.products, stats.restarts, largest, stats.seconds);

endfunction

## Tests of the eigenvalues and eigenvectors are in oct/sparse/__eigs_lanczos__.tst.

%!function [A, lambda] = path_graph (n)
%!  ## The Laplacian of a path, its eigenvalues ascending.
%!  A = spdiags (ones (n, 1) * [-1, 2, -1], -1:1, n, n);
%!  A(1,1) = A(n,n) = 1;
%!  lambda = 2 - 2 * cos (pi * (0:n-1).' / n);
%!endfunction

%!## a function instead of A, and instead of the inverse, gets one column at a time
%!test
%! [A, w] = path_graph (200);
%! function y = times (A, x)
%!   assert (size (x), [200, 1]);
%!   y = A * x;
%! endfunction
%! assert (eigs_lanczos (@(x) times (A, x), 200, 3, "la"), w(end:-1:end-2), 1e-12);
%! B = A + speye (200);
%! assert (eigs_lanczos (@(x) B \ x, 200, 3, "sm"), w(3:-1:1) + 1, 1e-12);
%! [V, D, flag, stats] = eigs_lanczos (@(x) (A - 0.5 * speye (200)) \ x, 200, 3, 0.5, struct ("issym", true));
%! [~, order] = sort (abs (w - 0.5));
%! assert (diag (D), sort (w(order(1:3)), "descend"), 1e-12);
%! assert (all (sum (abs (A * V - V * D), 1) < 1e-11));
%! H = A + 1i * triu (A, 1) - 1i * tril (A, -1);
%! opts.isreal = false;
%! assert (eigs_lanczos (@(x) H * x, 200, 3, "la", opts), eigs_lanczos (H, 3, "la"), 1e-12);
%! assert (eigs_lanczos (@(x) single (A * double (x)), 200, 2, "la", "precision", "single"), single (w(end:-1:end-1)), 1e-4);
%! P = spmv_plan (A);
%! assert (eigs_lanczos (@(x) spmv (P, x), 200, 3, "la"), w(end:-1:end-2), 1e-12);
%!test
%! assert (eigs_lanczos ("sin", 1, 1), sin (1), 0.5);

%!## A search for missed values that goes beyond 40 restarts keeps the values: nothing is factored, nor solved
%!## as a full matrix.
%!function N = cliques (m)
%!  rand ("twister", 5);
%!  n = 6 * m;
%!  W = kron (speye (m), ones (6));
%!  W += sparse (ceil (n * rand (3 * m, 1)), ceil (n * rand (3 * m, 1)), 1, n, n);
%!  W = double (W + W.' != 0);
%!  W -= speye (n);
%!  s = spdiags (1 ./ sqrt (full (sum (W, 2))), 0, n, n);
%!  N = s * W * s;
%!  N = (N + N.') / 2;
%!endfunction
%!test
%! N = cliques (200);
%! [V, D, flag, stats] = eigs_lanczos (N, 12, "la", "p", 32);
%! [~, ~, ~, first] = eigs_lanczos (N, 12, "la", "p", 32, "certify", false, "maxit", 40);
%! assert ({first.converged, stats.restarts > 40, stats.complete, flag}, {12, true, true, 0});
%! assert (isfield (stats, "factorizations"), false);
%! assert (diag (D), eigs_lanczos (N, 12, "la", "p", 32, "maxit", 300));
%! N = cliques (160);
%! [d, ~, ~, stats] = eigs_lanczos (@(x) N * x, 960, 12, "la", "p", 33);
%! assert ({stats.restarts > 40, stats.complete, stats.dense}, {true, true, false});
%! e = batcheig (full (N));
%! [V, D] = eigs_lanczos (@(x) N * x, 960, 12, "la", "p", 33);
%! assert (diag (D), e(end:-1:end-11), 1e-13);

%!## indefinite matrices are factored where that is cheaper
%!test
%! n = 3000;
%! A = spdiags (ones (n, 1) * [-1, 0, -1], -1:1, n, n);
%! [V, D, flag, stats] = eigs_lanczos (A, 8, "sa");
%! assert ({flag, stats.complete, stats.factorizations > 0}, {0, true, true});
%! assert (diag (D), -2 * cos (pi * (1:8).' / (n + 1)), 1e-14);

%!## Orders of complex Hermitian matrices are those of real ones, with any number of outputs. eigs has the same
%!## values, those of largest modulus in the same order, the others nearest first.
%!test
%! n = 400;
%! A = spdiags ([(1:n).' / 20 - 7.3, -ones(n, 1)], 0:1, n, n);
%! A = A + A.';
%! H = A + 0.7i * (triu (A, 1) - tril (A, -1));
%! for M = {A, H}
%!   for sigma = {"lm", "sm", 3.3}
%!     d = eigs_lanczos (M{1}, 5, sigma{1});
%!     [~, D] = eigs_lanczos (M{1}, 5, sigma{1});
%!     assert (diag (D), d, 1e-12);
%!     e = real (eigs (M{1}, 5, sigma{1}));
%!     if (isreal (M{1}) || strcmp (sigma{1}, "lm"))
%!       assert (d, e, 1e-11);
%!     else
%!       assert (d, sort (e, "descend"), 1e-11);
%!     endif
%!   endfor
%! endfor

%!## options in a struct and by name; the same call gives the same bits
%!test
%! A = ba_graph (2000, 3, 8);
%! d = eigs_lanczos (A, 4, "la");
%! assert (eigs_lanczos (A, 4, "la"), d);
%! opts = struct ("tol", 1e-14, "maxit", 500, "p", 30, "v0", ones (2000, 1), "disp", 0, "cholB", false, ...
%!                "permB", [], "isreal", true, "issym", 1);
%! assert (eigs_lanczos (A, 4, "la", opts), d, 1e-10);
%! assert (eigs_lanczos (A, 4, opts), eigs_lanczos (A, 4, "lm", "Tolerance", 1e-14, "MaxIterations", 500, ...
%!         "SubspaceDimension", 30, "StartVector", ones (2000, 1), "Display", false));
%! for pair = {"block", 1; "block", 2; "seed", 7; "certify", false; "device", "cpu"; "method", "plain"; ...
%!             "v0", zeros(2000, 1)}.'
%!   assert (eigs_lanczos (A, 4, "la", pair{:}), d, 1e-12);
%! endfor
%! [V, D] = eigs_lanczos (A, 3, "la", "method", "Plain");
%! assert (all (sum (abs (A * V - V * D), 1) < 1e-10));
%! [V, D, flag, stats] = eigs_lanczos (A, 3, "la", "method", "plain", "steps", 63);
%! assert (stats.steps, 63);
%! assert (flag, 0);

%!## eigenvalues that do not converge are NaN or dropped, with a flag or a warning
%!test
%! A = path_graph (3000);
%! [V, D, flag, stats] = eigs_lanczos (A, 8, "sa", "maxit", 2, "p", 20);
%! assert (flag, 1);
%! assert (size (V), [3000, 8]);
%! assert (sum (isnan (diag (D))), 8 - stats.converged);
%! [V, D, flag, stats] = eigs_lanczos (A, 8, "sa", "maxit", 2, "p", 20, "FailureTreatment", "drop");
%! assert (flag, 1);
%! assert ({columns(V), rows(D), rows(stats.residuals)}, repmat ({stats.converged}, 1, 3));
%!test
%! A = path_graph (3000);
%! A(1,1) = 50;
%! A(9,9) = 60;
%! warning ("off", "gpulinalg:not-converged", "local");
%! d = eigs_lanczos (A, 8, "la", "maxit", 3, "p", 16, "FailureTreatment", "drop");
%! [~, D, ~, stats] = eigs_lanczos (A, 8, "la", "maxit", 3, "p", 16, "FailureTreatment", "drop");
%! assert ({rows(d), d, rows(stats.residuals)}, {2, diag(D), 2});
%!warning id=gpulinalg:not-converged eigs_lanczos (spdiags (ones (3000, 1) * [-1, 2, -1], -1:1, 3000, 3000), 8, "sa", "maxit", 2, "p", 20);
%!test
%! [A, w] = path_graph (3000);
%! assert (eigs_lanczos (A, 8, "sa"), w(1:8), 1e-14);
%! assert (eigs_lanczos (-A, 8, "la"), -w(1:8), 1e-14);
%! assert (eigs_lanczos (A, 3, "be"), w([1, end-1, end]), 1e-12);

%!## vectors that stay on a GPU, or what stands for that where there is none
%!test
%! A = ba_graph (2000, 3, 8);
%! [V, D] = eigs_lanczos (A, 3, "la");
%! for args = {{"vectors", "gpuArray"}, {"v0", gpuArray(ones (2000, 1))}, {"v0", gpuArray(single (ones (2000, 1))), "device", "cpu"}}
%!   [G, E, flag, stats] = eigs_lanczos (A, 3, "la", args{1}{:});
%!   assert ({isgpuarray(G), isgpuarray(E), underlyingType(G), flag}, {true, false, "double", 0});
%!   assert (diag (E), diag (D), 1e-11);
%!   assert (abs (V' * gather (G)), eye (3), 1e-6);
%! endfor
%! assert (isgpuarray (eigs_lanczos (A, 3, "la", "v0", gpuArray (ones (2000, 1)))), false);
%! [G, E] = eigs_lanczos (A, 3, "la", "v0", gpuArray (ones (2000, 1)), "vectors", "host");
%! assert (isgpuarray (G), false);
%! H = A + 1i * triu (A, 1) - 1i * tril (A, -1);
%! for how = {{H, 2, "la"}, {spmv_plan(H), 2, "la"}, {spmv_plan(H, "precision", "single"), 2, "la"}, {H, 2, "sm"}, ...
%!            {full(H(1:100,1:100)), 2}, {H(1:50,1:50), 2}, {@(x) H * x, 2000, 2, "la", "isreal", false}, {H, 2, 10000.5}}
%!   [V, D] = eigs_lanczos (how{1}{:});
%!   [G, E] = eigs_lanczos (how{1}{:}, "vectors", "GPUArray");
%!   assert ({isgpuarray(G), iscomplex(G), underlyingType(G)}, {true, true, class(V)});
%!   assert (diag (E), diag (D), 1e4 * eps (class (D)) * max (1, norm (D)));
%! endfor
%! [G, E] = eigs_lanczos (sparse (0, 0), 0, "vectors", "gpuArray");
%! assert ({isgpuarray(G), size(G)}, {true, [0, 0]});

%!## a maxit that no iteration reaches
%!test
%! A = ba_graph (200, 3);
%! d = eigs_lanczos (A, 2, "la");
%! assert (eigs_lanczos (A, 2, "la", "method", "plain", "maxit", Inf), d, 1e-10);
%! assert (eigs_lanczos (A, 2, "la", "method", "plain", "maxit", 2e17), d, 1e-10);
%! assert (eigs_lanczos (A, 2, "la", "maxit", Inf), d, 1e-10);

%!## an inverse by name with a shift that is too far away: no digit of A is left in it
%!function y = far_inverse (x)
%!  y = x / -1e20;
%!endfunction
%!test
%! [V, D, flag] = eigs_lanczos (@far_inverse, 100, 2, 1e20);
%! [W, E, other] = eigs_lanczos ("far_inverse", 100, 2, 1e20);
%! assert ({full(diag (D)), flag, full(diag (E)), other}, {[NaN; NaN], 1, [NaN; NaN], 1});

%!## progress and display
%!test
%! A = ba_graph (3000, 3);
%! text = evalc ('eigs_lanczos (A, 4, "la", "disp", 1);');
%! assert (! isempty (regexp (text, "^eigs_lanczos: 4 of 4 eigenvalues, \\d+ products, .* s\n")));
%! text = evalc ('eigs_lanczos (A, 4, "la", "disp", 2);');
%! assert (! isempty (strfind (text, "eigs_lanczos: 4 of 4 eigenvalues, 100 %")));
%! assert (evalc ('d = eigs_lanczos (A, 4);'), "");
%! assert (! isempty (strfind (evalc ('eigs_lanczos (sparse (0, 0), 0, "disp", 1);'), "largest residual 0,")));
%! fail ('eigs_lanczos (A, 4, "progress", @(varargin) error ("my:id", "enough"))', "enough");

%!## an error in the user's function keeps its id and message
%!test
%! err.identifier = err.message = "";
%! try
%!   eigs_lanczos (@(x) error ("my:id", "no product today"), 500, 2);
%! catch err
%! end_try_catch
%! assert ({err.identifier, err.message}, {"my:id", "no product today"});

%!error <Invalid call> eigs_lanczos ()
%!error <Invalid call> eigs_lanczos (@sin)
%!error id=gpulinalg:bad-class eigs_lanczos ({})
%!error <A must be a sparse or full matrix, a plan of spmv_plan or a function, not int8> eigs_lanczos (int8 (1))
%!error <A must be a square matrix, but it is 2x3> eigs_lanczos (sparse (2, 3))
%!error <A must be a square matrix, but it is 2x2x2> eigs_lanczos (ones (2, 2, 2))
%!error <N must be a non-negative integer, not -1$> eigs_lanczos (@sin, -1)
%!error <N must be a non-negative integer, not of class double and size 1x2$> eigs_lanczos (@sin, [2, 2])
%!error <the generalized problem with B is not supported; use eigs> eigs_lanczos (speye (3), speye (3), 2)
%!error <"cholB" and "permB" belong to the generalized problem> eigs_lanczos (speye (3), 2, struct ("cholB", true))
%!error id=gpulinalg:not-hermitian eigs_lanczos (sparse ([1, 2; 3, 4]), 1)
%!error id=gpulinalg:not-hermitian eigs_lanczos (sparse ([1, 2; 3, 4]), 1, "sm")
%!error id=gpulinalg:not-hermitian eigs_lanczos (sparse ([1, 2i; 2i, 4]), 1)
%!error <A\(2,1\) differs from A\(1,2\)> eigs_lanczos ([1, 2; 3, 4], 1)
%!error <symmetric or Hermitian, but A\(2,2\) is not real> eigs_lanczos ([1, 0; 0, 3i], 1)
%!error <A\(2,2\) is not real> eigs_lanczos (sparse ([1, 0; 0, 3i]), 1, "sm")
%!error id=gpulinalg:bad-function eigs_lanczos ("no_such_function", 30, 1)
%!error <eigs_lanczos: there is no function "no_such_function"> eigs_lanczos ("no_such_function", 30, 1)
%!error id=gpulinalg:bad-value eigs_lanczos (sparse ([1, NaN; NaN, 4]), 1)
%!error <A holds NaN or Inf: A\(2,1\) is Inf$> eigs_lanczos ([1, Inf; Inf, 4], 1)
%!error <A holds NaN or Inf: A\(2,1\) is -Inf$> eigs_lanczos (sparse ([1, -Inf; -Inf, 4]), 1, "sm")
%!error <A holds NaN or Inf: A\(2,2\) is NaN$> eigs_lanczos (sparse ([1, 3; 3, NaN]), 1)
%!error <A holds NaN or Inf: A\(2,2\) is NaN$> eigs_lanczos (spmv_plan (sparse ([1, 3; 3, NaN])), 1, "la")
%!error <K must be an integer from 1 to 3, not 4> eigs_lanczos (speye (3), 4)
%!error <K must be an integer from 1 to 3, not 0> eigs_lanczos (speye (3), 0)
%!error <K must be an integer from 1 to 3, not 1.5$> eigs_lanczos (speye (3), 1.5)
%!error <K must be an integer from 1 to 3, not of class cell and size 0x0$> eigs_lanczos (speye (3), {})
%!error <K must come before SIGMA, as in eigs_lanczos \(A, 6, "la"\)> eigs_lanczos (speye (3), "la", 2)
%!error <K must come before SIGMA> eigs_lanczos (@(x) x, 3, "la", 2)
%!error <K must be 0, because A is empty> eigs_lanczos (sparse (0, 0), 1)
%!assert (eigs_lanczos (sparse (0, 0), 0), zeros (0, 1))
%!error <SIGMA must be a number, "lm", .*, not "li"> eigs_lanczos (speye (3), 1, "li")
%!error <SIGMA must be a finite real number or a string, not 0\+2i$> eigs_lanczos (speye (3), 1, 2i)
%!error <SIGMA must be a finite real number or a string, not NaN$> eigs_lanczos (speye (3), 1, NaN)
%!error <SIGMA must be a finite real number or a string, not of class double and size 1x2$> eigs_lanczos (speye (3), 1, [1, 2])
%!error <unknown option "toll"; valid options are "issym", "isreal", "tol", .*"FailureTreatment"> eigs_lanczos (speye (3), 1, "la", struct ("toll", 1))
%!error <option "tol" needs a value> eigs_lanczos (speye (3), 1, "la", "tol")
%!error <option "tol" must be a number between 0 and 1, not -1> eigs_lanczos (speye (3), 1, "la", "tol", -1)
%!error <option "MaxIterations" must be a positive integer, not 0> eigs_lanczos (speye (3), 1, "MaxIterations", 0)
%!error <option "p" must be an integer from 1 to 3, not 4> eigs_lanczos (speye (3), 1, "p", 4)
%!error <option "p" must be more than k = 2, not 2> eigs_lanczos (speye (3), 2, "p", 2)
%!error <option "block" must be an integer from 1 to 8, not 9> eigs_lanczos (speye (3), 1, "block", 9)
%!error <option "method" must be "restarted" or "plain", not "arnoldi"> eigs_lanczos (speye (3), 1, "method", "arnoldi")
%!error <option "method" must be "restarted" or "plain", not ""> eigs_lanczos (speye (3), 1, "method", char (zeros (0, 3)))
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "la", "device", {})
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "la", "device", {"cpu"})
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "la", "device", {"cpu", "cpu"})
%!## a small matrix with "sm" or a number is for the CPU alone, which took any value
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "sm", "device", {})
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "gpus"> eigs_lanczos (speye (3), 1, 0.5, "device", "gpus")
%!error <option "device" must be numbers of GPUs, counted from 0, not -1> eigs_lanczos (speye (3), 1, "sm", "device", -1)
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "sm", struct ("device", 1.5))
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "la", "progress", {})
%!error id=gpulinalg:bad-value eigs_lanczos (speye (3), 1, "la", "progress", {@(x) x})
%!error <"certify" must be true or false> eigs_lanczos (speye (3), 1, "certify", NaN)
%!error <"isreal" must be true or false> eigs_lanczos (@(x) x, 3, 1, "la", struct ("isreal", NaN))
%!error <"certify" must be true or false> eigs_lanczos (speye (3), 1, "certify", 1i)
%!test
%! A = spdiags ((1:400).', 0, 400, 400);
%! assert (eigs_lanczos (@(x) A * x, 400, [], 2, "la"), [400; 399], 1e-9);
%! assert (eigs_lanczos (A, 2, "la", "tol", 0), [400; 399], 1e-9);
%! for sigma = {"sm", 1e6, 100.2}
%!   [~, ~, ~, stats] = eigs_lanczos (A, 2, sigma{1});
%!   assert (stats.factorizations, 0, 100 * ! isequal (sigma{1}, 1e6));
%! endfor
%! [~, ~, ~, stats] = eigs_lanczos (@(x) A \ x, 400, 2, "sm");
%! assert (stats.factorizations, 0);
%!warning <the others are left out> eigs_lanczos (spdiags ((1:400).', 0, 400, 400), 8, "sa", "maxit", 1, "p", 10, "FailureTreatment", "drop");
%!warning <the others are NaN> eigs_lanczos (spdiags ((1:400).', 0, 400, 400), 8, "sa", "maxit", 1, "p", 10);
%!error <"steps" is an option of the method "plain"> eigs_lanczos (speye (3), 1, "steps", 5)
%!error <option "v0" must be a full column of 3 numbers, not 1x3 double> eigs_lanczos (speye (3), 1, "v0", [1, 2, 3])
%!error <option "v0" must be a full column of 3 numbers, not 3x1 sparse double> eigs_lanczos (speye (3), 1, "v0", sparse ([1; 2; 3]))
%!error <option "vectors" must be "host" or "gpuArray", not "gpu"> eigs_lanczos (speye (3), 1, "vectors", "gpu")
%!error id=gpulinalg:gather-needed eigs_lanczos (gpuArray ([2, 1; 1, 2]), 1)
%!error <A cannot be a gpuArray> eigs_lanczos (gpuArray ([2, 1; 1, 2]), 1)
%!error <option "v0" must be a full column of 3 numbers> eigs_lanczos (speye (3), 1, "v0", gpuArray ([1, 2, 3]))
%!error <option "v0" holds NaN or Inf> eigs_lanczos (speye (3), 1, "v0", gpuArray ([1; 2; NaN]))
%!error <option "v0" holds NaN or Inf> eigs_lanczos (speye (3), 1, "v0", [1; 2; NaN])
%!error <the start vector is complex> eigs_lanczos (speye (3), 1, "v0", [1; 2; 3i])
%!error <option "precision" must be "single" or "double", not "half"> eigs_lanczos (speye (3), 1, "precision", "half")
%!error <option "disp" must be 0, 1 or 2, not "all"> eigs_lanczos (speye (3), 1, "disp", "all")
%!error <must represent a symmetric or Hermitian matrix; use eigs> eigs_lanczos (@(x) x, 30, 1, struct ("issym", false))
%!error <with a plan, "precision" is an option of spmv_plan> eigs_lanczos (spmv_plan (speye (3)), 1, "precision", "single")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> eigs_lanczos (speye (3), 1, "device", "tpu")
%!error id=gpulinalg:bad-function eigs_lanczos (@(x) x', 30, 1)
%!error <the function must return a column of 30 elements, but returns 1x30> eigs_lanczos (@(x) x', 30, 1)
%!error <the function must return a single or double vector, not cell> eigs_lanczos (@(x) {}, 30, 1)
%!error <the function returns complex numbers; set opts.isreal = false> eigs_lanczos (@(x) 1i * x, 30, 1)
%!error id=gpulinalg:bad-value eigs_lanczos (@(x) NaN (30, 1), 30, 1)

%!demo
%! ## The two halves of a grid that hangs together by a thread: signs of the second eigenvector.
%! T = spdiags (ones (20, 1) * [1, 0, 1], -1:1, 20, 20);
%! A = kron (speye (2), kron (T, speye (20)) + kron (speye (20), T));
%! A(400,401) = A(401,400) = 1;
%! L = spdiags (sum (A, 2), 0, 800, 800) - A;
%! [V, D] = eigs_lanczos (L, 2, "sm");
%! printf ("eigenvalues: %.5f and %.1e\n", D(1,1), D(2,2));
%! imagesc ([reshape(V(1:400,1), 20, 20), reshape(V(401:800,1), 20, 20)]);
%! axis ("image", "off");
%! title (sprintf ("eigenvector of %.5f", D(1,1)));
%!error <SIGMA must be a string in one row, not a char array of size 1x1x2> eigs_lanczos (speye (300), 2, cat (3, "a", "b"))
%!error <SIGMA must be a string in one row, not a char array of size 2x2> eigs_lanczos (speye (300), 2, ["la"; "sa"])
%!error <A \* x overflows .*; scale A, or make it sparse> eigs_lanczos (single (ones (100)) * 3e38, 2)
%!error <A \* x overflows .*; scale A, or make it sparse> eigs_lanczos (ones (100) * 1e307, 2)
%!assert (eigs_lanczos (sparse (diag (1:100)) * 1e306, 1), 1e308, -1e-13)
