% tests/octave/svd_shapes.m: the shapes and types for check_svd, around the edges of methods
% SPDX-License-Identifier: GPL-3.0-or-later
%
% parts = svd_shapes (all) is a row of {shapes, types}. With `all` each shape has four types, otherwise
% one or two.

function parts = svd_shapes (all_ = false)
  parts = {};
  shapes = [1, 1, 5, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 15, 16, 17, 24, 31, 32, 32, 33, 33, 40, 48, 60, 8, 64, 64, 65, 100, 128, 129, 150, 200, 900, 17; ...
            1, 4, 1, 2, 3, 2, 4, 4, 9, 5, 6, 7, 8, 5, 9, 16, 16, 15, 24, 32, 32, 40, 32, 33, 30, 48, 8, 60, 64, 20, 64, 100, 128, 33, 40, 120, 12, 500];
  for i = 1:columns (shapes)
    types = merge (all_, "zdcs", {"zs", "dc"}{mod(i, 2) + 1});
    if (! all_ && max (shapes(:,i)) > 64)
      types = types(1);
    endif
    parts{end+1} = {shapes(:,i).', types};
  endfor
  if (all_)                     # above what a multiprocessor holds of a page
    for shape = [256, 257, 512, 700, 40, 9000; 256, 200, 512, 64, 3000, 3]
      parts{end+1} = {shape.', "dz"};
    endfor
  endif
endfunction
