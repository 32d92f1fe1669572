% bench_gpu_arrays.m: times of operations on gpuArrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/arrays/bench_gpu_arrays.m [--megabytes 256] [--table FILE] [--steps COUNT --pipeline NAME]
% Prints (TSV) "large": seconds of an operation on arrays of so many bytes (gputimeit), and GB/s of what must be read
% and written once; "small": microseconds of an operation on a 4 x 4 array, less those of an empty function, the least of 5 means;
% "pipeline": seconds of a program with gpuArrays, which brings its arrays and gathers the result,
% of its steps alone, and with arrays of the host. gpu_arrays_peer.py prints the same for PyTorch
% and CuPy. With --steps the steps of this program run so often and nothing is printed: for a profiler, which then
% tells the time of the kernels. With --table, which is a table of bench_batcheig on the same GPU, only "call" is
% printed: seconds of gla_batcheig, of [V, D] = batcheig (G, "lower", "vector"), batcheig (G, "lower") and batcheig (G).

1;

function large (name, bytes, f)
  f ();
  s = gputimeit (f);
  printf ("large\t%s\t%.4g\t%.4g\n", name, s, bytes / s / 1e9);
  fflush (stdout);
end

function us = small (name, f, empty)
  f ();
  n = 1000;
  us = Inf;
  for run = 1:5
    wait (gpuDevice ());
    tic;
    for k = 1:n
      f ();
    end
    wait (gpuDevice ());
    us = min (us, toc / n * 1e6 - empty);
  end
  printf ("small\t%s\t%.4g\n", name, us);
  fflush (stdout);
end

% batcheig returns when the GPU has ended, because it must know whether a page has failed.
function s = seconds_of_call (f, gpu)
  wait (gpu);
  id = tic;
  [V, D] = f ();
  s = toc (id);
end

% All are medians of calls that begin when the GPU has nothing to do, with the vectors of the same numbers of Hermitian
% pages. gla_batcheig reads the lower triangle and writes eigenvalues as columns, as batcheig does with "lower" and
% "vector". Without "vector" D is diagonal pages, whose zeros are as many bytes as real V; without "lower" both triangles
% are read and compared.
function calls (file)
  t = read_table (file);
  gpu = gpuDevice ();
  printf ("# seconds of gla_batcheig, batcheig (G, \"lower\", \"vector\"), batcheig (G, \"lower\"), batcheig (G), with vectors\n");
  for k = find (strcmp (t.set, "grid") & strcmp (t.note, ""))'
    n = str2double (t.n{k});
    pages = str2double (t.pages{k});
    G = randn (n, n, pages, "gpuArray");
    if (any (t.type{k} == "zc"))
      G = complex (G, randn (n, n, pages, "gpuArray"));
    end
    if (any (t.type{k} == "sc"))
      G = single (G);
    end
    G = G + conj (permute (G, [2, 1, 3]));
    s = [];
    for run = 1:22
      s(run,:) = [seconds_of_call(@() batcheig (G, "lower", "vector"), gpu), ...
                  seconds_of_call(@() batcheig (G, "lower"), gpu), seconds_of_call(@() batcheig (G), gpu)];
    end
    printf ("call\tbatcheig, %s, n = %d, %d pages\t%.4g\t%.4g\t%.4g\t%.4g\n", t.type{k}, n, pages, ...
            str2double (t.auto{k}) * pages * 1e-6, median (s(2:end,:)));
    fflush (stdout);
    clear G
  end
end

function y = changed (x)
  y = x;
  y(1) = 5;
end

% A band structure: from the matrices of all k-points to the density of states.
function dos = bands (k, hops, place, back)
  n = rows (hops);
  H = repmat (place (hops), [1, 1, numel(k)]) .* reshape (exp (1i * place (k)), 1, 1, []);
  H = H + conj (permute (H, [2, 1, 3]));
  E = batcheig (H);
  grid = reshape (linspace (-8, 8, 32), 1, 1, 1, 32);
  dos = back (squeeze (sum (sum (exp (-((E(:,1,:) - grid) / 0.1) .^ 2), 1), 3)) / n);
end

% Denoising by the largest singular vectors of patches: the means are taken off and put back.
function y = denoised (patches, place, back)
  X = place (patches);
  m = mean (X, 2);
  X = X - m;
  C = pagemtimes (X, "none", X, "transpose");
  [V, ~] = batcheig ((C + permute (C, [2, 1, 3])) / 2, "largest", 8);
  y = back (pagemtimes (V, pagemtimes (V, "transpose", X, "none")) + m);
end

function y = finished (y)
  wait (gpuDevice ());
end

