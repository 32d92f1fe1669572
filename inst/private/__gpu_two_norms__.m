## __gpu_two_norms__.m: 2-norms of the pages of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later
##
## N = __gpu_two_norms__ (X, device, progress): the last two are cells with these options of pagenorm, or empty. The largest eigenvalue of
## X * X' or X' * X, whichever is smaller, is the square of the norm; its relative error is a few k * eps,
## because no eigenvalue is larger. The Frobenius norm says which pages have to be scaled first.

function N = __gpu_two_norms__ (X, device, progress)

  warning ("off", "gpulinalg:pages-failed", "local");
  exponents = exponents_for (pagenorm (X, "fro", device{:}));
  X = times_power (X, -exponents);
  if (rows (X) <= columns (X))
    P = pagemtimes (X, "none", X, "ctranspose");
  else
    P = pagemtimes (X, "ctranspose", X, "none");
  endif
  largest = batcheig (P, "lower", "largest", 1, device{:}, progress{:});
  N = times_power (sqrt (largest .* (largest > 0)), exponents);

endfunction

## The exponent of a power of 2 for each page, so that squares of the page times 2^-exponent neither overflow
## nor vanish; a single 0 where they do not anyway. A Frobenius norm may overflow where the 2-norm does not.
function e = exponents_for (F)

  e = 0;
  if (strcmp (underlyingType (F), "single"))
    low = -40;
    high = 50;
    most = 128;
  else
    low = -400;
    high = 500;
    most = 1024;
  endif
  ends = gather ([min(F(:)), max(F(:))]);
  if (! (ends(1) < 2 ^ low || ends(2) > 2 ^ high))
    return;
  endif
  f = double (gather (F));
  [~, e] = log2 (f);
  e(f >= 2 ^ low & f <= 2 ^ high | isnan (f) | f == 0) = 0;
  e(isinf (f)) = most;

endfunction

## In two steps, because 2^e itself may be out of range.
function X = times_power (X, e)

  if (any (e(:)))
    half = fix (e / 2);
    type = underlyingType (X);
    X = X .* cast (2 .^ half, type) .* cast (2 .^ (e - half), type);
  endif

endfunction
