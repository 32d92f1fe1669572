% tests/octave/check_large.m: batcheig on large matrices: hard ones, parts of the spectrum, failing ones
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_large (device, n, type). LAPACK's ratios are taken of 64 columns, since all of them
% would take minutes on the CPU: residual |A v - lambda v| / (n eps |A|) of eigenvectors v, and |V'*V*x - x| /
% (n eps |x|) for random x. Eigenvalues are also compared with those without vectors, and where there is a formula
% with that. A page must have the same bits alone and beside others. With "lower" and "upper" the other triangle may
% hold NaN.

function [passed, failed] = check_large (device, n, type)
  passed = failed = 0;
  rand ("twister", 5);  randn ("twister", 5);
  [make, names] = matrices (n, type);
  for k = 1:numel (make)
    A = as_type (make{k} (), type);
    try
      bad = one_matrix (A, device);
    catch err
      bad = {sprintf("[%s] %s", err.identifier, err.message)};
    end_try_catch
    passed += isempty (bad);
    failed += ! isempty (bad);
    if (! isempty (bad))
      printf ("FAILED n=%d %s %s %s: %s\n", n, type, device, names{k}, strjoin (bad, "; "));
    endif
  endfor
  bad = formula (n, type, device);
  bad = [bad, parts(as_type (make{1} (), type), device), not_hermitian(n, type, device)];
  passed += isempty (bad);
  failed += ! isempty (bad);
  if (! isempty (bad))
    printf ("FAILED n=%d %s %s: %s\n", n, type, device, strjoin (bad, "; "));
  endif
endfunction

