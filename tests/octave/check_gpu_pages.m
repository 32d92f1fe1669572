% tests/octave/check_gpu_pages.m: functions on pages that do with gpuArrays what inst/private/__gpu_*.m say
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_pages (part). part: "ways", batcheig (A, B) with "drop" and "swap", or "tall", least squares,
% 2-norms, gevd_hz and large inverses. Every result must be that of the host's arrays. Where there is no GPU these files
% are called directly, and work with the interpreter's operations.

function [passed, failed] = check_gpu_pages (part)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 45);
  randn ("twister", 45);
  warning ("off", "all", "local");
  switch (part)
    case "ways"
      ways_of_pairs ();
    case "tall"
      tall_pages ();
  endswitch
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

%--------------------------------------------------------------------------------
% "drop" and "swap"
%--------------------------------------------------------------------------------

% The files of inst/private that do it on a GPU, run on the interpreter's operations where there is none, too.
function ways_of_pairs ()
  huge_and_tiny_pages ();
  for type = "dszc"
    for n = [1, 2, 5, 20, 70]
      pages = 4 - 2 * (n > 20);
      for counts = [pages, pages, 1; pages, 1, pages]
        [A, B, D] = semidefinite_pair (type, n, counts);
        t = 100 * n * eps (class (A));
        both_ways (A, B, {"drop", t}, {});
        both_ways (D, B - 0.3 * full (eye (n)), {"swap"}, {});
      endfor
    endfor
    [A, B, D] = semidefinite_pair (type, 6, [4; 4]);
    C = B - 0.3 * full (eye (6));
    for option = {{"vector"}, {"lower"}, {"upper"}, {"phase", "none"}, {"method", "jacobi"}, {"tol", 1e-4, "maxit", 40}, {"range", [2, 3]}, {"largest", 2}, ...
                  {"smallest", 3}, {"smallest", 0}, {"interval", [-1, 3]}, {"interval", [1e6, 1e7]}, {"vector", "largest", 6}}
      both_ways (A, B, {"drop", 1e-4}, option{1});
      both_ways (D, C, {"swap"}, option{1});
    endfor
    [A4, B4] = deal (reshape (A, 6, 6, 2, 2), reshape (B, 6, 6, 2, 2));
    both_ways (A4, B4, {"drop", 1e-4}, {"vector"});
    both_ways (reshape (D, 6, 6, 2, 2), C(:,:,1), {"swap"}, {});
    pages_that_fail (A, B, D, C);
    both_ways (A * 2^40, B * 2^-40, {"drop", 1e-4}, {});
    both_ways (A, zeros (6, 6, 4, class (A)), {"drop", 0.5}, {});
    both_ways (A(:,:,[]), B(:,:,1), {"drop", 0.5}, {});
    both_ways (D(:,:,[]), B(:,:,1), {"swap"}, {});
  endfor
  both_ways (zeros (0, 0, 3), zeros (0, 0, 3), {"drop", 0.5}, {});
  both_ways (zeros (0, 0, 3), zeros (0, 0, 3), {"swap"}, {});
endfunction

% A, a B of rank n - 2 and a definite D; counts: pages of A and D, and of B.
function [A, B, D] = semidefinite_pair (type, n, counts)
  adjoint = @(x) conj (permute (x, [2 1 3]));
  A = gpu_test_array (type, [n, n, counts(1)]);
  A += adjoint (A);
  F = gpu_test_array (type, [n, max(n - 2, 1), counts(2)]) + 3 * full (eye (n, max (n - 2, 1)));
  B = pagemtimes (F, "none", F, "ctranspose") / n;
  B = (B + adjoint (B)) / 2;
  D = A + 20 * n * full (eye (n));
endfunction

