// qr_tree.cu: panels of more rows than a cluster holds: TSQR with reconstructed reflectors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leaves of the panel are factored each for itself; their R's, stacked, are a panel again (Demmel,
// Grigori, Hoemmen, Langou 2012). The orthonormal factor of a leaf is [N; 0] - Y M: N its rows of
// the Q of the stack, M = F Y1' N with Y1 the first 32 rows of Y. From the whole Q come reflectors
// of the panel (Ballard, Demmel, Grigori, Jacquelin, Knight, Nguyen, Solomonik 2014): L U = Q1 - S
// without pivoting, S = -sign of what stands on the diagonal, Y = [L; Q2 U^-1], F = -U S L^-T,
// R := S R. Every step is as stable as Householder's, for every input.

#include "cluster.cuh"
#include "qr_kernels.cuh"

namespace
{

enum { N = QR_PANEL, LDS = N + 1, THREADS = 256, LEVELS_MAX = 8, TILE = 128 };

// One level of the tree: `groups` of `rows` rows (the last may have fewer), with their triangular
// factors, packed, and M and N of each group, packed.
template <class T> struct tree_level {
  qr_matrix<T> Y;
  int64_t total, rows, groups;
  T *F, *M, *top; // groups x 32 x 32 each; a page has groups*32*32
  const T *N;     // rows of the Q of the stack above, 32 per group, ld; NULL: the identity
  int64_t ldn, page_n;
};

// Small matrices in shared memory, entry (i, j) at i + j*LDS.
template <class T> using small = T[N * LDS];

// What a block of threads has in shared memory.
template <class T> struct tree_memory {
  small<T> n, m, y, work;
  real_t<T> S[N];
};

template <class T> GLA_DEVICE T zero ()
{
  return from_real<T> (0);
}

// c = a b, or a' b
template <bool ADJOINT, class T>
GLA_DEVICE void multiply_small (small<T> &c, const small<T> &a, const small<T> &b)
{
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    T sum = zero<T> ();
#pragma unroll 8
    for (int l = 0; l < N; l++)
      sum = ADJOINT ? cmadd (a[l + i * LDS], b[l + j * LDS], sum)
                    : madd (a[i + l * LDS], b[l + j * LDS], sum);
    c[i + j * LDS] = sum;
  }
  __syncthreads ();
}

// The first 32 rows of a group, zeros where it or the panel ends.
template <class T>
GLA_DEVICE void load_first (small<T> &y, const T *Y, int64_t ld, int64_t rows, int columns)
{
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    y[i + j * LDS] = i < rows && j < columns ? Y[i + j * ld] : zero<T> ();
  }
}

// N of a group, the identity where there is no stack above.
template <class T>
GLA_DEVICE void load_top (small<T> &n, const tree_level<T> &t, int64_t page, int64_t group)
{
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    if (t.N == nullptr)
      n[i + j * LDS] = from_real<T> (i == j ? 1 : 0);
    else
      n[i + j * LDS] = t.N[page * t.page_n + group * N + i + j * t.ldn];
  }
}

template <class T> GLA_DEVICE void load_packed (small<T> &to, const T *from)
{
  for (int q = threadIdx.x; q < N * N; q += blockDim.x)
    to[q % N + q / N * LDS] = from[q];
}

// m = F Y1' n for a group; y is Y1 and work is lost.
template <class T>
GLA_DEVICE void group_m (small<T> &m, const small<T> &n, small<T> &y, small<T> &work,
                         const tree_level<T> &t, int64_t page, int64_t group, int columns)
{
  int64_t left = t.total - group * t.rows;
  load_first (y, t.Y.data + page * t.Y.page + group * t.rows, t.Y.ld, left < t.rows ? left : t.rows,
              columns);
  load_packed (work, t.F + (page * t.groups + group) * N * N);
  __syncthreads ();
  multiply_small<true> (m, y, n);
  // work = F; F m goes to y's place only after y is done with
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    T sum = zero<T> ();
    for (int l = 0; l < N; l++)
      sum = madd (work[i + l * LDS], m[l + j * LDS], sum);
    y[i + j * LDS] = sum;
  }
  __syncthreads ();
  for (int q = threadIdx.x; q < N * N; q += blockDim.x)
    m[q % N + q / N * LDS] = y[q % N + q / N * LDS];
  __syncthreads ();
}

