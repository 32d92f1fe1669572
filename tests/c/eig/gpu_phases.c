// gpu_phases.c: eigenvectors from a GPU have the phase and the numbers of the CPU's
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every kernel that writes eigenvectors: whole pages, some lanes a column, strips, both Jacobi
// methods. The eigenvalues are 1 to n, so that each vector is determined.

#include "device/gpu_page_tests.h"
#include "known_pages.h"

enum { PAGES = 3 };
static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *ctx, *cpu;

static void check_order (gla_type type, int64_t n, gla_eig_method method, gla_eig_phase phase)
{
  gla_array A = make (type, n, n, PAGES, 0), V = make (type, n, n, PAGES, 0);
  gla_array W = make (type, n, n, PAGES, 0), l = make (gla_type_real (type), n, 1, PAGES, 0);
  make_known (&A);
  gpu_used = 0;
  const gpu_copy a = gpu_put (&A, 0), v = gpu_put (&V, 0), lambda = gpu_put (&l, 0);
  const gla_eig_options o = {.size = sizeof o, .method = method, .phase = phase};
  gla_eig_results r = {.size = sizeof r, .lambda = lambda.array, .V = v.array};
  CHECK (gla_batcheig (ctx, &a.array, &r, &o, NULL) == GLA_OK && gpu_get (&v), "%s",
         gla_message (ctx));
  r.lambda = l;
  r.V = W;
  CHECK (gla_batcheig (cpu, &A, &r, NULL, NULL) == GLA_OK, "%s", gla_message (cpu));
  const double bound = 100 * (double)(n * n) * gla_type_eps (type);
  int phases = 0;
  double worst = 0;
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t j = 0; j < n; j++) {
      phases += has_phase (&V, j, p);
      worst = check_worst (worst, difference (&V, &W, j, p));
    }
  if (phase == GLA_EIG_PHASE_MAX)
    CHECK (phases == PAGES * n && worst <= bound, "%c n %lld method %d: %d of %d phases, off by %g",
           (char)type, (long long)n, (int)method, phases, (int)(PAGES * n), worst);
  else
    CHECK (phases < PAGES * n, "%c n %lld method %d: no phase is all phases", (char)type,
           (long long)n, (int)method);
  free (A.data);
  free (V.data);
  free (W.data);
  free (l.data);
}

int gpu_phases (void)
{
  static const int64_t sizes[] = {1,   2,   3,   4,   5,   8,   9,   13,  16,  17,  24,  31,
                                  32,  33,  48,  49,  64,  65,  80,  96,  97,  112, 113, 127,
                                  128, 129, 160, 192, 193, 224, 225, 300, 513, 801};
  ctx = gpu_context ();
  CHECK (gla_context_create (&cpu) == GLA_OK, "no context");
  gla_set_place (cpu, GLA_PLACE_CPU, NULL, 0);
  if (!gpu_open ((size_t)1 << 28))
    return 1;
  for (int t = 0; t < COUNT (types); t++)
    for (int k = 0; k < COUNT (sizes); k++) {
      check_order (types[t], sizes[k], GLA_EIG_METHOD_QR, GLA_EIG_PHASE_MAX);
      if (sizes[k] <= 300)
        check_order (types[t], sizes[k], GLA_EIG_METHOD_JACOBI, GLA_EIG_PHASE_MAX);
      if (sizes[k] > 8)
        check_order (types[t], sizes[k], GLA_EIG_METHOD_QR, GLA_EIG_PHASE_NONE);
    }
  gpu_close ();
  gla_context_destroy (ctx);
  gla_context_destroy (cpu);
  return gpu_report ("gpu_phases");
}
