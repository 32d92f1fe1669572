## pagenorm.tst: tests of pagenorm
## SPDX-License-Identifier: GPL-3.0-or-later

%!function N = norm_loop (X, varargin)
%! dims = size (X);
%! dims(end+1:3) = 1;
%! N = zeros ([1, 1, dims(3:end)], class (X));
%! for q = 1:prod (dims(3:end))
%!   N(q) = norm (X(:,:,q), varargin{:});
%! endfor
%!endfunction
%!function check_norms (X, varargin)
%! N = pagenorm (X, varargin{:});
%! N0 = norm_loop (X, varargin{:});
%! assert (class (N), class (N0));
%! assert (size (N), size (N0));
%! assert (isreal (N));
%! ## both sides round once for each number that they add
%! bound = (rows (X) + columns (X) + 4) * eps (class (N));
%! assert (all (abs (N(:) - N0(:)) <= bound * N0(:)));
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

%!## every norm of every type, sizes with both edges
%!test
%! for type = "sdcz"
%!   for m = [2:5, 8, 17, 33]
%!     for n = [2, 3, 4, 9, 33]
%!       X = any_array (type, m, n, 5);
%!       check_norms (X);
%!       for p = {1, 2, Inf, "fro", "inf"}
%!         check_norms (X, p{1});
%!       endfor
%!     endfor
%!   endfor
%! endfor
%!test # pages that are vectors
%! for type = "sdcz"
%!   for n = [1:5, 16, 100]
%!     for p = {1, 2, 3, 1.5, 0.5, 7.25, Inf, -Inf, "fro"}
%!       check_norms (any_array (type, n, 1, 6), p{1});
%!       check_norms (any_array (type, 1, n, 6), p{1});
%!     endfor
%!   endfor
%! endfor
%!test # single matrices, and more dimensions
%! for p = {1, 2, Inf, "fro"}
%!   check_norms (rand (5, 4), p{1});
%!   check_norms (rand (3, 4, 2, 3, 2), p{1});
%!   check_norms (rand (1, 4, 2, 3, 2), p{1});
%! endfor
%! check_norms (rand (1, 4, 2, 3, 2), 3);
%! assert (size (pagenorm (rand (3, 4, 1, 5))), [1, 1, 1, 5]);
%!test # large pages
%! check_norms (rand (200, 150, 2));
%! check_norms (rand (30, 2000, 2) + 1i);

%!## norms that are known
%!test
%! X = cat (3, [3, 0; 4, 0], [0, -5; 0, 0], zeros (2));
%! for p = {1, 2, Inf, "fro"}
%!   assert (pagenorm (X, p{1})(:,:,3), 0);
%!   assert (pagenorm (X, p{1})(:,:,2), 5);
%! endfor
%! assert (pagenorm (X, 1)(1), 7);
%! assert (pagenorm (X, Inf)(1), 4);
%! assert (pagenorm (X, 2)(1), 5);
%! assert (pagenorm (X, "fro")(1), 5);
%! assert (pagenorm (cat (3, [3, 4], [-5, 12])), cat (3, 5, 13));
%! assert (pagenorm (single ([3; 4])), single (5));
%! assert (pagenorm (7), 7);
%! assert (pagenorm (-3 + 4i, 17), 5);
%!test # orthogonal matrices times a number
%! [Q, ~] = qr (rand (20));
%! s = reshape (2 .^ (-3:3), 1, 1, []);
%! assert (pagenorm (Q .* s), s, -100 * eps);
%!test # the largest singular value is far from the others, or all are equal
%! for n = [2, 5, 20]
%!   [U, ~] = qr (rand (n) + 1i * rand (n));  [V, ~] = qr (rand (n));
%!   X = cat (3, U * diag (10 .^ -(0:n-1)) * V, U * V, U(:,1) * V(1,:));
%!   assert (pagenorm (X), ones (1, 1, 3), 20 * n * eps);
%! endfor

