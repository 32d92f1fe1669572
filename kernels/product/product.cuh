// product.cuh: products of pages on a GPU: what the kernels share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_CUH
#define GPULINALG_PRODUCT_CUH

#include "engine/product_part.cuh"

// c + a*b. A real factor has no imaginary part whose product with NaN could spread.
template <class T> GLA_DEVICE T product_madd (T a, T b, T c)
{
  return madd (a, b, c);
}
template <class R> GLA_DEVICE cx<R> product_madd (R a, cx<R> b, cx<R> c)
{
  return {madd (a, b.x, c.x), madd (a, b.y, c.y)};
}
template <class R> GLA_DEVICE cx<R> product_madd (cx<R> a, R b, cx<R> c)
{
  return {madd (a.x, b, c.x), madd (a.y, b, c.y)};
}

// Shared memory that the kernels need of a block.
enum { PRODUCT_SHARED = 96 * 1024 };

#endif
