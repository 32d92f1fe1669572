% bench_pageeig.m: compares pageeig of general pages with a loop over eig and with NumPy, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/bench_pageeig.m [--quick] [--types dzsc] [--sizes N,N]
% Prints a table (TSV) of microseconds per page, with right eigenvectors and without: pageeig, whose general pages are
% solved on the CPU; the loop over eig with the faster number of BLAS threads, default or one; numpy.linalg.eig or
% eigvals on pages, in a process of its own. pageeig and NumPy run in turn, and the smallest times count. The last page
% is checked. Without python3 and NumPy their column is NaN. "cores" is the processor time of pageeig over the time that
% passed: below the number of threads other programs have had the processor. About 3 minutes.

1;  % a script, although it begins with functions

function solve (A, vectors)
  if (vectors)
    [V, d] = pageeig (A, "vector");
  else
    d = pageeig (A);
  end
end

function check (A)
  a = A(:,:,end);
  [V, D] = pageeig (a);
  if (! (norm (a * V - V * D, 1) <= 30 * rows (a) * eps (class (a)) * norm (a, 1)))
    error ("bench_pageeig: %d x %d is wrong", size (a));
  end
end

function us = numpy_time (peer, type, n, pages, vectors)
  us = NaN;
  if (isempty (peer))
    return;
  end
  numpy_process (peer, "make pageeig %s %d %d %d %d %s\n", type, n, n, n, pages, merge (vectors, "vd", "d"));
  for r = 1:3
    us = min (us, str2double (numpy_process (peer, "time\n")) / pages * 1e6);
  end
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
types = bench_option ("--types", "dz");
cases = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
if (bench_option ("--quick", false))
  cases = [3, 8, 16, 48];
end
sizes = bench_option ("--sizes", []);
if (! isempty (sizes))
  cases = intersect (cases, sizes);
end
bench_header ();
peer = numpy_process ("start");
printf ("# microseconds per page from Octave arrays to Octave arrays, the least of several calls\n");
printf ("type\tn\tresults\tpages\tcpu\tcores\tloop\tnumpy\tloop/cpu\tnumpy/cpu\n");
for type = types
  for n = cases
    pages = max (8, round (merge (any (type == "dc"), 2, 1) * 1e6 / max (n ^ 2, n ^ 3 / 16)));
    A = random_pages ([n, n], pages, type);
    check (A);
    for vectors = [true, false]
      t = least_time (@() solve (A, vectors), pages);
      us = [t(1) * 1e6, min(loop_time("geev", type, [n, n], 1 + vectors)) * 1e6, numpy_time(peer, type, n, pages, vectors)];
      printf ("%s\t%d\t%s\t%d\t%.4g\t%.2f", type, n, merge (vectors, "vd", "d"), pages, us(1), t(2));
      printf ("\t%.4g", us(2:3));
      printf ("\t%.3g", us(2:3) / us(1));
      printf ("\n");
      fflush (stdout);
    end
  end
end
numpy_process ("stop", peer);
