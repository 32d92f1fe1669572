% accuracy_table.m: prints the worst and median errors of batcheig on hard pages for doc/accuracy.md
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli --path src --path inst bench/eig/accuracy_table.m [cpu|gpu]
% All classes of tests/octave/hard_pages.m in all four types; ratios of LAPACK's xDRVST, in units of n eps.

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"), fullfile (here, "..", "..", "tests", "octave"));
device = "cpu";
if (any (strcmp (argv (), "gpu")))
  device = "gpu";
end
rand ("twister", 1);
randn ("twister", 1);
groups = {1:8, 9:32, 33:40, [47:49, 63:65, 80, 96, 100, 127:129], [180, 256]};

printf ("| Method | n | pages | residual, worst | median | orthogonality, worst | median |\n");
printf ("| --- | --- | --- | --- | --- | --- | --- |\n");
for method = {"qr", "jacobi", "auto"}
  for group = groups
    residual = orthogonality = [];
    for n = group{1}
      for type = "sdcz"
        A = hard_pages (n, type);
        [V, lambda] = batcheig (A, "vector", "method", method{1}, "device", device);
        [r, o] = eig_ratios (A, V, lambda);
        residual = [residual; r];
        orthogonality = [orthogonality; o];
      end
    end
    printf ("| %s | %d to %d | %d | %.2f | %.2f | %.2f | %.2f |\n", method{1}, group{1}(1), group{1}(end), ...
            numel (residual), max (residual), median (residual), max (orthogonality), median (orthogonality));
    fflush (stdout);
  end
end
