// svd_polar.cu: kernels of singular value decompositions by the polar decomposition
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/random.h"
#include "svd_polar.cuh"

namespace
{

enum { TILE = 32, TILE_ROWS = 8, INVERSE_WANTED = 1 };

GLA_DEVICE double largest_of_parts (const double *most, int parts)
{
  double all = 0;
  for (int part = 0; part < parts; part++)
    all = most[part] > all || most[part] != most[part] ? most[part] : all;
  return all;
}

//------------------------------------------------------------------------------
// the start
//------------------------------------------------------------------------------

// What is added to an entry of X = A/|A|, so that no singular value is 0: eps/4 to 2 eps/4 on the
// diagonal; for pages that use steps a random number on each entry, of norm eps/2 altogether. The
// identity where A is 0.
template <class T> GLA_DEVICE T start_more (int n, int i, int j, bool any)
{
  typedef real_t<T> R;
  if (!any)
    return from_real<T> (i == j ? R (1) : R (0));
  if (!polar_by_steps (n, is_complex_v<T>))
    return from_real<T> (i == j ? limits<R>::eps / 4 * (1 + R (i % 7) / 8) : R (0));
  const uint64_t at = (uint64_t)i + (uint64_t)j * (uint64_t)n;
  return from_real<T> (limits<R>::eps / 2 * (R)gla_krylov_random (1, at) / sqrt_of ((R)n));
}

// All of it by a block for each page: what the three kernels below do for pages of many parts.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) start_page_kernel (polar_args<T> a)
{
  typedef real_t<T> R;
  __shared__ double work[POLAR_THREADS / 32];
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    const T *A = a.A.data + p * a.A.page;
    T *to = a.scaled + p * a.n * a.n, *X = a.X + p * a.n * a.n;
    double most = 0, square = 0, after = 0;
    for_entries (a.n, 1, [&] (int i, int j) {
      const double x = (double)absmax (A[i + j * a.A.ld]);
      most = x > most || x != x ? x : most;
    });
    most = over_block<POLAR_THREADS, true> (most, work);
    const bool finite = most <= DBL_MAX, wanted = finite && most > 0;
    const int exponent = wanted ? ilogb (most) : 0;
    for_entries (a.n, 1, [&] (int i, int j) {
      const T x = finite ? times_power (A[i + j * a.A.ld], -exponent) : from_real<T> (0);
      square += square_of (x);
      to[i + j * a.n] = x;
    });
    const double norm = sqrt (over_block<POLAR_THREADS, false> (square, work));
    const R factor = norm > 0 ? (R)(1 / norm) : R (0);
    for_entries (a.n, 1, [&] (int i, int j) {
      const T x = scale (factor, to[i + j * a.n]) + start_more<T> (a.n, i, j, norm > 0);
      after += square_of (x);
      X[i + j * a.n] = x;
    });
    after = over_block<POLAR_THREADS, false> (after, work);
    if (threadIdx.x == 0) {
      a.page[p] = {norm, 1, exponent, wanted, finite ? 0 : 1};
      a.pending[p] = wanted ? INVERSE_WANTED : 0;
      a.sum[p] = after;
    }
    __syncthreads ();
  }
}

// sum: the largest entry of each part; NaN where it has one.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) largest_kernel (polar_args<T> a)
{
  __shared__ double work[POLAR_THREADS / 32];
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    const T *A = a.A.data + p * a.A.page;
    double most = 0;
    for_entries (a.n, a.parts, [&] (int i, int j) {
      const double x = (double)absmax (A[i + j * a.A.ld]);
      most = x > most || x != x ? x : most;
    });
    most = over_block<POLAR_THREADS, true> (most, work);
    if (threadIdx.x == 0)
      a.sum[p * a.parts + blockIdx.x] = most;
    __syncthreads ();
  }
}

