// quick_reciprocal.cuh: reciprocals without the special cases of a division
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by the bisections and secular equations of eig and svd.

#ifndef GPULINALG_QUICK_RECIPROCAL_CUH
#define GPULINALG_QUICK_RECIPROCAL_CUH

#include "scalar.cuh"

// 1/x to 1 or 2 ulp for x that is neither tiny nor huge.
GLA_DEVICE double quick_reciprocal (double x)
{
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x)); // to 20 bits
  double error = fma (-x, r, 1.0);
  return fma (fma (error, error, error), r, r);
}
GLA_DEVICE float quick_reciprocal (float x)
{
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

#endif
