% tests/octave/random_pages.m: an array of random pages of many families, for random_call
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, names, bad] = random_pages (m, n, dims, type, what). dims are the dimensions from the third on, type is "d", "s",
% "z" or "c". what is "any", "hermitian" (m is n), "definite" (well conditioned, too) or "regular" (square pages with a
% condition number of a few hundreds). names has the family of each page, bad is true where a page holds NaN or Inf,
% which is so in one batch of ten. Numbers of a page may be as large as 1e300 or as small as 1e-300 (single: 1e36).

function [A, names, bad] = random_pages (m, n, dims, type, what = "any", scaled = true)
  P = prod (dims);
  A = zeros (m, n, P);
  names = cell (1, P);
  one = rand () < 0.4;                  # one family for all pages
  kind = randi (26);
  hard = what;
  for p = 1:P
    if (! one)
      kind = randi (26);
    endif
    switch (what)
      case "any"
        [X, names{p}] = any_page (m, n, type, kind);
      case "hermitian"
        [X, names{p}] = any_page (m, n, type, kind);
        X = (X + X') / 2;
      case "definite"
        X = orthonormal (n, n, type);
        X = (X .* 10 .^ (-2 * rand (1, n))) * X';
        names{p} = what;
      case "regular"
        X = (orthonormal (n, n, type) .* 10 .^ (-2 * rand (1, n))) * orthonormal (n, n, type);
        names{p} = what;
    endswitch
    if (scaled && rand () < 0.15)
      powers = [-300, -200, -20, 20, 150, 300] * merge (any (type == "sc"), 0.12, 1);
      power = powers(randi (6));
      X = X * 10 ^ power;
      names{p} = sprintf ("%s * 1e%g", names{p}, power);
    endif
    A(:,:,p) = X;
  endfor
  if (P > 0 && rand () < 0.1 && ! any (strcmp (what, {"definite", "regular"})))
    [A, names] = with_hard_pages (A, names, m, n, type, what);
  endif
  if (any (type == "sc"))
    A = single (A);
  endif
  if (any (strcmp (what, {"hermitian", "definite"})))
    A = hermitian (A, what);
  endif
  A = with_bad_pages (A, any (strcmp (what, {"hermitian", "definite"})));
  bad = ! reshape (all (all (isfinite (A), 1), 2), [], 1);
  A = reshape (A, [m, n, dims]);
  if (any (type == "zc"))
    A = complex (A);                    # Octave makes it real where it has no imaginary parts
  endif
endfunction

% (A + A') / 2 may overflow, or not be Hermitian to the bit; now and then it is so to within rounding only.
function A = hermitian (A, what)
  n = rows (A);
  for p = 1:(n > 0) * size (A, 3)        # tril (zeros (0), -1) is an error in Octave 6
    X = A(:,:,p);
    X(1:n+1:end) = real (diag (X));
    A(:,:,p) = tril (X) + tril (X, -1)';
  endfor
  if (rand () < 0.05)
    up = repmat ((1:n)' < (1:n), [1, 1, size(A, 3)]);
    A(up) *= 1 + eps (class (A));
  endif
endfunction

function A = with_bad_pages (A, mirrored)
  P = size (A, 3);
  if (isempty (A) || rand () > 0.1)
    return;
  endif
  for p = randi (P, 1, randi (2))
    i = randi (rows (A));
    j = randi (columns (A));
    A(i,j,p) = [NaN, Inf, -Inf](randi (3));
    if (mirrored)
      A(j,i,p) = A(i,j,p);
    endif
  endfor
endfunction

% Some pages of the accuracy suites in place of others.
function [A, names] = with_hard_pages (A, names, m, n, type, what)
  if (min (m, n) < 2 || m * n > 4000)
    return;
  endif
  later = randi (2 ^ 31 - 1, 1, 2);
  if (strcmp (what, "hermitian"))
    [H, its] = hard_pages (n, type);
  elseif (rand () < 0.5)
    [H, its] = hard_matrices (m, n, type);
  else
    [H, its] = hard_svd_pages (m, n, type);
  endif
  rand ("twister", later(1));           # the families may have set seeds of their own
  randn ("twister", later(2));
  for p = 1:numel (names)
    k = randi (numel (its));
    A(:,:,p) = double (H(:,:,k));
    names{p} = its{k};
  endfor
endfunction

function [X, name] = any_page (m, n, type, kind)
  k = min (m, n);
  if (k == 0)
    [X, name] = deal (zeros (m, n), "empty");
    return;
  endif
  switch (kind)
    case {1, 2, 3, 4, 5, 6}
      [X, name] = deal (numbers (m, n, type), "random");
    case 7
      r = randi (max (1, k));
      [X, name] = deal (numbers (m, r, type) * numbers (r, n, type), sprintf ("rank %d", r));
    case 8
      [X, name] = deal (zeros (m, n), "zero");
    case 9
      [X, name] = deal (ones (m, n), "ones");
    case {10, 11}
      [X, name] = deal (round (2 * numbers (m, n, type)), "small integers");
    case 12
      [X, name] = deal (full (eye (m, n)), "identity");
    case 13
      [X, name] = deal (numbers (m, n, type) .* eye (m, n), "diagonal");
    case 14
      [X, name] = deal (triu (numbers (m, n, type)), "upper triangle");
    case 15
      [X, name] = deal (tril (numbers (m, n, type)), "lower triangle");
    case 16
      [X, name] = deal (numbers (m, n, type) .* 10 .^ -linspace (0, 20 * rand (), n), "columns graded");
    case 17
      [X, name] = deal (numbers (m, n, type) .* 10 .^ linspace (0, -20 * rand (), m)', "rows graded");
    case 18
      [X, name] = deal (orthonormal (m, n, type), "orthonormal");
    case 19
      [X, name] = deal (numbers (m, n, type) .* (rand (m, n) < 0.15), "many zeros");
    case 20
      s = 10 .^ (-16 * rand (1, k));
      [X, name] = deal ((orthonormal (m, k, type) .* s) * orthonormal (n, k, type)', "values over 16 decades");
    case 21
      X = numbers (m, max (n, 1), type);
      [X, name] = deal (X(:,randi (max (n, 1), 1, n)), "equal columns");
    case 22
      [X, name] = deal (numbers (m, n, type) .* (abs ((1:m)' - (1:n)) < 3), "banded");
    case 23
      X = numbers (m, n, type);
      X(randi (max (1, m * n), 1, min (1, m * n))) *= 10 ^ (16 * (rand () - 0.5));
      name = "one large or small number";
    case 24
      [X, name] = deal (1 ./ ((1:m)' + (0:n-1)), "Hilbert");
    case 25
      X = numbers (m, n, type);
      X(:,any (rand (1, n) < 0.3, 1)) = 0;
      name = "zero columns";
    otherwise
      X = eye (max (m, n))(randperm (max (m, n)),:);
      [X, name] = deal (X(1:m,1:n), "permutation");
  endswitch
endfunction

function G = numbers (m, n, type)
  G = randn (m, n);
  if (any (type == "cz"))
    G = complex (G, randn (m, n));
  endif
endfunction

% Orthonormal columns, or rows where there are fewer of them.
function Q = orthonormal (m, n, type)
  [Q, ~] = qr (numbers (max (m, n), min (m, n), type), 0);
  if (m < n)
    Q = Q';
  endif
endfunction
