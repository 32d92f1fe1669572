// test_pagefun.c: functions of Hermitian pages: identities, strides, bits, pages that fail
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/check.h"
#include "frame/page_arrays.h"

#include "frame/page_bits.h"

// LARGE: a page alone is shared by threads, pages among many are not.
enum { PAGES = 37, BIG = 33, LARGE = 66 };

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static gla_context *ctx;

// Hermitian pages, definite with `definite`: their eigenvalues are then from 1 on.
static gla_array hermitian (gla_type type, int64_t n, int64_t pages, int64_t gap, int definite)
{
  static double complex x[LARGE * LARGE];
  gla_array a = make (type, n, n, pages, gap);
  unsigned long long seed = (unsigned long long)(n * 31 + definite);
  for (int64_t p = 0; p < pages; p++) {
    for (int64_t k = 0; k < n * n; k++) {
      const double re = check_random (&seed), im = check_random (&seed);
      x[k] = gla_type_is_complex (type) ? re + im * I : re;
    }
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        double complex sum = definite ? i == j : (x[i + j * n] + conj (x[j + i * n])) / 2;
        for (int64_t k = 0; definite && k < n; k++)
          sum += x[i + k * n] * conj (x[j + k * n]) / (double)n;
        set (&a, i, j, p, sum);
        set (&a, j, i, p, conj (sum));
      }
  }
  return a;
}

static gla_type wide_of (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
}

// f (A) in an array of `type` with gaps; all pages are to be right.
static gla_array apply (const gla_array *A, gla_fun fun, gla_type type,
                        const gla_pagefun_options *options)
{
  gla_array F = make (type, A->rows, A->rows, A->pages, 2);
  int32_t info[PAGES];
  const gla_pagefun_results results = {.size = sizeof results, .F = F, .info = info};
  gla_pagefun_report report = {.base.size = sizeof report};
  const gla_status status = gla_pagefun (ctx, A, fun, &results, options, &report);
  CHECK (status == GLA_OK, "%c n = %lld, fun %d: %s", (char)A->type, (long long)A->rows, (int)fun,
         gla_message (ctx));
  CHECK (report.base.pages_failed == 0 && report.base.first_failed == -1, "%c n = %lld, fun %d",
         (char)A->type, (long long)A->rows, (int)fun);
  CHECK (gaps_are_untouched (&F), "gaps of F");
  return F;
}

// The largest |X*Y - Z| of the pages; NULL is the identity.
static double product_error (const gla_array *X, const gla_array *Y, const gla_array *Z)
{
  double worst = 0;
  const int64_t n = X->rows;
  for (int64_t p = 0; p < X->pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        double complex sum = Z == NULL ? -(double)(i == j) : -get (Z, i, j, p);
        for (int64_t k = 0; k < n; k++)
          sum += get (X, i, k, p) * (Y == NULL ? (double)(k == j) : get (Y, k, j, p));
        worst = check_worst (worst, cabs (sum));
      }
  return worst;
}

static int exactly_hermitian (const gla_array *X)
{
  for (int64_t p = 0; p < X->pages; p++)
    for (int64_t j = 0; j < X->rows; j++)
      for (int64_t i = 0; i < X->rows; i++)
        if (get (X, i, j, p) != conj (get (X, j, i, p)))
          return 0;
  return 1;
}

static void check_error (const char *what, const gla_array *A, double error, double bound)
{
  const double eps = gla_type_eps (A->type);
  CHECK (error <= bound * (double)A->rows * eps, "%c n = %lld: %s is off by %g n*eps",
         (char)A->type, (long long)A->rows, what, error / ((double)A->rows * eps));
}

//------------------------------------------------------------------------------
// identities
//------------------------------------------------------------------------------

