// wide.cuh: numbers of all four types in double precision, as the tensor cores take them
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_WIDE_CUH
#define GPULINALG_WIDE_CUH

#include "scalar.cuh"

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
