% tests/octave/gpu_suite.m: the accuracy suite on the GPU. Environment: PART=memory (reads the free memory, so
% nothing else may use the GPU), eig, failing, svd, qr, gsvd, sparse, pages or arrays runs only that part, SHARE=k/n every
% n-th case from the k-th on; QUICK=1: fewer sizes, but every kernel. The last line has the counts.
% SPDX-License-Identifier: GPL-3.0-or-later

1;  # a script, although it begins with functions

% Pages with NaN fail alone, and their neighbours keep their bits: one page of 200 has a NaN.
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

% Eigenvalues without vectors of very many pages, by the kernels for these. One page has a NaN. Its neighbours and the
% last pages must have the bits that they have alone, and the eigenvalues of the CPU, also with "maxit" 1, where the other
% method computes pages again. The matrices are dense, banded, or have dependent columns, so that norms of a panel must be
% computed again.
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

% The GPU memory that is kept between calls and released: after a call that used more than an eighth of the memory at most
% an eighth is kept; after gpulinalg_release as much is free as before.
function [passed, failed] = check_memory (device)
  passed = failed = 0;
  gpulinalg_release (device);
  start = batcheig (eye (2), "device", device);  % starts the GPU, but does not load cuBLAS
  gpulinalg_release (device);
  before = about (device);
  [passed, failed] = check (passed, failed, "nothing is kept at first", before.memory_kept == 0 && before.host_memory_kept == 0);

  A = rand (100, 100, 50);
  A += permute (A, [2, 1, 3]);
  D = batcheig (A, "device", device);
  small = about (device);
  [passed, failed] = check (passed, failed, "memory of a small call is kept", small.memory_kept > 0);

  % the matrix, Q and work space of the same size together exceed an eighth
  n = ceil (sqrt (before.memory_total / 8 / (3 * 2 * 8)));
  R = qr_block (rand (2 * n, n), 0, "device", device);
  clear R
  large = about (device);
  [passed, failed] = check (passed, failed, "at most an eighth is kept", large.memory_kept <= large.memory_total / 8);

  gpulinalg_release (device);
  after = about (device);
  [passed, failed] = check (passed, failed, "nothing is kept after the release", after.memory_kept == 0 && after.host_memory_kept == 0);
  % modules that were loaded in between remain, at most a few hundred MB
  [passed, failed] = check (passed, failed, "the memory is free again", before.memory_free - after.memory_free < 600e6);
  [passed, failed] = check (passed, failed, "the same bits as before", isequal (batcheig (A, "device", device), D));
  gpulinalg_release ();
  [passed, failed] = check (passed, failed, "all GPUs", about (device).memory_kept == 0);
endfunction

function d = about (device)
  d = gpulinalg_info ().devices(device + 1);
endfunction

function [passed, failed] = check (passed, failed, what, ok)
  passed += ok;
  failed += ! ok;
  if (! ok)
    printf ("check_memory: not true: %s\n", what);
  endif
endfunction

addpath (fileparts (mfilename ("fullpath")));
counts = [0, 0];
[wanted, mine, first] = part_of_suite ();
limited = code_is_limited ();
quick = ! isempty (getenv ("QUICK"));
if (wanted ("memory"))
  [p, f] = check_memory (0);
  counts += [p, f];
endif
if (wanted ("eig"))
  # at 552, 673, 862 and 1000 kernels have just less than 48 KB of shared memory
  cases = {{1:40}, {[41, 47:49, 55:57, 63:66, 68, 69, 71:73, 79:81, 84:89, 95:100, 104, 105, 112, 113, 127:131, 136, 137, 144, 145, 158:166, 180, 192, 193, 197, 208, 209]}, ...
              {[256, 320], {"qr", "jacobi"}, "zs"}, {[232:236, 238:240, 320, 321, 512], {"qr"}, "dc"}, ...
              {[264, 265], {"qr"}, "s"}, {[335:337, 339, 340, 641], {"qr"}, "zs"}, {[552, 673], {"qr"}, "d"}, {[862, 1000], {"qr"}, "s"}, {[512, 1024], {"qr", "jacobi"}, "zs"}, {[1024, 1750], {"qr"}, "d"}, {[700, 900], {"qr"}, "z"}, {1536, {"qr"}, "z"}, {2047, {"qr"}, "sz"}, {2048, {"qr"}, "sz"}};
  if (quick)
    cases = {{[1:9, 12, 15:17]}, {[24, 31:33, 40, 48]}, {[63:65, 80]}, {[96, 97, 128]}, {[145, 180], {"qr", "jacobi"}, "zs"}, ...
             {[129, 160, 209], {"qr"}, "dc"}, {[256, 321], {"qr"}, "zs"}, {[256, 320], {"qr"}, "dc"}, {265, {"jacobi"}, "s"}, ...
             {512, {"qr"}, "z"}, {673, {"qr"}, "d"}, {1024, {"qr"}, "s"}};
  endif
  for part = mine (cases)
    [p, f] = check_accuracy ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("eig"))
  cases = {{2049, "z"}, {2500, "d"}, {2081, "c"}, {3000, "s"}, {4097, "d"}};
  if (limited)
    cases = {};
    counts += refusal (@() batcheig (eye (2049), "device", "gpu"), "too large for this method on a GPU");
  endif
  for part = mine (cases(1:end-3*quick))
    [p, f] = check_large ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("eig"))
  cases = {{[2:9, 12]}, {[16, 17, 33, 64], "zs"}, {[32, 40, 70, 100], "dc"}, {[129, 200], "zs"}, {[130, 260], "dc"}};
  if (limited)
    cases = {{[2:9, 12]}, {[16, 17], "zs"}, {32, "dc"}};
    counts += refusal (@() batcheig (eye (33), eye (33), "device", "gpu"), "not solved on a GPU");
  elseif (quick)
    cases = cases(1:3);
  endif
  for part = mine (cases)
    [p, f] = check_pencils ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("eig"))
  for part = mine ({[2:5, 7:9], [15:17, 24, 31:33], [40, 47:49, 56, 63:65, 90, 130]})
    [p, f] = check_indefinite ("gpu", part{1});
    counts += [p, f];
  endfor
