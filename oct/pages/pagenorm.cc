// pagenorm.cc: norms of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_steps.h"
#include "pages.h"

#include <cmath>
#include <complex>
#include <limits>

namespace
{

const double infinity = std::numeric_limits<double>::infinity ();

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

struct request {
  octave_value X;
  bool frobenius = false;
  double p = 2;
  bool vectors = false; // pages are rows or columns
};

const std::vector<std::string> option_names = {"device", "progress"};

// Reads "fro" or "inf"; returns the number of arguments before the options.
int read_word (const octave_value &p, request &want)
{
  const std::string word = gla::is_text (p) ? gla::lower_case (p.string_value ()) : "";
  want.frobenius = word == "fro";
  if (word == "inf")
    want.p = infinity;
  if (want.frobenius || word == "inf")
    return 2;
  for (const std::string &name : option_names)
    if (word == name)
      return 1;
  error_with_id ("gpulinalg:bad-option",
                 "pagenorm: argument 2 must be p (a number, \"fro\" or \"inf\") or the name of an "
                 "option (%s)%s",
                 gla::quoted_list (option_names).c_str (), gla::not_this (p).c_str ());
}

// Reads p; returns the number of arguments before the options.
int read_kind (const octave_value_list &args, request &want)
{
  if (args.length () < 2)
    return 1;
  const octave_value p = args (1);
  if (p.is_string ())
    return read_word (p, want);
  if (!gla::is_real_scalar (p))
    error_with_id ("gpulinalg:bad-value",
                   "pagenorm: p must be a number, \"fro\" or \"inf\", not %s of class %s",
                   p.dims ().str ().c_str (), p.class_name ().c_str ());
  want.p = p.double_value ();
  return 2;
}

void check_kind (const request &want)
{
  const double p = want.p;
  if (want.frobenius || p == 1 || p == 2 || p == infinity)
    return;
  if (!want.vectors)
    error_with_id ("gpulinalg:bad-value",
                   "pagenorm: p must be 1, 2, Inf or \"fro\" for pages that are matrices, not %s",
                   gla::text_of (p).c_str ());
  if (!(p > 0 || p == -infinity))
    error_with_id ("gpulinalg:bad-value", "pagenorm: p must be positive or -Inf, not %s",
                   gla::text_of (p).c_str ());
}

//------------------------------------------------------------------------------
// any p of vectors
//------------------------------------------------------------------------------

// Returns NaN if a part of the number is.
double magnitude (double x)
{
  return std::fabs (x);
}
template <typename T> double magnitude (const std::complex<T> &x)
{
  const double re = x.real (), im = x.imag ();
  return std::isnan (re) || std::isnan (im) ? std::numeric_limits<double>::quiet_NaN ()
                                            : std::hypot (re, im);
}

struct extremes {
  double least = infinity, most = 0;
  bool nan = false;
};

template <typename T> extremes extremes_of (const T *x, octave_idx_type n)
{
  extremes e;
  for (octave_idx_type i = 0; i < n; i++) {
    const double size = magnitude (x[i]);
    e.least = size < e.least ? size : e.least;
    e.most = size > e.most ? size : e.most;
    e.nan = e.nan || std::isnan (size);
  }
  return e;
}

// Sums powers of |x| / max |x|, so that none overflows. Powers and sums are formed in long double:
// for p far below 1 the root multiplies their errors.
template <typename T> double vector_norm (const T *x, octave_idx_type n, double p)
{
  const extremes e = extremes_of (x, n);
  if (e.nan)
    return std::numeric_limits<double>::quiet_NaN ();
  if (p == -infinity)
    return n > 0 ? e.least : 0;
  if (e.most == 0 || std::isinf (e.most))
    return e.most;
  long double sum = 0;
  for (octave_idx_type i = 0; i < n; i++)
    sum += std::pow (static_cast<long double> (magnitude (x[i])) / e.most,
                     static_cast<long double> (p));
  return static_cast<double> (e.most * std::pow (sum, 1 / static_cast<long double> (p)));
}

template <typename A, typename R>
octave_value vector_norms (gla::call &call, const request &want, const dim_vector &dims)
{
  A X;
  gla::read (want.X, X);
  R N (dims);
  const octave_idx_type pages = N.numel (), n = X.rows () * X.columns ();
  const octave_idx_type group = n < 10000 ? 10000 / (n + 1) + 1 : 1; // between two polls
  for (octave_idx_type p = 0; p < pages; p++) {
    N.xelem (p) =
        static_cast<typename R::element_type> (vector_norm (X.data () + p * n, n, want.p));
    if ((p + 1) % group == 0 || p + 1 == pages)
      call.report (p + 1, pages);
  }
  call.finish (GLA_OK);
  return N;
}

//------------------------------------------------------------------------------
// the norms of the library
//------------------------------------------------------------------------------

template <typename A, typename R>
octave_value norms (gla::call &call, const request &want, const dim_vector &dims)
{
  const bool wants_two = !want.frobenius && want.p == 2;
  const gla_norm norm = want.frobenius ? GLA_NORM_FRO
                        : wants_two    ? (want.vectors ? GLA_NORM_FRO : GLA_NORM_TWO)
                        : want.p == 1  ? GLA_NORM_ONE
                                       : GLA_NORM_INF;
  A X;
  gla::read (want.X, X);
  R N = gla::unfilled_pages<R> (dims);
  gla_array a = gla::input (X);
  if (want.vectors) { // a row counts as a column
    a.rows *= a.columns;
    a.columns = 1;
    a.column_stride = a.rows;
  }
  const gla_array n = gla::output (N);
  call.finish (gla_pagenorm (call.context (), &a, norm, &n, nullptr));
  return N;
}

octave_value_list pagenorm_body (octave::interpreter &interp, const octave_value_list &args,
                                 int nargout)
{
  gla::check_counts ("pagenorm", args, 1, gla::any_number, nargout, 1);
  request want;
  want.X = args (0);
  gla::check_float_array ("pagenorm", "X", want.X);
  gla::options opts ("pagenorm", args, read_kind (args, want), {}, option_names);
  dim_vector dims = want.X.dims ();
  want.vectors = dims (0) == 1 || dims (1) == 1;
  check_kind (want);
  dims (0) = dims (1) = 1;

  const bool of_library = want.frobenius || want.p == 1 || want.p == 2 || want.p == infinity;
  if (!of_library && gla::asks_for_gpu (opts.value ("device")))
    error_with_id ("gpulinalg:bad-value", "pagenorm: the norm with p = %s is not done on a GPU",
                   gla::text_of (want.p).c_str ());

  if (gla::any_on_gpu (args) && !of_library)
    gla::gather_needed ("pagenorm with this p");
  if (gla::is_gpu_array (want.X) && !want.frobenius && want.p == 2 && !want.vectors &&
      !want.X.isempty ())
    return ovl (gla::two_norms (want.X, opts.value ("device"), opts.value ("progress")));
  gla::call call ("pagenorm", interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  if (of_library)
    return gla::in_page_class_of (want.X, octave_value (), [&] (auto array, auto real) {
      return ovl (norms<decltype (array), decltype (real)> (call, want, dims));
    });
  return gla::in_class_of (want.X, octave_value (), [&] (auto array, auto real) {
    return ovl (vector_norms<decltype (array), decltype (real)> (call, want, dims));
  });
}

} // namespace

DEFMETHOD_DLD (pagenorm, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{N} =} pagenorm (@var{X})
 @deftypefnx {gpulinalg} {@var{N} =} pagenorm (@var{X}, @var{p})
 @deftypefnx {gpulinalg} {@var{N} =} pagenorm (@dots{}, @var{name}, @var{value}, @dots{})
Norms of the pages of an array.

@code{@var{N}(1,1,q) = norm (@var{X}(:,:,q), @var{p})} for every page @code{q}.
@var{X} is a full array of any number of dimensions, single or double, real or complex.
The dimensions from the third on count pages.  @var{N} has one row, one column and the
pages of @var{X}; it is real, and single where @var{X} is.  The arguments and results
are those of @sc{matlab}'s @code{pagenorm}.

Of pages that are matrices, @var{p} is

@table @asis
@item 2 (default)
the largest singular value,

@item 1
the largest sum of magnitudes in a column,

@item @code{Inf} or @qcode{"inf"}
the largest sum of magnitudes in a row,

@item @qcode{"fro"}
the root of the sum of all squares.
@end table

Of pages with one row or one column @var{p} is any positive number:
@code{sum (abs (x) .^ @var{p}) ^ (1 / @var{p})}; @code{Inf}: the largest magnitude;
@code{-Inf}: the smallest one; or @qcode{"fro"}, which is then the same as 2.

Nothing overflows or vanishes unless the norm itself does.  The norm of a page without
elements is 0.  The norm of a page with NaN is NaN, also where @code{norm} of some
versions of Octave passes over NaN.  With Inf it is Inf, but NaN for the 2-norm of
a matrix.  A page gives the same bits whatever stands beside it.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"}, or the number of a GPU or a
vector of such numbers, counted from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

The longest columns of pages, and the pages scaled to the norm 1:

@example
@group
A = cat (3, [1, -2; 3, 4], [0.5, 0; 0, -0.25]);
squeeze (pagenorm (A, 1))
   @result{} ans =

