// hetrd_panel.cu: one panel of a blocked Householder tridiagonalisation (LAPACK's ?latrd, lower)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trailing matrix A stays as it was when the panel began; what the panel's columns did to it is
// A - V W' - W V'. So a column costs one pass over the lower triangle, each entry read once and
// used for both sides of the product. Partial results go through global memory (they stay in the L2
// cache) in an order that depends on n alone: the bits are the same for every size of cluster.

#include "common/cluster.cuh"
#include "common/together.cuh"
#include "hetrd_tiles.cuh"

namespace
{

// A page gets a team if it has so many times as many blocks as a cluster would have.
enum { TEAM_GAIN = 3 };

// The sums of a row over tiles and over columns of V and W are done in CLASSES parts, so that one
// warp or CLASSES warps find them with the same bits.
enum { CLASSES = HETRD_PANEL_WARPS };

// The product y = A v of column k, which tiles left in parts, at row i: row sums of the tiles left
// of it, and column sums of those below. Part q of it; then all of it.
template <class T> GLA_DEVICE T product_class (const panel_page<T> &p, int k, int i, int q)
{
  constexpr int N = 8; // as many loads together
  T sum = from_real<T> (0);
#pragma unroll 1
  for (int t = (k + 1) / HETRD_TILE + q; t <= p.tiles; t += CLASSES * N) {
    T part[N];
#pragma unroll
    for (int g = 0; g < N; g++)
      part[g] = t + g * CLASSES <= p.tiles ? load (p.part + (t + g * CLASSES) * p.ld + i)
                                           : from_real<T> (0);
#pragma unroll
    for (int g = 0; g < N; g++)
      sum = sum + part[g];
  }
  return sum;
}
template <class T> GLA_DEVICE T product_at (const panel_page<T> &p, int k, int i)
{
  T sums[CLASSES];
#pragma unroll
  for (int q = 0; q < CLASSES; q++)
    sums[q] = from_real<T> (0);
#pragma unroll 1
  for (int t = (k + 1) / HETRD_TILE; t <= p.tiles; t += together<T>) {
    T part[together<T>];
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      part[q] = t + q <= p.tiles ? load (p.part + (t + q) * p.ld + i) : from_real<T> (0);
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      sums[q % CLASSES] = sums[q % CLASSES] + part[q];
  }
#pragma unroll
  for (int q = 1; q < CLASSES; q++)
    sums[0] = sums[0] + sums[q];
  return sums[0];
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
#pragma unroll 8
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

// What columns c of V and W take from y and x at row i.
template <class T> struct panel_change {
  T y, x;
};

// Part q of that: of columns 2q and 2q + 1, whose entries at the row are v and w.
template <class T>
GLA_DEVICE panel_change<T> change_class (const panel_rows<T> &rows, int q, int done, const T *v,
                                         const T *w)
{
  panel_change<T> s = {from_real<T> (0), from_real<T> (0)};
#pragma unroll
  for (int g = 0; g < 2; g++) {
    int c = 2 * q + g;
    if (c < done) {
      s.y = madd (v[g], rows.a[c], madd (w[g], rows.b[c], s.y));
      s.x = madd (v[g], rows.w[c], madd (w[g], rows.v[c], s.x));
    }
  }
  return s;
}

// The entries of columns c..c+N-1 of V and W at row i.
template <int N, class T>
GLA_DEVICE void load_change (const panel_page<T> &p, int c, int i, int done, T (&v)[N], T (&w)[N])
{
#pragma unroll
  for (int q = 0; q < N; q++) {
    v[q] = w[q] = from_real<T> (0);
    if (c + q < done) {
      v[q] = load (p.column (p.first + c + q) + i);
      w[q] = load (p.W + (c + q) * p.ld + i);
    }
  }
}

// All of them, for c < done.
template <class T>
GLA_DEVICE void correct (const panel_page<T> &p, const panel_rows<T> &rows, int i, int done, T &y,
                         T &x)
{
  constexpr int N = together<T> / 2;
#pragma unroll 1
  for (int c = 0; c < done; c += N) {
    T v[N], w[N];
    load_change (p, c, i, done, v, w);
#pragma unroll
    for (int q = 0; q < N; q += 2)
      if (c + q < done) {
        panel_change<T> s = change_class (rows, (c + q) / 2, done, v + q, w + q);
        y = y - s.y;
        x = x - s.x;
      }
  }
}

// The classes of 32 rows, each found by a warp, in the copies of the first one.
template <class T> struct panel_classes {
  T product[CLASSES][32], y[CLASSES][32], x[CLASSES][32];
};

// The same as product_at and correct, by all warps of the block: warp q finds part q, and the first
// one y and x.
template <class T>
GLA_DEVICE void find_together (const panel_page<T> &p, const panel_rows<T> &rows, int k, int i,
                               bool inside, T &y, T &x)
{
  static_assert (sizeof (panel_classes<T>) <= HETRD_PANEL_STAGES * 4096, "in the first warp's ring");
  int lane = threadIdx.x % 32, q = threadIdx.x / 32, done = k - 1 - p.first;
  panel_classes<T> &m = *reinterpret_cast<panel_classes<T> *> (p.first_ring ());
  __syncthreads (); // what was found before has been read
  if (inside) {
    T v[2], w[2];
    load_change (p, 2 * q, i, done, v, w);
    m.product[q][lane] = product_class (p, k - 1, i, q);
    panel_change<T> s = change_class (rows, q, done, v, w);
    m.y[q][lane] = s.y;
    m.x[q][lane] = s.x;
  }
  __syncthreads ();
  if (q > 0 || !inside)
    return;
  y = m.product[0][lane];
#pragma unroll
  for (int g = 1; g < CLASSES; g++)
    y = y + m.product[g][lane];
#pragma unroll
  for (int g = 0; g < CLASSES; g++)
    if (2 * g < done) {
      y = y - m.y[g][lane];
      x = x - m.x[g][lane];
    }
}

// w(k) of column k-1, which every row needs; every warp finds it by itself. `parts` are of the
// product at row k, a lane has every 32nd of them.
template <class T>
GLA_DEVICE T pivot_of (const panel_page<T> &p, int k, const householder<T> &h,
                       const panel_rows<T> &rows, T parts, real_t<T> *form_of)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, done = k - 1 - p.first;
  R form = 0;
  for (int g = 0; g < HETRD_PANEL_WARPS; g++)
    form += rows.form[g];
  R inner = lane < done ? re (conj (rows.b[lane]) * rows.a[lane]) : R (0);
  form = (form - 2 * lane_sum<32> (inner)) * abs2 (h.tau) / 2;
  if (lane < done)
    parts = parts - madd (conj (rows.v[lane]), rows.a[lane], conj (rows.w[lane]) * rows.b[lane]);
  *form_of = form;
  return h.tau * lane_sum<32> (parts) - scale (form, p.v[k]);
}

// Ends column k-1 of the panel (its w) and begins column k (x, not yet a reflector). Rows are
// distributed over the cluster 32 at a time, a row per lane, and each row's V and W are read once:
// to its warps or, where it has as many blocks as half of that, to its blocks, whose warps divide
// the sums of a row. h is the reflector of column k-1.
template <class T>
GLA_DEVICE void next_column (const panel_page<T> &p, int k, const householder<T> &h,
                             panel_rows<T> &rows, real_t<T> *d, bool last)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, done = k - 1 - p.first; // columns of V and W that are complete
  int corner = k / HETRD_TILE, blocks = p.units / HETRD_PANEL_WARPS;
  bool shares = p.tiles - corner <= 2 * blocks;
  T parts = from_real<T> (0), wk = parts;
  if (done >= 0)
#pragma unroll 2
    for (int t = corner + lane; t <= p.tiles; t += 32)
      parts = parts + load (p.part + t * p.ld + k);
  load_rows (p, k, rows);
  R form = 0;
  if (done >= 0)
    wk = pivot_of (p, k, h, rows, parts, &form);
  for (int block = corner + (shares ? p.unit % blocks : p.unit); block < p.tiles;
       block += shares ? blocks : p.units) {
    int i = block * HETRD_TILE + lane;
    bool inside = i >= k && i < p.n;
    T x = from_real<T> (0), y = x;
    if (inside && !last && (!shares || threadIdx.x < 32))
      x = load (p.column (k) + i);
    if (done >= 0 && shares)
      find_together (p, rows, k, i, inside, y, x);
    else if (done >= 0 && inside) {
      y = product_at (p, k - 1, i);
      correct (p, rows, i, done, y, x);
    }
    if (shares && threadIdx.x >= 32)
      continue;
    if (inside) {
      if (done >= 0) {
        T v = p.v[i], w = h.tau * y - scale (form, v);
        p.W[done * p.ld + i] = w;
        x = x - madd (v, conj (wk), w); // v(k) is 1
      }
      p.x[i] = x;
      if (i == k && !last)
        d[k] = re (x);
    }
    R square = lane_sum<32> (inside && i > k + 1 ? abs2 (x) : R (0));
    if (lane == 0)
      p.squares[block] = square;
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
    next_column (p, k, h, rows, a.d + page * n, false);
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
  next_column (p, last, h, rows, a.d + page * n, true);
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
  for (int size = 2;
       clusters_work () && size <= 8 && size * 2 * HETRD_PANEL_WARPS <= tiles * (tiles + 1);
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
  int64_t tiles = (a.n - first + HETRD_TILE - 1) / HETRD_TILE;
  int each = 0;
  cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &each, hetrd_panel_kernel<T, true>, 32 * HETRD_PANEL_WARPS, panel_shared (a, first));
  int64_t size = tiles * (tiles + 1) / 2 / HETRD_PANEL_WARPS,
          fit = (int64_t)each * a.multiprocessors / a.pages;
  *best = (int)(size < fit ? size : fit);
  return status;
}

template <class T, bool TEAM>
cudaError_t launch (const eig_args<T> &a, int first, int last, int blocks)
{
  auto kernel = hetrd_panel_kernel<T, TEAM>;
  const size_t shared = panel_shared (a, first);
  const cudaError_t status = allow_shared (kernel, shared);
  if (status != cudaSuccess)
    return status;
  if (TEAM)
    return launch_together (kernel, (int)a.pages * blocks, 32 * HETRD_PANEL_WARPS, shared, a.stream,
                            a, first, last, blocks);
  cluster_launch launch = panel_launch (a, first, blocks);
  return cudaLaunchKernelEx (&launch.config, kernel, a, first, last, blocks);
}

} // namespace

template <class T> cudaError_t hetrd_panel (const eig_args<T> &a, int first, int last)
{
  int blocks = 1, team = 1;
  cudaError_t status = allow_shared (hetrd_panel_kernel<T, false>, panel_shared (a, first));
  if (status == cudaSuccess)
    status = cluster_size (a, first, &blocks);
  if (status == cudaSuccess && a.pages <= HETRD_TEAM_PAGES) {
    status = allow_shared (hetrd_panel_kernel<T, true>, panel_shared (a, first));
    if (status == cudaSuccess)
      status = team_size (a, first, &team);
  }
  if (status != cudaSuccess)
    return status;
  return team >= TEAM_GAIN * blocks ? launch<T, true> (a, first, last, team)
                                    : launch<T, false> (a, first, last, blocks);
}

template cudaError_t hetrd_panel (const eig_args<float> &, int, int);
template cudaError_t hetrd_panel (const eig_args<double> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<double>> &, int, int);
