## qr_block-solve.tst: tests of qr_block (A, B, "solve")
## SPDX-License-Identifier: GPL-3.0-or-later

%!## "solve": four types, all shapes, several right-hand sides, as A \ B
%!test
%! for type = "sdcz"
%!   for shape = [1, 1, 5, 2, 3, 7, 16, 17, 33, 40, 64, 90, 200; 1, 5, 1, 2, 1, 4, 16, 9, 33, 80, 10, 70, 90]
%!     m = shape(1);
%!     n = shape(2);
%!     for r = [1, 3, 70]
%!       A = numbers (m, n, 3, type, 100 * m + n);
%!       A = A + 2 * full (eye (m, n));
%!       B = numbers (m, r, 3, type, 7);
%!       [x, info] = qr_block (A, B, "solve");
%!       assert ({size(x), class(x), iscomplex(x)}, {[n, r, 3], class(A), iscomplex(A)});
%!       assert (info, int32 ([0; 0; 0]));
%!       assert (qr_block (A, B, "solve"), x);
%!       for p = 1:3
%!         a = A(:,:,p);
%!         tol = 100 * max (m, n) * eps (class (A)) * cond (a) ^ 2;
%!         assert (x(:,:,p), a \ B(:,:,p), tol);
%!         assert (qr_block (a, B(:,:,p), "solve"), x(:,:,p));
%!         if (m >= n)
%!           ## backward error of the normal equations
%!           left = a' * (a * x(:,:,p) - B(:,:,p));
%!           bound = 100 * m * eps (class (A)) * norm (a) ^ 2 * (norm (x(:,:,p), 1) + norm (B(:,:,p), 1));
%!           assert (all (sum (abs (left), 1) <= bound));
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## "solve": trailing dimensions, options, classes; 0 and "econ" change nothing
%!test
%! A = numbers (9, 4, [2, 3], "d", 1);
%! B = numbers (9, 2, [2, 3], "z", 2);
%! x = qr_block (A, B, "solve");
%! assert ({size(x), iscomplex(x)}, {[4, 2, 2, 3], true});
%! assert (qr_block (A, B, 0, "SOLVE", "device", "cpu"), x);
%! assert (qr_block (A, B, "econ", "solve", "progress", false), x);
%! assert (class (qr_block (single (A), B, "solve")), "single");
%! assert (qr_block (A, B, "solve", "block", 2), x, 1e-13);
%! assert (qr_block ([3, 4], 5, "solve"), [0.6; 0.8], 10 * eps);
%! assert (qr_block (2, 0, "solve"), 0);

%!## "solve": empty arrays
%!test
%! assert (qr_block (zeros (3, 0), ones (3, 2), "solve"), zeros (0, 2));
%! assert (qr_block (zeros (0, 3), zeros (0, 2), "solve"), zeros (3, 2));
%! assert (qr_block (ones (3, 2), zeros (3, 0), "solve"), zeros (2, 0));
%! assert (qr_block (ones (3, 2, 0), ones (3, 1, 0), "solve"), zeros (2, 1, 0));
%! [x, info] = qr_block (zeros (0, 3, 2), zeros (0, 1, 2), "solve");
%! assert ({x, info}, {zeros(3, 1, 2), int32([0; 0])});

%!## "solve": pages of less than full rank have the solution of least norm, as with A \ B
%!test
%! warning ("off", "gpulinalg:rank-deficient", "local");
%! for type = "sdcz"
%!   for shape = [6, 20, 4, 40, 9; 4, 20, 7, 35, 9]
%!     m = shape(1);
%!     n = shape(2);
%!     A = numbers (m, n, 6, type, 3);
%!     B = numbers (m, 2, 6, type, 4);
%!     A(:,:,2) = A(:,1:2,2) * numbers (2, n, [], type, 5);
%!     A(:,:,4) = 0;
%!     A(:,:,5) = A(:,1,5) * ones (1, n);
%!     k = min (m, n);
%!     [x, info] = qr_block (A, B, "solve");
%!     assert (info, int32 ([0; k-2; 0; k; k-1; 0]));
%!     tol = 1e4 * eps (class (A));
%!     for p = [2, 4, 5]
%!       assert (x(:,:,p), pinv (double (A(:,:,p)), 1e-4) * double (B(:,:,p)), tol * (1 + norm (x(:,:,p))));
%!     endfor
%!   endfor
%! endfor
%! assert (qr_block ([1, 2; 2, 4; 3, 6], [1; 2; 3], "solve"), [0.2; 0.4], 1e-14);

