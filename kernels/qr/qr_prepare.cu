// qr_prepare.cu: what comes before and after the factorisation: scaling, R, copies
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_kernels.cuh"

namespace
{

enum { THREADS = 256, ROWS = 16 * THREADS };

// Where the largest entry of a column is between 2^low and 2^high, sums of squares are safe.
template <class R> struct safe_range;
template <> struct safe_range<float> {
  static constexpr int low = -20, high = 40;
};
template <> struct safe_range<double> {
  static constexpr int low = -300, high = 300;
};

// A column of a page, and a chunk of its rows: blocks of threads along rows, then columns, pages.
struct piece {
  int64_t page, column, first, end;
  GLA_DEVICE piece (int64_t rows, int64_t columns)
  {
    int64_t chunks = (rows + ROWS - 1) / ROWS, which = blockIdx.x;
    first = which % chunks * ROWS;
    end = first + ROWS < rows ? first + ROWS : rows;
    column = which / chunks % columns;
    page = which / chunks / columns;
  }
};

dim3 pieces (int64_t rows, int64_t columns, int64_t pages)
{
  return dim3 ((unsigned)((rows + ROWS - 1) / ROWS * columns * pages));
}

// NaN and Inf are larger than every number, as bits of doubles are ordered.
template <class T> GLA_DEVICE unsigned long long magnitude (T a)
{
  double x = (double)absmax (a);
  return (unsigned long long)__double_as_longlong (x) & 0x7fffffffffffffffull;
}

GLA_DEVICE unsigned long long warp_largest (unsigned long long most)
{
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    unsigned long long other = __shfl_xor_sync (0xffffffffu, most, mask);
    most = other > most ? other : most;
  }
  return most;
}

// A block of threads copies a chunk of a column, and adds its largest magnitude to the column's.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    copy_largest_kernel (page_matrix<const T> A, page_matrix<T> Y, int64_t m, int64_t n,
                         unsigned long long *largest)
{
  piece p (m, n);
  const T *from = A.data + p.page * A.page + p.column * A.ld;
  T *to = Y.data + p.page * Y.page + p.column * Y.ld;
  unsigned long long most = 0;
#pragma unroll 8
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
    T a = from[i];
    to[i] = a;
    unsigned long long x = magnitude (a);
    most = x > most ? x : most;
  }
  most = warp_largest (most);
  if (threadIdx.x % 32 == 0)
    atomicMax (&largest[p.page * n + p.column], most);
}

template <class T> GLA_DEVICE int exponent_of (unsigned long long largest)
{
  typedef safe_range<real_t<T>> range;
  double most = __longlong_as_double ((long long)largest);
  int e = most > 0 && most <= DBL_MAX ? ilogb (most) : 0;
  return e >= range::low && e <= range::high ? 0 : e;
}

// For a page whose columns are scaled together: scales down to no less than 2^high, so that small
// columns beside large ones do not become zero.
template <class T> GLA_DEVICE int exponent_of_page (unsigned long long largest, int high)
{
  const double most = __longlong_as_double ((long long)largest);
  const int e = most > 0 && most <= DBL_MAX ? ilogb (most) : 0;
  return e > high ? e - high : e < safe_range<real_t<T>>::low ? e : 0;
}

// With pivoting every norm is scaled, and only products of a reflector with a column, at most
// 2*sqrt(m) times the largest entry, must not overflow.
template <class R> int highest_of_page (int64_t m)
{
  int half = 0; // 4^half >= m
  while (half < 31 && ((int64_t)1 << (2 * half)) < m)
    half++;
  return (sizeof (R) == sizeof (float) ? 127 : 1023) - 4 - half;
}

// A block of threads copies and scales a column that is one chunk.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    load_column_kernel (page_matrix<const T> A, page_matrix<T> Y, int64_t m, int64_t n,
                        int *exponent)
{
  __shared__ unsigned long long part[THREADS / 32];
  piece p (m, n);
  const T *from = A.data + p.page * A.page + p.column * A.ld;
  T *to = Y.data + p.page * Y.page + p.column * Y.ld;
  unsigned long long most = 0;
#pragma unroll 8
  for (int64_t i = threadIdx.x; i < m; i += THREADS) {
    T a = from[i];
    to[i] = a;
    unsigned long long x = magnitude (a);
    most = x > most ? x : most;
  }
  most = warp_largest (most);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int w = 0; w < THREADS / 32; w++)
    most = part[w] > most ? part[w] : most;
  int e = exponent_of<T> (most);
  if (threadIdx.x == 0)
    exponent[p.page * n + p.column] = e;
  for (int64_t i = threadIdx.x; i < m && e != 0; i += THREADS)
    to[i] = times_power (to[i], -e);
}

