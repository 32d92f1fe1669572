% readme_rows.m: the measurements that README's picture shows, of which its table has a few
% SPDX-License-Identifier: GPL-3.0-or-later
%
% r = readme_rows ()
% A struct for each row, with the strings work, machine, peer, ours and theirs (times), ratio and version (of the
% peer, where README's table has this row; otherwise empty).

function r = readme_rows ()
  cpu = "2 CPU cores";
  gpu = "NVIDIA H200";
  eig_cpu = {"cpu-2core.tsv", "cpu_auto", "loop", "loop_over_cpu_auto", "vectors", "1", "type", "z"};
  eig_gpu = {"h200-device.tsv", "auto", "peer", "peer_over_auto", "set", "grid", "type", "z"};
  qr_cpu = {"qr-cpu-2core.tsv", "cpu", "qr", "qr_over_cpu", "outputs", "QR", "type", "d"};
  qr_gpu = {"qr-h200-device.tsv", "ours_ms", "cusolver_ms", "ratio", "type", "d"};
  gsvd_cpu = {"gsvd-cpu-2core.tsv", "cpu", "gsvd", "gsvd_over_cpu", "type", "d"};
  gsvd_gpu = {"gsvd-h200-device.tsv", "ours_ms", "published_ms", "ratio", "method", "auto", "type", "d"};
  eigs_cpu = {"eigs-cpu-2core.tsv", "cpu", "octave", "octave_over_cpu", "task", "eigs la"};
  spmv_cpu = {"eigs-cpu-2core.tsv", "cpu", "octave", "octave_over_cpu", "task", "spmv pattern", "columns", "1"};
  pages_cpu = {"pages-cpu-2core.tsv", "cpu", "loop", "loop_over_cpu", "type", "d", "case", "square"};
  pages_gpu = {"pages-h200-device.tsv", "ours_us", "peer_us", "ratio"};
  dx_gpu = {"cusolverdx-h200-device.tsv", "ours_us", "cusolverdx_us", "ratio"};
  svd_cpu = {"svd-cpu-2core.tsv", "cpu", "numpy", "numpy_over_cpu", "results", "usv", "type", "d"};
  svd_gpu = {"svd-h200-device.tsv", "vectors", "gesvdj_batched", "peer_over_vectors", "type", "d"};
  spmv_gpu = {"spmv-h200-device.tsv", "ours_us", "cusparse_us", "ratio", "form", "values", "vectors", "1"};

  list = { ...
    "`batcheig`, 8 × 8, complex, per page", cpu, "loop over `eig`", "µs", [eig_cpu, "n", "8"];
    "`batcheig`, 64 × 64, complex, per page", cpu, "loop over `eig`", "µs", [eig_cpu, "n", "64"];
    "`batcheig`, 512 × 512, complex, per page", cpu, "loop over `eig`", "µs", [eig_cpu, "n", "512"];
    "`qr_block`, 2000 pages 16 × 16", cpu, "loop over `qr`", "ms", [qr_cpu, "rows", "16", "pages", "2000"];
    "`qr_block`, 1 000 000 × 32", cpu, "`qr`", "ms", [qr_cpu, "rows", "1000000", "columns", "32"];
    "`batchsvd`, 8 × 8, per page", cpu, "NumPy", "µs", [svd_cpu, "m", "8", "n", "8"];
    "`gsvd_hz`, 5000 pairs 16 × 16", cpu, "loop over `gsvd`", "ms", [gsvd_cpu, "rows_A", "16", "pages", "5000"];
    "`gsvd_hz`, 512 × 512", cpu, "`gsvd`", "ms", [gsvd_cpu, "rows_A", "512"];
    "`eigs_lanczos`, 10 largest, graph of 1.6 million nodes", cpu, "`eigs`", "ms", ...
      [eigs_cpu, "matrix", "BA 1600000"];
    "`spmv` with a plan, the same graph", cpu, "`A*x`", "ms", [spmv_cpu, "matrix", "BA 1600000"];
    "`pagemtimes`, 4 × 4, per page", cpu, "loop over `*`", "µs", [pages_cpu, "function", "pagemtimes", "m", "4"];
    "`pageinv`, 16 × 16, per page", cpu, "loop over `inv`", "µs", [pages_cpu, "function", "pageinv", "m", "16"];
    "`batcheig`, 8 × 8, complex, per page", gpu, "cuSOLVER", "µs", [eig_gpu, "n", "8"];
    "`batcheig`, 64 × 64, complex, per page", gpu, "cuSOLVER", "µs", [eig_gpu, "n", "64"];
    "`batcheig`, 512 × 512, complex, per page", gpu, "cuSOLVER", "µs", [eig_gpu, "n", "512"];
    "`qr_block`, 8 × 8, per page", gpu, "cuSolverDx", "µs", [dx_gpu, "function", "qr", "type", "d", "m", "8", "n", "8"];
    "`qr_block`, 32 × 32, complex, per page", gpu, "cuSolverDx", "µs", ...
      [dx_gpu, "function", "qr", "type", "z", "m", "32", "n", "32"];
    "`qr_block`, 2048 × 1024", gpu, "cuSOLVER", "ms", [qr_gpu, "m", "2048", "n", "1024"];
    "`pagemtimes`, 8 × 8, per page", gpu, "cuBLAS", "µs", ...
      [pages_gpu, "function", "pagemtimes", "type", "d", "case", "NN", "m", "8"];
    "`batchsvd`, 8 × 8, per page", gpu, "cuSOLVER", "µs", [svd_gpu, "m", "8", "n", "8"];
    "`pagemldivide`, definite, 16 × 16, per page", gpu, "cuSolverDx", "µs", ...
      [dx_gpu, "function", "posv", "type", "d", "m", "16"];
    "`gsvd_hz`, 1024 × 1024", gpu, "published CUDA code", "ms", [gsvd_gpu, "n", "1024"];
    "`spmv`, grid of 2 million points", gpu, "cuSPARSE", "µs", [spmv_gpu, "graph", "grid-3d"]};
  in_table = [1, 6, 9, 14, 17];

  for k = 1:rows (list)
    [work, machine, peer, unit, source] = list{k,:};
    file = fullfile (fileparts (mfilename ("fullpath")), "..", "results", source{1});
    t = read_table (file);
    one = struct ("work", work, "machine", machine, "peer", peer);
    one.ours = time_of (table_entry (t, source(5:end), source{2}), unit);
    one.theirs = time_of (table_entry (t, source(5:end), source{3}), unit);
    one.ratio = table_entry (t, source(5:end), source{4});
    one.version = "";
    if (any (k == in_table))
      one.version = version_of (peer, file);
    end
    r(k) = one;
  end
end

% The version of a peer in the comments of the table, as "Octave 7.3.0"; cuSOLVER counts 12.0.4 as 12004.
function text = version_of (peer, file)
  name = regexprep (peer, '^(loop over )?`\w+`$', "Octave");
  number = regexp (fileread (file), ["^#.*", name, ' ([\d.]+)'], "tokens", "once", "lineanchors", "dotexceptnewline");
  if (isempty (number))
    error ("readme_rows: %s has no version of %s", file, name);
  end
  number = number{1};
  if (strcmp (name, "cuSOLVER"))
    n = str2double (number);
    number = sprintf ("%d.%d.%d", floor (n / 1000), mod (floor (n / 100), 10), mod (n, 100));
  end
  text = [name, " ", number];
end

% "75790", "µs" as "75.79 ms"
function text = time_of (number, unit)
  units = {"ns", "µs", "ms", "s"};
  k = find (strcmp (units, unit));
  t = str2double (number);
  if (t < 1)
    t *= 1000;
    k--;
  elseif (t >= 1000)
    t /= 1000;
    k++;
  end
  text = sprintf ("%.4g %s", t, units{k});
end
