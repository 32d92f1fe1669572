% random_pages.m: random Hermitian pages, uniform in (-1, 1), of type "s", "d", "c" or "z"
% SPDX-License-Identifier: GPL-3.0-or-later

function A = random_pages (n, pages, type)
  class_ = {"double", "single"}{1 + any(type == "sc")};
  A = 2 * rand (n, n, pages, class_) - 1;
  if (any (type == "cz"))
    A = complex (A, 2 * rand (n, n, pages, class_) - 1);
  end
  A += conj (permute (A, [2, 1, 3]));
  A /= 2;
end
