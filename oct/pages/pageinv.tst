## pageinv.tst: tests of pageinv
## SPDX-License-Identifier: GPL-3.0-or-later

%!function check_inverse (X)
%! [Y, RC, info] = pageinv (X);
%! assert (class (Y), class (X));
%! assert (size (Y), size (X));
%! assert (isreal (Y), isreal (X));
%! n = rows (X);
%! u = 20 * n * eps (class (X));
%! assert (info, zeros (numel (info), 1, "int32"));
%! for p = 1:numel (info)
%!   M = double (X(:,:,p));
%!   inverse = inv (M);
%!   slack = u * norm (M, 1) * norm (inverse, 1);
%!   assert (all (sum (abs (double (Y(:,:,p)) - inverse), 1) <= slack * norm (inverse, 1)));
%!   assert (all (sum (abs (double (Y(:,:,p)) * M - eye (n)), 1) <= slack * n));
%!   rc = 1 / (norm (M, 1) * norm (inverse, 1));
%!   assert (RC(p) >= rc * (1 - slack - u) && RC(p) <= 3 * rc * (1 + slack + u));
%! endfor
%!endfunction
%!function check_known (A, inverse)
%! ## the error of an inverse by a stable method, for one and for many pages
%! for types = {"double", "single"}
%!   M = cast (A, types{1});
%!   if (any (double (M)(:) != A(:)) || eps (types{1}) * cond (A) > 0.1)
%!     continue; # its inverse is another, or cannot be computed
%!   endif
%!   Y = pageinv (repmat (M, 1, 1, 5));
%!   u = 10 * rows (A) * eps (types{1});
%!   for p = [1, 5]
%!     assert (all (sum (abs (double (Y(:,:,p)) - inverse), 1) <= u * norm (A, 1) * norm (inverse, 1)^2));
%!   endfor
%!   Z = pageinv (complex (M, 0 * M) * 1i);
%!   assert (all (sum (abs (double (Z) + 1i * inverse), 1) <= u * norm (A, 1) * norm (inverse, 1)^2));
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

