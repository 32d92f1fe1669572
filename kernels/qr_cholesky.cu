// qr_cholesky.cu: the kernels of QR by way of A'A: blocks on the diagonal, signs, what failed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_cholesky.cuh"

namespace
{

enum { THREADS = 256, SIDE = 16, OWN = QR_LEAF / SIDE };

// Squares of norms between these are summed without loss, and so are all products of columns.
template <class R> struct square_range;
template <> struct square_range<float> {
  static constexpr double low = 0x1p-100, high = 0x1p100;
};
template <> struct square_range<double> {
  static constexpr double low = 0x1p-900, high = 0x1p900;
};

template <class T>
__global__ void __launch_bounds__ (THREADS) diagonal_kernel (qr_cholesky<T> c)
{
  typedef square_range<real_t<T>> range;
  int64_t page = blockIdx.x;
  bool bad = false;
  for (int64_t j = threadIdx.x; j < c.n; j += THREADS) {
    double d = (double)re (c.G.data[page * c.G.page + j + j * c.G.ld]);
    c.diagonal[page * c.n + j] = d;
    bad |= !(d >= range::low && d <= range::high);
  }
  bad = __syncthreads_or (bad);
  if (threadIdx.x == 0)
    c.failed[page] = bad;
}

// An entry of a 64 x 64 matrix of which each of 256 threads holds 4 x 4: rows x + 16 p, columns
// y + 16 q.
struct place {
  int x, y;
  GLA_DEVICE place () : x (threadIdx.x % SIDE), y (threadIdx.x / SIDE) {}
  GLA_DEVICE int row (int p) const { return x + SIDE * p; }
  GLA_DEVICE int column (int q) const { return y + SIDE * q; }
};

// Gauss elimination of the Hermitian block [G | I], both in one matrix: left of the diagonal the
// inverse of the unit lower factor grows where zeros would be. Row k tells every thread what step k
// needs; the threads that hold row k+1 show it at the end of step k, in the other of two buffers,
// so that a step has one barrier. Blocks of threads after the first clear what is left of the
// block, as products of whole blocks read it later.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    cholesky_leaf_kernel (qr_cholesky<T> c, int64_t J, int count, int tiles)
{
  typedef real_t<T> real;
  __shared__ T shown[2][QR_LEAF];
  __shared__ real pivot[QR_LEAF];
  int tile = blockIdx.x % tiles;
  int64_t page = blockIdx.x / tiles;
  T *g = c.G.data + page * c.G.page + J;
  place at;
  if (tile > 0) {
    for (int p = 0; p < OWN; p++)
      for (int q = 0; q < OWN; q++)
        if (at.row (p) < count)
          g[at.row (p) + ((tile - 1) * QR_LEAF + at.column (q)) * c.G.ld] = T{};
    return;
  }
  g += J * c.G.ld;
  T a[OWN][OWN];
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      if (i >= count || j >= count)
        a[p][q] = from_real<T> (i == j ? 1 : 0);
      else
        a[p][q] = i <= j ? g[i + j * c.G.ld] : conj (g[j + i * c.G.ld]);
    }
  if (at.x == 0)
#pragma unroll
    for (int q = 0; q < OWN; q++)
      shown[0][at.column (q)] = a[0][q];

  bool bad = false;
#pragma unroll
  for (int above = 0; above < OWN; above++)
    for (int step = 0; step < SIDE; step++) {
      int k = above * SIDE + step;
      __syncthreads ();
      const T *row = shown[k % 2];
      real d = re (row[k]);
      if (!(d > 0)) {
        bad = true;
        d = 1;
      }
      if (threadIdx.x == 0)
        pivot[k] = d;
      real inverse = 1 / d;
      T right[OWN];
#pragma unroll
      for (int q = 0; q < OWN; q++)
        right[q] = row[at.column (q)];
#pragma unroll
      for (int p = above; p < OWN; p++) {
        if (at.row (p) <= k)
          continue;
        T factor = scale (-inverse, conj (row[at.row (p)]));
#pragma unroll
        for (int q = 0; q < OWN; q++)
          a[p][q] = at.column (q) == k ? factor : madd (factor, right[q], a[p][q]);
      }
      T *next = shown[(k + 1) % 2];
      if (step < SIDE - 1 && at.x == step + 1) {
#pragma unroll
        for (int q = 0; q < OWN; q++)
          next[at.column (q)] = a[above][q];
      } else if (step == SIDE - 1 && above < OWN - 1 && at.x == 0) {
#pragma unroll
        for (int q = 0; q < OWN; q++)
          next[at.column (q)] = a[above < OWN - 1 ? above + 1 : above][q];
      }
    }
  if (bad && threadIdx.x == 0)
    c.failed[page] = 1;
  __syncthreads ();

