// jacobi_factor.cu: what Jacobi begins with: the vectors of "qr", or a Cholesky factor of the page
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/reduce.cuh"
#include "eig_kernels.cuh"

//------------------------------------------------------------------------------
// blocked Jacobi that begins with the eigenvectors of "qr"
//------------------------------------------------------------------------------

namespace
{

// A thread per page.
__global__ void forgive_kernel (int32_t *info, int32_t *bad, int64_t pages)
{
  const int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || bad[page] != 0 || info[page] == 0)
    return;
  info[page] = 0;
  bad[page] = -1;
}

// Block (x, y): entries of page y from blockDim.x*x on.
template <class T>
__global__ void begin_kernel (eig_args<T> a, const T *A, const T *V, const int32_t *bad)
{
  const int64_t n2 = (int64_t)a.n * a.n, k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (int64_t page = blockIdx.y; page < a.pages && k < n2; page += gridDim.y)
    if (bad[page] == -1)
      a.W[page * n2 + k] = A[page * n2 + k];
    else
      static_cast<T *> (a.Z)[page * n2 + k] = V[page * n2 + k];
}

} // namespace

template <class T> cudaError_t eig_block_forgive (const eig_args<T> &a, int32_t *bad)
{
  forgive_kernel<<<(unsigned)((a.pages + 127) / 128), 128, 0, a.stream>>> (a.info, bad, a.pages);
  return cudaGetLastError ();
}

