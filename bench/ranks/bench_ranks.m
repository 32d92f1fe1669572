## bench_ranks.m: times of QR, least squares and GSVD by rows over ranks; a table on rank 0
## SPDX-License-Identifier: GPL-3.0-or-later
##
## mpirun -n 2 octave-cli --path src --path inst bench/ranks/bench_ranks.m >>table.tsv
## All ranks together have the rows of the table, so the same table on more ranks is strong scaling. Each
## figure is the smallest of seven; with "local" the functions are called without "mpi", on rank 0 alone.

1;

function seconds = smallest (rank, body)
  times = zeros (1, 7);
  for k = 1:numel (times)
    qr_block (rank, 0, "mpi", "rows"); # all ranks begin together
    t = tic;
    body ();
    times(k) = toc (t);
  endfor
  seconds = min (times);
endfunction

function one_line (rank, ranks, name, m, n, seconds)
  if (rank == 0)
    printf ("%s\t%d\t%d\t%d\t%.6f\n", name, m, n, ranks, seconds);
  endif
endfunction

[rank, ranks] = gpulinalg_mpi ();
place = {"device", "cpu"};
shared = {"mpi", "rows", place{:}};
sizes = [64, 4; 4000, 16; 100000, 16; 400000, 32; 100000, 64; 40000, 128];
for s = 1:rows (sizes)
  m = sizes(s,1);
  n = sizes(s,2);
  mine = floor (m * (rank + 1) / ranks) - floor (m * rank / ranks);
  A = randn (mine, n);
  B = randn (mine, n);
  b = randn (mine, 1);
  one_line (rank, ranks, "qr", m, n, smallest (rank, @() nthargout (1:2, @qr_block, A, 0, shared{:})));
  one_line (rank, ranks, "r", m, n, smallest (rank, @() qr_block (A, 0, shared{:})));
  one_line (rank, ranks, "solve", m, n, smallest (rank, @() qr_block (A, b, "solve", shared{:})));
  one_line (rank, ranks, "gsvd", m, n, smallest (rank, @() nthargout (1:5, @gsvd_hz, A, B, 0, shared{:})));
  if (ranks == 1)
    one_line (rank, 0, "qr", m, n, smallest (rank, @() nthargout (1:2, @qr_block, A, 0, place{:})));
    one_line (rank, 0, "r", m, n, smallest (rank, @() qr_block (A, 0, place{:})));
    one_line (rank, 0, "solve", m, n, smallest (rank, @() qr_block (A, b, "solve", place{:})));
    one_line (rank, 0, "gsvd", m, n, smallest (rank, @() nthargout (1:5, @gsvd_hz, A, B, 0, place{:})));
  endif
endfor
