// pagerank.cc: ranks of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_functions.h"

// Counts the singular values of each page that are larger than its tolerance.
template <typename Array, typename RealArray>
static octave_value ranks (const gla::scaled_svd<Array, RealArray> &svd,
                           const gla::svd_arguments &given)
{
  typedef typename RealArray::element_type T;
  const octave_idx_type longer = std::max (given.A.rows (), given.A.columns ());
  const octave_idx_type k = svd.values ();
  NDArray r (svd_dims (given.A.dims (), 1, 1));
  gla::each_page (svd.pages (), k, [&] (octave_idx_type p) {
    const T *s = svd.of.S.data () + p * k;
    const T bound = k > 0 ? svd.bound (given.tol, longer, p) : 0;
    const auto rank = std::count_if (s, s + k, [=] (T x) { return x > bound; });
    r.xelem (p) = k > 0 && std::isnan (s[0]) ? octave_NaN : static_cast<double> (rank);
  });
  return r;
}

static octave_value_list pagerank_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  gla::check_counts ("pagerank", args, 1, gla::any_number, nargout, 1);
  const gla::svd_arguments given = gla::read_svd_arguments ("pagerank", args, true);
  const octave_value_list found = gla::svd_function (
      "pagerank", interp, given, false, [&] (const auto &svd) { return ranks (svd, given); });
  const bool only_tol =
      args.length () > 1 && gla::is_gpu_array (args (1)) && given.tol.is_defined ();
  return only_tol && !gla::is_gpu_array (found (0))
             ? ovl (gla::value_of (gla::gpu_value (found (0), false)))
             : found;
}

DEFMETHOD_DLD (pagerank, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{r} =} pagerank (@var{A})
 @deftypefnx {gpulinalg} {@var{r} =} pagerank (@var{A}, @var{tol})
 @deftypefnx {gpulinalg} {@var{r} =} pagerank (@dots{}, "device", @var{device})
Compute the numerical rank of each page of @var{A}.

@code{@var{r}(1,1,@var{p}) = rank (@var{A}(:,:,@var{p}), @var{tol})}: the number of
singular values that are larger than @var{tol}, a number, or one for each page of
@var{A} in their order.  @var{A} is a full array, single or
double, real or complex.  The default of @var{tol} is
@code{max (@var{m}, @var{n}) * eps (class (@var{A}))} times the largest singular value of
an @var{m}-by-@var{n} page.

@var{device} is where singular values are computed, as in @code{batchsvd}.  No vectors
are.

A page that holds NaN or Inf gives NaN, with the warning @code{gpulinalg:pages-failed}.

This is the rank of matrices, not Google's PageRank of the nodes of a graph, which is an
eigenvector of the graph's matrix; @code{spmv} computes the products for it.

@example
@group
A = cat (3, [1, 2; 3, 4], [1, 2; 2, 4], zeros (2));
squeeze (pagerank (A)).'
   @result{} ans =
      2   1   0
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{tol} is not a number, or is negative; or @var{device} is not one of its values.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@end table

@seealso{pagecond, batchsvd, rank}
@end deftypefn)doc")
{
  return gla::guarded ("pagerank", [&] () {
    return gla::with_gpu_matrices (args, "r", [&] (const octave_value_list &all) {
      return pagerank_body (interp, all, nargout);
    });
  });
}

/*
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
%!test # a tolerance for each page
%! A = cat (3, magic (3), hilb (3), pascal (3));
%! assert (squeeze (pagerank (A, cat (3, 2, 0.2, 1))), [3; 1; 1]);
%! assert (squeeze (pagerank (single (A), single ([4, 0, Inf]))), [2; 3; 0]);
%! assert (squeeze (gather (pagerank (gpuArray (A), [4, 0, Inf]))), [2; 3; 0]);
%! assert (squeeze (gather (pagerank (A, gpuArray ([4, 0, Inf])))), [2; 3; 0]);
%! assert (pagerank (reshape (A, 3, 3, 1, 3), reshape ([4, 0, Inf], 1, 1, 1, 3)), reshape ([2, 3, 0], 1, 1, 1, 3));
%!error <Invalid call> pagerank ()
%!error <pagerank: tol must be a number, or one for each page of A, not 2 for 3 pages$> pagerank (ones (2, 2, 3), [1, 2])
%!error id=gpulinalg:bad-class pagerank ("text")
%!error id=gpulinalg:bad-value pagerank (1, -1)
%!error id=gpulinalg:bad-option pagerank (1, "wrong", 1)
*/
