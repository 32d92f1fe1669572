% doc_tables.m: writes the tables of measurements into README.md and doc/*.md
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/tables/doc_tables.m            writes them
% octave-cli bench/tables/doc_tables.m --check    changes nothing; the exit status is 1 if a table differs
%
% Every table stands between the lines <!-- table NAME --> and <!-- end -->. Its figures come from
% bench/results; document_table.m says which.

1;  % a script, although it begins with functions

% The text with every table replaced, and the names of the tables that differed.
function [text, changed] = with_tables (text, file)
  changed = {};
  [names, parts] = regexp (text, '(?<=^|\n)<!-- table (\S+) -->\n(.*?)<!-- end -->', "tokens", "split");
  if (numel (names) != numel (strfind (text, "<!-- table ")))
    error ("%s: a table without its end", file);
  end
  for k = 1:numel (names)
    lines = document_table (names{k}{1});
    table = [strjoin(lines, "\n"), "\n"];
    if (! strcmp (table, names{k}{2}))
      changed{end+1} = names{k}{1};
    end
    parts{k} = [parts{k}, "<!-- table ", names{k}{1}, " -->\n", table, "<!-- end -->"];
  end
  text = [parts{:}];
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
top = fileparts (fileparts (here));
checking = bench_option ("--check", false);
differ = false;
documents = [glob(fullfile (top, "README.md")); glob(fullfile (top, "doc", "*.md"))];
for k = 1:numel (documents)
  old = fileread (documents{k});
  [new, changed] = with_tables (old, documents{k});
  if (strcmp (old, new))
    continue;
  end
  differ = true;
  printf ("%s: %s\n", documents{k}, strjoin (changed, ", "));
  if (! checking)
    file = fopen (documents{k}, "w");
    fputs (file, new);
    fclose (file);
  end
end
if (checking && differ)
  printf ("these tables are not those of bench/results: make doc-tables writes them\n");
  exit (1);
end
