## gevd_hz.m: eigenvalues and eigenvectors of the pencil (A'*A, B'*B) without forming it
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
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
## B = [1e-5, 1; 0, 1e-5];
## lambda = gevd_hz (A, B)
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

