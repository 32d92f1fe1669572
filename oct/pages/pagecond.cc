// pagecond.cc: condition numbers of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_functions.h"

// Returns the quotients of the first and the last singular value of the pages.
template <typename Array, typename RealArray>
static octave_value conditions (const gla::scaled_svd<Array, RealArray> &svd,
                                const dim_vector &dims)
{
  typedef typename RealArray::element_type T;
  const octave_idx_type k = svd.values ();
  RealArray c (svd_dims (dims, 1, 1));
  gla::each_page (svd.pages (), k, [&] (octave_idx_type p) {
    const T *s = svd.of.S.data () + p * k;
    c.xelem (p) = k == 0          ? 0
                  : s[k - 1] == 0 ? std::numeric_limits<T>::infinity ()
                                  : s[0] / s[k - 1];
  });
  return c;
}

static octave_value_list pagecond_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  gla::check_counts ("pagecond", args, 1, gla::any_number, nargout, 1);
  const gla::svd_arguments given = gla::read_svd_arguments ("pagecond", args, false);
  return gla::svd_function ("pagecond", interp, given, false,
                            [&] (const auto &svd) { return conditions (svd, given.A.dims ()); });
}

DEFMETHOD_DLD (pagecond, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{c} =} pagecond (@var{A})
 @deftypefnx {gpulinalg} {@var{c} =} pagecond (@dots{}, "device", @var{device})
Compute the condition number of each page of @var{A} in the 2-norm.

@code{@var{c}(1,1,@var{p}) = cond (@var{A}(:,:,@var{p}))}: the quotient of the largest
and the smallest singular value, @code{Inf} where the smallest one is 0.  @var{A} is a
full array of pages of any shape, single or double, real or complex.  Of a page without
elements the number is 0.

@var{device} is where singular values are computed, as in @code{batchsvd}.  No vectors
are.

A page that holds NaN or Inf gives NaN, with the warning @code{gpulinalg:pages-failed}.

@example
@group
A = cat (3, [1, 0; 0, 2.5], [1, 0; 0, 0]);
squeeze (pagecond (A)).'
   @result{} ans =
        2.5000      Inf
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{device} is not one of its values.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@end table

@seealso{pagerank, pageinv, batchsvd, cond}
@end deftypefn)doc")
{
  return gla::guarded ("pagecond", [&] () {
    return gla::with_gpu_matrices (args, "r", [&] (const octave_value_list &all) {
      return pagecond_body (interp, all, nargout);
    });
  });
}

/*
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
%!error <pagecond: argument 2: unknown option "p"> pagecond (1, "p", 1)
*/