% Values, the space that the vectors span, info, more, and the forms of the results; gpuArrays in either place.
function both_ways (A, B, way, options)
  want = cell (1, 4);
  [want{:}] = batcheig (A, B, way{:}, options{:});
  values = batcheig (A, B, way{:}, options{:});
  for which = [1 1 0; 1 0 1]
    args = {A, B};
    args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
    [V, D, info, more] = batcheig_of_arrays (args{:}, way, options);
    lambda = batcheig_of_arrays (args{:}, way, options);
    name = sprintf ("batcheig of %s %s, %s, n = %d", class (A), way{1}, strtrim (strrep (strjoin (cellfun (@disp, options, "uniformoutput", false), " "), "\n", "")), rows (A));
    good = isgpuarray (V) && isgpuarray (D) && isgpuarray (lambda) && ! iscomplex (D) && iscomplex (V) == (iscomplex (A) || iscomplex (B)) ...
           && isequal (info, want{3}) && isequal ({more.rank, more.count}, {want{4}.rank, want{4}.count}) && strcmp (class (more.rcond), class (want{4}.rcond));
    count_gpu_check ([name ": classes, info and more"], good);
    [V, D, lambda] = deal (gather (V), gather (D), gather (lambda));
    u = eps (class (D));
    good = isequal (size (V), size (want{1})) && isequal (size (D), size (want{2})) && isequal (size (lambda), size (values));
    count_gpu_check ([name ": sizes"], good);
    if (! good)
      continue;
    endif
    asked = max ([0, options{find(strcmp (options, "tol")) + 1}]);    # eigenvalues and vectors need not be better
    tol = error_of_values (A, B, values, way) * max ([100 * max(rows (A), 6) * u, asked]);
    count_gpu_check ([name ": values"], near_values (D, want{2}, tol) && near_values (lambda, values, tol));
    good = isequal (isnan (V), isnan (want{1}));
    V(isnan (V)) = 0;
    W = want{1};
    W(isnan (W)) = 0;
    P = pagemtimes (V, "none", V, "ctranspose");
    Q = pagemtimes (W, "none", W, "ctranspose");
    count_gpu_check ([name ": vectors"], good && all (abs (P - Q)(:) <= max ([1e6 * u, 100 * asked]) * max ([1; abs(Q(:))])));
  endfor
endfunction

