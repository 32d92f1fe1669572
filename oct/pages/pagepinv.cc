// pagepinv.cc: pseudo-inverses of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages.h"
#include "svd_functions.h"

// Returns V * diag (1 ./ s) * U' of each page; 1 / s is 0 if s is not larger than the tolerance.
template <typename Array, typename RealArray>
static octave_value invert (octave::interpreter &interp, gla::scaled_svd<Array, RealArray> &svd,
                            const gla::svd_arguments &given)
{
  typedef typename RealArray::element_type T;
  const octave_idx_type n = given.A.columns (), longer = std::max (given.A.rows (), n);
  const octave_idx_type k = svd.values ();
  const T *s = svd.of.S.data ();
  auto *v = svd.of.V.fortran_vec ();
  gla::each_page (svd.pages (), n * k, [&] (octave_idx_type p) {
    const T bound = svd.bound (given.tol, longer, p), scale = svd.scale_of (p);
    for (octave_idx_type j = p * k; j < (p + 1) * k; j++) {
      const T inverse = s[j] <= bound ? 0 : 1 / s[j] * scale; // NaN of pages that failed
      for (octave_idx_type i = j * n; i < (j + 1) * n; i++)
        v[i] *= inverse;
    }
  });
  return gla::page_product ("pagepinv", interp, {svd.of.V, svd.of.U, 'N', 'C'});
}

static octave_value_list pagepinv_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  gla::check_counts ("pagepinv", args, 1, gla::any_number, nargout, 1);
  const gla::svd_arguments given = gla::read_svd_arguments ("pagepinv", args, true);
  return gla::svd_function ("pagepinv", interp, given, true,
                            [&] (auto &svd) { return invert (interp, svd, given); });
}

DEFMETHOD_DLD (pagepinv, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{X} =} pagepinv (@var{A})
 @deftypefnx {gpulinalg} {@var{X} =} pagepinv (@var{A}, @var{tol})
 @deftypefnx {gpulinalg} {@var{X} =} pagepinv (@dots{}, "device", @var{device})
Compute the Moore-Penrose pseudo-inverse of each page of @var{A}, as in @sc{matlab}.

@var{A} is a full array of @var{m}-by-@var{n} pages, single or double, real or complex;
@var{X} has @var{n}-by-@var{m} pages, its class, and its dimensions from the third on.
On each page @code{@var{X} = pinv (@var{A}, @var{tol})}: singular values up to
@var{tol} count as 0.  @var{tol} is a number, or has one for each page of @var{A}, in
their order.  The default is
@code{max (@var{m}, @var{n}) * eps (class (@var{A}))} times the largest singular value of
the page.

@var{device} is where the singular values are computed, as in @code{batchsvd}:
@qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"} or numbers of GPUs.

A page that holds NaN or Inf gives NaN, with the warning @code{gpulinalg:pages-failed};
every other page is right.

Two pages, of which the second has rank 1:

@example
@group
A = cat (3, [1, 0; 0, 2; 0, 0], [1, 1; 1, 1; 0, 0]);
X = pagepinv (A);
round (4 * X(:,:,2)) / 4
   @result{} ans =
      0.2500   0.2500        0
      0.2500   0.2500        0
@end group
@end example

