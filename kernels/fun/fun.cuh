// fun.cuh: functions of Hermitian pages on a GPU: arguments of the kernels
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V*diag (f)*V' from eigenvectors V and eigenvalues of each page, as X*Y' with X = V*sqrt (|f|) and
// Y = X times the conjugate phases of f.

#ifndef GPULINALG_FUN_CUH
#define GPULINALG_FUN_CUH

#include <cuda_runtime.h>
#include "fun/job.h"
#include <math_constants.h>

#include "common/scalar.cuh"

// The value root^2 * (re + im*i) of a function, with |re + im*i| = 1.
struct fun_value {
  double root, re, im;
};

// What to do with eigenvalues that are 0 to within rounding.
enum fun_rounding { FUN_KEEP = 0, FUN_NEGATIVE_TO_ZERO, FUN_SMALL_TO_ZERO };

// How values are computed. scale and occupied are on the device; scale may be NULL, which means 1.
struct fun_rule {
  gla_fun fun;
  fun_rounding rounding;
  int n;
  double power, floor, tol;
  bool raise, real_only, is_single;
  bool scale_complex, scale_each, occupied_each;
  const double *scale;
  const int64_t *occupied;
};

// Up to this order one kernel does all (fun_small); above it there are kernels for values and
// factors, and the page products.
enum { FUN_SMALL = 32 };

// T is the type of V, E that of F. V and lambda are packed; X overwrites V above FUN_SMALL. info is
// that of batcheig, and becomes that of the function.
template <class T, class E> struct fun_args {
  fun_rule rule;
  T *V;
  const real_t<T> *lambda;
  int32_t *info;
  E *F;
  int64_t ldf, page_f;
  int64_t pages;
  // above FUN_SMALL
  fun_value *values; // n for each page
  int *state;        // of each page, FUN_FAILED and FUN_NOT_REAL
  E *Y;              // packed; NULL: Y is X
  cudaStream_t stream;
};

enum {
  FUN_FAILED = 1,  // the page is filled with its first value
  FUN_NOT_REAL = 2 // a value is not real
};

// Makes the whole result, n <= FUN_SMALL.
template <class T, class E> cudaError_t fun_small (const fun_args<T, E> &a);

// Above FUN_SMALL: fun_values finds values, state and info, and fun_factors X and Y. After the
// product fun_repair fills pages that failed, and mirrors the lower triangle of pages with real
// values.
template <class T, class E> cudaError_t fun_values (const fun_args<T, E> &a);
template <class T, class E> cudaError_t fun_factors (const fun_args<T, E> &a);
template <class T, class E> cudaError_t fun_repair (const fun_args<T, E> &a);

//------------------------------------------------------------------------------
// values of functions at eigenvalues, in double precision
//------------------------------------------------------------------------------

// These functions do what ../../src/fun/fun_values.c does on the CPU.

//------------------------------------------------------------------------------
// complex numbers
//------------------------------------------------------------------------------

GLA_DEVICE fun_value fun_from_real (double f)
{
  return {sqrt (fabs (f)), f < 0 ? -1.0 : 1.0, 0};
}

GLA_DEVICE fun_value fun_from_complex (cx<double> f)
{
  const double size = hypot (f.x, f.y);
  if (f.y == 0 || size == 0)
    return fun_from_real (f.x);
  if (!isfinite (size))
    return {size, CUDART_NAN, CUDART_NAN};
  return {sqrt (size), f.x / size, f.y / size};
}

// Returns the principal root. The part that is a sum of numbers of one sign is computed first.
GLA_DEVICE cx<double> fun_sqrt (cx<double> x)
{
  const double root = sqrt (0.5 * (hypot (x.x, x.y) + fabs (x.x)));
  if (root == 0)
    return {0, x.y};
  if (x.x >= 0)
    return {root, 0.5 * x.y / root};
  return {0.5 * fabs (x.y) / root, copysign (root, x.y)};
}

GLA_DEVICE cx<double> fun_log (cx<double> x)
{
  return {log (hypot (x.x, x.y)), atan2 (x.y, x.x)};
}

// Divides by the larger part, so that no square overflows.
GLA_DEVICE cx<double> fun_inverse (cx<double> x)
{
  if (fabs (x.x) >= fabs (x.y)) {
    const double t = x.y / x.x, d = x.x + x.y * t;
    return {1 / d, -t / d};
  }
  const double t = x.x / x.y, d = x.x * t + x.y;
  return {t / d, -1 / d};
}

//------------------------------------------------------------------------------
// functions
//------------------------------------------------------------------------------

GLA_DEVICE fun_value fun_exponential (double re, double im)
{
  fun_value f = {re == 0 ? 1.0 : exp (re / 2), 1, 0};
  if (im != 0)
    sincos (im, &f.im, &f.re);
  return f;
}

