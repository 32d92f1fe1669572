// pagefunm.cc: functions of the Hermitian pages of an array; tests are in pagefunm.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"

#include <octave/int32NDArray.h>
#include <octave/parse.h>

#include <cmath>

namespace
{

const char *const who = "pagefunm";

struct request {
  octave_value A;
  dim_vector dims; // of F
  gla_fun fun = GLA_FUN_EXP;
  octave_value function; // with GLA_FUN_VALUES
  gla_pagefun_options options = gla::sized<gla_pagefun_options> ();
  std::vector<double> scale;
  std::vector<int64_t> occupied;
  bool nan = false;  // "indefinite", "nan"
  bool info = false; // return info; then failed pages give no warning
};

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

const std::vector<std::string> names = {"exp", "sqrt", "isqrt", "log", "inv", "power", "occupied"};

void read_name (const octave_value &fun, request &want)
{
  if (fun.is_function_handle ()) {
    want.fun = GLA_FUN_VALUES;
    want.function = fun;
    return;
  }
  const std::string word = gla::is_text (fun) ? gla::lower_case (fun.string_value ()) : "";
  for (std::size_t k = 0; k < names.size (); k++)
    if (word == names[k]) {
      want.fun = static_cast<gla_fun> (k);
      return;
    }
  error_with_id ("gpulinalg:bad-value", "%s: the function must be %s or a function handle%s", who,
                 gla::quoted_list (names).c_str (), gla::not_this (fun).c_str ());
}

// Checks numbers, one or one for each page. A single page of A serves for all of several numbers: F
// then has a page for each, with their dimensions from the third on where the first two are 1.
void check_numbers (const octave_value &v, const char *name, bool is_right, request &want)
{
  const octave_idx_type pages = gla::pages_of (want.A.dims ()), count = v.numel ();
  if (!is_right || !v.isnumeric () || v.issparse ())
    error_with_id ("gpulinalg:bad-value", "%s: %s, or one for each page%s", who, name,
                   gla::not_this (v).c_str ());
  if (count == 1 || (count > 0 && count == pages))
    return;
  if (count == 0 || pages != 1)
    error_with_id ("gpulinalg:bad-value", "%s: %s, or one for each page, not %s for %lld page%s",
                   who, name, v.dims ().str ().c_str (), static_cast<long long> (pages),
                   pages == 1 ? "" : "s");
  const octave_idx_type n = want.A.rows ();
  want.dims = dim_vector (n, n, count);
  if (v.rows () == 1 && v.columns () == 1) {
    want.dims = v.dims ();
    want.dims (0) = want.dims (1) = n;
  }
}

void read_occupied (const octave_value &v, octave_idx_type n, request &want)
{
  check_numbers (v, "k must be a real number", v.isreal (), want);
  const NDArray k = v.array_value ();
  for (octave_idx_type p = 0; p < k.numel (); p++) {
    const double x = k.xelem (p);
    if (!(x >= 0 && x <= static_cast<double> (n) && x == std::floor (x)))
      error_with_id ("gpulinalg:bad-value", "%s: k must be integers from 0 to %lld, not %s", who,
                     static_cast<long long> (n), gla::text_of (x).c_str ());
    want.occupied.push_back (static_cast<int64_t> (x));
  }
  want.options.occupied = want.occupied.data ();
  want.options.occupied_count = k.numel ();
}

// Reads the function and its parameters; returns the number of arguments before the options.
int read_function (const octave_value_list &args, request &want)
{
  read_name (args (1), want);
  if (want.fun != GLA_FUN_POWER && want.fun != GLA_FUN_OCCUPIED)
    return 2;
  if (args.length () < 3)
    print_usage ();
  if (want.fun == GLA_FUN_OCCUPIED) {
    read_occupied (args (2), want.A.rows (), want);
    return 3;
  }
  if (!gla::is_real_scalar (args (2)) || !std::isfinite (args (2).double_value ()))
    error_with_id ("gpulinalg:bad-value", "%s: the exponent must be a finite real number%s", who,
                   gla::not_this_number (args (2)).c_str ());
  want.options.power = args (2).double_value ();
  return 3;
}

void read_scale (const octave_value &v, request &want)
{
  if (v.is_undefined ())
    return;
  if (want.fun == GLA_FUN_OCCUPIED)
    error_with_id ("gpulinalg:bad-option", "%s: \"scale\" has no meaning with \"occupied\"", who);
  check_numbers (v, "option \"scale\" must be a number", true, want);
  const ComplexNDArray s = v.complex_array_value ();
  want.options.scale_complex = v.iscomplex ();
  for (octave_idx_type p = 0; p < s.numel (); p++) {
    want.scale.push_back (s.xelem (p).real ());
    if (v.iscomplex ())
      want.scale.push_back (s.xelem (p).imag ());
  }
  want.options.scale = want.scale.data ();
  want.options.scale_count = s.numel ();
}

// Reads a number from 0, below 1; `missing` if the option was not given.
double fraction (const gla::options &opts, const char *name, double missing)
{
  const octave_value v = opts.value (name);
  if (v.is_undefined ())
    return missing;
  const double x = gla::is_real_scalar (v) ? v.double_value () : -1;
  if (!(x >= 0 && x < 1))
    error_with_id ("gpulinalg:bad-value",
                   "%s: option \"%s\" must be a real number from 0 on, less than 1%s", who, name,
                   gla::not_this_number (v).c_str ());
  return x;
}

void read_options (const gla::options &opts, request &want)
{
  gla_pagefun_options &o = want.options;
  const std::string triangle = opts.last_flag ({"lower", "upper"});
  o.triangle = triangle.empty ()     ? GLA_TRIANGLE_FULL
               : triangle == "lower" ? GLA_TRIANGLE_LOWER
                                     : GLA_TRIANGLE_UPPER;
  const double floor = fraction (opts, "floor", -1), tol = fraction (opts, "tol", -1);
  o.raise = floor >= 0;
  o.floor = floor >= 0 ? floor : 0;
  o.tol = tol > 0 ? tol : tol == 0 ? -1 : 0;
  read_scale (opts.value ("scale"), want);
  want.nan = opts.word ("indefinite", {"complex", "nan"}) == "nan";
  o.real_only = want.nan && !o.scale_complex && want.fun != GLA_FUN_VALUES;
}

//------------------------------------------------------------------------------
// values of a function handle
//------------------------------------------------------------------------------

template <typename Array> struct complex_of;
template <> struct complex_of<NDArray> {
  typedef ComplexNDArray type;
};
template <> struct complex_of<ComplexNDArray> {
  typedef ComplexNDArray type;
};
template <> struct complex_of<FloatNDArray> {
  typedef FloatComplexNDArray type;
};
template <> struct complex_of<FloatComplexNDArray> {
  typedef FloatComplexNDArray type;
};

template <typename A> struct complex_of<gla::gpu_pages<A>> {
  typedef gla::gpu_pages<typename complex_of<A>::type> type;
};

// The result, in the class of A or in the complex one.
template <typename Array> struct answer {
  typedef typename complex_of<Array>::type Complex;
  Array plain;
  Complex wide;
  bool is_wide = false;

  gla_array make (const dim_vector &dims, bool wanted_wide)
  {
    is_wide = wanted_wide;
    if (is_wide) {
      plain = Array ();
      wide = gla::unfilled_pages<Complex> (dims);
      return gla::output (wide);
    }
    plain = gla::unfilled_pages<Array> (dims);
    return gla::output (plain);
  }
  octave_value value () const
  {
    if (is_wide)
      return wide;
    return plain;
  }
};

// The data of the library's callback; it keeps the values until the library has returned.
template <typename Array, typename Real> struct values_call {
  typedef typename complex_of<Array>::type Complex;
  gla::call &call;
  const octave_value &function;
  dim_vector dims; // of F
  answer<Array> &F;
  Real real_values;
  Complex complex_values;

  // Copies the eigenvalues, because they exist only during the callback.
  template <typename T> octave_value copy (const gla_array *x, T &&to)
  {
    dim_vector d = dims;
    d (1) = 1;
    to = typename std::decay<T>::type (d);
    std::memcpy (to.fortran_vec (), x->data,
                 to.numel () * sizeof (typename std::decay<T>::type::element_type));
    return to;
  }

  void ask (const gla_array *x, gla_array *f, gla_array *result)
  {
    const octave_value argument =
        gla_type_is_complex (x->type) ? copy (x, Complex ()) : copy (x, Real ());
    const octave_value_list out = gla::feval (gla::the_interpreter (), function, ovl (argument));
    const octave_value v = out.length () > 0 ? out (0) : octave_value ();
    if (v.is_undefined () || !(v.isnumeric () || v.islogical ()) || v.issparse () ||
        v.dims () != argument.dims ())
      error_with_id ("gpulinalg:bad-function",
                     "%s: the function must return a number for each eigenvalue, an array of %s",
                     who, argument.dims ().str ().c_str ());
    if (!v.iscomplex ()) {
      gla::read (v, real_values);
      *f = gla::output (real_values);
      return;
    }
    gla::read (v, complex_values);
    *f = gla::output (complex_values);
    if (!gla_type_is_complex (result->type))
      *result = F.make (dims, true);
  }

  static int on_values (void *self, const gla_array *x, gla_array *f, gla_array *result)
  {
    auto *c = static_cast<values_call *> (self);
    return c->call.caught ([&] () { c->ask (x, f, result); });
  }
};

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

std::vector<gla::page_failure> reasons (octave_idx_type n)
{
  return {gla::not_finite (n),
          {n + 2, n + 2, "are singular or give a value that is not finite", "NaN or Inf"},
          {n + 3, n + 3, "are indefinite", "NaN"},
          gla::not_converged (n)};
}

template <typename Array, typename Real>
octave_value_list solve (gla::call &call, const request &want)
{
  Array A;
  gla::read (want.A, A);
  const dim_vector dims = want.dims;
  const octave_idx_type pages = gla::pages_of (dims), n = dims (0);
  int32NDArray info (dim_vector (pages, 1));
  answer<Array> F;
  gla_pagefun_options options = want.options;
  values_call<Array, Real> values = {call, want.function, dims, F, Real (), {}};
  if (want.fun == GLA_FUN_VALUES) {
    options.values = values_call<Array, Real>::on_values;
    options.user = &values;
  }

  const gla_array a = gla::input (A);
  auto results = gla::sized<gla_pagefun_results> ();
  const bool wide = want.fun != GLA_FUN_VALUES && options.scale_complex;
  results.F = F.make (dims, wide && !gla_type_is_complex (a.type));
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  auto report = gla::sized<gla_pagefun_report> ();
  const auto run = [&] () {
    const gla_status status =
        gla_pagefun (call.context (), &a, want.fun, &results, &options, &report);
    call.finish (status == GLA_ERROR_NOT_HERMITIAN ? GLA_OK : status);
    if (status == GLA_ERROR_NOT_HERMITIAN)
      error_with_id ("gpulinalg:not-hermitian",
                     "%s: page %lld of A is not Hermitian: the largest |A - A'| is %g; pagefunm is "
                     "for Hermitian pages; expm, logm and sqrtm take one general matrix, and "
                     "\"lower\" or \"upper\" takes one triangle as all of a Hermitian page",
                     who, static_cast<long long> (report.bad_page + 1), report.bad_difference);
  };
  run ();
  if (report.pages_complex > 0 && !options.real_only) {
    // only the eigenvalues show that values are complex
    results.F = F.make (dims, true);
    run ();
  }
  if (report.base.pages_failed > 0 && !want.info)
    gla::warn_of_failed_pages (who, results.info, pages, reasons (n));
  return ovl (F.value (), info);
}

octave_value_list pagefunm_body (octave::interpreter &interp, const octave_value_list &args,
                                 int nargout)
{
  gla::check_counts (who, args, 2, gla::any_number, nargout, 2);

  request want;
  want.A = args (0);
  gla::check_float_array (who, "A", want.A);
  const dim_vector dims = want.A.dims ();
  if (dims (0) != dims (1))
    error_with_id ("gpulinalg:bad-shape", "%s: the pages of A must be square, but A is %s", who,
                   dims.str ().c_str ());

  want.dims = dims;
  const int first = read_function (args, want);
  const gla::options opts (who, args, first, {"lower", "upper"},
                           {"scale", "floor", "tol", "indefinite", "device", "progress"});
  read_options (opts, want);
  want.info = nargout >= 2;

  if (want.fun == GLA_FUN_VALUES && gla::any_on_gpu (args))
    gla::gather_needed ("pagefunm with a function handle");
  if (want.dims != dims && gla::any_on_gpu (args)) {
    dim_vector copies = want.dims;
    copies (0) = copies (1) = 1;
    NDArray sizes (dim_vector (1, copies.ndims ()));
    for (int d = 0; d < copies.ndims (); d++)
      sizes (d) = static_cast<double> (copies (d));
    want.A = gla::feval (interp, "repmat", ovl (want.A, sizes)) (0);
  }
  gla::call call (who, interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  return gla::in_page_class_of (want.A, octave_value (), [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (call, want);
  });
}

} // namespace

DEFMETHOD_DLD (pagefunm, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{F} =} pagefunm (@var{A}, @var{fun})
 @deftypefnx {gpulinalg} {@var{F} =} pagefunm (@var{A}, "power", @var{p})
 @deftypefnx {gpulinalg} {@var{F} =} pagefunm (@var{A}, "occupied", @var{k})
 @deftypefnx {gpulinalg} {@var{F} =} pagefunm (@dots{}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {@var{F} =} pagefunm (@dots{}, @var{name}, @var{value}, @dots{})
 @deftypefnx {gpulinalg} {[@var{F}, @var{info}] =} pagefunm (@dots{})
Functions of many Hermitian matrices at once.

@var{A} is a full array of Hermitian @var{n}-by-@var{n} pages, single or double, real
or complex, with any number of dimensions.  @var{F} has the size of @var{A}.  Where
@code{@var{A}(:,:,p) = V * diag (lambda) * V'}, with the eigenvalues and eigenvectors of
@code{batcheig}, @code{@var{F}(:,:,p) = V * diag (f (lambda)) * V'} for the function f
that @var{fun} names:

@table @asis
@item @qcode{"exp"}
what @code{expm} computes.

@item @qcode{"sqrt"}, @qcode{"log"}
what @code{sqrtm} and @code{logm} compute.

@item @qcode{"isqrt"}
the inverse of the square root, which whitens data with covariance @var{A}.

@item @qcode{"inv"}
the inverse.  @code{pageinv} is faster.

@item @qcode{"power"}, @var{p}
the power with the real exponent @var{p}.

@item @qcode{"occupied"}, @var{k}
1 for the @var{k} smallest eigenvalues and 0 for all others: the projector on their
eigenvectors, the density matrix of @var{k} electrons.  @var{k} is one number, or one
for each page, as s of @qcode{"scale"}.  Where eigenvalues @var{k} and @var{k}+1 are equal it is one of several.

@item a function handle
It is called once, with the eigenvalues of all pages in an array of
@var{n}-by-1 pages in ascending order, and returns an array of the same size.
@end table

@var{F} is exactly Hermitian on pages where the values of f are real, and unitary to
@code{@var{n} * eps} where they have modulus 1.  It is real where @var{A} and the values
are, otherwise complex, and single where @var{A} is.

Square roots, logarithms and broken powers of negative eigenvalues are the principal
ones, as with @code{sqrtm} and @code{logm}: @var{F} is complex then.  Eigenvalues that
are 0 to within rounding, see @qcode{"tol"}, count as 0 before @qcode{"isqrt"},
@qcode{"log"}, @qcode{"inv"} and negative powers; negative ones of them also before
@qcode{"sqrt"} and broken positive powers, so that the square root of a covariance matrix
is real whatever its rank.

@var{info} is an int32 column with a number for each page:

@table @asis
@item 0
all is well;

@item k from 1 to @var{n}
k eigenvalues did not converge;

@item @var{n}+1
the page holds NaN or Inf;

@item @var{n}+2
a value of f is not finite: a page with the eigenvalue 0 in @qcode{"inv"},
@qcode{"isqrt"}, @qcode{"log"} or a negative power, or overflow.  The page of @var{F} is
filled with that value: Inf, with @qcode{"log"} -Inf;

@item @var{n}+3
the page has negative eigenvalues, with @qcode{"indefinite"}, @qcode{"nan"}.
@end table

The other pages with a nonzero @var{info} are NaN, and every other page is right.  Without
the output @var{info} the warning @code{gpulinalg:pages-failed} reports such pages.

Each page must be Hermitian to within rounding, as for @code{batcheig}.  Flags and
options, names in upper or lower case:

@table @asis
@item @qcode{"lower"}, @qcode{"upper"}
Read only this triangle of each page.

@item @qcode{"scale"}, s
Compute f (s * @var{A}).  s is a number or has one for each page, real or complex:
@code{pagefunm (H, "exp", "scale", -1i * t)}.  Where @var{A} is one page and s has
several numbers, @var{F} has a page for each, and the eigenvectors are computed once.
The pages have the dimensions of s from the third on where its first two are 1.

@item @qcode{"floor"}, t
Eigenvalues below t times the largest magnitude on their page are first raised to that,
also those that count as 0 by @qcode{"tol"}.  A number from 0 on, less than 1; with 0
negative eigenvalues become 0.  The default is none.

@item @qcode{"tol"}, t
Eigenvalues of at most t times the largest magnitude on their page are 0 to within
rounding.  The default is @code{10 * @var{n} * eps}; with 0 only 0 itself is.

@item @qcode{"indefinite"}
@qcode{"complex"} (default): square roots, logarithms and broken powers of negative
eigenvalues are complex.  @qcode{"nan"}: such pages are NaN.

@item @qcode{"device"}
Where eigenvalues and eigenvectors are computed: @qcode{"auto"} (default): the faster
place.  @qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{fcn}: call
@code{@var{fcn} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

@example
@group
A = cat (3, [2, 1; 1, 2], [2, 0; 0, 9]);
pagefunm (A, "sqrt")
   @result{} ans =

   ans(:,:,1) =

      1.3660   0.3660
      0.3660   1.3660

   ans(:,:,2) =

      1.4142        0
           0   3.0000
@end group
@end example

A spin that turns about the x axis is upside down after half a turn:

@example
@group
U = pagefunm ([0, 1; 1, 0], "exp", "scale", -1i * pi / 2);
round (abs (U * [1; 0]))
   @result{} ans =

      0
      1
@end group
@end example

An atom of three levels at 1000 times; the eigenvectors of its matrix are computed once:

@example
@group
H = [0, 1, 0; 1, 0.5, 1; 0, 1, 1];
t = linspace (0, 10, 1000);
U = pagefunm (H, "exp", "scale", -1i * t);
size (U)
   @result{} ans =

         3      3   1000

norm (U(:,:,7) - expm (-1i * t(7) * H)) < 1e-13
   @result{} ans = 1
@end group
@end example

@subheading Limits
Those of @code{batcheig}.  With a function handle the eigenvectors of all pages are kept
in memory, and the products are computed on the CPU.  The CPU also computes the products
where one page stands for all.  Real pages are worked on twice where
@qcode{"sqrt"}, @qcode{"isqrt"}, @qcode{"log"} or a broken power turns out to be complex.

@subheading gpuArrays
Where @var{A} is a gpuArray the work is done where it is, and so is @var{F}; function handles need arrays of the host.

@subheading Errors
@table @code
@item gpulinalg:not-hermitian
A page is not Hermitian; the message names the page and the largest difference.
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
The pages of @var{A} are not square.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-option
The option is unknown or has no value, or @qcode{"scale"} is given with
@qcode{"occupied"}.
@item gpulinalg:bad-value
@var{fun}, @var{p}, @var{k} or the option does not take this value.
@item gpulinalg:bad-function
The function handle does not return an array of the size of its argument.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings: @code{gpulinalg:pages-failed}, see @var{info};
@code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU had too
little memory or failed, and the CPU did the rest of the work.

@seealso{batcheig, pageinv, pagemtimes, expm, sqrtm, logm}
@end deftypefn)doc")
{
  return gla::guarded (who, [&] () {
    return gla::with_gpu_arrays (args, "ah", [&] (const octave_value_list &all) {
      return pagefunm_body (interp, all, nargout);
    });
  });
}

/*
%!demo
%! ## A spin that a field drives for 101 times at 121 frequencies: exponentials of 12221 matrices.
%! detuning = linspace (-4, 4, 121);
%! duration = pi * linspace (0, 4, 101);
%! H = [1; 0] .* [1, 0] .* reshape (detuning, 1, 1, []);  # energies; the drive has strength 1
%! H = (H - rot90 (H, 2) + [0, 1; 1, 0]) / 2;
%! U = pagefunm (repmat (H, 1, 1, 1, 101), "exp", "scale", -1i * repmat (duration, 121, 1));
%! flipped = squeeze (abs (U(2,1,:,:)) .^ 2);
%! printf ("flipped after the time pi: %.4f at resonance, %.4f at a detuning of 2\n", ...
%!         flipped(61,26), flipped(91,26));
%! imagesc (detuning, duration, flipped.');
%! axis ("xy");
%! xlabel ("detuning");
%! ylabel ("time");
%! title ("yellow: the spin has turned");
*/