  // G = L D L', so R = D^(1/2) L' and R^-1 = (D^(-1/2) L^-1)'
  T *r = c.R.data + page * c.R.page + J + J * c.R.ld;
#pragma unroll
  for (int p = 0; p < OWN; p++) {
    int i = at.row (p);
    real d = pivot[i], root = sqrt_of (d), inverse = 1 / root;
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int j = at.column (q);
      if (i >= count || j >= count)
        continue;
      r[i + j * c.R.ld] = i > j ? T{} : i == j ? from_real<T> (root) : scale (inverse, a[p][q]);
      if (i >= j)
        g[j + i * c.G.ld] = i == j ? from_real<T> (inverse) : scale (inverse, conj (a[p][q]));
      if (i > j)
        g[i + j * c.G.ld] = T{};
    }
  }
}

// Gauss-Jordan inversion, in place, of M - S R, whose pivots give S; threads as above. A step
// needs row and column k of M and row k of R. Where LAPACK would find zeros below the diagonal and
// keep the sign of a column, which a sum cannot tell from small numbers, the page has failed.
template <class T>
__global__ void __launch_bounds__ (THREADS) signs_leaf_kernel (qr_cholesky<T> c, int64_t J,
                                                               int count)
{
  typedef real_t<T> real;
  const real most = 1 - 1024 * limits<real>::eps;
  __shared__ T rows[2][QR_LEAF], columns[2][QR_LEAF], upper[2][QR_LEAF];
  int64_t page = blockIdx.x;
  T *m = c.M.data + page * c.M.page + J + J * c.M.ld;
  const T *r = c.R.data + page * c.R.page + J + J * c.R.ld;
  int *sign = c.sign + page * c.n + J;
  place at;
  T a[OWN][OWN], b[OWN][OWN];
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      bool inside = i < count && j < count;
      a[p][q] = inside ? m[i + j * c.M.ld] : T{};
      b[p][q] = inside ? r[i + j * c.R.ld] : from_real<T> (i == j ? 1 : 0);
    }
  // shows row and column k, k = 16 p + step, to the next step
  auto show = [&] (int p, int step) {
    int buffer = step % 2;
    if (at.x == step)
#pragma unroll
      for (int q = 0; q < OWN; q++) {
        rows[buffer][at.column (q)] = a[p][q];
        upper[buffer][at.column (q)] = b[p][q];
      }
    if (at.y == step)
#pragma unroll
      for (int i = 0; i < OWN; i++)
        columns[buffer][at.row (i)] = a[i][p];
  };
  show (0, 0);
  bool bad = false;
#pragma unroll
  for (int above = 0; above < OWN; above++)
    for (int step = 0; step < SIDE; step++) {
      int k = above * SIDE + step, buffer = step % 2;
      __syncthreads ();
      T alpha = rows[buffer][k];
      real diagonal = re (upper[buffer][k]), s = re (alpha) < 0 ? (real)1 : (real)-1;
      bad |= k < count && !(abs2 (alpha) <= most * diagonal * diagonal);
      if (threadIdx.x == 0 && k < count)
        sign[k] = (int)s;
      T pivot = alpha - from_real<T> (s * diagonal);
      T inverse = scale (1 / abs2 (pivot), conj (pivot)), row[OWN];
#pragma unroll
      for (int q = 0; q < OWN; q++) {
        int j = at.column (q);
        T value = rows[buffer][j] - (j > k ? scale (s, upper[buffer][j]) : T{});
        row[q] = j == k ? inverse : inverse * value;
      }
#pragma unroll
      for (int p = 0; p < OWN; p++) {
        int i = at.row (p);
        T factor = scale ((real)-1, columns[buffer][i]);
#pragma unroll
        for (int q = 0; q < OWN; q++) {
          T value = at.column (q) == k ? T{} : a[p][q];
          a[p][q] = i == k ? row[q] : madd (factor, row[q], value);
        }
      }
      if (step < SIDE - 1)
        show (above, step + 1);
      else if (above < OWN - 1)
        show (above < OWN - 1 ? above + 1 : above, 0);
    }
  if (bad && threadIdx.x == 0)
    c.failed[page] = 1;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++)
      if (at.row (p) < count && at.column (q) < count)
        m[at.row (p) + at.column (q) * c.M.ld] = a[p][q];
}

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

