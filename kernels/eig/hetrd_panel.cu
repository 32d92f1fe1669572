// hetrd_panel.cu: one panel of a blocked Householder tridiagonalisation (LAPACK's ?latrd, lower)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trailing matrix A stays as it was when the panel began; what the panel's columns did to it is
// A - V W' - W V'. So a column costs one pass over the lower triangle, each entry read once and
// used for both sides of the product. Partial results go through global memory (they stay in the L2
// cache) in an order that depends on n alone: the bits are the same for every number of blocks.

#include "common/cluster.cuh"
#include "hetrd_tiles.cuh"

namespace
{

// A page gets a team if the team has at least so many blocks, and no fewer than a cluster would
// have; for each row a team takes at most so many parts of a product.
enum { TEAM_LEAST = 16, TEAM_PARTS = 64, CLUSTER_MOST = 16 };

// What 32 rows need of the columns before, copied by all warps of a block of a team into the rings
// of its warps: parts of the product, and V and W.
template <class T> struct panel_copies {
  T part[TEAM_PARTS][32], v[HETRD_PANEL][32], w[HETRD_PANEL][32];
};
template <class T> GLA_DEVICE panel_copies<T> &copies_of (const panel_page<T> &p)
{
  static_assert (sizeof (panel_copies<T>) <= HETRD_PANEL_WARPS * HETRD_PANEL_STAGES * 4096, "room");
  return *reinterpret_cast<panel_copies<T> *> (p.first_ring ());
}

// Each warp copies every eighth part for row i of its lane; all loads are issued together.
template <class T> GLA_DEVICE void copy_row (const panel_page<T> &p, int k, int i)
{
  constexpr int W = HETRD_PANEL_WARPS, PARTS = TEAM_PARTS / W, COLUMNS = HETRD_PANEL / W;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, done = k - 1 - p.first;
  panel_copies<T> &m = copies_of (p);
  T part[PARTS], v[COLUMNS], w[COLUMNS];
#pragma unroll
  for (int q = 0; q < PARTS; q++) {
    int t = k / HETRD_TILE + warp + q * W;
    part[q] = t <= p.tiles ? load (p.part + t * p.ld + i) : from_real<T> (0);
  }
#pragma unroll
  for (int q = 0; q < COLUMNS; q++) {
    int c = warp + q * W;
    v[q] = w[q] = from_real<T> (0);
    if (c < done) {
      v[q] = load (p.column (p.first + c) + i);
      w[q] = load (p.W + c * p.ld + i);
    }
  }
#pragma unroll
  for (int q = 0; q < PARTS; q++)
    m.part[warp + q * W][lane] = part[q];
#pragma unroll
  for (int q = 0; q < COLUMNS; q++) {
    m.v[warp + q * W][lane] = v[q];
    m.w[warp + q * W][lane] = w[q];
  }
}

// The product y = A v of column k, which tiles left in parts, at row i: row sums of the tiles left
// of it, and column sums of those below. COPIED: from the copies.
template <bool COPIED, class T> GLA_DEVICE T product_at (const panel_page<T> &p, int k, int i)
{
  int first = (k + 1) / HETRD_TILE, lane = threadIdx.x % 32;
  T sum = from_real<T> (0);
#pragma unroll 1
  for (int t = first; t <= p.tiles; t += together<T>) {
    T part[together<T>];
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      if constexpr (COPIED)
        part[q] = copies_of (p).part[t - first + q][lane];
      else
        part[q] = t + q <= p.tiles ? load (p.part + (t + q) * p.ld + i) : from_real<T> (0);
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      sum = sum + part[q];
  }
  return sum;
}

// What a column of the panel needs of the columns before it, in shared memory.
template <class T> struct panel_rows {
  T a[HETRD_PANEL], b[HETRD_PANEL];  // W'v and V'v of the column before
  T v[HETRD_PANEL], w[HETRD_PANEL];  // row k of V and W, conjugated
  real_t<T> form[HETRD_PANEL_WARPS]; // v'Av of the column before, in parts
};

// The rows that next_column needs, and the sum of v'Av over the tiles of column k-1.
template <class T> GLA_DEVICE void load_rows (const panel_page<T> &p, int k, panel_rows<T> &rows)
{
  int done = k - 1 - p.first, m = p.tiles - k / HETRD_TILE, c = threadIdx.x;
  T a = from_real<T> (0), b = a, v = a, w = a;
  if (c < done) {
    a = load (p.dots + c);
    b = load (p.dots + HETRD_PANEL + c);
    v = load (p.column (p.first + c) + k);
    w = load (p.W + c * p.ld + k);
  }
  real_t<T> form = 0;
  if (done >= 0)
#pragma unroll 4
    for (int t = threadIdx.x; t < m * (m + 1) / 2; t += 32 * HETRD_PANEL_WARPS)
      form += load (p.forms + t);
  if (c < done) {
    rows.a[c] = a;
    rows.b[c] = b;
    rows.v[c] = conj (v);
    rows.w[c] = conj (w);
  }
  form = lane_sum<32> (form);
  if (threadIdx.x % 32 == 0)
    rows.form[threadIdx.x / 32] = form;
  __syncthreads ();
}

// Corrects y and x at row i by columns c < done of V and W.
template <bool COPIED, class T>
GLA_DEVICE void correct (const panel_page<T> &p, const panel_rows<T> &rows, int i, int done, T &y,
                         T &x)
{
  constexpr int N = together<T> / 2;
#pragma unroll 1
  for (int c = 0; c < done; c += N) {
    T v[N], w[N];
#pragma unroll
    for (int q = 0; q < N; q++) {
      v[q] = w[q] = from_real<T> (0);
      if (c + q < done) {
        if constexpr (COPIED) {
          v[q] = copies_of (p).v[c + q][threadIdx.x % 32];
          w[q] = copies_of (p).w[c + q][threadIdx.x % 32];
        } else {
          v[q] = load (p.column (p.first + c + q) + i);
          w[q] = load (p.W + (c + q) * p.ld + i);
        }
      }
    }
#pragma unroll
    for (int q = 0; q < N; q++)
      if (c + q < done) {
        y = y - madd (v[q], rows.a[c + q], w[q] * rows.b[c + q]);
        x = x - madd (v[q], rows.w[c + q], w[q] * rows.v[c + q]);
      }
  }
}

// The parts of a lane of the product of column k-1 at row k.
template <class T> GLA_DEVICE T pivot_parts (const panel_page<T> &p, int k)
{
  T sum = from_real<T> (0);
#pragma unroll 2
  for (int t = k / HETRD_TILE + threadIdx.x % 32; t <= p.tiles; t += 32)
    sum = sum + load (p.part + t * p.ld + k);
  return sum;
}

// w(k) of column k-1, which every row needs, from these parts; every warp finds it. form becomes
// what w takes of v.
template <class T>
GLA_DEVICE T pivot_of (const panel_page<T> &p, int k, const householder<T> &h,
                       const panel_rows<T> &rows, T parts, real_t<T> &form)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, done = k - 1 - p.first;
  for (int g = 0; g < HETRD_PANEL_WARPS; g++)
    form += rows.form[g];
  R inner = lane < done ? re (conj (rows.b[lane]) * rows.a[lane]) : R (0);
  form = (form - 2 * lane_sum<32> (inner)) * abs2 (h.tau) / 2;
  if (lane < done)
    parts = parts - madd (conj (rows.v[lane]), rows.a[lane], conj (rows.w[lane]) * rows.b[lane]);
  return h.tau * lane_sum<32> (parts) - scale (form, p.v[k]);
}

