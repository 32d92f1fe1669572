## scaling_model.m: predicted times of QR by rows on many ranks, for doc/scaling.md
## SPDX-License-Identifier: GPL-3.0-or-later
##
## octave-cli bench/ranks/scaling_model.m: prints the table of predictions.
##
## The model follows the longest path: a rank factors its rows, forms its part of Q, and between lie seven
## passes of the tree, of depth d = ceil (log2 (ranks)) each: cards up and down, triangles up, R down, n x n
## for Q down, agreement up and down. A message takes the latency and its bytes over the bandwidth, and
## `hop` of the library. Two triangles take `join`, a product on the way down `product`.
## Measured: rows (seconds for a row, Q included, on a full computer), hop, join and product. Not measured:
## latency and bandwidth, which are those of two networks.

1;

function seconds = tree_seconds (n, ranks, network, cpu)
  d = ceil (log2 (ranks));
  head = 256;
  card = 512;
  triangle = 8 * n * (n + 1) / 2;
  message = @(bytes) network.latency + cpu.hop + bytes / network.bandwidth;
  cards_up = 0;
  for level = 0:d-1
    cards_up += message (card * min (2 ^ level, ranks));
  endfor
  cards_down = d * message (card * ranks);
  others = d * (2 * message (head + triangle) + message (head + 8 * n ^ 2) + 2 * message (head));
  seconds = cards_up + cards_down + others + (d + 1) * (cpu.join + cpu.product);
endfunction

## Measured: bench/results/ranks-xeon-16core.tsv with 16 ranks; join and product on one core of an AMD EPYC.
hop = 3.06e-05;
cpus = struct ("n", {16, 64}, "rows", {2.59e-07, 1.97e-06}, "join", {19.1e-6, 89.2e-6}, ...
               "product", {7.9e-6, 34.8e-6}, "hop", hop);
rows = [1e8, 1e7];
networks = struct ("name", {"200 Gb/s, 5 us", "10 Gb/s, 30 us"}, "latency", {5e-6, 30e-6}, ...
                   "bandwidth", {25e9, 1.25e9});
counts = [64, 128, 256, 512];
printf ("| rows x columns | network |%s\n| --- | --- |%s\n", sprintf (" %d ranks |", counts), ...
        repmat (" --- |", 1, numel (counts)));
for c = 1:numel (cpus)
  for network = networks
    printf ("| %g x %d | %s |", rows(c), cpus(c).n, network.name);
    for ranks = counts
      tree = tree_seconds (cpus(c).n, ranks, network, cpus(c));
      seconds = rows(c) / ranks * cpus(c).rows + tree;
      printf (" %.1f (%.1f) |", 1e3 * seconds, 1e3 * tree);
    endfor
    printf ("\n");
  endfor
endfor
