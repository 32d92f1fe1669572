% tests/octave/check_not_hermitian.m: pages that are not Hermitian give an error that names the page
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_not_hermitian (device, sizes). One entry of one page differs from its mirror image, or
% is on the diagonal and not real. The error must name the page and the difference, with and without
% eigenvectors, wherever the entry is. With "lower" and "upper" the other triangle does not matter. A difference
% of the size of rounding errors is no error; the eigenvalues are those of (A + A')/2.

function [passed, failed] = check_not_hermitian (device, sizes)
  passed = failed = 0;
  rand ("twister", 3);
  for type = "zdcs"
    for n = sizes
      A = hermitian_pages (type, n, 7);
      ok = [];
      for place = places (type, n)
        i = place(1);  j = place(2);
        B = A;
        if (i == j)
          B(i,i,5) += 0.125i;
        else
          B(i,j,5) += 0.25;
        endif
        ok(end+1) = refused (B, device, 1) && refused (B, device, 2);
        if (i != j)
          triangle = {"lower", "upper"}{1 + (i > j)};
          ok(end+1) = isequal (batcheig (B, triangle, "device", device), batcheig (A, triangle, "device", device));
        endif
      endfor
      noise = 1 + eps (class (A)) * (rand (n, n, 7) - 0.5);
      C = A .* noise;
      L = batcheig (C, "device", device);
      M = batcheig ((C + conj (permute (C, [2, 1, 3]))) / 2, "device", device);
      ok(end+1) = worst (abs (L(:) - M(:))) <= 2 * n * eps (class (A)) * max (abs (M(:)));
      if (! all (ok))
        printf ("FAILED not Hermitian: %s n=%d %s: checks %s\n", type, n, device, mat2str (find (! ok)));
      endif
      passed += sum (ok);
      failed += sum (! ok);
    endfor
  endfor
endfunction

function A = hermitian_pages (type, n, pages)
  A = rand (n, n, pages) - 0.5;
  if (any (type == "zc"))
    A = complex (A, rand (n, n, pages) - 0.5);
  endif
  A += conj (permute (A, [2, 1, 3]));
  if (any (type == "sc"))
    A = single (A);
  endif
endfunction

% The corners, a place in each triangle, and for complex pages both ends of the diagonal.
function p = places (type, n)
  p = zeros (2, 0);
  if (n > 1)
    k = 1 + floor ((n - 1) * rand ());
    p = [n, 1, k + 1, k; 1, n, k, k + 1];
  endif
  if (any (type == "zc"))
    p = [p, [1, n; 1, n]];
  endif
endfunction

% Whether the error names page 5 and the difference 0.25.
function yes = refused (B, device, outputs)
  yes = false;
  try
    out = cell (1, outputs);
    [out{:}] = batcheig (B, "device", device);
  catch err
    told = sscanf (regexprep (err.message, '.*page (\d+) of .* is ([-+.e\d]+);.*', '$1 $2'), "%g");
    yes = strcmp (err.identifier, "gpulinalg:not-hermitian") && numel (told) == 2 && told(1) == 5 && ...
          abs (told(2) - 0.25) < 1e-4;
  end_try_catch
endfunction
