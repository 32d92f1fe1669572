% read_table.m: the columns of a table of measurements, as cells of strings
% SPDX-License-Identifier: GPL-3.0-or-later
%
% t = read_table (file)
% The file has tab separated values; the first line that is no comment (#) has the names. In field names / becomes
% _over_ and other characters that Octave does not allow become _. A later line of names starts another table; then
% t is a cell of structs.

function t = read_table (file)
  lines = strsplit (fileread (file), "\n");
  lines = lines(! cellfun (@isempty, lines) & ! strncmp (lines, "#", 1));
  first = strtok (lines{1}, "\t");
  starts = find (strcmp (strtok (lines, "\t"), first));
  ends = [starts(2:end) - 1, numel(lines)];
  for k = 1:numel (starts)
    names = strsplit (lines{starts(k)}, "\t");
    names = regexprep (strrep (names, "/", "_over_"), '\W+', "_");
    names = regexprep (names, '_$', "");
    fields = cellfun (@(l) strsplit (l, "\t", "collapsedelimiters", false)(1:numel (names)), ...
                      lines(starts(k)+1:ends(k))', "uniformoutput", false);
    fields = vertcat (fields{:});
    for j = 1:numel (names)
      one.(names{j}) = fields(:,j);
    end
    t{k} = one;
    clear one;
  end
  if (numel (t) == 1)
    t = t{1};
  end
end
