% tests/octave/page_cases.m: the cases of check_pages in an accuracy suite; `full`: more sizes
% SPDX-License-Identifier: GPL-3.0-or-later
%
% cases = page_cases (full): each is a cell with the arguments of check_pages behind the device. Sizes lie around
% the edges of tiles and of blocks.

function cases = page_cases (full)
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
