## -*- texinfo -*-
## @c pagelsqminnorm.m: least squares solutions of least norm of all pages
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{X} =} pagelsqminnorm (@var{A}, @var{B})
## @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@var{A}, @var{B}, @var{tol})
## @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, @var{rankWarn})
## @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, "RegularizationFactor", @var{alpha})
## @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, "device", @var{device})
## Compute the least squares solution of least norm on each page, as in @sc{matlab}.
##
## @var{A} is a full array of @var{m}-by-@var{n} pages and @var{B} one with @var{m} rows,
## single or double, real or complex.  On each page @var{X} minimizes
## @code{norm (@var{A} * @var{X} - @var{B}, "fro")}, and of all that do it is the one with
## the smallest norm.  Dimensions from the third on are those of @var{A} and @var{B}; where
## one of them has a single page in a dimension, that page stands for all.
##
## Singular values of @var{A} up to @var{tol} count as 0.  The default is
## @code{max (@var{m}, @var{n}) * eps} times the largest one of the page, with eps of the
## class of @var{A}.
##
## @var{rankWarn} is @qcode{"nowarn"} (default) or @qcode{"warn"}: then the warning
## @code{gpulinalg:rank-deficient} names the first page of @var{A} with a rank below
## @code{min (@var{m}, @var{n})}.
##
## With @qcode{"RegularizationFactor"} (default 0) @var{X} minimizes
## @code{norm (@var{A} * @var{X} - @var{B}, "fro")^2 + @var{alpha}^2 * norm (@var{X}, "fro")^2}.
## @var{alpha} is a number, or has one for each page of @var{A}.  Where @var{A} is one page
## and @var{alpha} has several numbers, @var{X} has a page for each, and the singular values
## are computed once.  The pages have the dimensions of @var{alpha} from the third on where
## its first two are 1.
##
## @var{device} is where the singular value decomposition is computed, as in
## @code{batchsvd}: @qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"} or numbers of
## GPUs.
##
## A page of @var{A} that holds NaN or Inf gives NaN, with the warning
## @code{gpulinalg:pages-failed}.  A column of @var{B} that holds them gives numbers that
## are not finite.  Every other page and column is right.
##
## Two equations with the sum of two unknowns: the solution of least norm has equal parts.
##
## @example
## @group
## X = pagelsqminnorm ([1, 1; 1, 1], cat (3, [2; 2], [1; 3]));
## round (1e6 * X) / 1e6
##    @result{} ans =
##
##    ans(:,:,1) =
##
##       1
##       1
##
##    ans(:,:,2) =
##
##       1
##       1
##
## @end group
## @end example
##
## Ridge regression with three parameters from one decomposition:
##
## @example
## @group
## A = [1, 1; 1, 2; 1, 3; 1, 4];
## X = pagelsqminnorm (A, [2; 4; 7; 8], "RegularizationFactor", [0.1, 1, 10]);
## round (1e3 * squeeze (X))
##    @result{} ans =
##
##         10    382    156
##       2096   1909    473
## @end group
## @end example
##
## @subheading Method
## With @code{@var{A} = @var{U} * diag (s) * @var{V}'}, @var{X} is
## @code{@var{V} * diag (s ./ (s.^2 + @var{alpha}^2)) * (@var{U}' * @var{B})} for the
## values that are larger than @var{tol}.  Where every page has full column rank
## @code{qr_block (@var{A}, @var{B}, "solve")} takes less time.
##
## @subheading Errors
## @table @code
## @item gpulinalg:bad-class
## @var{A} or @var{B} is sparse, or neither single nor double.
## @item gpulinalg:bad-shape
## @var{B} has not the rows of @var{A}, or other pages.
## @item gpulinalg:bad-option
## The option is unknown or has no value.
## @item gpulinalg:bad-value
## @var{tol} or @var{alpha} is not a number, or is negative, or @var{alpha} is not one number
## and does not have one for each page; or @var{device} is not one of
## its values.
## @item gpulinalg:no-device
## A GPU was asked for that does not exist.
## @end table
##
## @seealso{pagepinv, qr_block, pagemldivide, batchsvd}
## @end deftypefn