static void test_definite (gla_type type, int64_t n)
{
  gla_array A = hermitian (type, n, PAGES, 3, 1);
  const gla_pagefun_options half = {.size = sizeof half, .power = 0.5};
  gla_array root = apply (&A, GLA_FUN_SQRT, type, NULL);
  gla_array whitener = apply (&A, GLA_FUN_ISQRT, type, NULL);
  gla_array inverse = apply (&A, GLA_FUN_INV, type, NULL);
  gla_array logarithm = apply (&A, GLA_FUN_LOG, type, NULL);
  gla_array power = apply (&A, GLA_FUN_POWER, type, &half);
  gla_array back = apply (&logarithm, GLA_FUN_EXP, type, NULL);
  check_error ("sqrt^2", &A, product_error (&root, &root, &A), 50);
  check_error ("A*inv", &A, product_error (&A, &inverse, NULL), 50);
  check_error ("isqrt*sqrt", &A, product_error (&whitener, &root, NULL), 50);
  check_error ("isqrt^2", &A, product_error (&whitener, &whitener, &inverse), 50);
  check_error ("exp (log)", &A, product_error (&back, NULL, &A), 100);
  check_error ("(A^(1/2))^2", &A, product_error (&power, &power, &A), 50);
  CHECK (exactly_hermitian (&root) && exactly_hermitian (&whitener) &&
             exactly_hermitian (&inverse) && exactly_hermitian (&logarithm) &&
             exactly_hermitian (&power) && exactly_hermitian (&back),
         "%c n = %lld: not Hermitian", (char)type, (long long)n);
  gla_array *all[] = {&A, &root, &whitener, &inverse, &logarithm, &power, &back};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free (all[k]->data);
}

static void test_indefinite (gla_type type, int64_t n)
{
  const gla_type wide = wide_of (type);
  gla_array A = hermitian (type, n, PAGES, 1, 0);
  double scale[2 * PAGES], minus[2 * PAGES];
  for (int p = 0; p < PAGES; p++) {
    scale[2 * p] = 0;
    scale[2 * p + 1] = p % 2 ? 1e6 : 0.5;
    minus[2 * p] = 0;
    minus[2 * p + 1] = -scale[2 * p + 1];
  }
  gla_pagefun_options o = {
      .size = sizeof o, .scale = scale, .scale_count = PAGES, .scale_complex = 1};
  gla_array forth = apply (&A, GLA_FUN_EXP, wide, &o);
  o.scale = minus;
  gla_array back = apply (&A, GLA_FUN_EXP, wide, &o);
  o = (gla_pagefun_options){.size = sizeof o, .power = 3};
  gla_array cube = apply (&A, GLA_FUN_POWER, type, &o), root = apply (&A, GLA_FUN_SQRT, wide, NULL);
  o.power = 0.75;
  gla_array broken = apply (&A, GLA_FUN_POWER, wide, &o);
  gla_array four = make (wide, n, n, PAGES, 0), two = make (type, n, n, PAGES, 0);
  check_error ("exp (iAt)*exp (-iAt)", &A, product_error (&forth, &back, NULL), 10);
  check_error ("complex sqrt^2", &A, product_error (&root, &root, &A), 50);
  CHECK (exactly_hermitian (&cube), "%c n = %lld: A^3 is not Hermitian", (char)type, (long long)n);
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        double complex a = 0, b = 0;
        for (int64_t k = 0; k < n; k++) {
          a += get (&broken, i, k, p) * get (&broken, k, j, p);
          b += get (&A, i, k, p) * get (&A, k, j, p);
        }
        set (&four, i, j, p, a);
        set (&two, i, j, p, b);
      }
  check_error ("A*A*A", &A, product_error (&two, &A, &cube), 50 * (double)n);
  check_error ("(A^(3/4))^4", &A, product_error (&four, &four, &cube), 200 * (double)n);
  gla_array *all[] = {&A, &forth, &back, &cube, &root, &broken, &four, &two};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free (all[k]->data);
}

// Projectors: P*P = P, and their traces.
static void test_occupied (gla_type type, int64_t n)
{
  gla_array A = hermitian (type, n, PAGES, 0, 0);
  int64_t k[PAGES];
  for (int p = 0; p < PAGES; p++)
    k[p] = p % (n + 1);
  gla_pagefun_options o = {.size = sizeof o, .occupied = k, .occupied_count = PAGES};
  gla_array P = apply (&A, GLA_FUN_OCCUPIED, type, &o);
  check_error ("P*P", &A, product_error (&P, &P, &P), 10);
  CHECK (exactly_hermitian (&P), "%c n = %lld: not Hermitian", (char)type, (long long)n);
  for (int64_t p = 0; p < PAGES; p++) {
    double complex trace = -(double)k[p];
    for (int64_t i = 0; i < n; i++)
      trace += get (&P, i, i, p);
    check_error ("trace", &A, cabs (trace), 20);
    o.occupied = k + p;
    o.occupied_count = 1;
    const gla_array page = gla_array_packed (
        (char *)A.data + (size_t)(p * A.page_stride) * gla_type_size (type), type, n, n, 1, -1);
    gla_array alone = apply (&page, GLA_FUN_OCCUPIED, type, &o);
    CHECK (same_page (&P, p, &alone, 0), "%c n = %lld: bits of %lld vectors", (char)type,
           (long long)n, (long long)k[p]);
    free (alone.data);
  }
  free (A.data);
  free (P.data);
}

