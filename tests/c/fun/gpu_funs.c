// gpu_funs.c: functions of Hermitian pages on a GPU beside the CPU: values, failures, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "device/gpu_pages.h"
#include "frame/page_bits.h"

enum { PAGES = 21, NAN_PAGE = 4, ZERO_PAGE = 5, GAP = 3 };
static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *on_gpu, *on_cpu;

static gla_type wide_of (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
}

// X*X'/n + I, whose eigenvalues are from 1 to about 5; odd pages have the other sign with
// `negative`. One page holds NaN, and one is 0.
static gla_array hermitian (gla_type type, int64_t n, int negative)
{
  gla_array a = make (type, n, n, PAGES, GAP), x = make (type, n, n, 1, 0);
  for (int64_t p = 0; p < PAGES; p++) {
    const double sign = negative && p % 2 ? -1 : 1;
    fill (&x, (unsigned long long)(n * 1000 + p));
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        double complex sum = i == j;
        for (int64_t k = 0; k < n; k++)
          sum += get (&x, i, k, 0) * conj (get (&x, j, k, 0)) / (double)n;
        sum = p == ZERO_PAGE ? 0 : i == j ? creal (sum) : sum;
        set (&a, i, j, p, sign * sum);
        set (&a, j, i, p, sign * conj (sum));
      }
  }
  set (&a, n / 2, n / 2, NAN_PAGE, NAN);
  free (x.data);
  return a;
}

//------------------------------------------------------------------------------
// one call on both
//------------------------------------------------------------------------------

typedef struct {
  gla_fun fun;
  int negative; // odd pages are negative definite
  int wide;     // F is complex
  int scale;    // 1: one number, 2: a complex one for each page
  double power;
  int real_only, raise;
} fun_case;

static const fun_case cases[] = {
    {GLA_FUN_EXP, 1, 0, 0, 0, 0, 0},      {GLA_FUN_EXP, 1, 0, 1, 0, 0, 0},
    {GLA_FUN_EXP, 1, 1, 2, 0, 0, 0},      {GLA_FUN_SQRT, 0, 0, 0, 0, 1, 0},
    {GLA_FUN_SQRT, 1, 1, 0, 0, 0, 0},     {GLA_FUN_SQRT, 1, 1, 0, 0, 1, 0}, // odd pages fail
    {GLA_FUN_ISQRT, 0, 0, 0, 0, 0, 0},    {GLA_FUN_ISQRT, 0, 0, 0, 0, 0, 1},
    {GLA_FUN_ISQRT, 1, 1, 2, 0, 0, 0},    {GLA_FUN_LOG, 1, 1, 0, 0, 0, 0},
    {GLA_FUN_LOG, 0, 0, 1, 0, 0, 0},      {GLA_FUN_LOG, 0, 1, 2, 0, 0, 0},
    {GLA_FUN_INV, 1, 0, 0, 0, 0, 0},      {GLA_FUN_INV, 1, 1, 2, 0, 0, 0},
    {GLA_FUN_POWER, 1, 0, 0, -3, 0, 0},   {GLA_FUN_POWER, 1, 1, 0, 1.5, 0, 0},
    {GLA_FUN_POWER, 0, 1, 2, -0.5, 0, 0}, {GLA_FUN_OCCUPIED, 1, 0, 0, 0, 0, 0},
};

static gla_pagefun_options options_of (const fun_case *c, int64_t n, double *scale,
                                       int64_t *occupied)
{
  gla_pagefun_options o = {.size = sizeof o, .power = c->power, .real_only = c->real_only};
  for (int p = 0; p < PAGES; p++) {
    scale[2 * p] = 0.1 * p - 0.5;
    scale[2 * p + 1] = c->scale == 2 ? 0.7 : 0;
    occupied[p] = p % (n + 1);
  }
  scale[0] = 0.5;
  o.scale = c->scale ? scale : NULL;
  o.scale_complex = c->scale == 2;
  o.scale_count = c->scale == 2 ? PAGES : 1;
  o.occupied = c->fun == GLA_FUN_OCCUPIED ? occupied : NULL;
  o.occupied_count = PAGES;
  o.raise = c->raise;
  o.floor = c->raise ? 0.5 : 0;
  return o;
}

static gla_status apply (gla_context *ctx, const gla_array *A, const fun_case *c,
                         const gla_array *F, const gla_pagefun_options *o, int32_t *info)
{
  const gla_pagefun_results results = {.size = sizeof results, .F = *F, .info = info};
  return gla_pagefun (ctx, A, c->fun, &results, o, NULL);
}

