## gsvd_hz.tst: tests of gsvd_hz
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = numbers (m, n, pages, type, seed)
%!  ## Random pages of type "s", "d", "c" or "z"; pages may be a vector of sizes.
%!  rand ("twister", seed);
%!  A = rand ([m, n, pages]) - 0.5;
%!  if (any (type == "cz"))
%!    A = complex (A, rand ([m, n, pages]) - 0.5);
%!  endif
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function d = on_diagonal (D, above, q)
%!  ## q entries of one page, zeros where its diagonal number `above` has none.
%!  d = zeros (q, 1);
%!  for j = above+1:min (q, above + rows (D))
%!    d(j) = D(j-above,j);
%!    D(j-above,j) = 0;
%!  endfor
%!  assert (! any (D(:)));
%!endfunction

%!function check_pair (A, B, U, V, X, C, S)
%!  ## The definition, in each page; everything in double.
%!  [m, p, ~] = size (A);
%!  n = rows (B);
%!  q = min (m + n, p);
%!  tol = 10 * max ([m, n, p, 1]) * max (eps (class (U)), eps (class (X)));
%!  for k = 1:prod (size (A)(3:end))
%!    a = double (A(:,:,k));
%!    b = double (B(:,:,k));
%!    u = double (U(:,:,k));
%!    v = double (V(:,:,k));
%!    x = double (X(:,:,k));
%!    c = double (C(:,:,k));
%!    s = double (S(:,:,k));
%!    assert (all (isfinite ([u(:); v(:); x(:); c(:); s(:)])));
%!    assert (norm (u' * u - eye (columns (u))) <= tol);
%!    assert (norm (v' * v - eye (columns (v))) <= tol);
%!    assert (norm (a - u * c * x') <= tol * norm (a));
%!    assert (norm (b - v * s * x') <= tol * norm (b));
%!    alpha = on_diagonal (c, max (0, q - m), q);
%!    beta = on_diagonal (s, 0, q);
%!    assert (isreal (C) && isreal (S) && all ([alpha; beta] >= 0));
%!    assert (alpha .^ 2 + beta .^ 2, ones (q, 1), tol);
%!    assert (issorted (alpha ./ beta));
%!  endfor
%!endfunction

%!function check_forms (A, B, varargin)
%!  ## All forms of one call; their values are the same to the bit.
%!  m = rows (A);
%!  n = rows (B);
%!  q = min (m + n, columns (A));
%!  pages = size (A)(3:end);
%!  [U, V, X, C, S, stats] = gsvd_hz (A, B, varargin{:});
%!  shapes = {[m, m, pages], [n, n, pages], [columns(A), q, pages], [m, q, pages], [n, q, pages]};
%!  assert ({size(U), size(V), size(X), size(C), size(S)}, shapes);
%!  check_pair (A, B, U, V, X, C, S);
%!  sigma = gsvd_hz (A, B, varargin{:});
%!  assert (size (sigma), [q, 1, pages]);
%!  for k = 1:prod (pages)
%!    alpha = on_diagonal (C(:,:,k), max (0, q - m), q);
%!    beta = on_diagonal (S(:,:,k), 0, q);
%!    assert (sigma(:,:,k), cast (alpha, class (C)) ./ cast (beta, class (S)));
%!  endfor
%!  [Ue, Ve, Xe, Ce, Se] = gsvd_hz (A, B, 0, varargin{:});
%!  shapes = {[m, min(m, q), pages], [n, min(n, q), pages], [columns(A), q, pages], ...
%!            [min(m, q), q, pages], [min(n, q), q, pages]};
%!  assert ({size(Ue), size(Ve), size(Xe), size(Ce), size(Se)}, shapes);
%!  check_pair (A, B, Ue, Ve, Xe, Ce, Se);
%!  assert ({Ce, Se}, {C(1:min (m, q),:,:), S(1:min (n, q),:,:)});
%!endfunction

%!## a matrix for all pages of the other array
%!test
%! A = reshape (mod ((1:5*4*6) .^ 2, 23), 5, 4, 2, 3);
%! L = [1, -1, 0, 0; 0, 1, -1, 0];
%! many = repmat (L, 1, 1, 2, 3);
%! [U, V, X, C, S] = gsvd_hz (A, L, 0);
%! [u, v, x, c, s] = gsvd_hz (A, many, 0);
%! assert ({U, V, X, C, S}, {u, v, x, c, s});
%! assert (size (U), [5, 4, 2, 3]);
%! assert (gsvd_hz (L, A), gsvd_hz (many, A));
%! assert (gsvd_hz (single (L), A, "method", "hz"), gsvd_hz (single (many), A, "method", "hz"));
%! assert (gevd_hz (L, A), gevd_hz (many, A));
%! [Z, lambda] = gevd_hz (A, A(:,:,1));
%! assert (squeeze (lambda(:,1,1)), ones (4, 1), 1e-12);
%! assert (gather (gsvd_hz (gpuArray (A), A(:,:,1))), gsvd_hz (A, A(:,:,1)), 1e-11);
%! assert (size (gsvd_hz (zeros (3, 2, 0), ones (2))), [2, 1, 0]);
%!error <must have the same columns and the same pages, but A is 2x3x2 and B is 2x2> gsvd_hz (ones (2, 3, 2), eye (2))
%!error <B must be a full array, not sparse> gsvd_hz (ones (2, 3, 2), sparse (eye (3)))
%!error <B must be a single or double array, not cell> gsvd_hz (ones (2, 1, 2), {1})

%!## all forms, four types, shapes of every kind
%!test
%! shapes = [1, 1, 1; 3, 3, 3; 5, 4, 3; 4, 5, 3; 1, 1, 4; 2, 1, 4; 1, 4, 4; 3, 3, 4; 4, 1, 3; 2, 6, 4; 1, 3, 3; ...
%!           17, 16, 15; 9, 20, 16; 40, 33, 17; 33, 5, 33; 5, 33, 33];
%! for shape = shapes.'
%!   [m, n, p] = num2cell (shape){:};
%!   for type = "sdcz"
%!     A = numbers (m, p, 2, type, 100 * m + n);
%!     B = numbers (n, p, 2, type, 100 * n + p);
%!     check_forms (A, B);
%!   endfor
%! endfor

%!## both methods, blockings and orderings, around the widths of blocks
%!test
%! for p = [2, 7, 16, 31, 33, 50, 65]
%!   for type = "dz"
%!     A = numbers (p + 3, p, [], type, p);
%!     B = numbers (p + 1, p, [], type, p + 1);
%!     exact = sort (gsvd (A, B));
%!     for method = {"hz", "tangent"}
%!       for blocking = {"bo", "fb"}
%!         for ordering = {"me", "mm"}
%!           [U, V, X, C, S] = gsvd_hz (A, B, "method", method{1}, "blocking", blocking{1}, ...
%!                                      "Ordering", upper (ordering{1}));
%!           check_pair (A, B, U, V, X, C, S);
%!           sigma = diag (C) ./ diag (S);
%!           assert (all (abs (sigma - exact) ./ exact < 1e3 * p * eps));
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## known values
%!test
%! c = [1; 2; 3; 4] / 5;
%! s = sqrt (1 - c .^ 2);
%! X = numbers (4, 4, [], "d", 8) + 2 * eye (4);
%! [U, ~] = qr (numbers (6, 4, [], "d", 9), 0);
%! [V, ~] = qr (numbers (5, 4, [], "d", 10), 0);
%! sigma = gsvd_hz (U * diag (c) * X', V * diag (s) * X');
%! assert (sigma, c ./ s, -100 * eps);

%!## values over 25 decades keep their digits
%!test
%! sigma = 10 .^ linspace (-15, 10, 26).';
%! [U, ~] = qr (numbers (30, 26, [], "d", 1), 0);
%! [V, ~] = qr (numbers (28, 26, [], "d", 2), 0);
%! for method = {"auto", "hz", "tangent"}
%!   assert (gsvd_hz (U .* sigma.', V, "method", method{1}), sigma, -1e-13);
%! endfor

%!## columns where A or B is zero: values 0 and Inf
%!test
%! sigma = gsvd_hz ([3, 0, 0; 0, 4, 0], [0, 1, 0; 0, 0, 2]);
%! assert (sigma, [0; 4; Inf], 10 * eps);
%! [U, V, X, C, S] = gsvd_hz ([3, 0, 0; 0, 4, 0], [0, 1, 0; 0, 0, 2]);
%! assert (C, [0, 4/sqrt(17), 0; 0, 0, 1], 10 * eps);
%! assert (S, [1, 0, 0; 0, 1/sqrt(17), 0], 10 * eps);

%!## ranks
%!test
%! for type = "dz"
%!   A = numbers (6, 5, 9, type, 3);
%!   B = numbers (7, 5, 9, type, 4);
%!   A(:,2,2) = 0;
%!   B(:,3,3) = 0;
%!   A(:,4,4) = B(:,4,4) = 0;
%!   A(:,:,5) = 0;
%!   B(:,:,6) = 0;
%!   A(:,:,7) = B(:,:,7) = 0;
%!   low = numbers (3, 5, [], type, 5);
%!   A(:,:,8) = numbers (6, 3, [], type, 6) * low;
%!   B(:,:,8) = numbers (7, 3, [], type, 7) * low;
%!   B(1:6,:,9) = A(:,:,9);
%!   B(7,:,9) = 0;
%!   for method = {"auto", "hz", "tangent"}
%!     check_forms (A, B, "method", method{1});
%!   endfor
%!   sigma = squeeze (gsvd_hz (A, B));
%!   assert (sum (sigma < 10 * eps)([1, 2, 3, 5, 6, 9]), [0, 1, 0, 5, 0, 0]);
%!   assert (isinf (sigma(5,3)) && ! isinf (sigma(4,3)));
%!   assert (all (isinf (sigma(:,6))));
%!   assert (sigma(:,9), ones (5, 1), 100 * eps);
%! endfor

%!## a zero column in nearly square matrices, where all of A is reduced
%!test
%! for p = [6, 9, 17, 32]
%!   A = numbers (p + 3, p, [], "z", p);
%!   B = numbers (p + 1, p, [], "z", p + 1);
%!   A(:,ceil (p / 2)) = 0;
%!   for method = {"auto", "hz", "tangent"}
%!     check_forms (A, B, "method", method{1});
%!     check_forms (B, A, "method", method{1});
%!   endfor
%! endfor

%!## huge and tiny
%!test
%! A = numbers (6, 5, [], "z", 3);
%! B = numbers (7, 5, [], "z", 4);
%! sigma = gsvd_hz (A, B);
%! for method = {"hz", "tangent"}
%!   for scale = 2 .^ [500, 0; -500, 0; 0, 500; 0, -500; 500, 500; -500, -500; 400, -400; -400, 400].'
%!     check_forms (A * scale(1), B * scale(2), "method", method{1});
%!     assert (gsvd_hz (A * scale(1), B * scale(2), "method", method{1}), sigma * scale(1) / scale(2), -1e-12);
%!   endfor
%! endfor

%!## two to four outputs
%!test
%! A = numbers (4, 3, [], "d", 1);
%! B = numbers (5, 3, [], "d", 2);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! for outputs = 2:4
%!   got = cell (1, outputs);
%!   [got{:}] = gsvd_hz (A, B);
%!   assert (got, {U, V, X, C}(1:outputs));
%! endfor
%! [Ue, Ve] = gsvd_hz (A, B, "econ");
%! assert ({size(Ue), size(Ve)}, {[4, 3], [5, 3]});

%!## 0, "0" and "econ"
%!test
%! A = numbers (6, 3, [], "d", 1);
%! B = numbers (5, 3, [], "d", 2);
%! economy = nthargout (1:5, @gsvd_hz, A, B, 0);
%! for given = {{single(0)}, {false}, {"econ"}, {"ECON"}, {"0"}, {0, "0"}, {"device", "cpu", "econ"}}
%!   assert (nthargout (1:5, @gsvd_hz, A, B, given{1}{:}), economy);
%! endfor

%!## class and complexity of the results
%!test
%! A = numbers (5, 3, 2, "d", 1);
%! B = numbers (4, 3, 2, "z", 2);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! assert ([iscomplex(U), iscomplex(V), iscomplex(X), iscomplex(C), iscomplex(S)], [true, true, true, false, false]);
%! check_pair (A, B, U, V, X, C, S);
%! [U, V, X, C, S] = gsvd_hz (single (A), B);
%! assert ({class(U), class(V), class(X), class(C), class(S)}, repmat ({"single"}, 1, 5));
%! assert (iscomplex (U));
%! [U, V, X] = gsvd_hz (A, single (real (B)));
%! assert ({class(U), class(X), iscomplex(X)}, {"single", "single", false});
%! assert (class (gsvd_hz (A, single (B))), "single");
%! assert (class (gsvd_hz (A, B)), "double");

%!## a complex matrix without imaginary parts gives the results of the real one
%!test
%! A = numbers (9, 7, [], "d", 1);
%! B = numbers (8, 7, [], "d", 2);
%! assert (gsvd_hz (complex (A), complex (B)), gsvd_hz (A, B), -1e-13);

%!## trailing dimensions are kept, and a page has the same bits alone
%!test
%! A = numbers (7, 5, [2, 1, 3], "z", 3);
%! B = numbers (6, 5, [2, 1, 3], "z", 4);
%! [U, V, X, C, S, stats] = gsvd_hz (A, B);
%! assert (size (gsvd_hz (A, B)), [5, 1, 2, 1, 3]);
%! assert ({size(U), size(V), size(X)}, {[7, 7, 2, 1, 3], [6, 6, 2, 1, 3], [5, 5, 2, 1, 3]});
%! assert ({size(C), size(S)}, {[7, 5, 2, 1, 3], [6, 5, 2, 1, 3]});
%! for k = 1:6
%!   [u, v, x, c, s, one] = gsvd_hz (A(:,:,k), B(:,:,k));
%!   assert ({u, v, x, c, s}, {U(:,:,k), V(:,:,k), X(:,:,k), C(:,:,k), S(:,:,k)});
%!   assert (one.sweeps, stats.sweeps(k));
%!   assert (one.rotations, stats.rotations(1:one.sweeps,k));
%! endfor

%!## stats
%!test
%! A = numbers (20, 18, [], "d", 1);
%! B = numbers (19, 18, [], "d", 2);
%! for method = {"hz", "tangent"}
%!   [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "method", method{1}, "device", "cpu");
%!   assert (fieldnames (stats), {"method"; "sweeps"; "rotations"; "info"; "seconds"; "device"});
%!   assert (stats.method, method{1});
%!   assert ({size(stats.sweeps), size(stats.rotations)}, {[1, 1], [stats.sweeps, 1]});
%!   assert (stats.sweeps > 1 && stats.rotations(1) > 0);
%!   assert ({stats.info, stats.device}, {int32(0), "cpu"});
%!   assert (stats.seconds > 0 && stats.seconds < 60);
%! endfor
%! [~, ~, ~, ~, ~, stats] = gsvd_hz (repmat (A, [1, 1, 3]), repmat (B, [1, 1, 3]), "method", "hz");
%! assert (stats.method, {"hz", "hz", "hz"});
%! assert ({size(stats.sweeps), columns(stats.rotations), stats.info}, {[1, 3], 3, int32([0, 0, 0])});
%! [~, ~, ~, ~, ~, stats] = gsvd_hz ([], []);
%! assert ({stats.method, stats.sweeps, size(stats.rotations)}, {"none", 0, [0, 1]});

%!## empty results
%!test
%! function check_sizes (wanted, varargin)
%!   results = cell (1, 5);
%!   [results{:}] = gsvd_hz (varargin{:});
%!   assert (cellfun (@size, results, "uniformoutput", false), wanted);
%!   check_pair (varargin{1:2}, results{:});
%! endfunction
%! check_sizes ({[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]}, [], []);
%! check_sizes ({[0, 0], [2, 2], [3, 2], [0, 2], [2, 2]}, zeros (0, 3), [1, 2, 3; 4, 5, 6]);
%! check_sizes ({[2, 2], [0, 0], [3, 2], [2, 2], [0, 2]}, [1, 2, 3; 4, 5, 6], zeros (0, 3));
%! check_sizes ({[4, 4], [0, 0], [2, 2], [4, 2], [0, 2]}, magic (4)(:,1:2), zeros (0, 2));
%! check_sizes ({[4, 2], [0, 0], [2, 2], [2, 2], [0, 2]}, magic (4)(:,1:2), zeros (0, 2), 0);
%! check_sizes ({[0, 0], [4, 2], [2, 2], [0, 2], [2, 2]}, zeros (0, 2), magic (4)(:,1:2), 0);
%! check_sizes ({[0, 0], [0, 0], [3, 0], [0, 0], [0, 0]}, zeros (0, 3), zeros (0, 3));
%! check_sizes ({[3, 3], [2, 2], [0, 0], [3, 0], [2, 0]}, zeros (3, 0), zeros (2, 0));
%! check_sizes ({[3, 0], [2, 0], [0, 0], [0, 0], [0, 0]}, zeros (3, 0), zeros (2, 0), 0);
%! check_sizes ({[3, 3, 0], [2, 2, 0], [4, 4, 0], [3, 4, 0], [2, 4, 0]}, zeros (3, 4, 0), zeros (2, 4, 0));
%! check_sizes ({[3, 3, 2], [2, 2, 2], [0, 0, 2], [3, 0, 2], [2, 0, 2]}, zeros (3, 0, 2), zeros (2, 0, 2));
%! assert (gsvd_hz ([], []), zeros (0, 1));
%! assert (gsvd_hz (zeros (0, 3), [1, 2, 3; 4, 5, 6]), [0; 0]);
%! assert (gsvd_hz ([1, 2, 3; 4, 5, 6], zeros (0, 3)), [Inf; Inf]);
%! assert (gsvd_hz (zeros (3, 4, 0, 2, "single"), zeros (2, 4, 0, 2)), zeros (4, 1, 0, 2, "single"));

%!## NaN and Inf
%!test
%! A = numbers (6, 4, 5, "d", 7);
%! B = numbers (5, 4, 5, "d", 8);
%! [U, V, X, C, S] = gsvd_hz (A, B);
%! rest = [1, 2, 4, 5];
%! warning ("off", "gpulinalg:pages-failed", "local");
%! for bad = [NaN, Inf, -Inf]
%!   Y = A;
%!   Y(4,2,3) = bad;
%!   [u, v, x, c, s] = gsvd_hz (Y, B);
%!   assert ({u(:,:,rest), v(:,:,rest), x(:,:,rest)}, {U(:,:,rest), V(:,:,rest), X(:,:,rest)});
%!   assert ({c(:,:,rest), s(:,:,rest)}, {C(:,:,rest), S(:,:,rest)});
%!   assert (all (isnan ([u(:,:,3)(:); v(:,:,3)(:); x(:,:,3)(:); diag(c(:,:,3)); diag(s(:,:,3))])));
%!   Y = B;
%!   Y(1,1,2) = bad;
%!   [~, ~, ~, ~, ~, stats] = gsvd_hz (A, Y);
%!   assert (stats.info, int32 ([0, 5, 0, 0, 0]));
%!   assert (isnan (gsvd_hz (A, Y)(:,1,2)), true (4, 1));
%! endfor

%!## pages that fail give one warning, and none if stats is an output
%!warning id=gpulinalg:pages-failed gsvd_hz (ones (2, 2, 3), NaN (2, 2, 3));
%!warning <gsvd_hz: 1 of 4 pages hold NaN or Inf .* are NaN in the result; the first is page 3> ...
%! [U, V] = gsvd_hz (reshape ([1, 2, NaN, 4], [1, 1, 4]), ones (1, 1, 4));
%!warning <gsvd_hz: 1 of 1 pages hold NaN or Inf and are NaN in the result; the first is page 1> gsvd_hz (NaN, 1);
%!warning id=gpulinalg:pages-failed [U, V] = gsvd_hz ([1, 2], [3, complex(1, Inf)]);
%!test
%! warning ("off", "gpulinalg:pages-failed", "local");
%! assert (gsvd_hz (-Inf, 1), NaN);
%! [U, V, X, C, S] = gsvd_hz ([1, 2], [3, single(NaN)]);
%! assert (all (isnan ([U(:); V(:); X(:); C(1,2); S(1,1)])));
%! [~, ~, ~, ~, ~, stats] = gsvd_hz ([1, 2], [3, Inf]);
%! assert (stats.info, int32 (3));
%!test
%! lastwarn ("", "");
%! [U, V, X, C, S, stats] = gsvd_hz (ones (2, 2, 3), NaN (2, 2, 3));
%! assert (nthargout (2, @lastwarn), "");

%!## A and B are not changed
%!test
%! A = numbers (6, 4, 3, "d", 9);
%! B = numbers (6, 4, 3, "d", 9);
%! [U, V] = gsvd_hz (A, A, "method", "hz");
%! [U, V] = gsvd_hz (A, B, "method", "tangent");
%! assert ({A, B}, {numbers(6, 4, 3, "d", 9), numbers(6, 4, 3, "d", 9)});

%!## ranges, diagonal matrices and so on
%!test
%! assert (gsvd_hz (eye (3), 2 * eye (3)), [0.5; 0.5; 0.5], 10 * eps);
%! assert (gsvd_hz (1:3, 4:6), [0; Inf]);
%! assert (gsvd_hz (3:3, 4:4), 0.75, 10 * eps);
%! assert (gsvd_hz (eye (3)(:,[2, 1, 3]), eye (3)), [1; 1; 1], 10 * eps);

%!## block sizes
%!test
%! A = numbers (70, 50, [], "d", 1);
%! B = numbers (60, 50, [], "d", 2);
%! sigma = gsvd_hz (A, B);
%! for method = {"hz", "tangent"}
%!   for block = {1, 7, int8(16), single(64), 1000}
%!     [U, V, X, C, S] = gsvd_hz (A, B, "Block", block{1}, "DEVICE", "cpu", "method", method{1});
%!     check_pair (A, B, U, V, X, C, S);
%!     assert (diag (C) ./ diag (S), sigma, -1e-11);
%!   endfor
%! endfor

%!## Tikhonov regularization for every L, with the formula of doc/user-guide.md
%!test
%! for shape = [8, 6, 5; 8, 6, 4; 8, 6, 6; 8, 6, 9; 4, 6, 5; 5, 6, 3; 3, 6, 2; 6, 6, 1; 1, 6, 3].'
%!   A = numbers (shape(1), shape(2), [], "z", 11);
%!   b = numbers (shape(1), 1, [], "z", 12);
%!   L = numbers (shape(3), shape(2), [], "d", 13);
%!   if (shape(3) == 5)
%!     L = diff (eye (6));
%!   endif
%!   for form = {{}, {0}}
%!     [U, V, X, C, S] = gsvd_hz (A, L, form{1}{:});     % A = U*C*X', L = V*S*X'
%!     c2 = sumsq (C, 1).';                     % one number for each column of X
%!     s2 = sumsq (S, 1).';
%!     x = @(lambda) X' \ (C' * (U' * b) ./ (c2 + lambda^2 * s2));
%!     for lambda = [1e-2, 1, 100]
%!       right = pinv ([A; lambda * L]) * [b; zeros(shape(3), 1)];
%!       assert (x (lambda), right, 1e-9 * norm (right));
%!     endfor
%!   endfor
%! endfor
%!error <gsvd_hz: argument 3 must be the name of an option, not of class char of size 1x1x2> gsvd_hz (1, 1, cat (3, "a", "b"))

%!## gpuArrays: both, or one of them with an array of the host
%!function check_gpu_arrays (A, B, varargin)
%!  out = cell (1, 6);
%!  [out{:}] = gsvd_hz (A, B, varargin{:});
%!  for which = [1, 1, 0; 1, 0, 1]
%!    args = {A, B};
%!    args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
%!    G = cell (1, 6);
%!    [G{:}] = gsvd_hz (args{:}, varargin{:});
%!    assert (cellfun (@isgpuarray, G), [true(1, 5), false]);
%!    host = cellfun (@gather, G, "uniformoutput", false);
%!    assert (cellfun (@size, host, "uniformoutput", false), cellfun (@size, out, "uniformoutput", false));
%!    assert (cellfun (@class, host, "uniformoutput", false), cellfun (@class, out, "uniformoutput", false));
%!    sigma = gsvd_hz (args{:}, varargin{:});
%!    assert (isgpuarray (sigma));
%!    wanted = gsvd_hz (A, B, varargin{:});
%!    assert (gather (sigma), wanted, 1e3 * eps (class (wanted)) * max ([1; abs(wanted(:))]));
%!    [U, V, X, C, S] = host{1:5};
%!    for p = 1:size (A, 3)
%!      assert (U(:,:,p) * C(:,:,p) * X(:,:,p)', A(:,:,p), 1e3 * eps (class (U)));
%!      assert (V(:,:,p) * S(:,:,p) * X(:,:,p)', B(:,:,p), 1e3 * eps (class (U)));
%!    endfor
%!  endfor
%!endfunction
%!test
%! rand ("twister", 5);
%! for type = {@double, @single, @(x) complex (x, rand (size (x)))}
%!   A = type{1} (rand (7, 4, 3));
%!   B = type{1} (rand (5, 4, 3));
%!   check_gpu_arrays (A, B);
%!   check_gpu_arrays (A, B, 0);
%!   check_gpu_arrays (A(:,:,1), B(:,:,1), "method", "hz");
%!   check_gpu_arrays (A(1:4,:,1), B(1:4,:,1), "method", "tangent");
%! endfor
%! check_gpu_arrays (zeros (3, 0), zeros (2, 0));
%! check_gpu_arrays (zeros (4, 3, 0), zeros (5, 3, 0));
%!error id=gpulinalg:bad-class gsvd_hz (gpuArray (true), 1)
%!error id=gpulinalg:bad-class gsvd_hz (gpuArray (1), sparse (1))
%!error id=gpulinalg:bad-shape gsvd_hz (gpuArray (ones (3, 2)), ones (3, 1))
%!testif ; gpuDeviceCount () > 0
%! fail ("gsvd_hz (gpuArray (ones (1, 2)), ones (2))", "at least as many rows as columns, but A is 1x2");
%! fail ("gsvd_hz (gpuArray (eye (2)), ones (2))", "B has less than full column rank on page 1");

%!## columns whose lengths are graded differently in A and B: right, or NaN with a warning
%!function check_graded (type, n, method, spread, good)
%!  A = feval (type, randn (n));
%!  B = feval (type, randn (n) .* 2 .^ linspace (-spread / 2, spread / 2, n));
%!  lastwarn ("");
%!  warning ("off", "gpulinalg:pages-failed", "local");
%!  [U, V, X, C, S, stats] = gsvd_hz (A, B, "method", method, "device", "cpu");
%!  assert (stats.info, double (! good), 0);
%!  if (good)
%!    assert (norm (U' * U - eye (n), "fro") < 100 * n * eps (type));
%!    assert (norm (V' * V - eye (n), "fro") < 100 * n * eps (type));
%!    scale = 2 .^ max (0, linspace (-spread / 2, spread / 2, n));
%!    assert (norm ((A - U * C * X') ./ scale, "fro") < 100 * n * eps (type) * norm (A));
%!  else
%!    assert (all (isnan ([U(:); V(:); X(:); diag(C); diag(S)])));
%!  endif
%!endfunction
%!test
%! randn ("twister", 1);
%! for method = {"hz", "tangent"}
%!   for n = [8, 40, 100]
%!     check_graded ("double", n, method{1}, 400, true);
%!     check_graded ("double", n, method{1}, 600, false);
%!     check_graded ("double", n, method{1}, 960, false);
%!     check_graded ("single", n, method{1}, 50, true);
%!     check_graded ("single", n, method{1}, 100, false);
%!   endfor
%! endfor

%!test # outputs that a call ignores are not those of Octave's functions that it needs
%! A = rand (3, 3, 2);
%! [~, ~, ~, ~, ~, stats] = gsvd_hz (A, rand (3, 3));
%! assert (double (stats.info), [0, 0]);
%! [~, lambda] = gevd_hz (A, rand (3, 3));
%! assert (size (lambda), [3, 1, 2]);

%!## pages that begin anywhere in memory have the same bits: sizes of both halves of 16 bytes, up to 32 reflectors and more
%!test
%! randn ("twister", 1);
%! for shape = [65, 65, 5; 65, 90, 23; 101, 65, 31; 101, 99, 33; 201, 131, 3].'
%!   for type = {@double, @single, @(x) complex(x, x .^ 2)}
%!     A = repmat (type{1} (randn (shape(1), shape(3))), [1, 1, 4]);
%!     B = repmat (type{1} (randn (shape(2), shape(3))), [1, 1, 4]);
%!     for form = {{}, {0}}
%!       [U, V, X] = gsvd_hz (A, B, form{1}{:});
%!       for p = 2:4
%!         assert (isequal (U(:,:,p), U(:,:,1)) && isequal (V(:,:,p), V(:,:,1)) && isequal (X(:,:,p), X(:,:,1)));
%!       endfor
%!     endfor
%!   endfor
%! endfor
