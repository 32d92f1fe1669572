// pairs_steps.cu: small steps between the products: blocks of B and L, eigenvalues, rcond
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_tiles.cuh"

namespace
{

enum { THREADS = 256, GRID_MOST = 65535 };

// In blocks (x, y), y counts pages, and x elements of one.
dim3 grid_of (int64_t elements, int64_t pages)
{
  const int64_t x = (elements + 4 * THREADS - 1) / (4 * THREADS);
  return dim3 ((unsigned)(x < 1024 ? x : 1024), (unsigned)(pages < GRID_MOST ? pages : GRID_MOST));
}

// Calls f (page, element) for all elements of all pages.
template <class F> GLA_DEVICE void for_elements (int64_t elements, int64_t pages, F f)
{
  for (int64_t page = blockIdx.y; page < pages; page += gridDim.y)
    for (int64_t k = blockIdx.x * (int64_t)THREADS + threadIdx.x; k < elements;
         k += (int64_t)gridDim.x * THREADS)
      f (page, k);
}

// A thread has elements of a block column, in a grid-stride loop; blockIdx.y counts pages.
template <class T>
__global__ void __launch_bounds__ (THREADS) subtract_kernel (pencil_args<T> a, int at, int size)
{
  const int n = a.n, rows = n - at;
  for_elements ((int64_t)rows * size, a.b_pages, [&] (int64_t page, int64_t k) {
    const int i = (int)(k % rows), j = (int)(k / rows);
    const int64_t element = page * n * n + at + i + (int64_t)(at + j) * n;
    const T w = at == 0 ? from_real<T> (0) : a.W[element];
    if (i >= size)
      a.L[element] = w - a.L[element];
    else if (i >= j && at > 0)
      a.L[element] = a.L[element] - w;
  });
}

// A thread has elements of a page, in a grid-stride loop; blockIdx.y counts pages.
template <class T>
__global__ void __launch_bounds__ (THREADS) keep_kernel (pencil_args<T> a, int size)
{
  const int n = a.n;
  for_elements ((int64_t)n * n, a.b_pages, [&] (int64_t page, int64_t k) {
    const int i = (int)(k % n) / size, j = (int)(k / n) / size;
    const int64_t element = page * n * n + k;
    if (i > j)
      a.L[element] = -a.M[element];
    else if (i < j)
      a.L[element] = from_real<T> (0);
  });
}

// A thread has a page; few pages are scaled.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    values_kernel (pencil_args<T> a, page_matrix<real_t<T>> lambda, int64_t step,
                   const int32_t *info_c, bool multiplied)
{
  for (int64_t p = blockIdx.x * (int64_t)THREADS + threadIdx.x; p < a.pages;
       p += (int64_t)gridDim.x * THREADS) {
    const int exponent = multiplied ? 0 : a.exponent[p];
    for (int k = 0; exponent != 0 && k < a.n; k++) {
      real_t<T> *x = lambda.data + p * lambda.page + k * step;
      *x = times_power (*x, exponent);
    }
    // A and B are finite if info is 0; if C is not, the inverse of B is too large
    if (a.info[p] == 0)
      a.info[p] = info_c[p] == a.n + 1 ? 2 * a.n + 1 : info_c[p];
  }
}

} // namespace

template <class T> cudaError_t pencil_subtract (const pencil_args<T> &a, int at, int size)
{
  subtract_kernel<T>
      <<<grid_of ((int64_t)(a.n - at) * size, a.b_pages), THREADS, 0, a.stream>>> (a, at, size);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_keep (const pencil_args<T> &a, int size)
{
  keep_kernel<T><<<grid_of ((int64_t)a.n * a.n, a.b_pages), THREADS, 0, a.stream>>> (a, size);
  return cudaGetLastError ();
}

template <class T>
cudaError_t pencil_values (const pencil_args<T> &a, const gla_array &lambda, const int32_t *info_c,
                           bool multiplied)
{
  const int64_t blocks = (a.pages + THREADS - 1) / THREADS;
  values_kernel<T><<<(unsigned)(blocks < 1 << 20 ? blocks : 1 << 20), THREADS, 0, a.stream>>> (
      a, pages_of<real_t<T>> (lambda), lambda.row_stride, info_c, multiplied);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_subtract (const pencil_args<T> &, int, int);                         \
  template cudaError_t pencil_keep (const pencil_args<T> &, int);                                  \
  template cudaError_t pencil_values (const pencil_args<T> &, const gla_array &, const int32_t *,  \
                                      bool);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
