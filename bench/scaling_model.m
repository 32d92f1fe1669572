## scaling_model.m: predicted times of QR by rows on many ranks, for doc/scaling.md
## SPDX-License-Identifier: GPL-3.0-or-later
##
## octave-cli bench/scaling_model.m: prints a table for doc/scaling.md.
##
## The model follows the critical path. A rank factors its m/R rows in `leaf` seconds per number of a row
## and column; then 7 passes of the tree, each of depth d = ceil (log2 (R)), whose messages take a latency
## and their bytes over the bandwidth: cards up and down, triangles up, R down, Q down, agreement up and
## down. A join of two triangles takes `join` seconds, and a rank multiplies its Q by n x n in `product`.
## leaf, join and product were measured on one core (bench/results/*-ranks.tsv), nothing else was.

1;

function seconds = predicted (m, n, R, network, cpu)
  d = ceil (log2 (R));
  head = 256;
  card = 512;
  triangle = 8 * n * (n + 1) / 2;
  pass = @(bytes) network.latency + bytes / network.bandwidth;
  meet = 0;
  for k = 1:d
    meet += pass (card * min (2 ^ (k - 1), R)); # up: the cards of a half
  endfor
  meet += d * pass (card * R);
  tree = d * (pass (head + triangle) + pass (head + triangle) + pass (head + 8 * n ^ 2) + 2 * pass (head));
  nodes = d * cpu.join (n) + d * cpu.join (n) / 2; # up the factors, down the products with them
  seconds = meet + tree + nodes + (R > 1) * cpu.join (n) + cpu.leaf (n) * m * n / R + ...
            (R > 1) * cpu.product (n) * m * n / R;
endfunction
