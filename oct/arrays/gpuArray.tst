## gpuArray.tst: tests of gpuArrays; tests/octave/check_gpu_arrays.m compares their operations with the host's
## SPDX-License-Identifier: GPL-3.0-or-later

%!## what a gpuArray is
%!test
%! G = gpuArray (single (magic (4)));
%! assert ({class(G), underlyingType(G), size(G), ndims(G), numel(G), rows(G), columns(G)}, ...
%!         {"gpuArray", "single", [4, 4], 2, 16, 4, 4});
%! assert ([isgpuarray(G), isnumeric(G), isfloat(G), isreal(G), iscomplex(G), islogical(G), isempty(G)], ...
%!         logical ([1, 1, 1, 1, 0, 0, 0]));
%! assert ([isa(G, "gpuArray"), isa(G, "float"), isa(G, "numeric"), ismatrix(G), issquare(G), isvector(G(1,:))], true (1, 6));
%! assert (gather (G), single (magic (4)));
%! assert (underlyingType (gpuArray (true)), "logical");
%! assert (underlyingType (5), "double");
%! assert (isgpuarray (5), false);
%! assert (gather (gpuArray (G)), gather (G));
%! assert (existsOnGPU (G), gpuDeviceCount () > 0);

%!## values that become gpuArrays: ranges, diagonal matrices, arrays of any number of dimensions
%!test
%! assert (gather (gpuArray (1:3)), [1, 2, 3]);
%! assert (gather (gpuArray (eye (3))), full (eye (3)));
%! assert (gather (gpuArray (ones (2, 3, 4))), ones (2, 3, 4));
%! assert (gather (gpuArray (zeros (0, 3))), zeros (0, 3));
%! assert (gather (gpuArray (true (2))), true (2));

%!## several arrays are gathered at once, and others pass through
%!test
%! [a, b, c] = gather (gpuArray (1), "text", gpuArray ([2, 3]));
%! assert ({a, b, c}, {1, "text", [2, 3]});

%!## squeeze turns 1 x 1 x n to a column, as that of Octave's arrays
%!test
%! for s = {[1, 1, 3], [1, 1, 1, 4], [1, 2, 3], [2, 1, 3], [1, 1, 2, 3], [1, 4], [1, 1, 0], [1, 0, 3], [1, 1]}
%!   x = rand (s{1});
%!   assert (gather (squeeze (gpuArray (x))), squeeze (x));
%! endfor

%!## functions of empty arrays give what they give for those of the host
%!function check_empty (f, x)
%!  expected = f (x);
%!  y = f (gpuArray (x));
%!  if (iscell (y))
%!    y = cellfun (@gather, y, "UniformOutput", false);
%!  endif
%!  assert (gather (y), expected);
%!endfunction
%!test
%! functions = {@batchsvd, @(x) nthargout(1:3, @batchsvd, x), @pagesvd, @pagenorm, @qr_block, ...
%!              @(x) nthargout(1:2, @qr_block, x), @pagepinv, @pagerank, @pagecond, ...
%!              @(x) pagelsqminnorm(x, x), @(x) gsvd_hz(x, x), @(x) gevd_hz(x, x)};
%! square = {@pageinv, @(x) nthargout(1:2, @pageinv, x), @(x) pagemldivide(x, x), ...
%!           @(x) pagemrdivide(x, x), @batcheig, @(x) pagefunm(x, "exp"), @pageeig};
%! for s = {[0, 0], [0, 3], [3, 0], [0, 0, 2], [0, 3, 2], [3, 0, 2], [3, 3, 0]}
%!   for f = [functions, square(s{1}(1) == s{1}(2) & 1:numel (square))]
%!     check_empty (f{1}, zeros (s{1}));
%!     check_empty (f{1}, single (zeros (s{1})));
%!   endfor
%! endfor
%! for f = {@inv, @pinv, @rank, @cond, @svd, @diag, @(x) diag(x, 1)}
%!   check_empty (f{1}, []);
%! endfor
%! assert (gather (pageinv (gpuArray (zeros (0, 0, 2))) + gpuArray (1)), zeros (0, 0, 2));
%! assert (gather (pagenorm (gpuArray (zeros (0, 3, 2))) + gpuArray (1)), ones (1, 1, 2));

%!## arguments of diag and find that are no sizes; of ordinary arrays Octave gives the error, if any
%!testif ; ! isempty (gpulinalg_info ().devices)
%! fail ("diag (gpuArray ([1, 2]), -1, 2)", "diag: M and N must not be negative, but they are -1x2");
%! fail ("diag (gpuArray ([1, 2]), 2, -1)", "diag: M and N must not be negative, but they are 2x-1");
%! fail ("diag (gpuArray (ones (2)), 2, 2)", "diag: requires a vector, not 2x2");
%! fail ("find (gpuArray ([1, 1, 1]), 1.5)", "find: N must be an integer that is not negative");
%! fail ("find (gpuArray ([1, 1, 1]), -1)", "find: N must be an integer that is not negative");
%! fail ("dot (gpuArray (true (2, 1)), [1; 2])", "dot: X and Y must be numeric");
%! fail ("dot ([1; 2], gpuArray (true (2, 1)))", "dot: X and Y must be numeric");
%! assert (gather (linspace (gpuArray (Inf), Inf, 3)), [Inf, Inf, Inf]); # Octave 6: NaN
%! assert (gather (linspace (gpuArray (single (2)), 2 + 0i, 3)), single ([2, 2, 2]));
%! fail ("find (gpuArray ([1, 1, 1]), 2, 'middle')", 'find: DIRECTION must be "first" or "last"');
%!test
%! assert (gather (find (gpuArray ([0, 1, 1, 1]), 2, "last")), [3, 4]);
%! assert (gather (find (gpuArray ([0, 1, 1, 1]), 2, "first")), [2, 3]);
%! assert (gather (find (gpuArray ([0, 1, 1, 1]), 2)), [2, 3]);