template <class T>
cudaError_t eig_block_begin (const eig_args<T> &a, const T *A, const T *V, const int32_t *bad)
{
  const unsigned pages = (unsigned)(a.pages < 65535 ? a.pages : 65535);
  const dim3 grid ((unsigned)(((int64_t)a.n * a.n + 255) / 256), pages);
  begin_kernel<T><<<grid, 256, 0, a.stream>>> (a, A, V, bad);
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// Cholesky with pivoting of small pages, shifted where they are not definite
//------------------------------------------------------------------------------

namespace
{

// The page is in registers: thread (x, y) has entries (x + ROWS a, y + COLUMNS b), DOWN x ACROSS of
// them. In each step one column goes to all threads through shared memory, and all take its outer
// product off.
template <class T, int P> struct factor_page {
  typedef real_t<T> R;
  static constexpr int THREADS = P * (P == 64 ? 4 : 2), LD = P + 1;
  static constexpr int DOWN = 4, ROWS = P / DOWN;
  static constexpr int COLUMNS = THREADS / ROWS, ACROSS = P / COLUMNS;
  T *L, *column; // column k of L at k*LD
  R *diagonal, *whole;
  int n, x, y;
  T entry[DOWN][ACROSS];

  static size_t bytes () { return (P * LD + P) * sizeof (T) + 2 * P * sizeof (R); }
  GLA_DEVICE factor_page (unsigned char *memory, int n)
      : n (n), x (threadIdx.x % ROWS), y (threadIdx.x / ROWS)
  {
    L = reinterpret_cast<T *> (memory);
    column = L + P * LD;
    diagonal = reinterpret_cast<R *> (column + P);
    whole = diagonal + P;
  }
  GLA_DEVICE int row_of (int a) const { return x + ROWS * a; }
  GLA_DEVICE int column_of (int b) const { return y + COLUMNS * b; }
  // f (a, b) for the entries of this thread.
  template <class F> GLA_DEVICE static void for_each (F f)
  {
#pragma unroll
    for (int b = 0; b < ACROSS; b++)
#pragma unroll
      for (int a = 0; a < DOWN; a++)
        f (a, b);
  }

  // W + s I
  GLA_DEVICE void load (const T *W, R s)
  {
    for_each ([&] (int a, int b) {
      const int i = row_of (a), j = column_of (b);
      T value = from_real<T> (0);
      if (i < n && j < n)
        value = i == j ? from_real<T> (re (W[j * n + i]) + s) : W[j * n + i];
      entry[a][b] = value;
      if (i == j)
        diagonal[i] = whole[i] = i < n ? re (value) : R (-1);
    });
    __syncthreads ();
  }

  GLA_DEVICE bool is_diagonal () const
  {
    bool other = false;
    for_each (
        [&] (int a, int b) { other |= row_of (a) != column_of (b) && absmax (entry[a][b]) > 0; });
    return !__syncthreads_or (other);
  }

  // Of all threads: the largest of what the columns have, column_of (b) `sum[b]` in parts for the
  // threads that share it. The same in all threads.
  GLA_DEVICE R largest_sum (R (&sum)[ACROSS])
  {
    R most = 0;
#pragma unroll
    for (int b = 0; b < ACROSS; b++) {
#pragma unroll
      for (int mask = ROWS / 2; mask > 0; mask /= 2)
        sum[b] += shuffle_xor (sum[b], mask);
      most = sum[b] > most ? sum[b] : most;
    }
    __syncthreads ();
    if (x == 0)
      diagonal[y] = most;
    __syncthreads ();
    for (int i = 0; i < COLUMNS; i++)
      most = diagonal[i] > most ? diagonal[i] : most;
    return most;
  }

  // The largest sum of a column of |W*W|, which is Hermitian: no eigenvalue of W is larger than its
  // root, nor below minus that. The largest entry of W is about 1. W is in L.
  GLA_DEVICE R largest_of_square ()
  {
    T square[DOWN][ACROSS];
    for_each ([&] (int a, int b) { square[a][b] = from_real<T> (0); });
    for (int k = 0; k < n; k++)
      for_each ([&] (int a, int b) {
        square[a][b] = cmadd (L[row_of (a) * LD + k], L[column_of (b) * LD + k], square[a][b]);
      });
    R sum[ACROSS];
#pragma unroll
    for (int b = 0; b < ACROSS; b++)
      sum[b] = 0;
    for_each ([&] (int a, int b) { sum[b] += sqrt_of (abs2 (square[a][b])); });
    return largest_sum (sum);
  }

  // No eigenvalue is below minus this: by the rows of W (Gershgorin), the columns of W*W, and the
  // norm. Rows alone say 3.8 times the largest eigenvalue of a random page of order 49, W*W 1.6
  // times. The same in all threads; L is lost.
  GLA_DEVICE R lower_bound (const T *W, R norm)
  {
    R sum[ACROSS];
#pragma unroll
    for (int b = 0; b < ACROSS; b++)
      sum[b] = 0;
    for_each ([&] (int a, int b) {
      const int i = row_of (a), j = column_of (b);
      const T value = i < n && j < n ? W[j * n + i] : from_real<T> (0);
      L[j * LD + i] = value;
      sum[b] += i == j ? -re (value) : sqrt_of (abs2 (value));
    });
    const R rows = largest_sum (sum), square = sqrt_of (largest_of_square ());
    const R bound = square < rows ? square : rows;
    return bound < norm ? bound : norm;
  }

  // Whether all pivots kept digits of their diagonal entries; the same in all threads.
  GLA_DEVICE bool factor ()
  {
    const R lost = 8 * n * limits<R>::eps;
    unsigned long long placed = n < 64 ? ~0ull << n : 0; // and those that are not there
    for (int k = 0; k < n; k++) {
      const int c = longest_of<P> (diagonal);
      const R pivot = diagonal[c];
      if (!(pivot > lost * whole[c]))
        return false;
      placed |= 1ull << c;
      for_each ([&] (int a, int b) {
        if (column_of (b) == c)
          column[row_of (a)] = entry[a][b];
      });
      __syncthreads ();
      const R inverse = rsqrt_of (pivot);
      T left[DOWN], right[ACROSS];
#pragma unroll
      for (int a = 0; a < DOWN; a++)
        left[a] = placed >> row_of (a) & 1 ? from_real<T> (0) : scale (inverse, column[row_of (a)]);
#pragma unroll
      for (int b = 0; b < ACROSS; b++)
        right[b] = placed >> column_of (b) & 1 ? from_real<T> (0)
                                               : scale (-inverse, conj (column[column_of (b)]));
      for_each ([&] (int a, int b) {
        entry[a][b] = madd (left[a], right[b], entry[a][b]);
        if (row_of (a) == column_of (b))
          diagonal[row_of (a)] = placed >> row_of (a) & 1 ? R (-1) : re (entry[a][b]);
      });
      if (threadIdx.x < P) {
        const int i = threadIdx.x;
        L[k * LD + i] = i == c            ? from_real<T> (pivot * inverse)
                        : placed >> i & 1 ? from_real<T> (0)
                                          : scale (inverse, column[i]);
      }
      __syncthreads ();
    }
    return true;
  }
};

// A block per page. Without a shift first; then with the bound and a sixteenth of it, which at most
// doubles the largest eigenvalue, and makes the smallest one a part of it.
template <class T, int P>
__global__ void __launch_bounds__ (factor_page<T, P>::THREADS) factor_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  const int64_t page = blockIdx.x;
  const int n = a.n;
  const R norm = a.norm[page];
  T *W = a.W + page * n * n;
  factor_page<T, P> p (memory, n);
  R shift = 0;
  if (a.info[page] != 0)
    return;
  p.load (W, shift);
  if (p.is_diagonal ()) {
    if (threadIdx.x == 0)
      a.d[page] = R (NAN);
    return;
  }
  for (int attempt = 0; !p.factor () && attempt < 3; attempt++) {
    __syncthreads ();
    const R bound = attempt == 0 ? p.lower_bound (W, norm) : (1 << attempt) * norm;
    shift = R (1.0625) * bound > norm / 16 ? R (1.0625) * bound : norm / 16;
    __syncthreads ();
    p.load (W, shift);
  }
  __syncthreads ();
  for (int w = threadIdx.x; w < P * P; w += p.THREADS)
    if (w % P < n && w / P < n)
      W[w / P * n + w % P] = p.L[w / P * p.LD + w % P];
  if (threadIdx.x == 0)
    a.d[page] = shift;
}

template <class T, int P> cudaError_t launch (const eig_args<T> &a)
{
  const size_t bytes = factor_page<T, P>::bytes ();
  cudaError_t status = allow_shared (factor_kernel<T, P>, bytes);
  if (status != cudaSuccess)
    return status;
  factor_kernel<T, P><<<(unsigned)a.pages, factor_page<T, P>::THREADS, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_jacobi_fits (int n, int smem_limit)
{
  const size_t bytes = n <= 32 ? factor_page<T, 32>::bytes () : factor_page<T, 64>::bytes ();
  return n <= JACOBI_LANES && bytes <= (size_t)smem_limit;
}

template <class T> cudaError_t eig_jacobi_factor (const eig_args<T> &a)
{
  return a.n <= 32 ? launch<T, 32> (a) : launch<T, 64> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_block_forgive (const eig_args<T> &, int32_t *);                         \
  template cudaError_t eig_block_begin (const eig_args<T> &, const T *, const T *,                 \
                                        const int32_t *);                                          \
  template bool eig_jacobi_fits<T> (int, int);                                                     \
  template cudaError_t eig_jacobi_factor (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
