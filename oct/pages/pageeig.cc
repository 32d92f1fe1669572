// pageeig.cc: pageeig for Octave; its tests are in pageeig.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"
#include "pageeig.h"

// Refuses options of batcheig that pageeig lacks; their values would be taken for names of options.
static void refuse_part (const octave_value &name)
{
  const std::string lower = gla::lower_case (name.string_value ());
  if (lower == "smallest" || lower == "largest" || lower == "range" || lower == "interval")
    error_with_id ("gpulinalg:bad-option",
                   "pageeig: option \"%s\" is one of batcheig; pageeig computes all eigenvalues",
                   name.string_value ().c_str ());
}

// Names of options must be text. A caller who gives a second matrix may expect pairs.
static void check_names (const octave_value_list &args)
{
  for (octave_idx_type k = 1; k < args.length (); k++) {
    const octave_value &v = args (k);
    if (gla::is_text (v))
      refuse_part (v);
    else
      error_with_id (
          "gpulinalg:bad-option",
          "pageeig: argument %d must be the name of an option, not of class %s and size %s%s",
          static_cast<int> (k + 1), v.class_name ().c_str (), v.dims ().str ().c_str (),
          v.isnumeric () && v.numel () > 1 ? "; batcheig (A, B) solves Hermitian pairs" : "");
    k += gla::lower_case (v.string_value ()) == "device";
  }
}

static void check_pages (const octave_value &X)
{
  gla::check_float_array ("pageeig", "X", X);
  if (X.rows () != X.columns ())
    error_with_id ("gpulinalg:bad-shape", "pageeig: the pages of X must be square, but X is %s",
                   X.dims ().str ().c_str ());
}

static void warn_of_pages (const int32NDArray &info, octave_idx_type n)
{
  gla::warn_of_failed_pages ("pageeig", reinterpret_cast<const int32_t *> (info.data ()),
                             info.numel (), {gla::not_finite (n), gla::not_converged (n)});
}

// Returns the outputs for Hermitian pages on a GPU; none if a page is not Hermitian: then
// inst/private/__gpu_pageeig__.m finds the error.
static octave_value_list eigen_on_gpu (octave::interpreter &interp, const octave_value &X,
                                       const pageeig_request &want)
{
  eig_request how = eig_request ();
  how.eig = gla::sized<gla_eig_options> ();
  how.vectors = want.outputs > 1;
  how.matrix = want.matrix;
  how.info = how.any_kind = true;
  how.columns = X.rows ();
  gla::call call ("pageeig", interp, gla::context_of_pages (ovl (X), octave_value ()));
  call.set_place (want.place);
  const octave_value_list all = solve_hermitian ("pageeig", call, X, how);
  if (all.length () == 0)
    return all;
  warn_of_pages (all (2).int32_array_value (), X.rows ());
  return want.outputs > 1 ? ovl (all (0), all (1), all (0)) : ovl (all (1));
}

static octave_value_list pageeig_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("pageeig", args, 1, gla::any_number, nargout, 3);
  check_names (args);
  const gla::options opts ("pageeig", args, 1, {"balance", "nobalance", "vector", "matrix"},
                           {"device"});
  pageeig_request want;
  const std::string form = opts.last_flag ({"vector", "matrix"});
  want.outputs = std::max (nargout, 1);
  want.matrix = form.empty () ? nargout > 1 : form == "matrix";
  want.balance = opts.last_flag ({"balance", "nobalance"}) != "nobalance";
  want.place = opts.value ("device");
  gla::call ("pageeig", interp).set_place (want.place); // before X is checked
  const octave_value X = args (0);
  check_pages (X);
  if (gla::is_gpu_array (X)) {
    const octave_value_list found = X.isempty () || !gla::any_on_gpu (ovl (X))
                                        ? octave_value_list ()
                                        : eigen_on_gpu (interp, X, want);
    if (found.length () > 0)
      return found;
    return gla::gpu_pages_function (
        "pageeig",
        ovl (X, want.matrix, want.place.is_defined () ? want.place : octave_value ("auto")),
        want.outputs);
  }
  const page_eigen found = solve_pages (interp, X, want);
  const octave_idx_type n = X.rows ();
  warn_of_pages (found.info, n);
  dim_vector dims = X.dims ();
  dims (1) = want.matrix ? n : 1;
  const octave_value D = found.D.reshape (dims);
  return want.outputs > 1 ? ovl (found.V, D, found.W) : ovl (D);
}