%!## sizes around the edges of registers, every type
%!test
%! for type = "sdcz"
%!   for n = [1:9, 15:17, 23, 31:33, 40, 65]
%!     X = any_array (type, n, n, 5);
%!     if (n > 1) X = X + full (eye (n)); endif
%!     check_inverse (X);
%!   endfor
%! endfor
%!test # many pages, more dimensions, one matrix
%! for type = "sdcz"
%!   check_inverse (any_array (type, 4, 4, 67) + 2 * full (eye (4)));
%!   X = any_array (type, 3, 3, 2, 5, 2) + 2 * full (eye (3));
%!   [Y, RC, info] = pageinv (X);
%!   assert (size (Y), [3, 3, 2, 5, 2]);
%!   assert (size (RC), [1, 1, 2, 5, 2]);
%!   assert (size (info), [20, 1]);
%!   assert (class (RC), class (X));
%!   assert (pageinv (X(:,:,2,3,2)), Y(:,:,2,3,2));
%! endfor
%!test # kinds of pages that have methods of their own
%! for type = "sdcz"
%!   for n = [2, 4, 9, 20]
%!     T = any_array (type, n, n) + n * full (eye (n));
%!     check_inverse (cat (3, triu (T), tril (T), diag (diag (T)), T * T', -T * T', T + T', T));
%!   endfor
%! endfor

%!## inverses that are known
%!test # the examples of MATLAB's documentation
%! Y = pageinv (cat (3, magic (3), hilb (3), pascal (3)));
%! assert (Y(:,:,1), [53, -52, 23; -22, 8, 38; -7, 68, -37] / 360, 1e-15);
%! assert (Y(:,:,2), [9, -36, 30; -36, 192, -180; 30, -180, 180], 1e-10);
%! assert (Y(:,:,3), [3, -3, 1; -3, 5, -2; 1, -2, 1], 1e-13);
%!test
%! for n = 2:8
%!   check_known (invhilb (n), hilb (n));
%!   check_known (pascal (n), round (inv (pascal (n))));
%!   check_known (gallery ("minij", n), full (gallery ("tridiag", n)) - diag ([zeros(1, n - 1), 1]));
%! endfor
%! for n = [2:8, 16, 30]
%!   ## Lehmer: min (i, j) / max (i, j), its inverse is tridiagonal
%!   i = (1:n)';
%!   d = 4 * i.^3 ./ (4 * i.^2 - 1);
%!   d(n) = n^2 / (2 * n - 1);
%!   e = -i(1:n-1) .* i(2:n) ./ (2 * i(1:n-1) + 1);
%!   check_known (gallery ("lehmer", n), diag (d) + diag (e, 1) + diag (e, -1));
%! endfor
%!test # few bits: exact
%! for n = [2, 3, 5, 8, 16]
%!   U = eye (n) + triu (mod ((1:n)' * (1:n), 3) - 1, 1);
%!   inverse = round (inv (U));
%!   assert (U * inverse, eye (n));
%!   for s = [1, 2, 1/4]
%!     assert (pageinv (s * U), inverse / s);
%!     assert (pageinv (s * U.'), inverse.' / s);
%!     assert (pageinv (1i * s * U), inverse / (1i * s));
%!     assert (pageinv (single (s * U)), single (inverse / s));
%!   endfor
%!   P = eye (n)(randperm (n),:);
%!   assert (pageinv (cat (3, P, 2 * P)), cat (3, P', P' / 2));
%! endfor

%!## Hermitian pages that are definite have an inverse that is exactly Hermitian
%!test
%! for type = "sdcz"
%!   for n = [1:9, 17, 33]
%!     X = any_array (type, n, 3 * n + 2, 6);
%!     C = pagemtimes (X, "none", X, "ctranspose") / (3 * n);
%!     Y = pageinv (C);
%!     for p = 1:6
%!       assert (ishermitian (Y(:,:,p)));
%!       assert (all (imag (diag (Y(:,:,p))) == 0));
%!     endfor
%!     lambda = batcheig (C);
%!     mu = batcheig (Y);
%!     ratio = flipud (mu) .* lambda;
%!     tol = 100 * n * eps (class (C)) * max (lambda) ./ min (lambda);
%!     assert (all (abs (ratio - 1)(:) <= repmat (tol, n, 1)(:)));
%!     check_inverse (C);
%!   endfor
%! endfor

%!## singular pages are Inf, without a warning
%!test
%! lastwarn ("");
%! X = cat (3, [1, 1; 1, 1], [2, 0; 0, 4], zeros (2), [0, 0; 1, 1], [1, 2; 2, 4]);
%! for s = {X, single(X), X * (1 + 1i)}
%!   [Y, RC, info] = pageinv (s{1});
%!   assert (Y(:,:,[1, 3:5]), Inf (2, 2, 4, class (s{1})));
%!   assert (Y(:,:,2), inv (s{1}(:,:,2)));
%!   assert (RC([1, 3:5])(:), zeros (4, 1, class (s{1})));
%!   assert (RC(2), cast (0.5, class (s{1})), 4 * eps (class (s{1})));
%!   assert (all (info([1, 3:5]) >= 1 & info([1, 3:5]) <= 2));
%!   assert (info(2), int32 (0));
%! endfor
%! assert (pageinv (0), Inf);
%! assert (lastwarn (), "");
%!test # nearly singular: what inv computes, but for what rounding may do
%! X = [1, 1; 1, 1 + 4 * eps];
%! [Y, RC] = pageinv (X);
%! assert (Y, [1, -1; -1, 1] / (4 * eps), -0.01);
%! assert (RC < 2 * eps && RC > 0);

%!## the ends of the range
%!test
%! for n = [2, 4, 9]
%!   X = rand (n, n, 3) + n * full (eye (n));
%!   Y = pageinv (X);
%!   for s = [2^900, 2^-900]
%!     assert (pageinv (s * X), Y / s, -1e-13);
%!     assert (pageinv (s * (X + 1i * full (eye (n)))), pageinv (X + 1i * full (eye (n))) / s, -1e-13);
%!     C = pagemtimes (X, "none", X, "transpose");
%!     assert (pageinv (s * C), pageinv (C) / s, -1e-12);
%!   endfor
%!   ## graded: D * X has the inverse inv (X) / D
%!   D = diag (10 .^ linspace (0, -18, n));
%!   Z = pageinv (pagemtimes (X, D));
%!   for p = 1:3
%!     assert (norm (D * Z(:,:,p) - inv (X(:,:,p))) <= 1e-13 * norm (inv (X(:,:,p))) * cond (X(:,:,p)));
%!   endfor
%! endfor
%! assert (pageinv ([1e300, 0; 0, 1e-300]), [1e-300, 0; 0, 1e300], -eps);
%! assert (pageinv (4), 0.25);

%!## NaN and Inf
%!test
%! for n = [1:5, 9, 20]
%!   for type = "dz"
%!     X = any_array (type, n, n, 9) + n * full (eye (n));
%!     Y = pageinv (X);
%!     X(1,1,2) = NaN;  X(n,1,5) = Inf;  X(1,n,6) = -Inf;  X(:,:,8) = NaN;
%!     [Z, RC, info] = pageinv (X);
%!     good = [1, 3, 4, 7, 9];  bad = [2, 5, 6, 8];
%!     assert (Z(:,:,good), Y(:,:,good));
%!     assert (all (isnan (Z(:,:,bad))(:)));
%!     assert (all (isnan (RC(bad))));
%!     assert (info(bad), (n + 1) * int32 ([1; 1; 1; 1]));
%!     assert (info(good), zeros (5, 1, "int32"));
%!   endfor
%! endfor
%!warning <pageinv: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2>
%! pageinv (cat (3, eye (2), NaN (2)));
%!test
%! lastwarn ("");
%! [Y, RC, info] = pageinv (NaN (2));
%! assert (lastwarn (), "");

%!## a page gives the same bits whatever stands beside it
%!test
%! for type = "sdcz"
%!   for n = [2, 3, 4, 5, 8, 9, 20]
%!     X = any_array (type, n, n, 35) + full (eye (n));
%!     X(:,:,3) = X(:,:,3) * X(:,:,3)';  X(:,:,4) = triu (X(:,:,4));  X(:,:,5) = 0;
%!     [Y, RC, info] = pageinv (X);
%!     for p = [1, 2, 3, 4, 5, 6, 20, 35]
%!       [y, rc, i] = pageinv (X(:,:,p));
%!       assert (y, Y(:,:,p));  assert (rc, RC(p));  assert (i, info(p));
%!     endfor
%!   endfor
%! endfor

%!## empties
%!test
%! assert (pageinv ([]), []);
%! assert (size (pageinv (zeros (0, 0, 3))), [0, 0, 3]);
%! assert (size (pageinv (zeros (3, 3, 0, 2))), [3, 3, 0, 2]);
%! assert (class (pageinv (zeros (3, 3, 0, "single"))), "single");
%! [Y, RC, info] = pageinv (zeros (0, 0, 3));
%! assert (RC, Inf (1, 1, 3));
%! assert (info, zeros (3, 1, "int32"));
%! [Y, RC, info] = pageinv (zeros (2, 2, 0));
%! assert (size (RC), [1, 1, 0]);
%! assert (size (info), [0, 1]);

%!## options
%!test
%! X = rand (4, 4, 50) + 2 * full (eye (4));
%! assert (pageinv (X, "device", "cpu"), pageinv (X));
%!function count_pages (done, total)
%! global pageinv_seen
%! pageinv_seen = [done, total];
%!endfunction
%!test
%! global pageinv_seen
%! pageinv (rand (3, 3, 10), "PROGRESS", @count_pages);
%! assert (pageinv_seen, [10, 10]);
%! clear -global pageinv_seen

%!## errors
%!error <Invalid call> pageinv ()
%!error <called with too many outputs> [a, b, c, d] = pageinv (1);
%!error id=gpulinalg:bad-class pageinv (true)
%!error <X must be a single or double array, not int8> pageinv (int8 (1))
%!error <X must be a full array, not sparse> pageinv (sparse (1))
%!error id=gpulinalg:bad-shape pageinv (ones (2, 3))
%!error <the pages of X must be square, but X is 2x3x4> pageinv (ones (2, 3, 4))
%!error id=gpulinalg:bad-option pageinv (1, "colour", 1)
%!error <pageinv: argument 2: unknown option "Colour"; valid options are "device" or "progress"> pageinv (1, "Colour", 1)
%!error <pageinv: argument 4: unknown option "Colour"> pageinv (1, "device", "cpu", "Colour")
%!error id=gpulinalg:bad-option pageinv (1, "device")
%!error id=gpulinalg:bad-value pageinv (1, "device", "tpu")

%!## pages near both ends of the range: the inverse times the scale, and exactly Hermitian
%!test
%! rand ("twister", 5);
%! for n = [1, 2, 3, 5, 16, 17, 21, 33, 64, 65, 130, 257, 304]
%!   for kind = 1:4
%!     A = rand (n) + 1i * (kind > 2) * rand (n);
%!     if (mod (kind, 2))
%!       A = A * A';
%!       A = (A + A') / 2;
%!     endif
%!     A += n * eye (n);
%!     for s = {1e-200, 2 ^ (1022 - ceil (log2 (4 * n ^ 2))), single(1e-25), single(2 ^ (126 - ceil (log2 (4 * n ^ 2))))}
%!       B = cast (A, class (s{1}));
%!       X = pageinv (B);
%!       Y = pageinv (cat (3, B, s{1} * B), "device", "cpu")(:,:,2);
%!       assert (double (Y) * double (s{1}), double (X), 1e3 * n * eps (class (B)) * norm (double (X)));
%!       assert (ishermitian (Y) || ! mod (kind, 2));
%!     endfor
%!   endfor
%! endfor

%!test # one element of the inverse overflows
%! assert (pageinv (diag ([1e-310, 1])), [Inf, 0; 0, 1]);
%! assert (pageinv (diag (single ([1e-40, 1]))), single ([Inf, 0; 0, 1]));
