// qr_cholesky.cu: the kernels of QR by way of A'A around its products: signs, results, what failed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "../src/krylov_random.h"
#include "qr_cholesky.cuh"

namespace
{

enum { THREADS = 256 };

// Squares of norms between these are summed without loss, and so are all products of columns.
template <class R> struct square_range;
template <> struct square_range<float> {
  static constexpr double low = 0x1p-100, high = 0x1p100;
};
template <> struct square_range<double> {
  static constexpr double low = 0x1p-900, high = 0x1p900;
};

// Blocks of threads: a column's rows, columns, pages.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    signs_right_kernel (qr_cholesky<T> c, int64_t J, int64_t K, int64_t rows, int64_t columns,
                        qr_matrix<T> to)
{
  int64_t chunks = (rows + THREADS - 1) / THREADS, which = blockIdx.x;
  int64_t i = which % chunks * THREADS + threadIdx.x;
  int64_t j = which / chunks % columns, page = which / chunks / columns;
  if (i >= rows)
    return;
  T m = c.M.data[page * c.M.page + J + i + (K + j) * c.M.ld];
  T r = c.R.data[page * c.R.page + J + i + (K + j) * c.R.ld];
  real_t<T> s = (real_t<T>)c.sign[page * c.n + J + i];
  to.data[page * to.page + i + j * to.ld] = m - scale (s, r);
}

// What a thread of every block has, added in a fixed order; the sum is thread 0's.
GLA_DEVICE double block_sum (double value)
{
  __shared__ double part[THREADS / 32];
  value = lane_sum<32> (value);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = value;
  __syncthreads ();
  for (int w = 1; threadIdx.x == 0 && w < THREADS / 32; w++)
    value += part[w];
  return value;
}

template <class T> GLA_DEVICE double square_of (double size, T v)
{
  double x = size * (double)re (v), y = size * (double)im (v);
  return x * x + y * y;
}

// A block of threads per column and page.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    results_kernel (qr_cholesky<T> c, qr_matrix<T> to, int64_t rows)
{
  typedef real_t<T> real;
  typedef square_range<real> range;
  int64_t j = blockIdx.x % c.n, page = blockIdx.x / c.n;
  const int *sign = c.sign + page * c.n;
  T *r = c.R.data + page * c.R.page + j * c.R.ld;
  T *inverse = c.G.data + page * c.G.page + j * c.G.ld;
  double sum = 0;
  for (int64_t i = threadIdx.x; i <= j; i += THREADS) {
    T v = scale ((real)sign[i], r[i]);
    sum += square_of (1, v);
    r[i] = v;
    if (to.data != nullptr && i < rows)
      to.data[page * to.page + i + j * to.ld] = v;
  }
  for (int64_t i = j + 1 + threadIdx.x; to.data != nullptr && i < rows; i += THREADS)
    to.data[page * to.page + i + j * to.ld] = T{};
  for (int64_t i = j / c.strip * c.strip + threadIdx.x; i <= j; i += THREADS)
    inverse[i] = scale ((real)sign[j], inverse[i]);
  sum = block_sum (sum);
  if (threadIdx.x > 0)
    return;
  c.norms[page * c.n + j] = sqrt (sum);
  if (!(sum >= range::low && sum <= range::high))
    c.failed[page] = 1;
}

GLA_DEVICE void set_random (float &to, int64_t at)
{
  to = (float)gla_krylov_random (1, (uint64_t)at);
}
GLA_DEVICE void set_random (double &to, int64_t at)
{
  to = gla_krylov_random (1, (uint64_t)at);
}
template <class R> GLA_DEVICE void set_random (cx<R> &to, int64_t at)
{
  to = {(R)gla_krylov_random (1, (uint64_t)at),
        (R)gla_krylov_random (GLA_IMAGINARY_SEED, (uint64_t)at)};
}

template <class T> __global__ void __launch_bounds__ (THREADS) random_kernel (qr_cholesky<T> c)
{
  int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x, size = c.n * QR_CHOLESKY_VECTORS;
  if (at < size * c.pages)
    set_random (c.V.data[at], at % size);
}

