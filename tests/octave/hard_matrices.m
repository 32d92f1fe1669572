% tests/octave/hard_matrices.m: one page of every class that is hard for a QR factorization
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, names] = hard_matrices (m, n, type) returns an m-by-n-by-P array of class and complexity
% type ("s", "d", "c" or "z") and the names of its pages. The classes have: condition numbers too large for
% a Gram matrix; entries whose squares or sums overflow, or underflow; columns that are zero, equal, or a multiple of
% the first unit vector; panels of alternately good and bad columns; and columns near to each other, around
% the cutoff at which a GPU changes its method.

function [A, names] = hard_matrices (m, n, type)
  cplx = any (type == "cz");
  short = any (type == "sc");
  k = min (m, n);
  pages = names = {};
  function add (name, M)
    names{end+1} = name;
    pages{end+1} = M;
  endfunction
  G = numbers (m, n, cplx);
  U = orthonormal (m, k, cplx);
  V = orthonormal (n, k, cplx);
  t = (0:k-1) / max (k - 1, 1);
  spread = @(s) (U .* s) * V';
  columns_ = (0:n-1) / max (n - 1, 1);
  rows_ = (0:m-1)' / max (m - 1, 1);

  add ("random", G);
  for digits = [0, 3, 6, 7, 8, 12, 15]
    add (sprintf ("kappa 1e%d", digits), spread (10 .^ (-digits * t)));
  endfor
  add ("half of the singular values 0", spread (t <= 0.5));
  add ("rank 1", spread (t == 0));
  add ("Kahan", kahan (m, n));
  add ("Hilbert", 1 ./ ((1:m)' + (0:n-1)));
  add ("Vandermonde", (1.9 * rows_ .^ 1.5 - 0.8) .^ (0:n-1));   # evenly spaced, a pivot would be 0
  L = zeros (m, n);
  L(1,:) = 1;
  L(2:m+1:end) = eps_of (short);
  add ("Lauchli", L(1:m,1:n));
  M = G;
  M(:,ceil (n/2)) = 0;
  add ("a zero column", M);
  M = G;
  M(:,end) = M(:,1);
  M(:,ceil (n/2)) = M(:,1);
  add ("columns alike", M);
  add ("zero", zeros (m, n));
  add ("graded columns", G .* 10 .^ (-(200 - 170 * short) * columns_));
  add ("graded rows", G .* 10 .^ (-12 * rows_));
  add ("graded rows, turned round", flipud (G .* 10 .^ (-12 * rows_)));
  add ("random * 1e300", G * merge (short, 1e37 / sqrt (m), 1e300));
  add ("columns as long as realmax", G / max (norm (G, "columns")) * 0.9 * merge (short, double (realmax ("single")), realmax));
  add ("random / 1e300", G / 10 ^ (300 - 264 * short));
  add ("denormal", G * least (short) * 64);
  add ("triangular, positive diagonal", triu (G, 1) + eye (m, n) .* abs (G));
  add ("triangular, negative diagonal", triu (G, 1) - eye (m, n) .* abs (G));
  level = 10 .^ -t' .* triu (numbers (k, n, cplx));
  add ("level triangle", U * level);
  M = tril (numbers (m, k, cplx)) .* 10 .^ -t;
  add ("level lower triangle", M * V');
  add ("powers", (2 * rows_ .^ 1.5 - 1) .^ (0:n-1));  % equal distances make pivots of 0, whose signs are rounding
  M = G;
  M(1,:) = 0;
  add ("a first row of zeros", M);
  add ("last column in the span", [G(:,1:n-1), G(:,1:n-1) * ones(n - 1, 1)](:,1:n));
  % squares of the norm of D/R, by which the library decides whether A'A is accurate enough
  for much = [0.3, 1, 3]
    M = G;
    M(:,end) = G(:,1) + G(:,end) * sqrt (2 / (much * n));
    add (sprintf ("a column near another, %g n", much), M);
  endfor
  for width = [16, 64]
    M = G;
    bad = mod (floor ((0:n-1) / width), 2) == 1;
    M(:,bad) = G(:,1) + 1e3 * eps_of (short) * G(:,bad);
    add (sprintf ("panels of %d in turn good and bad", width), M);
  endfor

  A = cat (3, pages{:});
  if (short)
    A = single (A);
  endif
  if (cplx)
    A = complex (A);
  endif
endfunction

function G = numbers (m, n, cplx)
  G = randn (m, n);
  if (cplx)
    G = complex (G, randn (m, n));
  endif
endfunction

function U = orthonormal (m, k, cplx)
  [U, ~] = qr (numbers (m, k, cplx), 0);
endfunction

% Kahan's matrix: graded, and column pivoting does not find its rank.
function K = kahan (m, n)
  s = sin (1.2);
  c = cos (1.2);
  K = s .^ (0:m-1)' .* (eye (m, n) - c * triu (ones (m, n), 1));
  K .*= 1 + 25 * eps * (n:-1:1);
endfunction

function e = eps_of (short)
  e = merge (short, double (eps ("single")), eps);
endfunction

% The smallest denormal number.
function d = least (short)
  d = merge (short, 2 ^ -149, 2 ^ -1074);
endfunction
