## -*- texinfo -*-
## @c pageeig.m: eigenvalues and eigenvectors of the pages of an array
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{D} =} pageeig (@var{X})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} pageeig (@var{X})
## @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{W}] =} pageeig (@var{X})
## @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, @var{balance})
## @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, @var{form})
## @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, "device", @var{device})
## Compute the eigenvalues and eigenvectors of each page of @var{X}, as in @sc{matlab}.
##
## @var{X} is a full array of square pages, single or double, real or complex; the
## results have its class and keep all dimensions from the third on.  Pages that are
## Hermitian to within rounding, by the test of @code{batcheig}, are solved together by
## that function; their eigenvalues are real.  The others are solved together on the CPU,
## as @code{eig} solves one of them.
##
## With one output, @code{@var{D}(:,1,@var{p})} is the column of the eigenvalues
## of page @var{p}.  With more, the columns of @code{@var{V}(:,:,@var{p})} are
## right eigenvectors, @code{@var{D}(:,:,@var{p})} is the diagonal matrix of the
## eigenvalues, and the columns of @code{@var{W}(:,:,@var{p})} are left
## eigenvectors: on each page @code{@var{X} * @var{V} = @var{V} * @var{D}} and
## @code{@var{W}' * @var{X} = @var{D} * @var{W}'}.  Eigenvalues are in ascending
## order on Hermitian pages, where vectors have the phase of @code{batcheig}, and in no
## special order on others.
##
## @var{form} is @qcode{"vector"} (columns of eigenvalues, the default with one output)
## or @qcode{"matrix"} (diagonal pages, the default with more).  @var{balance} is
## @qcode{"balance"} (default) or @qcode{"nobalance"}, and makes no difference on
## Hermitian pages.
##
## @var{device} is where Hermitian pages are solved, as in @code{batcheig}:
## @qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"} or numbers of GPUs.
##
## A page that holds NaN or Inf, or does not converge, gives NaN, with the warning
## @code{gpulinalg:pages-failed}; every other page is right.
##
## @example
## @group
## X = cat (3, [2, 1; 1, 2], [0, 1; -1, 0]);
## squeeze (pageeig (X))
##    @result{} ans =
##       1 + 0i   0 + 1i
##       3 + 0i   0 - 1i
## @end group
## @end example
##
## @subheading Limits
## Those of @code{batcheig} hold for the Hermitian pages.  Others run on the CPU only,
## whatever @var{device} is, and a gpuArray with such pages is an error.  Ctrl-C is noticed
## between them.  Their eigenvalues are exact for a matrix that differs from the page, or with
## @qcode{"balance"} from the balanced page, by rounding errors.  Where the rows of a page
## have very different sizes, @qcode{"nobalance"} may give smaller residuals, and the default
## more accurate small eigenvalues.  On pages of which some numbers exceed the root of the
## largest number and others are denormal beside them, small eigenvalues may be lost, as in @code{eig}.
##
## @subheading Errors
## @table @code
## @item gpulinalg:bad-class
## @var{X} is sparse, or neither single nor double.
## @item gpulinalg:bad-shape
## The pages of @var{X} are not square.
## @item gpulinalg:bad-option
## The option is unknown, or @qcode{"device"} has no value.
## @item gpulinalg:bad-value
## @var{device} is not one of the values above.
## @item gpulinalg:gather-needed
## @var{X} is a gpuArray with pages that are not Hermitian.
## @item gpulinalg:no-device
## The GPU that was asked for does not exist, or has failed in an earlier call.
## @item gpulinalg:forked
## A GPU was asked for in a child of @code{fork}.
## @item Octave:bad-alloc
## There is not enough memory for the results or the work.
## @end table
##
## @subheading References
## The MathWorks, pageeig (@sc{matlab} R2023a), for the interface; for the methods on
## Hermitian pages see @code{batcheig}.  Others: J. G. F. Francis, The QR transformation,
## Comput. J. 4 (1961); B. N. Parlett, C. Reinsch, Balancing a matrix, Numer. Math. 13
## (1969); M. Ahues, F. Tisseur, A new deflation criterion for the QR algorithm, LAPACK
## Working Note 122 (1997).
##
## @seealso{batcheig, eig}
## @end deftypefn

