% bench_gsvd.m: compares gsvd_hz with Octave's gsvd (for many pairs in a loop), from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/gsvd/bench_gsvd.m [--quick] [--types zdcs] [--only large|tall|pages]
% Prints a table (TSV) of milliseconds per call, five outputs: gsvd_hz on the CPU and, if there is one, on the
% GPU with all copies; gsvd with the BLAS's default number of threads and, in another process, with one BLAS
% thread. A time of gsvd_hz is the median of 3 calls after a warm-up call, or of fewer long calls. Residuals and
% orthogonality of the last pair of each result are checked.
%
% octave-cli bench/gsvd/bench_gsvd.m --sweeps [--quick] [--device cpu|gpu]
% Prints a table of the rotations in each sweep, n = 512 (128 with --quick), by method, blocking and ordering,
% and the seconds of the call.

1;  % a script, although it begins with functions

% Rows of: set, rows of A, rows of B, columns, pages.
function cases = all_cases (quick)
  cases = {"large", 64, 64, 64, 1; "large", 128, 128, 128, 1; "large", 256, 256, 256, 1; "large", 512, 512, 512, 1; ...
           "tall", 2000, 1000, 100, 1; "tall", 300, 200, 250, 1; ...
           "pages", 4, 4, 4, 5000; "pages", 8, 8, 8, 5000; "pages", 16, 16, 16, 5000; "pages", 32, 32, 32, 1000; ...
           "pages", 30, 20, 10, 5000};
  if (quick)
    cases = cases([1, 2, 9],:);
  end
end

function ms = time_of (A, B, device)
  pause (0.3);  % the threads of the BLAS spin for about 0.1 s after their last work
  seconds = [];
  do
    tic;
    [U, V, X, C, S] = gsvd_hz (A, B, "device", device);
    seconds(end+1) = toc;
  until (numel (seconds) == 4 || (numel (seconds) > 1 && sum (seconds) > 2))
  ms = median (seconds(2:end)) * 1e3;
  check (A(:,:,end), U(:,:,end), C(:,:,end), X(:,:,end), device);
  check (B(:,:,end), V(:,:,end), S(:,:,end), X(:,:,end), device);
end

function check (A, U, C, X, device)
  [m, p] = size (A);
  off = max (norm (A - U * C * X') / norm (A), norm (U' * U - eye (m)));
  if (! (off <= 10 * max (m, p) * eps (class (A))))
    error ("bench_gsvd: %d x %d on the %s is wrong by %g", m, p, device, off);
  end
end

function print_times (cases, types, gpu)
  printf ("# milliseconds per call from Octave arrays to Octave arrays, five outputs; gsvd: the faster of the two\n");
  printf ("type\tset\trows_A\trows_B\tcolumns\tpages\tcpu\tgpu\tgsvd_default\tgsvd_one_thread\tgsvd\tgsvd/cpu\tgsvd/gpu\n");
  for type = types
    for k = 1:rows (cases)
      [set, m, n, p, pages] = cases{k,:};
      loops = loop_time ("gsvd", type, [m, n, p], 5) * pages * 1e3;
      [A, B] = gsvd_pairs (m, n, p, pages, type);
      ms = NaN (1, 2);
      ms(1) = time_of (A, B, "cpu");
      if (gpu)
        ms(2) = time_of (A, B, "gpu");
      end
      peer = min (loops);
      printf ("%s\t%s\t%d\t%d\t%d\t%d", type, set, m, n, p, pages);
      printf ("\t%.4g", ms, loops, peer);
      printf ("\t%.3g", peer ./ ms);
      printf ("\n");
      fflush (stdout);
    end
  end
end

function print_sweeps (n, device)
  printf ("# rotations in each sweep of gsvd_hz on the %s, n = %d\n", device, n);
  printf ("type\tn\tmethod\tblocking\tordering\tseconds\tsweep\trotations\n");
  for type = "dz"
    [A, B] = gsvd_pairs (n, n, n, 1, type);
    for choice = {"tangent", "tangent", "hz", "hz", "hz"; "bo", "fb", "bo", "fb", "bo"; "me", "me", "me", "me", "mm"}
      [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "device", device, "method", choice{1}, "blocking", choice{2}, ...
                                        "ordering", choice{3});
      for k = 1:stats.sweeps
        printf ("%s\t%d\t%s\t%s\t%s\t%.4g\t%d\t%d\n", type, n, choice{:}, stats.seconds, k, stats.rotations(k));
      end
      fflush (stdout);
    end
  end
end

%------------------------------------------------------------------------------
% options
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
quick = bench_option ("--quick", false);
gpu = bench_header ();
if (bench_option ("--sweeps", false))
  print_sweeps (merge (quick, 128, 512), bench_option ("--device", "cpu"));
else
  types = bench_option ("--types", "dz");
  cases = bench_option ("--only", all_cases (quick));
  print_times (cases, types, gpu);
end
