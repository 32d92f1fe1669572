## sort_columns.m: sort of the columns of a gpuArray of any class
## SPDX-License-Identifier: GPL-3.0-or-later

function [y, at] = sort_columns (x, descending)
  if (islogical (x))
    [y, at] = sort_columns (double (x), descending);
    y = logical (y);
  elseif (! isreal (x))
    ## by modulus, and where that is equal by argument
    angle = arg (x);
    angle(angle == -pi) = pi;
    [~, first] = sort_network (angle, descending);
    columns_before = rows (x) * (0:columns (x) - 1);
    [~, second] = sort_network (abs (x)(first + columns_before), descending);
    at = first(second + columns_before);
    y = x(at + columns_before);
  elseif (nargout < 2)
    y = sort_network (x, descending);
  else
    [y, at] = sort_network (x, descending);
  endif
endfunction
