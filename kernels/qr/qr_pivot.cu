// qr_pivot.cu: Householder QR with column pivoting (LAPACK's ?laqp2), and factors of its panels
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two kernels for each column: the choice of a column needs the norms that the previous step
// leaves. Norms are updated as Drmac and Bujanovic (2008) say, and computed again where that would
// lose digits. Called by qr_plan.cu.

#include "common/reduce.cuh"
#include "common/cluster.cuh"
#include "common/reflector.cuh"
#include "qr_kernels.cuh"

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32 };

// A block of threads per column: its norm, and its number.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    start_kernel (page_matrix<T> Y, int64_t m, int64_t n, qr_pivots<T> s)
{
  __shared__ double work[WARPS];
  int64_t page = blockIdx.x / n, k = blockIdx.x % n;
  block_norm<THREADS> c (Y.data + page * Y.page + k * Y.ld, m, work);
  if (threadIdx.x == 0) {
    s.norm[page * n + k] = s.reference[page * n + k] = c.norm ();
    s.jpvt[page * n + k] = k;
  }
}

// The longest column from j on, of equal ones the first; the same in all threads of a block.
GLA_DEVICE int64_t longest_column (const double *norm, int64_t n, int64_t j)
{
  __shared__ int64_t place[THREADS];
  __shared__ double length[THREADS];
  int64_t best = n;
  double most = -1;
#pragma unroll 8
  for (int64_t k = j + threadIdx.x; k < n; k += THREADS)
    if (norm[k] > most) {
      most = norm[k];
      best = k;
    }
  place[threadIdx.x] = best;
  length[threadIdx.x] = most;
  __syncthreads ();
  for (int h = THREADS / 2; h > 0; h /= 2) {
    int o = threadIdx.x + h;
    if (threadIdx.x < h && (length[o] > length[threadIdx.x] ||
                            (length[o] == length[threadIdx.x] && place[o] < place[threadIdx.x]))) {
      length[threadIdx.x] = length[o];
      place[threadIdx.x] = place[o];
    }
    __syncthreads ();
  }
  return place[0] < n ? place[0] : j; // norms may be NaN
}

// Exchanges columns j and best in all arrays; one thread calls.
template <class T>
GLA_DEVICE void change_places (const qr_pivots<T> &s, int64_t page, int64_t n, int64_t j,
                               int64_t best)
{
  int64_t *jpvt = s.jpvt + page * n, number = jpvt[j];
  jpvt[j] = jpvt[best];
  jpvt[best] = number;
  s.norm[page * n + best] = s.norm[page * n + j];
  s.reference[page * n + best] = s.reference[page * n + j];
}