% By how much values move at most when A and B do by eps: with "drop" by |A| over the least eigenvalue of B that is
% kept, with "swap" by the square of the largest value, which is the reciprocal of the smallest eigenvalue found.
function scale = error_of_values (A, B, values, way)
  finite = abs (values(isfinite (values) & values != 0));
  scale = max ([1; finite(:)]);
  if (isempty (A) || isempty (B))
    return;
  elseif (strcmp (way{1}, "swap"))
    scale = max (scale, scale ^ 2 / min ([1; finite(:)]));
    return;
  endif
  sound = @(X) X(:,:,all (all (isfinite (X), 1), 2)(:));
  A = sound (A(:,:,:));
  B = sound (B(:,:,:));
  for p = 1:size (B, 3)
    mu = eig ((B(:,:,p) + B(:,:,p)') / 2);
    kept = mu(mu > max (way{2}, 0) * max (mu) & mu > 0);
    scale = max ([scale; norm(A(:)) ./ kept]);
  endfor
endfunction

% Numbers of which the sum of two is out of range.
function huge_and_tiny_pages ()
  [V, d, info] = batcheig_of_arrays (diag ([1.7e308, 1e308]), diag ([2, 3]), {"drop", 1e-10}, {"vector"});
  count_gpu_check ("drop, of huge numbers", isequal (info, 0) && near_values (gather (d), [1e308 / 3; 8.5e307], 1e294));
  [V, d] = batcheig_of_arrays (diag ([1, 4]) * 2^-1074, eye (2), {"drop", 1e-10}, {"vector"});
  count_gpu_check ("drop, of denormal numbers", isequal (gather (d), [1; 4] * 2^-1074));
  [V, d] = batcheig_of_arrays ([1.7e308, NaN; 1e300, 1e308], eye (2), {"drop", 1e-10}, {"vector", "lower"});
  count_gpu_check ("drop, of a triangle of huge numbers", near_values (gather (d), [1e308; 1.7e308], 1e295));
  Y = gather (__gpu_pages__ ("inverse", gpuArray (cat (3, [1, 1; 0, 1], eye (2)) * 1e-308), {}));
  count_gpu_check ("inverse, of tiny numbers", near_values (Y, cat (3, [1, -1; 0, 1], eye (2)) * 1e308, 1e294));
endfunction

function good = near_values (a, b, tol)
  good = all ((a == b | (isnan (a) & isnan (b)) | abs (a - b) <= tol)(:));
endfunction

% batcheig, or without a GPU what it does with one, as far as the files in inst/private have to do with that.
function varargout = batcheig_of_arrays (A, B, way, options)
  varargout = cell (1, max (nargout, 1));
  of_part = any (cellfun (@(x) ischar (x) && any (strcmp (x, {"range", "largest", "smallest", "interval", "tol", "method", "phase"})), options));
  if (gpuDeviceCount () > 0 || of_part || ndims (A) > 3 || isempty (A) || isempty (B))
    [varargout{:}] = batcheig (A, B, way{:}, options{:});
    return;
  endif
  triangle = [intersect(options, {"lower", "upper"}), {"full"}]{1};
  want = struct ("triangle", triangle, "phase", "max", "vectors", nargout > 1, "more", nargout > 3, "drop", 0, "part", "all", ...
                 "bounds", [1, rows(A)], "all_columns", strcmp (way{1}, "swap"), "args", {{}}, "progress", {{}});
  if (numel (way) > 1)
    want.drop = way{2};
  endif
  [lambda, V, info, more] = __gpu_pages__ (way{1}, gpuArray (A), gpuArray (B), want);
  k = rows (lambda);
  D = lambda;
  if (nargout > 1 && ! any (strcmp (options, "vector")))
    D = zeros ([k, k, size(lambda)(3:end)], "like", lambda);
    for j = 1:k
      D(j,j,:) = lambda(j,1,:);
    endfor
  endif
  if (nargout > 1)
    varargout = {V, D, int32(info), more};
  else
    varargout = {D};
  endif
endfunction

function pages_that_fail (A, B, D, C)
  n = rows (A);
  [A(1,1,3), D(2,1,3)] = deal (NaN);
  D(1,2,3) = NaN;
  both_ways (A, B, {"drop", 1e-4}, {});
  both_ways (D, C, {"swap"}, {});
  B(:,:,2) -= 30 * full (eye (n));
  D(:,:,2) = -D(:,:,2);
  C(1,1,4) = Inf;
  both_ways (A, B, {"drop", 1e-4}, {});
  both_ways (D, C, {"swap"}, {});
  both_ways (A(:,:,1), B(:,:,2), {"drop", 1e-4}, {});
  A(:,:,3) = A(:,:,1);
  D(:,:,3) = D(:,:,1);
  A(1,2,4) += 1;
  C(:,:,4) = C(:,:,1);
  C(2,1,3) += 1;
  D(1,2,1) += 5;
  for call = {{A, B, {"drop", 0.1}, "page 4 of A"}, {A(:,:,1), A, {"drop", 0.1}, "page 4 of B"}, {D(:,:,2:3), C(:,:,2:3), {"swap"}, "page 2 of B"}, {D, C(:,:,1), {"swap"}, "page 1 of A"}}
    [a, b, way, text] = deal (call{1}{:});
    text_of_host = text_of_gpu = "";
    try
      batcheig (a, b, way{:});
    catch err
      text_of_host = err.message;
    end_try_catch
    try
      batcheig_of_arrays (gpuArray (a), b, way, {});
    catch err
      text_of_gpu = [err.identifier, err.message];
    end_try_catch
    good = ! isempty (strfind (text_of_host, text)) && ! isempty (strfind (text_of_gpu, text)) ...
           && strncmp (text_of_gpu, "gpulinalg:not-hermitian", 23);
    count_gpu_check (sprintf ("batcheig of %s: %s, not %s", text, text_of_gpu, text_of_host), good);
  endfor
endfunction

%--------------------------------------------------------------------------------
% least squares, inverses of X', 2-norms
%--------------------------------------------------------------------------------

function tall_pages ()
  for type = "dszc"
    for mn = [1, 3, 7, 40, 300, 2000, 520, 5; 1, 1, 7, 12, 33, 4, 300, 5]
      pages = 4 - 2 * (mn(1) > 100);
      least_squares (type, mn, pages);
      least_norm (type, mn, pages + 1);
      two_norms (type, mn, pages);
      pencil_of_products (type, mn, pages);
    endfor
    singular_division (type);
    rectangular_division (type);
  endfor
  for f = {@(x) qr_block(x, ones (0, 2), "solve"), @(x) qr_block(ones (0, 3), x, "solve")}
    compare_gpu_arrays (func2str (f{1}), f{1}, {zeros(0, 3)}, 0);
  endfor
  compare_gpu_arrays ("no right-hand sides", @(x) qr_block (x, zeros (4, 0), "solve"), {magic(4)(:,1:3)}, 0);
  compare_gpu_arrays ("no pages", @(x) qr_block (x, zeros (4, 2, 0), "solve"), {zeros(4, 3, 0)}, 0);
  compare_gpu_arrays ("norms of empty pages", @(x) pagenorm (x), {zeros(0, 3, 2)}, 0);
  compare_gpu_arrays ("norms of no pages", @(x) pagenorm (x), {zeros(3, 3, 0)}, 0);
  compare_gpu_arrays ("gevd_hz of nothing", @(x) gevd_hz (x, zeros (2, 0, 3)), {zeros(0, 0, 3)}, 0);
  compare_gpu_arrays ("gevd_hz of no pages", @(x) gevd_hz (x, x), {zeros(3, 3, 0)}, 0, 4);
  if (gpuDeviceCount () > 0)
    G = gpuArray (magic (4));
    count_gpu_check ("gevd_hz", @() gevd_hz (G(1:2,:), eye (4)));
    count_gpu_check ("gevd_hz", @() gevd_hz (G, ones (5, 4)));
    count_gpu_check ("pagenorm", @() pagenorm (gpuArray (ones (1, 3)), 3));
  endif
endfunction

function A = tall_array (type, mn, pages)
  A = gpu_test_array (type, [mn.', pages]) + 20 * full (eye (mn(1), mn(2)));
endfunction

function least_squares (type, mn, pages)
  A = tall_array (type, mn, pages);
  B = gpu_test_array (type, [mn(1), 3, pages]);
  A(:,1,1) *= 2^-30;            # lengths of columns do not matter
  B(1,1,end) = NaN;
  [x, info] = qr_block (A, B, "solve");
  u = eps (class (A)) * sqrt (mn(1));
  for which = [1 1 0; 1 0 1]
    args = {A, B};
    args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
    [y, codes] = solved (args{:});
    one = solved (args{:});
    y = gather (y);
    good = isequal (codes, info) && isequal (size (y), size (x)) && strcmp (class (y), class (x)) && isequal (isnan (y), isnan (x)) ...
           && isgpuarray (one) && isequaln (gather (one), y);
    worst = 0;
    for p = 1:pages-1
      scale = cond (double (A(:,:,p)) ./ norm (double (A(:,:,p)), "columns"));
      d = (double (y(:,:,p)) - double (x(:,:,p))) .* norm (double (A(:,:,p)), "columns").';
      worst = max (worst, norm (d, 1) / (u * scale^2 * norm (double (B(:,:,p)), 1)));
    endfor
    count_gpu_check (sprintf ("qr_block \"solve\", %dx%d %s: ratio %g", mn, type, worst), good && worst < 100);
  endfor
endfunction

% Wide pages, and pages of which one has less than full rank and one holds NaN: least norm and the code of qr_block.
function least_norm (type, mn, pages)
  A = tall_array (type, mn, pages);
  B = gpu_test_array (type, [mn(1), 2, pages]);
  A(:,end,1) = A(:,1,1);
  A(1,1,2) = NaN;
  for turn = [false, true]
    if (turn)
      if (mn(1) == mn(2))
        continue;
      endif
      A = permute (A, [2, 1, 3]);
      B = B(1:mn(2),:,:);
    endif
    [x, info] = qr_block (A, B, "solve");
    [y, codes] = solved (gpuArray (A), B);
    y = gather (y);
    good = isequal (codes, info) && isequal (size (y), size (x)) && strcmp (class (y), class (x)) && isequal (isnan (y), isnan (x));
    worst = 0;
    for p = [1, 3:pages]
      s = svd (double (A(:,:,p)));
      s = s(s > 1e-4 * s(1));
      d = double (y(:,:,p)) - double (x(:,:,p));
      worst = max (worst, norm (d) * s(1) / (eps (class (A)) * sqrt (max (mn)) * (s(1) / s(end))^2 * norm (double (B(:,:,p)))));
    endfor
    count_gpu_check (sprintf ("qr_block \"solve\", least norm, %dx%d %s: ratio %g", size (A)(1:2), type, worst), good && worst < 100);
  endfor
endfunction

function [x, info] = solved (A, B)
  if (gpuDeviceCount () > 0)
    [x, info] = qr_block (A, B, "solve");
  else
    [x, info] = __gpu_array__ ("least_squares", A, B);
  endif
endfunction

function two_norms (type, mn, pages)
  for X = {tall_array(type, mn, pages), permute(tall_array (type, mn, pages), [2, 1, 3]), tall_array(type, mn, 1)}
    X = X{1};
    if (any (type == "dz"))
      scales = [1, 1e200, 1e-200, 1e300];
    else
      scales = [1, 1e20, 1e-20, 1e30];
    endif
    X .*= reshape (cast (scales(1:size (X, 3)), class (X)), 1, 1, []);
    X(:,:,end+1) = 0;
    X(:,:,end+1) = X(:,:,1);
    X(1,1,end) = NaN;
    N = pagenorm (X);
    if (gpuDeviceCount () > 0 || any (size (X)(1:2) == 1))
      G = pagenorm (gpuArray (X));
    else
      G = __gpu_array__ ("two_norms", gpuArray (X));
    endif
    g = gather (G);
    count_gpu_check (sprintf ("pagenorm, %dx%d %s", size (X)(1:2), type), isgpuarray (G) && strcmp (class (g), class (N)) && isequal (size (g), size (N)) ...
              && all ((g == N | (isnan (g) & isnan (N)) | abs (g - N) <= 20 * min (mn) * eps (class (N)) * N)(:)));
  endfor
endfunction

% Z is judged by Z' * A' * A * Z = C' * C and Z' * B' * B * Z = S' * S.
function pencil_of_products (type, mn, pages)
  p = mn(2);
  if (p > 40)
    return;
  endif
  A = tall_array (type, mn, pages);
  B = gpu_test_array (type, [p + 1, p, pages]) + 5 * full (eye (p + 1, p));
  A(:,1,1) *= 2^-20;
  B(:,1,1) *= 2^-20;
  lambda = gevd_hz (A, B);
  u = eps (class (lambda));
  for which = [1 1 0; 1 0 1]
    args = {A, B};
    args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
    [Z, l, C, S] = gevd_hz (args{:});
    one = gevd_hz (args{:});
    count_gpu_check ("gevd_hz: classes", all (cellfun (@isgpuarray, {Z, l, C, S, one})) && ! iscomplex (l) && iscomplex (Z) == iscomplex (A));
    [Z, l, C, S, one] = deal (gather (Z), gather (l), gather (C), gather (S), gather (one));
    good = isequal (size (l), size (lambda)) && all ((abs (l - lambda) <= 1e4 * p * u * max (1, lambda))(:)) && all ((abs (one - lambda) <= 1e4 * p * u * max (1, lambda))(:));
    count_gpu_check (sprintf ("gevd_hz, %dx%d %s: values", mn, type), good);
    for q = 1:pages
      z = double (Z(:,:,q));
      a = double (A(:,:,q)) * z;
      b = double (B(:,:,q)) * z;
      X = inv (z)';
      scale = cond (X ./ norm (X, "rows"));
      worst = max (norm (a' * a - double (C(:,:,q)' * C(:,:,q)), 1), norm (b' * b - double (S(:,:,q)' * S(:,:,q)), 1)) / (p * u * scale);
      count_gpu_check (sprintf ("gevd_hz, %dx%d %s: ratio %g", mn, type, worst), worst < 100);
    endfor
  endfor
endfunction

% Pages with odd numbers are singular but for rounding; there are more of them than the CPU takes at a time. Of a few the
% last pivot is larger than what is taken for rounding error, in one place or the other.
function singular_division (type)
  n = 40;
  pages = 1100;
  odd = mod (1:pages, 2)' == 1;
  A = randn (n, n, pages) + any (type == "zc") * 1i * randn (n, n, pages);
  A = cast (A, class (gpu_test_array (type, 1)));
  A(:,n,odd) = 3 * A(:,1,odd) - A(:,2,odd) / 3;
  b = gpu_test_array (type, [n, 1, pages]);
  [X, ~, info] = pagemldivide (A, b, "device", "cpu");
  [Y, ~, codes] = pagemldivide (gpuArray (A), gpuArray (b));
  codes = gather (codes)(:);
  found = info(:) > 0 & codes > 0;
  off = max (abs (gather (Y) - X), [], 1)(:) ./ max (abs (X), [], 1)(:);
  count_gpu_check (sprintf ("singular pages, %s: %d of 550 found, error %g", type, sum (found), max (off(found)) / eps (class (A))), ...
                   sum (found) >= 535 && isequal (codes(found), info(found)) && all (off(found) < 1e4 * eps (class (A))));
  count_gpu_check (sprintf ("pages of full rank, %s", type), ! any (info(! odd)) && ! any (codes(! odd)));
endfunction

% Division by tall matrices is least squares.
function rectangular_division (type)
  A = tall_array (type, [9; 4], 1);
  b = gpu_test_array (type, [9, 2]);
  compare_gpu_arrays ("mldivide, tall", @(x, y) x \ y, {A, b}, 1e4, 1, logical ([1 1; 1 0; 0 1]));
  compare_gpu_arrays ("mrdivide, wide", @(x, y) x / y, {b.', A.'}, 1e4, 1, logical ([1 1; 1 0; 0 1]));
  n = 280;
  A = tall_array (type, [n; n], 1) + 40 * full (eye (n));
  b = gpu_test_array (type, [n, 2]);
  compare_gpu_arrays ("mldivide, large", @(x, y) abs (x * (x \ y) - y) < n^2 * eps (class (b)), {A, b}, 0);
  compare_gpu_arrays ("inv, large", @(x) abs (inv (x) * x - full (eye (n))) < n * eps (class (b)), {A}, 0);
endfunction
