// jacobi_lanes.cu: eigenvalues and eigenvectors from a Cholesky factor in registers
// SPDX-License-Identifier: GPL-3.0-or-later

#include "jacobi.cuh"

namespace
{

// Warps have pages as in svd_lanes_kernel.
template <class T, int P, int ROWS, int S>
__global__ void __launch_bounds__ (
    32 * (S == 1 ? SVD_LANES_WARPS : S),
    svd_lanes_blocks<svd_page<T, P, ROWS, S, false>, S == 1 ? SVD_LANES_WARPS : S>)
    lanes_kernel (svd_args<T> a, eig_args<T> e)
{
  typedef jacobi_page<T, P, ROWS, S> page_type;
  __shared__ svd_shared<T, S> shared;
  const svd_lanes_place at = svd_place_lanes<page_type::LANES, S> (a.pages);
  const int64_t page = at.page;
  svd_parts<T, S> parts (&shared);
  page_type p (a, parts);
  p.load (page);
  const int open = p.iterate ();
  const int before = e.info[page];
  p.settle ();
  if (e.vectors)
    p.complete ();
  p.exponent = e.exponent[page];
  p.order (a.A.data + page * a.A.page, a.columns, before == 0 ? e.d[page] : real_t<T> (0));
  if (e.vectors && e.phase) {
    p.fix_phase (0);
    p.fix_phase (1);
  }
  if constexpr (S > 1)
    __syncthreads (); // all have read info
  const int info = before != 0 ? before : open > a.columns ? a.columns : open;
  if (!at.inside)
    return;
  p.store (e, page, info != 0, 0);
  p.store (e, page, info != 0, 1);
  if (info != before && parts.part == 0 && threadIdx.x % page_type::LANES == 0)
    e.info[page] = info;
}

template <class T, int P, int ROWS, int S>
cudaError_t launch (const svd_args<T> &a, const eig_args<T> &e)
{
  const int64_t per_block = (S == 1 ? SVD_LANES_WARPS : 1) * (P > 32 ? 1 : 32 / P);
  const unsigned blocks = (unsigned)((a.pages + per_block - 1) / per_block);
  lanes_kernel<T, P, ROWS, S><<<blocks, 32 * (S == 1 ? SVD_LANES_WARPS : S), 0, e.stream>>> (a, e);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t eig_jacobi (const eig_args<T> &e)
{
  const int n = e.n;
  const cudaError_t status = eig_jacobi_factor (e);
  if (status != cudaSuccess)
    return status;
  svd_args<T> a = jacobi_sweeps_of (e);
  a.A = {e.W, n, (int64_t)n * n};
  if (n <= SVD_LANES_WARP) // two warps, which a thousand pages need to keep a GPU busy
    return launch<T, 32, 16, 2> (a, e);
  return launch<T, 64, 8, 8> (a, e);
}

template cudaError_t eig_jacobi (const eig_args<float> &);
template cudaError_t eig_jacobi (const eig_args<double> &);
template cudaError_t eig_jacobi (const eig_args<cx<float>> &);
template cudaError_t eig_jacobi (const eig_args<cx<double>> &);
