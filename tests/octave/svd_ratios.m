% tests/octave/svd_ratios.m: LAPACK's test ratios for singular value decompositions of pages
% SPDX-License-Identifier: GPL-3.0-or-later
%
% r = svd_ratios (A, U, s, V), one row per page, 1-norms and eps of the class of A: |A - U*S*V'| / (max (m, n)
% |A| eps), |U'U - I| / (m eps), |V'V - I| / (n eps) (xBDT01, xORT01, as in xDRVBD). s has a column for each page.
% NaN becomes Inf.

function r = svd_ratios (A, U, s, V)
  [m, n, P] = size (A);
  k = rows (s);
  e = double (eps (class (A)));
  r = zeros (P, 3);
  for p = 1:P
    a = double (A(:,:,p));
    shift = -floor (log2 (max (abs (a(:)))));
    if (! isfinite (shift))
      shift = 0;
    endif
    scale = @(x) x * 2 ^ floor (shift / 2) * 2 ^ (shift - floor (shift / 2)); # twice, since 1/denormal overflows
    step = scale (2 ^ merge (isa (A, "single"), -149, -1074));
    u = double (U(:,:,p));
    v = double (V(:,:,p));
    a = scale (a);
    off = one_norm (a - u(:,1:k) * (scale (double (s(:,1,p))) .* v(:,1:k)'));
    r(p,:) = [off / (max(m, n) * (norm (a, 1) * e + step) + (norm (a, 1) == 0)), ...
              one_norm(u' * u - eye (columns (u))) / (m * e), one_norm(v' * v - eye (columns (v))) / (n * e)];
  endfor
  r(isnan (r)) = Inf;
endfunction
