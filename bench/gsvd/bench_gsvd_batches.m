% bench_gsvd_batches.m: batches of pairs of gsvd_hz on one GPU and on two, from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli --path src --path inst bench/gsvd/bench_gsvd_batches.m
% Prints a table (TSV): seconds of a call with all five results, the best of three, with the first GPU and with the
% first two; their ratio; and whether all bits are equal.

1;

function [s, results] = timed (A, B, devices)
  results = cell (1, 5);
  tic;
  [results{:}] = gsvd_hz (A, B, "device", devices);
  s = toc;
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
info = gpulinalg_info ();
if (numel (info.devices) < 2)
  error ("bench_gsvd_batches: this machine has %d GPUs, two are needed", numel (info.devices));
end
printf ("# %s, two of one host; gpulinalg %s; seconds per call\n", info.devices(1).name, info.version);
printf ("type\tn\tpairs\tone\ttwo\tratio\tsame_bits\n");
for c = {"d", "d", "z", "d", "z", "d"; 128, 512, 512, 1024, 1024, 2048; 4000, 256, 128, 64, 32, 16}
  [A, B] = gsvd_pairs (c{2}, c{2}, c{2}, c{3}, c{1});
  t = inf (1, 2);
  for k = 1:3
    [s, one] = timed (A, B, 0);
    t(1) = min (t(1), s);
    [s, two] = timed (A, B, [0, 1]);
    t(2) = min (t(2), s);
    same = isequal (one, two);
    clear one two
  end
  printf ("%s\t%d\t%d\t%.4f\t%.4f\t%.2f\t%d\n", c{:}, t, t(1) / t(2), same);
  fflush (stdout);
end