// row := row U^-1, for a row of 32 that one thread has in shared memory
template <class T> GLA_DEVICE void solve_row (small<T> &x, int row, const small<T> &U, int columns)
{
  for (int j = 0; j < columns; j++) {
    T sum = x[row + j * LDS];
    for (int l = 0; l < j; l++)
      sum = sum - x[row + l * LDS] * U[l + j * LDS];
    x[row + j * LDS] = sum * U[N + j * LDS]; // the reciprocal of the diagonal stands below it
  }
}

//------------------------------------------------------------------------------
// reflectors from Q
//------------------------------------------------------------------------------

template <class T> GLA_DEVICE T reciprocal (T a)
{
  if constexpr (is_complex_v<T>)
    return scale (1 / abs2 (a), conj (a));
  else
    return 1 / a;
}

// a := L\U of a - S, S(j) = -sign (re (what stands at (j, j))).
template <class T> GLA_DEVICE void factor_lu (small<T> &a, real_t<T> *S, int columns)
{
  typedef real_t<T> R;
  for (int j = 0; j < columns; j++) {
    if (threadIdx.x == 0) {
      S[j] = re (a[j + j * LDS]) >= 0 ? R (-1) : R (1);
      a[j + j * LDS] = a[j + j * LDS] - from_real<T> (S[j]);
    }
    __syncthreads ();
    T pivot = reciprocal (a[j + j * LDS]);
    int i = threadIdx.x % N;
    for (int k = j + 1 + threadIdx.x / N; k < columns; k += blockDim.x / N)
      if (i > j)
        a[i + k * LDS] = a[i + k * LDS] - a[i + j * LDS] * pivot * a[j + k * LDS];
    __syncthreads ();
    if (threadIdx.x < N && i > j)
      a[i + j * LDS] = a[i + j * LDS] * pivot;
    __syncthreads ();
  }
}

// One block per page: the first 32 rows of Q, their L and U, the factor F, R and its signs.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    reconstruct_kernel (qr_panel_args<T> p, tree_level<T> t, qr_matrix<const T> top_r, T *LU)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &shared = *reinterpret_cast<tree_memory<T> *> (memory);
  small<T> &n = shared.n, &m = shared.m, &y = shared.y, &work = shared.work;
  real_t<T> *S = shared.S;
  int64_t page = blockIdx.x;
  int columns = p.columns;
  load_top (n, t, page, 0);
  __syncthreads ();
  group_m (m, n, y, work, t, page, 0, columns);
  load_first (y, t.Y.data + page * t.Y.page, t.Y.ld, t.rows, columns);
  __syncthreads ();
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    T sum = zero<T> ();
    for (int l = 0; l < N; l++)
      sum = madd (y[i + l * LDS], m[l + j * LDS], sum);
    work[i + j * LDS] = n[i + j * LDS] - sum;
  }
  __syncthreads ();
  factor_lu (work, S, columns);
  // F L' = -U S, a row per thread
  int i = threadIdx.x;
  if (i < N)
    for (int j = 0; j < N; j++) {
      T x = i <= j && j < columns ? scale (-S[j], work[i + j * LDS]) : zero<T> ();
      for (int l = i; l < j && j < columns; l++)
        x = x - m[i + l * LDS] * conj (work[j + l * LDS]);
      m[i + j * LDS] = i <= j ? x : zero<T> ();
    }
  __syncthreads ();
  T *F = p.F.data + page * p.F.page, *R = p.R.data + page * p.R.page;
  T *A = p.A.data + page * p.A.page;
  const T *from = top_r.data + page * top_r.page;
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int r = q % N, j = q / N;
    F[r + j * p.F.ld] = m[r + j * LDS];
    LU[page * N * N + q] = j < columns ? work[r + j * LDS] : zero<T> ();
    if (r < columns && j < columns)
      R[r + j * p.R.ld] = r <= j ? scale (S[r], from[r + j * top_r.ld]) : zero<T> ();
  }
  for (int q = threadIdx.x; q < p.above * columns; q += blockDim.x) {
    int r = q % p.above - p.above, j = q / p.above;
    R[r + j * p.R.ld] = A[r + j * p.A.ld];
    A[r + j * p.A.ld] = zero<T> ();
  }
}

