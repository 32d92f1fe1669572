% tests/octave/pencil_ratios.m: LAPACK's test ratios for eigenvalues and eigenvectors of pairs of pages
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [residual, orthogonality] = pencil_ratios (A, B, V, lambda): per page, in units of n*eps of the class, the
% largest |A v - lambda B v| over (|A| + max |lambda| |B|) |V|, and |V'B V - I| over |V|^2 |B| (1-norms). NaN
% becomes Inf, and so does a page whose eigenvalues do not ascend. Pages are scaled by powers of two first.

function [residual, orthogonality] = pencil_ratios (A, B, V, lambda)
  n = rows (A);
  P = size (V, 3);
  unit = n * double (eps (class (V)));
  residual = orthogonality = zeros (P, 1);
  for p = 1:P
    [a, e] = near_one (double (A(:,:,p)));
    [b, f] = near_one (double (B(:,:,p)));
    v = double (V(:,:,p)) * 2 ^ (f / 2);
    d = double (lambda(:,1,p)).' * 2 ^ (f - e);
    bound = (norm (a, 1) + max (abs (d)) * norm (b, 1)) * norm (v, 1);
    residual(p) = one_norm (a * v - b * v .* d) / (unit * bound + realmin);
    orthogonality(p) = one_norm (v' * b * v - eye (columns (v))) / (unit * norm (v, 1) ^ 2 * norm (b, 1));
    if (! all (diff (d) >= 0))
      residual(p) = Inf;
    endif
  endfor
  orthogonality(isnan (orthogonality)) = Inf;
  residual(isnan (residual)) = Inf;
endfunction

% The matrix over the power of two, of even exponent e, that brings its largest entry near 1; zeros stay.
function [a, e] = near_one (a)
  e = 0;
  most = max (abs (a(:)));
  if (most > 0 && isfinite (most))
    e = 2 * floor (log2 (most) / 2);
  endif
  a = a / 2 ^ e;
endfunction
