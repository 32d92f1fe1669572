% bench_read_parts.m: read_graph of a whole file, and by parts on several ranks: seconds and memory
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Usage: mpirun -n R octave-cli --path src --path inst bench/ranks/bench_read_parts.m FILE [whole]
%
% Each rank prints the ranks, itself, seconds of one call, the entries of its rows, and the most memory
% that the process has had at a time beyond what it had before the call, in bytes for each of these entries
% (Linux). With "whole" it reads the whole file without "mpi". Where FILE does not exist, rank 0 writes a
% graph of preferential attachment with 10^6 nodes and 6*10^6 edges.

1;

function bytes = peak_memory ()
  text = fileread ("/proc/self/status");
  bytes = 1024 * str2double (regexp (text, 'VmHWM:\s*(\d+)', "tokens"){1}{1});
end

[rank, ranks] = gpulinalg_mpi ();
args = argv ();
whole = strcmp (args{end}, "whole");
file = args{end - whole};
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
if (whole)
  A = read_graph (file);
else
  A = read_graph (file, "mpi", "rows");
end
seconds = toc (start);
printf ("%d\t%d\t%.3g\t%d\t%.0f\n", ranks, rank, seconds, nnz (A), (peak_memory () - before) / nnz (A));
