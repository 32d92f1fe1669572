% bench_eigs_rows.m: eigs_lanczos and products of sparse matrices whose rows are on several ranks
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Usage: mpirun -n R octave-cli --path src --path inst bench/ranks/bench_eigs_rows.m [NODES]
%
% A graph of preferential attachment and a grid of about NODES nodes {1e6}, rows dealt out evenly. Rank 0
% prints a line for each: seconds of the eigenvalues with vectors, milliseconds of a product with a plan,
% each the least of three; megabytes that all ranks send in a product, and the seconds that rank 0 waited
% for messages in the last call of eigs_lanczos. With one rank the same without "mpi", too.

1;

function [seconds, stats, waited] = eigenvalues (A, k, varargin)
  seconds = Inf;
  for trial = 1:3
    [~, ~, before] = gpulinalg_mpi ();
    start = tic ();
    [V, D, flag, stats] = eigs_lanczos (A, k, "la", "certify", false, "tol", 1e-6, "maxit", 20, varargin{:});
    seconds = min (seconds, toc (start));
    [~, ~, after] = gpulinalg_mpi ();
    waited = after.seconds_waited - before.seconds_waited;
  end
end

function [seconds, sent] = products (P, x)
  seconds = Inf;
  y = P * x;
  for trial = 1:3
    [~, ~, before] = gpulinalg_mpi ();
    start = tic ();
    for k = 1:10
      y = P * x;
    end
    seconds = min (seconds, toc (start) / 10);
    [~, ~, after] = gpulinalg_mpi ();
    sent = (after.bytes_sent - before.bytes_sent) / 10;
  end
end

% The sum over all ranks, from a product with a matrix of ones.
function s = over_ranks (x, rank, ranks)
  s = spmv (sparse (ones (1, ranks)), x, "mpi", "rows");
end

[rank, ranks] = gpulinalg_mpi ();
nodes = 1e6;
if (numel (argv ()) > 0 && ! isnan (str2double (argv (){end})))
  nodes = str2double (argv (){end});
end
side = round (sqrt (nodes));
T = spdiags (ones (side, 1) * [1, 0, 1], -1:1, side, side);
grid = kron (T, speye (side)) + kron (speye (side), T) + spdiags ((1:side^2).' / side^2, 0, side^2, side^2);
graph = ba_graph (nodes, 6, 8);
graphs = {"preferential attachment, 6 edges", graph, 8; "grid, with a potential", grid, 4};
if (rank == 0)
  printf ("graph\tnodes\tentries\tk\tranks\tthreads\tseconds\tproducts\tproduct_ms\tproduct_MB\twaited_s\n");
end
for g = 1:rows (graphs)
  [name, A, k] = graphs{g,:};
  n = rows (A);
  mine = floor (n * rank / ranks) + 1 : floor (n * (rank + 1) / ranks);
  threads = gpulinalg_info ().threads;
  entries = nnz (A);
  if (ranks == 1)
    [seconds, stats] = eigenvalues (A, k, "device", "cpu");
    product = products (spmv_plan (A, "device", "cpu"), ones (n, 1));
    printf ("%s\t%d\t%d\t%d\t-\t%d\t%.3g\t%d\t%.3g\t0\t0\n", name, n, entries, k, threads, seconds, ...
            stats.products, 1e3 * product);
  end
  A = A(mine,:);
  [seconds, stats, waited] = eigenvalues (A, k, "mpi", "rows");
  [product, sent] = products (spmv_plan (A, "mpi", "rows", "device", "cpu"), ones (numel (mine), 1));
  sent = over_ranks (sent, rank, ranks);
  if (rank == 0)
    printf ("%s\t%d\t%d\t%d\t%d\t%d\t%.3g\t%d\t%.3g\t%.3g\t%.2g\n", name, n, entries, k, ranks, threads, ...
            seconds, stats.products, 1e3 * product, sent / 1e6, waited);
  end
end
