## -*- texinfo -*-
## @c pagerank.m: ranks of the pages of an array
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn  {gpulinalg} {@var{r} =} pagerank (@var{A})
## @deftypefnx {gpulinalg} {@var{r} =} pagerank (@var{A}, @var{tol})
## @deftypefnx {gpulinalg} {@var{r} =} pagerank (@dots{}, "device", @var{device})
## Compute the numerical rank of each page of @var{A}.
##
## @code{@var{r}(1,1,@var{p}) = rank (@var{A}(:,:,@var{p}), @var{tol})}: the number of
## singular values that are larger than @var{tol}.  @var{A} is a full array, single or
## double, real or complex.  The default of @var{tol} is
## @code{max (@var{m}, @var{n}) * eps (class (@var{A}))} times the largest singular value of
## an @var{m}-by-@var{n} page.
##
## @var{device} is where singular values are computed, as in @code{batchsvd}.  No vectors
## are.
##
## A page that holds NaN or Inf gives NaN, with the warning @code{gpulinalg:pages-failed}.
##
## (The centrality of the nodes of a graph, which has the same name, is another matter.)
##
## @example
## @group
## A = cat (3, [1, 2; 3, 4], [1, 2; 2, 4], zeros (2));
## squeeze (pagerank (A)).'
##    @result{} ans =
##       2   1   0
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
## @var{tol} is not a number, or is negative; or @var{device} is not one of its values.
## @item gpulinalg:no-device
## A GPU was asked for that does not exist.
## @end table
##
## @seealso{pagecond, batchsvd, rank}
## @end deftypefn

function r = pagerank (A, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [tol, o] = __svd_arguments__ ("pagerank", "A", A, varargin, struct ("device", "auto"));
  [s, scale] = __svd_of_pages__ ("pagerank", A, o.device);
  if (isempty (tol))
    tol = max (rows (A), columns (A)) * eps (underlyingType (A)) * max (s, [], 1);
  else
    tol = tol .* scale;
  endif
  r = sum (s > tol, 1);
  r(any (isnan (s), 1)) = NaN;

endfunction

%!test
%! A = zeros (4, 3, 2, 2);
%! A(:,:,2) = ones (4, 3);
%! A(:,:,3) = magic (4)(:,1:3);
%! A(:,:,4) = [eye(2), [1; 1]; zeros(2, 3)];
%! assert (pagerank (A), reshape ([0, 1, 3, 2], 1, 1, 2, 2));
%! assert (pagerank (single (A), "device", "cpu"), reshape ([0, 1, 3, 2], 1, 1, 2, 2));
%! assert (squeeze (pagerank (cat (3, diag ([3, 1]), diag ([1, 0.5])), 0.7)), [2; 1]);
%!assert (pagerank (zeros (0, 3, 2)), zeros (1, 1, 2))
%!assert (pagerank (zeros (2, 3, 0)), zeros (1, 1, 0))
%!warning <pagerank: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 1>
%! assert (squeeze (pagerank (cat (3, Inf, 1))), [NaN; 1]);
%!test # singular values that overflow
%! A = cat (4, [1, 1; -1, 1] * 1.7e308, ones (2) * 1.7e308, [1, 1; -1, 1], ones (2) * 1e308);
%! assert (squeeze (pagerank (A)), [2; 1; 2; 1]);
%! assert (squeeze (pagerank (A, 1e308)), [2; 1; 0; 1]);
%!error <Invalid call> pagerank ()
%!error id=gpulinalg:bad-class pagerank ("text")
%!error id=gpulinalg:bad-value pagerank (1, -1)
%!error id=gpulinalg:bad-option pagerank (1, "wrong", 1)
