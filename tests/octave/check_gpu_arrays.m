% tests/octave/check_gpu_arrays.m: operations of gpuArrays beside those of arrays of the host
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_arrays (part, programs). part: "operators", "functions", "slices", "subscripts",
% "shapes" or "programs"; programs: how many random programs of 20 steps. Every result must have the class, the
% size and the values of the host's, and must be an error where that is one. Types, shapes, NaN, Inf and empty
% arrays; operands on both sides. Without a GPU the interpreter computes gpuArrays, with one the kernels do.

function [passed, failed] = check_gpu_arrays (part, programs = 50)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 42);
  randn ("twister", 42);
  warning ("off", "all", "local"); # "value not equal to 1 or 0 converted to logical 1" has no id
  switch (part)
    case "operators"
      operators ();
    case "functions"
      functions ();
    case "slices"
      slices ();
    case "subscripts"
      subscripts ();
    case "shapes"
      shapes ();
    case "programs"
      for k = 1:programs
        program (k);
      endfor
  endswitch
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

%--------------------------------------------------------------------------------
% comparison
%--------------------------------------------------------------------------------

% The outputs of f (args{:}), or the error.
function [out, err] = attempt (f, args, outputs)
  out = cell (1, outputs);
  err = "";
  try
    [out{:}] = f (args{:});
  catch e
    err = [e.identifier, ": ", e.message];
  end_try_catch
endfunction

function good = close_to (a, b, tol)
  good = strcmp (class (a), class (b)) && isequal (size (a), size (b)) && iscomplex (a) == iscomplex (b);
  if (! good || isempty (a))
    return;
  endif
  if (islogical (a))
    good = isequal (a, b);
    return;
  endif
  scale = abs (b(:));
  parts = [real(b(:)), imag(b(:))];
  parts(! isfinite (parts)) = 0;
  scale(! isfinite (scale)) = max (abs (parts(! isfinite (scale),:)), [], 2);
  tol *= eps (class (a)) * max (scale, realmin);
  good = near (real (a(:)), real (b(:)), tol) && near (imag (a(:)), imag (b(:)), tol);
endfunction

function good = near (a, b, tol)
  same = a == b | (isnan (a) & isnan (b));
  good = all (same | abs (a - b) <= tol);
endfunction

function text = shown (v)
  text = sprintf ("%s%s %s", class (v), {"", " complex"}{1 + iscomplex(v)}, strjoin (arrayfun (@num2str, size (v), "uniformoutput", false), "x"));
endfunction

