// unmtr_blocked.cu: V = Q Z by blocks of 32 reflectors, I - Y T Y' each, on the tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compact WY form (Schreiber, Van Loan 1989) as LAPACK's ?larft and ?larfb have it; products
// are computed in double for all four types.

#include "few.cuh"
#include "unmtr_strip.cuh"
#include "eig_kernels.cuh"
#include "common/reflector.cuh"

namespace
{

enum { BLOCK = UNMTR_BLOCK, FACTOR_WARPS = 8, STEPS = 4, FACTOR_STEPS = 2 };

//------------------------------------------------------------------------------
// T
//------------------------------------------------------------------------------

// One block of threads per block of reflectors and page. G = Y'Y: each warp takes every eighth
// slice of 16 rows and computes the ten 8*8 tiles on and above the diagonal; the warps add theirs
// in shared memory one after the other. T is built from its diagonal blocks of eight.
template <class T>
__global__ void __launch_bounds__ (FACTOR_WARPS * 32) larft_kernel (eig_args<T> a)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int PLANES = C ? 2 : 1, LD = BLOCK + 2;
  __shared__ __align__ (16) double g_memory[PLANES * BLOCK * LD], t_memory[PLANES * BLOCK * LD];
  mma_matrix<C> G = {g_memory, LD, BLOCK * LD}, F = {t_memory, LD, BLOCK * LD};
  int n = a.n, blocks = unmtr_blocks (n), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int64_t page = blockIdx.x / blocks;
  int k0 = (int)(blockIdx.x % blocks) * BLOCK;
  const int wanted = eig_columns_of (a, page);
  if (a.info[page] != 0 || wanted == 0 || eig_applies_alone (a, wanted))
    return;
  unmtr_reflectors<T> y (a, page);
  for (int q = threadIdx.x; q < PLANES * BLOCK * LD; q += blockDim.x)
    g_memory[q] = t_memory[q] = 0;

  mma_tile<C> sum[2][4][2]; // of rows of tiles 2i and 2i + 1; what is below the diagonal is waste
  for (int r0 = k0 + warp * 4 * FACTOR_STEPS; r0 < n; r0 += FACTOR_WARPS * 4 * FACTOR_STEPS) {
    mma_entry<C> v[FACTOR_STEPS][2][2];
#pragma unroll
    for (int s = 0; s < FACTOR_STEPS; s++)
#pragma unroll
      for (int t = 0; t < 4; t++)
        v[s][t / 2][t % 2] = y (r0 + 4 * s + lane % 4, k0 + 8 * t + lane / 4);
#pragma unroll
    for (int s = 0; s < FACTOR_STEPS; s++)
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 2 * i; j < 4; j++)
          mma_add_conj (sum[i][j], v[s][i], v[s][j / 2][j % 2]);
  }
  for (int turn = 0; turn < FACTOR_WARPS; turn++) {
    __syncthreads ();
    if (turn == warp)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = i; j < 4; j++) {
          mma_tile<C> c = G.get_tile (8 * i, 8 * j);
#pragma unroll
          for (int x = 0; x < 2; x++) {
            c.re[x] += sum[i / 2][j][i % 2].re[x];
            if constexpr (C)
              c.im[x] += sum[i / 2][j][i % 2].im[x];
          }
          G.put_tile (8 * i, 8 * j, c);
        }
  }
  __syncthreads ();

  // diagonal 8*8 blocks, one per warp, lane i < 8 for row i
  if (warp < 4)
    small_factor<T> (G, F, 8 * warp, a.tau + page * n + k0, y.count - k0);
  __syncthreads ();
  join_factors<C, 1, 8> (G, F, BLOCK);
  join_factors<C, 1, 16> (G, F, BLOCK);
  double *out = a.tfactor + page * unmtr_factor_doubles<T> (n) + (int64_t)k0 * BLOCK * PLANES;
  for (int q = threadIdx.x; q < PLANES * BLOCK * BLOCK; q += blockDim.x)
    out[q] = t_memory[q / BLOCK * LD + q % BLOCK];
}

//------------------------------------------------------------------------------
// V
//------------------------------------------------------------------------------

// W = Y'X: two warps share a slice of the rows, with 16 reflectors each; then the slices' sum.
template <class T, int NC, int WARPS>
GLA_DEVICE void project (const strip<T, NC, WARPS> &s, const unmtr_reflectors<T> &y, int k0)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int NT = NC / 8;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, half = warp % 2, q = warp / 2;
  mma_tile<C> sum[NT][2];
  for (int r0 = k0 + q * 4 * STEPS; r0 < y.n; r0 += WARPS / 2 * 4 * STEPS) {
    mma_entry<C> v[STEPS][2];
#pragma unroll
    for (int x = 0; x < STEPS; x++)
#pragma unroll
      for (int t = 0; t < 2; t++)
        v[x][t] = y (r0 + 4 * x + lane % 4, k0 + 16 * half + 8 * t + lane / 4);
#pragma unroll
    for (int x = 0; x < STEPS; x++)
#pragma unroll
      for (int j = 0; j < NT; j++) {
        mma_entry<C> b = s.X.get (r0 + 4 * x + lane % 4, 8 * j + lane / 4);
        mma_add_conj (sum[j], v[x], b);
      }
  }