%!## logical matrices are numbers for functions of one matrix, and no pages
%!test
%! x = logical ([1, 1, 0; 0, 1, 1; 0, 0, 1]);
%! for f = {@inv, @pinv, @rank, @cond, @svd, @null, @(x) rank(x, 0.5), @(x) nthargout(2, @svd, x)}
%!   assert (gather (f{1} (gpuArray (x))), f{1} (double (x)), 1e-14); # inv refuses logical ones from Octave 9 on
%! endfor
%!error <pagepinv: A must be a single or double array, not logical> pagepinv (gpuArray (true))

%!## products with a transposed operand, which Octave has operators of its own for
%!## (not within anonymous functions)
%!function z = times_herm (x, y)
%!  z = x * y';
%!endfunction
%!function z = herm_times (x, y)
%!  z = x' * y;
%!endfunction
%!function z = times_trans (x, y)
%!  z = x * y.';
%!endfunction
%!function z = trans_times (x, y)
%!  z = x.' * y;
%!endfunction
%!function z = herm_times_sum (x, y)
%!  z = x' * (x + y);
%!endfunction
%!test
%! A = [1, 2i, 3; 4, 5, 6 - 1i];
%! B = [2, 0, 1i; 1, 1, 1];
%! for f = {@times_herm, @herm_times, @times_trans, @trans_times, @herm_times_sum}
%!   for x = {A, real(A), single(A), A(1,:), A(1), real(A) > 3}
%!     for y = {B, real(B), B(1,:), B(1)}
%!       want = [];
%!       try
%!         want = f{1} (x{1}, y{1});
%!         got = gather (f{1} (gpuArray (x{1}), gpuArray (y{1})));
%!         assert ({class(got), size(got)}, {class(want), size(want)});
%!         assert (got, want, 1e-5);
%!       catch err
%!         assert (isempty (want), true);
%!         fail ("f{1} (gpuArray (x{1}), gpuArray (y{1}))");
%!       end_try_catch
%!     endfor
%!   endfor
%!   assert (gather (f{1} (gpuArray (A), gpuArray (A))), f{1} (A, A), 1e-13);
%! endfor
%! fail ("times_herm (gpuArray (ones (2, 3)), gpuArray (ones (3, 2)))", "nonconformant arguments \\(op1 is 2x3, op2 is 2x3\\)");
%! fail ("herm_times (gpuArray (ones (2, 2, 2)), gpuArray (1))", "transpose not defined for N-D objects");
%! assert (isempty (times_herm (gpuArray (zeros (0, 3)), gpuArray (zeros (2, 3)))), true);
%! assert (gather (times_herm (gpuArray (zeros (3, 0)), gpuArray (zeros (2, 0)))), zeros (3, 2));

