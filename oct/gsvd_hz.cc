// gsvd_hz.cc: gsvd_hz for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

#include <algorithm>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

struct gsvd_request {
  gla_gsvd_options gsvd;
  bool economy;
  int outputs; // at least 1: Octave keeps the first one in ans
};

static bool is_zero (const octave_value &v)
{
  return (v.isnumeric () || v.islogical ()) && v.isreal () && !v.issparse () && v.numel () == 1 &&
         v.double_value () == 0;
}

// A 0 may stand between B and the options. Returns where the options begin.
static int read_positional (const octave_value_list &args, gsvd_request &want)
{
  if (args.length () < 3 || args (2).is_string ())
    return 2;
  if (!is_zero (args (2)))
    error_with_id ("gpulinalg:bad-value",
                   "gsvd_hz: argument 3 must be 0 or the name of an option, not of class %s",
                   args (2).class_name ().c_str ());
  want.economy = true;
  return 3;
}

static void check_arrays (const octave_value &A, const octave_value &B)
{
  gla::check_float_array ("gsvd_hz", "A", A);
  gla::check_float_array ("gsvd_hz", "B", B);
  dim_vector a = A.dims (), b = B.dims ();
  b (0) = a (0);
  if (a != b)
    error_with_id ("gpulinalg:bad-shape",
                   "gsvd_hz: A and B must have the same columns and the same pages, but A is %s "
                   "and B is %s",
                   A.dims ().str ().c_str (), B.dims ().str ().c_str ());
}

static void read_options (const gla::options &opts, gsvd_request &want)
{
  want.economy = want.economy || !opts.last_flag ({"econ", "0"}).empty ();
  std::string method = opts.word ("method", {"auto", "hz", "tangent"});
  want.gsvd.method = method == "hz"        ? GLA_GSVD_HZ
                     : method == "tangent" ? GLA_GSVD_TANGENT
                                           : GLA_GSVD_AUTO;
  want.gsvd.blocking =
      opts.word ("blocking", {"bo", "fb"}) == "fb" ? GLA_FULL_BLOCK : GLA_BLOCK_ORIENTED;
  want.gsvd.ordering = opts.word ("ordering", {"me", "mm"}) == "mm" ? GLA_ORDER_MM : GLA_ORDER_ME;
  want.gsvd.block = opts.count ("block", 0);
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

// Pages of `rows` rows with the columns of `values` on diagonal number `above`.
template <typename RealArray>
static RealArray diagonal_pages (const RealArray &values, octave_idx_type rows,
                                 octave_idx_type above)
{
  dim_vector dims = values.dims ();
  octave_idx_type q = dims (0), pages = gla::pages_of (dims);
  dims (0) = rows;
  dims (1) = q;
  RealArray D = gla::zeros<RealArray> (dims);
  auto *d = D.fortran_vec ();
  const auto *v = values.data ();
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type j = above; j < q && j - above < rows; j++)
      d[(k * q + j) * rows + j - above] = v[k * q + j];
  return D;
}

// Of one pair the name, of pages a row of cells.
static octave_value method_names (const std::vector<gla_gsvd_stats> &stats, octave_idx_type pages,
                                  bool one_pair)
{
  Cell names (1, pages);
  for (octave_idx_type k = 0; k < pages; k++)
    names (k) = stats[k].method == GLA_GSVD_HZ        ? "hz"
                : stats[k].method == GLA_GSVD_TANGENT ? "tangent"
                                                      : "none";
  if (one_pair)
    return names (0);
  return names;
}

static octave_scalar_map stats_of (const std::vector<gla_gsvd_stats> &stats,
                                   const int32NDArray &info, const gla_gsvd_report &report,
                                   double seconds, bool one_pair)
{
  octave_idx_type pages = info.numel (), most = 0;
  RowVector sweeps (pages);
  for (octave_idx_type k = 0; k < pages; k++) {
    sweeps (k) = stats[k].sweeps;
    most = std::max<octave_idx_type> (most, stats[k].sweeps);
  }
  Matrix rotations (most, pages, 0.0);
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type s = 0; s < stats[k].sweeps; s++)
      rotations (s, k) = static_cast<double> (stats[k].rotations[s]);

  octave_scalar_map map;
  map.assign ("method", method_names (stats, pages, one_pair));
  map.assign ("sweeps", sweeps);
  map.assign ("rotations", rotations);
  map.assign ("info", info);
  map.assign ("seconds", seconds);
  if (report.device == GLA_HOST)
    map.assign ("device", "cpu");
  else
    map.assign ("device", static_cast<double> (report.device));
  return map;
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

static void refuse_not_finite (bool in_A)
{
  error_with_id ("gpulinalg:not-finite", "gsvd_hz: %s must not hold NaN or Inf", in_A ? "A" : "B");
}

