% bench_eigs_graphs.m: compares eigs_lanczos with eigs on graphs and meshes of a folder, on one processor
% SPDX-License-Identifier: GPL-3.0-or-later
%
% OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 octave-cli bench/lanczos/bench_eigs_graphs.m FOLDER
%   [--runs N] [--graphs NAME,..] [--which la,..] [--k 4,..] [--forms NAME,..] [--longest SECONDS]
% Prints a table (TSV) of the matrices of FOLDER, *.txt (edges) and *.mtx, and of lumped plates (n = 8100),
% as they are, as Laplacians and as normalised adjacencies: the least processor seconds of N calls by turns {3},
% fewer where they take long. "met": at most 1.1 times the time of eigs, or 0.1 s; "eigs fails": it ends with an error. "found": values that have
% converged. "missed": of the wanted values those that are not in the list, where the other one has them; "-"
% where both have the same. eigs is left out of rows where it took more than --longest {300} seconds for a smaller k.

1;  % a script, although it begins with functions

function A = without_loops (A)
  A = double (A != 0);
  A -= spdiags (spdiags (A, 0), 0, rows (A), rows (A));
end

function A = in_form (A, form)
  if (strcmp (form, "plain"))
    return;
  end
  W = without_loops (A);
  degrees = full (sum (W, 2));
  n = rows (W);
  if (strcmp (form, "laplacian"))
    A = spdiags (degrees, 0, n, n) - W;
  else
    s = spdiags (1 ./ sqrt (max (degrees, 1)), 0, n, n);
    A = s * W * s;
    A = (A + A.') / 2;
  end
end

% Clamped plate of m x m nodes with masses that differ: 13 entries in a row.
function A = plate (m)
  T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
  L = kron (T, speye (m)) + kron (speye (m), T);
  s = spdiags (1 ./ sqrt (1 + 0.5 * sin ((1:m^2)' / 7)), 0, m ^ 2, m ^ 2);
  A = s * (L * L) * s;
  A = (A + A.') / 2;
end

function [seconds, d] = timed (f, A, k, which)
  before = cputime ();
  d = f (A, k, which);
  seconds = cputime () - before;
end

% How many of the values in d the other list lacks, taken from the wanted end.
function count = missing (d, other, scale)
  d = d(! isnan (d));
  other = other(! isnan (other));
  count = 0;
  for x = d.'
    [off, at] = min (abs (other - x));
    if (! isempty (off) && off <= 1e-7 * scale)
      other(at) = [];
    else
      count++;
    end
  end
end

% The values of both lists in the order in which they are wanted, k of them.
function best = wanted (d, e, k, which, scale)
  best = e(! isnan (e));
  for x = d(! isnan (d)).'      # those that e lacks
    if (missing (d(abs (d - x) <= 1e-7 * scale), best, scale) > 0)
      best(end+1,1) = x;
    end
  end
  sign_ = struct ("la", -1, "sa", 1, "lm", -1, "sm", 1).(which);
  if (any (strcmp (which, {"lm", "sm"})))
    [~, order] = sort (sign_ * abs (best));
  else
    [~, order] = sort (sign_ * best);
  end
  best = best(order(1:min (k, end)));
end

function t = one_row (A, k, which, runs, patient)
  t = struct ("theirs", NaN, "ours", Inf, "found", [NaN, 0], "missed", [NaN, 0]);
  ours = @(A, k, which) eigs_lanczos (A, k, which, "device", "cpu");
  d = NaN (k, 1);
  if (patient)
    t.theirs = Inf;
  end
  for r = 1:runs
    if (patient)
      try
        [s, d] = timed (@eigs, A, k, which);
      catch
        s = NaN;
        patient = false;
        t.theirs = NaN;
      end
      t.theirs = min (t.theirs, s);
    end
    [s, e] = timed (ours, A, k, which);
    t.ours = min (t.ours, s);
    if (max (t.theirs, t.ours) > 3)
      break;
    end
  end
  scale = norm (A, 1);
  best = wanted (d, e, k, which, scale);
  t.found = [sum(! isnan (d)), sum(! isnan (e))];
  t.missed = [missing(best, d, scale), missing(best, e, scale)];
end

function table_of (name, A, forms, ks, whichs, runs, longest)
  for form = forms
    M = in_form (A, form{1});
    for which = whichs
      patient = true;
      for k = ks
        t = one_row (M, k, which{1}, runs, patient);
        patient = ! (t.theirs > longest);
        met = {"no", "yes"}{1 + (t.ours <= max (1.1 * t.theirs, 0.1))};
        if (isnan (t.theirs))
          met = "eigs fails";
        end
        printf ("%s\t%s\t%d\t%d\t%s\t%d\t%.3f\t%.3f\t%.2f\t%s\t%d\t%d\t%d\t%d\n", name, form{1}, rows (M), nnz (M), which{1}, k, ...
                t.theirs, t.ours, t.ours / t.theirs, met, t.found, t.missed);
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
warning ("off", "all");
args = argv ();
if (isempty (args) || ! isfolder (args{1}))
  error ("bench_eigs_graphs: the first argument must be a folder with graphs");
end
list = @(name, default) strsplit (bench_option (name, default), ",");
runs = bench_option ("--runs", 3);
longest = bench_option ("--longest", 300);
forms = list ("--forms", "plain,laplacian,normalised");
ks = str2double (list ("--k", "4,12,30"));
whichs = list ("--which", "la,sa,lm,sm");
chosen = list ("--graphs", "");
bench_header ();
printf ("matrix\tform\tn\tnonzeros\twhich\tk\teigs s\teigs_lanczos s\tratio\tmet\teigs found\teigs_lanczos found\teigs missed\teigs_lanczos missed\n");
files = [glob(fullfile (args{1}, "*.mtx")); glob(fullfile (args{1}, "*.txt"))];
for j = 1:numel (files)
  [~, name] = fileparts (files{j});
  if (! isempty (chosen{1}) && ! any (strcmp (name, chosen)))
    continue;
  end
  table_of (name, double (read_graph (files{j})), forms, ks, whichs, runs, longest);
end
if (isempty (chosen{1}) || any (strcmp ("plate", chosen)))
  table_of ("plate", plate (90), {"plain"}, 8, {"sm"}, max (runs, 5), longest);
end
