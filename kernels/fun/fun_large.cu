// fun_large.cu: functions of Hermitian pages above order 32: values, factors, and repairs
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fun.cuh"

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32, BLOCKS_MOST = 1 << 20, TILE = 32 };

unsigned blocks_for (int64_t count)
{
  return (unsigned)(count < BLOCKS_MOST ? count : BLOCKS_MOST);
}

// A warp has a page, and its lanes every 32nd value. The first value of a page that failed fills
// it.
template <class T, class E>
__global__ void __launch_bounds__ (THREADS) fun_values_kernel (fun_args<T, E> a)
{
  const int n = a.rule.n, lane = threadIdx.x % 32;
  const int64_t warps = (int64_t)gridDim.x * WARPS;
  for (int64_t p = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; p < a.pages; p += warps) {
    fun_value *values = a.values + p * n;
    int first = n, not_real = 0;
    for (int j = lane; j < n; j += 32) {
      const fun_value f = fun_of_page (a.rule, a.lambda + p * n, p, j);
      values[j] = f;
      if (first == n && !fun_is_finite (a.rule.is_single, f))
        first = j;
      not_real |= f.im != 0;
    }
    for (int step = 16; step > 0; step /= 2)
      first = min (first, __shfl_xor_sync (~0u, first, step));
    not_real = __any_sync (~0u, not_real);
    __syncwarp (); // all values of the page are there
    if (lane != 0)
      continue;
    const fun_verdict v = fun_judge (a.rule, a.info[p], first, not_real != 0);
    a.info[p] = v.info;
    a.state[p] = v.state;
    if (first < n)
      values[0] = values[first];
  }
}

// A block has a page; its threads share the elements, of which each column has one value. Pages
// that failed are left out.
template <class T, class E>
__global__ void __launch_bounds__ (THREADS) fun_factors_kernel (fun_args<T, E> a)
{
  typedef real_t<T> R;
  const int n = a.rule.n;
  for (int64_t p = blockIdx.x; p < a.pages; p += gridDim.x) {
    T *X = a.V + p * n * n;
    E *Y = a.Y == nullptr ? nullptr : a.Y + p * n * n;
    const fun_value *values = a.values + p * n;
    if ((a.state[p] & FUN_FAILED) != 0)
      continue;
    for (int k = threadIdx.x; k < n * n; k += THREADS) {
      const fun_value f = values[k / n];
      const T x = scale ((R)f.root, X[k]);
      X[k] = x;
      if (Y != nullptr)
        Y[k] = fun_turn (x, (R)f.re, (R)f.im, E ());
    }
  }
}

GLA_DEVICE float without_im (float x)
{
  return x;
}
GLA_DEVICE double without_im (double x)
{
  return x;
}
template <class R> GLA_DEVICE cx<R> without_im (cx<R> x)
{
  return {x.x, 0};
}

// Copies the tile of F in tile row `row` and tile column `column`, row >= column, to the other side
// of the diagonal, through shared memory so that rows of threads read and write along columns.
template <class E>
GLA_DEVICE void mirror_tile (E *F, int64_t ld, int n, int row, int column, E (*tile)[TILE + 1])
{
  const int x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  __syncthreads ();
  for (int y = y0; y < TILE; y += THREADS / TILE) {
    const int i = row * TILE + x, k = column * TILE + y;
    if (i < n && k < n)
      tile[y][x] = F[k * ld + i];
  }
  __syncthreads ();
  for (int y = y0; y < TILE; y += THREADS / TILE) {
    const int i = column * TILE + x, k = row * TILE + y; // element (i, k) above the diagonal
    if (i < k && k < n)
      F[k * ld + i] = conj (tile[x][y]);
    else if (i == k && k < n)
      F[k * ld + i] = without_im (tile[x][y]);
  }
}

// A block has a page. A page that failed is filled, column by column; if the values of a page are
// real, tiles of 32x32 elements are mirrored, unless the product has done that.
template <class T, class E>
__global__ void __launch_bounds__ (THREADS) fun_repair_kernel (fun_args<T, E> a)
{
  __shared__ E tile[TILE][TILE + 1];
  const int n = a.rule.n, tiles = (n + TILE - 1) / TILE;
  for (int64_t p = blockIdx.x; p < a.pages; p += gridDim.x) {
    E *F = a.F + p * a.page_f;
    const int state = a.state[p];
    if ((state & FUN_FAILED) != 0) {
      const E fill = fun_element<E> (fun_fill (a.rule, a.info[p], a.values[p * n]));
      for (int k = threadIdx.x; k < n * n; k += THREADS)
        F[(k / n) * a.ldf + k % n] = fill;
    } else if (a.Y != nullptr && (state & FUN_NOT_REAL) == 0)
      for (int row = 0; row < tiles; row++)
        for (int column = 0; column <= row; column++)
          mirror_tile (F, a.ldf, n, row, column, tile);
  }
}

} // namespace

template <class T, class E> cudaError_t fun_values (const fun_args<T, E> &a)
{
  fun_values_kernel<T, E><<<blocks_for ((a.pages + WARPS - 1) / WARPS), THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T, class E> cudaError_t fun_factors (const fun_args<T, E> &a)
{
  fun_factors_kernel<T, E><<<blocks_for (a.pages), THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T, class E> cudaError_t fun_repair (const fun_args<T, E> &a)
{
  fun_repair_kernel<T, E><<<blocks_for (a.pages), THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T, E)                                                                      \
  template cudaError_t fun_values (const fun_args<T, E> &);                                        \
  template cudaError_t fun_factors (const fun_args<T, E> &);                                       \
  template cudaError_t fun_repair (const fun_args<T, E> &);
GLA_INSTANTIATE (float, float)
GLA_INSTANTIATE (double, double)
GLA_INSTANTIATE (cx<float>, cx<float>)
GLA_INSTANTIATE (cx<double>, cx<double>)
GLA_INSTANTIATE (float, cx<float>)
GLA_INSTANTIATE (double, cx<double>)
