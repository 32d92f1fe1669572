## -*- texinfo -*-
## @c gevd_hz.m: eigenvalues and eigenvectors of the pencil (A'*A, B'*B) without forming it
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{lambda} =} gevd_hz (@var{A}, @var{B})
## @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}] =} gevd_hz (@var{A}, @var{B})
## @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}, @var{C}, @var{S}] =} gevd_hz (@var{A}, @var{B})
## @deftypefnx {gpulinalg} {[@dots{}] =} gevd_hz (@dots{}, @var{name}, @var{value}, @dots{})
## Eigenvalues and eigenvectors of the pencil @code{(@var{A}' * @var{A},
## @var{B}' * @var{B})} of a pair of matrices, or of many pairs.
##
## @code{@var{A}' * @var{A} * @var{Z} * @var{S}'*@var{S} = @var{B}' * @var{B} *
## @var{Z} * @var{C}'*@var{C}}: column @var{j} of @var{Z} belongs to
## @code{@var{lambda}(@var{j})}, which is @code{Inf} where @var{B} times that column
## is zero.  @var{lambda} is a column, and does not decrease.  The columns of
## @var{Z} have the lengths for which
##
## @example
## @group
## @var{Z}' * @var{A}' * @var{A} * @var{Z} = @var{C}' * @var{C}
## @var{Z}' * @var{B}' * @var{B} * @var{Z} = @var{S}' * @var{S}
## @end group
## @end example
##
## @noindent
## with the diagonal @var{C} and @var{S} of @code{gsvd_hz}, whose economy form this
## is: @code{@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})}.
## Divided by the diagonal of @var{S} they have the lengths of
## @code{eig (@var{A}' * @var{A}, @var{B}' * @var{B})}.
##
## The two products are never formed, so that eigenvalues keep their digits
## where @code{eig} loses twice as many, or finds that @code{@var{B}' * @var{B}} is not
## positive definite.  @var{lambda} is the square of what @code{gsvd_hz} gives, to the
## bit.  The columns of @var{Z} are those of the inverse of @code{@var{X}'}, and as
## precise as the condition of @var{X} with rows of length 1 allows.
##
## Dimensions from the third on are pages, and are kept in the results.  Options are
## those of @code{gsvd_hz}.
##
## Where @code{[@var{A}; @var{B}]} has less than full rank, to rounding, @var{Z} does
## not exist; it is then NaN, with the warning @code{gpulinalg:singular-pencil}.
##
## @example
## @group
## A = [1, 2; 3, 4; 5, 6];
## B = [1e-9, 1; 0, 1e-9];
## lambda = gevd_hz (A, B)
##    @result{} lambda =
##
##       6.8571e-01
##       3.5000e+37
## @end group
##
## @group
## [Z, lambda] = gevd_hz (A, B);
## norm (A' * A * Z(:,1) - lambda(1) * B' * B * Z(:,1)) < 1e-12
##    @result{} ans = 1
## @end group
## @end example
##
## @seealso{gsvd_hz, batcheig, eig}
## @end deftypefn

function [Z, lambda, C, S] = gevd_hz (A, B, varargin)

  if (nargin < 2 || nargout > 4)
    print_usage ();
  endif
  if (nargout < 2)
    Z = gsvd_hz (A, B, varargin{:}) .^ 2;
    return;
  endif

  [~, ~, X, C, S] = gsvd_hz (A, B, 0, varargin{:});
  dims = size (X);
  q = dims(2);
  pages = prod (dims(3:end));
  c = diagonals (C, max (0, q - rows (C)));
  s = diagonals (S, 0);
  lambda = reshape ((c ./ s) .^ 2, [q, 1, dims(3:end)]);

  Z = NaN (dims, class (X));
  singular = false (1, pages);
  for k = 1:pages
    [Z(:,:,k), singular(k)] = inverse_adjoint (X(:,:,k));
  endfor
  warn_of_singular_pages (singular);

endfunction

## Columns of the entries on one diagonal of the pages of D, and of zeros where it has none.
function d = diagonals (D, above)

  [r, q, pages] = size (D);
  d = zeros (q, pages, class (D));
  j = above + 1 : min (q, above + r);
  at = (j - 1) * r + j - above;
  D = reshape (D, r * q, pages);
  d(j,:) = D(at,:);

endfunction

## The Z of least norm with X' * Z = I, for an X of full column rank.  Powers of two bring rows of
## different sizes to about 1 first.
function [Z, singular] = inverse_adjoint (X)

  Z = NaN (size (X), class (X));
  size_ = max (abs (X), [], 2);
  singular = false;
  if (any (isnan (size_)) || isempty (X))
    return;
  endif
  square = rows (X) == columns (X);
  scale = ones (rows (X), 1, class (X));
  if (square && all (size_ > 0))
    scale = 2 .^ -floor (log2 (size_));
  endif
  [Q, R, p] = qr (X .* scale, 0);
  singular = ! (rcond (R) > eps (class (X)));
  if (! singular)
    Z(:,p) = Q / R';
    Z .*= scale;
  endif

endfunction

function warn_of_singular_pages (singular)

  if (any (singular))
    warning ("gpulinalg:singular-pencil",
             ["gevd_hz: on %d of %d pages [A; B] has less than full rank, and Z ", ...
              "is NaN there; the first is page %d"],
             sum (singular), numel (singular), find (singular, 1));
  endif

endfunction

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

%!## the lengths of eig
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
%!warning <on 1 of 2 pages \[A; B\] has less than full rank, and Z is NaN there; the first is page 2> ...
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

%!error <Invalid call> gevd_hz ()
%!error <Invalid call> gevd_hz (1)
%!error id=gpulinalg:bad-shape gevd_hz ([1, 2], 3)
%!error id=gpulinalg:bad-option [Z, lambda] = gevd_hz (1, 2, "colour");
%!error id=gpulinalg:not-finite [Z, lambda] = gevd_hz (NaN, 2);