//------------------------------------------------------------------------------
// values of the caller
//------------------------------------------------------------------------------

typedef struct {
  int calls, complex_values, refuse;
  gla_array f, F; // F: to replace the result
} asked;

static int square (void *user, const gla_array *x, gla_array *f, gla_array *F)
{
  asked *a = user;
  a->calls++;
  a->f = make (a->complex_values ? wide_of (x->type) : gla_type_real (x->type), x->rows, 1,
               x->pages, 1);
  for (int64_t p = 0; p < x->pages; p++)
    for (int64_t j = 0; j < x->rows; j++)
      set (&a->f, j, 0, p, get (x, j, 0, p) * get (x, j, 0, p) * (a->complex_values ? I : 1));
  if (a->complex_values) {
    a->F = make (wide_of (F->type), F->rows, F->rows, F->pages, 0);
    *F = a->F;
  }
  *f = a->f;
  return a->refuse;
}

static void test_values (gla_type type, int64_t n)
{
  gla_array A = hermitian (type, n, PAGES, 2, 0);
  asked real = {0}, turned = {.complex_values = 1}, refused = {.refuse = 1};
  gla_pagefun_options o = {.size = sizeof o, .values = square, .user = &real};
  gla_array F = apply (&A, GLA_FUN_VALUES, type, &o);
  CHECK (real.calls == 1, "%d calls", real.calls);
  check_error ("A*A", &A, product_error (&A, &A, &F), 50);
  o.user = &turned;
  gla_array unused = apply (&A, GLA_FUN_VALUES, type, &o);
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t k = 0; k < n * n; k++)
      set (&turned.F, k % n, k / n, p, get (&turned.F, k % n, k / n, p) / I);
  check_error ("i*A*A", &A, product_error (&A, &A, &turned.F), 50);
  const gla_pagefun_results results = {.size = sizeof results, .F = F};
  o.user = &refused;
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_VALUES, &results, &o, NULL) == GLA_ERROR_STOPPED, "stopped");
  void *all[] = {A.data,        F.data,        unused.data,   real.f.data,
                 turned.f.data, turned.F.data, refused.f.data};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free (all[k]);
}

//------------------------------------------------------------------------------
// pages that fail, bits
//------------------------------------------------------------------------------

enum { NAN_PAGE = 3, ZERO_PAGE = 8, NEGATIVE_PAGE = 9, HUGE_PAGE = 20 };

// Pages of every kind among definite ones.
static gla_array mixed (gla_type type, int64_t n)
{
  gla_array A = hermitian (type, n, PAGES, 1, 1);
  set (&A, n - 1, n - 1, NAN_PAGE, NAN);
  for (int64_t k = 0; k < n * n; k++) {
    set (&A, k % n, k / n, ZERO_PAGE, 0);
    set (&A, k % n, k / n, NEGATIVE_PAGE, -get (&A, k % n, k / n, NEGATIVE_PAGE));
    set (&A, k % n, k / n, HUGE_PAGE, 1e4 * get (&A, k % n, k / n, HUGE_PAGE));
  }
  return A;
}

static int all_are (const gla_array *F, int64_t page, double x)
{
  for (int64_t k = 0; k < F->rows * F->rows; k++) {
    const double re = creal (get (F, k % F->rows, k / F->rows, page));
    if (isnan (x) ? !isnan (re) : re != x)
      return 0;
  }
  return 1;
}