DEFMETHOD_DLD (pageeig, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{D} =} pageeig (@var{X})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}] =} pageeig (@var{X})
 @deftypefnx {gpulinalg} {[@var{V}, @var{D}, @var{W}] =} pageeig (@var{X})
 @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, @var{balance})
 @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, @var{form})
 @deftypefnx {gpulinalg} {[@dots{}] =} pageeig (@dots{}, "device", @var{device})
Compute the eigenvalues and eigenvectors of each page of @var{X}, as in @sc{matlab}.

@var{X} is a full array of square pages, single or double, real or complex; the
results have its class and keep all dimensions from the third on.  Pages that are
Hermitian to within rounding, by the test of @code{batcheig}, are solved together by
that function; their eigenvalues are real.  The others are solved together on the CPU,
as @code{eig} solves one of them.

With one output, @code{@var{D}(:,1,@var{p})} is the column of the eigenvalues
of page @var{p}.  With more, the columns of @code{@var{V}(:,:,@var{p})} are
right eigenvectors, @code{@var{D}(:,:,@var{p})} is the diagonal matrix of the
eigenvalues, and the columns of @code{@var{W}(:,:,@var{p})} are left
eigenvectors: on each page @code{@var{X} * @var{V} = @var{V} * @var{D}} and
@code{@var{W}' * @var{X} = @var{D} * @var{W}'}.  Eigenvalues are in ascending
order on Hermitian pages, where vectors have the phase of @code{batcheig}, and in no
special order on others.

@var{form} is @qcode{"vector"} (columns of eigenvalues, the default with one output)
or @qcode{"matrix"} (diagonal pages, the default with more).  @var{balance} is
@qcode{"balance"} (default) or @qcode{"nobalance"}, and makes no difference on
Hermitian pages.

@var{device} is where Hermitian pages are solved, as in @code{batcheig}:
@qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"} or numbers of GPUs.

A page that holds NaN or Inf, or does not converge, gives NaN, with the warning
@code{gpulinalg:pages-failed}; every other page is right.

@example
@group
X = cat (3, [2, 1; 1, 2], [0, 1; -1, 0]);
squeeze (pageeig (X))
   @result{} ans =
      1 + 0i   0 + 1i
      3 + 0i   0 - 1i
@end group
@end example

@subheading Limits
Those of @code{batcheig} hold for the Hermitian pages.  Others run on the CPU only,
whatever @var{device} is, and a gpuArray with such pages is an error.  Ctrl-C is noticed
between them.  Their eigenvalues are exact for a matrix that differs from the page, or with
@qcode{"balance"} from the balanced page, by rounding errors.  Where the rows of a page
have very different sizes, @qcode{"nobalance"} may give smaller residuals, and the default
more accurate small eigenvalues.  On pages of which some numbers exceed the root of the
largest number and others are denormal beside them, small eigenvalues may be lost, as in @code{eig}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{X} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
The pages of @var{X} are not square.
@item gpulinalg:bad-option
The option is unknown, or @qcode{"device"} has no value.
@item gpulinalg:bad-value
@var{device} is not one of the values above.
@item gpulinalg:gather-needed
@var{X} is a gpuArray with pages that are not Hermitian.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

@subheading References
The MathWorks, pageeig (@sc{matlab} R2023a), for the interface; for the methods on
Hermitian pages see @code{batcheig}.  Others: J. G. F. Francis, The QR transformation,
Comput. J. 4 (1961); B. N. Parlett, C. Reinsch, Balancing a matrix, Numer. Math. 13
(1969); M. Ahues, F. Tisseur, A new deflation criterion for the QR algorithm, LAPACK
Working Note 122 (1997).

@seealso{batcheig, eig}
@end deftypefn)doc")
{
  return gla::guarded ("pageeig", [&] () { return pageeig_body (interp, args, nargout); });
}

/*
%!demo
%! ## Where a damped pendulum chain turns from swinging to creeping: eigenvalues of 300 dampings.
%! n = 6;
%! K = 2 * eye (n) - diag (ones (n - 1, 1), 1) - diag (ones (n - 1, 1), -1);
%! damping = reshape (linspace (0, 4.2, 300), 1, 1, []);
%! X = [zeros(n), eye(n); -K, zeros(n)] - blkdiag (zeros (n), eye (n)) .* damping;
%! d = squeeze (pageeig (X));
%! printf ("300 pages of %d x %d; all creep from damping %.2f on\n", 2 * n, 2 * n, ...
%!         damping(find (all (abs (imag (d)) < 1e-9), 1)));
%! plot (squeeze (damping), sort (imag (d)).', "color", [0.12, 0.35, 0.65], "linewidth", 1.5);
%! xlim ([0, 4.2]);
%! xlabel ("damping");
%! ylabel ("frequency");
%! title ("frequencies of a damped chain");
*/
