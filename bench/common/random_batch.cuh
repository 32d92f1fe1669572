// random_batch.cuh: the four types, and batches of random Hermitian matrices on the GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef RANDOM_BATCH_CUH
#define RANDOM_BATCH_CUH

#include <cuComplex.h>
#include <cuda_runtime.h>

#include <cstdint>

template <class T> struct scalar;
template <> struct scalar<float> {
  using real = float;
  static constexpr char letter = 's';
  static constexpr bool complex = false;
  static constexpr cudaDataType type = CUDA_R_32F, real_type = CUDA_R_32F;
};
template <> struct scalar<double> {
  using real = double;
  static constexpr char letter = 'd';
  static constexpr bool complex = false;
  static constexpr cudaDataType type = CUDA_R_64F, real_type = CUDA_R_64F;
};
template <> struct scalar<cuFloatComplex> {
  using real = float;
  static constexpr char letter = 'c';
  static constexpr bool complex = true;
  static constexpr cudaDataType type = CUDA_C_32F, real_type = CUDA_R_32F;
};
template <> struct scalar<cuDoubleComplex> {
  using real = double;
  static constexpr char letter = 'z';
  static constexpr bool complex = true;
  static constexpr cudaDataType type = CUDA_C_64F, real_type = CUDA_R_64F;
};

__device__ inline double2 wide (float x)
{
  return make_double2 (x, 0);
}
__device__ inline double2 wide (double x)
{
  return make_double2 (x, 0);
}
__device__ inline double2 wide (cuFloatComplex x)
{
  return make_double2 (x.x, x.y);
}
__device__ inline double2 wide (cuDoubleComplex x)
{
  return make_double2 (x.x, x.y);
}

//------------------------------------------------------------------------------
// random input
//------------------------------------------------------------------------------

// A number in [-1, 1) that depends on the key alone.
__device__ inline double uniform (uint64_t key)
{
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  key ^= key >> 33;
  return (double)(key >> 11) * (2.0 / 9007199254740992.0) - 1;
}

// Element e of the batch is a function of the seed and its place, equal or conjugate across the
// diagonal, real on it. Any grid.
template <class R>
__global__ void fill_hermitian (R *a, int complex, int64_t n, int64_t pages, uint64_t seed)
{
  int64_t total = n * n * pages, step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += step) {
    int64_t page = e / (n * n), i = e % n, j = e / n % n;
    int64_t low = i < j ? i : j, high = i < j ? j : i;
    uint64_t key = (uint64_t)(((page * n + low) * n + high) * 2) + seed * 0x9E3779B97F4A7C15ULL;
    double re = uniform (key), im = i == j ? 0 : uniform (key + 1) * (i > j ? 1 : -1);
    if (complex) {
      a[2 * e] = (R)re;
      a[2 * e + 1] = (R)im;
    } else {
      a[e] = (R)re;
    }
  }
}

//------------------------------------------------------------------------------
// one batch in GPU memory
//------------------------------------------------------------------------------

template <class T> struct batch {
  using real = typename scalar<T>::real;
  int64_t n, pages;
  bool vectors;
  T *A = NULL, *V = NULL;
  real *lambda = NULL;
  int *info = NULL;

  batch (int64_t n_, int64_t pages_, bool vectors_) : n (n_), pages (pages_), vectors (vectors_) {}
  batch (const batch &) = delete;
  ~batch ()
  {
    cudaFree (A);
    cudaFree (V);
    cudaFree (lambda);
    cudaFree (info);
  }

  bool allocate ()
  {
    bool ok = cudaMalloc (&A, n * n * pages * sizeof (T)) == cudaSuccess &&
              cudaMalloc (&V, n * n * pages * sizeof (T)) == cudaSuccess &&
              cudaMalloc (&lambda, n * pages * sizeof (real)) == cudaSuccess &&
              cudaMalloc (&info, pages * sizeof (int)) == cudaSuccess;
    cudaGetLastError ();
    return ok;
  }

  // Writes new input to `where`, and NaN to all results.
  void prepare (T *where, uint64_t seed)
  {
    cudaMemset (V, 0xff, n * n * pages * sizeof (T));
    cudaMemset (lambda, 0xff, n * pages * sizeof (real));
    cudaMemset (info, 0xff, pages * sizeof (int));
    fill (where, seed);
  }

  void fill (T *where, uint64_t seed)
  {
    fill_hermitian<<<1024, 256>>> ((real *)where, scalar<T>::complex, n, pages, seed);
  }
};

#endif
