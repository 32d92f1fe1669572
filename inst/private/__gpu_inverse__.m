## __gpu_inverse__.m: inverses of large pages on a GPU, for pageinv
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [Y, RC, info] = __gpu_inverse__ (X, args): as pageinv, by QR; args holds options of qr_block. info, on the host, is n+1 where X holds NaN or Inf, n where R
## has a 0 on its diagonal, and 0 elsewhere. The inverse of a Hermitian page is exactly Hermitian.

function [Y, RC, info] = __gpu_inverse__ (X, args)

  n = rows (X);
  Y = __gpu_adjoint_inverse__ (conj (permute (X, [2, 1, 3:ndims(X)])), args);
  hermitian = all (all (X == conj (permute (X, [2, 1, 3:ndims(X)])), 1), 2);
  half = Y / 2;                         # the sum of Y and Y' may be out of range
  Y = Y .* ! hermitian + (half + conj (permute (half, [2, 1, 3:ndims(Y)]))) .* hermitian;
  infinite = gather (! all (all (isfinite (X), 1), 2))(:);
  singular = gather (! all (all (isfinite (Y), 1), 2))(:) & ! infinite;
  Y(:,:,singular) = Inf;
  RC = 1 ./ (pagenorm (X, 1) .* pagenorm (Y, 1));
  RC(singular) = 0;
  info = int32 (n * singular + (n + 1) * infinite);
  if (nargout < 3 && any (infinite))
    warning ("gpulinalg:pages-failed",
             "pageinv: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             sum (infinite), numel (infinite), find (infinite, 1));
  endif

endfunction
