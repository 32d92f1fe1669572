// pagelsqminnorm.cc: least squares solutions of least norm of all pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tests are in pagelsqminnorm.tst.

#include "arrays/gpu_steps.h"
#include "pages.h"
#include "svd_functions.h"

namespace
{

struct request {
  octave_value A, B, tol, device;
  NDArray alpha; // one number or, in the place of pages, several
  bool warn;
};

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

// Reads one number, or in the place of pages one for each page of A, or several if A is one page.
NDArray regularization (const octave_value &given, const dim_vector &dims)
{
  if (given.is_undefined ())
    return NDArray (dim_vector (1, 1), 0.0);
  const char *what = "option \"RegularizationFactor\"";
  const double most = std::numeric_limits<double>::max ();
  const octave_idx_type count = given.numel ();
  if (gla::pages_of (dims) != 1 || count < 2)
    return gla::read_page_numbers ("pagelsqminnorm", what, given, dims, most);
  const dim_vector own = given.dims ();
  const NDArray alpha =
      gla::read_page_numbers ("pagelsqminnorm", what, given, dim_vector (1, 1, count), most);
  return own (0) == 1 && own (1) == 1 ? NDArray (alpha.reshape (own)) : alpha;
}

// Several numbers for one A count as its pages.
void check_pages (const request &want)
{
  dim_vector A = want.A.dims (), alpha = want.alpha.dims ();
  const int count = std::max (A.ndims (), alpha.ndims ());
  A.resize (count, 1);
  alpha.resize (count, 1);
  for (int k = 2; k < count; k++)
    A (k) = std::max (A (k), alpha (k));
  dim_vector dims;
  gla::expand_pages ("pagelsqminnorm", "A", A, "B", want.B.dims (), dims);
}

request read_arguments (const octave_value_list &args)
{
  request want;
  want.A = args (0);
  want.B = args (1);
  gla::check_float_array ("pagelsqminnorm", "A", want.A);
  int at = 2;
  want.tol = gla::read_tolerance ("pagelsqminnorm", args, at);
  const gla::options opts ("pagelsqminnorm", args, at, {"warn", "nowarn"},
                           {"RegularizationFactor", "device"});
  want.warn = opts.last_flag ({"warn", "nowarn"}) == "warn";
  want.device = opts.value ("device");
  gla::check_float_array ("pagelsqminnorm", "B", want.B);
  want.alpha = regularization (opts.value ("RegularizationFactor"), want.A.dims ());
  if (want.A.rows () != want.B.rows ())
    error_with_id ("gpulinalg:bad-shape",
                   "pagelsqminnorm: B must have the rows of A, but A is %s and B is %s",
                   want.A.dims ().str ().c_str (), want.B.dims ().str ().c_str ());
  check_pages (want);
  return want;
}

//------------------------------------------------------------------------------
// the solution
//------------------------------------------------------------------------------

// Replaces singular values that count as 0 by Inf.
template <typename Svd> void drop_small (Svd &svd, const request &want)
{
  auto *s = svd.of.S.fortran_vec ();
  const octave_idx_type k = svd.values (), longer = std::max (want.A.rows (), want.A.columns ());
  long long deficient = 0, first = 0;
  for (octave_idx_type p = 0; k > 0 && p < svd.pages (); p++) {
    const auto bound = svd.bound (want.tol, longer, p);
    auto *page = s + p * k;
    if (page[k - 1] <= bound && ++deficient == 1)
      first = p + 1;
    for (octave_idx_type j = 0; j < k; j++)
      if (page[j] <= bound || page[j] == 0)
        page[j] = INFINITY;
  }
  if (want.warn && deficient > 0)
    warning_with_id ("gpulinalg:rank-deficient",
                     "pagelsqminnorm: %lld of %lld pages of A have not full rank; the first is "
                     "page %lld",
                     deficient, static_cast<long long> (svd.pages ()), first);
}

// Returns s + alpha^2 / s for each page and each number, without a square or a reciprocal, which
// might underflow or overflow.
template <typename RealArray, typename Svd> RealArray divisors (const Svd &svd, const request &want)
{
  typedef typename RealArray::element_type T;
  const octave_idx_type k = svd.values (), numbers = want.alpha.numel ();
  if (numbers == 1 && want.alpha.xelem (0) == 0)
    return svd.of.S;
  const bool one_page = svd.pages () == 1;
  RealArray d (svd_dims (one_page ? want.alpha.dims () : want.A.dims (), k, 1));
  gla::each_page (one_page ? numbers : svd.pages (), k, [&] (octave_idx_type p) {
    const octave_idx_type from = one_page ? 0 : p;
    const T alpha = static_cast<T> (want.alpha.xelem (numbers == 1 ? 0 : p)) * svd.scale_of (from);
    const T *s = svd.of.S.data () + from * k;
    for (octave_idx_type j = 0; j < k; j++)
      d.xelem (p * k + j) = s[j] + alpha / s[j] * alpha;
  });
  return d;
}

// Returns Y ./ d, where pages expand. Y becomes undefined, so that its memory can become the
// result's.
template <typename Array, typename RealArray>
octave_value divide (octave_value &quotient, const octave_value &divisor)
{
  Array Y;
  RealArray d;
  gla::read (quotient, Y);
  gla::read (divisor, d);
  quotient = octave_value ();
  const octave_idx_type k = Y.rows (), columns = Y.columns ();
  dim_vector dims;
  const gla::page_grid grid =
      gla::expand_pages ("pagelsqminnorm", "A", Y.dims (), "B", d.dims (), dims);
  const bool y_in_order = gla::in_order (grid.x_step), d_in_order = gla::in_order (grid.y_step);
  dims (0) = k;
  dims (1) = columns;
  Array Z = y_in_order ? Y : gla::unfilled<Array> (dims);
  if (y_in_order)
    Y = Array ();
  auto *z = Z.fortran_vec ();
  const auto *y = y_in_order ? z : Y.data ();
  gla::each_page (gla::pages_of (dims), k * columns, [&] (octave_idx_type p) {
    const auto *from = y + (y_in_order ? p : grid.page (p, grid.x_step)) * k * columns;
    const auto *by = d.data () + (d_in_order ? p : grid.page (p, grid.y_step)) * k;
    for (octave_idx_type j = 0; j < columns; j++)
      for (octave_idx_type i = 0; i < k; i++)
        z[(p * columns + j) * k + i] = from[j * k + i] / by[i];
  });
  return Z;
}

// Returns B .* scale, where pages expand; scale is empty or has a number for each page of A.
template <typename RealArray, typename Svd>
octave_value scaled (const request &want, const Svd &svd)
{
  if (svd.scale.empty ())
    return want.B;
  RealArray scale (svd_dims (want.A.dims (), 1, 1));
  std::copy (svd.scale.begin (), svd.scale.end (), scale.fortran_vec ());
  return gla::op (gla::gpu_op::times, want.B, scale);
}

template <typename Array, typename RealArray>
octave_value_list solve (octave::interpreter &interp, const request &want)
{
  Array A;
  gla::read (want.A, A);
  gla::call call ("pagelsqminnorm", interp);
  call.set_place (want.device);
  auto svd = gla::decompose_scaled<RealArray> ("pagelsqminnorm", call, A, true);
  drop_small (svd, want);
  octave_value Y = gla::page_product ("pagelsqminnorm", interp,
                                      {svd.of.U, scaled<RealArray> (want, svd), 'C', 'N'});
  const octave_value d = divisors<RealArray> (svd, want);
  if (gla::is_gpu_array (Y)) // B alone is on a GPU
    Y = gla::op (gla::gpu_op::rdivide, Y, d);
  else
    Y = gla::in_class_of (Y, octave_value (), [&] (auto array, auto real) {
      return ovl (divide<decltype (array), decltype (real)> (Y, d));
    }) (0);
  return ovl (gla::page_product ("pagelsqminnorm", interp, {svd.of.V, Y, 'N', 'N'}));
}

octave_value_list pagelsqminnorm_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("pagelsqminnorm", args, 2, gla::any_number, nargout, 1);
  const request want = read_arguments (args);
  if (gla::is_gpu_array (want.A))
    return ovl (
        gla::least_norm_on_gpu ({want.A, want.tol, want.device}, want.B, want.alpha, want.warn));
  return gla::in_class_of (want.A, octave_value (), [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (interp, want);
  });
}

} // namespace

