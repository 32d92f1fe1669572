% document_table.m: one of the tables that doc_tables.m writes into documents
% SPDX-License-Identifier: GPL-3.0-or-later
%
% lines = document_table (name)
% The lines of a table in Markdown, its figures from bench/results. An unknown name is an error.

function lines = document_table (name)
  for other = {"papers_", @papers_table; "gpu_arrays_", @gpu_arrays_table}.'
    if (strncmp (name, other{1}, numel (other{1})))
      lines = other{2} (name(numel (other{1})+1:end));
      return;
    end
  end
  makers = struct ("readme", @readme, "batcheig", @batcheig, "qr_block", @qr_block, "gsvd_hz", @gsvd_hz, ...
                   "eigs_lanczos", @eigs_lanczos, "spmv_cpu", @spmv_cpu, "spmv_gpu", @spmv_gpu, ...
                   "pages", @pages, "pairs", @pairs, "pairs_gpu", @pairs_gpu, "svd", @svds, "pageeig", @pageeigs, "svd_gpu", @svds_gpu, "svd_gpu_polar", @svds_gpu_polar, "large", @large, ...
                   "pages_gpu", @pages_gpu, "qr_small", @qr_small, "pagefunm", @pagefunms, "processes", @processes, "first_calls", @first_calls, "auto", @auto);
  if (! isfield (makers, name))
    error ("document_table: no table is named %s", name);
  end
  lines = makers.(name) ();
end

%------------------------------------------------------------------------------
% parts of tables
%------------------------------------------------------------------------------

function t = results (file)
  t = read_table (fullfile (fileparts (mfilename ("fullpath")), "..", "results", file));
end

% 1000000 as 1 000 000
function text = grouped (number)
  text = number;
  if (numel (text) > 4)
    text = strtrim (fliplr (regexprep (fliplr (text), "(...)", "$1 ")));
  end
end

% "2048 × 1024", "16 × 16, 2000 pages"
function keys = shapes (rows_, columns_, pages)
  keys = cell (size (rows_));
  for k = 1:numel (keys)
    keys{k} = [grouped(rows_{k}), " × ", grouped(columns_{k})];
    if (! strcmp (pages{k}, "1"))
      keys{k} = [keys{k}, ", ", grouped(pages{k}), " pages"];
    end
  end
end

% entry / entry, where both are numbers
function text = quotient (a, b)
  text = cell (size (a));
  for k = 1:numel (a)
    text{k} = sprintf ("%.3g", str2double (a{k}) / str2double (b{k}));
  end
end

%------------------------------------------------------------------------------
% the tables
%------------------------------------------------------------------------------

function lines = readme ()
  lines = {table_row({"Call", "On", "gpulinalg", "Beside", "Its time", "Times as fast"}), table_row(repmat ({"---"}, 1, 6))};
  r = readme_rows ();
  for r = r(! cellfun (@isempty, {r.version}))
    peer = regexprep (r.version, '^Octave', [r.peer, ", Octave"]);
    lines{end+1} = table_row ({r.work, r.machine, r.ours, peer, r.theirs, r.ratio});
  end
end

function lines = batcheig ()
  cpu = results ("cpu-2core.tsv");
  octave = results ("h200.tsv");
  gpu = results ("h200-device.tsv");
  cpu.key = cpu.n;
  octave.key = octave.n;
  gpu.key = gpu.n;
  z = {"type", "z", "vectors", "1"};
  grid = {"set", "grid", "type"};
  lines = cross_table ("n", {"4"; "8"; "16"; "32"; "64"; "128"; "256"; "512"; "1024"}, { ...
    "2 cores, µs", cpu, z, "cpu_auto"; ...
    "loop over `eig`, µs", cpu, z, "loop"; ...
    "ratio", cpu, z, "loop_over_cpu_auto"; ...
    "without vectors, ratio", cpu, {"type", "z", "vectors", "0"}, "loop_over_cpu_auto"; ...
    "H200 from Octave, µs", octave, z, "gpu_auto"; ...
    "loop there, ratio", octave, z, "loop_over_gpu_auto"; ...
    "H200, µs", gpu, [grid, "z"], "auto"; ...
    "cuSOLVER, µs", gpu, [grid, "z"], "peer"; ...
    "ratio", gpu, [grid, "z"], "peer_over_auto"; ...
    "double, ratio", gpu, [grid, "d"], "peer_over_auto"; ...
    "complex single, ratio", gpu, [grid, "c"], "peer_over_auto"; ...
    "single, ratio", gpu, [grid, "s"], "peer_over_auto"});
