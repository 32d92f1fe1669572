## check_rank_gpus.m: functions with "mpi", "rows" and a GPU for each rank
## SPDX-License-Identifier: GPL-3.0-or-later
##
## mpirun -n 2 octave-cli --path src --path inst tests/octave/check_rank_gpus.m [FAULT]
## Each rank compares its rows with one call on its CPU, prints "rank R is right" and ends with status
## 0. With the argument "dies" rank 1, or the only one, is killed between two calls; with "device"
## rank 0 asks for the CPU, the others for GPUs, which all must refuse.

1;

function same_kind_of_error (code, text)
  try
    code ();
  catch e
    if (isempty (strfind (e.message, text)))
      rethrow (e);
    endif
    return;
  end_try_catch
  error ("there was no error with \"%s\"", text);
endfunction

[rank, ranks, info] = gpulinalg_mpi ();
gpus = gpuDeviceCount ();
arguments = argv ();
fault = "";
if (numel (arguments) > 0 && ! any (arguments{end} == "."))
  fault = arguments{end};
endif
part = @(m) floor (m * rank / ranks) + 1 : floor (m * (rank + 1) / ranks);
on = {"mpi", "rows", "device", "gpu"};
cpu = {"device", "cpu"};
rand ("twister", 1);
randn ("twister", 1);

## QR, Q'*B, least squares, pivoting
A = randn (20000, 30);
b = randn (20000, 2);
mine = part (20000);
[Q, R] = qr_block (A(mine,:), 0, on{:});
[Q1, R1] = qr_block (A, 0, cpu{:});
assert (R, R1, 1e-11);
assert (Q, Q1(mine,:), 1e-11);
[C, R] = qr_block (A(mine,:), b(mine,:), 0, on{:});
assert (C, Q1' * b, 1e-10);
assert (qr_block (A(mine,:), b(mine,:), "solve", on{:}), A \ b, 1e-11);
[Q, R, P] = qr_block (A(mine,:), "0", on{:});
assert (norm (Q * R - A(mine,P)) < 1e-11 * norm (A));

## pairs
B = randn (9000, 30);
k = part (9000);
[U, V, X, C, S] = gsvd_hz (A(mine,:), B(k,:), 0, on{:});
assert (norm (U * C * X' - A(mine,:)) < 1e-12 * norm (A));
assert (norm (V * S * X' - B(k,:)) < 1e-12 * norm (B));
assert (gsvd_hz (A(mine,:), B(k,:), on{:}), gsvd_hz (A, B, cpu{:}), 1e-12);
[Z, lambda] = gevd_hz (A(mine,:), B(k,:), on{:});
assert (lambda, nthargout (2, @gevd_hz, A, B, cpu{:}), 1e-11);

if (strcmp (fault, "dies") && rank == ranks - 1)
  kill (getpid (), 9);
endif

## sparse matrices
G = ba_graph (6000, 4, 3);
i = part (6000);
x = randn (6000, 3);
plan = spmv_plan (G(i,:), on{:});
for trial = 1:2
  assert (plan * x(i,:), G(i,:) * x, 1e-12);
endfor
assert (spmv (G(i,:), x(i,:), on{:}), G(i,:) * x, 1e-12);
if (strcmp (fault, "device") && ranks > 1)
  place = {"gpu", "cpu"}{1 + (rank == 0)};
  same_kind_of_error (@() eigs_lanczos (G(i,:), 3, "la", "mpi", "rows", "device", place), "has other options than rank 0");
endif
[V, D, flag, stats] = eigs_lanczos (G(i,:), 5, "la", on{:});
assert (flag, 0);
assert (stats.device, mod (info.local_rank, gpus));
values = eigs_lanczos (G, 5, "la", cpu{:});
assert (diag (D), values, 1e-11 * values(1));
assert (norm (plan * V - V * D) < 1e-9 * values(1));
[V2, D2] = eigs_lanczos (G(i,:), 5, "la", on{:});
assert (isequal (D2, D) && isequal (V2, V));
same_kind_of_error (@() eigs_lanczos (G(i,:), 3, "la", "method", "plain", on{:}), "the plain method runs on the CPU");
if (ranks == 1)
  [V1, D1] = eigs_lanczos (G, 5, "la", "device", 0);
  printf ("one rank: the bits without \"mpi\": %d\n", isequal (D1, D) && isequal (V1, V));
endif
puts (sprintf ("rank %d is right\n", rank));
