// arrays_math.cuh: operations on single elements, with Octave's values at NaN and Inf
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products and sums are rounded one by one (the compiler must not fuse them), so that they have the
// bits of the host. Complex products and quotients follow the rules of C99 for infinite parts.

#ifndef GPULINALG_ARRAYS_MATH_CUH
#define GPULINALG_ARRAYS_MATH_CUH

#include "arrays.cuh"

//------------------------------------------------------------------------------
// loads and stores
//------------------------------------------------------------------------------

GLA_DEVICE float re (unsigned char a)
{
  return a;
}
GLA_DEVICE float im (unsigned char)
{
  return 0;
}

template <class T, class S> GLA_DEVICE T nd_convert (S s)
{
  if constexpr (is_complex_v<T>)
    return {(real_t<T>)re (s), (real_t<T>)im (s)};
  else
    return (T)re (s);
}

template <class T> GLA_DEVICE T nd_load (const nd_operand &o, int64_t at)
{
  if (o.data == nullptr)
    return nd_convert<T> (cx<double>{o.value[0], o.value[1]});
  switch (o.type) {
  case GLA_TYPE_S:
    return nd_convert<T> (static_cast<const float *> (o.data)[at]);
  case GLA_TYPE_D:
    return nd_convert<T> (static_cast<const double *> (o.data)[at]);
  case GLA_TYPE_C:
    return nd_convert<T> (static_cast<const cx<float> *> (o.data)[at]);
  case GLA_TYPE_Z:
    return nd_convert<T> (static_cast<const cx<double> *> (o.data)[at]);
  default:
    return nd_convert<T> (static_cast<const unsigned char *> (o.data)[at]);
  }
}

// Whether an operand has no imaginary part at all, which differs from one that is 0.
GLA_DEVICE bool nd_is_real (const nd_operand &o)
{
  return o.type != GLA_TYPE_C && o.type != GLA_TYPE_Z;
}

//------------------------------------------------------------------------------
// real elements
//------------------------------------------------------------------------------

GLA_DEVICE float rounded_product (float a, float b)
{
  return __fmul_rn (a, b);
}
GLA_DEVICE double rounded_product (double a, double b)
{
  return __dmul_rn (a, b);
}
GLA_DEVICE float rounded_sum (float a, float b)
{
  return __fadd_rn (a, b);
}
GLA_DEVICE double rounded_sum (double a, double b)
{
  return __dadd_rn (a, b);
}

template <class R> GLA_DEVICE bool is_nan (R x)
{
  return x != x;
}
template <class R> GLA_DEVICE bool is_nan (cx<R> z)
{
  return is_nan (z.x) || is_nan (z.y);
}
template <class R> GLA_DEVICE bool is_inf (R x)
{
  return x - x != x - x && x == x;
}
template <class R> GLA_DEVICE bool is_inf (cx<R> z)
{
  return is_inf (z.x) || is_inf (z.y);
}

template <class R> GLA_DEVICE R modulus (R x)
{
  return x < 0 || (x == 0) ? (x == 0 ? (R)0 : -x) : x;
}
GLA_DEVICE float modulus (cx<float> z)
{
  return (float)sqrt ((double)z.x * z.x + (double)z.y * z.y);
}
GLA_DEVICE double modulus (cx<double> z)
{
  return hypot (z.x, z.y);
}
// Uses the sign alone, as in Octave: 0 for NaN.
template <class R> GLA_DEVICE R argument (R x)
{
  return signbit (x) ? (R)3.14159265358979323846 : (R)0;
}
template <class R> GLA_DEVICE R argument (cx<R> z)
{
  return atan2 (z.y, z.x);
}

// Compares by modulus, then by argument, where -pi counts as pi. As in Octave, the argument of an
// element without imaginary part (*_real) is 0 in a comparison with a complex one, negative or not.
template <class R> GLA_DEVICE bool less (R a, R b, bool = false, bool = false)
{
  return a < b;
}
template <class R> GLA_DEVICE bool less (cx<R> a, cx<R> b, bool a_real = false, bool b_real = false)
{
  const R x = modulus (a), y = modulus (b);
  if (x != y)
    return x < y;
  const R p = a_real ? 0 : argument (a), q = b_real ? 0 : argument (b);
  const R pi = (R)3.14159265358979323846;
  return (p == -pi ? pi : p) < (q == -pi ? pi : q);
}
template <class R> GLA_DEVICE bool less_or_equal (R a, R b, bool, bool)
{
  return a <= b;
}
template <class R> GLA_DEVICE bool less_or_equal (cx<R> a, cx<R> b, bool a_real, bool b_real)
{
  return !is_nan (a) && !is_nan (b) && !less (b, a, b_real, a_real);
}
template <class R> GLA_DEVICE bool same (R a, R b)
{
  return a == b;
}
template <class R> GLA_DEVICE bool same (cx<R> a, cx<R> b)
{
  return a.x == b.x && a.y == b.y;
}
template <class T> GLA_DEVICE bool is_zero (T a)
{
  return same (a, from_real<T> (0));
}

