% plot_readme.m: draws how many times as fast as its peer each call of README's table is
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/tables/plot_readme.m picture.svg

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
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
print (fig, argv (){end}, "-dsvg", sprintf ("-S1200,%d", 120 + 26 * numel (r)), "-F:5");
