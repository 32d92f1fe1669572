// arrays_sort.cuh: keys by which elements are sorted
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Unsigned integers in the order of Octave: zeros of both signs are equal, NaN is behind all
// others. Complex numbers are in the order of their moduli, and where these are equal of their
// arguments, in which -pi counts as pi. For the descending order all bits of a key are turned.

#ifndef GPULINALG_ARRAYS_SORT_CUH
#define GPULINALG_ARRAYS_SORT_CUH

#include "arrays_math.cuh"

GLA_DEVICE uint32_t nd_key (float x)
{
  const uint32_t bits = __float_as_uint (x), sign = 0x80000000u;
  return x != x ? 0xffffffffu : x == 0 ? sign : bits & sign ? ~bits : bits | sign;
}
GLA_DEVICE uint64_t nd_key (double x)
{
  const uint64_t bits = (uint64_t)__double_as_longlong (x), sign = (uint64_t)1 << 63;
  return x != x ? ~(uint64_t)0 : x == 0 ? sign : bits & sign ? ~bits : bits | sign;
}
GLA_DEVICE uint32_t nd_key (unsigned char x)
{
  return x != 0;
}
template <class R> GLA_DEVICE auto nd_key (cx<R> z)
{
  return nd_key (is_nan (z) ? (R)NAN : modulus (z));
}

// The second key of complex numbers. Those that are NaN are equal.
template <class R> GLA_DEVICE auto nd_second_key (cx<R> z)
{
  const R pi = (R)3.14159265358979323846, a = argument (z);
  return nd_key (is_nan (z) ? (R)0 : a == -pi ? pi : a);
}

template <class T> struct nd_key_of {
  typedef uint32_t type;
};
template <> struct nd_key_of<double> {
  typedef uint64_t type;
};
template <> struct nd_key_of<cx<double>> {
  typedef uint64_t type;
};

#endif
