## batcheig-ways.tst: tests of batcheig (A, B) with "drop", "swap" and "qz", and of its fourth output
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = hermitian (n, pages, type, seed)
%!  rand ("state", seed);
%!  A = rand (n, n, pages) - 0.5;
%!  if (any (type == "cz"))
%!    A = A + 1i * (rand (n, n, pages) - 0.5);
%!  endif
%!  A = A + conj (permute (A, [2, 1, 3]));
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function [B, Q, mu] = semidefinite (n, ranks, type, seed)
%!  ## A page for each rank: B = Q*diag (mu)*Q' with mu in [1/2, 2] and zeros.
%!  B = zeros (n, n, numel (ranks));
%!  for p = 1:numel (ranks)
%!    [Q, ~] = qr (double (hermitian (n, 1, type, seed + p)));
%!    mu = linspace (0.5, 2, n)' .* ((1:n)' > n - ranks(p));
%!    B(:,:,p) = (Q .* mu') * Q';
%!    B(:,:,p) = (B(:,:,p) + B(:,:,p)') / 2;
%!  endfor
%!  if (any (type == "sc"))
%!    B = single (B);
%!  endif
%!endfunction

%!function A = definite (n, pages, type, seed)
%!  A = hermitian (n, pages, type, seed) / n + full (eye (n));
%!endfunction

%!function check_ascending (d)
%!  assert (all (diff (d(! isinf (d))) >= 0) && all (isinf (d(find (isinf (d), 1):end))));
%!endfunction

%!## "drop": the space of the kept vectors, ranks, NaN behind
%!test
%! for type = "sdcz"
%!   for n = [1, 2, 3, 5, 9, 17, 40, 70]
%!     ranks = unique (max (1, [n, ceil(n / 2), 1, n - 1]));
%!     A = hermitian (n, numel (ranks), type, n);
%!     B = semidefinite (n, ranks, type, n);
%!     small = 100 * n * eps (class (A));
%!     [V, D, info, more] = batcheig (A, B, "drop", 1e-3);
%!     r = max (ranks);
%!     assert (info, zeros (numel (ranks), 1, "int32"));
%!     assert (size (V), [n, r, numel(ranks)](1:ndims (V)));
%!     assert (size (D), [r, r, numel(ranks)](1:ndims (D)));
%!     assert (class (V), class (A));
%!     assert (more.rank, ranks(:));
%!     assert (more.count, ranks(:));
%!     for p = 1:numel (ranks)
%!       k = ranks(p);
%!       v = V(:,1:k,p);
%!       d = diag (D(1:k,1:k,p));
%!       check_ascending (d);
%!       assert (v' * B(:,:,p) * v, eye (k, class (A)), small);
%!       [Q, mu] = eig (B(:,:,p));
%!       Q = Q(:,n-k+1:n);
%!       assert (norm (v - Q * (Q' * v)) <= small * norm (v));         # in the kept space
%!       assert (norm (Q' * (A(:,:,p) * v - B(:,:,p) * v * diag (d))) <= small * norm (A(:,:,p)) * norm (v));
%!       assert (all (isnan (V(:,k+1:end,p)(:))) && all (isnan (diag (D(:,:,p))(k+1:end))));
%!     endfor
%!     lambda = batcheig (A, B, "drop", 1e-3);
%!     assert (size (lambda), [r, 1, numel(ranks)](1:ndims (lambda)));
%!     [~, D] = batcheig (A, B, "drop", 1e-3, "vector");
%!     assert (lambda(! isnan (lambda)), D(! isnan (D)), small * max (abs (D(:))));
%!   endfor
%! endfor

%!## full rank: the same pair as with "chol"
%!test
%! for n = [2, 7, 33]
%!   A = hermitian (n, 3, "z", n);
%!   B = definite (n, 3, "z", n + 1);
%!   [V, D] = batcheig (A, B);
%!   [W, E, info, more] = batcheig (A, B, "drop", 1e-12);
%!   assert (more.rank, [n; n; n]);
%!   assert (E, D, 1e-12);
%!   assert (W, V, 1e-9);
%!   assert (batcheig (A, B, "drop", 1e-12), batcheig (A, B, "CHOL"), 1e-12);
%! endfor

%!## what the user guide says of it: no eigenvalue of the pair
%!test
%! [V, D, info, more] = batcheig ([1, 1; 1, 0], diag ([1, 0]), "drop", 1e-10);
%! assert (D, 1);
%! assert (V, [1; 0]);
%! assert (more.rank, 1);

%!## parts of the spectrum
%!test
%! A = hermitian (8, 4, "d", 1);
%! B = semidefinite (8, [8, 5, 3, 2], "d", 2);
%! [V, D, ~, more] = batcheig (A, B, "drop", 1e-6, "vector");
%! [v, d, ~, part] = batcheig (A, B, "drop", 1e-6, "vector", "range", [2, 4]);
%! assert (size (v), [8, 3, 4]);
%! assert (v, V(:,2:4,:));
%! assert (d, D(2:4,:,:));
%! assert (part.count, [3; 3; 2; 1]);
%! assert (part.rank, [8; 5; 3; 2]);
%! [v, d, ~, part] = batcheig (A, B, "drop", 1e-6, "vector", "smallest", 4);
%! assert (d, D(1:4,:,:));
%! assert (part.count, [4; 4; 3; 2]);
%! [v, d, ~, part] = batcheig (A, B, "drop", 1e-6, "vector", "largest", 4);
%! assert (part.count, [4; 4; 3; 2]);
%! for p = 1:4
%!   r = part.rank(p);
%!   last = max (r - 3, 1):r;
%!   assert (d(:,1,p), [D(last,1,p); NaN(4 - numel (last), 1)]);
%!   assert (v(:,:,p), [V(:,last,p), NaN(8, 4 - numel (last))]);
%! endfor
%! assert (batcheig (A, B, "drop", 1e-6, "largest", 8), D);
%! assert (size (batcheig (A, B, "drop", 1e-6, "largest", 0)), [0, 1, 4]);
%! [v, d, ~, part] = batcheig (A, B, "drop", 1e-6, "vector", "interval", [0, Inf]);
%! assert (part.count, squeeze (sum (D > 0, 1)));
%! for p = 1:4
%!   k = part.count(p);
%!   assert (d(1:k,1,p), D(D(:,1,p) > 0,1,p));
%!   assert (v(:,1:k,p), V(:,D(:,1,p) > 0,p));
%! endfor

%!## one page for all, one triangle, more dimensions, empty arrays
%!test
%! A = hermitian (6, 4, "z", 3);
%! B = semidefinite (6, 4, "z", 4);
%! [V, D, info, more] = batcheig (A, B, "drop", 1e-6);
%! [W, E] = batcheig (A, repmat (B, [1, 1, 4]), "drop", 1e-6);
%! assert (V, W);
%! assert (D, E);
%! assert (more.rank, [4; 4; 4; 4]);
%! [V, D] = batcheig (A(:,:,2), repmat (B, [1, 1, 4]), "drop", 1e-6);
%! assert (V(:,:,3), W(:,:,2));
%! L = A + triu (NaN (6), 1) + 3i * full (eye (6));
%! M = B + triu (NaN (6), 1) + 3i * full (eye (6));
%! [V, D] = batcheig (L, M, "lower", "drop", 1e-6);
%! assert (V, W, 1e-12);
%! [V, D] = batcheig (permute (L, [2, 1, 3]), M.', "upper", "drop", 1e-6);
%! assert (V, conj (W), 1e-12);
%! [V, D] = batcheig (reshape (A, 6, 6, 2, 2), B, "drop", 1e-6);
%! assert (size (V), [6, 4, 2, 2]);
%! [V, D, info, more] = batcheig (zeros (3, 3, 0), eye (3), "drop", 1e-6);
%! assert (size (V), [3, 0, 0]);
%! assert (size (more.rank), [0, 1]);
%! assert (size (batcheig ([], [], "drop", 0.5)), [0, 0]);

%!## B = 0, A = 0, negative and small eigenvalues of B; pages that fail; large and small pages
%!test
%! B = cat (3, zeros (3), diag ([1, 1e-5, -1e-5]), diag ([1, -1, -1]), -eye (3), eye (3), [1, NaN, 1] .* eye (3), eye (3));
%! A = repmat (diag ([3, 2, 1]), [1, 1, 7]);
%! A(:,:,5) = 0;
%! A(3,3,7) = Inf;
%! [V, D, info, more] = batcheig (A, B, "drop", 1e-4, "vector");
%! assert (info, int32 ([0; 0; 6; 7; 0; 4; 4]));
%! assert (more.rank, [0; 1; 0; 0; 3; 0; 0]);
%! assert (squeeze (D), [NaN, 3, NaN, NaN, 0, NaN, NaN; NaN(1, 4), 0, NaN, NaN; NaN(1, 4), 0, NaN, NaN]);
%! assert (V(:,:,2), [1, NaN, NaN; 0, NaN, NaN; 0, NaN, NaN]);
%!warning <^batcheig: 1 of 2 pages have a B with negative eigenvalues and are NaN in the result; the first is page 2$> ...
%! batcheig (1, cat (3, 1, -1), "drop", 0.1);
%!test
%! A = hermitian (5, 1, "z", 5);
%! B = semidefinite (5, 3, "z", 6);
%! [V, D] = batcheig (A, B, "drop", 1e-6);
%! for e = [-300, -150, 150, 300]
%!   assert (batcheig (A * 10 ^ e, B, "drop", 1e-6) / 10 ^ e, diag (D), 1e-12);
%!   assert (batcheig (A, B * 10 ^ e, "drop", 1e-6) * 10 ^ e, diag (D), 1e-12);
%!   [W, E] = batcheig (A * 10 ^ e, B * 10 ^ e, "drop", 1e-6);
%!   assert (E, D, 1e-12);
%!   assert (W * 10 ^ (e / 2), V, 1e-11);
%! endfor

%!## "drop" and "swap": the same bits in every batch
%!test
%! A = definite (9, 21, "z", 7);
%! B = semidefinite (9, 1 + mod (1:21, 9), "z", 8);
%! for way = {{"drop", 1e-6}, {"swap"}}
%!   [V, D, info, more] = batcheig (A, B, "device", "cpu", way{1}{:});
%!   for p = [1, 8, 21]
%!     [W, E, ~, one] = batcheig (A(:,:,p), B(:,:,p), "device", "cpu", way{1}{:});
%!     k = one.count;
%!     assert (W, V(:,1:k,p));
%!     assert (E, D(1:k,1:k,p));
%!     assert (one.rank, more.rank(p));
%!   endfor
%! endfor

%!## "swap"
%!test
%! for type = "sdcz"
%!   for n = [1, 2, 3, 5, 9, 17, 40, 140]
%!     ranks = unique (max (1, [n, ceil(n / 2), 1]));
%!     A = definite (n, numel (ranks), type, n);
%!     B = semidefinite (n, ranks, type, n);
%!     small = 100 * n * eps (class (A));
%!     [V, D, info, more] = batcheig (A, B, "swap", "vector");
%!     assert (info, zeros (numel (ranks), 1, "int32"));
%!     assert (more.rank, ranks(:));
%!     assert (more.count, n * ones (numel (ranks), 1));
%!     for p = 1:numel (ranks)
%!       d = D(:,1,p);
%!       check_ascending (d);
%!       assert (sum (isinf (d)), n - ranks(p));
%!       assert (B(:,:,p) * V(:,:,p), A(:,:,p) * V(:,:,p) ./ d.', small * norm (V(:,:,p)));
%!       assert (V(:,:,p)' * A(:,:,p) * V(:,:,p), eye (n, class (A)), small);
%!       estimate = more.rcond(p) * cond (double (A(:,:,p)), 1);
%!       assert (estimate > 0.99 && estimate < 3);
%!     endfor
%!     lambda = batcheig (A, B, "swap");
%!     assert (1 ./ lambda, 1 ./ D, small);
%!   endfor
%! endfor

%!## eigenvalues of both signs: buckling of a bar on springs
%!test
%! K = toeplitz ([2, -1, 0, 0]);
%! G = diag ([1, -2, 0, 4]);
%! [V, D, info, more] = batcheig (K, G, "swap", "vector");
%! assert (more.rank, 3);
%! mu = eig (K \ G);
%! mu = mu(abs (mu) > 1e-12);
%! assert (D(1:3), sort (1 ./ mu), 1e-12);
%! assert (D(4), Inf);
%! assert (K * V(:,1:3), G * V(:,1:3) * diag (D(1:3)), 1e-12);
%! assert (G * V(:,4), zeros (4, 1), 1e-14);

%!## a mass that is 0 in a chain of springs
%!test
%! n = 12;
%! K = toeplitz ([2, -1, zeros(1, n - 2)]);
%! M = diag ([ones(1, n - 1), 0]);
%! [V, D, info, more] = batcheig (K, M, "swap", "vector");
%! reduced = K(1:n-1,1:n-1) - K(1:n-1,n) * K(n,1:n-1) / K(n,n);   # static condensation
%! assert (more.rank, n - 1);
%! assert (D(1:n-1), eig ((reduced + reduced') / 2), 1e-13);
%! assert (D(n), Inf);
%! [~, D, ~, more] = batcheig (K, M, "drop", 1e-10, "vector");
%! assert (more.rank, n - 1);
%! assert (D, eig (K(1:n-1,1:n-1)), 1e-13);                       # the last point is held

%!## parts of the spectrum with "swap"
%!test
%! A = definite (6, 3, "z", 11);
%! B = semidefinite (6, [6, 4, 2], "z", 12);
%! [V, D] = batcheig (A, B, "swap", "vector");
%! [v, d, info, more] = batcheig (A, B, "swap", "vector", "smallest", 3);
%! assert (d, D(1:3,:,:));
%! assert (v, V(:,1:3,:));
%! assert (more.rank, [6; 4; 2]);
%! assert (batcheig (A, B, "swap", "largest", 2), batcheig (A, B, "swap")(5:6,:,:));
%! [v, d, info, more] = batcheig (A, B, "swap", "vector", "interval", [0, 1e6]);
%! assert (more.count, [6; 4; 2]);
%! [v, d, info, more] = batcheig (A, B, "swap", "vector", "interval", [1e6, Inf]);
%! assert (more.count, [0; 2; 4]);

%!## "swap": B = 0, A = B, pages that fail, large and small pages
%!test
%! A = cat (3, eye (2), [2, 1; 1, 2], diag ([1, -1]), eye (2), [1, NaN; NaN, 1]);
%! B = cat (3, zeros (2), [2, 1; 1, 2], eye (2), diag ([NaN, 1]), eye (2));
%! [V, D, info, more] = batcheig (A, B, "swap", "vector");
%! assert (info, int32 ([0; 0; 5; 3; 3]));
%! assert (more.rank, [0; 2; 0; 0; 0]);
%! assert (squeeze (D), [Inf, 1, NaN, NaN, NaN; Inf, 1, NaN, NaN, NaN], 1e-15);
%!warning <^batcheig: 1 of 2 pages have an A that is not positive definite to working precision and are NaN in the result; the first is page 1$> ...
%! batcheig (cat (3, -1, 1), 1, "swap");
%!error <page 2 of A is not Hermitian: the largest \|A - A'\| is 0\.5> ...
%! batcheig (cat (3, eye (2), [1, 0.5; 0, 1]), eye (2), "swap")
%!error <page 1 of B is not Hermitian> batcheig (cat (3, eye (2), eye (2)), [1, 1; 0, 1], "swap")
%!error <page 1 of B is not Hermitian: the largest \|B - B'\| is 1> batcheig (cat (3, eye (2), eye (2)), [1, 1; 0, 1], "drop", 0.1)
%!error <page 2 of A is not Hermitian: the largest \|A - A'\| is 0\.5> ...
%! batcheig (cat (3, eye (2), [1, 0.5; 0, 1]), eye (2), "drop", 0.1)
%!test
%! A = definite (5, 1, "z", 13);
%! B = semidefinite (5, 3, "z", 14);
%! lambda = batcheig (A, B, "swap")(1:3);
%! for e = [-300, -150, 150, 300]
%!   assert (batcheig (A * 10 ^ e, B, "swap")(1:3) / 10 ^ e, lambda, 1e-11);
%!   assert (batcheig (A, B * 10 ^ e, "swap")(1:3) * 10 ^ e, lambda, 1e-11);
%!   assert (batcheig (A * 10 ^ e, B * 10 ^ e, "swap")(1:3), lambda, 1e-11);
%! endfor

%!## "qz": any pairs
%!test
%! for type = "sdcz"
%!   for n = [1, 2, 5, 20]
%!     rand ("state", n);
%!     A = rand (n, n, 3) - 0.5 + any (type == "cz") * 1i * rand (n, n, 3);
%!     B = rand (n, n, 3) - 0.5 + any (type == "cz") * 1i * rand (n, n, 3);
%!     if (any (type == "sc"))
%!       A = single (A);
%!       B = single (B);
%!     endif
%!     [V, D, info, more] = batcheig (A, B, "qz");
%!     assert (info, zeros (3, 1, "int32"));
%!     assert (class (V), class (A));
%!     assert (class (D), class (A));
%!     assert (more.rank, [n; n; n]);
%!     assert (more.count, [n; n; n]);
%!     for p = 1:3
%!       d = diag (D(:,:,p)).';
%!       assert (issorted (real (d)));
%!       r = A(:,:,p) * V(:,:,p) - B(:,:,p) * V(:,:,p) .* d;
%!       assert (norm (r ./ (1 + abs (d))) <= 100 * n * eps (class (A)));
%!       assert (norm (V(:,:,p), "cols"), ones (1, n, class (A)), 10 * eps (class (A)));
%!       assert (more.rcond(p), rcond (B(:,:,p)));
%!     endfor
%!     lambda = batcheig (A, B, "qz");
%!     assert (size (lambda), [n, 1, 3]);
%!   endfor
%! endfor

%!## "qz": Hermitian pairs that are not definite, singular B, NaN, real results
%!test
%! A = cat (3, [0, 1; 1, 0], diag ([1, 2]), [2, 1; 1, 2], [1, NaN; NaN, 1]);
%! B = cat (3, diag ([1, -1]), diag ([1, 0]), diag ([1, 2]), eye (2));
%! [V, D, info, more] = batcheig (A, B, "qz", "vector");
%! assert (info, int32 ([0; 0; 0; 3]));
%! assert (D(:,1,1), [-1i; 1i], 1e-15);
%! assert (D(:,1,2), [1; Inf]);
%! assert (more.rank, [2; 1; 2; 0]);
%! assert (more.count, [2; 2; 2; 0]);
%! assert (all (isnan (V(:,:,4)(:))));
%! lambda = batcheig (A(:,:,3), B(:,:,3), "qz");
%! assert (isreal (lambda));
%! assert (lambda, batcheig (A(:,:,3), B(:,:,3)), 1e-14);
%! assert (batcheig (A(:,:,2:3), eye (2), "qz"), batcheig (A(:,:,2:3), eye (2)), 1e-14);
%! assert (size (batcheig (zeros (2, 2, 0), eye (2), "qz")), [2, 1, 0]);
%!warning <^batcheig: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2$> ...
%! batcheig (cat (3, 1, NaN), 1, "qz");

%!## the fourth output
%!test
%! A = hermitian (4, 3, "d", 15);
%! B = cat (3, diag ([1, 2, 3, 4]), -eye (4), diag ([1, 1, 1, NaN]));
%! [V, D, info, more] = batcheig (A, B);
%! assert (fieldnames (more), {"rcond"; "rank"; "count"});
%! assert (more.rcond, [0.25; 1; NaN]);
%! assert (more.rank, [4; 0; 0]);
%! assert (more.count, [4; 0; 0]);
%! [V, D, info, more] = batcheig (A, eye (4), "largest", 2);
%! assert (more.rank, [4; 4; 4]);
%! assert (more.count, [2; 2; 2]);

%!## the phase: the first of the largest components is real and positive
%!function check_phase (V)
%!  [n, k, pages] = size (V);
%!  V = reshape (V, n, []);
%!  at = abs (V) >= 0.999 * max (abs (V), [], 1);
%!  for j = 1:columns (V)
%!    x = V(find (at(:,j), 1),j);
%!    assert (imag (x) == 0 && x > 0);
%!  endfor
%!endfunction
%!test
%! for device = {"cpu", "gpu"}(1:1 + ! isempty (gpulinalg_info ().devices))
%!   for type = "sdcz"
%!     for n = [1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 200, 260]
%!       A = hermitian (n, 2, type, n);
%!       B = definite (n, 2, type, n + 1);
%!       for method = {"qr", "jacobi", "auto"}
%!         [V, D] = batcheig (A, "method", method{1}, "device", device{1});
%!         check_phase (V);
%!       endfor
%!       [V, D] = batcheig (A, "smallest", min (n, 3), "device", device{1});
%!       check_phase (V);
%!       [V, D] = batcheig (A, B, "device", device{1});
%!       check_phase (V);
%!       [V, D] = batcheig (A, B, "drop", 1e-6, "device", device{1});
%!       check_phase (V);
%!       [V, D] = batcheig (B, A, "swap", "device", device{1});
%!       check_phase (V);
%!     endfor
%!     [V, D] = batcheig (A(1:9,1:9,:), B(1:9,1:9,:), "qz");
%!     check_phase (V);
%!   endfor
%! endfor

%!## the same vectors by each method; B = I gives the same as no B
%!test
%! for n = [2, 3, 4, 9, 17, 40, 97, 130]
%!   Q = orth (hermitian (n, 1, "z", n) + 2 * eye (n));
%!   A = Q * diag (1:n) * Q';   # eigenvalues are 1 apart
%!   A = (A + A') / 2;
%!   [V, D] = batcheig (A, "method", "qr");
%!   [W, D] = batcheig (A, "method", "jacobi");
%!   assert (V, W, 1e-13 * n ^ 2);
%!   [W, D] = batcheig (A, eye (n), "device", "cpu");
%!   assert (V, W, 1e-13 * n ^ 2);
%!   [W, D] = batcheig (A, eye (n), "drop", 0.5);
%!   assert (V, W, 1e-13 * n ^ 2);
%!   [W, D] = batcheig (eye (n), A, "swap", "device", "cpu");
%!   assert (V, fliplr (W) .* sqrt (sumsq (fliplr (W), 1)) .^ -1, 1e-13 * n ^ 2);
%! endfor

%!## components that are equal but for rounding: a ring, whose vectors are waves
%!test
%! n = 24;
%! A = diag (ones (n - 1, 1), 1) * exp (0.3i);
%! A(n,1) = exp (0.3i);
%! A += A';
%! for method = {"qr", "jacobi", "auto"}
%!   [V, D] = batcheig (A, "method", method{1});
%!   assert (imag (V(1,:)), zeros (1, n));
%!   assert (V(1,:), ones (1, n) / sqrt (n), 1e-13);
%! endfor

%!## "phase", "none": the vectors without it
%!test
%! A = hermitian (12, 5, "z", 21);
%! B = definite (12, 5, "z", 22);
%! for args = {{A}, {A, B}, {A, B, "drop", 1e-6}, {A, B, "swap"}, {A, B, "qz"}}
%!   if (isequal (args{1}{end}, "swap"))
%!     args{1} = {B, A, "swap"};
%!   endif
%!   [V, D] = batcheig (args{1}{:}, "phase", "MAX");
%!   [W, E] = batcheig (args{1}{:}, "phase", "none");
%!   assert (E, D);
%!   assert (abs (W), abs (V), 1e-12);
%!   assert (norm (W(:) - V(:)) > 0.1);
%!   check_phase (V);
%!   fail ("check_phase (W)");
%! endfor

%!## errors
%!error <option "phase" must be "max" or "none", not "min"> batcheig (1, "phase", "min")
%!error id=gpulinalg:bad-value batcheig (1, "phase", 1)
%!error <option "drop" needs a second matrix, batcheig \(A, B, ...\)> batcheig (1, "drop", 0.1)
%!error id=gpulinalg:bad-option batcheig (1, "swap")
%!error <option "qz" needs a second matrix> batcheig (1, "qz")
%!error id=gpulinalg:bad-option batcheig (1, "chol")
%!error <options "drop" and "swap" exclude each other> batcheig (1, 1, "drop", 0.1, "swap")
%!error id=gpulinalg:bad-option batcheig (1, 1, "qz", "drop", 0.1)
%!error <"largest" must be an integer from 0 to 1, not 2> batcheig (1, 1, "drop", 0.1, "largest", 2)
%!error <options "qz" and "lower" exclude each other> batcheig (1, 1, "qz", "lower")
%!error <options "qz" and "interval" exclude each other> batcheig (1, 1, "qz", "interval", [0, 1])
%!error <options "qz" and "tol" exclude each other> batcheig (1, 1, "qz", "tol", 0.1)
%!error id=gpulinalg:bad-option batcheig (1, 1, "qz", "method", "qr")
%!error <option "swap" needs "itype" 1, but it is 2> batcheig (1, 1, "swap", "itype", 2)
%!error <option "drop" needs "itype" 1, but it is 3> batcheig (1, 1, "drop", 0.1, "itype", 3)
%!error id=gpulinalg:bad-option batcheig (1, 1, "qz", "itype", 2)
%!error <option "drop" must be greater than 0 and less than 1, not 0> batcheig (1, 1, "drop", 0)
%!error id=gpulinalg:bad-value batcheig (1, 1, "drop", 1)
%!error <option "drop" must be a real scalar, not "swap"$> batcheig (1, 1, "drop", "swap")
%!error <option "drop" needs a value> batcheig (1, 1, "drop")
%!error <option "qz" runs on the CPU, but "device" asks for a GPU> batcheig (1, 1, "qz", "device", "gpu")
%!error id=gpulinalg:bad-value batcheig (1, 1, "qz", "device", 0)
