// few.cu: few eigenvectors of many small tridiagonal matrices, a lane for each
// SPDX-License-Identifier: GPL-3.0-or-later

#include "few.cuh"

namespace
{

// Limits beyond which divide and conquer finds the vectors: a residual of RESIDUAL * eps * bound,
// and a cosine between two vectors before the last orthogonalization.
enum { RESIDUAL = 8 };
constexpr double COSINE = 0.01;

// If the eigenvalues of a page are farther apart than this times the bound, one orthogonalization
// is enough: before it the cosines are some eps over this.
template <class R> constexpr R apart_enough = sizeof (R) == 8 ? R (0x1p-12) : R (0x1p-10);

// Between the rows of the vectors in shared memory: lanes that write columns use different banks.
enum { VECTORS_LD = 33 };

// Of the vectors in shared memory, before 32 rows of pivots.
GLA_DEVICE int vectors_of (const few_layout &s)
{
  return s.rows * VECTORS_LD;
}

// The place of a lane: which page of the warp, which of the wanted numbers, and whether there is
// one.
struct few_place {
  int g, j;
  int64_t page;
  bool active;
};

// Lanes without work repeat that of the first lane; in an interval that of the first lane of a
// page.
template <class T> GLA_DEVICE few_place place_of (const eig_args<T> &a, const few_task &task)
{
  int lane = threadIdx.x;
  bool active = lane < task.pages * task.k;
  int g = active ? lane / task.k : 0, j = active ? lane % task.k : 0;
  active = active && task.first + g < task.end;
  int64_t page = task.page (g);
  if (task.list != nullptr && j >= a.spans[page].stored) {
    j = 0;
    active = false;
  }
  return {g, j, page, active};
}

// Finds task number `at` of the warps, if there is one: the pages in their order, `pages` to a
// warp, or those in the lists of an interval, one list after the other.
template <bool LISTED, class T>
GLA_DEVICE bool find_task (const eig_args<T> &a, int64_t at, int pages, few_task &task)
{
  if constexpr (!LISTED) {
    task = {pages, a.wanted, nullptr, at * pages, a.pages};
    return task.first < a.pages;
  } else {
    for (int c = 1; c <= few_most (a.n); c++) {
      const int64_t end = a.lists[c - 1], tasks = (end + c - 1) / c;
      if (at < tasks) {
        task = {c, 32 / c, few_list (a.lists, a.pages, c), at * c, end};
        return true;
      }
      at -= tasks;
    }
    return false;
  }
}

// Where the eigenvalue of a lane is kept for its vector: in a column of Z that is not wanted.
template <class T> GLA_DEVICE real_t<T> *kept_value (const eig_args<T> &a, const few_place &p)
{
  return static_cast<real_t<T> *> (a.Z) + ((p.page + 1) * a.n - 1) * a.n + p.j;
}

// Normalises the lane's vector and, by Gram and Schmidt in the modified form, makes those of its
// page orthogonal if `here`: they are columns `first`, first + 1, ... of X, k at most, and the
// lane's one is column `lane`, number j. The largest cosine; NaN where one is NaN.
template <class R> GLA_DEVICE R make_orthogonal (R *X, int n, int k, int first, int j, bool here)
{
  int lane = threadIdx.x;
  R worst = 0;
  few_normalise (X + lane, n, VECTORS_LD);
  __syncwarp ();
  if (!__any_sync (0xffffffffu, here))
    return worst;
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
    if (here && j > m) {
      worst = absmax (cosine) > worst || cosine != cosine ? absmax (cosine) : worst;
#pragma unroll 4
      for (int i = 0; i < n; i++)
        X[i * VECTORS_LD + lane] = madd (-cosine, other[i * VECTORS_LD], X[i * VECTORS_LD + lane]);
    }
    __syncwarp ();
  }
  if (here)
    few_normalise (X + lane, n, VECTORS_LD);
  __syncwarp ();
  return worst;
}