%!## A * A' and A' * A are exactly Hermitian on a GPU, also where sums overflow
%!testif ; ! isempty (gpulinalg_info ().devices)
%! for n = [2, 7, 40, 200]
%!   A = gpuArray (rand (n, 9) - 0.5 + 1i * rand (n, 9));
%!   for H = {gather(times_herm (A, A)), gather(herm_times (A, A))}
%!     assert (H{1}, H{1}');
%!   endfor
%! endfor
%! A = gpuArray ([1e200 + 1e200i, 1; 2i, 3 - 1e300i]);
%! for H = {gather(times_herm (A, A)), gather(herm_times (A, A))}
%!   assert (diag (H{1}), [Inf; Inf]);
%! endfor

%!## errors and warnings of functions of one matrix name these, not the functions on pages that do the work
%!function [text, id] = said (f, varargin)
%!  warning ("on", "gpulinalg:pages-failed", "local");
%!  lastwarn ("");
%!  try
%!    evalc ("f (varargin{:});");
%!    [text, id] = lastwarn ();
%!  catch err
%!    text = err.message;
%!    id = err.identifier;
%!  end_try_catch
%!endfunction
%!test
%! bad = gpuArray ([1, NaN; NaN, 2]);
%! three = @(f) @(x) nthargout (1:3, f, x);
%! calls = {@pinv, "pinv"; @rank, "rank"; @cond, "cond"; @null, "null"; @svd, "svd"; three(@svd), "svd"; ...
%!          @eig, "eig"; @(x) nthargout (1:2, @eig, x), "eig"};
%! for c = calls.'
%!   [text, id] = said (c{1}, bad);
%!   assert (text, [c{2}, ": the matrix holds NaN or Inf, or there is no convergence; the result is NaN"]);
%!   assert (id, "gpulinalg:pages-failed");
%! endfor
%! [text, id] = said (@orth, bad);
%! assert ({text, id}, {"orth: A holds NaN or Inf", "gpulinalg:bad-value"});
%! assert ({gather(norm (bad)), said(@norm, bad)}, {NaN, ""});    # as Octave's
%!test
%! for type = {"single", "double"}
%!   x = @(elements) gpuArray (cast (elements, type{1}));
%!   e = eps (type{1});
%!   for f = {@inv, @(x) x \ [1; 2], @(x) [1, 2] / x}
%!     [text, id] = said (f{1}, x([1, 2; 2, 4]));
%!     assert ({text, id}, {"matrix singular to machine precision", "Octave:singular-matrix"});
%!     [text, id] = said (f{1}, x([1, 1; 1, 1 + e]));
%!     assert (strncmp (text, "matrix singular to machine precision, rcond = ", 46));
%!     assert (id, "Octave:nearly-singular-matrix");
%!     assert (said (f{1}, x([1, 1; 1, 1 + 8 * e])), "");
%!   endfor
%! endfor
%! bad = gpuArray ([1, NaN; 2, 3]);
%! singular = gpuArray ([1, 2; 2, 4]);
%! assert (said (@inv, bad), "matrix singular to machine precision");
%! assert ({said(@inv, gpuArray (0)), gather(inv (gpuArray (0))), gather(inv (gpuArray (Inf)))}, {"", Inf, 0});
%! [y, rcond] = inv (bad);
%! assert ({gather(y), gather(rcond)}, {NaN(2), NaN});
%! assert (said (@(x) nthargout (1:2, @inv, x), singular), "");   # rcond says it
%! assert (said (@(x) cond (x, 1), singular), "matrix singular to machine precision");
%!error <^pinv: tol must be a number that is not negative> pinv (gpuArray ([1, 2; 3, 4]), -1)
%!error <^pinv: tol must be a number that is not negative> pinv (gpuArray ([1, 2; 3, 4]), "x")
%!error <^rank: tol must be a number that is not negative> rank (gpuArray ([1, 2; 3, 4]), -1)
%!error <^rank: tol must be a number that is not negative> rank (gpuArray ([1, 2; 3, 4]), "device")
%!error <^cond: a gpuArray has no such form of this function> cond (gpuArray ([1, 2; 3, 4]), 3)
%!error <^cond: argument must be a square matrix> cond (gpuArray (ones (2, 3)), 1)
%!error <^orth: this is not done with a gpuArray> orth (gpuArray ([1, 2; 3, 4]), "x")
%!error <^eig: argument must be a square matrix> eig (gpuArray (ones (2, 3)))
%!error <^eig: the matrix is not Hermitian, and a gpuArray must be> eig (gpuArray ([1, 2; 3, 4]))
%!error <^pageeig: page 1 is not Hermitian, and a gpuArray must be> pageeig (gpuArray (2 ^ -1074 * [20, 1; 0, 20]))
%!error <^pageeig: page 2 is not Hermitian, and a gpuArray must be> ...
%! pageeig (gpuArray (single (2 ^ -149) * cat (3, [20, 1; 1, 20], [20, 1; 0, 20])))
%!assert (gather (pageeig (gpuArray (realmax * [0.5, 0.5; 0.5, 0.5])))(1), 0, 1e293)
%!error <pageeig: X must be a single or double array, not logical> pageeig (gpuArray (true))

%!## complex arrays stay complex until they are gathered
%!test
%! G = complex (gpuArray ([1, 2]), 0);
%! assert (iscomplex (G) && iscomplex (G + 1) && iscomplex (G(1)) && iscomplex ([G, 3]) && iscomplex (G.'));
%! assert (iscomplex (gather (G)), false);
%! assert (iscomplex (abs (G)) || iscomplex (real (G)), false);
%! assert (gather (sqrt (gpuArray ([-4, 9]))), [2i, 3]);
%! assert (iscomplex (sqrt (gpuArray ([4, 9]))), false);

%!## operands of the host are brought along
%!test
%! G = gpuArray ([1, 2; 3, 4]);
%! assert (gather (G + (1:2)), [2, 4; 4, 6]);
%! assert (gather (single (2) .* G), single ([2, 4; 6, 8]));
%! assert (gather (eye (2) * G), [1, 2; 3, 4]);
%! assert (gather ([1, 2; 3, 4] \ G), eye (2), 1e-15);
%! assert (class (true & G), "gpuArray");

%!## single elements are numbers where Octave expects one
%!test
%! G = gpuArray ([2, 3]);
%! assert (zeros (G(1), 2), zeros (2, 2));
%! assert (ones (2, 2)(G(1)), 1);
%! k = 0;
%! while (k < G(2))
%!   k++;
%! endwhile
%! assert (k, 3);
%! assert (num2str (double (gather (G(1)))), "2");

%!## new arrays
%!test
%! G = gpuArray (single (1));
%! for name = {"zeros", "ones", "Inf", "NaN", "rand", "randn", "eye"}
%!   f = str2func (name{1});
%!   x = f (2, 3, "gpuArray");
%!   assert ({class(x), underlyingType(x), size(x)}, {"gpuArray", "double", [2, 3]});
%!   x = f ([2, 3], "single", "gpuArray");
%!   assert (underlyingType (x), "single");
%!   x = f (2, 3, "like", G);
%!   assert ({class(x), underlyingType(x), size(x)}, {"gpuArray", "single", [2, 3]});
%!   assert (class (f (2)), "double");
%! endfor
%! assert (gather (zeros (2, "gpuArray")), zeros (2));
%! assert (gather (ones (1, 3, "gpuArray")), [1, 1, 1]);
%! assert (gather (eye (2, "gpuArray")), full (eye (2)));
%! assert (gather (linspace (0, 1, 3, "gpuArray")), [0, 0.5, 1]);
%! assert (gather (true (1, 2, "gpuArray")), [true, true]);
%! assert (gather (NaN (1, 2, "gpuArray")), [NaN, NaN]);
%! assert (zeros (2, 0, 3), cat (3, zeros (2, 0), zeros (2, 0), zeros (2, 0)));
%! assert (ones (2, 2, "single"), single ([1, 1; 1, 1]));
%!error zeros (2, "gpuarray")
%!error <bad-class|cannot be> rand (2, "like", gpuArray (true))

%!## files
%!test
%! s.G = gpuArray (complex ([1, 2; 3, 4], 0));
%! s.c = {gpuArray(single (1:3)), gpuArray(true)};
%! G = gpuArray (ones (2, 3, 2));
%! name = tempname ();
%! for format = {"-text", "-binary", "-hdf5"}(1:2+__have_feature__ ("HDF5"))
%!   save (format{1}, name, "s", "G");
%!   unwind_protect
%!     L = load (name);
%!   unwind_protect_cleanup
%!     unlink (name);
%!   end_unwind_protect
%!   assert ({class(L.G), class(L.s.G), class(L.s.c{1})}, {"gpuArray", "gpuArray", "gpuArray"});
%!   assert (gather (L.G), ones (2, 3, 2));
%!   assert (gather (L.s.G), [1, 2; 3, 4]);
%!   assert (iscomplex (L.s.G));
%!   assert ({gather(L.s.c{1}), gather(L.s.c{2})}, {single(1:3), true});
%! endfor

%!## display
%!test
%! G = gpuArray ([1, 2]);
%! H = [1, 2];
%! assert (evalc ("G"), strrep (evalc ("H"), "H", "G"));
%! assert (disp (G), disp (H));

%!## text, which the host makes: arguments of printf and its relatives are gathered
%!test
%! G = gpuArray ([1, 2.5; 3, 4]);
%! H = gather (G);
%! assert (sprintf ("%g;", G), sprintf ("%g;", H));
%! assert (sprintf ("%s %d", "a", gpuArray (3)), "a 3");
%! assert ({num2str(G), num2str(G, 3), mat2str(G), int2str(G)}, {num2str(H), num2str(H, 3), mat2str(H), int2str(H)});
%! assert (evalc ("printf ('%g,', G)"), evalc ("printf ('%g,', H)"));
%! assert (evalc ("fprintf ('%g,', G); n = fprintf ('%d', G(1));"), [evalc("fprintf ('%g,', H)"), "1"]);
%! assert (n, 1);
%! name = tempname ();
%! unwind_protect
%!   dlmwrite (name, G);
%!   assert (dlmread (name), H);
%! unwind_protect_cleanup
%!   unlink (name);
%! end_unwind_protect
%!error <there are 3> error ("there are %d", gpuArray (3))
%!error id=some:id error ("some:id", "there are %d", gpuArray (3))
%!warning <there are 3> warning ("there are %d", gpuArray (3));

%!## conversions to a class by its name, and to the class of a gpuArray
%!test
%! G = gpuArray (single ([1, 2]));
%! assert ({class(cast (G, "double")), underlyingType(cast (G, "double"))}, {"gpuArray", "double"});
%! assert ({class(cast (int8 (3), "like", G)), underlyingType(cast (int8 (3), "like", G))}, {"gpuArray", "single"});
%! assert (gather (cast ([0, 2], "like", gpuArray (true))), [false, true]);
%! assert (iscomplex (cast (1, "like", gpuArray (1i))) && iscomplex (cast (gpuArray (1i), "single")));
%!error id=gpulinalg:gather-needed cast (gpuArray (1), "int8")
%!error id=gpulinalg:gather-needed bitand (gpuArray (1), 3)
%!error id=gpulinalg:gather-needed besselj (0, gpuArray (1))
%!error id=gpulinalg:gather-needed gcd (gpuArray (4), 6)
%!error id=gpulinalg:gather-needed sqrtm (gpuArray (magic (3)))
%!error id=gpulinalg:gather-needed matrix_type (gpuArray (magic (3)))

%!## a GPU and its properties
%!test
%! D = gpuDevice ();
%! assert (class (D), "gpuDevice");
%! assert (D.DeviceAvailable, gpuDeviceCount () > 0);
%! assert (ischar (D.Name));
%! wait (D);
%! assert (! isempty (strfind (evalc ("D"), "DeviceAvailable")));

%!## functions of this package
%!test
%! A = rand (5, 5, 7) + 1i * rand (5, 5, 7);
%! A += conj (permute (A, [2, 1, 3]));
%! for B = {A, real(A), single(A)}
%!   H = B{1};
%!   G = gpuArray (H);
%!   tol = 200 * eps (class (H));
%!   [V, D, info] = batcheig (G);
%!   assert ({class(V), class(D), class(info)}, {"gpuArray", "gpuArray", "int32"});
%!   assert (iscomplex (V), iscomplex (H));
%!   assert (gather (pagemtimes (G, V)), gather (pagemtimes (V, D)), 10 * tol);
%!   assert (gather (batcheig (G)), batcheig (H), 10 * tol);
%!   assert (size (batcheig (G, "smallest", 2)), [2, 1, 7]);
%!   assert (gather (pagemtimes (G, H)), pagemtimes (H, H), 10 * tol);
%!   [Q, R] = qr_block (G);
%!   assert (gather (pagemtimes (Q, R)), H, tol);
%!   [U, S, W] = batchsvd (G);
%!   assert (gather (pagemtimes (pagemtimes (U, S), "none", W, "ctranspose")), H, 10 * tol);
%!   assert (gather (pagesvd (G)), pagesvd (H), 10 * tol);
%!   assert (gather (pagenorm (G, "fro")), pagenorm (H, "fro"), 10 * tol);
%!   assert (gather (pagefunm (G, "exp", "scale", 0.1)), pagefunm (H, "exp", "scale", 0.1), 10 * tol);
%!   assert (iscomplex (pagefunm (G, "exp", "scale", 1i)));
%!   G += 10 * eye (5);
%!   x = pagemldivide (G, ones (5, 2));
%!   assert (gather (pagemtimes (G, x)), ones (5, 2, 7), 10 * tol);
%!   assert (gather (pagemtimes (pageinv (G), G)) - ones (1, 1, 7) .* eye (5), zeros (5, 5, 7), 10 * tol);
%!   x = pagemrdivide (ones (2, 5), G);
%!   assert (gather (pagemtimes (x, G)), ones (2, 5, 7), 10 * tol);
%! endfor

%!## errors
%!error <Invalid call> gpuArray ()
%!error <Invalid call> gather ()
%!error <Invalid call> isgpuarray ()
%!error <Invalid call> underlyingType ()
%!error <Invalid call> existsOnGPU ()
%!error <Invalid call> gpuDeviceCount (1)
%!error id=gpulinalg:bad-class gpuArray ("text")
%!error id=gpulinalg:bad-class gpuArray (int8 (1))
%!error id=gpulinalg:bad-class gpuArray (sparse (1))
%!error id=gpulinalg:bad-class gpuArray ({1})
%!error <single, double or logical> gpuArray (1) + int8 (1)
%!error <single, double or logical> uint8 (1) .* gpuArray (1)
%!error <single, double or logical> gpuArray (1) + sparse (1)
%!error <single, double or logical> gpuArray (1) + "a"
%!error id=gpulinalg:gather-needed det (gpuArray (magic (3)))
%!error id=gpulinalg:gather-needed lu (gpuArray (eye (3)))
%!error id=gpulinalg:gather-needed chol (gpuArray (eye (3)))
%!error id=gpulinalg:gather-needed eig (gpuArray (magic (3)))
%!error id=gpulinalg:gather-needed gamma (gpuArray ([1, 2]))
%!error id=gpulinalg:gather-needed int32 (gpuArray ([1, 2]))
%!error id=gpulinalg:gather-needed norm (gpuArray (magic (3)), 3)
%!error id=gpulinalg:gather-needed a = [1, 2]; a(1) = gpuArray (1);
%!assert (gather (gevd_hz (gpuArray (eye (2)), eye (2))), [1; 1], 1e-14)
%!assert (gather (qr_block (gpuArray ([1; 1]), [1; 3], "solve")), 2, 1e-14)
%!assert (gather (pagenorm (gpuArray (diag ([3, 4])))), 4, 1e-14)
%!assert (gather (gpuArray ([1; 1]) \ [1; 3]), 2, 1e-14)
%!assert (gather (sum (gpuArray (single ([1, 2])), 2, "double")), 3)
%!assert (underlyingType (sum (gpuArray (single ([1, 2])), "double")), "double")
%!assert (underlyingType (true (2, "like", gpuArray (true))), "logical")
%!error id=gpulinalg:bad-class true (2, "like", gpuArray (1))
%!error <a sparse matrix A times a gpuArray G is spmv \(A, G\)> speye (2) * gpuArray ([1; 2])
%!error <a gpuArray G times a sparse matrix A is spmv> gpuArray ([1, 2]) * speye (2)
%!error id=gpulinalg:bad-class G = gpuArray (1); G.x
%!error id=gpulinalg:bad-class G = gpuArray (1); G{1}
%!error id=gpulinalg:bad-class G = gpuArray (1); G.x = 2;
%!error <nonconformant> gpuArray ([1, 2]) + gpuArray ([1, 2, 3])
%!error <out of bound> gpuArray ([1, 2])(3)

%!## each function of the table has a file, and each file a function in the table
%!test
%! folder = fileparts (which ("gputimeit"));
%! files = glob (fullfile (folder, "@gpuArray", "*.m"));
%! assert (numel (files) > 30);
%! for file = files.'
%!   [~, name] = fileparts (file{1});
%!   try
%!     __gpu_array__ (name);
%!   catch err
%!     assert (isempty (strfind (err.message, "this is not done with a gpuArray")), true, name);
%!   end_try_catch
%! endfor

%!test # repmat: all forms of Octave's
%! x = reshape (1:12, 2, 3, 2);
%! for times = {{2}, {2, 3}, {[2, 3]}, {[1, 1, 4]}, {1, 1, 1, 3}, {[2; 2]}, {2, [3, 2]}, {0, 2}, {-1, 2}, {[]}, {[1, 2, 2, 3]}, {single(2), gpuArray(2)}}
%!   for A = {x, 7, single(x), x > 4, complex(x, 1), zeros(0, 3)}
%!     y = repmat (gpuArray (A{1}), times{1}{:});
%!     z = repmat (A{1}, cellfun (@gather, times{1}, "UniformOutput", false){:});
%!     assert (isgpuarray (y) && strcmp (underlyingType (y), class (z)));
%!     assert (gather (y), z);
%!   endfor
%! endfor
%! assert (repmat (magic (3), gpuArray (2)), repmat (magic (3), 2));
%!error repmat (gpuArray (1), 1.5)
%!error <Invalid call to repmat> repmat (gpuArray (1))
%!## sums in double, and means in the class of the array
%!test
%! G = gpuArray (single ([1, 2; 3, 4]));
%! assert (underlyingType (sum (G)), "single");
%! assert (underlyingType (sum (G, 2, "native")), "single");
%! assert (underlyingType (sum (G, "double")), "double");
%! assert (gather (sum (G, 2, "double")), [3; 7]);
%! assert (gather (mean (G)), single ([2, 3]));
%! assert (gather (mean (G, 2)), single ([1.5; 3.5]));
%! assert (gather (mean (gpuArray ([true, false]))), 0.5);
%! assert (underlyingType (mean (G)), "single");
%! assert (underlyingType (mean (G, "double")), "double");
%! assert (gather (mean (gpuArray ([1, NaN; 3, 4]), 2, "omitnan")), [1; 3.5]);
%! assert (gather (mean (gpuArray (cat (3, [1, 2], [3, 6])), "all")), 3);
%! assert (gather (mean (gpuArray (1i * ones (1, 4)), 1)), 1i * ones (1, 4));
%!error id=gpulinalg:gather-needed mean (gpuArray (1), "g")
%!error id=gpulinalg:gather-needed mean (gpuArray (1), [1, 2])
%!error id=gpulinalg:gather-needed sum (gpuArray (true), "native")
%!error id=gpulinalg:gather-needed sum (gpuArray (1), "extra")

%!## arrays side by side: all types, host operands, empty ones, and no effect on the parts
%!test
%! G = gpuArray ([1, 2; 3, 4]);
%! assert (gather ([G, G; 5:8]), [1, 2, 1, 2; 3, 4, 3, 4; 5, 6, 7, 8]);
%! assert (underlyingType ([G, single(G)]), "single");
%! assert (underlyingType ([G > 1, G > 2]), "logical");
%! assert (underlyingType ([G > 1, G]), "double");
%! assert (iscomplex ([G, 1i * G]));
%! assert (gather ([G, [], G(:,[])]), [1, 2; 3, 4]);
%! H = [G, G];
%! H(1) = 9;
%! assert (gather (G), [1, 2; 3, 4]);
%! assert (gather (H), [9, 2, 1, 2; 3, 4, 3, 4]);
%! assert (gather (resize (G([],[]), 2, 2)), zeros (2));
%!error <dimension mismatch|dimensions mismatch> G = gpuArray ([1, 2; 3, 4]); [G, 1:3]

%!## differences, Kronecker products, merge, linspace, blocks
%!test
%! G = gpuArray ([1, 4, 9; 2, 3, 5]);
%! assert (gather (diff (G)), [1, -1, -4]);
%! assert (gather (diff (G, 2, 2)), [2; 1]);
%! assert (size (diff (G, 5, 1)), [0, 3]);
%! assert (gather (diff (G, 0)), gather (G));
%! assert (gather (kron (G, [1; 2])), kron ([1, 4, 9; 2, 3, 5], [1; 2]));
%! assert (gather (merge (G > 2, G, 0)), [0, 4, 9; 0, 3, 5]);
%! assert (gather (merge (G > 2, G > 3, false)), [false, true, true; false, false, true]);
%! assert (gather (linspace (G(1), 3, 5)), 1:0.5:3);
%! assert (gather (linspace ([1; 2], gpuArray (3), 3)), [1, 2, 3; 2, 2.5, 3]);
%! assert (gather (blkdiag (G, 7)), blkdiag ([1, 4, 9; 2, 3, 5], 7));
%! assert (gather (toeplitz (G(1,:))), toeplitz ([1, 4, 9]));
%! assert (gather (toeplitz (G(1,:), [1, 2])), toeplitz ([1, 4, 9], [1, 2]));
%! assert (gather (sinc (gpuArray ([0, 0.5]))), [1, 2 / pi], eps);
%! assert (gather (cummax (gpuArray ([1, 3, 2]))), [1, 3, 3]);
%!test # numbers of steps and points that are logical, empty, or a gpuArray alone
%! assert (gather (diff (gpuArray ([1, 2, 4]), true)), [1, 2]);
%! assert (gather (diff (gpuArray ([1, 2, 4]), 1, true)), zeros (0, 3));
%! assert (gather (linspace (gpuArray (0), 1, true)), 1);
%! assert (gather (linspace (gpuArray (0), 1, [])), 1);
%! assert (linspace (0, 1, gpuArray (3)), [0, 0.5, 1]);
%! assert (class (linspace (0, 1, gpuArray (3))), "double");
%!test # logical Toeplitz matrices
%! t = toeplitz (gpuArray ([true, false, true]));
%! assert (underlyingType (t), "logical");
%! assert (gather (t), toeplitz ([true, false, true]));
%! assert (underlyingType (toeplitz (gpuArray (true), [true, false])), "logical");
%! assert (underlyingType (toeplitz (gpuArray (true), [1, 2])), "double");

%!## names of m-files of Octave, by calls and by handles
%!test
%! warning ("off", "all", "local");
%! calls = {"repmat", {[1, 4], 2}; "repmat", {3, 1, 2}; "mean", {[1, 4, 9]}; "mean", {[1, NaN, 4], "omitnan"}; "sinc", {[0, 0.5]}
%!          "blkdiag", {[1, 4], 2}; "toeplitz", {[1, 4]}; "toeplitz", {[1, 4], [1, 2, 3]}; "realsqrt", {[1, 4]}; "reallog", {[1, 4]}; "realpow", {[1, 4], 2}};
%! for k = 1:rows (calls)
%!   [name, args] = calls{k,:};
%!   wanted = gather (__gpu_array__ (name, gpuArray (args{1}), args{2:end}));
%!   f = str2func (name);
%!   G = args;
%!   G{1} = gpuArray (G{1});
%!   cells = cellfun (@(x) {x}, G, "UniformOutput", false);
%!   for y = {f(G{:}), feval(f, G{:}), feval(name, G{:}), eval([name, " (G{:})"]), cellfun(f, cells{:}, "UniformOutput", false){1}}
%!     assert (isgpuarray (y{1}) && isequal (gather (y{1}), wanted), [name, ": another result"]);
%!   endfor
%! endfor
%!test
%! f = @repmat;
%! assert (f (3, gpuArray (2)), [3, 3; 3, 3]);
%! f = @blkdiag;
%! assert (gather (f (1, gpuArray (2))), [1, 0; 0, 2]);
%! G = gpuArray ([1, 4]);
%! assert (gather (arrayfun (@realsqrt, G)), [1, 2], eps);
%! assert (gather (arrayfun (@reallog, G)), [0, log(4)], 2 * eps);
%! assert (gather (arrayfun (@realpow, G, 2)), [1, 16], 16 * eps);
%!error <called with too many outputs|element number 2 undefined> [a, b] = sinc (gpuArray (1));

%!error id=gpulinalg:bad-value diff (gpuArray (1:3), -1)
%!error <DIM must be at most> diff (gpuArray (1:3), 1, 100)
%!error <order K must be a scalar> diff (gpuArray (1:3), "a")
%!error id=gpulinalg:bad-value cummax (gpuArray (1:3), 0)
%!error <cummin: DIM must be a valid dimension> cummin (gpuArray (1:3), 1.5)
%!error id=gpulinalg:bad-value diff (gpuArray (1:3), 1, 0)
%!error id=gpulinalg:gather-needed diff (gpuArray (1:3), 3)
%!error id=gpulinalg:bad-class merge (gpuArray (1), 2, 3)
%!error id=gpulinalg:bad-class merge (gpuArray ([true, false]), 2, single (3))
%!error id=gpulinalg:bad-shape merge (gpuArray ([true, false]), 1:3, 0)
%!error id=gpulinalg:bad-shape kron (gpuArray (ones (2, 2, 2)), 1)
%!error id=Octave:invalid-fun-call kron (gpuArray (1))
%!error id=gpulinalg:bad-shape linspace (gpuArray (ones (2)), 1)
%!error <linspace: N must be a scalar> linspace (gpuArray (0), 1, [1, 2])
%!error <linspace: vectors must be of equal length> linspace (gpuArray ([1; 2]), 1:3)
%!error id=gpulinalg:bad-class blkdiag (gpuArray (true))
%!error id=gpulinalg:bad-shape blkdiag (gpuArray (1), ones (2, 2, 2))
%!error id=gpulinalg:gather-needed toeplitz (gpuArray (1), 2, 3)
%!error id=gpulinalg:bad-shape toeplitz (gpuArray (ones (2)))
%!error <toeplitz: C and R must be vectors, not 2x3> toeplitz (gpuArray (1:2), ones (2, 3))
%!error id=gpulinalg:gather-needed sinc (gpuArray (1), 2)

%!## null spaces, ranges, correlations
%!test
%! A = gpuArray ([1, 2; 2, 4]);
%! assert (gather (A * null (A)), [0; 0], 1e-14);
%! assert (abs (gather (orth (A))), [1; 2] / sqrt (5), 1e-14);
%! assert (gather (corrcoef (gpuArray ([1, 2; 2, 4; 3, 7]))), corrcoef ([1, 2; 2, 4; 3, 7]), 1e-14);
%! assert (gather (corrcoef (gpuArray (5))), NaN);
%! assert (gather (corrcoef (gpuArray ([1, Inf; 2, 1; 3, 2]))), [1, NaN; NaN, 1]);
%! z = null (gpuArray (true (0, 2)));
%! assert (underlyingType (z), "double");
%! assert (gather (z), eye (2));
%!error id=gpulinalg:bad-value orth (gpuArray ([1, NaN; 2, 2]))
%!error <Invalid call to pinv> pinv (gpuArray (1), 1, 2)
%!error <Invalid call to rank> rank (gpuArray (1), 1, 2)

%!## svd (A, 0) is the economy form of tall matrices only; results of empty matrices
%!test
%! A = [1, 2, 3; 3, 4, 5];
%! [u, s, v] = svd (gpuArray (A), 0);
%! assert ({size(u), size(s), size(v)}, {[2, 2], [2, 3], [3, 3]});
%! assert (gather (u * s * v'), A, 1e-14);
%! [u, s, v] = svd (gpuArray (A'), 0);
%! assert ({size(u), size(s), size(v)}, {[3, 2], [2, 2], [2, 2]});
%! [u, s, v] = svd (gpuArray (A), "econ");
%! assert ({size(u), size(s), size(v)}, {[2, 2], [2, 2], [3, 2]});
%! assert (size (eig (gpuArray ([]))), [0, 0]);
%! [v, d] = eig (gpuArray (single ([])), "vector");
%! assert (size (v), [0, 0]);
%! assert (size (d), [0, 0]);
%! assert (underlyingType (d), "single");
%! for p = {2, 1, Inf, "fro"}
%!   assert (gather (cond (gpuArray (zeros (2, 0)), p{1})), 0);
%!   assert (gather (cond (gpuArray ([]), p{1})), 0);
%! endfor
%!error id=gpulinalg:bad-shape null (gpuArray (ones (2, 2, 2)))
%!error id=gpulinalg:gather-needed null (gpuArray (1), "r")
%!error id=gpulinalg:bad-shape orth (gpuArray (ones (2, 2, 2)))
%!error id=gpulinalg:bad-shape corrcoef (gpuArray (1:3), 1:2)
%!error id=gpulinalg:gather-needed corrcoef (gpuArray (magic (3)), "alpha")
%!error id=gpulinalg:gather-needed corrcoef (gpuArray (magic (3)), "alpha", 0.1)
%!error id=gpulinalg:gather-needed corrcoef (gpuArray (1i * ones (2)))

%!## products with the array's own transpose are exactly Hermitian, with and without a GPU
%!test
%! for type = {@double, @single, @(x) complex (x, flip (x)), @(x) single (complex (x, flip (x)))}
%!   A = type{1} (cos ((1:300).' .* (1:70)));
%!   G = gpuArray (A);
%!   left = G * G';
%!   right = G' * G;
%!   assert (ishermitian (gather (left)));
%!   assert (ishermitian (gather (right)));
%!   assert (isgpuarray (left) && strcmp (underlyingType (left), class (A)));
%!   assert (gather (left), A * A', 1000 * eps (class (A)));
%!   assert (gather (right), A' * A, 3000 * eps (class (A)));
%!   assert (gather (G * A.'), A * A.', 1000 * eps (class (A)));
%!   assert (gather (A.' * G), A.' * A, 3000 * eps (class (A)));
%! endfor
%!error <operator \*: nonconformant arguments> gpuArray (ones (2, 3)) * gpuArray (ones (2, 2))'
%!error <N-D> gpuArray (ones (2, 2, 2)) * gpuArray (ones (2, 2, 2))'

## var and std of one element, along a dimension of length 1 and with weights: Octave's own function makes them
%!test
%! G = gpuArray (single ([1, 2; 3, 7]));
%! for v = {var(G), std(G, 1, 2), var(G, 0, 3), var(G(1)), std(G(1,1), 0, 2)}
%!   assert (isgpuarray (v{1}) && strcmp (underlyingType (v{1}), "single"));
%! endfor
%! assert (gather (var (G)), single ([2, 12.5]));
%! assert (gather (var (G, 0, 3)), zeros (2, "single"));
%! assert (isgpuarray (var (gpuArray (3))));
%!assert (gather (median (gpuArray ([1, 2, 9]), [])), 2)