DEFMETHOD_DLD (pagelsqminnorm, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{X} =} pagelsqminnorm (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@var{A}, @var{B}, @var{tol})
 @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, @var{rankWarn})
 @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, "RegularizationFactor", @var{alpha})
 @deftypefnx {gpulinalg} {@var{X} =} pagelsqminnorm (@dots{}, "device", @var{device})
Compute the least squares solution of least norm on each page, as in @sc{matlab}.

@var{A} is a full array of @var{m}-by-@var{n} pages and @var{B} one with @var{m} rows,
single or double, real or complex.  On each page @var{X} minimizes
@code{norm (@var{A} * @var{X} - @var{B}, "fro")}, and of all that do it is the one with
the smallest norm.  Dimensions from the third on are those of @var{A} and @var{B}; where
one of them has a single page in a dimension, that page stands for all.

Singular values of @var{A} up to @var{tol} count as 0.  @var{tol} is a number, or has one
for each page of @var{A}, in their order.  The default is
@code{max (@var{m}, @var{n}) * eps} times the largest one of the page, with eps of the
class of @var{A}.

@var{rankWarn} is @qcode{"nowarn"} (default) or @qcode{"warn"}: then the warning
@code{gpulinalg:rank-deficient} names the first page of @var{A} with a rank below
@code{min (@var{m}, @var{n})}.

