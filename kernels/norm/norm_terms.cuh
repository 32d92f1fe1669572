// norm_terms.cuh: what norms are made of
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_NORM_TERMS_CUH
#define GPULINALG_NORM_TERMS_CUH

#include "norm.cuh"

// NaN where a part is NaN; hypot alone gives Inf for Inf and NaN.
template <class T> GLA_DEVICE double magnitude (T a)
{
  const double x = (double)re (a), y = (double)im (a);
  if (!is_complex_v<T>)
    return fabs (x);
  return x != x || y != y ? x + y : hypot (x, y);
}

// NaN wins.
GLA_DEVICE double larger (double a, double b)
{
  return b > a || b != b ? b : a;
}

#endif
