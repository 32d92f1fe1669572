% bench_gpus.m: compares one GPU with all GPUs of the machine, from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli --path src --path inst bench/eig/bench_gpus.m
% Prints a table (TSV): the best of three calls each, their ratio, and whether all bits are equal. With
% "jacobi" at n = 128 and "qr" at n = 2048 the GPUs need more time than the copies; with "qr" at smaller n
% the copies of the host take longer.

1;  % a script, although it begins with a function

function [V, D] = solve (A, method, vectors, devices)
  V = [];
  if (vectors)
    [V, D] = batcheig (A, "vector", "lower", "method", method, "device", devices);
  else
    D = batcheig (A, "lower", "method", method, "device", devices);
  endif
endfunction

info = gpulinalg_info ();
devices = 0:numel (info.devices) - 1;
if (numel (devices) < 2)
  error ("bench_gpus: this machine has %d GPUs, two are needed", numel (devices));
endif
printf ("# %s; %d GPUs; seconds per call\n", info.devices(1).name, numel (devices));
printf ("gpus\ttype\tn\tpages\tmethod\tvectors\tone\tall\tratio\tsame_bits\n");
cases = {"z", 128, 2048, "jacobi", true; "z", 128, 8192, "jacobi", true; "z", 2048, 64, "qr", true; ...
         "d", 1024, 256, "qr", false; "z", 512, 512, "qr", true; "z", 128, 8192, "qr", true};
for c = 1:rows (cases)
  [type, n, P, method, vectors] = cases{c,:};
  A = rand (n, n, P) - 0.5;
  if (type == "z")
    A = complex (A, rand (n, n, P) - 0.5);
  endif
  t = inf (1, 2);
  for k = 1:3
    tic;
    [V1, D1] = solve (A, method, vectors, devices(1));
    t(1) = min (t(1), toc);
    tic;
    [V2, D2] = solve (A, method, vectors, devices);
    t(2) = min (t(2), toc);
    same = isequal (D1, D2) && isequal (V1, V2);
    clear V1 V2
  endfor
  printf ("%d\t%s\t%d\t%d\t%s\t%d\t%.4f\t%.4f\t%.2f\t%d\n", numel (devices), type, n, P, method, ...
          vectors, t, t(1) / t(2), same);
endfor
