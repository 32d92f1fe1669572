% bench_gsvd_ranks.m: gsvd_hz of one pair of rank 0 whose sweeps all ranks share
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Usage: mpirun -n R octave-cli --path src --path inst bench/ranks/bench_gsvd_ranks.m [TRIALS]
%
% Random square pairs of 512 and 1024 columns, double and complex, all outputs. Rank 0 prints a line for
% each: seconds, the least of TRIALS {5}; the same of rank 0 alone while the others wait for it; processor
% seconds of rank 0 in both, which other work on the machine hardly changes; sweeps; megabytes that rank 0
% sends. The two take turns, so that both meet the same other work.

1;

% Seconds, and processor seconds.
function [seconds, stats] = solve (A, B, varargin)
  used = cputime ();
  start = tic ();
  [U, V, X, C, S, stats] = gsvd_hz (A, B, 0, "device", "cpu", varargin{:});
  seconds = [toc(start), cputime() - used];
end

[rank, ranks] = gpulinalg_mpi ();
trials = 5;
if (numel (argv ()) > 0 && ! isnan (str2double (argv (){end})))
  trials = str2double (argv (){end});
end
if (rank == 0)
  printf ("columns\ttype\tranks\tseconds\talone_s\tcpu_s\talone_cpu_s\tsweeps\tsent_MB\n");
end
for n = [512, 1024]
  for type = "dz"
    A = B = [];
    if (rank == 0)
      rand ("seed", 5);
      A = rand (n) - 0.5;
      B = rand (n) - 0.5;
      if (type == "z")
        A += 1i * rand (n);
        B += 1i * rand (n);
      end
    end
    best = alone = [Inf, Inf];
    for trial = 1:trials
      if (rank == 0)
        alone = min (alone, solve (A, B));
      end
      qr_block (1, 0, "mpi", "rows");
      [~, ~, before] = gpulinalg_mpi ();
      [seconds, stats] = solve (A, B, "mpi", "root");
      best = min (best, seconds);
      [~, ~, after] = gpulinalg_mpi ();
    end
    if (rank == 0)
      printf ("%d\t%s\t%d\t%.3g\t%.3g\t%.3g\t%.3g\t%d\t%.3g\n", n, type, ranks, [best; alone], stats.sweeps, ...
              (after.bytes_sent - before.bytes_sent) / 1e6);
      fflush (stdout);
    end
  end
end
