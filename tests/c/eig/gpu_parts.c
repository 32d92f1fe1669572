// gpu_parts.c: eigenvectors of pages on a GPU: all with their phase, and some, formed alone
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "part_pages.h"

//------------------------------------------------------------------------------
// some eigenvectors
//------------------------------------------------------------------------------

// Every way that forms them: whole pages, a warp's pages, by stages, by way of a band, large pages;
// from 1 to n-1 columns. The ratios are those of LAPACK's xDRVST, as multiples of n*eps.

static gla_context *ctx;

static void check_pages (const part_case *c, const gla_array *A, const gla_array *l,
                         const gla_array *V, const int32_t *info, const int64_t *count)
{
  const int64_t k = c->iu - c->il + 1;
  double worst = 0, off = 0;
  int phases = 0;
  for (int64_t p = 0; p < PAGES; p++) {
    const int fails = c->kind == FAILING && p == 1;
    CHECK ((info[p] != 0) == fails && count[p] == (fails ? 0 : k), "%s: page %d, info %d",
           name_of (c), (int)p, (int)info[p]);
    if (fails)
      CHECK (is_nan_behind (l, V, 0, p), "%s: page %d is not NaN", name_of (c), (int)p);
    for (int64_t j = 0; j < k && !fails; j++) {
      worst = check_worst (worst, ratio_of (c, A, l, V, j, p));
      phases += has_phase (V, j, p);
      if (c->kind == KNOWN)
        off = check_worst (off, fabs (creal (get (l, j, 0, p)) - (double)(c->il + j)));
    }
  }
  const int64_t good = c->kind == FAILING ? PAGES - 1 : PAGES;
  CHECK (worst <= 30, "%s: ratio %g", name_of (c), worst);
  CHECK (phases == good * k, "%s: %d phases", name_of (c), phases);
  CHECK (off <= 10 * (double)(c->n * c->n) * gla_type_eps (c->type), "%s: eigenvalues off by %g",
         name_of (c), off);
}

static gla_status solve (const part_case *c, const gla_array *A, const gla_array *l,
                         const gla_array *V, int32_t *info, int64_t *count)
{
  const gla_eig_options o = {.size = sizeof o,
                             .method = GLA_EIG_METHOD_QR,
                             .range = GLA_EIG_INDICES,
                             .il = c->il,
                             .iu = c->iu};
  gla_eig_results r = {.size = sizeof r, .lambda = *l, .V = *V, .info = info, .count = count};
  return gla_batcheig (ctx, A, &r, &o, NULL);
}

// The last page alone, from arrays of the host, gets the same bits.
static void check_alone (const part_case *c, const gla_array *A, const gla_array *l,
                         const gla_array *V)
{
  const int64_t k = V->columns;
  gla_array last = *A, W = make (c->type, c->n, k, 1, 0), m = make (l->type, k, 1, 1, 0);
  last.pages = 1;
  last.data = (char *)A->data + (size_t)(A->page_stride * (PAGES - 1)) * gla_type_size (A->type);
  int32_t info;
  int64_t count;
  CHECK (solve (c, &last, &m, &W, &info, &count) == GLA_OK, "%s: %s", name_of (c),
         gla_message (ctx));
  int same = 1;
  for (int64_t j = 0; j < k; j++) {
    same &= get (&m, j, 0, 0) == get (l, j, 0, PAGES - 1);
    for (int64_t i = 0; i < c->n; i++)
      same &= get (&W, i, j, 0) == get (V, i, j, PAGES - 1);
  }
  CHECK (same, "%s: other bits alone", name_of (c));
  free (W.data);
  free (m.data);
}

static void check_part (part_case c)
{
  const int64_t k = c.iu - c.il + 1;
  gla_array A = make (c.type, c.n, c.n, PAGES, 0), V = make (c.type, c.n, k, PAGES, 3);
  gla_array l = make (gla_type_real (c.type), k, 1, PAGES, 0);
  int32_t info[PAGES] = {-7, -7, -7, -7, -7};
  int64_t count[PAGES] = {0};
  fill_pages (&c, &A);
  gpu_used = 0;
  const gpu_copy a = gpu_put (&A, 0), v = gpu_put (&V, 0), lambda = gpu_put (&l, 0);
  CHECK (solve (&c, &a.array, &lambda.array, &v.array, info, count) == GLA_OK, "%s: %s",
         name_of (&c), gla_message (ctx));
  CHECK (gpu_get (&v) && gpu_get (&lambda) && gpu_unchanged (&a), "%s: guards", name_of (&c));
  check_pages (&c, &A, &l, &V, info, count);
  check_alone (&c, &A, &l, &V);
  free (A.data);
  free (V.data);
  free (l.data);
}