// The page is divided by a power of two: its largest entry becomes a number from 1 to 2. sum_new:
// squares of the entries. Pages that are not finite become 0.
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) scale_kernel (polar_args<T> a)
{
  __shared__ double work[POLAR_THREADS / 32];
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    const T *A = a.A.data + p * a.A.page;
    T *to = a.scaled + p * a.n * a.n;
    const double most = largest_of_parts (a.sum + p * a.parts, a.parts);
    const bool finite = most <= DBL_MAX;
    const int exponent = finite && most > 0 ? ilogb (most) : 0;
    double square = 0;
    for_entries (a.n, a.parts, [&] (int i, int j) {
      const T x = finite ? times_power (A[i + j * a.A.ld], -exponent) : from_real<T> (0);
      square += square_of (x);
      to[i + (int64_t)j * a.n] = x;
    });
    square = over_block<POLAR_THREADS, false> (square, work);
    if (threadIdx.x == 0)
      a.sum_new[p * a.parts + blockIdx.x] = square;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
      a.page[p] = {0, 1, exponent, finite && most > 0, finite ? 0 : 1};
      a.pending[p] = finite && most > 0 ? INVERSE_WANTED : 0;
    }
    __syncthreads ();
  }
}

// X = A/|A| and a little more, the identity where A is 0; sum: squares.
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) start_kernel (polar_args<T> a)
{
  typedef real_t<T> R;
  __shared__ double work[POLAR_THREADS / 32];
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    const int64_t at = p * a.n * a.n;
    const double norm = sqrt (sum_of_parts (a.sum_new + p * a.parts, a.parts));
    const R factor = norm > 0 ? (R)(1 / norm) : R (0);
    double square = 0;
    for_entries (a.n, a.parts, [&] (int i, int j) {
      const int64_t k = at + i + (int64_t)j * a.n;
      const T x = scale (factor, a.scaled[k]) + start_more<T> (a.n, i, j, norm > 0);
      square += square_of (x);
      a.X[k] = x;
    });
    square = over_block<POLAR_THREADS, false> (square, work);
    if (threadIdx.x == 0)
      a.sum[p * a.parts + blockIdx.x] = square;
    if (threadIdx.x == 0 && blockIdx.x == 0)
      a.page[p].norm = norm;
    __syncthreads ();
  }
}

//------------------------------------------------------------------------------
// Newton's method
//------------------------------------------------------------------------------

// By thread 0 of the block of a page: no singular value of X is less than 1, so that the sum of
// their squares bounds the largest.
template <class T> GLA_DEVICE void look (const polar_args<T> &a, int64_t p, double sum, bool last)
{
  const double square = sum - (a.n - 1), largest = square > 1 ? sqrt (square) : 1;
  const bool finite = square <= DBL_MAX;
  const bool more = finite && largest > POLAR_LARGEST;
  if (!finite || (more && last))
    a.page[p].failed = 2;
  a.page[p].largest = finite ? largest : 1;
  a.page[p].active = more && !last;
  a.pending[p] = more && !last ? INVERSE_WANTED : 0;
  a.sum[p] = sum;
}

