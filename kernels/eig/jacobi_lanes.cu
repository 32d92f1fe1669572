// jacobi_lanes.cu: eigenvalues and eigenvectors from a Cholesky factor in registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sweeps are those of batchsvd without its right vectors.

#include "common/svd_lanes.cuh"
#include "jacobi_lanes.cuh"

namespace
{

template <class T, int P, int ROWS, int S> struct jacobi_page : svd_page<T, P, ROWS, S, false> {
  typedef svd_page<T, P, ROWS, S, false> page_of;
  typedef real_t<T> R;
  using page_of::a, page_of::parts, page_of::w, page_of::row, page_of::rank, page_of::sigma;
  using page_of::HALF, page_of::H, page_of::base, page_of::half, page_of::column;
  R lambda[2];

  GLA_DEVICE jacobi_page (const svd_args<T> &a, svd_parts<T, S> &parts) : page_of (a, parts) {}

  // Eigenvalues and their order from lengths; of a page that is diagonal, its diagonal.
  GLA_DEVICE void order (const T *W, R shift)
  {
    const bool diagonal = !(shift >= 0);
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const bool is_there = column (c) < a.columns;
      lambda[c] = sigma[c] * sigma[c] - shift;
      if (diagonal) {
        lambda[c] = is_there ? re (W[(int64_t)column (c) * (a.columns + 1)]) : R (0);
#pragma unroll
        for (int i = 0; i < HALF; i++)
          w[c][i] = from_real<T> (row (i) == column (c));
      }
      rank[c] = is_there ? 0 : column (c);
    }
    for (int j = 0; j < a.columns; j++) {
      const R other = from_lane (j % 2 ? lambda[1] : lambda[0], base + j / 2 * H);
#pragma unroll
      for (int c = 0; c < 2; c++)
        if (column (c) < a.columns)
          rank[c] += other < lambda[c] || (other == lambda[c] && j < column (c));
    }
  }

  GLA_DEVICE void store (const eig_args<T> &e, int64_t page, bool failed, int c) const
  {
    if (column (c) >= a.columns)
      return;
    const R nothing = R (NAN);
    const int place = failed ? column (c) : rank[c];
    if (parts.part == 0 && half == 0)
      e.lambda[page * e.page_lambda + place * e.inc_lambda] =
          failed ? nothing : times_power (lambda[c], e.exponent[page]);
    if (!e.vectors)
      return;
    T *V = e.V + page * e.page_v + place * e.ldv;
#pragma unroll
    for (int i = 0; i < HALF; i++)
      if (row (i) < a.rows)
        V[row (i)] = failed ? from_real<T> (nothing) : w[c][i];
  }
};

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
  p.order (a.A.data + page * a.A.page, before == 0 ? e.d[page] : real_t<T> (0));
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
  svd_args<T> a = {};
  a.A = {e.W, n, (int64_t)n * n};
  a.rows = a.columns = a.values = a.u_columns = n;
  a.pages = e.pages;
  a.tol =
      limits<real_t<T>>::eps; // whatever was asked: V are columns that are as orthogonal as that
  a.maxit = e.maxit;
  if (n <= 4)
    return launch<T, 4, 4, 1> (a, e);
  if (n <= 8)
    return launch<T, 8, 8, 1> (a, e);
  if (n <= 16)
    return launch<T, 16, 16, 1> (a, e);
  if (n <= SVD_LANES_WARP) // two warps, which a thousand pages need to keep a GPU busy
    return launch<T, 32, 16, 2> (a, e);
  return launch<T, 64, 8, 8> (a, e);
}

template cudaError_t eig_jacobi (const eig_args<float> &);
template cudaError_t eig_jacobi (const eig_args<double> &);
template cudaError_t eig_jacobi (const eig_args<cx<float>> &);
template cudaError_t eig_jacobi (const eig_args<cx<double>> &);
