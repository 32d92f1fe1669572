% tests/octave/worst.m: the largest of some errors; infinite if one is NaN, which max would ignore
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [w, at] = worst (x): of all entries; 0 if x is empty. [w, at] = worst (x, 2): of each row, as max (x, [], 2).

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
