% device_bands.m: the density of states of graphene under a superlattice, on the GPU from first to last
% SPDX-License-Identifier: GPL-3.0-or-later
%
% An electron hops between the atoms of graphene, 72 of them in a cell of 6 x 6, and a smooth potential repeats from
% cell to cell. For every wave vector k a Hermitian matrix H(k) = sum_R H_R exp (i k R) of order 72 is built by a
% product of matrices, solved by batcheig, and its eigenvalues are counted. All arrays are gpuArrays, and only the
% counts come back. Without a GPU the same lines run on the CPU. Checked against eig, and without the potential
% against the closed form of graphene's bands; beside the same with arrays of the host. Writes device_bands.png.

1;  % a script, although it begins with functions

% H_R for a cell and its eight neighbours, one page each, and their lattice vectors as rows.
function [pages, lattice] = hoppings (period, strength)
  [i, j] = ndgrid (0:period-1);
  atom = @(i, j, sublattice) 1 + 2 * (mod (i, period) + period * mod (j, period)) + sublattice;
  [a, b] = ndgrid (-1:1);
  lattice = [a(:), b(:)];
  pages = zeros (2 * period ^ 2, 2 * period ^ 2, 9);
  for move = [0, -1, 0; 0, 0, -1]  # from an atom A to its three neighbours B
    ii = i(:) + move(1);
    jj = j(:) + move(2);
    for k = 1:numel (ii)
      page = find (all (lattice == floor ([ii(k), jj(k)] / period), 2));
      from = atom (i(k), j(k), 0);
      to = atom (ii(k), jj(k), 1);
      pages(from,to,page) -= 1;
      pages(to,from,10-page) -= 1;
    end
  end
  well = strength * (cos (2 * pi * i / period) + cos (2 * pi * j / period));
  pages(:,:,5) += diag (reshape ([well(:), well(:)].', 1, []));
end

% All H(k) by one product, (atoms^2 x 9) times (9 x wave vectors).
function H = bloch (pages, lattice, k)
  phases = exp (complex (0, lattice * k));
  H = reshape (reshape (pages, [], 9) * phases, rows (pages), rows (pages), columns (k));
end

% How many eigenvalues lie between the edges.
function counts = histogram (lambda, edges)
  below = sum (lambda(:) < edges, 1);
  counts = gather (below(2:end) - below(1:end-1));
end

addpath (fileparts (mfilename ("fullpath")));
period = 6;
points = 24;
[pages, lattice] = hoppings (period, 0.4);
[k1, k2] = ndgrid ((0:points-1) * 2 * pi / points);
k = [k1(:), k2(:)].';
edges = linspace (-4, 4, 201);

% From here to the counts everything stays where the gpuArrays are. The first of two runs starts the GPU.
for run = 1:2
  tic;
  H = bloch (gpuArray (complex (pages, 0)), gpuArray (lattice), gpuArray (k));
  lambda = batcheig (H);
  counts = histogram (lambda, edges);
  seconds = toc;
end
device = gpuDevice ();
printf ("%d matrices of order %d, built, solved and counted in %.3f s on %s\n", columns (k), rows (pages), seconds, device.Name);
tic;
host_counts = histogram (batcheig (bloch (complex (pages, 0), lattice, k)), edges);
printf ("with arrays of the host: %.3f s\n", toc);

% the checks
worst = 0;
for p = 1:37:columns (k)
  worst = max (worst, max (abs (gather (lambda(:,1,p)) - eig (gather (H(:,:,p))))));
end
flat = bloch (gpuArray (complex (hoppings (period, 0), 0)), gpuArray (lattice), gpuArray (k));
energies = sort (gather (batcheig (flat))(:));
[q1, q2] = ndgrid ((0:points*period-1) * 2 * pi / (points * period));
closed = abs (1 + exp (1i * q1) + exp (1i * q2))(:);
difference = max (abs (energies - sort ([closed; -closed])));
printf ("largest difference from eig %.1e, from graphene's bands without the potential %.1e\n", worst, difference);
if (worst > 1e-12 || difference > 1e-12 || sum (abs (counts - host_counts)) > 4 || sum (counts) != numel (lambda))
  error ("device_bands: the eigenvalues are wrong");
end

% the picture: both densities of states
energy = (edges(1:end-1) + edges(2:end)) / 2;
width = edges(2) - edges(1);
density = counts / (numel (lambda) * width);
plain = diff (arrayfun (@(e) sum (energies < e), edges)) / (numel (energies) * width);
[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
plot (energy, plain, "color", blue, energy, density, "color", red, "linewidth", 2);
axis ([-4, 4, 0, 0.6]);
xlabel ("energy in units of the hopping");
ylabel ("states per atom and unit of energy");
legend ("graphene", sprintf ("with a potential of period %d", period));
title (sprintf ("%d matrices of order %d, built, solved and counted in one place", columns (k), rows (pages)));
picture (fig, "device_bands.png", "900,480");