end

function lines = pairs ()
  t = results ("pairs-cpu-2core.tsv");
  t.key = t.n;
  d = {"type", "d"};
  z = {"type", "z"};
  lines = cross_table ("n", {"4"; "8"; "16"; "32"; "64"; "128"; "256"}, { ...
    "`batcheig (A, B)`, µs", t, d, "pairs"; ...
    "loop over `eig (A, B)`, ratio", t, d, "loop_over_pairs"; ...
    "one B, ratio", t, d, "loop_over_one_B"; ...
    "processor time, µs", t, d, "pairs_core"; ...
    "of the loop, µs", t, d, "loop_core"; ...
    "ratio on two cores", t, d, "core_ratio"; ...
    "complex, µs", t, z, "pairs"; ...
    "ratio", t, z, "loop_over_pairs"; ...
    "ratio on two cores", t, z, "core_ratio"});
end

function lines = pairs_gpu ()
  t = results ("pairs-h200-device.tsv");
  t.key = t.n;
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    here = {"type", type{1}};
    columns = [columns; { ...
      [type{2} ", µs"], t, here, "pairs"; "composition, ratio", t, here, "peer_over_pairs"; ...
      "times `batcheig (A)`", t, here, "pairs_over_eig"}];
  end
  lines = cross_table ("n", {"4"; "8"; "16"; "32"; "64"; "128"; "256"; "512"; "1024"}, columns);
end

function lines = large ()
  t = results ("eig-large-h200-device.tsv");
  t.key = t.n;
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    here = {"type", type{1}, "vectors", "1"};
    values = {"type", type{1}, "vectors", "0"};
    columns = [columns; { ...
      [type{2} ", ms"], t, here, "ms"; "cuSOLVER, ms", t, here, "ms_peer"; "ratio", t, here, "peer_over_ms"; ...
      "values alone, ms", t, values, "ms"; "ratio", t, values, "peer_over_ms"}];
  end
  lines = cross_table ("n", {"2048", "2048"; "4096", "4096"; "8192", "8192"; "16384", "16 384"}, columns);
end

function lines = svds ()
  t = results ("svd-cpu-2core.tsv");
  t.key = strcat (t.m, {" × "}, t.n);
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    all_ = {"type", type{1}, "results", "usv"};
    values = {"type", type{1}, "results", "s"};
    columns = [columns; { ...
      [type{2} ", µs"], t, all_, "cpu"; "loop, ratio", t, all_, "loop_over_cpu"; ...
      "NumPy, ratio", t, all_, "numpy_over_cpu"; "values alone, µs", t, values, "cpu"; ...
      "loop, ratio", t, values, "loop_over_cpu"}];
  end
  lines = cross_table ("m × n", strcat ({"3"; "4"; "8"; "16"; "32"; "64"; "128"; "256"; "60"; "125"; "1000"}, {" × "}, ...
                                        {"3"; "4"; "8"; "16"; "32"; "64"; "128"; "256"; "8"; "64"; "32"}), columns);
end

