// gevd_hz.cc: gevd_hz for Octave; tests of its results are in gevd_hz.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_hz.h"

#include <algorithm>

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

static void warn_of_pages (const std::vector<int32_t> &info, const gla_gevd_report &report,
                           octave_idx_type p)
{
  octave_idx_type pages = static_cast<octave_idx_type> (info.size ());
  if (report.pages_failed > 0) {
    std::vector<int32_t> failed (info);
    std::replace (failed.begin (), failed.end (), static_cast<int32_t> (p + 2), 0);
    gla::warn_of_failed_pages ("gevd_hz", failed.data (), pages, static_cast<int32_t> (p + 1));
  }
  if (report.pages_singular > 0)
    warning_with_id ("gpulinalg:singular-pencil",
                     "gevd_hz: on %lld of %lld pages [A; B] has less than full rank; Z, and "
                     "eigenvalues that mean nothing, are NaN there; the first is page %lld",
                     static_cast<long long> (report.pages_singular), static_cast<long long> (pages),
                     static_cast<long long> (report.first_singular + 1));
}

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &arg_A,
                                const octave_value &arg_B, const gla_gsvd_options &options,
                                int outputs)
{
  Array A, B, Z;
  RealArray alpha, beta;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  octave_idx_type m = dims (0), n = B.dims () (0), p = dims (1), q = std::min (m + n, p);
  std::vector<int32_t> info (gla::pages_of (dims));

  gla_gevd_results results = {};
  auto allocate = [&dims] (auto &a, gla_array &result, octave_idx_type rows,
                           octave_idx_type columns) {
    dim_vector shape = dims;
    shape (0) = rows;
    shape (1) = columns;
    a = gla::unfilled<typename std::decay<decltype (a)>::type> (shape);
    result = gla::output (a);
  };
  allocate (alpha, results.alpha, q, 1);
  allocate (beta, results.beta, q, 1);
  if (outputs > 1)
    allocate (Z, results.Z, p, q);
  results.info = info.data ();

  gla_array a = gla::input (A), b = gla::input (B);
  gla_gevd_report report;
  call.finish (gla_gevd (call.context (), &a, &b, &results, &options, &report));
  warn_of_pages (info, report, p);

  RealArray sigma = quotient (alpha, beta);
  RealArray lambda = product (sigma, sigma);
  if (outputs == 1)
    return ovl (lambda);
  octave_value_list out = ovl (Z, lambda);
  if (outputs > 2) {
    octave_idx_type above = std::max<octave_idx_type> (0, q - m);
    out (2) = gla::diagonal_pages (alpha, std::min (m, q), above);
    out (3) = gla::diagonal_pages (beta, std::min (n, q), 0);
  }
  return out;
}

static octave_value_list gevd_hz_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("gevd_hz", args, 2, gla::any_number, nargout, 4);
  gla::options opts ("gevd_hz", args, 2, {},
                     {"method", "blocking", "ordering", "block", "device", "progress"});
  const octave_value &A = args (0), &B = args (1);
  gsvd_check_arrays ("gevd_hz", A, B);
  const gla_gsvd_options options = gsvd_read_options (opts);

  // work
  gla::call call ("gevd_hz", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  call.show_sweeps ();
  const int outputs = std::max (1, nargout);
  const bool is_complex = A.iscomplex () || B.iscomplex ();
  if (A.is_single_type () || B.is_single_type ())
    return is_complex ? solve<FloatComplexNDArray, FloatNDArray> (call, A, B, options, outputs)
                      : solve<FloatNDArray, FloatNDArray> (call, A, B, options, outputs);
  return is_complex ? solve<ComplexNDArray, NDArray> (call, A, B, options, outputs)
                    : solve<NDArray, NDArray> (call, A, B, options, outputs);
}

DEFMETHOD_DLD (gevd_hz, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{lambda} =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}] =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}, @var{C}, @var{S}] =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@dots{}] =} gevd_hz (@dots{}, @var{name}, @var{value}, @dots{})
Eigenvalues and eigenvectors of the pencil @code{(@var{A}' * @var{A},
@var{B}' * @var{B})} of a pair of matrices, or of many pairs.

@var{Z} * @var{C}'*@var{C}}: column @var{j} of @var{Z} belongs to
is zero.  @var{lambda} is a column, and does not decrease.  The columns of
@var{Z} have the lengths for which

@example
@group
@var{Z}' * @var{A}' * @var{A} * @var{Z} = @var{C}' * @var{C}
@var{Z}' * @var{B}' * @var{B} * @var{Z} = @var{S}' * @var{S}
@end group
@end example

@noindent
with the diagonal @var{C} and @var{S} of @code{gsvd_hz}, whose economy form this
is: @code{@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})}.
Divided by the diagonal of @var{S} they have the lengths of

