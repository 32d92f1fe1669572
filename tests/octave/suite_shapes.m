% tests/octave/suite_shapes.m: shapes and types for check_svd, check_qr, check_gsvd and check_pages in an accuracy suite
% SPDX-License-Identifier: GPL-3.0-or-later
%
% parts = suite_shapes (suite, all): a row of cells with the arguments behind the device. suite: "svd", "qr", "gsvd" or
% "pages". With `all` each shape has four types, otherwise one or two, and there are fewer pages.

function parts = suite_shapes (suite, all_ = false)
  makers = struct ("svd", @svd_shapes, "qr", @qr_shapes, "gsvd", @gsvd_shapes, "pages", @page_shapes);
  parts = makers.(suite) (all_);
endfunction

% {shapes, types} around the edges of methods.
function parts = svd_shapes (all_)
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

% {shapes, types} around tile edges and tall: square, m = 2n, n + 1 and n / 2 for every n. Large shapes have a part for each
% type, at the end, so that shares of the suite take about the same time.
function parts = qr_shapes (all_)
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

% {shapes, types, choices}: every m, n and p up to 3, larger ones of every kind, and sizes around those of blocks.
function parts = gsvd_shapes (all_)
  parts = {};
  choices = {"auto", "bo", "me"; "hz", "bo", "me"; "tangent", "bo", "me"; "hz", "fb", "mm"; "tangent", "fb", "mm"};
  add = @(parts, shape, row_numbers) [parts, {{shape, merge(all_, "zdcs", "zdcs"(mod (numel (parts), 4) + 1)), choices(row_numbers,:)}}];
  for k = 0:63
    parts = add (parts, [mod(k, 4), mod(floor (k / 4), 4), floor(k / 16)], [1, 2 + mod(k, 2)]);
  endfor
  for shape = [4, 1, 7, 12, 20, 5, 30, 9, 40, 17, 3, 1, 24, 200; 2, 2, 6, 5, 9, 18, 4, 12, 35, 60, 2, 30, 1, 90; ...
               4, 4, 9, 9, 16, 16, 16, 33, 33, 33, 33, 20, 20, 10]
    parts = add (parts, shape.', 1:3);
  endfor
  for p = [8, 16, 31, 32, 33]
    parts = add (parts, [p + 3, p + 1, p], 1:5);
    parts = add (parts, [p, p, p], 1:5);
  endfor
  for p = [63, 64, 65, 100]
    parts = add (parts, [p + 3, p + 1, p], 1:3);
  endfor
  for p = [127, 128, 129, 200]
    parts = add (parts, [p, p + 5, p], 1 + mod (p, 3));
  endfor
  if (! all_)                     # types and methods that once had errors and that the rotation would skip
    for part = {{[4, 2, 2], "zd", 2}, {[4, 3, 3], "cs", 2}, {[19, 17, 16], "zc", 2}, {[17, 60, 33], "d", 3}, ...
                {[36, 34, 33], "d", 2}, {[67, 65, 64], "z", 2}, {[68, 66, 65], "d", 3}}
      parts{end+1} = {part{1}{1:2}, choices(part{1}{3},:)};
    endfor
  endif
endfunction

% {what, sizes} and types: sizes around the edges of tiles and of blocks.
function cases = page_shapes (full)
  if (full)
    small = [1:12, 15:17, 23:25, 31:33];
    large = {[47:49, 63:65], 100, [127, 128], 129, 160, 256};
  else
    small = [1:4, 8, 13, 16, 24, 32, 33];
    large = {[48, 65], 100, 128};
  endif
  cases = {};
  for what = {"products", "systems", "inverses", "norms"}
    # pages of A with one element divide by elements, which a GPU does not do
    cases{end+1} = {what{1}, small(small > strcmp (what{1}, "systems"))};
    for sizes = large
      types = merge (max (sizes{1}) > 129, "dc", "zdcs");
      cases{end+1} = {what{1}, sizes{1}, types};
    endfor
  endfor
endfunction
