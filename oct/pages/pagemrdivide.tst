## pagemrdivide.tst: tests of pagemrdivide
## SPDX-License-Identifier: GPL-3.0-or-later

%!function M = op_of (word, M)
%! switch (word)
%!   case "transpose"   M = M.';
%!   case "ctranspose"  M = M';
%! endswitch
%!endfunction
%!function check_solution (B, A, word)
%! ## Octave's own / page by page: class, size, backward error and distance
%! [X, ~, info] = pagemrdivide (B, A, word);
%! na = [size(A), 1](3);  nb = [size(B), 1](3);
%! pages = max (na, nb);
%! assert (info, zeros (pages, 1, "int32"));
%! for p = 1:pages
%!   M = op_of (word, A(:,:,min (p, na)));
%!   b = B(:,:,min (p, nb));
%!   x0 = b / M;
%!   x = X(:,:,p);
%!   assert (class (x), class (x0));
%!   assert (size (x), size (x0));
%!   u = 20 * max (size (M)) * eps (class (x));
%!   for i = 1:rows (b)
%!     r = double (x(i,:)) * M - b(i,:);
%!     if (issquare (M))
%!       assert (norm (r, Inf) <= u * (norm (M, Inf) * norm (x(i,:), Inf) + norm (b(i,:), Inf)) * columns (b));
%!     endif
%!     slack = norm (x0(i,:)) + (columns (M) > rows (M)) * norm (b(i,:)) / norm (M) * cond (M);
%!     assert (norm (x(i,:) - x0(i,:)) <= u * cond (M) * slack);
%!   endfor
%! endfor
%! assert ([size(X), 1](3), pages);
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