template <class T> GLA_DEVICE void swap_rows (T *a, T *b, int64_t rows)
{
  for (int64_t i = threadIdx.x; i < rows; i += THREADS) {
    T x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

// One block of threads per page: the longest column is swapped to place j, and its reflector is
// made.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    pivot_kernel (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s)
{
  __shared__ double work[WARPS];
  int64_t page = blockIdx.x, best = longest_column (s.norm + page * n, n, j);
  T *A = Y.data + page * Y.page, *a = A + j * Y.ld;
  if (best != j) {
    swap_rows (a, A + best * Y.ld, m);
    if (threadIdx.x == 0)
      change_places (s, page, n, j, best);
  }
  __syncthreads ();
  if (j >= m)
    return;
  block_norm<THREADS> c (a + j, m - j, work);
  int e = c.exponent;
  T alpha = times_power (a[j], -e);
  double below = 0;
  for (int64_t i = j + 1 + threadIdx.x; i < m; i += THREADS)
    below += (double)abs2 (times_power (a[i], -e));
  reflector<T> h (alpha, (real_t<T>)over_block<THREADS, false> (below, work));
  for (int64_t i = j + 1 + threadIdx.x; i < m; i += THREADS)
    a[i] = times_power (a[i], -e) * h.inverse;
  __syncthreads ();
  if (threadIdx.x == 0) {
    a[j] = from_real<T> (times_power (h.beta, e));
    s.tau[page * n + j] = h.tau;
  }
}

// The same for large matrices, with the same sums: each thread has EACH rows of the column below j
// in registers.
template <class T, int EACH>
__global__ void __launch_bounds__ (THREADS)
    pivot_large_kernel (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s)
{
  __shared__ double work[WARPS];
  int64_t page = blockIdx.x, best = longest_column (s.norm + page * n, n, j);
  T *A = Y.data + page * Y.page, *a = A + j * Y.ld, *b = A + best * Y.ld;
  T *to = a + j + 1, *from = b + j + 1, x[EACH], alpha = b[j];
  int rows = (int)(m - j - 1);
  double most = (double)absmax (alpha);
#pragma unroll
  for (int q = 0; q < EACH; q++) {
    int i = threadIdx.x + q * THREADS;
    x[q] = i < rows ? from[i] : from_real<T> (0);
    double size = (double)absmax (x[q]);
    most = size > most || size != size ? size : most;
  }
  double largest = over_block<THREADS, true> (most, work);
  int e = largest > 0 && largest <= DBL_MAX ? max (ilogb (largest), -1000) : 0;
  if (best != j) { // all have read row j
    swap_rows (a, b, j + 1);
    if (threadIdx.x == 0)
      change_places (s, page, n, j, best);
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      int i = threadIdx.x + q * THREADS;
      if (i < rows)
        from[i] = to[i];
    }
  }
  double below = 0;
#pragma unroll
  for (int q = 0; q < EACH; q++)
    if ((int)threadIdx.x + q * THREADS < rows)
      below += (double)abs2 (times_power (x[q], -e));
  alpha = times_power (alpha, -e);
  reflector<T> h (alpha, (real_t<T>)over_block<THREADS, false> (below, work));
#pragma unroll
  for (int q = 0; q < EACH; q++) {
    int i = threadIdx.x + q * THREADS;
    if (i < rows)
      to[i] = times_power (x[q], -e) * h.inverse;
  }
  __syncthreads (); // row j may have been swapped
  if (threadIdx.x == 0) {
    a[j] = from_real<T> (times_power (h.beta, e));
    s.tau[page * n + j] = h.tau;
  }
}

// Column k gets its row of R, from which the norm of what is left below it follows; all threads of
// the block call.
template <class T>
GLA_DEVICE void leave_row (T *a, int64_t m, int64_t j, T row, double *norm_of, double *reference_of,
                           double *work)
{
  typedef real_t<T> R;
  double norm = *norm_of, reference = *reference_of;
  double size = hypot ((double)re (row), (double)im (row)) / norm;
  double left = fmax (0.0, (1 - size) * (1 + size)), kept = norm / reference;
  bool again = norm != 0 && left * kept * kept <= sqrt ((double)limits<R>::eps / 2);
  __syncthreads (); // a has been read and written
  if (again)
    norm = reference = block_norm<THREADS> (a + j + 1, m - j - 1, work).norm ();
  else if (norm != 0)
    norm *= sqrt (left);
  if (threadIdx.x == 0) {
    a[j] = row;
    *norm_of = norm;
    *reference_of = reference;
  }
}

template <class T> GLA_DEVICE T sum_of (T dot, double *work)
{
  typedef real_t<T> R;
  if constexpr (is_complex_v<T>)
    return {(R)over_block<THREADS, false> (dot.x, work),
            (R)over_block<THREADS, false> (dot.y, work)};
  else
    return (T)over_block<THREADS, false> (dot, work);
}

// One block of threads per column right of j: the reflector applied, and the norm of what is left.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    update_kernel (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s)
{
  __shared__ double work[WARPS];
  int64_t columns = n - j - 1, page = blockIdx.x / columns, k = j + 1 + blockIdx.x % columns;
  const T *v = Y.data + page * Y.page + j * Y.ld;
  T *a = Y.data + page * Y.page + k * Y.ld, dot = from_real<T> (0), first = a[j];
  for (int64_t i = j + 1 + threadIdx.x; i < m; i += THREADS)
    dot = cmadd (v[i], a[i], dot);
  T w = conj (s.tau[page * n + j]) * (first + sum_of (dot, work));
  for (int64_t i = j + 1 + threadIdx.x; i < m; i += THREADS)
    a[i] = madd (-w, v[i], a[i]);
  leave_row (a, m, j, first - w, s.norm + page * n + k, s.reference + page * n + k, work);
}

// The same for large matrices: a block of threads per `each` columns, one after the other. The
// reflector is in shared memory, and EACH rows of a column are in the registers of each thread from
// its product with the reflector to what is subtracted. The sums are the same; those of complex
// numbers differ in the last bits, by other fused operations.
template <class T, int EACH>
__global__ void __launch_bounds__ (THREADS)
    update_columns_kernel (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s,
                           int each)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ double work[WARPS];
  T *v = reinterpret_cast<T *> (memory);
  int64_t groups = (n - j - 2 + each) / each, page = blockIdx.x / groups;
  int64_t k = j + 1 + blockIdx.x % groups * each, end = k + each < n ? k + each : n;
  int rows = (int)(m - j - 1);
  const T *reflector = Y.data + page * Y.page + j * Y.ld + j + 1;
  for (int i = threadIdx.x; i < rows; i += THREADS)
    v[i] = reflector[i]; // each thread uses what it has written
  for (; k < end; k++) {
    T *a = Y.data + page * Y.page + k * Y.ld, *below = a + j + 1;
    T x[EACH], dot = from_real<T> (0), first = a[j];
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      int i = threadIdx.x + q * THREADS;
      x[q] = i < rows ? below[i] : from_real<T> (0);
    }
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      int i = threadIdx.x + q * THREADS;
      if (i < rows)
        dot = cmadd (v[i], x[q], dot);
    }
    T w = conj (s.tau[page * n + j]) * (first + sum_of (dot, work));
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      int i = threadIdx.x + q * THREADS;
      if (i < rows)
        below[i] = madd (-w, v[i], x[q]);
    }
    leave_row (a, m, j, first - w, s.norm + page * n + k, s.reference + page * n + k, work);
  }
}

