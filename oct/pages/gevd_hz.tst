## gevd_hz.tst: tests of gevd_hz
## SPDX-License-Identifier: GPL-3.0-or-later

%!function check_pencil (A, B, varargin)
%!  [Z, lambda, C, S] = gevd_hz (A, B, varargin{:});
%!  assert (gevd_hz (A, B, varargin{:}), lambda);
%!  for k = 1:size (A, 3)
%!    z = Z(:,:,k);
%!    tol = 100 * max (size (A)) * eps (class (Z)) * norm (z) * norm ([A(:,:,k); B(:,:,k)]);
%!    assert (norm (z' * A(:,:,k)' * A(:,:,k) * z - C(:,:,k)' * C(:,:,k)) <= tol);
%!    assert (norm (z' * B(:,:,k)' * B(:,:,k) * z - S(:,:,k)' * S(:,:,k)) <= tol);
%!    assert (issorted (lambda(:,:,k)));
%!  endfor
%!endfunction

%!## against eig, four types
%!test
%! rand ("twister", 1);
%! A = rand (9, 6) - 0.5;
%! B = rand (8, 6) - 0.5;
%! for both = {A, single(A), A + 1i * rand(9, 6), single(A + 1i * rand(9, 6)); B, B, B, B}
%!   [a, b] = both{:};
%!   check_pencil (a, b);
%!   tol = -1e4 * eps (class (a));
%!   assert (gevd_hz (a, b), sort (real (eig (a' * a, b' * b))), tol);
%! endfor
%! assert (class (gevd_hz (single (A), B)), "single");

%!## the same scale on pages
%!test
%! rand ("twister", 9);
%! A = rand (6, 4, 5);
%! B = rand (7, 4, 5);
%! [Z, ~, ~, S] = gevd_hz (A, B);
%! BZ = pagemtimes (B, Z ./ sum (S, 1));
%! assert (pagemtimes (BZ, "transpose", BZ, "none"), repmat (eye (4), 1, 1, 5), 1e-12);

%!## eigenvectors scaled as eig scales them
%!test
%! A = [1, 2; 3, 4; 5, 6];
%! B = [1, 1; 0, 3];
%! [Z, lambda, C, S] = gevd_hz (A, B);
%! Z ./= diag (S).';
%! assert (Z' * (B' * B) * Z, eye (2), 1e-13);
%! assert (A' * A * Z, B' * B * Z * diag (lambda), 1e-12);

%!## pages, options, trailing dimensions
%!test
%! rand ("twister", 2);
%! A = rand (5, 4, 6);
%! B = rand (4, 4, 6);
%! check_pencil (A, B, "method", "hz", "device", "cpu");
%! [Z, lambda, C, S] = gevd_hz (reshape (A, [5, 4, 2, 3]), reshape (B, [4, 4, 2, 3]));
%! assert ({size(Z), size(lambda)}, {[4, 4, 2, 3], [4, 1, 2, 3]});
%! assert ({size(C), size(S)}, {[4, 4, 2, 3], [4, 4, 2, 3]});
%! [z, l] = gevd_hz (A(:,:,5), B(:,:,5));
%! assert ({z, l}, {Z(:,:,5), lambda(:,:,5)});

%!## fewer rows than columns, in A, in B, in both
%!test
%! rand ("twister", 3);
%! check_pencil (rand (2, 5), rand (6, 5));
%! check_pencil (rand (6, 5), rand (2, 5));
%! check_pencil (rand (1, 5), rand (2, 5));
%! assert (gevd_hz ([1, 0], [0, 2]), [0; Inf]);
%! [Z, lambda] = gevd_hz ([1, 0], [0, 2]);
%! assert (abs (Z), [0, 1; 0.5, 0], 10 * eps);

%!## columns of very different lengths
%!test
%! rand ("twister", 4);
%! A = rand (5, 4) + eye (5)(:,1:4);
%! B = rand (6, 4) + eye (6)(:,1:4);
%! scale = 2 .^ [0, 100, -100, 30];
%! [Z, lambda] = gevd_hz (A, B);
%! [Zs, lambdas] = gevd_hz (A .* scale, B .* scale);
%! assert (lambdas, lambda, -1e-12);
%! phase = sign (Z(1,:) ./ Zs(1,:));
%! assert (Zs .* scale.' .* phase, Z, 1e-12);

%!## no Z for a singular pencil
%!warning id=gpulinalg:singular-pencil [Z, lambda] = gevd_hz ([1, 1; 2, 2], [3, 3; 4, 4]);
%!warning <on 1 of 2 pages \[A; B\] has less than full rank; Z and undetermined eigenvalues are NaN there; the first is page 2> ...
%! [Z, lambda] = gevd_hz (cat (3, eye (2), zeros (2)), cat (3, eye (2), zeros (2)));
%!test
%! warning ("off", "gpulinalg:singular-pencil", "local");
%! [Z, lambda] = gevd_hz (cat (3, eye (2), zeros (2)), cat (3, eye (2), zeros (2)));
%! assert (isnan (Z), cat (3, false (2), true (2)));
%! assert (lambda(:,:,1), [1; 1], 10 * eps);

%!## empty
%!test
%! [Z, lambda, C, S] = gevd_hz (zeros (3, 0), zeros (2, 0));
%! assert ({size(Z), size(lambda), size(C), size(S)}, {[0, 0], [0, 1], [0, 0], [0, 0]});
%! [Z, lambda] = gevd_hz (zeros (3, 2, 0), zeros (4, 2, 0));
%! assert ({size(Z), size(lambda)}, {[2, 2, 0], [2, 1, 0]});

%!## four types, pages, three methods: LAPACK's ratios
%!test
%! rand ("twister", 5);
%! for n = [1, 2, 4, 16, 33, 50, 64, 97]
%!   for type = {@(x) x, @single, @(x) complex (x, rand (size (x))), @(x) single (complex (x, rand (size (x))))}
%!     A = type{1} (rand (n + 2, n, 3) - 0.5);
%!     B = type{1} (rand (n + 1, n, 3) - 0.5);
%!     [Z, lambda, C, S] = gevd_hz (A, B);
%!     [~, ~, X] = gsvd_hz (A, B, 0);
%!     assert (gevd_hz (A, B), lambda);
%!     assert (lambda, gsvd_hz (A, B) .^ 2);
%!     assert (class (Z), class (A));
%!     for k = 1:3
%!       ## X'*Z = I, with the rows of X scaled to one length
%!       d = norm (double (X(:,:,k)), "rows");
%!       x = double (X(:,:,k)) ./ d;
%!       z = double (Z(:,:,k)) .* d;
%!       assert (all (sum (abs (x' * z - eye (n)), 1) <= 10 * n * eps (class (A)) * norm (x, 1) * norm (z, 1)));
%!       [z, l] = gevd_hz (A(:,:,k), B(:,:,k));
%!       assert ({z, l}, {Z(:,:,k), lambda(:,:,k)});
%!     endfor
%!   endfor
%! endfor

%!## singular pencils give the warning with one output, too; Z and undetermined eigenvalues are NaN
%!warning id=gpulinalg:singular-pencil gevd_hz ([1, 1; 2, 2], [3, 3; 4, 4]);
%!warning <gevd_hz: on 2 of 3 pages .*; the first is page 1> gevd_hz (zeros (2, 2, 3), cat (3, [1, 1; 1, 1], eye (2), zeros (2)));
%!test
%! warning ("off", "gpulinalg:singular-pencil", "local");
%! rand ("twister", 6);
%! low = rand (3, 5);
%! for type = {@(x) x, @single, @complex, @(x) single (complex (x))}
%!   A = type{1} (cat (3, rand (6, 3) * low, rand (6, 5)));
%!   B = type{1} (cat (3, rand (7, 3) * low, rand (7, 5)));
%!   for method = {"hz", "tangent"}
%!     [Z, lambda, C, S] = gevd_hz (A, B, "method", method{1});
%!     assert (gevd_hz (A, B, "method", method{1}), lambda);
%!     assert (isnan (Z), repmat (cat (3, true, false), 5, 5));
%!     assert (sum (isnan (lambda)), cat (3, 2, 0));
%!     v = orth (low');
%!     rest = lambda(! isnan (lambda(:,1,1)),1,1);
%!     right = sort (real (eig (v' * A(:,:,1)' * A(:,:,1) * v, v' * B(:,:,1)' * B(:,:,1) * v)));
%!     assert (double (rest), double (right), -1e5 * eps (class (A)));
%!     at = isnan (lambda(:,1,1));
%!     assert (isnan (diag (C(:,:,1))), at);
%!     assert (isnan (diag (S(:,:,1))), at);
%!   endfor
%! endfor
%! ## A and B of one row in the same direction: no eigenvalue is determined
%! assert (gevd_hz ([1, 1], [1, 1]), [NaN; NaN]);
%! ## rank 0, a zero column of both, and a column of zeros in one of them, which is not singular
%! assert (gevd_hz (zeros (2), zeros (2)), [NaN; NaN]);
%! assert (sum (isnan (gevd_hz ([1, 0; 0, 0], [2, 0; 0, 0]))), 1);
%! assert (gevd_hz ([1, 0; 0, 0], eye (2)), [0; 1], 10 * eps);
%! assert (gevd_hz (eye (2), [1, 0; 0, 0]), [1; Inf], 10 * eps);

%!## NaN and Inf, among singular pages
%!test
%! warning ("off", "gpulinalg:singular-pencil", "local");
%! warning ("off", "gpulinalg:pages-failed", "local");
%! A = B = repmat (eye (3), [1, 1, 4]);
%! A(2,1,2) = NaN;
%! B(1,3,4) = -Inf;
%! A(:,1,3) = B(:,1,3) = 0;
%! [Z, lambda, C, S] = gevd_hz (A, B);
%! assert (squeeze (all (all (isnan (Z)))).', [false, true, true, true]);
%! assert (squeeze (sum (isnan (lambda))).', [0, 3, 1, 3]);
%! assert (squeeze (all (isnan (gevd_hz (A, B)))).', [false, true, false, true]);
%!warning <gevd_hz: 1 of 1 pages hold NaN or Inf and are NaN in the result; the first is page 1> [Z, lambda] = gevd_hz (NaN, 2);
%!warning <gevd_hz: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2> gevd_hz (cat (3, 1, Inf), ones (1, 1, 2));

%!## the meter reaches the end once and shows the name gevd_hz
%!test
%! rand ("twister", 7);
%! A = rand (5, 4, 300);
%! text = evalc ('[Z, w] = gevd_hz (A, A, "progress", true);');
%! assert (! isempty (strfind (text, "gevd_hz: 300 of 300 pages, 100 %")));
%! assert (numel (strfind (text, "300 of 300")), 1);
%! fail ('gevd_hz (A, A, "progress", @(varargin) error ("my:id", "enough"))', "enough");

%!## thousands of pairs take at most 1.5 times the processor time of gsvd_hz, not that of a loop; medians, because
%!## the system may count some of a thread's time in the next call
%!test
%! rand ("twister", 8);
%! A = rand (4, 4, 3000);
%! B = rand (4, 4, 3000);
%! seconds = zeros (15, 2);
%! for k = 1:15
%!   start = cputime (); [U, V, X, C, S] = gsvd_hz (A, B, 0); seconds(k,1) = cputime () - start;
%!   start = cputime (); [Z, w] = gevd_hz (A, B); seconds(k,2) = cputime () - start;
%! endfor
%! assert (median (seconds(:,2)) < 1.5 * median (seconds(:,1)));
%!error <gevd_hz: argument 3 must be the name of an option, not of class char of size 1x1x2> gevd_hz (1, 1, cat (3, "a", "b"))
