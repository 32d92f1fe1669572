% bench_eigs.m: spmv and eigs_lanczos from Octave arrays beside A*x and eigs
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/bench_eigs.m [--quick] [--only spmv|eigs]
% Prints a table (TSV): milliseconds per call on the CPU and, where there is one, on the GPU. spmv: with
% a plan, host vectors, copies included. eigs: 10 largest eigenvalues without vectors. Times of spmv are
% the smallest of several calls, those of eigs of two (one above 20 s); every result is checked.

1;  % a script, although it begins with functions

function A = grid_3d (m)
  T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
  I = speye (m);
  A = kron (kron (T, I), I) + kron (kron (I, T), I) + kron (kron (I, I), T);
end

% name, matrix, number of vectors; built when its turn comes.
function cases = all_cases (quick)
  cases = {"BA 20000", @() ba_graph(20000, 3); "BA 200000", @() ba_graph(200000, 3)};
  if (! quick)
    cases = [cases; {"BA 1600000", @() ba_graph(1600000, 3); "grid 60^3", @() grid_3d(60)}];
  end
  for f = {"ca-CondMat.txt", "bcsstk13.mtx"}
    for folder = {"../tests/data", "../../shared/data"}
      file = fullfile (fileparts (mfilename ("fullpath")), folder{1}, f{1});
      if (exist (file, "file"))
        cases = [cases; {f{1}, @() read_graph(file)}];
        break;
      end
    end
  end
end

function ms = time_of (f, calls)
  best = Inf;
  for c = 1:calls
    tic;
    f ();
    best = min (best, toc);
    if (best > 20)
      break;
    end
  end
  ms = best * 1e3;
end

function row (task, name, A, b, ms, peer)
  printf ("%s\t%s\t%d\t%d\t%d", task, name, rows (A), nnz (A), b);
  printf ("\t%.4g", ms, peer);
  printf ("\t%.3g", peer ./ ms);
  printf ("\n");
  fflush (stdout);
end

function spmv_rows (name, A, places)
  for values = {"values", "pattern"}
    if (strcmp (values{1}, "pattern"))
      A = double (A != 0);
    else
      [i, j, a] = find (A);
      A = sparse (i, j, a .* (1 + rand (size (a))), rows (A), columns (A));
    end
    for b = [1, 4]
      x = rand (columns (A), b);
      ms = NaN (1, 2);
      for p = 1:numel (places)
        P = spmv_plan (A, "device", places{p});
        y = spmv (P, x);
        if (norm (y - A * x, "fro") > 1e-12 * norm (y, "fro"))
          error ("bench_eigs: spmv of %s on the %s is wrong", name, places{p});
        end
        ms(p) = time_of (@() spmv (P, x), 7);
      end
      row (["spmv " values{1}], name, A, b, ms, time_of (@() A * x, 5));
    end
  end
end

function eigs_row (name, A, places)
  k = 10;
  ms = NaN (1, 2);
  for p = 1:numel (places)
    [V, D, flag] = eigs_lanczos (A, k, "la", "device", places{p});
    if (flag || norm (A * V - V * D, 1) > 1e-11 * norm (A, 1))
      error ("bench_eigs: eigs_lanczos of %s on the %s is wrong", name, places{p});
    end
    ms(p) = time_of (@() eigs_lanczos (A, k, "la", "device", places{p}), 2);
  end
  row ("eigs la", name, A, k, ms, time_of (@() eigs (A, k, "la"), 1));
end

%------------------------------------------------------------------------------
% what to run
%------------------------------------------------------------------------------

addpath (fileparts (mfilename ("fullpath")));
if (! exist ("spmv"))
  pkg load gpulinalg
end
places = {"cpu", "gpu"}(1:1+bench_header ());
printf ("# milliseconds; columns: vectors of spmv, eigenvalues of eigs; octave: A*x, or eigs\n");
printf ("task\tmatrix\tn\tnonzeros\tcolumns\tcpu\tgpu\toctave\toctave/cpu\toctave/gpu\n");

%------------------------------------------------------------------------------
% table
%------------------------------------------------------------------------------

rand ("twister", 1);
only = bench_option ("--only", "");
for c = all_cases (any (strcmp (argv (), "--quick"))).'
  A = c{2} ();
  if (! strcmp (only, "eigs"))
    spmv_rows (c{1}, A, places);
  end
  if (! strcmp (only, "spmv") && ! strncmp (c{1}, "grid", 4))
    eigs_row (c{1}, A, places);
  end
end
