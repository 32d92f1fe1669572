% plot_qr.m: draws a table of bench_qr.cu or bench_qr.m
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/qr/plot_qr.m table.tsv picture.png
% Left: the time of economy Q and R over n for m = 2n, of qr_block and of its peer (cuSOLVER, or Octave's
% qr). Right: how many times faster qr_block is for the other shapes.

args = argv ();
lines = strsplit (fileread (args{end-1}), "\n");
lines = lines(! cellfun (@isempty, lines) & ! strncmp (lines, "#", 1));
table = cellfun (@(l) strsplit (l, "\t"), lines, "uniformoutput", false);
table = vertcat (table{:});
column = @(name) find (strcmp (table(1,:), name));
from_octave = ! isempty (column ("outputs"));
if (from_octave)
  table = table([true; strcmp(table(2:end,column ("outputs")), "QR")],:);
  peer = "qr";
  names_of = {"rows", "columns", "pages", "cpu", "qr", "qr/cpu"};
else
  peer = "cuSOLVER";
  names_of = table(1,2:7);
end
type = table(2:end,1);
number = str2double (table(2:end,cellfun (column, names_of)));  % m, n, pages, ours, peer, ratio
warning ("off", "Octave:gnuplot-graphics");
warning ("off", "print:nogs");
graphics_toolkit ("gnuplot");
fig = figure ("visible", "off");

subplot ("position", [0.06, 0.14, 0.38, 0.76]);
styles = {"d", "double", [0.85 0.15 0.1]; "z", "complex double", [0.12 0.35 0.65]};
names = {};
for k = 1:2
  here = strcmp (type, styles{k,1}) & number(:,1) == 2 * number(:,2) & number(:,3) == 1;
  loglog (number(here,2), number(here,4), "-o", "color", styles{k,3}, "linewidth", 2);
  hold on;
  loglog (number(here,2), number(here,5), "--", "color", styles{k,3}, "linewidth", 2);
  names(end+1:end+2) = {["ours, " styles{k,2}], [peer ", " styles{k,2}]};
end
xlabel ("n");
title ("milliseconds, economy Q and R, m = 2n", "fontsize", 11);
legend (names, "location", "northwest");
grid on;
n = unique (number(number(:,1) == 2 * number(:,2) & number(:,3) == 1,2));
ms = number(number(:,1) == 2 * number(:,2) & number(:,3) == 1,4:5);
set (gca, "xtick", n, "xticklabel", arrayfun (@num2str, n, "uniformoutput", false), ...
     "xlim", [0.8, 1.25] .* n([1, end])', "ylim", [min(ms(:)) / 2, 10 * max(ms(:))]);

subplot ("position", [0.64, 0.14, 0.33, 0.76]);
others = number(:,1) != 2 * number(:,2) | number(:,3) > 1;
d = number(others & strcmp (type, "d"),:);
z = number(others & strcmp (type, "z"),:);
h = barh (log10 ([d(:,6), z(:,6)]));
set (h(1), "facecolor", styles{1,3});
set (h(2), "facecolor", styles{2,3});
labels = arrayfun (@(k) sprintf ("%d x %d", d(k,1:2)), 1:rows (d), "uniformoutput", false);
for k = find (d(:,3)' > 1)
  labels{k} = sprintf ("%d pages %s", d(k,3), labels{k});
end
set (gca, "ytick", 1:rows (d), "yticklabel", labels, "ylim", [0.3, rows(d) + 0.7], ...
     "xtick", -1:3, "xticklabel", {"0.1", "1", "10", "100", "1000"});
title ([peer " / ours (pages: a loop)"], "fontsize", 11);
print (fig, args{end}, "-dpngcairo", "-S1400,600", "-F:4");
