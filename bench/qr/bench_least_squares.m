% bench_least_squares.m: compares qr_block (A, b, "solve") with a loop over A \ b, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/qr/bench_least_squares.m [--quick] [--types zdcs]
% Prints a table (TSV) of milliseconds per call: qr_block on the CPU and, if there is one, on the GPU with all
% copies; the loop with the BLAS's default number of threads. A time is the median of 3 calls after a warm-up
% call; the loop runs over at most 2000 pages. `difference` is the largest difference between the two, over
% the largest element.

1;  % a script, although it begins with functions

% Rows of: rows, columns, right-hand sides, pages.
function cases = all_cases (quick)
  cases = [8, 3, 1, 50000; 16, 4, 1, 20000; 32, 8, 1, 10000; 49, 10, 4, 5000; 100, 16, 1, 2000; 128, 32, 8, 1000; ...
           256, 64, 1, 200; 4, 4, 1, 50000; 16, 16, 1, 10000; 64, 64, 1, 500; 3, 8, 1, 20000; 8, 32, 1, 2000];
  if (quick)
    cases = cases([1, 4, 8, 11], :);
  end
end

function [ms, X] = time_of (f)
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

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
types = bench_option ("--types", "dz");
cases = all_cases (bench_option ("--quick", false));
gpu = bench_header ();
printf ("# milliseconds per call from Octave arrays to Octave arrays; loop: A(:,:,p) \\ B(:,:,p) for each page\n");
printf ("type\trows\tcolumns\tright\tpages\tcpu\tgpu\tloop\tloop/cpu\tloop/gpu\tdifference\n");
for type = types
  for c = cases'
    [m, n, r, pages] = num2cell (c'){:};
    A = random_pages ([m, n], pages, type);
    B = random_pages ([m, r], pages, type);
    part = min (pages, 2000);
    [loop, reference] = time_of (@() loop_solve (A(:,:,1:part), B(:,:,1:part)));
    loop *= pages / part;
    ms = NaN (1, 2);
    devices = {"cpu", "gpu"}(1:1+gpu);
    for d = 1:numel (devices)
      [ms(d), X] = time_of (@() qr_block (A, B, "solve", "device", devices{d}));
    end
    off = max (abs (X(:,:,1:part) - reference)(:)) / max (abs (reference(:)));
    printf ("%s\t%d\t%d\t%d\t%d", type, m, n, r, pages);
    printf ("\t%.4g", ms, loop);
    printf ("\t%.3g", loop ./ ms, off);
    printf ("\n");
    fflush (stdout);
  end
end
