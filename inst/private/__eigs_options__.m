## __eigs_options__.m: reads and checks the options of eigs_lanczos
## SPDX-License-Identifier: GPL-3.0-or-later
##
## o = __eigs_options__ (args, n, k, m): m is the number of rows here. args is {}, {struct} or a row of names and values. o has a
## field for each option, with its default value if it was not given.

function o = __eigs_options__ (args, n, k, m)

  o = struct ("issym", true, "isreal", true, "tol", 0, "maxit", 0, "p", 0, "v0", [], "disp", 0,
              "method", "restarted", "block", 0, "seed", 0, "certify", true, "steps", 0,
              "device", gpulinalg_device (), "progress", false, "precision", "",
              "failure", "replacenan", "cholB", false, "permB", [], "mpi", "", "vectors", "");
  pairs = name_value_pairs (args);
  for j = 1:columns (pairs)
    [name, given, value] = deal (pairs{:,j});
    o.(name) = checked (name, given, value, n, m);
  endfor
  check_together (o, n, k);
  if (isempty (o.vectors))
    o.vectors = {"host", "gpuarray"}{1 + isa(o.v0, "gpuArray")};
  endif

endfunction

## First row: the names of eigs, of this function and of MATLAB's eigs; second row: the field of each.
function table = known_names ()

  table = {"issym", "isreal", "tol", "maxit", "p", "v0", "disp", "cholB", "permB", ...
           "method", "block", "seed", "certify", "steps", "device", "progress", "precision", "vectors", ...
           "Tolerance", "MaxIterations", "SubspaceDimension", "StartVector", "Display", ...
           "IsFunctionSymmetric", "FailureTreatment", "mpi"; ...
           "issym", "isreal", "tol", "maxit", "p", "v0", "disp", "cholB", "permB", ...
           "method", "block", "seed", "certify", "steps", "device", "progress", "precision", "vectors", ...
           "tol", "maxit", "p", "v0", "disp", "issym", "failure", "mpi"};

endfunction

## A column for each given option: its field, its name, its value.
function pairs = name_value_pairs (args)

  if (numel (args) == 1 && isstruct (args{1}) && isscalar (args{1}))
    given = [fieldnames(args{1}).'; struct2cell(args{1}).'];
  else
    if (any (cellfun (@isstruct, args)))
      error ("gpulinalg:bad-option", "eigs_lanczos: OPTS must be one struct, and the last argument");
    endif
    bad = find (! cellfun (@(c) ischar (c) && isrow (c), args(1:2:end)), 1);
    if (! isempty (bad))
      error ("gpulinalg:bad-option",
             "eigs_lanczos: the name of an option must be a string, not %s",
             shape_and_class (args{2*bad-1}));
    endif
    if (mod (numel (args), 2))
      error ("gpulinalg:bad-option", 'eigs_lanczos: option "%s" needs a value', args{end});
    endif
    given = reshape (args, 2, []);
  endif
  table = known_names ();
  pairs = cell (3, columns (given));
  for j = 1:columns (given)
    at = find (strcmpi (table(1,:), given{1,j}));
    if (isempty (at))
      error ("gpulinalg:bad-option", 'eigs_lanczos: unknown option "%s"; valid options are %s',
             given{1,j}, strjoin (strcat ({'"'}, table(1,:), {'"'}), ", "));
    endif
    pairs(:,j) = {table{2,at}; table{1,at}; given{2,j}};
  endfor

endfunction

