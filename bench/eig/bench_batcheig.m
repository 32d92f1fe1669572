% bench_batcheig.m: compares batcheig with the loop over eig, from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/bench_batcheig.m [--quick] [--types zdcs] [--sizes 8,16]
% Prints a table (TSV) of microseconds per page: "qr", "jacobi" and "auto" on the CPU and, if there is
% one, on the GPU with all copies; the loop over eig with the BLAS's default number of threads and, in
% another process, with one BLAS thread. A time of batcheig is the median of 3 calls after a warm-up
% call, or one call if it takes more than a second. One page of each result is checked. Eigenvalues
% without vectors: only types z and d.

1;  % a script, although it begins with functions

% The number of pages: their data fit in 256 MB on the GPU, in 64 MB on the CPU.
function pages = pages_for (n, type, gpu)
  bytes = n^2 * [4, 8, 8, 16]("sdcz" == type);
  pages = min (60000, max (4 * nproc (), floor ((64 + 192 * gpu) * 1e6 / bytes)));
end

% On the CPU, where time is in proportion to the pages, a call gets as many pages as take about 0.1 s,
% but at least 16 per thread, which fill the SIMD registers.
function us = time_of (A, vectors, method, device)
  if (strcmp (device, "cpu"))
    P = size (A, 3);
    some = least = min (P, 16 * nproc ());
    do
      seconds = Inf;
      for k = 1:2 % the first call may include warm-up
        tic;
        solve (A(:,:,1:some), vectors, method, device);
        seconds = min (seconds, toc);
      end
      enough = seconds > 0.02 || some == P;
      some = min (P, ceil (some * min (8, 0.1 / seconds)));
    until (enough)
    A = A(:,:,1:max (least, some));
  end
  seconds = [];
  do
    tic;
    [lambda, V] = solve (A, vectors, method, device);
    seconds(end+1) = toc;
  until (numel (seconds) == 4 || seconds(end) > 1)
  us = median (seconds(min (2, end):end)) / size (A, 3) * 1e6;
  a = A(:,:,end);
  scale = rows (a) * eps (class (a)) * norm (a, 1);
  if (vectors)
    v = V(:,:,end);
    off = max (norm (a * v - v .* lambda(:,1,end).', 1), norm (v' * v - eye (rows (a)), 1) * norm (a, 1));
  else
    off = max (abs (eig (a) - lambda(:,1,end)));
  end
  if (! (off <= 30 * scale))
    error ("bench_batcheig: %s on the %s is wrong at n = %d", method, device, rows (a));
  end
end

function [lambda, V] = solve (A, vectors, method, device)
  V = [];
  if (vectors)
    [V, lambda] = batcheig (A, "vector", "method", method, "device", device);
  else
    lambda = batcheig (A, "method", method, "device", device);
  end
end

%------------------------------------------------------------------------------
% options
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
quick = bench_option ("--quick", false);
types = bench_option ("--types", "zdcs");
sizes = [2 3 4 6 8 12 16 20 24 32 33 40 48 64 80 96 100 128 160 192 256 320 512];
if (quick)
  sizes = [4 8 16 32 64 128 256];
end
sizes = bench_option ("--sizes", sizes);
methods_ = {"qr", "jacobi", "auto"};
gpu = bench_header ();
printf ("# microseconds per page from Octave arrays to Octave arrays; loop: the faster of the two loops\n");
printf (["type\tn\tvectors\tpages_cpu\tpages_gpu\tcpu_qr\tcpu_jacobi\tcpu_auto\tgpu_qr\tgpu_jacobi\t" ...
         "gpu_auto\tloop_default\tloop_one_thread\tloop\tloop/cpu_auto\tloop/gpu_auto\n"]);

%------------------------------------------------------------------------------
% table
%------------------------------------------------------------------------------

for vectors = [true, false]
  for type = types(vectors | ismember (types, "zd"))
    for n = sizes
      us = NaN (2, 3);
      pages = zeros (1, 2);
      for g = 1:1+gpu
        pages(g) = pages_for (n, type, g == 2);
        A = random_pages (n, pages(g), type);
        for j = 1:3
          us(g,j) = time_of (A, vectors, methods_{j}, {"cpu", "gpu"}{g});
        end
        clear A
      end
      loops = loop_time ("eig", type, [n, n], 1 + vectors) * 1e6;
      printf ("%s\t%d\t%d\t%d\t%d", type, n, vectors, pages);
      printf ("\t%.4g", us', loops, min (loops));
      printf ("\t%.3g", min (loops) ./ us(:,3));
      printf ("\n");
      fflush (stdout);
    end
  end
end
