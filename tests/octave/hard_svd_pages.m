% tests/octave/hard_svd_pages.m: matrices whose singular values are hard to compute, one of each class per page
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, names, s, relative] = hard_svd_pages (m, n, type). s has a column with the singular values of each page, NaN
% where they are not known. relative is true for pages whose shorter side's columns, or whose longer side's rows,
% brought to one length, have a condition number of a few: there each value is determined to its own digits.

function [A, names, s, relative] = hard_svd_pages (m, n, type)
  rand ("twister", 7);
  randn ("twister", 7);
  k = min (m, n);
  A = zeros (m, n, 0);
  names = {};
  s = zeros (k, 0);
  relative = false (1, 0);
  is_complex = any (type == "cz");
  is_single = any (type == "sc");
  function add (name, X, values = NaN, own = false)
    if (rows (X) == k && columns (X) == k)
      Y = zeros (m, n);
      Y(1:k,1:k) = X;
    else
      Y = X;
    endif
    A(:,:,end+1) = Y;
    names{end+1} = name;
    s(:,end+1) = sort (values(:) .* ones (k, 1), "descend");
    relative(end+1) = own;
  endfunction
  function X = any_of (varargin)
    X = randn (varargin{:});
    if (is_complex)
      X += 1i * randn (varargin{:});
    endif
  endfunction
  orthonormal = @(p, q) qr_factor (any_of (p, q));

  add ("random", any_of (m, n));
  add ("zero", zeros (m, n), 0);
  add ("minus zero", -zeros (m, n), 0);
  add ("ones", ones (m, n), [sqrt(m * n), zeros(1, k - 1)]);
  X = any_of (m, n);
  X(:,end) = X(:,1);
  add ("equal columns", X);
  X = any_of (m, n);
  X(ceil (end / 2),:) = 0;
  add ("a row of zeros", X);
  add ("rank 2", any_of (m, min (k, 2)) * any_of (min (k, 2), n));
  add ("identity", eye (m, n), 1);
  add ("reflection", diag ([-ones(1, 1), ones(1, k - 1)]), 1);

  # values of which the small ones keep their digits, in three orders
  d = 10 .^ -linspace (0, 25, k).';
  for order = {1:k, k:-1:1, randperm(k)}
    x = d(order{1});
    if (m >= n)
      add ("25 decades", orthonormal (m, k) .* x.', x, true);
    else
      add ("25 decades", x .* orthonormal (n, k)', x, true);
    endif
  endfor
  # the same with rows (columns) that are orthonormal but for their lengths, and zeros beside them
  longer = max (m, n);
  for order = {1:longer, longer:-1:1, randperm(longer)}
    X = [d .* orthonormal(k, k); zeros(longer - k, k)](order{1},:);
    if (m < n)
      X = X';
    endif
    add ("25 decades in rows", X, d, true);
  endfor
  p = pow2 (-mod (0:k-1, 7)).';
  add ("powers of two", orthonormal (m, k) * (p .* orthonormal (n, k)'), p);
  if (k > 1)
    x = 10 .^ -linspace (0, 12, k).';
    add ("rows and columns graded", x .* orthonormal (k, k) .* x.');
    add ("near 1", orthonormal (m, k) * ((1 + 10 * eps * rand (k, 1)) .* orthonormal (n, k)'), 1);
    add ("bidiagonal of ones", eye (k) + diag (ones (k - 1, 1), 1), 2 * cos ((1:k) * pi / (2 * k + 1)));
    add ("Hilbert", hilb (k));
    add ("Kahan", diag (sin (1.2) .^ (0:k-1)) * (eye (k) - cos (1.2) * triu (ones (k), 1)));
    X = [ones(1, k - 1), 1; 1e-9 * eye(k - 1, k)];
    add ("Lauchli", X);
    add ("companion", compan_of (k), compan_values (k));
    X = kron (eye (ceil (k / 2)), [0, 1; 1, 0]);
    add ("pairs of equal values", X(1:2*floor (k / 2),1:2*floor (k / 2))(mod (0:k-1, 2 * floor (k / 2)) + 1,mod (0:k-1, 2 * floor (k / 2)) + 1));
    X = any_of (m, n);
    X(:,end) = X(:,1) * (1 + 1e-9);
    add ("nearly parallel columns", X);
    X = any_of (m, n);
    X(1,:) *= 1e10;
    add ("one large row", X);
  endif
  # triangles whose diagonal is level, though their condition number is not small
  level = 10 .^ -linspace (0, 1, k).';
  for i = 1:6
    X = triu (any_of (k, k)) .* level;
    if (mod (i, 2) == 0)
      X = X';
    endif
    if (m >= n)
      add ("level triangle", orthonormal (m, k) * X);
    else
      add ("level triangle", X * orthonormal (n, k)');
    endif
  endfor
  t = linspace (0, 1, longer).';
  for x = [t, (1:longer).' / longer, 2 * t - 1]
    X = x .^ (k-1:-1:0);
    if (m < n)
      X = X.';
    endif
    add ("powers", X);
  endfor
  add ("factor of Pascal's matrix", pascal_factor (k));
  size_ = merge (is_single, 1e30, 1e300);
  add ("tiny", any_of (m, n) / size_);
  add ("large", any_of (m, n) * size_);
  add ("denormal", round (4 * any_of (m, n)) * merge (is_single, 2 ^ -149, 2 ^ -1074));
  if (is_complex)
    A = complex (A);
  endif
  if (is_single)
    A = single (A);
  endif
endfunction

function Q = qr_factor (X)
  [Q, ~] = qr (X, 0);
endfunction

% chol (pascal (k)), binomial coefficients; from row 61 on the identity.
function R = pascal_factor (k)
  R = eye (k);
  for j = 1:min (k, 60)
    R(1:j,j) = round (exp (gammaln (j) - gammaln (1:j) - gammaln (j:-1:1))).';
  endfor
endfunction

% Companion matrix of the sum of z^j / j!, j = 0 .. k (EigTool's companion_demo; LAPACK, issue 316).
function C = compan_of (k)
  C = diag (ones (k - 1, 1), -1);
  C(1,:) = -row_of (k);
endfunction
function a = row_of (k)
  a = exp (min (gammaln (k + 1) - gammaln (k:-1:1), 60));
endfunction
% All singular values of a companion matrix with the row a are 1 but for two.
function s = compan_values (k)
  a = row_of (k);
  t = 1 + sumsq (a);
  largest = sqrt ((t + sqrt (max (t ^ 2 - 4 * a(end) ^ 2, 0))) / 2);
  s = [largest, ones(1, k - 2), abs(a(end)) / largest];
endfunction
