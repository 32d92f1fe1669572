// pagesvd.cc: pagesvd for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batchsvd.h"
#include "arrays/gpu_pages.h"

static octave_value_list pagesvd_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("pagesvd", args, 1, gla::any_number, nargout, 3);
  gla::options opts ("pagesvd", args, 1, {"econ", "vector", "matrix"}, {"device"});
  gla::check_float_array ("pagesvd", "X", args (0));
  svd_request want;
  want.svd = gla::sized<gla_svd_options> ();
  want.economy = !opts.last_flag ({"econ"}).empty ();
  want.vectors = nargout >= 2;
  want.info = false;
  const std::string form = opts.last_flag ({"vector", "matrix"});
  want.matrix = form.empty () ? want.vectors : form == "matrix";
  gla::call call ("pagesvd", interp, gla::context_of_pages (args, octave_value ()));
  call.set_place (opts.value ("device"));
  octave_value_list all = decompose_pages ("pagesvd", call, args (0), want);
  return all.length () > 3 ? ovl (all (0), all (1), all (2)) : all;
}

DEFMETHOD_DLD (pagesvd, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{S} =} pagesvd (@var{X})
 @deftypefnx {gpulinalg} {[@var{U}, @var{S}, @var{V}] =} pagesvd (@var{X})
 @deftypefnx {gpulinalg} {[@dots{}] =} pagesvd (@var{X}, "econ")
 @deftypefnx {gpulinalg} {[@dots{}] =} pagesvd (@dots{}, @var{form})
 @deftypefnx {gpulinalg} {[@dots{}] =} pagesvd (@dots{}, "device", @var{device})
Compute the singular value decomposition of each page of @var{X}, as in @sc{matlab}.

@var{X} is a full array of any number of dimensions, single or double, real or complex;
the results keep all dimensions from the third on.  With one output,
@code{@var{S}(:,1,@var{p})} is the column of the singular values of page @var{p},
descending.  With more, @code{@var{X} = @var{U} * @var{S} * @var{V}'} on each page, with
a diagonal @var{S}; with @qcode{"econ"} only the columns that belong to singular values
are returned.

@var{form} is @qcode{"vector"} (columns of singular values, the default with one output)
or @qcode{"matrix"} (diagonal pages, the default with more).  @var{device} is that of
@code{batchsvd}, which does the work and has further options.

A page that holds NaN or Inf, or does not converge, gives NaN, with the warning
@code{gpulinalg:pages-failed}; every other page is right.

@example
@group
X = cat (3, [3, 0; 0, -4], [0, 2; 0, 0]);
squeeze (pagesvd (X))
   @result{} ans =

        4   2
        3   0
@end group
@end example

@subheading Limits
Those of @code{batchsvd}.

@subheading gpuArrays
Where @var{X} is a gpuArray the work is done where it is, and the results are gpuArrays.
Square @var{U} of tall pages, and square @var{V} of wide ones, may be made on the CPU: the pages are
copied there and back.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{X} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown, or @qcode{"device"} has no value.
@item gpulinalg:bad-value
@var{device} is not one of the values that it can have.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{batchsvd, pageeig, svd}
@end deftypefn)doc")
{
  return gla::guarded ("pagesvd", [&] () {
    return gla::with_gpu_matrices (
        args, nargout < 2 ? "r" : "ara",
        [&] (const octave_value_list &all) { return pagesvd_body (interp, all, nargout); });
  });
}

/*
%!test
%! X = reshape (magic (6)(:), 3, 4, 3) - 17;
%! [U, S, V] = pagesvd (X);
%! assert ({size(U), size(S), size(V)}, {[3, 3, 3], [3, 4, 3], [4, 4, 3]});
%! for p = 1:3
%!   assert (U(:,:,p) * S(:,:,p) * V(:,:,p)', X(:,:,p), 1e-13);
%!   assert (diag (S(:,:,p)), svd (X(:,:,p)), 1e-13);
%! endfor
%! s = pagesvd (X);
%! assert (size (s), [3, 1, 3]);
%! [U2, S2, V2] = pagesvd (X, "econ", "vector");
%! assert ({size(U2), size(S2), size(V2)}, {[3, 3, 3], [3, 1, 3], [4, 3, 3]});
%! assert (size (pagesvd (X, "matrix")), [3, 4, 3]);
%! assert (size (pagesvd (X, "Econ", "Matrix", "device", "cpu")), [3, 3, 3]);
%! [a, b, c] = batchsvd (X);
%! assert (isequal (a, U) && isequal (b, S) && isequal (c, V));
%!assert (size (pagesvd (ones (2, 3, 4, 5))), [2, 1, 4, 5])
%!assert (pagesvd (zeros (0, 3, 2)), zeros (0, 1, 2))
%!warning <pagesvd: 1 of 2 pages hold NaN or Inf and are NaN in the result; the first is page 2>
%! s = pagesvd (cat (3, 2, NaN));
%! assert (s(:), [2; NaN]);
%!error <Invalid call> pagesvd ()
%!error <pagesvd: function called with too many outputs> [a, b, c, d] = pagesvd (1);
%!error id=gpulinalg:bad-class pagesvd (int8 (1))
%!error id=gpulinalg:bad-option pagesvd (1, "largest", 1)
%!error id=gpulinalg:bad-value pagesvd (1, "device", "tpu")
*/
