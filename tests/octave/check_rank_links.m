## check_rank_links.m: eigs_lanczos by rows on GPUs, by way of the host and by NCCL
## SPDX-License-Identifier: GPL-3.0-or-later
##
## mpirun -n 2 octave-cli --path src --path inst tests/octave/check_rank_links.m [FAULT]
## Each rank prints a line "bits CASE rank R of N: HASH" of its values and vectors for each case, and
## "rank R went by WAY TEXT", so that runs with and without GPULINALG_NCCL can be compared. With FAULT
## the name of a signal (KILL or INT) the last rank gets it after some seconds of calls without an end.

1;

## In one piece, for lines of several ranks run into each other.
function say (varargin)
  fputs (stdout, sprintf (varargin{:}));
  fflush (stdout);
endfunction

function report (name, rank, ranks, varargin)
  bits = "";
  for k = 1:numel (varargin)
    bits = [bits, hash("md5", char (typecast ([real(varargin{k}(:)); imag(varargin{k}(:))], "uint8")'))];
  endfor
  say ("bits %s rank %d of %d: %s\n", name, rank, ranks, hash ("md5", bits));
endfunction

## of the residual over the largest eigenvalue; with options what they ask for
function b = bound (V, options)
  b = {1e-8, 1e-2}{1 + (isa (V, "single") || ! isempty (options))};
endfunction

[rank, ranks] = gpulinalg_mpi ();
arguments = argv ();
fault = "";
if (numel (arguments) > 0 && ! any (arguments{end} == "."))
  fault = arguments{end};
endif
part = @(m) floor (m * rank / ranks) + 1 : floor (m * (rank + 1) / ranks);
on = {"mpi", "rows", "device", "gpu"};

## a graph, in which all is connected, and a path, which needs one row of each neighbour
graph = ba_graph (60000, 5, 3);
path = spdiags (ones (50001, 1) * [1, 0, 1], -1:1, 50001, 50001) + spdiags ((1:50001)' / 1e4, 0, 50001, 50001);
complex = path + 1i * (triu (path, 1) - tril (path, -1));
cases = {"graph", graph, {}; "single", graph, {"precision", "single"}; "path", path, {"tol", 1e-3, "maxit", 20};
         "complex", complex, {"tol", 1e-3, "maxit", 20}; "blocks", double(graph), {"block", 2}};
if (! isempty (fault))
  sigterm_dumps_octave_core (false);
  if (rank == ranks - 1)
    system (sprintf ("(sleep 6; kill -%s %d) &", fault, getpid ()));
  endif
  i = part (rows (graph));
  while (true)
    eigs_lanczos (graph(i,:), 8, "la", on{:});
  endwhile
endif
for c = 1:rows (cases)
  [name, A, options] = cases{c,:};
  i = part (rows (A));
  [V, D, flag, stats] = eigs_lanczos (A(i,:), 6, "la", options{:}, on{:});
  assert (! strcmp (stats.device, "cpu"));
  if (flag == 0)
    residual = spmv (A(i,:), V, "mpi", "rows") - V * D;
    assert (norm (residual) < bound (V, options) * max (abs (diag (D))));
  endif
  report (name, rank, ranks, V, D);
endfor
[~, ~, info] = gpulinalg_mpi ();
say ("rank %d went by %s %s\n", rank, info.device_data, info.nccl);