%!## "solve": columns of very different lengths are no loss of rank; huge and tiny pages
%!test
%! A = numbers (8, 4, [], "d", 5);
%! b = numbers (8, 1, [], "d", 6);
%! x = qr_block (A, b, "solve");
%! d = [1, 1e-100, 1e60, 1e-8];
%! [y, info] = qr_block (A .* d, b, "solve");
%! assert (info, int32 (0));
%! assert (y .* d.', x, 1e-12);
%! for scale = [1e-300, 1e300]
%!   [y, info] = qr_block (A * scale, b * scale, "solve");
%!   assert (info, int32 (0));
%!   assert (y, x, 1e-12);
%! endfor
%! ## a dependent column besides a very short one: only the dependence lowers the rank
%! A(:,4) = A(:,1:2) * [1; 2];
%! [y, info] = qr_block (A .* [1, 1, 1e-50, 1], b, "solve");
%! assert (info, int32 (1));
%! [q, ~] = qr (A(:,1:3), 0);
%! assert (A .* [1, 1, 1e-50, 1] * y, q * (q' * b), 1e-10);

%!## "solve": NaN and Inf make their page NaN, others keep their bits; the warnings
%!test
%! A = numbers (6, 3, 5, "d", 7);
%! B = numbers (6, 2, 5, "d", 8);
%! x = qr_block (A, B, "solve");
%! for bad = [NaN, Inf, -Inf]
%!   Y = A;
%!   Y(5,2,3) = bad;
%!   Z = B;
%!   Z(6,1,4) = bad;
%!   [y, info] = qr_block (Y, Z, "solve");
%!   assert (info, int32 ([0; 0; 4; 4; 0]));
%!   assert (y(:,:,[1, 2, 5]), x(:,:,[1, 2, 5]));
%!   assert (all (isnan (y(:,:,[3, 4])(:))));
%!   [y, info] = qr_block (permute (Y, [2, 1, 3]), B(1:3,:,:), "solve");
%!   assert (info, int32 ([0; 0; 7; 0; 0]));
%! endfor
%!warning <qr_block: 1 of 3 pages hold NaN or Inf and are NaN in the result; the first is page 2> ...
%! qr_block (ones (1, 1, 3), reshape ([1, NaN, 1], [1, 1, 3]), "solve");
%!warning <qr_block: on 2 of 3 pages A has less than full rank to rounding, and x is the least squares solution of least norm; the first is page 2> ...
%! qr_block (cat (3, eye (2), ones (2), ones (2)), ones (2, 1, 3), "solve");
%!warning id=gpulinalg:rank-deficient qr_block (ones (3, 2), ones (3, 1), "solve");
%!test
%! lastwarn ("", "");
%! [x, info] = qr_block (cat (3, ones (2), NaN (2)), ones (2, 1, 2), "solve");
%! assert ({lastwarn(), info}, {"", int32([1; 3])});
%! x = qr_block (rand (2, 5), ones (2, 1), "solve"); # more columns than rows: no warning
%! assert (lastwarn (), "");

%!## "solve": nearly singular triangles whose diagonal does not show it
%!test
%! warning ("off", "gpulinalg:rank-deficient", "local");
%! for n = [5, 20, 60]
%!   R = eye (n) - triu (ones (n), 1);      # condition n 2^(n-1), no small entry on the diagonal
%!   [x, info] = qr_block (R, R * ones (n, 1), "solve");
%!   if (n < 40)
%!     assert (info, int32 (0));
%!     assert (x, ones (n, 1), eps * 2 ^ n * n);
%!   else
%!     assert (info, int32 (1));
%!     assert (R * x, R * ones (n, 1), 1e-11);
%!   endif
%! endfor
%! [x, info] = qr_block (hilb (8), hilb (8) * ones (8, 1), "solve");
%! assert (info, int32 (0));
%! assert (nthargout (2, @qr_block, hilb (14), ones (14, 1), "solve") > 0);
%! assert (nthargout (2, @qr_block, single (hilb (8)), ones (8, 1), "solve") > 0);

%!## least norm with short columns on which the rank does not depend
%!test
%! for type = {@double, @single, @(x) complex (x, flip (x)), @(x) single (complex (x, flip (x)))}
%!   A = type{1} (cos ((1:4).' .* (1:9) .^ 2));
%!   tol = 1000 * eps (class (A));
%!   for e = [1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-20]
%!     D = ones (1, 9);
%!     D([2, 5]) = e;
%!     B = type{1} ([1, 0; 2, 1; -1, 3; 0.5, 2]);
%!     X = pinv (A .* D) * B;
%!     assert (qr_block (A .* D, B, "solve"), X, tol);
%!     assert (pagemldivide (A .* D, B), X, tol);
%!     assert (pagemldivide ([1, e], 1), [1; e] / (1 + e^2), 4 * eps);
%!     assert (pagemrdivide (1, [1; e]), [1, e] / (1 + e^2), 4 * eps);
%!     A(:,9) = A(:,1) - A(:,3);                  # dependent, in a tall one
%!     X = pinv ((A .* D)') * ones (9, 1);
%!     assert (qr_block ((A .* D)', ones (9, 1), "solve"), X, tol);
%!     tall = [A(1,:)', A(2,:)', e * A(1,:)'];
%!     [X, info] = qr_block (tall, tall(:,1) + tall(:,2), "solve");
%!     assert (info, int32 (1));
%!     assert (X, [1 / (1 + e^2); 1; e / (1 + e^2)], tol);
%!   endfor
%! endfor
