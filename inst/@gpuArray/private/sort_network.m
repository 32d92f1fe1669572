## sort_network.m: sorts columns by operations on whole arrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [y, at] = sort_network (x, descending): the columns of a real matrix x, as sort gives them. Batcher's bitonic
## sort (1968) in the form in which all comparisons have one direction: log2 (n) * (log2 (n) + 1) / 2 steps, each
## of which exchanges elements of two halves of all blocks. NaN stands for the last number, or the first. With
## two outputs equal elements keep their order: positions decide, of NaN those beyond all others.

function [y, at] = sort_network (x, descending)
  [n, m] = size (x);
  missing = isnan (x);
  key = x;
  place = repmat ((1:n)', 1, m);
  if (descending)
    key = -key;
    key(missing) = -Inf;
    place = place - n * missing;
  else
    key(missing) = Inf;
    place = place + n * missing;
  endif
  most = 2 ^ nextpow2 (n);
  beyond = repmat (key(1,:), most - n, 1);
  beyond(:) = Inf;
  key = [key; beyond];
  place = [place; repmat(3 * n, most - n, m)];
  if (nargout < 2)
    place = [];
  endif
  block = 2;
  while (block <= most)
    [key, place] = exchange (key, place, block / 2, true);
    half = block / 4;
    while (half >= 1)
      [key, place] = exchange (key, place, half, false);
      half /= 2;
    endwhile
    block *= 2;
  endwhile
  y = reshape (key, most, m)(1:n,:);
  count = sum (missing, 1);
  if (descending)
    y = -y;
    y((1:n)' <= count) = NaN;
  else
    y((1:n)' > n - count) = NaN;
  endif
  if (nargout > 1)
    at = reshape (place, most, m)(1:n,:);
    if (descending)
      at = at + n * (at <= 0);
    else
      at = at - n * (at > n);
    endif
  endif
endfunction

## The smaller elements of each pair go to the first half of a block of 2*half, in which the second half is
## reversed where `mirrored` is true.
function [key, place] = exchange (key, place, half, mirrored)
  up = 1:half;
  if (mirrored)
    up = half:-1:1;
  endif
  key = reshape (key, half, 2, []);
  a = key(:,1,:);
  b = key(up,2,:);
  key = [min(a, b), max(a, b)(up,1,:)];
  if (isempty (place))
    return;
  endif
  place = reshape (place, half, 2, []);
  p = place(:,1,:);
  q = place(up,2,:);
  step = (b < a | (b == a & q < p)) .* (q - p);
  place = [p + step, (q - step)(up,1,:)];
endfunction
