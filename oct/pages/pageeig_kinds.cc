// pageeig_kinds.cc: pages that are Hermitian, hold NaN or Inf, or are real, for pageeig
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pageeig.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace
{

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

template <typename Array>
page_kinds kinds (gla::call &call, const octave_value &X, octave_idx_type pages)
{
  Array A;
  gla::read (X, A);
  const octave_idx_type n = A.rows ();
  const octave_idx_type group = n < 1000 ? 1000000 / (n * n + 1) + 1 : 1; // between two polls
  const boolNDArray none (dim_vector (pages, 1), false);
  page_kinds found = {none, none, none};
  bool *bad = found.bad.fortran_vec (), *hermitian = found.hermitian.fortran_vec (),
       *real = found.real.fortran_vec ();
  for (octave_idx_type p = 0; p < pages; p++) {
    const auto *x = A.data () + p * n * n;
    bad[p] = !std::all_of (x, x + n * n, [] (const auto &y) { return is_finite (y); });
    hermitian[p] = !bad[p] && near_hermitian (x, n);
    real[p] = std::all_of (x, x + n * n, [] (const auto &y) { return is_real (y); });
    if ((p + 1) % group == 0)
      call.report (p + 1, pages);
  }
  call.finish (GLA_OK);
  return found;
}

} // namespace

page_kinds kinds_of_pages (gla::call &call, const octave_value &X, octave_idx_type pages)
{
  if (X.is_single_type ())
    return X.iscomplex () ? kinds<FloatComplexNDArray> (call, X, pages)
                          : kinds<FloatNDArray> (call, X, pages);
  return X.iscomplex () ? kinds<ComplexNDArray> (call, X, pages) : kinds<NDArray> (call, X, pages);
}
