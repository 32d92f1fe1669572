## running.m: what a function of two arrays gives of all elements up to each one along a dimension
## SPDX-License-Identifier: GPL-3.0-or-later
##
## log2 (n) steps (Hillis, Steele 1986), for associative functions.

function y = running (f, x, dim)
  n = size (x, dim);
  y = x;
  at = repmat ({":"}, 1, max (ndims (x), dim));
  step = 1;
  while (step < n)
    first = before = rest = at;
    first{dim} = 1:step;
    before{dim} = 1:n-step;
    rest{dim} = step+1:n;
    y = cat (dim, y(first{:}), f (y(before{:}), y(rest{:})));
    step *= 2;
  endwhile
endfunction
