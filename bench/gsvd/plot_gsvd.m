% plot_gsvd.m: draws the two tables of bench_gsvd.m
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/gsvd/plot_gsvd.m table.tsv sweeps.tsv picture.png
% Left: the time of five outputs over n, gsvd_hz and gsvd. Right: the rotations in each sweep.

1;  % a script, although it begins with functions

function rows_ = table_of (file)
  lines = strsplit (fileread (file), "\n");
  lines = lines(! cellfun (@isempty, lines) & ! strncmp (lines, "#", 1));
  rows_ = cellfun (@(l) strsplit (l, "\t"), lines(2:end), "uniformoutput", false);
  rows_ = vertcat (rows_{:});
end

args = argv ();
warning ("off", "Octave:gnuplot-graphics");
warning ("off", "print:nogs");
graphics_toolkit ("gnuplot");
fig = figure ("visible", "off");
types = {"d", "double", [0.85 0.15 0.1]; "z", "complex double", [0.12 0.35 0.65]};

subplot ("position", [0.06, 0.14, 0.4, 0.76]);
times = table_of (args{end-2});
number = str2double (times(:,3:end));  % rows of A, of B, columns, pages, cpu, gpu, ..., gsvd in column 9
names = {};
for k = 1:2
  here = strcmp (times(:,1), types{k,1}) & strcmp (times(:,2), "large");
  lines_ = {"gsvd_hz, GPU, ", 6, "-s"; "gsvd_hz, CPU, ", 5, "-o"; "gsvd, ", 9, "--"};
  for j = 1:3
    ms = number(here,lines_{j,2});
    if (any (! isnan (ms)))
      loglog (number(here,3), ms, lines_{j,3}, "color", types{k,3}, "linewidth", 2);
      hold on;
      names{end+1} = [lines_{j,1}, types{k,2}];
    end
  end
end
n = unique (number(strcmp (times(:,2), "large"),3));
set (gca, "xtick", n, "xticklabel", cellstr (num2str (n)), "xlim", [0.8 * n(1), 1.25 * n(end)]);
xlabel ("n");
title ("milliseconds, five outputs, A and B n x n", "fontsize", 11);
set (legend (names, "location", "northwest"), "interpreter", "none");
grid on;

subplot ("position", [0.55, 0.14, 0.42, 0.76]);
sweeps = table_of (args{end-1});
sweeps = sweeps(strcmp (sweeps(:,1), "d"),:);
kinds = strcat (sweeps(:,3), {" "}, sweeps(:,4), {" "}, sweeps(:,5));
names = unique (kinds, "stable");
for k = 1:numel (names)
  here = strcmp (kinds, names{k});
  semilogy (str2double (sweeps(here,7)), max (str2double (sweeps(here,8)), 1), "-o", "linewidth", 2);
  hold on;
end
xlabel ("sweep");
title (sprintf ("rotations in each sweep, double, n = %s", sweeps{1,2}), "fontsize", 11);
legend (names, "location", "southwest");
grid on;
print (fig, args{end}, "-dpngcairo", "-S1400,600", "-F:4");