// The largest element of a page, and the largest difference; pages that are not finite are the same
// element by element, which counts as 0 or 1.
static double difference (const gla_array *X, const gla_array *Y, int64_t p, double *size)
{
  double worst = 0;
  *size = 0;
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++) {
      const double complex x = get (X, i, j, p), y = get (Y, i, j, p);
      if (isfinite (creal (x)) && isfinite (cimag (x))) {
        worst = check_worst (worst, cabs (x - y));
        *size = fmax (*size, cabs (x));
      } else if (!((isnan (creal (x)) && isnan (creal (y))) || creal (x) == creal (y)))
        worst = 1;
    }
  return worst;
}

static int is_hermitian (const gla_array *X, int64_t p)
{
  for (int64_t j = 0; j < X->columns; j++)
    for (int64_t i = 0; i < X->rows; i++)
      if (get (X, i, j, p) != conj (get (X, j, i, p)))
        return 0;
  return 1;
}

// How far F of a page is from a projector of rank k that commutes with A, over n*eps. The projector
// itself depends on the gap between eigenvalues.
static double projector_error (const gla_array *A, const gla_array *F, int64_t p, int64_t rank)
{
  const int64_t n = A->rows;
  double complex trace = -(double)rank;
  double worst = 0;
  for (int64_t j = 0; j < n; j++) {
    trace += get (F, j, j, p);
    for (int64_t i = 0; i < n; i++) {
      double complex square = -get (F, i, j, p), commutator = 0;
      for (int64_t k = 0; k < n; k++) {
        square += get (F, i, k, p) * get (F, k, j, p);
        commutator += get (A, i, k, p) * get (F, k, j, p) - get (F, i, k, p) * get (A, k, j, p);
      }
      worst = check_worst (worst, fmax (cabs (square), cabs (commutator) / 5));
    }
  }
  return check_worst (worst, cabs (trace)) / ((double)n * gla_type_eps (A->type));
}

static void compare (const char *what, const fun_case *c, const gla_array *A,
                     const gla_array *expected, const gla_array *F, const int32_t *info,
                     const int32_t *expected_info)
{
  const double n = (double)F->rows, eps = gla_type_eps (F->type);
  double worst = 0, size;
  for (int64_t p = 0; p < PAGES; p++) {
    const double error = difference (expected, F, p, &size);
    CHECK (info[p] == expected_info[p], "%s, page %d: info %d, on the CPU %d", what, (int)p,
           (int)info[p], (int)expected_info[p]);
    // eigenvalues have magnitude 1 to 5, so that no function here loses much: exp (5) counts in
    // size
    if (c->fun != GLA_FUN_OCCUPIED || info[p] != 0)
      worst = check_worst (worst, error / (60 * n * eps * fmax (size, 1e-3)));
    else
      worst = check_worst (worst, projector_error (A, F, p, p % ((int64_t)n + 1)) / 60);
    const int real = c->scale < 2 && (p % 2 == 0 || !c->negative || c->fun == GLA_FUN_EXP ||
                                      c->fun == GLA_FUN_INV || c->fun == GLA_FUN_OCCUPIED);
    CHECK (info[p] != 0 || !real || is_hermitian (F, p), "%s, page %d: not Hermitian", what,
           (int)p);
  }
  CHECK (worst <= 1, "%s: %g times the bound from the CPU's result", what, worst);
}

// A page has the bits that it has in the batch, alone and among seven.
static void check_bits (const char *what, const gpu_copy *a, const fun_case *c,
                        const gla_pagefun_options *all, const gla_array *F)
{
  gla_array part = make (F->type, F->rows, F->columns, PAGES, GAP);
  const gpu_copy f = gpu_put (&part, 0);
  int32_t info[PAGES];
  for (int64_t first = 0; first + 7 <= PAGES; first += 6)
    for (int64_t many = 1; many <= 7; many += 6) {
      gla_array A = a->array, to = f.array;
      gla_pagefun_options o = *all;
      A.data = (char *)A.data + (size_t)(first * A.page_stride) * gla_type_size (A.type);
      A.pages = to.pages = many;
      if (all->scale_count > 1) {
        o.scale = all->scale + 2 * first;
        o.scale_count = many;
      }
      o.occupied = all->occupied == NULL ? NULL : all->occupied + first;
      o.occupied_count = many;
      const gla_status status = apply (on_gpu, &A, c, &to, &o, info);
      CHECK (status == GLA_OK && gpu_fetch (&f), "%s: %s", what, gla_message (on_gpu));
      int same = 1;
      for (int64_t p = 0; p < many; p++)
        same &= info[p] != 0 || same_page (&part, p, F, first + p);
      CHECK (same, "%s: other bits in a batch of %d", what, (int)many);
    }
  free (part.data);
}