% Matrices that are hard for a reduction to a band and for divide and conquer.
function [make, names] = matrices (n, type)
  k = (1:n)';
  cplx = any (type == "cz");
  ulp = merge (any (type == "sc"), double (eps ("single")), eps);
  R = @() hermitian (n, cplx);
  x = randn (n, 1) + 1i * cplx * randn (n, 1);
  set = {"random", R; ...
         "rank 1", @() x * x'; ...
         "graded", @() (10 .^ linspace (-4, 4, n)' * 10 .^ linspace (-4, 4, n)) .* R(); ...
         "I + eps * random", @() eye (n) + ulp * R(); ...
         "three values + eps * random", @() diag (1 + mod (k - 1, 3)) + 450 * ulp * R(); ...
         "glued Wilkinson", @() glued (n); ...
         "band of 31", @() R() .* (abs (k - k') <= 31); ...
         "band of 32", @() R() .* (abs (k - k') <= 32); ...
         "band of 33", @() R() .* (abs (k - k') <= 33); ...
         "arrow", @() R() .* (k == k' | k == n | k' == n); ...
         "zero", @() zeros (n)};
  if (n > 4000)                         # the others take long to make and to check
    set = set([1, 2, 6, 9],:);
  endif
  names = set(:,1);
  make = set(:,2);
endfunction

function bad = one_matrix (A, device)
  bad = {};
  n = rows (A);
  ulp = double (eps (class (A)));
  [V, D, info] = batcheig (A, "vector", "device", device);
  if (info != 0)
    bad{end+1} = sprintf ("info %d", info);
    return;
  endif
  [r, o] = ratios (A, V, D);
  if (! (r <= 30 && o <= 30))
    bad{end+1} = sprintf ("ratios %g %g", r, o);
  endif
  L = batcheig (A, "device", device);
  gap = worst (abs (double (L) - double (D))) / (max (abs (double (D(:)))) * n * ulp + realmin);
  if (! (gap <= 20) || any (diff (L) < 0) || any (diff (D) < 0))
    bad{end+1} = sprintf ("values alone differ by %g", gap);
  endif
endfunction

% Eigenvalues of the matrix 1-2-1 are 2 - 2 cos (pi k / (n+1)); as a part of two pages, of which one has a NaN, with
% triangles that are not read.
function bad = formula (n, type, device)
  bad = {};
  k = (1:n)';
  A = as_type (full (spdiags (ones (n, 1) * [-1, 2, -1], -1:1, n, n)), type);
  ulp = double (eps (class (A)));
  expected = 2 - 2 * cos (pi * k / (n + 1));
  half = A;
  half(triu (true (n), 1)) = NaN;
  broken = half;
  broken(n,1) = NaN;
  warning ("off", "gpulinalg:pages-failed", "local");
  [V, D, info] = batcheig (cat (3, half, broken, half), "vector", "lower", "device", device);
  [v, d] = batcheig (half, "vector", "lower", "device", device);
  if (! isequal (info(:)', [0, n+1, 0]) || ! all (isnan (V(:,:,2)(:))) || ! all (isnan (D(:,:,2))))
    bad{end+1} = sprintf ("info of pages, one with NaN: %s", mat2str (info(:)'));
  endif
  if (! isequal (v, V(:,:,1), V(:,:,3)) || ! isequal (d, D(:,:,1), D(:,:,3)))
    bad{end+1} = "a page alone has other bits";
  endif
  clear V D
  if (! (worst (abs (double (d) - expected)) <= 20 * n * ulp))
    bad{end+1} = sprintf ("1-2-1 differs by %g", worst (abs (double (d) - expected)));
  endif
  other = A;
  other(tril (true (n), -1)) = NaN;
  d = batcheig (other, "upper", "device", device);
  if (! (worst (abs (double (d) - expected)) <= 20 * n * ulp))
    bad{end+1} = sprintf ("upper: 1-2-1 differs by %g", worst (abs (double (d) - expected)));
  endif
endfunction

% The fourth page differs from its adjoint, and may use memory of the first one, whose vectors are NaN.
function bad = not_hermitian (n, type, device)
  bad = {};
  H = as_type (rand (n), type);
  A = repmat (H + H', 1, 1, 4);
  A(1,1,1) = NaN;
  A(1,2,4) += 0.25;
  warning ("off", "gpulinalg:pages-failed", "local");
  calls = {@() batcheig(A, "vector", "device", device), @() batcheig(A(:,:,4), "vector", "device", device), ...
           @() batcheig(A(:,:,4), "vector", "device", device)};
  wanted = {"page 4", "page 1", "page 1"};
  for k = 1:numel (calls)
    found = "";
    try
      [V, D] = calls{k} ();
    catch err
      found = err.message;
    end_try_catch
    if (isempty (strfind (found, wanted{k})) || isempty (strfind (found, "is not Hermitian")))
      bad{end+1} = sprintf ("call %d with a page that is not Hermitian: \"%s\"", k, found);
    endif
  endfor
endfunction

function bad = parts (A, device)
  bad = {};
  n = rows (A);
  [V, D] = batcheig (A, "vector", "device", device);
  [v, d] = batcheig (A, "vector", "device", device, "range", [n-20, n-3]);
  if (! isequal (d, D(n-20:n-3)))
    bad{end+1} = "the eigenvalues of a range have other bits than the whole";
  endif
  bad = [bad, part_ratios(A, v, d, "a range")];
  [v, d] = batcheig (A, "vector", "device", device, "interval", [D(5), D(9)]);
  if (! isequal (d, D(6:9)))
    bad{end+1} = "the eigenvalues of an interval have other bits than the whole";
  endif
  bad = [bad, part_ratios(A, v, d, "an interval")];
  % A GPU forms these vectors alone.
  if (strcmp (device, "cpu") && ! isequal (v, V(:,6:9)))
    bad{end+1} = "the eigenvectors of an interval have other bits than the whole";
  endif
endfunction

function bad = part_ratios (A, v, d, name)
  bad = {};
  n = rows (A);
  small = n * double (eps (class (A)));
  w = double (v);
  residual = one_norm (double (A) * w - w .* double (d).') / (one_norm (double (A)) * small);
  orthogonality = one_norm (w' * w - eye (columns (w))) / small;
  if (! (residual <= 30 && orthogonality <= 30))
    bad{end+1} = sprintf ("%s has ratios %g and %g", name, residual, orthogonality);
  endif
endfunction

function [residual, orthogonality] = ratios (A, V, lambda)
  n = rows (A);
  ulp = double (eps (class (A)));
  a = double (A);
  v = double (V);
  some = unique ([1:16, randperm(n, 32), n-15:n]);
  size_ = norm (a, 1);
  residual = one_norm (a * v(:,some) - v(:,some) .* double (lambda(some)).') / (size_ * n * ulp + realmin);
  x = randn (n, 64);
  orthogonality = worst (norm (v' * (v * x) - x, "columns") ./ norm (x, "columns")) / (n * ulp);
endfunction

function A = hermitian (n, cplx)
  A = randn (n);
  if (cplx)
    A = complex (A, randn (n));
  endif
  A = (A + A') / 2;
endfunction

% Wilkinson's matrices of order 21 with 1e-14 between them.
function A = glued (n)
  k = (0:n-1)';
  beside = ones (n, 1);
  beside(21:21:n) = 1e-14;
  A = full (spdiags ([beside, abs(mod (k, 21) - 10), [0; beside(1:n-1)]], -1:1, n, n));
endfunction

function A = as_type (A, type)
  if (any (type == "sc"))
    A = single (A);
  endif
  if (any (type == "cz"))
    A = complex (A);
  endif
endfunction
