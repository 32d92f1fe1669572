## qr_block.tst: tests of qr_block
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

%!function d = diagonal (r)
%!  ## The diagonal as a column; diag would make a matrix of a row.
%!  k = min (size (r));
%!  d = diag (r(1:k,1:k));
%!endfunction

%!function check_qr (A, Q, R)
%!  ## LAPACK's ratios on each page, A with its columns in order; R has zeros below the diagonal.
%!  [m, n, pages] = size (A);
%!  u = double (eps (class (A))) / 2;
%!  for p = 1:pages
%!    a = double (A(:,:,p));
%!    q = double (Q(:,:,p));
%!    r = double (R(:,:,p));
%!    assert (r, triu (r));
%!    assert (isreal (diagonal (r)));
%!    assert (all (sum (abs (a - q * r), 1) <= 30 * max (m, n) * norm (a, 1) * u));
%!    assert (all (sum (abs (q' * q - eye (columns (q))), 1) <= 30 * m * u));
%!  endfor
%!endfunction

%!function check_like_qr (A, R)
%!  for p = 1:prod (size (A)(3:end))
%!    [~, r] = qr (A(:,:,p));
%!    assert (R(:,:,p), r(1:rows (R),:), 100 * max (size (A(:,:,p))) * eps (class (A)) * norm (A(:,:,p), "fro"));
%!  endfor
%!endfunction

%!## all forms, four types
%!test
%! for type = "sdcz"
%!   for shape = [1, 1, 5, 1, 2, 3, 7, 16, 17, 33, 40, 64, 9; 1, 5, 1, 2, 1, 3, 4, 16, 9, 33, 80, 10, 8]
%!     m = shape(1);
%!     n = shape(2);
%!     k = min (m, n);
%!     A = numbers (m, n, 3, type, 100 * m + n);
%!     B = numbers (m, 2, 3, type, 7);
%!     [Q, R] = qr_block (A);
%!     assert ({size(Q), size(R), class(Q), class(R)}, {[m, m, 3], [m, n, 3], class(A), class(A)});
%!     check_qr (A, Q, R);
%!     check_like_qr (A, R);
%!     assert (qr_block (A), R);
%!     [Qe, Re] = qr_block (A, 0);
%!     assert (size (Qe), [m, k, 3]);
%!     check_qr (A, Qe, Re);
%!     assert (Re, R(1:k,:,:));
%!     assert (qr_block (A, "econ"), Re);
%!     [C, Rc] = qr_block (A, B);
%!     assert (Rc, R);
%!     [Ce, Rc] = qr_block (A, B, 0);
%!     assert (Rc, Re);
%!     assert (size (Ce), [k, 2, 3]);
%!     [W, Y, Rw] = qr_block (A, "wy");
%!     assert ({size(W), size(Y)}, {[m, k, 3], [m, k, 3]});
%!     assert (Rw, R);
%!     tol = 30 * m * eps (class (A));
%!     for p = 1:3
%!       assert (C(:,:,p), Q(:,:,p)' * B(:,:,p), tol);
%!       assert (Ce(:,:,p), C(1:k,:,p), tol);
%!       assert (Qe(:,:,p), Q(:,1:k,p), tol);
%!       assert (eye (m) + W(:,:,p) * Y(:,:,p)', Q(:,:,p), tol);
%!       assert (Y(:,:,p), tril (Y(:,:,p)));
%!       assert (diagonal (Y(:,:,p)), ones (k, 1, class (A)));
%!     endfor
%!   endfor
%! endfor

%!## pivoting
%!test
%! for type = "sdcz"
%!   for shape = [1, 1, 5, 7, 16, 17, 40, 33; 1, 5, 1, 4, 16, 9, 12, 50]
%!     m = shape(1);
%!     n = shape(2);
%!     A = numbers (m, n, 2, type, 100 * m + n);
%!     B = numbers (m, 3, 2, type, 8);
%!     [Q, R, P] = qr_block (A);
%!     assert ({size(P), class(P)}, {[n, n, 2], "double"});
%!     [Qe, Re, Pe] = qr_block (A, 0);
%!     assert (size (Pe), [1, n, 2]);
%!     [C, Rc, Pc] = qr_block (A, B, "vector");
%!     assert (Pc, Pe);
%!     assert (Rc, R);
%!     for p = 1:2
%!       a = A(:,:,p);
%!       assert (a(:,Pe(:,:,p)), a * P(:,:,p));
%!       check_qr (a * P(:,:,p), Q(:,:,p), R(:,:,p));
%!       check_qr (a * P(:,:,p), Qe(:,:,p), Re(:,:,p));
%!       d = abs (diagonal (R(:,:,p)));
%!       assert (all (diff (d) <= 10 * n * eps (class (A)) * d(1)));
%!       assert (C(:,:,p), Q(:,:,p)' * B(:,:,p), 30 * m * eps (class (A)));
%!     endfor
%!   endfor
%! endfor

%!## columns as long as the largest number, of A and of B, and tiny ones: as those of length 1
%!test
%! for type = "sdcz"
%!   for shape = [1, 2, 2, 6, 40, 9, 200, 50, 300, 8200; 1, 1, 2, 4, 30, 20, 20, 80, 100, 3]
%!     m = shape(1);
%!     n = shape(2);
%!     k = min (m, n);
%!     A = numbers (m, n, 1, type, 100 * m + n);
%!     B = numbers (m, 40, 1, type, 7);
%!     A ./= max (norm (A, "columns"));
%!     B ./= norm (B, "columns");
%!     tol = 40 * m * eps (class (A));
%!     half = merge (any (type == "sc"), 64, 512);
%!     for f = [0.49, 0.51, 0.75, 0.99]
%!       a = f * A;
%!       b = f * B;
%!       large = a * 2^half * 2^half;
%!       large_b = b * 2^half * 2^half;
%!       [q, r, p] = qr_block (a, 0);
%!       [Q, R, P] = qr_block (large, 0);
%!       assert (P, p);
%!       check_qr (a(:,P), Q, R / 2^half / 2^half);
%!       assert (qr_block (large) / 2^half / 2^half, qr_block (a), tol);
%!       c = qr_block (a, b, 0);
%!       assert (qr_block (large, large_b, 0) / 2^half / 2^half, c, tol);
%!       assert (qr_block (a, large_b, 0) / 2^half / 2^half, c, tol);
%!       assert (qr_block (a, large_b(:,1), 0) / 2^half / 2^half, c(:,1), tol);
%!       [c, r, p] = qr_block (a, b, "vector");
%!       [C, R, P] = qr_block (large, large_b, "vector");
%!       assert (P, p);
%!       assert (C / 2^half / 2^half, c, tol);
%!     endfor
%!   endfor
%!   tiny = A * 2^-(2 * half) * 2^merge (any (type == "sc"), -14, -36);
%!   [Q, R] = qr_block (tiny, 0);
%!   assert (Q' * Q, eye (n), tol);
%!   [Q, R, P] = qr_block (tiny, 0);
%!   assert (Q' * Q, eye (n), tol);
%! endfor

%!test
%! [Q, R, P] = qr_block ([0.75 * realmax, 1; 2, 3]);
%! assert (abs (R(1,:)), [0.75 * realmax, 1], 1e-14 * [realmax, 1]);
%! assert (Q' * Q, eye (2), 1e-15);
%! [C, R] = qr_block ([1; 1], [1; 1] * 1e308, 0);
%! assert (abs (C), sqrt (2) * 1e308, 1e293);
%! [C, R] = qr_block ([1; 1], [Inf, 1; 1, NaN], 0);
%! assert (! any (isfinite (C)));

%!## P is a row or a matrix
%!test
%! A = numbers (6, 3, [2, 2], "d", 1);
%! assert (size (nthargout (3, @qr_block, A)), [3, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "vector")), [1, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "econ")), [1, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, 0, "matrix")), [3, 3, 2, 2]);
%! assert (size (nthargout (3, @qr_block, A, "VECTOR", "Matrix", "0")), [3, 3, 2, 2]);
%! [q, r, p] = qr (A(:,:,2), "vector");
%! assert (nthargout (3, @qr_block, A(:,:,2), "vector"), p);

%!## the second argument: 0, B, and 0 as B
%!test
%! A = [3, 1; 4, 2; 0, 5];
%! R = qr_block (A, 0);
%! assert (size (R), [2, 2]);
%! for zero = {single(0), int8(0), false}
%!   assert (qr_block (A, zero{1}), R);
%! endfor
%! assert (size (qr_block (A, zeros (3, 0))), [3, 0]);
%! assert (size (qr_block (A, zeros (3, 0), 0)), [2, 0]);
%! [C, R] = qr_block ([3, 4], 5);
%! assert ({abs(C), abs(R)}, {5, [3, 4]}, 10 * eps);
%! [Q, R] = qr_block ([3, 4], 0);
%! assert ({abs(Q), abs(R)}, {1, [3, 4]}, 10 * eps);
%! [C, R] = qr_block ([3, 4], 0, 0);
%! assert ({C, abs(R)}, {0, [3, 4]}, 10 * eps);

%!## one output with B is C, two with "wy" are W and Y, "wy" with the economy form cuts R
%!test
%! A = numbers (9, 4, 2, "z", 3);
%! B = numbers (9, 1, 2, "z", 4);
%! C = qr_block (A, B);
%! assert (C, nthargout (1, 1:2, @qr_block, A, B));
%! [W, Y, R] = qr_block (A, "wy");
%! [W2, Y2] = qr_block (A, "wy");
%! [W3, Y3, R3] = qr_block (A, 0, "WY");
%! assert ({W2, Y2, W3, Y3, R3}, {W, Y, W, Y, R(1:4,:,:)});

%!## signs are those of LAPACK
%!test
%! assert (qr_block ([3; 4]), [-5; 0], 10 * eps);
%! assert (qr_block ([-3; -4]), [5; 0], 10 * eps);
%! assert (qr_block ([3; 4i]), [-5; 0], 10 * eps);
%! assert (qr_block ([2; 0]), nthargout (2, @qr, [2; 0]));
%! assert (qr_block (7), nthargout (2, @qr, 7));
%! assert (qr_block (3 + 4i), nthargout (2, @qr, 3 + 4i), 10 * eps);

%!## least squares, a column for each page
%!test
%! A = numbers (30, 4, 5, "d", 5);
%! x = numbers (4, 2, 5, "d", 6);
%! B = zeros (30, 2, 5);
%! for p = 1:5
%!   B(:,:,p) = A(:,:,p) * x(:,:,p);
%! endfor
%! [C, R] = qr_block (A, B, 0);
%! [Cp, Rp, P] = qr_block (A, B, 0);
%! for p = 1:5
%!   assert (R(:,:,p) \ C(:,:,p), x(:,:,p), 1e-13);
%!   y = zeros (4, 2);
%!   y(P(:,:,p),:) = Rp(:,:,p) \ Cp(:,:,p);
%!   assert (y, x(:,:,p), 1e-13);
%! endfor

%!## class and complexity of the results
%!test
%! A = numbers (5, 3, 2, "d", 1);
%! B = numbers (5, 2, 2, "z", 2);
%! [C, R] = qr_block (A, B);
%! assert ({class(C), iscomplex(C), class(R)}, {"double", true, "double"});
%! assert (R, qr_block (A), 30 * eps);
%! [C, R] = qr_block (single (A), B);
%! assert ({class(C), iscomplex(C), class(R)}, {"single", true, "single"});
%! [C, R] = qr_block (A, single (real (B)));
%! assert ({class(C), iscomplex(C), class(R)}, {"single", false, "single"});
%! [C, R] = qr_block (complex (A, A), real (B));
%! assert ({class(C), iscomplex(C)}, {"double", true});

%!## empty results, the shapes of qr
%!test
%! function check_sizes (wanted, count, varargin)
%!   results = cell (1, count);
%!   [results{:}] = qr_block (varargin{:});
%!   assert (cellfun (@size, results, "uniformoutput", false), wanted);
%! endfunction
%! check_sizes ({[0, 3]}, 1, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3]}, 2, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3], [3, 3]}, 3, zeros (0, 3));
%! check_sizes ({[0, 0], [0, 3], [1, 3]}, 3, zeros (0, 3), 0);
%! check_sizes ({[3, 3], [3, 0], [0, 0]}, 3, zeros (3, 0));
%! check_sizes ({[3, 0], [0, 0], [1, 0]}, 3, zeros (3, 0), 0);
%! check_sizes ({[0, 0], [0, 0]}, 2, []);
%! check_sizes ({[3, 2], [3, 0]}, 2, zeros (3, 0), ones (3, 2));
%! check_sizes ({[0, 2], [0, 0]}, 2, zeros (3, 0), ones (3, 2), 0);
%! check_sizes ({[0, 2], [0, 3]}, 2, zeros (0, 3), ones (0, 2));
%! check_sizes ({[3, 0], [3, 0], [3, 0]}, 3, zeros (3, 0), "wy");
%! check_sizes ({[0, 0], [0, 0], [0, 3]}, 3, zeros (0, 3), "wy");
%! check_sizes ({[4, 4, 0], [4, 3, 0], [3, 3, 0]}, 3, zeros (4, 3, 0));
%! check_sizes ({[4, 3, 0, 2], [3, 3, 0, 2], [1, 3, 0, 2]}, 3, zeros (4, 3, 0, 2), 0);
%! check_sizes ({[4, 1, 0], [4, 3, 0]}, 2, zeros (4, 3, 0), zeros (4, 1, 0));
%! check_sizes ({[3, 3, 2], [3, 0, 2], [0, 0, 2]}, 3, zeros (3, 0, 2));
%! for type = {"double", "single"}
%!   [Q, R, P] = qr_block (zeros (3, 0, 2, type{1}), "vector");
%!   assert (Q, repmat (eye (3, type{1}), [1, 1, 2]));
%!   assert ({class(R), size(P)}, {type{1}, [1, 0, 2]});
%! endfor
%! assert (nthargout (3, @qr_block, zeros (0, 3, 2), 0), repmat (1:3, [1, 1, 2]));
%! assert (nthargout (3, @qr_block, zeros (0, 3)), eye (3));
%! assert (qr_block (zeros (3, 0), ones (3, 2)), ones (3, 2));

%!## trailing dimensions are kept, and a page has the same bits alone
%!test
%! A = numbers (7, 5, [2, 1, 3], "z", 3);
%! [Q, R, P] = qr_block (A, 0);
%! assert ({size(Q), size(R), size(P)}, {[7, 5, 2, 1, 3], [5, 5, 2, 1, 3], [1, 5, 2, 1, 3]});
%! [Q, R] = qr_block (A);
%! for p = 1:6
%!   [q, r] = qr_block (A(:,:,p));
%!   assert ({q, r}, {Q(:,:,p), R(:,:,p)});
%! endfor

%!## ranges, diagonal matrices and so on; A is not changed
%!test
%! assert (abs (qr_block (eye (3))), eye (3));
%! assert (abs (qr_block (eye (3)(:,[2, 1, 3]))), eye (3)(:,[2, 1, 3])(:,[2, 1, 3]), 0);
%! assert (abs (qr_block (3:3)), 3);
%! assert (abs (qr_block ((1:4).')(1)), sqrt (30), 30 * eps);
%! A = numbers (6, 4, 3, "d", 9);
%! B = A;
%! B(1) = B(1);
%! C = qr_block (A, A);
%! assert (A, B);

%!## NaN and Inf stay in their page
%!test
%! A = numbers (8, 3, 5, "d", 7);
%! [Q, R] = qr_block (A);
%! for bad = [NaN, Inf, -Inf]
%!   X = A;
%!   X(4,2,3) = bad;
%!   [Qx, Rx] = qr_block (X);
%!   rest = [1, 2, 4, 5];
%!   assert (Qx(:,:,rest), Q(:,:,rest));
%!   assert (Rx(:,:,rest), R(:,:,rest));
%!   assert (any (isnan (Qx(:,:,3)(:))));
%!   assert (any (! isfinite (Rx(:,:,3)(:))));
%! endfor

%!## rank deficient, huge and tiny
%!test
%! A = numbers (10, 6, 6, "d", 2);
%! A(:,3,1) = 0;
%! A(:,4,2) = A(:,1,2);
%! A(:,:,3) = 0;
%! A(:,:,4) *= 1e300;
%! A(:,:,5) *= 1e-300;
%! [Q, R] = qr_block (A);
%! scale = 2 .^ reshape ([0, 0, 0, -990, 990, 0], [1, 1, 6]);
%! check_qr (A .* scale, Q, R .* scale);
%! assert (R(:,:,3), zeros (10, 6));

%!## options
%!test
%! A = numbers (70, 50, 2, "d", 1);
%! [Q, R] = qr_block (A, 0);
%! for block = {1, 7, int8(16), single(64), 1000}
%!   [Qb, Rb] = qr_block (A, 0, "Block", block{1}, "DEVICE", "cpu");
%!   check_qr (A, Qb, Rb);
%!   assert (Rb, R, 1e-12);
%! endfor
%! assert (qr_block (A, "device", "auto"), qr_block (A));

%!function calls = note_progress (done, total)
%!  ## Records its arguments; without arguments returns the records and clears them.
%!  persistent seen = zeros (0, 2);
%!  calls = seen;
%!  if (nargin == 2)
%!    seen(end+1,:) = [done, total];
%!  else
%!    seen = zeros (0, 2);
%!  endif
%!endfunction

%!## progress
%!test
%! A = numbers (6, 4, 500, "d", 1);
%! note_progress ();
%! R = qr_block (A, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (R, qr_block (A));
%! text = evalc ('qr_block (A, "progress", true);');
%! assert (! isempty (strfind (text, "qr_block: 500 of 500 pages, 100 %")));
%! assert (evalc ('R = qr_block (A, "progress", false);'), "");
%! fail ('qr_block (A, "progress", @(varargin) error ("my:id", "enough"))', "enough");
%! assert (qr_block (A, "progress", @(varargin) batcheig (eye (2))), R);

%!## GPUs by number
%!test
%! A = numbers (20, 6, 8, "d", 2);
%! count = numel (gpulinalg_info ().devices);
%! places = [{"cpu", "auto"}, num2cell(0:count - 1)];
%! if (count > 0)
%!   places = [places, {0:count - 1, "gpu"}];
%! endif
%! for place = places
%!   [Q, R] = qr_block (A, "device", place{1});
%!   check_qr (A, Q, R);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('qr_block (1, "device", "gpu")', "no GPU");
%! try, qr_block (1, "device", 0); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");
