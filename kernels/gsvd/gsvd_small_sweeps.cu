// gsvd_small_sweeps.cu: F = U diag (sigma) Y' of small pairs, by the one-sided Jacobi of batchsvd
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/svd_lanes.cuh"
#include "gsvd_kernels.cuh"

namespace
{

// Counts the rotations of each sweep of a page; the first warp of the page stores them.
template <class PAGE> struct rotation_counter {
  const PAGE &page;
  unsigned long long *history; // NULL: not this warp
  int64_t pages;
  unsigned count;
  int sweeps;

  GLA_DEVICE rotation_counter (const PAGE &page, unsigned long long *history, int64_t pages)
      : page (page), history (page.parts.part == 0 ? history : nullptr), pages (pages), count (0),
        sweeps (0)
  {
  }
  GLA_DEVICE void rotated (bool on) { count += on && page.half == 0; }
  GLA_DEVICE void swept (bool resting)
  {
    const unsigned all = lane_sum<PAGE::LANES> (count);
    if (!resting && history != nullptr && threadIdx.x % PAGE::LANES == 0)
      history[sweeps * pages] = all;
    sweeps += !resting;
    count = 0;
  }
};

// Warps have pages as in svd_lanes_kernel.
template <class T, int P, int ROWS, int S>
__global__ void __launch_bounds__ (
    32 * (S == 1 ? SVD_LANES_WARPS : S),
    svd_lanes_blocks<svd_page<T, P, ROWS, S, true>, S == 1 ? SVD_LANES_WARPS : S>)
    sweeps_kernel (svd_args<T> a, unsigned long long *history, gsvd_state *state)
{
  typedef svd_page<T, P, ROWS, S, true> page_type;
  __shared__ svd_shared<T, S> shared;
  const svd_lanes_place at = svd_place_lanes<page_type::LANES, S> (a.pages);
  svd_parts<T, S> parts (&shared);
  page_type p (a, parts);
  p.load (at.page);
  rotation_counter<page_type> counter (p, at.inside ? history + at.page : nullptr, a.pages);
  const int info = p.iterate (counter);
  p.settle ();
  p.complete ();
  if (!at.inside)
    return;
  p.store (at.page, info, 0);
  p.store (at.page, info, 1);
  if (parts.part == 0 && threadIdx.x % page_type::LANES == 0)
    state[at.page].sweeps = state[at.page].done ? 0 : counter.sweeps;
}

template <class T, int P, int ROWS, int S>
cudaError_t launch (const svd_args<T> &a, unsigned long long *history, gsvd_state *state,
                    cudaStream_t stream)
{
  const int64_t per_block = (S == 1 ? SVD_LANES_WARPS : 1) * (P > 32 ? 1 : 32 / P);
  const unsigned blocks = (unsigned)((a.pages + per_block - 1) / per_block);
  const unsigned threads = 32 * (S == 1 ? SVD_LANES_WARPS : S);
  sweeps_kernel<T, P, ROWS, S><<<blocks, threads, 0, stream>>> (a, history, state);
  return cudaGetLastError ();
}

} // namespace

template <class T>
cudaError_t gsvd_small_sweeps (const gsvd_small_sweeps_args<T> &g, cudaStream_t stream)
{
  constexpr int S = sizeof (T) == 16 ? 2 : 1; // warps that share pages of 17 rows and more
  const int p = g.p;
  svd_args<T> a = {};
  a.A = g.F;
  a.U = g.U;
  a.V = g.Y;
  a.S = g.sigma;
  a.row_s = 1;
  a.page_s = a.rows = a.columns = a.values = a.u_columns = a.v_columns = p;
  a.pages = g.pages;
  a.tol = g.tol;
  a.maxit = g.sweeps_max;
  a.info = g.info;
  a.any = g.any;
  if (p <= 4)
    return launch<T, 4, 4, 1> (a, g.history, g.state, stream);
  if (p <= 8)
    return launch<T, 8, 8, 1> (a, g.history, g.state, stream);
  if (p <= 16)
    return launch<T, 16, 16, 1> (a, g.history, g.state, stream);
  if (p <= 24)
    return launch<T, 32, 24 / S, S> (a, g.history, g.state, stream);
  if (p <= SVD_LANES_WARP)
    return launch<T, 32, 32 / S, S> (a, g.history, g.state, stream);
  return launch<T, 64, 8, 8> (a, g.history, g.state, stream);
}

template cudaError_t gsvd_small_sweeps (const gsvd_small_sweeps_args<double> &, cudaStream_t);
template cudaError_t gsvd_small_sweeps (const gsvd_small_sweeps_args<cx<double>> &, cudaStream_t);
