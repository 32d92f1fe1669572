// svd_polar_power.cu: the largest eigenvalues of the matrices in slots, by the power iteration
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Multiplies a Hermitian M by POLAR_VECTORS vectors on the FP64 tensor cores, 16 rows of M at a
// time, so that no sums over lanes follow. The time is that of reading M, so after the first
// product M should be in the second-level cache. Up to ONE_BLOCK columns a block of threads does
// all products of a slot, with the vectors in shared memory. Larger ones take a launch for each
// product, and some slots at a time: a block has 16 rows, and each of its warps a share of the
// terms. Called by svd_polar_chunk.cu.

#include <atomic>

#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "common/random.h"
#include "common/reduce.cuh"
#include "common/scalar.cuh"
#include "svd_polar.cuh"

namespace
{

// LD: the distance of vectors in shared memory, without bank conflicts. CACHE: bytes of M.
enum { ONE_BLOCK = 256, LD = ONE_BLOCK + 4, STRIP = 16, TERMS = 8, WARPS = POLAR_THREADS / 32 };
enum { CACHE = 36000000, BLOCKS_MOST = 8, MULTIPROCESSORS = 132 };

// How many blocks of power_page_kernel a multiprocessor may have: as many as have their M in the
// cache, if they are enough to wait for its bytes.
template <class T> constexpr int page_blocks (int n)
{
  const int64_t fit = CACHE / (MULTIPROCESSORS * (int64_t)n * n * (int64_t)sizeof (T));
  return fit < 16 / (int)sizeof (T) || fit > BLOCKS_MOST ? (int)BLOCKS_MOST : (int)fit;
}

// sum += rows row .. row+15 of M times terms first, first+TERMS .. in steps of `step`; v (i, k) is
// number i of vector k.
template <class T, class V>
GLA_DEVICE void add_strip (tile_sum<wide<T>> &sum, const T *M, int n, int row, int first, int step,
                           V v)
{
  typedef wide<T> W;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll 4
  for (int term = first; term < n; term += step) {
    tile_left<W> a;
    tile_right<W> b;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int r = row + g + 8 * (i % 2), c = term + t + 4 * (i / 2);
      a.set (i, r < n && c < n ? widen (M[r + (int64_t)c * n]) : W ());
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int c = term + t + 4 * i;
      b.set (i, c < n ? v (c, g % POLAR_VECTORS) : W ());
    }
    tile_add (sum, a, b);
  }
}

// f (row, vector, sum) for what this lane has of a strip.
template <class W, class F> GLA_DEVICE void for_sums (const tile_sum<W> &sum, int n, int row, F f)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (tile_column (i) < POLAR_VECTORS && row + tile_row (i) < n)
      f (row + tile_row (i), tile_column (i), sum.get (i));
}

// What M has more than the matrix that is wanted: a multiple of I.
template <class T> GLA_DEVICE double own_of (const double2 *weights, int64_t q)
{
  return weights == nullptr ? 0 : (double)(real_t<T>)weights[q].x;
}

template <class T> GLA_DEVICE wide<T> random_number (int n, int i, int k)
{
  return from_real<wide<T>> (gla_krylov_random (2, (uint64_t)i + (uint64_t)k * (uint64_t)n));
}

// By the first POLAR_VECTORS warps of a block: the largest growth of a vector in the last product.
template <class T, class V> GLA_DEVICE void find_largest (double *largest, int n, V before, V after)
{
  __shared__ double growth[POLAR_VECTORS];
  const int lane = threadIdx.x % 32, k = threadIdx.x / 32;
  if (k < POLAR_VECTORS) {
    double old = 0, now = 0;
    for (int i = lane; i < n; i += 32) {
      old += square_of (before[i + k * (int64_t)LD]);
      now += square_of (after[i + k * (int64_t)LD]);
    }
    old = lane_sum<32> (old);
    now = lane_sum<32> (now);
    growth[k] = sqrt (now / old);
  }
  __syncthreads ();
  double most = 0;
  for (int i = 0; i < POLAR_VECTORS; i++)
    most = growth[i] > most || growth[i] != growth[i] ? growth[i] : most;
  if (threadIdx.x == 0)
    *largest = most;
}

// A block for each slot.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    power_page_kernel (double *largest, const T *M, const double2 *weights, int n)
{
  typedef wide<T> W;
  __shared__ W v[2][POLAR_VECTORS * LD];
  const int64_t q = blockIdx.x;
  const double own = own_of<T> (weights, q);
  M += q * n * n;
  for (int at = threadIdx.x; at < POLAR_VECTORS * LD; at += POLAR_THREADS)
    v[0][at] = at % LD < n ? random_number<T> (n, at % LD, at / LD) : W ();
  __syncthreads ();
  for (int step = 0; step < POLAR_POWER; step++) {
    const W *from = v[step % 2];
    W *to = v[1 - step % 2];
    for (int row = threadIdx.x / 32 * STRIP; row < n; row += WARPS * STRIP) {
      tile_sum<W> sum;
      add_strip (sum, M, n, row, 0, TERMS, [&] (int i, int k) { return from[i + k * LD]; });
      for_sums (sum, n, row,
                [&] (int i, int k, W x) { to[i + k * LD] = x - scale (own, from[i + k * LD]); });
    }
    __syncthreads ();
  }
  find_largest<T, const W *> (largest + q, n, v[1 - POLAR_POWER % 2], v[POLAR_POWER % 2]);
}

