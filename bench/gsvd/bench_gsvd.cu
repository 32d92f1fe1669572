// bench_gsvd.cu: compares gla_gsvd on device arrays with the published CUDA code of Hari-Zimmermann
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_gsvd [--types dz] [--sizes 512,1024,16x5000] [--block 16]
// Square random pairs, all five outputs, one line per size, type and method: milliseconds (median),
// those of the published code, the ratio, sweeps, the call's milliseconds per sweep, TFLOP/s of the
// sweeps (Gram matrices and updates, over the whole call) and their fraction of 60, and the largest
// of the residuals of A and B and of the losses of orthogonality of U and V (Frobenius), in units
// of n*eps. The published code (Novakovic and Singer 2021, variant 0, block-oriented, one GPU,
// CUDA 13.0) is not run here: its solver times on an H200 are below. With a block, pairs of up to
// 64 columns go the way of larger ones.

#include "gpulinalg.h"
#include "common/device_bench.cuh"

#include <cmath>
#include <cstring>
#include <string>

struct published {
  int n;
  double real_ms, complex_ms;
};
static const published peer[] = {
    {512, 70, 122}, {1024, 256, 512}, {2048, 1070, 1920}, {4096, 4540, 8370}};

static double published_ms (int64_t n, int64_t pages, bool complex)
{
  for (const published &p : peer)
    if (p.n == n && pages == 1)
      return complex ? p.complex_ms : p.real_ms;
  return NAN;
}

struct size {
  int64_t n, pages;
};

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

// E := A - U diag (c) X', or with c NULL the identity less U'X; a thread per entry.
template <class T>
__global__ void error_kernel (T *E, const T *A, const T *U, const void *c, const T *X, int n)
{
  typedef typename scalar<T>::real R;
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= n)
    return;
  const R *factor = static_cast<const R *> (c);
  double x = 0, y = 0;
  for (int k = 0; k < n; k++) {
    double2 u, v;
    if (factor != nullptr) { // u v'
      u = wide (U[(int64_t)k * n + i]);
      v = wide (X[(int64_t)k * n + j]);
      u.x *= factor[k];
      u.y *= factor[k];
      v.y = -v.y;
    } else { // u' v
      u = wide (U[(int64_t)i * n + k]);
      v = wide (X[(int64_t)j * n + k]);
      u.y = -u.y;
    }
    x += u.x * v.x - u.y * v.y;
    y += u.x * v.y + u.y * v.x;
  }
  double2 a = factor != nullptr ? wide (A[(int64_t)j * n + i]) : make_double2 (i == j, 0);
  R *to = reinterpret_cast<R *> (E + (int64_t)j * n + i);
  to[0] = (R)(a.x - x);
  if (scalar<T>::complex)
    to[1] = (R)(a.y - y);
}

template <class T> double frobenius (const T *a, int64_t count)
{
  typedef typename scalar<T>::real R;
  std::vector<T> host (count);
  must (cudaMemcpy (host.data (), a, count * sizeof (T), cudaMemcpyDeviceToHost), "copy");
  double sum = 0;
  const R *x = reinterpret_cast<const R *> (host.data ());
  for (int64_t i = 0; i < count * (scalar<T>::complex ? 2 : 1); i++)
    sum += (double)x[i] * x[i];
  return std::sqrt (sum);
}

template <class T> struct pair_memory {
  T *A, *B, *U, *V, *X, *E;
  typename scalar<T>::real *alpha, *beta;
};

// Of one page, in units of n eps.
template <class T> double error_of (const pair_memory<T> &p, int64_t page, int n)
{
  int64_t at = page * n * n, all = (int64_t)n * n;
  double eps = sizeof (typename scalar<T>::real) == 8 ? 2.2e-16 : 1.2e-7, worst = 0;
  dim3 grid ((n + 127) / 128, n);
  struct {
    const T *A, *U, *X;
    const void *c;
  } checks[] = {{p.A + at, p.U + at, p.X + at, p.alpha + page * n},
                {p.B + at, p.V + at, p.X + at, p.beta + page * n},
                {nullptr, p.U + at, p.U + at, nullptr},
                {nullptr, p.V + at, p.V + at, nullptr}};
  for (auto &c : checks) {
    error_kernel<<<grid, 128>>> (p.E, c.A, c.U, c.c, c.X, n);
    double error = frobenius (p.E, all) / (c.A != nullptr ? frobenius (c.A, all) : 1);
    worst = error <= worst ? worst : std::isnan (error) ? INFINITY : error;
  }
  return worst / (n * eps);
}

//------------------------------------------------------------------------------
// a size
//------------------------------------------------------------------------------

template <class T> void allocate (pair_memory<T> *p, int64_t n, int64_t pages)
{
  int64_t bytes = n * n * pages * sizeof (T);
  for (T **a : {&p->A, &p->B, &p->U, &p->V, &p->X}) {
    must (cudaMalloc (a, bytes), "cudaMalloc");
    cudaMemset (*a, 0xff, bytes);
  }
  must (cudaMalloc (&p->E, n * n * sizeof (T)), "cudaMalloc");
  must (cudaMalloc (&p->alpha, n * pages * sizeof *p->alpha), "cudaMalloc");
  must (cudaMalloc (&p->beta, n * pages * sizeof *p->beta), "cudaMalloc");
  unsigned blocks = (unsigned)((n * n * pages + 255) / 256);
  fill_kernel<<<blocks, 256>>> (p->A, n * n * pages, 7 * n + 1);
  fill_kernel<<<blocks, 256>>> (p->B, n * n * pages, 7 * n + (1ull << 40));
}

