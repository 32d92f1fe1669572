% bench_batcheig.m: times of batcheig beside loops, NumPy, its kernels and copies, and all of its eigenvectors
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/bench_batcheig.m [--quick] [--types zdcs] [--sizes 8,16]
%   loops over eig, from Octave arrays to Octave arrays
% octave-cli bench/eig/bench_batcheig.m --peer [--quick] [--types dzsc] [--sizes N,N]
%   numpy.linalg.eigh and the loop over eig
% octave-cli bench/eig/bench_batcheig.m --kernels FILE [--types zd] [--sizes 8,16] [--megabytes 256]
%   on a GPU, its kernels and copies; FILE is the table that the program bench_batcheig printed on the same GPU
% octave-cli --path src --path inst bench/eig/bench_batcheig.m --part
%   a part of the spectrum beside all of it, on the CPU

1;  % a script, although it begins with functions

%------------------------------------------------------------------------------
% beside loops over eig
%------------------------------------------------------------------------------

% Prints a table (TSV) of microseconds per page: "qr", "jacobi" and "auto" on the CPU and, if there is one, on the GPU with
% all copies; the loop over eig with the BLAS's default number of threads and, in another process, with one BLAS thread. A
% time of batcheig is the median of 3 calls after a warm-up call, or one call if it takes more than a second. One page of
% each result is checked. Eigenvalues without vectors: only types z and d.
function beside_loops ()
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
end

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
% beside NumPy
%------------------------------------------------------------------------------

% Prints a table (TSV) of microseconds per page, eigenvalues and eigenvectors: batcheig on the CPU; numpy.linalg.eigh on
% pages, in a process of its own; and the loop [V, D] = eig (A(:,:,p)) with the faster number of BLAS threads, default or
% one. batcheig and NumPy run in turn, and the smallest times count. The last page is checked. Without python3 and NumPy its
% columns are NaN. The columns _core are processor time, of all threads together, the least of the same calls: on a machine
% with other work they change less. "cores" is the processor time of batcheig over the time that passed: below the number
% of threads other programs have had the processor. About 3 minutes.
function beside_numpy ()
  types = bench_option ("--types", "dz");
  sizes = [2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512];
  if (bench_option ("--quick", false))
    sizes = [4, 16, 64, 128, 256];
  end
  sizes = bench_option ("--sizes", sizes);
  bench_header ();
  peer = numpy_process ("start");
  printf ("# microseconds per page from Octave arrays to Octave arrays, with eigenvectors, the least of several calls\n");
  printf ("type\tn\tpages\tcpu\tnumpy\tloop\tnumpy/cpu\tloop/cpu\tcpu_core\tnumpy_core\tcore_ratio\tcores\n");
  for type = types
    for n = sizes
      pages = min (60000, max (16, round (merge (any (type == "dc"), 2, 1) * 1e6 / n^2)));
      A = random_pages (n, pages, type);
      check_last (A);
      if (! isempty (peer))
        numpy_process (peer, "make batcheig %s %d %d %d %d v\n", type, n, n, n, pages);
      end
      [t, cores] = times_of (A, peer);
      t *= 1e6;
      clear A
      loop = min (loop_time ("eig", type, [n, n], 2)) * 1e6;
      printf ("%s\t%d\t%d", type, n, pages);
      printf ("\t%.4g", t(1,1), t(2,1), loop);
      printf ("\t%.3g", t(2,1) / t(1,1), loop / t(1,1));
      printf ("\t%.4g", t(:,2));
      printf ("\t%.3g\t%.2f\n", t(2,2) / t(1,2), cores);
      fflush (stdout);
    end
  end
  numpy_process ("stop", peer);
end

% Seconds and seconds of the processor of one call.
function t = once (A)
  pause (0.12);  % the threads of the BLAS spin for about 0.1 s after their last work
  processor = cputime ();
  tic;
  [V, lambda] = batcheig (A, "vector", "device", "cpu");
  t = [toc, cputime() - processor];
end

function t = numpy_once (peer)
  t = NaN (1, 2);
  if (! isempty (peer))
    pause (0.12);
    t = sscanf (numpy_process (peer, "times\n"), "%g").';
  end
end

% Both in turn: rows batcheig and NumPy of seconds and seconds of the processor per page.
function [t, cores] = times_of (A, peer)
  t = Inf (2, 2);
  cores = NaN;
  begin = time ();
  for r = 1:9
    one = once (A);
    if (one(1) < t(1,1))
      cores = one(2) / one(1);
    end
    t = min (t, [one; numpy_once(peer)]);
    if (r >= 3 && time () - begin > 3)
      break;
    end
  end
  t(isinf (t)) = NaN;  % min leaves NaN out
  t /= size (A, 3);
end

