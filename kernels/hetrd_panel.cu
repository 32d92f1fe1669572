// hetrd_panel.cu: one panel of a blocked Householder tridiagonalisation (LAPACK's ?latrd, lower)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trailing matrix A stays as it was when the panel began; what the panel's columns did to it is
// A - V W' - W V'. So a column costs one pass over the lower triangle, each entry read once and
// used for both sides of the product. Partial results go through global memory (they stay in the L2
// cache) in an order that depends on n alone: the bits are the same for every size of cluster.

#include "hetrd.cuh"

namespace
{

enum { WARPS = 8, STAGES = 3 };

// Loads that pass by the L1 cache: other blocks of the cluster write what is read.
GLA_DEVICE float load (const float *p)
{
  return __ldcg (p);
}
GLA_DEVICE double load (const double *p)
{
  return __ldcg (p);
}
GLA_DEVICE cx<float> load (const cx<float> *p)
{
  float2 a = __ldcg (reinterpret_cast<const float2 *> (p));
  return {a.x, a.y};
}
GLA_DEVICE cx<double> load (const cx<double> *p)
{
  double2 a = __ldcg (reinterpret_cast<const double2 *> (p));
  return {a.x, a.y};
}

GLA_DEVICE void cluster_barrier (int blocks)
{
  if (blocks == 1)
    __syncthreads ();
  else
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// One page as a block of its cluster sees it.
template <class T> struct panel_page {
  typedef real_t<T> R;
  int n, first; // order; first column of the panel
  int tiles;    // of HETRD_TILE rows
  int64_t ld;   // of everything but A
  T *A, *W, *part, *x, *dots;
  R *squares, *forms;
  T *v;            // shared: v of the present column, 0 elsewhere; from the first tile on
  T *ring;         // shared: batches of columns on their way to this warp
  int unit, units; // this warp among the warps of the cluster
  GLA_DEVICE panel_page (const eig_args<T> &a, int64_t page, int first_column, T *shared)
      : n (a.n), first (first_column)
  {
    hetrd_scratch<T> s (n);
    T *base = a.panel + page * s.size ();
    tiles = s.blocks;
    ld = s.ld;
    A = a.W + page * n * n;
    W = base + s.w ();
    part = base + s.part ();
    x = base + s.x ();
    dots = base + s.dots ();
    squares = reinterpret_cast<R *> (base + s.squares ());
    forms = reinterpret_cast<R *> (base + s.forms ());
    int before = first / HETRD_TILE * HETRD_TILE, ring_size = STAGES * 4096 / (int)sizeof (T);
    ring = shared + threadIdx.x / 32 * ring_size;
    v = shared + WARPS * ring_size - before;
  }
  GLA_DEVICE T *column (int j) const { return A + (int64_t)j * n; }
};

// Loads that are under way together: what a row of 128 bytes takes of registers.
template <class T> constexpr int together = sizeof (T) == 16 ? 8 : 16;

// The product y = A v of column k, which tiles left in parts, at row i: row sums of the tiles left
// of it, and column sums of those below.
template <class T> GLA_DEVICE T product_at (const panel_page<T> &p, int k, int i)
{
  T sum = from_real<T> (0);
#pragma unroll 1
  for (int t = (k + 1) / HETRD_TILE; t <= p.tiles; t += together<T>) {
    T part[together<T>];
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      part[q] = t + q <= p.tiles ? load (p.part + (t + q) * p.ld + i) : from_real<T> (0);
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      sum = sum + part[q];
  }
  return sum;
}

// What a column of the panel needs of the columns before it, in shared memory.
template <class T> struct panel_rows {
  T a[HETRD_PANEL], b[HETRD_PANEL]; // W'v and V'v of the column before
  T v[HETRD_PANEL], w[HETRD_PANEL]; // row k of V and W, conjugated
  real_t<T> form[WARPS];            // v'Av of the column before, in parts
};

// The rows that next_column needs, and the sum of v'Av over the tiles of column k-1.
template <class T> GLA_DEVICE void load_rows (const panel_page<T> &p, int k, panel_rows<T> &rows)
{
  int done = k - 1 - p.first, m = p.tiles - k / HETRD_TILE, c = threadIdx.x;
  real_t<T> form = 0;
  if (c < done) {
    rows.a[c] = load (p.dots + c);
    rows.b[c] = load (p.dots + HETRD_PANEL + c);
    rows.v[c] = conj (load (p.column (p.first + c) + k));
    rows.w[c] = conj (load (p.W + c * p.ld + k));
  }
  if (done >= 0)
#pragma unroll 4
    for (int t = threadIdx.x; t < m * (m + 1) / 2; t += 32 * WARPS)
      form += load (p.forms + t);
  form = lane_sum<32> (form);
  if (threadIdx.x % 32 == 0)
    rows.form[threadIdx.x / 32] = form;
  __syncthreads ();
}

// What the columns c of V and W take from y and x at row i, for c < done.
template <class T>
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
        v[q] = load (p.column (p.first + c + q) + i);
        w[q] = load (p.W + (c + q) * p.ld + i);
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

// Ends column k-1 of the panel (its w) and begins column k (x, not yet a reflector). Rows are dealt
// to the warps of the cluster 32 at a time, a row per lane, and each row's V and W are read once.
// w(k), which every row needs, is found by every warp; h is the reflector of column k-1.
template <class T>
GLA_DEVICE void next_column (const panel_page<T> &p, int k, const householder<T> &h,
                             panel_rows<T> &rows, real_t<T> *d, bool last)
{
  typedef real_t<T> R;
  int lane = threadIdx.x % 32, done = k - 1 - p.first; // columns of V and W that are complete
  load_rows (p, k, rows);
  R form = 0;
  T wk = from_real<T> (0);
  if (done >= 0) {
    for (int g = 0; g < WARPS; g++)
      form += rows.form[g];
    R inner = lane < done ? re (conj (rows.b[lane]) * rows.a[lane]) : R (0);
    form = (form - 2 * lane_sum<32> (inner)) * abs2 (h.tau) / 2;
    for (int t = k / HETRD_TILE + lane; t <= p.tiles; t += 32)
      wk = wk + load (p.part + t * p.ld + k);
    if (lane < done)
      wk = wk - madd (conj (rows.v[lane]), rows.a[lane], conj (rows.w[lane]) * rows.b[lane]);
    wk = h.tau * lane_sum<32> (wk) - scale (form, p.v[k]);
  }
  for (int block = k / HETRD_TILE + p.unit; block < p.tiles; block += p.units) {
    int i = block * HETRD_TILE + lane;
    bool inside = i >= k && i < p.n;
    T x = from_real<T> (0);
    if (inside) {
      T y = from_real<T> (0);
      if (!last)
        x = load (p.column (k) + i);
      if (done >= 0)
        y = product_at (p, k - 1, i);
      correct (p, rows, i, done, y, x);
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
  for (int block = k / HETRD_TILE + lane; block < p.tiles; block += 32)
    square += load (p.squares + block);
  square = lane_sum<32> (square);
  T alpha = load (p.x + k + 1);
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
  for (int i = k / HETRD_TILE * HETRD_TILE + threadIdx.x; i < p.ld; i += 32 * WARPS) {
    T v = i > k + 1 && i < p.n ? load (p.x + i) * h.factor
                               : from_real<T> (i == k + 1 ? R (1) : R (0));
    p.v[i] = v;
    if (i > k && i < p.n && i / HETRD_TILE % blocks == rank)
      p.column (k)[i] = v;
  }
  return h;
}

// Copies one T to shared memory without waiting, or zero.
template <class T> GLA_DEVICE void copy_async (T *to, const T *from, bool inside)
{
  unsigned target = (unsigned)__cvta_generic_to_shared (to);
  int bytes = inside ? (int)sizeof (T) : 0;
  if constexpr (sizeof (T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from),
                 "n"(sizeof (T)), "r"(bytes)
                 : "memory");
}

// The columns of a tile that go together: 128 bytes for each lane.
template <class T> constexpr int batch_of = 128 / (int)sizeof (T);

// Where a warp is in its tiles: batches of columns of the tiles unit, unit + units, ... of the
// lower triangle, row by row. Batches of columns up to k are left out.
template <class T> struct tile_cursor {
  int t, r, c, j, corner, skip;
  GLA_DEVICE tile_cursor (const panel_page<T> &p, int k)
      : t (p.unit), corner ((k + 1) / HETRD_TILE),
        skip ((k + 1) % HETRD_TILE / batch_of<T> * batch_of<T>)
  {
    place ();
  }
  GLA_DEVICE void place ()
  {
    int row = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
    row -= row * (row + 1) / 2 > t;
    row += (row + 1) * (row + 2) / 2 <= t;
    r = corner + row;
    c = corner + t - row * (row + 1) / 2;
    j = c == corner ? skip : 0;
  }
  // to the next batch; whether the tile is done
  GLA_DEVICE bool next (int units)
  {
    j += batch_of<T>;
    if (j < HETRD_TILE)
      return false;
    t += units;
    place ();
    return true;
  }
};

// Begins to load a batch: a lane loads, and later reads, what is in its row.
template <class T>
GLA_DEVICE void fetch (const panel_page<T> &p, const tile_cursor<T> &at, int count, T *stage)
{
  int lane = threadIdx.x % 32, i = at.r * HETRD_TILE + lane;
  const T *from = p.column (at.c * HETRD_TILE + at.j) + i;
  stage += lane;
  if (at.t >= count) { // no more tiles
  } else if (at.r > at.c && (at.r + 1) * HETRD_TILE <= p.n) {
#pragma unroll
    for (int q = 0; q < batch_of<T>; q++)
      copy_async (stage + q * 32, from + (int64_t)q * p.n, true);
  } else {
    int below = i >= p.n ? -1 : at.r == at.c ? lane : HETRD_TILE;
#pragma unroll
    for (int q = 0; q < batch_of<T>; q++)
      copy_async (stage + q * 32, at.j + q <= below ? from + (int64_t)q * p.n : p.A,
                  at.j + q <= below);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// A batch of columns times v, added to y, and its transpose times v: lane l gets the sum of column
// l % BATCH. The entry of column `diagonal` is on the diagonal and counts once.
template <bool DIAGONAL, class T>
GLA_DEVICE T multiply_batch (const T *from, const T *v, T vi, int diagonal, T &y)
{
  constexpr int BATCH = batch_of<T>;
  T a[BATCH], odd = from_real<T> (0);
#pragma unroll
  for (int q = 0; q < BATCH; q++) {
    T entry = from[q * 32];
    if (q % 2)
      odd = madd (entry, v[q], odd);
    else
      y = madd (entry, v[q], y);
    if (DIAGONAL)
      entry = q == diagonal ? from_real<T> (0) : entry;
    a[q] = cmadd (entry, vi, from_real<T> (0));
  }
  y = y + odd;
  return lane_sums (a);
}

// Begins to load the first tiles of a warp, which needs nothing but the column's number.
template <class T>
GLA_DEVICE void prefetch (const panel_page<T> &p, tile_cursor<T> &ahead, int count)
{
  for (int g = 0; g < STAGES - 1; g++) {
    fetch (p, ahead, count, p.ring + g * batch_of<T> * 32);
    ahead.next (p.units);
  }
}

// The tiles of a warp times v, and their transposes times v. A lane has a row of the tile: the
// row's sum stays in a register, and the sums of a batch of columns go over the warp at once.
template <class T>
GLA_DEVICE void multiply_tiles (const panel_page<T> &p, tile_cursor<T> at, tile_cursor<T> ahead,
                                int count)
{
  typedef real_t<T> R;
  constexpr int BATCH = batch_of<T>;
  int lane = threadIdx.x % 32, stage = 0;
  T y = from_real<T> (0), sums = from_real<T> (0);
  while (at.t < count) {
    fetch (p, ahead, count, p.ring + (stage == 0 ? STAGES - 1 : stage - 1) * BATCH * 32);
    ahead.next (p.units);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    const T *from = p.ring + stage * BATCH * 32 + lane;
    stage = stage + 1 == STAGES ? 0 : stage + 1;

    int r = at.r, c = at.c, t = at.t;
    const T *v = p.v + c * HETRD_TILE;
    T vi = p.v[r * HETRD_TILE + lane];
    T sum = r == c ? multiply_batch<true> (from, v + at.j, vi, lane - at.j, y)
                   : multiply_batch<false> (from, v + at.j, vi, 0, y);
    sums = lane / BATCH * BATCH == at.j ? sum : sums;
    if (at.next (p.units)) {
      p.part[c * p.ld + r * HETRD_TILE + lane] = y;
      p.part[(r + 1) * p.ld + c * HETRD_TILE + lane] = sums;
      R form = lane_sum<32> (re (conj (vi) * y) + re (conj (v[lane]) * sums));
      if (lane == 0)
        p.forms[t] = form;
      y = sums = from_real<T> (0);
    }
  }
}

// x'v for a column of V or W.
template <class T>
GLA_DEVICE void multiply_column (const panel_page<T> &p, int k, const T *x, T *dot)
{
  int lane = threadIdx.x % 32;
  T sum = from_real<T> (0);
#pragma unroll 1
  for (int i0 = (k + 1) / HETRD_TILE * HETRD_TILE + lane; i0 < p.n; i0 += together<T> * 32) {
    T entry[together<T>];
#pragma unroll
    for (int q = 0; q < together<T>; q++) {
      int i = i0 + 32 * q;
      entry[q] = i > k && i < p.n ? load (x + i) : from_real<T> (0);
    }
#pragma unroll
    for (int q = 0; q < together<T>; q++)
      if (i0 + 32 * q < p.n)
        sum = cmadd (entry[q], p.v[i0 + 32 * q], sum);
  }
  sum = lane_sum<32> (sum);
  if (lane == 0)
    *dot = sum;
}

// V'v and W'v, dealt to the warps of the cluster; the first goes to the warp after the one that has
// the last tile.
template <class T> GLA_DEVICE void multiply_columns (const panel_page<T> &p, int k, int count)
{
  int done = k - p.first;
  for (int c = (p.unit + p.units - count % p.units) % p.units; c < 2 * done; c += p.units)
    if (c < done)
      multiply_column (p, k, p.W + c * p.ld, p.dots + c);
    else
      multiply_column (p, k, p.column (p.first + c - done), p.dots + HETRD_PANEL + c - done);
}

// One cluster of blocks per page. A column has two parts with a cluster barrier after each: its
// vectors, rows dealt out 32 at a time; then products, tiles of 32 by 32 dealt out to all warps.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS, 2)
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
  p.units = WARPS * blocks;
  householder<T> h = {};
  for (int k = first; k < last; k++) {
    int m = p.tiles - (k + 1) / HETRD_TILE, count = m * (m + 1) / 2;
    tile_cursor<T> start (p, k), ahead = start;
    prefetch (p, ahead, count);
    next_column (p, k, h, rows, a.d + page * n, false);
    cluster_barrier (blocks);
    h = end_column (p, k, rank, blocks);
    if (rank == 0 && threadIdx.x == 0) {
      a.e[page * n + k] = h.beta;
      a.tau[page * n + k] = h.tau;
    }
    __syncthreads ();
    multiply_columns (p, k, count);
    multiply_tiles (p, start, ahead, count);
    cluster_barrier (blocks);
  }
  next_column (p, last, h, rows, a.d + page * n, true);
}

// A launch with one cluster of `blocks` blocks for each page.
template <class T> struct panel_launch {
  cudaLaunchAttribute cluster = {};
  cudaLaunchConfig_t config = {};
  panel_launch (const eig_args<T> &a, int first, int blocks)
  {
    int rows = (a.n + HETRD_TILE - 1) / HETRD_TILE - first / HETRD_TILE;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3 ((unsigned)(a.pages * blocks));
    config.blockDim = dim3 (32 * WARPS);
    config.dynamicSmemBytes = rows * HETRD_TILE * sizeof (T) + WARPS * STAGES * 4096;
    config.stream = a.stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
};

// The size of a cluster: the largest with which all pages are served at once. Clusters do not
// always fill the chip: the driver knows how many fit. A page with few tiles is not worth many
// blocks.
template <class T> cudaError_t cluster_size (const eig_args<T> &a, int first, int *best)
{
  int tiles = (a.n - first + HETRD_TILE - 1) / HETRD_TILE;
  *best = 1;
  for (int size = 2; size <= 8 && size * 2 * WARPS <= tiles * (tiles + 1); size *= 2) {
    panel_launch<T> launch (a, first, size);
    int fit = 0;
    cudaError_t status =
        cudaOccupancyMaxActiveClusters (&fit, hetrd_panel_kernel<T>, &launch.config);
    if (status != cudaSuccess)
      return status;
    if (a.pages <= fit)
      *best = size;
  }
  return cudaSuccess;
}

template <class T> cudaError_t launch (const eig_args<T> &a, int first, int last, int blocks)
{
  panel_launch<T> launch (a, first, blocks);
  return cudaLaunchKernelEx (&launch.config, hetrd_panel_kernel<T>, a, first, last, blocks);
}

} // namespace

template <class T> cudaError_t hetrd_panel (const eig_args<T> &a, int first, int last)
{
  int blocks = 1;
  cudaError_t status =
      allow_shared (hetrd_panel_kernel<T>, panel_launch<T> (a, first, 1).config.dynamicSmemBytes);
  if (status == cudaSuccess)
    status = cluster_size (a, first, &blocks);
  return status == cudaSuccess ? launch (a, first, last, blocks) : status;
}

template cudaError_t hetrd_panel (const eig_args<float> &, int, int);
template cudaError_t hetrd_panel (const eig_args<double> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<double>> &, int, int);
