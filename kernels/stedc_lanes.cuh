// stedc_lanes.cuh: merges of divide and conquer by the lanes of a warp, up to 32 rows
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STEDC_LANES_CUH
#define GPULINALG_STEDC_LANES_CUH

#include "stedc_node.cuh"

enum { LANES = 32, ABSENT = 4 };

// Between the columns of Z where a matrix has up to P rows; with EDGES Z has two.
template <int P, bool EDGES> constexpr int lanes_ld = EDGES ? 3 : P + 2;

// Shared memory of a warp that works on matrices of up to P rows, 32/P of them at once: the
// eigenvectors, column c of the warp at c * lanes_ld<P, EDGES>, and the arrays of a merge.
template <class R, int P, bool EDGES> __host__ __device__ constexpr size_t lanes_bytes ()
{
  return LANES * lanes_ld<P, EDGES> * sizeof (R) +
         (stedc_workspace_bytes<R> (LANES, true) + 15) / 16 * 16;
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

// Merges nodes of M/2 rows into nodes of M <= P rows, 32/M of them at once. Lane i of a node first
// owns column i of Z and its eigenvalue d, then root i, then column i of the product; for the
// rotations it owns row i. Zeros of the block diagonal Z are stored, so halves need no care.
// `absent` marks a column that only fills up the 32 rows; it never couples to others and so always
// deflates. With EDGES, Z has two rows, which are the first and the last one of each node's; `size`
// is the number of rows that do not only fill up. False when the search for the lane's root does
// not settle.
template <class R, int P, int M, bool EDGES>
GLA_DEVICE bool merge_lanes (const stedc_workspace<R> &all, R *Z, R tear, R tol, R &d, bool &absent,
                             int size)
{
  constexpr int ROWS = EDGES ? 2 : M;
  constexpr int ld = lanes_ld<P, EDGES>;
  int lane = threadIdx.x % LANES, b = lane & ~(M - 1), i = lane - b, row = EDGES ? 0 : b & (P - 1);
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
  w.halves[rank] = (above ? UPPER : LOWER) | (absent ? ABSENT : 0);
  __syncwarp ();
  stedc_scan found = {0, 0, 0, 0, 0};
  if (i == 0)
    found = deflate (w, M, rho, 4 * tol * largest);
  __syncwarp ();
  int k = __shfl_sync (0xffffffffu, found.roots, b);
  int rotations = __shfl_sync (0xffffffffu, found.rotations, b);
  if (i < ROWS)
    rotate_row (w, rotations, Z + (EDGES ? i : lane & (P - 1)), ld, UPPER | LOWER);

  // those that stay come first
  int place = w.order[i < k ? i : M - 1 - (i - k)], source = w.column[place];
  z = w.z[place];
  d = w.d[place];
  absent = i >= k && w.halves[place] & ABSENT;
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
  __syncwarp ();
  w.origin[i] = root.origin;
  w.tau[i] = root.tau;
  __syncwarp ();
  if (i < k)
    w.z[i] = loewner (w, k, i);
  __syncwarp ();

  R sum[ROWS] = {}, norm = 0;
  if (i < k) {
    for (int j = 0; j < k; j++) {
      R u = w.z[j] * reciprocal ((w.pole[j] - root.origin) - root.tau);
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
  return root.settled;
}

// Divide and conquer from nodes of M rows up to P, with e(i) between rows i and i+1; true when all
// searches settled. Start with M = 2 and Z = I, or, with EDGES, all ones.
template <class R, int P, int M, bool EDGES>
GLA_DEVICE bool conquer (const stedc_workspace<R> &w, R *Z, R e, R tol, R &d, bool &absent,
                         int size)
{
  int lane = threadIdx.x % LANES;
  R tear = __shfl_sync (0xffffffffu, e, (lane & ~(M - 1)) + M / 2 - 1);
  bool settled = merge_lanes<R, P, M, EDGES> (w, Z, tear, tol, d, absent, size);
  if constexpr (M < P)
    settled &= conquer<R, P, 2 * M, EDGES> (w, Z, e, tol, d, absent, size);
  return settled;
}

// What conquer starts from, for the lane's row or column.
template <class R, int P, bool EDGES> GLA_DEVICE void start_conquer (R *Z)
{
  int lane = threadIdx.x % LANES;
  if (EDGES)
    Z[lane * lanes_ld<P, EDGES>] = Z[lane * lanes_ld<P, EDGES> + 1] = 1;
  else
    for (int c = lane & ~(P - 1), last = c + P; c < last; c++)
      Z[c * lanes_ld<P, EDGES> + (lane & (P - 1))] = c == lane ? R (1) : R (0);
  __syncwarp ();
}

#endif