// Takes a real number; the value is complex where it must be.
GLA_DEVICE fun_value fun_of_real (gla_fun fun, double p, double x)
{
  switch (fun) {
  case GLA_FUN_EXP:
    return fun_exponential (x, 0);
  case GLA_FUN_SQRT:
    return x < 0 ? fun_value{sqrt (sqrt (-x)), 0, 1} : fun_from_real (sqrt (x));
  case GLA_FUN_ISQRT:
    return x < 0 ? fun_value{sqrt (1 / sqrt (-x)), 0, -1} : fun_from_real (1 / sqrt (x));
  case GLA_FUN_LOG:
    return x < 0 ? fun_from_complex ({log (-x), CUDART_PI}) : fun_from_real (log (x));
  case GLA_FUN_INV:
    return fun_from_real (1 / x);
  default: // GLA_FUN_POWER
    if (x < 0 && p != floor (p))
      return {pow (-x, p / 2), cospi (fmod (p, 2.0)), sinpi (fmod (p, 2.0))};
    return fun_from_real (pow (x, p));
  }
}

GLA_DEVICE fun_value fun_of_complex (gla_fun fun, double p, cx<double> x)
{
  if (fun == GLA_FUN_EXP)
    return fun_exponential (x.x, x.y);
  if (x.y == 0)
    return fun_of_real (fun, p, x.x);
  switch (fun) {
  case GLA_FUN_SQRT:
    return fun_from_complex (fun_sqrt (x));
  case GLA_FUN_ISQRT:
    return fun_from_complex (fun_inverse (fun_sqrt (x)));
  case GLA_FUN_LOG:
    return fun_from_complex (fun_log (x));
  case GLA_FUN_INV:
    return fun_from_complex (fun_inverse (x));
  default: {
    const cx<double> l = fun_log (x);
    return fun_exponential (p * l.x, p * l.y);
  }
  }
}

//------------------------------------------------------------------------------
// values of a page
//------------------------------------------------------------------------------

// Returns value j of a page whose eigenvalues, ascending, begin at lambda.
template <class R>
GLA_DEVICE fun_value fun_of_page (const fun_rule &r, const R *lambda, int64_t page, int j)
{
  if (r.fun == GLA_FUN_OCCUPIED)
    return {j < r.occupied[r.occupied_each ? page : 0] ? 1.0 : 0.0, 1, 0};
  const double largest = fmax (fabs ((double)lambda[0]), fabs ((double)lambda[r.n - 1]));
  const int64_t at = r.scale_each ? page : 0;
  const double scale = r.scale == nullptr ? 1 : r.scale[r.scale_complex ? 2 * at : at];
  const double turn = r.scale_complex ? r.scale[2 * at + 1] : 0;
  double x = (double)lambda[j];
  if (r.rounding != FUN_KEEP && r.tol > 0 && fabs (x) <= r.tol * largest &&
      (x < 0 || r.rounding == FUN_SMALL_TO_ZERO))
    x = 0;
  x = r.raise && x < r.floor * largest ? r.floor * largest : x;
  return turn == 0 ? fun_of_real (r.fun, r.power, scale * x)
                   : fun_of_complex (r.fun, r.power, {scale * x, turn * x});
}

// Whether the value is a finite number of the precision.
GLA_DEVICE bool fun_is_finite (bool is_single, const fun_value &f)
{
  const double most = is_single ? (double)FLT_MAX : DBL_MAX;
  return f.root * f.root <= most && !isnan (f.re + f.im);
}

// What the values of a page give: its info, FUN_FAILED and FUN_NOT_REAL, and the number that fills
// a page that failed. first: the first value that is not finite, n: there is none.
struct fun_verdict {
  int32_t info;
  int state;
};
GLA_DEVICE fun_verdict fun_judge (const fun_rule &r, int32_t info, int first, bool not_real)
{
  if (info != 0)
    return {info, FUN_FAILED};
  if (first < r.n)
    return {(int32_t)(r.n + 2), FUN_FAILED};
  if (not_real && r.real_only)
    return {(int32_t)(r.n + 3), FUN_FAILED};
  return {0, not_real ? FUN_NOT_REAL : 0};
}

// Returns the number that fills a page whose info is not 0.
GLA_DEVICE cx<double> fun_fill (const fun_rule &r, int32_t info, const fun_value &first)
{
  if (info != r.n + 2 || isnan (first.root))
    return {CUDART_NAN, 0};
  return {first.re * CUDART_INF, first.im == 0 ? 0 : first.im * CUDART_INF};
}

template <class E> GLA_DEVICE E fun_element (cx<double> x);
template <> GLA_DEVICE float fun_element (cx<double> x)
{
  return (float)x.x;
}
template <> GLA_DEVICE double fun_element (cx<double> x)
{
  return x.x;
}
template <> GLA_DEVICE cx<float> fun_element (cx<double> x)
{
  return {(float)x.x, (float)x.y};
}
template <> GLA_DEVICE cx<double> fun_element (cx<double> x)
{
  return x;
}

// Returns x times the conjugate phase of a value; for complex E, T may be real.
GLA_DEVICE float fun_turn (float x, float re, float, float)
{
  return x * re;
}
GLA_DEVICE double fun_turn (double x, double re, double, double)
{
  return x * re;
}
template <class R> GLA_DEVICE cx<R> fun_turn (R x, R re, R im, cx<R>)
{
  return {x * re, -x * im};
}
template <class R> GLA_DEVICE cx<R> fun_turn (cx<R> x, R re, R im, cx<R>)
{
  return {x.x * re + x.y * im, x.y * re - x.x * im};
}

#endif
