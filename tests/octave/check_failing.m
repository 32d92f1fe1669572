% tests/octave/check_failing.m: pages with NaN fail alone, and their neighbours keep their bits
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_failing (device). One page of 200 has a NaN.

function [passed, failed] = check_failing (device)
  passed = failed = 0;
  for n = [16, 20, 33, 64]
    A = rand (n, n, 200);  A = A + permute (A, [2 1 3]);
    A(3,n,7) = A(n,3,7) = NaN;
    [V, D, info] = batcheig (A, "vector", "device", device);
    L = batcheig (A, "device", device);
    good = [1:6, 8:200];
    [V2, D2] = batcheig (A(:,:,good), "vector", "device", device);
    [Vc, Dc] = batcheig (A(:,:,good), "vector", "device", "cpu");
    bad = int32 ((1:200)' == 7) * (n + 1);
    ok = isequal (info, bad) && isequal (V(:,:,good), V2) && all (isnan (V(:,:,7)(:)));
    ok(2) = all (isnan (L(:,:,7)(:))) && worst (abs (L(:,:,good)(:) - D2(:))) < 1e-11;
    ok(3) = worst (abs (Dc(:) - D2(:))) < 1e-11;
    passed += sum (ok);
    failed += sum (! ok);
  endfor
endfunction
