// unmtr_wide.cu: V = Q Z by blocks of 64 reflectors and the products of pagemtimes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X -= Y (T (Y'X)) for each block, last to first. T goes into Y first, (Y T')'X, which has fewer
// rows than X has columns. A strip of 8 columns (unmtr_blocked.cu) reads all reflectors from the
// second-level cache; a tile of 64 by 64 reads an eighth of that.

#include "eig_kernels.cuh"
#include "unmtr_strip.cuh"
#include "common/cluster.cuh"
#include "engine/product_square_part.cuh"

namespace
{

enum { WIDE = UNMTR_WIDE, HALF = UNMTR_BLOCK, THREADS = 256, PHASE_THREADS = 128 };

int wide_blocks (int count)
{
  return (count + WIDE - 1) / WIDE;
}

// Work of all pages: Y T' of a block (n rows), its product with X (WIDE rows), and -T' of all
// blocks, by columns.
template <class T> struct wide_work {
  T *scaled, *product, *factor;
  int64_t scaled_page, product_page, factor_page;
  wide_work (const eig_args<T> &a)
  {
    const int n = a.n;
    scaled_page = product_page = (int64_t)WIDE * n;
    factor_page = (int64_t)WIDE * WIDE * wide_blocks (n);
    scaled = reinterpret_cast<T *> (a.tfactor + a.pages * unmtr_factor_doubles<T> (n));
    product = scaled + a.pages * scaled_page;
    factor = product + a.pages * product_page;
  }
  static int64_t numbers (int n) { return (int64_t)WIDE * (2 * n + WIDE * wide_blocks (n)); }
};

//------------------------------------------------------------------------------
// T
//------------------------------------------------------------------------------

// A matrix of HALF by HALF in shared memory.
template <class T> struct wide_square {
  T x[HALF][HALF + 1];
};

// T of block b of unmtr_blocked.cu, or 0 where there is none.
template <class T>
GLA_DEVICE void load_factor (const eig_args<T> &a, int64_t page, int b, wide_square<T> &to)
{
  const double *from = a.tfactor + page * unmtr_factor_doubles<T> (a.n) +
                       (int64_t)b * HALF * HALF * (is_complex_v<T> ? 2 : 1);
  const bool there = b < unmtr_blocks (a.n);
  for (int q = threadIdx.x; q < HALF * HALF; q += THREADS) {
    T value = from_real<T> (there ? from[q] : 0);
    if constexpr (is_complex_v<T>)
      value.y = there ? from[HALF * HALF + q] : 0;
    to.x[q / HALF][q % HALF] = value;
  }
}

// G = Y1'Y2 of the two halves of a block: each warp takes every eighth slice of 4 rows, and the
// warps add theirs one after the other.
template <class T>
GLA_DEVICE void multiply_halves (const unmtr_reflectors<T> &y, int k0, wide_square<T> &G)
{
  constexpr bool C = is_complex_v<T>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mma_tile<C> sum[2][4][2];
  for (int r0 = k0 + HALF + warp * 4; r0 < y.n; r0 += THREADS / 32 * 4) {
    mma_entry<C> left[2][2], right[4];
#pragma unroll
    for (int t = 0; t < 4; t++) {
      left[t / 2][t % 2] = y (r0 + lane % 4, k0 + 8 * t + lane / 4);
      right[t] = y (r0 + lane % 4, k0 + HALF + 8 * t + lane / 4);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        mma_add_conj (sum[i][j], left[i], right[j]);
  }
  for (int turn = 0; turn < THREADS / 32; turn++) {
    __syncthreads ();
    if (turn == warp)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
          for (int x = 0; x < 2; x++) {
            T &to = G.x[8 * i + lane / 4][8 * j + 2 * (lane % 4) + x];
            const mma_tile<C> &c = sum[i / 2][j][i % 2];
            T value = from_real<T> (c.re[x]);
            if constexpr (C)
              value.y = c.im[x];
            to = turn == 0 ? value : to + value;
          }
  }
  __syncthreads ();
}

// Row i and column j of -T' of a block.
template <class T> GLA_DEVICE void store_factor (T *factor, int i, int j, T value)
{
  factor[j * WIDE + i] = from_real<T> (0) - conj (value);
}

// -T' of a block of reflectors from the factors of its halves, [T1 -T1 G T2; 0 T2]: a block of
// threads each. It also puts ones and zeros where the reflectors have them, above which W has
// something else.
template <class T>
__global__ void __launch_bounds__ (THREADS) wide_factor_kernel (eig_args<T> a, wide_work<T> w)
{
  __shared__ wide_square<T> G, F;
  const int64_t page = blockIdx.x;
  const int n = a.n, block = blockIdx.y, k0 = block * WIDE, j = threadIdx.x % HALF;
  unmtr_reflectors<T> y (a, page);
  T *factor = w.factor + page * w.factor_page + (int64_t)block * WIDE * WIDE;
  if (a.info[page] != 0)
    return;
  multiply_halves (y, k0, G);
  load_factor (a, page, 2 * block + 1, F);
  __syncthreads ();
  T product[HALF * HALF / THREADS];
  for (int q = 0; q < HALF * HALF / THREADS; q++) {
    const int i = threadIdx.x / HALF + q * (THREADS / HALF);
    product[q] = from_real<T> (0);
    for (int l = 0; l <= j; l++)
      product[q] = madd (G.x[i][l], F.x[l][j], product[q]);
    store_factor (factor, HALF + j, HALF + i, F.x[i][j]);
    store_factor (factor, i, HALF + j, from_real<T> (0));
  }
  __syncthreads ();
  for (int q = 0; q < HALF * HALF / THREADS; q++)
    G.x[threadIdx.x / HALF + q * (THREADS / HALF)][j] = product[q];
  load_factor (a, page, 2 * block, F);
  __syncthreads ();
  for (int q = 0; q < HALF * HALF / THREADS; q++) {
    const int i = threadIdx.x / HALF + q * (THREADS / HALF);
    T sum = from_real<T> (0);
    for (int l = i; l < HALF; l++)
      sum = madd (F.x[i][l], G.x[l][j], sum);
    store_factor (factor, HALF + j, i, from_real<T> (0) - sum);
    store_factor (factor, j, i, F.x[i][j]);
  }
  T *W = a.W + page * n * n;
  for (int q = threadIdx.x; q < WIDE * (WIDE + y.below); q += THREADS) {
    const int k = k0 + q / (WIDE + y.below), r = k0 + q % (WIDE + y.below);
    if (k < n && r < n && r <= k + y.below)
      W[(int64_t)k * n + r] = from_real<T> (r == k + y.below ? 1 : 0);
  }
}

//------------------------------------------------------------------------------
// columns
//------------------------------------------------------------------------------

// A matrix of each page.
template <class T> struct wide_columns {
  T *data;
  int64_t ld, page;
};

// X = Z: a block of threads to a column.
template <class T>
__global__ void __launch_bounds__ (PHASE_THREADS)
    wide_begin_kernel (eig_args<T> a, wide_columns<T> X)
{
  const int64_t page = blockIdx.x;
  const int j = blockIdx.y, n = a.n;
  if (a.info[page] != 0)
    return;
  const real_t<T> *from =
      static_cast<const real_t<T> *> (a.Z) + (page * n + eig_source_of (a, page, j)) * n;
  T *to = X.data + page * X.page + (eig_place_of (a, page, j) - a.first) * X.ld;
  for (int r = threadIdx.x; r < n; r += PHASE_THREADS)
    to[r] = from_real<T> (from[r]);
}

// The row of a column that its phase is taken from, and what turns it; a row to a thread and the
// one PHASE_THREADS below it.
template <int VALUES, class T> GLA_DEVICE T phase_of (const T (&x)[VALUES], int n, int &first)
{
  __shared__ double most[PHASE_THREADS / 32];
  __shared__ T component;
  double large = 0;
#pragma unroll
  for (int q = 0; q < VALUES; q++)
    large = fmax (large, phase_size (x[q]));
  for (int mask = 16; mask > 0; mask /= 2)
    large = fmax (large, shuffle_xor (large, mask));
  if (threadIdx.x % 32 == 0)
    most[threadIdx.x / 32] = large;
  __syncthreads ();
  for (int k = 0; k < PHASE_THREADS / 32; k++)
    large = fmax (large, most[k]);
  first = n - 1;
#pragma unroll
  for (int q = VALUES - 1; q >= 0; q--)
    if (phase_size (x[q]) >= phase_near<T> * large)
      first = min (first, (int)threadIdx.x + q * PHASE_THREADS);
  __shared__ int least;
  if (threadIdx.x == 0)
    least = n - 1;
  __syncthreads ();
  atomicMin (&least, first);
  __syncthreads ();
  first = least;
#pragma unroll
  for (int q = 0; q < VALUES; q++)
    if ((int)threadIdx.x + q * PHASE_THREADS == first)
      component = x[q];
  __syncthreads ();
  return phase_factor (component);
}

// Columns of X = V get their phase; NaN where the page has failed. A block of threads has a column.
template <class T, int VALUES>
__global__ void __launch_bounds__ (PHASE_THREADS) wide_end_kernel (eig_args<T> a, wide_columns<T> X)
{
  const int64_t page = blockIdx.x;
  const int j = blockIdx.y, n = a.n;
  T *column = X.data + page * X.page + j * X.ld;
  if (a.info[page] != 0) {
    for (int r = threadIdx.x; r < n; r += PHASE_THREADS)
      column[r] = from_real<T> (nan (""));
    return;
  }
  if (!a.phase)
    return;
  T x[VALUES];
#pragma unroll
  for (int q = 0; q < VALUES; q++) {
    const int r = threadIdx.x + q * PHASE_THREADS;
    x[q] = r < n ? column[r] : from_real<T> (0);
  }
  int first;
  const T factor = phase_of (x, n, first);
#pragma unroll
  for (int q = 0; q < VALUES; q++) {
    const int r = threadIdx.x + q * PHASE_THREADS;
    if (r < n)
      column[r] = phase_turned (factor, x[q], r == first);
  }
}

template <class T> cudaError_t end_columns (const eig_args<T> &a, const wide_columns<T> &X)
{
  const dim3 grid ((unsigned)a.pages, a.wanted);
  if (a.n <= 4 * PHASE_THREADS)
    wide_end_kernel<T, 4><<<grid, PHASE_THREADS, 0, a.stream>>> (a, X);
  else if (a.n <= 8 * PHASE_THREADS)
    wide_end_kernel<T, 8><<<grid, PHASE_THREADS, 0, a.stream>>> (a, X);
  else
    wide_end_kernel<T, 16><<<grid, PHASE_THREADS, 0, a.stream>>> (a, X);
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// C = op (A) B of m by k and k by n on all pages, or C += A B.
template <bool CONJ, bool ADD, class T>
cudaError_t multiply (const eig_args<T> &a, const page_operand<T> &A, const page_operand<T> &B,
                      const wide_columns<T> &C, int m, int n, int k, bool *done)
{
  product_args<T, T> p = {};
  p.A = A;
  p.B = B;
  p.C = C.data;
  p.ldc = C.ld;
  p.page = C.page;
  p.pages = a.pages;
  p.m = m;
  p.n = n;
  p.k = k;
  p.transpose_a = p.conjugate_a = CONJ;
  return product_squares (p, a.multiprocessors, ADD, a.stream, done);
}

// One block of reflectors applied to X.
template <class T>
cudaError_t apply_block (const eig_args<T> &a, const wide_work<T> &w, const wide_columns<T> &X,
                         int block, int count, bool *done)
{
  const int n = a.n, k0 = block * WIDE, rows = n - k0;
  const page_operand<T> Y = {a.W + (int64_t)k0 * n + k0, n, (int64_t)n * n, nullptr};
  const page_operand<T> factor = {w.factor + (int64_t)block * WIDE * WIDE, WIDE, w.factor_page,
                                  nullptr};
  const page_operand<T> scaled = {w.scaled, n, w.scaled_page, nullptr};
  const page_operand<T> product = {w.product, WIDE, w.product_page, nullptr};
  cudaError_t status =
      multiply<false, false> (a, Y, factor, {w.scaled, n, w.scaled_page}, rows, count, count, done);
  if (status == cudaSuccess && *done)
    status = multiply<true, false> (a, scaled, {X.data + k0, X.ld, X.page, nullptr},
                                    {w.product, WIDE, w.product_page}, count, a.wanted, rows, done);
  if (status == cudaSuccess && *done)
    status = multiply<false, true> (a, Y, product, {X.data + k0, X.ld, X.page}, rows, a.wanted,
                                    count, done);
  return status;
}

// By way of a band the columns are in V already.
template <class T> cudaError_t apply_all (const eig_args<T> &a, bool *done)
{
  const int n = a.n, below = a.chased != nullptr ? EIG_BANDWIDTH : 1;
  const int count = eig_reflectors (n, below), blocks = wide_blocks (count);
  const wide_work<T> w (a);
  const wide_columns<T> X = {a.V + a.first * a.ldv, a.ldv, a.page_v};
  *done = false;
  wide_factor_kernel<<<dim3 ((unsigned)a.pages, blocks), THREADS, 0, a.stream>>> (a, w);
  if (a.chased == nullptr)
    wide_begin_kernel<<<dim3 ((unsigned)a.pages, a.wanted), PHASE_THREADS, 0, a.stream>>> (a, X);
  cudaError_t status = cudaGetLastError ();
  for (int b = blocks - 1; b >= 0 && status == cudaSuccess; b--) {
    const int left = count - b * WIDE;
    status = apply_block (a, w, X, b, left < WIDE ? left : WIDE, done);
    if (status == cudaSuccess && !*done)
      return b == blocks - 1 ? cudaSuccess : cudaErrorUnknown;
  }
  return status == cudaSuccess ? end_columns (a, X) : status;
}

template <class T> constexpr bool serves = std::is_same_v<T, cx<double>>;

} // namespace

template <class T> int64_t unmtr_wide_doubles (int n)
{
  const bool served = serves<T> && n >= UNMTR_WIDE_FROM && n <= UNMTR_WIDE_TO;
  return served ? 2 * wide_work<T>::numbers (n) : 0;
}

template <class T> bool unmtr_wide_serves (const eig_args<T> &a)
{
  return serves<T> && a.n >= UNMTR_WIDE_FROM && a.n <= UNMTR_WIDE_TO && clusters_work () &&
         a.spans == nullptr && a.wanted > a.n / EIG_MANY_SHARE;
}

template <class T> cudaError_t unmtr_wide (const eig_args<T> &a, bool *done)
{
  if constexpr (serves<T>)
    return apply_all (a, done);
  *done = false;
  return cudaSuccess;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t unmtr_wide_doubles<T> (int);                                                    \
  template bool unmtr_wide_serves (const eig_args<T> &);                                           \
  template cudaError_t unmtr_wide (const eig_args<T> &, bool *);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
