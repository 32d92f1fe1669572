## batchsvd.tst: tests of batchsvd
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = any_pages (m, n, pages, type, seed)
%!  ## Random pages of type "s", "d", "c" or "z".
%!  rand ("state", seed);
%!  A = rand (m, n, pages) - 0.5;
%!  if (any (type == "cz"))
%!    A = A + 1i * (rand (m, n, pages) - 0.5);
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function check_pages (A, U, S, V)
%!  ## Ratios of LAPACK's xDRVBD on each page, order, and phases: the largest component, of those
%!  ## within one in a thousand of it the first one.
%!  [m, n, P] = size (A);
%!  u = eps (class (A));
%!  for p = 1:P
%!    a = double (A(:,:,p));
%!    s = double (S(:,:,p));
%!    x = double (U(:,:,p));
%!    y = double (V(:,:,p));
%!    k = min (m, n);
%!    d = reshape (s((0:k - 1) * (rows (s) + 1) + 1), [], 1);
%!    assert (issorted (-d) && all (d >= 0) && isequal (s, diag (d, rows (s), columns (s))));
%!    assert (all (sum (abs (a - x * s * y'), 1) <= 30 * u * max (m, n) * norm (a, 1)));
%!    assert (all (sum (abs (x' * x - eye (columns (x))), 1) <= 30 * u * m)); # norm leaves NaN out
%!    assert (all (sum (abs (y' * y - eye (columns (y))), 1) <= 30 * u * n));
%!    for j = 1:numel (d)
%!      i = find (abs (y(:,j)) >= 0.999 * max (abs (y(:,j))), 1);
%!      assert (real (y(i,j)) > 0 && imag (y(i,j)) == 0);
%!    endfor
%!  endfor
%!endfunction

%!## results: four types, all methods, all shapes
%!test
%! for type = "sdcz"
%!   for method = {"auto", "qr", "jacobi"}
%!     for mn = [1, 2, 1, 3, 5, 3, 8, 7, 16, 33, 40, 60; 1, 1, 4, 3, 4, 6, 8, 9, 16, 32, 40, 12]
%!       A = any_pages (mn(1), mn(2), 3, type, mn(1));
%!       [U, S, V, info] = batchsvd (A, "method", method{1});
%!       assert (info, zeros (3, 1, "int32"));
%!       assert ({size(U), size(S), size(V)}, ...
%!               {[mn(1), mn(1), 3], size(A), [mn(2), mn(2), 3]});
%!       assert ({class(U), class(S), class(V)}, {class(A), class(A), class(A)});
%!       assert (isreal (S));
%!       check_pages (A, U, S, V);
%!       s = batchsvd (A, "method", method{1});
%!       assert (size (s), [min(mn), 1, 3]);
%!       for p = 1:3
%!         assert (s(:,:,p), svd (A(:,:,p)), 20 * min (mn) * eps (class (A)) * s(1,1,p));
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## larger pages
%!test
%! for type = "sdcz"
%!   for mn = [100, 150, 64; 100, 40, 128]
%!     A = any_pages (mn(1), mn(2), 2, type, mn(1));
%!     for method = {"auto", "jacobi"}
%!       [U, S, V] = batchsvd (A, "econ", "method", method{1});
%!       check_pages (A, U, S, V);
%!     endfor
%!   endfor
%! endfor

%!## forms: economy, 0, vector, matrix, largest, more dimensions
%!test
%! A = any_pages (6, 4, 6, "z", 1);
%! A = reshape (A, 6, 4, 2, 1, 3);
%! [U, S, V] = batchsvd (A, "econ");
%! assert ({size(U), size(S), size(V)}, {[6, 4, 2, 1, 3], [4, 4, 2, 1, 3], [4, 4, 2, 1, 3]});
%! [U0, S0, V0] = batchsvd (A, 0);
%! assert (isequal (U0, U) && isequal (S0, S) && isequal (V0, V));
%! [U, S, V] = batchsvd (A, "Vector");
%! assert ({size(U), size(S), size(V)}, {[6, 6, 2, 1, 3], [4, 1, 2, 1, 3], [4, 4, 2, 1, 3]});
%! assert (isequal (U(:,1:4,:), U0(:,:,:)));
%! assert (S(:,1,6), diag (S0(:,:,6)));
%! assert (size (batchsvd (A, "matrix")), [6, 4, 2, 1, 3]);
%! assert (size (batchsvd (A, "matrix", "econ")), [4, 4, 2, 1, 3]);
%! [U2, S2, V2] = batchsvd (A, "largest", 2);
%! assert ({size(U2), size(S2), size(V2)}, {[6, 2, 2, 1, 3], [2, 2, 2, 1, 3], [4, 2, 2, 1, 3]});
%! assert (isequal (U2, U(:,1:2,:,:,:)) && isequal (V2, V(:,1:2,:,:,:)));
%! assert (batchsvd (A, "largest", 1), batchsvd (A)(1,:,:,:,:));
%! B = permute (A, [2, 1, 3, 4, 5]);
%! [U, S, V] = batchsvd (B, 0);
%! assert ({size(U), size(S), size(V)}, {[4, 4, 2, 1, 3], [4, 6, 2, 1, 3], [6, 6, 2, 1, 3]});

%!## empty arrays
%!test
%! assert (batchsvd (zeros (0, 3, 2)), zeros (0, 1, 2));
%! [U, S, V] = batchsvd (zeros (0, 3, 2));
%! assert ({size(U), S, V}, {[0, 0, 2], zeros(0, 3, 2), repmat(eye (3), 1, 1, 2)});
%! [U, S, V] = batchsvd (zeros (3, 0));
%! assert ({U, S, size(V)}, {eye(3), zeros(3, 0), [0, 0]});
%! [U, S, V] = batchsvd (zeros (2, 3, 0), "econ");
%! assert ({size(U), size(S), size(V)}, {[2, 2, 0], [2, 2, 0], [3, 2, 0]});
%! assert (batchsvd ([]), zeros (0, 1));

%!## pages with special structure
%!test
%! n = 6;
%! A = zeros (n, n, 5);
%! A(:,:,2) = eye (n);
%! A(:,:,3) = ones (n);
%! A(:,:,4) = diag ([3, -1, 2, 2, -1, 0]);
%! A(:,:,5) = kron (eye (3), [0, 1; -1, 0]);
%! for method = {"auto", "qr", "jacobi"}
%!   [U, S, V, info] = batchsvd (A, "method", method{1});
%!   assert (info, zeros (5, 1, "int32"));
%!   check_pages (A, U, S, V);
%!   assert (isequal (U(:,:,1), eye (n)) && isequal (V(:,:,1), eye (n)) && ! any (S(:,:,1)(:)));
%!   assert (isequal (U(:,:,2), eye (n)) && isequal (V(:,:,2), eye (n)));
%!   assert (diag (S(:,:,3)), [6; 0; 0; 0; 0; 0], 10 * n * eps);
%!   assert (diag (S(:,:,4)), [3; 2; 2; 1; 1; 0], 10 * eps);
%!   assert (diag (S(:,:,5)), ones (n, 1), 10 * eps);
%! endfor

%!## digits of small values: columns over 25 decades
%!test
%! n = 20;
%! Q = orth (magic (n) + 100 * eye (n));
%! A = Q * diag (10 .^ -linspace (0, 25, n));
%! s = batchsvd (A);
%! assert (all (abs (s - 10 .^ -linspace (0, 25, n).') <= 100 * eps * s));
%! s = batchsvd (blkdiag (A, A), "method", "jacobi");
%! assert (all (abs (s(1:2:end) - 10 .^ -linspace (0, 25, n).') <= 100 * eps * s(1:2:end)));

%!## pages that fail
%!test
%! A = any_pages (5, 4, 6, "d", 2);
%! A(2,3,2) = NaN;
%! A(1,1,5) = -Inf;
%! [U, S, V, info] = batchsvd (A);
%! assert (info, int32 ([0; 5; 0; 0; 5; 0]));
%! assert (all (isnan (U(:,:,2)(:))) && all (isnan (V(:,:,5)(:))) && all (isnan (diag (S(:,:,5)))));
%! [U2, S2, V2] = batchsvd (A(:,:,[1, 3, 4, 6]));
%! good = [1, 3, 4, 6];
%! assert (isequal (U2, U(:,:,good)) && isequal (S2, S(:,:,good)) && isequal (V2, V(:,:,good)));
%!warning <batchsvd: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 1>
%! batchsvd (cat (3, NaN, 1));

%!## the same bits alone, and in a batch
%!test
%! for mn = [3, 8, 60, 40; 3, 5, 8, 36]
%!   A = any_pages (mn(1), mn(2), 37, "c", 4);
%!   [U, S, V] = batchsvd (A);
%!   for p = [1, 5, 20, 37]
%!     [u, s, v] = batchsvd (A(:,:,p));
%!     assert (isequal (u, U(:,:,p)) && isequal (s, S(:,:,p)) && isequal (v, V(:,:,p)));
%!   endfor
%! endfor

%!# many pages, two registers of which are solved together, some with columns so close that they need sweeps;
%!# and values without vectors
%!test
%! for k = [5, 8, 17]
%!   A = any_pages (k, k, 600, "d", 5);
%!   A(:,2,5:9) = A(:,1,5:9) * (1 + 1e-9);
%!   A(:,:,11) = orth (A(:,:,11));
%!   [U, S, V] = batchsvd (A, "device", "cpu");
%!   s0 = batchsvd (A, "device", "cpu");
%!   for p = [1, 5, 9, 11, 16, 17, 599, 600]
%!     [u, s, v] = batchsvd (A(:,:,p), "device", "cpu");
%!     assert (isequal (u, U(:,:,p)) && isequal (s, S(:,:,p)) && isequal (v, V(:,:,p)));
%!     assert (isequal (diag (s), s0(:,:,p)));
%!   endfor
%! endfor

%!## progress, device
%!test
%! A = any_pages (4, 4, 10, "d", 1);
%! assert (batchsvd (A, "progress", @(done, total) [], "device", "cpu"), batchsvd (A));
%!testif ; isempty (gpulinalg_info ().devices)
%! try, batchsvd (1, "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

## V of tall pages whose triangles are level and ill-conditioned
%!test
%! A = cat (3, vander (linspace (0, 1, 64), 8), ((1:64)' / 64) .^ (7:-1:0), [chol(pascal (8)); zeros(56, 8)]);
%! [U, S, V] = batchsvd (A, "econ");
%! for p = 1:3
%!   assert (V(:,:,p)' * V(:,:,p), eye (8), 20 * eps);
%!   assert (U(:,:,p)' * U(:,:,p), eye (8), 20 * eps);
%!   assert (U(:,:,p) * S(:,:,p) * V(:,:,p)', A(:,:,p), 20 * eps * S(1,1,p));
%! endfor

## rows that grow in size
%!test
%! q = sqrt (0.5);
%! A = [1e-20; 1e-10; 1] .* [q, 0, -q; -0.5, q, -0.5; 0.5, q, 0.5];
%! for method = {"auto", "qr", "jacobi"}
%!   for X = {A, A', A(:,[2, 1, 3]), [A; zeros(9, 3)], [zeros(9, 3); A]', [zeros(2000, 3); A]}
%!     assert (batchsvd (X{1}, "method", method{1}), [1; 1e-10; 1e-20], -20 * eps);
%!     [U, s, V] = batchsvd (X{1}, "econ", "vector", "method", method{1});
%!     assert (s, [1; 1e-10; 1e-20], -20 * eps);
%!     assert (U * (s .* V'), X{1}, 10 * eps);
%!     assert (U' * U, eye (3), 20 * eps);
%!     assert (V' * V, eye (3), 20 * eps);
%!   endfor
%! endfor
%!assert (batchsvd ([1e-20; 1] .* [1, 1; 1, -1]), sqrt (2) * [1; 1e-20], -4 * eps)
