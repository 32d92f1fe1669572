## pagemtimes.tst: tests of pagemtimes
## SPDX-License-Identifier: GPL-3.0-or-later

%!function Z = page_loop (X, tx, Y, ty)
%! ## the same page by page, as Octave's own product has it
%! f = struct ("none", @(A) A, "transpose", @(A) A.', "ctranspose", @(A) A');
%! nx = size (X);  ny = size (Y);
%! count = max ([numel(nx), numel(ny), 3]);
%! nx(end+1:count) = 1;  ny(end+1:count) = 1;
%! pages = max (nx(3:end), ny(3:end));
%! pages(nx(3:end) == 0 | ny(3:end) == 0) = 0;
%! first = f.(tx) (X(:,:,min (1, end))) * f.(ty) (Y(:,:,min (1, end)));
%! Z = zeros ([size(first), pages], class (first));
%! for p = 1:prod (pages)
%!   sub = cell (1, numel (pages));
%!   [sub{:}] = ind2sub ([pages, 1], p);
%!   sub = [sub{:}];
%!   sx = num2cell (min (sub, nx(3:end)));  sy = num2cell (min (sub, ny(3:end)));
%!   Z(:,:,p) = f.(tx) (X(:,:,sx{:})) * f.(ty) (Y(:,:,sy{:}));
%! endfor
%!endfunction
%!function check_product (X, tx, Y, ty)
%! ## |Z - Z0| <= 2 gamma |X| |Y|, element by element
%! Z = pagemtimes (X, tx, Y, ty);
%! Z0 = page_loop (X, tx, Y, ty);
%! assert (class (Z), class (Z0));
%! assert (size (Z), size (Z0));
%! k = size (X, 1 + strcmp (tx, "none"));
%! bound = 8 * (k + 2) * eps (class (Z)) * page_loop (abs (X), tx, abs (Y), ty);
%! assert (all (abs (Z - Z0)(:) <= bound(:) + realmin (class (Z))));
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

%!## sizes around every edge of a tile, all pairs of types, all combinations of transposes
%!test
%! for m = [1:9, 15:17, 23:25, 31:33, 47:50]
%!   for type = {"dd", "zz", "dz", "zd"}
%!     for n = [1:8, 11, 13]
%!       X = any_array (type{1}(1), m, 3, 2);  Y = any_array (type{1}(2), 3, n, 2);
%!       check_product (X, "none", Y, "none");
%!     endfor
%!   endfor
%! endfor
%!test
%! ops = {"none", "transpose", "ctranspose"};
%! types = "sdcz";
%! for a = 1:4
%!   for b = 1:4
%!     for n = [1, 2, 3, 5, 8, 17]
%!       for ox = 1:3
%!         for oy = 1:3
%!           m = n + 2;  k = n + 1;
%!           X = any_array (types(a), m, k, 3);  Y = any_array (types(b), k, n, 3);
%!           if (ox > 1) X = permute (X, [2, 1, 3]); endif
%!           if (oy > 1) Y = permute (Y, [2, 1, 3]); endif
%!           check_product (X, ops{ox}, Y, ops{oy});
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test # long sums are cut into pieces
%! for type = "dz"
%!   for k = [511, 512, 513, 1025]
%!     check_product (any_array (type, 5, k, 2), "none", any_array (type, k, 3, 2), "none");
%!     check_product (any_array (type, k, 2, 2), "ctranspose", any_array (type, k, 9, 2), "none");
%!   endfor
%! endfor
%!test # large pages
%! for type = "sdcz"
%!   check_product (any_array (type, 130, 140, 2), "none", any_array (type, 140, 150, 2), "none");
%!   check_product (any_array (type, 300, 310), "none", any_array (type, 290, 310), "ctranspose");
%! endfor

