% bench_batcheig.m: batcheig from Octave arrays beside the loop over eig
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/bench_batcheig.m [--quick] [--types zdcs] [--sizes 8,16]
% Prints a table (TSV) of microseconds per page: "qr", "jacobi" and "auto" on the CPU and, where
% there is one, on the GPU with all copies to and from it; and the loop over eig with the BLAS's own choice of threads and, in a process of its own, with one BLAS thread. A time of
% batcheig is the median of 3 calls after one that is not counted, or of one call that takes more
% than a second; one page of each result is checked. Eigenvalues only: types z and d.

1;  % a script, although it begins with functions

function value = option (name, default)
  args = argv ();
  at = find (strcmp (args, name));
  value = default;
  if (! isempty (at))
    value = args{at(1) + 1};
  end
end

% The pages whose data fit in 256 MB on the GPU, in 64 MB on the CPU.
function pages = pages_for (n, type, gpu)
  bytes = n^2 * [4, 8, 8, 16]("sdcz" == type);
  pages = min (60000, max (4 * nproc (), floor ((64 + 192 * gpu) * 1e6 / bytes)));
end

% On the CPU, where time grows evenly with the pages, a call gets so many that it takes about 0.1 s.
function us = time_of (A, vectors, method, device)
  if (strcmp (device, "cpu"))
    P = size (A, 3);
    some = min (P, nproc ());
    do
      tic;
      solve (A(:,:,1:some), vectors, method, device);
      seconds = toc;
      enough = seconds > 0.02 || some == P;
      some = min (P, ceil (some * min (8, 0.1 / seconds)));
    until (enough)
    A = A(:,:,1:min (P, max (nproc (), some)));
  end
  seconds = [];
  do
    tic;
    [lambda, V] = solve (A, vectors, method, device);
    seconds(end+1) = toc;
  until (numel (seconds) == 4 || seconds(end) > 1)
  us = median (seconds(min (2, end):end)) / size (A, 3) * 1e6;
  a = A(:,:,end);
  scale = rows (a) * eps (class (a)) * norm (a, 1);
  if (vectors)
    v = V(:,:,end);
    off = max (norm (a * v - v .* lambda(:,1,end).', 1), norm (v' * v - eye (rows (a)), 1) * norm (a, 1));
  else
    off = max (abs (eig (a) - lambda(:,1,end)));
  end
  if (! (off <= 30 * scale))
    error ("bench_batcheig: %s on the %s is wrong at n = %d", method, device, rows (a));
  end
end

function [lambda, V] = solve (A, vectors, method, device)
  V = [];
  if (vectors)
    [V, lambda] = batcheig (A, "vector", "method", method, "device", device);
  else
    lambda = batcheig (A, "method", method, "device", device);
  end
end

% The same loop in an Octave with one BLAS thread.
function us = loop_with_one_thread (n, type, vectors, seconds)
  here = fileparts (mfilename ("fullpath"));
  [status, text] = system (sprintf (['OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 ' ...
    '"%s" --no-history --no-init-file --path "%s" --eval "loop_eig ([%s], ''%s'', %d, %g)"'], ...
    fullfile (OCTAVE_HOME (), "bin", "octave-cli"), here, sprintf ("%d ", n), type, vectors, seconds));
  us = sscanf (text, "%g");
  if (status != 0 || numel (us) != numel (n))
    error ("bench_batcheig: the loop with one BLAS thread failed: %s", text);
  end
end

%------------------------------------------------------------------------------
% what to run
%------------------------------------------------------------------------------

addpath (fileparts (mfilename ("fullpath")));
if (! exist ("batcheig"))
  pkg load gpulinalg
end
quick = any (strcmp (argv (), "--quick"));
types = option ("--types", "zdcs");
types = types(ismember (types, "zdcs"));
sizes = [2 3 4 6 8 12 16 20 24 32 33 40 48 64 80 96 100 128 160 192 256 320 512];
if (quick)
  sizes = [4 8 16 32 64 128 256];
end
sizes = str2num (option ("--sizes", sprintf ("%d,", sizes)));  %#ok<ST2NM>
methods_ = {"qr", "jacobi", "auto"};
info = gpulinalg_info ();
gpu = ! isempty (info.devices);

%------------------------------------------------------------------------------
% header
%------------------------------------------------------------------------------

[~, cpu] = system ("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1");
printf ("# gpulinalg %s; %s; Octave %s; %s\n", info.version, info.backend, version (), ...
        strftime ("%Y-%m-%d %H:%M UTC", gmtime (time ())));
printf ("# %s, %d threads; BLAS: %s; LAPACK: %s\n", strtrim (cpu), nproc (), ...
        strtrim (version ("-blas")), strtrim (version ("-lapack")));
[~, load_] = system ("cut -d ' ' -f 1-3 /proc/loadavg");
printf ("# load of the machine before the run (1, 5, 15 minutes): %s\n", strtrim (load_));
if (gpu)
  printf ("# GPU: %s\n", strjoin ({info.devices.name}, ", "));
end
printf ("# microseconds per page from Octave arrays to Octave arrays; loop: the faster of the two loops\n");
printf (["type\tn\tvectors\tpages_cpu\tpages_gpu\tcpu_qr\tcpu_jacobi\tcpu_auto\tgpu_qr\tgpu_jacobi\t" ...
         "gpu_auto\tloop_default\tloop_one_thread\tloop\tloop/cpu_auto\tloop/gpu_auto\n"]);

%------------------------------------------------------------------------------
% table
%------------------------------------------------------------------------------

for vectors = [true, false]
  for type = types(vectors | ismember (types, "zd"))
    seconds = 0.2;
    one = loop_with_one_thread (sizes, type, vectors, seconds);
    for k = 1:numel (sizes)
      n = sizes(k);
      us = NaN (2, 3);
      pages = zeros (1, 2);
      for g = 1:1+gpu
        pages(g) = pages_for (n, type, g == 2);
        A = random_pages (n, pages(g), type);
        for j = 1:3
          us(g,j) = time_of (A, vectors, methods_{j}, {"cpu", "gpu"}{g});
        end
        clear A
      end
      default = loop_eig (n, type, vectors, seconds);
      loop = min (default, one(k));
      printf ("%s\t%d\t%d\t%d\t%d", type, n, vectors, pages);
      printf ("\t%.4g", us', default, one(k), loop);
      printf ("\t%.3g", loop ./ us(:,3));
      printf ("\n");
      fflush (stdout);
    end
  end
end
