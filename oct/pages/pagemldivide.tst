## pagemldivide.tst: tests of pagemldivide
## SPDX-License-Identifier: GPL-3.0-or-later

%!function M = op_of (word, M)
%! switch (word)
%!   case "transpose"   M = M.';
%!   case "ctranspose"  M = M';
%! endswitch
%!endfunction
%!function [M, B, pages] = system_of (A, word, B, p)
%! ## the matrix and the right-hand side of page p of the result; without p the pages
%! na = size (A);  nb = size (B);
%! count = max ([numel(na), numel(nb), 3]);
%! na(end+1:count) = 1;  nb(end+1:count) = 1;
%! pages = max (na(3:end), nb(3:end));
%! pages(na(3:end) == 0 | nb(3:end) == 0) = 0;
%! if (nargin < 4)
%!   M = [];
%!   return;
%! endif
%! sub = cell (1, numel (pages));
%! [sub{:}] = ind2sub ([pages, 1], p);
%! sub = [sub{:}];
%! sa = num2cell (min (sub, na(3:end)));  sb = num2cell (min (sub, nb(3:end)));
%! M = op_of (word, A(:,:,sa{:}));
%! B = B(:,:,sb{:});
%!endfunction
%!function X = check_solution (A, word, B, conditioned = true)
%! ## Octave's own \ page by page: class, size, backward error and, with `conditioned`, distance
%! warning ("off", "Octave:singular-matrix", "local");
%! warning ("off", "Octave:nearly-singular-matrix", "local");
%! [X, ~, info] = pagemldivide (A, word, B);
%! [~, ~, pages] = system_of (A, word, B);
%! assert (info, zeros (prod (pages), 1, "int32"));
%! m = size (A, 1 + ! strcmp (word, "none"));  n = size (A, 2 - ! strcmp (word, "none"));
%! assert (size (X), size (zeros ([n, columns(B), pages])));
%! for p = 1:prod (pages)
%!   [M, b] = system_of (A, word, B, p);
%!   x = X(:,:,p);
%!   x0 = M \ b;
%!   assert (class (x), class (x0));
%!   u = 20 * max (m, n) * eps (class (x));
%!   for j = 1:columns (b)
%!     r = M * double (x(:,j)) - b(:,j);
%!     if (m == n)
%!       assert (norm (r, 1) <= u * (norm (M, 1) * norm (x(:,j), 1) + norm (b(:,j), 1)));
%!     endif
%!     if (conditioned)
%!       slack = (norm (x0(:,j)) + (m > n) * norm (b(:,j)) / norm (M) * cond (M));
%!       assert (norm (x(:,j) - x0(:,j)) <= u * cond (M) * slack);
%!     endif
%!   endfor
%! endfor
%!endfunction
%!function A = any_array (type, varargin)
%! A = rand (varargin{:}) - 0.5;
%! if (any (type == "cz"))
%!   A = A + 1i * (rand (varargin{:}) - 0.5);
%! endif
%! if (any (type == "sc"))
%!   A = single (A);
%! endif
%!endfunction
%!function A = safe_array (type, n, varargin)
%! ## far from singular
%! A = any_array (type, n, n, varargin{:}) + n * full (eye (n));
%!endfunction

%!## all pairs of types, all transposes, sizes around the edges of registers
%!test
%! for a = "sdcz"
%!   for b = "sdcz"
%!     for n = [2, 3, 4, 7]
%!       A = any_array (a, n, n, 5);
%!       for r = [1, 3]
%!         B = any_array (b, n, r, 5);
%!         for word = {"none", "transpose", "ctranspose"}
%!           check_solution (A, word{1}, B);
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test
%! for type = "sdcz"
%!   for n = [5, 6, 8, 9, 15:17, 23, 31:33, 40, 65]
%!     A = any_array (type, n, n, 3);  B = any_array (type, n, 2, 3);
%!     check_solution (A, "none", B);
%!     check_solution (A, "ctranspose", B);
%!   endfor
%! endfor
%!test # many pages, some of them for every lane of a register
%! for type = "sdcz"
%!   check_solution (any_array (type, 3, 3, 67), "none", any_array (type, 3, 1, 67));
%! endfor
%!test # large pages
%! for type = "dz"
%!   check_solution (any_array (type, 150, 150, 2), "none", any_array (type, 150, 3, 2));
%! endfor