// What a page gives does not depend on those beside it; *info is that of all pages.
static gla_array check_bits (const gla_array *A, gla_fun fun, gla_type type,
                             const gla_pagefun_options *o, int32_t *info)
{
  gla_array F = make (type, A->rows, A->rows, PAGES, 0);
  const gla_pagefun_results results = {.size = sizeof results, .F = F, .info = info};
  gla_pagefun_report report = {.base.size = sizeof report};
  CHECK (gla_pagefun (ctx, A, fun, &results, o, &report) == GLA_OK, "%s", gla_message (ctx));
  int64_t failed = 0;
  for (int64_t p = 0; p < PAGES; p++) {
    gla_array page = *A, alone = make (type, A->rows, A->rows, 1, 0);
    int32_t one = 77;
    page.pages = 1;
    page.data = (char *)A->data + (size_t)(p * A->page_stride) * gla_type_size (A->type);
    const gla_pagefun_results single = {.size = sizeof single, .F = alone, .info = &one};
    CHECK (gla_pagefun (ctx, &page, fun, &single, o, NULL) == GLA_OK, "%s", gla_message (ctx));
    CHECK (one == info[p], "fun %d, info of page %lld: %d, alone %d", (int)fun, (long long)p,
           (int)info[p], (int)one);
    CHECK (isnan (creal (get (&F, 0, 0, p))) || same_page (&F, p, &alone, 0),
           "%c n = %lld fun %d: bits of page %lld", (char)A->type, (long long)A->rows, (int)fun,
           (long long)p);
    failed += one != 0;
    free (alone.data);
  }
  CHECK (report.base.pages_failed == failed && report.base.first_failed == NAN_PAGE, "report");
  return F;
}

static void test_failures (gla_type type, int64_t n)
{
  gla_array A = mixed (type, n);
  const int32_t not_finite = (int32_t)(n + 2);
  int32_t info[PAGES];
  const gla_fun funs[] = {GLA_FUN_EXP, GLA_FUN_SQRT, GLA_FUN_ISQRT, GLA_FUN_LOG, GLA_FUN_INV};
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < 5; k++) {
      const gla_type result = w ? wide_of (type) : type;
      gla_array F = check_bits (&A, funs[k], result, NULL, info);
      CHECK (info[NAN_PAGE] == n + 1 && all_are (&F, NAN_PAGE, NAN), "NaN, fun %d", (int)funs[k]);
      const int infinite = k >= 2;
      CHECK (info[ZERO_PAGE] == (infinite ? not_finite : 0), "zero, fun %d", (int)funs[k]);
      CHECK (!infinite || all_are (&F, ZERO_PAGE, k == 3 ? -INFINITY : INFINITY), "zero, fun %d",
             (int)funs[k]);
      CHECK (info[HUGE_PAGE] == (k == 0 ? not_finite : 0), "huge, fun %d", (int)funs[k]);
      const int outside = k >= 1 && k <= 3 && !gla_type_is_complex (result);
      CHECK (info[NEGATIVE_PAGE] == (outside ? n + 3 : 0), "negative, fun %d: %d", (int)funs[k],
             (int)info[NEGATIVE_PAGE]);
      CHECK (!outside || all_are (&F, NEGATIVE_PAGE, NAN), "negative, fun %d", (int)funs[k]);
      free (F.data);
    }
  const gla_pagefun_options o = {.size = sizeof o, .real_only = 1, .raise = 1, .floor = 0.5};
  gla_array F = check_bits (&A, GLA_FUN_ISQRT, type, &o, info);
  CHECK (info[NEGATIVE_PAGE] == 0 && info[ZERO_PAGE] == not_finite, "floor");
  free (F.data);
  free (A.data);
}

// Pages of other ways of making products, among many and alone.
static void test_large (gla_type type)
{
  const gla_type wide = wide_of (type);
  const double scale[2] = {0.125, -0.7};
  gla_array A = hermitian (type, LARGE, PAGES, 1, 0), F = make (wide, LARGE, LARGE, PAGES, 1);
  set (&A, 1, 1, NAN_PAGE, NAN);
  for (int k = 0; k < 3; k++) {
    const gla_fun fun = k == 2 ? GLA_FUN_LOG : GLA_FUN_EXP;
    const gla_pagefun_options o = {
        .size = sizeof o, .scale = scale, .scale_count = 1, .scale_complex = k == 1};
    const gla_pagefun_results results = {.size = sizeof results, .F = F};
    CHECK (gla_pagefun (ctx, &A, fun, &results, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    CHECK (gaps_are_untouched (&F) && all_are (&F, NAN_PAGE, NAN), "gaps of F, NaN");
    for (int64_t p = 0; p < PAGES; p += 18) {
      gla_array page = A, alone = make (wide, LARGE, LARGE, 1, 0);
      page.pages = 1;
      page.data = (char *)A.data + (size_t)(p * A.page_stride) * gla_type_size (type);
      const gla_pagefun_results single = {.size = sizeof single, .F = alone};
      CHECK (gla_pagefun (ctx, &page, fun, &single, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
      CHECK (same_page (&F, p, &alone, 0), "%c, case %d: bits of large page %lld", (char)type, k,
             (long long)p);
      free (alone.data);
    }
  }
  free (A.data);
  free (F.data);
}

// Singular to within rounding, with eigenvalues 0 and n.
static void test_tol (void)
{
  double ones[9], results_of[9];
  int32_t info[1];
  for (int k = 0; k < 9; k++)
    ones[k] = 1;
  const gla_array A = gla_array_packed (ones, GLA_TYPE_D, 3, 3, 1, GLA_DEVICE_HOST);
  const gla_pagefun_results r = {
      sizeof r, gla_array_packed (results_of, GLA_TYPE_D, 3, 3, 1, GLA_DEVICE_HOST), info};
  gla_pagefun_options o = {.size = sizeof o};
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_ISQRT, &r, &o, NULL) == GLA_OK && info[0] == 5, "singular");
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_SQRT, &r, &o, NULL) == GLA_OK && info[0] == 0, "sqrt");
  CHECK (fabs (results_of[1] - 1 / sqrt (3)) < 1e-7, "sqrt: %g", results_of[1]);
  o.raise = 1;
  o.floor = 0.25;
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_INV, &r, &o, NULL) == GLA_OK && info[0] == 0, "floor");
  // eigenvalues 3, 3/4 and 3/4
  CHECK (fabs (results_of[1] + 1.0 / 3) < 1e-14 && fabs (results_of[0] - 1) < 1e-14, "floor: %g",
         results_of[1]);
}

