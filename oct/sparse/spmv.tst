## spmv.tst: tests of the results of spmv; see spmv.cc
## SPDX-License-Identifier: GPL-3.0-or-later

%!function A = matrix (m, n, density, type)
%!  ## Random, of type "d" (double), "z" (complex), "b" (logical), or "1" (all values alike).
%!  A = sprand (m, n, density);
%!  switch (type)
%!    case "z"
%!      A = A + 1i * (A != 0) .* sprand (A);
%!    case "b"
%!      A = A != 0;
%!    case "1"
%!      A = 2.5 * (A != 0);
%!  endswitch
%!endfunction

%!function x = vectors (n, b, type)
%!  x = rand (n, b) - 0.5;
%!  if (any (type == "zc"))
%!    x = complex (x, rand (n, b) - 0.5);
%!  endif
%!  if (any (type == "sc"))
%!    x = single (x);
%!  endif
%!endfunction

%!function check (y, A, x)
%!  ## Right to a few eps of the sums of moduli; classes and shapes are those of A*x.
%!  wanted = A * double (x);
%!  bound = 2 * columns (A) * double (eps (class (x))) * (abs (A) * abs (double (x)));
%!  assert (size (y), size (wanted));
%!  assert ({class(y), iscomplex(y)}, {class(x), iscomplex(wanted)});
%!  assert (all ((abs (double (y) - wanted) <= bound)(:)));
%!endfunction

