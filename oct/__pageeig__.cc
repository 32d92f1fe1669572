// __pageeig__.cc: the part of pageeig that is compiled
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/boolNDArray.h>
#include <octave/int32NDArray.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace
{

// d, V, W and info of all pages. Octave makes arrays real where all imaginary parts are 0.
template <typename Array, typename Complex>
octave_value_list solve (gla::call &call, const octave_value &X, const gla_pageeig_options &options,
                         int vectors)
{
  Array A;
  gla::read (X, A);
  const dim_vector dims = A.dims ();
  const octave_idx_type n = dims (0), pages = gla::pages_of (dims);
  Complex d, V, W;
  int32NDArray info (dim_vector (pages, 1));
  auto results = gla::sized<gla_pageeig_results> ();
  gla::allocate (d, results.lambda, dims, n, 1);
  if (vectors > 0)
    gla::allocate (V, results.V, dims, n, n);
  if (vectors > 1)
    gla::allocate (W, results.W, dims, n, n);
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  const gla_array a = gla::input (A);
  call.finish (gla_pageeig (call.context (), &a, &results, &options, nullptr));
  return ovl (d, V, W, info);
}

template <typename T> bool is_finite (T x)
{
  return std::isfinite (x);
}
template <typename T> bool is_finite (const std::complex<T> &x)
{
  return std::isfinite (x.real ()) && std::isfinite (x.imag ());
}
template <typename T> bool is_real (T)
{
  return true;
}
template <typename T> bool is_real (const std::complex<T> &x)
{
  return x.imag () == 0;
}
template <typename T> T size_of (T x)
{
  return std::abs (x);
}
template <typename T> T size_of (const std::complex<T> &x)
{
  return std::max (std::abs (x.real ()), std::abs (x.imag ()));
}
template <typename T> T conjugate (T x)
{
  return x;
}
template <typename T> std::complex<T> conjugate (const std::complex<T> &x)
{
  return std::conj (x);
}

// Whether |x - x'| is of the size of rounding errors, by the test of batcheig.
template <typename T> bool near_hermitian (const T *x, octave_idx_type n)
{
  typedef decltype (std::abs (T ())) real;
  real largest = 0, most = 0;
  for (octave_idx_type k = 0; k < n * n; k++)
    largest = std::max (largest, size_of (x[k]));
  // |x| and differences must not overflow
  const real scale = largest > std::numeric_limits<real>::max () / 8 ? real (1) / 8 : real (1);
  for (octave_idx_type k = 0; k < n * n; k++)
    most = std::max (most, std::abs (scale * x[k]));
  const real bound = 10 * static_cast<real> (n) * std::numeric_limits<real>::epsilon () * most;
  for (octave_idx_type j = 0; j < n; j++)
    for (octave_idx_type i = j; i < n; i++)
      if (!(std::abs (scale * x[i + j * n] - scale * conjugate (x[j + i * n])) <= bound))
        return false;
  return true;
}

// The pages that hold NaN or Inf, those that are Hermitian, and those without imaginary parts.
template <typename Array> octave_value_list kinds (gla::call &call, const octave_value &X)
{
  Array A;
  gla::read (X, A);
  const octave_idx_type n = A.rows (), pages = gla::pages_of (A.dims ());
  const octave_idx_type group = n < 1000 ? 1000000 / (n * n + 1) + 1 : 1; // between two polls
  boolNDArray bad (dim_vector (pages, 1), false), hermitian (dim_vector (pages, 1), false);
  boolNDArray real (dim_vector (pages, 1), false);
  for (octave_idx_type p = 0; p < pages; p++) {
    const auto *x = A.data () + p * n * n;
    bad.xelem (p) = !std::all_of (x, x + n * n, [] (const auto &y) { return is_finite (y); });
    hermitian.xelem (p) = !bad.xelem (p) && near_hermitian (x, n);
    real.xelem (p) = std::all_of (x, x + n * n, [] (const auto &y) { return is_real (y); });
    if ((p + 1) % group == 0)
      call.report (p + 1, pages);
  }
  call.finish (GLA_OK);
  return ovl (bad, hermitian, real);
}

octave_value_list kinds_body (octave::interpreter &interp, const octave_value &X)
{
  gla::check_float_array ("pageeig", "X", X);
  gla::call call ("pageeig", interp);
  return gla::in_class_of (X, octave_value (),
                           [&] (auto array, auto) { return kinds<decltype (array)> (call, X); });
}

octave_value_list pageeig_body (octave::interpreter &interp, const octave_value_list &args)
{
  if (args.length () == 1)
    return kinds_body (interp, args (0));
  if (args.length () != 3)
    print_usage ();
  gla::check_float_array ("pageeig", "X", args (0));
  const octave_value X = args (0);
  const int vectors = args (2).int_value ();
  auto options = gla::sized<gla_pageeig_options> ();
  options.not_balanced = args (1).string_value () == "nobalance";
  gla::call call ("pageeig", interp);
  call.set_place (octave_value ("cpu"));
  if (X.is_single_type ())
    return X.iscomplex ()
               ? solve<FloatComplexNDArray, FloatComplexNDArray> (call, X, options, vectors)
               : solve<FloatNDArray, FloatComplexNDArray> (call, X, options, vectors);
  return X.iscomplex () ? solve<ComplexNDArray, ComplexNDArray> (call, X, options, vectors)
                        : solve<NDArray, ComplexNDArray> (call, X, options, vectors);
}

} // namespace

DEFMETHOD_DLD (__pageeig__, interp, args, , R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {[@var{d}, @var{V}, @var{W}, @var{info}] =} __pageeig__ (@var{X}, @var{balance}, @var{vectors})
 @deftypefnx {gpulinalg} {[@var{bad}, @var{hermitian}, @var{real}] =} __pageeig__ (@var{X})
Undocumented internal function: eigenvalues of the pages of @var{X}, with @var{vectors} 1
and right, with 2 also left eigenvectors.  @var{info} is that of @code{gla_pageeig}.
With one argument: which pages hold NaN or Inf, which others are Hermitian, and which have
no imaginary parts.
@end deftypefn)doc")
{
  return gla::guarded ("pageeig", [&] () { return pageeig_body (interp, args); });
}

/*
%!error <Invalid call> __pageeig__ (1, "balance")
%!error id=gpulinalg:bad-class __pageeig__ ("x")
%!test
%! [bad, hermitian] = __pageeig__ (cat (3, [1, 2; 2, 3], [1, 2; 2.1, 3], [1, NaN; 2, 3], [1, 2; 2 + eps, Inf]));
%! assert (bad, [false; false; true; true]);
%! assert (hermitian, [true; false; false; false]);
%! [~, ~, plain] = __pageeig__ (cat (3, [1, 2; 3, 4], [1, 2; 3i, 4]));
%! assert (plain, [true; false]);
%! ## sizes that overflow
%! h = complex ([1.7e308, 1.7e308; 1.7e308, 1e308], [0, 1.7e308; -1.7e308, 0]);
%! [bad, hermitian] = __pageeig__ (cat (3, h, complex (-real (h), imag (h)), [1i, 1e308; 2, 1], [1, h(1,1); 2, 3]));
%! assert (any (bad), false);
%! assert (hermitian, [true; true; false; false]);
*/
