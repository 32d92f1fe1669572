// svd_small.cu: launches the kernels for pages of up to 64 rows
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/svd_lanes.cuh"
#include "svd.cuh"

namespace
{

template <class T, int P, int ROWS, int S, bool VECTORS>
cudaError_t launch_kernel (const svd_args<T> &a, cudaStream_t stream)
{
  const int64_t per_block = (S == 1 ? SVD_LANES_WARPS : 1) * (P > 32 ? 1 : 32 / P);
  const int64_t blocks = (a.pages + per_block - 1) / per_block;
  const unsigned threads = 32 * (S == 1 ? SVD_LANES_WARPS : S);
  svd_lanes_kernel<T, P, ROWS, S, VECTORS><<<(unsigned)blocks, threads, 0, stream>>> (a);
  return cudaGetLastError ();
}

template <class T, int P, int ROWS, int S>
cudaError_t launch (const svd_args<T> &a, cudaStream_t stream)
{
  return a.U.data != nullptr || a.V.data != nullptr
             ? launch_kernel<T, P, ROWS, S, true> (a, stream)
             : launch_kernel<T, P, ROWS, S, false> (a, stream);
}

} // namespace

template <class T> cudaError_t svd_lanes (const svd_args<T> &a, cudaStream_t stream)
{
  constexpr int S = sizeof (T) == 16 ? 2 : 1; // warps that share 17 rows and more
  if (a.rows <= 2)
    return launch<T, 2, 2, 1> (a, stream);
  if (a.rows <= 4)
    return launch<T, 4, 4, 1> (a, stream);
  if (a.rows <= 8)
    return launch<T, 8, 8, 1> (a, stream);
  if (a.rows <= 16)
    return launch<T, 16, 16, 1> (a, stream);
  if (a.rows <= 24)
    return launch<T, 32, 24 / S, S> (a, stream);
  if (a.rows <= SVD_LANES_WARP)
    return launch<T, 32, 32 / S, S> (a, stream);
  return launch<T, 64, 8, 8> (a, stream);
}

template cudaError_t svd_lanes (const svd_args<float> &, cudaStream_t);
template cudaError_t svd_lanes (const svd_args<double> &, cudaStream_t);
template cudaError_t svd_lanes (const svd_args<cx<float>> &, cudaStream_t);
template cudaError_t svd_lanes (const svd_args<cx<double>> &, cudaStream_t);
