// bench_qr.cu: compares gla_qr on device arrays with cuSOLVER's geqrf and orgqr, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_qr [--types zd] [--shapes 2048x1024,1000000x64,32x32x10000] [--block r] [--alone]
// Prints one line per shape, economy Q and R: milliseconds (median) of ours and of cuSOLVER, the
// ratio, TFLOP/s and their fraction of 60, and the larger of the columnwise backward error and of
// the loss of orthogonality, both in units of n*eps. Operations are counted as for reflectors, 4 m
// n^2 - 4 n^3 / 3 (complex: four times that), whatever method gla_qr chooses. cuSOLVER loops over
// pages.
// --alone leaves cuSOLVER out.

#include "gpulinalg.h"
#include "common/device_bench.cuh"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct shape {
  int64_t m, n, pages;
};

struct settings {
  std::string types = "dz";
  std::vector<shape> shapes = {
      {512, 256, 1},    {1024, 512, 1},   {2048, 1024, 1},  {4096, 2048, 1},  {8192, 4096, 1},
      {16384, 8192, 1}, {1000000, 64, 1}, {1000000, 16, 1}, {100000, 128, 1}, {32, 32, 10000},
      {64, 64, 1000},   {256, 32, 1000},  {512, 64, 1000},  {512, 256, 64}};
  int block = 0;
  bool alone = false;
};

//------------------------------------------------------------------------------
// cuSOLVER and cuBLAS by type
//------------------------------------------------------------------------------

static cusolverDnHandle_t cusolver;
static cublasHandle_t cublas;

