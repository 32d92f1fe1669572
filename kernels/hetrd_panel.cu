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

enum { WARPS = 8 };

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
  T *v;            // shared: v of the present column, 0 elsewhere
  int unit, units; // this warp among the warps of the cluster
  GLA_DEVICE panel_page (const eig_args<T> &a, int64_t page, int first_column, T *shared_v)
      : n (a.n), first (first_column), v (shared_v)
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
  }
  GLA_DEVICE T *column (int j) const { return A + (int64_t)j * n; }
};

// The product y = A v of column k, which tiles left in parts, at row i: rows sums of the tiles left
// of it, and column sums of those below.
template <class T> GLA_DEVICE T product_at (const panel_page<T> &p, int k, int i)
{
  T sum = from_real<T> (0);
#pragma unroll 4
  for (int t = (k + 1) / HETRD_TILE; t <= p.tiles; t++)
    sum = sum + load (p.part + t * p.ld + i);
  return sum;
}

// What a column of the panel needs of the columns before it, in shared memory.
template <class T> struct panel_rows {
  T a[HETRD_PANEL], b[HETRD_PANEL]; // W'v and V'v of the column before
  T v[HETRD_PANEL], w[HETRD_PANEL]; // row k of V and W, conjugated
};

// v'Av of column k: the sum over its tiles. A warp; every lane gets it.
template <class T> GLA_DEVICE real_t<T> quadratic_form (const panel_page<T> &p, int k)
{
  int m = p.tiles - (k + 1) / HETRD_TILE;
  real_t<T> sum = 0;
  for (int t = threadIdx.x % 32; t < m * (m + 1) / 2; t += 32)
    sum += load (p.forms + t);
  return lane_sum<32> (sum);
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
  for (int c = threadIdx.x; c < done; c += blockDim.x) {
    rows.a[c] = load (p.dots + c);
    rows.b[c] = load (p.dots + HETRD_PANEL + c);
    rows.v[c] = conj (load (p.column (p.first + c) + k));
    rows.w[c] = conj (load (p.W + c * p.ld + k));
  }
  __syncthreads ();
  R form = 0;
  T wk = from_real<T> (0);
  if (done >= 0) {
    form = quadratic_form (p, k - 1);
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
#pragma unroll 4
      for (int c = 0; c < done; c++) {
        T v = load (p.column (p.first + c) + i), w = load (p.W + c * p.ld + i);
        y = y - madd (v, rows.a[c], w * rows.b[c]);
        x = x - madd (v, rows.w[c], w * rows.v[c]);
      }
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
  for (int i = k / HETRD_TILE * HETRD_TILE + threadIdx.x; i < p.ld; i += blockDim.x) {
    T v = from_real<T> (i == k + 1 ? R (1) : R (0));
    if (i > k + 1 && i < p.n)
      v = load (p.x + i) * h.factor;
    p.v[i] = v;
    if (i > k && i < p.n && i / HETRD_TILE % blocks == rank)
      p.column (k)[i] = v;
  }
  return h;
}

// Tile (r, c) of A times v, and its transpose times v. A lane has a row: its sum stays in a
// register, and column sums of BATCH columns go over the warp at once. Entries of columns up to k
// are read or skipped; v is 0 there.
template <class T>
GLA_DEVICE void multiply_tile (const panel_page<T> &p, int k, int r, int c, int number)
{
  typedef real_t<T> R;
  constexpr int BATCH = 128 / sizeof (T) < 32 ? 128 / sizeof (T) : 32;
  int lane = threadIdx.x % 32, i = r * HETRD_TILE + lane, below = r == c ? lane : HETRD_TILE;
  const T *v = p.v + c * HETRD_TILE;
  T vi = p.v[i], y = from_real<T> (0), sums = from_real<T> (0);
#pragma unroll 1
  for (int j = 0; j < HETRD_TILE; j += BATCH) {
    if (c * HETRD_TILE + j + BATCH <= k + 1)
      continue;
    const T *from = p.column (c * HETRD_TILE + j) + i;
    T a[BATCH];
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      a[q] = from_real<T> (0);
      if (i < p.n && j + q <= below)
        a[q] = load (from + (int64_t)q * p.n);
    }
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      y = madd (a[q], v[j + q], y);
      a[q] = cmadd (a[q], vi, from_real<T> (0));
      a[q] = j + q == below ? from_real<T> (0) : a[q]; // the diagonal counts once
    }
    T sum = lane_sums (a);
    sums = lane / BATCH * BATCH == j ? sum : sums;
  }
  p.part[c * p.ld + i] = y;
  p.part[(r + 1) * p.ld + c * HETRD_TILE + lane] = sums;
  R form = lane_sum<32> (re (conj (vi) * y) + re (conj (v[lane]) * sums));
  if (lane == 0)
    p.forms[number] = form;
}

