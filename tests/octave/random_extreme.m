% tests/octave/random_extreme.m: whether numbers are so large or so small that residuals say nothing, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% random_extreme (a, cls): the largest one is not 0, and its square is near the end of the range of the class.
% random_extreme (a, cls, b): or a solution of a*x = b may be too large.

function is = random_extreme (a, cls, b)
  most = max ([abs(a(:)); 0]);
  is = most > 0 && abs (log (most)) > 0.45 * log (double (realmax (cls)));
  if (nargin > 2 && ! is)
    s = svd (a);
    is = max (norm (b, "fro"), 1) / min ([s(s > 0); Inf]) > 0.01 * double (realmax (cls)) || random_extreme (b, cls);
  endif
endfunction
