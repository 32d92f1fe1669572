// batchsvd.cc: batchsvd for Octave; its tests are in batchsvd.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batchsvd.h"
#include "arrays/gpu_pages.h"

#include <algorithm>

static octave_value_list batchsvd_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  gla::check_counts ("batchsvd", args, 1, gla::any_number, nargout, 4);
  const bool zero = args.length () > 1 && gla::is_zero (args (1));
  gla::options opts ("batchsvd", args, zero ? 2 : 1, {"econ", "vector", "matrix"},
                     {"method", "device", "tol", "maxit", "largest", "progress"});
  const octave_value A = args (0);
  gla::check_float_array ("batchsvd", "A", A);
  const dim_vector dims = A.dims ();
  const octave_idx_type least = std::min (dims (0), dims (1));

  svd_request want;
  want.svd = gla::sized<gla_svd_options> ();
  want.economy = (zero && dims (0) > dims (1)) || !opts.last_flag ({"econ"}).empty ();
  want.vectors = nargout >= 2;
  want.info = nargout >= 4;
  const std::string form = opts.last_flag ({"vector", "matrix"});
  want.matrix = form.empty () ? want.vectors : form == "matrix";
  const std::string method = opts.word ("method", {"auto", "qr", "jacobi"});
  want.svd.method = method == "qr"       ? GLA_SVD_METHOD_QR
                    : method == "jacobi" ? GLA_SVD_METHOD_JACOBI
                                         : GLA_SVD_METHOD_AUTO;
  want.svd.tol = opts.number ("tol", 0, 1, 0);
  want.svd.maxit = opts.count ("maxit", 0);
  want.svd.values = opts.count ("largest", 0);
  if (want.svd.values > least)
    error_with_id ("gpulinalg:bad-value",
                   "batchsvd: option \"largest\" must be from 1 to %lld, not %lld",
                   static_cast<long long> (least), static_cast<long long> (want.svd.values));
  want.economy |= want.svd.values > 0; // also where these are all values

  gla::call call ("batchsvd", interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  return decompose_pages ("batchsvd", call, A, want);
}

DEFMETHOD_DLD (batchsvd, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{sigma} =} batchsvd (@var{A})
 @deftypefnx {gpulinalg} {[@var{U}, @var{S}, @var{V}] =} batchsvd (@var{A})
 @deftypefnx {gpulinalg} {[@var{U}, @var{S}, @var{V}, @var{info}] =} batchsvd (@var{A})
 @deftypefnx {gpulinalg} {[@dots{}] =} batchsvd (@var{A}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} batchsvd (@dots{}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} batchsvd (@dots{}, @var{name}, @var{value}, @dots{})
Compute the singular value decompositions of many matrices at once.

@var{A} is a full array of @var{m}-by-@var{n} pages of any shape, single or double,
real or complex.  It may have any number of dimensions, and the results keep those
from the third on.  @var{U} and @var{V} have the class of @var{A}; singular values are
real.  The work is done on an NVIDIA GPU where there is one and where it is faster,
otherwise on all cores of the CPU.

