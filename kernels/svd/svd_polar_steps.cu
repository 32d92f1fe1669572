// svd_polar_steps.cu: kernels for the polar factor of pages with more than 256 columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// But for the power iteration and the numbers of pages, each page is shared by `parts` blocks of
// threads: block (x, y) takes columns x, x + parts, .. of pages y, y + gridDim.y, ..

#include "common/krylov_random.h"
#include "svd_parts.cuh"
#include "svd_polar_steps.cuh"

namespace
{

enum { TILE = 32, TILE_ROWS = 8, WARPS = 8 };

// f (i, j) for the entries of this block's columns.
template <class F> GLA_DEVICE void for_columns (int n, F f)
{
  for (int j = blockIdx.x; j < n; j += gridDim.x)
    for (int i = threadIdx.x; i < n; i += POLAR_THREADS)
      f (i, j);
}

//------------------------------------------------------------------------------
// the power iteration
//------------------------------------------------------------------------------

// A thread for each number.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) random_kernel (T *v, int64_t numbers, int64_t all)
{
  const int64_t at = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (at < all)
    v[at] = from_real<T> ((real_t<T>)gla_krylov_random (2, (uint64_t)(at % numbers)));
}

// to = M*from: a warp for each row of M, which is the adjoint of a column; blocks (x, y) have rows
// WARPS*x .. of pages y, y + gridDim.y, ..
template <class T>
__global__ void __launch_bounds__ (32 * WARPS)
    power_kernel (T *to, const T *from, const T *M, int n, int64_t pages)
{
  const int lane = threadIdx.x % 32, j = blockIdx.x * WARPS + threadIdx.x / 32;
  if (j >= n)
    return;
  for (int64_t p = blockIdx.y; p < pages; p += gridDim.y) {
    const T *column = M + (p * n + j) * n, *v = from + p * n * POLAR_VECTORS;
    T sum[POLAR_VECTORS] = {};
    for (int i = lane; i < n; i += 32) {
      const T m = conj (column[i]);
#pragma unroll
      for (int k = 0; k < POLAR_VECTORS; k++)
        sum[k] = madd (m, v[i + (int64_t)k * n], sum[k]);
    }
#pragma unroll
    for (int k = 0; k < POLAR_VECTORS; k++) {
      const T all = lane_sum<32> (sum[k]);
      if (lane == 0)
        to[p * n * POLAR_VECTORS + j + (int64_t)k * n] = all;
    }
  }
}

// By all threads of a block: the largest eigenvalue of M, at most as large as it is.
template <class T> GLA_DEVICE double power_of (const polar_steps<T> &s, int64_t p, double *work)
{
  double most = 0;
  for (int k = 0; k < POLAR_VECTORS; k++) {
    const int64_t at = (p * POLAR_VECTORS + k) * s.a.n;
    double before = 0, after = 0;
    for (int i = threadIdx.x; i < s.a.n; i += POLAR_THREADS) {
      before += square_of (s.vectors[0][at + i]);
      after += square_of (s.vectors[1][at + i]);
    }
    before = over_block<POLAR_THREADS, false> (before, work);
    after = over_block<POLAR_THREADS, false> (after, work);
    const double here = sqrt (after / before);
    most = here > most || here != here ? here : most;
  }
  return most;
}

//------------------------------------------------------------------------------
// the choice of a step
//------------------------------------------------------------------------------

// sum: squares of the entries of G, or of G - I.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) distance_kernel (polar_steps<T> s, bool from_one)
{
  __shared__ double work[POLAR_THREADS / 32];
  const int n = s.a.n;
  for (int64_t p = blockIdx.y; p < s.a.pages; p += gridDim.y) {
    if (!s.a.page[p].active)
      continue;
    const T *G = s.a.Y + p * n * n;
    double square = 0;
    for_columns (n, [&] (int i, int j) {
      const T g = G[i + (int64_t)j * n];
      square += square_of (from_one && i == j ? g - from_real<T> (1) : g);
    });
    square = over_block<POLAR_THREADS, false> (square, work);
    if (threadIdx.x == 0)
      s.a.sum[p * s.a.parts + blockIdx.x] = square;
    __syncthreads ();
  }
}

// A block for each page. X is scaled so that its largest singular value is about 1, by what the
// power iteration has found, which is too small by some per cent. Should it have found nothing, the
// largest eigenvalue of G is no less than |G|/sqrt (n).
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) first_kernel (polar_steps<T> s)
{
  __shared__ double work[POLAR_THREADS / 32];
  const int64_t p = blockIdx.x;
  if (!s.a.page[p].active)
    return;
  const double frobenius = sqrt (sum_of_parts (s.a.sum + p * s.a.parts, s.a.parts));
  const double largest = fmax (power_of (s, p, work), frobenius / sqrt ((double)s.a.n));
  if (threadIdx.x > 0)
    return;
  polar_page &page = s.a.page[p];
  page.least = 0;
  page.scale = 1 / sqrt (1.1 * largest);
  page.active = POLAR_INVERSE;
  atomicOr (s.wanted, POLAR_INVERSE);
}