function [V, D, W] = pageeig (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [balance, as_vector, place] = parse_options (nargout <= 1, varargin);
  check_input (X);

  dims = size (X);
  n = dims(1);
  pages = prod (dims(3:end));
  X = reshape (X, n, n, pages);

  ## All Hermitian pages at once, then the others.  A page that failed is NaN and has a nonzero info.
  [V, d, info] = if_all_hermitian (X, nargout, place);
  W = V;
  if (isempty (info))
    [V, d, W, info] = by_kind (X, nargout, place, balance);
  endif
  if (any (info))
    warn_of_failed_pages (not_finite (X), info);
  endif

  if (as_vector)
    D = reshape (d, [n, 1, dims(3:end)]);
  else
    D = zeros_like (n * n, pages, d);
    D(1:n+1:end,:) = reshape (d, n, pages);
    D = reshape (D, dims);
  endif
  if (nargout > 1)
    V = reshape (V, dims);
    W = reshape (W, dims);
  else
    V = D;
  endif

endfunction

function [balance, as_vector, place] = parse_options (as_vector, options)

  balance = "balance";
  place = "auto";
  k = 0;
  while (++k <= numel (options))
    option = options{k};
    if (! (ischar (option) && ndims (option) == 2 && rows (option) <= 1))
      hint = {"", "; batcheig (A, B) solves Hermitian pairs"}{1 + (isnumeric (option) && numel (option) > 1)};
      error ("gpulinalg:bad-option",
             "pageeig: argument %d must be the name of an option, not of class %s and size %s%s", k + 1,
             class (option), sprintf ("%dx", size (option))(1:end-1), hint);
    endif
    switch (lower (option))
      case {"balance", "nobalance"}
        balance = lower (option);
      case {"vector", "matrix"}
        as_vector = strcmpi (option, "vector");
      case "device"
        if (++k > numel (options))
          error ("gpulinalg:bad-option", 'pageeig: option "device" needs a value');
        endif
        place = options{k};
      otherwise
        error ("gpulinalg:bad-option",
               ['pageeig: argument %d: unknown option "%s"; valid options are ', ...
                '"balance", "nobalance", "vector", "matrix" or "device"'], k + 1, option);
    endswitch
  endwhile
  check_place (place);

endfunction

## Lets batcheig check the option.
function check_place (place)

  in_own_name (@() batcheig ([], "device", place));

endfunction

## The outputs of f (), which calls batcheig; errors name this function.
function varargout = in_own_name (f)

  [varargout{1:nargout}] = __gpu_in_name_of__ ("pageeig", f);

endfunction

function check_input (X)

  if (issparse (X))
    error ("gpulinalg:bad-class", "pageeig: X must be a full array, not sparse; use full (X)");
  elseif (! isfloat (X))
    type = class (X);
    if (isgpuarray (X))
      type = underlyingType (X);
    endif
    error ("gpulinalg:bad-class", "pageeig: X must be a single or double array, not %s", type);
  endif
  if (rows (X) != columns (X))
    error ("gpulinalg:bad-shape", "pageeig: the pages of X must be square, but X is %s",
           strjoin (arrayfun (@num2str, size (X), "UniformOutput", false), "x"));
  endif

endfunction

## General pages are not solved on a GPU.
function check_pages (X, hermitian)

  if (isgpuarray (X) && ! all (hermitian))
    error ("gpulinalg:gather-needed",
           "pageeig: page %d is not Hermitian, and a gpuArray must be; gather (X) copies it to the host",
           find (! hermitian, 1));
  endif

endfunction

function z = zeros_like (m, n, x)

  if (isgpuarray (x))
    z = zeros (m, n, "like", x);
  else
    z = zeros (m, n, class (x));
  endif

endfunction

## All pages by batcheig, which checks that they are Hermitian.  Where a page is not, or there is none, all outputs are
## empty; the first page is looked at before, so that pages of another kind do not cost a call.
function [V, d, info] = if_all_hermitian (X, outputs, place)

  V = d = info = [];
  if (isempty (X))
    return;
  endif
  [~, hermitian] = kinds (X(:,:,1));
  if (! hermitian)
    return;
  endif
  try
    [V, d, info] = batch (X, outputs, place);
  catch err
    if (! strcmp (err.identifier, "gpulinalg:not-hermitian"))
      rethrow (err);
    endif
  end_try_catch

endfunction

## The Hermitian pages by batcheig, the others by the general solver: those without imaginary parts as real ones, as if
## there were no complex ones beside them.  V and W mean nothing where one output is wanted.
function [V, d, W, info] = by_kind (X, outputs, place, balance)

  [bad, hermitian, plain] = kinds (X);
  if (any (bad))
    X(:,:,bad) = NaN;
    hermitian |= bad;
  endif
  check_pages (X, hermitian);
  if (all (hermitian))
    [V, d, info] = batch (X, outputs, place);
    W = V;
  elseif (! any (hermitian) && all (plain))
    [V, d, W, info] = general (real (X), outputs, balance);
  elseif (! any (hermitian | plain))
    [V, d, W, info] = general (X, outputs, balance);
  else
    V = W = zeros (size (X) * (outputs > 1), class (X));
    d = zeros ([rows(X), 1, size(X, 3)], class (X));
    info = zeros (size (X, 3), 1, "int32");
    for group = [hermitian, ! hermitian & plain, ! hermitian & ! plain]
      if (! any (group))
        continue;
      endif
      if (hermitian(find (group, 1)))
        [some_V, some_d, some_info] = batch (X(:,:,group), outputs, place);
        some_W = some_V;
      elseif (plain(find (group, 1)))
        [some_V, some_d, some_W, some_info] = general (real (X(:,:,group)), outputs, balance);
      else
        [some_V, some_d, some_W, some_info] = general (X(:,:,group), outputs, balance);
      endif
      d(:,1,group) = some_d;
      info(group) = some_info;
      if (outputs > 1)
        V(:,:,group) = some_V;
        W(:,:,group) = some_W;
      endif
    endfor
  endif

endfunction

## The pages that hold NaN or Inf, the others that are Hermitian, and those without imaginary parts, of which nobody
## asks for gpuArrays.
function [bad, hermitian, plain] = kinds (X)

  if (isgpuarray (X))
    bad = not_finite (X);
    hermitian = ! bad & near_hermitian (X);
    plain = false (size (bad));
  else
    [bad, hermitian, plain] = __pageeig__ (X);
  endif

endfunction

## Pages that are not Hermitian; W means nothing where two outputs are wanted.
function [V, d, W, info] = general (X, outputs, balance)

  [d, V, W, info] = __pageeig__ (X, balance, max (outputs, 1) - 1);
  if (outputs < 3)
    W = V;
  endif

endfunction

## The pages that hold NaN or Inf.
function bad = not_finite (X)

  bad = gather (any (any (! isfinite (X), 1), 2)(:));

endfunction

## The pages of a gpuArray that batcheig computes: those with |X - X'| of the size of rounding errors.
function near = near_hermitian (X)

  most = @(Y) max (max (abs (Y), [], 1), [], 2);
  column = @(y) reshape (double (gather (y)), [], 1);     # the bound of tiny pages in double precision
  X .*= 1 - 0.875 * (most (X) > 1);     # an eighth: |X| and differences must not overflow, and tiny elements not vanish
  near = column (most (X - conj (permute (X, [2, 1, 3])))) <= 10 * rows (X) * eps (underlyingType (X)) * column (most (X));
  if (isempty (near))                   # no rows
    near = true (size (X, 3), 1);
  endif

endfunction

## Eigenvalues of Hermitian pages, and a nonzero info for pages that failed; V is empty where one output is wanted.
function [V, d, info] = batch (X, outputs, place)

  V = [];
  if (outputs > 1)
    [V, d, info] = in_own_name (@() batcheig (X, "vector", "device", place));
  else
    warning ("off", "gpulinalg:pages-failed", "local");
    d = in_own_name (@() batcheig (X, "vector", "device", place));
    info = gather (any (isnan (d), 1)(:));
  endif

endfunction

function warn_of_failed_pages (bad, info)

  stuck = info != 0 & ! bad;
  pages = numel (bad);
  if (any (bad) && any (stuck))
    warning ("gpulinalg:pages-failed",
             ["pageeig: %d of %d pages hold NaN or Inf (the first is page %d), and %d did not ", ...
              "converge (the first is page %d); they are NaN in the result"],
             sum (bad), pages, find (bad, 1), sum (stuck), find (stuck, 1));
  elseif (any (bad))
    warning ("gpulinalg:pages-failed",
             "pageeig: %d of %d pages hold NaN or Inf and are NaN in the result; the first is page %d",
             sum (bad), pages, find (bad, 1));
  elseif (any (stuck))
    warning ("gpulinalg:pages-failed",
             "pageeig: %d of %d pages did not converge and are NaN in the result; the first is page %d",
             sum (stuck), pages, find (stuck, 1));
  endif

endfunction

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
%!     assert (isequal (d(:,1,p), pageeig (X(:,:,p))));
%!     [v, e, w] = pageeig (X(:,:,p));
%!     if (p != 3)
%!       assert (isequal (v, V(:,:,p)) && isequal (e, D(:,:,p)) && isequal (w, W(:,:,p)));
%!     endif
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

%!demo
%! ## Where a damped pendulum chain turns from swinging to creeping: eigenvalues of 300 dampings.
%! n = 6;
%! K = 2 * eye (n) - diag (ones (n - 1, 1), 1) - diag (ones (n - 1, 1), -1);
%! damping = reshape (linspace (0, 4.2, 300), 1, 1, []);
%! X = [zeros(n), eye(n); -K, zeros(n)] - blkdiag (zeros (n), eye (n)) .* damping;
%! d = squeeze (pageeig (X));
%! printf ("300 pages of %d x %d; all creep from damping %.2f on\n", 2 * n, 2 * n, ...
%!         damping(find (all (abs (imag (d)) < 1e-9), 1)));
%! if (__can_draw__ ())
%!   plot (squeeze (damping), sort (imag (d)).', "color", [0.12, 0.35, 0.65], "linewidth", 1.5);
%!   xlim ([0, 4.2]);
%!   xlabel ("damping");
%!   ylabel ("frequency");
%!   title ("frequencies of a damped chain");
%! endif

%!error <Invalid call> pageeig ()
%!error <called with too many outputs|undefined in return list> [a, b, c, d] = pageeig (1);
%!error id=gpulinalg:bad-option pageeig (1, "chol")
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
