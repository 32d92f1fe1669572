// qr_tree.cu: panels of more rows than a cluster holds: TSQR with reconstructed reflectors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leaves of the panel are factored each for itself; their R's, stacked, are a panel again (Demmel,
// Grigori, Hoemmen, Langou 2012). The orthonormal factor of a leaf is [N; 0] - Y M: N its rows of
// the Q of the stack, M = F Y1' N with Y1 the first 32 rows of Y. From the whole Q come reflectors
// of the panel (Ballard, Demmel, Grigori, Jacquelin, Knight, Nguyen, Solomonik 2014): L U = Q1 - S
// without pivoting, S = -sign of the diagonal, Y = [L; Q2 U^-1], F = -U S L^-T,
// R := S R. Every step is as stable as Householder's, for every input.

#include "common/cluster.cuh"
#include "qr_kernels.cuh"
#include "common/small_matrix.cuh"

namespace
{

enum { N = QR_PANEL, THREADS = SMALL_THREADS, LEVELS_MAX = 8, TILE = 128, LD = TILE + 4 };

// One level of the tree: `groups` of `rows` rows (the last may have fewer), with their triangular
// factors, packed, and M and N of each group, packed.
template <class T> struct tree_level {
  page_matrix<T> Y;
  int64_t total, rows, groups;
  T *F, *M, *top; // groups x 32 x 32 each; a page has groups*32*32
  const T *N;     // rows of the Q of the stack above, 32 per group, ld; NULL: the identity
  int64_t ldn, page_n;
};

// What a block of threads has in shared memory.
template <class T> struct tree_memory {
  small_matrix<T> n, m, y, work;
  T reciprocal[N]; // of the diagonal of U
  real_t<T> S[N];
};

template <class T> GLA_DEVICE T zero ()
{
  return from_real<T> (0);
}

// N of a group, the identity where there is no stack above.
template <class T>
GLA_DEVICE void load_top (small_matrix<T> &n, const tree_level<T> &t, int64_t page, int64_t group)
{
  if (t.N != nullptr)
    small_load (n, t.N + page * t.page_n + group * N, t.ldn, N, N);
  else
    for (int q = threadIdx.x; q < N * N; q += blockDim.x)
      n.put (q % N, q / N, from_real<T> (q % N == q / N ? 1 : 0));
}

// m = F Y1' n for a group, where Y1 goes to y; work is lost.
template <class T>
GLA_DEVICE void group_m (tree_memory<T> &s, const tree_level<T> &t, int64_t page, int64_t group,
                         int columns)
{
  int64_t left = t.total - group * t.rows;
  load_top (s.n, t, page, group);
  small_load (s.y, t.Y.data + page * t.Y.page + group * t.rows, t.Y.ld,
              left < t.rows ? left : t.rows, columns);
  small_load (s.work, t.F + (page * t.groups + group) * N * N, N, N, N);
  small_multiply<true> (s.m, s.y, s.n);
  small_multiply<false> (s.m, s.work, s.m);
}

// row := row U^-1, by one thread in its registers.
template <class T>
GLA_DEVICE void solve_row (small_matrix<T> &rows, int row, const small_matrix<T> &U,
                           const T *reciprocal)
{
  T x[N];
#pragma unroll
  for (int j = 0; j < N; j++)
    x[j] = rows.get (row, j);
#pragma unroll
  for (int j = 0; j < N; j++) {
    x[j] = x[j] * reciprocal[j];
#pragma unroll
    for (int k = j + 1; k < N; k++)
      x[k] = madd (-x[j], U.get (j, k), x[k]);
  }
#pragma unroll
  for (int j = 0; j < N; j++)
    rows.put (row, j, x[j]);
}

//------------------------------------------------------------------------------
// reflectors from Q
//------------------------------------------------------------------------------

template <class T> GLA_DEVICE T tree_reciprocal (T a)
{
  if constexpr (is_complex_v<T>)
    return scale (1 / abs2 (a), conj (a));
  else
    return 1 / a;
}

// a := L\U of a - S, S(j) = -sign (re (entry (j, j))), by one warp with a row per lane.
template <class T> GLA_DEVICE void factor_lu (small_matrix<T> &a, real_t<T> *S, int columns)
{
  int lane = threadIdx.x;
  T x[N];
#pragma unroll
  for (int j = 0; j < N; j++)
    x[j] = a.get (lane, j);
#pragma unroll
  for (int j = 0; j < N; j++)
    if (j < columns) {
      T pivot = from_lane (x[j], j);
      real_t<T> s = re (pivot) >= 0 ? -1 : 1;
      pivot = pivot - from_real<T> (s);
      T factor = lane > j ? x[j] * tree_reciprocal (pivot) : from_real<T> (0);
      if (lane == j) {
        x[j] = pivot;
        S[j] = s;
      } else if (lane > j)
        x[j] = factor;
#pragma unroll
      for (int k = j + 1; k < N; k++)
        x[k] = madd (-factor, from_lane (x[k], j), x[k]);
    }
#pragma unroll
  for (int j = 0; j < N; j++)
    a.put (lane, j, x[j]);
}

// f L' = -U S, by one warp with a row per lane; zeros where the panel ends.
template <class T>
GLA_DEVICE void factor_of_lu (small_matrix<T> &f, const small_matrix<T> &LU, const real_t<T> *S,
                              int columns)
{
  int lane = threadIdx.x;
  T x[N];
#pragma unroll
  for (int j = 0; j < N; j++)
    x[j] = lane <= j && j < columns ? scale (-S[j], LU.get (lane, j)) : from_real<T> (0);
#pragma unroll
  for (int j = 0; j < N; j++) {
    f.put (lane, j, lane <= j && j < columns ? x[j] : from_real<T> (0));
#pragma unroll
    for (int k = j + 1; k < N; k++)
      if (k < columns)
        x[k] = madd (-x[j], conj (LU.get (k, j)), x[k]);
  }
}

// Whether R of a panel is 0; all threads of a block call.
template <class T> GLA_DEVICE bool is_zero_panel (const T *R, int64_t ld, int columns)
{
  int some = 0;
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    const int i = q % N, j = q / N;
    if (i <= j && j < columns)
      some |= re (R[i + j * ld]) != 0 || im (R[i + j * ld]) != 0;
  }
  return !__syncthreads_or (some);
}

