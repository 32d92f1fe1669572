% tests/octave/check_arrayfun.m: arrayfun with gpuArrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_arrayfun (programs). The result of arrayfun (f, ...) must be that of f called with whole
% gpuArrays, bit by bit, and that of f with arrays of the host. programs: how many random functions of 20 steps.

function [passed, failed] = check_arrayfun (programs = 60)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 44);
  randn ("twister", 44);
  warning ("off", "all", "local");
  every_operation ();
  whole_functions ();
  for k = 1:programs
    random_function (k);
  endfor
  limits ();
  passes ();
  refusals ();
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

% f of arrays: by arrayfun where one of them is a gpuArray.
function varargout = each (f, varargin)
  varargout = cell (1, nargout);
  if (any (cellfun (@isgpuarray, varargin)))
    [varargout{:}] = arrayfun (f, varargin{:});
  else
    [varargout{:}] = f (varargin{:});
  endif
endfunction

% Both comparisons.
function compare (name, f, args, tol, outputs = 1, which = true (1, numel (args)))
  compare_gpu_arrays (["arrayfun " name], @(varargin) each (f, varargin{:}), args, tol, outputs, which);
  same_bits (name, f, cellfun (@gpuArray, args, "uniformoutput", false), outputs);
endfunction

function same_bits (name, f, args, outputs)
  [one, failed_one] = attempt (@arrayfun, [{f}, args], outputs);
  [whole, failed_whole] = attempt (f, args, outputs);
  good = failed_one == failed_whole;
  for k = 1:outputs * (good && ! failed_one)
    a = gpuArray (whole{k}); # f may return a number
    if (isscalar (a))
      a = repmat (a, size (one{k}));
    endif
    good = good && strcmp (underlyingType (one{k}), underlyingType (a)) && iscomplex (one{k}) == iscomplex (a) && ...
           isequaln (gather (one{k}), gather (a));
  endfor
  count (good, "arrayfun %s has other bits than the operators\n", name);
endfunction

function count (good, varargin)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays += [good, ! good];
  if (! good && counts_of_gpu_arrays(2) <= 40)
    printf (["FAILED " varargin{1}], varargin{2:end});
  endif
endfunction

function [out, failed] = attempt (f, args, outputs)
  out = cell (1, outputs);
  failed = false;
  try
    [out{:}] = f (args{:});
  catch
    failed = true;
  end_try_catch
endfunction

% On a GPU one kernel does all steps; where it cannot, the steps are done one by one.
function passes ()
  if (gpuDeviceCount () == 0)
    return;
  endif
  G = gpuArray (reshape (1:24, 4, 6) / 7);
  S = single (G);
  Z = complex (G, -G);
  L = G > 1;
  one = {@(x) x + 1, @(x) exp (-x .^ 2) .* cos (3 * x) + abs (x - 2), @(x) merge (x > 1, x, -x), @(x) sqrt (x) + log (x), ...
         @(x) 2 * x - floor (x) ./ x, @(x) mod (x, 2) + max (x, 1)};
  for x = {G, S, gpuArray(ones (300, 700))}
    for f = one
      count (takes (1, f{1}, x{1}), "arrayfun (%s) takes more than one pass\n", func2str (f{1}));
    endfor
  endfor
  for f = {@(z) conj (z) .* z + 1i, @(z) exp (z) ./ abs (z), @(z) real (z) > imag (z)}
    count (takes (1, f{1}, Z), "arrayfun (%s) of complex elements takes more than one pass\n", func2str (f{1}));
  endfor
  count (takes (1, @(x, y) x .* y, G, G(1,:)), "arrayfun with expansion takes more than one pass\n");
  count (takes (1, @(x, m) merge (m, x, 2 * x), G, L), "arrayfun with a mask takes more than one pass\n");
  count (takes (0, @(x) sqrt (x), -G), "a pass counts that left the domain of sqrt\n");
  count (takes (0, @(x, y) x + y, G, S), "a pass counts where precisions meet\n");
endfunction