// A thread for each page, after |G - I|.
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) next_kernel (polar_steps<T> s)
{
  const int64_t p = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (p >= s.a.pages || !s.a.page[p].active)
    return;
  polar_page &page = s.a.page[p];
  const double square = sum_of_parts (s.a.sum + p * s.a.parts, s.a.parts);
  const double eps = limits<real_t<T>>::eps, enough = 0.3;
  if (!(square <= DBL_MAX)) {
    page.failed = 2;
    page.active = 0;
    return;
  }
  if (square < 0.25)
    page.least = sqrt (1 - sqrt (square));
  else if (page.products >= POLAR_PATIENCE)
    page.least = 0;
  const double l = page.least;
  if (l < enough) {
    page.active = POLAR_INVERSE;
    page.scale = 1;
  } else {
    page.active = square <= fmax (4.0, s.a.n / 2048.0) * eps ? POLAR_LAST : POLAR_PRODUCT;
    page.scale = square < 0.01 ? 1 : sqrt (3 / (1 + l + l * l));
  }
  atomicOr (s.wanted, page.active);
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) shift_kernel (polar_steps<T> s)
{
  typedef real_t<T> R;
  const int n = s.a.n;
  for (int64_t p = blockIdx.y; p < s.a.pages; p += gridDim.y) {
    const polar_page &page = s.a.page[p];
    const bool wanted = page.active == POLAR_INVERSE;
    const R c = (R)(POLAR_WEIGHT * page.scale * page.scale);
    T *Y = s.a.Y + p * n * n;
    for_columns (n, [&] (int i, int j) {
      T &y = Y[i + (int64_t)j * n];
      const T x = wanted ? scale (c, y) : from_real<T> (0);
      y = i == j ? x + from_real<T> (1) : x;
    });
  }
}

// A block for each page: what X will have for its least singular value.
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) least_kernel (polar_steps<T> s)
{
  // the least singular value for which these weights are the best, and what becomes of it
  const double best = 0.0351, reached = 0.703, doubt = 1.3;
  __shared__ double work[POLAR_THREADS / 32];
  const int64_t p = blockIdx.x;
  if (s.a.page[p].active != POLAR_INVERSE)
    return;
  const double least = sqrt (fmax (1 / power_of (s, p, work) - 1, 0.0) / POLAR_WEIGHT);
  if (threadIdx.x > 0)
    return;
  s.a.page[p].least = least >= doubt * best ? reached : 0;
  s.a.page[p].products = 0;
}

template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) weigh_kernel (polar_steps<T> s)
{
  typedef real_t<T> R;
  const double c = POLAR_WEIGHT, q = 2 * (sqrt (1 + c) - 1), b = q * q / 4;
  const int n = s.a.n;
  for (int64_t p = blockIdx.y; p < s.a.pages; p += gridDim.y) {
    const polar_page &page = s.a.page[p];
    const bool wanted = page.active == POLAR_INVERSE;
    const R own = (R)(page.scale * b / c), times = (R)(page.scale * (1 + q - b / c));
    T *Z = s.Z + p * n * n;
    for_columns (n, [&] (int i, int j) {
      T &z = Z[i + (int64_t)j * n];
      const T x = wanted ? scale (times, z) : from_real<T> (0);
      z = i == j ? x + from_real<T> (wanted ? own : R (1)) : x;
    });
  }
}

template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) polynomial_kernel (polar_steps<T> s)
{
  typedef real_t<T> R;
  const int n = s.a.n;
  for (int64_t p = blockIdx.y; p < s.a.pages; p += gridDim.y) {
    const polar_page &page = s.a.page[p];
    const bool wanted = page.active != 0;
    const double f = page.scale;
    const R own = (R)(1.5 * f), times = (R)(-0.5 * f * f * f);
    T *Y = s.a.Y + p * n * n;
    for_columns (n, [&] (int i, int j) {
      T &y = Y[i + (int64_t)j * n];
      const T x = wanted ? scale (times, y) : from_real<T> (0);
      y = i == j ? x + from_real<T> (wanted ? own : R (1)) : x;
    });
  }
}

// A thread for each page, after polynomial_kernel.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) multiplied_kernel (polar_steps<T> s)
{
  const int64_t p = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (p >= s.a.pages || !s.a.page[p].active)
    return;
  polar_page &page = s.a.page[p];
  const double f = page.scale, l = page.least;
  page.least = fmin (1.0, f * l * (1.5 - 0.5 * f * f * l * l));
  page.products++;
  page.active = page.active == POLAR_LAST ? 0 : page.active;
}

