// stedc_update.cu: one level of divide and conquer: eigenvectors of the merged nodes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "stedc.cuh"

namespace
{

enum { COLUMNS = 64, DEPTH = 16, HALF_SHIFT = 28 };

// Half of a node as the update sees it.
template <class R> struct half {
  const R *Z; // its rows, in the columns of the node
  R *merged;
  int rows, bit;   // UPPER or LOWER of stedc_merge.cu
  int count;       // poles with entries here
  const int *list; // these
};

template <class R>
GLA_DEVICE half<R> half_of (const stedc_level<R> &s, int64_t page, const stedc_node &node,
                            const stedc_counts &counts, bool lower)
{
  int64_t at = page * s.tree.n + node.first;
  int first = lower ? node.middle : node.first, end = lower ? node.end : node.middle;
  return {s.Z + page * s.page_z + node.first * s.ldz + first,
          s.merged + page * s.page_merged + node.first * s.ld_merged + first,
          end - first,
          lower ? 2 : 1,
          lower ? counts.lower : counts.upper,
          (lower ? s.lower : s.upper) + at};
}

// One block computes ROWS rows by 64 columns of the product for one half of a node; grid: column
// tiles, row tiles of both halves, nodes, pages, the first fastest. A warp has 32 rows by 16
// columns of it and a thread 4 by 4. Z comes through shared memory 16 columns at a time; the same
// rows of U are computed where they are needed and never stored. Columns that deflated are copied.
template <class R, int ROWS> __global__ void update_kernel (stedc_level<R> s, int tiles, int strips)
{
  constexpr int THREADS = ROWS * COLUMNS / 16;
  __shared__ __align__ (16) R left[DEPTH][ROWS + 2], right[DEPTH][COLUMNS + 2];
  int nodes = s.tree.leaves >> s.level, n = s.tree.n;
  int64_t block = blockIdx.x;
  int tile = (int)(block % tiles);
  block /= tiles;
  int strip = (int)(block % (2 * strips));
  block /= 2 * strips;
  int q = (int)(block % nodes);
  int64_t page = block / nodes;
  if (s.info[page] != 0)
    return;
  stedc_node node = node_at (s.tree, s.level, q);
  stedc_counts counts = s.counts[page * s.tree.leaves + q];
  half<R> h = half_of (s, page, node, counts, strip >= strips);
  int m = node.end - node.first, row0 = (strip % strips) * ROWS, column0 = tile * COLUMNS;
  if (row0 >= h.rows || column0 >= m)
    return;
  int64_t at = page * n + node.first;
  const int *column = s.column + at;

  // what this thread computes of U: column mine of the tile
  int mine = threadIdx.x % COLUMNS, j = column0 + mine;
  bool root = j < counts.roots;
  R origin = root ? s.origin[at + j] : R (0), tau = root ? s.tau[at + j] : R (1);
  R norm = root ? s.scale[at + j] : R (0);

  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int r = warp % (ROWS / 32) * 32 + lane / 4 * 4, c = warp / (ROWS / 32) * 16 + lane % 4 * 4;
  R sum[4][4] = {};
  int count = column0 < counts.roots ? h.count : 0;
  for (int p0 = 0; p0 < count; p0 += DEPTH) {
    __syncthreads ();
    for (int x = threadIdx.x; x < ROWS * DEPTH; x += THREADS) {
      int i = x % ROWS, p = x / ROWS;
      bool inside = p0 + p < count && row0 + i < h.rows;
      R value = 0;
      if (inside)
        value = h.Z[(column[h.list[p0 + p]] & ((1 << HALF_SHIFT) - 1)) * s.ldz + row0 + i];
      left[p][i] = value;
    }
    for (int p = threadIdx.x / COLUMNS; p < DEPTH; p += THREADS / COLUMNS) {
      R value = 0;
      if (root && p0 + p < count) {
        int i = h.list[p0 + p];
        value = s.z[at + i] * reciprocal ((s.pole[at + i] - origin) - tau) * norm;
      }
      right[p][mine] = value;
    }
    __syncthreads ();
#pragma unroll
    for (int p = 0; p < DEPTH; p++) {
      R a[4], b[4];
#pragma unroll
      for (int x = 0; x < 4; x++) {
        a[x] = left[p][r + x];
        b[x] = right[p][c + x];
      }
#pragma unroll
      for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 4; x++)
          sum[y][x] = madd (a[x], b[y], sum[y][x]);
    }
  }

#pragma unroll
  for (int y = 0; y < 4; y++) {
    int k = column0 + c + y;
    if (k >= m)
      break;
    bool deflated = k >= counts.roots;
    int from = deflated ? column[k] : 0;
    bool present = from >> HALF_SHIFT & h.bit;
    const R *source = h.Z + (from & ((1 << HALF_SHIFT) - 1)) * s.ldz;
#pragma unroll
    for (int x = 0; x < 4; x++) {
      int i = row0 + r + x;
      if (i < h.rows)
        h.merged[k * s.ld_merged + i] = !deflated ? sum[y][x] : present ? source[i] : R (0);
    }
  }
}

template <class R, int ROWS> cudaError_t launch (const stedc_level<R> &s, cudaStream_t stream)
{
  int width = s.tree.leaf_rows () << s.level, n = s.tree.n;
  int m = width < n ? width : n, rows = width / 2 < n ? width / 2 : n;
  int tiles = (m + COLUMNS - 1) / COLUMNS, strips = (rows + ROWS - 1) / ROWS;
  int64_t blocks = s.pages * (s.tree.leaves >> s.level) * 2 * strips * tiles;
  update_kernel<R, ROWS><<<(unsigned)blocks, ROWS * COLUMNS / 16, 0, stream>>> (s, tiles, strips);
  return cudaGetLastError ();
}

} // namespace

template <class R> cudaError_t stedc_update (const stedc_level<R> &s, cudaStream_t stream)
{
  return s.tree.leaf_rows () << s.level <= 64 ? launch<R, 32> (s, stream)
                                              : launch<R, 64> (s, stream);
}

template cudaError_t stedc_update (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_update (const stedc_level<double> &, cudaStream_t);
