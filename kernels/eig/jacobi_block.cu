// jacobi_block.cu: one-sided block Jacobi for pages beyond shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// After Huang, Liu, Zhao 2023: W holds A*Q and Q is accumulated beside it. For a pair of column
// blocks one fused kernel forms the Gram matrix G = Q'(A Q) of its 2*WIDTH columns, diagonalises G
// by two-sided Jacobi in shared memory, and multiplies the columns of A*Q and Q by the
// eigenvectors; tiles of rows are fetched ahead of their use into a second buffer. All pairs of a
// round-robin round are disjoint, so a round is one launch; pages whose sweep rotated nothing
// leave the list of active pages.

#include "common/async_copy.cuh"
#include "common/phase.cuh"
#include "jacobi.cuh"

namespace
{

enum { WIDTH = 16, PAIR = 2 * WIDTH, LD = PAIR + 1, THREADS = 256, INNER_SWEEPS = 6 };

// ints of a.state per page: whether this sweep rotated, columns it found open, and the same of the
// sweep before
enum { STATE_ROTATED = 0, STATE_OPEN = 1, STATE_LEFT = 2, STATE_INTS = 8 };

int blocks_of (int n)
{
  int blocks = (n + WIDTH - 1) / WIDTH;
  return blocks + blocks % 2;
}

// Column of the page for column c of the pair (block p, block q); n or more: does not exist.
GLA_DEVICE int column_of (int p, int q, int c)
{
  return c < WIDTH ? p * WIDTH + c : q * WIDTH + c - WIDTH;
}

// A tile is TILE rows of the pair's columns: entry (row k, column c) at k*LD + c. Neighbouring
// threads fetch neighbouring rows of one column; what lies outside the page is zero. TILE is 32
// where shared memory allows, else 16 or 8.
template <int TILE, class T>
GLA_DEVICE void fetch (T *tile, const T *M, int n, int p, int q, int row0)
{
  for (int w = threadIdx.x; w < TILE * PAIR; w += THREADS) {
    int k = w % TILE, c = w / TILE, column = column_of (p, q, c);
    T *to = tile + k * LD + c;
    if (row0 + k < n && column < n)
      async_copy (to, M + (int64_t)column * n + row0 + k);
    else
      *to = from_real<T> (0);
  }
}

template <class T, int TILE> struct pair_shared {
  T *A[2], *Q[2], *G, *B;
  rotation<T> *pairs;
  real_t<T> *diagonal;
  GLA_DEVICE pair_shared (unsigned char *base)
  {
    T *at = reinterpret_cast<T *> (base);
    for (int b = 0; b < 2; b++, at += 2 * TILE * LD) {
      A[b] = at;
      Q[b] = at + TILE * LD;
    }
    G = at;
    B = G + PAIR * LD;
    pairs = reinterpret_cast<rotation<T> *> (B + PAIR * LD);
    diagonal = reinterpret_cast<real_t<T> *> (pairs + WIDTH);
  }
};

template <class T, int TILE> size_t pair_bytes ()
{
  return (size_t)(4 * TILE + 2 * PAIR) * LD * sizeof (T) + jacobi_extra<T> (PAIR);
}

// G = Q'(A Q) over all rows: thread (x, y) owns entries (y, x), (y, x+16), (y+16, x), (y+16, x+16).
template <class T, int TILE>
GLA_DEVICE void gram (pair_shared<T, TILE> &s, const T *A, const T *Q, int n, int p, int q)
{
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  T sum[2][2];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      sum[a][b] = from_real<T> (0);
  int tiles = (n + TILE - 1) / TILE;
  fetch<TILE> (s.A[0], A, n, p, q, 0);
  fetch<TILE> (s.Q[0], Q, n, p, q, 0);
  async_commit ();
  for (int t = 0; t < tiles; t++) {
    if (t + 1 < tiles) {
      fetch<TILE> (s.A[(t + 1) % 2], A, n, p, q, (t + 1) * TILE);
      fetch<TILE> (s.Q[(t + 1) % 2], Q, n, p, q, (t + 1) * TILE);
    }
    async_commit ();
    async_wait<1> ();
    __syncthreads ();
    const T *ta = s.A[t % 2], *tq = s.Q[t % 2];
#pragma unroll 8
    for (int k = 0; k < TILE; k++) {
      T q0 = tq[k * LD + y], q1 = tq[k * LD + y + 16];
      T a0 = ta[k * LD + x], a1 = ta[k * LD + x + 16];
      sum[0][0] = cmadd (q0, a0, sum[0][0]);
      sum[0][1] = cmadd (q0, a1, sum[0][1]);
      sum[1][0] = cmadd (q1, a0, sum[1][0]);
      sum[1][1] = cmadd (q1, a1, sum[1][1]);
    }
    __syncthreads ();
  }
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      s.G[(x + 16 * b) * LD + y + 16 * a] = sum[a][b];
  __syncthreads ();
}

// Makes G Hermitian and B the identity; returns, to all threads, whether G needs rotations.
template <class T, int TILE> GLA_DEVICE int open_columns (pair_shared<T, TILE> &s, real_t<T> floor)
{
  typedef real_t<T> R;
  int open = 0;
  for (int w = threadIdx.x; w < PAIR * PAIR; w += THREADS) {
    int i = w % PAIR, j = w / PAIR;
    if (i <= j) {
      T value = scale (R (0.5), s.G[j * LD + i] + conj (s.G[i * LD + j]));
      s.G[j * LD + i] = i == j ? from_real<T> (re (value)) : value;
      s.G[i * LD + j] = conj (s.G[j * LD + i]);
      open |= i != j && sqrt_of (abs2 (value)) > floor;
    }
    s.B[j * LD + i] = from_real<T> (i == j ? R (1) : R (0));
  }
  return __syncthreads_or (open);
}

// M(:, pair) <- M(:, pair) B. A thread owns one row of the tile and TILE/8 of its columns.
template <class T, int TILE>
GLA_DEVICE void multiply (pair_shared<T, TILE> &s, T *M, int n, int p, int q)
{
  constexpr int COLUMNS = TILE * PAIR / THREADS;
  int k = threadIdx.x % TILE, first = threadIdx.x / TILE * COLUMNS;
  int tiles = (n + TILE - 1) / TILE;
  fetch<TILE> (s.A[0], M, n, p, q, 0);
  async_commit ();
  for (int t = 0; t < tiles; t++) {
    if (t + 1 < tiles)
      fetch<TILE> (s.A[(t + 1) % 2], M, n, p, q, (t + 1) * TILE);
    async_commit ();
    async_wait<1> ();
    __syncthreads ();
    const T *tile = s.A[t % 2] + k * LD;
    T sum[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
      sum[c] = from_real<T> (0);
#pragma unroll 4
    for (int l = 0; l < PAIR; l++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        sum[c] = madd (tile[l], s.B[(first + c) * LD + l], sum[c]);
    int row = t * TILE + k;
    for (int c = 0; c < COLUMNS; c++) {
      int column = column_of (p, q, first + c);
      if (row < n && column < n)
        M[(int64_t)column * n + row] = sum[c];
    }
    __syncthreads ();
  }
}

// Block (x, y): pair x of the round on the y-th active page.
template <class T, int TILE>
__global__ void __launch_bounds__ (THREADS) round_kernel (eig_args<T> a, const int *list, int round)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n, p, q;
  int64_t page = list[blockIdx.y];
  gla_round_robin (2 * gridDim.x, round, blockIdx.x, &p, &q);
  T *A = a.W + page * n * n, *Q = static_cast<T *> (a.Z) + page * n * n;
  pair_shared<T, TILE> s (memory);
  // G is computed anew from its columns, so its noise is a few eps of the norm
  R floor = 2 * a.tol * a.norm[page];

  gram (s, A, Q, n, p, q);
  if (!open_columns (s, floor))
    return;
  jacobi_shared<T> m = {s.G, s.B, PAIR, LD, s.pairs, s.diagonal, 0, floor / PAIR};
  if (threadIdx.x == 0) {
    a.state[page * STATE_INTS + STATE_ROTATED] = 1;
    atomicAdd (&a.state[page * STATE_INTS + STATE_OPEN], PAIR);
  }
  jacobi_sweeps (m, INNER_SWEEPS);
  multiply (s, A, n, p, q);
  multiply (s, Q, n, p, q);
}

// Z := I on all pages, a thread per entry.
template <class T> __global__ void identity_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  int64_t n = a.n, total = a.pages * n * n;
  int64_t q = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (q < total)
    static_cast<T *> (a.Z)[q] = from_real<T> (q % (n * n) % (n + 1) == 0 ? R (1) : R (0));
}

// One block removes pages from the list, keeping the order, as many pages at a time as it has
// threads: pages that rotated stay (first: all pages with info 0 make the list). All threads have
// read their entries before one is written, and no entry moves to a later place.
template <class T> __global__ void compact_kernel (eig_args<T> a, int *list, int active, int first)
{
  __shared__ int kept, warps[32];
  if (threadIdx.x == 0)
    kept = 0;
  __syncthreads ();
  for (int base = 0; base < active; base += blockDim.x) {
    int k = base + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int page = k < active ? (first ? k : list[k]) : -1;
    bool keep = false;
    if (page >= 0) {
      int *state = a.state + (int64_t)page * STATE_INTS;
      keep = first ? a.info[page] == 0 : state[STATE_ROTATED] != 0;
      state[STATE_LEFT] = state[STATE_OPEN];
      state[STATE_ROTATED] = state[STATE_OPEN] = 0;
    }
    unsigned ballot = __ballot_sync (0xffffffffu, keep);
    if (lane == 0)
      warps[warp] = __popc (ballot);
    __syncthreads ();
    int place = kept + __popc (ballot & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
      place += warps[w];
    if (keep)
      list[place] = page;
    __syncthreads ();
    if (threadIdx.x == 0)
      for (unsigned w = 0; w < blockDim.x / 32; w++)
        kept += warps[w];
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    a.count[0] = kept;
}

// info of the pages that are still listed, a thread per page: the columns of the pairs that rotated
// in the last sweep, at least 1 and at most n.
template <class T> __global__ void unfinished_kernel (eig_args<T> a, const int *list, int active)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < active) {
    int open = a.state[(int64_t)list[k] * STATE_INTS + STATE_LEFT];
    a.info[list[k]] = open < 1 ? 1 : open > a.n ? a.n : open;
  }
}

// A warp per column: d = Re (q' A q) from the columns of Q and A*Q.
template <class T> __global__ void values_kernel (eig_args<T> a)
{
  int n = a.n, lane = threadIdx.x % 32;
  int64_t column = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (column >= a.pages * n)
    return;
  const T *x = a.W + column * n, *q = static_cast<const T *> (a.Z) + column * n;
  real_t<T> sum = 0;
  for (int i = lane; i < n; i += 32)
    sum += re (conj (q[i]) * x[i]);
  sum = lane_sum<32> (sum);
  if (lane == 0)
    a.d[column] = sum;
}

// A warp per column: V(:, rank) = Q(:, j).
template <class T> __global__ void place_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  int n = a.n, lane = threadIdx.x % 32;
  int64_t column = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (column >= a.pages * n)
    return;
  int64_t page = column / n;
  const T *q = static_cast<const T *> (a.Z) + column * n;
  T *V = a.V + page * a.page_v + a.rank[column] * a.ldv;
  bool failed = a.info[page] != 0;
  if (!failed && a.phase)
    return warp_phase (q, V, n);
  for (int i = lane; i < n; i += 32)
    V[i] = failed ? from_real<T> (R (nan (""))) : q[i];
}

