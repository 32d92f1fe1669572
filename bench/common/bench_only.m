% bench_only.m: the rows of cases that --only NAME selects by their first column; all without --only
% SPDX-License-Identifier: GPL-3.0-or-later

function cases = bench_only (cases)
  only = bench_option ("--only", "");
  if (! isempty (only))
    cases = cases(strcmp (cases(:,1), only),:);
  end
end