%!## pages
%!test # expansion of dimensions
%! X = rand (3, 4, 1, 5, 2);  Y = rand (4, 2, 6, 1, 2);
%! check_product (X, "none", Y, "none");
%! check_product (X, "none", Y(:,:,1), "none");
%! check_product (X(:,:,1), "none", Y, "none");
%! check_product (rand (2, 3, 1, 2, 1, 2, 1, 2), "none", rand (3, 2, 2, 1, 2, 1, 2), "none");
%! check_product (rand (3, 3, 4, 5), "none", rand (3, 64), "none");
%!test # single matrices
%! check_product (rand (4, 3), "none", rand (3, 5), "none");
%!test # pages of one element scale
%! A = rand (3, 4, 5) + 1i;  s = rand (1, 1, 5);
%! assert (pagemtimes (s, A), s .* A);
%! assert (pagemtimes (A, s), A .* s);
%! assert (pagemtimes (2i, A), 2i * A);
%! assert (pagemtimes (s, "none", A, "ctranspose"), s .* conj (permute (A, [2, 1, 3])));
%! assert (pagemtimes (A, "transpose", 1i, "ctranspose"), -1i * permute (A, [2, 1, 3]));
%! assert (size (pagemtimes (zeros (1, 1, 0), A(:,:,1))), [3, 4, 0]);
%!test # a page gives the same bits in every batch and beside any other
%! for type = "sdcz"
%!   for n = [1:9, 16, 33]
%!     X = any_array (type, n, n, 40);  Y = any_array (type, n, n, 40);
%!     Z = pagemtimes (X, Y);
%!     for p = [1, 2, 20, 39, 40]
%!       assert (pagemtimes (X(:,:,p), Y(:,:,p)), Z(:,:,p));
%!     endfor
%!     assert (pagemtimes (X(:,:,1:39), Y(:,:,1:39)), Z(:,:,1:39));
%!     assert (pagemtimes (X(:,:,7), Y)(:,:,7), Z(:,:,7));
%!   endfor
%! endfor
%!test # NaN and Inf stay in their pages
%! for n = [2, 3, 5, 20]
%!   X = rand (n, n, 9);  Y = rand (n, n, 9);
%!   Z = pagemtimes (X, Y);
%!   X(1,1,3) = NaN;  Y(n,1,6) = Inf;  X(:,:,9) = -Inf;
%!   W = pagemtimes (X, Y);
%!   assert (W(:,:,[1, 2, 4, 5, 7, 8]), Z(:,:,[1, 2, 4, 5, 7, 8]));
%!   for p = [3, 6, 9]
%!     assert (isnan (W(:,:,p)), isnan (X(:,:,p) * Y(:,:,p)));
%!     assert (isinf (W(:,:,p)), isinf (X(:,:,p) * Y(:,:,p)));
%!   endfor
%! endfor
%!test # a zero does not take part where a real array meets a complex one
%! assert (pagemtimes (2, complex (Inf, 1)), complex (Inf, 2));
%! assert (pagemtimes (ones (2), complex ([Inf, 1; 1, 1], [1, 1; 1, 1])), complex ([Inf, 2; Inf, 2], 2 * ones (2)));

%!## Hermitian products
%!test
%! for type = "sdcz"
%!   for m = [1:5, 8, 17, 33]
%!     for k = [1, 2, 7, 40]
%!       X = any_array (type, m, k, 3);
%!       C = pagemtimes (X, "none", X, "ctranspose");
%!       for p = 1:3
%!         assert (ishermitian (C(:,:,p)));
%!         assert (isreal (C(1,1,p)) || imag (C(1,1,p)) == 0);
%!       endfor
%!       check_product (X, "none", X, "ctranspose");
%!       D = pagemtimes (X, "ctranspose", X, "none");
%!       for p = 1:3
%!         assert (ishermitian (D(:,:,p)));
%!       endfor
%!       check_product (X, "ctranspose", X, "none");
%!       check_product (X, "transpose", X, "none");
%!     endfor
%!   endfor
%! endfor

%!## extremes
%!test
%! for big = [1e300, 1e-300]
%!   X = rand (3, 3, 2) * big;  Y = rand (3, 3, 2) / big;
%!   check_product (X, "none", Y, "none");
%! endfor
%! assert (pagemtimes (5e-324 * ones (2), [1, 2; 0, 1]), 5e-324 * [1, 3; 1, 3]);
%! assert (pagemtimes (1e300 * ones (2), 1e300 * ones (2)), Inf (2));