// A block for each page, by tiles of 32 x 32 entries; the tile of the inverse goes through shared
// memory, because it is transposed.
template <class T>
__global__ void __launch_bounds__ (TILE *TILE_ROWS) newton_kernel (polar_args<T> a, bool last)
{
  static_assert ((int)TILE * (int)TILE_ROWS == (int)POLAR_THREADS, "for over_block");
  typedef real_t<T> R;
  __shared__ T tile[TILE][TILE + 1];
  __shared__ double work[POLAR_THREADS / 32];
  const int across = (a.n + TILE - 1) / TILE, x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    if (!a.page[p].active)
      continue;
    T *X = a.X + p * a.n * a.n;
    const T *Y = a.Y + p * a.n * a.n;
    double of_y = 0;
    for (int k = threadIdx.x; k < a.n * a.n; k += POLAR_THREADS)
      of_y += square_of (Y[k]);
    of_y = over_block<POLAR_THREADS, false> (of_y, work);
    const double z = sqrt (sqrt (of_y / a.sum[p]));
    const R up = (R)(z / 2), down = (R)(0.5 / z);
    double square = 0;
    for (int t = 0; t < across * across; t++) {
      const int i0 = t % across * TILE, j0 = t / across * TILE;
      for (int y = y0; y < TILE; y += TILE_ROWS) // row j0+x of Y, column i0+y
        if (j0 + x < a.n && i0 + y < a.n)
          tile[y][x] = Y[j0 + x + (int64_t)(i0 + y) * a.n];
      __syncthreads ();
      for (int y = y0; y < TILE; y += TILE_ROWS)
        if (i0 + x < a.n && j0 + y < a.n) {
          T *to = X + i0 + x + (int64_t)(j0 + y) * a.n;
          *to = scale (up, *to) + scale (down, conj (tile[x][y]));
          square += square_of (*to);
        }
      __syncthreads ();
    }
    square = over_block<POLAR_THREADS, false> (square, work);
    if (threadIdx.x == 0)
      look (a, p, square, last);
    __syncthreads ();
  }
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// A thread for each page: X is scaled in each product, before the first one also by 1/largest.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) weights_kernel (polar_args<T> a)
{
  const int64_t p = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (p >= a.pages)
    return;
  a.far[p] = 0;
  double least = 1 / a.page[p].largest, first = least;
  for (int step = 0; step < POLAR_PRODUCTS; step++) {
    const double s = least < 1 - 1e-15 ? sqrt (3 / (1 + least + least * least)) : 1;
    least = fmin (1.0, s * least * (1.5 - 0.5 * s * s * least * least));
    const double all = s * first;
    a.weights[step * a.pages + p] = make_double2 (1.5 * all, -0.5 * all * all * all);
    first = 1;
  }
}

// H = (Y+Y')/2 by pairs of tiles. An entry of Y-Y' above n eps |A| is more than rounding.
template <class T>
__global__ void __launch_bounds__ (TILE *TILE_ROWS) hermitian_kernel (polar_args<T> a)
{
  typedef real_t<T> R;
  __shared__ T upper[TILE][TILE + 1], lower[TILE][TILE + 1];
  const int across = (a.n + TILE - 1) / TILE, x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y) {
    T *Y = a.Y + p * a.n * a.n;
    const double bound = a.n * (double)limits<R>::eps * a.page[p].norm;
    bool bad = false;
    for (int t = blockIdx.x; t < across * across; t += a.parts) {
      const int i0 = t % across * TILE, j0 = t / across * TILE;
      if (i0 < j0)
        continue;
      for (int y = y0; y < TILE; y += TILE_ROWS) {
        if (i0 + x < a.n && j0 + y < a.n)
          lower[y][x] = Y[i0 + x + (int64_t)(j0 + y) * a.n];
        if (j0 + x < a.n && i0 + y < a.n)
          upper[y][x] = Y[j0 + x + (int64_t)(i0 + y) * a.n];
      }
      __syncthreads ();
      for (int y = y0; y < TILE; y += TILE_ROWS) {
        if (i0 + x < a.n && j0 + y < a.n) {
          const T one = lower[y][x], other = conj (upper[x][y]);
          bad |= !((double)absmax (one - other) <= bound);
          Y[i0 + x + (int64_t)(j0 + y) * a.n] = scale (R (0.5), one + other);
        }
        if (i0 > j0 && j0 + x < a.n && i0 + y < a.n)
          Y[j0 + x + (int64_t)(i0 + y) * a.n] = scale (R (0.5), upper[y][x] + conj (lower[x][y]));
      }
      __syncthreads ();
    }
    bad |= a.far != nullptr && a.far[p] != 0;
    if (bad)
      a.page[p].failed = a.page[p].failed == 1 ? 1 : 2;
  }
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// A block for each page: the eigenvalues by their modulus, which differs from their order among
// those that are negative by rounding alone.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    values_kernel (polar_args<T> a, polar_results<T> r)
{
  typedef real_t<T> R;
  const int64_t p = blockIdx.x;
  const R *lambda = r.lambda + p * a.n;
  const int failed = a.page[p].failed;
  const int info = failed == 1 ? a.n + 1 : failed != 0 || r.eig_info[p] != 0 ? a.n : 0;
  for (int j = threadIdx.x; j < a.n; j += POLAR_THREADS) {
    const R mine = fabs (lambda[j]);
    int rank = 0;
    for (int i = 0; i < a.n; i++) {
      const R other = fabs (lambda[i]);
      rank += other > mine || (other == mine && i < j);
    }
    if (info != 0)
      rank = j;
    r.order[p * a.n + rank] = lambda[j] < 0 ? -1 - j : j;
    if (rank < r.values)
      r.S[p * r.page_s + rank * r.row_s] =
          info != 0 ? R (NAN) : (R)times_power ((double)mine, a.page[p].exponent);
  }
  if (threadIdx.x == 0) {
    r.info[p] = info;
    if (info != 0)
      *r.any = 1;
  }
}

