% tests/octave/check_qr.m: qr_block on every class of hard matrix, in every form
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_qr (device, shapes, types). For each row [m, n] of shapes and each
% type all classes of hard_matrices are one batch. LAPACK's ratios (qr_ratios) must be below 30, the errors of
% columns and of orthogonality at most 10 k eps, R that of qr with its signs; |diag (R)| of pivoted factors must
% not grow. Results must have the same bits in another run and for a page alone. R must have the same bits in
% all forms, except where a GPU computes the economy factors by another method: there R'*R must be A'*A.
% Sizes above 130, 600 and 1000 get fewer classes, the largest without the m x m Q.
%
% [passed, failed] = check_qr (device, shapes, types, "many"). 150 pages of each shape, not of hard matrices.

function [passed, failed] = check_qr (device, shapes, types = "zdcs", pages = "hard")
  if (strcmp (pages, "many"))
    [passed, failed] = many_pages (device, shapes, types);
    return;
  endif
  rand ("twister", 1);
  randn ("twister", 1);
  counts = [0, 0];
  for shape = shapes.'
    for type = types
      [A, names] = hard_matrices (shape(1), shape(2), type);
      keep = true (size (names));
      if (max (shape) > 130)
        keep = ismember (names, {"random", "kappa 1e15", "graded columns", "random * 1e300", "kappa 1e8", ...
                                 "half of the singular values 0", "panels of 64 in turn good and bad", ...
                                 "a column near another, 0.3 n", "a column near another, 1 n", ...
                                 "a column near another, 3 n"});
      endif
      if (max (shape) > 600)
        keep = ismember (names, {"random", "kappa 1e15", "graded columns", "random * 1e300", ...
                                 "a column near another, 0.3 n", "a column near another, 1 n", ...
                                 "a column near another, 3 n"});
      endif
      if (min (shape) > 1000)
        keep = ismember (names, {"random", "a column near another, 0.3 n", "a column near another, 1 n"});
      endif
      A = A(:,:,keep);
      names = names(keep);
      counts += one_case (A, names, sprintf ("%dx%d %s %s", shape, type, device), device);
      counts += not_finite (A, sprintf ("%dx%d %s %s", shape, type, device), device);
    endfor
  endfor
  passed = counts(1);
  failed = counts(2);
endfunction

