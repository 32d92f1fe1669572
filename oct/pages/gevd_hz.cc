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
  if (report.base.pages_failed > 0)
    gla::warn_of_failed_pages ("gevd_hz", info.data (), pages,
                               {gla::not_finite (p), gla::not_converged (p)});
  if (report.pages_singular > 0)
    warning_with_id ("gpulinalg:singular-pencil",
                     "gevd_hz: on %lld of %lld pages [A; B] has less than full rank; Z and "
                     "undetermined eigenvalues are NaN there; the first is page %lld",
                     static_cast<long long> (report.pages_singular), static_cast<long long> (pages),
                     static_cast<long long> (report.first_singular + 1));
}

// Sizes: A has m x p and B has n x p, on all ranks.
struct gevd_sizes {
  octave_idx_type m, n, p, q;

  gevd_sizes (const dim_vector &A, const dim_vector &B, const gla::shared_call *shared)
      : m (shared ? shared->total (0) : A (0)), n (shared ? shared->total (1) : B (0)), p (A (1)),
        q (std::min (m + n, p))
  {
  }
};

// Fills Z, if it is wanted, and alpha, beta and info of r.
template <typename Array>
static gla_gevd_report compute (gla::call &call, gla::shared_call *shared, const Array &A,
                                const Array &B, gla_gevd_results r, const gsvd_request &want,
                                Array &Z)
{
  const gevd_sizes size (A.dims (), B.dims (), shared);
  if (want.outputs > 1)
    gla::allocate_part (Z, r.Z, A.dims (), size.p, columns_of_result (shared, want, size.q).count);
  gla_array a = gla::part (gla::input (A)), b = gla::part (gla::input (B));
  auto report = gla::sized<gla_gevd_report> ();
  if (shared)
    shared->shared_gevd (want.by_columns, a, b, r, want.gsvd, report);
  else
    call.finish (gla_gevd (call.context (), &a, &b, &r, &want.gsvd, &report));
  return report;
}

// Does the same on a GPU, where [A; B] has full rank because B has it.
template <typename A>
static gla_gevd_report compute (gla::call &call, gla::shared_call *, const gla::gpu_pages<A> &x,
                                const gla::gpu_pages<A> &y, gla_gevd_results r,
                                const gsvd_request &want, gla::gpu_pages<A> &Z)
{
  gsvd_check_rows ("gevd_hz", x.dims (), y.dims ());
  gla::gpu_pages<A> X;
  auto results = gla::sized<gla_gsvd_results> ();
  results.alpha = r.alpha;
  results.beta = r.beta;
  results.info = r.info;
  if (want.outputs > 1)
    gla::allocate (X, results.X, x.dims (), x.columns (), x.columns ());
  const gla_array a = gla::input (x), b = gla::input (y);
  auto gsvd = gla::sized<gla_gsvd_report> ();
  call.finish (gla_gsvd (call.context (), &a, &b, &results, &want.gsvd, &gsvd));
  gsvd_check_ranks ("gevd_hz", r.info, gla::pages_of (x.dims ()));
  auto report = gla::sized<gla_gevd_report> ();
  report.base.pages_failed = gsvd.base.pages_failed;
  if (want.outputs > 1)
    gla::read (gla::gpu_pages_function ("adjoint_inverse", ovl (X)) (0), Z);
  return report;
}

template <typename Array, typename RealArray>
static octave_value_list solve_pencils (gla::call &call, gla::shared_call *shared,
                                        const octave_value &arg_A, const octave_value &arg_B,
                                        const gsvd_request &want)
{
  Array A, B, Z;
  RealArray alpha, beta;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  const gevd_sizes size (A.dims (), B.dims (), shared);
  std::vector<int32_t> info (gla::pages_of (A.dims ()));
  auto results = gla::sized<gla_gevd_results> ();
  gla::allocate_part (alpha, results.alpha, A.dims (), size.q, 1);
  gla::allocate_part (beta, results.beta, A.dims (), size.q, 1);
  results.info = info.data ();
  const gla_gevd_report report = compute (call, shared, A, B, results, want, Z);
  if (!shared || shared->is_root ())
    warn_of_pages (info, report, size.p);

  RealArray sigma = quotient (alpha, beta);
  RealArray lambda = product (sigma, sigma);
  if (want.outputs == 1)
    return ovl (lambda);
  octave_value_list out = ovl (Z, lambda);
  if (want.outputs > 2) {
    octave_idx_type above = std::max<octave_idx_type> (0, size.q - size.m);
    const gla::columns_here here = columns_of_result (shared, want, size.q);
    out (2) = gla::diagonal_pages (alpha, std::min (size.m, size.q), above, here);
    out (3) = gla::diagonal_pages (beta, std::min (size.n, size.q), 0, here);
  }
  return out;
}