// x'v for a column of V or W.
template <class T>
GLA_DEVICE void multiply_column (const panel_page<T> &p, int k, const T *x, T *dot)
{
  int lane = threadIdx.x % 32;
  T sum = from_real<T> (0);
#pragma unroll 4
  for (int i = (k + 1) / HETRD_TILE * HETRD_TILE + lane; i < p.n; i += 32)
    if (i > k)
      sum = cmadd (load (x + i), p.v[i], sum);
  sum = lane_sum<32> (sum);
  if (lane == 0)
    *dot = sum;
}

// All products with v of column k: the tiles of the lower triangle, V'v and W'v, dealt to the warps
// of the cluster.
template <class T> GLA_DEVICE void multiply (const panel_page<T> &p, int k)
{
  int corner = (k + 1) / HETRD_TILE, m = p.tiles - corner, count = m * (m + 1) / 2;
  int done = k - p.first;
  for (int t = p.unit; t < count + 2 * done; t += p.units) {
    if (t < count) {
      int r = (int)((sqrtf (8.0f * t + 1) - 1) / 2);
      r -= r * (r + 1) / 2 > t;
      r += (r + 1) * (r + 2) / 2 <= t;
      multiply_tile (p, k, corner + r, corner + t - r * (r + 1) / 2, t);
    } else {
      int c = t - count;
      if (c < done)
        multiply_column (p, k, p.W + c * p.ld, p.dots + c);
      else
        multiply_column (p, k, p.column (p.first + c - done), p.dots + HETRD_PANEL + c - done);
    }
  }
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
    next_column (p, k, h, rows, a.d + page * n, false);
    cluster_barrier (blocks);
    h = end_column (p, k, rank, blocks);
    if (rank == 0 && threadIdx.x == 0) {
      a.e[page * n + k] = h.beta;
      a.tau[page * n + k] = h.tau;
    }
    __syncthreads ();
    multiply (p, k);
    cluster_barrier (blocks);
  }
  next_column (p, last, h, rows, a.d + page * n, true);
}

// The size of a cluster: the one that keeps the chip busiest with what pages there are. A page with
// few tiles is not worth many blocks.
int cluster_size (int n, int64_t pages, int multiprocessors)
{
  int tiles = (n + HETRD_TILE - 1) / HETRD_TILE, best = 1;
  int64_t slots = 2 * multiprocessors;
  double best_time = 0;
  for (int size = 1; size <= 8 && size * 2 * WARPS <= tiles * (tiles + 1); size *= 2) {
    double time = (double)((pages * size + slots - 1) / slots) / size;
    if (size == 1 || time < best_time) {
      best = size;
      best_time = time;
    }
  }
  return best;
}

template <class T> cudaError_t launch (const eig_args<T> &a, int first, int last, int blocks)
{
  size_t bytes = hetrd_scratch<T> (a.n).ld * sizeof (T);
  cudaError_t status = allow_shared (hetrd_panel_kernel<T>, bytes);
  if (status != cudaSuccess)
    return status;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3 ((unsigned)(a.pages * blocks));
  config.blockDim = dim3 (32 * WARPS);
  config.dynamicSmemBytes = bytes;
  config.stream = a.stream;
  config.attrs = &cluster;
  config.numAttrs = blocks > 1;
  return cudaLaunchKernelEx (&config, hetrd_panel_kernel<T>, a, first, last, blocks);
}

} // namespace

template <class T> cudaError_t hetrd_panel (const eig_args<T> &a, int first, int last)
{
  return launch (a, first, last, cluster_size (a.n - first, a.pages, a.multiprocessors));
}

template cudaError_t hetrd_panel (const eig_args<float> &, int, int);
template cudaError_t hetrd_panel (const eig_args<double> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<float>> &, int, int);
template cudaError_t hetrd_panel (const eig_args<cx<double>> &, int, int);