function lines = pageeigs ()
  t = results ("pageeig-cpu-2core.tsv");
  t.key = t.n;
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    both = {"type", type{1}, "results", "vd"};
    values = {"type", type{1}, "results", "d"};
    columns = [columns; { ...
      [type{2} ", µs"], t, both, "cpu"; "loop, ratio", t, both, "loop_over_cpu"; ...
      "NumPy, ratio", t, both, "numpy_over_cpu"; "values alone, µs", t, values, "cpu"; ...
      "loop, ratio", t, values, "loop_over_cpu"; "NumPy, ratio", t, values, "numpy_over_cpu"}];
  end
  sizes = {"2"; "3"; "4"; "6"; "8"; "12"; "16"; "24"; "32"; "48"; "64"; "96"; "128"};
  lines = cross_table ("n", [sizes, sizes], columns);
end

function lines = svds_gpu ()
  lines = svds_device ("svd-h100-device.tsv", [3, 4, 8, 16, 24, 32, 60; 3, 4, 8, 16, 24, 32, 8]);
end
function lines = svds_gpu_polar ()
  lines = svds_device ("svd-h100-device.tsv", [48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 125, 125, 1000, 900; 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 32, 64, 32, 100]);
end
function lines = svds_device (file, sizes)
  t = results (file);
  t.key = strcat (t.m, {" × "}, t.n);
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    here = {"type", type{1}};
    columns = [columns; { ...
      [type{2} ", µs"], t, here, "vectors"; "cuSOLVER, ratio", t, here, "peer_over_vectors"; ...
      "values alone, µs", t, here, "values"; "times `batcheig`", t, here, "vectors_over_batcheig"}];
  end
  lines = cross_table ("m × n", arrayfun (@(m, n) sprintf ("%d × %d", m, n), sizes(1,:), sizes(2,:), ...
                                           "uniformoutput", false)', columns);
end

function lines = qr_block ()
  cpu = results ("qr-cpu-2core.tsv");
  gpu = results ("qr-h200-device.tsv");
  cpu.key = shapes (cpu.rows, cpu.columns, cpu.pages);
  gpu.key = shapes (gpu.m, gpu.n, gpu.pages);
  keys = {"512 × 256"; "2048 × 1024"; "4096 × 2048"; "16 384 × 8192"; "1 000 000 × 16"; ...
          "100 000 × 128"; "4 × 4, 50 000 pages"; "16 × 16, 2000 pages"; "32 × 32, 10 000 pages"; ...
          "64 × 64, 1000 pages"};
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    on_cpu = {"type", type{1}, "outputs", "QR"};
    on_gpu = {"type", type{1}};
    columns = [columns; { ...
      [type{2} ": 2 cores"], cpu, on_cpu, "cpu"; "`qr`", cpu, on_cpu, "qr"; "ratio", cpu, on_cpu, "qr_over_cpu"; ...
      "H200", gpu, on_gpu, "ours_ms"; "cuSOLVER", gpu, on_gpu, "cusolver_ms"; "ratio", gpu, on_gpu, "ratio"}];
  end
  lines = cross_table ("m × n", keys, columns);
end

function lines = gsvd_hz ()
  cpu = results ("gsvd-cpu-2core.tsv");
  octave = results ("gsvd-h200.tsv");
  gpu = results ("gsvd-h200-device.tsv");
  name = @(t) strcat (t.rows_A, ":", t.rows_B, ":", t.columns, ":", t.pages);
  cpu.key = name (cpu);
  octave.key = name (octave);
  gpu.key = strcat (gpu.n, ":", gpu.n, ":", gpu.n, ":", gpu.pages);
  keys = {"64:64:64:1", "64 × 64"; "256:256:256:1", "256 × 256"; "512:512:512:1", "512 × 512"; ...
          "1024:1024:1024:1", "1024 × 1024"; "4096:4096:4096:1", "4096 × 4096"; ...
          "2000:1000:100:1", "2000 × 100 and 1000 × 100"; ...
          "16:16:16:5000", "16 × 16, 5000 pairs"; "30:20:10:5000", "30 × 10 and 20 × 10, 5000 pairs"};
  d = {"type", "d"};
  z = {"type", "z"};
  one = {"method", "auto"};
  lines = cross_table ("A, B", keys, { ...
    "double: 2 cores", cpu, d, "cpu"; "`gsvd`", cpu, d, "gsvd"; "ratio", cpu, d, "gsvd_over_cpu"; ...
    "H200", gpu, [d, one], "ours_ms"; "published", gpu, [d, one], "published_ms"; "ratio", gpu, [d, one], "ratio"; ...
    "H200 from Octave", octave, d, "gpu"; "`gsvd` there, ratio", octave, d, "gsvd_over_gpu"; ...
    "complex: 2 cores", cpu, z, "cpu"; "`gsvd`", cpu, z, "gsvd"; "ratio", cpu, z, "gsvd_over_cpu"; ...
    "H200", gpu, [z, one], "ours_ms"; "published", gpu, [z, one], "published_ms"; "ratio", gpu, [z, one], "ratio"});
end

function lines = pages ()
  t = results ("pages-cpu-2core.tsv");
  t.key = t.m;
  columns = cell (0, 4);
  for type = {"d", "z"; ", ", ", complex, "}
    for name = {"pagemtimes", "pageinv", "pagemldivide"}
      here = {"type", type{1}, "function", name{1}, "case", "square"};
      if (strcmp (type{1}, "d"))
        columns(end+1,:) = {["`" name{1} "`, µs"], t, here, "cpu"};
      end
      columns(end+1,:) = {["`" name{1} "`" type{2} "loop, ratio"], t, here, "loop_over_cpu"};
      columns(end+1,:) = {"NumPy, ratio", t, here, "numpy_over_cpu"};
    end
  end
  columns(2:3:8,1) = {"loop, ratio"};
  lines = cross_table ("n", {"3"; "4"; "8"; "16"; "32"; "64"; "128"; "256"}, columns);
end

% Square products, systems with one and with n right-hand sides, definite ones, inverses.
function lines = pages_gpu ()
  t = results ("pages-h100-device.tsv");
  square = strcmp (t.m, t.k) & (strcmp (t.m, t.n) | strcmp (t.n, "1"));
  t.key = t.m;
  t.key(! square) = {""};
  dx = results ("cusolverdx-h200-device.tsv");
  dx.key = dx.m;
  dx.key(! strcmp (dx.m, dx.n)) = {""};
  t.n(! strcmp (t.n, "1")) = {"n"};
  columns = cell (0, 4);
  for type = "dz"
    of = @(name, case_, rhs) {"type", type, "function", name, "case", case_, "n", rhs};
    product = of ("pagemtimes", "NN", "n");
    columns = [columns; { ...
      ["`pagemtimes`, " type ", µs"], t, product, "ours_us"; "of a copy", t, product, "of_copy"; ...
      "ratio", t, product, "ratio"; "`pageinv`, ratio", t, of("pageinv", "general", "n"), "ratio"; ...
      "`pagemldivide`, ratio", t, of("pagemldivide", "general", "1"), "ratio"; ...
      "n right-hand sides, ratio", t, of("pagemldivide", "general", "n"), "ratio"; ...
      "definite, ratio", t, of("pagemldivide", "definite", "1"), "ratio"; ...
      "cuSolverDx, ratio", dx, {"type", type, "function", "posv"}, "ratio"}];
  end
  lines = cross_table ("n", {"2"; "3"; "4"; "8"; "16"; "32"; "64"; "128"; "256"}, columns);
end

% QR of small pages beside cuSolverDx.
function lines = qr_small ()
  t = results ("cusolverdx-h200-device.tsv");
  t.key = strcat (t.m, {" × "}, t.n);
  columns = cell (0, 4);
  for type = {"d", "z"; "double", "complex"}
    here = {"type", type{1}, "function", "qr"};
    columns = [columns; { ...
      [type{2} ", µs"], t, here, "ours_us"; "cuSolverDx, µs", t, here, "cusolverdx_us"; "ratio", t, here, "ratio"}];
  end
  lines = cross_table ("m × n", {"4 × 4"; "8 × 8"; "16 × 16"; "32 × 32"; "64 × 64"; "32 × 16"; "64 × 16"; "128 × 32"}, columns);
end

function lines = pagefunms ()
  t = results ("pagefunm-cpu-2core.tsv");
  t.key = t.n;
  columns = cell (0, 4);
  for type = {"d", "z"; "", "complex: "}
    here = {"type", type{1}};
    columns = [columns; {[type{2} "`\"exp\"`"], t, here, "cpu_exp"; "`\"isqrt\"`", t, here, "cpu_isqrt"; ...
                         "`\"log\"`", t, here, "cpu_log"; "exp (−i t A)", t, here, "cpu_exp_i"; ...
                         "loop, ratio", t, here, "loop_over_exp_i"}];
  end
  gpu = results ("pagefun-h200-device.tsv");
  gpu.key = gpu.n;
  for type = {"d", "z"; "H200: ", "H200, complex: "}
    here = {"type", type{1}};
    columns = [columns; {[type{2} "`\"exp\"`"], gpu, here, "exp_over_batcheig"; ...
                         "exp (−i t A)", gpu, here, "exp_i_over_batcheig"}];
  end
  lines = cross_table ("n", {"4"; "8"; "16"; "32"; "64"; "128"}, columns);
end

function lines = eigs_lanczos ()
  small = results ("eigs-cpu-2core-peer.tsv"){1};
  lines = {table_row({"Matrix", "n", "which", "k", "`eigs`, s", "`eigs_lanczos`, s", "ratio"}), table_row(repmat ({"---"}, 1, 7))};
  ratio = quotient (small.eigs_s, small.eigs_lanczos_s);
  name = strcat (small.matrix, {" "}, small.which);
  shown = {"mesh 150^2 sm", "mesh 150^2, singular sm", "mesh 150^2 sa", "Anderson 20^3 sm", ...
           "BA 20000 la", "BA 20000, Laplacian sa"};
  for k = find (ismember (name, shown))'
    lines{end+1} = table_row ({powers(small.matrix{k}), grouped(small.n{k}), small.which{k}, small.k{k}, ...
                         small.eigs_s{k}, small.eigs_lanczos_s{k}, ratio{k}});
  end
  files = {"eigs-cpu-2core.tsv", "cpu", ""; "eigs-h200.tsv", "gpu", ", H200"};
  omitted = {{"BA 20000", "BA 200000"}, {}};
  for j = 1:rows (files)
    large = results (files{j,1});
    for k = find (strcmp (large.task, "eigs la") & ! ismember (large.matrix, omitted{j}))'
      lines{end+1} = table_row ({[regexprep(large.matrix{k}, '\.(txt|mtx)$', ""), files{j,3}], grouped(large.n{k}), "la", large.columns{k}, ...
                           seconds(large.octave{k}), seconds(large.(files{j,2}){k}), ...
                           large.(["octave_over_" files{j,2}]){k}});
    end
  end
end

function text = powers (text)
  text = strrep (strrep (text, "^2", "²"), "^3", "³");
end

function text = seconds (ms)
  text = sprintf ("%.4g", str2double (ms) / 1000);
end

function lines = spmv_cpu ()
  plain = results ("eigs-cpu-2core-peer.tsv"){2};
  plan = results ("eigs-cpu-2core.tsv");
  plain.key = plain.matrix;
  plan.key = plan.matrix;
  plain.ratio = quotient (plain.A_x_ms, plain.spmv_A_x_ms);
  keys = {"path 100", "path, n = 100"; "mesh 30^2", "mesh, 900"; "bcsstk13.mtx", "bcsstk13, 2003"; ...
          "BA 20000", "graph, 20 000"; "complex 100000", "complex, 100 000"; "BA 200000", "graph, 200 000"; ...
          "BA 1600000", "graph, 1 600 000"};
  of = @(op, vectors) {"op", op, "vectors", vectors};
  with_plan = @(form, vectors) {"task", ["spmv " form], "columns", vectors};
  lines = cross_table ("Matrix", keys, { ...
    "`spmv (A, x)`", plain, of("N", "1"), "ratio"; ...
    "transposed", plain, of("transpose", "1"), "ratio"; ...
    "four vectors", plain, of("N", "4"), "ratio"; ...
    "transposed", plain, of("transpose", "4"), "ratio"; ...
    "plan", plan, with_plan("values", "1"), "octave_over_cpu"; ...
    "all values equal", plan, with_plan("pattern", "1"), "octave_over_cpu"; ...
    "four vectors", plan, with_plan("values", "4"), "octave_over_cpu"; ...
    "all values equal", plan, with_plan("pattern", "4"), "octave_over_cpu"});
end

function lines = spmv_gpu ()
  gpu = results ("spmv-h200-device.tsv");
  gpu.key = gpu.graph;
  keys = {"ba-200k", "graph, 1.2 M entries"; ...
          "patents", "graph as large as cit-Patents, 37.7 M"; "power-law", "power law, 22.0 M"; ...
          "grid-3d", "grid in three dimensions, 14.6 M"; "elements", "finite elements, 50.8 M"};
  of = @(form, vectors) {"form", form, "vectors", vectors};
  lines = cross_table ("Matrix", keys, { ...
    "one vector, µs", gpu, of("values", "1"), "ours_us"; ...
    "cuSPARSE, µs", gpu, of("values", "1"), "cusparse_us"; ...
    "ratio", gpu, of("values", "1"), "ratio"; ...
    "all values equal, ratio", gpu, of("pattern", "1"), "ratio"; ...
    "four vectors, µs", gpu, of("values", "4"), "ours_us"; ...
    "cuSPARSE, µs", gpu, of("values", "4"), "cusparse_us"; ...
    "ratio", gpu, of("values", "4"), "ratio"; ...
    "all values equal, ratio", gpu, of("pattern", "4"), "ratio"});
end

% Some columns of a file, the first of them names its rows; all rows, or those that begin with one of `wanted`.
function lines = part_of (file, headings, fields, wanted)
  t = results (file);
  columns = cell (0, 4);
  t.key = t.(fields{1});
  for j = 2:numel (fields)
    columns(end+1,:) = {headings{j}, t, {}, fields{j}};
  end
  keys = t.key;
  if (nargin > 3)
    keys = keys(cellfun (@(key) any (cellfun (@(w) strncmp (key, w, numel (w)), wanted)), keys));
  end
  lines = cross_table (headings{1}, keys, columns);
end

function lines = processes ()
  lines = part_of ("cpu-2core-busy.tsv", ...
                 {"Call", "alone, ms", "four processes, ms", "ratio", "endless loops, ms", "ratio"}, ...
                 {"call", "alone_ms", "four_ms", "four_ratio", "burners_ms", "burners_ratio"});
end

function lines = first_calls ()
  lines = part_of ("h200-first-calls.tsv", ...
                 {"First call", "\"auto\", s", "the same again, s", "\"gpu\", s", "\"auto\" of 0.1.0, s"}, ...
                 {"job", "auto", "again", "gpu", "old"});
end

% How often "auto" takes at most 1.2 times the time of the faster place, or 0.2 ms more.
function lines = auto ()
  entries = cell (1, 0);
  for file = {"h200-auto.tsv", "qr-h200-auto.tsv"}
    t = results (file{1});
    good = str2double (t.auto_over_best) <= 1.2 | strcmp (t.counts, "0");
    entries{end+1} = sprintf ("%d of %d", nnz (good), numel (good));
  end
  lines = {table_row({"\"auto\" within 1.2 times, or 0.2 ms, of the faster place", "`batcheig`", "`qr_block`"}), ...
           table_row(repmat ({"---"}, 1, 3)), table_row([{"sizes and batches"}, entries])};
end
