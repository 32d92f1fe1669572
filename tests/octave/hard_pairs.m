% tests/octave/hard_pairs.m: every class of hard pair for gsvd_hz, with the known values
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, B, names, sigma, kappa] = hard_pairs (m, n, p, type). A is m x p x P and B is n x p x P of type
% "s", "d", "c" or "z". Column k of sigma holds the generalized singular values of pair k in order, NaN
% if they are unknown. kappa(k) is the condition number that bounds the relative errors of values: the larger
% one of A and B with columns of length 1 (Drmac 1998), or if m < p or n < p that of T times the largest value.
% Known pairs are U*diag (c)*T and V*diag (s)*T with powers of two c and s and a unit upper triangular
% T of few binary digits: all products are exact, except the last one by the orthonormal U or V.

function [A, B, names, sigma, kappa] = hard_pairs (m, n, p, type)
  q = min (m + n, p);
  short = any (type == "sc");
  above = max (0, q - m);         # number of values that are 0
  below = max (0, q - n);         # number of values that are Inf
  U = orthonormal (m, q - above, type);
  V = orthonormal (n, q - below, type);
  T = few_digits (q, p, type);
  one = ones (q, 1);
  regular = m >= p && n >= p && p > 0;
  As = Bs = names = sigma = {};
  kappa = [];

  function add (name, a, b, values = NaN (q, 1), condition = 1)
    names{end+1} = name;
    As{end+1} = a;
    Bs{end+1} = b;
    sigma{end+1} = values;
    kappa(end+1) = condition;
  endfunction
  function [a, b, values] = known (c, s, T)
    a = U * (c(above+1:q,1) .* T(above+1:q,:));
    b = V * (s(1:q-below,1) .* T(1:q-below,:));
    c(1:above) = 0;
    s(q-below+1:q) = 0;
    values = sort (c ./ s);
  endfunction
  function add_known (name, c, s, T)
    [a, b, values] = known (c, s, T);
    add (name, a, b, values, max (condition_of (a), condition_of (b)));
  endfunction
  ramp = @(from, to) 2 .^ round (linspace (from, to, q)(1:q).');

  % pairs of every shape
  G = number_pages (m, p, type);
  H = number_pages (n, p, type);
  add ("random", G, H);
  [a, b, values] = known (ramp (-6, 6), one, T);
  condition = 1;
  if (regular)
    condition = max (condition_of (a), condition_of (b));
  elseif (q > 0)
    condition = 2 ^ 6 * condition_of (T.');       # the largest value, and 1 / the smallest one
  endif
  add ("known", a, b, values, condition);
  D = 2 .^ randi ([-20, 20], 1, p);
  add ("known, columns graded in common", a .* D, b .* D, values, condition);
  far = 2 ^ merge (short, 50, 500);
  add ("huge", a * far, b * far, values, condition);
  add ("tiny", a / far, b / far, values, condition);
  add ("huge A, tiny B", a * far, b / far, values * far * far, condition);
  add ("tiny A, huge B", a / far, b * far, values / far / far, condition);

  # condition numbers that the diagonals of triangles do not show
  level = 10 .^ -linspace (0, 1, p);
  X = triu (number_pages (p, p, type)) .* level.';
  Y = tril (number_pages (p, p, type)) .* level;
  add ("level triangles", number_pages (m, p, type) * X, number_pages (n, p, type) * Y);
  add ("a level triangle in common", number_pages (m, p, type) * X, number_pages (n, p, type) * X);
  add ("powers", linspace (0, 1, m).' .^ (0:p-1), linspace (-1, 1, n).' .^ (0:p-1));

  % ranks
  add ("A = 0", 0 * G, H, [zeros(q - below, 1); NaN(below, 1)]);
  add ("B = 0", G, 0 * H, [NaN(above, 1); Inf(q - above, 1)]);
  add ("A = B = 0", 0 * G, 0 * H);
  hole = 1:p != ceil (p / 2);
  add ("a zero column in A", G .* hole, H);
  add ("a zero column in B", G, H .* hole);
  add ("a zero column in both", G .* hole, H .* hole);
  add ("columns of A alike", G(:,ceil ((1:p) / 2)), H);
  add ("columns of B alike", G, H(:,ceil ((1:p) / 2)));
  add ("columns of both alike", G(:,ceil ((1:p) / 2)), H(:,ceil ((1:p) / 2)));
  add ("rank 1", G(:,1:min (1, p)) * ones (min (1, p), p), H(:,1:min (1, p)) * ones (min (1, p), p));
  F = G(1:min (m, n),:);
  add ("A = B", [F; zeros(m - rows (F), p)], [F; zeros(n - rows (F), p)]);
  if (regular)
    sigma{end} = one;
    kappa(end) = condition_of (F);
  endif

  % values and columns over many decades, and columns that are nearly parallel
  if (regular)
    add_known ("values over 25 decades", ramp (merge (short, -30, -50), merge (short, 20, 33)), one, T);
    add_known ("columns of A graded", ramp (-40, 0), one, T);
    add_known ("columns of A graded, turned round", ramp (-40, 0), one, T);
    As{end} = fliplr (As{end});
    Bs{end} = fliplr (Bs{end});
    add_known ("columns of B graded", one, ramp (-40, 0), T);
    add_known ("columns of both graded", ramp (0, 40), ramp (-20, 0), T);
    if (p > 1)
      S = T;
      S(1:2,1:2) = [1, 1; 0, 2^merge(short, -6, -20)];
      add_known ("columns nearly parallel", ramp (-3, 3), one, S);
    endif
    for digits = merge (short, [1, 2, 3], [2, 5, 8])
      X = orthonormal (p, p, type) .* logspace (0, -digits, p) * orthonormal (p, p, type);
      add_known (sprintf ("kappa (X) 1e%d", digits), ramp (-6, 6), one, X);
    endfor
  endif
  A = zeros (m, p, numel (names), {"double", "single"}{1 + short});
  B = zeros (n, p, numel (names), class (A));
  for k = 1:numel (names)
    A(:,:,k) = As{k};
    B(:,:,k) = Bs{k};
  endfor
  sigma = reshape ([sigma{:}], q, numel (names));
endfunction

function A = number_pages (m, n, type)
  A = 2 * rand (m, n) - 1;
  if (any (type == "cz"))
    A += 1i * (2 * rand (m, n) - 1);
  endif
endfunction

function Q = orthonormal (m, k, type)
  [Q, ~] = qr (number_pages (m, k, type), 0);
endfunction

% Unit upper triangular, and well conditioned because it has a narrow band.
function T = few_digits (q, p, type)
  T = randi ([-2, 2], q, p) / 8;
  if (any (type == "cz"))
    T += 1i * randi ([-2, 2], q, p) / 8;
  endif
  at = (1:p) - (1:q).';
  T .*= at >= 1 & at <= 6; # triu (T, 7) is an error in Octave 6 if there is no such diagonal
  T += eye (q, p);
endfunction

% The condition with columns of length 1. A complex matrix is replaced by a real one with the same singular values,
% because in OpenBLAS 0.3.21 the svd of a complex matrix of 200 rows may crash (zgemv reads past its end).
function c = condition_of (M)
  M ./= sqrt (sumsq (M, 1));
  if (iscomplex (M))
    M = [real(M), -imag(M); imag(M), real(M)];
  endif
  c = cond (M);
endfunction
