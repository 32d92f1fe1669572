% plot_history.m: times of ten calls in the tables of bench/results over the commits that changed these
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/tables/plot_history.m table.tsv picture.png     make -C bench history
% Git has each table as it was at each commit, with its date, so nothing else keeps them. table.tsv has a row for each
% commit that changed a time: date, commit, call, time, and ratio to the time before. What became slower by more
% than 5 % is printed: another machine, other work beside it, or a loss.

1;  % a script, although it begins with functions

% What git says; an error if it fails.
function text = git (top, command)
  [status, text] = system (sprintf ("git -C '%s' %s", top, command));
  if (status != 0)
    error ("history: git %s fails", command);
  end
end

% The time in one version of a table; NaN where it has no such column or row.
function time = time_in (text, conditions, name)
  time = NaN;
  file = tempname ();
  out = fopen (file, "w");
  fputs (out, text);
  fclose (out);
  t = read_table (file);
  unlink (file);
  if (isstruct (t) && all (isfield (t, [conditions(1:2:end), {name}])))
    time = str2double (table_entry (t, conditions, name));
  end
end

% [dates, commits, times]: of one call, the oldest first; only commits where the time differs from the one before.
function [dates, commits, times] = history_of (top, table, conditions, name)
  file = ["bench/results/", table, ".tsv"];
  lines = strsplit (strtrim (git (top, ["log --reverse --date=short --format='%ad %h' -- ", file])), "\n");
  dates = commits = {};
  times = [];
  for line = lines
    [date, commit] = strtok (line{1});
    commit = strtrim (commit);
    [status, text] = system (sprintf ("git -C '%s' show %s:%s 2>/dev/null", top, commit, file));
    if (status != 0)
      continue;  % the commit that removed it
    end
    time = time_in (text, conditions, name);
    if (! isnan (time) && (isempty (times) || time != times(end)))
      dates{end+1} = date;
      commits{end+1} = commit;
      times(end+1) = time;
    end
  end
end

% Times as ratios to the first of each call, with a line at 5 % above and below.
function draw (calls, days, ratios, picture)
  warning ("off", "Octave:gnuplot-graphics");
  warning ("off", "print:nogs");
  graphics_toolkit ("gnuplot");
  fig = figure ("visible", "off");
  subplot ("position", [0.06, 0.08, 0.66, 0.84]);
  colors = hsv (numel (calls)) * 0.85;
  for k = 1:numel (calls)
    semilogy (days{k}, ratios{k}, "-o", "color", colors(k,:), "linewidth", 2, "markersize", 3);
    hold on;
    text (1.02, 1 - 0.08 * k, calls{k}, "units", "normalized", "color", colors(k,:), "interpreter", "none");
  end
  limits = [min([days{:}]) - 0.5, max([days{:}]) + 0.5];
  plot (limits, [1.05, 1.05], "k:", limits, [0.95, 0.95], "k:");
  xlim (limits);
  set (gca, "xtick", ceil (limits(1)):max (1, round (diff (limits) / 8)):limits(2), "ytick", 2 .^ (-4:4), ...
       "yticklabel", {"1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16"}, "ygrid", "on");
  datetick ("x", "mm-dd", "keepticks", "keeplimits");
  ylim ([min([ratios{:}]) / 1.2, max([ratios{:}]) * 1.2]);
  title ("time over commits; the first time of each call is 1");
  print (fig, picture, "-dpngcairo", "-S1400,700", "-F:5");
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
top = fileparts (fileparts (here));
args = argv ();
calls = {
  "batcheig z 16, H200", "h200-device", {"set", "grid", "type", "z", "n", "16", "vectors", "1"}, "auto"
  "batcheig d 128, H200", "h200-device", {"set", "grid", "type", "d", "n", "128", "vectors", "1"}, "auto"
  "batchsvd d 32, H100", "svd-h100-device", {"type", "d", "m", "32", "n", "32"}, "vectors"
  "pagemtimes d 24, H200", "pages-h200-device", {"function", "pagemtimes", "type", "d", "case", "NN", "m", "24", "k", "24", "n", "24"}, "ours_us"
  "qr_block d 8192 x 4096, H200", "qr-h200-device", {"type", "d", "m", "8192", "n", "4096"}, "ours_ms"
  "spmv d ba-200k, H200", "spmv-h200-device", {"type", "d", "graph", "ba-200k", "form", "values", "method", "balanced", "vectors", "1"}, "ours_us"
  "batcheig z 16, CPU", "cpu-2core", {"type", "z", "n", "16", "vectors", "1"}, "cpu_auto"
  "batchsvd d 48, CPU", "svd-cpu-2core", {"type", "d", "m", "48", "n", "48", "results", "usv"}, "cpu"
  "qr_block d 1024 x 512, CPU", "qr-cpu-2core", {"type", "d", "set", "large", "rows", "1024", "columns", "512"}, "cpu"
  "pagemtimes d 16, CPU", "pages-cpu-2core", {"type", "d", "function", "pagemtimes", "case", "square", "m", "16"}, "cpu"};
days = ratios = {};
out = fopen (args{end-1}, "w");
fprintf (out, "date\tcommit\tcall\ttime\tratio\n");
for k = 1:rows (calls)
  [dates, commits, times] = history_of (top, calls{k,2:4});
  if (isempty (times))
    error ("history: no version of %s.tsv has %s", calls{k,2}, calls{k,1});
  end
  change = times ./ [times(1), times(1:end-1)];
  for j = 1:numel (times)
    fprintf (out, "%s\t%s\t%s\t%g\t%.3f\n", dates{j}, commits{j}, calls{k,1}, times(j), change(j));
    if (change(j) > 1.05)
      printf ("%s %s %s: %.2f times as long as before\n", dates{j}, commits{j}, calls{k,1}, change(j));
    end
  end
  days{k} = datenum (dates, "yyyy-mm-dd").' + (0:numel (times) - 1) / 24;  % several of one day side by side
  ratios{k} = times / times(1);
end
fclose (out);
draw (calls(:,1), days, ratios, args{end});
