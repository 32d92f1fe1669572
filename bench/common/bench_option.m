% bench_option.m: the value after --NAME on the command line of a benchmark
% SPDX-License-Identifier: GPL-3.0-or-later
%
% value = bench_option (name, default), a string; the default if the name is not given.

function value = bench_option (name, default)
  args = argv ();
  at = find (strcmp (args, name));
  value = default;
  if (! isempty (at))
    value = args{at(1) + 1};
  end
end
