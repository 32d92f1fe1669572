// svd_lanes.cuh: singular values and vectors of pages in registers, each in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// svd_pairs.cuh does the sweeps. The columns stay in the same lanes afterwards, for lengths, order,
// missing left vectors and phase. Used by svd_small.cu, by jacobi.cuh of eig and by
// gsvd_small_sweeps.cu.

#ifndef GPULINALG_SVD_LANES_CUH
#define GPULINALG_SVD_LANES_CUH

#include "phase.cuh"
#include "svd_pairs.cuh"

template <class T, int P, int ROWS, int S, bool VECTORS>
struct svd_page : svd_pairs<T, P, ROWS, S, VECTORS> {
  typedef svd_pairs<T, P, ROWS, S, VECTORS> pairs_of;
  typedef real_t<T> R;
  using pairs_of::a, pairs_of::parts, pairs_of::w, pairs_of::x, pairs_of::row, pairs_of::ALL;
  using pairs_of::H, pairs_of::LANES, pairs_of::HALF, pairs_of::base, pairs_of::half;

  bool dead[2]; // the column is 0 or not there, and has no left vector yet
  int rank[2];
  R sigma[2];

  GLA_DEVICE svd_page (const svd_args<T> &a, svd_parts<T, S> &parts) : pairs_of (a, parts) {}
  GLA_DEVICE int column (int c) const { return 2 * this->pair + c; }

  // Sums over all columns, for each row.
  template <class N> GLA_DEVICE static N over_columns (N y)
  {
#pragma unroll
    for (int mask = LANES / 2; mask >= H; mask /= 2)
      y = y + shuffle_xor (y, mask);
    return y;
  }

  // Computes lengths and order of the columns. w becomes the left vector, unless the column is
  // dead.
  GLA_DEVICE void settle ()
  {
#pragma unroll
    for (int c = 0; c < 2; c++) {
      R length = sqrt_of (this->square[c]);
      dead[c] = length == 0;
      const R inverse = 1 / length;
#pragma unroll
      for (int i = 0; i < HALF; i++)
        w[c][i] = dead[c] ? from_real<T> (0) : scale (inverse, w[c][i]);
      if constexpr (VECTORS) {
        // rounding errors of the rotations have stretched columns of W and X by the same factor
        const R all = this->length_of (x[c]), stretch = all > 0 ? rsqrt_of (all) : R (1);
        length *= stretch;
#pragma unroll
        for (int i = 0; i < HALF; i++)
          x[c][i] = scale (stretch, x[c][i]);
      }
      sigma[c] = times_power (length, this->exponent[c]);
      rank[c] = column (c) < a.columns ? 0 : column (c);
    }
    for (int j = 0; j < a.columns; j++) {
      const R other = from_lane (j % 2 ? sigma[1] : sigma[0], base + j / 2 * H);
#pragma unroll
      for (int c = 0; c < 2; c++)
        if (column (c) < a.columns)
          rank[c] += other > sigma[c] || (other == sigma[c] && j < column (c));
    }
  }

  // Replaces dead columns by unit vectors orthogonal to the others: the unit vector with the
  // smallest part in the span of the others is orthogonalized against them.
  GLA_DEVICE void complete ()
  {
    for (int r = 0; r < a.u_columns; r++) {
      const bool first = dead[0] && rank[0] == r, second = dead[1] && rank[1] == r;
      if (!__any_sync (ALL, first || second))
        continue;
      T y[HALF];
      unit_vector (y);
      for (int pass = 0; pass < 2; pass++)
        project (y);
      const R inverse = 1 / sqrt_of (this->length_of (y));
#pragma unroll
      for (int i = 0; i < HALF; i++) {
        w[0][i] = first ? scale (inverse, y[i]) : w[0][i];
        w[1][i] = second ? scale (inverse, y[i]) : w[1][i];
      }
      dead[0] = dead[0] && !first;
      dead[1] = dead[1] && !second;
    }
  }
  GLA_DEVICE void unit_vector (T (&y)[HALF])
  {
    R best = -1;
    int place = 0;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
      const R left = 1 - over_columns (abs2 (w[0][i]) + abs2 (w[1][i])); // dead columns are 0
      if (row (i) < a.rows && left > best) {
        best = left;
        place = row (i);
      }
    }
    T none = w[0][0];
    this->largest (best, none, place);
#pragma unroll
    for (int i = 0; i < HALF; i++)
      y[i] = from_real<T> (row (i) == place ? 1 : 0);
  }
  GLA_DEVICE void project (T (&y)[HALF])
  {
    T dot[2];
#pragma unroll
    for (int c = 0; c < 2; c++) {
      dot[c] = from_real<T> (0);
#pragma unroll
      for (int i = 0; i < HALF; i++)
        dot[c] = cmadd (w[c][i], y[i], dot[c]);
      dot[c] = this->sum (dot[c]);
    }
#pragma unroll
    for (int i = 0; i < HALF; i++)
      y[i] = y[i] - over_columns (w[0][i] * dot[0] + w[1][i] * dot[1]);
  }

  // Makes the largest element of the column of V real and positive, as common/phase.h says; without
  // V, that of the column of U.
  GLA_DEVICE bool is_left () const
  {
    return !VECTORS || a.flip;
  }
  GLA_DEVICE T judged (int c, int i) const
  {
    if constexpr (VECTORS)
      return a.flip ? w[c][i] : x[c][i];
    else
      return w[c][i];
  }
  GLA_DEVICE void fix_phase (int c)
  {
    R most = 0, first = -R (INT_MAX);
    T at = from_real<T> (0);
    int place = 0;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
      const R size = phase_size (judged (c, i));
      most = size > most ? size : most;
    }
    this->largest (most, at, place);
