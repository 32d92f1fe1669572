## pagefunm.tst: tests of pagefunm
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = random_pages (type, n, P, definite)
%! X = rand (n, n + 2, P) - 0.5;
%! if (any (type == "cz"))
%!   X += 1i * (rand (n, n + 2, P) - 0.5);
%! endif
%! if (any (type == "sc"))
%!   X = single (X);
%! endif
%! if (definite)
%!   A = pagemtimes (X, "none", X, "ctranspose") + 0.1 * full (eye (n));
%! else
%!   A = X(:,1:n,:) + conj (permute (X(:,1:n,:), [2, 1, 3]));
%! endif
%!endfunction
%!function check_hermitian (F)
%! assert (isequal (F, conj (permute (F, [2, 1, 3]))));
%!endfunction
%!function y = note_call (x)
%! global pagefunm_calls
%! pagefunm_calls{end+1} = x;
%! y = ones (size (x));
%!endfunction
%!function d = largest (X)
%! d = max (abs (double (X(:))));
%! if (any (isnan (X(:))))
%!   d = Inf; # max leaves NaN out
%! endif
%!endfunction

%!## against Octave's functions of one matrix
%!test
%! for type = "sdcz"
%!   for n = [1:5, 8, 9, 16, 33]
%!     A = random_pages (type, n, 11, true);
%!     B = random_pages (type, n, 11, false);
%!     tol = 2000 * n * eps (class (A));
%!     E = pagefunm (B, "exp");
%!     U = pagefunm (B, "exp", "scale", -2i);
%!     S = pagefunm (A, "sqrt");
%!     L = pagefunm (A, "log");
%!     I = pagefunm (A, "inv");
%!     W = pagefunm (A, "isqrt");
%!     for p = [1, 11]
%!       a = double (A(:,:,p));  b = double (B(:,:,p));
%!       assert (double (E(:,:,p)), expm (b), tol * norm (expm (b)));
%!       assert (double (U(:,:,p)), expm (-2i * b), tol * max (1, norm (b)));
%!       assert (double (S(:,:,p)), sqrtm (a), tol * norm (a));
%!       assert (double (L(:,:,p)), logm (a), tol * cond (a));
%!       assert (double (I(:,:,p)), inv (a), tol * norm (inv (a)) * cond (a));
%!       assert (double (W(:,:,p)), inv (sqrtm (a)), tol * cond (a));
%!     endfor
%!     for F = {E, S, L, I, W}
%!       check_hermitian (F{1});
%!       assert (class (F{1}), class (A));
%!       assert (iscomplex (F{1}), iscomplex (A));
%!     endfor
%!     assert (class (U), class (A));
%!   endfor
%! endfor

%!## identities
%!test
%! for type = "sdcz"
%!   for n = [2, 3, 4, 7, 16, 40]
%!     A = random_pages (type, n, 30, true);
%!     u = n * eps (class (A));
%!     I = repmat (full (eye (n)), 1, 1, 30);
%!     S = pagefunm (A, "sqrt");
%!     assert (largest (pagemtimes (S, S) - A) <= 20 * u * largest (A));
%!     assert (largest (pagefunm (S, "power", 2) - A) <= 20 * u * largest (A));
%!     W = pagefunm (A, "isqrt");
%!     white = pagemtimes (pagemtimes (W, A), W);
%!     assert (largest (white - I) <= 50 * u * n / 0.1);
%!     assert (largest (pagemtimes (pagefunm (A, "inv"), A) - I) <= 50 * u * n / 0.1);
%!     assert (largest (pagefunm (A, "inv") - pageinv (A)) <= 50 * u * n * 100);
%!     B = random_pages (type, n, 30, false) / n;
%!     assert (largest (pagefunm (pagefunm (B, "exp"), "log") - B) <= 500 * u);
%!     assert (largest (pagefunm (B, "power", 1) - B) <= 10 * u);
%!     assert (largest (pagefunm (B, "power", 0) - I) <= 10 * u);
%!     assert (largest (pagefunm (B, "power", 3) - pagemtimes (B, pagemtimes (B, B))) <= 20 * u);
%!   endfor
%! endfor
%!test # there and back in a long time, and unitary
%! for type = "sdcz"
%!   for n = [2, 3, 4, 8, 16, 31, 64]
%!     H = random_pages (type, n, 20, false);
%!     t = reshape (linspace (-1e6, 1e6, 20), 1, 1, 20);
%!     U = pagefunm (H, "exp", "scale", -1i * t);
%!     V = pagefunm (H, "exp", "scale", 1i * t);
%!     I = repmat (full (eye (n)), 1, 1, 20);
%!     assert (largest (pagemtimes (U, V) - I) <= 8 * n * eps (class (H)));
%!     assert (largest (pagemtimes (U, "none", U, "ctranspose") - I) <= 8 * n * eps (class (H)));
%!   endfor
%! endfor

