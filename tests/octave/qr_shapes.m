% tests/octave/qr_shapes.m: the shapes and types for check_qr, around tile edges and tall
% SPDX-License-Identifier: GPL-3.0-or-later
%
% parts = qr_shapes (all) is a row of {shapes, types}: square, m = 2n, n + 1 and n / 2 for every n.
% With `all` each shape has four types, otherwise one of them; large shapes have a part for each type, at
% the end, so that shares of the suite take about the same time.

function parts = qr_shapes (all_ = false)
  parts = {};
  sizes = [1, 2, 3, 4, 6, 7, 8, 9, 12, 13, 15, 16, 17, 24, 25, 31, 32, 33, 48, 49, 63, 64, 65, 100, 127, 128, 129, 130, 200, 256, 257, 300];
  for i = 1:numel (sizes)
    n = sizes(i);
    m = [n, 2 * n, n + 1, ceil(n / 2)];
    for j = 1:4
      if (all_)
        types = "zdcs";
      elseif (n <= 33)
        types = {"zs", "dc"}{mod (i + j, 2) + 1};
      elseif (n < 130)
        types = "zdcs"(mod (i + j, 4) + 1);
      else
        types = "ds"(mod (i + j, 2) + 1);
      endif
      parts{end+1} = {[m(j), n], types};
    endfor
  endfor
  % a GPU does pages of up to 64 columns and four times as many rows by threads and tiles; these are their edges
  for shape = [8, 16, 17, 32, 36, 48, 49, 64, 65, 96, 97, 128, 192, 193, 256, 257, 384, 512, 513; 2, 4, 4, 8, 9, 12, 12, 16, 16, 24, 24, 32, 48, 48, 64, 64, 12, 32, 16]
    parts{end+1} = {shape.', merge(all_, "zdcs", "dz")};
  endfor
  types = merge (all_, "zdcs", "d");
  for shape = [2000, 20000, 100000; 5, 33, 16]
    parts{end+1} = {shape.', types};
  endfor
  % a GPU computes these from A'A, by leaves of 64 columns
  for shape = [2049, 3000, 2100, 4500, 2200, 390, 128, 512, 640; 2, 63, 65, 129, 193, 257, 33, 17, 32]
    parts{end+1} = {shape.', types};
  endfor
  for shape = [1000, 1500; 513, 900]
    for type = types
      parts{end+1} = {shape.', type};
    endfor
  endfor
  if (all_)                     # and these by strips
    parts(end+1:end+2) = {{[2500, 1601], "s"}, {[2450, 1630], "z"}};
  endif
endfunction
