% qr_pages.m: random pages, uniform in (-1, 1), of any shape and of type "s", "d", "c" or "z"
% SPDX-License-Identifier: GPL-3.0-or-later

function A = qr_pages (m, n, pages, type)
  class_ = {"double", "single"}{1 + any(type == "sc")};
  A = 2 * rand (m, n, pages, class_) - 1;
  if (any (type == "cz"))
    A = complex (A, 2 * rand (m, n, pages, class_) - 1);
  end
end
