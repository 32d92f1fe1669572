// qr_cholesky.cu: QR by Cholesky's factor of A'A: signs, results and pages that failed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/random.h"
#include "qr_cholesky.cuh"

namespace
{

enum { THREADS = 256, VECTORS = QR_CHOLESKY_VECTORS };

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
                        page_matrix<T> to)
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

// Adds the values of all threads of a block in a fixed order; thread 0 gets the sum.
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

template <class T> GLA_DEVICE double square_of (T v)
{
  double x = (double)re (v), y = (double)im (v);
  return x * x + y * y;
}

// A block of threads per column and page.
template <class T> __global__ void __launch_bounds__ (THREADS) norms_kernel (qr_cholesky<T> c)
{
  typedef square_range<real_t<T>> range;
  int64_t j = blockIdx.x % c.n, page = blockIdx.x / c.n;
  const T *r = c.R.data + page * c.R.page + j * c.R.ld;
  double sum = 0;
  for (int64_t i = threadIdx.x; i <= j; i += THREADS)
    sum += square_of (r[i]);
  sum = block_sum (sum);
  if (threadIdx.x > 0)
    return;
  c.norms[page * c.n + j] = sqrt (sum);
  if (!(sum >= range::low && sum <= range::high))
    c.failed[page] = 1;
}

// A block of threads per column and page.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    results_kernel (qr_cholesky<T> c, page_matrix<T> to, int64_t rows, page_matrix<T> Q)
{
  typedef real_t<T> real;
  int64_t j = blockIdx.x % c.n, page = blockIdx.x / c.n;
  const int *sign = c.sign + page * c.n;
  real own = (real)sign[j];
  T *r = c.R.data + page * c.R.page + j * c.R.ld;
  for (int64_t i = threadIdx.x; i <= j; i += THREADS) {
    T v = scale ((real)sign[i], r[i]);
    r[i] = v;
    if (to.data != nullptr && i < rows)
      to.data[page * to.page + i + j * to.ld] = v;
  }
  for (int64_t i = j + 1 + threadIdx.x; to.data != nullptr && i < rows; i += THREADS)
    to.data[page * to.page + i + j * to.ld] = T{};
  // R^-1 V keeps its bits if rows of V change their signs with columns of R^-1
  T *v = c.V.data + page * c.V.page + j + threadIdx.x * c.V.ld;
  if (Q.data == nullptr && threadIdx.x < VECTORS)
    *v = scale (own, *v);
  T *inverse = c.G.data + page * c.G.page + j * c.G.ld, *q = Q.data + page * Q.page + j * Q.ld;
  if (Q.data == nullptr)
    for (int64_t i = j / c.strip * c.strip + threadIdx.x; i <= j; i += THREADS)
      inverse[i] = scale (own, inverse[i]);
  else
    for (int64_t i = threadIdx.x; i < c.m && own < 0; i += THREADS)
      q[i] = scale (own, q[i]);
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

// Clears the marks of failed pages and fills V, a thread per page and per entry.
template <class T> __global__ void __launch_bounds__ (THREADS) start_kernel (qr_cholesky<T> c)
{
  int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x, size = c.n * VECTORS, in = at % size;
  if (at < c.pages)
    c.failed[at] = 0;
  if (at == 0)
    *c.failures = 0;
  if (at >= size * c.pages)
    return;
  if (c.n <= VECTORS)
    c.V.data[at] = from_real<T> (in % c.n == in / c.n ? 1 : 0);
  else
    set_random (c.V.data[at], in);
}

// A block of threads has ROWS rows of Z = D X of a page; thread a + 16 b computes entry (a, b) of
// their Z'Z.
template <class T> __global__ void __launch_bounds__ (THREADS) squares_kernel (qr_cholesky<T> c)
{
  enum { ROWS = QR_SQUARE_ROWS };
  static_assert (THREADS == VECTORS * VECTORS, "a thread for each entry");
  __shared__ double2 z[VECTORS][ROWS + 1];
  int64_t blocks = (c.n + ROWS - 1) / ROWS, page = blockIdx.x / blocks;
  int64_t first = blockIdx.x % blocks * ROWS;
  for (int k = threadIdx.x; k < ROWS * VECTORS; k += THREADS) {
    int64_t i = first + k % ROWS;
    T x = i < c.n ? c.X.data[page * c.X.page + i + k / ROWS * c.X.ld] : T{};
    double size = i < c.n ? c.norms[page * c.n + i] : 0;
    z[k / ROWS][k % ROWS] = make_double2 (size * (double)re (x), size * (double)im (x));
  }
  __syncthreads ();
  const double2 *left = z[threadIdx.x % VECTORS], *right = z[threadIdx.x / VECTORS];
  double2 sum = make_double2 (0, 0);
#pragma unroll 8
  for (int k = 0; k < ROWS; k++) {
    sum.x += left[k].x * right[k].x + left[k].y * right[k].y;
    sum.y += left[k].x * right[k].y - left[k].y * right[k].x;
  }
  c.squares[(int64_t)blockIdx.x * THREADS + threadIdx.x] = sum;
}

// A block of threads per page. With v the variance of V's entries, Z'Z / v has about |D R^-1|_F^2
// on its diagonal and zeros elsewhere where no direction is larger than the others, and one
// eigenvalue more by VECTORS times |D R^-1|_2^2 where one does; of the distances of the eigenvalues
// from their mean the square is that of the Frobenius norm less the trace's.
template <class T> __global__ void __launch_bounds__ (THREADS) verdict_kernel (qr_cholesky<T> c)
{
  int64_t page = blockIdx.x, blocks = (c.n + QR_SQUARE_ROWS - 1) / QR_SQUARE_ROWS;
  bool exact = c.n <= VECTORS;
  double2 entry = make_double2 (0, 0);
#pragma unroll 4
  for (int64_t b = 0; b < blocks; b++) {
    double2 part = c.squares[(page * blocks + b) * THREADS + threadIdx.x];
    entry.x += part.x;
    entry.y += part.y;
  }
  double square = entry.x * entry.x + entry.y * entry.y;
  double trace = block_sum (threadIdx.x % (VECTORS + 1) == 0 ? entry.x : 0);
  __syncthreads (); // block_sum's memory is used again
  double all = block_sum (square);
  if (threadIdx.x > 0)
    return;
  double variance = (is_complex_v<T> ? 2 : 1) / 3.0, count = exact ? (double)c.n : VECTORS;
  double apart = all - trace * trace / count, frobenius = trace, norm;
  apart = sqrt (apart > 0 ? apart : 0);
  if (exact)
    norm = trace / count + apart * sqrt (1 - 1 / count); // of so many eigenvalues none is larger
  else {
    frobenius /= variance * VECTORS;
    norm = apart / (variance * VECTORS);
  }
  bool bad = c.failed[page] != 0 || !(frobenius <= (double)QR_CHOLESKY_LIMIT * (double)c.n) ||
             !(norm <= c.norm_most);
  c.failed[page] = bad;
  if (bad)
    atomicAdd (c.failures, 1);
}

} // namespace

