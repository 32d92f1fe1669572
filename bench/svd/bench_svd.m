% bench_svd.m: compares batchsvd with loops over svd and with NumPy, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/svd/bench_svd.m [--quick] [--types dzsc] [--sizes N,N]
% Prints a table (TSV) of microseconds per page, economy form, with vectors and without: batchsvd on the CPU and, if
% there is one, on the GPU with all copies; the loop over svd with the faster one of its drivers gesdd and gesvd, and
% with the faster number of BLAS threads, default or one; numpy.linalg.svd on pages, in a process of its own. batchsvd
% and NumPy run in turn, and the smallest times count. The last page is checked. Without python3 and NumPy their column
% is NaN. "cores" is the processor time of batchsvd on the CPU over the time that passed: below the number of threads
% other programs have had the processor. About 4 minutes.

1;  % a script, although it begins with functions

% Rows of m, n.
function cases = all_cases (quick)
  square = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256].';
  cases = [repmat(square, 1, 2); 60, 8; 8, 60; 125, 64; 900, 100; 1000, 32];
  if (quick)
    cases = cases([2, 5, 9, 11, 15],:);
  end
end

function decompose (A, vectors, device)
  if (vectors)
    [U, S, V] = batchsvd (A, "econ", "device", device);
  else
    s = batchsvd (A, "device", device);
  end
end

function check (A, device)
  [U, S, V] = batchsvd (A(:,:,end), "econ", "device", device);
  a = A(:,:,end);
  if (! (norm (a - U * S * V', 1) <= 30 * max (size (a)) * eps (class (a)) * norm (a, 1)))
    error ("bench_svd: %d x %d on the %s is wrong", size (a), device);
  end
end

function us = numpy_time (peer, type, m, n, pages, vectors)
  us = NaN;
  if (isempty (peer))
    return;
  end
  numpy_process (peer, "make batchsvd %s %d %d %d %d %s\n", type, m, n, n, pages, merge (vectors, "usv", "s"));
  for r = 1:3
    us = min (us, str2double (numpy_process (peer, "time\n")) / pages * 1e6);
  end
end

function us = loop_us (m, n, type, vectors)
  us = 1e6 * min ([loop_time("gesdd", type, [m, n], 1 + 2 * vectors), loop_time("gesvd", type, [m, n], 1 + 2 * vectors)]);
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
types = bench_option ("--types", "dz");
cases = all_cases (bench_option ("--quick", false));
sizes = bench_option ("--sizes", []);
if (! isempty (sizes))
  cases = cases(ismember (cases(:,1), sizes),:);
end
gpu = bench_header ();
peer = numpy_process ("start");
printf ("# microseconds per page from Octave arrays to Octave arrays, economy form, the least of several calls\n");
printf ("type\tm\tn\tresults\tpages\tcpu\tcores\tgpu\tloop\tnumpy\tloop/cpu\tnumpy/cpu\tloop/gpu\n");
for type = types
  for case_ = cases.'
    [m, n] = num2cell (case_){:};
    pages = max (2, round (merge (any (type == "dc"), 2, 1) * 1e6 / (m * n)));
    A = random_pages ([m, n], pages, type);
    check (A, "cpu");
    for vectors = [true, false]
      job = @(device) decompose (A, vectors, device);
      t = least_time (@() job ("cpu"), pages);
      us = [t(1) * 1e6, NaN, loop_us(m, n, type, vectors), numpy_time(peer, type, m, n, pages, vectors)];
      if (gpu)
        check (A, "gpu");
        us(2) = least_time (@() job ("gpu"), pages)(1) * 1e6;
      end
      printf ("%s\t%d\t%d\t%s\t%d\t%.4g\t%.2f", type, m, n, merge (vectors, "usv", "s"), pages, us(1), t(2));
      printf ("\t%.4g", us(2:4));
      printf ("\t%.3g", us(3:4) / us(1), us(3) / us(2));
      printf ("\n");
      fflush (stdout);
    end
  end
end
numpy_process ("stop", peer);
