% tests/octave/worst.m: the largest of some errors, infinite where one is NaN, which max would leave out
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [w, at] = worst (x): of all entries; 0 of none. [w, at] = worst (x, 2): of every row of a matrix, as max (x, [], 2).

function [w, at] = worst (x, dim = 0)
  x(isnan (x)) = Inf;
  if (dim)
    [w, at] = max (x, [], dim);
  elseif (isempty (x))
    w = at = 0;
  else
    [w, at] = max (x(:));
  endif
endfunction