With @qcode{"RegularizationFactor"} (default 0) @var{X} minimizes
@code{norm (@var{A} * @var{X} - @var{B}, "fro")^2 + @var{alpha}^2 * norm (@var{X}, "fro")^2}.
@var{alpha} is a number, or has one for each page of @var{A}.  Where @var{A} is one page
and @var{alpha} has several numbers, @var{X} has a page for each, and the singular values
are computed once.  The pages have the dimensions of @var{alpha} from the third on where
its first two are 1.

@var{device} is where the singular value decomposition is computed, as in
@code{batchsvd}: @qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"} or numbers of
GPUs.

A page of @var{A} that holds NaN or Inf gives NaN, with the warning
@code{gpulinalg:pages-failed}.  A column of @var{B} that holds them gives numbers that
are not finite.  Every other page and column is right.

Two equations with the sum of two unknowns: the solution of least norm has equal parts.

@example
@group
X = pagelsqminnorm ([1, 1; 1, 1], cat (3, [2; 2], [1; 3]));
round (1e6 * X) / 1e6
   @result{} ans =

   ans(:,:,1) =

      1
      1

   ans(:,:,2) =

      1
      1

@end group
@end example

Ridge regression with three parameters from one decomposition:

@example
@group
A = [1, 1; 1, 2; 1, 3; 1, 4];
X = pagelsqminnorm (A, [2; 4; 7; 8], "RegularizationFactor", [0.1, 1, 10]);
round (1e3 * squeeze (X))
   @result{} ans =

        10    382    156
      2096   1909    473
@end group
@end example

@subheading Method
With @code{@var{A} = @var{U} * diag (s) * @var{V}'}, @var{X} is
@code{@var{V} * diag (s ./ (s.^2 + @var{alpha}^2)) * (@var{U}' * @var{B})} for the
values that are larger than @var{tol}.  Where every page has full column rank
@code{qr_block (@var{A}, @var{B}, "solve")} takes less time.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
@var{B} has not the rows of @var{A}, or other pages.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{tol} or @var{alpha} is not a number, or is negative, or is not one number
and does not have one for each page; or @var{device} is not one of
its values.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@end table

@seealso{pagepinv, qr_block, pagemldivide, batchsvd}
@end deftypefn)doc")
{
  return gla::guarded ("pagelsqminnorm", [&] () {
    return gla::with_gpu_matrices (args, "a", [&] (const octave_value_list &all) {
      return pagelsqminnorm_body (interp, all, nargout);
    });
  });
}
