## pre_install.m: prints how long pkg install will compile; pkg calls it before it compiles
## SPDX-License-Identifier: GPL-3.0-or-later

function pre_install (desc)

  mkoctfile_here = fullfile (OCTAVE_HOME (), "bin", "mkoctfile");
  if (! exist (mkoctfile_here, "file"))
    mkoctfile_here = "mkoctfile";
  endif
  old = getenv ("MKOCTFILE");
  setenv ("MKOCTFILE", mkoctfile_here);
  ## configure decides what to build, and the m-files of what is left out are not installed; pkg runs it again and reports its errors
  [status, plan] = system ("cd src && ./configure >/dev/null 2>&1 && make -s leave-out && make -n -j$(nproc || echo 2) 2>/dev/null");
  if (isempty (old))
    unsetenv ("MKOCTFILE");
  else
    setenv ("MKOCTFILE", old);
  endif

  if (status == 0)
    steps = regexp (plan, '^\d+ steps, .*$', "match", "once", "lineanchors", "dotexceptnewline");
    kernels = numel (regexp (plan, '^echo "\S+ NVCC ', "lineanchors"));
    if (kernels > 0)
      place = "the CPU and NVIDIA GPUs";
    else
      place = "the CPU";
    endif
    printf ("gpulinalg: compiling for %s: %s\n", place, steps);
    fflush (stdout);
  endif

endfunction
