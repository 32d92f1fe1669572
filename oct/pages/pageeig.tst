## pageeig.tst: tests of pageeig
## SPDX-License-Identifier: GPL-3.0-or-later

%!function X = mixed_pages ()
%!  ## Hermitian, general real, Hermitian complex, general complex.
%!  rand ("state", 1);
%!  n = 5;
%!  X = rand (n, n, 4) - 0.5;
%!  X(:,:,3:4) += 1i * rand (n, n, 2);
%!  X(:,:,1) += X(:,:,1)';
%!  X(:,:,3) += X(:,:,3)';
%!endfunction

%!function check (X, V, D, W)
%!  for p = 1:prod (size (X)(3:end))
%!    x = X(:,:,p);
%!    tol = 100 * rows (x) * eps (class (x)) * norm (x, 1);
%!    assert (all (isfinite ([V(:,:,p), D(:,:,p), W(:,:,p)](:))));
%!    assert (x * V(:,:,p), V(:,:,p) * D(:,:,p), tol);
%!    assert (W(:,:,p)' * x, D(:,:,p) * W(:,:,p)', tol);
%!  endfor
%!endfunction

%!test
%! X = mixed_pages ();
%! [V, D, W] = pageeig (X);
%! assert ({size(V), size(D), size(W)}, {size(X), size(X), size(X)});
%! check (X, V, D, W);
%! d = pageeig (X);
%! assert (size (d), [5, 1, 4]);
%! for p = 1:4
%!   assert (sort (d(:,1,p)), sort (eig (X(:,:,p))), 1e-13);
%! endfor
%! assert (d(:,1,3), batcheig (X(:,:,3)));

%!## only Hermitian, only general, and single pages
%!test
%! X = mixed_pages ();
%! for pages = {[1, 3], [2, 4], 1, 2}
%!   for type = {"single", "double"}
%!     Y = feval (type{1}, X(:,:,pages{1}));
%!     [V, D, W] = pageeig (Y);
%!     check (Y, V, D, W);
%!     assert (class (pageeig (Y)), type{1});
%!   endfor
%! endfor
%! assert (isreal (pageeig (X(:,:,1))));

%!## trailing dimensions and forms
%!test
%! X = reshape (cat (3, mixed_pages (), mixed_pages ()), [5, 5, 2, 1, 4]);
%! assert (size (pageeig (X)), [5, 1, 2, 1, 4]);
%! assert (size (pageeig (X, "matrix")), [5, 5, 2, 1, 4]);
%! [V, D, W] = pageeig (X, "nobalance", "Vector");
%! assert (size (V), [5, 5, 2, 1, 4]);
%! assert (size (D), [5, 1, 2, 1, 4]);
%! [V2, D2] = pageeig (X, "nobalance", "matrix");
%! assert (V2, V);
%! assert (diag (D2(:,:,8)), D(:,1,8));
%! [V, D, W] = pageeig (X, "balance");
%! check (X, V, D, W);

%!## empty arrays
%!test
%! assert (size (pageeig (zeros (3, 3, 0))), [3, 1, 0]);
%! [V, D, W] = pageeig (zeros (3, 3, 0));
%! assert ({size(V), size(D), size(W)}, {[3, 3, 0], [3, 3, 0], [3, 3, 0]});
%! assert (size (pageeig (zeros (0, 0, 2))), [0, 1, 2]);
%! [V, D] = pageeig (zeros (0, 0, 2));
%! assert ({size(V), size(D)}, {[0, 0, 2], [0, 0, 2]});

%!warning <pageeig: 2 of 4 pages hold NaN or Inf and are NaN in the result; the first is page 1>
%! X = mixed_pages ();
%! X(1,2,1) = NaN;
%! X(3,1,4) = Inf;
%! [V, D] = pageeig (X);
%! assert (all (isnan (V(:,:,1)(:))));
%! assert (all (isnan (diag (D(:,:,4)))));
%! check (X(:,:,2), V(:,:,2), D(:,:,2), zeros (5));
%! assert (pageeig (X(:,:,2)), diag (D(:,:,2)), 1e-14);
%!warning id=gpulinalg:pages-failed pageeig (NaN);

%!## asymmetry of rounding size, as batcheig takes it: real eigenvalues, all pages at once
%!test
%! rand ("state", 2);
%! for type = {@(x) x, @single, @(x) complex (x, rand (size (x)) - 0.5)}
%!   X = type{1} (rand (6, 6, 50) - 0.5);
%!   X = X + conj (permute (X, [2, 1, 3]));
%!   X(3,2,:) += X(3,2,:) * 2 * eps (class (X));
%!   [V, D, W] = pageeig (X);
%!   assert (isreal (D) && isequal (V, W));
%!   assert (pageeig (X), batcheig (X));
%!   X(3,2,7) += 1e-3;                  # this one is general
%!   [V, D, W] = pageeig (X);
%!   check (X, V, D, W);
%! endfor

