// hetrd_tiles.cuh: products of a symmetric matrix and of the panel's columns with a vector
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HETRD_TILES_CUH
#define GPULINALG_HETRD_TILES_CUH

#include "common/async_copy.cuh"
#include "hetrd.cuh"

// Warps of a block, and batches of columns that a warp has room for in shared memory.
enum { HETRD_PANEL_WARPS = 8, HETRD_PANEL_STAGES = 3 };

// Loads that bypass the L1 cache: other blocks of the cluster write what is read.
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

// One page in the view of a block of its cluster.
template <class T> struct panel_page {
  typedef real_t<T> R;
  int n, first; // order; first column of the panel
  int tiles;    // of HETRD_TILE rows
  int64_t ld;   // of everything but A
  T *A, *W, *part, *x, *dots;
  R *squares, *forms;
  T *v;            // shared: v of the present column, 0 elsewhere; from the first tile on
  T *ring;         // shared: batches of columns that are copied for this warp
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
    int before = first / HETRD_TILE * HETRD_TILE,
        ring_size = HETRD_PANEL_STAGES * 4096 / (int)sizeof (T);
    ring = shared + threadIdx.x / 32 * ring_size;
    v = shared + HETRD_PANEL_WARPS * ring_size - before;
  }
  GLA_DEVICE T *column (int j) const { return A + (int64_t)j * n; }
  // The ring of the block's first warp, from which the others lie behind each other.
  GLA_DEVICE T *first_ring () const
  {
    return ring - threadIdx.x / 32 * (HETRD_PANEL_STAGES * 4096 / (int)sizeof (T));
  }
};

// Loads that are issued together: as many registers as a row of 128 bytes takes.
template <class T> constexpr int together = sizeof (T) == 16 ? 8 : 16;

// The columns of a tile that are copied together: 128 bytes for each lane.
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

// Begins to load a batch: a lane loads, and later reads, what is in its row. A column reads all of
// A once; what the blocks of the cluster exchange meanwhile should stay in the L2 cache longer.
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
      async_copy_once (stage + q * 32, from + (int64_t)q * p.n, true);
  } else {
    int below = i >= p.n ? -1 : at.r == at.c ? lane : HETRD_TILE;
#pragma unroll
    for (int q = 0; q < batch_of<T>; q++)
      async_copy_once (stage + q * 32, at.j + q <= below ? from + (int64_t)q * p.n : p.A,
                       at.j + q <= below);
  }
  async_commit ();
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
  for (int g = 0; g < HETRD_PANEL_STAGES - 1; g++) {
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
    fetch (p, ahead, count,
           p.ring + (stage == 0 ? HETRD_PANEL_STAGES - 1 : stage - 1) * BATCH * 32);
    ahead.next (p.units);
    async_wait<HETRD_PANEL_STAGES - 1> ();
    const T *from = p.ring + stage * BATCH * 32 + lane;
    stage = stage + 1 == HETRD_PANEL_STAGES ? 0 : stage + 1;

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

// V'v and W'v, distributed over the warps of the cluster; the first goes to the warp after the one
// that has the last tile.
template <class T> GLA_DEVICE void multiply_columns (const panel_page<T> &p, int k, int count)
{
  int done = k - p.first;
  for (int c = (p.unit + p.units - count % p.units) % p.units; c < 2 * done; c += p.units)
    if (c < done)
      multiply_column (p, k, p.W + c * p.ld, p.dots + c);
    else
      multiply_column (p, k, p.column (p.first + c - done), p.dots + HETRD_PANEL + c - done);
}

#endif
