% cross_table.m: a table in Markdown whose entries are looked up in tables of measurements
% SPDX-License-Identifier: GPL-3.0-or-later
%
% lines = cross_table (heading, keys, columns)
% keys: the names of the rows, and the text of the first column, {key, text; ...} or {key; ...}.
% columns: {heading, struct of read_table with a field key, conditions besides the key, field; ...}.

function lines = cross_table (heading, keys, columns)
  lines = {table_row([heading, columns(:,1)']), table_row(repmat ({"---"}, 1, rows (columns) + 1))};
  for k = 1:rows (keys)
    entries = unbroken (keys(k,end));
    for j = 1:rows (columns)
      [~, t, conditions, field] = columns{j,:};
      entries{end+1} = table_entry (t, ["key", keys(k,1), conditions], field);
    end
    lines{end+1} = table_row (entries);
  end
end

% Replaces spaces in numbers and next to × by ones at which no line may end.
function text = unbroken (text)
  space = "\xc2\xa0";
  text = regexprep (text, '(?<=\d) (?=\d{3}(\D|$))', space);
  text = strrep (text, " × ", [space "×" space]);
end
