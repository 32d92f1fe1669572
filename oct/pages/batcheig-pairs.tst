## batcheig-pairs.tst: tests of batcheig (A, B)
## SPDX-License-Identifier: GPL-3.0-or-later

%!function [A, B] = pairs (n, pages, type, seed)
%!  ## Random Hermitian A and positive definite B of type "s", "d", "c" or "z".
%!  rand ("state", seed);
%!  A = rand (n, n, pages) - 0.5;
%!  B = rand (n, n, pages) - 0.5;
%!  if (any (type == "cz"))
%!    A = A + 1i * (rand (n, n, pages) - 0.5);
%!    B = B + 1i * (rand (n, n, pages) - 0.5);
%!  endif
%!  A = (A + conj (permute (A, [2, 1, 3]))) / 2;
%!  B = (B + conj (permute (B, [2, 1, 3]))) / max (n, 1) + full (eye (n));
%!  if (any (type == "sc"))
%!    A = single (A);
%!    B = single (B);
%!  endif
%!endfunction

%!function check_pairs (A, B, V, D, itype)
%!  ## LAPACK's ratios (xSGT01) on each page, and X'*B*X = I, with itype 3 X'*inv (B)*X = I.
%!  n = rows (A);
%!  u = eps (class (V)) * n;
%!  for p = 1:size (V, 3)
%!    a = A(:,:,min (p, end));
%!    b = B(:,:,min (p, end));
%!    v = V(:,:,p);
%!    d = diag (D(:,:,p));
%!    assert (issorted (d));
%!    switch (itype)
%!      case 1
%!        r = a * v - b * v * diag (d);
%!      case 2
%!        r = a * (b * v) - v * diag (d);
%!      case 3
%!        r = b * (a * v) - v * diag (d);
%!    endswitch
%!    assert (all (sum (abs (r), 1) <= 30 * u * norm (a, 1) * norm (v, 1)));
%!    if (itype == 3)
%!      b = inv (b);
%!    endif
%!    assert (all (sum (abs (v' * b * v - eye (n)), 1) <= 30 * u));
%!  endfor
%!endfunction

%!function V = vectors_of (A, B)
%!  [V, D] = batcheig (A, B);
%!endfunction

%!## four types, all itypes
%!test
%! for type = "sdcz"
%!   for n = [1, 2, 3, 4, 5, 8, 13, 16, 17, 33, 50, 130]
%!     [A, B] = pairs (n, 3, type, n);
%!     for itype = 1:3
%!       [V, D, info, more] = batcheig (A, B, "itype", itype);
%!       assert (info, zeros (3, 1, "int32"));
%!       assert (class (V), class (A));
%!       assert (class (D), class (A));
%!       assert (isreal (D));
%!       assert (size (V), [n, n, 3](1:end));
%!       assert (size (D), size (V));
%!       assert (class (more.rcond), class (A));
%!       assert (size (more.rcond), [3, 1]);
%!       check_pairs (A, B, V, D, itype);
%!     endfor
%!     lambda = batcheig (A, B);
%!     [V, D] = batcheig (A, B, "vector");
%!     assert (size (lambda), [n, 1, 3]);
%!     assert (size (D), [n, 1, 3]);
%!     assert (lambda, D, 100 * n * eps (class (A)));
%!     for p = 1:3
%!       assert (lambda(:,1,p), eig (A(:,:,p), B(:,:,p)), 100 * n * eps (class (A)));
%!     endfor
%!   endfor
%! endfor

%!## methods and options
%!test
%! [A, B] = pairs (12, 5, "z", 1);
%! [V, D] = batcheig (A, B, "METHOD", "qr", "device", "cpu");
%! check_pairs (A, B, V, D, 1);
%! [V, D] = batcheig (A, B, "method", "jacobi", "tol", 1e-15, "maxit", 40);
%! check_pairs (A, B, V, D, 1);
%! assert (size (batcheig (A, B, "matrix")), [12, 12, 5]);

%!## one triangle
%!test
%! [A, B] = pairs (9, 4, "z", 2);
%! [V, D] = batcheig (A, B);
%! L = A;
%! M = B;
%! for p = 1:4
%!   L(:,:,p) += triu (NaN (9), 1);
%!   M(:,:,p) += triu (NaN (9), 1) + 3i * eye (9);
%! endfor
%! [W, E, info, more] = batcheig (L, M, "lower");
%! check_pairs (A, B, W, E, 1);
%! [~, ~, ~, all_of] = batcheig (A, B);
%! assert (more.rcond, all_of.rcond, 1e-14);
%! [W, E] = batcheig (permute (L, [2, 1, 3]), permute (M, [2, 1, 3]), "upper");
%! check_pairs (conj (A), conj (B), W, E, 1);

%!## real and complex, single and double
%!test
%! [A, B] = pairs (6, 3, "z", 3);
%! R = real (B);
%! [V, D] = batcheig (A, R);
%! check_pairs (A, R, V, D, 1);
%! [V, D] = batcheig (real (A), B);
%! assert (iscomplex (V));
%! check_pairs (real (A), B, V, D, 1);
%! [V, D] = batcheig (single (A), B);
%! assert (class (V), "single");
%! check_pairs (A, B, V, D, 1);
%! assert (class (batcheig (A, single (B))), "single");

%!## one page for all
%!test
%! for n = [3, 20, 140]
%!   [A, B] = pairs (n, 4, "d", 4);
%!   [V, D, info, more] = batcheig (A, B(:,:,1));
%!   [W, E] = batcheig (A, repmat (B(:,:,1), [1, 1, 4]));
%!   assert (V, W);
%!   assert (D, E);
%!   assert (more.rcond, repmat (more.rcond(1), 4, 1));
%!   [V, D] = batcheig (A(:,:,2), B);
%!   [W, E] = batcheig (repmat (A(:,:,2), [1, 1, 4]), B);
%!   assert (V, W);
%!   assert (D, E);
%! endfor

%!## more dimensions, empty arrays
%!test
%! [A, B] = pairs (4, 6, "d", 5);
%! [V, D, info] = batcheig (reshape (A, 4, 4, 2, 3), reshape (B, 4, 4, 2, 3));
%! assert (size (V), [4, 4, 2, 3]);
%! assert (size (D), [4, 4, 2, 3]);
%! assert (size (info), [6, 1]);
%! assert (reshape (V, 4, 4, 6), vectors_of (A, B));
%! lambda = batcheig (reshape (A, 4, 4, 1, 6), B(:,:,1));
%! assert (size (lambda), [4, 1, 1, 6]);
%! lambda = batcheig (A(:,:,1), reshape (B, 4, 4, 3, 2));
%! assert (size (lambda), [4, 1, 3, 2]);
%! [V, D, info, more] = batcheig (zeros (3, 3, 0), eye (3));
%! assert (size (V), [3, 3, 0]);
%! assert (size (D), [3, 3, 0]);
%! assert (size (info), [0, 1]);
%! assert (size (more.rcond), [0, 1]);
%! assert (size (batcheig (eye (3), zeros (3, 3, 0))), [3, 1, 0]);
%! [V, D, info, more] = batcheig (zeros (0, 0, 2), zeros (0, 0, 2));
%! assert (size (V), [0, 0, 2]);
%! assert (info, zeros (2, 1, "int32"));
%! assert (more.rcond, [Inf; Inf]);
%! assert (size (batcheig ([], [])), [0, 0]);

%!## closed forms: numbers, B = I, A = B, finite elements
%!test
%! [V, D] = batcheig (3, 4);
%! assert (V, 0.5);
%! assert (D, 0.75);
%! A = pairs (7, 3, "z", 6);
%! [V, D] = batcheig (A, eye (7));
%! [W, E] = batcheig (A);
%! assert (V, W);
%! assert (D, E);
%! [A, B] = pairs (7, 3, "z", 6);
%! assert (batcheig (B, B), ones (7, 1, 3), 1e-14);
%! assert (batcheig (zeros (7), B), zeros (7, 1, 3));
%! n = 30;
%! K = toeplitz ([2, -1, zeros(1, n-2)]);
%! M = toeplitz ([4, 1, zeros(1, n-2)]) / 6;
%! c = cos ((1:n)' * pi / (n + 1));
%! assert (batcheig (K, M), 6 * (1 - c) ./ (2 + c), 1e-13);

%!## repeated eigenvalues, clusters, graded and ill-conditioned B
%!test
%! X = tril (round (3 * cos ((1:12)' * (1:12))), -1) + eye (12);  # unit triangular, of small integers
%! lambda = [1, 1, 1, 2, 2, 3, 1e3, 1e3 + 1e-9, -1, -1, 0, 0];
%! Y = inv (X);
%! A = Y' * diag (lambda) * Y;
%! B = Y' * Y;
%! [V, D, info, more] = batcheig ((A + A') / 2, (B + B') / 2);
%! assert (info, int32 (0));
%! assert (diag (D), sort (lambda'), 1e4 * eps / more.rcond);
%!test
%! for power = [4, 8, 12]
%!   x = [0:3, (0:3) + 10 ^ (-power / 2)];
%!   B = exp (-(x - x') .^ 2);  # Gaussian functions, two and two of them close
%!   [V, D, info, more] = batcheig (diag (1:8), B);
%!   assert (info, int32 (0));
%!   assert (more.rcond > 10 ^ (-power - 3) && more.rcond < 10 ^ (1 - power));
%!   r = diag (1:8) * V - B * V * D;
%!   scale = (8 + max (D(:)) * norm (B, 1)) * norm (V, 1);
%!   assert (all (sum (abs (r), 1) <= 30 * 8 * eps * scale));
%!   assert (all (sum (abs (V' * B * V - eye (8)), 1) <= 30 * 8 * eps * norm (V, 1) ^ 2 * norm (B, 1)));
%! endfor

%!## pages of any size
%!test
%! [A, B] = pairs (6, 1, "z", 7);
%! lambda = batcheig (A, B);
%! for e = [-300, -150, 150, 300]
%!   assert (batcheig (A * 10 ^ e, B) / 10 ^ e, lambda, 1e-13);
%!   assert (batcheig (A, B * 10 ^ e) * 10 ^ e, lambda, 1e-13);
%!   [V, D] = batcheig (A * 10 ^ e, B * 10 ^ e);
%!   assert (diag (D), lambda, 1e-13);
%!   V *= 10 ^ (e / 2);
%!   assert (V' * B * V, eye (6), 1e-13);
%! endfor
%! d = 10 .^ (-100:40:100);
%! [V, D, info] = batcheig (A .* d .* d', B .* d .* d');
%! assert (info, int32 (0));
%! assert (diag (D), lambda, 1e-13);
%! V .*= d';
%! assert (V' * B * V, eye (6), 1e-13);

%!## pages that fail; their neighbours do not change
%!test
%! for n = [2, 5, 40, 150]
%!   [A, B] = pairs (n, 7, "d", 8);
%!   [W, E] = batcheig (A, B);
%!   A(1,n,2) = NaN;
%!   B(n,1,3) = Inf;
%!   B(2,2,4) = -1;
%!   B(:,:,6) = ones (n);
%!   [V, D, info, more] = batcheig (A, B);
%!   assert (info, int32 ([0; n+1; n+1; n+3; 0; n+3; 0]));
%!   good = info == 0;
%!   assert (V(:,:,good), W(:,:,good));
%!   assert (D(:,:,good), E(:,:,good));
%!   assert (all (isnan (V(:,:,! good)(:))));
%!   assert (all (isnan (diag (D(:,:,4)))));
%!   assert (isnan (more.rcond), logical ([0; 0; 1; 0; 0; 0; 0]));
%! endfor
%!warning <^batcheig: 1 of 4 pages hold NaN or Inf \(the first is page 3\), and 2 have a B that is not positive definite to working precision \(the first is page 2\); they are NaN in the result$> ...
%! lambda = batcheig (cat (3, 1, 2, NaN, 1), cat (3, 1, -1, 1, 0));
%!warning <^batcheig: 1 of 3 pages hold NaN or Inf and are NaN in the result; the first is page 2$> ...
%! lambda = batcheig (cat (3, 1, NaN, 1), 1);
%!warning <^batcheig: 2 of 3 pages have a B that is not positive definite to working precision and are NaN in the result; the first is page 1$> ...
%! lambda = batcheig (1, cat (3, -1, 1, 0));
%!warning id=gpulinalg:pages-failed batcheig (1, 0);
%!test
%! [V, D, info] = batcheig (ones (1, 1, 3), 0);
%! assert (info, int32 ([3; 3; 3]));
%! assert (isnan (D(:)), true (3, 1));

%!## Moler's matrix has an exact factor, but its inverse has numbers up to 2^200
%!test
%! n = 100;
%! B = single (min ((1:n)', 1:n) - 2 + 2 * eye (n));
%! [V, D, info, more] = batcheig (single (ones (n)), B);
%! assert (info, int32 (2 * n + 1));
%! assert (more.rank, 0);
%! assert (all (isnan (V(:))));

%!## the same bits in every batch
%!test
%! for n = [4, 11, 40, 129]
%!   [A, B] = pairs (n, 23, "z", 9);
%!   [V, D] = batcheig (A, B, "device", "cpu");
%!   for p = [1, 8, 23]
%!     [W, E] = batcheig (A(:,:,p), B(:,:,p), "device", "cpu");
%!     assert (W, V(:,:,p));
%!     assert (E, D(:,:,p));
%!   endfor
%! endfor

%!## progress
%!function calls = note_progress (done, total)
%!  persistent seen = zeros (0, 2);
%!  calls = seen;
%!  if (nargin == 2)
%!    seen(end+1,:) = [done, total];
%!  else
%!    seen = zeros (0, 2);
%!  endif
%!endfunction
%!test
%! [A, B] = pairs (20, 2000, "d", 10);
%! note_progress ();
%! [V, D] = batcheig (A, B, "progress", @note_progress);
%! calls = note_progress ();
%! assert (calls(end,:), [2000, 2000]);
%! assert (issorted (calls(:,1)));
%! fail ('batcheig (A, B, "progress", @(varargin) error ("my:id", "enough"))', "enough");

%!## gpuArrays: both, or one of them with an array of the host
%!function check_gpu_arrays (A, B, varargin)
%!  [v, d, info, more] = batcheig (A, B, varargin{:});
%!  for which = [1, 1, 0; 1, 0, 1]
%!    args = {A, B};
%!    args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
%!    [V, D, i, m] = batcheig (args{:}, varargin{:});
%!    assert ({class(V), class(D), class(i), class(m.rcond)}, {"gpuArray", "gpuArray", "int32", class(d)});
%!    assert ({size(V), size(D), i, m.count, m.rank}, {size(v), size(d), info, more.count, more.rank});
%!    assert (isreal (D));
%!    if (! existsOnGPU (V))
%!      assert ({gather(V), gather(D), m.rcond}, {v, d, more.rcond}, 1e3 * eps (class (d)));
%!    elseif (isempty (varargin))
%!      check_pairs (A, B, gather (V), gather (D), 1);
%!    endif
%!    lambda = batcheig (args{:}, varargin{:});
%!    assert (isgpuarray (lambda));
%!    assert (gather (lambda), batcheig (A, B, varargin{:}), 1e4 * eps (class (d)));
%!  endfor
%!endfunction
%!test
%! for type = "sdcz"
%!   [A, B] = pairs (5, 4, type, 20);
%!   check_gpu_arrays (A, B);
%!   check_gpu_arrays (A, B(:,:,1));
%!   check_gpu_arrays (A(:,:,1), B);
%!   check_gpu_arrays (A, B, "vector", "lower", "itype", 2);
%!   check_gpu_arrays (A, B, "largest", 2);
%!   check_gpu_arrays (A, B, "interval", [-0.2, 0.4]);
%!   check_gpu_arrays (A, B, "smallest", 0);
%!   check_gpu_arrays (A(:,:,[]), B(:,:,[]));
%!   check_gpu_arrays (A([],[],:), B([],[],:));
%!   check_gpu_arrays (A, double (B));
%! endfor
%! [A, B] = pairs (5, 4, "d", 20);
%! check_gpu_arrays (A, complex (B));
%!test
%! B = cat (3, eye (2), -eye (2), NaN (2));
%! [V, D, info] = batcheig (gpuArray (eye (2)), B);
%! assert (info, int32 ([0; 4; 3]));
%! assert (all (isnan (gather (V)(:,:,2:3)(:))));
%! assert (gather (D)(:,:,1), eye (2));
%!warning id=gpulinalg:pages-failed batcheig (gpuArray (1), -1);
%!error id=gpulinalg:bad-class batcheig (gpuArray (1), gpuArray (true))
%!error id=gpulinalg:bad-class batcheig (gpuArray (true), 1)
%!error id=gpulinalg:bad-class batcheig (gpuArray (1), sparse (1))
%!error id=gpulinalg:bad-shape batcheig (gpuArray (eye (2)), 1)
%!error id=gpulinalg:not-hermitian batcheig (gpuArray ([1, 2; 3, 4]), eye (2))
%!error id=gpulinalg:gather-needed batcheig (gpuArray (1), 1, "qz")
%!error <option "qz" takes no gpuArray, because it works on the CPU; gather \(G\) copies it> batcheig (1, gpuArray (1), "QZ")
%!test
%! lambda = batcheig (gpuArray ([2, 1; 1, 2]), diag ([1, 0]), "swap");
%! assert (isgpuarray (lambda));
%! assert (gather (lambda), [1.5; Inf], 1e-14);
%! [V, D] = batcheig ([2, 1; 1, 2], gpuArray (diag ([1, 0])), "drop", 1e-10);
%! assert (isgpuarray (V) && isgpuarray (D));
%! assert (gather (D), 2, 1e-14);

%!## errors
%!error id=Octave:invalid-fun-call [a, b, c, d, e] = batcheig (1, 1);
%!error id=gpulinalg:bad-class batcheig (1, true)
%!error <B must be a single or double array, not int32> batcheig (1, int32 (1))
%!error <B must be a full array, not sparse; use full \(B\)> batcheig (1, sparse (1))
%!error <the pages of B must be square, but B is 2x3> batcheig (eye (2), ones (2, 3))
%!error id=gpulinalg:bad-shape batcheig (eye (2), ones (2, 3))
%!error id=gpulinalg:bad-shape batcheig (1, [])
%!error <the pages of A and B must have the same size, but A is 2x2 and B is 3x3> batcheig (eye (2), eye (3))
%!error id=gpulinalg:bad-shape batcheig (eye (2), eye (3))
%!error <A and B must have the same pages, or one of them a single page, but A is 1x1x2 and B is 1x1x3> ...
%! batcheig (ones (1, 1, 2), ones (1, 1, 3))
%!error id=gpulinalg:bad-shape batcheig (ones (1, 1, 2, 3), ones (1, 1, 3, 2))
%!error id=gpulinalg:not-hermitian batcheig (eye (2), [1, 2; 3, 4])
%!error <page 2 of B is not Hermitian: the largest \|B - B'\| is 0\.5; "lower" or "upper" reads> ...
%! batcheig (eye (2), cat (3, eye (2), [1, 0.5; 0, 1]))
%!error <page 3 of A is not Hermitian: the largest \|A - A'\| is 0\.5> ...
%! batcheig (cat (3, eye (2), eye (2), [1, 0.5; 0, 1]), eye (2))
%!error <page 1 of B is not Hermitian> batcheig (cat (3, eye (2), eye (2)), [1, 1; 0, 1])
%!error <option "itype" must be 1, 2 or 3, not 4> batcheig (1, 1, "itype", 4)
%!error id=gpulinalg:bad-value batcheig (1, 1, "itype", 4)
%!error <option "itype" must be a positive integer, not 0> batcheig (1, 1, "itype", 0)
%!error id=gpulinalg:bad-option batcheig (1, "itype", 2)
%!error <option "itype" needs a second matrix, batcheig \(A, B, ...\)> batcheig (1, "itype", 2)
%!error <argument 3 must be the name of an option> batcheig (1, 1, 1)
