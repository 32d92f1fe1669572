// check_pairs.cuh: checks of eigenvalues and eigenvectors of pairs on the GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of some pages, in double whatever the type, with 1-norms:
//   residual       |A V - B V diag (lambda)| / (n eps (|A| + |lambda| |B|) |V|)
//   orthogonality  |V' B V - I| / (n eps |V|^2 |B|)
// NaN where one of these is.

#ifndef CHECK_PAIRS_CUH
#define CHECK_PAIRS_CUH

#include "common/check_batch.cuh"

// The largest sums of a column, as bits (page_norms has the reason).
struct pair_norms {
  unsigned long long a, b, v, lambda, residual, orthogonality;
};

__device__ inline double block_sum (double x, double *shared)
{
  x = warp_sum (x);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = x;
  __syncthreads ();
  x = 0;
  for (unsigned k = 0; k < blockDim.x / 32; k++)
    x += shared[k];
  return x;
}

// Block (p, j) takes column j of the p-th checked page. Dynamic shared memory: n double2.
template <class T>
__global__ void check_pairs_kernel (const T *A, const T *B, const T *V,
                                    const typename scalar<T>::real *lambda, int64_t n,
                                    int64_t pages, pair_norms *norms)
{
  extern __shared__ double2 product[];
  __shared__ double shared[32];
  const int64_t looked = gridDim.x, j = blockIdx.y;
  const int64_t page = looked > 1 ? (int64_t)blockIdx.x * (pages - 1) / (looked - 1) : 0;
  const T *a = A + page * n * n, *b = B + page * n * n, *v = V + page * n * n;
  const double l = (double)lambda[page * n + j];
  double size_a = 0, size_b = 0, size_v = 0, residual = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    double2 x = make_double2 (0, 0), y = x;
    for (int64_t k = 0; k < n; k++) {
      const double2 w = wide (v[k + j * n]), c = wide (a[i + k * n]), d = wide (b[i + k * n]);
      x.x += c.x * w.x - c.y * w.y;
      x.y += c.x * w.y + c.y * w.x;
      y.x += d.x * w.x - d.y * w.y;
      y.y += d.x * w.y + d.y * w.x;
    }
    product[i] = y;
    residual += hypot (x.x - l * y.x, x.y - l * y.y);
    const double2 c = wide (a[i + j * n]), d = wide (b[i + j * n]), w = wide (v[i + j * n]);
    size_a += hypot (c.x, c.y);
    size_b += hypot (d.x, d.y);
    size_v += hypot (w.x, w.y);
  }
  __syncthreads ();
  double off = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    double2 z = make_double2 (-(double)(i == j), 0);
    for (int64_t k = 0; k < n; k++) {
      const double2 w = wide (v[k + i * n]), y = product[k];
      z.x += w.x * y.x + w.y * y.y;
      z.y += w.x * y.y - w.y * y.x;
    }
    off += hypot (z.x, z.y);
  }
  const double sums[] = {size_a, size_b, size_v, residual, off};
  unsigned long long *to[] = {&norms[blockIdx.x].a, &norms[blockIdx.x].b, &norms[blockIdx.x].v,
                              &norms[blockIdx.x].residual, &norms[blockIdx.x].orthogonality};
  for (int k = 0; k < 5; k++) {
    const double sum = block_sum (sums[k], shared);
    if (threadIdx.x == 0)
      raise (to[k], sum);
  }
  if (threadIdx.x == 0)
    raise (&norms[blockIdx.x].lambda, l);
}

// NaN if a CUDA call fails.
template <class T>
ratios check_pairs (const T *A, const T *B, const T *V, const typename scalar<T>::real *lambda,
                    int64_t n, int64_t pages)
{
  ratios worst = {NAN, NAN};
  const int64_t looked = pages < 3 ? pages : n > 300 ? 2 : n > 32 ? 10 : 300;
  std::vector<pair_norms> norms (looked);
  pair_norms *on_device;
  if (cudaMalloc (&on_device, looked * sizeof (pair_norms)) != cudaSuccess)
    return worst;
  cudaMemset (on_device, 0, looked * sizeof (pair_norms));
  const int threads = n < 128 ? 32 : 128;
  check_pairs_kernel<<<dim3 (looked, n), threads, n * sizeof (double2)>>> (A, B, V, lambda, n,
                                                                           pages, on_device);
  cudaError_t failed = cudaGetLastError ();
  if (failed == cudaSuccess)
    failed =
        cudaMemcpy (norms.data (), on_device, looked * sizeof (pair_norms), cudaMemcpyDeviceToHost);
  cudaFree (on_device);
  if (failed != cudaSuccess)
    return worst;
  worst = {0, 0};
  const double unit = n * (double)std::numeric_limits<typename scalar<T>::real>::epsilon ();
  for (const pair_norms &p : norms) {
    const double a = from_bits (p.a), b = from_bits (p.b), v = from_bits (p.v);
    const double bound = (a + from_bits (p.lambda) * b) * v;
    worst.residual = worse (from_bits (p.residual) / (unit * bound), worst.residual);
    worst.orthogonality =
        worse (from_bits (p.orthogonality) / (unit * v * v * b), worst.orthogonality);
  }
  return worst;
}

#endif