function good = takes (passes, f, varargin)
  before = __gpu_array__ ("passes");
  arrayfun (f, varargin{:});
  good = __gpu_array__ ("passes") - before == passes;
endfunction

%--------------------------------------------------------------------------------
% operators and functions, one at a time
%--------------------------------------------------------------------------------

function every_operation ()
  two = {"plus", "minus", "times", "rdivide", "ldivide", "lt", "le", "eq", "ge", "gt", "ne", "and", "or", "max", "min"};
  one = {"uminus", "uplus", "not", "abs", "real", "imag", "conj", "floor", "ceil", "round", "fix", "isnan", "isinf", "isfinite", ...
         "arg", "sign", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", ...
         "acos", "atan", "asinh", "acosh", "atanh", "single", "double", "logical", "transpose", "ctranspose"};
  real_only = {"mod", "rem", "atan2", "hypot"};
  for a = "dszcb"
    for shape = {[3 4], [1 1], [0 3], [131 5]}
      x = {gpu_test_array(a, shape{1})};
      for name = one
        f = str2func (name{1});
        if (any (strcmp (name{1}, {"transpose", "ctranspose"})) && ! isscalar (x{1}))
          continue;
        endif
        compare (name{1}, f, x, 1e3);
      endfor
      for b = "dszcb"
        y = gpu_test_array (b, shape{1});
        for name = two
          tol = 4 * any ([a, b] == "z" | [a, b] == "c");
          compare (name{1}, str2func (name{1}), {x{1}, y}, tol, 1, logical ([1 1; 1 0; 0 1]));
          compare ([name{1} " of a number"], @(x) feval (name{1}, x, 2), x, tol);
          compare ([name{1} " of a single number"], @(x) feval (name{1}, single (0.5), x), x, tol);
        endfor
        compare ("power", @power, {nonzero(x{1}), y}, 200);
        if (! any ([a, b] == "z" | [a, b] == "c" | [a, b] == "b")) # Octave's have no logical arrays
          for name = real_only
            compare (name{1}, str2func (name{1}), {x{1}, y}, 4);
          endfor
        endif
      endfor
    endfor
  endfor
endfunction

% Powers of complex zeros are not the same everywhere.
function x = nonzero (x)
  x(x == 0) = 1;
endfunction

%--------------------------------------------------------------------------------
% functions of several steps
%--------------------------------------------------------------------------------

function whole_functions ()
  which = logical ([1 1; 1 0; 0 1]);
  f = {@(x, y) exp (-x .^ 2 / 2) .* cos (3 * y) + 1, 1; ...
       @(x, y) merge (abs (x) > abs (y), x - y, x .* y), 1; ...
       @(x, y) deal (x + y, x > 0 & ! isnan (y), 3), 3; ...
       @(x, y) deal (y, x), 2; ...
       @(x, y) single (x) + single (y), 1; ...
       @(x, y) single (x) + y, 1; ...
       @(x, y) sqrt (x) + log (abs (y) + 1), 1; ...
       @(x, y) true, 1; ...
       @(x, y) double (x > y) * 2 - 1, 1; ...
       @(x, y) logical (x) | y > 0, 1; ...
       @(x, y) single (sqrt (x)) .* y, 1; ...
       @(x, y) double (sqrt (single (x))) - y, 1; ...
       @(x, y) x == single (0.1) | y == 0.1, 1; ...
       @(x, y) deal (x + 1, 0.1, single (0.1)), 3; ...
       @(x, y) deal (x, (y > 0) == 1 + 1e-12, (y > 0) & 1e-50), 3};
  shapes = {[6 7], [6 7]; [6 1], [1 7]; [6 7 3], [6 1 3]; [1 1], [300 3]; [0 4], [1 4]; [2 1 3 1 5], [1 4 3 2]};
  for a = "dszb"
    for b = "dsz"
      for s = shapes.'
        args = {with_tenths(gpu_test_array (a, s{1})), with_tenths(gpu_test_array (b, s{2}))};
        for k = 1:rows (f)
          same_sizes = isequal (s{:});
          if (f{k,2} == 1 && ! strcmp (func2str (f{k,1}), "@(x, y) true"))
            rounded = ! isempty (strfind (func2str (f{k,1}), "double (sqrt (single")); # a double with errors of single
            tol = 2e3 * merge (rounded, eps ("single") / eps, 1);
            compare (func2str (f{k,1}), merge_expands (f{k,1}, same_sizes), args, tol, 1, which);
          elseif (same_sizes)
            same_bits (func2str (f{k,1}), f{k,1}, cellfun (@gpuArray, args, "uniformoutput", false), f{k,2});
          endif
        endfor
      endfor
    endfor
  endfor
  % so many that threads have several
  for a = "dszc"
    x = gpuArray (gpu_test_array (a, [401 400]));
    y = gpuArray (gpu_test_array (merge (any (a == "sc"), "s", "d"), [401 1]));
    same_bits (["large " a], @(x, y) exp (-abs (x)) .* y + x .* conj (x), {x, y}, 1);
    same_bits (["large sqrt " a], @(x, y) sqrt (abs (x) + 1) - y, {x, y}, 1);
  endfor