//------------------------------------------------------------------------------
// from the Y of a group to its Q, or to its part of the Y of the panel
//------------------------------------------------------------------------------

// One block per group: M and N, times U^-1 where LU is given.
template <class T>
__global__ void __launch_bounds__ (THREADS) group_kernel (tree_level<T> t, const T *LU, int columns)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &shared = *reinterpret_cast<tree_memory<T> *> (memory);
  small<T> &n = shared.n, &m = shared.m, &y = shared.y, &work = shared.work;
  int64_t group = blockIdx.x % t.groups, page = blockIdx.x / t.groups;
  load_top (n, t, page, group);
  __syncthreads ();
  group_m (m, n, y, work, t, page, group, columns);
  if (LU != nullptr) {
    load_packed (work, LU + page * N * N);
    __syncthreads ();
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
      y[j] = reciprocal (work[j + j * LDS]);
    __syncthreads ();
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
      work[N + j * LDS] = y[j];
    __syncthreads ();
    if (threadIdx.x < N)
      solve_row (m, threadIdx.x, work, columns);
    else if (threadIdx.x < 2 * N)
      solve_row (n, threadIdx.x - N, work, columns);
    __syncthreads ();
  }
  T *M = t.M + (page * t.groups + group) * N * N, *top = t.top + (page * t.groups + group) * N * N;
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    M[q] = m[q % N + q / N * LDS];
    top[q] = n[q % N + q / N * LDS];
  }
}

// Y := [N; 0] - Y M of each group; the first 32 rows of a panel become L. A block of threads has
// 128 rows of a group: a thread has one row and half of its columns.
template <class T>
__global__ void __launch_bounds__ (THREADS) apply_kernel (tree_level<T> t, const T *LU, int columns)
{
  __shared__ T m[N * N];
  int64_t tiles = (t.rows + TILE - 1) / TILE, which = blockIdx.x;
  int64_t tile = which % tiles, group = which / tiles % t.groups, page = which / tiles / t.groups;
  for (int q = threadIdx.x; q < N * N; q += blockDim.x)
    m[q] = t.M[(page * t.groups + group) * N * N + q];
  int64_t left = t.total - group * t.rows, rows = left < t.rows ? left : t.rows;
  int64_t row = tile * TILE + threadIdx.x % TILE;
  int half = threadIdx.x / TILE * (N / 2);
  T *Y = t.Y.data + page * t.Y.page + group * t.rows + row;
  const T *top = t.top + (page * t.groups + group) * N * N + row;
  bool inside = row < rows;
  T y[N];
#pragma unroll
  for (int j = 0; j < N; j++)
    y[j] = inside && j < columns ? Y[j * t.Y.ld] : zero<T> ();
  __syncthreads (); // both halves of a row are read before one is written
#pragma unroll
  for (int q = 0; q < N / 2; q++) {
    int j = half + q;
    T sum = zero<T> ();
#pragma unroll
    for (int l = 0; l < N; l++)
      sum = madd (y[l], m[l + j * N], sum);
    if (!inside || j >= columns)
      continue;
    if (row >= N)
      Y[j * t.Y.ld] = -sum;
    else if (LU == nullptr || group > 0)
      Y[j * t.Y.ld] = top[j * N] - sum;
    else // a unit lower triangle
      Y[j * t.Y.ld] = row > j ? LU[page * N * N + row + j * N] : from_real<T> (row == j ? 1 : 0);
  }
}

