// product_parts.cu: adds up the parts of products of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product_parts.cuh"
#include "common/scalar.cuh"

namespace
{

enum { THREADS = 128 };

// A thread has an element of C of one page; those of a block lie side by side in every part, so
// that a warp reads whole lines. Several parts are on their way at a time, and are added in order.
template <class T> __global__ void __launch_bounds__ (THREADS) add_kernel (part_sums<T> s)
{
  const unsigned in_page = (unsigned)s.m * (unsigned)s.n, all = in_page * (unsigned)s.pages;
  const unsigned at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= all)
    return;
  const T *from = s.from + at;
  T sum = *from;
#pragma unroll 8
  for (int l = 1; l < s.count; l++) {
    from += all;
    sum = sum + *from;
  }
  const unsigned p = at / in_page, in = at % in_page;
  s.C[p * s.page + in / s.m * s.ldc + in % s.m] = sum;
}

} // namespace

template <class T> cudaError_t product_add_parts (const part_sums<T> &s, cudaStream_t stream)
{
  const int64_t all = (int64_t)s.m * s.n * s.pages;
  add_kernel<<<(unsigned)((all + THREADS - 1) / THREADS), THREADS, 0, stream>>> (s);
  return cudaGetLastError ();
}

template cudaError_t product_add_parts (const part_sums<float> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<double> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<cx<float>> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<cx<double>> &, cudaStream_t);