template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) give_up_kernel (polar_steps<T> s)
{
  const int64_t p = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (p < s.a.pages && s.a.page[p].active)
    s.a.page[p].failed = 2;
}

// Blocks (x, y) of threads: x over tiles on and above the diagonal, y over pages.
template <class T>
__global__ void __launch_bounds__ (TILE *TILE_ROWS) mirror_kernel (T *Y, int n, int64_t pages)
{
  __shared__ T tile[TILE][TILE + 1];
  int down = blockIdx.x, across = 0; // tile (down, across), down <= across
  while (down > across)
    down -= ++across;
  const int i0 = down * TILE, j0 = across * TILE;
  const int x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  for (int64_t p = blockIdx.y; p < pages; p += gridDim.y) {
    T *G = Y + p * n * n;
    for (int y = y0; y < TILE; y += TILE_ROWS)
      if (i0 + x < n && j0 + y < n)
        tile[y][x] = G[i0 + x + (int64_t)(j0 + y) * n];
    __syncthreads ();
    for (int y = y0; y < TILE; y += TILE_ROWS) { // row j0+x, column i0+y
      const int row = j0 + x, column = i0 + y;
      if (row >= n || column >= n || row < column)
        continue;
      const T g = tile[x][y];
      G[row + (int64_t)column * n] = row == column ? from_real<T> (re (g)) : conj (g);
    }
    __syncthreads ();
  }
}

template <class T> unsigned blocks_of_pages (const polar_steps<T> &s)
{
  return (unsigned)((s.a.pages + POLAR_THREADS - 1) / POLAR_THREADS);
}

} // namespace

template <class T> cudaError_t polar_power (polar_steps<T> &s, const T *M)
{
  const int n = s.a.n;
  const int64_t numbers = (int64_t)n * POLAR_VECTORS, all = numbers * s.a.pages;
  random_kernel<<<(unsigned)((all + POLAR_THREADS - 1) / POLAR_THREADS), POLAR_THREADS, 0,
                  s.a.stream>>> (s.vectors[1], numbers, all);
  const dim3 grid = polar_grid (s.a, (unsigned)((n + WARPS - 1) / WARPS));
  for (int k = 0; k < POLAR_POWER; k++) {
    T *from = s.vectors[1];
    s.vectors[1] = s.vectors[0];
    s.vectors[0] = from;
    power_kernel<<<grid, 32 * WARPS, 0, s.a.stream>>> (s.vectors[1], s.vectors[0], M, n, s.a.pages);
  }
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_choose (const polar_steps<T> &s, bool first)
{
  const cudaError_t error = cudaMemsetAsync (s.wanted, 0, sizeof (int), s.a.stream);
  if (error != cudaSuccess)
    return error;
  distance_kernel<<<polar_grid (s.a, s.a.parts), POLAR_THREADS, 0, s.a.stream>>> (s, !first);
  if (first)
    first_kernel<<<(unsigned)s.a.pages, POLAR_THREADS, 0, s.a.stream>>> (s);
  else
    next_kernel<<<blocks_of_pages (s), POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_shift (const polar_steps<T> &s)
{
  shift_kernel<<<polar_grid (s.a, s.a.parts), POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_weigh (const polar_steps<T> &s)
{
  least_kernel<<<(unsigned)s.a.pages, POLAR_THREADS, 0, s.a.stream>>> (s);
  weigh_kernel<<<polar_grid (s.a, s.a.parts), POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_polynomial (const polar_steps<T> &s)
{
  polynomial_kernel<<<polar_grid (s.a, s.a.parts), POLAR_THREADS, 0, s.a.stream>>> (s);
  multiplied_kernel<<<blocks_of_pages (s), POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_give_up (const polar_steps<T> &s)
{
  give_up_kernel<<<blocks_of_pages (s), POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_mirror (T *Y, int n, int64_t pages, cudaStream_t stream)
{
  const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
  const dim3 grid (tiles * (tiles + 1) / 2,
                   (unsigned)(pages < POLAR_GRID_MOST ? pages : POLAR_GRID_MOST));
  mirror_kernel<<<grid, TILE * TILE_ROWS, 0, stream>>> (Y, n, pages);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t polar_power (polar_steps<T> &, const T *);                                  \
  template cudaError_t polar_choose (const polar_steps<T> &, bool);                                \
  template cudaError_t polar_shift (const polar_steps<T> &);                                       \
  template cudaError_t polar_weigh (const polar_steps<T> &);                                       \
  template cudaError_t polar_polynomial (const polar_steps<T> &);                                  \
  template cudaError_t polar_give_up (const polar_steps<T> &);                                     \
  template cudaError_t polar_mirror (T *, int, int64_t, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