static void check_size (gla_type type, int64_t n, kind_of_pages kind)
{
  const int64_t tenth = (n + 9) / 10, quarter = (n + 3) / 4;
  const int64_t parts[][2] = {{1, 1},
                              {n, n},
                              {n - tenth + 1, n},
                              {n / 2 + 1, n / 2 + 1},
                              {n - n / 2 - quarter / 2, n - n / 2 - quarter / 2 + quarter - 1},
                              {2, n},
                              {1, n - 1},
                              {1, n}};
  for (int q = 0; q < COUNT (parts); q++) {
    const part_case c = {type, n, parts[q][0], parts[q][1], kind};
    if (c.il >= 1 && c.il <= c.iu && c.iu <= n && (kind == KNOWN || q % 2 == 0 || n < 40) &&
        (n < 140 || q < 5 || q == 7))
      check_part (c);
  }
}

int gpu_parts (const char *types)
{
  static const int64_t sizes[] = {1,   2,   5,   9,   16,  17,  24,  31,  32,  33,  40,  49,
                                  63,  64,  65,  80,  88,  95,  96,  97,  98,  103, 104, 105,
                                  106, 112, 113, 128, 129, 136, 145, 160, 193, 209, 257};
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 28))
    return 1;
  for (const char *type = types; *type != '\0'; type++) {
    for (int k = 0; k < COUNT (sizes); k++) {
      check_size ((gla_type)*type, sizes[k], KNOWN);
      for (int kind = RANDOM; kind < KINDS; kind++)
        if (sizes[k] % 32 <= 1 || sizes[k] == 105)
          check_size ((gla_type)*type, sizes[k], (kind_of_pages)kind);
    }
    check_part ((part_case){(gla_type)*type, 300, 271, 300, KNOWN});
    check_part ((part_case){(gla_type)*type, 403, 2, 105, KNOWN});
    // of more than a quarter of the columns Q is applied by products of pages
    check_part ((part_case){(gla_type)*type, 402, 300, 402, FAILING});
    check_part ((part_case){(gla_type)*type, 546, 400, 546, RANDOM});
    check_part ((part_case){(gla_type)*type, 801, 781, 801, KNOWN});
    check_part ((part_case){(gla_type)*type, 521, 500, 521, KNOWN});
  }
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_parts");
}

//------------------------------------------------------------------------------
// the phase and the numbers of the CPU's
//------------------------------------------------------------------------------

// Every kernel that writes eigenvectors: whole pages, some lanes a column, strips, both Jacobi
// methods. The eigenvalues are 1 to n, so that each vector is determined.

enum { PHASE_PAGES = 3 };
static const gla_type all_types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *cpu;

static void check_order (gla_type type, int64_t n, gla_eig_method method, gla_eig_phase phase)
{
  gla_array A = make (type, n, n, PHASE_PAGES, 0), V = make (type, n, n, PHASE_PAGES, 0);
  gla_array W = make (type, n, n, PHASE_PAGES, 0),
            l = make (gla_type_real (type), n, 1, PHASE_PAGES, 0);
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
  for (int64_t p = 0; p < PHASE_PAGES; p++)
    for (int64_t j = 0; j < n; j++) {
      phases += has_phase (&V, j, p);
      worst = check_worst (worst, difference (&V, &W, j, p));
    }
  if (phase == GLA_EIG_PHASE_MAX)
    CHECK (phases == PHASE_PAGES * n && worst <= bound,
           "%c n %lld method %d: %d of %d phases, off by %g", (char)type, (long long)n, (int)method,
           phases, (int)(PHASE_PAGES * n), worst);
  else
    CHECK (phases < PHASE_PAGES * n, "%c n %lld method %d: no phase is all phases", (char)type,
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
  for (int t = 0; t < COUNT (all_types); t++)
    for (int k = 0; k < COUNT (sizes); k++) {
      check_order (all_types[t], sizes[k], GLA_EIG_METHOD_QR, GLA_EIG_PHASE_MAX);
      if (sizes[k] <= 300)
        check_order (all_types[t], sizes[k], GLA_EIG_METHOD_JACOBI, GLA_EIG_PHASE_MAX);
      if (sizes[k] > 8)
        check_order (all_types[t], sizes[k], GLA_EIG_METHOD_QR, GLA_EIG_PHASE_NONE);
    }
  gpu_close ();
  gla_context_destroy (ctx);
  gla_context_destroy (cpu);
  return gpu_report ("gpu_phases");
}
