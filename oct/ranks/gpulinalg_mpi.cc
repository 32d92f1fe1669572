// gpulinalg_mpi.cc: gpulinalg_mpi for Octave; tests with several processes are in tests/mpi.bats
// SPDX-License-Identifier: GPL-3.0-or-later

#include "ranks.h"

#include <octave/oct-map.h>

static octave_scalar_map about (const gla_ranks_info &info)
{
  octave_scalar_map map;
  map.assign ("transport", info.transport);
  map.assign ("local_rank", info.local_rank);
  map.assign ("local_ranks", info.local_ranks);
  map.assign ("messages_sent", static_cast<double> (info.messages_sent));
  map.assign ("messages_received", static_cast<double> (info.messages_received));
  map.assign ("bytes_sent", static_cast<double> (info.bytes_sent));
  map.assign ("bytes_received", static_cast<double> (info.bytes_received));
  map.assign ("seconds_waited", info.seconds_waited);
  map.assign ("device_data", info.device_data);
  map.assign ("nccl", info.nccl);
  return map;
}

static octave_value_list mpi_body (octave::interpreter &interp, const octave_value_list &args,
                                   int nargout)
{
  gla::check_counts ("gpulinalg_mpi", args, 0, 0, nargout, 3);
  gla::call call ("gpulinalg_mpi", interp);
  gla::keep_loaded (interp);
  gla_ranks *ranks = nullptr;
  auto info = gla::sized<gla_ranks_info> ();
  call.finish (gla_ranks_mpi (call.context (), &ranks));
  call.finish (gla_ranks_query (call.context (), ranks, &info));
  return ovl (info.rank, info.ranks, about (info));
}

DEFMETHOD_DLD (gpulinalg_mpi, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {[@var{rank}, @var{ranks}] =} gpulinalg_mpi ()
 @deftypefnx {gpulinalg} {[@var{rank}, @var{ranks}, @var{info}] =} gpulinalg_mpi ()
Return the number of this process among those that @code{mpirun} has started, and
how many there are.

@code{mpirun -n 4 octave-cli script.m} runs a script in four processes, the ranks 0
to 3, on one computer or on several.  Each holds its own part of the data in
ordinary arrays.  Functions with the option @code{"mpi", "rows"} treat the rows of
all ranks as one matrix: @code{qr_block}, @code{gsvd_hz}, @code{gevd_hz}, and, for
sparse matrices, @code{spmv}, @code{spmv_plan}, @code{eigs_lanczos} and
@code{read_graph}, which reads a file by parts.  All
ranks call them together.  Everything else, also a call of these functions without
the option, concerns one rank alone.

Without @code{mpirun}, @var{rank} is 0 and @var{ranks} is 1, so that a script runs
in one process, too.

The struct @var{info} has these fields:

@table @code
@item transport
The MPI that is used, for example @qcode{"Open MPI v4.1.4"}.
@item local_rank
@itemx local_ranks
The number of this rank among those of its computer, and how many these are.
@item messages_sent
@itemx messages_received
@itemx bytes_sent
@itemx bytes_received
What this rank has exchanged with others since it joined.
@item seconds_waited
The time that it has waited for messages.
@item device_data
How rows have gone between the GPUs of ranks in the last call that had any:
@qcode{"host"}, by way of the computer's memory, or @qcode{"nccl"}.
@item nccl
The version of NCCL, or why it was not used.  Empty where
@env{GPULINALG_NCCL} does not ask for it.
@end table

A least squares problem whose rows are in files, one for each rank:

@verbatim
[rank, ranks] = gpulinalg_mpi ();
data = load (sprintf ("part%d.mat", rank));
x = qr_block (data.A, data.b, "solve", "mpi", "rows");
if (rank == 0)
  disp (x)
endif
@end verbatim

The rows of rank 1 of 3, where 10 rows are dealt out evenly:

@example
@group
rank = 1;
ranks = 3;
mine = floor (10 * rank / ranks) + 1 : floor (10 * (rank + 1) / ranks)
   @result{} mine =

        4   5   6

@end group
@end example

@subheading GPUs
With the @qcode{"device"} @qcode{"gpu"} each rank works on one GPU: number
@code{mod (info.local_rank, gpus)} of those of its computer, or of those that
@qcode{"device"} lists.  Ranks may share a GPU.  Messages go by way of the computer's
memory; with the environment variable @env{GPULINALG_NCCL} set to @code{yes} on all ranks (or to the path of
@file{libnccl.so.2}, version 2.18 or later), the rows that @code{eigs_lanczos} exchanges
go from GPU to GPU by NCCL, with the same results.  Where a rank lacks NCCL, or two share a
GPU, all go on by way of the memory.  Its start takes 0.7 s, and so it is off unless it is
asked for.  @qcode{"auto"} takes the GPU where that is predicted to be faster; for
@code{eigs_lanczos} only where it is so on all ranks.  A GPU that fails is an error on all
ranks, and so is one with too little memory, but with @qcode{"auto"}: there the CPU does it.

@subheading Errors
An error on one rank, such as a wrong argument or too little memory, is an error on
all of them, with the same text: @qcode{"rank 3: too little memory"}.  A script that
does not catch it ends on all ranks, and @code{mpirun} returns its status.  Where a
process dies, the launcher ends the others.

@table @code
@item gpulinalg:no-mpi
The package was built without MPI, which happens where there is no @code{mpicc}; or
the launcher belongs to another MPI than the one that the package was built for, so
that each process sees itself alone.
@item gpulinalg:mpi-mismatch
The ranks call different functions, or pass arguments or options that do not fit
together; a rank passes a wrong argument; or a rank has ended while the others call.
@item gpulinalg:mpi-failed
A rank was stopped or has ended, or messages do not come.  With the
environment variable @env{GPULINALG_MPI_TIMEOUT} a rank waits that many seconds for
a message, or for the next part of a long one, without it for ever.
@end table

Results are the same for the same rows on each rank, in every run on the CPU, and in
every run with @qcode{"gpu"} on GPUs of one kind.  Each
rank uses the processors that the launcher has bound it to, or else its share of
those of its computer, unless @env{OMP_NUM_THREADS} is set.

@seealso{qr_block, gsvd_hz, gevd_hz, spmv, eigs_lanczos, read_graph, gpulinalg_info}
@end deftypefn)doc")
{
  return gla::guarded ("gpulinalg_mpi", [&] () { return mpi_body (interp, args, nargout); });
}