// Ends column k-1 of the panel (its w) and begins column k (x, not yet a reflector). Rows are
// distributed 32 at a time, a row per lane, over the warps of the cluster, or over the blocks of a
// team, whose first warp takes what all have copied. Each row's V and W are read once. h is the
// reflector of column k-1.
template <bool TEAM, class T>
GLA_DEVICE void next_column (const panel_page<T> &p, int k, const householder<T> &h,
                             panel_rows<T> &rows, real_t<T> *d, bool last)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, done = k - 1 - p.first; // columns of V and W that are complete
  int blocks = p.units / HETRD_PANEL_WARPS, step = TEAM ? blocks : p.units;
  bool mine = !TEAM || threadIdx.x < 32;
  T parts = TEAM && done >= 0 ? pivot_parts (p, k) : from_real<T> (0), wk = from_real<T> (0);
  load_rows (p, k, rows);
  R form = 0;
  if (done >= 0)
    wk = pivot_of (p, k, h, rows, TEAM ? parts : pivot_parts (p, k), form);
  for (int block = k / HETRD_TILE + p.unit % step; block < p.tiles; block += step) {
    int i = block * HETRD_TILE + lane;
    bool inside = i >= k && i < p.n;
    T x = from_real<T> (0);
    if (mine && inside && !last)
      x = load (p.column (k) + i);
    if (TEAM && done >= 0) {
      if (inside)
        copy_row (p, k, i);
      __syncthreads ();
    }
    if (mine && inside) {
      T y = from_real<T> (0);
      if (done >= 0)
        y = product_at<TEAM> (p, k - 1, i);
      correct<TEAM> (p, rows, i, done, y, x);
      if (done >= 0) {
        T v = p.v[i], w = h.tau * y - scale (form, v);
        p.W[done * p.ld + i] = w;
        x = x - madd (v, conj (wk), w); // v(k) is 1
      }
      p.x[i] = x;
      if (i == k && !last)
        d[k] = re (x);
    }
    R square = mine ? lane_sum<32> (inside && i > k + 1 ? abs2 (x) : R (0)) : R (0);
    if (mine && lane == 0)
      p.squares[block] = square;
    if (TEAM)
      __syncthreads (); // before the next copies
  }
}

