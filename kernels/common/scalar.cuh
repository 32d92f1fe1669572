// scalar.cuh: real and complex scalars, and reductions over lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Complex products are written out in real arithmetic: the C99 rules for NaN and Inf cost a branch
// in every product and nothing here needs them. Used by the kernels of all topics.

#ifndef GPULINALG_SCALAR_CUH
#define GPULINALG_SCALAR_CUH

#include <cfloat>
#include <climits>
#include <cstdint>

template <class R> struct alignas (2 * sizeof (R)) cx {
  R x, y;
};

// The instances of a file: each (T) declares those for one type.
#define GLA_FOR_ALL_TYPES(each) each (float) each (double) each (cx<float>) each (cx<double>)

template <class T> struct real_of {
  typedef T type;
  static constexpr bool is_complex = false;
};
template <class R> struct real_of<cx<R>> {
  typedef R type;
  static constexpr bool is_complex = true;
};
template <class T> using real_t = typename real_of<T>::type;
template <class T> constexpr bool is_complex_v = real_of<T>::is_complex;

template <class R> struct limits;
template <> struct limits<float> {
  static constexpr float eps = FLT_EPSILON, tiny = FLT_MIN, big = FLT_MAX;
  // Squares below this have lost digits to underflow; multiplying by `up` brings them back.
  static constexpr float small_square = 1e-24f, up = 0x1p60f, down = 0x1p-60f;
};
template <> struct limits<double> {
  static constexpr double eps = DBL_EPSILON, tiny = DBL_MIN, big = DBL_MAX;
  static constexpr double small_square = 1e-276, up = 0x1p500, down = 0x1p-500;
};

//------------------------------------------------------------------------------
// arithmetic; R is float or double
//------------------------------------------------------------------------------

#define GLA_DEVICE __device__ __forceinline__

template <class T> GLA_DEVICE T from_real (real_t<T> r);
template <> GLA_DEVICE float from_real<float> (float r)
{
  return r;
}
template <> GLA_DEVICE double from_real<double> (double r)
{
  return r;
}
template <> GLA_DEVICE cx<float> from_real<cx<float>> (float r)
{
  return {r, 0};
}
template <> GLA_DEVICE cx<double> from_real<cx<double>> (double r)
{
  return {r, 0};
}

GLA_DEVICE float re (float a)
{
  return a;
}
GLA_DEVICE double re (double a)
{
  return a;
}
template <class R> GLA_DEVICE R re (cx<R> a)
{
  return a.x;
}
GLA_DEVICE float im (float)
{
  return 0;
}
GLA_DEVICE double im (double)
{
  return 0;
}
template <class R> GLA_DEVICE R im (cx<R> a)
{
  return a.y;
}

GLA_DEVICE float conj (float a)
{
  return a;
}
GLA_DEVICE double conj (double a)
{
  return a;
}
template <class R> GLA_DEVICE cx<R> conj (cx<R> a)
{
  return {a.x, -a.y};
}

// conj(a) if `wanted`; flips the sign bit, which is faster than arithmetic.
GLA_DEVICE float conj_if (float a, bool)
{
  return a;
}
GLA_DEVICE double conj_if (double a, bool)
{
  return a;
}
GLA_DEVICE cx<float> conj_if (cx<float> a, bool wanted)
{
  return {a.x, __int_as_float (__float_as_int (a.y) ^ (wanted ? INT_MIN : 0))};
}
GLA_DEVICE cx<double> conj_if (cx<double> a, bool wanted)
{
  int high = __double2hiint (a.y) ^ (wanted ? INT_MIN : 0);
  return {a.x, __hiloint2double (high, __double2loint (a.y))};
}