function X = pagelsqminnorm (A, B, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  words = {"warn", "nowarn"};
  flag = find (cellfun (@(x) ischar (x) && any (strcmpi (x, words)), varargin), 1);
  must_warn = ! isempty (flag) && strcmpi (varargin{flag}, "warn");
  varargin(flag) = [];
  o = struct ("RegularizationFactor", 0, "device", "auto");
  [tol, o] = __svd_arguments__ ("pagelsqminnorm", "A", A, varargin, o, words);
  __svd_arguments__ ("pagelsqminnorm", "B", B, {}, o);
  alpha = regularization (o.RegularizationFactor, A);
  if (rows (A) != rows (B))
    error ("gpulinalg:bad-shape",
           "pagelsqminnorm: B must have the rows of A, but A is %s and B is %s",
           sprintf ("%dx", size (A))(1:end-1), sprintf ("%dx", size (B))(1:end-1));
  endif
  check_pages (size (A), size (alpha), size (B));

  [s, scale, U, V] = __svd_of_pages__ ("pagelsqminnorm", A, o.device);
  if (isempty (tol))
    tol = max (rows (A), columns (A)) * eps (underlyingType (A)) * max (s, [], 1);
  else
    tol = tol .* scale;
  endif
  if (must_warn)
    warn_of_rank (s, tol);
  endif
  if (any (scale(:) != 1))
    B = B .* scale;
  endif
  alpha = cast (alpha, underlyingType (s)) .* scale;
  s(s <= tol | s == 0) = Inf;
  divisor = s + alpha ./ s .* alpha;   # no square or reciprocal, which might vanish or overflow
  X = pagemtimes (V, pagemtimes (U, "ctranspose", B, "none") ./ divisor);

endfunction

## One number or, in the place of pages, one for each page.
function alpha = regularization (alpha, A)

  name = 'pagelsqminnorm: option "RegularizationFactor"';
  if (isgpuarray (alpha))
    alpha = gather (alpha);
  endif
  if (! (isnumeric (alpha) && isreal (alpha) && ! isempty (alpha)))
    error ("gpulinalg:bad-value", "%s must be a number that is not negative, not of class %s and size %s",
           name, class (alpha), sprintf ("%dx", size (alpha))(1:end-1));
  endif
  bad = find (! (alpha(:) >= 0 & isfinite (alpha(:))), 1);
  if (! isempty (bad))
    error ("gpulinalg:bad-value", "%s must be a number that is not negative, not %g", name, alpha(bad));
  endif
  pages = size (A)(3:end);
  count = prod (pages);
  if (numel (alpha) == 1)
    return;
  elseif (numel (alpha) == count)
    alpha = reshape (alpha, [1, 1, pages]);
  elseif (count != 1)
    error ("gpulinalg:bad-value", "%s must be a number, or one for each page of A, not %d for %d pages",
           name, numel (alpha), count);
  elseif (rows (alpha) != 1 || columns (alpha) != 1)
    alpha = reshape (alpha, 1, 1, []);
  endif

endfunction

## Dimensions from the third on must be equal, or 1 in one array. Numbers for pages of one A count as its own.
function check_pages (a, alpha, b)

  alpha(end+1:numel (a)) = 1;
  a(end+1:numel (alpha)) = 1;
  a = max (a, alpha);
  dimensions = max (numel (a), numel (b));
  a(end+1:dimensions) = 1;
  b(end+1:dimensions) = 1;
  k = find (a != b & a != 1 & b != 1 & 1:dimensions > 2, 1);
  if (! isempty (k))
    error ("gpulinalg:bad-shape",
           "pagelsqminnorm: the pages of A and B do not match in dimension %d: %d and %d", k, a(k), b(k));
  endif

endfunction

function warn_of_rank (s, tol)

  short = gather (any (s <= tol, 1)(:));
  if (any (short))
    warning ("gpulinalg:rank-deficient",
             "pagelsqminnorm: %d of %d pages of A have not full rank; the first is page %d",
             sum (short), numel (short), find (short, 1));
  endif

endfunction

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
%!error <unknown option "wran"; valid options are "warn", "nowarn", "RegularizationFactor", "device"$> ...
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
