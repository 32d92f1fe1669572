## bench_part.m: what a part of the spectrum takes on the CPU, against all eigenvectors
## SPDX-License-Identifier: GPL-3.0-or-later
##
## Usage: octave-cli --path src --path inst bench/eig/bench_part.m
##
## For real and complex pages of order n: microseconds of processor time a page for all eigenvalues,
## all eigenvectors, the largest n/10 and the largest one with eigenvectors, each the least of
## several runs, and the ratios n/10 to all vectors and 1 to eigenvalues alone. Processor time,
## because other programs may run at the same time.

1;

function t = best_of (f, runs)
  t = Inf;
  for k = 1:runs
    start = cputime ();
    f ();
    t = min (t, cputime () - start);
  endfor
endfunction

function varargout = outputs (count, varargin)
  [varargout{1:count}] = batcheig (varargin{:}, "device", "cpu");
endfunction

function us = part_times (A)
  n = rows (A);
  tenth = ceil (n / 10);
  pages = size (A, 3);
  us = 1e6 / pages * [best_of(@() outputs (1, A), 3), best_of(@() outputs (2, A, "vector"), 3), ...
                      best_of(@() outputs (2, A, "vector", "largest", tenth), 3), ...
                      best_of(@() outputs (2, A, "vector", "largest", 1), 3)];
endfunction

printf ("type    n  values  vectors     n/10        1  n/10:all  1:values\n");
for type = "dz"
  for n = [16, 32, 64, 96, 128, 160, 192, 256, 512]
    randn ("state", n);
    pages = max (2, round (3e7 / n^3)) * 2;
    A = randn (n, n, pages);
    if (type == "z")
      A = complex (A, randn (n, n, pages));
    endif
    us = part_times (A + conj (permute (A, [2, 1, 3])));
    printf ("%s    %4d %7.1f  %7.1f  %7.1f  %7.1f  %8.2f  %8.2f\n", type, n, us, us(3) / us(2),
            us(4) / us(1));
  endfor
endfor
