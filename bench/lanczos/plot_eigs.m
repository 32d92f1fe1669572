% plot_eigs.m: draws a table of bench_eigs.m
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/lanczos/plot_eigs.m table.tsv picture.png
% How many times faster than Octave's A*x and eigs: on the CPU and, if it was measured, on the GPU.

args = argv ();
lines = strsplit (fileread (args{end-1}), "\n");
lines = lines(! cellfun (@isempty, lines) & ! strncmp (lines, "#", 1));
table = cellfun (@(l) strsplit (l, "\t"), lines(2:end), "uniformoutput", false);
table = vertcat (table{:});
ratio = str2double (table(:,9:10));
names = cellfun (@(t, m, b) sprintf ("%s, %s (%s)", t, m, b), table(:,1), table(:,2), table(:,5), ...
                 "uniformoutput", false);
measured = ! all (isnan (ratio), 1);

warning ("off", "Octave:gnuplot-graphics");
warning ("off", "print:nogs");
graphics_toolkit ("gnuplot");
fig = figure ("visible", "off");
subplot ("position", [0.3, 0.08, 0.66, 0.84]);
h = barh (log10 (ratio(:,measured)));
colours = {[0.12, 0.35, 0.65], [0.85, 0.15, 0.1]};
places = {"CPU", "GPU"};
for k = 1:numel (h)
  set (h(k), "facecolor", colours{k});
end
legend (places(measured), "location", "southeast");
set (gca, "ytick", 1:numel (names), "yticklabel", names, "ydir", "reverse", ...
     "xtick", -1:3, "xticklabel", {"0.1", "1", "10", "100", "1000"});
grid on;
title ("times as fast as Octave");
print (fig, args{end}, "-dpngcairo", sprintf ("-S1100,%d", 120 + 26 * numel (names)), "-F:5");
