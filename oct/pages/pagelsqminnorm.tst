## pagelsqminnorm.tst: tests of pagelsqminnorm
## SPDX-License-Identifier: GPL-3.0-or-later

%!test
%! rand ("state", 2);
%! for mn = [1, 3, 5, 4, 40; 1, 4, 3, 4, 36]
%!   for type = {@double, @single, @(x) complex (x, rand (size (x)))}
%!     A = type{1} (rand (mn(1), mn(2), 3) - 0.5);
%!     A(:,end,2) = A(:,1,2);
%!     B = type{1} (rand (mn(1), 2, 3) - 0.5);
%!     X = pagelsqminnorm (A, B);
%!     assert (size (X), [mn(2), 2, 3]);
%!     assert (class (X), class (A));
%!     for p = 1:3
%!       x = pinv (A(:,:,p));
%!       assert (X(:,:,p), x * B(:,:,p), 1000 * eps (class (A)) * norm (x) ^ 2 * norm (A(:,:,p)));
%!     endfor
%!   endfor
%! endfor

%!## regularization: the normal equations with alpha^2 on the diagonal
%!test
%! rand ("state", 3);
%! A = rand (6, 4, 5);
%! B = rand (6, 2);
%! X = pagelsqminnorm (A, B, "RegularizationFactor", 0.3);
%! for p = 1:5
%!   a = A(:,:,p);
%!   assert (X(:,:,p), (a' * a + 0.09 * eye (4)) \ (a' * B), 1e-13);
%! endfor
%! assert (pagelsqminnorm (A, B, 0, "regularizationfactor", 0), pagelsqminnorm (A, B), 1e-13);
%!test # a factor for each page, and many for one page
%! rand ("state", 4);
%! A = rand (6, 4, 2, 3);
%! B = rand (6, 2, 2, 3);
%! alpha = reshape ([0, 1e-3, 0.1, 1, 7, 100], 1, 1, 2, 3);
%! X = pagelsqminnorm (A, B, "RegularizationFactor", alpha);
%! Y = pagelsqminnorm (A(:,:,2,2), B(:,:,2,2), "RegularizationFactor", alpha);
%! assert (size (Y), [4, 2, 2, 3]);
%! for p = 1:6
%!   assert (X(:,:,p), pagelsqminnorm (A(:,:,p), B(:,:,p), "RegularizationFactor", alpha(p)), 1e-13);
%!   assert (Y(:,:,p), pagelsqminnorm (A(:,:,4), B(:,:,4), "RegularizationFactor", alpha(p)), 1e-13);
%! endfor
%! assert (pagelsqminnorm (A, B, "RegularizationFactor", alpha(:)), X);
%! assert (pagelsqminnorm (A(:,:,4), B(:,:,4), "RegularizationFactor", alpha(:).'), Y(:,:,:), 1e-14);
%! assert (pagelsqminnorm (A(:,:,4), B, "RegularizationFactor", alpha), ...
%!         pagelsqminnorm (repmat (A(:,:,4), 1, 1, 2, 3), B, "RegularizationFactor", alpha), 1e-13);
%! assert (class (pagelsqminnorm (single (A), B, "RegularizationFactor", alpha)), "single");
%! assert (gather (pagelsqminnorm (gpuArray (A), B, "RegularizationFactor", gpuArray (alpha))), X, 1e-12);
%!test # with values that overflow
%! A = cat (3, [1, 1; -1, 1; 1, -1] * 1.7e308, [1, 1; -1, 1; 1, -1]);
%! X = pagelsqminnorm (A, A(:,1,:), "RegularizationFactor", [1.7e308, 1]);
%! assert (X(:,:,1), X(:,:,2), 1e-14);
%!error <"RegularizationFactor" must be a number that is not negative, not -1$> ...
%! pagelsqminnorm (ones (2), [1; 1], "RegularizationFactor", [1, -1])
%!error <"RegularizationFactor" must be a number that is not negative, not NaN$> ...
%! pagelsqminnorm (1, 1, "RegularizationFactor", NaN)
%!error <"RegularizationFactor" must be a number that is not negative, not of class cell and size 1x2$> ...
%! pagelsqminnorm (1, 1, "RegularizationFactor", {1, 2})
%!error <"RegularizationFactor" must be a number, or one for each page of A, not 2 for 3 pages$> ...
%! pagelsqminnorm (ones (2, 2, 3), [1; 1], "RegularizationFactor", [1, 2])
%!error <the pages of A and B do not match in dimension 3: 2 and 3$> ...
%! pagelsqminnorm (ones (2), ones (2, 1, 3), "RegularizationFactor", [1, 2])
%!test # reciprocals of the singular values overflow
%! A = reshape (mod ((1:36) .^ 2, 29), 6, 3, 2) * 2 ^ -1060;
%! X = pagelsqminnorm (A, pagemtimes (A, [1; 2; 3]));
%! assert (X, repmat ([1; 2; 3], 1, 1, 2), 1e-3);
%! assert (pagelsqminnorm (A * 2 ^ 1000, pagemtimes (A, [1; 2; 3]) * 2 ^ 1000), X, 1e-3);
%!test # singular values that overflow
%! A = [1, 1; -1, 1; 1, -1];
%! B = cat (3, A * 1.7e308, A, A * 1e308);
%! X = pagelsqminnorm (B, pagemtimes (B, [1; 0]));
%! assert (X, repmat ([1; 0], 1, 1, 3), 1e-14);
%! assert (X(:,:,2), pagelsqminnorm (A, A(:,1)));
%! assert (pagelsqminnorm (B, B(:,1,:), 1e308)(:,:,1), [1; 0], 1e-14);
%! X = pagelsqminnorm (B, B(:,1,:), "RegularizationFactor", 1.7e308);
%! assert (X(:,:,1), pagelsqminnorm (A, A(:,1), "RegularizationFactor", 1), 1e-14);
%! assert (pagelsqminnorm (B, A(:,1)) .* cat (3, 1.7e308, 1, 1e308), repmat ([1; 0], 1, 1, 3), 1e-13);
%!test # many right-hand sides for one matrix, and tol
%! X = pagelsqminnorm (diag ([2, 0.1]), ones (2, 1, 3), 0.5, "device", "cpu");
%! assert (X, repmat ([0.5; 0], 1, 1, 3), eps);
%!assert (pagelsqminnorm (zeros (2, 3), ones (2, 1)), zeros (3, 1))
%!assert (pagelsqminnorm (zeros (2, 3), ones (2, 1), "RegularizationFactor", 1), zeros (3, 1))
%!warning <pagelsqminnorm: 1 of 2 pages of A have not full rank; the first is page 2>
%! pagelsqminnorm (cat (3, eye (2), ones (2)), [1; 1], "warn");
%!test
%! lastwarn ("");
%! pagelsqminnorm (ones (2), [1; 1], "nowarn");
%! assert (lastwarn (), "");
%!error <argument 3: unknown option "wran"; valid options are "warn", "nowarn", "RegularizationFactor" or "device"$> ...
%! pagelsqminnorm (1, 1, "wran")
%!error <Invalid call> pagelsqminnorm (1)
%!error id=gpulinalg:bad-class pagelsqminnorm (1, true)
%!error <pagelsqminnorm: B must be a full array, not sparse> pagelsqminnorm (1, sparse (1))
%!error <pagelsqminnorm: B must have the rows of A, but A is 2x2 and B is 3x1> pagelsqminnorm (ones (2), ones (3, 1))
%!error id=gpulinalg:bad-shape pagelsqminnorm (ones (2), ones (3, 1))
%!error <pagelsqminnorm: the pages of A and B do not match in dimension 4: 2 and 5> ...
%! pagelsqminnorm (ones (2, 2, 3, 2), ones (2, 1, 1, 5))
%!error id=gpulinalg:bad-shape pagelsqminnorm (ones (2, 2, 3), ones (2, 1, 2))
%!assert (size (pagelsqminnorm (ones (2, 3, 1, 4), ones (2, 1, 5))), [3, 1, 5, 4])
%!error <option "RegularizationFactor" must be a number that is not negative> pagelsqminnorm (1, 1, "RegularizationFactor", -1)
%!error id=gpulinalg:bad-value pagelsqminnorm (1, 1, -1)
%!error id=gpulinalg:bad-option pagelsqminnorm (1, 1, "wrong", 1)

%!test # several numbers with one matrix of less than full rank: each page as alone, also with 0
%! A = [1, 1; 1, 1];
%! alpha = [0.1, 0, 2, 0];
%! X = pagelsqminnorm (A, [1; 1], "RegularizationFactor", alpha);
%! for p = 1:4
%!   assert (X(:,:,p), pagelsqminnorm (A, [1; 1], "RegularizationFactor", alpha(p)));
%! endfor
%! assert (X(:,:,[2, 4]), 0.5 * ones (2, 1, 2), 4 * eps);
%! X = pagelsqminnorm (diag ([2, 1]), [1; 1], 1.5, "RegularizationFactor", [0, 0]);
%! assert (X, repmat ([0.5; 0], [1, 1, 2]), 4 * eps);
%!assert (pagelsqminnorm (2, 4, "regularizationFACTOR", 0, "NoWarn"), 2)

%!test # a tolerance for each page, also beside regularization and pages that expand
%! A = cat (3, magic (3), hilb (3), pascal (3));
%! tol = cat (3, 2, 0.2, 1);
%! b = [1; 2; 4];
%! X = pagelsqminnorm (A, b, tol);
%! for p = 1:3
%!   assert (X(:,:,p), pinv (A(:,:,p), tol(p)) * b, 1e-13);
%!   assert (X(:,:,p), pagelsqminnorm (A(:,:,p), b, tol(p)));
%! endfor
%! assert (gather (pagelsqminnorm (gpuArray (A), b, tol)), X, 1e-12);
%! assert (gather (pagelsqminnorm (A, gpuArray (b), gpuArray (tol))), X, 1e-12);
%! Y = pagelsqminnorm (A, b, tol, "RegularizationFactor", 0.5);
%! assert (Y(:,:,2), pagelsqminnorm (hilb (3), b, 0.2, "RegularizationFactor", 0.5));
%! B = cat (4, b, 2 * b);
%! assert (pagelsqminnorm (A, B, tol), cat (4, X, 2 * X), 1e-14);
%! assert (class (pagelsqminnorm (single (A), b, tol)), "single");
%!error <pagelsqminnorm: tol must be a number, or one for each page of A, not 2 for 3 pages$> ...
%! pagelsqminnorm (ones (2, 2, 3), [1; 1], [1, 2])
%!error <pagelsqminnorm: tol must be a number, or one for each page of A, not 2 for 1 page$> ...
%! pagelsqminnorm (ones (2), ones (2, 1, 2), [1, 2])
%!error <pagelsqminnorm: tol must be a number that is not negative, not -1$> ...
%! pagelsqminnorm (ones (2, 2, 2), [1; 1], [1, -1])
