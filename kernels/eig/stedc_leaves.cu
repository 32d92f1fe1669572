// stedc_leaves.cu: the lowest levels of divide and conquer, up to 32 rows, by the lanes of a warp
// SPDX-License-Identifier: GPL-3.0-or-later

#include "stedc_lanes.cuh"

namespace
{

enum { WARPS = 4 };

template <bool EDGES> using leaf_shape = lanes_shape<STEDC_LANES, EDGES>;

// A warp owns a leaf of up to 32 rows, filled up with rows that are coupled to nothing; it starts
// from pairs of rows and merges four times.
template <class R, bool EDGES>
__global__ void __launch_bounds__ (WARPS *STEDC_LANES) leaves_kernel (stedc_level<R> s)
{
  typedef leaf_shape<EDGES> S;
  extern __shared__ __align__ (16) unsigned char memory[];
  int lane = threadIdx.x % STEDC_LANES, warp = threadIdx.x / STEDC_LANES, n = s.tree.n;
  int64_t item = (int64_t)blockIdx.x * WARPS + warp;
  if (item >= s.pages * s.tree.leaves)
    return;
  int64_t page = item % s.pages;
  int leaf = (int)(item / s.pages); // leaves of the same size side by side
  if (s.info[page] != 0)
    return;
  int first = s.tree.first_row (leaf), size = s.tree.first_row (leaf + 1) - first;
  unsigned char *mine = memory + warp * lanes_bytes<R, S> ();
  R *Z = reinterpret_cast<R *> (mine);
  stedc_workspace<R> w (mine + STEDC_LANES * S::LD * sizeof (R), STEDC_LANES, true);

  // every e within the page tears, also those at the two ends of the leaf
  const R *d_in = s.d + page * n + first, *e_in = s.e + page * n + first;
  bool absent = lane >= size;
  R e = !absent && first + lane < n - 1 ? e_in[lane] : R (0);
  R before = !absent && first + lane > 0 ? e_in[lane - 1] : R (0);
  R d = absent ? R (0) : d_in[lane] - absmax (e) - absmax (before);
  if (lane == size - 1)
    e = 0;
  bool settled = solve_lanes<R, S> (w, Z, e, s.tol, d, absent, size);
  if (!settled)
    atomicMax (s.info + page, first + lane + 1);

  unsigned present = __ballot_sync (0xffffffffu, !absent);
  int column = __popc (present & ((1u << lane) - 1));
  if (!absent)
    s.d[page * n + first + column] = d;
  if (EDGES) {
    R *edge = s.edge + page * 2 * n + first;
    if (!absent) {
      edge[column] = Z[lane * S::LD];
      edge[n + column] = Z[lane * S::LD + 1];
    }
    return;
  }
  R *out = s.Z + page * s.page_z + first * s.ldz + first;
  for (int c = 0; c < STEDC_LANES; c++) {
    int to = __shfl_sync (0xffffffffu, column, c);
    if (present >> c & 1 && lane < size)
      out[to * s.ldz + lane] = Z[c * S::LD + lane];
  }
}

} // namespace

template <class R> cudaError_t stedc_leaves (const stedc_level<R> &s, cudaStream_t stream)
{
  size_t bytes = WARPS * (s.vectors ? lanes_bytes<R, leaf_shape<false>> ()
                                    : lanes_bytes<R, leaf_shape<true>> ());
  auto kernel = s.vectors ? leaves_kernel<R, false> : leaves_kernel<R, true>;
  cudaError_t status = allow_shared (kernel, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t blocks = (s.pages * s.tree.leaves + WARPS - 1) / WARPS;
  kernel<<<(unsigned)blocks, WARPS * STEDC_LANES, bytes, stream>>> (s);
  return cudaGetLastError ();
}

template cudaError_t stedc_leaves (const stedc_level<float> &, cudaStream_t);
template cudaError_t stedc_leaves (const stedc_level<double> &, cudaStream_t);
