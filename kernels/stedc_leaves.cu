// stedc_leaves.cu: the lowest levels of divide and conquer, up to 32 rows, by the lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later

#include "stedc_node.cuh"

namespace
{

enum { LANES = 32, LD = LANES + 2, WARPS = 4, ABSENT = 4 };

// Shared memory of a warp: the eigenvectors, column c at c*LD, and the arrays of a merge.
template <class R> __host__ __device__ constexpr size_t warp_bytes ()
{
  return LANES * LD * sizeof (R) + (stedc_workspace_bytes<R> (LANES, true) + 15) / 16 * 16;
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

// Merges nodes of M/2 rows into nodes of M rows, 32/M of them at once. Lane i of a node first owns
// column i of Z and its eigenvalue d, then root i, then column i of the product; for the rotations
// it owns row i. Zeros of the block diagonal Z are stored, so halves need no care. `absent` marks a
// column that only fills up the 32 rows; it never couples to others and so always deflates. False
// when the search for the lane's root does not settle.
template <class R, int M>
GLA_DEVICE bool merge_lanes (const stedc_workspace<R> &all, R *Z, R tear, R &d, bool &absent)
{
  int lane = threadIdx.x % LANES, b = lane & ~(M - 1), i = lane - b;
  stedc_workspace<R> w = part_of (all, b);
  R sign = tear < 0 ? R (-1) : R (1), rho = 2 * absmax (tear);
  R entry = Z[lane * LD + b + (i < M / 2 ? M / 2 - 1 : M / 2)];
  R z = R (0.70710678118654752440) * (i < M / 2 ? entry : sign * entry);
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
  w.halves[rank] = (i < M / 2 ? UPPER : LOWER) | (absent ? ABSENT : 0);
  __syncwarp ();
  stedc_scan found = {0, 0, 0, 0, 0};
  if (i == 0)
    found = deflate (w, M, rho, 4 * limits<R>::eps * largest);
  __syncwarp ();
  int k = __shfl_sync (0xffffffffu, found.roots, b);
  int rotations = __shfl_sync (0xffffffffu, found.rotations, b);
  rotate_row (w, rotations, Z + lane, LD, UPPER | LOWER);

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
  R origin = 0, tau = 1;
  bool found_root = true;
  if (i < k) {
    secular<R> f = {k, w.pole, w.pole_z, 1 / rho, rho * square};
    found_root = secular_root (f, i, &origin, &tau);
    d = origin + tau;
  }
  __syncwarp ();
  w.origin[i] = origin;
  w.tau[i] = tau;
  __syncwarp ();
  if (i < k)
    w.z[i] = loewner (w, k, i);
  __syncwarp ();

  R sum[M] = {}, norm = 0;
  if (i < k) {
    for (int j = 0; j < k; j++) {
      R u = w.z[j] * reciprocal ((w.pole[j] - origin) - tau);
      const R *column = Z + w.order[j] * LD + b;
      norm = madd (u, u, norm);
#pragma unroll
      for (int r = 0; r < M; r++)
        sum[r] = madd (column[r], u, sum[r]);
    }
    norm = 1 / sqrt_of (norm);
  } else {
    const R *column = Z + source * LD + b;
    norm = 1;
#pragma unroll
    for (int r = 0; r < M; r++)
      sum[r] = column[r];
  }
  __syncwarp ();
#pragma unroll
  for (int r = 0; r < M; r++)
    Z[lane * LD + b + r] = sum[r] * norm;
  __syncwarp ();
  return found_root;
}

// The tear between the halves of this lane's node of M rows.
template <class R, int M> GLA_DEVICE R tear_of (R e)
{
  int lane = threadIdx.x % LANES;
  return __shfl_sync (0xffffffffu, e, (lane & ~(M - 1)) + M / 2 - 1);
}

// A warp owns a leaf of up to 32 rows, filled up with rows that are coupled to nothing; it starts
// from 1*1 matrices and merges five times.
template <class R> __global__ void __launch_bounds__ (WARPS *LANES) leaves_kernel (stedc_level<R> s)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = s.tree.n;
  int64_t item = (int64_t)blockIdx.x * WARPS + warp;
  if (item >= s.pages * s.tree.leaves)
    return;
  int64_t page = item / s.tree.leaves;
  int leaf = (int)(item % s.tree.leaves);
  if (s.info[page] != 0)
    return;
  int first = s.tree.first_row (leaf), size = s.tree.first_row (leaf + 1) - first;
  unsigned char *mine = memory + warp * warp_bytes<R> ();
  R *Z = reinterpret_cast<R *> (mine);
  stedc_workspace<R> w (mine + LANES * LD * sizeof (R), LANES, true);

  // every e within the page tears, also those at the two ends of the leaf
  const R *d_in = s.d + page * n + first, *e_in = s.e + page * n + first;
  bool absent = lane >= size;
  R e = !absent && first + lane < n - 1 ? e_in[lane] : R (0);
  R before = !absent && first + lane > 0 ? e_in[lane - 1] : R (0);
  R d = absent ? R (0) : d_in[lane] - absmax (e) - absmax (before);
  if (lane == size - 1)
    e = 0;
  for (int c = 0; c < LANES; c++)
    Z[c * LD + lane] = c == lane ? R (1) : R (0);
  __syncwarp ();
  bool settled = merge_lanes<R, 2> (w, Z, tear_of<R, 2> (e), d, absent);
  settled &= merge_lanes<R, 4> (w, Z, tear_of<R, 4> (e), d, absent);
  settled &= merge_lanes<R, 8> (w, Z, tear_of<R, 8> (e), d, absent);
  settled &= merge_lanes<R, 16> (w, Z, tear_of<R, 16> (e), d, absent);
  settled &= merge_lanes<R, 32> (w, Z, tear_of<R, 32> (e), d, absent);
  if (!settled)
    atomicMax (s.info + page, first + lane + 1);

  unsigned present = __ballot_sync (0xffffffffu, !absent);
  int column = __popc (present & ((1u << lane) - 1));
  if (!absent)
    s.d[page * n + first + column] = d;
  if (!s.vectors) {
    R *edge = s.edge + page * 2 * n + first;
    if (!absent) {
      edge[column] = Z[lane * LD];
      edge[n + column] = Z[lane * LD + size - 1];
    }
    return;
  }
  R *out = s.Z + page * s.page_z + first * s.ldz + first;
  for (int c = 0; c < LANES; c++) {
    int to = __shfl_sync (0xffffffffu, column, c);
    if (present >> c & 1 && lane < size)
      out[to * s.ldz + lane] = Z[c * LD + lane];
  }
}

} // namespace

template <class R> cudaError_t stedc_leaves (const stedc_level<R> &s, cudaStream_t stream)
{
  size_t bytes = WARPS * warp_bytes<R> ();
  cudaError_t status = allow_shared (leaves_kernel<R>, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = (s.pages * s.tree.leaves + WARPS - 1) / WARPS;
  leaves_kernel<R><<<(unsigned)blocks, WARPS * LANES, bytes, stream>>> (s);
  return cudaGetLastError ();
}

template cudaError_t stedc_leaves (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_leaves (const stedc_level<double> &, cudaStream_t);
