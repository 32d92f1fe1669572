% tests/octave/hard_pencils.m: every class of hard pair for batcheig (A, B), with the known eigenvalues
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, B, names, lambda, state] = hard_pencils (n, type). A and B are n x n x P of type "s", "d", "c" or "z".
% Column k of lambda holds the eigenvalues of pair k in order, NaN if they are unknown. state(k) is 1 where B
% is definite, 0 where it is semidefinite and A is definite, NaN where rounding decides. Pairs with known
% eigenvalues are Y'*diag (lambda)*Y and Y'*Y with a unit triangular Y of few binary digits, or finite
% elements with closed forms: linear ones on a line, bilinear ones on a square membrane, and cubic ones of a
% beam on two supports. Complex pairs are real ones times powers of i in rows and columns.

function [A, B, names, lambda, state] = hard_pencils (n, type)
  short = any (type == "sc");
  ulp = double (eps (merge (short, single (1), 1)));
  As = Bs = names = values = {};
  state = [];

  function add (name, a, b, known = NaN (n, 1), definite = 1)
    names{end+1} = name;
    As{end+1} = (a + a') / 2;
    Bs{end+1} = (b + b') / 2;
    values{end+1} = sort (known(:));
    state(end+1) = definite;
  endfunction
  function add_known (name, known)
    add (name, Y' * (known(:) .* Y), Y' * Y, known);
  endfunction
  Y = few_digits (n);
  G = randn (n);
  G += G';
  S = eye (n) + randn (n) / 8;
  S = S' * S / n + eye (n);
  steps = (1:n)';

  % known eigenvalues
  add_known ("few digits", round (linspace (-9, 9, n)));
  add_known ("repeated", 1 + floor (4 * (steps - 1) / n));
  add_known ("all alike", 3 * ones (n, 1));
  add_known ("20 decades", 2 .^ round (linspace (-33, 33, n)));
  [a, b, known] = line_elements (n);
  add ("linear elements", a, b, known);
  add ("linear elements, one mass 0", a, b .* (steps > 1) .* (steps' > 1), NaN (n, 1), 0);
  [a, b, known] = membrane (n);
  add ("membrane", a, b, known);
  [a, b, known] = beam (n);
  add ("beam", a, b, known);
  add ("A = B", S, S, ones (n, 1));
  add ("A = 0", 0 * G, S, zeros (n, 1));
  add ("random", G, S);
  far = merge (short, 1e15, 1e150);
  add ("huge A", G * far, S);
  add ("tiny A", G / far, S);
  add ("huge B", G, S * far);
  add ("tiny B", G, S / far);
  add ("both tiny", G / far, S / far);
  d = 10 .^ linspace (0, merge (short, -6, -60), n);
  add ("graded in common", d' .* G .* d, d' .* S .* d);

  % B ill conditioned, singular, or nearly so
  [Q, ~] = qr (G);
  for digits = merge (short, [2, 4, 6, 7], [4, 8, 12, 15])
    b = (Q .* logspace (0, -digits, n)) * Q';
    add (sprintf ("kappa 1e%d", digits), G, b, NaN (n, 1), merge (10 ^ -digits > 30 * n * ulp, 1, NaN));
  endfor
  add ("just indefinite", G, (Q .* [ones(1, n - 1), -ulp]) * Q', NaN (n, 1), NaN);
  for digits = merge (short, 1, 1:4)
    x = floor ((steps - 1) / 2) * 3 + mod (steps - 1, 2) * 10 ^ -digits;
    add (sprintf ("Gaussians 1e-%d apart", digits), G, exp (-(x - x') .^ 2), NaN (n, 1), ...
         merge (10 ^ (-2 * digits) > 100 * n * ulp, 1, NaN));
  endfor
  add ("Hilbert", G, 1 ./ (steps + steps' - 1), NaN (n, 1), merge (n <= 3 || (n <= 8 && ! short), 1, NaN));
  add ("Lehmer", G, min (steps, steps') ./ max (steps, steps'));
  add ("Moler", G, min (steps, steps') - 2 + eye (n) .* 2, NaN (n, 1), NaN);
  zero_row = steps != ceil (n / 2);
  add ("a zero row in B", S, S .* zero_row .* zero_row', NaN (n, 1), 0);
  add ("B of rank 1", S, ones (n), NaN (n, 1), merge (n == 1, 1, 0));

  A = cat (3, As{:});
  B = cat (3, Bs{:});
  if (any (type == "cz"))
    turn = (1i) .^ (0:n-1);
    A = A .* (turn.' * conj (turn));
    B = B .* (turn.' * conj (turn));
    A = complex (A);
    B = complex (B);
  endif
  if (short)
    A = single (A);
    B = single (B);
  endif
  lambda = [values{:}];
endfunction

% Unit upper triangular, and well conditioned because it has a narrow band.
function Y = few_digits (n)
  Y = randi ([-2, 2], n) / 8;
  at = (1:n) - (1:n).';
  Y .*= at >= 1 & at <= 6; # triu (Y, 7) is an error in Octave 6 if there is no such diagonal
  Y += eye (n);
endfunction

% A string of n points between two fixed ends.
function [K, M, lambda] = line_elements (n)
  e = ones (n, 1);
  K = full (spdiags ([-e, 2 * e, -e], -1:1, n, n));
  M = full (spdiags ([e, 4 * e, e], -1:1, n, n));
  c = cos ((1:n)' * pi / (n + 1));
  lambda = (1 - c) ./ (2 + c);
endfunction

% A membrane of p x q points; n = p*q.
function [K, M, lambda] = membrane (n)
  p = max ((1:floor (sqrt (n)))(mod (n, 1:floor (sqrt (n))) == 0));
  [K1, M1, l1] = line_elements (p);
  [K2, M2, l2] = line_elements (n / p);
  K = kron (K2, M1) + kron (M2, K1);
  M = kron (M2, M1);
  lambda = reshape (l1 + l2', [], 1);
endfunction

% Cubic elements of a beam on two supports: 2*m unknowns for m elements, deflections of the inner
% points and rotations of all; where n is odd a string's point stands beside them. The eigenvectors
% are sines of the deflections and cosines of the rotations, so the eigenvalues come from pairs of order 2.
function [K, M, lambda] = beam (n)
  if (n == 1)
    K = M = lambda = 1;
    return;
  endif
  m = floor (n / 2);
  k = [12, 6, -12, 6; 6, 4, -6, 2; -12, -6, 12, -6; 6, 2, -6, 4];
  c = [156, 22, 54, -13; 22, 4, 13, -3; 54, 13, 156, -22; -13, -3, -22, 4] / 420;
  K = M = zeros (2 * m + 2);
  for e = 1:m
    at = 2 * e - 1:2 * e + 2;
    K(at,at) += k;
    M(at,at) += c;
  endfor
  free = setdiff (1:2 * m + 2, [1, 2 * m + 1]);
  K = blkdiag (K(free,free), ones (n - 2 * m));
  M = blkdiag (M(free,free), ones (n - 2 * m));
  lambda = ones (n - 2 * m, 1);
  for j = 0:m
    t = cos (j * pi / m);
    s = sin (j * pi / m);
    a = [24 - 24 * t, 12 * s; 12 * s, 8 + 4 * t];
    b = [312 + 108 * t, -26 * s; -26 * s, 8 - 6 * t] / 420;
    if (j == 0 || j == m)
      lambda(end+1,1) = a(2,2) / b(2,2);
    else
      lambda = [lambda; eig(a, b)];
    endif
  endfor
endfunction
