// few.cu: few eigenvectors of many small tridiagonal matrices, a lane for each
// SPDX-License-Identifier: GPL-3.0-or-later

#include "few.cuh"

namespace
{

// What vectors may miss, or they are found by divide and conquer: a residual of RESIDUAL * eps *
// bound, and a cosine between two of them before they are made orthogonal for the last time.
enum { RESIDUAL = 8 };
constexpr double COSINE = 0.01;

// Between the rows of the vectors in shared memory: lanes that write columns use different banks.
enum { VECTORS_LD = 33 };

// A warp has some whole pages, a lane for each of the k wanted vectors of each. Their matrices are
// in shared memory, row by row, so that lanes of different pages read different banks.
struct few_layout {
  int n, k, pages, apart, rows;
  __host__ __device__ few_layout (int n, int k, int pages)
      : n (n), k (k), pages (pages), apart (pages | 1),
        rows ((n + FEW_ROWS - 1) / FEW_ROWS * FEW_ROWS)
  {
  }
  // of d, e or the squares of e; and of the vectors behind them, before 32 rows of pivots
  __host__ __device__ int matrix () const { return rows * apart; }
  __host__ __device__ int vectors () const { return rows * VECTORS_LD; }
};

// Where a lane works: its page of the warp's, its number among the wanted ones, whether it has one.
struct few_place {
  int g, j;
  int64_t first, page;
  bool active;
};

GLA_DEVICE few_place place_of (const few_layout &s, int64_t pages)
{
  int lane = threadIdx.x;
  bool active = lane < s.pages * s.k;
  int g = active ? lane / s.k : 0, j = active ? lane % s.k : 0;
  int64_t first = (int64_t)blockIdx.x * s.pages;
  return {g, j, first, first + g, active && first + g < pages};
}

// The matrices of the warp's pages from `first` on. Rows behind the end are 0.
template <class T>
GLA_DEVICE void load_matrices (const eig_args<T> &a, const few_layout &s, int64_t first,
                               real_t<T> *d, real_t<T> *e)
{
  typedef real_t<T> R;
#pragma unroll 4
  for (int at = threadIdx.x; at < s.pages * s.rows; at += 32) {
    int g = at / s.rows, i = at - g * s.rows;
    int64_t page = first + g < a.pages ? first + g : a.pages - 1;
    d[i * s.apart + g] = i < s.n ? a.d[page * s.n + i] : R (0);
    e[i * s.apart + g] = i > 0 && i < s.n ? a.e[page * s.n + i - 1] : R (0);
  }
  __syncwarp ();
}

// Where the eigenvalue of a lane is kept for its vector: in a column of Z that is not wanted.
template <class T> GLA_DEVICE real_t<T> *kept_value (const eig_args<T> &a, const few_place &p)
{
  return static_cast<real_t<T> *> (a.Z) + ((p.page + 1) * a.n - 1) * a.n + p.j;
}

// A power of two above all eigenvalues; 1 of a matrix of zeros. The rows behind the end get a
// diagonal beyond it, so that they change no count.
template <class R> GLA_DEVICE R bound_of (const few_matrix<R> &t)
{
  R bound = 0;
#pragma unroll 4
  for (int i = 0; i < t.n; i++) {
    R sum = absmax (t.d[i * t.apart]) + absmax (t.e[i * t.apart]);
    sum += i < t.n - 1 ? absmax (t.e[(i + 1) * t.apart]) : R (0);
    bound = bound > sum ? bound : sum;
  }
  return bound > limits<R>::tiny ? 2 / few_down (bound) : R (1);
}

// Gram and Schmidt in the modified form, for the lane's page: its vectors are columns `first`,
// first + 1, ... of X, and the lane's one is column `lane`, number j. The largest cosine; NaN where
// one is NaN.
template <class R> GLA_DEVICE R make_orthogonal (R *X, int n, int k, int first, int j)
{
  int lane = threadIdx.x;
  R worst = 0;
  few_normalise (X + lane, n, VECTORS_LD);
  __syncwarp ();
  for (int m = 0; m < k - 1; m++) {
    const R *other = X + first + m;
    R square[2] = {}, dot[2] = {};
#pragma unroll 4
    for (int i = 0; i < n; i++) {
      R x = other[i * VECTORS_LD];
      square[i % 2] = madd (x, x, square[i % 2]);
      dot[i % 2] = madd (x, X[i * VECTORS_LD + lane], dot[i % 2]);
    }
    R cosine = (dot[0] + dot[1]) / (square[0] + square[1]);
    if (j > m) {
      worst = absmax (cosine) > worst || cosine != cosine ? absmax (cosine) : worst;
#pragma unroll 4
      for (int i = 0; i < n; i++)
        X[i * VECTORS_LD + lane] = madd (-cosine, other[i * VECTORS_LD], X[i * VECTORS_LD + lane]);
    }
    __syncwarp ();
  }
  few_normalise (X + lane, n, VECTORS_LD);
  __syncwarp ();
  return worst;
}

// The vectors of the pages in the bits of `good`, a page to k of them, to Z.
template <class T>
GLA_DEVICE void store_vectors (const eig_args<T> &a, const few_layout &s, int64_t first,
                               const real_t<T> *X, unsigned good)
{
  typedef real_t<T> R;
  for (int c = 0; c < s.pages * s.k; c++) {
    if ((good >> c & 1) == 0)
      continue;
    R *z = static_cast<R *> (a.Z) + ((first + c / s.k) * s.n + c % s.k) * s.n;
    for (int i = threadIdx.x; i < s.n; i += 32)
      z[i] = X[i * VECTORS_LD + c];
  }
}

// A block is a warp, and a lane of it has one of the k wanted eigenvalues of one of its pages;
// lanes that are left repeat the first one's work. All of a warp take the same number of steps.
template <class T>
__global__ void __launch_bounds__ (32) few_values_kernel (eig_args<T> a, int pages)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  const few_layout s (a.n, a.wanted, pages);
  R *d = reinterpret_cast<R *> (memory), *e = d + s.matrix ();
  const few_place p = place_of (s, a.pages);
  load_matrices (a, s, p.first, d, e);
  few_matrix<R> t = {d + p.g, e + p.g, s.n, s.apart};
  R bound = bound_of (t);
  __syncwarp ();
  if (p.active && p.j == 0)
    for (int i = 0; i < s.rows; i++) {
      R beside = e[i * s.apart + p.g];
      e[i * s.apart + p.g] = beside * beside;
      if (i >= s.n)
        d[i * s.apart + p.g] = 4 * bound;
    }
  __syncwarp ();
  R sigma = few_value (t, a.first + p.j, bound);
  if (p.active)
    *kept_value (a, p) = sigma;
}