endif
if (wanted ("eig") && first && ! limited)
  [p, f] = check_structure ("gpu");
  counts += [p, f];
endif
if (wanted ("failing"))
  warning ("off", "gpulinalg:pages-failed");
  sizes = [1:9, 15:17, 28, 29, 31:33, 39, 40, 47, 48, 55, 56, 63:65, 80, 81, 88, 89, 96, 97, 112, 113, 128, 129, 150, 170, 260, 330];
  if (quick)
    sizes = [2:5, 8, 17, 32, 40, 64, 97, 129, 260];
  endif
  not_hermitian = @(k) @() check_not_hermitian ("gpu", sizes(k:4:end));
  for part = mine ([arrayfun(not_hermitian, 1:4, "uniformoutput", false), ...
                    {@() check_failing("gpu"), @() check_many_values("gpu")}])
    [p, f] = part{1} ();
    counts += [p, f];
  endfor
  warning ("on", "gpulinalg:pages-failed");
endif
# what needs qr_block or products of pages
if (limited)
  if (wanted ("qr") && first)
    counts += refusal (@() qr_block (rand (40, 20), "device", "gpu"), "before compute capability 8.0");
    [Q, R] = qr_block (rand (40, 20), 0);
    counts += [isequal(size (Q), [40, 20]), ! isequal(size (Q), [40, 20])];
  endif
  if (wanted ("pages") && first)
    counts += refusal (@() pagemtimes (1, 2, "device", "gpu"), "not multiplied on a GPU");
    counts += refusal (@() pagefunm (eye (40), "exp", "device", "gpu"), "not computed on a GPU");
  endif
  if (wanted ("svd") && first)
    counts += refusal (@() batchsvd (rand (40, 6), "device", "gpu"), "decomposition on a GPU");
    for n = [40, 80]
      A = rand (n);
      counts += refusal (@() nthargout (3, @batchsvd, A, "econ", "device", "gpu"), "decomposition on a GPU");
      ok = norm (batchsvd (A, "device", "gpu") - svd (A)) <= 20 * n * eps * norm (A);
      counts += [ok, ! ok];
    endfor
    [p, f] = check_svd ("gpu", [8, 8; 32, 32], "dz");
    counts += [p, f];
  endif
  if (wanted ("arrays") && first)
    G = gpuArray (magic (4));
    counts += refusal (@() G * G, "not multiplied on a GPU");
    [p, f] = check_gpu_arrays ("slices");
    counts += [p, f];
  endif
  served = @(part) wanted (part) && ! any (strcmp (part, {"qr", "pages", "svd", "arrays"}));
else
  served = wanted;
endif
if (served ("svd"))
  for part = mine ([suite_shapes("svd", ! quick), {{[300, 280], "dz"}, {[260, 400], "sc"}}])
    [p, f] = check_svd ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (served ("qr"))
  for part = mine (suite_shapes ("qr", ! quick))
    [p, f] = check_qr ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (served ("qr") && first)
  shapes = [24, 24; 129, 40; 5000, 40; 300, 130; 600, 20; 400, 260]; # the third is a tree of panels
  [p, f] = check_qr ("gpu", shapes(1:end-2*quick,:), "zdcs", "many");
  counts += [p, f];
endif
if (wanted ("gsvd"))
  for part = mine (suite_shapes ("gsvd", ! quick))
    [p, f] = check_gsvd ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("gsvd") && first)
  [p, f] = check_gsvd (0);
  counts += [p, f];
endif
if (wanted ("sparse"))
  for suite = mine ({@check_eigs, @check_spmv})
    [p, f] = suite{1} ("gpu", quick);
    counts += [p, f];
  endfor
endif
if (served ("pages"))
  for part = mine (suite_shapes ("pages", ! quick))
    [p, f] = check_pages ("gpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (served ("arrays"))
  for part = mine ({"operators", "functions", "slices", "subscripts", "shapes", "programs"})
    [p, f] = check_gpu_arrays (part{1}, 1000 - 900 * quick);
    counts += [p, f];
  endfor
  for part = mine ({"composed", "package", "pairs", "sparse"})
    [p, f] = check_gpu_functions (part{1});
    counts += [p, f];
  endfor
  for part = mine ({"ways", "tall"})
    [p, f] = check_gpu_pages (part{1});
    counts += [p, f];
  endfor
  for suite = mine ({@check_gpu_transforms, @check_gpu_scripts, @check_gpu_order, @check_gpu_forms, @check_gpu_combined})
    [p, f] = suite{1} ();
    counts += [p, f];
  endfor
  for programs = mine ({500 - 450 * quick})
    [p, f] = check_arrayfun (programs{1});
    counts += [p, f];
  endfor
endif
printf ("gpu_suite: %d passed, %d failed, 0 skipped\n", counts);
exit (counts(2) > 0);
