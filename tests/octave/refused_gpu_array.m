% tests/octave/refused_gpu_array.m: f () must end with the error that says what to gather; counted as count_gpu_check does
% SPDX-License-Identifier: GPL-3.0-or-later

function refused_gpu_array (name, f)
  err = "";
  try
    f ();
  catch e
    err = [e.identifier, ": ", e.message];
  end_try_catch
  count_gpu_check (sprintf ("%s refuses (%s)", name, err), strncmp (err, "gpulinalg:gather-needed", 23) && ! isempty (strfind (err, "gather")));
endfunction
