// svd_band.cu: values alone by way of a band matrix, step by step
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_band.cuh"
#include "svd_page.cuh"

namespace
{

enum { BEGIN_THREADS = 1024 };

// One block per page: its exponent, and its entries by that, with zeros behind each column.
template <class T>
__global__ void __launch_bounds__ (BEGIN_THREADS) begin_kernel (svd_values_args<T> v, T *work)
{
  const int64_t page = blockIdx.x;
  const int m = v.a.rows, n = v.a.columns;
  const svd_band_layout<T> s (m, n);
  const int exponent = exponent_of_page (v.a);
  const bool finite = exponent != INT_MAX;
  if (threadIdx.x == 0) {
    v.scale[page] = finite ? exponent : 0;
    v.a.info[page] = finite ? 0 : n + 1;
    if (!finite)
      *v.a.any = 1;
  }
  if (!finite)
    return;
  T *to = work + page * s.size () + s.page ();
  const int64_t ld = s.ld ();
  for_page (v.a, [&] (int i, int j, T x) { to[i + j * ld] = times_power (x, -exponent); });
  const int more = (int)ld - m;
  for (int t = threadIdx.x; t < more * n; t += BEGIN_THREADS)
    to[m + t % more + t / more * ld] = from_real<T> (0);
}

template <class T> svd_band_args<T> args_of (const svd_values_args<T> &v)
{
  return {v.rest, v.a.info, v.a.pages, v.a.rows, v.a.columns, v.stream};
}

} // namespace

svd_band_cost svd_band_costs (gla_type type, double rows, double columns)
{
  const bool wide = gla_type_real (type) == GLA_TYPE_D, is_complex = gla_type_is_complex (type);
  const double passes = (wide ? 3.6e-13 : 2.6e-13) * (is_complex ? 2 : 1);
  const double waits = 1.5e-10 * columns * columns;
  return {passes * rows * columns * columns + waits, columns * 6e-6};
}

template <class T> cudaError_t svd_band_begin (const svd_values_args<T> &v)
{
  begin_kernel<<<(unsigned)v.a.pages, BEGIN_THREADS, 0, v.stream>>> (v, v.rest);
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
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