// A block is a warp, because shared memory is what is short, and a lane of it has one of the k
// wanted vectors of one of its pages, a column in shared memory; lanes that are left repeat the
// first one's work. The lanes of a page make their vectors orthogonal together, one after the
// other, and then decide whether they are good enough.
template <class T>
__global__ void __launch_bounds__ (32) few_vectors_kernel (eig_args<T> a, int pages)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  const few_layout s (a.n, a.wanted, pages);
  R *d = reinterpret_cast<R *> (memory), *e = d + s.matrix (), *X = e + s.matrix (),
    *inverse = X + s.vectors ();
  const few_place p = place_of (s, a.pages);
  int lane = threadIdx.x, n = s.n, k = s.k, index = a.first + p.j;
  load_matrices (a, s, p.first, d, e);
  few_matrix<R> t = {d + p.g, e + p.g, n, s.apart};
  R bound = bound_of (t), sigma = p.active ? *kept_value (a, p) : R (0), worst = 0;

  int r = few_twist (t, sigma, bound, inverse + lane, X + lane, VECTORS_LD);
#pragma unroll 4
  for (int i = 0; i < n; i++)
    X[i * VECTORS_LD + lane] = few_start<R> (i, index);
  for (int step = 0; step < 3; step++) {
    if (step < 2)
      few_solve (t, r, inverse + lane, X + lane, VECTORS_LD);
    worst = make_orthogonal (X, n, k, p.g * k, p.j);
  }
  R residual = few_residual (t, sigma, X + lane, VECTORS_LD);
  bool good = p.active && residual <= RESIDUAL * limits<R>::eps * bound && worst <= R (COSINE) &&
              a.info[p.page] == 0;
  unsigned votes = __ballot_sync (0xffffffffu, good), all = 0xffffffffu >> (32 - k);
  good = p.active && (votes >> p.g * k & all) == all;
  votes = __ballot_sync (0xffffffffu, good);
  store_vectors (a, s, p.first, X, votes);
  if (!good)
    return;
  a.lambda[p.page * a.page_lambda + index * a.inc_lambda] = times_power (sigma, a.exponent[p.page]);
  a.rank[p.page * n + p.j] = p.j;
  if (p.j == 0)
    a.info[p.page] = EIG_FOUND;
}

// A thread to a page.
__global__ void end_kernel (int32_t *info, int64_t pages)
{
  int64_t page = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (page < pages && info[page] == EIG_FOUND)
    info[page] = 0;
}

template <class T> size_t few_bytes (const few_layout &s)
{
  return (2 * s.matrix () + s.vectors () + 32 * s.rows) * sizeof (real_t<T>);
}

} // namespace

// The pages of a warp change no bits: as many as have lanes and shared memory.
template <class T> cudaError_t eig_few (const eig_args<T> &a)
{
  typedef real_t<T> R;
  int pages = 32 / a.wanted;
  few_layout s (a.n, a.wanted, pages);
  size_t values = 2 * s.matrix () * sizeof (R);
  cudaError_t status = allow_shared (few_values_kernel<T>, values);
  if (status != cudaSuccess)
    return status;
  few_values_kernel<T>
      <<<(unsigned)((a.pages + pages - 1) / pages), 32, values, a.stream>>> (a, pages);
  size_t vectors = few_bytes<T> (s);
  for (; pages > 1 && vectors > (size_t)a.smem_limit; vectors = few_bytes<T> (s))
    s = few_layout (a.n, a.wanted, --pages);
  status = allow_shared (few_vectors_kernel<T>, vectors);
  if (status != cudaSuccess)
    return status;
  few_vectors_kernel<T>
      <<<(unsigned)((a.pages + pages - 1) / pages), 32, vectors, a.stream>>> (a, pages);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_few_end (const eig_args<T> &a)
{
  enum { THREADS = 256 };
  end_kernel<<<(unsigned)((a.pages + THREADS - 1) / THREADS), THREADS, 0, a.stream>>> (a.info,
                                                                                       a.pages);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_few (const eig_args<T> &);                                              \
  template cudaError_t eig_few_end (const eig_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
