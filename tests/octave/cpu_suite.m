% tests/octave/cpu_suite.m: the accuracy suite on the CPU; prints one closing line
% SPDX-License-Identifier: GPL-3.0-or-later

addpath (fileparts (mfilename ("fullpath")));
passed = failed = skipped = 0;
all_methods = {"qr", "jacobi", "auto"};
for part = {{1:40, all_methods}, {[47:49, 63:65, 80, 84, 96, 97, 100, 127:129], all_methods}, ...
            {[160, 161, 180], all_methods}, {[192, 193, 257], {"qr"}, "zs"}, {[256, 320], {"qr", "jacobi"}, "zs"}, {[256, 320], {"auto"}, "dc"}, ...
            {257, {"qr"}, "dc"}, {512, {"qr", "jacobi"}, "s"}, {512, {"auto"}, "z"}}
  [p, f] = check_accuracy ("cpu", part{1}{:});
  passed += p;
  failed += f;
endfor
[p, f] = check_not_hermitian ("cpu", [1:5, 8, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 192, 193, 257]);
passed += p;
failed += f;
for part = qr_shapes ()
  [p, f] = check_qr ("cpu", part{1}{:});
  passed += p;
  failed += f;
endfor
[p, f] = check_qr_pages ("cpu", [24, 24; 129, 40]);
passed += p;
failed += f;
for part = gsvd_shapes ()
  [p, f] = check_gsvd ("cpu", part{1}{:});
  passed += p;
  failed += f;
endfor
[p, f] = check_sweeps ("cpu");
passed += p;
failed += f;
[p, f] = check_spmv ("cpu");
passed += p;
failed += f;
[p, f] = check_read_graph ();
passed += p;
failed += f;
[p, f, s] = check_eigs ("cpu");
passed += p;
failed += f;
skipped += s;
printf ("cpu_suite: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0);
