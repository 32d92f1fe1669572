// svd_peers.cuh: a batch for singular value decompositions, and cuSOLVER's ways for it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_PEERS_CUH
#define GPULINALG_SVD_PEERS_CUH

#include "common/device_bench.cuh"

#include <cusolverDn.h>

//------------------------------------------------------------------------------
// cuSOLVER's names
//------------------------------------------------------------------------------

template <class T> struct peer;
template <> struct peer<float> {
  static constexpr auto jacobi_size = cusolverDnSgesvdjBatched_bufferSize;
  static constexpr auto jacobi = cusolverDnSgesvdjBatched;
  static constexpr auto one_size = cusolverDnSgesvdj_bufferSize;
  static constexpr auto one = cusolverDnSgesvdj;
  static constexpr auto tall_size = cusolverDnSgesvdaStridedBatched_bufferSize;
  static constexpr auto tall = cusolverDnSgesvdaStridedBatched;
};
template <> struct peer<double> {
  static constexpr auto jacobi_size = cusolverDnDgesvdjBatched_bufferSize;
  static constexpr auto jacobi = cusolverDnDgesvdjBatched;
  static constexpr auto one_size = cusolverDnDgesvdj_bufferSize;
  static constexpr auto one = cusolverDnDgesvdj;
  static constexpr auto tall_size = cusolverDnDgesvdaStridedBatched_bufferSize;
  static constexpr auto tall = cusolverDnDgesvdaStridedBatched;
};
template <> struct peer<cuFloatComplex> {
  static constexpr auto jacobi_size = cusolverDnCgesvdjBatched_bufferSize;
  static constexpr auto jacobi = cusolverDnCgesvdjBatched;
  static constexpr auto one_size = cusolverDnCgesvdj_bufferSize;
  static constexpr auto one = cusolverDnCgesvdj;
  static constexpr auto tall_size = cusolverDnCgesvdaStridedBatched_bufferSize;
  static constexpr auto tall = cusolverDnCgesvdaStridedBatched;
};
template <> struct peer<cuDoubleComplex> {
  static constexpr auto jacobi_size = cusolverDnZgesvdjBatched_bufferSize;
  static constexpr auto jacobi = cusolverDnZgesvdjBatched;
  static constexpr auto one_size = cusolverDnZgesvdj_bufferSize;
  static constexpr auto one = cusolverDnZgesvdj;
  static constexpr auto tall_size = cusolverDnZgesvdaStridedBatched_bufferSize;
  static constexpr auto tall = cusolverDnZgesvdaStridedBatched;
};

//------------------------------------------------------------------------------
// one batch
//------------------------------------------------------------------------------

// Economy sizes; U and V are large enough for all columns, as gesvdjBatched writes them.
template <class T> struct svd_batch {
  typedef typename scalar<T>::real R;
  int m, n, k;
  int64_t pages;
  T *A, *U, *V;
  R *S;
  int *info;
  uint64_t seed = 1;

  svd_batch (int m, int n, int64_t pages) : m (m), n (n), k (m < n ? m : n), pages (pages)
  {
    must (cudaMalloc (&A, size (m, n)) || cudaMalloc (&U, size (m, m)) ||
              cudaMalloc (&V, size (n, n)) || cudaMalloc (&S, k * pages * sizeof (R)) ||
              cudaMalloc (&info, pages * sizeof (int)),
          "cudaMalloc");
  }
  svd_batch (const svd_batch &) = delete;
  ~svd_batch ()
  {
    for (void *p : {(void *)A, (void *)U, (void *)V, (void *)S, (void *)info})
      cudaFree (p);
  }
  size_t size (int rows, int columns) const { return (size_t)rows * columns * pages * sizeof (T); }
  void prepare ()
  {
    const int64_t count = (int64_t)m * n * pages;
    seed += 2 * count;
    fill_kernel<<<(unsigned)((count + 255) / 256), 256>>> (A, count, seed);
    cudaMemset (U, 0xff, size (m, m));
    cudaMemset (V, 0xff, size (n, n));
    cudaMemset (S, 0xff, k * pages * sizeof (R));
  }
};

//------------------------------------------------------------------------------
// cuSOLVER, microseconds per page
//------------------------------------------------------------------------------

template <class T> static double gesvdj_batched (cusolverDnHandle_t h, svd_batch<T> &b)
{
  gesvdjInfo_t params;
  int size = 0;
  T *work;
  const int pages = (int)b.pages;
  must (cusolverDnCreateGesvdjInfo (&params), "gesvdjInfo");
  must (peer<T>::jacobi_size (h, CUSOLVER_EIG_MODE_VECTOR, b.m, b.n, b.A, b.m, b.S, b.U, b.m, b.V,
                              b.n, &size, params, pages),
        "gesvdjBatched_bufferSize");
  must (cudaMalloc (&work, (size_t)size * sizeof (T)), "cudaMalloc");
  const double ms =
      measure ([&] { b.prepare (); },
               [&] {
                 must (peer<T>::jacobi (h, CUSOLVER_EIG_MODE_VECTOR, b.m, b.n, b.A, b.m, b.S, b.U,
                                        b.m, b.V, b.n, work, size, b.info, params, pages),
                       "gesvdjBatched");
               });
  cudaFree (work);
  cusolverDnDestroyGesvdjInfo (params);
  return 1e3 * ms / (double)b.pages;
}