/*
%!error <Invalid call> gpulinalg_mpi (1)
%!error <gpulinalg_mpi: function called with too many outputs> [a, b, c, d] = gpulinalg_mpi ();

%!## without the plugin
%!test
%! old = getenv ("GPULINALG_MPI_PLUGIN");
%! setenv ("GPULINALG_MPI_PLUGIN", "/nowhere/plugin.oct");
%! unwind_protect
%!   fail ("gpulinalg_mpi ()", "gpulinalg_mpi: the plugin for MPI cannot be opened");
%!   fail ("qr_block (1, 0, \"mpi\", \"rows\")", "qr_block: the plugin for MPI cannot be opened");
%!   fail ("gsvd_hz (1, 1, \"mpi\", \"rows\")", "gsvd_hz: the plugin for MPI cannot be opened");
%!   fail ("gevd_hz (1, 1, \"MPI\", \"rows\")", "gevd_hz: the plugin for MPI cannot be opened");
%!   fail ("spmv (1, 1, \"mpi\", \"rows\")", "spmv: the plugin for MPI cannot be opened");
%!   fail ("spmv_plan (1, \"mpi\", \"rows\")", "spmv_plan: the plugin for MPI cannot be opened");
%!   fail ("eigs_lanczos (1, 1, \"mpi\", \"rows\")", "eigs_lanczos: the plugin for MPI cannot be opened");
%!   fail ("read_graph (\"x\", \"mpi\", \"rows\")", "read_graph: the plugin for MPI cannot be opened");
%!   [~, id] = lasterr ();
%!   assert (id, "gpulinalg:no-mpi");
%!   assert (abs (qr_block (3)), 3);
%! unwind_protect_cleanup
%!   setenv ("GPULINALG_MPI_PLUGIN", old);
%! end_unwind_protect
*/
