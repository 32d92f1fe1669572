% tests/octave/cpu_suite.m: the accuracy suite on the CPU. Environment: PART=eig, svd, qr, gsvd, sparse or arrays runs only
% that part, SHARE=k/n every n-th case from the k-th on. The last line has the counts.
% SPDX-License-Identifier: GPL-3.0-or-later

addpath (fileparts (mfilename ("fullpath")));
counts = [0, 0];
[wanted, mine, first] = part_of_suite ();
if (wanted ("eig"))
  all_methods = {"qr", "jacobi", "auto"};
  cases = {{[47:49, 63:65], all_methods}, {512, {"qr", "jacobi"}, "s"}, {[160, 161, 180], all_methods}, ...
           {512, {"auto"}, "z"}, {[80, 84, 96, 97], all_methods}, {1:20, all_methods}, {[100, 127], all_methods}, ...
           {[128, 129], all_methods}, {[256, 320], {"auto"}, "dc"}, {21:32, all_methods}, ...
           {[192, 193, 257], {"qr"}, "zs"}, {[256, 320], {"qr", "jacobi"}, "zs"}, {257, {"qr"}, "dc"}, {33:40, all_methods}};
  for part = mine (cases)
    [p, f] = check_accuracy ("cpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("eig"))
  for part = mine ({{[2:9, 12]}, {[16, 17, 33], "zs"}, {[32, 40, 70], "dc"}, {[100, 129], "zs"}, {130, "d"}})
    [p, f] = check_pencils ("cpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("eig") && first)
  [p, f] = check_structure ("cpu");
  counts += [p, f];
  [p, f] = check_not_hermitian ("cpu", [1:5, 8, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 192, 193, 257]);
  counts += [p, f];
endif
if (wanted ("svd"))
  for part = mine (suite_shapes ("svd"))
    [p, f] = check_svd ("cpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("qr"))
  for part = mine (suite_shapes ("qr"))
    [p, f] = check_qr ("cpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("qr") && first)
  [p, f] = check_qr ("cpu", [24, 24; 129, 40], "zdcs", "many");
  counts += [p, f];
endif
if (wanted ("gsvd"))
  for part = mine (suite_shapes ("gsvd"))
    [p, f] = check_gsvd ("cpu", part{1}{:});
    counts += [p, f];
  endfor
endif
if (wanted ("gsvd") && first)
  [p, f] = check_gsvd ("cpu");
  counts += [p, f];
endif
if (wanted ("sparse"))
  [p, f] = check_spmv ("cpu");
  counts += [p, f];
  [p, f] = check_read_graph ();
  counts += [p, f];
  [p, f] = check_eigs ("cpu");
  counts += [p, f];
endif
if (wanted ("arrays"))
  for part = mine ({"operators", "functions", "slices", "subscripts", "shapes", "programs"})
    [p, f] = check_gpu_arrays (part{1});
    counts += [p, f];
  endfor
  for part = mine ({@() check_gpu_functions("composed"), @() check_gpu_functions("package"), @check_gpu_transforms, @check_gpu_scripts, @check_gpu_forms, @check_gpu_combined, ...
                    @() check_gpu_pages("ways"), @() check_gpu_pages("tall")})
    [p, f] = part{1} ();
    counts += [p, f];
  endfor
  for programs = mine ({20})
    [p, f] = check_arrayfun (programs{1});
    counts += [p, f];
  endfor
endif
printf ("cpu_suite: %d passed, %d failed, 0 skipped\n", counts);
exit (counts(2) > 0);
