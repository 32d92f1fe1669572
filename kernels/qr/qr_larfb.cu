// qr_larfb.cu: a panel's block of reflectors applied to a few columns (LAPACK's ?larfb)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// C := C - Y F' (Y' C), or with F for F', with products on the FP64 tensor cores for all types. If
// C is wide and deep a matrix product of cuBLAS is faster; this one is for the columns of one
// block. Called by qr_engine.cu, qr_plan.cu and gsvd_engine.cu.

#include "common/cluster.cuh"
#include "common/mma.cuh"
#include "qr_kernels.cuh"

namespace
{

enum { WARPS = 8, BLOCKS_MAX = 16, LDW = QR_PANEL + 4, LEAST_TILE = 32 };

template <bool C, int TILE> struct larfb_memory {
  static constexpr int PLANES = C ? 2 : 1, LD = TILE + 4;
  double y[PLANES * QR_PANEL * LD], c[PLANES * QR_PANEL * LD]; // transposed: (column, row)
  double part[PLANES * QR_PANEL * LDW], sum[PLANES * QR_PANEL * LDW], f[PLANES * QR_PANEL * LDW];
};

template <class T> struct larfb_args {
  page_matrix<T> Y, F, C;
  int64_t m, columns, chunk; // rows of a block of threads
  int reflectors;
  bool adjoint;
};

// Rows first .. first+TILE-1, those below `end` as zeros, of 32 columns, `count` of them there.
template <int TILE, class T>
GLA_DEVICE void load_tile (const mma_matrix<is_complex_v<T>> &to, const T *from, int64_t ld,
                           int64_t first, int64_t end, int count)
{
  constexpr int STEP = WARPS * 32 / TILE, EACH = QR_PANEL / STEP;
  constexpr int TOGETHER = EACH < 128 / (int)sizeof (T) ? EACH : 128 / (int)sizeof (T);
  int row = threadIdx.x % TILE, begin = threadIdx.x / TILE;
  bool inside = first + row < end;
  from += first + row;
#pragma unroll
  for (int part = 0; part < EACH; part += TOGETHER) {
    T value[TOGETHER];
#pragma unroll
    for (int q = 0; q < TOGETHER; q++) {
      int k = begin + (part + q) * STEP;
      value[q] = inside && k < count ? from[k * ld] : from_real<T> (0);
    }
#pragma unroll
    for (int q = 0; q < TOGETHER; q++)
      to.put (begin + (part + q) * STEP, row, mma_entry_of (value[q]));
  }
}

// This warp's two tiles of Y'C, of rows in shared memory.
template <bool C>
GLA_DEVICE void multiply (mma_tile<C> (&w)[2], const mma_matrix<C> &y, const mma_matrix<C> &c,
                          int rows)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = warp % 4 * 8, j = warp / 4 * 16;
#pragma unroll 4
  for (int k = 0; k < rows; k += 4) {
    mma_entry<C> a = y.get (i + lane / 4, k + lane % 4);
    mma_add_conj (w[0], a, c.get (j + lane / 4, k + lane % 4));
    mma_add_conj (w[1], a, c.get (j + 8 + lane / 4, k + lane % 4));
  }
}

// The sum over the blocks of the cluster: each block adds its share of the entries and sends it to
// all.
template <class M> GLA_DEVICE void add_parts (M &s, int rank, int blocks)
{
  constexpr int COUNT = M::PLANES * QR_PANEL * QR_PANEL;
  int share = COUNT / blocks;
  for (int q = rank * share + threadIdx.x; q < (rank + 1) * share; q += blockDim.x) {
    int at = q / QR_PANEL * LDW + q % QR_PANEL;
    double part[BLOCKS_MAX], sum = 0;
#pragma unroll
    for (int b = 0; b < BLOCKS_MAX; b++)
      part[b] = b < blocks ? *in_block (&s.part[at], b, blocks) : 0;
#pragma unroll
    for (int b = 0; b < BLOCKS_MAX; b++)
      sum += part[b];
    for (int b = 0; b < blocks; b++)
      *in_block (&s.sum[at], b, blocks) = sum;
  }
}

