% examples/graph_by_parts.m: the most central nodes of a graph in a file of which each process reads a part
% SPDX-License-Identifier: GPL-3.0-or-later
%
% A node is central where its neighbours are: the centralities of all nodes are the eigenvector of the largest
% eigenvalue of the adjacency matrix (Bonacich 1972). No process has the whole file or matrix: rank r of R reads
% an R-th of the bytes, ranks give each other the edges of their rows, and the eigenvector is spread in the same
% way. So a graph may be as large as the memory of all computers together allows. This one is small, so that
% rank 0 can check the eigenvalue by eigs.
%
% From a shell: mpirun -n 3 octave-cli examples/graph_by_parts.m, or octave-cli examples/graph_by_parts.m.

if (! exist ("gpulinalg_mpi"))
  pkg load gpulinalg
end
by_rows = {"mpi", "rows"};
try
  [rank, ranks] = gpulinalg_mpi ();
catch err
  if (! strcmp (err.identifier, "gpulinalg:no-mpi") || ! isempty (getenv ("OMPI_COMM_WORLD_SIZE")))
    rethrow (err);
  end
  rank = 0;                           % the package was built without MPI: one process
  ranks = 1;
  by_rows = {};
end

% An edge list; a real program has it already, in a place that all processes reach. Here each writes a copy.
file = tempname ();
[i, j] = find (triu (ba_graph (20000, 4, 1)));
f = fopen (file, "w");
fprintf (f, "# an edge in each line, node ids are any integers\n");
fprintf (f, "%d %d\n", [10 * i, 10 * j].');
fclose (f);

%------------------------------------------------------------------------------
% the rows of this rank, and their centralities
%------------------------------------------------------------------------------

[A, ids] = read_graph (file, by_rows{:});
[V, D] = eigs_lanczos (A, 1, "la", by_rows{:});
[centrality, k] = max (abs (V));

% Each rank has its rows of the residual; the R of their QR is the norm of the whole.
residual = abs (qr_block (spmv (A, V, by_rows{:}) - V * D, 0, by_rows{:}));
% printf would write a line in pieces, and the lines of several ranks would be mixed; puts writes it at once.
puts (sprintf ("rank %d of %d: %d nodes, %d entries, most central here: node %d, %.4f\n", rank, ranks, rows (A), ...
               nnz (A), ids(k), centrality));
if (rank == 0)
  wanted = eigs (read_graph (file), 1, "la");
  printf ("largest eigenvalue: %.6f, by eigs %.6f; residual %.1e\n", D, wanted, residual);
  if (! (abs (D - wanted) < 1e-8 * wanted && residual < 1e-6 * wanted))
    error ("graph_by_parts: the eigenvalue is wrong");
  end
end
unlink (file);
