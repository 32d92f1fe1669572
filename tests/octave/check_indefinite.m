% tests/octave/check_indefinite.m: eigenvalues of indefinite pages by "jacobi", which shifts them to be definite
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed, ratios] = check_indefinite (device, sizes, types). For each order and type all kinds of pages are one
% batch. Eigenvalues, with vectors and without, must be within (3 n + 12) eps of the largest one of those that LAPACK has in
% double precision; those of "qr", too. Errors of a shifted page are relative to the largest eigenvalue and the shift
% together, which is about 2.7 times the largest one where a page is random. ratios has the largest errors in n eps |A|, a
% row for each order and type: "jacobi", and "qr".

function [passed, failed, ratios] = check_indefinite (device, sizes = [2:5, 7:9, 15:17, 24, 31:33, 40, 47:49, 56, 63:65, 90], types = "zdcs")
  passed = failed = 0;
  ratios = zeros (0, 2);
  for n = sizes
    for type = types
      [A, names] = indefinite_pages (n, type);
      expected = reference (A);
      largest = max (abs (expected), [], 1);
      unit = n * eps (class (A)) * largest + step_of (A);
      bound = 3 + 12 / n;
      row = [0, 0];
      for call = {{1, "jacobi", 1}, {1, "jacobi", 2}, {2, "qr", 1}}
        [column, method, outputs] = call{1}{:};
        if (outputs == 1)
          L = batcheig (A, "method", method, "device", device);
        else
          [~, L] = batcheig (A, "vector", "method", method, "device", device);
        endif
        [off, page] = worst (worst (abs (double (L) - expected) ./ unit, 1)(:));
        row(column) = max (row(column), off);
        passed += off <= bound;
        failed += ! (off <= bound);
        if (! (off <= bound))
          printf ("FAILED indefinite: %s n=%d %s, %d outputs, %s: %g n eps |A|\n", type, n, method, outputs, names{page}, off);
        endif
      endfor
      ratios(end+1,:) = row;
    endfor
  endfor
endfunction

function [A, names] = indefinite_pages (n, type)
  rand ("twister", 12);
  randn ("twister", 12);
  is_single = any (type == "sc");
  A = zeros (n, n, 0);
  names = {};
  function X = any_of (varargin)
    X = randn (varargin{:});
    if (any (type == "cz"))
      X += 1i * randn (varargin{:});
    endif
  endfunction
  function add (name, X)
    A(:,:,end+1) = (X + X') / 2;
    names{end+1} = name;
  endfunction
  function X = with_values (d)
    [Q, ~] = qr (any_of (n));
    X = Q * (d(:) .* Q');
  endfunction
  for k = 1:6
    add ("random", any_of (n));
  endfor
  X = any_of (n);
  add ("negative definite", -X * X');
  add ("semidefinite", X(:,1:ceil(n/2)) * X(:,1:ceil(n/2))');
  add ("negative semidefinite", -X(:,1:ceil(n/2)) * X(:,1:ceil(n/2))');
  add ("one negative eigenvalue", X * X' - 2 * n * X(:,1) * X(:,1)');
  add ("a small negative eigenvalue", with_values ([-1e-3, linspace(1, 2, n - 1)]));
  add ("plus and minus one", with_values ((-1) .^ (1:n)));
  add ("minus identity, nearly", -eye (n) + 1e-3 * any_of (n));
  add ("one large entry", diag ([zeros(1, n - 1), -1e4]) + any_of (n));
  add ("zero diagonal of ones", ones (n) - eye (n));
  add ("antidiagonal", fliplr (diag (ones (n, 1))));
  add ("graded", 10 .^ (-(1:n)' / 4) .* any_of (n) .* 10 .^ (-(1:n) / 4));
  far = merge (is_single, 1e36, 1e306);
  add ("huge", any_of (n) * far);
  add ("tiny", any_of (n) / far);
  add ("denormal", round (1000 * any_of (n)) * step_of (merge (is_single, single (1), 1)));
  if (any (type == "cz"))
    A = complex (A);
  endif
  if (is_single)
    A = single (A);
  endif
  A = (A + permute (conj (A), [2, 1, 3])) / 2; # Hermitian after rounding, too
endfunction

% LAPACK's, in double precision, of pages divided by their largest entry.
function L = reference (A)
  L = zeros (rows (A), 1, size (A, 3));
  for p = 1:size (A, 3)
    a = double (A(:,:,p));
    [~, e] = log2 (max (abs (a(:))));
    a = a * 2 ^ -floor (e / 2) * 2 ^ (floor (e / 2) - e); # twice, since 1/denormal overflows
    L(:,1,p) = eig ((a + a') / 2) * 2 ^ floor (e / 2) * 2 ^ (e - floor (e / 2));
  endfor
endfunction

% The smallest number of a class.
function s = step_of (A)
  s = merge (isa (A, "single"), 2 ^ -149, 2 ^ -1074);
endfunction
