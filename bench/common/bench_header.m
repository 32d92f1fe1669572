% bench_header.m: loads the package, unless it is on the path, and prints the lines before a table on the machine
% SPDX-License-Identifier: GPL-3.0-or-later
%
% gpu = bench_header (): prints versions, processor, BLAS, load and GPUs; returns whether there is a GPU.

function gpu = bench_header ()
  if (! exist ("batcheig"))
    pkg load gpulinalg
  end
  info = gpulinalg_info ();
  gpu = ! isempty (info.devices);
  [~, cpu] = system ("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1");
  [~, load_] = system ("cut -d ' ' -f 1-3 /proc/loadavg");
  printf ("# gpulinalg %s; %s; Octave %s; %s\n", info.version, info.backend, version (), ...
          strftime ("%Y-%m-%d %H:%M UTC", gmtime (time ())));
  printf ("# %s, %d threads; BLAS: %s; LAPACK: %s\n", strtrim (cpu), nproc (), ...
          strtrim (version ("-blas")), strtrim (version ("-lapack")));
  printf ("# load of the machine before the run (1, 5, 15 minutes): %s\n", strtrim (load_));
  if (gpu)
    printf ("# GPU: %s\n", strjoin ({info.devices.name}, ", "));
  end
end
