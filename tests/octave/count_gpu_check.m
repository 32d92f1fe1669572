% tests/octave/count_gpu_check.m: counts a check of gpuArrays in the global counts_of_gpu_arrays, and names one that fails
% SPDX-License-Identifier: GPL-3.0-or-later
%
% count_gpu_check (name, good). count_gpu_check (name, f): f () must end with the error that says what to gather.

function count_gpu_check (name, good)
  global counts_of_gpu_arrays;
  if (is_function_handle (good))
    err = "";
    try
      good ();
    catch e
      err = [e.identifier, ": ", e.message];
    end_try_catch
    name = sprintf ("%s refuses (%s)", name, err);
    good = strncmp (err, "gpulinalg:gather-needed", 23) && ! isempty (strfind (err, "gather"));
  endif
  counts_of_gpu_arrays += [good, ! good];
  if (! good && counts_of_gpu_arrays(2) <= 40)
    printf ("FAILED %s of gpuArrays\n", name);
  endif
endfunction