//------------------------------------------------------------------------------
// one page for all scales
//------------------------------------------------------------------------------

// The bits of as many copies of the page, also with groups that are not full.
static void test_one_page (gla_type type, int64_t n)
{
  enum { COPIES = 71 };
  static double scale[2 * COPIES];
  gla_array A = hermitian (type, n, 1, 1, 0), all = make (type, n, n, COPIES, 0);
  for (int64_t p = 0; p < COPIES; p++) {
    for (int64_t k = 0; k < n * n; k++)
      set (&all, k % n, k / n, p, get (&A, k % n, k / n, 0));
    scale[2 * p] = p % 3 == 0 ? 0 : 0.01 * (double)p;
    scale[2 * p + 1] = 0.1 * (double)p - 3;
  }
  const gla_pagefun_options o = {
      .size = sizeof o, .scale = scale, .scale_count = COPIES, .scale_complex = 1};
  gla_array F = make (wide_of (type), n, n, COPIES, 0), G = make (wide_of (type), n, n, COPIES, 0);
  const gla_pagefun_results r = {.size = sizeof r, .F = F}, expected = {.size = sizeof r, .F = G};
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (gla_pagefun (ctx, &all, GLA_FUN_EXP, &expected, &o, NULL) == GLA_OK, "%s",
         gla_message (ctx));
  int64_t bad = 0;
  for (int64_t p = 0; p < COPIES; p++)
    bad += !same_page (&F, p, &G, p);
  CHECK (bad == 0, "%c n = %lld: %lld pages of one differ", (char)type, (long long)n,
         (long long)bad);
  gla_array *arrays[] = {&A, &all, &F, &G};
  for (int k = 0; k < 4; k++)
    free (arrays[k]->data);
}

//------------------------------------------------------------------------------
// arguments, callbacks
//------------------------------------------------------------------------------

static void refused (gla_status status, const char *text)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), text) != NULL,
         "%s: status %d, \"%s\"", text, (int)status, gla_message (ctx));
}