// The reflectors of a panel of zeros, as LAPACK's: all are the identity.
template <class T> GLA_DEVICE void no_reflectors (tree_memory<T> &s)
{
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    s.work.put (q % N, q / N, from_real<T> (q % N == q / N ? 1 : 0));
    s.m.put (q % N, q / N, from_real<T> (0));
  }
  if (threadIdx.x < N)
    s.S[threadIdx.x] = 1;
}

// One block per page: the first 32 rows of Q, their L and U, the factor F, R and its signs.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    reconstruct_kernel (qr_panel_args<T> p, tree_level<T> t, page_matrix<const T> top_r, T *LU)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &s = *reinterpret_cast<tree_memory<T> *> (memory);
  int64_t page = blockIdx.x;
  int columns = p.columns;
  group_m (s, t, page, 0, columns);
  small_multiply<false> (s.work, s.y, s.m);
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int i = q % N, j = q / N;
    s.work.put (i, j, s.n.get (i, j) - s.work.get (i, j));
  }
  const T *from = top_r.data + page * top_r.page;
  if (is_zero_panel (from, top_r.ld, columns)) {
    no_reflectors (s);
  } else if (threadIdx.x < N) {
    factor_lu (s.work, s.S, columns);
    __syncwarp ();
    factor_of_lu (s.m, s.work, s.S, columns);
  }
  __syncthreads ();
  T *F = p.F.data + page * p.F.page, *R = p.R.data + page * p.R.page;
  T *A = p.A.data + page * p.A.page;
  for (int q = threadIdx.x; q < N * N; q += blockDim.x) {
    int r = q % N, j = q / N;
    F[r + j * p.F.ld] = s.m.get (r, j);
    LU[page * N * N + q] = j < columns ? s.work.get (r, j) : zero<T> ();
    if (r < columns && j < columns)
      R[r + j * p.R.ld] = r <= j ? scale (s.S[r], from[r + j * top_r.ld]) : zero<T> ();
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
  auto &s = *reinterpret_cast<tree_memory<T> *> (memory);
  int64_t group = blockIdx.x % t.groups, page = blockIdx.x / t.groups;
  group_m (s, t, page, group, columns);
  if (LU != nullptr) {
    int j = threadIdx.x;
    small_load (s.work, LU + page * N * N, N, N, N);
    __syncthreads ();
    if (j < N) // where the panel ends U is the identity
      s.reciprocal[j] = j < columns ? tree_reciprocal (s.work.get (j, j)) : from_real<T> (1);
    __syncthreads ();
    if (j < 2 * N)
      solve_row (j < N ? s.m : s.n, j % N, s.work, s.reciprocal);
    __syncthreads ();
  }
  int64_t at = (page * t.groups + group) * N * N;
  small_store (t.M + at, N, s.m);
  small_store (t.top + at, N, s.n);
}

// What a block of threads has of a group: 128 rows of Y, transposed, and M.
template <class T> struct apply_memory {
  small_matrix<T> m;
  alignas (16) double y[(is_complex_v<T> ? 2 : 1) * N * LD];
};