//------------------------------------------------------------------------------
// complex products and quotients
//------------------------------------------------------------------------------

template <class R> GLA_DEVICE R unit_if_inf (R x)
{
  return copysign (is_inf (x) ? (R)1 : (R)0, x);
}
template <class R> GLA_DEVICE R zero_if_nan (R x)
{
  return is_nan (x) ? copysign ((R)0, x) : x;
}

template <class R> GLA_DEVICE cx<R> product (cx<R> a, cx<R> b)
{
  const R ac = rounded_product (a.x, b.x), bd = rounded_product (a.y, b.y);
  const R ad = rounded_product (a.x, b.y), bc = rounded_product (a.y, b.x);
  cx<R> z = {rounded_sum (ac, -bd), rounded_sum (ad, bc)};
  if (!(is_nan (z.x) && is_nan (z.y)))
    return z;
  bool again = false;
  if (is_inf (a)) {
    a = {unit_if_inf (a.x), unit_if_inf (a.y)};
    b = {zero_if_nan (b.x), zero_if_nan (b.y)};
    again = true;
  }
  if (is_inf (b)) {
    b = {unit_if_inf (b.x), unit_if_inf (b.y)};
    a = {zero_if_nan (a.x), zero_if_nan (a.y)};
    again = true;
  }
  if (!again && (is_inf (ac) || is_inf (bd) || is_inf (ad) || is_inf (bc))) {
    a = {zero_if_nan (a.x), zero_if_nan (a.y)};
    b = {zero_if_nan (b.x), zero_if_nan (b.y)};
    again = true;
  }
  const R inf = (R)INFINITY;
  return again ? cx<R>{inf * (a.x * b.x - a.y * b.y), inf * (a.x * b.y + a.y * b.x)} : z;
}

// Uses Smith's method, with the denominator scaled to about 1 so that nothing overflows.
template <class R> GLA_DEVICE cx<R> quotient (cx<R> a, cx<R> b)
{
  const R large = fmax (modulus (b.x), modulus (b.y));
  int scale = 0;
  cx<R> d = b;
  if (large > 0 && !is_inf (large)) {
    scale = ilogb (large);
    d = {scalbn (b.x, -scale), scalbn (b.y, -scale)};
  }
  const R norm = rounded_sum (rounded_product (d.x, d.x), rounded_product (d.y, d.y));
  const R x = rounded_sum (rounded_product (a.x, d.x), rounded_product (a.y, d.y)) / norm;
  const R y = rounded_sum (rounded_product (a.y, d.x), -rounded_product (a.x, d.y)) / norm;
  cx<R> z = {scalbn (x, -scale), scalbn (y, -scale)};
  if (!(is_nan (z.x) && is_nan (z.y)))
    return z;
  const R inf = (R)INFINITY;
  if (norm == 0 && (!is_nan (a.x) || !is_nan (a.y)))
    return {copysign (inf, b.x) * a.x, copysign (inf, b.x) * a.y};
  if (is_inf (a) && !is_inf (b) && !is_nan (b)) {
    a = {unit_if_inf (a.x), unit_if_inf (a.y)};
    return {inf * (a.x * b.x + a.y * b.y), inf * (a.y * b.x - a.x * b.y)};
  }
  if (is_inf (large) && !is_inf (a) && !is_nan (a)) {
    b = {unit_if_inf (b.x), unit_if_inf (b.y)};
    return {0 * (a.x * b.x + a.y * b.y), 0 * (a.y * b.x - a.x * b.y)};
  }
  return z;
}

//------------------------------------------------------------------------------
// operations with results of the same type, of the real type, or logical
//------------------------------------------------------------------------------

template <class R> GLA_DEVICE R add (R x, R y, bool)
{
  return rounded_sum (x, y);
}
template <class R> GLA_DEVICE cx<R> add (cx<R> x, cx<R> y, bool)
{
  return {rounded_sum (x.x, y.x), rounded_sum (x.y, y.y)};
}

template <class R> GLA_DEVICE R multiply (R x, R y, bool, bool)
{
  return rounded_product (x, y);
}
template <class R> GLA_DEVICE cx<R> multiply (cx<R> x, cx<R> y, bool x_real, bool y_real)
{
  if (y_real)
    return {rounded_product (x.x, y.x), rounded_product (x.y, y.x)};
  if (x_real)
    return {rounded_product (x.x, y.x), rounded_product (x.x, y.y)};
  return product (x, y);
}

