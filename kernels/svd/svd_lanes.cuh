// svd_lanes.cuh: singular values and vectors of pages of up to 32 rows, each in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sweeps are done with two lanes for a pair of columns (svd_pairs.cuh), and what follows them with
// one lane for each column: order, left vectors that are missing, phase.

#ifndef GPULINALG_SVD_LANES_CUH
#define GPULINALG_SVD_LANES_CUH

#include "svd_pairs.cuh"

template <class T, int P, int ROWS, int S, bool VECTORS> struct svd_page {
  typedef real_t<T> R;
  static constexpr unsigned ALL = 0xffffffffu;

  const svd_args<T> &a;
  svd_parts<T, S> &parts;
  int column, base;
  T w[ROWS], x[VECTORS ? ROWS : 1];
  int exponent; // w is the column of W divided by this power of two, until it is that of U
  R length;
  bool dead; // the column is 0 or not there, and has no left vector yet
  int rank;
  R sigma;

  GLA_DEVICE svd_page (const svd_args<T> &a, svd_parts<T, S> &parts,
                       const svd_pairs<T, P, ROWS, S, VECTORS> &p, bool reversed)
      : a (a), parts (parts)
  {
    const int lane = threadIdx.x % 32;
    column = lane % P;
    base = lane - column;
    p.spread (p.w[0], p.w[1], reversed, w);
    if constexpr (VECTORS)
      p.spread (p.x[0], p.x[1], reversed, x);
    exponent = p.spread (p.exponent, reversed);
    length = sqrt_of (p.spread (p.square, reversed));
  }
  GLA_DEVICE int row (int i) const { return parts.part * ROWS + i; }
  GLA_DEVICE static R length_of (const T (&y)[ROWS])
  {
    R sum = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      sum += abs2 (y[i]);
    return sum;
  }

  // Lengths and order of the columns. w becomes the left vector, unless the column is dead.
  GLA_DEVICE void settle ()
  {
    dead = length == 0;
    const R inverse = 1 / length;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      w[i] = dead ? from_real<T> (0) : scale (inverse, w[i]);
    sigma = times_power (length, exponent);
    if constexpr (VECTORS) {
      // rounding errors of the rotations have stretched both columns by the same factor
      const R stretch = rsqrt_of (parts.sum_real (length_of (x)));
      sigma = column < a.columns ? times_power (length * stretch, exponent) : sigma;
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        x[i] = scale (stretch, x[i]);
    }
    rank = column < a.columns ? 0 : column;
    for (int j = 0; j < a.columns; j++) {
      const R other = from_lane (sigma, base + j);
      if (column < a.columns)
        rank += other > sigma || (other == sigma && j < column);
    }
  }

  // Dead columns become unit vectors that are orthogonal to the others: what is left of the unit
  // vector that the others hold least of.
  GLA_DEVICE void complete ()
  {
    for (int r = 0; r < a.u_columns; r++) {
      const bool mine = dead && rank == r;
      if (!__any_sync (ALL, mine))
        continue;
      T y[ROWS];
      unit_vector (y);
      for (int pass = 0; pass < 2; pass++)
        project (y);
      R length = parts.sum_real (length_of (y));
      length = 1 / sqrt_of (length);
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        w[i] = mine ? scale (length, y[i]) : w[i];
      dead = dead && !mine;
    }
  }
  GLA_DEVICE void unit_vector (T (&y)[ROWS])
  {
    R best = -1;
    int place = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const R left = 1 - lane_sum<P> (dead ? R (0) : abs2 (w[i]));
      if (row (i) < a.rows && left > best) {
        best = left;
        place = row (i);
      }
    }
    T none = w[0];
    parts.largest (best, none, place);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      y[i] = from_real<T> (row (i) == place ? 1 : 0);
  }
  GLA_DEVICE void project (T (&y)[ROWS])
  {
    T dot = from_real<T> (0);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      dot = cmadd (w[i], y[i], dot);
    dot = parts.sum (dot);
    dot = dead ? from_real<T> (0) : dot;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      y[i] = y[i] - lane_sum<P> (dead ? from_real<T> (0) : w[i] * dot);
  }

  // The largest element of the column of V becomes real and positive.
  GLA_DEVICE void fix_phase ()
  {
    R largest = -1;
    T at = from_real<T> (1);
    int place = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const T y = a.flip ? w[i] : x[i];
      if (abs2 (y) > largest) {
        largest = abs2 (y);
        at = y;
        place = row (i);
      }
    }
    parts.largest (largest, at, place);
    if (column >= a.columns || !(largest > 0)) // none, or 0 because U is not wanted
      return;
    const T phase = scale (rsqrt_of (largest), conj (at));
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      w[i] = a.flip && row (i) == place ? from_real<T> (sqrt_of (largest)) : w[i] * phase;
      x[i] = !a.flip && row (i) == place ? from_real<T> (sqrt_of (largest)) : x[i] * phase;
    }
  }

  GLA_DEVICE void store (int64_t page, int info) const
  {
    const bool failed = info != 0;
    const R nothing = R (NAN);
    if (parts.part == 0 && column < a.columns && rank < a.values)
      a.S[page * a.page_s + rank * a.row_s] = failed ? nothing : sigma;
    if (parts.part == 0 && column == 0) {
      a.info[page] = info;
      if (failed)
        *a.any = 1;
    }
    if (!VECTORS)
      return;
    T *U = a.U.data + page * a.U.page + rank * a.U.ld,
      *V = a.V.data + page * a.V.page + rank * a.V.ld;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      if (rank < a.u_columns && row (i) < a.rows)
        U[row (i)] = failed ? from_real<T> (nothing) : w[i];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      if (rank < a.v_columns && row (i) < a.columns)
        V[row (i)] = failed ? from_real<T> (nothing) : x[i];
  }
};

// Warps of a block where each has pages of its own.
enum { SVD_LANES_WARPS = 4 };

template <class T, int P, int ROWS, int S, bool VECTORS>
__global__ void __launch_bounds__ (32 * (S == 1 ? SVD_LANES_WARPS : S))
    svd_lanes_kernel (svd_args<T> a)
{
  constexpr int WARPS = S == 1 ? SVD_LANES_WARPS : 1; // that have different pages
  __shared__ svd_shared<T, S == 1 ? 1 : S> shared;
  const int64_t own = (int64_t)blockIdx.x * WARPS + (S == 1 ? threadIdx.x / 32 : 0);
  int64_t page = own * (32 / P) + threadIdx.x % 32 / P;
  const bool inside = page < a.pages;
  page = inside ? page : a.pages - 1; // beyond the end the last page is done again

  svd_parts<T, S> parts (reinterpret_cast<svd_shared<T, S> *> (&shared));
  svd_pairs<T, P, ROWS, S, VECTORS> pairs (a, parts);
  bool reversed;
  pairs.load (page);
  int info = pairs.iterate (reversed);
  info = pairs.bad ? a.columns + 1 : info > a.columns ? a.columns : info;
  svd_page<T, P, ROWS, S, VECTORS> p (a, parts, pairs, reversed);
  p.settle ();
  if constexpr (VECTORS) {
    p.complete ();
    p.fix_phase ();
  }
  if (inside)
    p.store (page, info);
}

#endif
