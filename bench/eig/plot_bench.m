% plot_bench.m: draws a table of bench_batcheig.m or of bench_batcheig.cu
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/eig/plot_bench.m table.tsv picture.png
% Time per page over n, with vectors; one panel per type; batcheig in colours, the peers black and gray.

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
args = argv ();
t = read_table (args{end-1});
curves = {"cpu_qr", "CPU qr", [0.45 0.70 0.95], "-"; "cpu_jacobi", "CPU jacobi", [0.95 0.75 0.45], "-"; ...
          "cpu_auto", "CPU auto", [0.12 0.35 0.65], "-"; "gpu_auto", "GPU auto", [0.85 0.15 0.1], "-"; ...
          "loop_default", "eig loop", [0 0 0], "--"; "loop_one_thread", "eig loop, 1 thread", [0.5 0.5 0.5], "--"; ...
          "qr", "qr", [0.45 0.70 0.95], "-"; "jacobi", "jacobi", [0.95 0.75 0.45], "-"; ...
          "auto", "auto", [0.85 0.15 0.1], "-"; "xsyev", "XsyevBatched", [0 0 0], "--"; ...
          "syevj", "syevjBatched", [0.5 0.5 0.5], "--"};
titles = {"z", "complex double"; "d", "double"; "c", "complex single"; "s", "single"};

warning ("off", "Octave:gnuplot-graphics");
warning ("off", "print:nogs");
graphics_toolkit ("gnuplot");
fig = figure ("visible", "off");
here = strcmp (t.vectors, "1");
if (isfield (t, "set"))
  here &= strcmp (t.set, "grid");
end
ticks = 2 .^ (1:10);
for j = 1:4
  wanted = here & strcmp (t.type, titles{j,1});
  if (! any (wanted))
    continue;
  end
  subplot ("position", [0.06 + 0.49 * (mod (j, 2) == 0), 0.57 - 0.49 * (j > 2), 0.42, 0.36]);
  n = str2double (t.n(wanted));
  names = cell (0, 2);
  for k = 1:rows (curves)
    if (isfield (t, curves{k,1}))
      us = str2double (t.(curves{k,1})(wanted));
      if (any (us > 0))
        loglog (n, us, curves{k,4}, "color", curves{k,3}, "linewidth", 2);
        hold on;
        names(end+1,:) = curves(k,2:3);
      end
    end
  end
  xlim ([2, max(n)]);
  set (gca, "xtick", ticks, "xticklabel", {}, "ygrid", "on");
  low = ylim ()(1);
  for x = ticks(ticks <= max (n))
    text (x, low / 1.6, sprintf ("%d", x), "horizontalalignment", "center");
  end
  title ([titles{j,2}, ", \\mus per page over n"]);
  for k = 1:rows (names)
    text (0.03, 1 - 0.075 * k, names{k,1}, "units", "normalized", "color", names{k,2});
  end
end
print (fig, args{end}, "-dpngcairo", "-S1400,1000", "-F:5");