static void test_arguments (void)
{
  gla_array A = hermitian (GLA_TYPE_D, 4, 5, 0, 0), F = make (GLA_TYPE_D, 4, 4, 5, 0), bad;
  gla_pagefun_results r = {.size = sizeof r, .F = F};
  const double scale[2] = {1, 1};
  const int64_t five = 5;
  gla_pagefun_options o = {.size = sizeof o};
  CHECK (gla_pagefun (NULL, &A, GLA_FUN_EXP, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no ctx");
  refused (gla_pagefun (ctx, NULL, GLA_FUN_EXP, &r, NULL, NULL), "A must not be NULL");
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, NULL, NULL, NULL), "results must not be NULL");
  refused (gla_pagefun (ctx, &A, (gla_fun)9, &r, NULL, NULL), "fun = 9");
  refused (gla_pagefun (ctx, &A, GLA_FUN_VALUES, &r, NULL, NULL), "values must not be NULL");
  refused (gla_pagefun (ctx, &A, GLA_FUN_OCCUPIED, &r, NULL, NULL), "occupied");
  o.occupied = &five;
  o.occupied_count = 1;
  refused (gla_pagefun (ctx, &A, GLA_FUN_OCCUPIED, &r, &o, NULL), "occupied[0] = 5");
  o = (gla_pagefun_options){.size = sizeof o, .scale = scale, .scale_count = 2};
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL), "scale_count = 2");
  A.pages = 1;
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL), "F is 4x4x5, it must be 4x4x2");
  A.pages = 5;
  o.scale_count = o.scale_complex = 1;
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL), "scale is complex");
  o = (gla_pagefun_options){.size = sizeof o, .floor = 1};
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL), "floor = 1");
  o = (gla_pagefun_options){.size = sizeof o, .tol = 1};
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL), "tol = 1");
  o = (gla_pagefun_options){.size = sizeof o, .power = NAN};
  refused (gla_pagefun (ctx, &A, GLA_FUN_POWER, &r, &o, NULL), "power");
  bad = A;
  bad.rows = 3;
  refused (gla_pagefun (ctx, &bad, GLA_FUN_EXP, &r, NULL, NULL), "square");
  r.F.type = GLA_TYPE_C;
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, NULL), "F has type 'c'");
  r.F = A;
  refused (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, NULL), "overlap");
  r.F = F;
  set (&A, 0, 1, 3, 9);
  gla_pagefun_report report = {.base.size = sizeof report};
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, &report) == GLA_ERROR_NOT_HERMITIAN &&
             report.bad_page == 3 && strstr (gla_message (ctx), "page 3") != NULL,
         "not Hermitian: %s", gla_message (ctx));
  o = (gla_pagefun_options){.size = sizeof o, .triangle = GLA_TRIANGLE_LOWER};
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  A.pages = r.F.pages = 0;
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, &report) == GLA_OK &&
             report.base.pages_failed == 0,
         "no pages");
  free (A.data);
  free (F.data);
}

typedef struct {
  int64_t done, total;
  int backwards, stop;
} watched;

static void watch (void *user, int64_t done, int64_t total)
{
  watched *w = user;
  w->backwards |= done < w->done;
  w->done = done;
  w->total = total;
}

static int stop (void *user)
{
  return ((const watched *)user)->stop;
}

// Several groups are one call, with one count of pages.
static void test_callbacks (void)
{
  enum { ORDER = 4, COUNT = 40000 };
  gla_array A = make (GLA_TYPE_D, ORDER, ORDER, COUNT, 0);
  gla_array F = make (GLA_TYPE_D, ORDER, ORDER, COUNT, 0);
  for (int64_t p = 0; p < COUNT; p++)
    for (int64_t k = 0; k < ORDER * ORDER; k++)
      set (&A, k % ORDER, k / ORDER, p, 1.0 / (double)(1 + k % ORDER + k / ORDER + p % 7));
  gla_pagefun_results r = {.size = sizeof r, .F = F};
  watched w = {0};
  gla_set_progress (ctx, watch, &w);
  gla_set_stop (ctx, stop, &w);
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (w.done == COUNT && w.total == COUNT && !w.backwards, "progress: %lld of %lld, %d",
         (long long)w.done, (long long)w.total, w.backwards);
  for (int64_t p = 7; p < COUNT; p += 7)
    if (!same_page (&F, p % 7, &F, p)) {
      CHECK (0, "page %lld differs from page %lld", (long long)p, (long long)(p % 7));
      break;
    }
  w = (watched){.stop = 1};
  CHECK (gla_pagefun (ctx, &A, GLA_FUN_EXP, &r, NULL, NULL) == GLA_ERROR_STOPPED, "not stopped");
  gla_set_progress (ctx, NULL, NULL);
  gla_set_stop (ctx, NULL, NULL);
  free (A.data);
  free (F.data);
}

int main (void)
{
  static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, BIG};
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  for (int t = 0; t < 4; t++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      test_definite (types[t], sizes[s]);
      test_indefinite (types[t], sizes[s]);
      test_occupied (types[t], sizes[s]);
      test_one_page (types[t], sizes[s]);
    }
    test_values (types[t], 6);
    test_values (types[t], BIG);
    test_failures (types[t], 5);
    test_failures (types[t], 1);
    test_failures (types[t], 18);
    test_large (types[t]);
  }
  test_tol ();
  test_arguments ();
  test_callbacks ();
  gla_context_destroy (ctx);
  return check_report ("pagefun");
}
