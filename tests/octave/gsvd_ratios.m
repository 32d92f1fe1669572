% tests/octave/gsvd_ratios.m: errors of the factors of a GSVD, per page
% SPDX-License-Identifier: GPL-3.0-or-later
%
% R = gsvd_ratios (A, B, U, V, X, C, S), one row per page: |A - U*C*X'| / |A|, |B - V*S*X'| / |B|,
% |U'U - I|, |V'V - I| and the largest |c^2 + s^2 - 1|, in 2-norms, each as a multiple of max (m, n, p) eps.
% Inf if they hold NaN, if C or S is negative or has an entry outside its diagonal, or if c ./ s decreases.

function R = gsvd_ratios (A, B, U, V, X, C, S)
  [m, p, P] = size (A);
  n = rows (B);
  unit = max ([m, n, p, 1]) * double (eps (class (A)));
  R = zeros (P, 5);
  for k = 1:P
    [c, s, ok] = diagonals (double (C(:,:,k)), double (S(:,:,k)), m);
    R(k,1) = residual (double (A(:,:,k)), double (U(:,:,k)), C(:,:,k), double (X(:,:,k)));
    R(k,2) = residual (double (B(:,:,k)), double (V(:,:,k)), S(:,:,k), double (X(:,:,k)));
    R(k,3) = distance (double (U(:,:,k)));
    R(k,4) = distance (double (V(:,:,k)));
    R(k,5) = worst (abs (c .^ 2 + s .^ 2 - 1));
    if (! ok)
      R(k,:) = Inf;
    endif
  endfor
  R /= unit;
  R(isnan (R)) = Inf;
endfunction

% Scaled by powers of two against overflow; the Frobenius norm of the difference is an upper bound.
function r = residual (A, U, C, X)
  size_ = max (abs (A(:)));
  if (isempty (A) || size_ == 0)
    r = merge (any ((U * double (C) * X')(:)), Inf, 0);
    return;
  endif
  f = 2 ^ -floor (log2 (size_));
  D = A * f - U * ((double (C) * f) * X');
  r = norm (D, "fro") / norm (A * f);
endfunction

function r = distance (Q)
  r = norm (Q' * Q - eye (columns (Q)), "fro");
endfunction

% The diagonals of C and S, filled up with zeros, and whether all other entries are zero.
function [c, s, ok] = diagonals (C, S, m)
  q = columns (C);
  above = max (0, q - m);
  c = zeros (q, 1);
  s = zeros (q, 1);
  j = above+1 : min (q, above + rows (C));
  at = (j - 1) * rows (C) + j - above;
  c(j) = C(at);
  C(at) = 0;
  i = 1 : min (q, rows (S));
  at = (i - 1) * rows (S) + i;
  s(i) = S(at);
  S(at) = 0;
  ok = ! any ([C(:); S(:)]) && all ([c; s] >= 0) && issorted (c ./ s);
endfunction