%!## empties
%!test
%! assert (pagemtimes (zeros (3, 0), zeros (0, 2)), zeros (3, 2));
%! assert (pagemtimes (zeros (3, 0, 4), zeros (0, 2)), zeros (3, 2, 4));
%! assert (size (pagemtimes (zeros (0, 3, 4), zeros (3, 2))), [0, 2, 4]);
%! assert (size (pagemtimes (zeros (2, 3, 0), zeros (3, 2, 0))), [2, 2, 0]);
%! assert (size (pagemtimes (zeros (2, 3, 0), zeros (3, 2))), [2, 2, 0]);
%! assert (size (pagemtimes (zeros (2, 3, 0, 4), zeros (3, 2, 1, 4))), [2, 2, 0, 4]);
%! assert (class (pagemtimes (zeros (3, 0, "single"), zeros (0, 2))), "single");

%!## an example of MATLAB's documentation: each row of pages times a matrix
%!test
%! A = reshape (1:12, 2, 3, 2);  B = [1, 0; 2, 1; 0, 3];
%! Z = pagemtimes (A, B);
%! assert (Z(:,:,1), A(:,:,1) * B);
%! assert (Z(:,:,2), A(:,:,2) * B);

%!## options
%!test
%! X = rand (4, 4, 1000);
%! assert (pagemtimes (X, X, "device", "cpu"), pagemtimes (X, X));
%! assert (pagemtimes (X, "NONE", X, "Transpose", "DEVICE", "cpu"), pagemtimes (X, "none", X, "transpose"));
%!test
%! function note (done, total), assignin ("base", "pagemtimes_seen", [done, total]); endfunction
%! pagemtimes (rand (3, 3, 10), rand (3, 3, 10), "progress", @note);
%! assert (evalin ("base", "pagemtimes_seen"), [10, 10]);
%! evalin ("base", "clear pagemtimes_seen");