With one output, @code{@var{sigma}(:,1,@var{p})} holds the singular values of page @var{p},
descending and not negative: @code{@var{k} = min (@var{m}, @var{n})} of them.  With more
outputs, @code{@var{A} = @var{U} * @var{S} * @var{V}'} on each page, as with @code{svd}:
@var{U} is @var{m}-by-@var{m} and @var{V} is @var{n}-by-@var{n}, both with orthonormal
columns, and @var{S} is @var{m}-by-@var{n} and diagonal.

Of each of the first @var{k} columns of @var{V} the largest element is real and positive;
of elements whose moduli differ by less than one in a thousand the first one counts.  Where a page is zero, @var{U} and @var{V}
are identities.  Where its rank is below @var{k}, the columns of the singular values
that are 0 are completed to orthonormal ones.

@var{info} is an int32 column with one number for each page: 0 if all is well;
@var{k}+1 if the page holds NaN or Inf; @var{j} from 1 to @var{k} if @var{j} columns did
not converge.  A page with a nonzero @var{info} is NaN in the other outputs, and every
other page is right.  Without the output @var{info} the warning
@code{gpulinalg:pages-failed} reports such pages.

A page gives the same bits whatever stands beside it.

Flags, in any order and in upper or lower case; of two that exclude each other
the last one counts:

@table @asis
@item @qcode{"econ"}
Economy form: @var{U} is @var{m}-by-@var{k}, @var{S} is @var{k}-by-@var{k} and @var{V}
is @var{n}-by-@var{k}.  With 0 as the second argument this is so where @var{m} is larger
than @var{n}; otherwise the decomposition is full.

@item @qcode{"vector"}, @qcode{"matrix"}
Return the singular values as columns, or as diagonal pages.  The default is
@qcode{"vector"} with one output and @qcode{"matrix"} with more.
@end table

Options, each followed by its value:

@table @asis
@item @qcode{"method"}
@qcode{"jacobi"}: QR with column pivoting, then one-sided Jacobi rotations.
@qcode{"qr"}: reduction to a bidiagonal matrix, then divide and conquer or implicit QR;
on a GPU the polar decomposition and eigenvalues, or, for values alone of a @var{k} of
at most 2048, a bidiagonal matrix and bisection;
where @var{k} is at most 32 it is Jacobi, too, but on a GPU for values alone only if
@var{k} is below 9 (single precision: 5) or columns of the page differ much in length.
@qcode{"auto"} (default): the faster one
for this size, on the CPU Jacobi up to a @var{k} of 32, and up to 64 with vectors.

@item @qcode{"largest"}
@var{r}: return the @var{r} largest singular values, from 1 to @var{k}, and as many
columns of @var{U} and @var{V}.  All are computed.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"tol"}
Two columns count as orthogonal in the Jacobi method where the cosine of their angle
is at most @qcode{"tol"}.  A number between 0 and 1; the default is
@code{eps * sqrt (@var{k})}, with @code{eps} of the class of @var{A}.

@item @qcode{"maxit"}
The largest number of Jacobi sweeps (default 60).

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

@strong{Accuracy.}  Singular values are right to a small multiple of @code{@var{k} *
eps} times the largest one of their page.  With @qcode{"jacobi"}, and always where
@var{k} is at most 32, each is right to a small multiple of @code{@var{k} * eps * c}
times @emph{itself}, where c is the condition number of the page with its columns
(rows where @var{m} < @var{n}) scaled to one length: small values of graded pages keep
their digits.  On the CPU the same holds with c of the page with its rows (columns where
@var{m} < @var{n}) scaled to one length, so rows or columns may be graded, in any order.
On a GPU it holds for graded columns (rows where @var{m} < @var{n}) alone.
Both hold down to 1e-25 of the largest in single precision and 1e-280 in double; what
is smaller may become 0.

Rotations that bring points to points, for two pairs of point sets (Kabsch 1976).  The
second needs a reflection, which @code{d} undoes:

@example
@group
P = cat (3, [0, 1, 0; 0, 0, 2], [0, 1, 0; 0, 0, 2]);
Q = cat (3, [0, 0, -2; 0, 1, 0], [0, 0, 2; 0, 1, 0]);
[U, S, V] = batchsvd (pagemtimes (Q, "none", P, "transpose"));
R = pagemtimes (U, "none", V, "transpose");
d = R(1,1,:) .* R(2,2,:) - R(1,2,:) .* R(2,1,:);
U(:,2,:) = U(:,2,:) .* d;
R = pagemtimes (U, "none", V, "transpose");
round (R(:,:,1))
   @result{} ans =

       0  -1
       1   0
@end group
@end example

The singular values of two pages, of which the second has rank 1:

@example
@group
A = cat (3, [3, 0; 4, 5], [0, 2; 0, 0]);
s = squeeze (batchsvd (A))
   @result{} s =

        6.7082   2.0000
        2.2361        0
@end group
@end example

@subheading Limits
@var{k} is at most 23000 on the CPU where LAPACK has 32-bit integers, and 32768 on a
GPU, where pages above 256 need a cuBLAS and @qcode{"jacobi"} ends at 64.
With the device @qcode{"gpu"}, a square @var{U} of tall pages of the host may be an error.
The number of pages is limited by the memory of the computer alone.

