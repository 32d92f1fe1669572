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
% operands
%--------------------------------------------------------------------------------

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
          compare_gpu_arrays (op{1}, f, {gpu_test_array(a, pairs{k,1}), gpu_test_array(b, pairs{k,2})}, tol, 1, where);
        endfor
        if (! any (strcmp (op{1}, {"and", "or"})) && ! any ([a, b] == "z" | [a, b] == "c"))
          compare_gpu_arrays (op{1}, f, {special(a), special(b).'}, 0);
        endif
      endfor
    endfor
  endfor
  compare_gpu_arrays ("and", @and, {[1, NaN], 1}, 0);
  compare_gpu_arrays ("not", @not, {[1, NaN]}, 0);
  for a = types
    for op = {"uminus", "not", "transpose", "ctranspose", "uplus"}
      for d = {[3 4], [1 1], [0 3], [5 1], [40 70]}
        compare_gpu_arrays (op{1}, str2func (op{1}), {gpu_test_array(a, d{1})}, 0);
      endfor
    endfor
    compare_gpu_arrays ("transpose", @transpose, {gpu_test_array(a, [2 2 2])}, 0);
    for b = types
      tol = 200;
      compare_gpu_arrays ("power", @power, {nonzero(gpu_test_array (a, [3 4])), gpu_test_array(b, [3 4])}, tol, 1, where);
      compare_gpu_arrays ("power", @power, {gpu_test_array(a, [3 4]), 2}, 4, 1, logical ([1 1; 1 0]));
      compare_gpu_arrays ("power", @power, {abs(double (gpu_test_array (a, [3 4]))) + 1, gpu_test_array(b, [1 1])}, tol, 1, where);
      compare_gpu_arrays ("mtimes", @mtimes, {gpu_test_array(a, [3 4]), gpu_test_array(b, [4 2])}, 100, 1, where);
      compare_gpu_arrays ("mtimes", @mtimes, {gpu_test_array(a, [3 4]), gpu_test_array(b, [3 2])}, 100, 1, where);
      compare_gpu_arrays ("mtimes", @mtimes, {gpu_test_array(a, [3 0]), gpu_test_array(b, [0 2])}, 100, 1, where);
      compare_gpu_arrays ("mtimes", @mtimes, {gpu_test_array(a, [1 1]), gpu_test_array(b, [4 2])}, 100, 1, where);
      if (a != "b")
        A = gpu_test_array (a, [4 4]) + 10 * eye (4);
        compare_gpu_arrays ("mldivide", @mldivide, {A, gpu_test_array(b, [4 2])}, 1e4, 1, where);
        compare_gpu_arrays ("mrdivide", @mrdivide, {gpu_test_array(b, [2 4]), A}, 1e4, 1, where);
        compare_gpu_arrays ("mpower", @(x) x ^ 3, {gpu_test_array(a, [3 3])}, 100);
      endif
      tall = (abs (gpu_test_array (a, [6 3])) > 1) + [eye(3); 1, 1, 0; 0, 1, 1; 1, 0, 1];
      if (a == "b")
        tall = logical (tall);
      elseif (a != "d")
        tall = tall .* cast (1, class (gpu_test_array (a, [1 1])));
      endif
      compare_gpu_arrays ("mldivide, tall", @(x, y) x \ y + 10, {tall, gpu_test_array(b, [6 2])}, 1e5, 1, where);
      compare_gpu_arrays ("mrdivide, wide", @(x, y) x / y + 10, {gpu_test_array(b, [2 6]), tall.'}, 1e5, 1, where);
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
      for x = {gpu_test_array(type, [3 4]), gpu_test_array(type, [0 3]), gpu_test_array(type, [1 1]), special(type)}
        compare_gpu_arrays (name{1}, str2func (name{1}), x, tol);
      endfor
    endfor
    for name = rounded
      f = str2func (name{1});
      for x = {gpu_test_array(type, [3 4]), gpu_test_array(type, [0 3]), abs(double (gpu_test_array (type, [2 3]))) / 10}
        compare_gpu_arrays (name{1}, f, x, 100);
      endfor
      if (type == "d" || type == "s")
        compare_gpu_arrays (name{1}, f, {special(type)(1:9)}, 20);
      endif
    endfor
    compare_gpu_arrays ("double", @double, {gpu_test_array(type, [3 4])}, 0);
    compare_gpu_arrays ("single", @single, {gpu_test_array(type, [3 4])}, 0);
    if (type != "z" && type != "c")
      compare_gpu_arrays ("logical", @logical, {gpu_test_array(type, [3 4])}, 0);
      compare_gpu_arrays ("complex", @complex, {double(gpu_test_array (type, [3 4])), gpu_test_array("d", [3 4])}, 0, 1, logical ([1 1; 1 0; 0 1]));
    endif
  endfor
  where = logical ([1 1; 1 0; 0 1]);
  for type = "ds"
    x = gpu_test_array (type, [3 4]);
    y = gpu_test_array (type, [3 1]);
    for name = {"mod", "rem", "atan2", "hypot"}
      compare_gpu_arrays (name{1}, str2func (name{1}), {x, y}, 4, 1, where);
      compare_gpu_arrays (name{1}, str2func (name{1}), {x, 3}, 4, 1, logical ([1 0]));
    endfor
    compare_gpu_arrays ("cbrt", @cbrt, {x}, 10);
    compare_gpu_arrays ("erf", @erf, {x}, 10);
    compare_gpu_arrays ("erfc", @erfc, {x}, 100);
    compare_gpu_arrays ("realsqrt", @realsqrt, {abs(x)}, 0);
    compare_gpu_arrays ("realsqrt", @realsqrt, {-abs(x) - 1}, 0);
    compare_gpu_arrays ("reallog", @reallog, {abs(x) + 1}, 4);
    compare_gpu_arrays ("realpow", @realpow, {abs(x), y}, 10);
  endfor
  compare_gpu_arrays ("logical", @logical, {[1, NaN]}, 0);
  for type = "dszc"
    compare_gpu_arrays ("increment", @increment, {gpu_test_array(type, [3 4])}, 0);
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
      x = gpu_test_array (type, shape{1});
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
        compare_gpu_arrays (name{1}, f, {x}, 4, 2);
        if (type == "b" && isempty (x)) # Octave keeps the size of these
          continue;
        endif
        for dim = 1:3
          compare_gpu_arrays (name{1}, @(x) f (x, [], dim), {x}, 4, 2);
          compare_gpu_arrays (name{1}, @(x) f (x, [], dim), {x}, 4);
        endfor
      endfor
      if (isempty (x))
        x = double (x); # real where it is complex and empty: the host's mean is real then
      endif
      compare_gpu_arrays ("mean", @mean, {x}, tol);
      compare_gpu_arrays ("nnz", @nnz, {x}, 0);
      compare_gpu_arrays ("find", @find, {x}, 0);
      compare_gpu_arrays ("find", @find, {x}, 0, 2);
      compare_gpu_arrays ("find", @find, {x}, 0, 3);
      compare_gpu_arrays ("find", @(x) find (x, 2), {x}, 0);
      compare_gpu_arrays ("find", @(x) find (x, 2, "last"), {x}, 0);
    endfor
    if (type != "b")
      compare_gpu_arrays ("max of NaN", @max, {[NaN, 1; NaN, NaN; 2, NaN] .* cast(1, class (gpu_test_array (type, [1 1])))}, 0, 2);
      compare_gpu_arrays ("dot", @dot, {gpu_test_array(type, [5 1]), gpu_test_array(type, [5 1])}, 50);
      compare_gpu_arrays ("dot", @dot, {gpu_test_array(type, [5 3]), gpu_test_array("d", [5 3])}, 50, 1, logical ([1 1; 0 1; 1 0]));
      compare_gpu_arrays ("dot", @dot, {gpu_test_array(type, [5 3]), gpu_test_array("d", [5 3]), 2}, 50, 1, logical ([1 1 0]));
      for p = {2, 1, Inf, "fro"}
        compare_gpu_arrays ("norm", @(x) norm (x, p{1}), {gpu_test_array(type, [5 1])}, 50);
        compare_gpu_arrays ("norm", @(x) norm (x, p{1}), {gpu_test_array(type, [1 5])}, 50);
        if (! isequal (p{1}, 2))
          compare_gpu_arrays ("norm", @(x) norm (x, p{1}), {gpu_test_array(type, [5 3])}, 50);
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
    compare_gpu_arrays (name, f, args, tol, 1, [true, false(1, numel (args) - 1)]);
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
    printf ("FAILED %s (%s): %s, not %s\n", name, mat2str (size (x)), mat2str (b), mat2str (a));
  endif
endfunction

% A slice has the same bits alone and in any array.
function bits_of_sums ()
  global counts_of_gpu_arrays;
  for type = "sdz"
    for n = [3, 100, 257, 70000]
      x = gpuArray (gpu_test_array (type, [n, 1]) / 3);
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
    x = gpu_test_array (type, [4 5 3]);
    m = gpu_test_array (type, [4 5]);
    v = gpu_test_array (type, [1 7]);
    w = gpu_test_array (type, [7 1]);
    reads = {@(x) x(2), @(x) x(:), @(x) x(:,:), @(x) x(2:3,:), @(x) x(end,1), @(x) x(end:-1:1,[1 1 2]), @(x) x([]), @(x) x(:,[]), ...
             @(x) x([3 1; 2 2]), @(x) x(2,3), @(x) x(true (1, 2)), @(x) x(1,:), @(x) x(:,end), @(x) x(1:2:end), @(x) x(ones (2, 2)), ...
             @(x) x(99), @(x) x(0), @(x) x(1.5), @(x) x(9,1), @(x) x(1,2,1,1), @(x) x(false), @(x) x(zeros (1, 0)), @(x) x(end+1)};
    for f = reads
      for a = {x, m, v, w, m(2,2), m([],:)}
        compare_gpu_arrays (func2str (f{1}), f{1}, a, 0);
      endfor
    endfor
    compare_gpu_arrays ("3-D", @(x) x(:,2,:), {x}, 0);
    compare_gpu_arrays ("3-D", @(x) x(2,[1 3],[3 1]), {x}, 0);
    compare_gpu_arrays ("3-D", @(x) x(:,:,end), {x}, 0);
    compare_gpu_arrays ("3-D", @(x) x(3,7), {x}, 0);
    compare_gpu_arrays ("mask", @(x, m) x(m), {m, abs(double (m)) > 1}, 0, 1, logical ([1 1; 1 0]));
    compare_gpu_arrays ("mask", @(x, m) x(m), {v, abs(double (v)) > 1}, 0, 1, logical ([1 1; 1 0]));
    compare_gpu_arrays ("mask", @(x, m) x(:,m), {m, logical([1 0 1 1 0])}, 0, 1, logical ([1 1; 1 0]));
    compare_gpu_arrays ("list", @(x, k) x(k), {m, [2 3 5]}, 0, 1, logical ([1 1; 1 0]));
    for other = "dszcb"
      y = gpu_test_array (other, [1 1]);
      writes = {@(x, y) put(x, y, {2}), @(x, y) put(x, y, {":", 1}), @(x, y) put(x, y, {":"}), @(x, y) put(x, y, {[1 3], [2 2]}), ...
                @(x, y) put(x, y, {[]}), @(x, y) put(x, y, {9, 9}), @(x, y) put(x, y, {2, ":"}), @(x, y) put(x, y, {logical([1 0 1])})};
      for f = writes
        for a = {m, v, w, []}
          compare_gpu_arrays (func2str (f{1}), f{1}, {a{1}, y}, 0, 1, logical ([1 1; 1 0]));
        endfor
      endfor
      compare_gpu_arrays ("row", @(x, y) put (x, y, {2, ":"}), {m, gpu_test_array(other, [1 5])}, 0, 1, logical ([1 1; 1 0]));
      compare_gpu_arrays ("row turned", @(x, y) put (x, y, {2, ":"}), {m, gpu_test_array(other, [5 1])}, 0);
      compare_gpu_arrays ("repeated", @(x, y) put (x, y, {[1 2 1]}), {v, gpu_test_array(other, [1 3])}, 0);
      compare_gpu_arrays ("repeated", @(x, y) put (x, y, {":", [2 4 2]}), {m, gpu_test_array(other, [4 3])}, 0);
      compare_gpu_arrays ("page", @(x, y) put (x, y, {":", ":", 2}), {x, gpu_test_array(other, [4 5])}, 0);
      compare_gpu_arrays ("page grows", @(x, y) put (x, y, {":", ":", 5}), {x, gpu_test_array(other, [4 5])}, 0);
      compare_gpu_arrays ("empty colons", @(x, y) put (x, y, {":", ":"}), {[], gpu_test_array(other, [4 5])}, 0);
      compare_gpu_arrays ("empty colon", @(x, y) put (x, y, {":", 2}), {[], gpu_test_array(other, [4 1])}, 0);
      compare_gpu_arrays ("grows", @(x, y) put (x, y, {9}), {v, gpu_test_array(other, [1 1])}, 0);
      compare_gpu_arrays ("grows", @(x, y) put (x, y, {9}), {w, gpu_test_array(other, [1 1])}, 0);
      compare_gpu_arrays ("cannot grow", @(x, y) put (x, y, {99}), {m, gpu_test_array(other, [1 1])}, 0);
      compare_gpu_arrays ("does not fit", @(x, y) put (x, y, {1:2}), {v, gpu_test_array(other, [1 3])}, 0);
      compare_gpu_arrays ("does not fit", @(x, y) put (x, y, {":", 1}), {m, gpu_test_array(other, [1 3])}, 0);
      compare_gpu_arrays ("mask", @(x, y) put (x, y, {abs(double (m)) > 1}), {m, gpu_test_array(other, [1 1])}, 0);
    endfor
    gone = {{1}, {[1 3]}, {":"}, {[]}, {2:4}, {9}, {":", 2}, {[1 2], ":"}, {":", ":"}, {1, 1}, {logical([1 0 1])}, {":", ":", 1}};
    for g = gone
      for a = {m, v, w}
        compare_gpu_arrays (sprintf ("delete %d", numel (g{1})), @(x) remove (x, g{1}), a, 0);
      endfor
    endfor
    compare_gpu_arrays ("delete page", @(x) remove (x, {":", ":", 2}), {x}, 0);
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
    x = gpu_test_array (type, [4 6 3]);
    m = gpu_test_array (type, [4 6]);
    v = gpu_test_array (type, [5 1]);
    one = {@(x) reshape(x, 6, []), @(x) reshape(x, [2 2 6 3]), @(x) permute(x, [2 1 3]), @(x) permute(x, [3 1 2]), @(x) permute(x, [1 3 2 4]), ...
           @(x) ipermute(x, [3 1 2]), @(x) squeeze(x(1,:,:)), @(x) squeeze(x(1,2,:)), @(x) repmat(x, 2, 3), @(x) repmat(x, [1 1 2]), @(x) circshift(x, 1), ...
           @(x) circshift(x, [1 2]), @(x) cat(3, x, x), @(x) cat(4, x, x), @(x) [x, x], @(x) [x; x; x], @(x) reshape(x, 5, 5), ...
           @(x) flip(x), @(x) permute(x, [1 1 2]), @(x) numel(x)(1) * x, @(x) vertcat(x, x), @(x) horzcat(x, x), @(x) cat(2, x, [])};
    for f = one
      compare_gpu_arrays (func2str (f{1}), f{1}, {x}, 0);
    endfor
    compare_gpu_arrays ("large turn", @(x) permute (x, [2 1 3]), {gpu_test_array(type, [70 45 3])}, 0);
    compare_gpu_arrays ("large turn", @(x) permute (x, [3 2 1]), {gpu_test_array(type, [33 5 40])}, 0);
    two = {@(x) diag(x), @(x) diag(x, 1), @(x) diag(x, -2), @(x) flipud(x), @(x) fliplr(x), @(x) x.', @(x) trace(x(:,1:4)), @(x) numel(x) * x(1), ...
           @(x) triu(x) + 0};
    for f = two(1:end-1)
      compare_gpu_arrays (func2str (f{1}), f{1}, {m}, 4);
      compare_gpu_arrays (func2str (f{1}), f{1}, {v}, 4);
    endfor
    compare_gpu_arrays ("diag", @(x) diag (x, 6, 7), {v}, 0);
    for other = "dszcb"
      y = gpu_test_array (other, [4 2]);
      where = logical ([1 1; 1 0; 0 1]);
      compare_gpu_arrays ("[x, y]", @(x, y) [x, y], {m, y}, 0, 1, where);
      compare_gpu_arrays ("[y, x]", @(x, y) [y, x], {m, y}, 0, 1, where);
      compare_gpu_arrays ("[x; y.']", @(x, y) [x(:,1:4); y.'], {m, y}, 0, 1, where);
      compare_gpu_arrays ("cat", @(x, y) cat (2, x, y), {m, y}, 0, 1, where);
      compare_gpu_arrays ("cat 3", @(x, y) cat (3, x(:,1:2), y), {m, y}, 0, 1, where);
      compare_gpu_arrays ("[x, 5]", @(x, y) [x(1), y(1), x(2)], {m, y}, 0, 1, where);
      compare_gpu_arrays ("bad", @(x, y) [x, y.'], {m, y}, 0, 1, where);
    endfor
    compare_gpu_arrays ("for", @loop, {m}, 0);
  endfor
  compare_gpu_arrays ("if", @branch, {[1 1; 1 0]}, 0);
  compare_gpu_arrays ("if", @branch, {[1 1; 1 1]}, 0);
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
    host{k} = gpu_test_array (types(randi (5)), [randi(4), randi(4), randi(2)]);
  endfor
  for step = 1:20
    k = randi (3);
    j = randi (3);
    [name, f] = random_step (host{k}, host{j});
    on_gpu = compare_gpu_arrays (sprintf ("program %d, step %d, %s", seed, step, name), f, {host{k}, host{j}}, 1e3, 1, ...
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
