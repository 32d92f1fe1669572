// stedc_join.cuh: the product of a merge of two leaves, by the block that merges them
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STEDC_JOIN_CUH
#define GPULINALG_STEDC_JOIN_CUH

#include "stedc_node.cuh"

// Rows of a leaf are taken so many at a time: what is beyond its end costs nothing.
enum { JOIN_ROWS = 8 };

// Between the columns of a half in shared memory; whole 16-byte words, in different banks where
// neighbouring lanes have neighbouring columns.
template <class R> constexpr int join_ld = STEDC_LEAF + 16 / sizeof (R);

template <class R> __host__ __device__ constexpr size_t join_bytes (int m)
{
  return (size_t)m * join_ld<R> * sizeof (R);
}

// One half of a node: its rows of Z and of the merged Z, in the columns of the node, and the poles
// with entries in it.
template <class R> struct join_half {
  const R *Z;
  R *merged;
  int64_t ldz, ld_merged;
  int rows, bit, count;
  const int *list;
};

// Column j of U times the columns of the half, which are in `columns`.
template <class R>
GLA_DEVICE void join_column (const stedc_workspace<R> &w, const join_half<R> &h, const R *columns,
                             int j, R norm, R (&sum)[STEDC_LEAF])
{
  R origin = w.origin[j], tau = w.tau[j];
  for (int p = 0; p < h.count; p++) {
    int pole = h.list[p];
    R u = w.z[pole] * quick_reciprocal ((w.pole[pole] - origin) - tau) * norm;
    const R *column = columns + p * join_ld<R>;
#pragma unroll
    for (int r0 = 0; r0 < STEDC_LEAF; r0 += JOIN_ROWS)
      if (r0 < h.rows)
#pragma unroll
        for (int r = r0; r < r0 + JOIN_ROWS; r++)
          sum[r] = madd (column[r], u, sum[r]);
  }
}

// Thread j finds column j of this half of the m columns, of which k did not deflate. The columns of
// Z that it takes are brought to shared memory, and the product goes back through it.
template <class R>
GLA_DEVICE void join_rows (const stedc_workspace<R> &w, const join_half<R> &h, R *columns, int k,
                           int m, R norm)
{
  int j = threadIdx.x, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  bool inside = lane < h.rows;
#pragma unroll 4
  for (int p = threadIdx.x / 32; p < h.count; p += warps) {
    int source = w.column[w.order[h.list[p]]];
    columns[p * join_ld<R> + lane] = inside ? h.Z[source * h.ldz + lane] : R (0);
  }
  __syncthreads ();
  R sum[STEDC_LEAF] = {};
  if (j < k)
    join_column (w, h, columns, j, norm, sum);
  __syncthreads ();
  if (j < k)
#pragma unroll
    for (int r0 = 0; r0 < STEDC_LEAF; r0 += JOIN_ROWS)
      if (r0 < h.rows)
#pragma unroll
        for (int r = r0; r < r0 + JOIN_ROWS; r++)
          columns[j * join_ld<R> + r] = sum[r];
  __syncthreads ();
#pragma unroll 4
  for (int c = threadIdx.x / 32; c < m; c += warps) {
    R value = columns[c * join_ld<R> + lane];
    if (c >= k) { // deflated
      int place = w.order[m - 1 - (c - k)];
      bool present = inside && w.halves[place] & h.bit;
      value = present ? h.Z[w.column[place] * h.ldz + lane] : R (0);
    }
    if (inside)
      h.merged[c * h.ld_merged + lane] = value;
  }
  __syncthreads ();
}

#endif