template <class T> static double gesvda (cusolverDnHandle_t h, svd_batch<T> &b)
{
  int size = 0;
  T *work;
  const int pages = (int)b.pages;
  const long long a = (long long)b.m * b.n, u = (long long)b.m * b.k, v = (long long)b.n * b.k;
  must (peer<T>::tall_size (h, CUSOLVER_EIG_MODE_VECTOR, b.k, b.m, b.n, b.A, b.m, a, b.S, b.k, b.U,
                            b.m, u, b.V, b.n, v, &size, pages),
        "gesvda_bufferSize");
  must (cudaMalloc (&work, (size_t)size * sizeof (T)), "cudaMalloc");
  const double ms = measure ([&] { b.prepare (); },
                             [&] {
                               must (peer<T>::tall (h, CUSOLVER_EIG_MODE_VECTOR, b.k, b.m, b.n, b.A,
                                                    b.m, a, b.S, b.k, b.U, b.m, u, b.V, b.n, v,
                                                    work, size, b.info, NULL, pages),
                                     "gesvdaStridedBatched");
                             });
  cudaFree (work);
  return 1e3 * ms / (double)b.pages;
}

template <class T> static double gesvdj_loop (cusolverDnHandle_t h, svd_batch<T> &b)
{
  enum { PAGES = 16 };
  gesvdjInfo_t params;
  int size = 0;
  T *work;
  must (cusolverDnCreateGesvdjInfo (&params), "gesvdjInfo");
  must (peer<T>::one_size (h, CUSOLVER_EIG_MODE_VECTOR, 1, b.m, b.n, b.A, b.m, b.S, b.U, b.m, b.V,
                           b.n, &size, params),
        "gesvdj_bufferSize");
  must (cudaMalloc (&work, (size_t)size * sizeof (T)), "cudaMalloc");
  const double ms = measure ([&] { b.prepare (); },
                             [&] {
                               for (int p = 0; p < PAGES; p++)
                                 must (peer<T>::one (h, CUSOLVER_EIG_MODE_VECTOR, 1, b.m, b.n,
                                                     b.A + (int64_t)p * b.m * b.n, b.m, b.S, b.U,
                                                     b.m, b.V, b.n, work, size, b.info, params),
                                       "gesvdj");
                             });
  cudaFree (work);
  cusolverDnDestroyGesvdjInfo (params);
  return 1e3 * ms / PAGES;
}

// One call of Xgesvdp (polar decomposition) after the other; square pages.
template <class T> static double gesvdp_loop (cusolverDnHandle_t h, svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
  const int64_t pages = b.pages < 8 ? b.pages : 8;
  cusolverDnParams_t params;
  size_t on_device = 0, on_host = 0;
  void *work, *host_work;
  double off = 0;
  const bool single = sizeof (R) == 4;
  const cudaDataType real = single ? CUDA_R_32F : CUDA_R_64F,
                     complex = single ? CUDA_C_32F : CUDA_C_64F,
                     type = scalar<T>::complex ? complex : real;
  must (cusolverDnCreateParams (&params), "cusolverDnCreateParams");
  must (cusolverDnXgesvdp_bufferSize (h, params, CUSOLVER_EIG_MODE_VECTOR, 1, b.m, b.n, type, b.A,
                                      b.m, real, b.S, type, b.U, b.m, type, b.V, b.n, type,
                                      &on_device, &on_host),
        "Xgesvdp_bufferSize");
  must (cudaMalloc (&work, on_device + 1), "cudaMalloc");
  host_work = malloc (on_host + 1);
  const double ms = measure (
      [&] { b.prepare (); },
      [&] {
        for (int64_t p = 0; p < pages; p++) {
          const int64_t at = p * b.m * b.n;
          must (cusolverDnXgesvdp (h, params, CUSOLVER_EIG_MODE_VECTOR, 1, b.m, b.n, type, b.A + at,
                                   b.m, real, b.S + p * b.k, type, b.U + at, b.m, type, b.V + at,
                                   b.n, type, work, on_device, host_work, on_host, b.info, &off),
                "Xgesvdp");
        }
      });
  cudaFree (work);
  free (host_work);
  cusolverDnDestroyParams (params);
  return 1e3 * ms / (double)pages;
}

#endif
