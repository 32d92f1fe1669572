% loop_pages.m: Octave's own function for one page after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% loop_pages (task, A, B, outputs)
% task: "eig" of Hermitian pages and "geev" of general ones, 1 or 2 outputs; "pairs", eig (A, B) with eigenvectors; "gesdd"
% and "gesvd", the drivers of svd, economy form, 1 or 3 outputs; "qr", economy form, 1 (R), 2, or 3 (with P); "gsvd", 5.

function loop_pages (task, A, B, outputs)
  V = A;
  D = zeros (rows (A), 1, size (A, 3), class (A));
  pages = 1:size (A, 3);
  switch (sprintf ("%s%d", task, outputs))
    case "eig1"
      for p = pages, D(:,1,p) = eig (A(:,:,p)); end
    case "eig2"
      for p = pages, [V(:,:,p), D(:,1,p)] = eig (A(:,:,p), "vector"); end
    case "geev1"
      for p = pages, d = eig (A(:,:,p)); end
    case "geev2"
      for p = pages, [v, d] = eig (A(:,:,p)); end
    case "pairs2"
      for p = pages, [V(:,:,p), D(:,1,p)] = eig (A(:,:,p), B(:,:,p), "vector"); end
    case {"gesdd1", "gesvd1"}
      svd_driver (task, "local");
      for p = pages, s = svd (A(:,:,p)); end
    case {"gesdd3", "gesvd3"}
      svd_driver (task, "local");
      for p = pages, [u, s, v] = svd (A(:,:,p), "econ"); end
    case "qr1"
      for p = pages, r = triu (qr (A(:,:,p), 0)); end
    case "qr2"
      for p = pages, [q, r] = qr (A(:,:,p), 0); end
    case "qr3"
      for p = pages, [q, r, e] = qr (A(:,:,p), 0); end
    case "gsvd5"
      for p = pages, [u, v, x, c, s] = gsvd (A(:,:,p), B(:,:,p)); end
    otherwise
      error ("loop_pages: no task %s with %d outputs", task, outputs);
  end
end
