% tests/octave/gsvd_shapes.m: the shapes, types and choices for check_gsvd
% SPDX-License-Identifier: GPL-3.0-or-later
%
% parts = gsvd_shapes (all) is a row of {shapes, types, choices}: every m, n and p up to 3, larger ones of
% every kind, and sizes around those of blocks. With `all` each shape has four types, otherwise one of them.

function parts = gsvd_shapes (all_ = false)
  parts = {};
  choices = {"auto", "bo", "me"; "hz", "bo", "me"; "tangent", "bo", "me"; "hz", "fb", "mm"; "tangent", "fb", "mm"};
  function add (shape, row_numbers)
    types = merge (all_, "zdcs", "zdcs"(mod (numel (parts), 4) + 1));
    parts{end+1} = {shape, types, choices(row_numbers,:)};
  endfunction
  for k = 0:63
    add ([mod(k, 4), mod(floor (k / 4), 4), floor(k / 16)], [1, 2 + mod(k, 2)]);
  endfor
  for shape = [4, 1, 7, 12, 20, 5, 30, 9, 40, 17, 3, 1, 24, 200; 2, 2, 6, 5, 9, 18, 4, 12, 35, 60, 2, 30, 1, 90; ...
               4, 4, 9, 9, 16, 16, 16, 33, 33, 33, 33, 20, 20, 10]
    add (shape.', 1:3);
  endfor
  for p = [8, 16, 31, 32, 33]
    add ([p + 3, p + 1, p], 1:5);
    add ([p, p, p], 1:5);
  endfor
  for p = [63, 64, 65, 100]
    add ([p + 3, p + 1, p], 1:3);
  endfor
  for p = [127, 128, 129, 200]
    add ([p, p + 5, p], 1 + mod (p, 3));
  endfor
  if (! all_)                     # types and methods that once had errors and that the rotation would skip
    for part = {{[4, 2, 2], "zd", 2}, {[4, 3, 3], "cs", 2}, {[19, 17, 16], "zc", 2}, {[17, 60, 33], "d", 3}, ...
                {[36, 34, 33], "d", 2}, {[67, 65, 64], "z", 2}, {[68, 66, 65], "d", 3}}
      parts{end+1} = {part{1}{1:2}, choices(part{1}{3},:)};
    endfor
  endif
endfunction
