## -*- texinfo -*-
## @c pagecond.m: condition numbers of the pages of an array
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{c} =} pagecond (@var{A})
## @deftypefnx {gpulinalg} {@var{c} =} pagecond (@dots{}, "device", @var{device})
## Compute the condition number of each page of @var{A} in the 2-norm.
##
## @code{@var{c}(1,1,@var{p}) = cond (@var{A}(:,:,@var{p}))}: the quotient of the largest
## and the smallest singular value, @code{Inf} where the smallest one is 0.  @var{A} is a
## full array of pages of any shape, single or double, real or complex.  Of a page without
## elements the number is 0.
##
## @var{device} is where singular values are computed, as in @code{batchsvd}.  No vectors
## are.
##
## A page that holds NaN or Inf gives NaN, with the warning @code{gpulinalg:pages-failed}.
##
## @example
## @group
## A = cat (3, [1, 0; 0, 4], [1, 0; 0, 0]);
## squeeze (pagecond (A)).'
##    @result{} ans =
##         4   Inf
## @end group
## @end example
##
## @subheading Errors
## @table @code
## @item gpulinalg:bad-class
## @var{A} is sparse, or neither single nor double.
## @item gpulinalg:bad-option
## The option is unknown or has no value.
## @item gpulinalg:bad-value
## @var{device} is not one of its values.
## @item gpulinalg:no-device
## A GPU was asked for that does not exist.
## @end table
##
## @seealso{pagerank, pageinv, batchsvd, cond}
## @end deftypefn

function c = pagecond (A, varargin)

  if (nargin < 1)
    print_usage ();
  elseif (numel (varargin) > 0 && ! ischar (varargin{1}))
    error ("gpulinalg:bad-option", "pagecond: argument 2 must be the name of an option, not of class %s",
           class (varargin{1}));
  endif
  [~, o] = __svd_arguments__ ("pagecond", "A", A, varargin, struct ("device", "auto"));
  s = __svd_of_pages__ ("pagecond", A, o.device);
  if (rows (s) == 0)
    c = reshape (sum (s, 1), [1, 1, size(A)(3:end)]);   # zeros of the class and in the place of s
    return;
  endif
  c = s(1,1,:) ./ s(end,1,:);
  c(s(end,1,:) == 0) = Inf;
  c = reshape (c, [1, 1, size(A)(3:end)]);

endfunction

%!test
%! rand ("state", 4);
%! for mn = [1, 3, 5, 40; 1, 4, 3, 40]
%!   A = rand (mn(1), mn(2), 2, 3);
%!   c = pagecond (A);
%!   assert (size (c), [1, 1, 2, 3]);
%!   for p = 1:6
%!     assert (c(p), cond (A(:,:,p)), 1000 * eps * c(p) ^ 2);
%!   endfor
%! endfor
%! assert (class (pagecond (single (A))), "single");
%!assert (squeeze (pagecond (cat (3, [0.5, 1; -1, 0.5] * 1.7e308, [3, 0; 0, 1] * 2 ^ 1022, [2, 0; 0, 1]))), [1; 3; 2], 1e-13) # values overflow
%!assert (squeeze (pagecond (zeros (2, 2, 2), "device", "cpu")), [Inf; Inf])
%!assert (pagecond (zeros (0, 3, 2)), zeros (1, 1, 2))
%!warning <pagecond: 1 of 1 pages hold NaN or Inf> assert (pagecond ([1, NaN]), NaN);
%!error <Invalid call> pagecond ()
%!error id=gpulinalg:bad-class pagecond (int8 (1))
%!error id=gpulinalg:bad-option pagecond (1, 2)
%!error <pagecond: unknown option "p"> pagecond (1, "p", 1)
