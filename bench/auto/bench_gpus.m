% bench_gpus.m: batcheig or gsvd_hz on one GPU and on several, from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli --path src --path inst bench/auto/bench_gpus.m [batcheig|gsvd_hz]
% Prints a table (TSV): seconds, the best of three calls each, their ratio, and whether all bits are equal. batcheig on all
% GPUs of the machine: with "jacobi" at n = 128 and "qr" at n = 2048 they need more time than the copies; with "qr" at
% smaller n the copies of the host take longer. gsvd_hz with all five results of batches of pairs, on two GPUs.

1;  % a script, although it begins with functions

function [s, results] = timed (f, outputs, device)
  results = cell (1, outputs);
  tic;
  [results{:}] = f ("device", device);
  s = toc;
end

% [seconds on one, on all, ratio, same bits]
function t = compared (f, outputs, devices)
  t = inf (1, 2);
  for k = 1:3
    [s, one] = timed (f, outputs, devices(1));
    t(1) = min (t(1), s);
    [s, all_] = timed (f, outputs, devices);
    t(2) = min (t(2), s);
    same = isequal (one, all_);
    clear one all_
  end
  t = [t, t(1) / t(2), same];
end

addpath (fullfile (fileparts (mfilename ("fullpath")), "..", "common"));
info = gpulinalg_info ();
count = numel (info.devices);
if (count < 2)
  error ("bench_gpus: this machine has %d GPUs, two are needed", count);
end
if (strcmp (argv (){end}, "gsvd_hz"))
  printf ("# %s, two of one host; gpulinalg %s; seconds per call\n", info.devices(1).name, info.version);
  printf ("type\tn\tpairs\tone\ttwo\tratio\tsame_bits\n");
  for c = {"d", "d", "z", "d", "z", "d"; 128, 512, 512, 1024, 1024, 2048; 4000, 256, 128, 64, 32, 16}
    [A, B] = gsvd_pairs (c{2}, c{2}, c{2}, c{3}, c{1});
    printf ("%s\t%d\t%d\t%.4f\t%.4f\t%.2f\t%d\n", c{:}, compared (@(varargin) gsvd_hz (A, B, varargin{:}), 5, [0, 1]));
    fflush (stdout);
  end
else
  printf ("# %s; %d GPUs; seconds per call\n", info.devices(1).name, count);
  printf ("gpus\ttype\tn\tpages\tmethod\tvectors\tone\tall\tratio\tsame_bits\n");
  for c = {"z", "z", "z", "d", "z", "z"; 128, 128, 2048, 1024, 512, 128; 2048, 8192, 64, 256, 512, 8192; ...
           "jacobi", "jacobi", "qr", "qr", "qr", "qr"; true, true, true, false, true, true}
    [type, n, pages, method, vectors] = c{:};
    A = random_pages ([n, n], pages, type);  % "lower" makes Hermitian matrices of it
    f = @(varargin) batcheig (A, {"vector"}(vectors){:}, "lower", "method", method, varargin{:});
    printf ("%d\t%s\t%d\t%d\t%s\t%d\t%.4f\t%.4f\t%.2f\t%d\n", count, c{:}, compared (f, 1 + vectors, 0:count-1));
    fflush (stdout);
  end
end