## rectangular diagonal matrices, which Octave's permute does not transpose
%!test
%! D = eye (2, 3);
%! for w = {"transpose", "ctranspose"}
%!   assert (pagemtimes (D, w{1}, 2, "none"), 2 * full (D'));
%!   assert (pagemtimes (single (2), "none", D, w{1}), single (2 * full (D')));
%!   assert (pagemtimes (1i * D, w{1}, 2, "none"), pagemtimes (full (1i * D), w{1}, 2, "none"));
%!   assert (pagemtimes (D, w{1}, ones (2, 2, 4), "none"), repmat ([1, 1; 1, 1; 0, 0], 1, 1, 4));
%! endfor

%!## errors
%!error <Invalid call> pagemtimes ()
%!error <Invalid call> pagemtimes (1)
%!error <transpX needs transpY as argument 4, as in pagemtimes \(X, "ctranspose", Y, "none"\)> pagemtimes (1, "none", 1)
%!error id=Octave:invalid-fun-call pagemtimes (1, "none", 1)
%!error <pagemtimes: function called with too many outputs> [a, b] = pagemtimes (1, 1);
%!error id=gpulinalg:bad-class pagemtimes (true, 1)
%!error id=gpulinalg:bad-class pagemtimes (1, int8 (1))
%!error id=gpulinalg:bad-class pagemtimes (sparse (1), 1)
%!error <Y must be a single or double array, not cell> pagemtimes (1, {1})
%!error <X must be a full array, not sparse> pagemtimes (sparse (1), 1)
%!error id=gpulinalg:bad-shape pagemtimes (ones (2, 3), ones (2, 3))
%!error <the pages of X have 3 columns and those of Y have 2 rows> pagemtimes (ones (2, 3), ones (2, 3))
%!error <the pages of X have 2 columns and those of Y have 3 rows, transposed as requested> ...
%! pagemtimes (ones (2, 3), "transpose", ones (3, 3), "none")
%!error <the pages of X and Y do not match in dimension 4: 2 and 3> ...
%! pagemtimes (ones (2, 2, 1, 2), ones (2, 2, 5, 3))
%!error <transpX must be "none", "transpose" or "ctranspose", not "no"> pagemtimes (1, "no", 1, "none")
%!error <transpY must be "none", "transpose" or "ctranspose", not of class double> pagemtimes (1, "none", 1, 2)
%!error id=gpulinalg:bad-option pagemtimes (1, 1, "colour", 1)
%!error <pagemtimes: argument 3: unknown option "Colour"; valid options are "device" or "progress"> pagemtimes (1, 1, "Colour", 1)
%!error <pagemtimes: argument 5: unknown option "Colour"> pagemtimes (1, "none", 1, "none", "Colour")
%!error <transpX stands behind X and transpY behind Y, as in pagemtimes \(X, "transpose", Y, "none"\)> ...
%! pagemtimes (1, 1, "transpose")
%!error id=gpulinalg:bad-option pagemtimes (1, 1, "none", "transpose")
%!error <pagemtimes: option "device" needs a value> pagemtimes (1, 1, "device")
%!error <transpX must be .*, not of class char of size 1x4x2> pagemtimes (1, repmat ("none", [1, 1, 2]), 1, "none")
%!error id=gpulinalg:bad-value pagemtimes (1, 1, "device", "tpu")

%!## The table of steps between the functions in doc/user-guide.md.
%!test
%! n = 4;
%! X = randn (n, 50, 1000);
%! C = pagemtimes (X, "none", X, "ctranspose") / 50 + 0.1 * full (eye (n));
%! d = reshape (C, n * n, [])(1:n+1:end,:);
%! assert (reshape (sum (d), 1, 1, []), sum (batcheig (C), 1), 1e-12);
%! r = reshape (qr_block (C), n * n, [])(1:n+1:end,:);
%! assert (squeeze (sum (log (batcheig (C)), 1)).', sum (log (abs (r))), 1e-12);
%! assert (prod (abs (r)), squeeze (real (prod (pageeig (C), 1))).', 1e-10);
%! K = diag (1:4);
%! assert ((full (K) - C)(:,:,7), K - C(:,:,7));
%! w = rand (n, 1000);
%! assert ((reshape (w, n, 1, []) .* C)(:,:,7), diag (w(:,7)) * C(:,:,7));

%!test
%! Y = randn (60, 3);
%! idx = (1:20).' + (0:5:40);
%! W = permute (reshape (Y(idx,:), 20, [], 3), [1, 3, 2]);
%! assert (W(:,:,2), Y(6:25,:));
%! x = Y(:,1);
%! assert (reshape (x((1:20).' + (0:5:40)), 20, 1, [])(:,:,3), x(11:30));

%!test
%! long = randn (9, 2);
%! short = randn (5, 2);
%! x = qr_block (cat (3, long, [short; zeros(4, 2)]), cat (3, ones (9, 1), [ones(5, 1); zeros(4, 1)]), "solve");
%! assert (x(:,:,2), short \ ones (5, 1), 1e-12);
%! A = randn (7, 3);
%! B = randn (7, 20);
%! assert (pagemldivide (A, B), A \ B, 1e-12);
%! w = rand (7, 1, 5);
%! b = randn (7, 1, 5);
%! x = qr_block (w .* A, w .* b, "solve");
%! assert (x(:,:,4), (w(:,:,4) .* A) \ (w(:,:,4) .* b(:,:,4)), 1e-12);

%!test # the dominant eigenvectors of positive pages are positive
%! [V, D] = pageeig (abs (randn (8, 8, 1000)), "vector");
%! [~, k] = max (abs (squeeze (D)));
%! v = V(:, sub2ind ([8, 1000], k, 1:1000));
%! assert (all (abs (sum (sign (real (v)))) == 8));

%!test # damped steps of an arm with seven joints
%! J = randn (3, 7, 1000);
%! e = randn (3, 1, 1000);
%! w = 0.1;
%! y = pagemldivide (pagemtimes (J, "none", J, "ctranspose") + w^2 * full (eye (3)), e);
%! assert (pagemtimes (J, "ctranspose", y, "none"), pagelsqminnorm (J, e, "RegularizationFactor", w), 1e-10);