template <class T> void run (gla_context *ctx, size s, gla_gsvd_method method, int block)
{
  int64_t n = s.n;
  gla_type type = (gla_type)scalar<T>::letter, real = gla_type_real (type);
  pair_memory<T> p;
  allocate (&p, n, s.pages);
  std::vector<gla_gsvd_stats> stats (s.pages);
  gla_array A = gla_array_packed (p.A, type, n, n, s.pages, 0);
  gla_array B = gla_array_packed (p.B, type, n, n, s.pages, 0);
  gla_gsvd_results results = {sizeof results};
  results.alpha = gla_array_packed (p.alpha, real, n, 1, s.pages, 0);
  results.beta = gla_array_packed (p.beta, real, n, 1, s.pages, 0);
  results.U = gla_array_packed (p.U, type, n, n, s.pages, 0);
  results.V = gla_array_packed (p.V, type, n, n, s.pages, 0);
  results.X = gla_array_packed (p.X, type, n, n, s.pages, 0);
  results.stats = stats.data ();
  gla_gsvd_options options = {sizeof options, method, GLA_GSVD_BLOCKING_ORIENTED,
                              GLA_GSVD_ORDERING_ME, block};
  gla_gsvd_report report = {{sizeof report}};
  double ms = measure ([] {},
                       [&] {
                         if (gla_gsvd (ctx, &A, &B, &results, &options, &report) != GLA_OK ||
                             report.base.pages_failed > 0) {
                           fprintf (stderr, "bench_gsvd: %s, %lld pages failed\n",
                                    gla_message (ctx), (long long)report.base.pages_failed);
                           exit (1);
                         }
                       });
  double error = std::max (error_of (p, 0, n), error_of (p, s.pages - 1, n));
  int sweeps = stats[0].sweeps;
  double theirs = published_ms (n, s.pages, scalar<T>::complex);
  double flops = (method == GLA_GSVD_METHOD_HZ ? 16.0 : 12.0) * n * n * n * s.pages *
                 (scalar<T>::complex ? 4 : 1);
  double rate = flops * sweeps / ms * 1e-9;
  printf ("%c\t%lld\t%lld\t%s\t%.4g\t%.4g\t%.3g\t%d\t%.3g\t%.3g\t%.3g\t%.3g\n", scalar<T>::letter,
          (long long)n, (long long)s.pages, method == GLA_GSVD_METHOD_HZ ? "hz" : "auto", ms,
          theirs, theirs / ms, sweeps, ms / sweeps, rate, rate / 60, error);
  fflush (stdout);
  for (void *a : {(void *)p.A, (void *)p.B, (void *)p.U, (void *)p.V, (void *)p.X, (void *)p.E,
                  (void *)p.alpha, (void *)p.beta})
    cudaFree (a);
}

static std::vector<size> sizes_of (const char *text)
{
  std::vector<size> sizes;
  for (const char *at = text; *at != '\0';) {
    long long n = 0, pages = 1;
    if (sscanf (at, "%lldx%lld", &n, &pages) < 1 || n < 1 || pages < 1) {
      fprintf (stderr, "bench_gsvd: sizes are as 512 or 16x5000, not \"%s\"\n", at);
      exit (2);
    }
    sizes.push_back ({n, pages});
    at = strchr (at, ',') != NULL ? strchr (at, ',') + 1 : "";
  }
  return sizes;
}

int main (int argc, char **argv)
{
  std::string types = "dz";
  int block = 0;
  std::vector<size> sizes = {{512, 1}, {1024, 1}, {2048, 1}, {4096, 1}, {16, 5000}, {64, 500}};
  for (int k = 1; k < argc; k++) {
    if (strcmp (argv[k], "--types") == 0 && k + 1 < argc)
      types = argv[++k];
    else if (strcmp (argv[k], "--sizes") == 0 && k + 1 < argc)
      sizes = sizes_of (argv[++k]);
    else if (strcmp (argv[k], "--block") == 0 && k + 1 < argc)
      block = atoi (argv[++k]);
    else {
      fprintf (stderr, "bench_gsvd: unknown option %s\n", argv[k]);
      return 2;
    }
  }
  gla_context *ctx;
  int device = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  printf ("type\tn\tpages\tmethod\tours_ms\tpublished_ms\tratio\tsweeps\tms_of_sweep\ttflops\tof_60"
          "\terror_neps\n");
  for (size s : sizes)
    for (char type : types)
      for (gla_gsvd_method method : {GLA_GSVD_METHOD_AUTO, GLA_GSVD_METHOD_HZ})
        switch (type) {
        case 's':
          run<float> (ctx, s, method, block);
          break;
        case 'd':
          run<double> (ctx, s, method, block);
          break;
        case 'c':
          run<cuFloatComplex> (ctx, s, method, block);
          break;
        case 'z':
          run<cuDoubleComplex> (ctx, s, method, block);
          break;
        }
  gla_context_destroy (ctx);
  return 0;
}