static void check_case (const fun_case *c, gla_type type, int64_t n)
{
  const gla_type to = c->wide || c->scale == 2 ? wide_of (type) : type;
  gla_array A = hermitian (type, n, c->negative);
  gla_array expected = make (to, n, n, PAGES, GAP), F = make (to, n, n, PAGES, GAP);
  gla_array from_host = make (to, n, n, PAGES, 0);
  double scale[2 * PAGES];
  int64_t occupied[PAGES];
  int32_t info[PAGES], expected_info[PAGES];
  char what[100];
  const gla_pagefun_options o = options_of (c, n, scale, occupied);
  snprintf (what, sizeof what, "%c to %c, n = %d, case %d", (char)type, (char)to, (int)n,
            (int)(c - cases));
  CHECK (apply (on_cpu, &A, c, &expected, &o, expected_info) == GLA_OK, "%s: %s", what,
         gla_message (on_cpu));
  gpu_used = 0;
  const gpu_copy a = gpu_put (&A, 1), f = gpu_put (&F, 0);
  const gla_status status = apply (on_gpu, &a.array, c, &f.array, &o, info);
  if (!gpu_refuses (on_gpu, status)) {
    CHECK (status == GLA_OK && gpu_get (&f) && gpu_unchanged (&a), "%s: %s", what,
           gla_message (on_gpu));
    compare (what, c, &A, &expected, &F, info, expected_info);
    check_bits (what, &a, c, &o, &F);
    CHECK (apply (on_gpu, &A, c, &from_host, &o, info) == GLA_OK, "%s from the host: %s", what,
           gla_message (on_gpu));
    int same = 1;
    for (int64_t p = 0; p < PAGES; p++)
      same &= info[p] != 0 || same_page (&from_host, p, &F, p);
    CHECK (same, "%s: other bits from the host", what);
  }
  free (A.data);
  free (expected.data);
  free (F.data);
  free (from_host.data);
}

// exp (iA) with a real symmetric A of many pages and chunks, times exp (-iA).
static void check_unitary (int64_t n, int64_t pages)
{
  gla_array A = make (GLA_TYPE_D, n, n, pages, 0), F = make (GLA_TYPE_Z, n, n, pages, 0);
  unsigned long long seed = 1;
  for (int64_t p = 0; p < pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i <= j; i++) {
        const double x = check_random (&seed);
        set (&A, i, j, p, x);
        set (&A, j, i, p, x);
      }
  const double scale[] = {0, 1e3};
  const gla_pagefun_options o = {
      .size = sizeof o, .scale = scale, .scale_count = 1, .scale_complex = 1};
  const gla_pagefun_results results = {.size = sizeof results, .F = F};
  const gla_status status = gla_pagefun (on_gpu, &A, GLA_FUN_EXP, &results, &o, NULL);
  const int refused = gpu_refuses (on_gpu, status);
  CHECK (refused || status == GLA_OK, "%s", gla_message (on_gpu));
  double worst = 0;
  for (int64_t p = 0; !refused && p < pages; p += 97)
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = 0; k < n; k++) {
        double complex sum = -(double)(j == k);
        for (int64_t i = 0; i < n; i++)
          sum += conj (get (&F, i, j, p)) * get (&F, i, k, p);
        worst = check_worst (worst, cabs (sum));
      }
  CHECK (worst <= 30 * (double)n * gla_type_eps (GLA_TYPE_D), "n = %d: not unitary by %g n*eps",
         (int)n, worst / ((double)n * gla_type_eps (GLA_TYPE_D)));
  free (A.data);
  free (F.data);
}

static void check_not_hermitian (int64_t n)
{
  gla_array A = hermitian (GLA_TYPE_Z, n, 0), F = make (GLA_TYPE_Z, n, n, PAGES, 0);
  const gla_pagefun_results results = {.size = sizeof results, .F = F};
  gla_pagefun_report report = {.base.size = sizeof report};
  set (&A, 0, n - 1, 11, 7);
  set (&A, 0, n - 1, 14, 7);
  const gla_status status = gla_pagefun (on_gpu, &A, GLA_FUN_EXP, &results, NULL, &report);
  CHECK (gpu_refuses (on_gpu, status) || (status == GLA_ERROR_NOT_HERMITIAN &&
                                          report.bad_page == 11 && report.bad_difference > 1),
         "n = %d: status %d, page %d", (int)n, (int)status, (int)report.bad_page);
  free (A.data);
  free (F.data);
}

int gpu_funs (void)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 47, 64, 65, 97, 130};
  on_gpu = gpu_context ();
  if (gla_context_create (&on_cpu) != GLA_OK || !gpu_open ((size_t)1 << 28))
    return 1;
  gla_set_place (on_cpu, GLA_PLACE_CPU, NULL, 0);
  for (int k = 0; k < COUNT (sizes); k++)
    for (int t = 0; t < COUNT (types); t++)
      for (int c = 0; c < COUNT (cases); c++)
        check_case (&cases[c], types[t], sizes[k]);
  check_unitary (3, 100000);
  check_unitary (20, 20000);
  check_unitary (40, 3000);
  check_not_hermitian (6);
  check_not_hermitian (50);
  gpu_close ();
  gla_context_destroy (on_gpu);
  gla_context_destroy (on_cpu);
  return gpu_report ("gpu_funs");
}
