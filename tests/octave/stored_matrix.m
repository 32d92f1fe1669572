% tests/octave/stored_matrix.m: a matrix of tests/data by its name, "karate" or "bcsstk13"
% SPDX-License-Identifier: GPL-3.0-or-later
%
% A large file is stored packed, as NAME.mtx.gz.

function A = stored_matrix (name)
  file = fullfile (fileparts (mfilename ("fullpath")), "..", "data", [name, ".mtx"]);
  if (exist (file, "file"))
    A = read_graph (file);
    return;
  endif
  folder = tempname ();
  unwind_protect
    A = read_graph (gunzip ([file, ".gz"], folder){1});
  unwind_protect_cleanup
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect
endfunction
