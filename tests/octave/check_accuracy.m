% tests/octave/check_accuracy.m: batcheig on every class of hard matrix, around every tile edge
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_accuracy (device, sizes, methods, types). For each size, type and method
% all classes of hard_pages are one batch. Residual and orthogonality ratios must be at most 30, and
% their median at most 10. Eigenvalues without vectors must agree with those with vectors. A page must
% have the same bits alone as in the batch. With "lower" and "upper" the other triangle may hold NaN.

function [passed, failed] = check_accuracy (device, sizes, methods = {"qr", "jacobi"}, types = "zdcs")
  rand ("twister", 1);  randn ("twister", 1);
  passed = failed = 0;
  for n = sizes
    for type = types
      [A, names] = hard_pages (n, type);
      if (n > 128)                          # fewer classes for large pages
        keep = ismember (names, {"random", "rank n/2", "graded", "glued Wilkinson", "geometric", ...
                                 "three values + eps * random"});
        A = A(:,:,keep);
        names = names(keep);
      endif
      for m = 1:numel (methods)
        [good, bad] = one_case (A, names, n, type, methods{m}, device);
        passed += good;
        failed += bad;
      endfor
    endfor
  endfor
endfunction

function [passed, failed] = one_case (A, names, n, type, method, device)
  passed = failed = 0;
  P = size (A, 3);
  ulp = double (eps (class (A)));
  rounding = double (realmin (class (A))) * ulp;   # the smallest denormal number
  label = sprintf ("n=%d %s %s %s", n, type, method, device);
  function check (ok, text)
    if (ok)
      passed++;
    else
      failed++;
      printf ("FAILED %s: %s\n", label, text);
    endif
  endfunction
  try
    [V, D, info] = batcheig (A, "vector", "method", method, "device", device);
    check (all (info == 0), sprintf ("pages with info: %s", strjoin (names(info != 0), "; ")));
    [r, o] = eig_ratios (A, V, D);
    [most, at] = max (r);
    check (most <= 30, sprintf ("residual ratio %g on %s", most, names{at}));
    [most, at] = max (o);
    check (most <= 30, sprintf ("orthogonality ratio %g on %s", most, names{at}));
    check (median (r) <= 10 && median (o) <= 10, sprintf ("medians %g %g", median (r), median (o)));
    L = batcheig (A, "method", method, "device", device);
    scale = max (max (abs (D), [], 1), [], 2);
    gap = worst (abs (double (L) - double (D)), 1) ./ (double (scale) * n * ulp + rounding);
    check (all (gap(:) <= 20), sprintf ("values alone differ by %g", max (gap(:))));
    p = min (P, 4);
    [v, d] = batcheig (A(:,:,p), "vector", "method", method, "device", device);
    check (isequal (v, V(:,:,p)) && isequal (d, D(:,:,p)), "a page alone has other bits");
    l = batcheig (A(:,:,p), "method", method, "device", device);
    check (isequal (l, L(:,:,p)), "values alone: a page alone has other bits");
    half = A;
    half(repmat (triu (true (n), 1), [1 1 P])) = NaN;
    [v, d] = batcheig (half, "vector", "lower", "method", method, "device", device);
    [r, o] = eig_ratios (A, v, d);
    check (max (r) <= 30 && max (o) <= 30, sprintf ("lower: ratios %g %g", max (r), max (o)));
    half = A;
    half(repmat (tril (true (n), -1), [1 1 P])) = NaN;
    d = batcheig (half, "vector", "upper", "method", method, "device", device);
    gap = worst (abs (double (d) - double (D)), 1) ./ (double (scale) * n * ulp + rounding);
    check (all (gap(:) <= 20), sprintf ("upper: values differ by %g", max (gap(:))));
  catch err
    check (false, sprintf ("[%s] %s", err.identifier, err.message));
  end_try_catch
endfunction