The two products are never formed, so that eigenvalues keep their digits
where @code{eig} loses twice as many, or finds that @code{@var{B}' * @var{B}} is not
positive definite.  @var{lambda} is the square of what @code{gsvd_hz} gives, to the
bit.  The columns of @var{Z} are those of the inverse of @code{@var{X}'}, and as
precise as the condition of @var{X} with rows of length 1 allows.

Dimensions from the third on are pages, and are kept in the results.  The options
are @qcode{"method"}, @qcode{"blocking"}, @qcode{"ordering"}, @qcode{"block"},
@qcode{"device"} and @qcode{"progress"}, as for @code{gsvd_hz}.

Where @code{[@var{A}; @var{B}]} has less than full rank, to rounding, the pencil is
singular: @var{Z} does not exist, and eigenvalues are fewer than @var{q}.  @var{Z} is
then NaN, and so are the entries of @var{lambda}, @var{C} and @var{S} that mean
nothing, which need not be the last ones.  The warning
@code{gpulinalg:singular-pencil} names the first such page.

A page that holds NaN or Inf or does not converge is NaN in all results, and the
warning @code{gpulinalg:pages-failed} says so; every other page is right.

@example
@group
A = [1, 2; 3, 4; 5, 6];
B = [1e-9, 1; 0, 1e-9];
lambda = gevd_hz (A, B)
   @result{} lambda =

      6.8571e-01
      3.5000e+37
@end group

@group
[Z, lambda] = gevd_hz (A, B);
norm (A' * A * Z(:,1) - lambda(1) * B' * B * Z(:,1)) < 1e-12
   @result{} ans = 1
@end group
@end example

@seealso{gsvd_hz, batcheig, eig}
@end deftypefn)doc")
{
  return gla::guarded ("gevd_hz", [&] () { return gevd_hz_body (interp, args, nargout); });
}

/*
%!## errors
%!error <Invalid call> gevd_hz ()
%!error <Invalid call> gevd_hz (1)
%!error id=gpulinalg:bad-shape gevd_hz ([1, 2], 3)
%!error id=gpulinalg:bad-option [Z, lambda] = gevd_hz (1, 2, "colour");
%!error <gevd_hz: function called with too many outputs> [a, b, c, d, e] = gevd_hz (1, 1);
%!error <gevd_hz: A and B must have the same columns and the same pages, but A is 1x2 and B is 1x1> gevd_hz ([1, 2], 3)
%!error <gevd_hz: unknown option "econ"; known are "method", "blocking", "ordering", "block", "device" or "progress"> ...
%! gevd_hz (1, 2, "econ")
%!error <gevd_hz: argument 3 must be the name of an option, not of class double> [Z, w] = gevd_hz (1, 2, 0);
%!error <gevd_hz: A must be a full array, not sparse; use full \(A\)> gevd_hz (sparse (1), 1)
%!error <gevd_hz: B must be a single or double array, not cell> [Z, w] = gevd_hz (1, {});
%!error <gevd_hz: option "method" must be "auto", "hz" or "tangent", not "qr"> gevd_hz (1, 1, "method", "qr")
%!error <gevd_hz: option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> [Z, w] = gevd_hz (1, 1, "device", "tpu");

%!demo
%! ## Energies and shapes of a hanging chain: stiffness A'*A and masses B'*B, never multiplied out.
%! n = 60;
%! tension = sqrt (linspace (1, 0.02, n)).';
%! A = tension .* diff ([zeros(1, n); eye(n)]) * n;
%! B = diag (sqrt (ones (n, 1) / n));
%! [Z, lambda] = gevd_hz (A, B);
%! printf ("frequencies:%s\n", sprintf (" %.3f", sqrt (lambda(1:4))));
%! if (__can_draw__ ())
%!   height = linspace (0, -1, n + 1);
%!   swings = [zeros(1, 4); Z(:,1:4) ./ max(abs (Z(:,1:4)))];
%!   plot (swings .* sign (swings(end,:)), height, "linewidth", 2);
%!   xlim ([-1.1, 1.1]);
%!   xlabel ("deflection");
%!   ylabel ("height");
%!   title ("the four slowest swings of a hanging chain");
%!   legend (arrayfun (@(w) sprintf ("%.2f", sqrt (w)), lambda(1:4), "uniformoutput", false), ...
%!           "location", "northwest");
%! endif
*/
