## __eigs_gain__.m: says whether a factorization finds an end of the spectrum sooner than products
## SPDX-License-Identifier: GPL-3.0-or-later
##
## yes = __eigs_gain__ (A, k, which, request, done): A is sparse, double and Hermitian; which is "la", "sa" or
## "be"; `done` of the k eigenvalues have converged within 40 restarts of a basis of usual size. Operations are
## counted, not seconds, so that the same input takes the same way.

function yes = __eigs_gain__ (A, k, which, request, done)

  most = 2e10;                    # operations of a factorization, as in __eigs_ends__
  [~, flops, entries] = __eigs_order__ (A);
  yes = false;
  if (flops > most)
    return;
  endif

  ## In units of what one entry of a product takes. Dense operations take less, by what was measured.
  n = rows (A);
  basis = request.basis;
  if (basis == 0)
    basis = max (2 * k + 20, 40);
  endif
  restarts = 260;                 # of the default of 300
  if (done > 0)
    restarts = min (restarts, 40 * (k - done) / done);
  endif
  products = restarts * (basis - k) / 2;
  left = products * (nnz (A) + 0.5 * basis * n);
  if (n <= 1024)
    left = min (left, n ^ 3 / 2);         # it is solved as a full matrix
  endif

  ## The nearer the shift is to the wanted end, the fewer products with the inverse are needed.
  ends = rough_ends (A, request);
  low = min (real (diag (A)) + abs (diag (A)) - sum (abs (A), 2));
  high = max (real (diag (A)) - abs (diag (A)) + sum (abs (A), 2));
  distance = [ends(1) - low, high - ends(2)];
  distance(ends(:).' .* [1, -1] > 0 & strcmp (which, {"sa", "la"})) = 0;
  parts = struct ("sa", 1, "la", 2, "be", 1:2).(which);
  steps = max (3 * basis, products * sqrt (max (0, distance(parts)) / diff (ends)));
  yes = sum (0.2 * flops + steps * (1.2 * entries + 0.5 * basis * n)) < left;

endfunction

## The ends of the spectrum to about a hundredth of their distance, by some products.
function d = rough_ends (A, request)

  request.which = "be";
  request.k = 2;
  request.tol = 1e-2;
  request.basis = min (30, rows (A) - 1);
  request.maxit = 4;
  request.certify = false;
  request.doubt = [];
  request.progress = false;
  request.single = false;
  request.v0 = [];
  request.resident = false;
  request.device = "cpu";
  request.block_function = false;
  d = __eigs_lanczos__ (A, request);

endfunction
