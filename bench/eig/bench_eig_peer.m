% bench_eig_peer.m: compares batcheig on the CPU with numpy.linalg.eigh and the loop over eig, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/bench_eig_peer.m [--quick] [--types dzsc] [--sizes N,N]
% Prints a table (TSV) of microseconds per page, eigenvalues and eigenvectors: batcheig on the CPU; numpy.linalg.eigh
% on pages, in a process of its own; and the loop [V, D] = eig (A(:,:,p)) with the faster number of BLAS threads,
% default or one. batcheig and NumPy run in turn, and the smallest times count. The last page is checked. Without
% python3 and NumPy its columns are NaN. The columns _core are processor time, of all threads together, the least of
% the same calls: on a machine with other work they change less. "cores" is the processor time of batcheig over the
% time that passed: below the number of threads other programs have had the processor. About 3 minutes.

1;  % a script, although it begins with functions

% Seconds and seconds of the processor of one call.
function t = once (A)
  pause (0.12);  % the threads of the BLAS spin for about 0.1 s after their last work
  processor = cputime ();
  tic;
  [V, lambda] = batcheig (A, "vector", "device", "cpu");
  t = [toc, cputime() - processor];
end

function t = numpy_once (peer)
  t = NaN (1, 2);
  if (! isempty (peer))
    pause (0.12);
    t = sscanf (numpy_process (peer, "times\n"), "%g").';
  end
end

% Both in turn: rows batcheig and NumPy of seconds and seconds of the processor per page.
function [t, cores] = times_of (A, peer)
  t = Inf (2, 2);
  cores = NaN;
  begin = time ();
  for r = 1:9
    one = once (A);
    if (one(1) < t(1,1))
      cores = one(2) / one(1);
    end
    t = min (t, [one; numpy_once(peer)]);
    if (r >= 3 && time () - begin > 3)
      break;
    end
  end
  t(isinf (t)) = NaN;  % min leaves NaN out
  t /= size (A, 3);
end

function check (A)
  [V, lambda] = batcheig (A(:,:,end), "vector", "device", "cpu");
  a = A(:,:,end);
  off = max (norm (a * V - V .* lambda.', 1), norm (V' * V - eye (rows (a)), 1) * norm (a, 1));
  if (! (off <= 30 * rows (a) * eps (class (a)) * norm (a, 1)))
    error ("bench_eig_peer: wrong at n = %d", rows (a));
  end
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
types = bench_option ("--types", "dz");
sizes = [2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512];
if (bench_option ("--quick", false))
  sizes = [4, 16, 64, 128, 256];
end
sizes = bench_option ("--sizes", sizes);
bench_header ();
peer = numpy_process ("start");
printf ("# microseconds per page from Octave arrays to Octave arrays, with eigenvectors, the least of several calls\n");
printf ("type\tn\tpages\tcpu\tnumpy\tloop\tnumpy/cpu\tloop/cpu\tcpu_core\tnumpy_core\tcore_ratio\tcores\n");
for type = types
  for n = sizes
    pages = min (60000, max (16, round (merge (any (type == "dc"), 2, 1) * 1e6 / n^2)));
    A = random_pages (n, pages, type);
    check (A);
    if (! isempty (peer))
      numpy_process (peer, "make batcheig %s %d %d %d %d v\n", type, n, n, n, pages);
    end
    [t, cores] = times_of (A, peer);
    t *= 1e6;
    clear A
    loop = min (loop_time ("eig", type, [n, n], 2)) * 1e6;
    printf ("%s\t%d\t%d", type, n, pages);
    printf ("\t%.4g", t(1,1), t(2,1), loop);
    printf ("\t%.3g", t(2,1) / t(1,1), loop / t(1,1));
    printf ("\t%.4g", t(:,2));
    printf ("\t%.3g\t%.2f\n", t(2,2) / t(1,2), cores);
    fflush (stdout);
  end
end
numpy_process ("stop", peer);