function pipeline (name, program, arrays)
  resident = cellfun (@gpuArray, arrays, "uniformoutput", false);
  steps = bench_option ("--steps", 0);
  if (steps > 0)
    for k = 1:steps
      program (resident{:}, @gpuArray, @finished);
    end
    return;
  end
  printf ("pipeline\t%s\t%.4g\t%.4g\t%.4g\n", name, seconds_of (@() program (arrays{:}, @gpuArray, @gather)), ...
          seconds_of (@() program (resident{:}, @gpuArray, @finished)), seconds_of (@() program (arrays{:}, @double, @double)));
end

function pipelines ()
  rand ("twister", 1);
  randn ("twister", 1);
  wanted = bench_option ("--pipeline", "all");
  if (any (strcmp (wanted, {"all", "bands"})))
    pipeline ("bands", @bands, {linspace(0, 2 * pi, 100000), randn(16)});
  end
  if (any (strcmp (wanted, {"all", "denoising"})))
    pipeline ("denoising", @denoised, {randn(49, 100, 4000)});
  end
end

function s = seconds_of (f)
  f ();
  s = zeros (1, 3);
  for k = 1:3
    tic;
    f ();
    s(k) = toc;
  end
  s = median (s);
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
if (bench_option ("--steps", 0))
  pipelines ();
  return;
end
bytes = bench_option ("--megabytes", 256) * 1e6;
if (! bench_header ())
  error ("bench_gpu_arrays: this machine has no GPU");
end
table = bench_option ("--table", "");
if (! isempty (table))
  calls (table);
  return;
end
n = floor (bytes / 8 / 32000) * 32000;
b = 8 * n;
rand ("twister", 1);
host = rand (n, 1) - 0.5;
G = gpuArray (host);
H = gpuArray (flip (host));
M = reshape (G, 4000, []);
P = reshape (G, 16, 16, []);
Z = complex (G(1:n/2), H(1:n/2));
row = M(1,:);
column = M(:,1);
gauss = @(x, y) exp (-(x .^ 2 + y .^ 2) / 2) .* cos (3 * x - y) + 0.5 * abs (x - y);

printf ("# seconds, GB/s; %g MB of double\n", b / 1e6);
large ("copy", 2 * b, @() changed (G));
large ("G + H", 3 * b, @() G + H);
large ("G .* 2", 2 * b, @() G .* 2);
large ("G > H", 2 * b + n, @() G > H);
large ("Z .* Z", 2 * b, @() Z .* Z);
large ("abs (Z)", 1.5 * b, @() abs (Z));
large ("exp (G)", 2 * b, @() exp (G));
large ("sin (G)", 2 * b, @() sin (G));
large ("M + row", 2 * b, @() M + row);
large ("M + column", 2 * b, @() M + column);
large ("single (G)", 1.5 * b, @() single (G));
large ("sum (G)", b, @() sum (G));
large ("sum (M, 1)", b, @() sum (M, 1));
large ("sum (M, 2)", b, @() sum (M, 2));
large ("max (M, [], 2)", b, @() max (M, [], 2));
large ("sum (P, 3)", b, @() sum (P, 3));
large ("M.'", 2 * b, @() M.');
large ("permute (P, [3, 1, 2])", 2 * b, @() permute (P, [3, 1, 2]));
large ("permute (P, [2, 1, 3])", 2 * b, @() permute (P, [2, 1, 3]));
large ("cumsum (M)", 2 * b, @() cumsum (M));
large ("sort (G), a million", 16e6, @() sort (G(1:1e6)));
large ("sort (M)", 2 * b, @() sort (M));
large ("fft (Z), 1000 a column", 2 * b, @() fft (reshape (Z, 1000, [])));
large ("fft (Z, [], 2), 16 x 16 pages", 2 * b, @() fft (reshape (Z, 16, 16, []), [], 2));
large ("gauss, operators", 3 * b, @() gauss (G, H));
large ("gauss, arrayfun", 3 * b, @() arrayfun (gauss, G, H));
large ("x .* y + z, operators", 4 * b, @() G .* H + G);
large ("x .* y + z, arrayfun", 3 * b, @() arrayfun (@(x, y) x .* y + x, G, H));
large ("gpuArray", b, @() gpuArray (host));
large ("gather", b, @() gather (G));

g = gpuArray (magic (4));
empty = small ("empty function", @() g, 0);
small ("G + H", @() g + g, empty);
small ("G + 1", @() g + 1, empty);
small ("G'", @() g', empty);
small ("G(2,:)", @() g(2,:), empty);
small ("exp (G)", @() exp (g), empty);
small ("sqrt (G)", @() sqrt (g), empty);
small ("sum (G)", @() sum (g), empty);
small ("fft (G)", @() fft (g), empty);
small ("arrayfun, 14 operations", @() arrayfun (gauss, g, 1), empty);
small ("sort (G)", @() sort (g), empty);

clear G H M P Z
pipelines ();
