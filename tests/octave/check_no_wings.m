## check_no_wings.m: what calls for gpuArrays and for ranks say in a build without them
## SPDX-License-Identifier: GPL-3.0-or-later

function check_no_wings ()

  no_ranks = {"qr_block (1, 0, \"mpi\", \"rows\")", "qr_block (1, 1, \"solve\", \"mpi\", \"rows\")", ...
              "gsvd_hz (1, 1, \"mpi\", \"rows\")", "gevd_hz (1, 1, \"MPI\", \"root\")", ...
              "spmv (speye (2), [1; 2], \"mpi\", \"rows\")", "spmv_plan (speye (2), \"mpi\", \"rows\")", ...
              "eigs_lanczos (speye (3), 1, \"mpi\", \"rows\")", "read_graph (\"x\", \"mpi\", \"rows\")"};
  failed = 0;
  for k = 1:numel (no_ranks)
    failed += ! ends_with (no_ranks{k}, "gpulinalg:no-mpi", ": this build has no ranks");
  endfor
  failed += ! ends_with ("eigs_lanczos (speye (3), 1, \"vectors\", \"gpuArray\")", "gpulinalg:no-arrays", ...
                         ": this build has no gpuArrays");
  names = {"gpuArray", "gather", "isgpuarray", "gpuDevice", "existsOnGPU", "gpulinalg_mpi"};
  for k = 1:numel (names)
    if (exist (names{k}))
      printf ("%s exists\n", names{k});
      failed++;
    endif
  endfor
  printf ("check_no_wings: %d passed, %d failed, 0 skipped\n", numel (no_ranks) + 1 + numel (names) - failed, failed);
  exit (failed > 0);

endfunction

## Whether the call ends with an error that has this id and this text behind the name of the function.
function yes = ends_with (code, id, text)

  who = strtok (code, " ");
  try
    eval ([code, ";"]);
    found = struct ("identifier", "", "message", "no error");
  catch found
  end_try_catch
  yes = strcmp (found.identifier, id) && strncmp (found.message, [who, text], numel ([who, text]));
  if (! yes)
    printf ("%s: %s: %s\n", code, found.identifier, found.message);
  endif

endfunction