function value = checked (name, given, value, n, m)

  switch (name)
    case {"issym", "isreal", "certify", "cholB"}
      if (! ((islogical (value) || isnumeric (value)) && isscalar (value) && isreal (value) && ! isnan (value)))
        bad_value (given, "true or false", value);
      endif
      value = logical (value);
    case "tol"
      value = number (given, value, @(x) x >= 0 && x < 1, "a number between 0 and 1");
    case {"maxit", "steps"}
      value = number (given, value, @(x) x >= 1 && x == fix (x), "a positive integer");
      if (strcmp (name, "maxit"))
        value = min (value, 2 ^ 31);   # Inf, and what would overflow times the size of the basis
      endif
    case "p"
      value = number (given, value, @(x) x >= 1 && x == fix (x) && x <= n,
                      sprintf ("an integer from 1 to %d", n));
    case "block"
      value = number (given, value, @(x) any (x == 1:8), "an integer from 1 to 8");
    case "seed"
      value = number (given, value, @(x) x >= 0 && x <= flintmax () && x == fix (x),
                      "an integer from 0 to flintmax ()");
    case "disp"
      if (islogical (value))
        value = double (value);
      endif
      value = number (given, value, @(x) any (x == 0:2), "0, 1 or 2");
    case "v0"
      if (! (isfloat (value) && ! issparse (value) && (isempty (value) || isequal (size (value), [m, 1]))))
        bad_value (given, sprintf ("a full column of %d numbers", m), value);
      endif
      if (! all (isfinite (value)))
        error ("gpulinalg:bad-value", 'eigs_lanczos: option "%s" holds NaN or Inf', given);
      endif
    case "method"
      value = word (given, value, {"restarted", "plain"});
    case "precision"
      value = word (given, value, {"single", "double"});
    case "failure"
      value = word (given, value, {"replacenan", "drop"});
    case "vectors"
      value = word (given, value, {"host", "gpuArray"});
      if (strcmpi (value, "gpuArray") && ! exist ("gpuArray"))
        error ("gpulinalg:no-arrays", "eigs_lanczos: this build has no gpuArrays; GPULINALG_ARRAYS=no has left them out");
      endif
    case "device"
      check_place (given, value);
    case "mpi"
      value = word (given, value, {"rows"});
  endswitch

endfunction

function x = number (given, x, good, wanted)

  if (! (isnumeric (x) && isreal (x) && isscalar (x) && good (double (x))))
    bad_value (given, wanted, x);
  endif
  x = double (x);

endfunction

function x = word (given, x, words)

  if (! (ischar (x) && isrow (x) && any (strcmpi (x, words))))
    bad_value (given, strjoin (strcat ({'"'}, words, {'"'}), " or "), x);
  endif
  x = lower (x);

endfunction

## Whether there are such GPUs is checked where they are taken.
function check_place (given, value)

  if (! (isnumeric (value) && isreal (value) && ! isempty (value))
      && ! (ischar (value) && isrow (value) && any (strcmpi (value, {"auto", "cpu", "gpu"}))))
    bad_value (given, '"auto", "cpu", "gpu" or numbers of GPUs', value);
  elseif (isnumeric (value) && ! all (value(:) >= 0 & value(:) == fix (value(:))))
    bad_value (given, "numbers of GPUs, counted from 0", value);
  endif

endfunction

function bad_value (given, wanted, value)

  if (ischar (value) && (isrow (value) || isempty (value) && ndims (value) == 2))
    value = value(:).';                 # also of 0x3
    found = ['"', value, '"'];
  elseif (isnumeric (value) && isscalar (value))
    found = num2str (value);
  else
    found = shape_and_class (value);
  endif
  error ("gpulinalg:bad-value", 'eigs_lanczos: option "%s" must be %s, not %s', given, wanted, found);

endfunction

## For messages: "1x3x2 char", "3x1 sparse double".
function text = shape_and_class (value)

  text = [sprintf("%dx", size (value))(1:end-1), {" ", " sparse "}{1 + issparse(value)}, class(value)];

endfunction

function check_together (o, n, k)

  if (o.cholB || ! isempty (o.permB))
    error ("gpulinalg:bad-option",
           'eigs_lanczos: "cholB" and "permB" belong to the generalized problem with B, which is not supported');
  endif
  if (! o.issym)
    error ("gpulinalg:bad-option",
           "eigs_lanczos: the function must represent a symmetric or Hermitian matrix; use eigs");
  endif
  if (o.p > 0 && o.p <= k && k < n)
    error ("gpulinalg:bad-value", 'eigs_lanczos: option "p" must be more than k = %d, not %d', k, o.p);
  endif
  if (o.steps > 0 && ! strcmp (o.method, "plain"))
    error ("gpulinalg:bad-option", 'eigs_lanczos: "steps" is an option of the method "plain"');
  endif

endfunction
