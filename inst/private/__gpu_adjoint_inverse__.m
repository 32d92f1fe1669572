## __gpu_adjoint_inverse__.m: inverses of the adjoint pages of a gpuArray, for gevd_hz
## SPDX-License-Identifier: GPL-3.0-or-later
##
## Z = __gpu_adjoint_inverse__ (X): Z(:,:,p) = inv (X(:,:,p)'). X has square pages. With the QR factorization
## X = Q * R that is Q / R'. The rows of X may have any sizes, so they are brought to one size first.

function Z = __gpu_adjoint_inverse__ (X)

  adjoint = @(x) conj (permute (x, [2, 1, 3]));
  dims = size (X);
  X = reshape (X, dims(1), dims(2), []);
  sizes = max (abs (X), [], 2);
  sizes(sizes == 0) = 1;
  [Q, R] = qr_block (X ./ sizes, 0);
  Z = reshape (adjoint (__gpu_triangle__ (R, adjoint (Q))) ./ sizes, dims);

endfunction
