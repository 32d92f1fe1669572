// batcheig.cc: batcheig for Octave; its tests are in batcheig.tst, but for those of errors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/int32NDArray.h>

#include <algorithm>

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

struct request {
  gla_eig_options eig;
  bool vectors; // V is wanted
  bool matrix;  // D has diagonal pages
  bool info;    // the caller looks at info, so no warning about failed pages
};

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &arg, const request &want)
{
  Array A;
  gla::read (arg, A);
  dim_vector dims = A.dims ();
  octave_idx_type n = dims (0), pages = gla::pages_of (dims);

  // As with eig, an empty matrix has an empty matrix of eigenvalues.
  bool empty_matrix = dims.ndims () == 2 && n == 0;
  dim_vector lambda_dims = dims;
  if (!want.matrix && !empty_matrix)
    lambda_dims (1) = 1;
  RealArray D =
      want.matrix ? gla::zeros<RealArray> (lambda_dims) : gla::unfilled<RealArray> (lambda_dims);
  Array V = gla::unfilled<Array> (want.vectors ? dims : dim_vector (0, 0));
  int32NDArray info (dim_vector (pages, 1));

  gla_array a = gla::input (A), v = gla::output (V);
  gla_array lambda = gla_array_packed (D.fortran_vec (), gla::type_of (D), n, 1, pages, GLA_HOST);
  if (want.matrix) {
    lambda.row_stride = n + 1; // along the diagonal
    lambda.page_stride = n * n;
  }

  gla_eig_report report;
  gla_status status =
      gla_batcheig (call.context (), &a, &lambda, want.vectors ? &v : nullptr,
                    reinterpret_cast<int32_t *> (info.fortran_vec ()), &want.eig, &report);
  call.finish (status == GLA_NOT_HERMITIAN ? GLA_OK : status);
  if (status == GLA_NOT_HERMITIAN)
    error_with_id (
        "gpulinalg:not-hermitian",
        "batcheig: page %lld of A is not Hermitian: the largest |A - A'| is %g; \"lower\" "
        "or \"upper\" reads one triangle only",
        static_cast<long long> (report.bad_page + 1), report.bad_difference);
  if (report.pages_failed > 0 && !want.info)
    gla::warn_of_failed_pages ("batcheig", reinterpret_cast<const int32_t *> (info.data ()), pages,
                               static_cast<int32_t> (n + 1));

  if (want.vectors)
    return ovl (V, D, info);
  return ovl (D);
}

// A matrix in the second place means the generalized problem in eig.
static void refuse_second_matrix (const octave_value_list &args)
{
  if (args.length () > 1 && !args (1).is_string () &&
      (args (1).isnumeric () || args (1).islogical ()))
    error_with_id (
        "gpulinalg:bad-option",
        "batcheig: argument 2 is a matrix, but the generalized problem A*x = lambda*B*x "
        "is not served yet; the user guide shows under \"Overlap matrices\" how to bring "
        "it to this one, and gevd_hz does pencils (A'*A, B'*B)");
}

static octave_value_list batcheig_body (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  gla::check_counts ("batcheig", args, 1, gla::any_number, nargout, 3);
  refuse_second_matrix (args);
  gla::options opts ("batcheig", args, 1, {"vector", "matrix", "lower", "upper"},
                     {"method", "device", "tol", "maxit", "progress"});

  // check the matrix
  gla::check_float_array ("batcheig", "A", args (0));
  dim_vector dims = args (0).dims ();
  if (dims (0) != dims (1))
    error_with_id ("gpulinalg:bad-shape", "batcheig: the pages of A must be square, but A is %s",
                   dims.str ().c_str ());

  // read the options
  request want;
  want.vectors = nargout >= 2;
  want.info = nargout >= 3;
  std::string form = opts.last_flag ({"vector", "matrix"});
  want.matrix = form.empty () ? want.vectors : form == "matrix";
  std::string triangle = opts.last_flag ({"lower", "upper"});
  want.eig.triangle = triangle.empty () ? GLA_FULL : triangle == "lower" ? GLA_LOWER : GLA_UPPER;
  std::string method = opts.word ("method", {"auto", "qr", "jacobi"});
  want.eig.method = method == "qr"       ? GLA_METHOD_QR
                    : method == "jacobi" ? GLA_METHOD_JACOBI
                                         : GLA_METHOD_AUTO;
  want.eig.tol = opts.number ("tol", 0, 1, 0);
  want.eig.maxit = opts.count ("maxit", 0);

  // work
  gla::call call ("batcheig", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  const octave_value &A = args (0);
  if (A.is_single_type ())
    return A.iscomplex () ? solve<FloatComplexNDArray, FloatNDArray> (call, A, want)
                          : solve<FloatNDArray, FloatNDArray> (call, A, want);
  return A.iscomplex () ? solve<ComplexNDArray, NDArray> (call, A, want)
                        : solve<NDArray, NDArray> (call, A, want);
}

DEFMETHOD_DLD (batcheig, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{lambda} =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{info}] =} batcheig (@var{A})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@var{A}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} batcheig (@var{A}, @var{name}, @var{value}, @dots{})
Eigenvalues and eigenvectors of many Hermitian matrices at once.