// The vectors of the lanes in the bits of `good`, k lanes for a page, to Z.
template <class T>
GLA_DEVICE void store_vectors (const eig_args<T> &a, const few_task &task, const real_t<T> *X,
                               unsigned good)
{
  typedef real_t<T> R;
  for (int c = 0; c < task.pages * task.k; c++) {
    if ((good >> c & 1) == 0)
      continue;
    R *z = static_cast<R *> (a.Z) + (task.page (c / task.k) * a.n + c % task.k) * a.n;
    for (int i = threadIdx.x; i < a.n; i += 32)
      z[i] = X[i * VECTORS_LD + c];
  }
}

// A block is a warp, and a lane of it has one of the wanted eigenvalues of one of its pages; all of
// a warp take the same number of steps. In an interval the warps take more such tasks in turn.
template <class T, bool LISTED>
__global__ void __launch_bounds__ (32) few_values_kernel (eig_args<T> a, int pages)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  R *d = reinterpret_cast<R *> (memory);
  few_task task;
  for (int64_t at = blockIdx.x; find_task<LISTED> (a, at, pages, task); at += gridDim.x) {
    const few_layout s (a.n, task.k, task.pages);
    const few_place p = place_of (a, task);
    R *e = d + s.matrix ();
    few_load (a, s, task, d, e);
    few_matrix<R> t = {d + p.g, e + p.g, s.n, s.apart};
    R bound = few_bound (t);
    __syncwarp ();
    if (p.active && p.j == 0)
      few_square (s, d + p.g, e + p.g, bound);
    __syncwarp ();
    R sigma = few_value (t, eig_first_of (a, p.page) + p.j, bound);
    if (p.active)
      *kept_value (a, p) = sigma;
    __syncwarp ();
  }
}

// The vectors of a task, of at most `most` columns a page.
template <class T>
GLA_DEVICE void find_vectors (const eig_args<T> &a, const few_task &task, const few_place &p,
                              int most, real_t<T> *d)
{
  typedef real_t<T> R;
  const few_layout s (a.n, task.k, task.pages);
  R *e = d + s.matrix (), *X = e + s.matrix (), *inverse = X + vectors_of (s);
  int lane = threadIdx.x, n = s.n, k = s.k, index = eig_first_of (a, p.page) + p.j;
  few_load (a, s, task, d, e);
  few_matrix<R> t = {d + p.g, e + p.g, n, s.apart};
  R bound = few_bound (t), sigma = p.active ? *kept_value (a, p) : R (0), worst = 0;

  int r = few_twist (t, sigma, bound, inverse + lane, X + lane, VECTORS_LD);
#pragma unroll 4
  for (int i = 0; i < n; i++)
    X[i * VECTORS_LD + lane] = few_start<R> (i, index);
  const R before = __shfl_up_sync (0xffffffffu, sigma, 1);
  const bool beside = p.active && p.j > 0 && sigma - before < apart_enough<R> * bound;
  const unsigned all = 0xffffffffu >> (32 - k); // lanes of a page
  const bool near = (__ballot_sync (0xffffffffu, beside) >> p.g * k & all) != 0;
  for (int step = 0; step < 3; step++) {
    if (step < 2)
      few_solve (t, r, inverse + lane, X + lane, VECTORS_LD);
    worst = make_orthogonal (X, n, most, p.g * k, p.j, near || step == 2);
  }
  R residual = few_residual (t, sigma, X + lane, VECTORS_LD);
  bool good =
      residual <= RESIDUAL * limits<R>::eps * bound && worst <= R (COSINE) && a.info[p.page] == 0;
  const unsigned bad = __ballot_sync (0xffffffffu, p.active && !good);
  good = p.active && (bad >> p.g * k & all) == 0;
  store_vectors (a, task, X, __ballot_sync (0xffffffffu, good));
  if (!good)
    return;
  a.lambda[p.page * a.page_lambda + index * a.inc_lambda] = times_power (sigma, a.exponent[p.page]);
  a.rank[p.page * n + p.j] = p.j;
  if (p.j == 0)
    a.info[p.page] = EIG_FOUND;
}

