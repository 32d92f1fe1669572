% tests/octave/check_pages.m: page functions beside Octave's own operators, page by page
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_pages (device, what, sizes, types). what: "products" (pagemtimes, with the bound of any
% order of the sums for each element), "systems" (pagemldivide, pagemrdivide, with LAPACK's ratios below 10),
% "inverses" (pageinv), "norms" (pagenorm). Types of both operands are taken from `types`.

function [passed, failed] = check_pages (device, what, sizes, types = "zdcs")
  passed = failed = 0;
  rand ("twister", 3);
  for n = sizes
    for a = types
      switch (what)
        case "products"
          ok = cellfun (@(b) check_products (device, n, a, b), num2cell (types));
          ok(end+1) = check_hermitian (device, n, a);
        case "systems"
          ok = cellfun (@(b) check_systems (device, n, a, b), num2cell (types));
          ok(end+1) = check_singular (device, n, a);
        case "inverses"
          ok = check_inverses (device, n, a);
        case "norms"
          ok = check_norms (device, n, a);
      endswitch
      passed += sum (ok);
      failed += sum (! ok);
      if (! all (ok))
        printf ("FAILED %s %d %s %s: [%s]\n", what, n, a, device, num2str (ok));
      endif
    endfor
  endfor
endfunction

function A = random_pages (type, varargin)
  A = rand (varargin{:}) - 0.5;
  if (any (type == "cz"))
    A += 1i * (rand (varargin{:}) - 0.5);
  endif
  if (any (type == "sc"))
    A = single (A);
  endif
endfunction

function A = turned (A, word)
  switch (word)
    case "transpose"
      A = A.';
    case "ctranspose"
      A = A';
  endswitch
endfunction

% The same results on the CPU, to rounding; the bound is relative to the largest element.
function ok = like_cpu (X, Xc, bound)
  bad = isnan (Xc) | isinf (Xc);
  ok = isequal (size (X), size (Xc)) && strcmp (class (X), class (Xc)) && isequal (isfinite (X), isfinite (Xc));
  ok = ok && worst (abs (X(! bad) - Xc(! bad))) <= bound * max ([abs(Xc(! bad))(:); 0]);
endfunction

%-------------------------------------------------------------------------------
% products
%-------------------------------------------------------------------------------

% Pages expand along two dimensions. k is not n, so that a wrong transpose shows.
function ok = check_products (device, n, a, b)
  words = {"none", "transpose", "ctranspose"};
  k = n + 2;
  m = max (1, n - 1);
  pages = merge (n > 40, [2, 1, 2], [4, 3, 2]);
  ok = true;
  for w = 1:9
    [u, v] = ind2sub ([3, 3], w);
    sizes = {[m, k], [k, n]};
    if (u > 1) sizes{1} = [k, m]; endif
    if (v > 1) sizes{2} = [n, k]; endif
    X = random_pages (a, [sizes{1}, pages(1), 1, pages(3)]);
    Y = random_pages (b, [sizes{2}, 1, pages(2:3)]);
    Z = pagemtimes (X, words{u}, Y, words{v}, "device", device);
    ok = ok && isequal (size (Z), [m, n, pages]) && isreal (Z) == (isreal (X) && isreal (Y));
    for at = [1, 1, 1; pages; 2, pages(2), 1].'
      x = turned (X(:,:,at(1),1,at(3)), words{u});
      y = turned (Y(:,:,1,at(2),at(3)), words{v});
      z = Z(:,:,at(1),at(2),at(3));
      off = abs (double (z) - double (x) * double (y));
      ok = ok && all ((off <= 2 * (k + 2) * eps (class (z)) * (abs (double (x)) * abs (double (y))))(:));
    endfor
    ok = ok && like_cpu (Z, pagemtimes (X, words{u}, Y, words{v}, "device", "cpu"), 4 * k * eps (class (Z)));
  endfor
  % one matrix for all pages, and the bits of one page alone
  X = random_pages (a, [n, n, 5]);
  Y = random_pages (b, [n, n]);
  Z = pagemtimes (X, Y, "device", device);
  ok = ok && isequal (Z(:,:,4), pagemtimes (X(:,:,4), Y, "device", device));
endfunction

% X*X' is exactly Hermitian, and so it is taken by batcheig.
function ok = check_hermitian (device, n, a)
  X = random_pages (a, [n, n + 3, 3]);
  Z = pagemtimes (X, "none", X, "ctranspose", "device", device);
  W = pagemtimes (X, "ctranspose", X, "none", "device", device);
  ok = true;
  for p = 1:3
    x = double (X(:,:,p));
    ok = ok && isequal (Z(:,:,p), Z(:,:,p)') && isequal (W(:,:,p), W(:,:,p)');
    ok = ok && norm (x * x' - Z(:,:,p), "fro") <= (n + 5) * eps (class (X)) * norm (x, "fro")^2;
    ok = ok && norm (x' * x - W(:,:,p), "fro") <= (n + 5) * eps (class (X)) * norm (x, "fro")^2;
  endfor
endfunction

%-------------------------------------------------------------------------------
% systems
%-------------------------------------------------------------------------------

% Pages: general, Hermitian and definite, Hermitian and indefinite, upper, lower triangular.
function A = pages_of_kinds (type, n)
  A = random_pages (type, [n, n, 5]);
  for p = 2:3
    A(:,:,p) = (A(:,:,p) + A(:,:,p)') / 2 + (p == 2) * n * eye (n);
  endfor
  A(:,:,4) = triu (A(:,:,4)) + n * eye (n);
  A(:,:,5) = tril (A(:,:,5)) - n * eye (n);
endfunction

% Largest |B - A*x| over n*eps*|A|*|x| of the columns x of X, in the 1-norm.
function ratio = backward_error (A, X, B)
  R = double (B) - double (A) * double (X);
  off = sum (abs (R), 1);
  scale = rows (A) * eps (class (X)) * norm (double (A), 1) * sum (abs (double (X)), 1);
  some = ! (off == 0); # NaN, too
  ratio = worst (off(some) ./ scale(some));
endfunction

function ok = check_systems (device, n, a, b)
  A = pages_of_kinds (a, n);
  ok = true;
  for word = {"none", "transpose", "ctranspose"}
    for r = unique ([1, 3, n])
      B = random_pages (b, [n, r, 5]);
      C = random_pages (b, [r, n, 1, 2]);
      [X, rc, info] = pagemldivide (A, word{1}, B, "device", device);
      [Y, ~, info2] = pagemrdivide (C, A, word{1}, "device", device);
      [Xc, rcc] = pagemldivide (A, word{1}, B, "device", "cpu");
      ok = ok && ! any (info) && ! any (info2) && isequal (size (Y), [r, n, 5, 2]);
      ok = ok && strcmp (class (X), class (Xc)) && all ((rc > rcc / 10 & rc < rcc * 10)(:));
      for p = 1:5
        M = turned (A(:,:,p), word{1});
        ok = ok && backward_error (M, X(:,:,p), B(:,:,p)) <= 10;
        ok = ok && backward_error (M.', Y(:,:,p,2).', C(:,:,1,2).') <= 10;
        bound = 20 * n * eps (class (X)) / rcc(p);
        ok = ok && (bound > 1 || like_cpu (X(:,:,p), Xc(:,:,p), bound));
      endfor
    endfor
  endfor
endfunction

% A singular page gives the solution of least norm, as Octave's backslash; one with NaN gives NaN.
function ok = check_singular (device, n, a)
  A = random_pages (a, [n, n, 4]) + n * full (eye (n));
  B = random_pages (a, [n, 2, 4]);
  A(:,n,2) = 0;
  A(n,:,2) = 0;
  A(1,n,3) = NaN;
  [X, rc, info] = pagemldivide (A, B, "device", device);
  [Xc, ~, infoc] = pagemldivide (A, B, "device", "cpu");
  ok = isequal (info != 0, [0; 1; 1; 0]) && info(2) <= n && info(3) == n + 1 && isequal (info > n, infoc > n);
  ok = ok && rc(2) == 0 && isnan (rc(3)) && all (isnan (X(:,:,3)(:)));
  ok = ok && like_cpu (X(:,:,2), Xc(:,:,2), 50 * n * eps (class (X)));
  good = [1, 4];
  ok = ok && isequal (pagemldivide (A(:,:,good), B(:,:,good), "device", device), X(:,:,good));
  [Y, rc, info] = pageinv (A, "device", device);
  ok = ok && isequal (info > 0, [0; 1; 1; 0]) && all (Y(:,:,2)(:) == Inf) && all (isnan (Y(:,:,3)(:))) && rc(2) == 0;
endfunction

function ok = check_inverses (device, n, a)
  A = pages_of_kinds (a, n);
  [Y, rc, info] = pageinv (A, "device", device);
  [Yc, rcc] = pageinv (A, "device", "cpu");
  ok = ! any (info) && strcmp (class (Y), class (Yc)) && all ((rc > rcc / 10 & rc < rcc * 10)(:));
  ok = ok && isequal (Y(:,:,2), Y(:,:,2)');
  ok = ok && isequal (Y(:,:,4), triu (Y(:,:,4))) && isequal (Y(:,:,5), tril (Y(:,:,5)));
  for p = 1:5
    [x, y] = deal (double (A(:,:,p)), double (Y(:,:,p)));
    unit = n * eps (class (Y)) * norm (x, 1) * norm (y, 1);
    ok = ok && all (isfinite (y(:))) && min (one_norm (eye (n) - x * y), one_norm (eye (n) - y * x)) <= 10 * unit;
  endfor
endfunction

%-------------------------------------------------------------------------------
% norms
%-------------------------------------------------------------------------------

function ok = check_norms (device, n, a)
  ok = true;
  for columns = unique ([n, ceil(n / 2), n + 3])
    X = random_pages (a, [n, columns, 2, 3]);
    for p = {1, 2, Inf, "fro"}
      N = pagenorm (X, p{1}, "device", device);
      ok = ok && isequal (size (N), [1, 1, 2, 3]) && strcmp (class (N), class (X));
      for q = 1:6
        expected = norm (double (X(:,:,q)), p{1});
        ok = ok && abs (double (N(q)) - expected) <= 10 * (n + 3) * eps (class (X)) * expected;
      endfor
    endfor
  endfor
endfunction