octave_value_list gevd_hz_solve (gla::call &call, gla::shared_call *shared, const octave_value &A,
                                 const octave_value &B, const gsvd_request &want)
{
  auto body = [&] (auto array, auto real) {
    return solve_pencils<decltype (array), decltype (real)> (call, shared, A, B, want);
  };
  return shared ? shared->in_common_class (body) : gla::in_page_class_of (A, B, body);
}

gla::options gevd_hz_arguments (const octave_value_list &args, int nargout, gsvd_request &want)
{
  gla::check_counts ("gevd_hz", args, 2, gla::any_number, nargout, 4);
  want.outputs = std::max (1, nargout);
  gla::options opts ("gevd_hz", args, 2, {},
                     {"method", "blocking", "ordering", "block", "device", "progress", "mpi"});
  gsvd_check_arrays ("gevd_hz", args (0), args (1));
  want.gsvd = gsvd_read_options (opts);
  return opts;
}

static octave_value_list gevd_hz_body (octave::interpreter &interp, const octave_value_list &given,
                                       int nargout)
{
  gsvd_request want = {};
  const octave_value_list args = gsvd_with_all_pages (given);
  const gla::options opts = gevd_hz_arguments (args, nargout, want);
  const octave_value A = args (0), B = args (1);

  gla::call call ("gevd_hz", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  call.show_sweeps ();
  return gevd_hz_solve (call, nullptr, A, B, want);
}

DEFMETHOD_DLD (gevd_hz, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{lambda} =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}] =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{Z}, @var{lambda}, @var{C}, @var{S}] =} gevd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@dots{}] =} gevd_hz (@dots{}, @var{name}, @var{value}, @dots{})
Compute the eigenvalues and eigenvectors of the pencil
@code{(@var{A}' * @var{A}, @var{B}' * @var{B})} of a pair of matrices, or of many
pairs.

@var{A} is @var{m}-by-@var{p} and @var{B} is @var{n}-by-@var{p}; both are full,
single or double, real or complex.  Dimensions from the third on are pages, and the
results keep them.  A single matrix is copied for all pages of the other array, but not
with @qcode{"mpi"}.  With @code{@var{q} = min (@var{m} + @var{n}, @var{p})},
@var{lambda} is @var{q}-by-1 and @var{Z} is @var{p}-by-@var{q}, such that

@example
@group
@var{A}' * @var{A} * @var{Z} * @var{S}' * @var{S} = @var{B}' * @var{B} * @var{Z} * @var{C}' * @var{C}
@end group
@end example

@noindent
Column @var{j} of @var{Z} belongs to @code{@var{lambda}(@var{j})}, which is
@code{Inf} where @var{B} times that column is zero.  @var{lambda} is in ascending
order.  The columns of @var{Z} have the lengths for which

@example
@group
@var{Z}' * @var{A}' * @var{A} * @var{Z} = @var{C}' * @var{C}
@var{Z}' * @var{B}' * @var{B} * @var{Z} = @var{S}' * @var{S}
@end group
@end example

@noindent
with the diagonal @var{C} and @var{S} of the economy form of @code{gsvd_hz}:
@code{@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})}.
@code{@var{Z} ./ sum (@var{S}, 1)} has the lengths of
@code{eig (@var{A}' * @var{A}, @var{B}' * @var{B})}.

