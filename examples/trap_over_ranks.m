% examples/trap_over_ranks.m: a particle in a three-dimensional trap, on any number of processes
% SPDX-License-Identifier: GPL-3.0-or-later
%
% The Hamiltonian on a grid of m x m x m points is a sparse matrix of m^3 rows. Each rank builds the rows of its
% own points, and no rank ever has the whole matrix; the eigenvectors and all that eigs_lanczos keeps are spread
% in the same way. So the grid may be as large as the memory of all computers together allows. The energies are
% sums of three energies in one dimension, which check them.
%
% From a shell: mpirun -n 3 octave-cli examples/trap_over_ranks.m, or octave-cli examples/trap_over_ranks.m.

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

%------------------------------------------------------------------------------
% the rows of this rank
%------------------------------------------------------------------------------

m = 24;
n = m ^ 3;
first = floor (n * rank / ranks);
last = floor (n * (rank + 1) / ranks);
i = (first + 1 : last).';
[x, y, z] = ind2sub ([m, m, m], i);

% -1/2 times the Laplacian, by differences to six neighbours, and the potential (w r)^2 / 2. Row i of the matrix
% is row i - first here.
w = 0.25;
centre = (m + 1) / 2;
r2 = (x - centre) .^ 2 + (y - centre) .^ 2 + (z - centre) .^ 2;
H = sparse (i - first, i, 3 + w ^ 2 * r2 / 2, last - first, n);
neighbours = {x > 1, -1; x < m, 1; y > 1, -m; y < m, m; z > 1, -m ^ 2; z < m, m ^ 2};
for k = 1:rows (neighbours)
  [inside, step] = neighbours{k,:};
  H += sparse (i(inside) - first, i(inside) + step, -0.5, last - first, n);
end

%------------------------------------------------------------------------------
% energies and states
%------------------------------------------------------------------------------

start = tic ();
[V, D, flag, stats] = eigs_lanczos (H, 10, "sa", by_rows{:});
seconds = toc (start);

% Each rank has its rows of V. The sum of something over all ranks is a product with a matrix of ones, of which
% rank r has row r, as it has element r of the vectors.
size_of_ground_state = spmv (sparse (ones (1, ranks)), sum (abs (V(:,1)) .^ 2 .* r2), by_rows{:});

e = eig (diag (1 + w ^ 2 * ((1:m) - centre) .^ 2 / 2) - diag (0.5 * ones (m - 1, 1), 1) - diag (0.5 * ones (m - 1, 1), -1));
wanted = sort ((e + e.' + reshape (e, 1, 1, m))(:))(1:10);
if (rank == 0)
  printf ("%d x %d x %d points on %d ranks: %d products, %.3f s\n", m, m, m, ranks, stats.products, seconds);
  printf ("energies:%s\n", sprintf (" %.4f", diag (D)));
  printf ("without a grid: %.4f once, %.4f three times, %.4f six times\n", [1.5, 2.5, 3.5] * w);
  printf ("mean square radius of the ground state: %.3f, without a grid %.3f\n", size_of_ground_state, 1.5 / w);
end
if (! (norm (diag (D) - wanted) < 1e-10 && abs (size_of_ground_state - 1.5 / w) < 0.3))
  error ("trap_over_ranks: the energies are wrong");
end