%!## all types of A and x, all shapes, one to nine vectors
%!test
%! rand ("twister", 1);
%! for shape = [1, 1, 7, 30, 200, 64, 1000; 1, 5, 1, 40, 150, 64, 3]
%!   for ta = "dzb1"
%!     A = matrix (shape(1), shape(2), 0.15, ta);
%!     P = spmv_plan (A);
%!     for tx = "dzsc"
%!       for b = [1, 2, 3, 4, 5, 8, 9]
%!         x = vectors (shape(2), b, tx);
%!         y = spmv (A, x);
%!         z = spmv (P, x);
%!         check (y, A, x);
%!         check (z, A, x);
%!         assert ({spmv(A, x), spmv(P, x)}, {y, z});
%!       endfor
%!       x = vectors (shape(1), 2, tx);
%!       check (spmv (A, x, "transpose"), A.', x);
%!       check (spmv (P, x, "Transpose"), A.', x);
%!       check (spmv (A, x, "ctranspose"), A', x);
%!       check (spmv (P, x, "ctranspose"), A', x);
%!     endfor
%!   endfor
%! endfor

%!## no rows, no columns, no vectors, no entries
%!test
%! for type = {@double, @single, @(x) complex (x, x)}
%!   f = type{1};
%!   assert (spmv (sparse (0, 3), f (ones (3, 2))), real (f (zeros (0, 2))));
%!   assert (spmv (sparse (3, 0), f (ones (0, 2))), real (f (zeros (3, 2))));
%!   assert (spmv (sparse (0, 0), f (ones (0, 0))), real (f (zeros (0, 0))));
%!   assert (size (spmv (speye (3), f (ones (3, 0)))), [3, 0]);
%!   assert (spmv (sparse (4, 3), f (ones (3, 2))), real (f (zeros (4, 2))));
%!   assert (spmv (sparse (4, 3) > 0, f (ones (4, 2)), "transpose"), real (f (zeros (3, 2))));
%! endfor

%!## x is a range, a diagonal matrix or a scalar; A is not changed
%!test
%! A = sparse ([1, 1, 3], [1, 2, 2], [10, 20, 30]);
%! B = 1 * A;
%! assert (spmv (A, (1:2).'), [50; 0; 60]);
%! assert (spmv (A, [1, 2].'), [50; 0; 60]);
%! assert (spmv (A, eye (2)), full (A));
%! assert (spmv (sparse (3), 4), 12);
%! assert (A, B);

%!## NaN and Inf count where they meet an entry
%!test
%! A = sparse ([1, 2, 2], [1, 1, 3], [1, 0.5, NaN]);
%! assert (spmv (A, [2; NaN; 1]), [2; NaN]);
%! assert (spmv (A, [Inf; NaN; 0]), [Inf; NaN]);
%! assert (spmv (A(:,1:2), [2; NaN]), [2; 1]);

%!## Inf in one part of a complex sum leaves the other part alone, also with a plan
%!test
%! A = sparse ([1+1i, 0; 0, 2]);
%! B = sparse ([1e308i, 1+1e308i]);
%! C = sparse ([Inf, 1; 2i, 3]);
%! for type = {@double, @single}
%!   for w = 1:3
%!     x = type{1} (repmat ([Inf; 1], 1, w));
%!     assert (spmv_plan (A) * x, repmat (type{1} ([complex(Inf, Inf); 2]), 1, w));
%!     assert (spmv_plan (A) * x, spmv (A, x));
%!     assert (spmv (spmv_plan (A), x, "ctranspose"), spmv (A, x, "ctranspose"));
%!     assert (spmv (spmv_plan (A), x, "transpose"), spmv (A, x, "transpose"));
%!   endfor
%! endfor
%! assert (spmv_plan (B) * [1; 1], complex (1, Inf));
%! assert (spmv_plan (C) * [1; 1], spmv (C, [1; 1]));

%!## one long row among short ones
%!test
%! n = 40000;
%! A = speye (n);
%! A(77,:) = 1 / 3;
%! x = (1:n).' / n;
%! y = spmv (A, x);
%! assert (y([1:76, 78:n]), x([1:76, 78:n]));
%! assert (y(77), sum (x) / 3, 1e-10);
%! assert (spmv (A, x, "transpose"), A.' * x, 1e-10);

%!## options
%!test
%! A = matrix (50, 50, 0.1, "d");
%! x = vectors (50, 1, "d");
%! y = spmv (A, x);
%! for method = {"auto", "scalar", "vector", "group", "Balanced"}
%!   check (spmv (A, x, "Method", method{1}, "device", "cpu"), A, x);
%! endfor
%! assert (spmv (A, x, "device", "auto"), y);

%!## gpuArrays: all types of A and x, with and without a plan
%!function check_gpu_array (g, y)
%!  ## y: the product of arrays of the host
%!  assert ({class(g), underlyingType(g), size(g)}, {"gpuArray", class(y), size(y)});
%!  assert (gather (g), y, 100 * eps (class (y)) * max ([1; abs(y(:))]));
%!endfunction
%!test
%! for ta = "dzb1"
%!   A = matrix (30, 20, 0.2, ta);
%!   plans = {A, spmv_plan(A), spmv_plan(A, "precision", "single")};
%!   for tx = "dzsc"
%!     for b = [1, 3, 0]
%!       x = vectors (20, b, tx);
%!       u = vectors (30, b, tx);
%!       for k = 1:3
%!         P = plans{k};
%!         G = spmv (P, gpuArray (x));
%!         assert (iscomplex (G), iscomplex (A) || iscomplex (x));
%!         check_gpu_array (G, spmv (P, x));
%!         check_gpu_array (spmv (P, gpuArray (u), "transpose"), spmv (P, u, "transpose"));
%!         check_gpu_array (spmv (P, gpuArray (u), "ctranspose"), spmv (P, u, "ctranspose"));
%!         if (k > 1)
%!           check_gpu_array (P * gpuArray (x), P * x);
%!           check_gpu_array (P' * gpuArray (u), P' * u);
%!           check_gpu_array (P.' * gpuArray (u), P.' * u);
%!           check_gpu_array ((P.')' * gpuArray (x), (P.')' * x);
%!           check_gpu_array (gpuArray (u).' * P, u.' * P);
%!           check_gpu_array (gpuArray (u)' * P, u' * P);
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! check_gpu_array (spmv_plan (A) * gpuArray (x > 0), spmv_plan (A) * (x > 0));
%! for shape = [0, 3, 0; 3, 0, 0]
%!   check_gpu_array (spmv (sparse (shape(1), shape(2)), gpuArray (ones (shape(2), 2))), zeros (shape(1), 2));
%! endfor
%!error <X must be a single or double array, not logical> spmv (speye (2), gpuArray ([true; false]))
%!error id=gpulinalg:bad-class spmv (eye (2), gpuArray ([1; 2]))
%!error id=gpulinalg:bad-shape spmv (speye (2), gpuArray ([1; 2; 3]))
%!error id=gpulinalg:bad-shape spmv_plan (speye (2)) * gpuArray ([1; 2; 3])
%!error id=gpulinalg:bad-shape spmv_plan (speye (2)) * gpuArray (ones (2, 1, 2))
%!testif ; gpuDeviceCount () > 0
%! G = gpuArray ([1; 2]);
%! fail ('spmv (speye (2), G, "device", "cpu")', '"device" is "cpu", but X is on a GPU; gather \(X\)');
%! fail ('spmv_plan (speye (2), "device", "cpu") * G', '"device" is "cpu", but X is on a GPU');

%!testif ; isempty (gpulinalg_info ().devices)
%! try, spmv (speye (2), [1; 2], "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");
%!error <spmv: argument 3 must be the name of an option, not of class char of size 1x1x2> spmv (speye (3), ones (3, 1), cat (3, "a", "b"))