#define PEER(T, P, GQR)                                                                            \
  static int geqrf (int m, int n, T *a, T *tau, T *work, int size, int *info)                      \
  {                                                                                                \
    return cusolverDn##P##geqrf (cusolver, m, n, a, m, tau, work, size, info);                     \
  }                                                                                                \
  static int orgqr (int m, int n, T *a, T *tau, T *work, int size, int *info)                      \
  {                                                                                                \
    return cusolverDn##GQR (cusolver, m, n, n, a, m, tau, work, size, info);                       \
  }                                                                                                \
  static int work_size (int m, int n, T *a, T *tau)                                                \
  {                                                                                                \
    int one = 0, two = 0;                                                                          \
    must (cusolverDn##P##geqrf_bufferSize (cusolver, m, n, a, m, &one), "bufferSize");             \
    must (cusolverDn##GQR##_bufferSize (cusolver, m, n, n, a, m, tau, &two), "bufferSize");        \
    return std::max (one, two);                                                                    \
  }                                                                                                \
  static void gemm (cublasOperation_t left, int m, int n, int k, double alpha, const T *A,         \
                    int lda, const T *B, int ldb, double beta, T *C, int ldc)                      \
  {                                                                                                \
    T scalars[2] = {};                                                                             \
    reinterpret_cast<scalar<T>::real *> (&scalars[0])[0] = alpha;                                  \
    reinterpret_cast<scalar<T>::real *> (&scalars[1])[0] = beta;                                   \
    must (cublas##P##gemm (cublas, left, CUBLAS_OP_N, m, n, k, &scalars[0], A, lda, B, ldb,        \
                           &scalars[1], C, ldc),                                                   \
          "gemm");                                                                                 \
  }
PEER (float, S, Sorgqr)
PEER (double, D, Dorgqr)
PEER (cuFloatComplex, C, Cungqr)
PEER (cuDoubleComplex, Z, Zungqr)

//------------------------------------------------------------------------------
// data and checks
//------------------------------------------------------------------------------

// One block per column: |a_j| and |a_j - (Q R)_j|.
template <class T> __global__ void column_norms_kernel (const T *a, int64_t m, double *norm)
{
  __shared__ double part[256];
  double sum = 0;
  for (int64_t i = threadIdx.x; i < m; i += blockDim.x) {
    double2 x = wide (a[blockIdx.x * m + i]);
    sum += x.x * x.x + x.y * x.y;
  }
  part[threadIdx.x] = sum;
  __syncthreads ();
  for (int h = 128; h > 0; h /= 2) {
    if (threadIdx.x < h)
      part[threadIdx.x] += part[threadIdx.x + h];
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    norm[blockIdx.x] = sqrt (part[0]);
}

template <class T> std::vector<double> column_norms (const T *a, int64_t m, int64_t n)
{
  double *norm;
  std::vector<double> host (n);
  must (cudaMalloc (&norm, n * sizeof *norm), "cudaMalloc");
  column_norms_kernel<<<(unsigned)n, 256>>> (a, m, norm);
  must (cudaMemcpy (host.data (), norm, n * sizeof *norm, cudaMemcpyDeviceToHost), "copy");
  cudaFree (norm);
  return host;
}

// In units of max (n, 10) eps; E is scratch like A, G k x k.
template <class T>
double error_of (const T *A, const T *Q, const T *R, T *E, T *G, int64_t m, int64_t n)
{
  double eps = sizeof (typename scalar<T>::real) == 8 ? 2.2e-16 : 1.2e-7, worst = 0;
  int64_t k = std::min (m, n);
  must (cudaMemcpy (E, A, m * n * sizeof (T), cudaMemcpyDeviceToDevice), "copy");
  std::vector<double> norms = column_norms (A, m, n);
  gemm (CUBLAS_OP_N, m, n, k, -1, Q, m, R, k, 1, E, m);
  std::vector<double> errors = column_norms (E, m, n);
  for (int64_t j = 0; j < n; j++)
    if (!(errors[j] / norms[j] <= worst))
      worst = std::isnan (errors[j]) ? INFINITY : errors[j] / norms[j];
  gemm (scalar<T>::complex ? CUBLAS_OP_C : CUBLAS_OP_T, k, k, m, 1, Q, m, Q, m, 0, G, k);
  std::vector<T> g (k * k);
  must (cudaMemcpy (g.data (), G, k * k * sizeof (T), cudaMemcpyDeviceToHost), "copy");
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++) {
      const typename scalar<T>::real *x =
          reinterpret_cast<typename scalar<T>::real *> (&g[i + j * k]);
      double off = std::hypot (x[0] - (i == j), scalar<T>::complex ? x[1] : 0);
      if (!(off <= worst))
        worst = std::isnan (off) ? INFINITY : off;
    }
  return worst / (std::max<double> (n, 10) * eps);
}

//------------------------------------------------------------------------------
// a shape
//------------------------------------------------------------------------------

template <class T> void run (gla_context *ctx, const settings &set, shape s)
{
  int64_t m = s.m, n = s.n, k = std::min (m, n);
  gla_type type = (gla_type)scalar<T>::letter;
  T *A, *Q, *R, *work, *tau, *G;
  int *info, size = set.alone ? 1 : work_size (m, n, (T *)nullptr, (T *)nullptr);
  must (cudaMalloc (&A, m * n * s.pages * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&Q, m * std::max (k, n) * s.pages * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&R, k * n * s.pages * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&work, size * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&G, (k * k + m * n + k) * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&info, sizeof (int)), "cudaMalloc");
  tau = G + k * k + m * n;
  fill_kernel<<<(unsigned)((m * n * s.pages + 255) / 256), 256>>> (A, m * n * s.pages, 7 * m + n);
  cudaMemset (Q, 0xff, m * k * s.pages * sizeof (T));
  cudaMemset (R, 0xff, k * n * s.pages * sizeof (T));

  gla_array a = gla_array_packed (A, type, m, n, s.pages, 0);
  gla_qr_results results = {sizeof results};
  results.Q = gla_array_packed (Q, type, m, k, s.pages, 0);
  results.R = gla_array_packed (R, type, k, n, s.pages, 0);
  gla_qr_options options = {sizeof options, 0, set.block};
  double ours = measure ([] {},
                         [&] {
                           if (gla_qr (ctx, &a, NULL, &results, &options, NULL) != GLA_OK) {
                             fprintf (stderr, "bench_qr: %s\n", gla_message (ctx));
                             exit (1);
                           }
                         });
  double error = error_of (A, Q, R, G + k * k, G, m, n);
  int64_t last = s.pages - 1;
  error = std::max (
      error, error_of (A + m * n * last, Q + m * k * last, R + k * n * last, G + k * k, G, m, n));
  double peer = NAN;
  if (!set.alone && m >= n)
    peer =
        measure ([&] { cudaMemcpy (Q, A, m * n * s.pages * sizeof (T), cudaMemcpyDeviceToDevice); },
                 [&] {
                   for (int64_t p = 0; p < s.pages; p++) {
                     must (geqrf (m, n, Q + p * m * n, tau, work, size, info), "geqrf");
                     must (orgqr (m, n, Q + p * m * n, tau, work, size, info), "orgqr");
                   }
                 });
  double flops = (scalar<T>::complex ? 4 : 1) * s.pages * 4.0 *
                 (2.0 * m * n * k - (m + n) * (double)k * k + 2.0 / 3 * k * (double)k * k);
  printf ("%c\t%lld\t%lld\t%lld\t%.4g\t%.4g\t%.3g\t%.3g\t%.3f\t%.3g\n", scalar<T>::letter,
          (long long)m, (long long)n, (long long)s.pages, ours, peer, peer / ours,
          flops / ours * 1e-9, flops / ours * 1e-9 / 60, error);
  fflush (stdout);
  for (void *p : {(void *)A, (void *)Q, (void *)R, (void *)work, (void *)G, (void *)info})
    cudaFree (p);
}

static std::vector<shape> shapes_of (const char *text)
{
  std::vector<shape> shapes;
  for (const char *at = text; *at != '\0';) {
    long long m = 0, n = 0, pages = 1;
    if (sscanf (at, "%lldx%lldx%lld", &m, &n, &pages) < 2 || m < 1 || n < 1 || pages < 1) {
      fprintf (stderr, "bench_qr: shapes are as 512x256 or 32x32x1000, not \"%s\"\n", at);
      exit (2);
    }
    shapes.push_back ({m, n, pages});
    at = strchr (at, ',') != NULL ? strchr (at, ',') + 1 : "";
  }
  return shapes;
}

int main (int argc, char **argv)
{
  settings set;
  for (int k = 1; k < argc; k++) {
    if (strcmp (argv[k], "--types") == 0 && k + 1 < argc)
      set.types = argv[++k];
    else if (strcmp (argv[k], "--shapes") == 0 && k + 1 < argc)
      set.shapes = shapes_of (argv[++k]);
    else if (strcmp (argv[k], "--block") == 0 && k + 1 < argc)
      set.block = atoi (argv[++k]);
    else if (strcmp (argv[k], "--alone") == 0)
      set.alone = true;
    else {
      fprintf (stderr, "bench_qr: unknown option %s\n", argv[k]);
      return 2;
    }
  }
  gla_context *ctx;
  int device = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  must (cusolverDnCreate (&cusolver), "cusolverDnCreate");
  must (cublasCreate (&cublas), "cublasCreate");
  printf ("type\tm\tn\tpages\tours_ms\tcusolver_ms\tratio\ttflops\tof_60\terror_neps\n");
  for (shape s : set.shapes)
    for (char type : set.types)
      switch (type) {
      case 's':
        run<float> (ctx, set, s);
        break;
      case 'd':
        run<double> (ctx, set, s);
        break;
      case 'c':
        run<cuFloatComplex> (ctx, set, s);
        break;
      case 'z':
        run<cuDoubleComplex> (ctx, set, s);
        break;
      }
  gla_context_destroy (ctx);
  return 0;
}