%!## which pages are Hermitian, also where sizes overflow, and beside pages with NaN or Inf
%!test
%! warning ("off", "gpulinalg:pages-failed", "local");
%! [V, D, W] = pageeig (cat (3, [1, 2; 2, 3], [1, 2; 2.1, 3], [1, NaN; 2, 3], [1, 2; 2 + eps, Inf]));
%! assert (V(:,:,1), W(:,:,1));
%! assert (any ((V != W)(:,:,2)(:)));
%! assert (isnan (squeeze (D(1,1,:))), [false; false; true; true]);
%! h = complex ([1.7e308, 1.7e308; 1.7e308, 1e308], [0, 1.7e308; -1.7e308, 0]);
%! [V, D, W] = pageeig (cat (3, h, complex (-real (h), imag (h)), [1i, 1e308; 2, 1], [1, h(1,1); 2, 3]));
%! assert (V(:,:,1:2), W(:,:,1:2));
%! assert (any (any (V(:,:,3:4) != W(:,:,3:4))), true (1, 1, 2));
%! assert (any (isnan (V(:))), false);

%!## results of general pages are real where all eigenvalues are
%!test
%! [V, D, W] = pageeig (cat (3, [1, 2; 0, 3], [4, 5; 6, 7]));
%! assert (isreal (V) && isreal (D) && isreal (W));
%! assert (isreal (pageeig ([1, 2; 0, 3])) && ! isreal (pageeig (cat (3, [1, 2; 0, 3], [0, 1; -1, 0]))));

%!## sizes around that up to which pages are solved in lanes, all types, both balances; trace
%!test
%! randn ("state", 3);
%! for n = [1:9, 16, 17, 47:50]
%!   for type = {@(x) x, @single, @(x) complex (x, randn (size (x))), @(x) complex (single (x), randn (size (x), "single"))}
%!     X = type{1} (randn (n, n, 11));
%!     [V, D, W] = pageeig (X);
%!     check (X, V, D, W);
%!     tol = 100 * n * eps (class (X));
%!     assert (squeeze (sqrt (sum (abs (V) .^ 2, 1)))(:), ones (n * 11, 1, class (X)), tol);
%!     assert (squeeze (sqrt (sum (abs (W) .^ 2, 1)))(:), ones (n * 11, 1, class (X)), tol);
%!     [V, D] = pageeig (X, "nobalance");
%!     check (X, V, D, zeros (size (X)));
%!     d = pageeig (X);
%!     for p = 1:11
%!       assert (sum (d(:,1,p)), trace (X(:,:,p)), tol * norm (X(:,:,p), 1));
%!     endfor
%!   endfor
%! endfor

%!## so has a Hermitian page without imaginary parts, beside complex ones and others (alone it was solved as a real one)
%!test
%! X = complex (randn (9, 9, 4), randn (9, 9, 4));
%! X(:,:,2) += X(:,:,2)';
%! X(:,:,3) = hilb (9);
%! [V, D, W] = pageeig (X);
%! for some = {3, 3:4, [1, 3], [3, 2]}
%!   x = X(:,:,some{1});
%!   [v, d, w] = pageeig (complex (x));
%!   assert (isequal (v, V(:,:,some{1})) && isequal (d, D(:,:,some{1})) && isequal (w, W(:,:,some{1})));
%! endfor

%!## a page has the same bits alone and beside any others, also ones that fail
%!test
%! randn ("state", 4);
%! X = randn (7, 7, 21);
%! X(:,:,5) = diag (ones (6, 1), 1);
%! X(2,3,8) = NaN;
%! X(:,:,11) = circshift (eye (7), 1);
%! warning ("off", "gpulinalg:pages-failed", "local");
%! [V, D, W] = pageeig (X);
%! for p = [1:7, 9:21]
%!   [v, d, w] = pageeig (X(:,:,p));
%!   assert (isequal (v, V(:,:,p)) && isequal (d, D(:,:,p)) && isequal (w, W(:,:,p)));
%! endfor

