% tests/octave/check_many_values.m: eigenvalues without vectors of very many pages, by the kernels for these
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_many_values (device). One page has a NaN. Its neighbours and the last pages must have
% the bits that they have alone, and the eigenvalues of the CPU, also with "maxit" 1, where the other method
% computes pages again. The matrices are dense, banded, or have dependent columns, so that norms of a panel must
% be computed again.

function [passed, failed] = check_many_values (device)
  passed = failed = 0;
  rand ("twister", 2);  randn ("twister", 2);
  for set = {{"z", 49, 1061}, {"c", 90, 2115}, {"d", 57, 2117}, {"d", 150, 1061}, {"s", 72, 2119}}
    [type, n, pages] = set{1}{:};
    A = some_pages (type, n, pages);
    A(2,1,7) = NaN;
    L = batcheig (A, "lower", "device", device);
    bad = (1:pages)' == 7;
    ok = all (isnan (L(:,:,7))) && ! any (isnan (L(:,:,! bad)(:)));
    some = [1:6, 8:13, pages-5:pages];
    for p = some
      ok(end+1) = isequal (batcheig (A(:,:,p), "lower", "device", device), L(:,:,p));
    endfor
    expected = batcheig (A(:,:,some), "lower", "device", "cpu");
    gap = worst (abs (L(:,:,some) - expected), 1) ./ max (abs (expected), [], 1);
    ok(end+1) = all (gap(:) < 2 * n * eps (class (A)));
    hasty = batcheig (A(:,:,some), "lower", "device", device, "maxit", 1);
    gap = worst (abs (hasty - expected), 1) ./ max (abs (expected), [], 1);
    ok(end+1) = all (gap(:) < 2 * n * eps (class (A)));
    if (! all (ok))
      printf ("FAILED many values: %s n=%d: checks %s\n", type, n, mat2str (find (! ok)));
    endif
    passed += sum (ok);
    failed += sum (! ok);
  endfor
endfunction

function A = some_pages (type, n, pages)
  A = randn (n, n, pages);
  if (any (type == "zc"))
    A += 1i * randn (n, n, pages);
  endif
  A(:,:,2:6:end) = A(:,:,2:6:end) .* (abs ((1:n)' - (1:n)) <= 3);
  X = A(:,1:5,3:6:end);               # of rank 5
  A(:,:,3:6:end) = pagemtimes (X, "none", X, "ctranspose", "device", "cpu");
  A(:,:,4:6:end) = A(:,:,4:6:end) .* (10 .^ (-(1:n)' / 4) .* 10 .^ (-(1:n) / 4));
  if (any (type == "sc"))
    A = single (A);
  endif
endfunction