endfunction

% Some elements are 0.1, or the single number next to it.
function x = with_tenths (x)
  if (! islogical (x) && numel (x) > 2)
    x(1:2) = [0.1, single(0.1)];
  endif
endfunction

% Octave's merge does not expand dimensions, as that of arrayfun does.
function g = merge_expands (f, same_sizes)
  g = f;
  if (! same_sizes && strfind (func2str (f), "merge"))
    g = @(x, y) f (x + 0 * y, y + 0 * x);
  endif
endfunction

%--------------------------------------------------------------------------------
% random functions
%--------------------------------------------------------------------------------

% 20 steps, each of earlier values; the last three are the results. Real and complex arguments.
function random_function (k)
  kinds = {"dd", "ss", "dz", "cs", "zb", "bd", "ds", "zz"};
  args = cell (1, 2);
  for a = 1:2
    args{a} = gpu_test_array (kinds{1 + mod (k, numel (kinds))}(a), {[37 5], [37 5], [1 5]}{1 + mod (k + a, 3)});
  endfor
  steps = cell (20, 1);
  ops = {"plus", "minus", "times", "rdivide", "max", "min", "abs", "real", "conj", "uminus", "lt", "floor", "sign", "sin", "merge", "sqrt", "exp", "ctranspose", "plus one"};
  for s = 1:20
    steps{s} = {ops{randi(numel (ops))}, randi(s + 3), randi(s + 3), randi(s + 3)};
  endfor
  f = @(x, y) run_steps (steps, x, y);
  same_bits (sprintf ("random function %d", k), f, cellfun (@gpuArray, args, "uniformoutput", false), 3);
endfunction

% merge needs both of one class and, of arrays, of the same sizes.
function [p, q, r] = run_steps (steps, x, y)
  v = {x + 0 * y, y + 0 * x, 0.75};
  for k = 1:numel (steps)
    s = steps{k};
    a = v{s{2}};
    b = v{s{3}};
    switch (s{1})
      case {"abs", "real", "conj", "uminus", "floor", "sign", "sin", "sqrt", "exp"}
        v{end+1} = feval (s{1}, a);
      case "ctranspose"
        if (isgpuarray (a) && isscalar (a))
          v{end+1} = a';
        else
          v{end+1} = conj (a); # of an array
        endif
      case "plus one"
        v{end+1} = a + single (0.1);
      case "merge"
        v{end+1} = merge (real (v{1}) > real (v{s{4}}), v{1} + a, v{1} - b);
      otherwise
        v{end+1} = feval (s{1}, a, b);
    endswitch
  endfor
  [p, q, r] = v{end-2:end};
endfunction

%--------------------------------------------------------------------------------
% limits of one pass, beyond which the steps are done one by one
%--------------------------------------------------------------------------------