// A block is a warp, because shared memory is what is short, and a lane of it has one of the wanted
// vectors of one of its pages, a column in shared memory. The lanes of a page make their vectors
// orthogonal together, one after the other, and then decide whether they are good enough. In an
// interval the warps take more such tasks in turn.
template <class T, bool LISTED>
__global__ void __launch_bounds__ (32) few_vectors_kernel (eig_args<T> a, int pages)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  few_task task;
  for (int64_t at = blockIdx.x; find_task<LISTED> (a, at, pages, task); at += gridDim.x) {
    const few_place p = place_of (a, task);
    int most = LISTED ? a.spans[p.page].stored : task.k;
#pragma unroll
    for (int mask = 16; LISTED && mask > 0; mask /= 2) {
      const int other = __shfl_xor_sync (0xffffffffu, most, mask);
      most = most > other ? most : other;
    }
    find_vectors (a, task, p, most, reinterpret_cast<real_t<T> *> (memory));
    __syncwarp ();
  }
}

// A thread to a page.
__global__ void end_kernel (int32_t *info, int64_t pages)
{
  int64_t page = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (page < pages && info[page] == EIG_FOUND)
    info[page] = 0;
}

template <class T> size_t values_bytes (const few_layout &s)
{
  return 2 * s.matrix () * sizeof (real_t<T>);
}
template <class T> size_t vectors_bytes (const few_layout &s)
{
  return values_bytes<T> (s) + (VECTORS_LD + 32) * s.rows * sizeof (real_t<T>);
}

// For the tasks of an interval there are a few more blocks than tasks if n / LISTED_SHARE columns
// of each page are wanted, but not more than the multiprocessors can hold.
enum { LISTED_BLOCKS = 32, LISTED_SHARE = 8 };

// `pages` to a warp, or of an interval at most so many.
template <class T, bool LISTED, class K>
cudaError_t launch (const eig_args<T> &a, K kernel, int pages, size_t bytes)
{
  const cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  const int lanes = (a.n + LISTED_SHARE - 1) / LISTED_SHARE;
  const int together = !LISTED || 32 / lanes > pages ? pages : 32 / lanes;
  int64_t blocks = (a.pages + together - 1) / together;
  blocks += LISTED ? blocks / 4 : 0;
  if (LISTED && blocks > LISTED_BLOCKS * a.multiprocessors)
    blocks = LISTED_BLOCKS * a.multiprocessors;
  kernel<<<(unsigned)blocks, 32, bytes, a.stream>>> (a, pages);
  return cudaGetLastError ();
}

template <class T, bool LISTED> cudaError_t find (const eig_args<T> &a, int pages)
{
  while (!LISTED && pages > 1 && values_bytes<T> ({a.n, 0, pages}) > (size_t)a.smem_limit)
    pages--;
  const cudaError_t status =
      launch<T, LISTED> (a, few_values_kernel<T, LISTED>, pages, values_bytes<T> ({a.n, 0, pages}));
  if (status != cudaSuccess)
    return status;
  while (!LISTED && pages > 1 && vectors_bytes<T> ({a.n, 0, pages}) > (size_t)a.smem_limit)
    pages--;
  return launch<T, LISTED> (a, few_vectors_kernel<T, LISTED>, pages,
                            vectors_bytes<T> ({a.n, 0, pages}));
}

} // namespace

// The pages of a warp change no bits: as many as have lanes and shared memory.
template <class T> cudaError_t eig_few (const eig_args<T> &a, const eig_interval &interval)
{
  if (a.spans == nullptr)
    return find<T, false> (a, 32 / a.wanted);
  const cudaError_t status = few_spans (a, interval);
  return status == cudaSuccess ? find<T, true> (a, few_most (a.n)) : status;
}

template <class T> cudaError_t eig_few_end (const eig_args<T> &a)
{
  enum { THREADS = 256 };
  end_kernel<<<(unsigned)((a.pages + THREADS - 1) / THREADS), THREADS, 0, a.stream>>> (a.info,
                                                                                       a.pages);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_few (const eig_args<T> &, const eig_interval &);                        \
  template cudaError_t eig_few_end (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
