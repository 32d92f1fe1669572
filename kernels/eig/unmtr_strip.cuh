// unmtr_strip.cuh: reflectors; a strip of columns of V in shared memory, and the columns' phase
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_UNMTR_STRIP_CUH
#define GPULINALG_UNMTR_STRIP_CUH

#include "eig_kernels.cuh"
#include "common/mma.cuh"
#include "common/phase.cuh"

// Reflectors of a block.
enum { UNMTR_BLOCK = 32 };

// Reflectors that the first stage, or the straight reduction, has left in W, with their ones so
// many rows below the diagonal.
__host__ __device__ inline int eig_reflectors (int n, int below)
{
  int of_panels = (n - 2) / EIG_BANDWIDTH * EIG_BANDWIDTH, all = n - below;
  return below == EIG_BANDWIDTH && of_panels < all ? of_panels : all;
}

// The `count` reflectors of one page: entry r of v(k), with its unit, which is `below` rows below
// the diagonal, and its zeros.
template <class T> struct unmtr_reflectors {
  const T *W;
  int n, below, count;
  GLA_DEVICE unmtr_reflectors (const eig_args<T> &a, int64_t page)
      : W (a.W + page * a.n * a.n), n (a.n), below (a.chased != nullptr ? EIG_BANDWIDTH : 1),
        count (eig_reflectors (n, below))
  {
  }
  GLA_DEVICE mma_entry<is_complex_v<T>> operator() (int r, int k) const
  {
    T value = from_real<T> (r == k + below ? real_t<T> (1) : real_t<T> (0));
    if (r > k + below)
      value = r < n ? W[(int64_t)k * n + r] : from_real<T> (0);
    return mma_entry_of (k < count ? value : from_real<T> (0));
  }
};

__host__ __device__ constexpr int unmtr_blocks (int n)
{
  return (n - 1 + UNMTR_BLOCK - 1) / UNMTR_BLOCK;
}

// Doubles of T of one page: blocks, planes, 32 rows of 32.
template <class T> __host__ __device__ constexpr int64_t unmtr_factor_doubles (int n)
{
  return (int64_t)unmtr_blocks (n) * UNMTR_BLOCK * UNMTR_BLOCK * (is_complex_v<T> ? 2 : 1);
}

// Shared memory: X (rows by NC), the slices of Y'X, and T Y'X.
template <class T, int NC, int WARPS> struct strip {
  static constexpr bool C = is_complex_v<T>;
  static constexpr int PLANES = C ? 2 : 1, SLICES = WARPS / 2;
  static constexpr int LDX = NC == 8 ? 8 : NC + 4, LDW = NC + 4, SLICE = UNMTR_BLOCK * LDW;
  mma_matrix<C> X, W, TW;
  GLA_DEVICE strip (double *memory, int rows)
  {
    X = {memory, LDX, (int64_t)rows * LDX};
    W = {memory + (int64_t)PLANES * rows * LDX, LDW, SLICE};
    TW = {W.re + SLICES * PLANES * SLICE, LDW, SLICE};
  }
  GLA_DEVICE mma_matrix<C> slice (int q) const { return {W.re + q * PLANES * SLICE, LDW, SLICE}; }
};

__host__ __device__ constexpr int padded_rows (int n)
{
  return (n + 31) / 32 * 32;
}

template <class T, int NC, int WARPS> size_t strip_bytes (int n)
{
  typedef strip<T, NC, WARPS> S;
  return sizeof (double) * S::PLANES *
         ((size_t)padded_rows (n) * S::LDX + (size_t)(S::SLICES + 1) * S::SLICE);
}

GLA_DEVICE double entry_size (mma_entry<false> x)
{
  return phase_size (x.re);
}
GLA_DEVICE double entry_size (mma_entry<true> x)
{
  return phase_size (cx<double>{x.re, x.im});
}

// What gives the columns of X their phase, in the memory of TW: the factors by planes, and the rows
// of the components that they make real. W is scratch.
template <class T, int NC> struct column_phases {
  double *factor;
  int *row;
  GLA_DEVICE column_phases (double *memory)
      : factor (memory), row (reinterpret_cast<int *> (memory + 2 * NC))
  {
  }
  // Leaves the columns as they are.
  GLA_DEVICE void leave () const
  {
    if (threadIdx.x < NC) {
      factor[threadIdx.x] = 1;
      factor[NC + threadIdx.x] = 0;
      row[threadIdx.x] = -1;
    }
  }
  GLA_DEVICE T turned (mma_entry<is_complex_v<T>> x, int r, int j) const
  {
    typedef real_t<T> R;
    if constexpr (is_complex_v<T>) {
      cx<double> y = cx<double>{factor[j], factor[NC + j]} * cx<double>{x.re, x.im};
      return {(R)y.x, r == row[j] ? R (0) : (R)y.y};
    } else
      return (R)(factor[j] * x.re);
  }
};

template <class T, int NC, int WARPS>
GLA_DEVICE void find_phases (const strip<T, NC, WARPS> &s, int n, column_phases<T, NC> p)
{
  constexpr int STEP = WARPS * 32 / NC; // threads of a column
  int j = threadIdx.x % NC, lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = n - 1;
  double *found = s.W.re, most = 0;
  for (int r = threadIdx.x / NC; r < n; r += STEP)
    most = fmax (most, entry_size (s.X.get (r, j)));
  for (int mask = NC; mask < 32; mask *= 2)
    most = fmax (most, shuffle_xor (most, mask));
  if (lane < NC)
    found[warp * NC + j] = most;
  __syncthreads ();
  for (int k = 0; k < WARPS; k++)
    most = fmax (most, found[k * NC + j]);
  for (int r = threadIdx.x / NC; r < n; r += STEP)
    if (r < first && entry_size (s.X.get (r, j)) >= phase_near<T> * most)
      first = r;
  if (threadIdx.x < NC)
    p.row[j] = n - 1;
  __syncthreads ();
  atomicMin (&p.row[j], first);
  __syncthreads ();
  if (threadIdx.x < NC) {
    mma_entry<is_complex_v<T>> x = s.X.get (p.row[j], j);
    if constexpr (is_complex_v<T>) {
      cx<double> f = phase_factor (cx<double>{x.re, x.im});
      p.factor[j] = f.x;
      p.factor[NC + j] = f.y;
    } else
      p.factor[j] = phase_factor (x.re);
  }
}

#endif
