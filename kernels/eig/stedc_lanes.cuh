// stedc_lanes.cuh: merges of divide and conquer by the lanes of a warp, up to 32 rows
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STEDC_LANES_CUH
#define GPULINALG_STEDC_LANES_CUH

#include "stedc_node.cuh"

enum { STEDC_LANES = 32, STEDC_ABSENT = 4 };

// How a warp works on matrices of up to P rows, with P lanes to each. With EDGES Z has two rows;
// where only the values are wanted of the whole, the last merge finds nothing else. LD is what lies
// between the columns of Z.
template <int P_, bool EDGES_, bool VALUES_ONLY_ = false> struct lanes_shape {
  static constexpr int P = P_, LD = EDGES_ ? 3 : P + 2;
  static constexpr bool EDGES = EDGES_, VALUES_ONLY = VALUES_ONLY_;
};

// Shared memory of a warp that works on 32/P matrices at once: the eigenvectors, column c of the
// warp at c * LD, and the arrays of a merge.
template <class R, class S> __host__ __device__ constexpr size_t lanes_bytes ()
{
  return STEDC_LANES * S::LD * sizeof (R) +
         (stedc_workspace_bytes<R> (STEDC_LANES, true) + 15) / 16 * 16;
}

// The arrays of the node that starts at row b.
template <class R> GLA_DEVICE stedc_workspace<R> part_of (stedc_workspace<R> w, int b)
{
  w.d += b;
  w.z += b;
  w.pole += b;
  w.pole_z += b;
  w.origin += b;
  w.tau += b;
  w.column += b;
  w.order += b;
  w.upper += b;
  w.lower += b;
  w.pair += b;
  w.partner += b;
  w.halves += b;
  return w;
}

// deflate, not inlined to spare the instruction cache: pages seldom need it.
template <class R>
__device__ __noinline__ stedc_scan deflate_apart (stedc_workspace<R> w, int m, R rho, R tol)
{
  return deflate (w, m, rho, tol);
}

// The same for nodes of M rows, a lane for each place in the order of d. If no rotation joins poles
// that are near, all lanes decide at once; else the first lane scans. Only the first lane gets the
// result.
template <class R, int M>
GLA_DEVICE stedc_scan deflate_lanes (const stedc_workspace<R> &w, R rho, R tol)
{
  int lane = threadIdx.x % STEDC_LANES, b = lane & ~(M - 1), i = lane - b;
  unsigned node = (0xffffffffu >> (STEDC_LANES - M)) << b;
  R cs = w.z[i];
  bool stays = !(rho * absmax (cs) <= tol), close = false;
  unsigned kept = __ballot_sync (0xffffffffu, stays) & node, before = kept & ((1u << lane) - 1);
  if (stays && before != 0) {
    int previous = STEDC_LANES - 1 - __clz (before) - b;
    R sn = w.z[previous], gap = w.d[i] - w.d[previous];
    close = absmax (gap * cs * sn) <= tol * madd (sn, sn, cs * cs);
  }
  close = (__ballot_sync (0xffffffffu, close) & node) != 0;
  int place = __popc (before);
  stedc_scan found = {__popc (kept), 0, 0, M - __popc (kept), 0};
  if (!close)
    w.order[stays ? place : M - 1 - (i - place)] = i;
  else if (i == 0)
    found = deflate_apart (w, M, rho, tol);
  return found;
}

// Z times the eigenvectors of the node: this lane's column, of root i < k, or of column `source` of
// Z, which deflated.
template <class R, class S, int M>
GLA_DEVICE void multiply_lanes (const stedc_workspace<R> &w, R *Z, const secular_result<R> &root,
                                int k, int source)
{
  constexpr int P = S::P, ROWS = S::EDGES ? 2 : M, ld = S::LD;
  int lane = threadIdx.x % STEDC_LANES, b = lane & ~(M - 1), i = lane - b,
      row = S::EDGES ? 0 : b & (P - 1);
  R sum[ROWS] = {}, norm = 0;
  if (i < k) {
    for (int j = 0; j < k; j++) {
      R u = w.z[j] * quick_reciprocal ((w.pole[j] - root.origin) - root.tau);
      const R *column = Z + w.order[j] * ld + row;
      norm = madd (u, u, norm);
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        sum[r] = madd (column[r], u, sum[r]);
    }
    norm = 1 / sqrt_of (norm);
  } else {
    const R *column = Z + source * ld + row;
    norm = 1;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      sum[r] = column[r];
  }
  __syncwarp ();
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    Z[lane * ld + row + r] = sum[r] * norm;
  __syncwarp ();
}

