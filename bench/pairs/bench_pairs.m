% bench_pairs.m: compares batcheig (A, B) with the loop over eig (A, B), from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/pairs/bench_pairs.m [--quick] [--types dzsc] [--sizes N,N]
% Prints a table (TSV) of microseconds per page on the CPU, from Octave array to Octave array, eigenvalues and
% eigenvectors: batcheig (A, B); batcheig (A, B) with one B for all pages; batcheig (A), which solves standard
% problems of this size; and the loop [V, D] = eig (A(:,:,p), B(:,:,p)) with the BLAS's default number of threads
% and, in a process of its own, with one. All run in turn, several times, and the medians count; the faster loop
% is compared. A loop does as many pages as take 0.05 s.
% The columns _core are processor time, the least of several calls: of all threads of batcheig (A, B), and of the
% loop with one BLAS thread. On a machine with other work they change less. core_ratio is what the loop takes over
% what batcheig takes on each of the cores, if they were all free. 4 minutes.

1;  % a script, although it begins with functions

function [A, B] = pairs_of (n, pages, type)
  A = random_pages (n, pages, type);
  B = random_pages (n, pages, type) / n + 2 * full (eye (n));
end

% Seconds per page: of each job in turn, `rounds` times; medians, and the least processor time of the first job.
function [t, core] = times_of (jobs, pages, rounds)
  t = zeros (rounds, numel (jobs));
  core = Inf;
  for r = 1:rounds
    for k = 1:numel (jobs)
      begin = cputime ();
      tic;
      jobs{k} ();
      t(r,k) = toc / pages(k);
      if (k == 1)
        core = min (core, (cputime () - begin) / pages(k));
      end
    end
  end
  t = median (t, 1);
end

% Calls f for its outputs, which are then dropped.
function both (f, varargin)
  [V, D] = f (varargin{:}, "vector");
end

function check (A, B, V, D)
  off = norm (A * V - B * V * diag (D), 1) / (norm (A, 1) * norm (V, 1));
  if (! (off <= 100 * rows (A) * eps (class (A))))
    error ("bench_pairs: wrong by %g for n = %d", off, rows (A));
  end
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
quick = bench_option ("--quick", false);
sizes = bench_option ("--sizes", [2,3,4,6,8,12,16,24,32,48,64,96,128,192,256,384]);
bench_header ();
printf ("# microseconds per page from Octave arrays to Octave arrays, with eigenvectors, medians of several calls\n");
printf ("type\tn\tpages\tpairs\tone_B\tbatcheig\tloop\tloop_1thread\tloop/pairs\tloop/one_B\tpairs/batcheig\t");
printf ("pairs_core\tloop_core\tcore_ratio\n");
for type = bench_option ("--types", "dz")
  for n = sizes
    pages = max (4, round (merge (quick, 4e6, 16e6) / (8 * n^2 * (1 + any (type == "cz")))));
    pages = min (pages, 2e5);
    if (n > 128)
      pages = max (4, round (merge (quick, 8, 32) * (128 / n)^3 * 8));
    end
    [A, B] = pairs_of (n, pages, type);
    [V, D] = batcheig (A, B, "vector", "device", "cpu");
    check (A(:,:,end), B(:,:,end), V(:,:,end), D(:,1,end));
    clear V D
    [loops, loop_core] = loop_time ("pairs", type, [n, n], 2);
    some = max (3, min (pages, ceil (merge (quick, 0.03, 0.06) / loops(1))));
    jobs = {@() both(@batcheig, A, B, "device", "cpu"), @() both(@batcheig, A, B(:,:,1), "device", "cpu"), ...
            @() both(@batcheig, A, "device", "cpu"), @() loop_pages("pairs", A(:,:,1:min (some, pages)), B, 2)};
    [t, core] = times_of (jobs, [pages, pages, pages, min(some, pages)], merge (quick, 3, 7));
    t *= 1e6;
    core *= 1e6;
    alone = loops(2) * 1e6;
    loop_core *= 1e6;
    best = min (t(4), alone);
    printf ("%s\t%d\t%d", type, n, pages);
    printf ("\t%.4g", t, alone);
    printf ("\t%.3g", best / t(1), best / t(2), t(1) / t(3));
    printf ("\t%.4g", core, loop_core);
    printf ("\t%.3g\n", loop_core / core * nproc ("overridable"));
    fflush (stdout);
  end
end
