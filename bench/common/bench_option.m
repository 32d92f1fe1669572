% bench_option.m: an option of a benchmark's command line
% SPDX-License-Identifier: GPL-3.0-or-later
%
% value = bench_option (name, default): what follows the name, a string, or numbers if the default is one; the default if
% the name is not given. With the default false, whether the name is given. If the default is a cell, its rows whose first
% column is what follows.

function value = bench_option (name, default)
  args = argv ();
  at = find (strcmp (args, name), 1);
  value = default;
  if (islogical (default))
    value = ! isempty (at);
  elseif (isempty (at))
    return;
  elseif (isnumeric (default))
    value = str2num (["[", args{at + 1}, "]"]);  %#ok<ST2NM>
  elseif (iscell (default))
    value = default(strcmp (default(:,1), args{at + 1}),:);
  else
    value = args{at + 1};
  end
end
