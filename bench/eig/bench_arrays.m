% bench_arrays.m: compares the time of batcheig on a GPU with the times of its kernels and copies
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/bench_arrays.m --table FILE [--types zd] [--sizes 8,16] [--megabytes 256]
% FILE is the table that bench_batcheig printed on the same GPU: the time of the kernels for one
% page is its column "auto". Prints (TSV) the median of 5 calls with eigenvectors after a warm-up call,
% from Octave array to Octave array; the times of the kernels and of copying all bytes at 20 GB/s; and
% the ratio of the call to a limit, 1 ms more than 1.3 times the larger of the two.

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
kernels = fileread (bench_option ("--table", ""));
types = bench_option ("--types", "zd");
sizes = bench_option ("--sizes", [8,16,32,64,128,256,512]);
bytes = bench_option ("--megabytes", 256) * 1e6;
if (! bench_header ())
  error ("bench_arrays: this machine has no GPU");
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
