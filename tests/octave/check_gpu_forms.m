% tests/octave/check_gpu_forms.m: the forms of arguments that functions of gpuArrays take
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_forms (). Every form must do with gpuArrays what it does with arrays of the host: also
% those that are errors, and those in which the gpuArray is a size, a dimension or a bound.

function [passed, failed] = check_gpu_forms ()
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  warning ("off", "all", "local");
  copies ();
  means ();
  without_files ();
  sizes_and_bounds ();
  parts_of_matrices ();
  refused_functions ();
  divisions ();
  page_divisions ();
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

% Division by matrices of every shape and rank. Octave is no reference for singular ones, because it may take rounding
% errors for numbers: of a complex 2 x 2 matrix of rank 1 it gave elements of 1e15.
function divisions ()
  shapes = {[4, 2, 0, 1; 1, 5, 1, 0; 0, 1, 3, 1; 1, 0, 1, 6], ...                    # square
            [1, 2, 0; 3, 1, 1; 0, 1, 4; 1, 1, 1; 2, 0, 1], ...                        # tall
            [1, 2, 0, 1, 1; 3, 1, 1, 0, 2; 0, 1, 4, 1, 0], [1, 2, 2], [1; 2; 2], ...  # wide, a row, a column
            ones(2), [1, 2; 2, 4], zeros(3), diag([1, 0, 2]), ...                     # singular
            [1, 2; 2, 4; 3, 6; 0, 0], [1, 2; 2, 4; 3, 6; 0, 0].', zeros(3, 2), zeros(2, 3)};
  where = logical ([1, 1; 1, 0; 0, 1]);
  for type = "dszc"
    for A = shapes
      A = of_type (A{1}, type);
      for count = [1, 3]
        b = gpu_test_array (type, [rows(A), count]);
        compare_gpu_arrays ("mldivide", @(x, y) divided (@mldivide, x, y) + 10, {A, b}, 1e4, 1, where);
        compare_gpu_arrays ("mrdivide", @(y, x) divided (@mrdivide, y, x) + 10, {b.', A.'}, 1e4, 1, where);
      endfor
    endfor
  endfor
endfunction

% X by f where there is a gpuArray, and else from the pseudoinverse in double precision; without a GPU gpuArrays are
% divided by Octave, too.
function z = divided (f, x, y)
  if (isgpuarray (x) || isgpuarray (y) || gpuDeviceCount () == 0)
    z = f (x, y);
  elseif (strcmp (func2str (f), "mldivide"))
    z = cast (inverse_of (x) * double (y), class (x));
  else
    z = cast (double (x) * inverse_of (y), class (y));
  endif
endfunction

function z = inverse_of (A)
  z = pinv (double (A), 1e-4 * norm (double (A)));
endfunction

% A with elements of this type: complex ones are multiplied by a number of size 1.
function A = of_type (A, type)
  if (any (type == "zc"))
    A = complex (A * 0.6, A * 0.8);
  endif
  if (any (type == "sc"))
    A = single (A);
  endif
endfunction

% Pages of every shape and order, those that stand for several ones, and arrays of the host on a GPU.
function page_divisions ()
  where = logical ([1, 1; 1, 0; 0, 1]);
  for type = "dszc"
    for mn = [3, 5, 3, 300; 3, 3, 5, 300]
      A = gpu_test_array (type, [mn.', 1, 2]) + 20 * max (1, max (mn) / 40) * full (eye (mn(1), mn(2)));  # random numbers alone may be ill-conditioned
      for T = {"none", "transpose", "ctranspose"}
        k = 1 + ! strcmp (T{1}, "none");
        b = gpu_test_array (type, [mn(k), 2, 3]);
        compare_gpu_arrays ("pagemldivide", @(x, y) pagemldivide (x, T{1}, y) + 10, {A, b}, 1e4, 1, where);
        b = permute (gpu_test_array (type, [mn(3-k), 2, 3]), [2, 1, 3]);
        compare_gpu_arrays ("pagemrdivide", @(y, x) pagemrdivide (y, x, T{1}) + 10, {b, A}, 1e4, 1, where);
      endfor
    endfor
    host_arrays_on_gpu (type);
  endfor
endfunction

function host_arrays_on_gpu (type)
  n = 270;
  A = gpu_test_array (type, [n, n, 2]) + 60 * full (eye (n));
  A(3,:,1) *= 2^-40;
  b = gpu_test_array (type, [n, 2, 2]);
  if (gpuDeviceCount () == 0)
    refused = fails (@() pagemldivide (A, b, "device", "gpu")) && fails (@() pageinv (A, "device", "gpu"));
    count_gpu_check ("large pages where there is no GPU", refused);
    return;
  endif
  u = n * eps (class (A));
  for f = {@(varargin) pagemldivide(A, b, varargin{:}), @(varargin) pagemrdivide(permute (b, [2, 1, 3]), A, varargin{:}), @(varargin) pageinv(A, varargin{:})}
    [X, R, info] = f{1} ("device", "cpu");
    for device = {"gpu", 0}
      [Y, S, codes] = f{1} ("device", device{1});
      worst = (max (abs (Y - X), [], 1) ./ max (max (abs (X), [], 1), realmin))(:);
      count_gpu_check (sprintf ("%s on a GPU, %s: %g", func2str (f{1}), type, max (worst) / u), ! isgpuarray (Y) && strcmp (class (Y), class (X)) ...
                && iscomplex (Y) == iscomplex (X) && max (worst) < 100 * u && isequal (codes, info) && isequal (size (S), size (R)) && all ((abs (log (S ./ R)) < 1)(:)));
      count_gpu_check ("the same with one output", isequal (f{1} ("device", device{1}), Y));
    endfor
  endfor
endfunction

function copies ()
  times = {{2}, {0}, {-1}, {[2, 3]}, {[2; 3]}, {[2, 3, 2]}, {[]}, {[1, 2; 3, 4]}, {2, 3}, {2, 3, 2}, {1, [2, 3]}, {[2, 3], 2}, {2, []}, {2.5}, {2, 1.5}, {NaN}, ...
           {int8(2)}, {single(2), 3}, {true, 2}, {"a"}, {1, 1, 0}, {}, {{}}, {2i}};
  for x = {magic(3), (1:4)', zeros(0, 2), true(2, 2), single(5), 1i * ones(2, 2, 2)}
    for k = 1:numel (times)
      compare_gpu_arrays ("repmat", @(x, varargin) repmat (x, varargin{:}), [x, times{k}], 0, 1, [true, false(1, numel (times{k}))]);
    endfor
  endfor
  same ("repmat with sizes on the GPU", @() repmat (gpuArray (magic (3)), gpuArray (2), gpuArray (3)), repmat (magic (3), 2, 3));
  same ("repmat with sizes on the GPU alone", @() repmat (magic (3), gpuArray ([2, 3])), repmat (magic (3), 2, 3));
endfunction

function means ()
  more = {{}, {1}, {2}, {3}, {0}, {1.5}, {"a"}, {[1, 2]}, {[]}, {true}, {int8(2)}, {single(2)}, {1, 2}, {2, "omitnan"}, {NaN}, {{}}};
  for x = {magic(4)(1:3,:), (1:4)', single(magic (3)), 5, true(2, 3), magic(3) * 1i}
    for k = 1:numel (more)
      if (k <= 4 || k == 13) # forms that Octave has in all releases
        compare_gpu_arrays ("mean", @(x, varargin) double (mean (x, varargin{:})), [x, more{k}], 4, 1, [true, false(1, numel (more{k}))]);
      else
        ends ("mean", @() mean (gpuArray (x{1}), more{k}{:}));
      endif
    endfor
  endfor
  same ("mean along a dimension on the GPU", @() mean (gpuArray (magic (3)), gpuArray (2)), mean (magic (3), 2));
endfunction

% Functions that take the places of Octave's own have no file in @gpuArray, which would cost more than the operation; wrong
% numbers of arguments and results are errors as with arrays of the host.
function without_files ()
  folder = fileparts (which ("@gpuArray/cond"));
  names = {"norm", "dot", "mod", "rem", "hypot", "atan2", "complex", "logical", "diag", "cat", "horzcat", "vertcat", "nnz", "fft2", "ifft2", "fftn", "ifftn", "zeros", "ones", "eye", "rand", "randn", ...
           "Inf", "NaN", "true", "false", "sum", "sort"};
  for name = names
    count_gpu_check ([name{1} " in a file"], ! exist (fullfile (folder, [name{1} ".m"]), "file"));
    count_gpu_check ([name{1} " with ten arguments"], fails (@() feval (name{1}, gpuArray (1), "a", {}, 4, 5, 6, 7, 8, 9, 10)));
  endfor
  for name = {"norm", "dot", "mod", "hypot", "logical", "diag", "nnz"}
    count_gpu_check ([name{1} " with two results"], fails (@() two_of (name{1}, gpuArray (magic (3)))));
    count_gpu_check ([name{1} " of the host"], fails (@() feval (name{1})));
  endfor
  G = gpuArray (magic (3));
  same ("zeros like", @() zeros (2, 3, "like", G), zeros (2, 3));
  same ("eye like, with a size on the GPU", @() eye (gpuArray (2), "like", G), eye (2));
  same ("zeros of a class and like", @() zeros (2, "like", single (G)), zeros (2, "single"));
  count_gpu_check ("true like numbers", fails (@() true (2, "like", G)));
endfunction

function sizes_and_bounds ()
  G = gpuArray (3);
  S = gpuArray ([2, 3]);
  x = magic (4)(1:2,1:3);
  same ("colon", @() colon (1, G), 1:3);
  for f = {@(x, s) reshape(x, s), @(x, s) permute(x, 4 - s), @(x, s) ipermute(x, 4 - s), @(x, s) resize(x, s), @(x, s) reshape(x, [], s(2)), @(x, s) zeros(s), @(x, s) cell(s), ...
           @(x, s) cell(s(1), s(2)), @(x, s) size(x, s(1)), @(x, s) sub2ind(s, 1, 2), @(x, s) ind2sub(s, 3)}
    compare_gpu_sizes (f{1}, x, [2, 3]);
  endfor
  for f = {@rande, @(s) randg(1, s), @(s) randp(2, s), @rand, @randn}
    same (func2str (f{1}), @() size (f{1} (S)), [2, 3]);
  endfor
endfunction

% With the size, with the array and with both on the GPU; values may be on the host or not.
function compare_gpu_sizes (f, x, s)
  f_on_host = f (x, s);
  arrays = {{x, gpuArray(s)}, {gpuArray(x), gpuArray(s)}, {gpuArray(x), s}};
  for k = 1:3
    same (sprintf ("%s, %d", func2str (f), k), @() f (arrays{k}{:}), f_on_host);
  endfor
endfunction

% These work column by column for values whose type they do not know.
function parts_of_matrices ()
  for x = {magic(4), single(magic (3)), magic(3) * 1i, magic(4)(:,1:2) > 6}
    for k = -1:1
      compare_gpu_arrays ("triu", @(x) triu (x, k), x, 0);
      compare_gpu_arrays ("tril", @(x) tril (x, k), x, 0);
    endfor
    compare_gpu_arrays ("triu", @(x) triu (x), x, 0);
    compare_gpu_arrays ("tril", @(x) tril (x), x, 0);
  endfor
  for f = {@plus, @minus, @times, @rdivide, @max, @min, @eq, @ge, @power, @(a, b) a - b, "plus"}
    compare_gpu_arrays ("bsxfun", @(x, y) bsxfun (f{1}, x, y), {magic(3), 1:3}, 4, 1, logical ([1 1; 1 0; 0 1]));
  endfor
endfunction

function refused_functions ()
  for f = {@(x) ellipj(x, 0.3), @(x) ellipj(0.2, x), @(x) expint(x), @(x) ellipke(x)}
    count_gpu_check (func2str (f{1}), @() f{1} (gpuArray (0.2)));
  endfor
endfunction

%--------------------------------------------------------------------------------
% checks
%--------------------------------------------------------------------------------

function same (name, f, wanted)
  text = "";
  try
    have = gather (f ());
    good = strcmp (class (have), class (wanted)) && isequal (have, wanted) && isequal (size (have), size (wanted));
    if (! good)
      text = disp (have);
    endif
  catch err
    good = false;
    text = err.message;
  end_try_catch
  count_gpu_check ([name ": " text], good);
endfunction

% f () gives a value or one of the errors that a user can do something about.
function ends (name, f)
  good = true;
  try
    f ();
  catch err
    good = ! isempty (strfind (err.message, "gather")) || ! isempty (strfind (err.message, "DIM")) || strcmp (err.identifier, "Octave:invalid-fun-call");
  end_try_catch
  count_gpu_check (name, good);
endfunction

function tf = fails (f)
  tf = false;
  try
    f ();
  catch
    tf = true;
  end_try_catch
endfunction

function two_of (name, x)
  [a, b] = feval (name, x);
endfunction