// Merges nodes of M/2 rows into nodes of M <= P rows, 32/M of them at once. Lane i of a node first
// owns column i of Z and its eigenvalue d, then root i, then column i of the product; for the
// rotations it owns row i. Zeros of the block diagonal Z are stored, so halves need no care.
// `absent` marks a column that only fills up the P rows; it never couples to others and so always
// deflates. With EDGES, Z's two rows are the first and the last one of each node's; `size` is the
// number of rows that do not only fill up. False when the search for the lane's root does not
// settle.
template <class R, class S, int M>
GLA_DEVICE bool merge_lanes (const stedc_workspace<R> &all, R *Z, R tear, R tol, R &d, bool &absent,
                             int size)
{
  constexpr bool EDGES = S::EDGES;
  constexpr int P = S::P, ROWS = EDGES ? 2 : M, ld = S::LD;
  int lane = threadIdx.x % STEDC_LANES, b = lane & ~(M - 1), i = lane - b,
      row = EDGES ? 0 : b & (P - 1);
  stedc_workspace<R> w = part_of (all, b);
  R sign = tear < 0 ? R (-1) : R (1), rho = 2 * absmax (tear);
  bool above = i < M / 2;
  R entry = Z[lane * ld + (EDGES ? above : row + (above ? M / 2 - 1 : M / 2))];
  if (EDGES) { // the first row is the upper half's, the last one the lower half's, if it has any
    if (!above)
      Z[lane * ld] = 0;
    else if ((b & (P - 1)) + M / 2 < size)
      Z[lane * ld + 1] = 0;
  }
  R z = R (0.70710678118654752440) * (above ? entry : sign * entry);
  w.pole[i] = d;
  w.pole_z[i] = z;
  R largest = absent ? R (0) : absmax (d) > absmax (z) ? absmax (d) : absmax (z);
#pragma unroll
  for (int mask = M / 2; mask > 0; mask /= 2) {
    R other = shuffle_xor (largest, mask);
    largest = largest > other ? largest : other;
  }
  __syncwarp ();
  int rank = 0;
#pragma unroll
  for (int j = 0; j < M; j++)
    rank += w.pole[j] < d || (w.pole[j] == d && j < i);
  w.d[rank] = d;
  w.z[rank] = z;
  w.column[rank] = lane;
  w.halves[rank] = (above ? STEDC_UPPER : STEDC_LOWER) | (absent ? STEDC_ABSENT : 0);
  __syncwarp ();
  stedc_scan found = deflate_lanes<R, M> (w, rho, 4 * tol * largest);
  __syncwarp ();
  int k = __shfl_sync (0xffffffffu, found.roots, b);
  int rotations = __shfl_sync (0xffffffffu, found.rotations, b);
  if (i < ROWS)
    rotate_row (w, rotations, Z + (EDGES ? i : lane & (P - 1)), ld, STEDC_UPPER | STEDC_LOWER);

  // those that stay come first
  int place = w.order[i < k ? i : M - 1 - (i - k)], source = w.column[place];
  z = w.z[place];
  d = w.d[place];
  absent = i >= k && w.halves[place] & STEDC_ABSENT;
  __syncwarp ();
  w.order[i] = source;
  w.pole[i] = d;
  w.pole_z[i] = z;
  R square = i < k ? z * z : R (0);
#pragma unroll
  for (int mask = M / 2; mask > 0; mask /= 2)
    square += shuffle_xor (square, mask);
  __syncwarp ();
  secular_result<R> root = {0, 1, 1};
  if (i < k) {
    secular<R> f = secular_of (k, w.pole, w.pole_z, rho, square);
    root = secular_root (f, i);
    d = root.origin + root.tau;
  }
  if (M == P && S::VALUES_ONLY)
    return root.settled;
  __syncwarp ();
  w.origin[i] = root.origin;
  w.tau[i] = root.tau;
  __syncwarp ();
  if (i < k)
    w.z[i] = loewner (w, k, i);
  __syncwarp ();
  multiply_lanes<R, S, M> (w, Z, root, k, source);
  return root.settled;
}

// Divide and conquer from nodes of M rows until one has all `size` rows, with e(i) between rows i
// and i+1; true when all searches settled.
template <class R, class S, int M>
GLA_DEVICE bool conquer (const stedc_workspace<R> &w, R *Z, R e, R tol, R &d, bool &absent,
                         int size)
{
  int lane = threadIdx.x % STEDC_LANES;
  R tear = __shfl_sync (0xffffffffu, e, (lane & ~(M - 1)) + M / 2 - 1);
  bool settled = merge_lanes<R, S, M> (w, Z, tear, tol, d, absent, size);
  if constexpr (M < S::P)
    if (size > M)
      settled &= conquer<R, S, 2 * M> (w, Z, e, tol, d, absent, size);
  return settled;
}

// The nodes of two rows, each by a rotation: Z and d for what conquer starts from at M = 4.
template <class R, class S> GLA_DEVICE void solve_pairs (R *Z, R e, R &d, int size)
{
  int lane = threadIdx.x % STEDC_LANES, row = lane & (S::P - 2);
  bool odd = lane % 2;
  R tear = __shfl_sync (0xffffffffu, e, lane & ~1), other = shuffle_xor (d, 1);
  R a = (odd ? other : d) + absmax (tear), c = (odd ? d : other) + absmax (tear), t = 0;
  if (tear != 0) {
    R slope = (c - a) / (2 * tear);
    t = copy_sign (1 / (absmax (slope) + sqrt_of (1 + slope * slope)), slope);
  }
  R cosine = rsqrt_of (1 + t * t), sine = t * cosine;
  R first = odd ? sine : cosine, second = odd ? cosine : -sine;
  d = odd ? c + t * tear : a - t * tear;
  R *column = Z + lane * S::LD;
  if (S::EDGES) { // the last row is the first one where there is no other
    column[0] = first;
    column[1] = row + 1 < size ? second : R (1);
  } else {
#pragma unroll
    for (int r = 0; r < S::P; r++)
      column[r] = r == row ? first : r == row + 1 ? second : R (0);
  }
  __syncwarp ();
}

// Eigenvalues and Z of torn tridiagonal matrices of up to S::P rows, `size` of them in the
// longest; true when all searches settled.
template <class R, class S>
GLA_DEVICE bool solve_lanes (const stedc_workspace<R> &w, R *Z, R e, R tol, R &d, bool &absent,
                             int size)
{
  solve_pairs<R, S> (Z, e, d, size);
  if constexpr (S::P > 2)
    return conquer<R, S, 4> (w, Z, e, tol, d, absent, size);
  else
    return true;
}

#endif
