// svd_polar_small.cu: from X to H of pages that fit in shared memory twice
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block of threads has a page. X and Y = x*I + y*X'*X stay in shared memory, in double precision
// for all types, from the first product that makes X unitary to the last one, because products of
// pages would take the time of reading both. Then A replaces Y, and H = X'*A replaces A. A warp has
// DOWN x 1 tiles of 16 x 16 numbers of each product, on the FP64 tensor cores. X'*X is Hermitian:
// if a warp has one tile of it, those above the diagonal are left out, and warps have the others by
// turns, so that all quarters of a multiprocessor have as many. Called by svd_polar_chunk.cu.

#include <atomic>

#include "common/cluster.cuh"
#include "common/mma_tiles.cuh"
#include "common/scalar.cuh"
#include "svd_polar.cuh"

namespace
{

enum { TILE = 16, TERMS = 8 };

// The first row and column of what a warp has of a product.
struct tile_place {
  int row, column;
};

// Pages of at most N columns.
template <class W, int N, int DOWN> struct small_page {
  enum { LD = N + 4, WARPS = N / (DOWN * TILE) * (N / TILE), THREADS = 32 * WARPS };
  // on a multiprocessor, by shared memory
  static constexpr int BLOCKS = (N == 48   ? 5
                                 : N == 64 ? 3
                                 : N == 80 ? 2
                                           : 1) /
                                (is_complex_v<W> && N <= 64 ? 2 : 1);
  static constexpr size_t bytes = 2 * (size_t)(N * LD) * sizeof (W);
  typedef tile_sum<W> sums[DOWN][2];
  static constexpr bool LOWER = DOWN == 1; // of X'*X

  int n;                 // of the page
  tile_place own, lower; // of products; of X'*X
  W *X, *Y;              // entry (i, j) is number i + j*LD

  GLA_DEVICE small_page (int n, W *memory) : n (n), X (memory), Y (memory + N * LD)
  {
    const int warp = threadIdx.x / 32, down = N / (DOWN * TILE);
    own = {warp % down * (DOWN * TILE), warp / down * TILE};
    lower = LOWER ? lower_tile (warp) : own;
  }
  // Tiles of the lower triangle, column by column, and behind them places outside.
  GLA_DEVICE static tile_place lower_tile (int number)
  {
    int column = 0, left = N / TILE;
    for (; number >= left && left > 0; left--, column++)
      number -= left;
    return {(column + number) * TILE, column * TILE};
  }

  // The warp's part of left*B, where left (i, k) is an entry of the left factor.
  template <class L> GLA_DEVICE void multiply (sums &sum, tile_place p, L left, const W *B) const
  {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (p.row >= n || p.column >= n)
      return;
#pragma unroll 1
    for (int k = 0; k < n; k += TERMS) {
      tile_left<W> a[DOWN];
#pragma unroll
      for (int d = 0; d < DOWN; d++)
        for (int i = 0; i < 4; i++)
          a[d].set (i, left (p.row + TILE * d + g + 8 * (i % 2), k + t + 4 * (i / 2)));
#pragma unroll
      for (int c = 0; c < 2; c++) {
        tile_right<W> b;
        for (int i = 0; i < 2; i++)
          b.set (i, B[k + t + 4 * i + (p.column + 8 * c + g) * LD]);
        for (int d = 0; d < DOWN; d++)
          tile_add (sum[d][c], a[d], b);
      }
    }
  }

  // f (i, j, sum) for the entries of this warp.
  template <class F> GLA_DEVICE void each (const sums &sum, tile_place p, F f) const
  {
#pragma unroll
    for (int d = 0; d < DOWN; d++)
      for (int c = 0; c < 2; c++)
        for (int i = 0; i < 4; i++)
          f (p.row + TILE * d + tile_row (i), p.column + 8 * c + tile_column (i),
             sum[d][c].get (i));
  }

  // X = X*(x*I + y*X'*X); whether an entry of X'*X - I is above `near`.
  GLA_DEVICE bool step (double2 w, double near) const
  {
    const bool far = form_y (w, near);
    __syncthreads ();
    sums sum;
    multiply (
        sum, own, [&] (int i, int k) { return X[i + k * LD]; }, Y);
    __syncthreads ();
    each (sum, own, [&] (int i, int j, W x) { X[i + j * LD] = x; });
    __syncthreads ();
    return far;
  }

  // Y = x*I + y*X'*X; what step returns.
  GLA_DEVICE bool form_y (double2 w, double near) const
  {
    bool far = false;
    sums sum;
    multiply (
        sum, lower, [&] (int i, int k) { return conj (X[k + i * LD]); }, X);
    if (lower.row >= N)
      return false;
    each (sum, lower, [&] (int i, int j, W g) {
      far |= i < n && j < n && !(absmax (i == j ? g - from_real<W> (1.0) : g) <= near);
      g = scale (w.y, g);
      Y[i + j * LD] = i == j ? g + from_real<W> (w.x) : g;
      if (LOWER && lower.row > lower.column)
        Y[j + i * LD] = conj (g);
    });
    return far;
  }

  // Y = X'*Y
  GLA_DEVICE void form_h () const
  {
    sums sum;
    multiply (
        sum, own, [&] (int i, int k) { return conj (X[k + i * LD]); }, Y);
    __syncthreads ();
    each (sum, own, [&] (int i, int j, W h) { Y[i + j * LD] = h; });
    __syncthreads ();
  }

  // A packed page to X or Y, zeros behind it.
  template <class T> GLA_DEVICE void load (W *to, const T *from) const
  {
    for (int at = threadIdx.x; at < N * N; at += THREADS) {
      const int i = at % N, j = at / N;
      to[i + j * LD] = i < n && j < n ? widen (from[i + j * n]) : W ();
    }
    __syncthreads ();
  }

  // f (i, j) for the entries of the page, by all threads.
  template <class F> GLA_DEVICE void all (F f) const
  {
    for (int at = threadIdx.x; at < N * N; at += THREADS)
      if (at % N < n && at / N < n)
        f (at % N, at / N);
  }
};

// A block has a page, in shared memory; its threads divide the entries.
template <class T, int N, int DOWN>
__global__ void __launch_bounds__ (small_page<wide<T>, N, DOWN>::THREADS,
                                   small_page<wide<T>, N, DOWN>::BLOCKS)
    small_h_kernel (polar_args<T> a)
{
  typedef small_page<wide<T>, N, DOWN> page;
  extern __shared__ __align__ (16) unsigned char memory[];
  const int64_t p = blockIdx.x;
  const page s (a.n, reinterpret_cast<wide<T> *> (memory));
  const int64_t at = p * a.n * a.n;
  s.load (s.X, a.X + at);
  bool bad = false;
  for (int step = 0; step < polar_products<T>; step++)
    bad = s.step (a.weights[step * a.pages + p], POLAR_NEAR);
  s.load (s.Y, a.scaled + at);
  s.form_h ();
  // an entry of H-H' above n eps |A| is more than rounding
  const double bound = a.n * (double)limits<real_t<T>>::eps * a.page[p].norm;
  s.all ([&] (int i, int j) {
    const wide<T> one = s.Y[i + j * page::LD], other = conj (s.Y[j + i * page::LD]);
    bad |= !(absmax (one - other) <= bound);
    a.Y[at + i + j * a.n] = narrow<T> (scale (0.5, one + other));
    a.X[at + i + j * a.n] = narrow<T> (s.X[i + j * page::LD]);
  });
  if (bad)
    a.page[p].failed = a.page[p].failed == 1 ? 1 : 2;
}

template <class T, int N, int DOWN> cudaError_t launch (const polar_args<T> &a)
{
  typedef small_page<wide<T>, N, DOWN> page;
  static std::atomic<uint64_t> configured{0};
  const auto kernel = small_h_kernel<T, N, DOWN>;
  const cudaError_t error = allow_cluster (kernel, page::bytes, &configured);
  if (error != cudaSuccess)
    return error;
  kernel<<<(unsigned)a.pages, page::THREADS, page::bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t polar_small_h (const polar_args<T> &a)
{
  constexpr int LARGE = is_complex_v<T> ? 1 : 2, SMALL = is_complex_v<T> ? 1 : 3;
  if (a.n <= 48)
    return launch<T, 48, SMALL> (a);
  if (a.n <= 64)
    return launch<T, 64, LARGE> (a);
  if constexpr (is_complex_v<T>)
    return cudaErrorInvalidValue;
  else
    return a.n <= 80   ? launch<T, 80, 5> (a)
           : a.n <= 96 ? launch<T, 96, 3> (a)
                       : launch<T, 112, 7> (a);
}

template <class T> int polar_small_most (int smem_limit)
{
  constexpr bool wide = is_complex_v<T>;
  const auto fits = [&] (size_t bytes) { return bytes <= (size_t)smem_limit; };
  if (wide || !fits (small_page<double, 80, 5>::bytes))
    return 64;
  return !fits (small_page<double, 96, 3>::bytes)    ? 80
         : !fits (small_page<double, 112, 7>::bytes) ? 96
                                                     : 112;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t polar_small_h (const polar_args<T> &);                                      \
  template int polar_small_most<T> (int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
