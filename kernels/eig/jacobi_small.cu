// jacobi_small.cu: two-sided Jacobi for pages that fit in shared memory, one block per page
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/phase.cuh"
#include "jacobi.cuh"

namespace
{

template <class T> size_t bytes_for (int n, int vectors)
{
  return (size_t)n * n * sizeof (T) * (vectors ? 2 : 1) + jacobi_extra<T> (n) +
         (size_t)n * sizeof (real_t<T>) + 16;
}

// One block per page: A, V, the pairs and the eigenvalues are in shared memory from the first
// read to the last write; jacobi.cuh says how the threads share a round.
template <class T> __global__ void __launch_bounds__ (1024) jacobi_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n, n2 = n * n;
  int64_t page = blockIdx.x;
  jacobi_shared<T> m;
  m.A = reinterpret_cast<T *> (memory);
  m.V = a.vectors ? m.A + n2 : nullptr;
  m.pairs = reinterpret_cast<rotation<T> *> (m.A + (a.vectors ? 2 : 1) * n2);
  m.diagonal = reinterpret_cast<R *> (m.pairs + (n + 1) / 2);
  R *d = m.diagonal + 2 * ((n + 1) / 2);
  m.n = m.ld = n;
  m.tol = a.tol;
  m.floor = a.tol * a.norm[page] / n;
  bool failed = a.info[page] != 0;

  const T *W = a.W + page * n2;
  for (int q = threadIdx.x; q < n2; q += blockDim.x) {
    m.A[q] = W[q];
    if (a.vectors)
      m.V[q] = from_real<T> (q % (n + 1) == 0 ? R (1) : R (0));
  }
  __syncthreads ();
  if (!failed && !jacobi_sweeps (m, a.maxit)) {
    int open = jacobi_open_columns (m);
    failed = open > 0;
    if (failed && threadIdx.x == 0)
      a.info[page] = open;
  }

  // sort and write
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    d[i] = re (m.A[i * n + i]);
  __syncthreads ();
  for (int j = threadIdx.x / 32; a.vectors && a.phase && j < n; j += blockDim.x / 32)
    warp_phase (m.V + j * n, m.V + j * n, n);
  __syncthreads ();
  int k = a.exponent[page];
  R *lambda = a.lambda + page * a.page_lambda;
  T *V = a.V + page * a.page_v;
  for (int w = threadIdx.x; w < (a.vectors ? n2 : n); w += blockDim.x) {
    int j = a.vectors ? w / n : w, i = a.vectors ? w % n : 0;
    R mine = d[j];
    int rank = 0;
    for (int q = 0; q < n; q++)
      rank += d[q] < mine || (d[q] == mine && q < j);
    rank = failed ? j : rank;
    if (i == 0)
      lambda[rank * a.inc_lambda] = failed ? R (nan ("")) : times_power (mine, k);
    if (a.vectors)
      V[rank * a.ldv + i] = failed ? from_real<T> (R (nan (""))) : m.V[j * n + i];
  }
}

} // namespace

template <class T> bool eig_jacobi_fits (int n, int vectors, int smem_limit)
{
  return bytes_for<T> (n, vectors) <= (size_t)smem_limit;
}

template <class T> cudaError_t eig_jacobi (const eig_args<T> &a)
{
  int n = a.n;
  int threads = n <= 4 ? 32 : n <= 8 ? 64 : n <= 16 ? 128 : n <= 32 ? 256 : n <= 64 ? 512 : 1024;
  size_t bytes = bytes_for<T> (n, a.vectors);
  cudaError_t status = allow_shared (jacobi_kernel<T>, bytes);
  if (status != cudaSuccess)
    return status;
  jacobi_kernel<T><<<(unsigned)a.pages, threads, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_jacobi_fits<T> (int, int, int);                                                \
  template cudaError_t eig_jacobi (const eig_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