// The reflector of column k from x: v to shared memory in every block, and to A by the block that
// has the rows. Every warp finds the norm by itself, with the same bits.
template <class T>
GLA_DEVICE householder<T> end_column (const panel_page<T> &p, int k, int rank, int blocks)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32;
  R square = 0, up = 1;
  T alpha = load (p.x + k + 1);
#pragma unroll 2
  for (int block = k / HETRD_TILE + lane; block < p.tiles; block += 32)
    square += load (p.squares + block);
  square = lane_sum<32> (square);
  if (small_column (alpha, square)) {
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = 0;
    for (int i = k + 2 + lane; i < p.n; i += 32)
      square += abs2 (scale (up, load (p.x + i)));
    square = lane_sum<32> (square);
  }
  householder<T> h = make_householder (alpha, square, up);
#pragma unroll 4
  for (int i = k / HETRD_TILE * HETRD_TILE + threadIdx.x; i < p.ld; i += 32 * HETRD_PANEL_WARPS) {
    T v = i > k + 1 && i < p.n ? load (p.x + i) * h.factor
                               : from_real<T> (i == k + 1 ? R (1) : R (0));
    p.v[i] = v;
    if (i > k && i < p.n && i / HETRD_TILE % blocks == rank)
      p.column (k)[i] = v;
  }
  return h;
}

// All blocks of a page, which are a cluster or, where TEAM, are all on the GPU at the same time.
template <bool TEAM> GLA_DEVICE void page_barrier (unsigned *counter, int rank, int blocks)
{
  if constexpr (TEAM)
    blocks_barrier (counter, rank, blocks);
  else
    cluster_barrier (blocks);
}

// A cluster of blocks per page, or a team of more blocks where pages are few. A column has two
// parts with a barrier of the page after each: its vectors, with rows distributed 32 at a time;
// then the products, with tiles of 32 by 32 distributed over all warps.
template <class T, bool TEAM>
__global__ void __launch_bounds__ (32 * HETRD_PANEL_WARPS, 2)
    hetrd_panel_kernel (eig_args<T> a, int first, int last, int blocks)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ panel_rows<T> rows;
  int64_t page = blockIdx.x / blocks;
  if (a.info[page] != 0)
    return;
  int rank = blockIdx.x % blocks, n = a.n;
  panel_page<T> p (a, page, first, reinterpret_cast<T *> (memory));
  p.unit = threadIdx.x / 32 * blocks + rank;
  p.units = HETRD_PANEL_WARPS * blocks;
  unsigned *counter = hetrd_counter (a, page);
  householder<T> h = {};
  for (int k = first; k < last; k++) {
    int m = p.tiles - (k + 1) / HETRD_TILE, count = m * (m + 1) / 2;
    next_column<TEAM> (p, k, h, rows, a.d + page * n, false);
    tile_cursor<T> start (p, k), ahead = start;
    prefetch (p, ahead, count); // not earlier: its loads would delay those above
    page_barrier<TEAM> (counter, rank, blocks);
    h = end_column (p, k, rank, blocks);
    if (rank == 0 && threadIdx.x == 0) {
      a.e[page * n + k] = h.beta;
      a.tau[page * n + k] = h.tau;
    }
    __syncthreads ();
    multiply_columns (p, k, count);
    multiply_tiles (p, start, ahead, count);
    page_barrier<TEAM> (counter, rank, blocks);
  }
  next_column<TEAM> (p, last, h, rows, a.d + page * n, true);
}