function check_last (A)
  [V, lambda] = batcheig (A(:,:,end), "vector", "device", "cpu");
  a = A(:,:,end);
  off = max (norm (a * V - V .* lambda.', 1), norm (V' * V - eye (rows (a)), 1) * norm (a, 1));
  if (! (off <= 30 * rows (a) * eps (class (a)) * norm (a, 1)))
    error ("bench_batcheig --peer: wrong at n = %d", rows (a));
  end
end

%------------------------------------------------------------------------------
% beside its kernels and copies on a GPU
%------------------------------------------------------------------------------

% The time of the kernels for one page is the column "auto" of the table. Prints (TSV) the median of 5 calls with
% eigenvectors after a warm-up call, from Octave array to Octave array; the times of the kernels and of copying all bytes at
% 20 GB/s; and the ratio of the call to a limit, 1 ms more than 1.3 times the larger of the two.
function beside_kernels (file)
  kernels = fileread (file);
  types = bench_option ("--types", "zd");
  sizes = bench_option ("--sizes", [8,16,32,64,128,256,512]);
  bytes = bench_option ("--megabytes", 256) * 1e6;
  if (! bench_header ())
    error ("bench_batcheig --kernels: this machine has no GPU");
  end
  printf ("# ms per call; A of %g MB, and V as large\n", bytes / 1e6);
  printf ("type\tn\tpages\tcall\tkernels\tcopies\tcall/limit\n");
  for type = types
    size_ = [4, 8, 8, 16]("sdcz" == type);
    class_ = {"double", "single"}{1 + any(type == "sc")};
    numbers = rand (bytes / size_, 1, class_) - 0.5;
    if (any (type == "cz"))
      numbers = complex (numbers, numbers(end:-1:1));
    end
    for n = sizes
      P = floor (numel (numbers) / n^2);
      A = reshape (numbers(1:n^2*P), n, n, P); % "lower" makes Hermitian matrices of it
      row = regexp (kernels, sprintf ("^grid\t%s\t%d\t.*$", type, n), "match", "once", "lineanchors", "dotexceptnewline");
      row = strsplit (row, "\t");
      kernel = str2double (row{8}) * P / 1e3;
      copies = (2 * n^2 * size_ + n * size_ / (1 + any (type == "cz"))) * P / 20e9 * 1e3;
      seconds = zeros (1, 6);
      for k = 1:6
        clear V lambda
        tic;
        [V, lambda] = batcheig (A, "vector", "lower", "device", "gpu");
        seconds(k) = toc;
      end
      call = median (seconds(2:end)) * 1e3;
      printf ("%s\t%d\t%d\t%.4g\t%.4g\t%.4g\t%.3g\n", type, n, P, call, kernel, copies, ...
              call / (1.3 * max (kernel, copies) + 1));
      fflush (stdout);
    end
  end
end

%------------------------------------------------------------------------------
% a part of the spectrum
%------------------------------------------------------------------------------

% For real and complex pages of order n: microseconds of processor time a page for all eigenvalues, all eigenvectors, the
% largest n/10 and the largest one with eigenvectors, each the least of several runs, and the ratios n/10 to all vectors
% and 1 to eigenvalues alone. Processor time, because other programs may run at the same time.
function parts_beside_all ()
  printf ("type    n  values  vectors     n/10        1  n/10:all  1:values\n");
  for type = "dz"
    for n = [16, 32, 64, 96, 128, 160, 192, 256, 512]
      randn ("state", n);
      pages = max (2, round (3e7 / n^3)) * 2;
      A = randn (n, n, pages);
      if (type == "z")
        A = complex (A, randn (n, n, pages));
      end
      us = part_times (A + conj (permute (A, [2, 1, 3])));
      printf ("%s    %4d %7.1f  %7.1f  %7.1f  %7.1f  %8.2f  %8.2f\n", type, n, us, us(3) / us(2),
              us(4) / us(1));
    end
  end
end

function t = best_of (f, runs)
  t = Inf;
  for k = 1:runs
    start = cputime ();
    f ();
    t = min (t, cputime () - start);
  end
end

function varargout = outputs (count, varargin)
  [varargout{1:count}] = batcheig (varargin{:}, "device", "cpu");
end

function us = part_times (A)
  n = rows (A);
  tenth = ceil (n / 10);
  pages = size (A, 3);
  us = 1e6 / pages * [best_of(@() outputs (1, A), 3), best_of(@() outputs (2, A, "vector"), 3), ...
                      best_of(@() outputs (2, A, "vector", "largest", tenth), 3), ...
                      best_of(@() outputs (2, A, "vector", "largest", 1), 3)];
end

%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
table = bench_option ("--kernels", "");
if (! isempty (table))
  beside_kernels (table);
elseif (bench_option ("--peer", false))
  beside_numpy ();
elseif (bench_option ("--part", false))
  parts_beside_all ();
else
  beside_loops ();
end