template <class R> GLA_DEVICE cx<R> operator+ (cx<R> a, cx<R> b)
{
  return {a.x + b.x, a.y + b.y};
}
template <class R> GLA_DEVICE cx<R> operator- (cx<R> a, cx<R> b)
{
  return {a.x - b.x, a.y - b.y};
}
template <class R> GLA_DEVICE cx<R> operator- (cx<R> a)
{
  return {-a.x, -a.y};
}
template <class R> GLA_DEVICE cx<R> operator* (cx<R> a, cx<R> b)
{
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// r * a with r real
GLA_DEVICE float scale (float r, float a)
{
  return r * a;
}
GLA_DEVICE double scale (double r, double a)
{
  return r * a;
}
template <class R> GLA_DEVICE cx<R> scale (R r, cx<R> a)
{
  return {r * a.x, r * a.y};
}

// c + a*b
GLA_DEVICE float madd (float a, float b, float c)
{
  return fmaf (a, b, c);
}
GLA_DEVICE double madd (double a, double b, double c)
{
  return fma (a, b, c);
}
template <class R> GLA_DEVICE cx<R> madd (cx<R> a, cx<R> b, cx<R> c)
{
  return {madd (-a.y, b.y, madd (a.x, b.x, c.x)), madd (a.y, b.x, madd (a.x, b.y, c.y))};
}

// c + conj(a)*b
GLA_DEVICE float cmadd (float a, float b, float c)
{
  return fmaf (a, b, c);
}
GLA_DEVICE double cmadd (double a, double b, double c)
{
  return fma (a, b, c);
}
template <class R> GLA_DEVICE cx<R> cmadd (cx<R> a, cx<R> b, cx<R> c)
{
  return {madd (a.y, b.y, madd (a.x, b.x, c.x)), madd (-a.y, b.x, madd (a.x, b.y, c.y))};
}

GLA_DEVICE float abs2 (float a)
{
  return a * a;
}
GLA_DEVICE double abs2 (double a)
{
  return a * a;
}
template <class R> GLA_DEVICE R abs2 (cx<R> a)
{
  return madd (a.x, a.x, a.y * a.y);
}

// The larger of |re| and |im|; NaN if one is NaN.
GLA_DEVICE float absmax (float a)
{
  return fabsf (a);
}
GLA_DEVICE double absmax (double a)
{
  return fabs (a);
}
template <class R> GLA_DEVICE R absmax (cx<R> a)
{
  R x = absmax (a.x), y = absmax (a.y);
  return x > y || x != x ? x : y;
}

// Faithful reciprocal square root and square root, without flushing.
GLA_DEVICE float rsqrt_of (float a)
{
  return 1 / sqrtf (a);
}
GLA_DEVICE double rsqrt_of (double a)
{
  return rsqrt (a);
}
GLA_DEVICE float sqrt_of (float a)
{
  return sqrtf (a);
}
GLA_DEVICE double sqrt_of (double a)
{
  return sqrt (a);
}
GLA_DEVICE float copy_sign (float a, float b)
{
  return copysignf (a, b);
}
GLA_DEVICE double copy_sign (double a, double b)
{
  return copysign (a, b);
}

// a * 2^k, exact unless the result is denormal
GLA_DEVICE float times_power (float a, int k)
{
  return scalbnf (a, k);
}
GLA_DEVICE double times_power (double a, int k)
{
  return scalbn (a, k);
}
template <class R> GLA_DEVICE cx<R> times_power (cx<R> a, int k)
{
  return {times_power (a.x, k), times_power (a.y, k)};
}

//------------------------------------------------------------------------------
// reductions over groups of W neighbouring lanes; every lane gets the same bits
//------------------------------------------------------------------------------

template <class R> GLA_DEVICE R shuffle_xor (R a, int mask)
{
  return __shfl_xor_sync (0xffffffffu, a, mask);
}
template <class R> GLA_DEVICE cx<R> shuffle_xor (cx<R> a, int mask)
{
  return {shuffle_xor (a.x, mask), shuffle_xor (a.y, mask)};
}

template <class R> GLA_DEVICE R from_lane (R a, int lane)
{
  return __shfl_sync (0xffffffffu, a, lane);
}
template <class R> GLA_DEVICE cx<R> from_lane (cx<R> a, int lane)
{
  return {from_lane (a.x, lane), from_lane (a.y, lane)};
}

template <int W, class T> GLA_DEVICE T lane_sum (T a)
{
#pragma unroll
  for (int mask = W / 2; mask > 0; mask /= 2)
    a = a + shuffle_xor (a, mask);
  return a;
}

//------------------------------------------------------------------------------
// numbers of all four types in double precision, as the tensor cores take them
//------------------------------------------------------------------------------

template <class T> struct wide_of {
  typedef double type;
};
template <class R> struct wide_of<cx<R>> {
  typedef cx<double> type;
};
template <class T> using wide = typename wide_of<T>::type;

GLA_DEVICE double widen (double a)
{
  return a;
}
template <class R> GLA_DEVICE cx<double> widen (cx<R> a)
{
  return {(double)a.x, (double)a.y};
}
template <class T> GLA_DEVICE T narrow (wide<T> a)
{
  if constexpr (is_complex_v<T>)
    return {(real_t<T>)a.x, (real_t<T>)a.y};
  else
    return (T)a;
}

#endif
