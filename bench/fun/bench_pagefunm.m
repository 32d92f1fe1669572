% bench_pagefunm.m: compares pagefunm with batcheig and with loops over expm, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/fun/bench_pagefunm.m [--quick] [--types dzsc] [--sizes N,N]
% Prints a table (TSV) of microseconds per page on the CPU, from Octave array to Octave array: [V, D] = batcheig (A);
% pagefunm (A, f) for exp, isqrt, log (of pages whose logarithm has values of both signs) and
% exp (-1i*t*A); and the loop, F(:,:,p) = expm (-1i*t*A(:,:,p)), in the first pages. They run in turn, several
% times, and the smallest times count. Ratios are the medians of those within a turn; the columns cpu_ have those of
% the processor time of all threads, which other programs disturb less.

1;  % a script, although it begins with functions

% Hermitian pages with eigenvalues around 1.
function A = pages_of (type, n, pages)
  X = random_pages ([n, n], pages, type);
  A = pagemtimes (X, "none", X, "ctranspose") / n + 0.1 * full (eye (n));
end

function F = loop (A, count)
  F = complex (zeros (rows (A), rows (A), count, class (A)));
  for p = 1:count
    F(:,:,p) = expm (-0.7i * A(:,:,p));
  end
end

% Wall and processor seconds.
function seconds = time_of (job)
  [~, user, system_] = cputime ();
  tic;
  job ();
  seconds(1,1,1) = toc;
  [~, user(2), system_(2)] = cputime ();
  seconds(1,1,2) = diff (user) + diff (system_);
end

% Seconds of all jobs, in turn, until `least` seconds have passed and at least so many turns.
function times = in_turn (jobs, least, turns)
  times = zeros (0, numel (jobs), 2);
  begun = time ();
  while (rows (times) < turns || time () - begun < least)
    k = rows (times) + 1;
    for j = 1:numel (jobs)
      times(k,j,:) = time_of (jobs{j});
    end
  end
end

function row (type, n, quick)
  element = [4, 8, 8, 16](type == "sdcz");
  pages = max (16, min (200000, round (merge (n < 64, 3.2e7, 1.6e7) / (n^2 * element))));
  A = pages_of (type, n, pages);
  count = min (pages, max (3, round (200 / n)));
  jobs = {@() eig_pages(A), @() pagefunm(A, "exp", "device", "cpu"), ...
          @() pagefunm(A, "isqrt", "device", "cpu"), @() pagefunm(A, "log", "device", "cpu"), ...
          @() pagefunm(A, "exp", "scale", -0.7i, "device", "cpu"), @() loop(A, count)};
  in_turn (jobs, 0, 1);  % not counted
  times = in_turn (jobs, merge (quick, 0.5, 2), merge (quick, 3, 5));
  best = 1e6 * min (times(:,:,1), [], 1) ./ [pages * ones(1, 5), count];
  work = min (times(:,:,2), [], 1);
  ratios = [median(times(:,2:5,1) ./ times(:,1,1), 1), work(2:5) / work(1)];
  F = pagefunm (A(:,:,1:count), "exp", "scale", -0.7i);
  if (max (abs (F(:) - loop (A, count)(:))) > 1000 * n * eps (class (A)))
    error ("bench_pagefunm: %s, n = %d: the loop differs", type, n);
  end
  printf ("%s\t%d\t%d", type, n, pages);
  printf ("\t%.4g", best, ratios, best(6) / best(5));
  printf ("\n");
end

function [V, D] = eig_pages (A)
  [V, D] = batcheig (A, "device", "cpu");
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
quick = bench_option ("--quick", false);
types = bench_option ("--types", "dz");
sizes = bench_option ("--sizes", [4,8,16,32,64,128]);
bench_header ();
printf ("# microseconds per page on the CPU, from Octave arrays to Octave arrays; loop: expm (-0.7i*A)\n");
printf (["type\tn\tpages\tbatcheig\texp\tisqrt\tlog\texp_i\tloop\texp/batcheig\tisqrt/batcheig", ...
         "\tlog/batcheig\texp_i/batcheig\tcpu_exp\tcpu_isqrt\tcpu_log\tcpu_exp_i\tloop/exp_i\n"]);
for type = types
  for n = sizes
    row (type, n, quick);
  end
end
