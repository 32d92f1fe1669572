% bench_eigs.m: compares spmv and eigs_lanczos with A*x and eigs, from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/lanczos/bench_eigs.m [--quick] [--only spmv|eigs] [--cases NAMES] [--places cpu|gpu]
% Prints a table (TSV): milliseconds per call on the CPU and, if there is one, on the GPU. spmv: with a
% plan, host vectors, copies included. eigs: the 10 largest eigenvalues without vectors, and eigs on the
% host. A time of spmv is the smallest of several calls, one of eigs the smallest of two (above 20 s one
% call). Every result is checked. NAMES, separated by commas, are names in the table; "patents" (of the
% size of cit-Patents) runs only if it is named. Less than a minute with a GPU:
%   octave-cli bench/lanczos/bench_eigs.m --only eigs --cases "BA 200000"
%
% octave-cli bench/lanczos/bench_eigs.m --basis [--cases NAMES]
% Prints a table of eigs_lanczos on the GPU (without one on the CPU) for several sizes of the basis, with
% and without the search for missed values. NAMES: {patents}.

1;  % a script, although it begins with functions

function A = grid_3d (m)
  T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
  I = speye (m);
  A = kron (kron (T, I), I) + kron (kron (I, T), I) + kron (kron (I, I), T);
end

% Rows of name and function that builds the matrix; those named, or the default ones.
function cases = all_cases (quick, names)
  cases = {"BA 20000", @() ba_graph(20000, 3); "BA 200000", @() ba_graph(200000, 3); ...
           "BA 1600000", @() ba_graph(1600000, 3); "grid 60^3", @() grid_3d(60); ...
           "patents", @() ba_graph(3774768, 5)};
  usual = [true, true, ! quick, ! quick, false];
  here = fileparts (mfilename ("fullpath"));
  file = fullfile (here, "../../../shared/data/ca-CondMat.txt");
  if (exist (file, "file"))
    cases(end+1,:) = {"ca-CondMat.txt", @() read_graph(file)};
  end
  addpath (fullfile (here, "../../tests/octave"));
  cases(end+1,:) = {"bcsstk13.mtx", @() stored_matrix("bcsstk13")};
  usual(end+1:rows (cases)) = true;
  if (isempty (names))
    cases = cases(usual,:);
  else
    names = strsplit (names, ",");
    unknown = setdiff (names, cases(:,1));
    if (! isempty (unknown))
      error ("bench_eigs: there is no case \"%s\"; there are %s", unknown{1}, strjoin (cases(:,1).', ", "));
    end
    cases = cases(ismember (cases(:,1), names),:);
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
        ms(strcmp ({"cpu", "gpu"}, places{p})) = time_of (@() spmv (P, x), 7);
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
    ms(strcmp ({"cpu", "gpu"}, places{p})) = time_of (@() eigs_lanczos (A, k, "la", "device", places{p}), 2);
  end
  row ("eigs la", name, A, k, ms, time_of (@() eigs (A, k, "la"), 1));
end

function print_times (cases, only, places)
  printf ("# milliseconds; columns: vectors of spmv, eigenvalues of eigs; octave: A*x, or eigs\n");
  printf ("task\tmatrix\tn\tnonzeros\tcolumns\tcpu\tgpu\toctave\toctave/cpu\toctave/gpu\n");
  for c = cases.'
    A = c{2} ();
    if (! strcmp (only, "eigs"))
      spmv_rows (c{1}, A, places);
    end
    if (! strcmp (only, "spmv") && ! strncmp (c{1}, "grid", 4))
      eigs_row (c{1}, A, places);
    end
  end
end

% With a plan, so that only the iteration is timed. The counts come from another call.
function print_basis (cases, place)
  k = 10;
  printf ("# eigs_lanczos on the %s, %d largest, values alone, of a plan; milliseconds\n", place, k);
  printf ("matrix\tn\tnonzeros\tcertify\tp\tbasis\tblock\trestarts\tproducts\tconverged\tcomplete\tms\n");
  for c = cases.'
    A = c{2} ();
    P = spmv_plan (A, "device", place);
    for certify = [true, false]
      for p = [0, 48, 64, 80, 96]
        options = {"device", place, "certify", certify};
        if (p > 0)
          options = [options, {"p", p}];
        end
        [~, ~, ~, stats] = eigs_lanczos (P, k, "la", options{:});
        ms = time_of (@() eigs_lanczos (P, k, "la", options{:}), 2);
        printf ("%s\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.4g\n", c{1}, rows (A), nnz (A), certify, ...
                merge (p > 0, num2str (p), "default"), stats.basis, stats.block, stats.restarts, ...
                stats.products, stats.converged, stats.complete, ms);
        fflush (stdout);
      end
    end
  end
end

%------------------------------------------------------------------------------
% options
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
places = {"cpu", "gpu"}(1:1+bench_header ());
names = bench_option ("--cases", "");
rand ("twister", 1);
if (bench_option ("--basis", false))
  if (isempty (names))
    names = "patents";
  end
  print_basis (all_cases (false, names), places{end});
else
  wanted = bench_option ("--places", "");
  if (! isempty (wanted))
    places = places(strcmp (places, wanted));
  end
  print_times (all_cases (bench_option ("--quick", false), names), bench_option ("--only", ""), places);
end
