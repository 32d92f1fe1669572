// larft.cuh: the triangular factor of a block of reflectors (LAPACK's ?larft), in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// I - Y T Y' (Schreiber, Van Loan 1989), from G = Y'Y and tau: blocks of eight column by column,
// then neighbours are joined. In double for all types.

#ifndef GPULINALG_LARFT_CUH
#define GPULINALG_LARFT_CUH

#include "mma.cuh"

// T of the eight reflectors from b on, by one warp: T(0:j-1, j) = -tau(j) T(0:j-1, 0:j-1) G(0:j-1,
// j).
template <class T>
GLA_DEVICE void small_factor (const mma_matrix<is_complex_v<T>> &G,
                              const mma_matrix<is_complex_v<T>> &F, int b, const T *tau, int count)
{
  constexpr bool C = is_complex_v<T>;
  int lane = threadIdx.x % 32;
  for (int j = 0; j < 8; j++) {
    mma_entry<C> t = {}, dot = {};
    if (b + j < count)
      t = mma_entry_of (tau[b + j]);
    for (int l = lane; l < j; l++)
      multiply_add (dot, F.get (b + lane, b + l), G.get (b + l, b + j));
    mma_entry<C> value = {};
    multiply_add (value, t, dot);
    if (lane <= j)
      F.put (b + lane, b + j, lane == j ? t : minus (value));
    __syncwarp ();
  }
}

// Joins neighbouring factors of h out of `count` reflectors, all pairs at once:
// [T1 -T1 G12 T2; 0 T2], where the product takes the place of G12. A thread computes EACH entries,
// which must be enough for count*h/2.
template <bool C, int EACH, int h>
GLA_DEVICE void join_factors (const mma_matrix<C> &G, const mma_matrix<C> &F, int count)
{
  for (int pass = 0; pass < 2; pass++) {
    mma_entry<C> value[EACH] = {};
    int i[EACH], j[EACH];
#pragma unroll
    for (int x = 0; x < EACH; x++) {
      int q = threadIdx.x + x * blockDim.x, b = q / (h * h) * 2 * h;
      bool mine = q < count * h / 2;
      i[x] = mine ? b + q / h % h : count;
      j[x] = b + h + q % h;
      int row = mine ? i[x] : 0, column = mine ? j[x] : 0, start = mine ? b : 0;
#pragma unroll
      for (int l = 0; l < h; l++)
        if (pass == 0)
          multiply_add (value[x], G.get (row, start + h + l), F.get (start + h + l, column));
        else
          multiply_add (value[x], F.get (row, start + l), G.get (start + l, column));
    }
    __syncthreads ();
#pragma unroll
    for (int x = 0; x < EACH; x++)
      if (i[x] < count && pass == 0)
        G.put (i[x], j[x], value[x]);
      else if (i[x] < count)
        F.put (i[x], j[x], minus (value[x]));
    __syncthreads ();
  }
}

// The factor of a panel of `count` = 32 reflectors, from its diagonal on, by at least 128 threads.
template <bool C>
GLA_DEVICE void join_panel (const mma_matrix<C> &G, const mma_matrix<C> &F, int count)
{
  join_factors<C, 1, 1> (G, F, count);
  join_factors<C, 1, 2> (G, F, count);
  join_factors<C, 1, 4> (G, F, count);
  join_factors<C, 1, 8> (G, F, count);
  join_factors<C, 2, 16> (G, F, count);
}

#endif
