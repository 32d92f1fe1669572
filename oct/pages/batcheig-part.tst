## batcheig-part.tst: tests of batcheig with parts of the spectrum
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = __hermitian_pages__ (n, pages, type)
%!  randn ("state", 100 * n + pages);
%!  A = randn (n, n, pages);
%!  if (any (type == "cz"))
%!    A = complex (A, randn (n, n, pages));
%!  endif
%!  A = A + conj (permute (A, [2, 1, 3]));
%!  if (any (type == "sc"))
%!    A = single (A);
%!  endif
%!endfunction

%!function check_vectors (A, V, D, k)
%!  n = rows (A);
%!  small = 50 * max (n, 1) * eps (class (A));
%!  for p = 1:size (A, 3)
%!    assert (V(:,:,p)' * V(:,:,p), eye (k, class (A)), small);
%!    assert (A(:,:,p) * V(:,:,p), V(:,:,p) * D(:,:,p), small * norm (A(:,:,p)));
%!  endfor
%!endfunction

%!## results have the same bits on one device, not on two
%!function names = devices ()
%!  names = {"cpu", "gpu"}(1:1 + ! isempty (gpulinalg_info ().devices));
%!endfunction

%!## the same eigenvalues as those of all, in all types and sizes of kernels
%!test
%! for device = devices ()
%!   for type = "sdcz"
%!     for n = [1, 2, 3, 4, 5, 8, 17, 33, 64, 65, 100, 130, 200]
%!       A = __hermitian_pages__ (n, 5, type);
%!       lambda = batcheig (A, "device", device{1});
%!       il = ceil (n / 3);
%!       iu = min (n, il + 4);
%!       tol = 20 * n * eps (class (A)) * max (abs (lambda(:)));
%!       assert (batcheig (A, "range", [il, iu], "device", device{1}), lambda(il:iu,:,:));
%!       [V, D, info] = batcheig (A, "range", [il, iu], "device", device{1});
%!       assert (size (V), [n, iu - il + 1, 5]);
%!       assert (size (D), [iu - il + 1, iu - il + 1, 5]);
%!       assert (info, zeros (5, 1, "int32"));
%!       check_vectors (A, V, D, iu - il + 1);
%!       for p = 1:5
%!         assert (diag (D(:,:,p)), lambda(il:iu,1,p), tol);
%!       endfor
%!     endfor
%!   endfor
%! endfor

%!## by Jacobi
%!test
%! for n = [6, 40, 110]
%!   A = __hermitian_pages__ (n, 2, "z");
%!   [V, D] = batcheig (A, "smallest", 3, "method", "jacobi");
%!   check_vectors (A, V, D, 3);
%! endfor

%!test
%! A = __hermitian_pages__ (7, 4, "d"); # so few pages run on the CPU
%! lambda = batcheig (A);
%! assert (batcheig (A, "largest", 2), lambda(6:7,:,:));
%! assert (batcheig (A, "smallest", 3), lambda(1:3,:,:));
%! assert (batcheig (A, "smallest", 7), lambda);
%! assert (size (batcheig (A, "largest", 0)), [0, 1, 4]);
%! [V, D, info] = batcheig (A, "smallest", 0);
%! assert (size (V), [7, 0, 4]);
%! assert (size (D), [0, 0, 4]);
%! assert (info, zeros (4, 1, "int32"));

%!## intervals are open at the lower end and closed at the upper one
%!test
%! A = repmat (diag ([1, 2, 2, 3]), [1, 1, 3]);
%! A(:,:,2) = diag ([5, 6, 7, 8]);
%! A(1,1,3) = NaN;
%! [V, D, info, more] = batcheig (A, "interval", [1, 2], "vector");
%! assert (more, struct ("count", [2; 0; 0]));
%! assert (info, int32 ([0; 0; 5]));
%! assert (squeeze (D), [2, NaN, NaN; 2, NaN, NaN]);
%! assert (size (V), [4, 2, 3]);
%! assert (A(:,:,1) * V(:,:,1), 2 * V(:,:,1), 10 * eps);
%! assert (all (isnan (V(:,:,2:3))(:)));

%!test
%! A = cat (3, diag ([1, 2, 3]), diag ([-1, 0, 2]));
%! [V, D, ~, more] = batcheig (A, "interval", [-Inf, 2]);
%! assert (more.count, [2; 3]);
%! assert (size (V), [3, 3, 2]);
%! assert (diag (D(:,:,1)), [1; 2; NaN]);
%! assert (D(:,:,2), diag ([-1, 0, 2]));
%! [V, D, ~, more] = batcheig (A, "interval", [10, Inf]);
%! assert (more.count, [0; 0]);
%! assert (size (V), [3, 0, 2]);
%! assert (size (D), [0, 0, 2]);
%! assert (size (batcheig (A, "interval", [10, Inf])), [0, 1, 2]);

%!## counts over a partition of the line add up, also at ends that are eigenvalues
%!test
%! for device = devices ()
%!   for n = [4, 20, 90, 140]
%!     A = __hermitian_pages__ (n, 6, "z");
%!     [~, D] = batcheig (A, "vector", "interval", [-Inf, Inf], "device", device{1});
%!     ends = [-Inf, sort(D(:,1,3)).', Inf];
%!     total = 0;
%!     for k = 1:numel (ends) - 1
%!       [~, ~, ~, more] = batcheig (A, "interval", ends(k:k+1), "device", device{1});
%!       total += more.count;
%!       assert (more.count(3), double (k <= n));
%!     endfor
%!     assert (total, n * ones (6, 1));
%!   endfor
%! endfor

%!## clusters: glued Wilkinson matrices, all equal, and a large scale
%!test
%! m = 21;
%! W = diag (abs (-10:10)) + diag (ones (m - 1, 1), 1) + diag (ones (m - 1, 1), -1);
%! for copies = [2, 5, 8]
%!   n = m * copies;
%!   G = kron (eye (copies), W);
%!   for k = m:m:n-1
%!     G(k,k+1) = G(k+1,k) = 1e-14;
%!   endfor
%!   Q = orth (randn (n));
%!   A = Q * G * Q';
%!   A = cat (3, G, 1e12 * G, (A + A') / 2);
%!   for k = [1, 3, n - 5]
%!     [V, D] = batcheig (A, "largest", k);
%!     check_vectors (A, V, D, k);
%!     [V, D] = batcheig (A, "range", [2, k + 1]);
%!     check_vectors (A, V, D, k);
%!   endfor
%! endfor
%!test
%! for n = [3, 30, 70, 150]
%!   [V, D] = batcheig (repmat (2 * eye (n), [1, 1, 2]), "range", [2, 3]);
%!   assert (D, repmat (2 * eye (2), [1, 1, 2]));
%!   check_vectors (repmat (2 * eye (n), [1, 1, 2]), V, D, 2);
%! endfor

%!## a page has the same bits in every batch
%!test
%! for device = devices ()
%!   for n = [5, 40, 70, 100, 140]
%!     A = __hermitian_pages__ (n, 37, "d");
%!     [V, D, ~, more] = batcheig (A, "interval", [0, n / 8], "device", device{1});
%!     for p = [1, 20, 37]
%!       [v, d, ~, one] = batcheig (A(:,:,p), "interval", [0, n / 8], "device", device{1});
%!       assert (one.count, more.count(p));
%!       assert (v, V(:,1:one.count,p));
%!       assert (d, D(1:one.count,1:one.count,p));
%!     endfor
%!   endfor
%! endfor

%!## pairs
%!test
%! for device = devices ()
%!   for n = [2, 6, 40, 90]
%!     A = __hermitian_pages__ (n, 5, "z");
%!     B = pagemtimes (A, "none", A, "ctranspose") + n * full (eye (n));
%!     [V, D] = batcheig (A, B, "vector", "device", device{1});
%!     [v, d, info, more] = batcheig (A, B, "largest", 2, "vector", "device", device{1});
%!     small = 1e3 * n * eps;
%!     assert (d, D(n-1:n,:,:), small * max (abs (D(:))));
%!     for p = 1:5
%!       assert (v(:,:,p)' * B(:,:,p) * v(:,:,p), eye (2), small);
%!       assert (A(:,:,p) * v(:,:,p), B(:,:,p) * v(:,:,p) .* d(:,:,p).', small * norm (A(:,:,p)));
%!     endfor
%!     assert (fieldnames (more), {"rcond"; "rank"; "count"});
%!     assert (more.count, 2 * ones (5, 1));
%!     [v, d, info, more] = batcheig (A, B, "interval", [0, Inf], "vector", "device", device{1});
%!     assert (more.count, squeeze (sum (D > 0, 1)));
%!     assert (size (v), [n, max(more.count), 5]);
%!     for p = 1:5
%!       assert (d(1:more.count(p),1,p), D(D(:,1,p) > 0,1,p));
%!       assert (v(:,1:more.count(p),p), V(:,D(:,1,p) > 0,p));
%!       assert (all (isnan (d(more.count(p)+1:end,1,p))));
%!     endfor
%!   endfor
%! endfor
%!test
%! [V, D, info, more] = batcheig (diag ([1, 2]), cat (3, eye (2), -eye (2)), "smallest", 1);
%! assert (more.count, [1; 0]);
%! assert (info, int32 ([0; 4]));
%! assert (squeeze (D), [1; NaN]);

%!## a GPU: the part has the bits of the same columns of all, unless it is formed by another way
%!testif ; ! isempty (gpulinalg_info ().devices)
%! warning ("off", "gpulinalg:pages-failed", "local");
%! for type = "sdcz"
%!   for n = [1, 2, 3, 8, 16, 24, 32, 33, 48, 64, 100, 130, 200, 300]
%!     A = __hermitian_pages__ (n, 7, type);
%!     A(ceil (n / 2),1,3) = NaN;
%!     [V, D, info] = batcheig (A, "vector", "device", "gpu");
%!     il = ceil (n / 3);
%!     iu = min (n, il + 4);
%!     [v, d, i, more] = batcheig (A, "range", [il, iu], "vector", "device", "gpu");
%!     if (n <= 16)
%!       assert (v, V(:,il:iu,:));
%!       assert (d, D(il:iu,:,:));
%!     else
%!       good = find (info == 0);
%!       small = 50 * n * eps (class (A));
%!       assert (d(:,:,good), D(il:iu,:,good), small * max (abs (D(:))));
%!       for p = good'
%!         assert (v(:,:,p)' * v(:,:,p), eye (iu - il + 1, class (A)), small);
%!         assert (A(:,:,p) * v(:,:,p), v(:,:,p) .* d(:,:,p).', small * norm (A(:,:,p)));
%!       endfor
%!       assert (all (isnan (v(:,:,3)(:))) && all (isnan (d(:,:,3))));
%!     endif
%!     assert (i, info);
%!     assert (more.count, (iu - il + 1) * (info == 0));
%!     lambda = batcheig (A, "device", "gpu");
%!     assert (batcheig (A, "largest", 1, "device", "gpu"), lambda(n,:,:));
%!     [v, d, i, more] = batcheig (A, "interval", [0, 2], "vector", "device", "gpu");
%!     inside = D > 0 & D <= 2;
%!     assert (more.count, squeeze (sum (inside, 1))(:));
%!     assert (columns (v), max (more.count));
%!     for p = 1:7
%!       k = more.count(p);
%!       assert (v(:,1:k,p), V(:,inside(:,1,p),p));
%!       assert (d(1:k,1,p), D(inside(:,1,p),1,p));
%!       assert (all (isnan (v(:,k+1:end,p)(:))) && all (isnan (d(k+1:end,1,p))));
%!     endfor
%!   endfor
%! endfor
%! [v, d] = batcheig (A, "smallest", 3, "method", "jacobi", "device", "gpu");
%! assert (size (v), [300, 3, 7]);
%! assert (squeeze (d(:,:,1)), D(1:3,1,1) .* eye (3), 1e-10 * norm (A(:,:,1)));

%!## empty
%!test
%! assert (size (batcheig (zeros (0, 0, 3), "largest", 0)), [0, 1, 3]);
%! [V, D, info, more] = batcheig (zeros (3, 3, 0), "interval", [0, 1]);
%! assert (size (V), [3, 0, 0]);
%! assert (more.count, zeros (0, 1));

%!error <options "range" and "largest" exclude each other> batcheig (eye (3), "range", [1, 2], "largest", 1)
%!error id=gpulinalg:bad-option batcheig (eye (3), "smallest", 1, "interval", [0, 1])
%!error <option "range" must be two integers, 1 <= first <= last <= 3, not \[2, 1\]> batcheig (eye (3), "range", [2, 1])
%!error id=gpulinalg:bad-value batcheig (eye (3), "range", [0, 1])
%!error id=gpulinalg:bad-value batcheig (eye (3), "range", [1, 4])
%!error id=gpulinalg:bad-value batcheig (eye (3), "range", [1.5, 2])
%!error id=gpulinalg:bad-value batcheig (eye (3), "range", [1, NaN])
%!error <option "range" must be two real numbers> batcheig (eye (3), "range", 1)
%!error <option "largest" must be an integer from 0 to 3, not 4> batcheig (eye (3), "largest", 4)
%!error <option "smallest" must be an integer from 0 to 3, not -1> batcheig (eye (3), "smallest", -1)
%!error id=gpulinalg:bad-value batcheig (eye (3), "smallest", NaN)
%!error <option "smallest" must be a real scalar, not "two"$> batcheig (eye (3), "smallest", "two")
%!error <option "largest" must be a real scalar, not of class double and size 1x2$> batcheig (eye (3), "largest", [1, 2])
%!error <option "range" must be two real numbers, \[first, last\], not 2$> batcheig (eye (3), "range", 2)
%!error <option "interval" must be two real numbers, \[vl, vu\], not of class double and size 1x3$> ...
%! batcheig (eye (3), "interval", [0, 1, 2])
%!error <must be \[vl, vu\] with vl < vu, not \[1, 1\]> batcheig (eye (3), "interval", [1, 1])
%!error id=gpulinalg:bad-value batcheig (eye (3), "interval", [0, NaN])
%!error id=gpulinalg:bad-value batcheig (eye (3), "interval", {})