#pragma unroll
    for (int i = HALF - 1; i >= 0; i--) {
      const T y = judged (c, i);
      if (phase_size (y) >= R (phase_near<T>) * most) {
        first = -R (row (i));
        at = y;
        place = row (i);
      }
    }
    this->largest (first, at, place);
    if (column (c) >= a.columns)
      return;
    const T phase = phase_factor (at);
#pragma unroll
    for (int i = 0; i < HALF; i++) {
      w[c][i] = phase_turned (phase, w[c][i], is_left () && row (i) == place);
      if constexpr (VECTORS)
        x[c][i] = phase_turned (phase, x[c][i], !a.flip && row (i) == place);
    }
  }

  GLA_DEVICE void store (int64_t page, int info, int c) const
  {
    const bool failed = info != 0, once = parts.part == 0 && half == 0;
    const R nothing = R (NAN);
    if (once && column (c) < a.columns && rank[c] < a.values)
      a.S[page * a.page_s + rank[c] * a.row_s] = failed ? nothing : sigma[c];
    if (once && column (c) == 0) {
      a.info[page] = info;
      if (failed)
        *a.any = 1;
    }
    if (!VECTORS)
      return;
    T *U = a.U.data + page * a.U.page + rank[c] * a.U.ld;
    T *V = a.V.data + page * a.V.page + rank[c] * a.V.ld;
#pragma unroll
    for (int i = 0; i < HALF; i++)
      if (rank[c] < a.u_columns && row (i) < a.rows)
        U[row (i)] = failed ? from_real<T> (nothing) : w[c][i];
#pragma unroll
    for (int i = 0; i < HALF; i++)
      if (rank[c] < a.v_columns && row (i) < a.columns)
        V[row (i)] = failed ? from_real<T> (nothing) : x[c][i];
  }
};

// Warps of a block if each has pages of its own.
enum { SVD_LANES_WARPS = 4 };

// Blocks of a multiprocessor that __launch_bounds__ demands; 0: no demand. If the columns of a lane
// take at most 64 or 96 registers, all registers fit into 128 or 168, which the compiler would
// exceed.
template <class PAGE, int WARPS>
constexpr int svd_lanes_blocks = PAGE::COLUMN_BYTES <= 64 * 4   ? 16 / WARPS
                                 : PAGE::COLUMN_BYTES <= 96 * 4 ? 12 / WARPS
                                                                : 0;

// The page of a thread. Threads beyond the last page compute that page again and store nothing.
struct svd_lanes_place {
  int64_t page;
  bool inside;
};

// S warps share a page, or each LANES threads of a warp have one.
template <int LANES, int S> __device__ svd_lanes_place svd_place_lanes (int64_t pages)
{
  constexpr int WARPS = S == 1 ? SVD_LANES_WARPS : 1; // that have different pages
  const int64_t own = (int64_t)blockIdx.x * WARPS + (S == 1 ? threadIdx.x / 32 : 0);
  const int64_t page = own * (32 / LANES) + threadIdx.x % 32 / LANES;
  return {page < pages ? page : pages - 1, page < pages};
}

// A page has S warps of one block, or LANES lanes of a warp. A lane has columns, or half columns,
// as svd_pairs.cuh says.
template <class T, int P, int ROWS, int S, bool VECTORS>
__global__ void __launch_bounds__ (
    32 * (S == 1 ? SVD_LANES_WARPS : S),
    svd_lanes_blocks<svd_page<T, P, ROWS, S, VECTORS>, S == 1 ? SVD_LANES_WARPS : S>)
    svd_lanes_kernel (svd_args<T> a)
{
  typedef svd_page<T, P, ROWS, S, VECTORS> page_type;
  __shared__ svd_shared<T, S> shared;
  const svd_lanes_place at = svd_place_lanes<page_type::LANES, S> (a.pages);
  const bool inside = at.inside && (a.only == nullptr || a.only[at.page] != 0);
  if (!__any_sync (page_type::ALL, inside)) // the same for all warps that share a page
    return;
  svd_parts<T, S> parts (&shared);
  page_type p (a, parts);
  p.load (at.page);
  int info = p.iterate ();
  info = p.bad ? a.columns + 1 : info > a.columns ? a.columns : info;
  p.settle ();
  if constexpr (VECTORS) {
    p.complete ();
    p.fix_phase (0);
    p.fix_phase (1);
  }
  if (inside) {
    p.store (at.page, info, 0);
    p.store (at.page, info, 1);
  }
}

#endif
