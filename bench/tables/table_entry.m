% table_entry.m: one number of a table of measurements, formatted for documents
% SPDX-License-Identifier: GPL-3.0-or-later
%
% text = table_entry (t, conditions, name)
% The entry in column `name` of the struct t of read_table, in the row with conditions = {name, value, ...}.
% Empty if there is no such row or no number; an error if there are several rows.

function text = table_entry (t, conditions, name)
  here = true (size (t.(name)));
  for k = 1:2:numel (conditions)
    here &= strcmp (t.(conditions{k}), conditions{k+1});
  end
  if (nnz (here) > 1)
    error ("%d rows with %s", nnz (here), strjoin (conditions, " "));
  end
  text = [t.(name){here}];
  if (isempty (text) || strcmpi (text, "NaN"))
    text = "";
  elseif (any (text == "e") && ! isnan (str2double (text)))
    text = sprintf ("%.0f", str2double (text));  % 1.34e+03
  end
end