// part = f' sum
template <bool C>
GLA_DEVICE void multiply_factor (const mma_matrix<C> &part, const mma_matrix<C> &sum,
                                 const mma_matrix<C> &f)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = warp % 4 * 8, j = warp / 4 * 16;
  mma_tile<C> w[2];
#pragma unroll
  for (int k = 0; k < QR_PANEL; k += 4) {
    mma_entry<C> a = f.get (k + lane % 4, i + lane / 4);
    mma_add_conj (w[0], a, sum.get (k + lane % 4, j + lane / 4));
    mma_add_conj (w[1], a, sum.get (k + lane % 4, j + 8 + lane / 4));
  }
  part.put_tile (i, j, w[0]);
  part.put_tile (i, j + 8, w[1]);
}

template <int TILE, class T>
GLA_DEVICE void update_tile (const mma_matrix<is_complex_v<T>> &y,
                             const mma_matrix<is_complex_v<T>> &c,
                             const mma_matrix<is_complex_v<T>> &w, T *to, int64_t ld, int64_t first,
                             int64_t end, int count)
{
  constexpr bool C = is_complex_v<T>;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r0 = 8 * warp; r0 < TILE && first + r0 < end; r0 += 8 * WARPS) {
    mma_tile<C> sum[4];
#pragma unroll
    for (int k = 0; k < QR_PANEL; k += 4) {
      mma_entry<C> a = y.get (k + lane % 4, r0 + lane / 4);
#pragma unroll
      for (int u = 0; u < 4; u++)
        mma_add (sum[u], a, w.get (k + lane % 4, 8 * u + lane / 4));
    }
    int64_t row = first + r0 + lane / 4;
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        int k = 8 * u + 2 * (lane % 4) + x;
        mma_entry<C> old = c.get (k, r0 + lane / 4);
        if (row < end && k < count) {
          if constexpr (C)
            to[k * ld + row] = {(real_t<T>)(old.re - sum[u].re[x]),
                                (real_t<T>)(old.im - sum[u].im[x])};
          else
            to[k * ld + row] = (T)(old.re - sum[u].re[x]);
        }
      }
  }
}

