// pencil_phase.cu: gives eigenvectors of pairs the phase of common/phase.h
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/phase.cuh"
#include "pencil.cuh"

namespace
{

enum { WARPS = 4 };

// A warp has one column of one page.
template <class T>
__global__ void __launch_bounds__ (32 * WARPS) phase_kernel (page_matrix<T> V, int n, int64_t pages)
{
  const int64_t item = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32, page = item / n;
  if (page >= pages)
    return;
  T *column = V.data + page * V.page + item % n * V.ld;
  warp_phase (column, column, n);
}

} // namespace

template <class T> cudaError_t pencil_phase (const pencil_args<T> &a, const page_matrix<T> &V)
{
  const int64_t blocks = (a.pages * a.n + WARPS - 1) / WARPS;
  phase_kernel<T><<<(unsigned)blocks, 32 * WARPS, 0, a.stream>>> (V, a.n, a.pages);
  return cudaGetLastError ();
}

template cudaError_t pencil_phase (const pencil_args<float> &, const page_matrix<float> &);
template cudaError_t pencil_phase (const pencil_args<double> &, const page_matrix<double> &);
template cudaError_t pencil_phase (const pencil_args<cx<float>> &, const page_matrix<cx<float>> &);
template cudaError_t pencil_phase (const pencil_args<cx<double>> &,
                                   const page_matrix<cx<double>> &);
