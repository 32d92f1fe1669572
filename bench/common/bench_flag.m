% bench_flag.m: whether --NAME is on the command line of a benchmark
% SPDX-License-Identifier: GPL-3.0-or-later

function yes = bench_flag (name)
  yes = any (strcmp (argv (), name));
end