%!## the ends of the range
%!test
%! X = rand (4, 3, 2);
%! V = rand (1, 3, 2);
%! for s = [2^1000, 2^-1000, 2^-1020]
%!   for p = {1, 2, Inf, "fro"}
%!     assert (pagenorm (s * X, p{1}), s * pagenorm (X, p{1}), -1e-14);
%!     assert (pagenorm (1i * s * X, p{1}), s * pagenorm (X, p{1}), -1e-14);
%!   endfor
%!   for p = {3, 0.5, -Inf, 100}
%!     assert (pagenorm (s * V, p{1}), s * pagenorm (V, p{1}), -1e-14);
%!   endfor
%! endfor
%! assert (pagenorm (single (1e38) * single ([1, 0; 0, 1])), single (1e38), -4 * eps ("single"));
%! assert (pagenorm (1e308 * [1, 1; -1, 1]), sqrt (2) * 1e308, -1e-15 * 4);
%! assert (pagenorm (5e-324 * [3, 0; 0, 4]), 5e-324 * 4);
%! assert (pagenorm (5e-324 * [3, 4], 2), 5e-324 * 5);
%! assert (pagenorm ([1e308, 1e308; 0, 0], Inf), Inf);
%!test # what stands beside a page does not change its bits
%! for type = "sdcz"
%!   for p = {1, 2, Inf, "fro"}
%!     X = any_array (type, 5, 4, 9);
%!     X(:,:,4) *= 1e30;  X(:,:,5) *= 1e-30;  X(2,2,7) = NaN;
%!     if (any (type == "dz"))
%!       X(:,:,6) *= 1e300;  X(:,:,9) *= 1e-300;
%!     endif
%!     N = pagenorm (X, p{1});
%!     for q = 1:9
%!       assert (pagenorm (X(:,:,q), p{1}), N(q));
%!     endfor
%!   endfor
%! endfor

