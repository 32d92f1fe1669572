% tests/octave/count_gpu_check.m: counts a check of gpuArrays in the global counts_of_gpu_arrays, and names one that fails
% SPDX-License-Identifier: GPL-3.0-or-later

function count_gpu_check (name, good)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays += [good, ! good];
  if (! good && counts_of_gpu_arrays(2) <= 40)
    printf ("FAILED %s of gpuArrays\n", name);
  endif
endfunction
