% bench_eigs_peer.m: compares eigs_lanczos with eigs, and spmv without a plan with A*x, on the CPU
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/lanczos/bench_eigs_peer.m [--runs N] [--only eigs|spmv] [--fresh]
% Prints a table (TSV): medians in seconds of N pairs of runs {7}, alternately in one process, and their
% ratio. "agree" is the largest relative difference of the eigenvalues or of the products. "found" is the
% number of eigenvalues that eigs has found. With --fresh each pair of eigs runs in a new Octave; loading and
% starting are not part of the times.

1;  % a script, although it begins with functions

function A = mesh (m)
  T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
  A = kron (T, speye (m)) + kron (speye (m), T);
end

function L = laplacian (A)
  L = spdiags (sum (A, 2), 0, rows (A), rows (A)) - A;
end

% Hopping on a periodic cube, random energies of width 16.
function A = anderson (m)
  rand ("twister", 1);
  T = spdiags (ones (m, 1) * [-1, 0, -1], -1:1, m, m);
  T(1,m) = T(m,1) = -1;
  I = speye (m);
  A = kron (kron (T, I), I) + kron (kron (I, T), I) + kron (kron (I, I), T) ...
      + spdiags (16 * (rand (m ^ 3, 1) - 0.5), 0, m ^ 3, m ^ 3);
end

% Name, matrix, k, sigma.
function cases = eigs_cases ()
  D = mesh (150);
  S = laplacian (double (D < 0));
  A = anderson (20);
  G = ba_graph (20000, 3);
  L = laplacian (G);
  cases = {"mesh 150^2", D, 6, "sm"; "mesh 150^2, singular", S, 6, "sm"; "mesh 150^2", D, 6, 1; ...
           "mesh 150^2", D, 6, "sa"; "mesh 150^2", D, 6, "la"; "mesh 150^2", D, 6, "lm"; ...
           "Anderson 20^3", A, 8, 0.1; "Anderson 20^3", A, 8, "sm"; "Anderson 20^3", A, 8, "la"; ...
           "BA 20000", G, 6, "la"; "BA 20000", G, 6, "sa"; "BA 20000", G, 6, "lm"; ...
           "BA 20000, Laplacian", L, 6, "la"; "BA 20000, Laplacian", L, 6, "sa"};
end

function [theirs, ours, agree, found] = eigs_pair (A, k, sigma)
  tic;
  [~, d, flag] = eigs (A, k, sigma);
  theirs = toc;
  tic;
  [~, e, bad] = eigs_lanczos (A, k, sigma, "device", "cpu");
  ours = toc;
  d = sort (diag (d));
  e = sort (diag (e));
  if (bad)
    error ("bench_eigs_peer: eigs_lanczos has not found all");
  end
  found = sum (! isnan (d));
  agree = max (abs (e(! isnan (d)) - d(! isnan (d)))) / max (abs (e));
  if (isempty (agree) || found < k)
    agree = NaN;
  end
end

function eigs_rows (runs, fresh)
  printf ("task\tmatrix\tn\tnonzeros\tk\twhich\teigs s\teigs_lanczos s\tquotient\tfound by eigs\tagree\n");
  cases = eigs_cases ();
  for c = 1:rows (cases)
    [name, A, k, sigma] = cases{c,:};
    t = zeros (runs, 4);
    for r = 1:runs
      if (fresh)
        t(r,:) = fresh_pair (c);
      else
        [t(r,1), t(r,2), t(r,3), t(r,4)] = eigs_pair (A, k, sigma);
      end
    end
    m = median (t, 1);
    printf ("eigs\t%s\t%d\t%d\t%d\t%s\t%.3g\t%.3g\t%.2f\t%d\t%.1e\n", name, rows (A), nnz (A), k, ...
            num2str (sigma), m(1), m(2), median (t(:,2) ./ t(:,1)), m(4), m(3));
    fflush (stdout);
  end
end

% One pair in a process of its own.
function t = fresh_pair (c)
  file = [mfilename("fullpath"), ".m"];
  [status, text] = system (sprintf ("octave-cli --no-init-file --path '%s' '%s' --pair %d 2>/dev/null", ...
                                    strrep (path (), ":", "' --path '"), file, c));
  t = sscanf (text, "%g").';
  if (numel (t) != 4)
    error ("bench_eigs_peer: a pair has failed: %s", text);
  end
end

function A = random_matrix (n, entries, kind)
  i = ceil (n * rand (entries, 1));
  j = ceil (n * rand (entries, 1));
  x = rand (entries, 1) - 0.5;
  if (strcmp (kind, "complex"))
    x = complex (x, rand (entries, 1));
  end
  A = sparse (i, j, x, n, n);
end

function spmv_rows (runs)
  printf ("task\tmatrix\tn\tnonzeros\tvectors\top\tproducts\tA*x ms\tspmv (A, x) ms\tquotient\tagree\n");
  cases = {"path 100", spdiags(rand (100, 3), -1:1, 100, 100); "mesh 30^2", mesh(30); "mesh 150^2", mesh(150); ...
           "BA 20000", ba_graph(20000, 3); "BA 200000", ba_graph(200000, 3); ...
           "BA 200000, values", ba_graph(200000, 3) / 3; "BA 1600000", ba_graph(1600000, 3); ...
           "complex 100000", random_matrix(100000, 1e6, "complex")};
  for c = 1:rows (cases)
    A = cases{c,2};
    for b = [1, 4]
      for op = {"", "transpose", "ctranspose"}
        one_row (cases{c,1}, A, b, op{1}, runs);
      end
    end
  end
end

function one_row (name, A, b, op, runs)
  x = rand (columns (A), b) - 0.5;
  flags = {op}(! isempty (op));
  products = 20;
  if (nnz (A) > 5e6)
    products = 2;
  elseif (nnz (A) < 1e4)
    products = 1000;
  end
  t = zeros (runs, 2);
  for r = 1:runs
    tic;
    switch (op)
      case ""
        for k = 1:products, y = A * x; end
      case "transpose"
        for k = 1:products, y = A.' * x; end
      otherwise
        for k = 1:products, y = A' * x; end
    end
    t(r,1) = toc;
    tic;
    for k = 1:products, z = spmv (A, x, flags{:}, "device", "cpu"); end
    t(r,2) = toc;
  end
  m = median (t, 1) / products * 1e3;
  printf ("spmv\t%s\t%d\t%d\t%d\t%s\t%d\t%.4g\t%.4g\t%.2f\t%.1e\n", name, rows (A), nnz (A), b, [op, "N"(isempty (op))], ...
          products, m(1), m(2), median (t(:,2) ./ t(:,1)), norm (y - z, 1) / norm (y, 1));
  fflush (stdout);
end

%------------------------------------------------------------------------------
% options
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
warning ("off", "all");
rand ("twister", 1);
pair = bench_option ("--pair", "");
if (! isempty (pair))
  cases = eigs_cases ();
  [a, b, c, d] = eigs_pair (cases{str2double (pair),2:4});
  printf ("%g %g %g %g\n", a, b, c, d);
else
  bench_header ();
  runs = bench_option ("--runs", 7);
  only = bench_option ("--only", "");
  if (! strcmp (only, "spmv"))
    eigs_rows (runs, bench_option ("--fresh", false));
  end
  if (! strcmp (only, "eigs"))
    spmv_rows (runs);
  end
end