template <class T>
cudaError_t expand (const tree_level<T> &t, const T *LU, int columns, int64_t pages,
                    cudaStream_t stream)
{
  size_t shared = sizeof (tree_memory<T>);
  cudaError_t error = allow_cluster (group_kernel<T>, 1, shared);
  if (error != cudaSuccess)
    return error;
  group_kernel<T><<<(unsigned)(t.groups * pages), THREADS, shared, stream>>> (t, LU, columns);
  int64_t tiles = (t.rows + TILE - 1) / TILE;
  apply_kernel<T><<<(unsigned)(tiles * t.groups * pages), THREADS, 0, stream>>> (t, LU, columns);
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// the tree
//------------------------------------------------------------------------------

template <class T> struct tree {
  tree_level<T> level[LEVELS_MAX];
  int levels;
  qr_matrix<T> top_r; // R of the whole
  T *LU;
  int64_t elements; // of work, for all pages

  // Lays out the work space; with NULL it only counts.
  tree (qr_matrix<T> A, int64_t m, int64_t pages, T *work) : levels (0), elements (0)
  {
    qr_matrix<T> Y = A;
    for (int64_t total = m;;) {
      tree_level<T> &t = level[levels++];
      bool last = total <= qr_panel_rows_max<T> ();
      t.Y = Y;
      t.total = total;
      t.rows = last ? total : qr_leaf_rows<T> ();
      t.groups = (total + t.rows - 1) / t.rows;
      t.F = take (work, t.groups * N * N * pages);
      t.M = take (work, t.groups * N * N * pages);
      t.top = take (work, t.groups * N * N * pages);
      t.N = nullptr;
      Y = {take (work, t.groups * N * N * pages), t.groups * N, t.groups * N * N}; // the R's
      if (levels > 1) {
        level[levels - 2].N = t.Y.data;
        level[levels - 2].ldn = t.Y.ld;
        level[levels - 2].page_n = t.Y.page;
      }
      if (last)
        break;
      total = t.groups * N;
    }
    top_r = Y;
    LU = take (work, N * N * pages);
  }
  T *take (T *work, int64_t count)
  {
    T *piece = work == nullptr ? nullptr : work + elements;
    elements += count;
    return piece;
  }
};

} // namespace

template <class T> int64_t qr_tree_work (int64_t m)
{
  return tree<T> ({nullptr, m, 0}, m, 1, nullptr).elements;
}

template <class T> cudaError_t qr_tree (const qr_panel_args<T> &p, T *work, cudaStream_t stream)
{
  tree<T> all (p.A, p.rows, p.pages, work);
  cudaError_t error = cudaSuccess;
  for (int k = 0; k < all.levels && error == cudaSuccess; k++) {
    const tree_level<T> &t = all.level[k];
    qr_panel_args<T> leaf = p;
    leaf.A = t.Y;
    leaf.R = k + 1 < all.levels ? all.level[k + 1].Y : all.top_r;
    leaf.F = {t.F, N, t.groups * N * N};
    leaf.rows = t.total;
    leaf.leaf_rows = t.rows;
    leaf.leaves = (int)t.groups;
    leaf.above = 0;
    error = qr_panel (leaf, stream);
  }
  for (int k = all.levels - 1; k > 0 && error == cudaSuccess; k--)
    error = expand<T> (all.level[k], nullptr, p.columns, p.pages, stream);
  if (error != cudaSuccess)
    return error;
  qr_matrix<const T> top_r = {all.top_r.data, all.top_r.ld, all.top_r.page};
  size_t shared = sizeof (tree_memory<T>);
  error = allow_cluster (reconstruct_kernel<T>, 1, shared);
  if (error != cudaSuccess)
    return error;
  reconstruct_kernel<T>
      <<<(unsigned)p.pages, THREADS, shared, stream>>> (p, all.level[0], top_r, all.LU);
  return expand<T> (all.level[0], all.LU, p.columns, p.pages, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t qr_tree_work<T> (int64_t);                                                      \
  template cudaError_t qr_tree (const qr_panel_args<T> &, T *, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
