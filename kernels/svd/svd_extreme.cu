// svd_extreme.cu: tall pages of denormal or huge numbers, which are divided by a power of two
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd.cuh"
#include "svd_reflection.cuh"

namespace
{

enum { THREADS = 256, DIVIDE_BLOCKS = 1024 };

// A largest value below `least` is too small: an error of R, which is the smallest number times the
// number of columns at most, is more than an eps of it. Numbers with exponents outside of `low` and
// `high` are extreme; low is above the exponent of `least`, and high lets the norm of a column of
// any length be finite.
template <class R> struct extreme;
template <> struct extreme<float> {
  static constexpr float least = 0x1p-105f;
  static constexpr int low = -100, high = 90;
};
template <> struct extreme<double> {
  static constexpr double least = 0x1p-1000;
  static constexpr int low = -990, high = 960;
};

// A thread for each page.
template <class R>
__global__ void __launch_bounds__ (THREADS)
    find_extreme_kernel (const R *S, int64_t page_s, int32_t *info, int64_t pages, int *any)
{
  const int64_t page = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (page >= pages || info[page] != 0)
    return;
  const R largest = S[page * page_s];
  if (largest > 0 && largest < extreme<R>::least) {
    info[page] = SVD_EXTREME;
    *any = 1;
  }
}

// A block for each page.
template <class T>
__global__ void __launch_bounds__ (THREADS) exponent_kernel (svd_args<T> a, int32_t *exponent)
{
  typedef extreme<real_t<T>> range;
  const int64_t page = blockIdx.x;
  const int32_t info = a.info[page];
  int e = info == 0 ? 0 : exponent_of_page (a);
  e = e == INT_MAX || (e >= range::low && e <= range::high) ? 0 : e;
  if (threadIdx.x == 0)
    exponent[page] = e;
}

// Block (x, y) has blockDim.x numbers of page y from blockDim.x*x on, and so on across the page.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    divide_kernel (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                   const int32_t *exponent)
{
  const int64_t page = blockIdx.y, all = rows * columns;
  const int e = exponent[page];
  for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < all;
       k += (int64_t)gridDim.x * THREADS) {
    const int64_t i = k % rows, j = k / rows;
    const T a = from.data[page * from.page + i + j * from.ld];
    to.data[page * to.page + i + j * to.ld] = e == 0 ? a : times_power (a, -e);
  }
}

// A thread for each value.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    multiply_values_kernel (svd_args<T> a, const int32_t *exponent)
{
  const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x, page = k / a.values;
  if (page >= a.pages || exponent[page] == 0)
    return;
  real_t<T> *s = a.S + page * a.page_s + k % a.values * a.row_s;
  *s = times_power (*s, exponent[page]);
}

unsigned blocks_for (int64_t threads)
{
  return (unsigned)((threads + THREADS - 1) / THREADS);
}

} // namespace

template <class T> cudaError_t svd_find_extreme (const svd_args<T> &a, cudaStream_t stream)
{
  find_extreme_kernel<real_t<T>>
      <<<blocks_for (a.pages), THREADS, 0, stream>>> (a.S, a.page_s, a.info, a.pages, a.any);
  return cudaGetLastError ();
}

template <class T>
cudaError_t svd_extreme_exponents (const svd_args<T> &a, int32_t *exponent, cudaStream_t stream)
{
  exponent_kernel<T><<<(unsigned)a.pages, THREADS, 0, stream>>> (a, exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t svd_divide (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        int64_t pages, const int32_t *exponent, cudaStream_t stream)
{
  const unsigned blocks = rows * columns < DIVIDE_BLOCKS * THREADS ? blocks_for (rows * columns)
                                                                   : (unsigned)DIVIDE_BLOCKS;
  divide_kernel<T>
      <<<dim3 (blocks, (unsigned)pages), THREADS, 0, stream>>> (to, from, rows, columns, exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t svd_multiply_values (const svd_args<T> &a, const int32_t *exponent, cudaStream_t stream)
{
  multiply_values_kernel<T><<<blocks_for (a.pages * a.values), THREADS, 0, stream>>> (a, exponent);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_find_extreme (const svd_args<T> &, cudaStream_t);                       \
  template cudaError_t svd_extreme_exponents (const svd_args<T> &, int32_t *, cudaStream_t);       \
  template cudaError_t svd_divide (page_matrix<T>, page_matrix<const T>, int64_t, int64_t,         \
                                   int64_t, const int32_t *, cudaStream_t);                        \
  template cudaError_t svd_multiply_values (const svd_args<T> &, const int32_t *, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