// Y := [N; 0] - Y M of each group; the first 32 rows of a panel become L. A block of threads has
// 128 rows of a group, a warp 8 of them at a time.
template <class T>
__global__ void __launch_bounds__ (THREADS) apply_kernel (tree_level<T> t, const T *LU, int columns)
{
  constexpr bool C = is_complex_v<T>;
  extern __shared__ __align__ (16) unsigned char memory[];
  auto &s = *reinterpret_cast<apply_memory<T> *> (memory);
  mma_matrix<C> y = {s.y, LD, N * LD};
  int64_t tiles = (t.rows + TILE - 1) / TILE, which = blockIdx.x;
  int64_t tile = which % tiles, group = which / tiles % t.groups, page = which / tiles / t.groups;
  int64_t at = (page * t.groups + group) * N * N, left = t.total - group * t.rows;
  int64_t rows = (left < t.rows ? left : t.rows) - tile * TILE; // from this tile on
  T *Y = t.Y.data + page * t.Y.page + group * t.rows + tile * TILE;

  int row = threadIdx.x % TILE;
#pragma unroll 16
  for (int j = threadIdx.x / TILE; j < N; j += THREADS / TILE)
    y.put (j, row,
           mma_entry_of (row < rows && j < columns ? Y[j * t.Y.ld + row] : from_real<T> (0)));
  small_load (s.m, t.M + at, N, N, N);
  __syncthreads ();

  int lane = threadIdx.x % 32;
  for (int r0 = threadIdx.x / 32 * 8; r0 < TILE && r0 < rows; r0 += THREADS / 32 * 8) {
    mma_tile<C> sum[4];
#pragma unroll
    for (int k = 0; k < N; k += 4) {
      mma_entry<C> a = y.get (k + lane % 4, r0 + lane / 4);
#pragma unroll
      for (int u = 0; u < 4; u++)
        mma_add (sum[u], a, s.m.view ().get (k + lane % 4, 8 * u + lane / 4));
    }
    int i = r0 + lane / 4;
    int64_t in_group = tile * TILE + i;
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        int j = 8 * u + 2 * (lane % 4) + x;
        if (i >= rows || j >= columns)
          continue;
        T value;
        if constexpr (C)
          value = {(real_t<T>)-sum[u].re[x], (real_t<T>)-sum[u].im[x]};
        else
          value = (T)-sum[u].re[x];
        if (in_group < N && LU != nullptr && group == 0) // a unit lower triangle
          value = in_group > j ? LU[page * N * N + in_group + j * N]
                               : from_real<T> (in_group == j ? 1 : 0);
        else if (in_group < N)
          value = value + t.top[at + in_group + j * N];
        Y[j * t.Y.ld + i] = value;
      }
  }
}

template <class T>
cudaError_t expand (const tree_level<T> &t, const T *LU, int columns, int64_t pages,
                    cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  size_t shared = sizeof (tree_memory<T>);
  cudaError_t error = allow_cluster (group_kernel<T>, shared, &configured);
  if (error != cudaSuccess)
    return error;
  group_kernel<T><<<(unsigned)(t.groups * pages), THREADS, shared, stream>>> (t, LU, columns);
  int64_t tiles = (t.rows + TILE - 1) / TILE;
  static std::atomic<uint64_t> told_apply;
  error = allow_cluster (apply_kernel<T>, sizeof (apply_memory<T>), &told_apply);
  if (error != cudaSuccess)
    return error;
  apply_kernel<T>
      <<<(unsigned)(tiles * t.groups * pages), THREADS, sizeof (apply_memory<T>), stream>>> (
          t, LU, columns);
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// the tree
//------------------------------------------------------------------------------

template <class T> struct tree {
  tree_level<T> level[LEVELS_MAX];
  int levels;
  page_matrix<T> top_r; // R of the whole
  T *LU;
  int64_t elements; // of work, for all pages

  // Lays out the work space; with NULL it only counts.
  tree (page_matrix<T> A, int64_t m, int64_t pages, T *work) : levels (0), elements (0)
  {
    page_matrix<T> Y = A;
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
    leaf.blocks = t.groups > 1 ? 1 : 0;
    leaf.above = 0;
    error = qr_panel (leaf, stream);
  }
  for (int k = all.levels - 1; k > 0 && error == cudaSuccess; k--)
    error = expand<T> (all.level[k], nullptr, p.columns, p.pages, stream);
  if (error != cudaSuccess)
    return error;
  page_matrix<const T> top_r = {all.top_r.data, all.top_r.ld, all.top_r.page};
  static std::atomic<uint64_t> configured;
  size_t shared = sizeof (tree_memory<T>);
  error = allow_cluster (reconstruct_kernel<T>, shared, &configured);
  if (error != cudaSuccess)
    return error;
  reconstruct_kernel<T>
      <<<(unsigned)p.pages, THREADS, shared, stream>>> (p, all.level[0], top_r, all.LU);
  return expand<T> (all.level[0], all.LU, p.columns, p.pages, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t qr_tree_work<T> (int64_t);                                                      \
  template cudaError_t qr_tree (const qr_panel_args<T> &, T *, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
