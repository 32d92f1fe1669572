% tests/octave/qr_ratios.m: LAPACK's test ratios for the QR factors of pages, and stricter ones
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [lapack, strict, gap] = qr_ratios (A, Q, R), one row per page. lapack, 1-norms and u = eps/2:
% |R - Q'A| / (m |A| u), |Q'Q - I| / (m u) (xQRT01, xQRT02) and |A - QR| / (max (m, n) |A| u)
% (xQPT01). strict, with k = min (m, n): the largest |a_j - Q r_j| / (k eps |a_j|) of all columns, and
% |Q'Q - I| / (k eps), in 2-norms. gap: by how much the columns of R differ from those of Octave's
% qr, signs included, as a multiple of k eps |a_j| and the condition number of the first k columns
% scaled to length 1; 0 if R has no correct digit by that bound. NaN becomes Inf, and so does an R that is
% not triangular.

function [lapack, strict, gap] = qr_ratios (A, Q, R)
  [m, n, P] = size (A);
  k = min (m, n);
  e = double (eps (class (A)));
  lapack = zeros (P, 3);
  strict = zeros (P, 2);
  gap = zeros (P, 1);
  for p = 1:P
    q = double (Q(:,:,p));
    [a, r, step] = scaled (double (A(:,:,p)), double (R(:,:,p)), class (A), 1);
    size_ = norm (a, 1);
    I = q' * q - eye (columns (q));
    lapack(p,:) = [one_norm(r - q' * a), one_norm(I), one_norm(a - q * r)] ./ ...
                  ([m * size_, m, max(m, n) * size_] * e / 2 + [1, 0, 1] * (m * step + (size_ == 0)));
    strict(p,2) = norm (I, "fro") / (k * e);
    if (strict(p,2) > 10)
      strict(p,2) = norm (gram (q) - eye (columns (q))) / (k * e);
    endif
    [a, r, step] = scaled (double (A(:,:,p)), double (R(:,:,p)), class (A), 2);
    size_ = sqrt (sumsq (a, 1));
    strict(p,1) = worst (sqrt (sumsq (a - q * r, 1)) ./ (k * (size_ * e + step) + (size_ == 0) * e));
    if (! isequal (r, triu (r)))
      lapack(p,1) = Inf;
    endif
    if (nargout > 2)
      [~, r0] = qr (A(:,:,p), 0);
      [~, r0] = scaled (double (A(:,:,p)), double (r0), class (A), 2);
      condition = Inf;
      if (all (isfinite (r0(:))))           # LAPACK itself may overflow
        condition = cond (r0(1:k,1:k) ./ merge (size_(1:k) == 0, 1, size_(1:k)));
      endif
      if (condition * max (m, n) * (e + max (step)) < 0.01)
        gap(p) = worst (sqrt (sumsq (r(1:k,:) - r0, 1)) ./ (k * condition * (size_ * e + step)));
      endif
    endif
  endfor
  lapack(isnan (lapack)) = Inf;
  strict(isnan (strict)) = Inf;
  gap(isnan (gap)) = Inf;
endfunction

% q'*q, summed in pairs: of 287 equal numbers in sequence the sum alone is wrong by 28 eps.
function g = gram (q)
  if (rows (q) <= 8)
    g = q' * q;
  else
    half = floor (rows (q) / 2);
    g = gram (q(1:half,:)) + gram (q(half+1:end,:));
  endif
endfunction

% Scales a and r by powers of two so that no square overflows: by one factor for the page, or by one for each
% column. step is the rounding error of denormal numbers of the class, in that scale.
function [a, r, step] = scaled (a, r, class_, by)
  size_ = max (abs (a), [], 1);
  if (by == 1)
    size_ = max (size_);
  endif
  shift = -floor (log2 (size_));
  shift(! isfinite (shift)) = 0;
  half = floor (shift / 2);               # twice, since 1/denormal overflows
  scale = @(x) x .* 2 .^ half .* 2 .^ (shift - half);
  a = scale (a);
  r = scale (r);
  step = scale (2 ^ merge (strcmp (class_, "single"), -149, -1074));
endfunction