// R within the blocks goes to `blocks`, zeros and ones take its place; a block per column.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    separate_kernel (page_matrix<T> Y, page_matrix<T> blocks, int64_t k, int block)
{
  int64_t page = blockIdx.x / k, j = blockIdx.x % k, start = j / block * block;
  T *a = Y.data + page * Y.page + j * Y.ld;
  T *to = blocks.data + page * blocks.page + j * blocks.ld;
  for (int64_t i = start + threadIdx.x; i <= j; i += THREADS) {
    to[i - start] = a[i];
    a[i] = from_real<T> (i == j ? 1 : 0);
  }
}

// A block of threads per panel of 32 reflectors: Y'Y, by tiles of 8 by 8 that two of a warp's turns
// cover, rows four at a time; then the factor, from tau.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    larft_kernel (page_matrix<T> Y, page_matrix<T> F, int64_t m, int64_t n, int64_t k, int block,
                  const T *tau)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int LD = QR_PANEL + 2, PLANES = C ? 2 : 1;
  __shared__ __align__ (16) double g[PLANES * QR_PANEL * LD], f[PLANES * QR_PANEL * LD];
  mma_matrix<C> G = {g, LD, QR_PANEL * LD}, factor = {f, LD, QR_PANEL * LD};
  int64_t panels = (k + QR_PANEL - 1) / QR_PANEL, page = blockIdx.x / panels;
  int64_t j = blockIdx.x % panels * QR_PANEL;
  int count = k - j < QR_PANEL ? (int)(k - j) : (int)QR_PANEL;
  const T *y = Y.data + page * Y.page + j * Y.ld;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = warp % 4 * 8, c = warp / 4 * 16;
  mma_tile<C> sum[2];
  for (int64_t r = j; r < m; r += 4) {
    int64_t row = r + lane % 4;
    auto entry = [&] (int column) {
      return mma_entry_of (row < m && column < count ? y[column * Y.ld + row] : from_real<T> (0));
    };
    mma_entry<C> left = entry (i + lane / 4);
    mma_add_conj (sum[0], left, entry (c + lane / 4));
    mma_add_conj (sum[1], left, entry (c + 8 + lane / 4));
  }
  G.put_tile (i, c, sum[0]);
  G.put_tile (i, c + 8, sum[1]);
  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += THREADS) {
    int a = q % QR_PANEL, b = q / QR_PANEL;
    factor.put (a, b,
                mma_entry_of (a == b && a < count ? tau[page * n + j + a] : from_real<T> (0)));
  }
  __syncthreads ();
  join_panel<C> (G, factor, QR_PANEL);
  T *out = F.data + page * F.page + j % block + j * F.ld;
  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += THREADS)
    out[q % QR_PANEL + q / QR_PANEL * F.ld] =
        factor.template number<T> (q % QR_PANEL, q / QR_PANEL);
}

} // namespace

