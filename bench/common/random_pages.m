% random_pages.m: random pages, uniform in (-1, 1), of type "s", "d", "c" or "z"
% SPDX-License-Identifier: GPL-3.0-or-later
%
% A = random_pages (n, pages, type): Hermitian.  A = random_pages ([m, n], pages, type): general.

function A = random_pages (shape, pages, type)
  class_ = {"double", "single"}{1 + any(type == "sc")};
  m = shape(1);
  n = shape(end);
  A = 2 * rand (m, n, pages, class_) - 1;
  if (any (type == "cz"))
    A = complex (A, 2 * rand (m, n, pages, class_) - 1);
  end
  if (isscalar (shape))
    A += conj (permute (A, [2, 1, 3]));
    A /= 2;
  end
end