@subheading Method
With the economy form of the singular value decomposition
@code{@var{A} = @var{U} * @var{S} * @var{V}'}, @var{X} is
@code{@var{V} * diag (1 ./ s) * @var{U}'} for the values that are larger than @var{tol}.

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

@seealso{pagelsqminnorm, batchsvd, pageinv, pinv}
@end deftypefn)doc")
{
  return gla::guarded ("pagepinv", [&] () {
    return gla::with_gpu_matrices (args, "a", [&] (const octave_value_list &all) {
      return pagepinv_body (interp, all, nargout);
    });
  });
}

/*
%!test
%! rand ("state", 1);
%! for mn = [1, 3, 5, 4, 40, 7; 1, 4, 3, 4, 36, 1]
%!   for type = {@double, @single, @(x) complex (x, rand (size (x)))}
%!     A = type{1} (rand (mn(1), mn(2), 2, 3) - 0.5);
%!     A(:,end,2) = A(:,1,2);
%!     X = pagepinv (A);
%!     assert (size (X), [mn(2), mn(1), 2, 3]);
%!     assert (class (X), class (A));
%!     for p = 1:6
%!       x = pinv (A(:,:,p));
%!       assert (X(:,:,p), x, 1000 * eps (class (A)) * norm (x) ^ 2 * norm (A(:,:,p)));
%!     endfor
%!   endfor
%! endfor
%!test
%! A = cat (3, diag ([4, 1, 0.1]), diag ([0, 2, 0]));
%! assert (pagepinv (A, 0.5), cat (3, diag ([0.25, 1, 0]), diag ([0, 0.5, 0])), 4 * eps);
%! assert (pagepinv (A, 0.5, "Device", "cpu"), pagepinv (A, 0.5));
%!assert (pagepinv (zeros (2, 3, 2)), zeros (3, 2, 2))
%!assert (pagepinv (zeros (0, 3, 2)), zeros (3, 0, 2))
%!warning <pagepinv: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2>
%! X = pagepinv (cat (3, 2, NaN));
%! assert (X(:), [0.5; NaN]);
%!test # singular values that overflow
%! A = [1, 1; -1, 1; 1, -1];
%! B = cat (3, A * 1.7e308, A, A * 1e308);
%! P = pinv (A);
%! for X = {pagepinv(B), pagepinv(B, 1e308)}
%!   assert (X{1}(:,:,1) * 1.7e308, P, 1e-13);
%! endfor
%! assert (pagepinv (B)(:,:,2), pagepinv (A));
%! assert (pagepinv (B)(:,:,3) * 1e308, P, 1e-13);
%! assert (pagepinv (single (A) * 3e38) * 3e38, single (P), 1e-5);
%!error <Invalid call> pagepinv ()
%!error id=gpulinalg:bad-class pagepinv (true)
%!error <pagepinv: A must be a full array, not sparse> pagepinv (sparse (1))
%!error <pagepinv: tol must be a number that is not negative, not -1$> pagepinv (1, -1)
%!test # a tolerance for each page, as in MATLAB's manual
%! A = cat (3, magic (3), hilb (3), pascal (3));
%! tol = cat (3, 2, 0.2, 1);
%! X = pagepinv (A, tol);
%! for p = 1:3
%!   assert (X(:,:,p), pinv (A(:,:,p), tol(p)), 1e-13);
%!   assert (X(:,:,p), pagepinv (A(:,:,p), tol(p)));
%! endfor
%! assert ([X(1,1,2), X(1,1,3)], [0.4857, 0.0048], 5e-5);
%! assert (pagepinv (A, tol(:)), X);
%! B = reshape (cat (3, A, A), 3, 3, 3, 2) .* cat (4, 1, 2i);
%! Y = pagepinv (B, cat (4, tol, 2 * tol));
%! assert (Y, cat (4, X, X / 2i), 1e-14);
%! assert (pagepinv (single (A), single (tol)), single (X), 1e-5);
%! assert (gather (pagepinv (gpuArray (A), gpuArray (tol))), X, 1e-13);
%! assert (gather (pagepinv (gpuArray (A), tol)), X, 1e-13);
%! assert (pagepinv (A, cat (3, 0, Inf, 2))(:,:,2:3), cat (3, zeros (3), pinv (pascal (3), 2)), 1e-13);
%!assert (pagepinv (zeros (2, 3, 0), zeros (1, 1, 0)), zeros (3, 2, 0))
%!assert (pagepinv (zeros (2, 3, 0), 1), zeros (3, 2, 0))
%!test # a tolerance for each page where singular values overflow
%! A = cat (3, [1, 1; -1, 1], [1, 1; -1, 1]) * 1.7e308;
%! assert (pagepinv (A, [1e308, Inf]), cat (3, pagepinv (A(:,:,1)), zeros (2)));
%!error <pagepinv: tol must be a number, or one for each page of A, not 2 for 1 page$> pagepinv (1, [1, 2])
%!error <pagepinv: tol must be a number, or one for each page of A, not 2 for 3 pages$> pagepinv (ones (2, 2, 3), [1, 2])
%!error <pagepinv: tol must be a number, or one for each page of A, not 0 for 3 pages$> pagepinv (ones (2, 2, 3), [])
%!error <pagepinv: tol must be a number, or one for each page of A, not 2 for 0 pages$> pagepinv (ones (2, 2, 0), [1, 2])
%!error <pagepinv: tol must be a number that is not negative, not NaN$> pagepinv (ones (2, 2, 3), [1, NaN, 2])
%!error <pagepinv: tol must be a number that is not negative, not -3$> pagepinv (ones (2, 2, 3), [1, 2, -3])
%!error <pagepinv: tol must be a number that is not negative, not of class logical and size 1x3$> ...
%! pagepinv (ones (2, 2, 3), true (1, 3))
%!error id=gpulinalg:bad-value pagepinv (ones (2, 2, 3), [1, 2])
%!error id=gpulinalg:bad-value pagepinv (1, [1, 2])
%!error <pagepinv: argument 2: unknown option "tol"; valid options are "device"$> pagepinv (1, "tol", 1)
%!error <pagepinv: option "device" needs a value> pagepinv (1, "device")
%!error <pagepinv: option "device" must be "auto"> pagepinv (1, "device", "tpu")
%!error id=gpulinalg:bad-option pagepinv (1, 0, 3)
%!test # the state of the warning is the user's, before and after
%! before = warning ("query", "gpulinalg:pages-failed");
%! quiet = warning ("query", "quiet"); # pkg test lets no warning be printed
%! unwind_protect
%!   warning ("off", "quiet");
%!   for f = {@pagepinv, @(A) pagelsqminnorm (A, A), @pagerank, @pagecond, @pageeig, @(A) pageeig (cat (3, A, [1, 2; 3, 4]))}
%!     for state = {"on", "off", "error"}
%!       warning (state{1}, "gpulinalg:pages-failed");
%!       shown = "";
%!       failed = false;
%!       try
%!         shown = evalc ("f{1} (NaN (2));");
%!       catch err
%!         failed = strcmp (err.identifier, "gpulinalg:pages-failed");
%!       end_try_catch
%!       assert (failed, strcmp (state{1}, "error"));
%!       assert (isempty (strfind (shown, "warning: ")), ! strcmp (state{1}, "on"));
%!       assert (warning ("query", "gpulinalg:pages-failed").state, state{1});
%!     endfor
%!   endfor
%! unwind_protect_cleanup
%!   warning (before.state, "gpulinalg:pages-failed");
%!   warning (quiet.state, "quiet");
%! end_unwind_protect
*/
