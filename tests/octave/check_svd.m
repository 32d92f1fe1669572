% tests/octave/check_svd.m: batchsvd on every class of hard matrix, by every method
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_svd (device, shapes, types). For each row [m, n] of shapes and each type all classes
% of hard_svd_pages are one batch. LAPACK's ratios (svd_ratios) must be below 30, for U and V of m x m and n x n
% where the page is small, and economy ones elsewhere. Values must be descending, those that are known within
% 30 k eps of the largest, and within 100 k eps of themselves on pages where that is determined, by "jacobi" and
% where k <= 32 by any method; values without vectors within 20 k eps of the largest. Pages alone must have the
% same bits, columns of V the phase of eigenvectors, and zero pages must give identities.

function [passed, failed] = check_svd (device, shapes, types = "zdcs")
  counts = [0, 0];
  for shape = shapes.'
    for type = types
      [A, names, s0, relative] = hard_svd_pages (shape(1), shape(2), type);
      methods = {"auto", "jacobi"};
      if (strcmp (device, "gpu") && min (shape) > 64)
        methods = {"auto", "qr"};       # a GPU has no Jacobi there
      endif
      for method = methods
        label = sprintf ("%dx%d %s %s %s", shape, type, method{1}, device);
        counts += one_case (A, names, s0, relative, label, {"method", method{1}, "device", device});
      endfor
      counts += not_finite (A, sprintf ("%dx%d %s %s", shape, type, device), device);
      if (isequal (shape, [3; 3]))
        counts += reflections (type, device);
      endif
    endfor
  endfor
  passed = counts(1);
  failed = counts(2);
endfunction

function counts = one_case (A, names, s0, relative, label, options)
  counts = [0, 0];
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %s\n", label, sprintf (varargin{:}));
    endif
  endfunction
  [m, n, P] = size (A);
  k = min (m, n);
  e = double (eps (class (A)));
  form = {"vector"};
  if (max (m, n) > 200 || (any (strcmp (options, "gpu")) && max (m, n) > 32))
    form = {"vector", "econ"}; # a GPU does not complete tall U
  endif
  [U, s, V, info] = batchsvd (A, form{:}, options{:});
  check (! any (info), "info %d", max (info));
  r = svd_ratios (A, U, s, V);
  [w, at] = worst (max (r, [], 2));
  check (w <= 30, "%s: ratios %g %g %g", names{at}, r(at,:));
  s = double (s);
  check (all (s(:) >= 0) && all (all (diff (s, 1, 1) <= 0)), "values not descending");

  # known values; rounding of A to single moves them, too
  largest = reshape (s(1,1,:), 1, P);
  off = abs (reshape (s, k, P) - s0);
  bound = 30 * k * e * largest;
  known = ! isnan (s0(1,:));
  [w, at] = worst (worst (off(:,known).' - bound(known).', 2));
  check (w <= 0, "%s: a known value is wrong", names(known){at});
  if (k <= 32 || any (strcmp (options, "jacobi")))
    if (any (strcmp (options, "gpu")))
      relative &= ! strcmp (names, "25 decades in rows"); # there columns alone
    endif
    own = worst ((off ./ (100 * k * e * s0))(:,relative));
    check (own <= 1, "25 decades: values are wrong by %g of their bound", own);
  endif

  # vectors
  for p = find (strcmp (names, "zero") | strcmp (names, "minus zero"))
    check (isequal (U(:,:,p), eye (size (U)(1:2))) && isequal (V(:,:,p), eye (size (V)(1:2))), "zero page: no identities");
  endfor
  # the first component of at least 0.999 times the largest modulus; next to that limit either one
  sizes = abs (V(:,1:k,:)) ./ max (abs (V(:,1:k,:)), [], 1);
  fixed = false (1, k, P);
  for limit = 0.999 + [-1e-5, 1e-5]
    [~, at] = max (sizes >= limit, [], 1);
    top = V(at + (0:k-1) * n + reshape ((0:P-1) * n * columns (V), 1, 1, P));
    fixed |= real (top) > 0 & abs (imag (top)) <= e;
  endfor
  check (all (fixed(:)), "phases of V");

  # without vectors, and alone
  values = double (batchsvd (A, options{:}));
  [w, at] = worst (worst (reshape (abs (values - s), k, P).', 2) - 20 * k * e * largest(:));
  check (w <= 0, "%s: values without vectors differ", names{at});
  for p = [1, 2, ceil(P / 2), P]
    X = A(:,:,p);
    if (iscomplex (A))
      X = complex (X);          # indexing makes real what has no imaginary part
    endif
    [u, d, v] = batchsvd (X, form{:}, options{:});
    check (isequal (u, U(:,:,p)) && isequal (double (d), s(:,1,p)) && isequal (v, V(:,:,p)), "%s alone: other bits", names{p});
  endfor
endfunction

% A page with NaN and one with Inf among others: NaN and info there, the same bits elsewhere.
function counts = not_finite (A, label, device)
  P = size (A, 3);
  [U, s, V] = batchsvd (A, "econ", "vector", "device", device);
  A(1,end,2) = NaN;
  A(end,1,P) = Inf;
  [U2, s2, V2, info] = batchsvd (A, "econ", "vector", "device", device);
  good = [1, 3:P-1];
  k = rows (s);
  ok = isequal (info, int32 ([0; k + 1; zeros(P - 3, 1); k + 1])) ...
       && isequal (U(:,:,good), U2(:,:,good)) && isequal (s(:,:,good), s2(:,:,good)) && isequal (V(:,:,good), V2(:,:,good)) ...
       && all (isnan (U2(:,:,[2, P])(:))) && all (isnan (s2(:,:,[2, P])(:))) && all (isnan (V2(:,:,[2, P])(:)));
  counts = [ok, ! ok];
  if (! ok)
    printf ("FAILED %s: pages with NaN and Inf\n", label);
  endif
endfunction

% Many orthogonal 3 x 3 pages, of which half reflect: values are 1, and U*V' is the page.
function counts = reflections (type, device)
  rand ("twister", 9);
  x = rand (3, 1, 100000) - 0.5;
  if (any (type == "cz"))
    x = complex (x, rand (size (x)) - 0.5);
  endif
  if (any (type == "sc"))
    x = single (x);
  endif
  A = full (eye (3)) - 2 * x .* conj (permute (x, [2, 1, 3])) ./ sum (real (x) .^ 2 + imag (x) .^ 2, 1);
  A(:,1,1:2:end) *= -1;
  [U, S, V, info] = batchsvd (A, "vector", "device", device);
  e = eps (class (A));
  ok = ! any (info) && all (abs (S(:) - 1) <= 30 * e) && ...
       all (abs ((pagemtimes (U, "none", V, "ctranspose") - A)(:)) <= 60 * e);
  counts = [ok, ! ok];
  if (! ok)
    printf ("FAILED 3x3 %s %s: reflections\n", type, device);
  endif
endfunction
