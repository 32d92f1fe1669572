// prepare.cu: checks a page, scales it by a power of two and completes it to a full matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "warp_page.cuh"

namespace
{

// The same over a cluster; `here` is one place in the shared memory of every block of it.
template <class R>
GLA_DEVICE summary<R> cluster_join (summary<R> a, summary<R> *shared, summary<R> *here, int blocks)
{
  a = block_join (a, shared);
  if (blocks == 1)
    return a;
  if (threadIdx.x == 0)
    *here = a;
  cluster_barrier (blocks);
  a = *in_block (here, 0, blocks);
  for (int b = 1; b < blocks; b++) {
    summary<R> other = *in_block (here, b, blocks);
    join (a, other.largest, other.skew, other.square, other.bad);
  }
  return a;
}

enum { TILE = 32 };

// The rank of this block in the cluster that has a page.
struct share {
  int rank, blocks;
};

// The tiles (I, J) of the lower triangle that this block has, one after the other, down the
// columns: every one of `blocks`.
struct tile_walk {
  int tiles, I, J;
  GLA_DEVICE tile_walk (int n, share mine) : tiles ((n + TILE - 1) / TILE), I (mine.rank), J (0)
  {
    turn ();
  }
  GLA_DEVICE void turn () // to the next columns from behind the last row
  {
    while (I >= tiles && J < tiles) {
      J++;
      I += J - tiles;
    }
  }
  GLA_DEVICE bool there () const { return J < tiles; }
  GLA_DEVICE void next (share mine)
  {
    I += mine.blocks;
    turn ();
  }
};

// Tile (I, J) of the lower triangle, I >= J, as the threads of a block share it: thread (lane, row
// of threads y) has rows lane and columns y, y+Y, ... of it; Y = blockDim.x/32.
struct tile_at {
  int i, j0; // this thread's row, and the first column of the tile
  int n;
  GLA_DEVICE bool inside (int c) const { return i < n && j0 + c < n && i >= j0 + c; }
};

// Loads tile (J, I) of A, the mirror image of tile (I, J), into shared memory: A(j, i) goes to (row
// i, column j).
template <class T>
GLA_DEVICE void load_mirror (T (*tile)[TILE + 1], const eig_args<T> &a, const T *A, int I, int J)
{
  int x = threadIdx.x % TILE, Y = blockDim.x / TILE;
  __syncthreads ();
  for (int y = threadIdx.x / TILE; y < TILE; y += Y)
    if (I * TILE + y < a.n && J * TILE + x < a.n)
      tile[y][x] = A[(int64_t)(I * TILE + y) * a.lda + J * TILE + x];
  __syncthreads ();
}

// The first pass: one triangle is read along its columns, a column per warp; both need tiles.
template <class T>
GLA_DEVICE summary<real_t<T>> inspect (const eig_args<T> &a, const T *A, share mine,
                                       T (*tile)[TILE + 1])
{
  summary<real_t<T>> s = {0, 0, 0, 0};
  int n = a.n, lane = threadIdx.x % TILE, Y = blockDim.x / TILE;
  if (a.triangle != GLA_TRIANGLE_FULL) {
    for (int j = threadIdx.x / TILE + mine.rank * Y; j < n; j += Y * mine.blocks) {
      int from = a.triangle == GLA_TRIANGLE_LOWER ? j : 0,
          to = a.triangle == GLA_TRIANGLE_LOWER ? n : j + 1;
#pragma unroll 4
      for (int i = from + lane; i < to; i += TILE)
        look (s, A[j * a.lda + i], i == j);
    }
    return s;
  }
  for (tile_walk walk (n, mine); walk.there (); walk.next (mine)) {
    load_mirror (tile, a, A, walk.I, walk.J);
    tile_at at = {walk.I * TILE + lane, walk.J * TILE, n};
    for (int c = threadIdx.x / TILE; c < TILE; c += Y)
      if (at.inside (c))
        look_at_pair (s, A[(at.j0 + c) * a.lda + at.i], tile[lane][c]);
  }
  return s;
}

// The second pass, tile by tile: writes the entry that the triangle defines, times 2^k, to both
// places, and returns this thread's sum of squares. A page that is bad becomes zero. W may be A:
// each tile and its mirror image are read before they are written, and only by this block.
template <class T>
GLA_DEVICE real_t<T> complete (const eig_args<T> &a, const T *A, T *W, int k, bool bad, share mine,
                               T (*tile)[TILE + 1])
{
  typedef real_t<T> R;
  int n = a.n, lane = threadIdx.x % TILE, row = threadIdx.x / TILE, Y = blockDim.x / TILE;
  R square = 0;
  // 2^k may be out of range although its halves are in range
  R first = times_power (R (1), k / 2), second = times_power (R (1), k - k / 2);
  for (tile_walk walk (n, mine); walk.there (); walk.next (mine)) {
    int I = walk.I, J = walk.J;
    if (a.triangle != GLA_TRIANGLE_LOWER)
      load_mirror (tile, a, A, I, J);
    else
      __syncthreads ();
    tile_at at = {I * TILE + lane, J * TILE, n};
    for (int c = row; c < TILE; c += Y)
      if (at.inside (c)) {
        T value = from_real<T> (0);
        if (a.triangle != GLA_TRIANGLE_UPPER)
          value = scale (second, scale (first, A[(at.j0 + c) * a.lda + at.i]));
        if (a.triangle != GLA_TRIANGLE_LOWER) {
          T upper = scale (second, scale (first, conj (tile[lane][c])));
          value = a.triangle == GLA_TRIANGLE_UPPER ? upper : scale (R (0.5), value + upper);
        }
        bool diagonal = at.i == at.j0 + c;
        value = bad ? from_real<T> (0) : diagonal ? from_real<T> (re (value)) : value;
        square += (diagonal ? 1 : 2) * abs2 (value);
        W[(int64_t)(at.j0 + c) * n + at.i] = value;
        tile[lane][c] = conj (value);
      }
    __syncthreads ();
    int j = J * TILE + lane;
    for (int y = row; y < TILE; y += Y) {
      int i = I * TILE + y;
      if (i < n && i > j)
        W[(int64_t)i * n + j] = tile[y][lane];
    }
  }
  return square;
}

// One block per page, or, for large ones, a cluster of blocks among which columns or tiles of 32 by
// 32 are distributed; in a block each warp has columns, or all threads share a tile.
template <class T> __global__ void prepare_kernel (eig_args<T> a, int blocks)
{
  typedef real_t<T> R;
  __shared__ summary<R> shared[32], found[2];
  __shared__ __align__ (16) unsigned char memory[sizeof (T) * TILE * (TILE + 1)];
  T (*tile)[TILE + 1] = reinterpret_cast<T (*)[TILE + 1]> (memory);
  int64_t page = blockIdx.x / blocks;
  share mine = {(int)(blockIdx.x % blocks), blocks};
  const T *A = a.A + page * a.page_a;
  int n = a.n;
  summary<R> s = cluster_join (inspect (a, A, mine, tile), shared, found, blocks);
  int k = scaling_of (s);
  int32_t info = info_of (s, n);
  s.square = complete (a, A, a.W + page * n * n, k, s.bad, mine, tile);
  s = cluster_join (s, shared, found + 1, blocks);
  if (mine.rank == 0 && threadIdx.x == 0) {
    a.exponent[page] = -k;
    a.norm[page] = sqrt_of (s.square);
    a.info[page] = info;
    a.skew[page] = 2 * s.skew;
  }
  cluster_barrier (blocks); // the others may still read what this block found
}

// The same for one large page in three kernels: each block inspects its part, then completes its
// part with what all have found, and one block combines the sums of squares.
enum { LARGE_BLOCKS = 1024, LARGE_THREADS = 256 };

template <class T> struct large_seen {
  summary<real_t<T>> seen[LARGE_BLOCKS];
  real_t<T> square[LARGE_BLOCKS];
};

// What all blocks have seen, in their order; every thread gets it.
template <class R> GLA_DEVICE summary<R> join_all (const summary<R> *seen, summary<R> *shared)
{
  summary<R> s = {0, 0, 0, 0};
  for (int b = threadIdx.x; b < LARGE_BLOCKS; b += blockDim.x)
    join (s, seen[b].largest, seen[b].skew, seen[b].square, seen[b].bad);
  return block_join (s, shared);
}

// Each of LARGE_BLOCKS blocks looks at its tiles of the page.
template <class T>
__global__ void __launch_bounds__ (LARGE_THREADS)
    large_inspect_kernel (eig_args<T> a, large_seen<T> *all)
{
  typedef real_t<T> R;
  __shared__ summary<R> shared[32];
  __shared__ __align__ (16) unsigned char memory[sizeof (T) * TILE * (TILE + 1)];
  share mine = {(int)blockIdx.x, LARGE_BLOCKS};
  summary<R> s = inspect (a, a.A, mine, reinterpret_cast<T (*)[TILE + 1]> (memory));
  s = block_join (s, shared);
  if (threadIdx.x == 0)
    all->seen[blockIdx.x] = s;
}

// Each block scales and completes its tiles, and adds their squares.
template <class T>
__global__ void __launch_bounds__ (LARGE_THREADS)
    large_complete_kernel (eig_args<T> a, large_seen<T> *all)
{
  typedef real_t<T> R;
  __shared__ summary<R> shared[32];
  __shared__ __align__ (16) unsigned char memory[sizeof (T) * TILE * (TILE + 1)];
  share mine = {(int)blockIdx.x, LARGE_BLOCKS};
  summary<R> s = join_all (all->seen, shared);
  R square = complete (a, a.A, a.W, scaling_of (s), s.bad, mine,
                       reinterpret_cast<T (*)[TILE + 1]> (memory));
  summary<R> own = {0, 0, 0, 0};
  own.square = square;
  __syncthreads ();
  own = block_join (own, shared);
  if (threadIdx.x == 0)
    all->square[blockIdx.x] = own.square;
}

// One block combines what all blocks have found.
template <class T>
__global__ void __launch_bounds__ (LARGE_THREADS)
    large_summary_kernel (eig_args<T> a, const large_seen<T> *all)
{
  typedef real_t<T> R;
  __shared__ summary<R> shared[32];
  summary<R> s = join_all (all->seen, shared), squares = {0, 0, 0, 0};
  for (int b = threadIdx.x; b < LARGE_BLOCKS; b += blockDim.x)
    squares.square += all->square[b];
  __syncthreads ();
  squares = block_join (squares, shared);
  if (threadIdx.x != 0)
    return;
  *a.exponent = -scaling_of (s);
  *a.norm = sqrt_of (squares.square);
  *a.info = info_of (s, a.n);
  *a.skew = 2 * s.skew;
}

// Blocks of a cluster, as measured: n alone decides, so that a page has the same norm in every
// batch.
int blocks_for (int n)
{
  return !clusters_work () || n <= 320 ? 1 : n <= 640 ? 2 : 8;
}

} // namespace

template <class T> cudaError_t eig_prepare (const eig_args<T> &a)
{
  int threads = a.n <= 8 ? 32 : a.n <= 16 ? 64 : 256, blocks = blocks_for (a.n);
  cluster_launch launch (a.pages, blocks, threads, 0, a.stream);
  return cudaLaunchKernelEx (&launch.config, prepare_kernel<T>, a, blocks);
}

size_t eig_prepare_large_bytes ()
{
  return sizeof (large_seen<double>);
}

template <class T> cudaError_t eig_prepare_large (const eig_args<T> &a, void *memory)
{
  large_seen<T> *all = static_cast<large_seen<T> *> (memory);
  large_inspect_kernel<T><<<LARGE_BLOCKS, LARGE_THREADS, 0, a.stream>>> (a, all);
  large_complete_kernel<T><<<LARGE_BLOCKS, LARGE_THREADS, 0, a.stream>>> (a, all);
  large_summary_kernel<T><<<1, LARGE_THREADS, 0, a.stream>>> (a, all);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_prepare (const eig_args<T> &);                                          \
  template cudaError_t eig_prepare_large (const eig_args<T> &, void *);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