%!## kinds of pages that have methods of their own
%!test
%! for type = "sdcz"
%!   for n = [2, 4, 5, 9, 20]
%!     B = any_array (type, n, 3, 4);
%!     T = safe_array (type, n, 4);
%!     U = T;  L = T;  D = T;
%!     for p = 1:4
%!       U(:,:,p) = triu (T(:,:,p));  L(:,:,p) = tril (T(:,:,p));  D(:,:,p) = diag (diag (T(:,:,p)));
%!     endfor
%!     C = pagemtimes (T, "none", T, "ctranspose");
%!     H = any_array (type, n, n, 4);
%!     H += conj (permute (H, [2, 1, 3]));
%!     for S = {U, L, D, C, -C, H}
%!       for word = {"none", "transpose", "ctranspose"}
%!         check_solution (S{1}, word{1}, B);
%!       endfor
%!     endfor
%!     mixed = cat (3, U(:,:,1), C(:,:,1), H(:,:,1), T(:,:,1), L(:,:,1));
%!     check_solution (mixed, "none", any_array (type, n, 2, 5));
%!   endfor
%! endfor
%!test # few bits: triangular systems are exact
%! for n = [2, 3, 5, 8, 16]
%!   U = triu (mod ((1:n)' * (1:n), 5) - 2, 1) + diag (2 .^ mod (1:n, 4));
%!   x = mod ((1:n)' * (1:3), 7) - 3;
%!   for M = {U, U.', 1i * U}
%!     assert (pagemldivide (cat (3, M{1}, 2 * M{1}), cat (3, M{1} * x, M{1} * x)), cat (3, x, x / 2));
%!   endfor
%!   assert (pagemldivide (U, "transpose", U.' * x), x);
%! endfor
%!test # a permutation needs pivots
%! for n = [2, 3, 6, 17]
%!   P = eye (n)(randperm (n),:);
%!   B = rand (n, 2);
%!   assert (pagemldivide (cat (3, P, 4 * P), B), cat (3, P' * B, P' * B / 4));
%! endfor
%!test # an example of MATLAB's documentation
%! X = pagemldivide (cat (3, magic (3), hilb (3)), ones (3, 1, 2));
%! assert (X(:,:,1), ones (3, 1) / 15, 1e-15);
%! assert (X(:,:,2), [3; -24; 30], -1e-12);
%! X = pagemldivide (cat (3, pascal (4), magic (4)(:,[2, 1, 3, 4]) + full (eye (4))), "transpose", 2 * ones (4, 1, 2));
%! assert (X(:,:,1), [2; 0; 0; 0], 1e-13);

%!## pages that expand
%!test
%! A = safe_array ("d", 3, 1, 5, 2);  B = rand (3, 2, 6, 1, 2);
%! check_solution (A, "none", B);
%! check_solution (A, "transpose", B(:,:,1));
%! check_solution (A(:,:,1), "none", B);
%! check_solution (A(:,:,1) + 1i, "ctranspose", B);
%! check_solution (A(:,:,1), "none", B(:,:,1));
%! check_solution (single (A(:,:,1)), "none", B);
%! check_solution (rand (4, 2, 1, 3), "none", rand (4, 1, 2));
%! check_solution (rand (2, 4, 1, 3), "none", rand (2, 1, 2));
%! assert (size (pagemldivide (A, B)), [3, 2, 6, 5, 2]);
%!test # the same bits whatever stands beside a page
%! for type = "sdcz"
%!   for n = [2, 3, 4, 5, 8, 9, 20]
%!     A = any_array (type, n, n, 35);  B = any_array (type, n, 2, 35);
%!     A(:,:,3) = A(:,:,3) * A(:,:,3)';  A(:,:,4) = triu (A(:,:,4));  A(:,:,5) = 0;
%!     [X, rc, info] = pagemldivide (A, B);
%!     for p = [1, 2, 3, 4, 5, 6, 20, 35]
%!       [x, c, i] = pagemldivide (A(:,:,p), B(:,:,p));
%!       assert (x, X(:,:,p));  assert (c, rc(p));  assert (i, info(p));
%!     endfor
%!     assert (pagemldivide (A(:,:,7), B)(:,:,7), X(:,:,7));
%!     assert (pagemldivide (A, B(:,:,8))(:,:,8), X(:,:,8));
%!   endfor
%! endfor

%!## condition numbers
%!test
%! for type = "sdcz"
%!   for n = [2, 3, 4, 8, 12, 30]
%!     A = any_array (type, n, n, 6);
%!     [~, rc] = pagemldivide (A, ones (n, 1, class (A)));
%!     assert (size (rc), [1, 1, 6]);
%!     assert (class (rc), class (A));
%!     for p = 1:6
%!       M = double (A(:,:,p));
%!       rc0 = 1 / (norm (M, 1) * norm (inv (M), 1));
%!       tol = 50 * n * eps (class (A)) / rc0;
%!       ## an estimate of the norm of the inverse is not larger than that
%!       assert (rc(p) >= rc0 * (1 - tol) && rc(p) <= 3 * rc0 * (1 + tol));
%!     endfor
%!   endfor
%! endfor
%!test # it has the pages of A
%! A = safe_array ("d", 3, 1, 4);
%! [~, rc, info] = pagemldivide (A, rand (3, 1, 5));
%! assert (size (rc), [1, 1, 1, 4]);
%! assert (size (info), [20, 1]);
%! for p = 1:4
%!   [~, one] = pagemldivide (A(:,:,1,p), ones (3, 1));
%!   assert (rc(p), one);
%! endfor
%! [~, rc] = pagemldivide (A(:,:,1), rand (3, 1, 5));
%! assert (size (rc), [1, 1]);
%! [~, rc] = pagemldivide (A(:,:,1), "transpose", rand (3, 1, 5));
%! assert (size (rc), [1, 1]);
%! [~, rc] = pagemldivide (eye (5), ones (5, 1));
%! assert (rc, 1);
%! [~, rc] = pagemldivide (cat (3, eye (2), [1, 1; 1, 1 + eps]), [1; 1]);
%! assert (rc(1) == 1 && rc(2) < eps);

%!## singular pages: the least norm, as Octave's own operator
%!test
%! warning ("off", "Octave:singular-matrix", "local");
%! for type = "sdcz"
%!   for S = {[1, 1; 1, 1], zeros(3), diag([1, 0, 2]), triu(ones (4), 1), tril(ones (4), -1), ...
%!            ones(5), [1, 2, 0; 2, 4, 0; 0, 0, 1]}
%!     n = rows (S{1});
%!     A = repmat (S{1}, 1, 1, 3);
%!     A(:,:,2) += n * full (eye (n));
%!     if (any (type == "cz")) A *= 1 + 1i; endif
%!     if (any (type == "sc")) A = single (A); endif
%!     B = any_array (type, n, 2, 3);
%!     [X, rc, info] = pagemldivide (A, B);
%!     u = 100 * eps (class (A));
%!     for p = 1:3
%!       x0 = A(:,:,p) \ B(:,:,p);
%!       if (p != 2)            # the tolerance of \ is eps
%!         x0 = pinv (A(:,:,p)) * B(:,:,p);
%!       endif
%!       assert (norm (X(:,:,p) - x0) <= u * cond (A(:,:,2)) * norm (x0));
%!     endfor
%!     assert (rc([1, 3])(:), zeros (2, 1, class (A)));
%!     assert (rc(2) > 0);
%!     assert (all (info([1, 3]) >= 1) && all (info([1, 3]) <= n));
%!     assert (info(2), int32 (0));
%!   endfor
%! endfor
%!test # no warning about them
%! lastwarn ("");
%! pagemldivide (cat (3, ones (2), [1, 1; 1, 1 + eps]), [1; 2]);
%! assert (lastwarn (), "");

%!## the ends of the range
%!test
%! for n = [2, 4, 9]
%!   A = safe_array ("d", n, 2);  B = rand (n, 2, 2);
%!   for s = [1e300, 1e-300]
%!     check_solution (A * s, "none", B * s);
%!     check_solution (A * s, "none", B);
%!     check_solution (A, "none", B * s);
%!     check_solution ((A + 1i) * s, "none", B * s);
%!   endfor
%! endfor
%!test # graded columns and rows
%! for n = [3, 8, 12]
%!   A = safe_array ("d", n, 2);
%!   D = diag (10 .^ linspace (0, -18, n));
%!   B = rand (n, 1, 2);
%!   check_solution (pagemtimes (A, D), "none", B, false);
%!   check_solution (pagemtimes (D, A), "none", pagemtimes (D, B), false);
%!   check_solution (pagemtimes (pagemtimes (D, A), D), "none", B, false);
%! endfor
%!test # nearly singular: small residuals
%! check_solution (cat (3, hilb (12), invhilb (12), vander (1:12)), "none", rand (12, 2, 3), false);

%!## NaN and Inf
%!test
%! for n = [2, 3, 4, 5, 9, 20]
%!   for type = "dz"
%!     A = any_array (type, n, n, 9);  B = any_array (type, n, 2, 9);
%!     X = pagemldivide (A, B);
%!     A(1,1,2) = NaN;  A(n,1,5) = Inf;  A(1,n,6) = -Inf;  A(:,:,8) = NaN;
%!     [Y, rc, info] = pagemldivide (A, B);
%!     good = [1, 3, 4, 7, 9];  bad = [2, 5, 6, 8];
%!     assert (Y(:,:,good), X(:,:,good));
%!     assert (all (isnan (Y(:,:,bad))(:)));
%!     assert (all (isnan (rc(bad))) && all (rc(good) > 0));
%!     assert (info(bad), int32 ([1; 1; 1; 1]) * (n + 1));
%!     assert (info(good), zeros (5, 1, "int32"));
%!   endfor
%! endfor
%!test # triangular and definite pages, too
%! A = cat (3, [NaN, 1; 0, 1], [1, 0; 0, Inf], [2, NaN; NaN, 2]);
%! [X, rc, info] = pagemldivide (A, ones (2, 1));
%! assert (X, NaN (2, 1, 3));
%! assert (info, int32 ([3; 3; 3]));
%!test # NaN in B stays in its column
%! A = safe_array ("d", 4, 3);  B = rand (4, 3, 3);
%! X = pagemldivide (A, B);
%! B(2,2,2) = NaN;  B(1,3,3) = Inf;
%! [Y, ~, info] = pagemldivide (A, B);
%! assert (info, zeros (3, 1, "int32"));
%! assert (Y(:,:,1), X(:,:,1));
%! assert (Y(:,[1, 3],2), X(:,[1, 3],2));
%! assert (Y(:,1:2,3), X(:,1:2,3));
%! assert (any (isnan (Y(:,2,2))) && ! any (isfinite (Y(:,3,3))));
%!warning <pagemldivide: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2>
%! pagemldivide (cat (3, eye (2), NaN (2)), ones (2, 1));
%!warning id=gpulinalg:pages-failed [x, rc] = pagemldivide (Inf (2), ones (2, 1));
%!warning id=gpulinalg:pages-failed pagemldivide ([NaN, 1], 1);
%!test
%! lastwarn ("");
%! [x, rc, info] = pagemldivide (NaN (2), ones (2, 1));
%! assert (lastwarn (), "");

%!## rectangular pages: least squares of least norm
%!test
%! for a = "sdcz"
%!   for s = [5, 3; 3, 5; 9, 2; 4, 1; 20, 7; 2, 9]'
%!     for word = {"none", "transpose", "ctranspose"}
%!       A = any_array (a, s(1), s(2), 4);
%!       if (! strcmp (word{1}, "none")) A = permute (A, [2, 1, 3]); endif
%!       check_solution (A, word{1}, any_array (a, s(1), 2, 4));
%!     endfor
%!   endfor
%! endfor
%! check_solution (single (rand (5, 3, 2)), "none", rand (5, 1, 2));
%! check_solution (rand (5, 3, 2) + 1i, "none", rand (5, 1, 2));
%! check_solution (rand (5, 3, 2), "none", rand (5, 1, 2) + 1i);
%! check_solution (rand (5, 3, 2, 3), "none", rand (5, 1, 2));
%! check_solution (rand (5, 3), "none", rand (5, 2, 2, 3));
%!test # ranks
%! A = cat (3, rand (5, 3), ones (5, 3), [ones(5, 2), (1:5)'], zeros (5, 3));
%! [X, rank_of, info] = pagemldivide (A, rand (5, 1));
%! assert (rank_of(:)', [3, 1, 2, 0]);
%! assert (info', int32 ([0, 2, 1, 3]));
%! assert (X(:,:,2), X(1,1,2) * ones (3, 1), 1e-14);
%! assert (X(:,:,4), zeros (3, 1));
%! [~, rank_of] = pagemldivide (A, "transpose", rand (3, 1, 1, 2));
%! assert (squeeze (rank_of)', [3, 1, 2, 0]);
%! A(1,1,2) = NaN;
%! [X, rank_of, info] = pagemldivide (A, rand (5, 1));
%! assert (rank_of(:)', [3, NaN, 2, 0]);
%! assert (info', int32 ([0, 4, 1, 3]));
%! assert (X(:,:,2), NaN (3, 1));

%!## pages of A with one element
%!test
%! B = rand (3, 4, 5);  s = rand (1, 1, 5) + 1;
%! assert (pagemldivide (s, B), B ./ s);
%! assert (pagemldivide (2, B), B / 2);
%! assert (pagemldivide (2i, "ctranspose", B), B / (-2i));
%! assert (pagemldivide (single (3), B), single (B) / single (3));
%! assert (pagemldivide (s, [1, 2, 3]), [1, 2, 3] ./ s);
%! [X, rc, info] = pagemldivide (cat (3, 2, 0, NaN, Inf), [1, 0]);
%! assert (X, cat (3, [0.5, 0], [Inf, NaN], [NaN, NaN], [0, 0]));
%! assert (rc, cat (3, 1, 0, NaN, 0));
%! assert (info, int32 ([0; 1; 2; 2]));
%! [X, rc, info] = pagemldivide (single (2), ones (2, 2, 3));
%! assert (class (rc), "single");
%! assert (size (rc), [1, 1]);
%! assert (info, zeros (3, 1, "int32"));

%!## empties
%!test
%! assert (pagemldivide (zeros (0, 0), zeros (0, 3)), zeros (0, 3));
%! assert (size (pagemldivide (zeros (0, 0, 2), zeros (0, 3))), [0, 3, 2]);
%! assert (size (pagemldivide (eye (3), zeros (3, 0, 4))), [3, 0, 4]);
%! assert (size (pagemldivide (zeros (3, 3, 0), ones (3, 2))), [3, 2, 0]);
%! assert (size (pagemldivide (zeros (3, 3, 0, 2), ones (3, 2, 1, 2))), [3, 2, 0, 2]);
%! assert (size (pagemldivide (eye (3), ones (3, 2, 0))), [3, 2, 0]);
%! assert (pagemldivide (zeros (0, 3), zeros (0, 2)), zeros (3, 2));
%! assert (size (pagemldivide (zeros (3, 0, 2), zeros (3, 2))), [0, 2, 2]);
%! assert (size (pagemldivide (zeros (1, 1, 0), ones (3, 2))), [3, 2, 0]);
%! assert (class (pagemldivide (zeros (0, 0, "single"), zeros (0, 3))), "single");
%! [X, rc, info] = pagemldivide (zeros (0, 0, 2), zeros (0, 3));
%! assert (rc, Inf (1, 1, 2));
%! assert (info, zeros (2, 1, "int32"));
%! [X, rc, info] = pagemldivide (zeros (3, 3, 0), ones (3, 2));
%! assert (size (rc), [1, 1, 0]);
%! assert (size (info), [0, 1]);
%! [X, rc, info] = pagemldivide (2 * eye (3), zeros (3, 0, 4));
%! assert (info, zeros (4, 1, "int32"));
%! assert (rc, 1);

%!## no right-hand side, with every kernel of a GPU, and what comes behind it
%!testif ; ! isempty (gpulinalg_info ().devices)
%! for n = [4, 32, 33, 40, 64, 65, 152, 153, 160, 224, 240, 400]
%!   A = ones (n) + 3 * n * eye (n);
%!   for A = {A, A + 1i * triu(ones (n), 1) - 1i * tril(ones (n), -1), A + triu(ones (n)), single(A)}
%!     assert (size (pagemldivide (A{1}, zeros (n, 0, 300), "device", "gpu")), [n, 0, 300]);
%!     assert (size (pagemrdivide (zeros (0, n, 3), A{1}, "device", "gpu")), [0, n, 3]);
%!     assert (size (gather (pagemldivide (gpuArray (A{1}), zeros (n, 0, 3)))), [n, 0, 3]);
%!     assert (pagemldivide (A{1}, A{1}, "device", "gpu"), eye (n, class (A{1})), 100 * n * eps (class (A{1})));
%!   endfor
%! endfor

%!## options
%!test
%! A = safe_array ("d", 4, 100);  B = rand (4, 1, 100);
%! assert (pagemldivide (A, B, "device", "cpu"), pagemldivide (A, B));
%! assert (pagemldivide (A, "NONE", B, "DEVICE", "cpu"), pagemldivide (A, B));
%!function count_pages (done, total)
%! global pagemldivide_seen
%! pagemldivide_seen = [done, total];
%!endfunction
%!test
%! global pagemldivide_seen
%! for A = {rand(3, 3, 10), rand(3, 2, 10), rand(1, 1, 10)}
%!   pagemldivide_seen = [];
%!   pagemldivide (A{1}, rand (3, 1, 10), "progress", @count_pages);
%!   assert (pagemldivide_seen, [10, 10]);
%! endfor
%! clear -global pagemldivide_seen

%!## errors
%!error <Invalid call> pagemldivide ()
%!error <Invalid call> pagemldivide (1)
%!error <Invalid call> pagemldivide (1, "none")
%!error <called with too many outputs> [a, b, c, d] = pagemldivide (1, 1);
%!error id=gpulinalg:bad-class pagemldivide (true, 1)
%!error id=gpulinalg:bad-class pagemldivide (1, int8 (1))
%!error <A must be a full array, not sparse> pagemldivide (sparse (1), 1)
%!error <B must be a single or double array, not cell> pagemldivide (1, {1})
%!error id=gpulinalg:bad-shape pagemldivide (ones (2), ones (3, 1))
%!error <the pages of A have 2 rows and those of B have 3> pagemldivide (ones (2), ones (3, 1))
%!error <the pages of A have 3 rows, transposed as requested, and those of B have 2> ...
%! pagemldivide (ones (2, 3), "transpose", ones (2, 1))
%!error <the pages of A have 2 rows and those of B have 1> pagemldivide (ones (2), 1)
%!error <the pages of A and B do not match in dimension 4: 2 and 3> ...
%! pagemldivide (ones (2, 2, 1, 2), ones (2, 2, 5, 3))
%!error <the pages of A and B do not match in dimension 3: 2 and 3> ...
%! pagemldivide (ones (1, 1, 2), ones (2, 2, 3))
%!error <transpA must be "none", "transpose" or "ctranspose", not "no"> pagemldivide (1, "no", 1)
%!error id=gpulinalg:bad-option pagemldivide (1, 1, "colour", 1)
%!error <pagemldivide: argument 3: unknown option "Colour"; valid options are "device" or "progress"> pagemldivide (1, 1, "Colour", 1)
%!error <pagemldivide: argument 4: unknown option "Colour"> pagemldivide (1, "none", 1, "Colour", 1)
%!error <pagemldivide: option "device" needs a value> pagemldivide (1, 1, "device")
%!error <transpA must be .*, not of class char of size 1x4x2> pagemldivide (1, repmat ("none", [1, 1, 2]), 1)
%!error id=gpulinalg:bad-value pagemldivide (1, 1, "device", "tpu")
%!error <pages of A with one element are not done on a GPU> pagemldivide (1, 1, "device", "gpu")

%!test # pivots whose reciprocals overflow
%! for d = {1e-310, single(1e-40)}
%!   t = d{1};  z = t * 0;  small = z + 1e-10;  large = small / t;
%!   for turn = {1, 1i}
%!     v = turn{1};
%!     assert (pagemldivide (v * [t, z; z, 1], [small; 1]), [large; 1] / v, -4 * eps (class (t)));
%!     assert (pagemldivide (v * [t, 1; z, 1], [small; small]), [z; small] / v, -4 * eps (class (t)));
%!     X = pagemldivide (v * [t, z; 1, 1], [small; large]);
%!     assert (X(1) * v, large, -4 * eps (class (t)));
%!     assert (all (isfinite (X)));
%!     [X, ~, info] = pagemldivide (v * [t, 1; t/10, 2], [small; small]);
%!     assert (info, int32 (0));
%!     ratio = (t/10) / t;             # of numbers with few bits
%!     x = [(1 - (1 - ratio) / (2 - ratio)) * large; small * (1 - ratio) / (2 - ratio)];
%!     assert (X * v, x, -20 * eps (class (t)));
%!     assert (pagemrdivide ([small, 1], v * [t, z; z, 1]), [large, 1] / v, -4 * eps (class (t)));
%!   endfor
%!   for n = [3, 20, 40, 300]
%!     A = ones (n, class (t)) + (n + 1) * full (eye (n));
%!     A(:,2) *= t;
%!     [X, ~, info] = pagemldivide (A, A(:,2) * large);
%!     assert (info, int32 (0));
%!     assert (X(2), large, -100 * n * eps (class (t)));
%!     assert (max (abs (X([1, 3:n]))) <= 100 * n * eps (class (t)) * small);
%!   endfor
%! endfor

%!test # pages of ones: least norm
%! for type = {"double", "single"}
%!   for n = [1:100, 300]
%!     A = ones (n, type{1});
%!     assert (pagemldivide (A, ones (n, 2)), ones (n, 2, type{1}) / n, 20 * eps (type{1}));
%!     assert (pagemrdivide (ones (1, n), A * (1 + 1i)), ones (1, n, type{1}) / (n * (1 + 1i)), 20 * eps (type{1}));
%!   endfor
%! endfor

%!test # pages of 0 and 1 with rank 2: least norm
%! rand ("twister", 52);
%! for n = 3:60
%!   for trial = 1:4
%!     A = double (rand (n, 2) < 0.5) * double (rand (2, n) < 0.5);
%!     b = (1:n)';
%!     x = pinv (A) * b;
%!     assert (norm (pagemldivide (A, b) - x) <= 1e-10 * norm (x));
%!   endfor
%! endfor

%!test # small rows and columns do not make a page singular
%! A = [1, 1; 1e-16, -1e-16];
%! [X, ~, info] = pagemldivide (A, A * [1.5; 0.5]);
%! assert (X, [1.5; 0.5], 1e-15);
%! assert (info, int32 (0));
%! [X, ~, info] = pagemldivide (hilb (10), hilb (10) * ones (10, 1));
%! assert (info, int32 (0));

%!testif ; ! isempty (gpulinalg_info ().devices)  # singular pages, and pivots without reciprocals, from the host
%! for type = {"double", "single"}
%!   for n = [2, 10, 27, 32, 33, 60, 100, 200, 256]
%!     A = ones (n, type{1});
%!     assert (pagemldivide (A, ones (n, 2), "device", "gpu"), ones (n, 2, type{1}) / n, 20 * eps (type{1}));
%!   endfor
%! endfor
%! assert (pagemldivide (diag ([1e-310, 1]), [1e-10; 1], "device", "gpu"), [1e300; 1], -1e-14);
%! assert (pagemldivide ([1e-310, 1; 0, 1], [1e-10; 1e-10], "device", "gpu"), [0; 1e-10], 1e-24);
%! assert (pagemldivide ([1e-310, 1; 1e-311, 2], [1e-10; 1e-10], "device", "gpu"), [5.2632e299; 4.7368e-11], -1e-4);
%! assert (pageinv (diag ([1e-310, 1]), "device", "gpu"), [Inf, 0; 0, 1]);