template <class T> cudaError_t qr_cholesky_start (const qr_cholesky<T> &c, cudaStream_t stream)
{
  int64_t size = c.n * VECTORS * c.pages; // at least two for each page
  start_kernel<T><<<(unsigned)((size + THREADS - 1) / THREADS), THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_signs_right (const qr_cholesky<T> &c, int64_t J, int64_t K, int64_t rows,
                            int64_t columns, page_matrix<T> to, cudaStream_t stream)
{
  int64_t blocks = (rows + THREADS - 1) / THREADS * columns * c.pages;
  signs_right_kernel<T><<<(unsigned)blocks, THREADS, 0, stream>>> (c, J, K, rows, columns, to);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_cholesky_norms (const qr_cholesky<T> &c, cudaStream_t stream)
{
  norms_kernel<T><<<(unsigned)(c.n * c.pages), THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_cholesky_results (const qr_cholesky<T> &c, page_matrix<T> to, int64_t rows,
                                 page_matrix<T> Q, cudaStream_t stream)
{
  results_kernel<T><<<(unsigned)(c.n * c.pages), THREADS, 0, stream>>> (c, to, rows, Q);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_cholesky_squares (const qr_cholesky<T> &c, cudaStream_t stream)
{
  int64_t blocks = qr_square_blocks (c.n) * c.pages;
  squares_kernel<T><<<(unsigned)blocks, THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_cholesky_verdict (const qr_cholesky<T> &c, cudaStream_t stream)
{
  verdict_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_cholesky_start (const qr_cholesky<T> &, cudaStream_t);                   \
  template cudaError_t qr_signs_right (const qr_cholesky<T> &, int64_t, int64_t, int64_t, int64_t, \
                                       page_matrix<T>, cudaStream_t);                              \
  template cudaError_t qr_cholesky_norms (const qr_cholesky<T> &, cudaStream_t);                   \
  template cudaError_t qr_cholesky_results (const qr_cholesky<T> &, page_matrix<T>, int64_t,       \
                                            page_matrix<T>, cudaStream_t);                         \
  template cudaError_t qr_cholesky_squares (const qr_cholesky<T> &, cudaStream_t);                 \
  template cudaError_t qr_cholesky_verdict (const qr_cholesky<T> &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