static void warn_of_failed_pages (const gla_gsvd_report &report, octave_idx_type pages)
{
  warning_with_id ("gpulinalg:pages-failed",
                   "gsvd_hz: %lld of %lld pages hold NaN or Inf or did not converge, and are NaN "
                   "in the result; the first is page %lld",
                   static_cast<long long> (report.pages_failed), static_cast<long long> (pages),
                   static_cast<long long> (report.first_failed + 1));
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

// What the library writes, for A of m x p and B of n x p; dims are those of A.
template <typename Array, typename RealArray> struct gsvd_factors {
  Array U, V, X;
  RealArray alpha, beta;
  gla_gsvd_results results = {};

  gsvd_factors (const dim_vector &dims, octave_idx_type n, const gsvd_request &want)
  {
    octave_idx_type m = dims (0), p = dims (1), q = std::min (m + n, p);
    allocate (alpha, results.alpha, dims, q, 1);
    allocate (beta, results.beta, dims, q, 1);
    if (want.outputs > 1) {
      allocate (U, results.U, dims, m, want.economy ? std::min (m, q) : m);
      allocate (V, results.V, dims, n, want.economy ? std::min (n, q) : n);
    }
    if (want.outputs > 2)
      allocate (X, results.X, dims, p, q);
  }

  template <typename Any>
  static void allocate (Any &a, gla_array &result, dim_vector dims, octave_idx_type rows,
                        octave_idx_type columns)
  {
    dims (0) = rows;
    dims (1) = columns;
    a = gla::unfilled<Any> (dims);
    result = gla::output (a);
  }
};

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &arg_A,
                                const octave_value &arg_B, const gsvd_request &want)
{
  Array A, B;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  octave_idx_type m = dims (0), n = B.dims () (0), p = dims (1), q = std::min (m + n, p);
  octave_idx_type pages = gla::pages_of (dims);
  bool one_pair = dims.ndims () == 2;

  gsvd_factors<Array, RealArray> f (dims, n, want);
  int32NDArray info (dim_vector (1, pages));
  f.results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  std::vector<gla_gsvd_stats> stats (want.outputs > 5 ? std::max<octave_idx_type> (1, pages) : 0);
  f.results.stats = want.outputs > 5 ? stats.data () : nullptr;

  gla_array a = gla::input (A), b = gla::input (B);
  gla_gsvd_report report;
  auto start = std::chrono::steady_clock::now ();
  call.finish (gla_gsvd (call.context (), &a, &b, &f.results, &want.gsvd, &report));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now () - start;
  if (one_pair && report.pages_failed > 0 && f.results.info[0] == p + 1)
    refuse_not_finite (A.any_element_is_inf_or_nan ());
  if (report.pages_failed > 0 && want.outputs < 6)
    warn_of_failed_pages (report, pages);

  if (want.outputs == 1)
    return ovl (RealArray (quotient (f.alpha, f.beta)));
  octave_value_list out = ovl (f.U, f.V, f.X);
  if (want.outputs > 3) {
    octave_idx_type above = std::max<octave_idx_type> (0, q - m);
    out (3) = diagonal_pages (f.alpha, want.economy ? std::min (m, q) : m, above);
    out (4) = diagonal_pages (f.beta, want.economy ? std::min (n, q) : n, 0);
  }
  if (want.outputs > 5)
    out (5) = stats_of (stats, info, report, seconds.count (), one_pair);
  return out;
}

static octave_value_list gsvd_hz_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  if (args.length () < 2 || nargout > 6)
    print_usage ();
  gsvd_request want = {};
  want.outputs = std::max (1, nargout);
  int first_option = read_positional (args, want);
  gla::options opts ("gsvd_hz", args, first_option, {"econ", "0"},
                     {"method", "blocking", "ordering", "block", "device", "progress"});
  const octave_value &A = args (0), &B = args (1);
  check_arrays (A, B);
  read_options (opts, want);

  // work
  gla::call call ("gsvd_hz", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  bool is_complex = A.iscomplex () || B.iscomplex ();
  if (A.is_single_type () || B.is_single_type ())
    return is_complex ? solve<FloatComplexNDArray, FloatNDArray> (call, A, B, want)
                      : solve<FloatNDArray, FloatNDArray> (call, A, B, want);
  return is_complex ? solve<ComplexNDArray, NDArray> (call, A, B, want)
                    : solve<NDArray, NDArray> (call, A, B, want);
}

DEFMETHOD_DLD (gsvd_hz, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{sigma} =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}, @var{stats}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@var{A}, @var{B}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, "econ", @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, @var{name}, @var{value}, @dots{})
Generalized singular value decomposition of a pair of matrices, or of many pairs
at once.

@var{A} is @var{m}-by-@var{p} and @var{B} is @var{n}-by-@var{p}; any sizes and
any ranks will do.  With @code{@var{q} = min (@var{m} + @var{n}, @var{p})}

@example
@group
@var{A} = @var{U} * @var{C} * @var{X}'
@var{B} = @var{V} * @var{S} * @var{X}'
@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})
@end group
@end example

