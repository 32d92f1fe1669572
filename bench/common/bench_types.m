% bench_types.m: the types of --types on the command line of a benchmark, of the letters "zdcs"
% SPDX-License-Identifier: GPL-3.0-or-later

function types = bench_types (default)
  types = bench_option ("--types", default);
  types = types(ismember (types, "zdcs"));
end
