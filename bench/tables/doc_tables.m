% doc_tables.m: writes the tables of measurements into README.md and doc/*.md, and draws README's picture
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/tables/doc_tables.m            writes them
% octave-cli bench/tables/doc_tables.m --picture doc/times.svg    draws README's picture, too
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

% How many times as fast as its peer each call of README's picture is.
function draw (file)
  r = readme_rows ();
  ratio = str2double ({r.ratio});
  labels = strrep (strcat ({r.work}, {",  beside "}, {r.peer}), "`", "");
  machines = unique ({r.machine}, "stable");
  colours = {[0.12, 0.35, 0.65], [0.46, 0.66, 0.1]};

  warning ("off", "Octave:gnuplot-graphics");
  warning ("off", "print:nogs");
  graphics_toolkit ("gnuplot");
  fig = figure ("visible", "off");
  subplot ("position", [0.52, 0.08, 0.45, 0.84]);
  for k = 1:numel (machines)
    here = find (strcmp ({r.machine}, machines{k}));
    bars(k) = barh (here, log10 (ratio(here)), 0.7);
    set (bars(k), "facecolor", colours{k});
    hold on;
  end
  for k = 1:numel (r)
    text (max (log10 (ratio(k)), 0) + 0.03, k, sprintf ("%.3g", ratio(k)));
    text (-0.04, k, labels{k}, "horizontalalignment", "right", "interpreter", "none");
  end
  legend (bars, strcat ({"on "}, machines), "location", "southeast");
  set (gca, "ytick", 1:numel (r), "yticklabel", {}, "ydir", "reverse", "ylim", [0.3, numel(r) + 0.7], ...
       "xtick", 0:3, "xticklabel", {"1", "10", "100", "1000"}, "xlim", [0, 3.2], "xgrid", "on");
  title ("times as fast");
  print (fig, file, "-dsvg", sprintf ("-S1200,%d", 120 + 26 * numel (r)), "-F:5");
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
picture = bench_option ("--picture", "");
if (! isempty (picture))
  draw (picture);
end
