% bench_ranks.m: what ranks of mpirun take together: rows of QR and GSVD, one pair, sparse rows, and files by parts
% SPDX-License-Identifier: GPL-3.0-or-later
%
% mpirun -n R octave-cli --path src --path inst bench/ranks/bench_ranks.m TASK [...] >>table.tsv
%
% rows: QR, least squares and GSVD by rows. All ranks together have the rows of the table, so the same table on more ranks
% is strong scaling. Each figure is the smallest of seven; with "ranks" 0 the functions are called without "mpi".
%
% pair [TRIALS]: gsvd_hz of one pair of rank 0 whose sweeps all ranks share. Random square pairs of 512 and 1024 columns,
% double and complex, all outputs. Seconds, the least of TRIALS {5}; the same of rank 0 alone while the others wait for it;
% processor seconds of rank 0 in both, which other work on the machine hardly changes; sweeps; megabytes that rank 0 sends.
% The two take turns, so that both meet the same other work.
%
% sparse [NODES]: eigs_lanczos and products of sparse matrices whose rows are on several ranks: a graph of preferential
% attachment and a grid of about NODES nodes {1e6}, rows dealt out evenly. Seconds of the eigenvalues with vectors,
% milliseconds of a product with a plan, each the least of three; megabytes that all ranks send in a product, and the
% seconds that rank 0 waited for messages in the last call of eigs_lanczos. With one rank the same without "mpi", too.
%
% read FILE [whole]: read_graph by parts, or of the whole file without "mpi". Each rank prints the ranks, itself, seconds of
% one call, the entries of its rows, and the most memory that the process has had at a time beyond what it had before the
% call, in bytes for each of these entries (Linux). Where FILE does not exist, rank 0 writes a graph of preferential
% attachment with 10^6 nodes and 6*10^6 edges.

1;  % a script, although it begins with functions

%------------------------------------------------------------------------------
% rows
%------------------------------------------------------------------------------

function seconds = smallest (rank, body)
  times = zeros (1, 7);
  for k = 1:numel (times)
    qr_block (rank, 0, "mpi", "rows");  % all ranks begin together
    t = tic;
    body ();
    times(k) = toc (t);
  end
  seconds = min (times);
end

function bench_rows (rank, ranks)
  for size_ = [64, 4000, 100000, 400000, 100000, 40000; 4, 16, 16, 32, 64, 128]
    [m, n] = num2cell (size_){:};
    mine = floor (m * (rank + 1) / ranks) - floor (m * rank / ranks);
    A = randn (mine, n);
    B = randn (mine, n);
    b = randn (mine, 1);
    for shared = [true, false](1:1+(ranks == 1))
      place = [{"mpi", "rows"}(shared & [1, 1]), {"device", "cpu"}];
      calls = {"qr", @() nthargout(1:2, @qr_block, A, 0, place{:}); "r", @() qr_block(A, 0, place{:}); ...
               "solve", @() qr_block(A, b, "solve", place{:}); "gsvd", @() nthargout(1:5, @gsvd_hz, A, B, 0, place{:})};
      for k = 1:rows (calls)
        seconds = smallest (rank, calls{k,2});
        if (rank == 0)
          printf ("%s\t%d\t%d\t%d\t%.6f\n", calls{k,1}, m, n, ranks * shared, seconds);
        end
      end
    end
  end
end

%------------------------------------------------------------------------------
% pair
%------------------------------------------------------------------------------

% Seconds, and processor seconds.
function [seconds, stats] = solve (A, B, varargin)
  used = cputime ();
  start = tic ();
  [U, V, X, C, S, stats] = gsvd_hz (A, B, 0, "device", "cpu", varargin{:});
  seconds = [toc(start), cputime() - used];
end

function bench_pair (rank, ranks, trials = "5")
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
      for trial = 1:str2double (trials)
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
end

%------------------------------------------------------------------------------
% sparse
%------------------------------------------------------------------------------

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

function bench_sparse (rank, ranks, nodes = "1e6")
  nodes = str2double (nodes);
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
end

%------------------------------------------------------------------------------
% read
%------------------------------------------------------------------------------

function bytes = peak_memory ()
  text = fileread ("/proc/self/status");
  bytes = 1024 * str2double (regexp (text, 'VmHWM:\s*(\d+)', "tokens"){1}{1});
end

function bench_read (rank, ranks, file, what = "parts")
  if (rank == 0 && ! exist (file, "file"))
    [i, j] = find (triu (ba_graph (1e6, 6, 8)));
    f = fopen (file, "w");
    fprintf (f, "%d %d\n", [i, j].');
    fclose (f);
    error ("%s is written; call this again", file);
  end
  qr_block (1, 0, "mpi", "rows");
  before = peak_memory ();
  start = tic ();
  if (strcmp (what, "whole"))
    A = read_graph (file);
  else
    A = read_graph (file, "mpi", "rows");
  end
  seconds = toc (start);
  printf ("%d\t%d\t%.3g\t%d\t%.0f\n", ranks, rank, seconds, nnz (A), (peak_memory () - before) / nnz (A));
end

[rank, ranks] = gpulinalg_mpi ();
args = argv ();
tasks = struct ("rows", @bench_rows, "pair", @bench_pair, "sparse", @bench_sparse, "read", @bench_read);
if (isempty (args) || ! isfield (tasks, args{1}))
  error ("bench_ranks: the first argument must be rows, pair, sparse or read");
end
tasks.(args{1}) (rank, ranks, args{2:end});
