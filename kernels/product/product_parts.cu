// product_parts.cu: adds up the parts of products of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "product.cuh"
#include "common/scalar.cuh"

namespace
{

enum {
  THREADS = 128,
  MANY_PARTS = 64, // with more, add_many_kernel
  MANY_LANES = 32,
  MANY_ELEMENTS = 8,
  MANY_THREADS = MANY_LANES * MANY_ELEMENTS
};

// A thread has an element of C of one page; those of a block are contiguous in every part, so that
// a warp reads whole lines. Several parts are loaded at a time, and are added in order.
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

// Many parts: a block has 8 elements of C, as they lie side by side in every part, and 32 threads
// for each. Thread l of an element adds parts l, l + 32, .. in order, and the 32 sums are added in
// halves.
template <class T> __global__ void __launch_bounds__ (MANY_THREADS) add_many_kernel (part_sums<T> s)
{
  __shared__ T sums[MANY_LANES][MANY_ELEMENTS];
  const unsigned in_page = (unsigned)s.m * (unsigned)s.n, all = in_page * (unsigned)s.pages;
  const unsigned e = threadIdx.x % MANY_ELEMENTS, lane = threadIdx.x / MANY_ELEMENTS;
  const unsigned at = blockIdx.x * MANY_ELEMENTS + e;
  T sum = {};
  if (at < all) {
    const T *from = s.from + at;
#pragma unroll 8
    for (int l = (int)lane; l < s.count; l += MANY_LANES)
      sum = sum + from[(size_t)l * all];
  }
  sums[lane][e] = sum;
  for (unsigned half = MANY_LANES / 2; half > 0; half /= 2) {
    __syncthreads ();
    if (lane < half)
      sums[lane][e] = sums[lane][e] + sums[lane + half][e];
  }
  if (lane > 0 || at >= all)
    return;
  const unsigned p = at / in_page, in = at % in_page;
  s.C[p * s.page + in / s.m * s.ldc + in % s.m] = sums[0][e];
}

} // namespace

// The order of the parts in a sum depends on their number alone.
template <class T> cudaError_t product_add_parts (const part_sums<T> &s, cudaStream_t stream)
{
  const int64_t all = (int64_t)s.m * s.n * s.pages;
  if (s.count > MANY_PARTS)
    add_many_kernel<<<(unsigned)((all + MANY_ELEMENTS - 1) / MANY_ELEMENTS), MANY_THREADS, 0,
                      stream>>> (s);
  else
    add_kernel<<<(unsigned)((all + THREADS - 1) / THREADS), THREADS, 0, stream>>> (s);
  return cudaGetLastError ();
}

template cudaError_t product_add_parts (const part_sums<float> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<double> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<cx<float>> &, cudaStream_t);
template cudaError_t product_add_parts (const part_sums<cx<double>> &, cudaStream_t);