// A block of threads per column and page.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    results_kernel (qr_cholesky<T> c, qr_matrix<T> to, int64_t rows)
{
  typedef real_t<T> real;
  __shared__ double part[THREADS / 32];
  int64_t j = blockIdx.x % c.n, page = blockIdx.x / c.n;
  const int *sign = c.sign + page * c.n;
  const double *diagonal = c.diagonal + page * c.n;
  const T *r = c.R.data + page * c.R.page + j * c.R.ld;
  T *inverse = c.G.data + page * c.G.page + j * c.G.ld;
  for (int64_t i = threadIdx.x; to.data != nullptr && i < rows; i += THREADS)
    to.data[page * to.page + i + j * to.ld] = i <= j ? scale ((real)sign[i], r[i]) : T{};
  double sum = 0;
  for (int64_t i = threadIdx.x; i <= j; i += THREADS) {
    T v = inverse[i];
    double root = sqrt (diagonal[i]), x = root * (double)re (v), y = root * (double)im (v);
    sum += x * x + y * y;
    inverse[i] = scale ((real)sign[j], v);
  }
  sum = lane_sum<32> (sum);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = sum;
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int w = 1; w < THREADS / 32; w++)
    sum += part[w];
  c.norms[page * c.n + j] = sum;
}

// A block of threads per page.
template <class T> __global__ void __launch_bounds__ (THREADS) verdict_kernel (qr_cholesky<T> c)
{
  __shared__ double part[THREADS];
  int64_t page = blockIdx.x;
  double sum = 0;
  for (int64_t j = threadIdx.x; j < c.n; j += THREADS)
    sum += c.norms[page * c.n + j];
  part[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads ();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x > 0)
    return;
  bool bad = c.failed[page] != 0 || !(part[0] <= (double)QR_CHOLESKY_LIMIT * (double)c.n);
  c.failed[page] = bad;
  if (bad)
    atomicAdd (c.failures, 1);
}

} // namespace

template <class T> cudaError_t qr_gram_diagonal (const qr_cholesky<T> &c, cudaStream_t stream)
{
  cudaError_t error = cudaMemsetAsync (c.failures, 0, sizeof (int), stream);
  if (error != cudaSuccess)
    return error;
  diagonal_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream)
{
  int tiles = (int)(J / QR_LEAF) + 1;
  cholesky_leaf_kernel<T><<<(unsigned)(c.pages * tiles), THREADS, 0, stream>>> (c, J, count, tiles);
  return cudaGetLastError ();
}

template <class T>
cudaError_t qr_signs_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream)
{
  signs_leaf_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c, J, count);
  return cudaGetLastError ();
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
cudaError_t qr_cholesky_finish (const qr_cholesky<T> &c, qr_matrix<T> to, int64_t rows,
                                cudaStream_t stream)
{
  results_kernel<T><<<(unsigned)(c.n * c.pages), THREADS, 0, stream>>> (c, to, rows);
  verdict_kernel<T><<<(unsigned)c.pages, THREADS, 0, stream>>> (c);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_gram_diagonal (const qr_cholesky<T> &, cudaStream_t);                    \
  template cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &, int64_t, int, cudaStream_t);      \
  template cudaError_t qr_signs_leaf (const qr_cholesky<T> &, int64_t, int, cudaStream_t);         \
  template cudaError_t qr_signs_right (const qr_cholesky<T> &, int64_t, int64_t, int64_t, int64_t, \
                                       qr_matrix<T>, cudaStream_t);                                \
  template cudaError_t qr_cholesky_finish (const qr_cholesky<T> &, qr_matrix<T>, int64_t,          \
                                           cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