The two products are never formed.  So eigenvalues keep their digits where
@code{eig} loses twice as many, or finds that @code{@var{B}' * @var{B}} is not
positive definite.  @var{lambda} is the square of what @code{gsvd_hz} gives, to the
bit.  The columns of @var{Z} are those of the inverse of the @code{@var{X}'} of
@code{gsvd_hz}, and as accurate as the condition of @var{X} with rows of length 1
allows.

The work is done on an NVIDIA GPU where there is one and where it is faster,
otherwise on all cores of the CPU.  The options are @qcode{"method"},
@qcode{"blocking"}, @qcode{"ordering"}, @qcode{"block"}, @qcode{"device"} and
@qcode{"progress"}, with the values and defaults of @code{gsvd_hz}, whose limits
hold here, too.

With the option @qcode{"mpi"} and the value @qcode{"rows"}, the rows of @var{A} on
all ranks are one matrix, and so are those of @var{B}, as in @code{gsvd_hz}.  All
results are the same on all ranks, to the bit.  With @qcode{"root"} the matrices and
the results are on rank 0 alone.  With @qcode{"columns"} the matrices are on rank 0, and
each rank gets its block of columns of @var{Z}, @var{C} and @var{S}, and the whole
@var{lambda}.  With @qcode{"rows"} each rank may work on one GPU.  With all three, all ranks share the sweeps of one large pair on their CPUs.  There is no @qcode{"progress"} then.

Where @code{[@var{A}; @var{B}]} has less than full rank, to rounding, the pencil is
singular: @var{Z} does not exist, and there are fewer than @var{q} eigenvalues.
@var{Z} is then NaN, and so are the entries of @var{lambda}, @var{C} and @var{S}
that mean nothing, which need not be the last ones.  A page that holds NaN or Inf or
does not converge is NaN in all results; every other page is right.

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

@subheading gpuArrays
Where @var{A} or @var{B} is a gpuArray the work is done where it is, the other one is
copied there, and all outputs are gpuArrays.  On a GPU both must have at least as many
rows as columns, and @var{B} full column rank on each page; other pairs must be
gathered, because the CPU does them.  There is no @qcode{"mpi"}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-shape
@var{A} and @var{B} do not have the same columns, or neither is a single matrix and
they do not have the same pages.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
The option does not take this value.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings: @code{gpulinalg:singular-pencil} names the first page where
@code{[@var{A}; @var{B}]} has less than full rank; @code{gpulinalg:pages-failed},
pages hold NaN or Inf or did not converge; @code{gpulinalg:device-memory} and
@code{gpulinalg:device-failed}, a GPU had too little memory or failed, and the CPU
did the rest of the work.

@subheading References
V. Novakovi@'c and S. Singer, Implicit Hari--Zimmermann algorithm for
the generalized SVD on the GPUs, Int.@: J. High Perform.@: Comput.@: Appl.@: 35
(2021), 170--205; Z. Drma@v{c}, A tangent algorithm for computing the generalized
singular value decomposition, SIAM J. Numer.@: Anal.@: 35 (1998), 1804--1832.

@seealso{gsvd_hz, gpulinalg_mpi, batcheig, eig}
@end deftypefn)doc")
{
  return gla::guarded ("gevd_hz", [&] () {
    if (gla::wants_mpi (args))
      return gla::call_of_ranks ("gevd_hz", interp, args, nargout);
    return gsvd_with_gpu_arrays (
        args, nargout < 2 ? "r" : "arrr",
        [&] (const octave_value_list &all) { return gevd_hz_body (interp, all, nargout); });
  });
}

/*
%!## errors
%!error <Invalid call> gevd_hz ()
%!error <Invalid call> gevd_hz (1)
%!error <gevd_hz: B must be a single or double array, not function_handle> gevd_hz (ones (3, 1, 2), @sin)
%!error id=gpulinalg:bad-shape gevd_hz ([1, 2], 3)
%!error id=gpulinalg:bad-option [Z, lambda] = gevd_hz (1, 2, "colour");
%!error <gevd_hz: function called with too many outputs> [a, b, c, d, e] = gevd_hz (1, 1);
%!error <gevd_hz: A and B must have the same columns and the same pages, but A is 1x2 and B is 1x1> gevd_hz ([1, 2], 3)
%!error <gevd_hz: argument 3: unknown option "econ"; valid options are "method", "blocking", "ordering", "block", "device", "progress" or "mpi"> ...
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
%! height = linspace (0, -1, n + 1);
%! swings = [zeros(1, 4); Z(:,1:4) ./ max(abs (Z(:,1:4)))];
%! plot (swings .* sign (swings(end,:)), height, "linewidth", 2);
%! xlim ([-1.1, 1.1]);
%! xlabel ("deflection");
%! ylabel ("height");
%! title ("the four slowest swings of a hanging chain");
%! legend (arrayfun (@(w) sprintf ("%.2f", sqrt (w)), lambda(1:4), "uniformoutput", false), ...
%!         "location", "northwest");
*/