template <class T>
cudaError_t qr_pivot_start (page_matrix<T> Y, int64_t m, int64_t n, qr_pivots<T> s, int64_t pages,
                            cudaStream_t stream)
{
  start_kernel<T><<<(unsigned)(n * pages), THREADS, 0, stream>>> (Y, m, n, s);
  return cudaGetLastError ();
}

namespace
{

// Rows of a column that one thread holds; bytes of the reflector.
enum { MOST_EACH = 32, REFLECTOR_BYTES = 64 * 1024 };
// Columns of a block, and how many blocks there are to be before they have more than one.
enum { COLUMNS_MOST = 8, BLOCKS_LEAST = 528, ROWS_LEAST = 512 };

// Whether these rows and columns have kernels of their own.
template <class T> bool is_large (int64_t rows, int64_t columns)
{
  return rows >= ROWS_LEAST && columns >= BLOCKS_LEAST &&
         rows * (int64_t)sizeof (T) <= REFLECTOR_BYTES && rows <= MOST_EACH * THREADS &&
         block_shared_most () >= REFLECTOR_BYTES + 1024;
}

template <class T, int EACH>
cudaError_t large_column (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s,
                          int64_t pages, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured{0};
  auto kernel = update_columns_kernel<T, EACH>;
  cudaError_t error = allow_cluster (kernel, REFLECTOR_BYTES, &configured);
  if (error != cudaSuccess)
    return error;
  int64_t columns = n - j - 1, each = columns * pages / BLOCKS_LEAST;
  each = each > COLUMNS_MOST ? (int64_t)COLUMNS_MOST : each;
  pivot_large_kernel<T, EACH><<<(unsigned)pages, THREADS, 0, stream>>> (Y, m, n, j, s);
  kernel<<<(unsigned)((columns + each - 1) / each * pages), THREADS, (m - j - 1) * sizeof (T),
           stream>>> (Y, m, n, j, s, (int)each);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t qr_pivot_column (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s,
                             int64_t pages, cudaStream_t stream)
{
  int64_t rows = m - j - 1;
  if (is_large<T> (rows, n - j - 1))
    return rows <= 4 * THREADS    ? large_column<T, 4> (Y, m, n, j, s, pages, stream)
           : rows <= 8 * THREADS  ? large_column<T, 8> (Y, m, n, j, s, pages, stream)
           : rows <= 16 * THREADS ? large_column<T, 16> (Y, m, n, j, s, pages, stream)
                                  : large_column<T, 32> (Y, m, n, j, s, pages, stream);
  pivot_kernel<T><<<(unsigned)pages, THREADS, 0, stream>>> (Y, m, n, j, s);
  if (j + 1 < n)
    update_kernel<T><<<(unsigned)((n - j - 1) * pages), THREADS, 0, stream>>> (Y, m, n, j, s);
  return cudaGetLastError ();
}

template <class T> cudaError_t qr_pivot_finish (const qr_plan<T> &p, cudaStream_t stream)
{
  int64_t panels = (p.k + QR_PANEL - 1) / QR_PANEL;
  separate_kernel<T>
      <<<(unsigned)(p.k * p.pages), THREADS, 0, stream>>> (p.Y, p.blocks, p.k, p.block);
  larft_kernel<T><<<(unsigned)(panels * p.pages), THREADS, 0, stream>>> (p.Y, p.F, p.m, p.n, p.k,
                                                                         p.block, p.pivots.tau);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_pivot_start (page_matrix<T>, int64_t, int64_t, qr_pivots<T>, int64_t,    \
                                       cudaStream_t);                                              \
  template cudaError_t qr_pivot_column (page_matrix<T>, int64_t, int64_t, int64_t, qr_pivots<T>,   \
                                        int64_t, cudaStream_t);                                    \
  template cudaError_t qr_pivot_finish (const qr_plan<T> &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
