% tests/octave/crowd.m: large pages of batcheig while other processes use the GPU, too
% SPDX-License-Identifier: GPL-3.0-or-later
%
% tests/gpu_job.sh runs several of these at the same time. Blocks of threads that wait for each other are then paused
% and go on at different times. Eigenvalues must be those of the CPU, and equal bits in every call.

passed = failed = 0;
addpath (fileparts (mfilename ("fullpath")));
cases = {{2500, "d"}, {1800, "z"}, {1900, "s"}};
if (code_is_limited ())
  cases(1) = [];
endif
for one = cases
  [n, type] = one{1}{:};
  randn ("twister", n);
  k = (1:n)';
  A = randn (n);
  if (type == "z")
    A = complex (A, randn (n));
  endif
  A = (A + A') .* (abs (k - k') <= 33);
  if (type == "s")
    A = single (A);
  endif
  expected = double (batcheig (A, "device", "cpu"));
  bound = 20 * n * double (eps (class (A))) * max (abs (expected));
  first = batcheig (A, "device", "gpu");
  for call = 1:12
    lambda = batcheig (A, "device", "gpu");
    ok = isequal (lambda, first) && all (abs (double (lambda) - expected) <= bound);
    passed += ok;
    failed += ! ok;
    if (! ok)
      printf ("FAILED n=%d %s, call %d: %g from the CPU's\n", n, type, call, max (abs (double (lambda) - expected)));
    endif
  endfor
endfor
printf ("crowd: %d passed, %d failed, 0 skipped\n", passed, failed);
