% compare_tables.m: prints new times beside old ones; octave-cli compare_tables.m OLD.tsv NEW.tsv
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Rows belong together if they have the same words and whole numbers; columns whose name begins with "loop" or has a / are
% no times of this package. For each column of times: the mean of new / old, and the row that lost most. It fails if
% no row is in both tables.

1;
function [keys, names, times] = parts_of (file)
  t = read_table (file);
  if (iscell (t))
    t = t{1};
  endif
  names = fieldnames (t).';
  numbers = cellfun (@(name) str2double (t.(name)), names, "uniformoutput", false);
  is_time = cellfun (@(x) any (x != fix (x) & isfinite (x)), numbers) & cellfun (@isempty, regexp (names, '^loop|_over_'));
  is_key = cellfun (@(x) all (isnan (x)) || all (x == fix (x)), numbers) & cellfun (@isempty, regexp (names, '^pages'));
  keys = repmat ({""}, size (t.(names{1})));
  for name = names(is_key)
    keys = strcat (keys, {" "}, t.(name{1}));
  endfor
  names = names(is_time);
  times = [numbers{is_time}];
endfunction

[keys, names, old] = parts_of (argv (){end-1});
[new_keys, new_names, new] = parts_of (argv (){end});
[found, at] = ismember (new_keys, keys);
if (! any (found))
  error ("compare_tables: no row of %s is in %s", argv (){[end, end-1]});
endif
for name = intersect (names, new_names)
  ratio = new(found,strcmp (new_names, name{1})) ./ old(at(found),strcmp (names, name{1}));
  if (any (isfinite (ratio)))
    [most, row] = max (ratio);
    printf ("  %-20s %.2f times as long as before; most: %.2f,%s\n", name{1}, exp (mean (log (ratio(isfinite (ratio))))), ...
            most, new_keys(found){row});
  endif
endfor
