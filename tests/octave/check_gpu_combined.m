% tests/octave/check_gpu_combined.m: joined gpuArrays, functions made of one or two operations, kept functions of arrayfun
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_combined (). Results must be those of arrays of the host: of [x, y; z] with all types side by
% side, of triangles, differences, Kronecker products and the like, of null spaces by what defines them, and of arrayfun when
% a function comes again with other arguments, captured values or meanings of its names.

function [passed, failed] = check_gpu_combined ()
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 46);
  randn ("twister", 46);
  warning ("off", "all", "local");
  joins ();
  many_parts ();
  triangles ();
  blocks ();
  spaces ();
  correlations ();
  kept_arguments ();
  kept_values ();
  kept_names ();
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

% Every two types, sizes around the 1024 elements of a block, pages.
function joins ()
  which = logical ([1 1; 1 0; 0 1]);
  for p = "dszcb"
    for q = "dszcb"
      x = gpu_test_array (p, [3, 4]);
      y = gpu_test_array (q, [3, 4]);
      compare_gpu_arrays ("[x, y]", @(x, y) [x, y], {x, y}, 0, 1, which);
      compare_gpu_arrays ("[x; y]", @(x, y) [x; y], {x, y}, 0, 1, which);
      compare_gpu_arrays ("[x, y; y, x]", @(x, y) [x, y; y, x], {x, y}, 0, 1, which);
      compare_gpu_arrays ("[x(1), y(2); 3, x(2)]", @(x, y) [x(1), y(2); 3, x(2)], {x, y}, 0, 1, logical ([1 1]));
      compare_gpu_arrays ("cat (3, x, y)", @(x, y) cat (3, x, y, x), {x, y}, 0, 1, which);
    endfor
    for n = [1, 31, 32, 33, 1023, 1024, 1025]
      x = gpu_test_array (p, [n, 3]);
      y = gpu_test_array (p, [n, 1]);
      compare_gpu_arrays ("columns", @(x, y) [x, y, x], {x, y}, 0, 1, which);
      compare_gpu_arrays ("rows", @(x, y) [x; y.' * 1, y.'](:,1:3), {x(1:1,:), x(1:1,:).'}, 0, 1, logical ([1 1]));
      compare_gpu_arrays ("stacked", @(x) [x; x(1,:); x], {x}, 0);
    endfor
  endfor
  x = gpu_test_array ("d", [3, 4, 5]);
  for f = {@(x) [x, x], @(x) [x; x], @(x) cat(3, x, x), @(x) cat(4, x, x(:,:,:), x), @(x) [x(:,:,1), x(:,1:2,2); x(1,1:6)], @(x) [x(1,1,1), x(:,:,1)(2,1:3)], @(x) [x, []], @(x) [[], x, zeros(3, 0, 5)], ...
           @(x) [x(:,:,1), eye(3)], @(x) [1:4; x(:,:,1)], @(x) [x, x(1)], @(x) [x(1:0,:,1); x(:,:,1)], @(x) vertcat(x, x, x), @(x) horzcat(x(:,:,1)), ...
           @(x) [x(:)', x(:)', x(:)'], @(x) [x], @(x) resize(x(:,:,1), 5, 2), @(x) resize(x([],[]), 2, 3)}
    compare_gpu_arrays (func2str (f{1}), f{1}, {x}, 0);
  endfor
endfunction

% More parts than one kernel takes, and large ones between small ones.
function many_parts ()
  x = num2cell (gpu_test_array ("d", [1, 100]));
  g = cellfun (@gpuArray, x, "uniformoutput", false);
  for k = [31, 32, 33, 63, 64, 65, 100]
    same (sprintf ("%d numbers", k), @() [g{1:k}], [x{1:k}]);
    same (sprintf ("%d rows", k), @() [g{1:k}; g{1:k}], [x{1:k}; x{1:k}]);
  endfor
  large = single (randn (1025, 1024));
  one = single (1:1025)';
  G = gpuArray (large);
  H = gpuArray (one);
  same ("a large array between small ones", @() [H, G, H, 2 * G, H], [one, large, one, 2 * large, one]);
  same ("a large array below a row", @() [H(1:1024).'; G], [one(1:1024).'; large]);
  y = [H, H];
  y(1) = 7;
  same ("the parts of an array do not change with it", @() H, one);
endfunction

function triangles ()
  for type = "dszcb"
    for dims = {[3, 4], [4, 3], [1, 5], [5, 1], [1, 1], [33, 32], [0, 3], [1025, 2]}
      for k = {{}, {0}, {1}, {-1}, {2}, {-40}, {40}, {1.5}}
        compare_gpu_arrays ("triu", @(x) triu (x, fix ([k{1}{:}, 0](1))), {gpu_test_array(type, dims{1})}, 0);
        compare_gpu_arrays ("tril", @(x) tril (x, fix ([k{1}{:}, 0](1))), {gpu_test_array(type, dims{1})}, 0);
      endfor
    endfor
  endfor
  same ("NaN outside of the triangle", @() triu (gpuArray (NaN (3))), triu (NaN (3)));
endfunction

function blocks ()
  for type = "dszc"
    x = gpu_test_array (type, [2, 3]);
    ## Octave's blkdiag and sinc of single matrices are double
    in_class = str2func (class (x));
    compare_gpu_arrays ("blkdiag", @(x) in_class (blkdiag (x, x', x(1))), {x}, 0);
    compare_gpu_arrays ("blkdiag with an empty one", @(x) in_class (blkdiag (x, zeros (0, 2), x)), {x}, 0);
    compare_gpu_arrays ("blkdiag of one", @(x) in_class (blkdiag (x)), {x}, 0);
    count_gpu_check ("class of blkdiag and sinc", strcmp (underlyingType (blkdiag (gpuArray (x), 1)), class (x)) && strcmp (underlyingType (sinc (gpuArray (x))), class (x)));
    compare_gpu_arrays ("sinc", @(x) in_class (sinc (x)), {x}, 8);
  endfor
  for type = "dszcb"
    x = gpu_test_array (type, [2, 3]);
    which = logical ([1 1; 1 0; 0 1]);
    compare_gpu_arrays ("toeplitz", @(x) toeplitz (x(1,:)), {x}, 0);
    compare_gpu_arrays ("toeplitz", @(x) toeplitz (x(:), x(1,:)), {x}, 0);
    compare_gpu_arrays ("toeplitz", @(x) toeplitz (x(1), x(1,:)), {x}, 0);
    compare_gpu_arrays ("toeplitz of a matrix", @(x) toeplitz (x), {x}, 0);
    for other = "dszcb"
      compare_gpu_arrays ("toeplitz of two", @(x, y) toeplitz (x, y), {x(1,:), gpu_test_array(other, [1, 33])}, 0, 1, which);
    endfor
  endfor
  for type = "dsb"
    x = gpu_test_array (type, [5, 7]);
    for dim = 1:3
      compare_gpu_arrays ("cummin", @(x) cummin (x, dim), {x}, 0);
    endfor
    compare_gpu_arrays ("cummax", @(x) cummax (x), {x}, 0);
  endfor
  compare_gpu_arrays ("sinc", @(x) sinc (x), {[0, 0.5, 1, -1, Inf, NaN, -0]}, 8);
  compare_gpu_arrays ("blkdiag of pages", @(x) blkdiag (x), {ones(2, 2, 2)}, 0);
  compare_gpu_arrays ("toeplitz of the host and the GPU", @(x, y) toeplitz (x, y), {1:3, [1, 5]}, 0, 1, logical ([1 1; 1 0; 0 1]));
endfunction

% Null spaces and ranges have no single basis.
function spaces ()
  for A = {magic(4), [1, 2; 2, 4; 3, 6], [1, 0, 0; 0, 1, 0], eye(3), zeros(2, 3), single(magic (4)), magic(4) + 1i * magic(4)', ones(5, 1), 1:4}
    tol = 50 * eps (class (A{1})) * max (norm (A{1}), 1);
    z = null (gpuArray (A{1}));
    count_gpu_check ("null", isgpuarray (z) && isequal (size (z), size (null (A{1}))) && strcmp (underlyingType (z), class (A{1})));
    z = gather (z);
    count_gpu_check ("null: values", norm (A{1} * z) <= tol && norm (z' * z - eye (columns (z))) <= tol);
    u = orth (gpuArray (A{1}));
    r = rank (A{1});
    count_gpu_check ("orth", isgpuarray (u) && isequal (size (u), [rows(A{1}), r]));
    u = gather (u);
    count_gpu_check ("orth: values", norm (u * (u' * A{1}) - A{1}) <= tol && norm (u' * u - eye (r)) <= tol);
  endfor
  for type = {"double", "single", "logical"}
    z = null (gpuArray (cast (zeros (0, 2), type{1})));
    count_gpu_check ("null of an empty matrix", isequal (gather (z), eye (2)) && strcmp (underlyingType (z), ifelse (strcmp (type{1}, "single"), "single", "double")));
  endfor
  count_gpu_check ("orth of an empty matrix", isempty (orth (gpuArray (zeros (0, 2)))));
endfunction

function correlations ()
  x = randn (20, 4);
  x(:,4) = x(:,1) / 2;
  for a = {x, single(x), x(:,1), x(:,1)', x > 0}
    r = corrcoef (gpuArray (a{1}));
    s = corrcoef (a{1} * 1); # from Octave 9 on not of logical arrays
    count_gpu_check ("corrcoef", isgpuarray (r) && isequal (size (r), size (s)) && max (abs (double (gather (r))(:) - double (s)(:))) < 50 * eps (underlyingType (r)));
  endfor
  same ("corrcoef of two", @() round (1e8 * corrcoef (gpuArray (x(:,1)), x(:,2))), round (1e8 * corrcoef (x(:,1), x(:,2))));
  r = gather (corrcoef (gpuArray ([1, 2, 3; NaN, 1, 5; 3, 5, 5])));
  count_gpu_check ("corrcoef with NaN", all (isnan (r(1,:))) && all (isnan (r(:,1))) && r(2,2) == 1 && ! isnan (r(2,3)));
  same ("corrcoef with Inf", @() round (corrcoef (gpuArray ([1, Inf; 2, 1; 3, 2]))), [1, NaN; NaN, 1]);
endfunction

%-----------------------------------------------------------------------------------------------------------------------
% functions of arrayfun that come again
%-----------------------------------------------------------------------------------------------------------------------

% One handle with arguments of all types and shapes, three times each, so that steps are kept and must not be those of another.
function kept_arguments ()
  f = @(x, y) abs (x - 1) .* y + merge (real (x) > real (y), 2 * x + 0 * y, y + 0 * x) .^ 2;
  shapes = {[3, 4], [1, 4], [1, 1], [3, 4, 2], [0, 4]};
  for pair = {"dd", "dd", "ss", "dz", "zd", "zz", "cc", "db", "bd", "ds", "dd", "ss"}
    for shape = shapes
      x = gpu_test_array (pair{1}(1), shape{1});
      for y = {gpu_test_array(pair{1}(2), shape{1}), 2, 3, single(2), 2i, true}
        again (f, x, y{1});
      endfor
    endfor
  endfor
  g = @(x) sqrt (x);
  for x = {[1, 4], [9, 16], [4, 1], [-1, 4], [1, 4], single(4), [-4, -9]}
    again (g, x{1});
  endfor
endfunction

function again (f, varargin)
  wanted = [];
  try
    wanted = f (varargin{:});
  end_try_catch
  args = varargin;
  args{1} = gpuArray (args{1});
  if (numel (args) > 1 && numel (args{2}) != 1)
    args{2} = gpuArray (args{2});
  endif
  for k = 1:3
    got = [];
    try
      got = gather (arrayfun (f, args{:}));
    end_try_catch
    good = strcmp (class (got), class (wanted)) && isequal (size (got), size (wanted)) && isreal (got) == isreal (wanted);
    good = good && (isempty (got) || max (abs (got(:) - wanted(:))) <= 20 * eps (class (got)) * max (1, max (abs (wanted(:)))));
    count_gpu_check (sprintf ("%s with %s", func2str (f), strjoin (cellfun (@class, varargin, "uniformoutput", false), ", ")), good);
  endfor
endfunction

% Captured values, and functions that must be called each time.
function kept_values ()
  G = gpuArray ([1, 2; 3, 4]);
  for c = [1, 2, 3]
    f = @(x) x * c + c;
    for k = 1:4
      same ("a captured number", @() arrayfun (f, G), [1, 2; 3, 4] * c + c);
    endfor
  endfor
  list = [5, 6];
  f = @(x) x + list(2);
  for k = 1:4
    same ("a captured list", @() arrayfun (f, G), [7, 8; 9, 10]);
  endfor
  f = @(x) x + rand;
  results = zeros (1, 5);
  for k = 1:5
    results(k) = gather (arrayfun (f, G))(1);
  endfor
  count_gpu_check ("rand in a function", numel (unique (results)) == 5);
  f = @(varargin) varargin{1} + nargin;
  for k = 1:4
    same ("nargin", @() arrayfun (f, G), [2, 3; 4, 5]);
  endfor
  same ("nargin of two", @() arrayfun (f, G, 1), [3, 4; 5, 6]);
  f = @(x) x + numel (evalc ("1;")) + pi * 0 + 1e-3;
  for k = 1:4
    same ("evalc", @() arrayfun (f, G), [1, 2; 3, 4] + 1e-3);
  endfor
  f = @(x, y) x - y';
  for k = 1:4
    same ("a transposed element", @() arrayfun (f, G, 2i), [1, 2; 3, 4] + 2i);
  endfor
endfunction

% A name that gets another meaning.
function kept_names ()
  G = gpuArray ([1, 2]);
  f = @(x) tanh (x) + cbrt (x);
  for k = 1:4
    same ("tanh", @() round (1e10 * arrayfun (f, G)), round (1e10 * f ([1, 2])));
  endfor
  unwind_protect
    eval ("function y = tanh (x), y = x + 10; endfunction");
    same ("another tanh", @() round (1e10 * arrayfun (f, G)), round (1e10 * ([11, 12] + cbrt ([1, 2]))));
  unwind_protect_cleanup
    clear -f tanh
  end_unwind_protect
  f = @(x) expm1 (x);
  for k = 1:4
    same ("a function of the same file", @() arrayfun (f, G), [101, 102]);
  endfor
  f = @(x) tanh (x) + cbrt (x);
  for k = 1:4
    same ("tanh again", @() round (1e10 * arrayfun (f, G)), round (1e10 * f ([1, 2])));
  endfor
  a_method ();
endfunction

% A method of the class, which comes before Octave's function for gpuArrays alone.
function a_method ()
  G = gpuArray ([1, 2]);
  f = @(x) tanh (x);
  for k = 1:4
    same ("tanh before the method", @() round (1e10 * arrayfun (f, G)), round (1e10 * f ([1, 2])));
  endfor
  folder = tempname ();
  unwind_protect
    mkdir (fullfile (folder, "@gpuArray"));
    file = fopen (fullfile (folder, "@gpuArray", "tanh.m"), "w");
    fputs (file, "function y = tanh (x)\n  y = x + 10;\nendfunction\n");
    fclose (file);
    addpath (folder);
    same ("a method tanh", @() arrayfun (f, G), [11, 12]);
  unwind_protect_cleanup
    rmpath (folder);
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect
  same ("tanh without the method", @() round (1e10 * arrayfun (f, G)), round (1e10 * f ([1, 2])));
endfunction

% A function of this file, which comes before Octave's.
function y = expm1 (x)
  y = x + 100;
endfunction

function same (name, f, wanted)
  y = f ();
  count_gpu_check (name, isgpuarray (y) && strcmp (underlyingType (y), class (wanted)) && isequaln (gather (y), wanted));
endfunction
