% table_row.m: a row of a table in Markdown
% SPDX-License-Identifier: GPL-3.0-or-later

function line = table_row (entries)
  line = ["| ", strjoin(entries, " | "), " |"];
end
