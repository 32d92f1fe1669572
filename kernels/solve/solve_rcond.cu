// solve_rcond.cu: condition numbers of pages from what the blocks of solve.cuh stored
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve.cuh"
#include "solve_pivot.cuh"

// A thread has a page.
template <class T> __global__ void lu_rcond_kernel (lu_args<T> a)
{
  const int64_t page = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (page >= a.pages || a.norms[page].shares == 0)
    return;
  const lu_norms &s = a.norms[page];
  double inverse = 0;
  for (int k = 0; k < (int)s.shares; k++)
    inverse = s.inverse[k] > inverse || s.inverse[k] != s.inverse[k] ? s.inverse[k] : inverse;
  a.rcond[page * a.rcond_stride] =
      (real_t<T>)lu_rcond (s.norm, inverse, s.norm == s.norm, inverse != inverse);
}

template <class T> cudaError_t lu_find_rcond (const lu_args<T> &a, cudaStream_t stream)
{
  enum { THREADS = 128 };
  lu_rcond_kernel<<<(unsigned)((a.pages + THREADS - 1) / THREADS), THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

template cudaError_t lu_find_rcond (const lu_args<float> &, cudaStream_t);
template cudaError_t lu_find_rcond (const lu_args<double> &, cudaStream_t);
template cudaError_t lu_find_rcond (const lu_args<cx<float>> &, cudaStream_t);
template cudaError_t lu_find_rcond (const lu_args<cx<double>> &, cudaStream_t);