@noindent
where @var{U} (@var{m}-by-@var{m}) and @var{V} (@var{n}-by-@var{n}) are unitary,
@var{X} is @var{p}-by-@var{q}, and @var{C} (@var{m}-by-@var{q}) and @var{S}
(@var{n}-by-@var{q}) are real, not negative and zero but for one diagonal: the main
one of @var{S}, and number @code{max (0, @var{q} - @var{m})} of @var{C}.

@var{sigma} holds the @var{q} generalized singular values
@code{sqrt (diag (@var{C}' * @var{C}) ./ diag (@var{S}' * @var{S}))}.  They do not
decrease, with all outputs too, and are @code{Inf} where @var{B} does not see what
@var{A} sees.  Their squares are the eigenvalues of the pencil
@code{(@var{A}' * @var{A}, @var{B}' * @var{B})}, which is never formed; see
@code{gevd_hz}.  Where @code{[@var{A}; @var{B}]} has a rank @var{r} below @var{q},
@code{@var{q} - @var{r}} columns of @var{X} are zero, and their values
in @var{sigma} mean nothing.

Dimensions from the third on are pages: each page of @var{A} goes with the same
page of @var{B}, and all outputs keep these dimensions.  The results are single
where @var{A} or @var{B} is single, and complex where one of them is.  The work is
done on an NVIDIA GPU where there is one and where it is faster, otherwise on all
cores of the CPU.

With 0 in the third place, @qcode{"econ"} or @qcode{"0"} the form is economical:
@var{U} has at most @var{q} columns and @var{C} as many rows, and so have @var{V}
and @var{S}.

@var{stats} tells how it went, in these fields:

@table @code
@item method
@qcode{"hz"} or @qcode{"tangent"}, or @qcode{"none"} where there was nothing to
iterate; a row of cells for pages.
@item sweeps
Sweeps over all pairs of columns, one number for each page.
@item rotations
Row @var{k} holds the number of rotations in sweep @var{k}, a column for each page.
@item info
0 where all is well, @var{p}+1 where the page holds NaN or Inf, 1 where it did not
converge.
@item seconds
The time that the call took.
@item device
@qcode{"cpu"}, or the number of the first GPU that worked.
@end table

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"method"}
@qcode{"hz"}: the implicit method of Hari and Zimmermann, which makes the columns
of @var{A} and those of @var{B} orthogonal at the same time, two columns at a time.
@qcode{"tangent"}: @var{A} is divided by the triangular factor of
@var{B}, and the columns of the quotient are made orthogonal.  Both find small
values as precisely as large ones.  @qcode{"auto"} (default): the one that suits
the pair.

@item @qcode{"blocking"}
@qcode{"bo"} (default): within a pair of blocks one sweep.  @qcode{"fb"}: until
nothing rotates; fewer sweeps, but less precise in @qcode{"hz"} where @var{X} is
ill-conditioned.

@item @qcode{"ordering"}
The order in which pairs take their turns: @qcode{"me"} (default), generalized
Mantharam and Eberlein; @qcode{"mm"}, modified modulus.

@item @qcode{"block"}
Columns of a block, a positive integer.  By default it is chosen by the sizes and
the machine.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
@end table

NaN or Inf in a single pair is the error @code{gpulinalg:not-finite}.  Among pages,
those that hold NaN or Inf or do not converge are NaN in the results, and the
warning @code{gpulinalg:pages-failed} says so unless @var{stats} is asked for;
every other page is right.  If a GPU fails or has too little memory, the CPU does
the rest of the work and the warning @code{gpulinalg:device-failed} or
@code{gpulinalg:device-memory} says so.

Beside Octave's @code{gsvd}: the values are in order with all outputs; @var{X} is
@var{p}-by-@var{q}; ranks may be deficient; there is an economy form.

@example
@group
A = [1, 2, 3; 4, 5, 6; 7, 8, 10; 1, 1, 0];
B = [2, 0, 1; 0, 3, 1];
sigma = gsvd_hz (A, B)
   @result{} sigma =

      0.1644
      1.8776
         Inf
@end group

@group
[U, V, X, C, S] = gsvd_hz (A, B, 0);
norm (A - U * C * X') < 1e-13
   @result{} ans = 1
@end group
@end example

Many pairs in one call:

@example
@group
A = rand (8, 6, 1000);
B = rand (7, 6, 1000);
[U, V, X, C, S] = gsvd_hz (A, B);
norm (B(:,:,7) - V(:,:,7) * S(:,:,7) * X(:,:,7)') < 1e-13
   @result{} ans = 1
@end group
@end example

References: V. Novakovi@'c and S. Singer, Implicit Hari--Zimmermann algorithm for
the generalized SVD on the GPUs, Int.@: J. High Perform.@: Comput.@: Appl.@: 35
(2021); Z. Drma@v{c}, A tangent algorithm for computing the generalized
singular value decomposition, SIAM J. Numer.@: Anal.@: 35 (1998).

@seealso{gevd_hz, batcheig, gsvd}
@end deftypefn)doc")
{
  return gla::guarded ("gsvd_hz", [&] () { return gsvd_hz_body (interp, args, nargout); });
}
