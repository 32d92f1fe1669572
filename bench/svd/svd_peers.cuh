// svd_peers.cuh: a batch for singular values, cuSOLVER's ways for it, and whether results are right
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_PEERS_CUH
#define GPULINALG_SVD_PEERS_CUH

#include "common/device_bench.cuh"

#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <limits>

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

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

template <class T> struct on_host {
  typedef typename scalar<T>::real R;
  static constexpr int C = scalar<T>::complex ? 2 : 1;
  std::vector<R> x;
  int rows;
  on_host (const T *from, int rows, int columns, int64_t page)
      : x ((size_t)C * rows * columns), rows (rows)
  {
    must (cudaMemcpy (x.data (), from + (int64_t)rows * columns * page, x.size () * sizeof (R),
                      cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  }
  double re (int i, int j) const { return x[(size_t)C * (i + (size_t)j * rows)]; }
  double im (int i, int j) const { return C == 2 ? x[(size_t)C * (i + (size_t)j * rows) + 1] : 0; }
};

// |Q'*Q - I|, the largest element.
template <class T> static double not_orthonormal (const on_host<T> &q, int columns)
{
  double worst = 0;
  for (int j = 0; j < columns; j++)
    for (int k = 0; k <= j; k++) {
      double re = j == k ? -1 : 0, im = 0;
      for (int i = 0; i < q.rows; i++) {
        re += q.re (i, k) * q.re (i, j) + q.im (i, k) * q.im (i, j);
        im += q.re (i, k) * q.im (i, j) - q.im (i, k) * q.re (i, j);
      }
      const double here = std::hypot (re, im);
      worst = here <= worst ? worst : here;
    }
  return worst;
}

// The same of large pages, by random vectors: |Q'*Q*x - x| over |x|.
typedef std::vector<std::complex<double>> vector;
static double norm_of (const vector &x)
{
  double sum = 0;
  for (const auto &e : x)
    sum += std::norm (e);
  return std::sqrt (sum);
}
static vector random_vector (int rows)
{
  vector x (rows);
  for (auto &e : x)
    e = rand () / (double)RAND_MAX - 0.5;
  return x;
}
template <class T>
static vector product (const on_host<T> &a, int columns, bool adjoint, const vector &x)
{
  vector y (adjoint ? columns : a.rows);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < a.rows; i++) {
      const std::complex<double> e (a.re (i, j), a.im (i, j));
      if (adjoint)
        y[j] += std::conj (e) * x[i];
      else
        y[i] += e * x[j];
    }
  return y;
}
template <class T> static double off_one (const on_host<T> &q, int columns)
{
  const vector x = random_vector (columns);
  vector y = product (q, columns, true, product (q, columns, false, x));
  for (int j = 0; j < columns; j++)
    y[j] -= x[j];
  return norm_of (y) / norm_of (x);
}
template <class T> static double error_of_large (const svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
  const on_host<T> A (b.A, b.m, b.n, 0), U (b.U, b.m, b.k, 0), V (b.V, b.n, b.k, 0);
  std::vector<R> s (b.k);
  must (cudaMemcpy (s.data (), b.S, b.k * sizeof (R), cudaMemcpyDeviceToHost), "cudaMemcpy");
  double worst = std::fmax (off_one (U, b.k), off_one (V, b.k));
  const vector x = random_vector (b.n);
  vector y = product (V, b.k, true, x), z = product (A, b.n, false, x);
  for (int j = 0; j < b.k; j++)
    y[j] *= s[j];
  const vector w = product (U, b.k, false, y);
  for (int i = 0; i < b.m; i++)
    z[i] -= w[i];
  const double off = norm_of (z) / norm_of (x) / s[0];
  worst = off <= worst ? worst : off;
  return worst / (std::max (b.m, b.n) * (double)std::numeric_limits<R>::epsilon ());
}

// Of some pages, over the longer side times eps; NaN if a number is.
template <class T> static double error_of (const svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
  if (b.k > 256)
    return error_of_large (b);
  double worst = 0;
  for (int64_t p = 0; p < b.pages; p += (b.pages + 4) / 5) {
    const on_host<T> A (b.A, b.m, b.n, p), U (b.U, b.m, b.k, p), V (b.V, b.n, b.k, p);
    std::vector<R> s (b.k);
    must (cudaMemcpy (s.data (), b.S + b.k * p, b.k * sizeof (R), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    double here = std::fmax (not_orthonormal (U, b.k), not_orthonormal (V, b.k));
    for (int i = 0; i < b.m; i++)
      for (int j = 0; j < b.n; j++) {
        double re = A.re (i, j), im = A.im (i, j);
        for (int l = 0; l < b.k; l++) {
          re -= s[l] * (U.re (i, l) * V.re (j, l) + U.im (i, l) * V.im (j, l));
          im -= s[l] * (U.im (i, l) * V.re (j, l) - U.re (i, l) * V.im (j, l));
        }
        const double off = std::hypot (re, im) / s[0];
        here = off <= here ? here : off;
      }
    worst = here <= worst ? worst : here;
  }
  return worst / (std::max (b.m, b.n) * (double)std::numeric_limits<R>::epsilon ());
}

#endif