#pragma unroll
  for (int t = 0; t < 2; t++)
#pragma unroll
    for (int j = 0; j < NT; j++)
      s.slice (q).put_tile (16 * half + 8 * t, 8 * j, sum[j][t]);
  __syncthreads ();
  constexpr int stride = strip<T, NC, WARPS>::PLANES * strip<T, NC, WARPS>::SLICE;
  for (int x = threadIdx.x; x < stride; x += blockDim.x) {
    double total = s.W.re[x];
#pragma unroll
    for (int k = 1; k < WARPS / 2; k++)
      total += s.W.re[k * stride + x];
    s.W.re[x] = total;
  }
  __syncthreads ();
}

// TW = T W, T upper triangular: a warp takes tiles in one of four rows of tiles.
template <class T, int NC, int WARPS>
GLA_DEVICE void multiply_t (const strip<T, NC, WARPS> &s, const double *factor)
{
  constexpr bool C = is_complex_v<T>;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = warp % 4;
  mma_entry<C> t[BLOCK / 4] = {}; // loaded together
#pragma unroll
  for (int x = 0; x < BLOCK / 4; x++)
    if (x >= 2 * i) {
      const double *at = factor + (8 * i + lane / 4) * BLOCK + 4 * x + lane % 4;
      t[x].re = at[0];
      if constexpr (C)
        t[x].im = at[BLOCK * BLOCK];
    }
  for (int j = warp / 4; j < NC / 8; j += WARPS / 4) {
    mma_tile<C> c;
#pragma unroll
    for (int x = 0; x < BLOCK / 4; x++)
      if (x >= 2 * i)
        mma_add (c, t[x], s.W.get (4 * x + lane % 4, 8 * j + lane / 4));
    s.TW.put_tile (8 * i, 8 * j, c);
  }
  __syncthreads ();
}

// X -= Y TW: a warp takes two tiles of 8 rows at a time.
template <class T, int NC, int WARPS>
GLA_DEVICE void subtract (const strip<T, NC, WARPS> &s, const unmtr_reflectors<T> &y, int k0)
{
  constexpr bool C = is_complex_v<T>;
  constexpr int NT = NC / 8;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r0 = k0 + 16 * warp; r0 < y.n; r0 += 16 * WARPS) {
    mma_entry<C> v[BLOCK / 4][2];
#pragma unroll
    for (int x = 0; x < BLOCK / 4; x++)
#pragma unroll
      for (int t = 0; t < 2; t++)
        v[x][t] = y (r0 + 8 * t + lane / 4, k0 + 4 * x + lane % 4);
    mma_tile<C> c[NT][2];
#pragma unroll
    for (int j = 0; j < NT; j++)
#pragma unroll
      for (int t = 0; t < 2; t++)
        c[j][t] = s.X.get_tile (r0 + 8 * t, 8 * j);
#pragma unroll
    for (int x = 0; x < BLOCK / 4; x++)
#pragma unroll
      for (int j = 0; j < NT; j++)
        mma_subtract (c[j], v[x], s.TW.get (4 * x + lane % 4, 8 * j + lane / 4));
#pragma unroll
    for (int j = 0; j < NT; j++)
#pragma unroll
      for (int t = 0; t < 2; t++)
        s.X.put_tile (r0 + 8 * t, 8 * j, c[j][t]);
  }
  __syncthreads ();
}

// X: what Q is applied to, `columns` columns from j0 on, and zeros; NaN where the page has failed.
// After eig_chased it is in its place in V, which every block reads before it writes it. All
// columns are found first, and then loads of different columns are under way together.
template <class T, int NC, int WARPS>
GLA_DEVICE void load_strip (const eig_args<T> &a, int64_t page, int j0, int columns, bool failed,
                            const strip<T, NC, WARPS> &s)
{
  constexpr int TOGETHER = 8, THREADS = WARPS * 32;
  int n = a.n, rows = padded_rows (n);
  int64_t *from = reinterpret_cast<int64_t *> (s.TW.re);
  if ((int)threadIdx.x < columns) {
    int j = j0 + threadIdx.x;
    from[threadIdx.x] = a.chased != nullptr ? eig_place_of (a, page, j) * a.ldv
                                            : (int64_t)eig_source_of (a, page, j) * n;
  }
  __syncthreads ();
  const real_t<T> *Z = static_cast<const real_t<T> *> (a.Z) + page * n * n;
  const T *V = a.V + page * a.page_v;
#pragma unroll 1
  for (int first = threadIdx.x; first < rows * NC; first += TOGETHER * THREADS) {
    mma_entry<is_complex_v<T>> x[TOGETHER] = {};
#pragma unroll
    for (int g = 0; g < TOGETHER; g++) {
      int q = first + g * THREADS, r = q % rows, j = q / rows;
      if (failed)
        x[g].re = nan ("");
      else if (j < columns && r < n)
        x[g] = mma_entry_of (a.chased != nullptr ? V[from[j] + r] : from_real<T> (Z[from[j] + r]));
    }
#pragma unroll
    for (int g = 0; g < TOGETHER; g++) {
      int q = first + g * THREADS;
      if (q < rows * NC)
        s.X.put (q % rows, q / rows, x[g]);
    }
  }
}