// The list of pages behind the counter.
template <class T> int *list_of (const eig_args<T> &a)
{
  return a.count + 4;
}

} // namespace

int eig_block_rounds (int n)
{
  return blocks_of (n) - 1;
}

template <class T> cudaError_t eig_block_start (const eig_args<T> &a)
{
  cudaError_t status = cudaMemsetAsync (a.state, 0, a.pages * STATE_INTS * sizeof (int), a.stream);
  if (status != cudaSuccess)
    return status;
  int64_t total = a.pages * a.n * a.n;
  identity_kernel<T><<<(unsigned)((total + 255) / 256), 256, 0, a.stream>>> (a);
  compact_kernel<T><<<1, 1024, 0, a.stream>>> (a, list_of (a), (int)a.pages, 1);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_block_round (const eig_args<T> &a, int round, int64_t active)
{
  size_t limit = a.smem_limit;
  int tile = pair_bytes<T, 32> () <= limit ? 32 : pair_bytes<T, 16> () <= limit ? 16 : 8;
  size_t bytes = tile == 32   ? pair_bytes<T, 32> ()
                 : tile == 16 ? pair_bytes<T, 16> ()
                              : pair_bytes<T, 8> ();
  auto kernel = tile == 32   ? round_kernel<T, 32>
                : tile == 16 ? round_kernel<T, 16>
                             : round_kernel<T, 8>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  dim3 grid (blocks_of (a.n) / 2, (unsigned)active);
  kernel<<<grid, THREADS, bytes, a.stream>>> (a, list_of (a), round);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_block_next (const eig_args<T> &a, int64_t active)
{
  compact_kernel<T><<<1, 1024, 0, a.stream>>> (a, list_of (a), (int)active, 0);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_block_values (const eig_args<T> &a, int64_t active)
{
  if (active > 0)
    unfinished_kernel<T>
        <<<(unsigned)((active + 127) / 128), 128, 0, a.stream>>> (a, list_of (a), (int)active);
  int64_t columns = a.pages * a.n;
  values_kernel<T><<<(unsigned)((columns + 3) / 4), 128, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_block_vectors (const eig_args<T> &a)
{
  int64_t columns = a.pages * a.n;
  place_kernel<T><<<(unsigned)((columns + 3) / 4), 128, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_block_start (const eig_args<T> &);                                      \
  template cudaError_t eig_block_round (const eig_args<T> &, int, int64_t);                        \
  template cudaError_t eig_block_next (const eig_args<T> &, int64_t);                              \
  template cudaError_t eig_block_values (const eig_args<T> &, int64_t);                            \
  template cudaError_t eig_block_vectors (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
