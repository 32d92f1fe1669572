## __eigs_arguments__.m: reads and checks the arguments of eigs_lanczos
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [A, problem, k, sigma, o] = __eigs_arguments__ (A, args, by_rows): args holds the arguments after A.
## by_rows: A has the rows of this rank. problem describes A: its kind, size and class. sigma is "la",
## "sa", "lm", "be", or a number to find the nearest eigenvalues of. o is the output of __eigs_options__.

function [A, problem, k, sigma, o] = __eigs_arguments__ (A, args, by_rows)

  [A, problem, args] = read_problem (A, args, by_rows);
  [k, sigma, args] = read_wanted (problem, args);
  o = __eigs_options__ (args, problem.n, k, problem.rows);
  problem = settle_types (problem, o);
  if (by_rows)
    check_rows (sigma, o);
  endif

endfunction

## Reads A and, for a function, its size; describes it in problem and removes the size from args.
function [A, problem, args] = read_problem (A, args, by_rows)

  problem = struct ("is_function", false, "is_plan", false, "is_full", false, "n", 0,
                    "rows", 0, "complex", false, "single", false, "by_rows", by_rows);
  if (by_rows && ! isfloat (A) && ! (issparse (A) && islogical (A)))
    error ("gpulinalg:bad-class",
           'eigs_lanczos: with "mpi" A must be a sparse or full matrix, the rows of this rank');
  endif
  if (is_function_handle (A) || (ischar (A) && isrow (A)) || isa (A, "inline"))
    problem.is_function = true;
    if (isempty (args))
      print_usage ("eigs_lanczos");
    endif
    n = args{1};
    if (! (isnumeric (n) && isreal (n) && isscalar (n) && n >= 0 && n == fix (n) && n < flintmax ()))
      error ("gpulinalg:bad-value", "eigs_lanczos: N must be a non-negative integer, not %s", text_of (n));
    endif
    problem.n = problem.rows = double (n);
    args(1) = [];
    if (! isempty (args) && isnumeric (args{1}) && isempty (args{1}))
      args(1) = [];                     # B
    endif
    return;
  endif
  if (isa (A, "gpuArray"))
    error ("gpulinalg:gather-needed", ["eigs_lanczos: A cannot be a gpuArray, because full matrices are multiplied ", ...
           "on the CPU; gather (A) copies it to the host, and batcheig has all eigenvalues"]);
  endif
  problem.is_plan = isa (A, "spmv_plan");
  matrix = A;
  if (problem.is_plan)
    matrix = A.matrix;
    problem.single = strcmp (A.precision, "single");
  elseif (! (isfloat (A) || (issparse (A) && islogical (A))))
    error ("gpulinalg:bad-class", ["eigs_lanczos: A must be a sparse or full matrix, a plan of ", ...
                                   "spmv_plan or a function, not %s"], class (A));
  endif
  if (ndims (matrix) > 2 || (rows (matrix) != columns (matrix) && ! by_rows))
    hint = {"", '; of a plan made with "mpi" take P.matrix, and the option "mpi" here'}{1 + problem.is_plan};
    error ("gpulinalg:bad-shape", "eigs_lanczos: A must be a square matrix, but it is %s%s",
           sprintf ("%dx", size (matrix))(1:end-1), hint);
  endif
  problem.is_full = ! issparse (matrix);
  problem.n = columns (matrix);
  problem.rows = rows (matrix);
  problem.complex = iscomplex (matrix);
  problem.single |= isa (matrix, "single");
  if (numel (args) > 0 && isnumeric (args{1}))
    if (isempty (args{1}))
      args(1) = [];
    elseif (! isscalar (args{1}) && size_equal (args{1}, matrix))
      error ("gpulinalg:bad-option",
             "eigs_lanczos: the generalized problem with B is not supported; use eigs");
    endif
  endif

endfunction