template <class R> GLA_DEVICE R divide (R x, R y, bool)
{
  return x / y;
}
template <class R> GLA_DEVICE cx<R> divide (cx<R> x, cx<R> y, bool y_real)
{
  return y_real ? cx<R>{x.x / y.x, x.y / y.x} : quotient (x, y);
}

template <class R> GLA_DEVICE R larger (R x, R y, bool smaller)
{
  if (is_nan (y))
    return x;
  return (smaller ? x <= y : x >= y) ? x : y;
}
template <class R> GLA_DEVICE cx<R> larger (cx<R> x, cx<R> y, bool smaller)
{
  const R a = modulus (x), b = modulus (y);
  return (smaller ? a <= b : a >= b) || is_nan (x) ? x : y;
}

GLA_DEVICE float negative (float x)
{
  return -x;
}
GLA_DEVICE double negative (double x)
{
  return -x;
}
template <class R> GLA_DEVICE cx<R> negative (cx<R> z)
{
  return {-z.x, -z.y};
}

template <class R> GLA_DEVICE R whole (int op, R x)
{
  return op == GLA_ND_FLOOR  ? floor (x)
         : op == GLA_ND_CEIL ? ceil (x)
         : op == GLA_ND_FIX  ? trunc (x)
                             : round (x);
}
template <class R> GLA_DEVICE cx<R> whole (int op, cx<R> z)
{
  return {whole (op, z.x), whole (op, z.y)};
}

template <class R> GLA_DEVICE R sign (R x)
{
  return x > 0 ? (R)1 : x < 0 ? (R)-1 : x;
}
template <class R> GLA_DEVICE cx<R> sign (cx<R> z)
{
  const R r = modulus (z);
  return r == 0 ? cx<R>{0, 0} : cx<R>{z.x / r, z.y / r};
}

template <class T> GLA_DEVICE T nd_same (int op, T x, T y, bool x_real, bool y_real)
{
  switch (op) {
  case GLA_ND_ADD:
    return add (x, y, y_real);
  case GLA_ND_SUB:
    return add (x, negative (y), y_real);
  case GLA_ND_MUL:
    return multiply (x, y, x_real, y_real);
  case GLA_ND_DIV:
    return divide (x, y, y_real);
  case GLA_ND_MAX:
    return larger (x, y, false);
  case GLA_ND_MIN:
    return larger (x, y, true);
  case GLA_ND_NEG:
    return negative (x);
  case GLA_ND_CONJ:
    return conj (x);
  case GLA_ND_FLOOR:
  case GLA_ND_CEIL:
  case GLA_ND_ROUND:
  case GLA_ND_FIX:
    return whole (op, x);
  case GLA_ND_SIGN:
    return sign (x);
  default:
    return x;
  }
}

template <class T> GLA_DEVICE real_t<T> nd_real (int op, T x)
{
  switch (op) {
  case GLA_ND_REAL:
    return re (x);
  case GLA_ND_IMAG:
    return im (x);
  case GLA_ND_ABS:
    return modulus (x);
  default:
    return argument (x);
  }
}

template <class T> GLA_DEVICE bool nd_logical (int op, T x, T y, bool x_real, bool y_real)
{
  switch (op) {
  case GLA_ND_EQ:
    return same (x, y);
  case GLA_ND_NE:
    return !same (x, y);
  case GLA_ND_LT:
    return less (x, y, x_real, y_real);
  case GLA_ND_LE:
    return less_or_equal (x, y, x_real, y_real);
  case GLA_ND_GT:
    return less (y, x, y_real, x_real);
  case GLA_ND_GE:
    return less_or_equal (y, x, y_real, x_real);
  case GLA_ND_AND:
    return !is_zero (x) && !is_zero (y);
  case GLA_ND_OR:
    return !is_zero (x) || !is_zero (y);
  case GLA_ND_NOT:
    return is_zero (x);
  case GLA_ND_ISNAN:
    return is_nan (x);
  case GLA_ND_ISINF:
    return is_inf (x);
  case GLA_ND_ISFINITE:
    return !is_nan (x) && !is_inf (x);
  default:
    return !is_zero (x);
  }
}

// Whether AND, OR, NOT and the conversion to logical meet NaN.
template <class T> GLA_DEVICE bool nd_nan_as_logical (int op, T x, T y)
{
  return (op == GLA_ND_AND || op == GLA_ND_OR)
             ? is_nan (x) || is_nan (y)
             : (op == GLA_ND_NOT || op == GLA_ND_COPY) && is_nan (x);
}

#endif
