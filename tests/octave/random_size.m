% tests/octave/random_size.m: sizes of pages and of their dimensions, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% n = random_size (count, most): sizes from 0 to `most` {40, in one of sixty calls 300}, many of them around 8, 16, 32
% and 64. dims = random_size ("pages", elements): the dimensions from the third on, fewer where a page has many elements.

function n = random_size (count, most = 40)
  if (ischar (count))
    n = page_dims (most);
    return;
  endif
  if (nargin < 2 && rand () < 1 / 60)
    most = 300;
  endif
  n = zeros (1, count);
  same = rand () < 0.3;
  for k = 1:count
    near = [8, 16, 32, 64](randi (4)) + randi ([-1, 1]);
    r = rand ();
    if (r < 0.03)
      n(k) = 0;
    elseif (r < 0.1)
      n(k) = 1;
    elseif (r < 0.45)
      n(k) = randi ([2, 7]);
    elseif (r < 0.75 && (near < 50 || rand () < 0.4))
      n(k) = near;
    else
      n(k) = randi (most);
    endif
  endfor
  if (same)
    n(:) = n(1);
  endif
endfunction

function dims = page_dims (elements)
  most = max (1, min (80, floor (2e4 / max (1, elements))));
  switch (randi (12))
    case {1, 2, 3}
      dims = 1;
    case {4, 5, 6, 7}
      dims = randi (most);
    case 8
      dims = min (most, [2, 3, 4, 8, 16, 17, 32, 33, 64, 65](randi (10)));
    case {9, 10}
      a = randi (min (most, 4));
      dims = [a, randi(max (1, min (5, floor (most / a))))];
    case 11
      dims = [1, randi(min (most, 5))];
    otherwise
      dims = merge (rand () < 0.3, 0, randi (min (most, 5)));
  endswitch
endfunction
