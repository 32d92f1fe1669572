// svd_band.cu: singular values alone by a reduction to a band, step by step
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_band.cuh"

namespace
{

enum { BEGIN_THREADS = 256, BEGIN_PARTS = 16 };

// Element (i, j) of the block's part of page blockIdx.x, a warp to a column of A: f (i, j, a).
template <class T, class F> GLA_DEVICE void for_part (const svd_args<T> &a, F f)
{
  const T *A = a.A.data + (int64_t)blockIdx.x * a.A.page;
  const int lane = threadIdx.x % 32, warps = BEGIN_THREADS / 32;
  const int across = a.flip ? a.rows : a.columns, down = a.flip ? a.columns : a.rows;
  for (int c = blockIdx.y * warps + threadIdx.x / 32; c < across; c += warps * BEGIN_PARTS) {
#pragma unroll 4
    for (int r = lane; r < down; r += 32)
      f (a.flip ? c : r, a.flip ? r : c, A[r + (int64_t)c * a.A.ld]);
  }
}

// BEGIN_PARTS blocks per page: the exponent of its largest entry, or INT_MAX where one is not
// finite, to v.scale, which holds very negative numbers before.
template <class T>
__global__ void __launch_bounds__ (BEGIN_THREADS) scale_kernel (svd_values_args<T> v)
{
  int exponent = INT_MIN;
  for_part (v.a, [&] (int, int, T x) {
    const double here = (double)absmax (x);
    const int mine = !(here <= DBL_MAX) ? INT_MAX : here > 0 ? ilogb (here) : INT_MIN;
    exponent = mine > exponent ? mine : exponent;
  });
  for (int mask = 16; mask > 0; mask /= 2)
    exponent = max (exponent, __shfl_xor_sync (0xffffffffu, exponent, mask));
  if (threadIdx.x % 32 == 0)
    atomicMax (v.scale + blockIdx.x, exponent);
}

// BEGIN_PARTS blocks per page: its entries by that exponent, with zeros behind each column.
template <class T>
__global__ void __launch_bounds__ (BEGIN_THREADS) begin_kernel (svd_values_args<T> v, T *work)
{
  const int64_t page = blockIdx.x;
  const int m = v.a.rows, n = v.a.columns, exponent = v.scale[page];
  const svd_band_layout<T> s (m, n);
  const bool finite = exponent != INT_MAX;
  if (threadIdx.x == 0 && blockIdx.y == 0) {
    v.a.info[page] = finite ? 0 : n + 1;
    if (!finite)
      *v.a.any = 1;
  }
  if (!finite)
    return;
  T *to = work + page * s.size () + s.page ();
  const int64_t ld = s.ld ();
  for_part (v.a, [&] (int i, int j, T x) { to[i + j * ld] = times_power (x, -exponent); });
  const int more = (int)ld - m;
  for (int t = threadIdx.x; t < more * n && blockIdx.y == 0; t += BEGIN_THREADS)
    to[m + t % more + t / more * ld] = from_real<T> (0);
}

template <class T> svd_band_args<T> args_of (const svd_values_args<T> &v)
{
  return {v.rest, v.a.info, v.a.pages, v.a.rows, v.a.columns, v.stream};
}

} // namespace

svd_band_cost svd_band_costs (gla_type type, double rows, double columns)
{
  const double numbers = gla_type_is_complex (type) ? 2 : 1;
  const double passes = (gla_type_real (type) == GLA_TYPE_D ? 4.4e-13 : 2.5e-13) * numbers;
  const double waits = (1 + numbers) * columns; // of panels, and of the second stage
  return {passes * rows * columns * columns + 7.5e-11 * waits * columns, 3.3e-6 * waits};
}

template <class T> cudaError_t svd_band_begin (const svd_values_args<T> &v)
{
  const dim3 grid ((unsigned)v.a.pages, BEGIN_PARTS);
  const cudaError_t status =
      cudaMemsetAsync (v.scale, 0x80, (size_t)v.a.pages * sizeof *v.scale, v.stream);
  if (status != cudaSuccess)
    return status;
  scale_kernel<<<grid, BEGIN_THREADS, 0, v.stream>>> (v);
  begin_kernel<<<grid, BEGIN_THREADS, 0, v.stream>>> (v, v.rest);
  return cudaGetLastError ();
}

template <class T> cudaError_t svd_band_steps (const svd_values_args<T> &v, int first, int last)
{
  const svd_band_args<T> a = args_of (v);
  cudaError_t status = cudaSuccess;
  for (int step = first; step < last && status == cudaSuccess; step++) {
    status = svd_band_columns (a, step);
    if ((step + 1) * SVD_BAND >= a.n)
      break;
    if (status == cudaSuccess)
      status = svd_band_left (a, step);
    if (status == cudaSuccess)
      status = svd_band_rows (a, step);
    if (status == cudaSuccess)
      status = svd_band_right (a, step);
  }
  return status;
}

template <class T> cudaError_t svd_band_end (const svd_values_args<T> &v, int smem_limit)
{
  return svd_band_chase (args_of (v), v.d, v.e, smem_limit);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_band_begin (const svd_values_args<T> &);                                \
  template cudaError_t svd_band_steps (const svd_values_args<T> &, int, int);                      \
  template cudaError_t svd_band_end (const svd_values_args<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
