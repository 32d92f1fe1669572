// gsvd_product.cu: products of small matrices, and triangular systems, on all pages together
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_kernels.cuh"
#include "common/runtime.cuh"
#include "common/mma_tiles.cuh"

namespace
{

enum { TILE = 32, THREADS = 128, SOLVE = 64, SOLVE_ROWS = 64, SHARES = 4 };

// Block (x, y, page) has the tile of 32 x 32 of C at (32 x, 32 y). It fetches tiles of op(A) and B
// one after the other; a warp owns 16 x 16 of C.
template <class T, bool ADJOINT>
__global__ void __launch_bounds__ (THREADS)
    product_kernel (int64_t m, int64_t n, int64_t k, double alpha, page_matrix<const T> A,
                    page_matrix<const T> B, double beta, page_matrix<T> C)
{
  constexpr int LD = tile_stride<T, TILE, true> ();
  __shared__ __align__ (16) unsigned char memory[2 * TILE * LD * sizeof (T)];
  T *a = reinterpret_cast<T *> (memory), *b = a + TILE * LD; // (row i, inner r) at i*LD + r
  int64_t row0 = (int64_t)blockIdx.x * TILE, column0 = (int64_t)blockIdx.y * TILE;
  const T *A0 = A.data + blockIdx.z * A.page, *B0 = B.data + blockIdx.z * B.page;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int i0 = warp % 2 * 16, j0 = warp / 2 * 16;
  tile_sum<T> sum[2];
  for (int64_t inner = 0; inner < k; inner += TILE) {
    for (int w = threadIdx.x; w < TILE * TILE; w += THREADS) {
      int fast = w % TILE, slow = w / TILE;
      int64_t r = inner + (ADJOINT ? fast : slow), i = row0 + (ADJOINT ? slow : fast);
      T x = from_real<T> (0);
      if (r < k && i < m)
        x = ADJOINT ? conj (A0[i * A.ld + r]) : A0[r * A.ld + i];
      a[(ADJOINT ? slow * LD + fast : fast * LD + slow)] = x;
      int64_t rb = inner + fast, j = column0 + slow;
      b[slow * LD + fast] = rb < k && j < n ? B0[j * B.ld + rb] : from_real<T> (0);
    }
    __syncthreads ();
#pragma unroll
    for (int r = 0; r < TILE; r += 8) {
      tile_left<T> left;
      for (int i = 0; i < 4; i++)
        left.set (i, a[(i0 + g + 8 * (i % 2)) * LD + r + t + 4 * (i / 2)]);
      for (int c = 0; c < 2; c++) {
        tile_right<T> right;
        for (int i = 0; i < 2; i++)
          right.set (i, b[(j0 + 8 * c + g) * LD + r + t + 4 * i]);
        tile_add (sum[c], left, right);
      }
    }
    __syncthreads ();
  }
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < 4; i++) {
      int64_t row = row0 + i0 + tile_row (i), column = column0 + j0 + 8 * c + tile_column (i);
      if (row < m && column < n) {
        T *to = C.data + blockIdx.z * C.page + column * C.ld + row;
        T x = scale (alpha, sum[c].get (i));
        *to = beta == 0 ? x : x + scale (beta, *to);
      }
    }
}

GLA_DEVICE double divide (double a, double b)
{
  return a / b;
}
GLA_DEVICE cx<double> divide (cx<double> a, cx<double> b)
{
  // scale b by a power of 2 to size 1, so that its square neither over- nor underflows
  double big = absmax (b);
  cx<double> d = {b.x / big, b.y / big};
  double s = 1 / abs2 (d);
  cx<double> x = scale (s, a * conj (d));
  return {x.x / big, x.y / big};
}

// Block (x, page) has 64 rows of F. Four neighbouring lanes share a row, with its columns
// distributed cyclically and in registers; for each column its owner divides and broadcasts the
// result.
template <class T>
__global__ void __launch_bounds__ (SOLVE_ROWS *SHARES)
    solve_kernel (page_matrix<T> F, page_matrix<const T> R, int64_t rows, int first, int count)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  T *r = reinterpret_cast<T *> (memory); // (i, j) at i*SOLVE + j
  const T *R0 = R.data + blockIdx.y * R.page + first * R.ld + first;
  for (int w = threadIdx.x; w < SOLVE * SOLVE; w += SOLVE_ROWS * SHARES) {
    int i = w % SOLVE, j = w / SOLVE;
    r[i * SOLVE + j] = i <= j && j < count ? R0[j * R.ld + i] : from_real<T> (i == j ? 1 : 0);
  }
  __syncthreads ();
  int share = threadIdx.x % SHARES;
  int64_t row = (int64_t)blockIdx.x * SOLVE_ROWS + threadIdx.x / SHARES;
  T *f = F.data + blockIdx.y * F.page + first * F.ld + row, x[SOLVE / SHARES];
#pragma unroll
  for (int c = 0; c < SOLVE / SHARES; c++)
    x[c] = row < rows && c * SHARES + share < count ? f[(int64_t)(c * SHARES + share) * F.ld]
                                                    : from_real<T> (0);
#pragma unroll
  for (int j = 0; j < SOLVE; j++) {
    if (j % SHARES == share)
      x[j / SHARES] = divide (x[j / SHARES], r[j * SOLVE + j]);
    T known = from_lane (x[j / SHARES], threadIdx.x % 32 / SHARES * SHARES + j % SHARES);
#pragma unroll
    for (int c = j / SHARES; c < SOLVE / SHARES; c++)
      if (c * SHARES + share > j)
        x[c] = x[c] - known * r[j * SOLVE + c * SHARES + share];
  }
#pragma unroll
  for (int c = 0; c < SOLVE / SHARES; c++)
    if (row < rows && c * SHARES + share < count)
      f[(int64_t)(c * SHARES + share) * F.ld] = x[c];
}

} // namespace

template <class T>
cudaError_t gsvd_product (const gsvd_product_args<T> &a, int64_t pages, cudaStream_t stream)
{
  if (a.m == 0 || a.n == 0)
    return cudaSuccess;
  dim3 grid ((unsigned)((a.m + TILE - 1) / TILE), (unsigned)((a.n + TILE - 1) / TILE),
             (unsigned)pages);
  auto kernel = a.adjoint ? product_kernel<T, true> : product_kernel<T, false>;
  kernel<<<grid, THREADS, 0, stream>>> (a.m, a.n, a.k, a.alpha, a.A, a.B, a.beta, a.C);
  return cudaGetLastError ();
}

template <class T>
cudaError_t gsvd_solve (page_matrix<T> F, page_matrix<const T> R, int64_t rows, int first,
                        int count, int64_t pages, cudaStream_t stream)
{
  constexpr size_t bytes = SOLVE * SOLVE * sizeof (T);
  const cudaError_t error = allow_shared (solve_kernel<T>, bytes);
  if (error != cudaSuccess)
    return error;
  dim3 grid ((unsigned)((rows + SOLVE_ROWS - 1) / SOLVE_ROWS), (unsigned)pages);
  solve_kernel<T><<<grid, SOLVE_ROWS * SHARES, bytes, stream>>> (F, R, rows, first, count);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t gsvd_product (const gsvd_product_args<T> &, int64_t, cudaStream_t);         \
  template cudaError_t gsvd_solve (page_matrix<T>, page_matrix<const T>, int64_t, int, int,        \
                                   int64_t, cudaStream_t);
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<double>)