%!## a page without imaginary parts is solved as a real one, also beside complex ones
%!test
%! rand ("state", 1);
%! A = rand (6) - 0.5;
%! C = rand (6) + 1i * rand (6);
%! for type = {"single", "double"}
%!   X = feval (type{1}, cat (3, A, C, A + A', 2 * A));
%!   [V, D, W] = pageeig (X);
%!   d = pageeig (X);
%!   for p = 1:4
%!     x = X(:,:,p);
%!     if (p == 3)
%!       x = complex (x);       # Hermitian pages have the type of X, as in batcheig
%!     endif
%!     assert (isequal (d(:,1,p), pageeig (x)));
%!     [v, e, w] = pageeig (x);
%!     assert (isequal (v, V(:,:,p)) && isequal (e, D(:,:,p)) && isequal (w, W(:,:,p)));
%!   endfor
%! endfor
%! assert (isequal (pageeig (complex (A)), pageeig (A)));
%! assert (isequal (pageeig (cat (3, A, C))(:,1,1), pageeig (A)));

%!## pages whose magnitudes overflow
%!test
%! rand ("state", 5);
%! X = rand (2, 2, 3) + 1i;
%! X(:,:,2) = complex ([1.7e308, 1.7e308; -1.7e308, 1e308], 1.7e308);
%! warning ("off", "gpulinalg:pages-failed", "local");
%! d = pageeig (X);
%! assert (isequal (d(:,1,1), pageeig (X(:,:,1))) && isequal (d(:,1,3), pageeig (X(:,:,3))));

%!## graded pages, whose eigenvalues balancing finds
%!test
%! B = [1, 2, 3; 4, 5, 6.5; 7, 8, -10];
%! D = diag (2 .^ [27, 0, -27]);
%! for z = [1, 1i]
%!   assert (sort (real (pageeig (single (z * D * B / D)) / z)), single (sort (eig (B))), -1e-5);
%!   assert (sort (real (pageeig (z * D ^ 9 * B / D ^ 9) / z)), sort (eig (B)), -1e-13);
%! endfor
%! A = diag (ones (9, 1), 1);
%! A(10,1) = 1e-23;
%! assert (abs (pageeig (single (A))), repmat (single (1e-23) ^ 0.1, 10, 1), -1e-5);
%! assert (abs (pageeig ([0, 1, 0; 0, 0, 1; 1e-200, 0, 0])), repmat (1e-200 ^ (1 / 3), 3, 1), -1e-13);
%! assert (sort (pageeig (single ([1, 2e22; 3e-22, 4]))), single (sort (eig ([1, 2; 3, 4]))), -1e-5);
%! assert (sort (pageeig ([1, 2e160; 3e-160, 4])), sort (eig ([1, 2; 3, 4])), -1e-13);

%!## "device", in any place and case
%!test
%! X = mixed_pages ();
%! assert (pageeig (X, "device", "cpu"), pageeig (X));
%! assert (pageeig (X, "Device", "CPU", "matrix", "nobalance"), pageeig (X, "nobalance", "matrix"));
%!testif ; isempty (gpulinalg_info ().devices)
%! try, pageeig (1, "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");
%! assert (strncmp (err.message, "pageeig: there is no GPU", 24));

%!error <Invalid call> pageeig ()
%!error <called with too many outputs|undefined in return list> [a, b, c, d] = pageeig (1);
%!error id=gpulinalg:bad-option pageeig (1, "chol")
%!error <pageeig: option "smallest" is one of batcheig; pageeig computes all eigenvalues> pageeig (1, "smallest", 1)
%!error id=gpulinalg:bad-option pageeig (1, "Interval", [0, 1])
%!error <pageeig: argument 2: unknown option "chol"; valid options are "balance", "nobalance", "vector", "matrix" or "device"> pageeig (1, "chol")
%!error <argument 2 must be the name of an option, not of class double and size 1x1$> pageeig (1, 2)
%!error <not of class double and size 2x2; batcheig \(A, B\) solves Hermitian pairs$> pageeig (eye (2), ones (2))
%!error <argument 3 must be the name of an option, not of class cell> pageeig (1, "vector", {"matrix"})
%!error <option "device" needs a value> pageeig (1, "device")
%!error <pageeig: option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> pageeig (1, "device", "tpu")
%!error id=gpulinalg:bad-value pageeig (1, "device", -1)
%!error id=gpulinalg:bad-class pageeig (int8 (1))
%!error <X must be a full array, not sparse; use full \(X\)> pageeig (sparse (1))
%!error <X must be a single or double array, not cell> pageeig ({})
%!error <X must be a single or double array, not logical> pageeig (true)
%!error id=gpulinalg:bad-shape pageeig (ones (2, 3))
%!error <the pages of X must be square, but X is 2x3x4> pageeig (ones (2, 3, 4))