// Block (x, y) copies columns x, x + gridDim.x, .. of pages y, y + gridDim.y, ..
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    columns_kernel (polar_args<T> a, polar_results<T> r)
{
  typedef real_t<T> R;
  const int most = max (r.v_columns, r.vs_columns);
  for (int64_t p = blockIdx.y; p < a.pages; p += gridDim.y)
    for (int c = blockIdx.x; c < most; c += gridDim.x) {
      const int from = r.order[p * a.n + c], j = from < 0 ? -1 - from : from;
      const R sign = from < 0 ? R (-1) : R (1);
      const T *w = r.W + p * a.n * a.n + (int64_t)j * a.n;
      for (int i = threadIdx.x; i < a.n; i += POLAR_THREADS) {
        const T v = r.info[p] != 0 ? from_real<T> (R (NAN)) : w[i];
        if (c < r.v_columns)
          r.V.data[p * r.V.page + c * r.V.ld + i] = v;
        if (c < r.vs_columns)
          r.VS.data[p * r.VS.page + c * r.VS.ld + i] = scale (sign, v);
      }
    }
}

} // namespace

template <class T> cudaError_t polar_start (const polar_args<T> &a)
{
  const dim3 grid = polar_grid (a, a.parts);
  if (a.parts == 1) {
    start_page_kernel<<<grid, POLAR_THREADS, 0, a.stream>>> (a);
    return cudaGetLastError ();
  }
  largest_kernel<<<grid, POLAR_THREADS, 0, a.stream>>> (a);
  scale_kernel<<<grid, POLAR_THREADS, 0, a.stream>>> (a);
  start_kernel<<<grid, POLAR_THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_newton (const polar_args<T> &a, bool last)
{
  static_assert (polar_parts (polar_inverted (is_complex_v<T>), is_complex_v<T>) == 1,
                 "a block for each page");
  newton_kernel<<<polar_grid (a, 1), TILE * TILE_ROWS, 0, a.stream>>> (a, last);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_weights (const polar_args<T> &a)
{
  const unsigned blocks = (unsigned)((a.pages + POLAR_THREADS - 1) / POLAR_THREADS);
  weights_kernel<<<blocks, POLAR_THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_hermitian (const polar_args<T> &a)
{
  hermitian_kernel<<<polar_grid (a, a.parts), TILE * TILE_ROWS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_finish (const polar_args<T> &a, const polar_results<T> &r)
{
  values_kernel<<<(unsigned)a.pages, POLAR_THREADS, 0, a.stream>>> (a, r);
  if (r.v_columns + r.vs_columns > 0)
    columns_kernel<<<polar_grid (a, polar_by_steps (a.n, is_complex_v<T>) ? 256 : 32),
                     POLAR_THREADS, 0, a.stream>>> (a, r);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t polar_start (const polar_args<T> &);                                        \
  template cudaError_t polar_newton (const polar_args<T> &, bool);                                 \
  template cudaError_t polar_weights (const polar_args<T> &);                                      \
  template cudaError_t polar_hermitian (const polar_args<T> &);                                    \
  template cudaError_t polar_finish (const polar_args<T> &, const polar_results<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
