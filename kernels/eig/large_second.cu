// large_second.cu: the second factor of the update by a panel of a large page, by many blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// W = X T - V S/2 with S = T'(V'X)T (large_band.cu), in one kernel instead of five small products.

#include "large.cuh"

namespace
{

enum { B = LARGE_BAND, ROWS = LARGE_SECOND_ROWS, THREADS = 256, LDR = B + 1, LDS = B + 1 };

template <class T> struct second_args {
  int n, rows;
  const T *V, *X, *triangular; // V and X: n apart
  T *W[2];                     // where W goes, n apart
  T *partial;                  // B*B for each block, then V'X
  unsigned *counter;
};

// Shared memory of a block: its rows of V and X, then three matrices of B*B.
template <class T> constexpr size_t second_bytes ()
{
  return (2 * ROWS * LDR + 3 * B * LDS) * sizeof (T);
}

// c(i, j) = sum of op (a(k, i)) b(k, j) for all i, j and k < depth, the conjugate where CONJ; a is
// by rows or, where COLUMNS, is a(i, k).
template <bool CONJ, bool COLUMNS, int LDA, int LDB, class T>
GLA_DEVICE void product (const T *a, const T *b, int depth, T (&c)[B * B / THREADS])
{
  int j = threadIdx.x % B, i0 = threadIdx.x / B;
#pragma unroll
  for (int q = 0; q < B * B / THREADS; q++)
    c[q] = from_real<T> (0);
#pragma unroll 4
  for (int k = 0; k < depth; k++) {
    T right = b[k * LDB + j];
#pragma unroll
    for (int q = 0; q < B * B / THREADS; q++) {
      int i = i0 + q * (THREADS / B);
      T left = COLUMNS ? a[i * LDA + k] : a[k * LDA + i];
      c[q] = CONJ ? cmadd (left, right, c[q]) : madd (left, right, c[q]);
    }
  }
}

// Entry q of this thread's part of a matrix of B*B.
GLA_DEVICE int entry_row (int q)
{
  return threadIdx.x / B + q * (THREADS / B);
}

// S: V'X to -S/2, with T in `triangular`.
template <class T> GLA_DEVICE void middle (T *square, const T *triangular, T *between)
{
  T c[B * B / THREADS];
  int j = threadIdx.x % B;
  product<false, true, LDS, LDS> (square, triangular, B, c);
#pragma unroll
  for (int q = 0; q < B * B / THREADS; q++)
    between[entry_row (q) * LDS + j] = c[q];
  __syncthreads ();
  product<true, false, LDS, LDS> (triangular, between, B, c);
#pragma unroll
  for (int q = 0; q < B * B / THREADS; q++)
    square[entry_row (q) * LDS + j] = scale (real_t<T> (-0.5), c[q]);
  __syncthreads ();
}

// ROWS rows of V and X from `first` on, zero behind the last one.
template <class T> GLA_DEVICE void load_rows (const second_args<T> &p, int first, T *V, T *X)
{
  __syncthreads ();
  for (int q = threadIdx.x; q < ROWS * B; q += THREADS) {
    int r = q % ROWS, c = q / ROWS;
    bool inside = first + r < p.rows;
    V[r * LDR + c] = inside ? p.V[(int64_t)c * p.n + first + r] : from_real<T> (0);
    X[r * LDR + c] = inside ? p.X[(int64_t)c * p.n + first + r] : from_real<T> (0);
  }
  __syncthreads ();
}

// Adds up what all blocks have put into p.partial, an entry to a warp, and brings it to `to`.
template <class T> GLA_DEVICE void sum_of_all (const second_args<T> &p, T *to)
{
  int lane = threadIdx.x % 32, blocks = gridDim.x, warps = blocks * (THREADS / 32);
  T *sums = p.partial + (int64_t)blocks * B * B;
  grid_barrier (p.counter, 1);
  for (int q = blockIdx.x * (THREADS / 32) + threadIdx.x / 32; q < B * B; q += warps) {
    T sum = from_real<T> (0);
#pragma unroll 4
    for (int b = lane; b < blocks; b += 32)
      sum = sum + shared_load (p.partial + (int64_t)b * B * B + q);
    sum = lane_sum<32> (sum);
    if (lane == 0)
      shared_store (sums + q, sum);
  }
  grid_barrier (p.counter, 2);
  for (int q = threadIdx.x; q < B * B; q += THREADS)
    to[q / B * LDS + q % B] = shared_load (sums + q);
  __syncthreads ();
}

// W = X T - V S/2 for the rows in shared memory: a thread has a row and some neighbouring columns.
template <class T>
GLA_DEVICE void store_product (const second_args<T> &p, int first, const T *V, const T *X,
                               const T *square, const T *triangular)
{
  constexpr int EACH = ROWS * B / THREADS;
  int r = threadIdx.x % ROWS, k0 = threadIdx.x / ROWS * EACH;
  T sum[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    sum[k] = from_real<T> (0);
#pragma unroll 2
  for (int l = 0; l < B; l++) {
    T v = V[r * LDR + l], x = X[r * LDR + l];
#pragma unroll
    for (int k = 0; k < EACH; k++)
      sum[k] = madd (v, square[l * LDS + k0 + k], madd (x, triangular[l * LDS + k0 + k], sum[k]));
  }
  if (first + r < p.rows)
#pragma unroll
    for (int k = 0; k < EACH; k++)
      p.W[0][(int64_t)(k0 + k) * p.n + first + r] = p.W[1][(int64_t)(k0 + k) * p.n + first + r] =
          sum[k];
}

// A block has ROWS rows; if the GPU cannot hold so many blocks at once, a block has several pieces
// of ROWS rows. It multiplies its V' by its X; the blocks add up all products; then each computes W
// of its rows.
template <class T>
__global__ void __launch_bounds__ (THREADS) large_second_kernel (second_args<T> p)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  T *V = reinterpret_cast<T *> (memory), *X = V + ROWS * LDR, *square = X + ROWS * LDR,
    *triangular = square + B * LDS, *between = triangular + B * LDS;
  int step = gridDim.x * ROWS, j = threadIdx.x % B, last = 0;
  for (int q = threadIdx.x; q < B * B; q += THREADS)
    triangular[q % B * LDS + q / B] = p.triangular[q];
  T total[B * B / THREADS] = {};
  for (int first = blockIdx.x * ROWS; first < p.rows; first += step) {
    T c[B * B / THREADS];
    load_rows (p, first, V, X);
    product<true, false, LDR, LDR> (V, X, ROWS, c);
#pragma unroll
    for (int q = 0; q < B * B / THREADS; q++)
      total[q] = total[q] + c[q];
    last = first;
  }
#pragma unroll
  for (int q = 0; q < B * B / THREADS; q++)
    shared_store (p.partial + (int64_t)blockIdx.x * B * B + entry_row (q) * B + j, total[q]);
  sum_of_all (p, square);
  middle (square, triangular, between);
  for (int first = last; first >= 0; first -= step) {
    if (first != last)
      load_rows (p, first, V, X);
    store_product (p, first, V, X, square, triangular);
  }
}

} // namespace