// All columns of a page get the largest magnitude of the page; a block of threads per page.
__global__ void __launch_bounds__ (THREADS)
    page_largest_kernel (int64_t n, unsigned long long *largest)
{
  __shared__ unsigned long long part[THREADS / 32];
  unsigned long long *of = largest + blockIdx.x * n, most = 0;
  for (int64_t k = threadIdx.x; k < n; k += THREADS)
    most = of[k] > most ? of[k] : most;
  most = warp_largest (most);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = most;
  __syncthreads ();
  for (int w = 0; w < THREADS / 32; w++)
    most = part[w] > most ? part[w] : most;
  for (int64_t k = threadIdx.x; k < n; k += THREADS)
    of[k] = most;
}

// The exponent of a column, and its scaling if it needs one; a block of threads per piece of a
// column. high: of a page whose columns are scaled together, else 0.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    scale_kernel (page_matrix<T> Y, int64_t m, int64_t n, int high,
                  const unsigned long long *largest, int *exponent)
{
  piece p (m, n);
  const unsigned long long most = largest[p.page * n + p.column];
  int e = high > 0 ? exponent_of_page<T> (most, high) : exponent_of<T> (most);
  if (p.first == 0 && threadIdx.x == 0)
    exponent[p.page * n + p.column] = e;
  if (e == 0)
    return;
  T *to = Y.data + p.page * Y.page + p.column * Y.ld;
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS)
    to[i] = times_power (to[i], -e);
}

// A block of threads writes a chunk of a column of R.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    store_r_kernel (page_matrix<T> R, page_matrix<const T> Y, page_matrix<const T> blocks,
                    int64_t rows, int64_t n, int64_t k, int block, const int *exponent)
{
  piece p (rows, n);
  int64_t j = p.column, start = j < k ? j / block * block : k;
  int e = exponent[p.page * n + j];
  T *to = R.data + p.page * R.page + j * R.ld;
  const T *above = Y.data + p.page * Y.page + j * Y.ld;
  const T *inside = blocks.data + p.page * blocks.page + j * blocks.ld;
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
    T value = from_real<T> (0);
    if (i <= j)
      value = i < start ? above[i] : inside[i - start];
    to[i] = e == 0 ? value : times_power (value, e);
  }
}

// A block of threads per piece of a column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    identity_kernel (page_matrix<T> to, int64_t rows, int64_t columns, int64_t below)
{
  piece p (rows, columns);
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS)
    to.data[p.page * to.page + p.column * to.ld + i] =
        from_real<T> (i == p.column + below ? real_t<T> (1) : real_t<T> (0));
}

// The entries of the diagonal, one to a thread.
template <class T>
__global__ void __launch_bounds__ (THREADS) add_identity_kernel (page_matrix<T> to, int64_t n)
{
  int64_t blocks = (n + THREADS - 1) / THREADS, page = blockIdx.x / blocks;
  int64_t i = blockIdx.x % blocks * THREADS + threadIdx.x;
  T *diagonal = to.data + page * to.page + i * (to.ld + 1);
  if (i < n)
    *diagonal = *diagonal + from_real<T> (1);
}

// A block of threads per piece of a column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    copy_kernel (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                 bool lower)
{
  piece p (rows, columns);
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
    bool zero = lower && i < p.column;
    T value = zero ? from_real<T> (0) : from.data[p.page * from.page + p.column * from.ld + i];
    to.data[p.page * to.page + p.column * to.ld + i] = value;
  }
}

// A block of threads per piece of a column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    store_columns_kernel (page_matrix<T> to, page_matrix<const T> from, int64_t rows,
                          int64_t columns, const int *exponent)
{
  piece p (rows, columns);
  const int e = exponent[p.page * columns + p.column];
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
    const T value = from.data[p.page * from.page + p.column * from.ld + i];
    to.data[p.page * to.page + p.column * to.ld + i] = e == 0 ? value : times_power (value, e);
  }
}

// A block of threads per piece of a column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    copy_listed_kernel (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        const int *list, qr_list side)
{
  piece p (rows, columns);
  int64_t source = side == QR_LIST_FROM ? list[p.page] : p.page;
  int64_t target = side == QR_LIST_TO ? list[p.page] : p.page;
  for (int64_t i = p.first + threadIdx.x; i < p.end; i += THREADS)
    to.data[target * to.page + p.column * to.ld + i] =
        from.data[source * from.page + p.column * from.ld + i];
}

} // namespace

