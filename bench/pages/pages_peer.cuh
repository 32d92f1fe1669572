// pages_peer.cuh: products, systems and inverses of pages by cuBLAS and cuSOLVER, by type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAGES_PEER_CUH
#define PAGES_PEER_CUH

#include "common/device_bench.cuh"

#include <cublas_v2.h>
#include <cusolverDn.h>

// The routines have a name per type and no common one.
template <class T> struct routines;
template <> struct routines<float> {
  static constexpr auto gemm = cublasSgemmStridedBatched;
  static constexpr auto getrf = cublasSgetrfBatched;
  static constexpr auto getrs = cublasSgetrsBatched;
  static constexpr auto getri = cublasSgetriBatched;
  static constexpr auto potrf = cusolverDnSpotrfBatched;
  static constexpr auto potrs = cusolverDnSpotrsBatched;
};
template <> struct routines<double> {
  static constexpr auto gemm = cublasDgemmStridedBatched;
  static constexpr auto getrf = cublasDgetrfBatched;
  static constexpr auto getrs = cublasDgetrsBatched;
  static constexpr auto getri = cublasDgetriBatched;
  static constexpr auto potrf = cusolverDnDpotrfBatched;
  static constexpr auto potrs = cusolverDnDpotrsBatched;
};
template <> struct routines<cuFloatComplex> {
  static constexpr auto gemm = cublasCgemmStridedBatched;
  static constexpr auto getrf = cublasCgetrfBatched;
  static constexpr auto getrs = cublasCgetrsBatched;
  static constexpr auto getri = cublasCgetriBatched;
  static constexpr auto potrf = cusolverDnCpotrfBatched;
  static constexpr auto potrs = cusolverDnCpotrsBatched;
};
template <> struct routines<cuDoubleComplex> {
  static constexpr auto gemm = cublasZgemmStridedBatched;
  static constexpr auto getrf = cublasZgetrfBatched;
  static constexpr auto getrs = cublasZgetrsBatched;
  static constexpr auto getri = cublasZgetriBatched;
  static constexpr auto potrf = cusolverDnZpotrfBatched;
  static constexpr auto potrs = cusolverDnZpotrsBatched;
};

struct peers {
  cublasHandle_t cublas = NULL;
  cusolverDnHandle_t cusolver = NULL;

  peers ()
  {
    must (cublasCreate (&cublas), "cublasCreate");
    must (cusolverDnCreate (&cusolver), "cusolverDnCreate");
  }
};

inline cublasOperation_t operation (char op)
{
  return op == 'N' ? CUBLAS_OP_N : op == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}

// C = op_a (A) * op_b (B), packed pages; B is one page where `shared`.
template <class T>
int gemm_batched (peers &p, char op_a, char op_b, int m, int k, int n, const T *A, const T *B,
                  bool shared, T *C, int pages)
{
  T one = {}, zero = {};
  reinterpret_cast<typename scalar<T>::real *> (&one)[0] = 1;
  return routines<T>::gemm (p.cublas, operation (op_a), operation (op_b), m, n, k, &one, A,
                            op_a == 'N' ? m : k, (long long)m * k, B, op_b == 'N' ? k : n,
                            shared ? 0 : (long long)k * n, &zero, C, m, (long long)m * n, pages);
}

// The addresses of pages, as the routines below want them.
template <class T> __global__ void addresses_kernel (T *a, int64_t step, int pages, T **to)
{
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < pages)
    to[p] = a + p * step;
}

template <class T> struct page_list {
  T **at;
  page_list (T *a, int64_t step, int pages)
  {
    must (cudaMalloc (&at, pages * sizeof *at), "cudaMalloc");
    addresses_kernel<<<(pages + 255) / 256, 256>>> (a, step, pages, at);
  }
  page_list (const page_list &) = delete;
  ~page_list () { cudaFree (at); }
};

// A and X are overwritten: X holds B before and the solution afterwards.
template <class T> struct batched_system {
  peers &p;
  int n, rhs, pages;
  page_list<T> A, X;
  int *pivots, *info;

  batched_system (peers &p_, int n_, int rhs_, int pages_, T *a, T *x)
      : p (p_), n (n_), rhs (rhs_), pages (pages_), A (a, (int64_t)n * n, pages),
        X (x, (int64_t)n * rhs, pages)
  {
    must (cudaMalloc (&pivots, (size_t)n * pages * sizeof *pivots), "cudaMalloc");
    must (cudaMalloc (&info, pages * sizeof *info), "cudaMalloc");
  }
  ~batched_system ()
  {
    cudaFree (pivots);
    cudaFree (info);
  }
  int general ()
  {
    int host_info = 0;
    const int failed = routines<T>::getrf (p.cublas, n, A.at, n, pivots, info, pages);
    return failed + routines<T>::getrs (p.cublas, CUBLAS_OP_N, n, rhs, A.at, n, pivots, X.at, n,
                                        &host_info, pages);
  }
  // X: n x n, the inverse
  int inverse ()
  {
    const int failed = routines<T>::getrf (p.cublas, n, A.at, n, pivots, info, pages);
    return failed + routines<T>::getri (p.cublas, n, A.at, n, pivots, X.at, n, info, pages);
  }
  // One right-hand side: cuSOLVER has no more.
  int definite ()
  {
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    const int failed = routines<T>::potrf (p.cusolver, lower, n, A.at, n, info, pages);
    return failed + routines<T>::potrs (p.cusolver, lower, n, rhs, A.at, n, X.at, n, info, pages);
  }
};

#endif