template <class T> size_t panel_shared (const eig_args<T> &a, int first)
{
  int rows = (a.n + HETRD_TILE - 1) / HETRD_TILE - first / HETRD_TILE;
  return rows * HETRD_TILE * sizeof (T) + HETRD_PANEL_WARPS * HETRD_PANEL_STAGES * 4096;
}

// A launch with one cluster of `blocks` blocks for each page.
template <class T> cluster_launch panel_launch (const eig_args<T> &a, int first, int blocks)
{
  return cluster_launch (a.pages, blocks, 32 * HETRD_PANEL_WARPS, panel_shared (a, first),
                         a.stream);
}

// The size of a cluster: the largest with which all pages are served at once. Clusters do not
// always fill the chip: the driver reports how many fit. A page with few tiles is not worth many
// blocks.
template <class T> cudaError_t cluster_size (const eig_args<T> &a, int first, int *best)
{
  int tiles = (a.n - first + HETRD_TILE - 1) / HETRD_TILE;
  *best = 1;
  for (int size = 2; clusters_work () && size <= CLUSTER_MOST &&
                     size * 2 * HETRD_PANEL_WARPS <= tiles * (tiles + 1);
       size *= 2) {
    cluster_launch launch = panel_launch (a, first, size);
    int fit = 0;
    cudaError_t status =
        cudaOccupancyMaxActiveClusters (&fit, hetrd_panel_kernel<T, false>, &launch.config);
    if (status != cudaSuccess)
      return status;
    if (a.pages <= fit)
      *best = size;
  }
  return cudaSuccess;
}

// The size of a team: as many blocks as have a tile for each warp, and as are on the GPU at once
// with those of the other pages. Its barriers take longer than those of a cluster.
template <class T> cudaError_t team_size (const eig_args<T> &a, int first, int *best)
{
  int64_t tiles = (a.n + HETRD_TILE - 1) / HETRD_TILE - first / HETRD_TILE;
  int each = 0;
  cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &each, hetrd_panel_kernel<T, true>, 32 * HETRD_PANEL_WARPS, panel_shared (a, first));
  int64_t size = tiles * (tiles + 1) / 2 / HETRD_PANEL_WARPS,
          fit = (int64_t)each * a.multiprocessors / a.pages;
  *best = tiles >= TEAM_PARTS ? 1 : (int)(size < fit ? size : fit);
  return status;
}

template <class T, bool TEAM>
cudaError_t launch (const eig_args<T> &a, int first, int last, int blocks)
{
  auto kernel = hetrd_panel_kernel<T, TEAM>;
  if (TEAM)
    return launch_together (kernel, (int)a.pages * blocks, 32 * HETRD_PANEL_WARPS,
                            panel_shared (a, first), a.stream, a, first, last, blocks);
  cluster_launch launch = panel_launch (a, first, blocks);
  return cudaLaunchKernelEx (&launch.config, kernel, a, first, last, blocks);
}

} // namespace

template <class T> cudaError_t hetrd_panel (const eig_args<T> &a, int first, int last)
{
  auto cluster = hetrd_panel_kernel<T, false>, together = hetrd_panel_kernel<T, true>;
  const size_t shared = panel_shared (a, first);
  int blocks = 1, team = 1;
  cudaError_t status = allow_shared (cluster, shared);
  if (status == cudaSuccess && clusters_work ())
    status = cudaFuncSetAttribute (cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (status == cudaSuccess)
    status = cluster_size (a, first, &blocks);
  if (status == cudaSuccess && a.pages <= HETRD_TEAM_PAGES) {
    status = allow_shared (together, shared);
    if (status == cudaSuccess)
      status = team_size (a, first, &team);
  }
  if (status != cudaSuccess)
    return status;
  return team >= TEAM_LEAST && team >= blocks ? launch<T, true> (a, first, last, team)
                                              : launch<T, false> (a, first, last, blocks);
}

template cudaError_t hetrd_panel (const eig_args<float> &, int, int);
template cudaError_t hetrd_panel (const eig_args<double> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<double>> &, int, int);