%!## closed forms
%!test # Pauli matrices: exp (-i t s) = cos (t) - i sin (t) s
%! s = cat (3, [0, 1; 1, 0], [0, -1i; 1i, 0], [1, 0; 0, -1]);
%! for t = [0.1, 1, pi, 100]
%!   U = pagefunm (s, "exp", "scale", -1i * t);
%!   assert (U, repmat (cos (t) * eye (2), 1, 1, 3) - 1i * sin (t) * s, 1e-14 * max (1, t / 10));
%!   E = pagefunm (s / 10, "exp", "scale", t);
%!   assert (E, cosh (t / 10) * repmat (eye (2), 1, 1, 3) + sinh (t / 10) * s, 1e-13 * cosh (t / 10));
%! endfor
%!test # a chain: inverse, and powers that cancel
%! n = 12;
%! A = full (gallery ("tridiag", n));
%! i = (1:n)';
%! assert (pagefunm (A, "inv"), min (i, i') .* (n + 1 - max (i, i')) / (n + 1), 1e-13);
%! assert (pagefunm (A, "power", 1.5) * pagefunm (A, "power", -1.5), eye (n), 1e-12);
%! assert (pagefunm (A, "power", -0.5), pagefunm (A, "isqrt"), 1e-13);
%!test # diagonal pages
%! A = cat (3, diag ([1, 4, 9]), diag ([16, 25, 36]));
%! assert (pagefunm (A, "sqrt"), sqrt (A), 1e-14);
%! assert (pagefunm (4, "sqrt"), 2, 4 * eps);
%! assert (pagefunm (reshape ([1, 4, 9], 1, 1, 3), "isqrt")(:)', 1 ./ [1, 2, 3], eps);
%!test # far from 1
%! for s = [1e150, 1e-150]
%!   assert (pagefunm (s * [2, 1; 1, 2], "sqrt"), sqrt (s) * sqrtm ([2, 1; 1, 2]), -1e-14);
%!   assert (pagefunm (s * [2, 1; 1, 2], "inv"), inv ([2, 1; 1, 2]) / s, -1e-14);
%! endfor

%!## indefinite pages: principal values, in one array with those of definite pages
%!test
%! for type = "sdcz"
%!   B = random_pages (type, 5, 9, false);
%!   A = random_pages (type, 5, 9, true);
%!   AB = cat (3, A, B);
%!   u = 5 * eps (class (B));
%!   for f = {"sqrt", "log", "isqrt"}
%!     F = pagefunm (AB, f{1});
%!     assert (iscomplex (F));
%!     assert (class (F), class (B));
%!     check_hermitian (F(:,:,1:9));
%!     if (any (type == "cz"))
%!       assert (F(:,:,1:9), pagefunm (A, f{1}));
%!     else
%!       assert (F(:,:,1:9), complex (pagefunm (A, f{1})), 100 * u * 10);
%!     endif
%!   endfor
%!   S = pagefunm (B, "sqrt");
%!   assert (largest (pagemtimes (S, S) - B) <= 20 * u);
%!   ## rounding decides which logarithm of a negative number logm takes
%!   [V, D] = eig (double (B(:,:,4)));
%!   assert (double (pagefunm (B, "log")(:,:,4)), V * diag (log (diag (D))) * V', 1e4 * u);
%!   P = pagefunm (B, "power", 1/3);
%!   assert (largest (pagemtimes (P, pagemtimes (P, P)) - B) <= 20 * u);
%!   [F, info] = pagefunm (AB, "log", "indefinite", "nan");
%!   assert (isnan (F(1,1,:))(:)', [false(1, 9), true(1, 9)]);
%!   assert (info', int32 ([zeros(1, 9), 8 * ones(1, 9)]));
%!   assert (iscomplex (F), any (type == "cz"));
%! endfor
%!test # inverses and whole powers of indefinite pages are real
%! assert (pagefunm ([0, 2; 2, 0], "inv"), [0, 0.5; 0.5, 0], eps);
%! assert (pagefunm ([0, 2; 2, 0], "power", 3), [0, 8; 8, 0], 10 * eps);
%! assert (pagefunm ([0, 2; 2, 0], "power", -2), [0.25, 0; 0, 0.25], eps);

%!## singular pages
%!test
%! X = rand (5, 2, 20) - 0.5;
%! C = pagemtimes (X, "none", X, "ctranspose");  # of rank 2
%! S = pagefunm (C, "sqrt");
%! assert (isreal (S));
%! assert (largest (pagemtimes (S, S) - C) <= 100 * eps);
%! for f = {"inv", "isqrt", "log"}
%!   [F, info] = pagefunm (cat (3, C, eye (5)), f{1});
%!   assert (F(:,:,1:20), merge (strcmp (f{1}, "log"), -Inf, Inf) (ones (5, 5, 20)));
%!   assert (F(:,:,21), merge (strcmp (f{1}, "log"), zeros (5), eye (5)));
%!   assert (info', int32 ([7 * ones(1, 20), 0]));
%! endfor
%! W = pagefunm (C, "isqrt", "floor", 1e-2);
%! assert (all (isfinite (W(:))));
%! lambda = batcheig (pagemtimes (pagemtimes (W, C), W));
%! assert (lambda(5,1,:), ones (1, 1, 20), 1e-12);
%! assert (pagefunm (zeros (3), "sqrt"), zeros (3));
%! assert (pagefunm (diag ([1, 1e-20]), "inv", "tol", 0), diag ([1, 1e20]), -1e-12);
%! assert (pagefunm (diag ([1, 1e-20]), "inv"), Inf (2));
%! assert (pagefunm (diag ([1, 1e-3]), "inv", "tol", 0.01), Inf (2));
%!test # the nearest matrix without negative eigenvalues
%! assert (pagefunm ([0, 2; 2, 0], "power", 1, "floor", 0), [1, 1; 1, 1], 1e-14);
%! assert (pagefunm (diag ([-1, 1e-3, 10]), "log", "floor", 0.1), diag (log ([1, 1, 10])), 1e-14);
%! ## what counts as 0 is raised, too
%! [F, info] = pagefunm (diag ([0, 1e-20, 1]), "isqrt", "floor", 1e-18);
%! assert ({F, info}, {diag([1e9, 1e9, 1]), int32(0)}, 1e-6);
%! assert (pagefunm (diag ([1e-3, 1e-2, 1]), "log", "floor", 1e-3, "tol", 0.05), diag (log ([1e-3, 1e-3, 1])), 1e-14);

%!## NaN, Inf, overflow
%!test
%! A = random_pages ("d", 4, 9, true);
%! A(2,3,4) = NaN;  A(1,1,7) = -Inf;  A(:,:,8) *= 1e5;
%! [F, info] = pagefunm (A, "exp");
%! assert (info', int32 ([0, 0, 0, 5, 0, 0, 5, 6, 0]));
%! assert (all (isnan (F(:,:,[4, 7])(:))) && all (F(:,:,8)(:) == Inf));
%! for p = [1:3, 5, 6, 9]
%!   assert (F(:,:,p), pagefunm (A(:,:,p), "exp"));
%! endfor
%!warning <^pagefunm: 1 of 3 pages hold NaN or Inf \(the first is page 3\), and 1 are singular or give a value that is not finite \(the first is page 1\); they are NaN or Inf in the result$> ...
%! F = pagefunm (cat (3, ones (2), eye (2), NaN (2)), "inv");
%!warning <^pagefunm: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2$> ...
%! F = pagefunm (cat (3, 1, Inf), "exp");
%!warning <^pagefunm: 1 of 2 pages are singular or give a value that is not finite and are NaN or Inf in the result; the first is page 1$> ...
%! assert (pagefunm (cat (3, 0, 1), "inv")(:), [Inf; 1]);
%!warning <^pagefunm: 1 of 1 pages are indefinite and are NaN in the result; the first is page 1$> ...
%! F = pagefunm (-1, "sqrt", "indefinite", "nan");
%!warning <^pagefunm: 1 of 3 pages hold NaN or Inf \(the first is page 2\), and 1 are indefinite \(the first is page 3\); they are NaN in the result$> ...
%! F = pagefunm (cat (3, 1, NaN, -1), "sqrt", "indefinite", "nan");
%!warning id=gpulinalg:pages-failed pagefunm (NaN, "exp");

%!## bits do not depend on the batch
%!test
%! for type = "sdcz"
%!   for n = [2, 4, 5, 9, 20]
%!     A = cat (3, random_pages (type, n, 40, true), random_pages (type, n, 35, false));
%!     A = A(:,:,randperm (75));
%!     t = reshape (1:75, 1, 1, 75);
%!     for f = {{"exp"}, {"inv"}, {"power", 3}, {"exp", "scale", 1i * t}, {"occupied", 1}}
%!       F = pagefunm (A, f{1}{:});
%!       for p = [1, 2, 30, 75]
%!         g = f{1};
%!         if (numel (g) == 3)
%!           g{3} = 1i * t(p);
%!         endif
%!         assert (isequal (F(:,:,p), pagefunm (A(:,:,p), g{:})));
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## density matrices
%!test
%! for type = "sdcz"
%!   H = random_pages (type, 6, 21, false);
%!   [V, D] = batcheig (H);
%!   k = repmat (0:6, 1, 3);
%!   P = pagefunm (H, "occupied", k);
%!   check_hermitian (P);
%!   for p = 1:21
%!     W = V(:,1:k(p),p);
%!     assert (P(:,:,p), W * W', 100 * eps (class (H)));
%!   endfor
%!   assert (pagefunm (H, "occupied", 3), pagefunm (H, @(x) double ((1:6)' <= 3 & x < Inf)), ...
%!           100 * eps (class (H)));
%! endfor

%!## function handles: one call with all eigenvalues
%!test
%! for type = "sdcz"
%!   H = reshape (random_pages (type, 4, 24, false), 4, 4, 2, 3, 4);
%!   fermi = @(x) 1 ./ (1 + exp (3 * x));
%!   F = pagefunm (H, fermi);
%!   assert (size (F), size (H));
%!   assert (class (F), class (H));
%!   lambda = batcheig (H);
%!   assert (batcheig (F), sort (fermi (lambda)), 50 * eps (class (H)));
%!   U = pagefunm (H, @(x) exp (2i * x));
%!   assert (U, pagefunm (H, "exp", "scale", 2i), 50 * eps (class (H)));
%!   Z = pagefunm (H, @(x) x .* x, "scale", 1i);
%!   assert (Z, -pagefunm (H, "power", 2), 50 * eps (class (H)));
%! endfor
%!test
%! global pagefunm_calls
%! pagefunm_calls = {};
%! A = random_pages ("d", 3, 5000, false);
%! F = pagefunm (A, @note_call, "scale", 2);
%! assert (numel (pagefunm_calls), 1);
%! assert (pagefunm_calls{1}, 2 * batcheig (A));
%! assert (largest (F - repmat (eye (3), 1, 1, 5000)) < 1e-14);
%! clear -global pagefunm_calls
%!test # a function may use the package, return other classes, and give values that are not finite
%! assert (pagefunm ([2, 0; 0, 3], @(x) x + batcheig (0)), diag ([2, 3]), 4 * eps);
%! assert (pagefunm ([2, 0; 0, 3], @(x) x > 2.5), diag ([0, 1]), eps);
%! assert (pagefunm ([2, 0; 0, 3], @(x) int8 (x)), diag ([2, 3]), 4 * eps);
%! [F, info] = pagefunm (cat (3, 1, 2), @(x) x ./ (x > 1));
%! assert (F(:)', [Inf, 2], 4 * eps);
%! assert (info', int32 ([3, 0]));
%!error <enough> pagefunm (1, @(x) error ("my:id", "enough"))
%!error id=gpulinalg:bad-function pagefunm (eye (2), @(x) 1)
%!error id=gpulinalg:bad-function pagefunm (eye (2), @(x) "ab")
%!error <must return a number for each eigenvalue, an array of 2x1> pagefunm (eye (2), @(x) x')

%!## shapes, scales, triangles
%!test
%! A = reshape (random_pages ("z", 3, 24, false), 3, 3, 2, 3, 4);
%! t = rand (1, 1, 2, 3, 4);
%! F = pagefunm (A, "exp", "scale", t);
%! assert (size (F), size (A));
%! assert (F(:,:,2,3,1), pagefunm (t(1,1,2,3,1) * A(:,:,2,3,1), "exp"), 1e-13);
%! assert (pagefunm (A, "exp", "scale", 0), repmat (eye (3), [1, 1, 2, 3, 4]), 1e-14);
%! assert (pagefunm ([2, NaN; 1, 2], "exp", "lower"), pagefunm ([2, 1; 1, 2], "exp"));
%! assert (pagefunm ([2, 1; NaN, 2], "exp", "UPPER"), pagefunm ([2, 1; 1, 2], "exp"));
%! assert (pagefunm (A, "Exp", "Device", "cpu"), pagefunm (A, "exp", "device", "cpu"));
%! assert (pagefunm (2, "log", "scale", -1), log (-2), 4 * eps);
%! assert (pagefunm (2, "sqrt", "scale", 1i), sqrt (2i), 4 * eps);
%! assert (pagefunm (2, "inv", "scale", 1i), 1 / 2i, 4 * eps);
%! assert (pagefunm (2, "power", 1.5, "scale", 1i), (2i)^1.5, 4 * eps);
%! assert (pagefunm (single (2), "log", "scale", single (1i)), single (log (2i)), 4 * eps ("single"));
%!test
%! assert (pagefunm ([], "exp"), []);
%! assert (size (pagefunm (zeros (0, 0, 3), "exp")), [0, 0, 3]);
%! [F, info] = pagefunm (zeros (3, 3, 0, 2, "single"), "log");
%! assert (size (F), [3, 3, 0, 2]);
%! assert (class (F), "single");
%! assert (size (info), [0, 1]);
%! assert (size (pagefunm (zeros (3, 3, 0), @sin)), [3, 3, 0]);
%!## one page for all numbers: the bits of copies of this page
%!test
%! for type = "sdcz"
%!   for n = [1, 2, 3, 4, 8, 9, 17, 33]
%!     A = random_pages (type, n, 1, false);
%!     for s = {linspace(0.1, 3, 70), 1i * linspace(-2, 3, 70), -1i * linspace(0, 2, 7).', 3}
%!       copies = repmat (A, 1, 1, numel (s{1}));
%!       for f = {{"exp"}, {"sqrt"}, {"isqrt", "floor", 0.1}, {"log"}, {"power", 3}, {@(x) x .^ 2}, {@(x) 1 ./ (x + 20i)}}
%!         [F, info] = pagefunm (A, f{1}{:}, "scale", s{1}, "device", "cpu");
%!         [G, expected] = pagefunm (copies, f{1}{:}, "scale", s{1}, "device", "cpu");
%!         assert (F, G);
%!         assert (class (F), class (G));
%!         assert (info, expected);
%!       endfor
%!     endfor
%!     assert (pagefunm (A, "occupied", 0:n, "device", "cpu"), ...
%!             pagefunm (repmat (A, 1, 1, n + 1), "occupied", 0:n, "device", "cpu"));
%!   endfor
%! endfor
%!test
%! H = [1, 2i; -2i, 3];
%! t = reshape (1:24, 1, 1, 2, 3, 4);
%! U = pagefunm (H, "exp", "scale", -1i * t);
%! assert (size (U), [2, 2, 2, 3, 4]);
%! assert (U(:,:,2,3,4), expm (-24i * H), 1e-12);
%! assert (size (pagefunm (H, @exp, "scale", 1:5)), [2, 2, 5]);
%! assert (size (pagefunm (H, "exp", "scale", ones (3, 4))), [2, 2, 12]);
%! assert (size (pagefunm (H, "exp", "scale", 1)), [2, 2]);
%! assert (size (pagefunm ([], "exp", "scale", 1:3)), [0, 0, 3]);
%! assert (gather (pagefunm (gpuArray (H), "exp", "scale", -1i * t)), U, 1e-12);
%! assert (gather (pagefunm (gpuArray (H), "occupied", [0, 1])), pagefunm (H, "occupied", [0, 1]), 1e-12);
%!test # pages that fail
%! [F, info] = pagefunm ([1, NaN; NaN, 1], "exp", "scale", 1:3);
%! assert (F, NaN (2, 2, 3));
%! assert (info, int32 ([3; 3; 3]));
%! [F, info] = pagefunm (diag ([1, 2]), "log", "scale", [1, 0, 2]);
%! assert (info, int32 ([0; 4; 0]));
%! assert (F(:,:,2), -Inf (2));
%! [F, info] = pagefunm (diag ([1, 2]), "sqrt", "scale", [1, -1], "indefinite", "nan");
%! assert (info, int32 ([0; 5]));
%! assert (F(:,:,1), diag (sqrt ([1, 2])), eps);
%!warning <2 of 2 pages hold NaN or Inf> pagefunm ([1, NaN; NaN, 1], "exp", "scale", 1:2);
%!error <page 1 of A is not Hermitian> pagefunm ([1, 2; 3, 4], "exp", "scale", 1:3)
%!function count_pages (done, total)
%! global pagefunm_seen
%! pagefunm_seen(end+1,:) = [done, total];
%!endfunction
%!test
%! global pagefunm_seen
%! pagefunm_seen = zeros (0, 2);
%! pagefunm (random_pages ("d", 3, 30000, false), "exp", "progress", @count_pages);
%! assert (pagefunm_seen(end,:), [30000, 30000]);
%! assert (issorted (pagefunm_seen(:,1)));
%! clear -global pagefunm_seen

%!test
%! global pagefunm_seen
%! pagefunm_seen = zeros (0, 2);
%! pagefunm (ones (3), "exp", "scale", rand (1, 30000), "progress", @count_pages);
%! assert (pagefunm_seen(end,:), [30000, 30000]);
%! assert (issorted (pagefunm_seen(:,1)));
%! clear -global pagefunm_seen

%!## errors
%!error <Invalid call> pagefunm (1)
%!error <Invalid call> pagefunm (1, "power")
%!error <called with too many outputs> [a, b, c] = pagefunm (1, "exp");
%!error id=gpulinalg:bad-class pagefunm (true, "exp")
%!error <A must be a full array, not sparse> pagefunm (sparse (1), "exp")
%!error id=gpulinalg:bad-shape pagefunm (ones (2, 3), "exp")
%!error id=gpulinalg:not-hermitian pagefunm ([1, 2; 3, 4], "exp")
%!error <page 2 of A is not Hermitian: the largest \|A - A'\| is 1> pagefunm (cat (3, eye (2), [1, 1; 0, 1]), "exp")
%!error id=gpulinalg:bad-value pagefunm (1, "sin")
%!error <the function must be "exp", .* or a function handle, not "sin"> pagefunm (1, "sin")
%!error <or a function handle, not of class double> pagefunm (1, 2)
%!error <or a function handle, not of class char of size 1x3x2> pagefunm (1, repmat ("exp", [1, 1, 2]))
%!error id=gpulinalg:bad-value pagefunm (1, "power", 1i)
%!error <the exponent must be a finite real number, not NaN$> pagefunm (1, "power", NaN)
%!error <the exponent must be a finite real number, not "two"$> pagefunm (1, "power", "two")
%!error <the exponent must be a finite real number, not of class double and size 1x2$> pagefunm (1, "power", [1, 2])
%!error <k must be integers from 0 to 2, not 3> pagefunm (eye (2), "occupied", 3)
%!error <k must be a real number, or one for each page, not 1x2 for 3 pages> pagefunm (ones (2, 2, 3), "occupied", [1, 2])
%!error <k must be a real number, or one for each page, not 0x0 for 1 page$> pagefunm (eye (2), "occupied", [])
%!error id=gpulinalg:bad-option pagefunm (1, "occupied", 1, "scale", 2)
%!error id=gpulinalg:bad-option pagefunm (1, "exp", "colour", 1)
%!error id=gpulinalg:bad-option pagefunm (1, "exp", "scale")
%!error <option "scale" must be a number, or one for each page, not 1x2 for 3 pages> pagefunm (ones (1, 1, 3), "exp", "scale", [1, 2])
%!error <option "scale" must be a number, or one for each page, not of class cell> pagefunm (1, "exp", "scale", {1})
%!error <option "floor" must be a real number from 0 on, less than 1, not 1$> pagefunm (1, "exp", "floor", 1)
%!error <option "tol" must be a real number from 0 on, less than 1, not a complex number$> pagefunm (1, "exp", "tol", 1i)
%!error id=gpulinalg:bad-value pagefunm (1, "exp", "tol", -1)
%!error id=gpulinalg:bad-value pagefunm (1, "sqrt", "indefinite", "real")
%!error id=gpulinalg:bad-value pagefunm (1, "exp", "device", "tpu")
%!testif ; isempty (gpulinalg_info ().devices)
%! try, pagefunm (1, "exp", "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!function y = pagefunm_square (x)
%!  y = x .^ 2;
%!endfunction
%!test # a function in a file returns its result also where the call ignores F
%! [~, info] = pagefunm (eye (3), @pagefunm_square);
%! assert (info, int32 (0));
