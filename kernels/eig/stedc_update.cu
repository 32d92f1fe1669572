// stedc_update.cu: one level of divide and conquer: eigenvectors of the merged nodes
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/mma.cuh"
#include "stedc.cuh"

namespace
{

enum { DEPTH = 8, HALF_SHIFT = 28 };

// Orders up to which tiles of 32 columns are used when all columns may be computed; most pages have
// far fewer.
enum { SPAN_NARROW = 512 };

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
// threadIdx.x % ROWS of every APART-th column of Z; of U column `mine` of every STEP-th row, as z
// and pole.
template <class R, int ROWS, int COLUMNS> struct chunk {
  static constexpr int APART = COLUMNS / 32, LEFT = DEPTH / APART;
  static constexpr int STEP = ROWS / 32, RIGHT = DEPTH / STEP;
  R left[LEFT], z[RIGHT], pole[RIGHT];

  GLA_DEVICE void fetch (const stedc_level<R> &s, const half<R> &h, const int *column, int64_t at,
                         int row0, int p0)
  {
    int i = row0 + threadIdx.x % ROWS, p = p0 + threadIdx.x / ROWS;
#pragma unroll
    for (int q = 0; q < LEFT; q++) {
      left[q] = 0;
      if (p + APART * q < h.count && i < h.rows)
        left[q] = h.Z[(column[h.list[p + APART * q]] & ((1 << HALF_SHIFT) - 1)) * s.ldz + i];
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
template <int ROWS, int COLUMNS> struct update_memory {
  double left[DEPTH][ROWS + 4], right[DEPTH][COLUMNS + 4];
};

// 32 rows from r on by 32 columns from c on: two tall tiles by four.
template <int ROWS, int COLUMNS>
GLA_DEVICE void multiply (const update_memory<ROWS, COLUMNS> &m, int r, int c,
                          double (&sum)[2][4][4])
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

// What a block has of the product: ROWS rows of a half of a node, by COLUMNS columns.
template <int COLUMNS> struct update_tile {
  int q, strip, column0;
  bool lower;
  int64_t page;
  GLA_DEVICE update_tile (int64_t block, int tiles, int strips, int nodes)
  {
    column0 = (int)(block % tiles) * COLUMNS;
    block /= tiles;
    int both = (int)(block % (2 * strips));
    lower = both >= strips;
    strip = both % strips;
    block /= 2 * strips;
    q = (int)(block % nodes);
    page = block / nodes;
  }
};

// Column t of the product: which column of the node it is, or -1 behind the last one.
template <class R> GLA_DEVICE int column_at (const stedc_level<R> &s, int64_t page, int t, int m)
{
  if (s.picked == nullptr)
    return t < m ? t : -1;
  return t < s.columns ? s.picked[page * s.tree.n + t] : -1;
}

// One block computes ROWS rows by COLUMNS columns of the product for one half of a node; grid:
// column tiles, row tiles of both halves, nodes, pages, the first fastest. A warp has 32 rows by 32
// columns of it, on the tensor cores. Z comes through shared memory 8 columns at a time, fetched
// while the 8 before are multiplied; the same rows of U are computed where they are needed and
// never stored. Columns that deflated are copied.
template <class R, int ROWS, int COLUMNS>
__global__ void __launch_bounds__ (ROWS *COLUMNS / 32,
                                   ROWS == 32 ? 384 / COLUMNS : 16384 / COLUMNS / ROWS)
    update_kernel (stedc_level<R> s, int tiles, int strips, int64_t first)
{
  __shared__ __align__ (16) update_memory<ROWS, COLUMNS> memory;
  int nodes = s.tree.leaves >> s.level, n = s.tree.n;
  update_tile<COLUMNS> tile (first + blockIdx.x, tiles, strips, nodes);
  int64_t page = tile.page;
  if (s.info[page] != 0)
    return;
  stedc_node node = node_at (s.tree, s.level, tile.q);
  stedc_counts counts = s.counts[page * s.tree.leaves + tile.q];
  half<R> h = half_of (s, page, node, counts, tile.lower);
  int m = node.end - node.first, row0 = tile.strip * ROWS;
  if (row0 >= h.rows || column_at (s, page, tile.column0, m) < 0)
    return;
  int64_t at = page * n + node.first;
  const int *column = s.column + at;

  // what this thread computes of U: column mine of the tile
  typedef chunk<R, ROWS, COLUMNS> chunk;
  int mine = threadIdx.x % COLUMNS, j = column_at (s, page, tile.column0 + mine, m);
  bool root = j >= 0 && j < counts.roots;
  R origin = root ? s.origin[at + j] : R (0), tau = root ? s.tau[at + j] : R (1);
  R norm = root ? s.scale[at + j] : R (0);

  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int r = warp % (ROWS / 32) * 32, c = warp / (ROWS / 32) * 32;
  double sum[2][4][4] = {};
  h.count = __syncthreads_or (root) ? h.count : 0;
  chunk next;
  next.fetch (s, h, column, at, row0, 0);
  for (int p0 = 0; p0 < h.count; p0 += DEPTH) {
    __syncthreads ();
#pragma unroll
    for (int x = 0; x < chunk::LEFT; x++)
      memory.left[threadIdx.x / ROWS + chunk::APART * x][threadIdx.x % ROWS] = (double)next.left[x];
#pragma unroll
    for (int x = 0; x < chunk::RIGHT; x++) {
      R u = root ? next.z[x] * quick_reciprocal ((next.pole[x] - origin) - tau) * norm : R (0);
      memory.right[threadIdx.x / COLUMNS + x * chunk::STEP][mine] =
          next.z[x] != 0 ? (double)u : 0.0; // without a pole the number is undefined
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
      int to = tile.column0 + c + 8 * y + lane % 4 * 2 + b, k = column_at (s, page, to, m);
      if (k < 0)
        continue;
      bool deflated = k >= counts.roots;
      int from = deflated ? column[k] : 0;
      bool present = from >> HALF_SHIFT & h.bit;
      const R *source = h.Z + (from & ((1 << HALF_SHIFT) - 1)) * s.ldz;
#pragma unroll
      for (int x = 0; x < 4; x++) {
        int i = row0 + r + lane / 4 + 8 * x;
        if (i < h.rows)
          h.merged[to * s.ld_merged + i] = !deflated ? (R)sum[x / 2][y][x % 2 * 2 + b]
                                           : present ? source[i]
                                                     : R (0);
      }
    }
}

// Rows and columns of a block; tiles of columns and strips of rows of a half of a node.
struct update_shape {
  int rows, columns, tiles, strips;
};

template <class R> update_shape shape_of (const stedc_level<R> &s)
{
  int width = s.tree.leaf_rows () << s.level, n = s.tree.n;
  int rows = width <= 64 ? 32 : width <= 128 ? 64 : 128;
  int m = s.picked != nullptr ? s.columns : width < n ? width : n;
  bool narrow = s.picked != nullptr && (m <= 32 || (m == n && n <= SPAN_NARROW));
  int half = width / 2 < n ? width / 2 : n, columns = narrow ? 32 : 64;
  return {rows, columns, (m + columns - 1) / columns, (half + rows - 1) / rows};
}

template <class R, int ROWS, int COLUMNS>
cudaError_t launch (const stedc_level<R> &s, const update_shape &shape, int64_t first, int64_t last,
                    cudaStream_t stream)
{
  update_kernel<R, ROWS, COLUMNS><<<(unsigned)(last - first), ROWS * COLUMNS / 32, 0, stream>>> (
      s, shape.tiles, shape.strips, first);
  return cudaGetLastError ();
}

template <class R, int ROWS>
cudaError_t launch_columns (const stedc_level<R> &s, const update_shape &shape, int64_t first,
                            int64_t last, cudaStream_t stream)
{
  return shape.columns == 32 ? launch<R, ROWS, 32> (s, shape, first, last, stream)
                             : launch<R, ROWS, 64> (s, shape, first, last, stream);
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
  return shape.rows == 32   ? launch_columns<R, 32> (s, shape, first, last, stream)
         : shape.rows == 64 ? launch_columns<R, 64> (s, shape, first, last, stream)
                            : launch_columns<R, 128> (s, shape, first, last, stream);
}

template int64_t stedc_update_blocks (const stedc_level<float> &);
template int64_t stedc_update_blocks (const stedc_level<double> &);
template cudaError_t stedc_update (const stedc_level<float> &, int64_t, int64_t, cudaStream_t);
template cudaError_t stedc_update (const stedc_level<double> &, int64_t, int64_t, cudaStream_t);