%!## all pairs of types, all transposes
%!test
%! for a = "sdcz"
%!   for b = "sdcz"
%!     for n = [2, 3, 4, 9]
%!       A = any_array (a, n, n, 5);
%!       for r = [1, 3]
%!         for word = {"none", "transpose", "ctranspose"}
%!           check_solution (any_array (b, r, n, 5), A, word{1});
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test
%! for type = "sdcz"
%!   for n = [5, 8, 16, 17, 33, 65]
%!     check_solution (any_array (type, 2, n, 3), any_array (type, n, n, 3), "none");
%!     check_solution (any_array (type, 2, n, 3), any_array (type, n, n, 3), "ctranspose");
%!   endfor
%! endfor
%!test # triangular and definite pages
%! for type = "sdcz"
%!   for n = [2, 4, 9]
%!     T = any_array (type, n, n) + n * full (eye (n));
%!     A = cat (3, triu (T), tril (T), T * T', diag (diag (T)), T);
%!     for word = {"none", "transpose", "ctranspose"}
%!       check_solution (any_array (type, 3, n, 5), A, word{1});
%!     endfor
%!   endfor
%! endfor
%!test # few bits: triangular systems are exact
%! for n = [2, 3, 5, 8]
%!   U = triu (mod ((1:n)' * (1:n), 5) - 2, 1) + diag (2 .^ mod (1:n, 4));
%!   x = mod ((1:3)' * (1:n), 7) - 3;
%!   for M = {U, U.', 1i * U}
%!     assert (pagemrdivide (x * M{1}, cat (3, M{1}, 2 * M{1})), cat (3, x, x / 2));
%!   endfor
%!   assert (pagemrdivide (x * U.', U, "transpose"), x);
%! endfor
%!test # an example of MATLAB's documentation
%! X = pagemrdivide (ones (1, 3, 2), cat (3, magic (3), hilb (3)));
%! assert (X(:,:,1), ones (1, 3) / 15, 1e-15);
%! assert (X(:,:,2), [3, -24, 30], -1e-12);

%!## pages that expand, more dimensions
%!test
%! A = rand (3, 3, 1, 5, 2) + 3 * full (eye (3));  B = rand (2, 3, 6, 1, 2);
%! [X, rc, info] = pagemrdivide (B, A);
%! assert (size (X), [2, 3, 6, 5, 2]);
%! assert (size (rc), [1, 1, 1, 5, 2]);
%! assert (size (info), [60, 1]);
%! for i = 1:6
%!   for j = 1:5
%!     for k = 1:2
%!       assert (X(:,:,i,j,k), B(:,:,i,1,k) / A(:,:,1,j,k), 1e-13);
%!     endfor
%!   endfor
%! endfor
%! check_solution (rand (2, 3, 4), A(:,:,1), "none");
%! check_solution (rand (2, 3), A(:,:,:), "transpose");
%! X = pagemrdivide (B, A(:,:,1), "ctranspose");
%! assert (size (X), size (B));
%!test # the same system from both sides
%! for type = "sdcz"
%!   A = any_array (type, 6, 6, 4);  B = any_array (type, 6, 2, 4);
%!   [X, rc] = pagemldivide (A, B);
%!   [Y, sc] = pagemrdivide (permute (B, [2, 1, 3]), A, "transpose");
%!   u = 1000 * eps (class (A));
%!   for p = 1:4
%!     assert (norm (X(:,:,p).' - Y(:,:,p)) <= u / rc(p) * norm (X(:,:,p)));
%!   endfor
%! endfor

%!## rectangular pages
%!test
%! for type = "sdcz"
%!   for s = [3, 5; 5, 3; 2, 9; 1, 4]'
%!     for word = {"none", "transpose", "ctranspose"}
%!       A = any_array (type, s(1), s(2), 4);
%!       if (! strcmp (word{1}, "none")) A = permute (A, [2, 1, 3]); endif
%!       check_solution (any_array (type, 2, s(2), 4), A, word{1});
%!       check_solution (any_array (type, 2, s(2)), A, word{1});
%!       check_solution (any_array (type, 2, s(2), 4), A(:,:,1), word{1});
%!     endfor
%!   endfor
%! endfor
%! [X, rank_of, info] = pagemrdivide (rand (2, 5), cat (3, rand (3, 5), ones (3, 5)));
%! assert (size (X), [2, 3, 2]);
%! assert (rank_of, cat (3, 3, 1));
%! assert (info, int32 ([0; 2]));

%!## singular pages, pages with one element, NaN
%!test
%! warning ("off", "Octave:singular-matrix", "local");
%! for S = {ones(2), diag([1, 0, 2]), triu(ones (4), 1)}
%!   B = rand (2, rows (S{1}));
%!   [X, rc, info] = pagemrdivide (B, S{1});
%!   assert (X, B / S{1}, 1e-13);
%!   assert (rc, 0);
%!   assert (info >= 1 && info <= rows (S{1}));
%! endfor
%!test
%! B = rand (3, 4, 5);
%! s = rand (1, 1, 5) + 1;
%! assert (pagemrdivide (B, s), B ./ s);
%! assert (pagemrdivide (B, 2i, "ctranspose"), B / -2i);
%! assert (pagemrdivide ([1, 0], 0), [Inf, NaN]);
%!test
%! A = rand (4, 4, 3) + 4 * full (eye (4));  B = rand (3, 4, 3);
%! X = pagemrdivide (B, A);
%! A(2,2,1) = NaN;  B(2,2,3) = NaN;
%! [Y, rc, info] = pagemrdivide (B, A);
%! assert (Y(:,:,1), NaN (3, 4));
%! assert (Y(:,:,2), X(:,:,2));
%! assert (Y([1, 3],:,3), X([1, 3],:,3));
%! assert (any (isnan (Y(2,:,3))));
%! assert (info, int32 ([5; 0; 0]));
%! assert (isnan (rc(1)) && all (rc(2:3) > 0));
%!test # a page with NaN has rcond NaN, for all orders and types
%! warning ("off", "gpulinalg:pages-failed", "local");
%! for type = "sdcz"
%!   for n = [2, 3, 8, 9, 33]
%!     A = any_array (type, n, n, 4) + n * full (eye (n));
%!     A(n,1,2) = NaN;
%!     A(1,n,4) = Inf;
%!     [X, rc, info] = pagemrdivide (any_array (type, 2, n), A);
%!     assert (size (rc), [1, 1, 4]);
%!     assert (squeeze (isnan (rc)), logical ([0; 1; 0; 1]));
%!     assert (all (rc([1, 3]) > 0));
%!     assert (info, int32 ([0; n + 1; 0; n + 1]));
%!   endfor
%! endfor
%!warning <pagemrdivide: 1 of 1 pages hold NaN or Inf> pagemrdivide (ones (1, 2), NaN (2));

%!## empties
%!test
%! assert (pagemrdivide (zeros (3, 0), zeros (0, 0)), zeros (3, 0));
%! assert (size (pagemrdivide (zeros (0, 3), eye (3))), [0, 3]);
%! assert (size (pagemrdivide (ones (2, 3), zeros (3, 3, 0))), [2, 3, 0]);
%! assert (pagemrdivide (zeros (2, 0), zeros (3, 0)), zeros (2, 3));
%! assert (size (pagemrdivide (ones (2, 3), zeros (0, 3))), [2, 0]);

## rectangular diagonal matrices, which Octave's permute does not transpose
%!test
%! for s = {[1, 2], [2, 3], [3, 2], [2, 1]}
%!   D = 2 * eye (s{1});
%!   assert (pagemrdivide (D, D), full (D) / full (D), 4 * eps);
%!   assert (pagemrdivide (ones (2, s{1}(2), 3), D), repmat (ones (2, s{1}(2)) / full (D), 1, 1, 3), 4 * eps);
%!   assert (pagemldivide (D, "transpose", D'), full (D') \ full (D'), 4 * eps);
%!   assert (pagemldivide (D, "ctranspose", ones (s{1}(2), 1)), full (D') \ ones (s{1}(2), 1), 4 * eps);
%! endfor

%!## options and errors
%!test
%! A = rand (4, 4, 10) + 4 * full (eye (4));  B = rand (2, 4, 10);
%! assert (pagemrdivide (B, A, "device", "cpu"), pagemrdivide (B, A));
%! assert (pagemrdivide (B, A, "None", "device", "cpu"), pagemrdivide (B, A));
%!error <Invalid call> pagemrdivide (1)
%!error <called with too many outputs> [a, b, c, d] = pagemrdivide (1, 1);
%!error id=gpulinalg:bad-class pagemrdivide (true, 1)
%!error <A must be a single or double array, not cell> pagemrdivide (1, {1})
%!error <the pages of A have 2 columns and those of B have 3> pagemrdivide (ones (1, 3), ones (2))
%!error <the pages of A have 3 columns, transposed as requested, and those of B have 2> ...
%! pagemrdivide (ones (1, 2), ones (3, 2), "transpose")
%!error <the pages of A and B do not match in dimension 3: 3 and 2> ...
%! pagemrdivide (ones (2, 2, 2), ones (2, 2, 3))
%!error <transpA must be "none", "transpose" or "ctranspose", not "no"> pagemrdivide (1, 1, "no")
%!error <transpA must be "none", "transpose" or "ctranspose", not of class double> pagemrdivide (1, 1, 2)
%!error id=gpulinalg:bad-option pagemrdivide (1, 1, "colour", 1)
%!error <pagemrdivide: argument 3: unknown option "Colour"; valid options are "device" or "progress"> pagemrdivide (1, 1, "Colour", 1)
%!error <pagemrdivide: argument 4: unknown option "Colour"> pagemrdivide (1, 1, "none", "Colour", 1)
%!error <pagemrdivide: option "device" needs a value> pagemrdivide (1, 1, "Device")
%!error <pagemrdivide: option "progress" needs a value> pagemrdivide (1, 1, "transpose", "progress")
%!error <transpA must be .*, not of class char of size 1x4x2> pagemrdivide (1, 1, repmat ("none", [1, 1, 2]))
%!error id=gpulinalg:bad-value pagemrdivide (1, 1, "device", "tpu")
