// check_batch.cuh: checks of the eigensystems of a batch on the GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ratios are those of LAPACK's xDRVST, computed in double whatever the type:
//   residual       max over pages of |A V - V diag (lambda)|_1 / (n eps |A|_1)
//   orthogonality  max over pages of |V' V - I|_1 / (n eps)
// Eigenvalues that are not ascending count as NaN. Without V, residual compares the sums of the
// eigenvalues and of their squares with the trace and the Frobenius norm, on the same scale.
// A NaN anywhere in what is checked makes the ratio NaN.

#ifndef CHECK_BATCH_CUH
#define CHECK_BATCH_CUH

#include "random_batch.cuh"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

//------------------------------------------------------------------------------
// kernels
//------------------------------------------------------------------------------

// The errors of one page, stored as the bits of non-negative doubles: as integers they have the
// same order, and NaN is larger than all others.
struct page_norms {
  unsigned long long a, residual, orthogonality;
};

__device__ inline void raise (unsigned long long *norm, double x)
{
  atomicMax (norm, (unsigned long long)__double_as_longlong (fabs (x)));
}

__device__ inline double warp_sum (double x)
{
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, step);
  return x;
}

// Block (p, j) of `warps` warps takes column j of the p-th checked page; a warp takes rows, its
// lanes share the inner product. The column sums over the rows are 1-norms. A is Hermitian, so row
// i of A is the adjoint of its column i: all reads run down columns.
template <class T>
__global__ void check_vectors (const T *A, const T *V, const typename scalar<T>::real *lambda,
                               int64_t n, int64_t pages, page_norms *norms)
{
  int64_t looked = gridDim.x, j = blockIdx.y;
  int64_t page = looked > 1 ? (int64_t)blockIdx.x * (pages - 1) / (looked - 1) : 0;
  const T *a = A + page * n * n, *v = V + page * n * n;
  const typename scalar<T>::real *l = lambda + page * n;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  __shared__ double sums[3];
  if (threadIdx.x < 3)
    sums[threadIdx.x] = 0;
  __syncthreads ();

  for (int64_t i = warp; i < n; i += warps) {
    double r_re = 0, r_im = 0, o_re = 0, o_im = 0;
    for (int64_t k = lane; k < n; k += 32) {
      double2 x = wide (v[k + j * n]), y = wide (a[k + i * n]), w = wide (v[k + i * n]);
      r_re += y.x * x.x + y.y * x.y;
      r_im += y.x * x.y - y.y * x.x;
      o_re += w.x * x.x + w.y * x.y;
      o_im += w.x * x.y - w.y * x.x;
    }
    r_re = warp_sum (r_re);
    r_im = warp_sum (r_im);
    o_re = warp_sum (o_re);
    o_im = warp_sum (o_im);
    if (lane == 0) {
      double2 y = wide (a[i + j * n]), x = wide (v[i + j * n]);
      atomicAdd (&sums[0], hypot (y.x, y.y));
      atomicAdd (&sums[1], hypot (r_re - l[j] * x.x, r_im - l[j] * x.y));
      atomicAdd (&sums[2], hypot (o_re - (i == j), o_im));
    }
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    page_norms *norm = &norms[blockIdx.x];
    raise (&norm->a, sums[0]);
    raise (&norm->residual, j > 0 && !(l[j] >= l[j - 1]) ? nan ("") : sums[1]);
    raise (&norm->orthogonality, sums[2]);
  }
}

// Without vectors: block p takes the p-th checked page, its threads take columns.
template <class T>
__global__ void check_values (const T *A, const typename scalar<T>::real *lambda, int64_t n,
                              int64_t pages, page_norms *norms)
{
  int64_t looked = gridDim.x;
  int64_t page = looked > 1 ? (int64_t)blockIdx.x * (pages - 1) / (looked - 1) : 0;
  const T *a = A + page * n * n;
  const typename scalar<T>::real *l = lambda + page * n;
  __shared__ double sums[4];
  if (threadIdx.x < 4)
    sums[threadIdx.x] = 0;
  __syncthreads ();
  for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
    double column = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
      double2 y = wide (a[i + j * n]);
      column += hypot (y.x, y.y);
      square += y.x * y.x + y.y * y.y;
    }
    raise (&norms[blockIdx.x].a, column);
    atomicAdd (&sums[0], square);
    atomicAdd (&sums[1], (double)l[j] * l[j]);
    atomicAdd (&sums[2], wide (a[j + j * n]).x - l[j]);
    if (j > 0 && !(l[j] >= l[j - 1]))
      atomicAdd (&sums[3], nan (""));
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    raise (&norms[blockIdx.x].residual, sums[2]);
    raise (&norms[blockIdx.x].residual, (sums[0] - sums[1]) / sqrt (sums[0]));
    raise (&norms[blockIdx.x].residual, sums[3]);
  }
}

//------------------------------------------------------------------------------
// on the host
//------------------------------------------------------------------------------

struct ratios {
  double residual, orthogonality;
};

// The larger one; NaN is larger than everything.
inline double worse (double a, double b)
{
  return std::isnan (a) || a > b ? a : b;
}

inline double from_bits (unsigned long long bits)
{
  double x;
  memcpy (&x, &bits, sizeof x);
  return x;
}

// V may be NULL. NaN if a CUDA call fails.
template <class T>
ratios check (const T *A, const T *V, const typename scalar<T>::real *lambda, int64_t n,
              int64_t pages)
{
  ratios worst = {NAN, NAN};
  int64_t looked = (int64_t)(2e9 / ((double)n * n * n));
  looked = looked < 3 ? 3 : looked > 1000 ? 1000 : looked;
  looked = looked < pages ? looked : pages;
  std::vector<page_norms> norms (looked);
  page_norms *device_norms;
  if (cudaMalloc (&device_norms, looked * sizeof (page_norms)) != cudaSuccess)
    return worst;
  cudaMemset (device_norms, 0, looked * sizeof (page_norms));
  if (V != NULL)
    check_vectors<<<dim3 (looked, n), 128>>> (A, V, lambda, n, pages, device_norms);
  else
    check_values<<<looked, 128>>> (A, lambda, n, pages, device_norms);
  cudaError_t failed = cudaGetLastError ();
  if (failed == cudaSuccess)
    failed = cudaMemcpy (norms.data (), device_norms, looked * sizeof (page_norms),
                         cudaMemcpyDeviceToHost);
  cudaFree (device_norms);
  if (failed != cudaSuccess)
    return worst;
  worst = {0, 0};
  double scale = n * (double)std::numeric_limits<typename scalar<T>::real>::epsilon ();
  for (const page_norms &p : norms) {
    worst.residual = worse (from_bits (p.residual) / (scale * from_bits (p.a)), worst.residual);
    worst.orthogonality = worse (from_bits (p.orthogonality) / scale, worst.orthogonality);
  }
  return worst;
}

#endif
