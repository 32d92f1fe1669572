// bench_pagefun.cu: functions of Hermitian pages on device arrays, beside batcheig, in one run
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: bench_pagefun [--quick]
// Prints one line per type and order, with nanoseconds per page (median of whole calls): batcheig
// with eigenvectors, exp (A), exp (0.7i*A), A^3, and the ratios of these to batcheig. A result is
// checked on a few pages: |exp (0.7i*A)'*exp (0.7i*A) - I| over n*eps.

#include "common/device_bench.cuh"
#include "gpulinalg.h"

#include <cmath>
#include <cstring>

static bool wrong;

static gla_array pages_on_gpu (void *data, gla_type type, int64_t n, int64_t columns, int64_t pages)
{
  return gla_array_packed (data, type, n, columns, pages, 0);
}

// The largest element of F'*F - I of some pages, over n*eps.
template <class R> static double not_unitary (const void *F, int64_t n, int64_t pages)
{
  double worst = 0;
  std::vector<R> f (2 * n * n);
  for (int64_t p = 0; p < pages; p += (pages + 2) / 3) {
    cudaMemcpy (f.data (), (const R *)F + 2 * n * n * p, f.size () * sizeof (R),
                cudaMemcpyDeviceToHost);
    for (int64_t j = 0; j<n; j += n> 64 ? 17 : 1)
      for (int64_t k = 0; k <= j; k++) {
        double re = j == k ? -1 : 0, im = 0;
        for (int64_t i = 0; i < n; i++) {
          const R *a = &f[2 * (j * n + i)], *b = &f[2 * (k * n + i)];
          re += (double)a[0] * b[0] + (double)a[1] * b[1];
          im += (double)a[0] * b[1] - (double)a[1] * b[0];
        }
        worst = std::fmax (worst, std::hypot (re, im));
      }
  }
  return worst / ((double)n * (sizeof (R) == 8 ? 2.2e-16 : 1.2e-7));
}

template <class T> static void run_case (gla_context *ctx, int64_t n)
{
  typedef typename scalar<T>::real R;
  const gla_type type = (gla_type)scalar<T>::letter;
  const gla_type wide = scalar<T>::complex ? type : sizeof (R) == 8 ? GLA_TYPE_Z : GLA_TYPE_C;
  const int64_t by_bytes = (int64_t)(2e9 / (double)(n * n * 16)), most = n <= 8 ? 1000000 : 60000;
  const int64_t pages = by_bytes < most ? by_bytes : most;
  char *A, *F, *V, *lambda;
  must (cudaMalloc (&A, n * n * pages * sizeof (T)) ||
            cudaMalloc (&V, n * n * pages * sizeof (T)) ||
            cudaMalloc (&F, n * n * pages * 2 * sizeof (R)) ||
            cudaMalloc (&lambda, n * pages * sizeof (R)),
        "cudaMalloc");
  fill_hermitian<<<1024, 256>>> ((R *)A, scalar<T>::complex, n, pages, 1);
  const gla_array a = pages_on_gpu (A, type, n, n, pages);
  gla_eig_results eig = {sizeof eig};
  eig.lambda = pages_on_gpu (lambda, gla_type_real (type), n, 1, pages);
  eig.V = pages_on_gpu (V, type, n, n, pages);
  const double turn[] = {0, 0.7};
  auto apply = [&] (gla_fun fun, gla_type to, const double *scale) {
    gla_pagefun_results results = {sizeof results};
    gla_pagefun_options o = {sizeof o};
    results.F = pages_on_gpu (F, to, n, n, pages);
    o.power = 3;
    o.scale = scale;
    o.scale_count = scale != NULL;
    o.scale_complex = scale != NULL;
    must (gla_pagefun (ctx, &a, fun, &results, &o, NULL), gla_message (ctx));
  };
  auto poison = [&] { cudaMemset (F, 0xff, n * n * pages * 2 * sizeof (R)); };
  const double ns = 1e6 / (double)pages;
  const double vectors =
      ns *
      measure ([] {}, [&] { must (gla_batcheig (ctx, &a, &eig, NULL, NULL), gla_message (ctx)); });
  const double real = ns * measure (poison, [&] { apply (GLA_FUN_EXP, type, NULL); });
  const double power = ns * measure (poison, [&] { apply (GLA_FUN_POWER, type, NULL); });
  const double complex = ns * measure (poison, [&] { apply (GLA_FUN_EXP, wide, turn); });
  const double error = not_unitary<R> (F, n, pages);
  wrong |= !(error < 30);
  printf ("%c\t%lld\t%lld\t%.4g\t%.4g\t%.4g\t%.4g\t%.3g\t%.3g\t%.3g\t%.3g\n", scalar<T>::letter,
          (long long)n, (long long)pages, vectors, real, complex, power, real / vectors,
          complex / vectors, power / vectors, error);
  for (char *p : {A, F, V, lambda})
    cudaFree (p);
}

int main (int argc, char **argv)
{
  const bool quick = argc > 1 && strcmp (argv[1], "--quick") == 0;
  gla_context *ctx;
  const int device = 0;
  must (gla_context_create (&ctx), "gla_context_create");
  must (gla_set_place (ctx, GLA_PLACE_LIST, &device, 1), "gla_set_place");
  gla_device_info gpu = {sizeof gpu};
  must (gla_device_query (ctx, 0, &gpu), "gla_device_query");
  printf ("# %s; gpulinalg %s; nanoseconds per page, arrays on the GPU: bench_pagefun\n", gpu.name,
          gla_version ());
  printf ("type\tn\tpages\tbatcheig\texp\texp_i\tpower\texp/batcheig\texp_i/batcheig\t"
          "power/batcheig\tnot_unitary\n");
  for (int64_t n : {3, 4, 8, 12, 16, 24, 32, 33, 48, 64, 100, 128, 256, 512}) {
    if (quick && n != 3 && n != 16 && n != 32 && n != 64 && n != 256)
      continue;
    run_case<double> (ctx, n);
    run_case<cuDoubleComplex> (ctx, n);
    if (quick)
      continue;
    run_case<float> (ctx, n);
    run_case<cuFloatComplex> (ctx, n);
  }
  gla_context_destroy (ctx);
  return wrong;
}