## Reads k, the number of eigenvalues, and sigma, which ones; removes both from args.
function [k, sigma, args] = read_wanted (problem, args)

  k = min (6, problem.n);
  if (! isempty (args) && ! isstruct (args{1}) && ! ischar (args{1}))
    k = args{1};
    args(1) = [];
    if (problem.n == 0 && ! isequal (k, 0))
      error ("gpulinalg:bad-value", "eigs_lanczos: K must be 0, because A is empty");
    elseif (! (isnumeric (k) && isreal (k) && isscalar (k) && k == fix (k)))
      error ("gpulinalg:bad-value", "eigs_lanczos: K must be an integer from 1 to %d, not %s", problem.n, text_of (k));
    elseif (k < min (1, problem.n) || k > problem.n)
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
      error ("gpulinalg:bad-value", "eigs_lanczos: SIGMA must be a finite real number or a string, not %s",
             text_of (sigma));
    endif
    sigma = double (real (sigma));
  elseif (! isempty (args) && ischar (args{1}) && (ndims (args{1}) > 2 || rows (args{1}) > 1))
    error ("gpulinalg:bad-value", "eigs_lanczos: SIGMA must be a string in one row, not a char array of size %s",
           sprintf ("%dx", size (args{1}))(1:end-1));
  elseif (! isempty (args) && ischar (args{1}) ...
          && (any (strcmpi (sigma_names ()(:,1:2)(:), args{1})) || mod (numel (args), 2) == 1 ...
              || isstruct (args{2})))
    sigma = short_name (args{1});
    args(1) = [];
    if (! isempty (args) && isnumeric (args{1}))
      error ("gpulinalg:bad-value", 'eigs_lanczos: K must come before SIGMA, as in eigs_lanczos (A, 6, "la")');
    endif
  endif

endfunction

## What was given in place of a number, for errors.
function text = text_of (x)

  text = ["of class ", class(x), " and size ", sprintf("%dx", size (x))(1:end-1)];
  if (isnumeric (x) && isscalar (x))
    text = num2str (full (x));
  endif

endfunction

## Each row: Octave's name, MATLAB's name, the value of sigma here.
function names = sigma_names ()

  names = {"lm", "largestabs", "lm"; "sm", "smallestabs", 0; ...
           "la", "largestreal", "la"; "sa", "smallestreal", "sa"; ...
           "lr", "largestreal", "la"; "sr", "smallestreal", "sa"; "be", "bothendsreal", "be"};

endfunction

function sigma = short_name (given)

  names = sigma_names ();
  at = find (any (strcmpi (names(:,1:2), given), 2), 1);
  if (isempty (at))
    error ("gpulinalg:bad-value", ['eigs_lanczos: SIGMA must be a number, "lm", "sm", "la", "sa", ', ...
           '"be", "largestabs", "smallestabs", "largestreal", "smallestreal" or "bothendsreal", ', ...
           'not "%s"'], given);
  endif
  sigma = names{at,3};

endfunction

## Whether the computation is in single precision, and whether it is complex.
function problem = settle_types (problem, o)

  if (problem.is_function)
    problem.complex = ! o.isreal;
  endif
  if (problem.is_plan && ! isempty (o.precision))
    error ("gpulinalg:bad-option",
           'eigs_lanczos: with a plan, "precision" is an option of spmv_plan');
  elseif (! isempty (o.precision))
    problem.single = strcmp (o.precision, "single");
  endif
  if (iscomplex (o.v0) && ! problem.complex && ! problem.by_rows)
    error ("gpulinalg:bad-value", "eigs_lanczos: the start vector is complex, but the problem is real");
  endif

endfunction

## What is not done with "mpi".
function check_rows (sigma, o)

  if (isnumeric (sigma))
    error ("gpulinalg:bad-option",
           'eigs_lanczos: with "mpi" SIGMA must be "lm", "la", "sa" or "be"; nothing is factored');
  elseif (! isequal (o.progress, false) || o.disp > 1)
    error ("gpulinalg:bad-option", 'eigs_lanczos: "mpi" cannot be combined with "progress", nor with "disp" above 1');
  elseif (! strcmp (o.vectors, "host") || isa (o.v0, "gpuArray"))
    error ("gpulinalg:bad-option", 'eigs_lanczos: with "mpi" all vectors are arrays of the host');
  endif

endfunction
