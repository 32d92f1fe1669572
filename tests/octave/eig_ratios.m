% tests/octave/eig_ratios.m: LAPACK's test ratios for the eigenvalues and eigenvectors of pages
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [residual, orthogonality] = eig_ratios (A, V, lambda): per page, in units of n*eps of the class,
% |A V - V D| / |A| and |V'V - I| (1-norms; xDRVST tests 1 and 2). NaN becomes Inf, and so does
% a page whose eigenvalues do not ascend.

function [residual, orthogonality] = eig_ratios (A, V, lambda)
  n = rows (A);
  P = size (A, 3);
  ulp = double (eps (class (A)));
  residual = orthogonality = zeros (P, 1);
  for p = 1:P
    a = double (A(:,:,p));
    v = double (V(:,:,p));
    d = double (lambda(:,1,p));
    s = max (abs (a(:)));
    if (s == 0)
      s = 1;
    endif
    f = 2 ^ -floor (log2 (s) / 2);          # twice, since 1/denormal overflows
    a = a * f * f;
    size_ = norm (a, 1);
    if (size_ == 0)
      size_ = 1;
    endif
    % eigenvalues are rounded to a multiple of the smallest denormal number
    rounding = double (denormal (class (A))) * f * f * sqrt (n);
    r = one_norm (a * v - v .* (d * f * f).') / (size_ * n * ulp + rounding);
    o = one_norm (v' * v - eye (columns (v))) / (n * ulp);
    if (any (diff (d) < 0))
      r = Inf;
    endif
    residual(p) = ifnan (r);
    orthogonality(p) = ifnan (o);
  endfor
endfunction

function x = ifnan (x)
  x(isnan (x)) = Inf;
endfunction

function d = denormal (cls)
  if (strcmp (cls, "single"))
    d = 2 ^ -149;
  else
    d = 2 ^ -1074;
  endif
endfunction