// One block owns NC columns of Z of one page. They stay in shared memory while the blocks of
// reflectors are applied, last to first; at the end they are stored at their places in V. Of 8
// warps two blocks find registers.
template <class T, int NC, int WARPS>
__global__ void __launch_bounds__ (WARPS * 32, 16 / WARPS) apply_kernel (eig_args<T> a)
{
  extern __shared__ __align__ (16) double memory[];
  int n = a.n, rows = padded_rows (n), strips = (a.wanted + NC - 1) / NC;
  int64_t page = blockIdx.x / strips;
  const int wanted = eig_columns_of (a, page);
  int j0 = (int)(blockIdx.x % strips) * NC, columns = min (wanted - j0, NC);
  if (columns <= 0 || eig_applies_alone (a, wanted))
    return;
  bool failed = a.info[page] != 0;
  strip<T, NC, WARPS> s (memory, rows);
  load_strip (a, page, j0, columns, failed, s);
  __syncthreads ();
  if (!failed) {
    unmtr_reflectors<T> y (a, page);
    const double *factors = a.tfactor + page * unmtr_factor_doubles<T> (n);
    for (int b = unmtr_blocks (n) - 1; b >= 0; b--) {
      project (s, y, b * BLOCK);
      multiply_t (s, factors + (int64_t)b * BLOCK * BLOCK * strip<T, NC, WARPS>::PLANES);
      subtract (s, y, b * BLOCK);
    }
  }
  column_phases<T, NC> phases (s.TW.re);
  if (a.phase)
    find_phases (s, n, phases);
  else
    phases.leave ();
  __syncthreads ();
  for (int j = 0; j < columns; j++) {
    T *V = a.V + page * a.page_v + eig_place_of (a, page, j0 + j) * a.ldv;
    for (int r = threadIdx.x; r < n; r += blockDim.x)
      V[r] = phases.turned (s.X.get (r, j), r, j);
  }
}

template <class T, int NC, int WARPS> cudaError_t launch_warps (const eig_args<T> &a)
{
  size_t bytes = strip_bytes<T, NC, WARPS> (a.n);
  cudaError_t status = allow_shared (apply_kernel<T, NC, WARPS>, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = a.pages * ((a.wanted + NC - 1) / NC);
  apply_kernel<T, NC, WARPS><<<(unsigned)blocks, WARPS * 32, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

// Where shared memory holds one block only, that block has twice the warps.
template <class T, int NC> cudaError_t launch (const eig_args<T> &a)
{
  size_t limit = a.smem_limit;
  bool alone = 2 * strip_bytes<T, NC, 8> (a.n) > limit;
  return alone && strip_bytes<T, NC, 16> (a.n) <= limit ? launch_warps<T, NC, 16> (a)
                                                        : launch_warps<T, NC, 8> (a);
}

} // namespace

template <class T> int64_t eig_unmtr_doubles (int n)
{
  return unmtr_factor_doubles<T> (n) + unmtr_wide_doubles<T> (n);
}

template <class T> bool eig_unmtr_strip_fits (int n, int strip, int smem_limit)
{
  size_t bytes = strip == 32   ? strip_bytes<T, 32, 8> (n)
                 : strip == 16 ? strip_bytes<T, 16, 8> (n)
                               : strip_bytes<T, 8, 8> (n);
  return bytes <= (size_t)smem_limit;
}

template <class T> cudaError_t eig_unmtr_blocked (const eig_args<T> &a)
{
  larft_kernel<T><<<(unsigned)(a.pages * unmtr_blocks (a.n)), FACTOR_WARPS * 32, 0, a.stream>>> (a);
  cudaError_t status = cudaGetLastError ();
  bool done = false;
  if (status == cudaSuccess && unmtr_wide_serves (a))
    status = unmtr_wide (a, &done);
  if (status != cudaSuccess || done)
    return status;
  return a.strip == 32 ? launch<T, 32> (a) : a.strip == 16 ? launch<T, 16> (a) : launch<T, 8> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t eig_unmtr_doubles<T> (int);                                                     \
  template bool eig_unmtr_strip_fits<T> (int, int, int);                                           \
  template cudaError_t eig_unmtr_blocked (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