@subheading gpuArrays
Where @var{A} is a gpuArray the work is done where it is, and all results but @var{info} are gpuArrays.
Square @var{U} of tall pages, and square @var{V} of wide ones, may be made on the CPU: the pages are
copied there and back.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
The option does not take this value, or pages of this size are not done on the GPU
that was asked for.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings: @code{gpulinalg:pages-failed}, see @var{info};
@code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU had too
little memory or failed, and the CPU did the rest of the work.

@subheading References
M. R. Hestenes, Inversion of matrices by biorthogonalization and related results,
J. SIAM 6 (1958), 51--90;
G. Golub and W. Kahan, Calculating the singular values and pseudo-inverse of a matrix,
SIAM J. Numer.@: Anal.@: 2 (1965), 205--224;
M. Gu and S. C. Eisenstat, A divide-and-conquer algorithm for the bidiagonal SVD, SIAM
J. Matrix Anal.@: Appl.@: 16 (1995), 79--92;
Z. Drmac and K. Veselic, New fast and accurate Jacobi SVD algorithm I, SIAM J. Matrix
Anal.@: Appl.@: 29 (2008), 1322--1342.

@seealso{pagesvd, pagepinv, pagelsqminnorm, pagerank, pagecond, batcheig, svd}
@end deftypefn)doc")
{
  return gla::guarded ("batchsvd", [&] () {
    return gla::with_gpu_matrices (
        args, nargout < 2 ? "r" : "arah",
        [&] (const octave_value_list &all) { return batchsvd_body (interp, all, nargout); });
  });
}

/*
%!## errors
%!error <Invalid call> batchsvd ()
%!error <batchsvd: function called with too many outputs> [a, b, c, d, e] = batchsvd (1);
%!error id=gpulinalg:bad-class batchsvd (true)
%!error <batchsvd: A must be a full array, not sparse> batchsvd (sparse (1))
%!error id=gpulinalg:bad-class batchsvd ({})
%!error id=gpulinalg:bad-option batchsvd (1, "wrong")
%!error <batchsvd: argument 2: unknown option "wrong"> batchsvd (1, "wrong")
%!error <batchsvd: option "method" needs a value> batchsvd (1, "method")
%!error id=gpulinalg:bad-value batchsvd (1, "method", "fast")
%!error <batchsvd: option "largest" must be from 1 to 2, not 3> batchsvd (ones (2, 5), "largest", 3)
%!error id=gpulinalg:bad-value batchsvd (1, "largest", 0)

%!## all values by "largest" are as many columns of U and V, too (they were those of the full form)
%!test
%! for dims = [3, 6; 6, 3].'
%!   A = rand ([dims.', 2]);
%!   [U, S, V] = batchsvd (A, "largest", 3);
%!   [u, s, v] = batchsvd (A, "econ");
%!   assert (isequal (U, u) && isequal (S, s) && isequal (V, v));
%!   assert (size (batchsvd (A, "largest", 3, "matrix")), [3, 3, 2]);
%! endfor
%!error id=gpulinalg:bad-value batchsvd (1, "tol", 2)
%!error id=gpulinalg:bad-value batchsvd (1, "maxit", 0)
%!error id=gpulinalg:bad-value batchsvd (1, "device", "tpu")
%!error <batchsvd> batchsvd (1, 1)
*/

/*
%!demo
%! ## How many numbers an image needs: patches of 16 x 16, each by its largest singular values.
%! [x, y] = meshgrid (linspace (-2, 2, 256));
%! image_ = exp (-x .^ 2 - y .^ 2) + 0.3 * sin (9 * x .* y) + 0.5 * (abs (x) < 0.7 & abs (y) < 0.4);
%! patches = reshape (permute (reshape (image_, 16, 16, 16, 16), [1, 3, 2, 4]), 16, 16, []);
%! [U, S, V] = batchsvd (patches, "largest", 2, "vector");
%! near = pagemtimes (U .* permute (S, [2, 1, 3]), "none", V, "ctranspose");
%! printf ("2 of 16 values keep %.2f %% of %d patches\n", ...
%!         100 * (1 - norm ((near - patches)(:)) / norm (patches(:))), size (patches, 3));
%! imagesc (reshape (permute (reshape (near, 16, 16, 16, 16), [1, 3, 2, 4]), 256, 256));
%! axis image off;
%! title ("an image of patches of rank 2");
*/
