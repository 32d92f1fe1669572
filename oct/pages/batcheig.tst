## batcheig.tst: tests of batcheig
## SPDX-License-Identifier: GPL-3.0-or-later

%!function [A, scale] = hermitian (n, pages, type, seed)
%!  ## Random Hermitian pages of type "s", "d", "c" or "z".
%!  rand ("state", seed);
%!  A = rand (n, n, pages) - 0.5;
%!  if (any (type == "cz"))
%!    A = A + 1i * (rand (n, n, pages) - 0.5);
%!  endif
%!  A = (A + conj (permute (A, [2, 1, 3]))) / 2;
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function check_pages (A, V, D)
%!  ## Ratios of LAPACK's xDRVST on each page; A is scaled by a power of two first.
%!  n = rows (A);
%!  pages = prod (size (A)(3:end));
%!  u = eps (class (A));
%!  for p = 1:pages
%!    a = A(:,:,p);
%!    s = 2 ^ -floor (log2 (max (abs (a(:)))));
%!    if (! isfinite (s))
%!      s = 1;
%!    endif
%!    a *= s;
%!    v = V(:,:,p);
%!    d = diag (D(:,:,p)) * s;
%!    assert (issorted (d));
%!    assert (isreal (d));
%!    assert (all (sum (abs (v' * v - eye (n)), 1) / (n * u) <= 30));
%!    assert (all (sum (abs (a * v - v * diag (d)), 1) / max (norm (a, 1) * n * u, realmin) <= 30));
%!  endfor
%!endfunction

%!function check_like_eig (A, lambda)
%!  for p = 1:prod (size (A)(3:end))
%!    a = A(:,:,p);
%!    assert (lambda(:,1,p), eig ((a + a') / 2), 30 * rows (a) * eps (class (a)) * norm (a, 1));
%!  endfor
%!endfunction

%!## results: four types, both methods, odd and even sizes
%!test
%! for type = "sdcz"
%!   for method = {"auto", "qr", "jacobi"}
%!     for n = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 40]
%!       A = hermitian (n, 3, type, n);
%!       [V, D, info] = batcheig (A, "method", method{1});
%!       assert (info, zeros (3, 1, "int32"));
%!       assert (size (V), size (A));
%!       assert (size (D), size (A));
%!       assert (class (V), class (A));
%!       assert (class (D), class (A));
%!       check_pages (A, V, D);
%!       lambda = batcheig (A, "method", method{1});
%!       assert (size (lambda), [n, 1, 3]);
%!       assert (isreal (lambda));
%!       check_like_eig (A, lambda);
%!     endfor
%!   endfor
%! endfor

%!## larger pages
%!test
%! for type = "sdcz"
%!   for n = [64, 100, 128]
%!     A = hermitian (n, 2, type, n);
%!     for method = {"auto", "qr", "jacobi"}
%!       [V, D] = batcheig (A, "method", method{1});
%!       check_pages (A, V, D);
%!     endfor
%!   endfor
%! endfor

%!## known eigenvalues: second differences
%!test
%! n = 20;
%! A = 2 * eye (n) - diag (ones (n - 1, 1), 1) - diag (ones (n - 1, 1), -1);
%! lambda = batcheig (cat (3, A, -A));
%! exact = 2 - 2 * cos ((1:n).' * pi / (n + 1));
%! assert (lambda(:,1,1), exact, 100 * eps);
%! assert (lambda(:,1,2), -flipud (exact), 100 * eps);

%!## one matrix
%!test
%! A = [2, 1; 1, 2];
%! assert (batcheig (A), [1; 3], 10 * eps);
%! [V, D] = batcheig (A);
%! check_pages (A, V, D);
%! assert (batcheig (5), 5);
%! assert (batcheig (single (5)), single (5));

%!## pages with special structure
%!test
%! n = 6;
%! A = zeros (n, n, 6);
%! A(:,:,2) = eye (n);
%! A(:,:,3) = ones (n);
%! A(:,:,4) = diag ([3, -1, 2, 2, -1, 0]);
%! A(:,:,5) = hilb (n);
%! A(:,:,6) = kron (eye (3), [0, 1; 1, 0]);
%! for method = {"qr", "jacobi"}
%!   [V, D, info] = batcheig (A, "method", method{1});
%!   assert (info, zeros (6, 1, "int32"));
%!   check_pages (A, V, D);
%!   assert (diag (D(:,:,1)), zeros (n, 1));
%!   assert (diag (D(:,:,2)), ones (n, 1), 10 * eps);
%!   assert (diag (D(:,:,4)), [-1; -1; 0; 2; 2; 3], 30 * eps);
%! endfor

%!## from denormal to huge entries in one batch
%!test
%! A = repmat (hermitian (9, 1, "z", 3), [1, 1, 5]);
%! scales = 2 .^ [-1000, -300, 0, 300, 990];
%! for p = 1:5
%!   A(:,:,p) *= scales(p);
%! endfor
%! for method = {"qr", "jacobi"}
%!   [V, D, info] = batcheig (A, "method", method{1});
%!   assert (info, zeros (5, 1, "int32"));
%!   check_pages (A, V, D);
%!   assert (squeeze (D(9,9,:) ./ D(9,9,3)).', scales, 30 * 9 * eps * scales);
%! endfor

%!## a page has the same bits in every batch and position
%!test
%! A = hermitian (11, 1, "d", 5);
%! B = hermitian (11, 40, "d", 6);
%! [V1, D1] = batcheig (A);
%! for p = [1, 7, 40]
%!   B(:,:,p) = A;
%! endfor
%! [V, D] = batcheig (B);
%! for p = [1, 7, 40]
%!   assert (V(:,:,p), V1);
%!   assert (D(:,:,p), D1);
%! endfor

%!## classes and shapes
%!## trailing dimensions are kept
%!test
%! A = reshape (hermitian (4, 30, "d", 1), [4, 4, 5, 1, 6]);
%! [V, D, info] = batcheig (A);
%! assert (size (V), [4, 4, 5, 1, 6]);
%! assert (size (D), [4, 4, 5, 1, 6]);
%! assert (size (info), [30, 1]);
%! assert (size (batcheig (A)), [4, 1, 5, 1, 6]);
%! check_pages (A, V, D);

%!## "vector" and "matrix"
%!test
%! A = hermitian (5, 3, "z", 2);
%! lambda = batcheig (A);
%! D = batcheig (A, "matrix");
%! [V, d] = batcheig (A, "vector");
%! assert (size (D), [5, 5, 3]);
%! assert (size (d), [5, 1, 3]);
%! assert (size (V), [5, 5, 3]);
%! for p = 1:3
%!   assert (D(:,:,p), diag (lambda(:,1,p)));
%!   assert (d(:,1,p), lambda(:,1,p), 100 * eps);
%! endfor
%! assert (batcheig (A, "matrix", "vector"), lambda);

%!## empty inputs
%!test
%! assert (size (batcheig ([])), size (eig ([])));
%! [V, D, info] = batcheig ([]);
%! assert ({size(V), size(D), size(info)}, {[0, 0], [0, 0], [1, 1]});
%! assert (size (batcheig (zeros (3, 3, 0))), [3, 1, 0]);
%! [V, D, info] = batcheig (zeros (3, 3, 0, 2, "single"));
%! assert ({size(V), size(D), size(info)}, {[3, 3, 0, 2], [3, 3, 0, 2], [0, 1]});
%! assert (class (V), "single");
%! assert (size (batcheig (zeros (0, 0, 4))), [0, 1, 4]);
%! [V, D, info] = batcheig (zeros (0, 0, 4));
%! assert ({size(V), size(D)}, {[0, 0, 4], [0, 0, 4]});
%! assert (info, zeros (4, 1, "int32"));

%!## ranges, diagonal matrices and so on
%!test
%! assert (batcheig (eye (3)), ones (3, 1), 10 * eps);
%! assert (batcheig (eye (3)(:,[2, 1, 3])), [-1; 1; 1], 10 * eps);
%! assert (batcheig (complex ([2, 0; 0, 1], 0)), [1; 2], 10 * eps);
%! assert (batcheig (1:1), 1);

%!## A is not changed
%!test
%! A = hermitian (6, 4, "z", 9);
%! B = A;
%! B(1) = B(1);
%! [V, D] = batcheig (A);
%! assert (A, B);

%!## triangles
%!test
%! n = 7;
%! A = hermitian (n, 3, "z", 4);
%! above = repmat (triu (true (n), 1), [1, 1, 3]);
%! below = repmat (tril (true (n), -1), [1, 1, 3]);
%! L = A;
%! L(above) = NaN;
%! U = A;
%! U(below) = Inf;
%! for method = {"qr", "jacobi"}
%!   lambda = batcheig (A, "method", method{1});
%!   assert (batcheig (L, "lower", "method", method{1}), lambda, 300 * eps);
%!   assert (batcheig (U, "UPPER", "method", method{1}), lambda, 300 * eps);
%!   [V, D] = batcheig (L, "upper", "lower", "method", method{1});
%!   check_pages (A, V, D);
%!   [V, D] = batcheig (U, "upper", "method", method{1});
%!   check_pages (A, V, D);
%! endfor

%!## imaginary parts on the diagonal are ignored with "lower"
%!test
%! A = [1+5i, 7; 2i, 3-1i];
%! assert (batcheig (A, "lower"), eig ([1, -2i; 2i, 3]), 30 * eps);

%!## rounding is not an error
%!test
%! A = hermitian (8, 2, "d", 8);
%! B = A;
%! B(3,1,2) += 4 * eps;
%! assert (batcheig (B), batcheig (A), 100 * eps);

%!## pages that fail
%!test
%! for value = [NaN, Inf, -Inf]
%!   A = hermitian (6, 5, "d", 7);
%!   clean = batcheig (A);
%!   [cleanV, cleanD] = batcheig (A);
%!   A(2,2,4) = value;
%!   [V, D, info] = batcheig (A);
%!   assert (info, int32 ([0; 0; 0; 7; 0]));
%!   assert (all (isnan (V(:,:,4)(:))));
%!   assert (all (isnan (diag (D(:,:,4)))));
%!   rest = [1, 2, 3, 5];
%!   assert (V(:,:,rest), cleanV(:,:,rest));
%!   assert (D(:,:,rest), cleanD(:,:,rest));
%! endfor

%!function A = two_bad_pages ()
%!  A = hermitian (3, 9, "z", 7);
%!  A(1,1,[4, 6]) = NaN;
%!endfunction

%!warning id=gpulinalg:pages-failed batcheig (two_bad_pages ());
%!warning <batcheig: 2 of 9 pages hold NaN or Inf and are NaN in the result; the first is page 4> ...
%! lambda = batcheig (two_bad_pages ());
%! assert (squeeze (any (isnan (lambda), 1)).', logical ([0, 0, 0, 1, 0, 1, 0, 0, 0]));
%!warning <the first is page 4> [V, D] = batcheig (two_bad_pages ());

%!## no warning if info is an output
%!test
%! lastwarn ("", "");
%! [V, D, info] = batcheig (two_bad_pages ());
%! assert (find (info), [4; 6]);
%! assert (isempty (lastwarn ()));

%!## options
%!## upper and lower case, any order
%!test
%! A = hermitian (5, 2, "d", 1);
%! lambda = batcheig (A);
%! assert (batcheig (A, "Method", "QR", "DEVICE", "CPU", "Vector"), batcheig (A, "method", "qr", "device", "cpu"));
%! assert (batcheig (A, "device", "auto", "method", "auto"), lambda);
%! assert (batcheig (A, "tol", 1e-14, "maxit", 50), lambda, 1e-12);
%! assert (batcheig (A, "maxit", int8 (50), "tol", single (1e-15)), lambda, 1e-12);

%!function calls = note_progress (done, total)
%!  ## Records its arguments; without arguments returns the records and clears them.
%!  persistent seen = zeros (0, 2);
%!  calls = seen;
%!  if (nargin == 2)
%!    seen(end+1,:) = [done, total];
%!  else
%!    seen = zeros (0, 2);
%!  endif
%!endfunction

%!## progress function
%!test
%! A = hermitian (4, 500, "d", 1);
%! note_progress ();
%! lambda = batcheig (A, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (all (calls(:,2) == 500));
%! assert (lambda, batcheig (A));

%!## a progress function may fail, and may call batcheig
%!test
%! A = hermitian (4, 500, "d", 1);
%! try
%!   batcheig (A, "progress", @(varargin) error ("my:id", "enough"));
%!   error ("no error was raised");
%! catch err
%!   assert (err.identifier, "my:id");
%! end_try_catch
%! assert (batcheig (A, "progress", @(varargin) batcheig (A(:,:,1))), batcheig (A));

%!## progress meter
%!test
%! A = hermitian (4, 50, "d", 1);
%! text = evalc ('batcheig (A, "progress", true);');
%! assert (! isempty (strfind (text, "50 of 50 pages, 100 %")));
%! assert (evalc ('batcheig (A, "progress", false);'), "");

%!## GPUs by number
%!test
%! count = numel (gpulinalg_info ().devices);
%! A = hermitian (6, 20, "d", 2);
%! for k = 0:count - 1
%!   [V, D] = batcheig (A, "device", k);
%!   check_pages (A, V, D);
%! endfor
%! if (count > 0)
%!   [V, D] = batcheig (A, "device", 0:count - 1);
%!   check_pages (A, V, D);
%!   [V, D] = batcheig (A, "device", "gpu");
%!   check_pages (A, V, D);
%! endif
%! for device = {"cpu", "auto"}
%!   [V, D] = batcheig (A, "device", device{1});
%!   check_pages (A, V, D);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('batcheig (1, "device", "gpu")', "no GPU");
%! fail ('batcheig (1, "device", 0)', "no GPU");
%! try, batcheig (1, "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!testif ; ! isempty (gpulinalg_info ().devices)
%! fail ('batcheig (1, "device", 1000)', "device 1000 does not exist");
%! fail ('batcheig (1, "device", [0, 0])', "device 0 is listed twice");

%!## overlap matrices, as the user guide says
%!test
%! function C = page_product (A, B)
%!   C = A(:,1,:) .* B(1,:,:);
%!   for k = 2:columns (A)
%!     C += A(:,k,:) .* B(k,:,:);
%!   endfor
%! endfunction
%! rand ("twister", 9);
%! H = complex (rand (5, 5, 20), rand (5, 5, 20));
%! S = complex (rand (5, 5, 20), rand (5, 5, 20));
%! H += conj (permute (H, [2, 1, 3]));
%! S = page_product (S, conj (permute (S, [2, 1, 3])));
%! S = (S + conj (permute (S, [2, 1, 3]))) / 2 + full (eye (5));
%! [U, s] = batcheig (S, "vector");
%! X = U ./ sqrt (permute (s, [2, 1, 3]));
%! F = page_product (conj (permute (X, [2, 1, 3])), page_product (H, X));
%! [V, E] = batcheig (F, "lower");
%! V = page_product (X, V);
%! for p = 1:20
%!   assert (H(:,:,p) * V(:,:,p), S(:,:,p) * V(:,:,p) * E(:,:,p), 1e-12);
%!   assert (V(:,:,p)' * S(:,:,p) * V(:,:,p), eye (5), 1e-12);
%!   assert (diag (E(:,:,p)), sort (real (eig (H(:,:,p), S(:,:,p)))), 1e-12);
%! endfor
%!error <batcheig: argument 2 must be the name of an option, not of class char of size 1x1x2> batcheig (1, cat (3, "a", "b"))
