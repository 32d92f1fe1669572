// jacobi_start.cu: blocked Jacobi that begins with the eigenvectors of "qr"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "jacobi_start.cuh"

namespace
{

// A thread per page.
__global__ void forgive_kernel (int32_t *info, int32_t *bad, int64_t pages)
{
  const int64_t page = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || bad[page] != 0 || info[page] == 0)
    return;
  info[page] = 0;
  bad[page] = -1;
}

// Block (x, y): entries of page y from blockDim.x*x on.
template <class T>
__global__ void begin_kernel (eig_args<T> a, const T *A, const T *V, const int32_t *bad)
{
  const int64_t n2 = (int64_t)a.n * a.n, k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (int64_t page = blockIdx.y; page < a.pages && k < n2; page += gridDim.y)
    if (bad[page] == -1)
      a.W[page * n2 + k] = A[page * n2 + k];
    else
      static_cast<T *> (a.Z)[page * n2 + k] = V[page * n2 + k];
}

} // namespace

template <class T> cudaError_t eig_block_forgive (const eig_args<T> &a, int32_t *bad)
{
  forgive_kernel<<<(unsigned)((a.pages + 127) / 128), 128, 0, a.stream>>> (a.info, bad, a.pages);
  return cudaGetLastError ();
}

template <class T>
cudaError_t eig_block_begin (const eig_args<T> &a, const T *A, const T *V, const int32_t *bad)
{
  const unsigned pages = (unsigned)(a.pages < 65535 ? a.pages : 65535);
  const dim3 grid ((unsigned)(((int64_t)a.n * a.n + 255) / 256), pages);
  begin_kernel<T><<<grid, 256, 0, a.stream>>> (a, A, V, bad);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_block_forgive (const eig_args<T> &, int32_t *);                         \
  template cudaError_t eig_block_begin (const eig_args<T> &, const T *, const T *, const int32_t *);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