// A cluster takes 32 columns of C, each of its blocks a chunk of the rows, in tiles. Y'C of
// the chunk: 4 by 4 tiles of 8 by 8, two to a warp; then the sum over the cluster, F or F' times it
// in every block, and the update of the same rows, 8 to a warp at a time.
template <class T, int TILE>
__global__ void __launch_bounds__ (32 * WARPS) qr_larfb_kernel (larfb_args<T> a, int blocks)
{
  constexpr bool C = is_complex_v<T>;
  extern __shared__ __align__ (16) unsigned char memory[];
  typedef larfb_memory<C, TILE> memory_t;
  constexpr int LD = memory_t::LD;
  auto &s = *reinterpret_cast<memory_t *> (memory);
  mma_matrix<C> y = {s.y, LD, QR_PANEL * LD}, c = {s.c, LD, QR_PANEL * LD};
  mma_matrix<C> part = {s.part, LDW, QR_PANEL * LDW}, sum = {s.sum, LDW, QR_PANEL * LDW},
                f = {s.f, LDW, QR_PANEL * LDW};
  wait_for_previous ();
  int rank = blockIdx.x % blocks;
  int64_t which = blockIdx.x / blocks, tiles = (a.columns + QR_PANEL - 1) / QR_PANEL;
  int64_t page = which / tiles, column = which % tiles * QR_PANEL;
  int count = a.columns - column < QR_PANEL ? (int)(a.columns - column) : (int)QR_PANEL;
  const T *Y = a.Y.data + page * a.Y.page, *F = a.F.data + page * a.F.page;
  T *to = a.C.data + page * a.C.page + column * a.C.ld;
  int64_t begin = rank * a.chunk, end = begin + a.chunk < a.m ? begin + a.chunk : a.m;

  for (int q = threadIdx.x; q < QR_PANEL * QR_PANEL; q += blockDim.x) {
    int i = q % QR_PANEL, j = q / QR_PANEL;
    T value = F[i + j * a.F.ld];
    if (a.adjoint)
      f.put (i, j, mma_entry_of (value));
    else
      f.put (j, i, mma_entry_of (conj (value)));
  }
  mma_tile<C> w[2];
  for (int64_t r = begin; r < end; r += TILE) {
    if (r > begin)
      __syncthreads ();
    load_tile<TILE> (y, Y, a.Y.ld, r, end, a.reflectors);
    load_tile<TILE> (c, to, a.C.ld, r, end, count);
    __syncthreads ();
    multiply (w, y, c, end - r < TILE ? (int)(end - r + 3) / 4 * 4 : TILE);
  }
  int warp = threadIdx.x / 32;
  part.put_tile (warp % 4 * 8, warp / 4 * 16, w[0]);
  part.put_tile (warp % 4 * 8, warp / 4 * 16 + 8, w[1]);
  cluster_barrier (blocks);
  add_parts (s, rank, blocks);
  cluster_barrier (blocks);
  let_next_start ();
  multiply_factor (part, sum, f);
  for (int64_t r = begin; r < end; r += TILE) {
    if (a.chunk > TILE) { // else they are still there
      __syncthreads ();
      load_tile<TILE> (y, Y, a.Y.ld, r, end, a.reflectors);
      load_tile<TILE> (c, to, a.C.ld, r, end, count);
    }
    __syncthreads ();
    update_tile<TILE> (y, c, part, to, a.C.ld, r, end, count);
  }
}

template <class T, int TILE> bool fits ()
{
  return sizeof (larfb_memory<is_complex_v<T>, TILE>) <= block_shared_most ();
}

template <class T, int TILE>
cudaError_t launch (const larfb_args<T> &a, int blocks, int64_t clusters, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  size_t shared = sizeof (larfb_memory<is_complex_v<T>, TILE>);
  cudaError_t error = allow_cluster (qr_larfb_kernel<T, TILE>, shared, &configured);
  if (error != cudaSuccess)
    return error;
  cluster_launch way (clusters, blocks, 32 * WARPS, shared, stream, true);
  return cudaLaunchKernelEx (&way.config, qr_larfb_kernel<T, TILE>, a, blocks);
}

} // namespace

template <class T> cudaError_t qr_larfb (const qr_reflection<T> &p, cudaStream_t stream)
{
  if (p.columns <= 0)
    return cudaSuccess;
  int blocks = 1, most = clusters_work () ? BLOCKS_MAX : 1;
  while (blocks < most && p.m > 64 * blocks)
    blocks *= 2;
  int64_t clusters = (p.columns + QR_PANEL - 1) / QR_PANEL * p.pages;
  int64_t chunk = ((p.m + blocks - 1) / blocks + 7) / 8 * 8;
  larfb_args<T> a = {p.Y, p.F, p.C, p.m, p.columns, chunk, p.reflectors, p.adjoint};
  constexpr int WIDE = is_complex_v<T> ? 128 : 256;
  if (a.chunk > 64 && fits<T, WIDE> ())
    return launch<T, WIDE> (a, blocks, clusters, stream);
  if (fits<T, 64> ())
    return launch<T, 64> (a, blocks, clusters, stream);
  return launch<T, LEAST_TILE> (a, blocks, clusters, stream);
}

size_t qr_larfb_shared ()
{
  return sizeof (larfb_memory<true, LEAST_TILE>);
}

#define GLA_INSTANTIATE(T) template cudaError_t qr_larfb (const qr_reflection<T> &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
