// stedc_update.cu: one level of divide and conquer: eigenvectors of the merged nodes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/mma.cuh"
#include "stedc.cuh"

namespace
{

enum { COLUMNS = 64, DEPTH = 8, HALF_SHIFT = 28 };

// Half of a node in the view of the update.
template <class R> struct half {
  const R *Z; // its rows, in the columns of the node
  R *merged;
  int rows, bit;   // STEDC_UPPER or STEDC_LOWER of stedc_merge.cu
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

// What a thread copies to shared memory of DEPTH columns of Z and of the same rows of U: row
// threadIdx.x % ROWS of every second column of Z; of U column `mine` of every STEP-th row, as z and
// pole.
template <class R, int ROWS> struct chunk {
  static constexpr int STEP = 2 * ROWS / COLUMNS, RIGHT = DEPTH / STEP;
  R left[DEPTH / 2], z[RIGHT], pole[RIGHT];

  GLA_DEVICE void fetch (const stedc_level<R> &s, const half<R> &h, const int *column, int64_t at,
                         int row0, int p0)
  {
    int i = row0 + threadIdx.x % ROWS, p = p0 + threadIdx.x / ROWS;
#pragma unroll
    for (int q = 0; q < DEPTH / 2; q++) {
      left[q] = 0;
      if (p + 2 * q < h.count && i < h.rows)
        left[q] = h.Z[(column[h.list[p + 2 * q]] & ((1 << HALF_SHIFT) - 1)) * s.ldz + i];
    }
    p = p0 + threadIdx.x / COLUMNS;
#pragma unroll
    for (int q = 0; q < RIGHT; q++) {
      int place = p + q * STEP < h.count ? h.list[p + q * STEP] : -1;
      z[q] = place >= 0 ? s.z[at + place] : R (0);
      pole[q] = place >= 0 ? s.pole[at + place] : R (0);
    }
  }
};

// Shared memory of a block, in double for both types: what the tensor cores multiply. Half a warp
// reads four neighbours of each of four rows, which lie in different banks.
template <int ROWS> struct update_memory {
  double left[DEPTH][ROWS + 4], right[DEPTH][COLUMNS + 4];
};

// 32 rows from r on by 32 columns from c on: two tall tiles by four.
template <int ROWS>
GLA_DEVICE void multiply (const update_memory<ROWS> &m, int r, int c, double (&sum)[2][4][4])
{
  int lane = threadIdx.x % 32;
  r += lane / 4;
  c += lane / 4;
#pragma unroll
  for (int p = lane % 4; p < DEPTH; p += 8) {
    double a[2][4];
#pragma unroll
    for (int x = 0; x < 2; x++)
#pragma unroll
      for (int g = 0; g < 4; g++)
        a[x][g] = m.left[p + g / 2 * 4][r + 16 * x + g % 2 * 8];
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
      for (int x = 0; x < 2; x++)
        mma_tall (sum[x][y], a[x], m.right[p][c + 8 * y], m.right[p + 4][c + 8 * y]);
  }
}

// One block computes ROWS rows by 64 columns of the product for one half of a node; grid: column
// tiles, row tiles of both halves, nodes, pages, the first fastest. A warp has 32 rows by 32
// columns of it, on the tensor cores. Z comes through shared memory 8 columns at a time, fetched
// while the 8 before are multiplied; the same rows of U are computed where they are needed and
// never stored. Columns that deflated are copied.
template <class R, int ROWS>
__global__ void __launch_bounds__ (2 * ROWS, ROWS == 32 ? 6 : 256 / ROWS)
    update_kernel (stedc_level<R> s, int tiles, int strips, int64_t first)
{
  __shared__ __align__ (16) update_memory<ROWS> memory;
  int nodes = s.tree.leaves >> s.level, n = s.tree.n;
  int64_t block = first + blockIdx.x;
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
  typedef chunk<R, ROWS> chunk;
  int mine = threadIdx.x % COLUMNS, j = column0 + mine;
  bool root = j < counts.roots;
  R origin = root ? s.origin[at + j] : R (0), tau = root ? s.tau[at + j] : R (1);
  R norm = root ? s.scale[at + j] : R (0);

  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int r = warp % (ROWS / 32) * 32, c = warp / (ROWS / 32) * 32;
  double sum[2][4][4] = {};
  h.count = column0 < counts.roots ? h.count : 0;
  chunk next;
  next.fetch (s, h, column, at, row0, 0);
  for (int p0 = 0; p0 < h.count; p0 += DEPTH) {
    __syncthreads ();
#pragma unroll
    for (int x = 0; x < DEPTH / 2; x++)
      memory.left[threadIdx.x / ROWS + 2 * x][threadIdx.x % ROWS] = (double)next.left[x];
#pragma unroll
    for (int x = 0; x < chunk::RIGHT; x++) {
      R u = root ? next.z[x] * stedc_reciprocal ((next.pole[x] - origin) - tau) * norm : R (0);
      memory.right[threadIdx.x / COLUMNS + x * chunk::STEP][mine] =
          next.z[x] != 0 ? (double)u : 0.0; // no pole, no meaning
    }
    __syncthreads ();
    if (p0 + DEPTH < h.count)
      next.fetch (s, h, column, at, row0, p0 + DEPTH);
    multiply (memory, r, c, sum);
  }

#pragma unroll
  for (int y = 0; y < 4; y++)
#pragma unroll
    for (int b = 0; b < 2; b++) {
      int k = column0 + c + 8 * y + lane % 4 * 2 + b;
      if (k >= m)
        continue;
      bool deflated = k >= counts.roots;
      int from = deflated ? column[k] : 0;
      bool present = from >> HALF_SHIFT & h.bit;
      const R *source = h.Z + (from & ((1 << HALF_SHIFT) - 1)) * s.ldz;
#pragma unroll
      for (int x = 0; x < 4; x++) {
        int i = row0 + r + lane / 4 + 8 * x;
        if (i < h.rows)
          h.merged[k * s.ld_merged + i] = !deflated ? (R)sum[x / 2][y][x % 2 * 2 + b]
                                          : present ? source[i]
                                                    : R (0);
      }
    }
}

// Tiles of columns and strips of rows of a half of a node.
struct update_shape {
  int rows, tiles, strips;
};

template <class R> update_shape shape_of (const stedc_level<R> &s)
{
  int width = s.tree.leaf_rows () << s.level, n = s.tree.n;
  int rows = width <= 64 ? 32 : width <= 128 ? 64 : 128;
  int m = width < n ? width : n, half = width / 2 < n ? width / 2 : n;
  return {rows, (m + COLUMNS - 1) / COLUMNS, (half + rows - 1) / rows};
}

template <class R, int ROWS>
cudaError_t launch (const stedc_level<R> &s, const update_shape &shape, int64_t first, int64_t last,
                    cudaStream_t stream)
{
  update_kernel<R, ROWS>
      <<<(unsigned)(last - first), 2 * ROWS, 0, stream>>> (s, shape.tiles, shape.strips, first);
  return cudaGetLastError ();
}

} // namespace

template <class R> int64_t stedc_update_blocks (const stedc_level<R> &s)
{
  update_shape shape = shape_of (s);
  return s.pages * (s.tree.leaves >> s.level) * 2 * shape.strips * shape.tiles;
}

template <class R>
cudaError_t stedc_update (const stedc_level<R> &s, int64_t first, int64_t last, cudaStream_t stream)
{
  update_shape shape = shape_of (s);
  return shape.rows == 32   ? launch<R, 32> (s, shape, first, last, stream)
         : shape.rows == 64 ? launch<R, 64> (s, shape, first, last, stream)
                            : launch<R, 128> (s, shape, first, last, stream);
}

template int64_t stedc_update_blocks (const stedc_level<float> &);
template int64_t stedc_update_blocks (const stedc_level<double> &);
template cudaError_t stedc_update (const stedc_level<float> &, int64_t, int64_t, cudaStream_t);
template cudaError_t stedc_update (const stedc_level<double> &, int64_t, int64_t, cudaStream_t);