% f of the host's arguments, and with some of them as gpuArrays (rows of `which`). tol in units of eps.
function result = compare (name, f, args, tol, outputs = 1, which = true (1, numel (args)))
  global counts_of_gpu_arrays;
  [out, err] = attempt (f, args, outputs);
  result = {};
  for row = which.'
    on_gpu = args;
    on_gpu(row) = cellfun (@gpuArray, args(row), "uniformoutput", false);
    [gpu, gpu_err] = attempt (f, on_gpu, outputs);
    result = gpu;
    good = isempty (err) == isempty (gpu_err) && all (cellfun (@isgpuarray, gpu) | ! isempty (err));
    if (good && isempty (err))
      gpu = cellfun (@gather, gpu, "uniformoutput", false);
      good = all (cellfun (@(a, b) close_to (a, b, tol), gpu, out));
    endif
    counts_of_gpu_arrays += [good, ! good];
    if (! good && counts_of_gpu_arrays(2) <= 40)
      printf ("FAILED %s (%s), gpuArrays %s: %s, not %s %s\n", name, strjoin (cellfun (@shown, args, "uniformoutput", false), "; "), ...
              num2str (row.'), ifelse (gpu_err, gpu), ifelse (err, out), differs (gpu, out));
    endif
  endfor
endfunction

function text = ifelse (err, out)
  if (isempty (err))
    text = strjoin (cellfun (@shown, out, "uniformoutput", false), "; ");
  else
    text = err;
  endif
endfunction

% The first element that is not the same.
function text = differs (gpu, out)
  text = "";
  for k = 1:numel (out)
    a = gather (gpu{k});
    b = out{k};
    if (isequal (size (a), size (b)) && isnumeric (a) && isnumeric (b))
      at = find (! (a(:) == b(:) | (isnan (a(:)) & isnan (b(:)))), 1);
      if (! isempty (at))
        text = sprintf ("at %d: %s, not %s", at, num2str (a(at), 17), num2str (b(at), 17));
        return;
      endif
    endif
  endfor
endfunction

%--------------------------------------------------------------------------------
% operands
%--------------------------------------------------------------------------------

function x = array_of (type, dims)
  x = round (8 * randn (dims)) / 4;
  switch (type)
    case {"z", "c"}
      x = complex (x, round (8 * randn (dims)) / 4);
    case "b"
      x = x > 0;
  endswitch
  if (type == "s" || type == "c")
    x = single (x);
  endif
  % an array whose imaginary parts are all 0 would become real
  if (iscomplex (x) && ! isempty (x) && all (imag (x(:)) == 0))
    x(1) += 1i;
  endif
endfunction

% Powers of complex zeros are not the same everywhere.
function x = nonzero (x)
  x(x == 0) = 1;
endfunction

% With NaN, Inf and zeros of both signs.
function x = special (type)
  x = [0, -0, 1, -1, Inf, -Inf, NaN, 2.5, -2.5, 1e300];
  switch (type)
    case "z"
      x = complex (x([1 3 4 8 9 5 7]), x([3 1 8 4 3 3 3]));
    case "s"
      x = single (x(1:9));
    case "c"
      x = single (complex (x([1 3 4 8 9 5 7]), x([3 1 8 4 3 3 3])));
    case "b"
      x = logical ([0, 1]);
  endswitch
endfunction

function operators ()
  ops = {"plus", "minus", "times", "rdivide", "ldivide", "lt", "le", "eq", "ge", "gt", "ne", "and", "or", "max", "min"};
  types = "dszcb";
  pairs = {[3 4], [3 4]; [1 1], [3 4]; [3 1], [1 4]; [2 3 2], [1 3]; [0 3], [1 3]; [0 0], [1 1]; [3 4], [4 3]; [2 1 3], [1 2 1]};
  where = logical ([1 1; 1 0; 0 1]);
  for op = ops
    f = str2func (op{1});
    for a = types
      for b = types
        tol = 4 * any ([a, b] == "z" | [a, b] == "c");
        for k = 1:rows (pairs)
          compare (op{1}, f, {array_of(a, pairs{k,1}), array_of(b, pairs{k,2})}, tol, 1, where);
        endfor
        if (! any (strcmp (op{1}, {"and", "or"})) && ! any ([a, b] == "z" | [a, b] == "c"))
          compare (op{1}, f, {special(a), special(b).'}, 0);
        endif
      endfor
    endfor
  endfor
  compare ("and", @and, {[1, NaN], 1}, 0);
  compare ("not", @not, {[1, NaN]}, 0);
  for a = types
    for op = {"uminus", "not", "transpose", "ctranspose", "uplus"}
      for d = {[3 4], [1 1], [0 3], [5 1], [40 70]}
        compare (op{1}, str2func (op{1}), {array_of(a, d{1})}, 0);
      endfor
    endfor
    compare ("transpose", @transpose, {array_of(a, [2 2 2])}, 0);
    for b = types
      tol = 200;
      compare ("power", @power, {nonzero(array_of (a, [3 4])), array_of(b, [3 4])}, tol, 1, where);
      compare ("power", @power, {array_of(a, [3 4]), 2}, 4, 1, logical ([1 1; 1 0]));
      compare ("power", @power, {abs(double (array_of (a, [3 4]))) + 1, array_of(b, [1 1])}, tol, 1, where);
      compare ("mtimes", @mtimes, {array_of(a, [3 4]), array_of(b, [4 2])}, 100, 1, where);
      compare ("mtimes", @mtimes, {array_of(a, [3 4]), array_of(b, [3 2])}, 100, 1, where);
      compare ("mtimes", @mtimes, {array_of(a, [3 0]), array_of(b, [0 2])}, 100, 1, where);
      compare ("mtimes", @mtimes, {array_of(a, [1 1]), array_of(b, [4 2])}, 100, 1, where);
      if (a != "b")
        A = array_of (a, [4 4]) + 10 * eye (4);
        compare ("mldivide", @mldivide, {A, array_of(b, [4 2])}, 1e4, 1, where);
        compare ("mrdivide", @mrdivide, {array_of(b, [2 4]), A}, 1e4, 1, where);
        compare ("mpower", @(x) x ^ 3, {array_of(a, [3 3])}, 100);
      endif
    endfor
  endfor
endfunction

%--------------------------------------------------------------------------------
% functions of single elements
%--------------------------------------------------------------------------------

function functions ()
  exact = {"abs", "real", "imag", "conj", "floor", "ceil", "round", "fix", "isnan", "isinf", "isfinite"};
  rounded = {"arg", "angle", "sign", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", ...
             "asin", "acos", "atan", "asinh", "acosh", "atanh"};
  for type = "dszcb"
    for name = exact
      tol = 4 * (type == "z" || type == "c");
      for x = {array_of(type, [3 4]), array_of(type, [0 3]), array_of(type, [1 1]), special(type)}
        compare (name{1}, str2func (name{1}), x, tol);
      endfor
    endfor
    for name = rounded
      f = str2func (name{1});
      for x = {array_of(type, [3 4]), array_of(type, [0 3]), abs(double (array_of (type, [2 3]))) / 10}
        compare (name{1}, f, x, 100);
      endfor
      if (type == "d" || type == "s")
        compare (name{1}, f, {special(type)(1:9)}, 20);
      endif
    endfor
    compare ("double", @double, {array_of(type, [3 4])}, 0);
    compare ("single", @single, {array_of(type, [3 4])}, 0);
    if (type != "z" && type != "c")
      compare ("logical", @logical, {array_of(type, [3 4])}, 0);
      compare ("complex", @complex, {double(array_of (type, [3 4])), array_of("d", [3 4])}, 0, 1, logical ([1 1; 1 0; 0 1]));
    endif
  endfor
  where = logical ([1 1; 1 0; 0 1]);
  for type = "ds"
    x = array_of (type, [3 4]);
    y = array_of (type, [3 1]);
    for name = {"mod", "rem", "atan2", "hypot"}
      compare (name{1}, str2func (name{1}), {x, y}, 4, 1, where);
      compare (name{1}, str2func (name{1}), {x, 3}, 4, 1, logical ([1 0]));
    endfor
    compare ("cbrt", @cbrt, {x}, 10);
    compare ("erf", @erf, {x}, 10);
    compare ("erfc", @erfc, {x}, 100);
    compare ("realsqrt", @realsqrt, {abs(x)}, 0);
    compare ("realsqrt", @realsqrt, {-abs(x) - 1}, 0);
    compare ("reallog", @reallog, {abs(x) + 1}, 4);
    compare ("realpow", @realpow, {abs(x), y}, 10);
  endfor
  compare ("logical", @logical, {[1, NaN]}, 0);
  for type = "dszc"
    compare ("increment", @increment, {array_of(type, [3 4])}, 0);
  endfor
endfunction

function x = increment (x)
  x++;
  x += 2;
  x .*= 2;
  x--;
endfunction

%--------------------------------------------------------------------------------
% slices
%--------------------------------------------------------------------------------

function slices ()
  shapes = {[3 4], [1 5], [5 1], [1 1], [0 0], [0 3], [3 0], [2 3 4], [2 1 3], [1 1 6], [300 3], [3 300], [2 600 2], [70000 1]};
  for type = "dszcb"
    for shape = shapes
      x = array_of (type, shape{1});
      if (numel (x) > 1000)
        x = x / 64 + (type == "d" || type == "s");
      endif
      tol = 50 + 4 * max (shape{1});
      for name = {"sum", "prod", "sumsq", "any", "all", "cumsum", "cumprod"}
        # products of many numbers overflow, or not, by the order
        if (numel (x) > 100 && any (strcmp (name{1}, {"prod", "cumprod"})) || (type == "b" && strcmp (name{1}, "sumsq")))
          continue;
        endif
        f = str2func (name{1});
        compare_sum (name{1}, f, {x}, tol);
        for dim = 1:3
          compare_sum (name{1}, f, {x, dim}, tol);
        endfor
      endfor
      for name = {"max", "min"}
        f = str2func (name{1});
        compare (name{1}, f, {x}, 4, 2);
        if (type == "b" && isempty (x)) # Octave keeps the size of these
          continue;
        endif
        for dim = 1:3
          compare (name{1}, @(x) f (x, [], dim), {x}, 4, 2);
          compare (name{1}, @(x) f (x, [], dim), {x}, 4);
        endfor
      endfor
      if (isempty (x))
        x = double (x); # real where it is complex and empty: the host's mean is real then
      endif
      compare ("mean", @mean, {x}, tol);
      compare ("nnz", @nnz, {x}, 0);
      compare ("find", @find, {x}, 0);
      compare ("find", @find, {x}, 0, 2);
      compare ("find", @find, {x}, 0, 3);
      compare ("find", @(x) find (x, 2), {x}, 0);
      compare ("find", @(x) find (x, 2, "last"), {x}, 0);
    endfor
    if (type != "b")
      compare ("max of NaN", @max, {[NaN, 1; NaN, NaN; 2, NaN] .* cast(1, class (array_of (type, [1 1])))}, 0, 2);
      compare ("dot", @dot, {array_of(type, [5 1]), array_of(type, [5 1])}, 50);
      compare ("dot", @dot, {array_of(type, [5 3]), array_of("d", [5 3])}, 50, 1, logical ([1 1; 0 1; 1 0]));
      compare ("dot", @dot, {array_of(type, [5 3]), array_of("d", [5 3]), 2}, 50, 1, logical ([1 1 0]));
      for p = {2, 1, Inf, "fro"}
        compare ("norm", @(x) norm (x, p{1}), {array_of(type, [5 1])}, 50);
        compare ("norm", @(x) norm (x, p{1}), {array_of(type, [1 5])}, 50);
        if (! isequal (p{1}, 2))
          compare ("norm", @(x) norm (x, p{1}), {array_of(type, [5 3])}, 50);
        endif
      endfor
    endif
  endfor
  bits_of_sums ();
endfunction

% Sums cancel, so the error is judged by the sum of the moduli.
function compare_sum (name, f, args, tol)
  global counts_of_gpu_arrays;
  x = args{1};
  if (isempty (x) || islogical (x) || any (strcmp (name, {"prod", "cumprod", "any", "all"})))
    compare (name, f, args, tol, 1, [true, false(1, numel (args) - 1)]);
    return;
  endif
  a = f (args{:});
  g = f (gpuArray (x), args{2:end});
  b = gather (g);
  size_of_terms = f (abs (double (x)), args{2:end});
  bound = tol * eps (class (a)) * size_of_terms;
  good = strcmp (class (a), class (b)) && isequal (size (a), size (b)) && iscomplex (g) == (iscomplex (x) && ! strcmp (name, "sumsq")) ...
         && all (abs (double (a(:)) - double (b(:))) <= bound(:));
  counts_of_gpu_arrays += [good, ! good];
  if (! good)
    printf ("FAILED %s (%s): %s, not %s\n", name, shown (x), shown (b), shown (a));
  endif
endfunction

% A slice has the same bits alone and in any array.
function bits_of_sums ()
  global counts_of_gpu_arrays;
  for type = "sdz"
    for n = [3, 100, 257, 70000]
      x = gpuArray (array_of (type, [n, 1]) / 3);
      s = gather (sum (x));
      wide = [x, 2 * x, x];
      same = isequal (gather (sum (wide)(3)), s) && isequal (gather (sum (wide.', 2)(3)), s) ...
             && isequal (gather (sum (reshape (wide, [1, n, 3]), 2)(1,1,1)), s) && isequal (gather (sum (x.')), s);
      same = same || ! existsOnGPU (x);
      counts_of_gpu_arrays += [same, ! same];
      if (! same)
        printf ("FAILED the bits of a sum of %d depend on where it stands\n", n);
      endif
    endfor
  endfor
endfunction

%--------------------------------------------------------------------------------
% subscripts
%--------------------------------------------------------------------------------

function subscripts ()
  for type = "dszcb"
    x = array_of (type, [4 5 3]);
    m = array_of (type, [4 5]);
    v = array_of (type, [1 7]);
    w = array_of (type, [7 1]);
    reads = {@(x) x(2), @(x) x(:), @(x) x(:,:), @(x) x(2:3,:), @(x) x(end,1), @(x) x(end:-1:1,[1 1 2]), @(x) x([]), @(x) x(:,[]), ...
             @(x) x([3 1; 2 2]), @(x) x(2,3), @(x) x(true (1, 2)), @(x) x(1,:), @(x) x(:,end), @(x) x(1:2:end), @(x) x(ones (2, 2)), ...
             @(x) x(99), @(x) x(0), @(x) x(1.5), @(x) x(9,1), @(x) x(1,2,1,1), @(x) x(false), @(x) x(zeros (1, 0)), @(x) x(end+1)};
    for f = reads
      for a = {x, m, v, w, m(2,2), m([],:)}
        compare (func2str (f{1}), f{1}, a, 0);
      endfor
    endfor
    compare ("3-D", @(x) x(:,2,:), {x}, 0);
    compare ("3-D", @(x) x(2,[1 3],[3 1]), {x}, 0);
    compare ("3-D", @(x) x(:,:,end), {x}, 0);
    compare ("3-D", @(x) x(3,7), {x}, 0);
    compare ("mask", @(x, m) x(m), {m, abs(double (m)) > 1}, 0, 1, logical ([1 1; 1 0]));
    compare ("mask", @(x, m) x(m), {v, abs(double (v)) > 1}, 0, 1, logical ([1 1; 1 0]));
    compare ("mask", @(x, m) x(:,m), {m, logical([1 0 1 1 0])}, 0, 1, logical ([1 1; 1 0]));
    compare ("list", @(x, k) x(k), {m, [2 3 5]}, 0, 1, logical ([1 1; 1 0]));
    for other = "dszcb"
      y = array_of (other, [1 1]);
      writes = {@(x, y) put(x, y, {2}), @(x, y) put(x, y, {":", 1}), @(x, y) put(x, y, {":"}), @(x, y) put(x, y, {[1 3], [2 2]}), ...
                @(x, y) put(x, y, {[]}), @(x, y) put(x, y, {9, 9}), @(x, y) put(x, y, {2, ":"}), @(x, y) put(x, y, {logical([1 0 1])})};
      for f = writes
        for a = {m, v, w, []}
          compare (func2str (f{1}), f{1}, {a{1}, y}, 0, 1, logical ([1 1; 1 0]));
        endfor
      endfor
      compare ("row", @(x, y) put (x, y, {2, ":"}), {m, array_of(other, [1 5])}, 0, 1, logical ([1 1; 1 0]));
      compare ("row turned", @(x, y) put (x, y, {2, ":"}), {m, array_of(other, [5 1])}, 0);
      compare ("repeated", @(x, y) put (x, y, {[1 2 1]}), {v, array_of(other, [1 3])}, 0);
      compare ("repeated", @(x, y) put (x, y, {":", [2 4 2]}), {m, array_of(other, [4 3])}, 0);
      compare ("page", @(x, y) put (x, y, {":", ":", 2}), {x, array_of(other, [4 5])}, 0);
      compare ("page grows", @(x, y) put (x, y, {":", ":", 5}), {x, array_of(other, [4 5])}, 0);
      compare ("empty colons", @(x, y) put (x, y, {":", ":"}), {[], array_of(other, [4 5])}, 0);
      compare ("empty colon", @(x, y) put (x, y, {":", 2}), {[], array_of(other, [4 1])}, 0);
      compare ("grows", @(x, y) put (x, y, {9}), {v, array_of(other, [1 1])}, 0);
      compare ("grows", @(x, y) put (x, y, {9}), {w, array_of(other, [1 1])}, 0);
      compare ("cannot grow", @(x, y) put (x, y, {99}), {m, array_of(other, [1 1])}, 0);
      compare ("does not fit", @(x, y) put (x, y, {1:2}), {v, array_of(other, [1 3])}, 0);
      compare ("does not fit", @(x, y) put (x, y, {":", 1}), {m, array_of(other, [1 3])}, 0);
      compare ("mask", @(x, y) put (x, y, {abs(double (m)) > 1}), {m, array_of(other, [1 1])}, 0);
    endfor
    gone = {{1}, {[1 3]}, {":"}, {[]}, {2:4}, {9}, {":", 2}, {[1 2], ":"}, {":", ":"}, {1, 1}, {logical([1 0 1])}};
    for g = gone
      for a = {m, v, w}
        compare (sprintf ("delete %d", numel (g{1})), @(x) remove (x, g{1}), a, 0);
      endfor
    endfor
    compare ("delete page", @(x) remove (x, {":", ":", 2}), {x}, 0);
  endfor
  copies ();
endfunction

function x = put (x, y, idx)
  x(idx{:}) = y;
endfunction
function x = remove (x, idx)
  x(idx{:}) = [];
endfunction

% A copy does not change with the original.
function copies ()
  global counts_of_gpu_arrays;
  a = gpuArray (1:5);
  b = a;
  s.x = a;
  a(2) = 9;
  c = {a};
  a(3) = 8;
  a += 1;
  good = isequal (gather (b), 1:5) && isequal (gather (s.x), 1:5) && isequal (gather (c{1}), [1 9 3 4 5]) ...
         && isequal (gather (a), [2 10 9 5 6]);
  counts_of_gpu_arrays += [good, ! good];
endfunction

%--------------------------------------------------------------------------------
% shapes
%--------------------------------------------------------------------------------

function shapes ()
  for type = "dszcb"
    x = array_of (type, [4 6 3]);
    m = array_of (type, [4 6]);
    v = array_of (type, [5 1]);
    one = {@(x) reshape(x, 6, []), @(x) reshape(x, [2 2 6 3]), @(x) permute(x, [2 1 3]), @(x) permute(x, [3 1 2]), @(x) permute(x, [1 3 2 4]), ...
           @(x) ipermute(x, [3 1 2]), @(x) squeeze(x(1,:,:)), @(x) repmat(x, 2, 3), @(x) repmat(x, [1 1 2]), @(x) circshift(x, 1), ...
           @(x) circshift(x, [1 2]), @(x) cat(3, x, x), @(x) cat(4, x, x), @(x) [x, x], @(x) [x; x; x], @(x) reshape(x, 5, 5), ...
           @(x) flip(x), @(x) permute(x, [1 1 2]), @(x) numel(x)(1) * x, @(x) vertcat(x, x), @(x) horzcat(x, x), @(x) cat(2, x, [])};
    for f = one
      compare (func2str (f{1}), f{1}, {x}, 0);
    endfor
    compare ("large turn", @(x) permute (x, [2 1 3]), {array_of(type, [70 45 3])}, 0);
    compare ("large turn", @(x) permute (x, [3 2 1]), {array_of(type, [33 5 40])}, 0);
    two = {@(x) diag(x), @(x) diag(x, 1), @(x) diag(x, -2), @(x) flipud(x), @(x) fliplr(x), @(x) x.', @(x) trace(x(:,1:4)), @(x) numel(x) * x(1), ...
           @(x) triu(x) + 0};
    for f = two(1:end-1)
      compare (func2str (f{1}), f{1}, {m}, 4);
      compare (func2str (f{1}), f{1}, {v}, 4);
    endfor
    compare ("diag", @(x) diag (x, 6, 7), {v}, 0);
    for other = "dszcb"
      y = array_of (other, [4 2]);
      where = logical ([1 1; 1 0; 0 1]);
      compare ("[x, y]", @(x, y) [x, y], {m, y}, 0, 1, where);
      compare ("[y, x]", @(x, y) [y, x], {m, y}, 0, 1, where);
      compare ("[x; y.']", @(x, y) [x(:,1:4); y.'], {m, y}, 0, 1, where);
      compare ("cat", @(x, y) cat (2, x, y), {m, y}, 0, 1, where);
      compare ("cat 3", @(x, y) cat (3, x(:,1:2), y), {m, y}, 0, 1, where);
      compare ("[x, 5]", @(x, y) [x(1), y(1), x(2)], {m, y}, 0, 1, where);
      compare ("bad", @(x, y) [x, y.'], {m, y}, 0, 1, where);
    endfor
    compare ("for", @loop, {m}, 0);
  endfor
  compare ("if", @branch, {[1 1; 1 0]}, 0);
  compare ("if", @branch, {[1 1; 1 1]}, 0);
endfunction

function y = loop (x)
  y = x(:,1) * 0;
  for column = x
    y = y + column;
  endfor
endfunction

function y = branch (x)
  y = x;
  if (x)
    y = y + 1;
  endif
  while (y(1) < 4)
    y = y + 1;
  endwhile
endfunction

%--------------------------------------------------------------------------------
% random programs
%--------------------------------------------------------------------------------

% 20 steps on three variables; each result replaces one of them. The host goes on with the values of the gpuArrays,
% so that every step is judged alone.
function program (seed)
  rand ("twister", seed);
  randn ("twister", seed);
  types = "dszcb";
  host = cell (1, 3);
  for k = 1:3
    host{k} = array_of (types(randi (5)), [randi(4), randi(4), randi(2)]);
  endfor
  for step = 1:20
    k = randi (3);
    j = randi (3);
    [name, f] = random_step (host{k}, host{j});
    on_gpu = compare (sprintf ("program %d, step %d, %s", seed, step, name), f, {host{k}, host{j}}, 1e3, 1, ...
                      [true, rand() < 0.6]);
    v = gather (on_gpu{1});
    if (! isempty (v) && numel (v) < 500 && all (abs (double (v(:))) < 1e6))
      host{randi (3)} = v;
    endif
  endfor
endfunction

function [name, f] = random_step (x, y)
  steps = {"plus", @(x, y) x + y; "minus", @(x, y) x - 2 * y; "times", @(x, y) x .* y; "rdivide", @(x, y) x ./ (1 + abs (y)); ...
           "compare", @(x, y) x > y; "and", @(x, y) x & y; "not", @(x, y) ! x; "sqrt", @(x, y) sqrt (abs (x)); "abs", @(x, y) abs (x); ...
           "exp", @(x, y) exp (-abs (x)); "sum", @(x, y) sum (abs (x)); "sum 2", @(x, y) sum (abs (x), 2); "max", @(x, y) max (abs (x), [], 2); ...
           "any", @(x, y) any (x); "first", @(x, y) x(1,:); "last", @(x, y) x(:,end); "all", @(x, y) x(:); "mask", @(x, y) x(abs (x) > 1); ...
           "turn", @(x, y) permute (x, [2 1 3]); "flip", @(x, y) x(end:-1:1,:); "row", @(x, y) [x(1,:); x]; "columns", @(x, y) [x(:,:), x(:,1)]; ...
           "pages", @(x, y) cat (3, x, x); "put", @(x, y) put (x, double (real (y(1))), {1}); "put row", @(x, y) put (x, 0, {1, ":"}); ...
           "grow", @(x, y) put (x, real (double (y(1))), {rows(x) + 1, 1}); "delete", @(x, y) remove (x, {1, ":"}); "reshape", @(x, y) reshape (x, [], 1); ...
           "single", @(x, y) single (x); "double", @(x, y) double (x); "real", @(x, y) real (x); "cumsum", @(x, y) cumsum (abs (x)); ...
           "repmat", @(x, y) repmat (x, [1 2]); "mean", @(x, y) mean (abs (x)); "product", @(x, y) abs (x(:,:)).' * abs (x(:,:)); ...
           "diag", @(x, y) diag (x(:,1)); "find", @(x, y) find (x); "scalar", @(x, y) x * 0.5 + 1; "power", @(x, y) abs (x) .^ 1.5; ...
           "conj", @(x, y) conj (x) .* x; "floor", @(x, y) floor (x)};
  k = randi (rows (steps));
  name = steps{k,1};
  f = steps{k,2};
endfunction
