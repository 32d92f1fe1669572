% gsvd_pairs.m: random pairs, normally distributed, of any shape and of type "s", "d", "c" or "z"
% SPDX-License-Identifier: GPL-3.0-or-later

function [A, B] = gsvd_pairs (m, n, p, pages, type)
  randn ("twister", 1);
  A = numbers ([m, p, pages], type);
  B = numbers ([n, p, pages], type);
end

function A = numbers (shape, type)
  class_ = {"double", "single"}{1 + any(type == "sc")};
  A = randn (shape, class_);
  if (any (type == "cz"))
    A = complex (A, randn (shape, class_));
  end
end