template <class T>
cudaError_t qr_load (const qr_plan<T> &p, page_matrix<const T> A, cudaStream_t stream)
{
  const int64_t m = p.m, n = p.n;
  dim3 grid = pieces (m, n, p.pages);
  if (m <= ROWS && !p.pivot) {
    load_column_kernel<T><<<grid, THREADS, 0, stream>>> (A, p.Y, m, n, p.exponent);
    return cudaGetLastError ();
  }
  cudaError_t error = cudaMemsetAsync (p.largest, 0, n * p.pages * sizeof *p.largest, stream);
  if (error != cudaSuccess)
    return error;
  copy_largest_kernel<T><<<grid, THREADS, 0, stream>>> (A, p.Y, m, n, p.largest);
  if (p.pivot)
    page_largest_kernel<<<(unsigned)p.pages, THREADS, 0, stream>>> (n, p.largest);
  const int high = p.pivot ? highest_of_page<real_t<T>> (m) : 0;
  scale_kernel<T><<<grid, THREADS, 0, stream>>> (p.Y, m, n, high, p.largest, p.exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_load_columns (const qr_plan<T> &p, page_matrix<T> B, page_matrix<const T> from,
                             int64_t columns, cudaStream_t stream)
{
  const dim3 grid = pieces (p.m, columns, p.pages);
  const cudaError_t error =
      cudaMemsetAsync (p.largest, 0, columns * p.pages * sizeof *p.largest, stream);
  if (error != cudaSuccess)
    return error;
  copy_largest_kernel<T><<<grid, THREADS, 0, stream>>> (from, B, p.m, columns, p.largest);
  scale_kernel<T><<<grid, THREADS, 0, stream>>> (B, p.m, columns, highest_of_page<real_t<T>> (p.m),
                                                 p.largest, p.exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_store_columns (const qr_plan<T> &p, page_matrix<T> C, page_matrix<const T> B,
                              int64_t rows, int64_t columns, cudaStream_t stream)
{
  if (rows == 0)
    return cudaSuccess;
  store_columns_kernel<T>
      <<<pieces (rows, columns, p.pages), THREADS, 0, stream>>> (C, B, rows, columns, p.exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_store_r (const qr_plan<T> &p, page_matrix<T> R, int64_t rows, cudaStream_t stream)
{
  store_r_kernel<T><<<pieces (rows, p.n, p.pages), THREADS, 0, stream>>> (
      R, as_const (p.Y), as_const (p.blocks), rows, p.n, p.k, p.block, p.exponent);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_identity (page_matrix<T> to, int64_t rows, int64_t columns, int64_t below,
                         int64_t pages, cudaStream_t stream)
{
  if (rows == 0 || columns == 0)
    return cudaSuccess;
  identity_kernel<T>
      <<<pieces (rows, columns, pages), THREADS, 0, stream>>> (to, rows, columns, below);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_add_identity (page_matrix<T> to, int64_t n, int64_t pages, cudaStream_t stream)
{
  int64_t blocks = (n + THREADS - 1) / THREADS * pages;
  add_identity_kernel<T><<<(unsigned)blocks, THREADS, 0, stream>>> (to, n);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_copy (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                     bool lower, int64_t pages, cudaStream_t stream)
{
  copy_kernel<T>
      <<<pieces (rows, columns, pages), THREADS, 0, stream>>> (to, from, rows, columns, lower);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_copy_listed (page_matrix<T> to, page_matrix<const T> from, int64_t rows,
                            int64_t columns, const int *list, qr_list side, int64_t count,
                            cudaStream_t stream)
{
  if (to.data != nullptr)
    copy_listed_kernel<T><<<pieces (rows, columns, count), THREADS, 0, stream>>> (
        to, from, rows, columns, list, side);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_load (const qr_plan<T> &, page_matrix<const T>, cudaStream_t);           \
  template cudaError_t qr_store_r (const qr_plan<T> &, page_matrix<T>, int64_t, cudaStream_t);     \
  template cudaError_t qr_load_columns (const qr_plan<T> &, page_matrix<T>, page_matrix<const T>,  \
                                        int64_t, cudaStream_t);                                    \
  template cudaError_t qr_store_columns (const qr_plan<T> &, page_matrix<T>, page_matrix<const T>, \
                                         int64_t, int64_t, cudaStream_t);                          \
  template cudaError_t qr_identity (page_matrix<T>, int64_t, int64_t, int64_t, int64_t,            \
                                    cudaStream_t);                                                 \
  template cudaError_t qr_add_identity (page_matrix<T>, int64_t, int64_t, cudaStream_t);           \
  template cudaError_t qr_copy (page_matrix<T>, page_matrix<const T>, int64_t, int64_t, bool,      \
                                int64_t, cudaStream_t);                                            \
  template cudaError_t qr_copy_listed (page_matrix<T>, page_matrix<const T>, int64_t, int64_t,     \
                                       const int *, qr_list, int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
