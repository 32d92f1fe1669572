// bench_svd.cu: compares gla_batchsvd with cuSOLVER on one GPU, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_svd [--quick] [K]      K: only pages whose smaller side is at least K
// Prints a table (TSV): microseconds per page, arrays on the GPU, random pages, new before each
// call; the median of whole calls. Peers: gesvdjBatched to 32 by 32, gesvdaStridedBatched and one
// call of gesvdj after the other for tall pages. A result of gla_batchsvd with a residual or
// orthogonality ratio above 30 ends with status 1.

#include "device_bench.cuh"
#include "gpulinalg.h"

#include <cusolverDn.h>

#include <cmath>
#include <cstring>
#include <ctime>

static bool wrong;

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

template <class T> static gla_array on_gpu (T *data, int rows, int columns, int64_t pages)
{
  return gla_array_packed (data, (gla_type)scalar<T>::letter, rows, columns, pages, 0);
}

template <class T> static double ours (gla_context *ctx, svd_batch<T> &b, bool vectors)
{
  const gla_array A = on_gpu (b.A, b.m, b.n, b.pages);
  gla_svd_results r = {sizeof r};
  r.S = on_gpu (b.S, b.k, 1, b.pages);
  if (vectors) {
    r.U = on_gpu (b.U, b.m, b.k, b.pages);
    r.V = on_gpu (b.V, b.n, b.k, b.pages);
  }
  auto call = [&] { must (gla_batchsvd (ctx, &A, &r, NULL, NULL), gla_message (ctx)); };
  return 1e3 / (double)b.pages * measure ([&] { b.prepare (); }, call);
}

//------------------------------------------------------------------------------
// is it right
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

// Of some pages, over the longer side times eps; NaN if a number is.
template <class T> static double error_of (const svd_batch<T> &b)
{
  typedef typename scalar<T>::real R;
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

//------------------------------------------------------------------------------
// the peers
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

// gla_batcheig with vectors, of the same order; NaN for pages that are not square.
template <class T> static double batcheig (gla_context *ctx, svd_batch<T> &b)
{
  if (b.m != b.n)
    return NAN;
  const gla_array A = on_gpu (b.A, b.n, b.n, b.pages);
  gla_eig_results r = {sizeof r};
  r.lambda = on_gpu (b.S, b.n, 1, b.pages);
  r.V = on_gpu (b.V, b.n, b.n, b.pages);
  gla_eig_options o = {sizeof o, GLA_EIG_METHOD_AUTO, GLA_TRIANGLE_LOWER};
  auto call = [&] { must (gla_batcheig (ctx, &A, &r, &o, NULL), gla_message (ctx)); };
  return 1e3 / (double)b.pages * measure ([&] { b.prepare (); }, call);
}

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

template <class T>
static void row (gla_context *ctx, cusolverDnHandle_t h, int m, int n, int64_t pages)
{
  svd_batch<T> b (m, n, pages);
  const double vectors = ours (ctx, b, true), error = error_of (b), values = ours (ctx, b, false);
  const bool small = m <= 32 && n <= 32, tall = m > 32;
  const double jacobi = small ? gesvdj_batched (h, b) : NAN,
               approximate = tall ? gesvda (h, b) : NAN;
  const double loop = tall ? gesvdj_loop (h, b) : NAN, eig = batcheig (ctx, b);
  const double best = small ? jacobi : std::fmin (approximate, loop);
  wrong |= !(error <= 30);
  printf ("%c\t%d\t%d\t%lld\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.3g\t%.3g\t%.4g\t%.3g\t%.3g\n",
          scalar<T>::letter, m, n, (long long)pages, vectors, values, jacobi, approximate, loop,
          best / vectors, values / vectors, eig, vectors / eig, error);
  fflush (stdout);
}

static void print_machine ()
{
  cudaDeviceProp gpu;
  must (cudaGetDeviceProperties (&gpu, 0), "cudaGetDeviceProperties");
  int cuda = 0, cusolver = 0;
  cudaRuntimeGetVersion (&cuda);
  cusolverGetVersion (&cusolver);
  char date[32];
  time_t now = time (NULL);
  strftime (date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime (&now));
  printf ("# %s; CUDA %d.%d; cuSOLVER %d; gpulinalg %s; %s\n", gpu.name, cuda / 1000,
          cuda % 1000 / 10, cusolver, gla_version (), date);
  printf ("# microseconds per page, everything on the GPU: bench_svd; peer: gesvdjBatched, or the "
          "faster of gesvdaStridedBatched and gesvdj\n");
  printf ("type\tm\tn\tpages\tvectors\tvalues\tgesvdj_batched\tgesvda\tgesvdj\tpeer/vectors\t"
          "values/vectors\tbatcheig\tvectors/batcheig\terror\n");
}

struct shape {
  int m, n;
  int64_t pages;
  bool in_quick;
};

int main (int argc, char **argv)
{
  const shape shapes[] = {{2, 2, 60000, false},   {3, 3, 60000, true},     {4, 4, 60000, false},
                          {6, 6, 60000, false},   {8, 8, 60000, true},     {12, 12, 20000, false},
                          {16, 16, 20000, true},  {20, 20, 20000, false},  {24, 24, 20000, false},
                          {32, 32, 20000, true},  {32, 8, 20000, false},   {60, 8, 20000, true},
                          {125, 32, 8000, false}, {1000, 32, 1000, false}, {48, 48, 4000, false},
                          {64, 64, 2000, true},   {125, 64, 1000, true},   {96, 96, 1000, false},
                          {128, 128, 1000, true}, {192, 192, 500, false},  {256, 256, 256, true},
                          {900, 100, 300, true}};
  const bool quick = argc > 1 && strcmp (argv[1], "--quick") == 0;
  const int least = argc > 1 + quick ? atoi (argv[1 + quick]) : 1;
  gla_context *ctx;
  cusolverDnHandle_t h;
  const int device = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  must (cusolverDnCreate (&h), "cusolverDnCreate");
  print_machine ();
  for (const shape &s : shapes) {
    if ((quick && !s.in_quick) || std::min (s.m, s.n) < least)
      continue;
    row<double> (ctx, h, s.m, s.n, s.pages);
    row<cuDoubleComplex> (ctx, h, s.m, s.n, s.pages);
    if (quick)
      continue;
    row<float> (ctx, h, s.m, s.n, s.pages);
    row<cuFloatComplex> (ctx, h, s.m, s.n, s.pages);
  }
  gla_context_destroy (ctx);
  cusolverDnDestroy (h);
  return wrong;
}
