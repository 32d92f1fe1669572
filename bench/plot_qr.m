% plot_qr.m: draws a table of bench_qr.cu
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/plot_qr.m table.tsv picture.png
% Left the time of economy Q and R over n, m = 2n, ours and cuSOLVER's; right how many times faster
% ours is for tall matrices and many small ones.

args = argv ();
lines = strsplit (fileread (args{end-1}), "\n");
lines = lines(! cellfun (@isempty, lines) & ! strncmp (lines, "#", 1));
rows_ = cellfun (@(l) strsplit (l, "\t"), lines(2:end), "uniformoutput", false);
rows_ = vertcat (rows_{:});
type = rows_(:,1);
number = str2double (rows_(:,2:7));  % m, n, pages, ours, cuSOLVER, ratio
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
  names(end+1:end+2) = {["ours, " styles{k,2}], ["cuSOLVER, " styles{k,2}]};
end
xlabel ("n");
title ("milliseconds, economy Q and R, m = 2n", "fontsize", 11);
legend (names, "location", "northwest");
grid on;
set (gca, "xtick", 2 .^ (8:13), "xticklabel", {"256", "512", "1024", "2048", "4096", "8192"}, ...
     "xlim", [200, 10000], "ylim", [0.2, 1e4]);

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
set (gca, "ytick", 1:rows (d), "yticklabel", labels, "xtick", 0:3, "xticklabel", {"1", "10", "100", "1000"});
title ("cuSOLVER / ours (pages: a loop)", "fontsize", 11);
print (fig, args{end}, "-dpngcairo", "-S1400,600", "-F:4");
