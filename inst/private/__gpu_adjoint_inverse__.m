## __gpu_adjoint_inverse__.m: inverses of the adjoint pages of a gpuArray, for gevd_hz and pageinv
## SPDX-License-Identifier: GPL-3.0-or-later
##
## Z = __gpu_adjoint_inverse__ (X, args): Z(:,:,p) = inv (X(:,:,p)'). X has square pages; args holds options of qr_block.
## With the QR factorization X = Q * R that is Q / R'. The rows of X may have any sizes, so they are brought to one size first.

function Z = __gpu_adjoint_inverse__ (X, args = {})

  adjoint = @(x) conj (permute (x, [2, 1, 3]));
  dims = size (X);
  X = reshape (X, dims(1), dims(2), []);
  sizes = max (abs (X), [], 2);
  sizes += sizes == 0;
  [Q, R] = qr_block (X ./ sizes, 0, args{:});
  Z = reshape (adjoint (__gpu_triangle__ (R, adjoint (Q))) ./ sizes, dims);

endfunction
