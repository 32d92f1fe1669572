% bench_qr.m: compares qr_block with Octave's qr and, for least squares, with A \ b, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/qr/bench_qr.m [--quick] [--types zdcs] [--only large|tall|pages]
% octave-cli bench/qr/bench_qr.m --solve [--quick] [--types zdcs]

1;  % a script, although it begins with functions

%------------------------------------------------------------------------------
% beside qr
%------------------------------------------------------------------------------

% Prints a table (TSV) of milliseconds per call, economy form: qr_block on the CPU and, if there is one, on
% the GPU with all copies; qr (for many pages in a loop) with the BLAS's default number of threads and, in another process,
% with one BLAS thread. A time of qr_block is the median of 3 calls after a warm-up call, or of fewer long calls. The last
% page of each result is checked.
function factors_beside_qr ()
  types = bench_option ("--types", "dz");
  cases = bench_option ("--only", all_cases (bench_option ("--quick", false)));
  gpu = bench_header ();
  printf ("# milliseconds per call from Octave arrays to Octave arrays, economy form; qr: the faster of the two\n");
  printf ("type\tset\trows\tcolumns\tpages\toutputs\tcpu\tgpu\tqr_default\tqr_one_thread\tqr\tqr/cpu\tqr/gpu\n");

  outputs = {"R", "QR", "QRP"};
  for type = types
    for k = 1:rows (cases)
      [set, m, n, pages, out] = cases{k,:};
      loops = loop_time ("qr", type, [m, n], out) * pages * 1e3;
      A = random_pages ([m, n], pages, type);
      ms = NaN (1, 2);
      ms(1) = time_of (A, out, "cpu");
      if (gpu)
        ms(2) = time_of (A, out, "gpu");
      end
      clear A
      peer = min (loops);
      printf ("%s\t%s\t%d\t%d\t%d\t%s", type, set, m, n, pages, outputs{out});
      printf ("\t%.4g", ms, loops, peer);
      printf ("\t%.3g", peer ./ ms);
      printf ("\n");
      fflush (stdout);
    end
  end
end

% Rows of: set, rows, columns, pages, outputs (1: R, 2: Q and R, 3: Q, R and P).
function cases = all_cases (quick)
  large = {512, 256, 1, 2; 1024, 512, 1, 2; 2048, 1024, 1, 2; 4096, 2048, 1, 2; 4096, 2048, 1, 1; ...
           1024, 1024, 1, 2; 2048, 1024, 1, 3};
  tall = {1e4, 16, 1, 2; 1e5, 16, 1, 2; 1e6, 16, 1, 2; 1e6, 32, 1, 2; 1e6, 32, 1, 1; 1e6, 64, 1, 2; 1e5, 128, 1, 2};
  pages = {4, 4, 50000, 2; 8, 8, 20000, 2; 16, 16, 2000, 2; 16, 16, 2000, 1; 16, 16, 2000, 3; ...
           32, 32, 10000, 2; 64, 64, 1000, 2; 128, 32, 1000, 2; 100, 4, 10000, 2; 128, 128, 200, 2};
  if (quick)
    large = large([2, 3], :);
    tall = tall([1, 2], :);
    pages = pages([1, 3, 8], :);
  end
  name = @(set, rows_) [repmat({set}, rows (rows_), 1), rows_];
  cases = [name("large", large); name("tall", tall); name("pages", pages)];
end

function ms = time_of (A, outputs, device)
  factors = cell (1, outputs);
  pause (0.3);  % the threads of the BLAS spin for about 0.1 s after their last work
  seconds = [];
  do
    tic;
    [factors{:}] = qr_block (A, 0, "device", device);
    seconds(end+1) = toc;
  until (numel (seconds) == 4 || (numel (seconds) > 1 && sum (seconds) > 2))
  ms = median (seconds(2:end)) * 1e3;
  check (A(:,:,end), factors, device);
end

function check (a, factors, device)
  [m, n] = size (a);
  scale = 30 * max (m, n) * eps (class (a));
  if (numel (factors) == 1)
    r = factors{1}(:,:,end);
    off = norm (r' * r - a' * a, 1) / norm (a' * a, 1);
  else
    q = factors{1}(:,:,end);
    r = factors{2}(:,:,end);
    if (numel (factors) == 3)
      a = a(:,factors{3}(:,:,end));
    end
    off = max (norm (a - q * r, 1) / norm (a, 1), norm (q' * q - eye (columns (q)), 1));
  end
  if (! (off <= scale))
    error ("bench_qr: %d x %d on the %s is wrong by %g", m, n, device, off);
  end
end

%------------------------------------------------------------------------------
% least squares
%------------------------------------------------------------------------------

% Prints a table (TSV) of milliseconds per call: qr_block (A, b, "solve") on the CPU and, if there is one, on the GPU with all
% copies; a loop over A \ b with the BLAS's default number of threads. A time is the median of 3 calls after a warm-up
% call; the loop runs over at most 2000 pages. `difference` is the largest difference between the two, over
% the largest element.
function solutions_beside_loop ()
  types = bench_option ("--types", "dz");
  cases = systems (bench_option ("--quick", false));
  gpu = bench_header ();
  printf ("# milliseconds per call from Octave arrays to Octave arrays; loop: A(:,:,p) \\ B(:,:,p) for each page\n");
  printf ("type\trows\tcolumns\tright\tpages\tcpu\tgpu\tloop\tloop/cpu\tloop/gpu\tdifference\n");
  for type = types
    for c = cases'
      [m, n, r, pages] = num2cell (c'){:};
      A = random_pages ([m, n], pages, type);
      B = random_pages ([m, r], pages, type);
      part = min (pages, 2000);
      [loop, reference] = solve_time (@() loop_solve (A(:,:,1:part), B(:,:,1:part)));
      loop *= pages / part;
      ms = NaN (1, 2);
      devices = {"cpu", "gpu"}(1:1+gpu);
      for d = 1:numel (devices)
        [ms(d), X] = solve_time (@() qr_block (A, B, "solve", "device", devices{d}));
      end
      off = max (abs (X(:,:,1:part) - reference)(:)) / max (abs (reference(:)));
      printf ("%s\t%d\t%d\t%d\t%d", type, m, n, r, pages);
      printf ("\t%.4g", ms, loop);
      printf ("\t%.3g", loop ./ ms, off);
      printf ("\n");
      fflush (stdout);
    end
  end
end

% Rows of: rows, columns, right-hand sides, pages.
function cases = systems (quick)
  cases = [8, 3, 1, 50000; 16, 4, 1, 20000; 32, 8, 1, 10000; 49, 10, 4, 5000; 100, 16, 1, 2000; 128, 32, 8, 1000; ...
           256, 64, 1, 200; 4, 4, 1, 50000; 16, 16, 1, 10000; 64, 64, 1, 500; 3, 8, 1, 20000; 8, 32, 1, 2000];
  if (quick)
    cases = cases([1, 4, 8, 11], :);
  end
end

function [ms, X] = solve_time (f)
  X = f ();
  seconds = zeros (1, 3);
  for k = 1:3
    tic;
    X = f ();
    seconds(k) = toc;
  end
  ms = median (seconds) * 1e3;
end

function X = loop_solve (A, B)
  X = zeros (columns (A), columns (B), size (A, 3), class (A));
  if (iscomplex (A))
    X = complex (X);
  end
  for p = 1:size (A, 3)
    X(:,:,p) = A(:,:,p) \ B(:,:,p);
  end
end

%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
if (bench_option ("--solve", false))
  solutions_beside_loop ();
else
  factors_beside_qr ();
end