      6.0000
      0.5000

B = A ./ pagenorm (A);
max (abs (pagenorm (B) - 1), [], 3) < 1e-15
   @result{} ans = 1
@end group
@end example

@subheading Limits
The 2-norm of a matrix is computed from @code{X * X'} or @code{X' * X}, whichever is
smaller.  It is exact to a few @code{k * eps}, where k is the smaller number of rows
and columns.  The products are formed on the CPU, and on a GPU their eigenvalues.
Norms with other @var{p} than 1, 2, Inf and @qcode{"fro"} are computed on the CPU
only, in one thread.

@subheading gpuArrays
Where @var{X} is a gpuArray the work is done where it is, and so is @var{N}, for
@var{p} 1, 2, Inf and @qcode{"fro"}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{X} is sparse, or neither single nor double.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{p} is not valid for pages of this shape, an option does not take this value, or
a GPU was asked for that cannot do this @var{p}.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{pagemtimes, batcheig, norm}
@end deftypefn)doc")
{
  return gla::guarded ("pagenorm", [&] () {
    return gla::with_gpu_matrices (args, "r", [&] (const octave_value_list &all) {
      return pagenorm_body (interp, all, nargout);
    });
  });
}

/*
%!demo
%! ## How far small errors move eigenvalues: norms of (z*I - A)^-1 for 6400 numbers z.
%! A = gallery ("grcar", 32);
%! [x, y] = meshgrid (linspace (-1, 3, 80), linspace (-3.5, 3.5, 80));
%! z = reshape (x + 1i * y, 1, 1, []);
%! N = squeeze (pagenorm (pageinv (z .* eye (32) - A)));
%! reached = z(N >= 1e3)(:);
%! moved = max (min (abs (reached - eig (A).'), [], 2));
%! printf ("errors of norm 0.001 move eigenvalues by up to %.2f\n", moved);
%! contour (x, y, reshape (log10 (N), 80, 80), 1:5, "linewidth", 2);
%! hold on;
%! plot (eig (A), "k.", "markersize", 12);
%! hold off;
%! xlabel ("real part of z");
%! ylabel ("imaginary part of z");
%! title ("eigenvalues with errors of 10^{-1} to 10^{-5}");
*/