function counts = one_case (A, names, label, device)
  counts = [0, 0];
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %s\n", label, sprintf (varargin{:}));
    endif
  endfunction
  function check_ratios (form, X, Q, R, like_qr = false)
    if (like_qr)
      [lapack, strict, gap] = qr_ratios (X, Q, R);
      [most, at] = worst (gap);
      check (most <= 10, "%s: R differs from that of qr, ratio %g on %s", form, most, names{at});
    else
      [lapack, strict] = qr_ratios (X, Q, R);
    endif
    [most, at] = worst (worst (lapack, 2));
    check (most < 30, "%s: LAPACK's ratios %s on %s", form, mat2str (lapack(at,:), 3), names{at});
    [most, at] = worst (worst (strict, 2));
    check (most <= 10, "%s: columns, orthogonality %s on %s", form, mat2str (strict(at,:), 3), names{at});
  endfunction
  function check_same_r (form, X, R, economy)
    same = squeeze (all (all (R == economy, 1), 2));
    [m, n, P] = size (X);
    direct = m > 2048 || (n > 32 && m >= 128) || (n > 16 && m >= 512);
    if (strcmp (device, "gpu") && 2 * m >= 3 * n && n > 1 && direct)
      for p = find (! same).'
        size_ = 2 .^ floor (log2 (norm (double (X(:,:,p)), Inf, "cols")));
        x = double (X(:,:,p)) ./ size_;
        factor = double (R(:,:,p)) ./ size_;
        size_ = norm (x, "cols");
        same(p) = all (all (abs (x' * x - factor' * factor) <= 30 * m * double (eps (class (X))) / 2 * (size_' * size_)));
      endfor
    endif
    check (all (same), "%s: R is another on %s", form, strjoin (names(! same), "; "));
  endfunction
  try
    [m, n, P] = size (A);
    k = min (m, n);
    e = double (eps (class (A)));
    least = merge (isa (A, "single"), 2 ^ -149, 2 ^ -1074);
    place = {"device", device};
    [Q, R] = qr_block (A, 0, place{:});
    check_ratios ("economy", A, Q, R, true);
    [Q2, R2] = qr_block (A, "econ", place{:});
    check (isequaln (Q, Q2) && isequaln (R, R2), "another run has other bits");
    check (isequaln (qr_block (A, 0, place{:}), R), "R alone has other bits");
    alone = ceil (P / 2);
    if (max (m, n) <= 40)
      alone = 1:P;
    endif
    for p = alone
      a = A(:,:,p);
      if (iscomplex (A))
        a = complex (a);            # Octave makes a page with no imaginary part real
      endif
      [q, r] = qr_block (a, 0, place{:});
      same(p) = isequaln (q, Q(:,:,p)) && isequaln (r, R(:,:,p));
    endfor
    check (all (same(alone)), "alone these have other bits: %s", strjoin (names(alone)(! same(alone)), "; "));

    B = cat (2, A(:,1,:), cast (rand (m, 2, P) - 0.5, class (A)));
    [C, r] = qr_block (A, B, 0, place{:});
    check_same_r ("with B", A, r, R);
    check_product ("Q'*B", C, Q, B, @check, names);
    [W, Y, r] = qr_block (A, 0, "wy", place{:});
    check_same_r ("with W and Y", A, r, R);
    H = zeros (m, k, P, class (A));
    for p = 1:P
      y = Y(:,:,p);
      H(:,:,p) = eye (m, k) + W(:,:,p) * y(1:k,:)';
      lower(p) = isequal (tril (y, -1) + eye (m, k), y);
      off(p) = one_norm (H(:,:,p) - Q(:,:,p)) / (m * e / 2);
      off(p) *= isequal (r(:,:,p), R(:,:,p));  # another method for the economy factors has another Q, too
    endfor
    check_ratios ("I + W*Y'", A, H, r);
    [most, at] = worst (off);
    check (most < 30, "I + W*Y' differs from Q, ratio %g on %s", most, names{at});
    check (all (lower), "Y is not unit lower trapezoidal on %s", strjoin (names(! lower), "; "));

    if (m <= 600 && m > n)
      [Q, R2] = qr_block (A, place{:});
      check_same_r ("full", A, R2(1:k,:,:), R);
      check (! any (R2(k+1:end,:,:)(:)), "full R is not zero below");
      check_ratios ("full", A, Q, R2);
      C = qr_block (A, B, place{:});
      check_product ("full Q'*B", C, Q, B, @check, names);
    endif

    [Q, R, order] = qr_block (A, 0, place{:});
    for p = 1:P
      A(:,:,p) = A(:,order(1,:,p),p);
      d = abs (double (diag (R(1:k,1:k,p))));
      grows(p) = worst ([0; diff(d)]) / (k * (e * max (d) + least) + (max (d) == 0));
    endfor
    check (isequal (sort (order, 2), repmat (1:n, [1, 1, P])), "P is no permutation");
    check_ratios ("pivoted", A, Q, R);
    [most, at] = worst (grows);
    check (most <= 10, "|diag (R)| grows with pivoting, ratio %g on %s", most, names{at});
  catch err
    check (false, "[%s] %s", err.identifier, err.message);
  end_try_catch
endfunction

% xQRT03: |Q'B - C| / (m |B| u); the first column of B has the scale of A.
function check_product (form, C, Q, B, check, names)
  m = rows (Q);
  u = double (eps (class (Q))) / 2;
  for p = 1:size (B, 3)
    b = double (B(:,:,p));
    c = double (C(:,:,p));
    for j = 1:columns (b)
      f = 2 ^ -floor (log2 (max (abs (b(:,j)))) / 2);
      if (! isfinite (f))
        f = 1;
      endif
      size_ = norm (b(:,j) * f * f, 1);
      step = f * f * merge (isa (Q, "single"), 2 ^ -149, 2 ^ -1074);
      off(p,j) = norm ((c(:,j) - double (Q(:,:,p))' * b(:,j)) * f * f, 1) / (m * (size_ * u + step) + (size_ == 0));
    endfor
  endfor
  [most, at] = worst (worst (off, 2));
  check (most < 30, "%s: ratio %g on %s", form, most, names{at});
endfunction

% With NaN or Inf every call ends, other pages keep their bits, and so do columns of R to the left.
function counts = not_finite (A, label, device)
  counts = [0, 0];
  [m, n, P] = size (A);
  A = A(:,:,[1, 1, min(3, P)]);
  [Q, R] = qr_block (A, 0, "device", device);
  j = ceil (n / 2);
  for bad = [NaN, Inf, -Inf]
    X = A;
    X(ceil (m / 2),j,2) = bad;
    [Qx, Rx] = qr_block (X, 0, "device", device);
    [~, ~, order] = qr_block (X, 0, "device", device);
    ok = isequal (Qx(:,:,[1, 3]), Q(:,:,[1, 3])) && isequal (Rx(:,:,[1, 3]), R(:,:,[1, 3])) && ...
         ! all (isfinite (Rx(:,j,2))) && all (isfinite (Rx(:,1:j-1,2)(:))) && ...
         isequal (sort (order, 2), repmat (1:n, [1, 1, 3]));
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %g spreads otherwise than it should\n", label, bad);
    endif
  endfor
endfunction

% 150 pages of each shape; about half of them, randomly placed, have a column that is 1, 6/7 or 8/7 times another one.
% LAPACK's ratios (qr_ratios) must be below 30, the errors of columns and of orthogonality at most 10 k eps. R must have
% the bits of a call without Q, and about twenty pages the bits that they have alone. Of a page of zeros Q is the
% identity, as LAPACK's is.
function [passed, failed] = many_pages (device, shapes, types)
  passed = failed = 0;
  rand ("twister", 2);
  for shape = shapes.'
    for type = types
      A = rand ([shape.', 150]) - 0.5;
      if (any (type == "cz"))
        A += 1i * (rand (size (A)) - 0.5);
      endif
      for p = find (rand (1, 150) < 0.5)
        A(:,ceil (shape(2) / 2),p) = A(:,1,p) * (1 + (mod (p, 3) - 1) / 7);
      endfor
      if (any (type == "sc"))
        A = single (A);
      endif
      [Q, R] = qr_block (A, 0, "device", device);
      [lapack, strict] = qr_ratios (A, Q, R);
      ok = isequal (qr_block (A, 0, "device", device), R) && max (lapack(:)) < 30 && max (strict(:)) <= 10;
      for p = [1:10, 63:67, 127:130, 150]
        a = A(:,:,p);
        [q, r] = qr_block (a, 0, "device", device);
        ok = ok && isequal (q, Q(:,:,p)) && isequal (r, R(:,:,p));
      endfor
      passed += ok;
      failed += ! ok;
      if (! ok)
        printf ("FAILED %dx%d %s, 150 pages, %s: ratios %g %g\n", shape, type, device, max (lapack(:)), max (strict(:)));
      endif
      A(:,:,2) = 0;
      [Q, R] = qr_block (A(:,:,1:2), 0, "device", device);
      ok = isequal (Q(:,:,2), eye (shape.')) && ! any (R(:,:,2)(:));
      passed += ok;
      failed += ! ok;
      if (! ok)
        printf ("FAILED %dx%d %s, zeros, %s: Q is not the identity\n", shape, type, device);
      endif
    endfor
  endfor
endfunction
