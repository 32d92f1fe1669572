% gpu_arrays_table.m: the tables of gpuArrays beside PyTorch and CuPy
% SPDX-License-Identifier: GPL-3.0-or-later
%
% lines = gpu_arrays_table (name)
% name is "large", "small", "calls" or "pipelines". The figures are those of bench_gpu_arrays.m and gpu_arrays_peer.py
% (PyTorch and CuPy) in bench/results, all of one run; "calls" are of a run of their own.

function lines = gpu_arrays_table (name)
  makers = struct ("large", @large, "small", @small, "calls", @calls, "pipelines", @pipelines);
  if (! isfield (makers, name))
    error ("gpu_arrays_table: no table is named gpu_arrays_%s", name);
  end
  all_ = {lines_of("h100-gpu-arrays.tsv"), lines_of("h100-gpu-arrays-peer.tsv"), lines_of("h100-gpu-arrays-cupy.tsv")};
  if (strcmp (name, "calls"))
    all_{1} = lines_of ("h100-gpu-arrays-calls.tsv");
  end
  lines = makers.(name) (all_{:});
end

% The fields of each line that is no comment.
function rows_ = lines_of (file)
  text = fileread (fullfile (fileparts (mfilename ("fullpath")), "..", "results", file));
  rows_ = strsplit (text, "\n");
  rows_ = rows_(! cellfun (@isempty, rows_) & ! strncmp (rows_, "#", 1));
  rows_ = cellfun (@(l) strsplit (l, "\t"), rows_, "uniformoutput", false);
end

% Field k of the line of this kind and name, a number; NaN where there is none.
function x = entry (rows_, kind, name, k)
  x = NaN;
  for r = rows_
    if (strcmp (r{1}{1}, kind) && strcmp (r{1}{2}, name) && numel (r{1}) >= k)
      x = str2double (r{1}{k});
    end
  end
end

function names = names_of (rows_, kind)
  names = cell (1, 0);
  for r = rows_
    if (strcmp (r{1}{1}, kind))
      names{end+1} = r{1}{2};
    end
  end
end

function text = shown (format, x)
  text = "";
  if (! isnan (x))
    text = sprintf (format, x);
  end
end

% Milliseconds; of what a copy moves in the same time, in percent.
function lines = large (ours, torch, cupy)
  lines = {table_row({"Operation", "gpulinalg, ms", "of a copy, %", "PyTorch, ms", "CuPy, ms"}), table_row(repmat ({"---"}, 1, 5))};
  copy = entry (ours, "large", "copy", 4);
  ms = @(rows_, name) shown ("%.3g", 1e3 * entry (rows_, "large", name, 3));
  for name = names_of (ours, "large")
    lines{end+1} = table_row ({["`" name{1} "`"], ms(ours, name{1}), sprintf("%.0f", 100 * entry (ours, "large", name{1}, 4) / copy), ...
                               ms(torch, name{1}), ms(cupy, name{1})});
  end
end

% Microseconds less those of an empty function, which the peers' lines still have.
function lines = small (ours, torch, cupy)
  lines = {table_row({"Operation", "gpulinalg, µs", "PyTorch, µs", "CuPy, µs"}), table_row(repmat ({"---"}, 1, 4))};
  for name = names_of (ours, "small")(2:end)
    more = cellfun (@(rows_) shown ("%.3g", entry (rows_, "small", name{1}, 3) - entry (rows_, "small", "empty function", 3)), {torch, cupy}, "uniformoutput", false);
    lines{end+1} = table_row ([{["`" name{1} "`"], shown("%.3g", entry (ours, "small", name{1}, 3))}, more]);
  end
end

% Microseconds of calls, and what batcheig (G, "lower", "vector") takes longer than the same call of the C library.
function lines = calls (ours, ~, ~)
  lines = {table_row({"Pages", "C library, µs", "`batcheig (G, \"lower\", \"vector\")`, µs", "longer, µs", "longer, %", "`batcheig (G, \"lower\")`, µs", "`batcheig (G)`, µs"}), table_row(repmat ({"---"}, 1, 7))};
  for name = names_of (ours, "call")
    us = arrayfun (@(k) 1e6 * entry (ours, "call", name{1}, k), 3:6);
    lines{end+1} = table_row ({strrep(name{1}, "batcheig, ", ""), shown("%.0f", us(1)), shown("%.0f", us(2)), shown("%.0f", us(2) - us(1)), ...
                               shown("%.1f", 100 * (us(2) / us(1) - 1)), shown("%.0f", us(3)), shown("%.0f", us(4))});
  end
end

function lines = pipelines (ours, torch, cupy)
  lines = {table_row({"Program", "gpuArrays, ms", "its steps alone", "arrays of the host", "ratio", "PyTorch", "CuPy"}), table_row(repmat ({"---"}, 1, 7))};
  for name = names_of (ours, "pipeline")
    ms = @(rows_, k) 1e3 * entry (rows_, "pipeline", name{1}, k);
    lines{end+1} = table_row ({name{1}, shown("%.3g", ms (ours, 3)), shown("%.3g", ms (ours, 4)), shown("%.4g", ms (ours, 5)), ...
                               shown("%.3g", ms (ours, 5) / ms (ours, 3)), shown("%.3g", ms (torch, 3)), shown("%.3g", ms (cupy, 3))});
  end
end
