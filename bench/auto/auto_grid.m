% auto_grid.m: compares "device", "auto" with "cpu" and "gpu", from Octave arrays to Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli --path src --path inst bench/auto/auto_grid.m [--quick] [--only batcheig|qr_block|pages] [--values] [--types zdsc]
%                              [--sizes 8,16]
% Prints a table (TSV) of milliseconds per call for batches of 1 to 10000 pages: of batcheig with
% vectors (--values: without) for n = --sizes, and of qr_block (A, 0) with Q for matrices of several
% shapes, and of pagemtimes (A, A) and pagemldivide (A, A). The last line has the worst ratio of "auto" to the faster place; the exit status is 1 if it is
% above 1.2. A time is the shortest of 2 to 7 calls after a warm-up call; the three places take turns.
% The column "first" is the first call of "auto".
%
% A row counts unless "auto" and the faster place differ by less than 0.2 ms, the effect of the clock
% and of other processes. Batches above 300 MB are left out. A place that is expected to take more
% than 3 s is not tried and counts as slower.

1;  % a script, although it begins with functions

% Seconds of one call; calls: "batcheig", "values" (batcheig without vectors), "qr_block", "pagemtimes"
% or "pagemldivide".
function seconds = time_of (A, call, device)
  tic;
  switch (call)
    case "batcheig"
      [V, D] = batcheig (A, "vector", "device", device);
    case "values"
      D = batcheig (A, "device", device);
    case "qr_block"
      [Q, R] = qr_block (A, 0, "device", device);
    case "pagemtimes"
      X = pagemtimes (A, A, "device", device);
    case "pagemldivide"
      X = pagemldivide (A, A, "device", device);
  end
  seconds = toc;
end

% Shortest times of the places; a place with expected(k) > 3 is NaN. Also the first time of "auto".
function [seconds, first] = compare (A, call, places, expected)
  seconds = NaN (size (places));
  tried = find (expected <= 3);
  for k = tried
    once(k) = time_of (A, call, places{k});
  end
  first = once(end);
  turns = max (2, min (7, floor (1 / sum (once(tried)))));
  for turn = 1:turns
    for k = tried
      seconds(k) = min (seconds(k), time_of (A, call, places{k}));
    end
  end
end

%------------------------------------------------------------------------------
% options
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
quick = bench_option ("--quick", false);
eig_call = {"batcheig", "values"}{1 + bench_option ("--values", false)};
only = bench_option ("--only", "");
types = bench_option ("--types", {"zdsc", "z"}{1 + quick});
sizes = bench_option ("--sizes", {[4 8 16 32 64 128 256], [8 32 128]}{1 + quick});
% rows and columns for qr_block: small, square, large, tall, wide, and between the measured ones
shapes = [4, 4; 16, 16; 33, 20; 64, 64; 256, 256; 1024, 512; 2048, 1024; 64, 8; 1000, 16; ...
          1e5, 16; 1e6, 16; 3e4, 100; 1e5, 128; 16, 100; 100, 1000];
if (quick)
  shapes = shapes([2, 5, 10], :);
end
cases = {};
if (any (strcmp (only, {"", "batcheig"})))
  cases = [cases; arrayfun(@(n) {eig_call, n, n}, sizes(:), "uniformoutput", false)];
end
if (any (strcmp (only, {"", "qr_block"})))
  cases = [cases; arrayfun(@(k) {"qr_block", shapes(k,1), shapes(k,2)}, (1:rows (shapes))', ...
                           "uniformoutput", false)];
end
if (any (strcmp (only, {"", "pages"})))
  for call = {"pagemtimes", "pagemldivide"}
    cases = [cases; arrayfun(@(n) {call{1}, n, n}, sizes(:), "uniformoutput", false)];
  end
end
batches = 10 .^ (0:4);
places = {"cpu", "gpu", "auto"};
info = gpulinalg_info ();
if (isempty (info.devices))
  printf ("auto_grid: there is no GPU here, so nothing to choose (%s)\n", info.backend);
  exit (0);
end

[~, cpu] = system ("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1");
printf ("# gpulinalg %s; %s; %s, %d threads; %s\n", info.version, info.devices(1).name, ...
        strtrim (cpu), nproc (), strftime ("%Y-%m-%d %H:%M UTC", gmtime (time ())));
printf ("# milliseconds per call, from Octave arrays; counts: 1 if auto and the faster place differ by 0.2 ms\n");
printf ("call\ttype\trows\tcolumns\tpages\tcpu\tgpu\tauto\tfirst\tauto/best\tcounts\n");

%------------------------------------------------------------------------------
% table
%------------------------------------------------------------------------------

worst = 0;
where = "no row counts";
rows_ = counted = 0;
for type = types
  bytes = [4, 8, 8, 16]("sdcz" == type);
  for k = 1:numel (cases)
    [call, m, n] = cases{k}{:};
    expected = zeros (size (places));
    for pages = batches
      if (m * n * pages * bytes > 300e6)
        break;
      end
      if (strcmp (call, "qr_block"))
        A = random_pages ([m, n], pages, type);
      else
        A = random_pages (n, pages, type);
      end
      [seconds, first] = compare (A, call, places, expected);
      clear A
      expected = [10, 10, 0] .* seconds;
      expected(isnan (expected)) = Inf;
      best = min (seconds(1:2));
      counts = seconds(3) - best > 0.2e-3;
      ratio = seconds(3) / best;
      rows_++;
      counted += counts;
      if (counts && ratio > worst)
        worst = ratio;
        where = sprintf ("%s, type %s, %d x %d, %d pages", call, type, m, n, pages);
      end
      printf ("%s\t%s\t%d\t%d\t%d", call, type, m, n, pages);
      printf ("\t%.4g", 1e3 * [seconds, first]);
      printf ("\t%.3g\t%d\n", ratio, counts);
      fflush (stdout);
    end
  end
end
printf ("# worst of the %d rows that count, of %d: %.3g (%s)\n", counted, rows_, worst, where);
exit (worst > 1.2);