function limits ()
  x = gpu_test_array ("d", [40 3]);
  for steps = [1, 190, 191, 192, 193, 400]
    compare (sprintf ("%d steps", steps), @(x) repeated (x, steps), {x}, 0);
  endfor
  for live = [1, 5, 11, 12, 13, 23, 24, 25, 60]
    for type = "dszc"
      compare (sprintf ("%d values at a time", live), @(x) all_at_once (x, live), {gpu_test_array(type, [40 3])}, 1e3);
    endfor
  endfor
  for arrays = [7, 8, 9]
    args = repmat ({x}, 1, arrays);
    compare (sprintf ("%d arrays", arrays), @(varargin) sum_of (varargin{:}), args, 0);
  endfor
  for outputs = [1, 4, 5]
    compare (sprintf ("%d outputs", outputs), @(x) deal_numbers (x, outputs), {x}, 0, outputs);
  endfor
  compare ("many numbers", @(x) polyval_of (x, 40), {x / 4}, 1e3);
  compare ("equal numbers", @(x) x * 2 + 2 - 2 ./ (x .^ 2 + 2), {x}, 4);
  captured = gpuArray (3);
  compare ("a gpuArray from elsewhere", @(x) x * gather (captured), {x}, 0);
  same_bits ("a gpuArray from elsewhere", @(x) x .* captured, {gpuArray(x)}, 1);
  big = gpuArray (gpu_test_array ("d", [1000 1000]));
  same_bits ("a million elements", @(x) x .* x + x, {big}, 1);
endfunction

function y = repeated (x, steps)
  y = x;
  for k = 1:steps
    y = x - y;
  endfor
endfunction

% Differences of values that are all made before the first is used.
function y = all_at_once (x, live)
  v = {x + 1};
  for k = 2:live
    v{k} = v{k-1} + x;
  endfor
  y = v{1};
  for k = 2:live
    y = v{k} - y;
  endfor
endfunction

function y = polyval_of (x, degree)
  y = 1;
  for k = 1:degree
    y = y .* x + 1 / k;
  endfor
endfunction

function y = sum_of (varargin)
  y = varargin{1};
  for k = 2:nargin
    y = y + varargin{k};
  endfor
endfunction

function varargout = deal_numbers (x, outputs)
  for k = 1:outputs
    varargout{k} = x + k;
  endfor
endfunction

%--------------------------------------------------------------------------------
% what is refused
%--------------------------------------------------------------------------------

function refusals ()
  G = gpuArray (magic (3));
  gather_needed = {@(x) sum (x), @(x) x(1), @(x) [x, x], @(x) [x; 1], @(x) branches (x), @(x) x && true, @(x) arrayfun (@sin, x), ...
                   @(x) gamma (x), @(x) sort (x), @(x) median (x), @(x) gather (x), @(x) batcheig (x), @(x) zeros (x, "like", x)};
  for f = gather_needed
    is_refused (f{1}, {G}, "gpulinalg:gather-needed");
  endfor
  is_refused (@(x) x + [1, 2], {G}, "gpulinalg:bad-shape");
  is_refused (@(x) [1, 2], {G}, "gpulinalg:bad-shape");
  is_refused (@(x) x + int8 (1), {G}, "gpulinalg:bad-class");
  is_refused (@(x) mod (x, 1i), {G}, "gpulinalg:bad-class");
  is_refused (@(x) merge (x > 1, x, true), {G}, "gpulinalg:bad-class");
  is_refused (@(x, y) x + y, {G, [1, 2]}, "Octave:nonconformant-args");
  is_refused (@(x) x, {G, "UniformOutput", false}, "gpulinalg:gather-needed");
  is_refused (3, {G}, "gpulinalg:bad-class");
endfunction

function y = branches (x)
  y = 1;
  if (x > 0)
    y = 2;
  endif
endfunction

function is_refused (f, args, id)
  err = "";
  try
    arrayfun (f, args{:});
  catch e
    err = e.identifier;
  end_try_catch
  if (is_function_handle (f))
    f = func2str (f);
  endif
  count (strcmp (err, id), "arrayfun of %s: error %s, not %s\n", disp (f), err, id);
endfunction