%!## NaN and Inf
%!test
%! for p = {1, 2, Inf, "fro"}
%!   X = rand (3, 3, 6);
%!   N = pagenorm (X, p{1});
%!   X(2,3,2) = NaN;  X(1,1,4) = -Inf;  X(1,1,6) = NaN;  X(3,3,6) = Inf;
%!   M = pagenorm (X, p{1});
%!   assert (M([1, 3, 5]), N([1, 3, 5]));
%!   assert (isnan (M(:)')([2, 6]), true (1, 2));
%!   if (isequal (p{1}, 2))
%!     assert (isnan (M(4)));
%!   else
%!     assert (M(4), Inf);
%!   endif
%! endfor
%! for p = {1, 2, 3, Inf, -Inf, "fro"}
%!   assert (pagenorm (cat (3, [1, NaN], [NaN, Inf], [NaN, 1]), p{1}), NaN (1, 1, 3));
%! endfor
%! for p = {1, 2, 3, Inf, "fro"}
%!   assert (pagenorm (cat (3, [1, Inf], [-Inf, 2]), p{1}), Inf (1, 1, 2));
%!   assert (pagenorm ([1, complex(0, -Inf)], p{1}), Inf);
%!   assert (pagenorm ([1, complex(Inf, NaN)], p{1}), NaN);
%! endfor
%! assert (pagenorm ([1, Inf], -Inf), 1);

%!## empties
%!test
%! assert (pagenorm ([]), 0);
%! assert (pagenorm (zeros (0, 3, 4)), zeros (1, 1, 4));
%! assert (pagenorm (zeros (3, 0, 2), 1), zeros (1, 1, 2));
%! assert (pagenorm (zeros (1, 0, 2), 3), zeros (1, 1, 2));
%! assert (pagenorm (zeros (1, 0, 2), -Inf), zeros (1, 1, 2));
%! assert (size (pagenorm (zeros (3, 3, 0))), [1, 1, 0]);
%! assert (size (pagenorm (zeros (3, 3, 0, 2), Inf)), [1, 1, 0, 2]);
%! assert (size (pagenorm (zeros (3, 1, 0), 3)), [1, 1, 0]);
%! assert (class (pagenorm (zeros (3, 3, 0, "single"))), "single");

%!## options
%!test
%! X = rand (4, 4, 100);
%! assert (pagenorm (X, "device", "cpu"), pagenorm (X));
%! assert (pagenorm (X, 1, "DEVICE", "cpu"), pagenorm (X, 1));
%! assert (pagenorm (X, "FRO", "device", "auto"), pagenorm (X, "fro"));
%!function count_pages (done, total)
%! global pagenorm_seen
%! pagenorm_seen(end+1,:) = [done, total];
%!endfunction
%!test
%! global pagenorm_seen
%! for p = {1, 2, "fro"}
%!   pagenorm_seen = [];
%!   pagenorm (rand (3, 3, 10), p{1}, "progress", @count_pages);
%!   assert (pagenorm_seen(end,:), [10, 10]);
%!   assert (all (diff (pagenorm_seen(:,1)) >= 0));
%! endfor
%! pagenorm_seen = [];
%! pagenorm (rand (100, 1, 1000), 3, "progress", @count_pages);
%! assert (pagenorm_seen(end,:), [1000, 1000]);
%! assert (rows (pagenorm_seen) > 1);
%! ## two groups of products
%! pagenorm_seen = [];
%! pagenorm (rand (400, 400, 30), "progress", @count_pages);
%! assert (pagenorm_seen(end,:), [30, 30]);
%! assert (all (diff (pagenorm_seen(:,1)) >= 0));
%! clear -global pagenorm_seen

%!## errors
%!error <Invalid call> pagenorm ()
%!error <pagenorm: function called with too many outputs> [a, b] = pagenorm (1);
%!error id=gpulinalg:bad-class pagenorm (true)
%!error id=gpulinalg:bad-class pagenorm (int8 (1))
%!error <X must be a full array, not sparse> pagenorm (sparse (1))
%!error <X must be a single or double array, not cell> pagenorm ({1})
%!error id=gpulinalg:bad-value pagenorm (ones (2), 3)
%!error <p must be 1, 2, Inf or "fro" for pages that are matrices, not 3> pagenorm (ones (2), 3)
%!error <pages that are matrices, not -Inf> pagenorm (ones (2, 2, 2), -Inf)
%!error <pages that are matrices, not NaN> pagenorm (ones (2, 2, 2), NaN)
%!error id=gpulinalg:bad-value pagenorm ([1, 2], 0)
%!error <p must be positive or -Inf, not -2> pagenorm ([1, 2], -2)
%!error <p must be positive or -Inf, not NaN> pagenorm ([1, 2], NaN)
%!error <p must be a number, "fro" or "inf", not 1x2 of class double> pagenorm (1, [1, 2])
%!error <p must be a number, "fro" or "inf", not 1x1 of class cell> pagenorm (1, {1})
%!error id=gpulinalg:bad-value pagenorm (1, 1i)
%!error id=gpulinalg:bad-option pagenorm (1, "nuc")
%!error id=gpulinalg:bad-option pagenorm (1, 1, "colour", 1)
%!error <pagenorm: argument 3: unknown option "Colour"; valid options are "device" or "progress"> pagenorm (1, 1, "Colour", 1)
%!error <pagenorm: argument 2 must be p \(a number, "fro" or "inf"\) or the name of an option \("device" or "progress"\), not "nuc"> ...
%! pagenorm (1, "nuc")
%!error id=gpulinalg:bad-option pagenorm (1, "Colour", 1)
%!error <argument 2 must be p .*, not of class char of size 1x3x2> pagenorm (1, repmat ("fro", [1, 1, 2]))
%!error <pagenorm: option "device" needs a value> pagenorm (1, "device")
%!error id=gpulinalg:bad-value pagenorm (1, 1, "device", "tpu")
%!error <the norm with p = 3 is not done on a GPU> pagenorm ([1, 2], 3, "device", "gpu")
