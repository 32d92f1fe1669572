% papers_table.m: the tables of doc/papers.md, one for each publication
% SPDX-License-Identifier: GPL-3.0-or-later
%
% lines = papers_table (name)
% name is "cosnuau", "huang", "novakovic", "lin" or "kerr". Figures of the publications stand here, all others
% come from bench/results.

function lines = papers_table (name)
  makers = struct ("cosnuau", @cosnuau, "huang", @huang, "novakovic", @novakovic, "lin", @lin, "kerr", @kerr);
  if (! isfield (makers, name))
    error ("papers_table: no table is named papers_%s", name);
  end
  lines = makers.(name) ();
end

function t = results (file)
  t = read_table (fullfile (fileparts (mfilename ("fullpath")), "..", "results", file));
end

function lines = table (headings)
  lines = {table_row(headings), table_row(repmat ({"---"}, size (headings)))};
end

% Milliseconds of so many pages from microseconds per page.
function text = whole (microseconds, pages)
  text = sprintf ("%.3g ms", str2double (microseconds) * pages / 1000);
end

% 180 matrices on a K20, 2014
function lines = cosnuau ()
  t = results ("h200-device.tsv");
  published = {"64", "45 ms"; "128", "193.5 ms"; "256", "1.98 s"; "512", "15.2 s"};
  lines = table ({"n", "K20, 2014", "H200, this package", "H200, cuSOLVER"});
  for k = 1:rows (published)
    [n, time] = published{k,:};
    of = @(field) table_entry (t, {"set", "small", "type", "z", "vectors", "1", "pages", "180", "n", n}, field);
    lines{end+1} = table_row ({n, time, whole(of ("auto"), 180), whole(of ("peer"), 180)});
  end
end

function lines = huang ()
  t = results ("jacobi-h100-device.tsv");
  lines = table ({"n", "\"jacobi\", µs", "syevjBatched, µs", "times as fast", "\"auto\", µs", ...
                  "faster of cuSOLVER's, µs", "times as fast"});
  for n = {"4", "8", "16", "32", "64", "128", "256", "512"}
    of = @(field) table_entry (t, {"set", "small", "type", "z", "vectors", "1", "n", n{1}}, field);
    ratio = "";
    if (! isempty (of ("syevj")))
      ratio = sprintf ("%.3g", str2double (of ("syevj")) / str2double (of ("jacobi")));
    end
    lines{end+1} = table_row ({n{1}, of("jacobi"), of("syevj"), ratio, of("auto"), of("peer"), of("peer_over_auto")});
  end
end

function lines = novakovic ()
  t = results ("gsvd-h200-device.tsv");
  lines = table ({"n", "double: published code", "\"hz\"", "\"auto\"", "complex double: published code", "\"hz\"", "\"auto\""});
  for n = {"512", "1024", "2048", "4096"}
    of = @(type, method, field) table_entry (t, {"n", n{1}, "pages", "1", "type", type, "method", method}, field);
    lines{end+1} = table_row ({n{1}, of("d", "auto", "published_ms"), of("d", "hz", "ours_ms"), of("d", "auto", "ours_ms"), ...
                         of("z", "auto", "published_ms"), of("z", "hz", "ours_ms"), of("z", "auto", "ours_ms")});
  end
end

function lines = lin ()
  basis = results ("eigs-h200-basis.tsv");
  gpu = results ("eigs-h200.tsv");
  cpu = results ("eigs-cpu-2core.tsv");
  products = results ("spmv-h200-device.tsv");
  lines = table ({"Work", "Time", "Beside"});
  of = @(certify) table_entry (basis, {"matrix", "patents", "p", "default", "certify", certify}, "ms");
  lines{end+1} = table_row ({"10 largest, graph as large as cit-Patents, without the search for missed values", [of("0") " ms"], ""});
  lines{end+1} = table_row ({"the same with that search", [of("1") " ms"], ""});
  of = @(t, matrix, field) table_entry (t, {"task", "eigs la", "matrix", matrix}, field);
  lines{end+1} = table_row ({"10 largest, 200 000 nodes", [of(gpu, "BA 200000", "gpu") " ms"], ...
                       ["`eigs`, 16 cores: " of(gpu, "BA 200000", "octave") " ms"]});
  lines{end+1} = table_row ({"10 largest, 1.6 million nodes, two CPU cores", [of(cpu, "BA 1600000", "cpu") " ms"], ...
                       ["`eigs`: " of(cpu, "BA 1600000", "octave") " ms"]});
  graphs = {"ba-200k", "200 000 nodes"; "ba-1600k", "1.6 million nodes"; "ba-3200k", "3.2 million nodes"};
  vectors = {"1", "one vector"; "4", "four vectors"};
  for k = 1:rows (graphs)
    for j = 1:rows (vectors)
      of = @(field) table_entry (products, {"graph", graphs{k,1}, "form", "values", "vectors", vectors{j,1}}, field);
      lines{end+1} = table_row ({["product, " graphs{k,2} ", " vectors{j,2}], [of("ours_us") " µs"], ...
                           ["cuSPARSE " of("cusparse_us") " µs"]});
    end
  end
end

function lines = kerr ()
  t = results ("qr-h200-device.tsv");
  shapes = {"512", "256", "512 × 256"; "2048", "1024", "2048 × 1024"; "8192", "4096", "8192 × 4096"; ...
            "1000000", "64", "1 000 000 × 64"};
  lines = table ({"m × n", "single, ms", "TFLOP/s", "cuSOLVER, ms", "double, ms", "TFLOP/s", "cuSOLVER, ms"});
  for k = 1:rows (shapes)
    of = @(type, field) table_entry (t, {"m", shapes{k,1}, "n", shapes{k,2}, "pages", "1", "type", type}, field);
    lines{end+1} = table_row ({shapes{k,3}, of("s", "ours_ms"), of("s", "tflops"), of("s", "cusolver_ms"), ...
                         of("d", "ours_ms"), of("d", "tflops"), of("d", "cusolver_ms")});
  end
end
