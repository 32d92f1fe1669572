## __eigs_lanczos__.tst: tests of the eigenvalues and eigenvectors of eigs_lanczos; tests of its arguments
## are in inst/eigs_lanczos.m
## SPDX-License-Identifier: GPL-3.0-or-later

%!function [A, lambda] = path_graph (n)
%!  ## The Laplacian of a path, its eigenvalues ascending.
%!  A = spdiags (ones (n, 1) * [-1, 2, -1], -1:1, n, n);
%!  A(1,1) = A(n,n) = 1;
%!  lambda = 2 - 2 * cos (pi * (0:n-1).' / n);
%!endfunction

%!function check (A, k, sigma, wanted, varargin)
%!  ## Values, residuals and orthogonality, all outputs.
%!  wanted = wanted(:);
%!  scale = norm (full (A), 1) * eps (class (A)) / eps;
%!  [V, D, flag, stats] = eigs_lanczos (A, k, sigma, varargin{:});
%!  assert ({size(V), size(D), isdiag(D), flag, class(V), class(D)}, ...
%!          {[rows(A), k], [k, k], true, 0, class(A), class(A)});
%!  assert (double (diag (D)), wanted, 1e-12 * scale);
%!  assert (all (sum (abs (A * V - V * D), 1) <= 1e-12 * scale * sqrt (k)));
%!  assert (all (sum (abs (V' * V - eye (k)), 1) <= 1e-12 * eps (class (A)) / eps));
%!  assert (stats.residuals, norm (A * V - V * D, "columns").', 1e-12 * scale);
%!  assert (stats.complete);
%!  assert (double (eigs_lanczos (A, k, sigma, varargin{:})), wanted, 1e-12 * scale);
%!endfunction

%!## all names of sigma
%!test
%! [A, w] = path_graph (400);
%! A -= 1.3 * speye (400);
%! w -= 1.3;
%! [~, order] = sort (abs (w), "descend");
%! for name = {"lm", "LargestAbs"}
%!   check (A, 5, name{1}, w(order(1:5)));
%! endfor
%! for name = {"la", "lr", "largestreal"}
%!   check (A, 4, name{1}, w(end:-1:end-3));
%! endfor
%! for name = {"sa", "SR", "smallestreal"}
%!   check (A, 4, name{1}, w(1:4));
%! endfor
%! check (A, 5, "be", w([1, 2, end-2:end]));
%! check (A, 4, "bothendsreal", w([1, 2, end-1:end]));
%! for name = {"sm", "smallestabs", 0}
%!   check (A, 3, name{1}, sort (w(order(end-2:end)), "descend"));
%! endfor
%! assert (eigs_lanczos (A), eigs_lanczos (A, 6, "lm"));
%! assert (eigs_lanczos (A, [], 2), eigs_lanczos (A, 2));
%! assert (eigs_lanczos (A, "la"), eigs_lanczos (A, 6, "la"));
%! assert (eigs_lanczos (A, int8 (2), "la"), eigs_lanczos (A, 2, "la"));

%!## sigma is a number inside or outside of the spectrum, or a simple or multiple eigenvalue
%!test
%! for n = [40, 400]
%!   [A, w] = path_graph (n);
%!   A = kron (speye (2), A);
%!   w = sort ([w; w]);
%!   for sigma = [0.7, -3, 6, w(1), w(11), w(end)]
%!     [~, order] = sort (abs (w - sigma));
%!     ## choose k so that the next eigenvalue is farther away; of two equally near ones either is right
%!     k = 6 + find (abs (abs (w(order(7:20)) - sigma) - abs (w(order(6:19)) - sigma)) > 1e-9, 1) - 1;
%!     check (A, k, sigma, sort (w(order(1:k)), "descend"));
%!   endfor
%! endfor
%! check (sparse (400, 400), 3, "sm", zeros (3, 1));
%! check (speye (400), 3, 1, ones (3, 1));

%!## a shift far outside gives the end of the spectrum; with an inverse of the user NaN and a flag
%!test
%! for n = [200, 400]
%!   [A, w] = path_graph (n);
%!   for sigma = [10, 1e6, 1e10, 1e13, 1e16, 1e100, 1e300, realmax]
%!     for B = {A, full(A), 1i * triu(A, 1) - 1i * tril(A, -1)}
%!       w = eig (full (B{1}));
%!       check (B{1}, 4, sigma, w(end:-1:end-3));
%!       check (B{1}, 4, -sigma, w(4:-1:1));
%!     endfor
%!   endfor
%!   assert (eigs_lanczos (complex (A), 3, 1e16), eigs_lanczos (A, 3, 1e16), 1e-13);
%!   [V, D] = eigs_lanczos (A, 3, 1e16, "precision", "single");
%!   assert ({class(V), class(D)}, {"single", "single"});
%! endfor
%! I = speye (400);
%! for sigma = [1e16, -1e300]
%!   [V, D, flag, stats] = eigs_lanczos (@(x) (A - sigma * I) \ x, 400, 3, sigma);
%!   assert ({flag, stats.converged, isnan(diag (D)), all(isnan (V)(:))}, {1, 0, true(3, 1), true});
%! endfor
%! w = eig (full (A));
%! assert (eigs_lanczos (@(x) (A - 1e4 * I) \ x, 400, 3, 1e4), w(end:-1:end-2), 1e-8);
%!warning id=gpulinalg:not-converged eigs_lanczos (@(x) x / -1e20, 100, 2, 1e20);

%!## sigma is exactly an eigenvalue; eigs of Octave 7.3 ends with an error here
%!test
%! [P, p] = path_graph (400);
%! star = sparse (700, 700);
%! star(1,2:700) = star(2:700,1) = 1;
%! K = sparse (ones (400) - eye (400));
%! cases = {P, 0, p(6:-1:1); star, 0, zeros(6, 1); K, -1, -ones(6, 1); kron(speye (3), P), 0, ...
%!          [p(2); p(2); p(2); 0; 0; 0]; speye(400), 1, ones(6, 1)};
%! before = warning ();
%! unwind_protect
%!   warning ("off", "all");
%!   for c = cases.'
%!     check (c{1}, 6, c{2}, c{3});
%!     if (strcmp (version (), "7.3.0"))
%!       fail ("eigs (c{1}, 6, c{2})", "Starting vector is zero");
%!     endif
%!   endfor
%! unwind_protect_cleanup
%!   warning (before);
%! end_unwind_protect

%!## single and double, real, complex and logical, sparse and full
%!test
%! A = ba_graph (500, 2, 3);
%! w = eig (full (A));
%! check (A, 3, "la", w(end:-1:end-2));
%! check (full (A), 3, "la", w(end:-1:end-2));
%! assert (eigs_lanczos (A > 0, 3, "la"), w(end:-1:end-2), 1e-12);
%! assert (eigs_lanczos (A > 0, 3, 0.5), eigs_lanczos (A, 3, 0.5), 1e-12);
%! check (single (full (A)), 3, "la", w(end:-1:end-2));
%! check (single (full (A)), 3, "sm", eigs_lanczos (A, 3, "sm"));
%! [V, D] = eigs_lanczos (A, 3, "la", "precision", "single");
%! assert ({class(V), class(D)}, {"single", "single"});
%! assert (double (diag (D)), w(end:-1:end-2), 1e-4);
%! assert (class (eigs_lanczos (single (full (A)), 3, "la", "precision", "double")), "double");
%! B = A + 1i * triu (A) - 1i * tril (A);
%! w = eig (full (B));
%! check (B, 3, "la", w(end:-1:end-2));
%! check (B, 3, "sa", w(1:3));
%! check (full (B), 3, "sa", w(1:3));
%! [~, order] = sort (abs (w - 0.3));
%! check (B, 3, 0.3, sort (w(order(1:3)), "descend"));

%!## plans
%!test
%! A = ba_graph (500, 2, 3);
%! P = spmv_plan (A);
%! assert (eigs_lanczos (P, 3, "la"), eigs_lanczos (A, 3, "la"), 1e-12);
%! assert (eigs_lanczos (P, 3, 0.3), eigs_lanczos (A, 3, 0.3));
%! assert (class (eigs_lanczos (spmv_plan (A, "precision", "single"), 3)), "single");

%!## single precision, of a plan or by the option, is that of the results on all ways
%!function [V, D, flag, stats] = single_both (A, varargin)
%!  P = spmv_plan (A, "precision", "single", "device", "cpu");      # "auto" may take a plan and a matrix elsewhere
%!  [V, D, flag, stats] = eigs_lanczos (P, varargin{:});
%!  assert ({class(V), class(D), class(stats.orthogonality)}, {"single", "single", "double"});
%!  assert (class (eigs_lanczos (spmv_plan (A, "precision", "single"), varargin{:})), "single");
%!  [V2, D2, flag2, stats2] = eigs_lanczos (A, varargin{:}, "precision", "single", "device", "cpu");
%!  assert ({V2, D2, flag2}, {V, D, flag});
%!endfunction
%!test
%! [A, w] = path_graph (3000);
%! for B = {A, A + 1i * triu(A, 1) - 1i * tril(A, -1)}
%!   for sigma = {"sm", 0.5, 100, -100}          # factored, and ends of the spectrum
%!     [V, D] = single_both (B{1}, 3, sigma{1});
%!     assert (double (diag (D)), eigs_lanczos (B{1}, 3, sigma{1}), 1e-5);
%!   endfor
%! endfor
%! for which = {"sa", "la", "be"}                # do not converge within 40 restarts
%!   [V, D, flag, stats] = single_both (A, 3, which{1});
%!   assert (stats.factorizations > 0);
%!   assert (flag, 0);
%!   assert (double (diag (D)), eigs_lanczos (A, 3, which{1}), 1e-6);
%!   assert (double (V)' * double (V), eye (3), 1e-6);
%! endfor
%! single_both (A(1:40,1:40), 3, 0.1);
%! single_both (1e-30 * A, 3, "sa");
%! single_both (sparse (400, 400), 2, "sm");
%! V = eigs_lanczos (spmv_plan (sparse (0, 0), "precision", "single"));
%! assert ({class(V), size(V)}, {"single", [0, 1]});

%!## small matrices, all eigenvalues, no rows
%!test
%! for n = [1, 2, 3, 12, 13, 40]
%!   [A, w] = path_graph (n + 2);
%!   A = A(1:n,1:n);
%!   w = eig (full (A));
%!   check (A, n, "la", flipud (w));
%!   check (A, n, "sa", w);
%!   check (A, 1, "sa", w(1));
%!   check (A, max (1, n - 1), "la", w(end:-1:min (2, n)));
%!   check (A, n, 0.1, flipud (w));
%! endfor
%! for A = {[], sparse(0, 0)}
%!   [V, D, flag] = eigs_lanczos (A{1});
%!   assert ({size(V), size(D), flag}, {[0, 0], [0, 0], 0});
%!   assert (size (eigs_lanczos (A{1})), [0, 1]);
%! endfor

%!test
%! ## small matrices by batcheig, not by eig, which ends Octave for some complex matrices with OpenBLAS 0.3.21
%! n = 50;
%! A = hilb (n) + diag (1:n) + 1i * (triu (ones (n), 1) - tril (ones (n), -1));
%! [V, D] = eigs_lanczos (sparse (A), 3, 20.3);
%! [W, E] = batcheig (A, "vector", "device", "cpu");
%! [~, at] = sort (abs (E - 20.3));
%! at = sort (at(1:3), "descend");
%! assert (diag (D), E(at), 1e-12);
%! assert (V, W(:,at), 1e-11);

%!## eigenvalues of all sizes from 1e-20 to 1, most of which are equal to each other beside the norm; eigs finds none with "sa"
%!function [A, w] = graded (n)
%!  ## An orthogonal similarity of the diagonal matrix of w, ascending.
%!  w = logspace (-20, 0, n).';
%!  Q = hadamard (2 ^ floor (log2 (n)));
%!  A = diag (w);
%!  at = 1:rows (Q);
%!  A(at,at) = Q * A(at,at) * Q.' / rows (Q);
%!  A = (A + A.') / 2;
%!endfunction
%!test
%! for n = [100, 500]
%!   [A, w] = graded (n);
%!   for B = {A, sparse(A), diag(w), sparse(diag (w)), single(A), single(diag (w))}
%!     check (B{1}, 6, "sa", w(1:6));
%!     check (-B{1}, 6, "la", -w(1:6));
%!     check (B{1}, 6, "be", w([1:3, end-2:end]));
%!   endfor
%!   assert (eigs_lanczos (@(x) A * x, n, 6, "sa"), w(1:6), 1e-13);
%!   B = blkdiag (-5, A);
%!   check (B, 6, "sa", [-5; w(1:5)]);
%!   check (sparse (B), 6, "sa", [-5; w(1:5)]);
%! endfor

%!## the same around a shift
%!test
%! w = logspace (-20, 0, 500).';
%! A = graded (500);
%! for B = {A, sparse(A), single(A)}
%!   check (B{1}, 6, "sm", w(6:-1:1));
%!   check (B{1}, 6, w(100), w(6:-1:1));
%! endfor
%! assert (eigs_lanczos (sparse (diag (w)), 6, "sm"), w(6:-1:1), -1e-10);
%! assert (eigs_lanczos (diag (w), 6, 1e-25), w(6:-1:1), -1e-10);
%! assert (eigs_lanczos (sparse (diag ([w; -w])), 4, "sm"), [w([2, 1]); -w([1, 2])], -1e-10);

%!## rows and columns of very different sizes
%!test
%! n = 400;
%! s = logspace (-10, 0, n).';
%! for c = [2, 0.9]
%!   R = spdiags (ones (n, 1) * [-1, c, -1], -1:1, n, n);
%!   A = spdiags (s, 0, n, n) * R * spdiags (s, 0, n, n);
%!   A = (A + A.') / 2;
%!   d = eigs_lanczos (A, 5, "sm");
%!   assert (d, eigs (A, 5, "sm"), -1e-7);
%!   assert (norm (d) < 1e-17);
%! endfor

%!## hundreds of eigenvalues within 1e-9 of the shift, which is none of them
%!test
%! n = 400;
%! w = [-1; 0; 1](1 + mod (1:n, 3).') + 1e-9 * sin ((1:n).' .^ 2);
%! Q = blkdiag (hadamard (256) / 16, eye (n - 256));
%! p = 1 + mod (7 * (1:n), n);
%! Q *= Q(p,p);
%! A = Q * diag (w) * Q.';
%! A = sparse (A + A.') / 2;
%! [~, at] = sort (abs (w));
%! for k = [1, 4, 7]
%!   check (A, k, "sm", sort (w(at(1:k)), "descend"));
%! endfor

%!## single: none of the smallest is left out for a larger one
%!test
%! w = logspace (-20, 0, 150).';
%! [V, D, flag] = eigs_lanczos (single (diag (w)), 115, "sa", "p", 133);
%! assert ({double(diag (D)), flag}, {w(1:115), 0}, 1e-5);

%!## vectors of both ends are orthogonal to each other where the ends meet
%!test
%! n = 350;
%! e = logspace (0, -20, n).';
%! A = spdiags ([e / 3, e, [0; e(1:end-1)] / 3], -1:1, n, n);
%! [V, D, flag, stats] = eigs_lanczos (A, 279, "be", "p", 289);
%! assert ({flag, V' * V}, {0, eye(279)}, 1e-12);
%! assert (norm (A * V - V * D, "columns"), zeros (1, 279), 1e-13);