template <class T> cudaError_t large_second (const large_page<T> &a, int panel, int64_t pending)
{
  int64_t row = (int64_t)(panel + 1) * B;
  second_args<T> p = {};
  p.n = a.n;
  p.rows = (int)(a.n - row);
  p.V = a.work.factors + row;
  p.X = p.V + (int64_t)B * a.n;
  p.triangular = a.work.panel_factors + (int64_t)panel * B * B;
  for (int k = 0; k < 2; k++)
    p.W[k] = a.work.pending[k] + (pending + (1 - k) * B) * a.n + row;
  p.partial = a.work.partial;
  p.counter = a.work.counters + large_panels (a.n) + panel;
  size_t bytes = second_bytes<T> ();
  cudaError_t status = allow_shared (large_second_kernel<T>, bytes);
  if (status != cudaSuccess)
    return status;
  int blocks = (p.rows + ROWS - 1) / ROWS;
  blocks = blocks < a.multiprocessors ? blocks : a.multiprocessors;
  return launch_together (large_second_kernel<T>, blocks, THREADS, bytes, a.stream, p);
}

template cudaError_t large_second (const large_page<float> &, int, int64_t);
template cudaError_t large_second (const large_page<double> &, int, int64_t);
template cudaError_t large_second (const large_page<cx<float>> &, int, int64_t);
template cudaError_t large_second (const large_page<cx<double>> &, int, int64_t);
