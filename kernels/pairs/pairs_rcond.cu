// pairs_rcond.cu: reciprocal condition numbers of pages of B from their inverses
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_tiles.cuh"

#include <cmath>

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32 };

// Returns the modulus without overflow.
template <class T> GLA_DEVICE double modulus (T x)
{
  return is_complex_v<T> ? hypot ((double)re (x), (double)im (x)) : fabs ((double)re (x));
}

// Returns entry (i, j) of B, of the triangle that is used.
template <class T> GLA_DEVICE T entry_of (const pencil_args<T> &a, const T *B, int i, int j)
{
  if (i == j)
    return from_real<T> (re (B[i + i * a.B.ld]));
  const bool lower = a.triangle == GLA_TRIANGLE_LOWER, upper = a.triangle == GLA_TRIANGLE_UPPER;
  return (lower && i < j) || (upper && i > j) ? B[j + i * a.B.ld] : B[i + j * a.B.ld];
}

// Returns the largest sum of a column of `n` numbers f (i, j), for the whole block.
template <class F> GLA_DEVICE double largest_sum (int n, double *shared, F f)
{
  double most = 0;
  for (int j = threadIdx.x / 32; j < n; j += WARPS) {
    double sum = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32)
      sum += f (i, j);
    sum = lane_sum<32> (sum);
    most = sum > most ? sum : most;
  }
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int k = 0; k < WARPS; k++)
    most = fmax (most, shared[k]);
  __syncthreads ();
  return most;
}

// A block has a page of B, in a grid-stride loop.
template <class T> __global__ void __launch_bounds__ (THREADS) norm_kernel (pencil_args<T> a)
{
  __shared__ double shared[WARPS];
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    const T *B = a.B.data + page * a.B.page;
    const double norm =
        largest_sum (a.n, shared, [&] (int i, int j) { return modulus (entry_of (a, B, i, j)); });
    if (threadIdx.x == 0)
      a.norm[page] = norm;
  }
}

// A block has a page, as above. One page of B for all writes all results.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    rcond_kernel (pencil_args<T> a, real_t<T> *rcond, int64_t step)
{
  __shared__ double shared[WARPS];
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    const T *inverse = a.W + page * a.n * a.n;
    const double norm = largest_sum (
        a.n, shared, [&] (int i, int j) { return modulus (inverse[i + (int64_t)j * a.n]); });
    const bool failed = !(re (inverse[0]) == re (inverse[0]));
    const double value = failed ? nan ("") : 1 / a.norm[page] / norm;
    const int64_t count = a.b_pages == 1 ? a.pages : 1;
    for (int64_t p = threadIdx.x; p < count; p += THREADS)
      rcond[(page + p) * step] = (real_t<T>)value;
    __syncthreads ();
  }
}

} // namespace

template <class T> cudaError_t pencil_norm (const pencil_args<T> &a)
{
  const unsigned blocks = (unsigned)(a.b_pages < 1 << 30 ? a.b_pages : 1 << 30);
  norm_kernel<T><<<blocks, THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_rcond (const pencil_args<T> &a, const gla_array &rcond)
{
  const unsigned blocks = (unsigned)(a.b_pages < 1 << 30 ? a.b_pages : 1 << 30);
  rcond_kernel<T><<<blocks, THREADS, 0, a.stream>>> (a, static_cast<real_t<T> *> (rcond.data),
                                                     rcond.page_stride);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_norm (const pencil_args<T> &);                                       \
  template cudaError_t pencil_rcond (const pencil_args<T> &, const gla_array &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