// A thread for each number.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) random_kernel (T *v, int n, int64_t all)
{
  const int64_t at = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  const int64_t in = at % ((int64_t)n * POLAR_VECTORS);
  if (at < all)
    v[at] = narrow<T> (random_number<T> (n, (int)(in % n), (int)(in / n)));
}

// Block (x, y) has rows STRIP*x .. of slots y, y + gridDim.y, ..
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    power_rows_kernel (T *to, const T *from, const T *M, const double2 *weights, int n, int slots)
{
  typedef wide<T> W;
  __shared__ W part[WARPS][POLAR_VECTORS][STRIP];
  const int warp = threadIdx.x / 32, row = blockIdx.x * STRIP;
  for (int64_t q = blockIdx.y; q < slots; q += gridDim.y) {
    const T *v = from + q * n * POLAR_VECTORS;
    tile_sum<W> sum;
    add_strip (sum, M + q * n * n, n, row, warp * TERMS, WARPS * TERMS,
               [&] (int i, int k) { return widen (v[i + (int64_t)k * n]); });
    for_sums (sum, n, row, [&] (int i, int k, W x) { part[warp][k][i - row] = x; });
    __syncthreads ();
    const int i = threadIdx.x % STRIP, k = threadIdx.x / STRIP;
    if (k < POLAR_VECTORS && row + i < n) {
      const int64_t at = row + i + (int64_t)k * n;
      W all = scale (-own_of<T> (weights, q), widen (v[at]));
      for (int w = 0; w < WARPS; w++)
        all = all + part[w][k][i];
      to[q * n * POLAR_VECTORS + at] = narrow<T> (all);
    }
    __syncthreads ();
  }
}

// A block for each slot.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    growth_kernel (double *largest, const T *before, const T *after, int n)
{
  __shared__ double work[WARPS];
  const int64_t q = blockIdx.x;
  double most = 0;
  for (int k = 0; k < POLAR_VECTORS; k++) {
    const int64_t at = (q * POLAR_VECTORS + k) * n;
    double old = 0, now = 0;
    for (int i = threadIdx.x; i < n; i += POLAR_THREADS) {
      old += square_of (before[at + i]);
      now += square_of (after[at + i]);
    }
    old = over_block<POLAR_THREADS, false> (old, work);
    now = over_block<POLAR_THREADS, false> (now, work);
    const double here = sqrt (now / old);
    most = here > most || here != here ? here : most;
  }
  if (threadIdx.x == 0)
    largest[q] = most;
}

// Takes so many slots at a time that the second-level cache holds their M from one product to the
// next.
template <class T>
cudaError_t power_of_rows (const polar_steps<T> &s, const T *M, const double2 *weights, int slots)
{
  static_assert (POLAR_POWER % 2 == 0, "the last vectors are where the first ones were");
  const int n = s.a.n;
  const int64_t numbers = (int64_t)n * POLAR_VECTORS, all = numbers * slots;
  const int64_t fit = 1 + (int64_t)CACHE / ((int64_t)n * n * (int64_t)sizeof (T));
  const int most = fit < POLAR_GRID_MOST ? (int)fit : (int)POLAR_GRID_MOST;
  random_kernel<<<(unsigned)((all + POLAR_THREADS - 1) / POLAR_THREADS), POLAR_THREADS, 0,
                  s.a.stream>>> (s.vectors[1], n, all);
  for (int first = 0; first < slots; first += most) {
    const int some = slots - first < most ? slots - first : most;
    const dim3 grid ((unsigned)((n + STRIP - 1) / STRIP), (unsigned)some);
    for (int k = 0; k < POLAR_POWER; k++)
      power_rows_kernel<<<grid, POLAR_THREADS, 0, s.a.stream>>> (
          s.vectors[k % 2] + numbers * first, s.vectors[1 - k % 2] + numbers * first,
          M + (int64_t)n * n * first, weights == nullptr ? nullptr : weights + first, n, some);
  }
  growth_kernel<<<(unsigned)slots, POLAR_THREADS, 0, s.a.stream>>> (s.largest, s.vectors[0],
                                                                    s.vectors[1], n);
  return cudaGetLastError ();
}

// Unused shared memory limits the number of blocks on a multiprocessor.
template <class T>
cudaError_t power_of_pages (const polar_steps<T> &s, const T *M, const double2 *weights, int slots)
{
  constexpr size_t own = 2 * POLAR_VECTORS * LD * sizeof (wide<T>) + 1024;
  static std::atomic<uint64_t> configured{0};
  const size_t most = block_shared_most ();
  const cudaError_t error = allow_cluster (power_page_kernel<T>, most - own, &configured);
  if (error != cudaSuccess)
    return error;
  const size_t each = most / (size_t)page_blocks<T> (s.a.n), more = each < own ? 0 : each - own;
  power_page_kernel<<<(unsigned)slots, POLAR_THREADS, more, s.a.stream>>> (s.largest, M, weights,
                                                                           s.a.n);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t polar_power (const polar_steps<T> &s, const T *M, const double2 *weights, int slots)
{
  return s.a.n <= ONE_BLOCK ? power_of_pages (s, M, weights, slots)
                            : power_of_rows (s, M, weights, slots);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t polar_power (const polar_steps<T> &, const T *, const double2 *, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