@var{A} is an array of @var{n}-by-@var{n} pages, single or double, real or
complex; it may have any number of dimensions, and all from the third on are
kept in the results.  The work is done on an NVIDIA GPU where there is one and
where it is faster, otherwise on all cores of the CPU.

@var{lambda} holds the eigenvalues of page @var{p} in
@code{@var{lambda}(:,1,@var{p})}, real and in ascending order.  With two or more
outputs the columns of @code{@var{V}(:,:,@var{p})} are orthonormal eigenvectors
and @code{@var{D}(:,:,@var{p})} is the diagonal matrix of the eigenvalues, so
that on each page @code{@var{A} * @var{V} = @var{V} * @var{D}}.

@var{info} is an int32 column with one number for each page: 0 if all is well;
@var{n}+1 if the page holds NaN or Inf; @var{k} from 1 to @var{n} if @var{k}
eigenvalues did not converge.  A page with a nonzero @var{info} is NaN in the
other outputs, and every other page is right.  If @var{info} is not asked for,
such pages are reported by the warning @code{gpulinalg:pages-failed}.

Each page must be Hermitian to within rounding (the largest
@code{|@var{A} - @var{A}'|} at most @code{10 * @var{n} * eps} times the largest
@code{|@var{A}|}), and @code{(@var{A} + @var{A}') / 2} is solved; otherwise the
error @code{gpulinalg:not-hermitian} names the page.

Flags, in any order and in upper or lower case; of two that exclude each other
the last one counts:

@table @asis
@item @qcode{"vector"}, @qcode{"matrix"}
Return the eigenvalues as columns, or as diagonal pages.  The default is
@qcode{"vector"} with one output and @qcode{"matrix"} with more.

@item @qcode{"lower"}, @qcode{"upper"}
Read only this triangle of each page; the other one may hold anything.
Imaginary parts on the diagonal are ignored.
@end table

Options, each followed by its value:

@table @asis
@item @qcode{"method"}
@qcode{"qr"}: reduction to tridiagonal form by reflections of Householder, then
implicitly shifted QR (on a GPU: divide and conquer).  @qcode{"jacobi"}:
rotations of Jacobi.
@qcode{"auto"} (default): the faster one for this size.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"tol"}
Entries below @qcode{"tol"} times the size of the page count as zero.  The
default is @code{eps} of the class of @var{A}.

@item @qcode{"maxit"}
The largest number of sweeps of Jacobi, or of QR or QL iterations for each
eigenvalue (default 30).  Divide and conquer has neither.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
@end table

If a GPU fails or has too little memory, the CPU does the rest of the work and
the warning @code{gpulinalg:device-failed} or @code{gpulinalg:device-memory}
says so.

@example
@group
A = rand (4, 4, 1000);
A = A + permute (A, [2, 1, 3]);
[V, D] = batcheig (A);
norm (A(:,:,7) * V(:,:,7) - V(:,:,7) * D(:,:,7)) < 1e-13
   @result{} ans = 1
@end group
@end example

@seealso{pageeig, gpulinalg_info, eig}
@end deftypefn)doc")
{
  return gla::guarded ("batcheig", [&] () { return batcheig_body (interp, args, nargout); });
}

/*
%!## errors
%!error <Invalid call> batcheig ()
%!error id=Octave:invalid-fun-call [a, b, c, d] = batcheig (1);
%!error <batcheig: function called with too many outputs> [a, b, c, d] = batcheig (1);
%!error id=gpulinalg:bad-option batcheig (eye (2), eye (2))
%!error <argument 2 is a matrix, but the generalized problem A\*x = lambda\*B\*x is not served yet; .*"Overlap matrices"> ...
%! [V, D] = batcheig (eye (2), 2 * eye (2));
%!error id=gpulinalg:bad-class batcheig (true)
%!error id=gpulinalg:bad-class batcheig (int32 (1))
%!error id=gpulinalg:bad-class batcheig (uint8 (ones (2, 2, 2)))
%!error id=gpulinalg:bad-class batcheig ("a")
%!error id=gpulinalg:bad-class batcheig ({1})
%!error id=gpulinalg:bad-class batcheig (struct ("a", 1))
%!error id=gpulinalg:bad-class batcheig (@sin)
%!error id=gpulinalg:bad-class batcheig (sparse (1))
%!error id=gpulinalg:bad-class batcheig (sparse (1i))
%!error <A must be a single or double array, not logical> batcheig (true)
%!error <A must be a full array, not sparse; use full \(A\)> batcheig (sparse (1))
%!error id=gpulinalg:bad-shape batcheig (ones (2, 3))
%!error id=gpulinalg:bad-shape batcheig (zeros (0, 3))
%!error <the pages of A must be square, but A is 2x3x4> batcheig (ones (2, 3, 4))
%!error id=gpulinalg:not-hermitian batcheig ([1, 2; 3, 4])
%!error <page 3 of A is not Hermitian: the largest \|A - A'\| is 0\.5> ...
%! batcheig (cat (3, eye (2), eye (2), [1, 0.5; 0, 1], [1, 9; 0, 1]))
%!error <page 1 of A is not Hermitian> batcheig ([1, 1i; 1i, 1])
%!error <page 2 of A is not Hermitian> batcheig (cat (3, 1, 1 + 1i))
%!error id=gpulinalg:bad-option batcheig (1, "colour")
%!error <unknown option "Colour"; known are "vector", "matrix", "lower", "upper", "method", "device", "tol", "maxit" or "progress"> ...
%! batcheig (1, "Colour", 3)
%!error <argument 2 is a matrix> batcheig (1, 2)
%!error <argument 2 is a matrix> batcheig (1, [])
%!error <argument 2 must be the name of an option, not of class cell> batcheig (1, {"lower"})
%!error <unknown option ""; known are "vector"> batcheig (1, "")
%!error <argument 3 must be the name of an option, not of class cell> batcheig (1, "lower", {})
%!error <option "tol" needs a value> batcheig (1, "tol")
%!error id=gpulinalg:bad-value batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not "magic"> batcheig (1, "method", "magic")
%!error <option "method" must be "auto", "qr" or "jacobi", not of class double> batcheig (1, "method", 1)
%!error <option "tol" must be a real scalar> batcheig (1, "tol", "small")
%!error <option "tol" must be a real scalar> batcheig (1, "tol", [1e-3, 1e-3])
%!error <option "tol" must be a real scalar> batcheig (1, "tol", 1i)
%!error <option "tol" must be greater than 0 and less than 1, not 1> batcheig (1, "tol", 1)
%!error <option "tol" must be greater than 0 and less than 1, not 0> batcheig (1, "tol", 0)
%!error <option "tol" must be greater than 0 and less than 1, not NaN> batcheig (1, "tol", NaN)
%!error id=gpulinalg:bad-value batcheig (1, "tol", -1)
%!error <option "maxit" must be a positive integer, not 0> batcheig (1, "maxit", 0)
%!error <option "maxit" must be a positive integer, not 2\.5> batcheig (1, "maxit", 2.5)
%!error <option "maxit" must be a positive integer, not NaN> batcheig (1, "maxit", NaN)
%!error <option "maxit" must be a positive integer> batcheig (1, "maxit", {})
%!error id=gpulinalg:bad-value batcheig (1, "maxit", 1e10)
%!error id=gpulinalg:bad-value batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> batcheig (1, "device", "tpu")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not of class cell> batcheig (1, "device", {"cpu"})
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not an empty array> batcheig (1, "device", [])
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not of class logical> batcheig (1, "device", true)
%!error <option "device" must hold numbers of GPUs, from 0, not -1> batcheig (1, "device", -1)
%!error <option "device" must hold numbers of GPUs, from 0, not 0.5> batcheig (1, "device", 0.5)
%!error <option "device" must hold numbers of GPUs, from 0, not NaN> batcheig (1, "device", NaN)
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! batcheig (1, "progress", "yes")
%!error id=gpulinalg:bad-value batcheig (1, "progress", {})
%!error id=gpulinalg:bad-value batcheig (1, "progress", NaN)
%!error <option "progress" must be true, false or a function handle, not NaN> batcheig (1, "progress", NaN)

%!demo
%! ## Energies of an electron on a ring of 12 sites as a magnetic flux through the ring grows.
%! n = 12;
%! flux = linspace (0, 2, 400);
%! hop = reshape (exp (2i * pi * flux / n), [1, 1, numel(flux)]);
%! A = complex (zeros (n, n, numel (flux)));
%! for k = 1:n
%!   A(k,mod (k, n) + 1,:) = -hop;
%!   A(mod (k, n) + 1,k,:) = -conj (hop);
%! endfor
%! energies = batcheig (A);
%! printf ("lowest energy of the filled half: %.4f\n", min (sum (squeeze (energies)(1:n/2,:))));
%! if (__can_draw__ ())
%!   plot (flux, squeeze (energies).');
%!   xlabel ("flux through the ring, in flux quanta");
%!   ylabel ("energy");
%!   title ("400 Hermitian matrices in one call of batcheig");
%! endif
*/
