// pages_peer.cuh: products, systems and inverses by cuBLAS and cuSOLVER, and the errors of ours
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PAGES_PEER_CUH
#define PAGES_PEER_CUH

#include "common/device_bench.cuh"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <vector>

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

//------------------------------------------------------------------------------
// errors, for some pages on the host
//------------------------------------------------------------------------------

typedef std::complex<double> number;

// A page of a packed array on the GPU, as double complex.
template <class T> std::vector<number> fetch (const T *a, int64_t count, int64_t page)
{
  std::vector<T> raw (count);
  must (cudaMemcpy (raw.data (), a + page * count, count * sizeof (T), cudaMemcpyDeviceToHost),
        "copy");
  std::vector<number> out (count);
  for (int64_t e = 0; e < count; e++) {
    const typename scalar<T>::real *x = reinterpret_cast<typename scalar<T>::real *> (&raw[e]);
    out[e] = number (x[0], scalar<T>::complex ? x[1] : 0);
  }
  return out;
}

inline std::vector<number> turned (const std::vector<number> &a, char op, int64_t rows,
                                   int64_t columns)
{
  if (op == 'N')
    return a;
  std::vector<number> out (a.size ()); // a: columns x rows
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      out[i + j * rows] = op == 'C' ? std::conj (a[j + i * columns]) : a[j + i * columns];
  return out;
}

inline double larger (double worst, double x)
{
  return x <= worst ? worst : std::isnan (x) ? INFINITY : x;
}

// Largest |C - A*B| of an element over k*eps*|A|*|B|.
inline double product_error (const std::vector<number> &A, const std::vector<number> &B,
                             const std::vector<number> &C, int64_t m, int64_t k, int64_t n,
                             double eps)
{
  double worst = 0;
  std::vector<number> column (m);
  std::vector<double> size (m);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < m; i++) {
      column[i] = -C[i + j * m];
      size[i] = 0;
    }
    for (int64_t l = 0; l < k; l++)
      for (int64_t i = 0; i < m; i++) {
        const number a = A[i + l * m], b = B[l + j * k];
        column[i] += number (a.real () * b.real () - a.imag () * b.imag (),
                             a.real () * b.imag () + a.imag () * b.real ());
        size[i] += std::sqrt (std::norm (a) * std::norm (b));
      }
    for (int64_t i = 0; i < m; i++)
      worst = larger (worst, std::abs (column[i]) / ((k + 2) * eps * size[i]));
  }
  return worst;
}

// Largest |B - A*x| of a column over n*eps*|A|*|x|, in the Inf-norm.
inline double system_error (const std::vector<number> &A, const std::vector<number> &B,
                            const std::vector<number> &X, int64_t n, int64_t rhs, double eps)
{
  double norm = 0, worst = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += std::abs (A[i + j * n]);
    norm = std::fmax (norm, sum);
  }
  std::vector<number> r (n);
  for (int64_t c = 0; c < rhs; c++) {
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++)
      r[i] = B[i + c * n];
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        const number a = A[i + j * n], x = X[j + c * n];
        r[i] -= number (a.real () * x.real () - a.imag () * x.imag (),
                        a.real () * x.imag () + a.imag () * x.real ());
      }
    for (int64_t i = 0; i < n; i++) {
      off = larger (off, std::abs (r[i]));
      size = larger (size, std::abs (X[i + c * n]));
    }
    worst = larger (worst, off / (n * eps * norm * size));
  }
  return worst;
}

// The smaller of |I - A*X| and |I - X*A|, columns as above.
inline double inverse_error (const std::vector<number> &A, const std::vector<number> &X, int64_t n,
                             double eps)
{
  std::vector<number> unit (n * n);
  for (int64_t i = 0; i < n; i++)
    unit[i + i * n] = 1;
  return std::fmin (system_error (A, unit, X, n, n, eps),
                    system_error (turned (A, 'T', n, n), unit, turned (X, 'T', n, n), n, n, eps));
}

#endif