// Squares of the norms of the rows of D X, where X is the inverse of R, or, of more than a strip,
// has what R^-1 makes of random vectors. A block of threads for 256 rows, then pages.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    rows_kernel (qr_cholesky<T> c, qr_matrix<T> X, int64_t columns, bool triangular, double factor)
{
  int64_t chunks = (c.n + THREADS - 1) / THREADS, page = blockIdx.x / chunks;
  int64_t i = blockIdx.x % chunks * THREADS + threadIdx.x;
  if (i >= c.n)
    return;
  const T *x = X.data + page * X.page + i;
  double sum = 0, size = c.norms[page * c.n + i];
#pragma unroll 8
  for (int64_t v = triangular ? i : 0; v < columns; v++)
    sum += square_of (size, x[v * X.ld]);
  c.squares[page * c.n + i] = sum * factor;
}

// A block of threads per page.
template <class T> __global__ void __launch_bounds__ (THREADS) verdict_kernel (qr_cholesky<T> c)
{
  int64_t page = blockIdx.x;
  double sum = 0;
  for (int64_t j = threadIdx.x; j < c.n; j += THREADS)
    sum += c.squares[page * c.n + j];
  sum = block_sum (sum);
  if (threadIdx.x > 0)
    return;
  bool bad = c.failed[page] != 0 || !(sum <= (double)QR_CHOLESKY_LIMIT * (double)c.n);
  c.failed[page] = bad;
  if (bad)
    atomicAdd (c.failures, 1);
}

} // namespace

template <class T> cudaError_t qr_cholesky_start (const qr_cholesky<T> &c, cudaStream_t stream)
{
  return cudaMemsetAsync (c.failed, 0, (size_t)(c.failures + 1 - c.failed) * sizeof (int), stream);
}

template <class T>
cudaError_t qr_signs_right (const qr_cholesky<T> &c, int64_t J, int64_t K, int64_t rows,
                            int64_t columns, qr_matrix<T> to, cudaStream_t stream)
{
  int64_t blocks = (rows + THREADS - 1) / THREADS * columns * c.pages;
  signs_right_kernel<T><<<(unsigned)blocks, THREADS, 0, stream>>> (c, J, K, rows, columns, to);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_cholesky_results (const qr_cholesky<T> &c, qr_matrix<T> to, int64_t rows,
                                 cudaStream_t stream)
{
  results_kernel<T><<<(unsigned)(c.n * c.pages), THREADS, 0, stream>>> (c, to, rows);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_cholesky_random (const qr_cholesky<T> &c, cudaStream_t stream)
{
  int64_t size = c.n * QR_CHOLESKY_VECTORS * c.pages;
  random_kernel<T><<<(unsigned)((size + THREADS - 1) / THREADS), THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_cholesky_verdict (const qr_cholesky<T> &c, cudaStream_t stream)
{
  const double variance = (is_complex_v<T> ? 2 : 1) / 3.0;
  unsigned blocks = (unsigned)((c.n + THREADS - 1) / THREADS * c.pages);
  if (c.strip < c.n)
    rows_kernel<T><<<blocks, THREADS, 0, stream>>> (c, c.X, QR_CHOLESKY_VECTORS, false,
                                                    1 / (variance * QR_CHOLESKY_VECTORS));
  else
    rows_kernel<T><<<blocks, THREADS, 0, stream>>> (c, c.G, c.n, true, 1);
  verdict_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_cholesky_start (const qr_cholesky<T> &, cudaStream_t);                   \
  template cudaError_t qr_signs_right (const qr_cholesky<T> &, int64_t, int64_t, int64_t, int64_t, \
                                       qr_matrix<T>, cudaStream_t);                                \
  template cudaError_t qr_cholesky_results (const qr_cholesky<T> &, qr_matrix<T>, int64_t,         \
                                            cudaStream_t);                                         \
  template cudaError_t qr_cholesky_random (const qr_cholesky<T> &, cudaStream_t);                  \
  template cudaError_t qr_cholesky_verdict (const qr_cholesky<T> &, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
