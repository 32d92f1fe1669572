// test_gsvd.c: GSVD on the CPU: shapes and ranks, hard pairs against quadruple precision, bad input
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2

#include "gsvd_pairs.h"
#include "threads/pool.h"

static gla_context *ctx;

//------------------------------------------------------------------------------
// shapes and ranks
//------------------------------------------------------------------------------

// m, n, p, rank of A, rank of B, and rank of the common factor; rank 0: an empty or zero matrix.
static const int ranks[][6] = {
    {3, 5, 4, 3, 4, 4},       {2, 2, 3, 2, 2, 3},       {2, 2, 3, 2, 2, 2},
    {1, 1, 2, 1, 1, 2},       {1, 1, 2, 1, 1, 1},       {1, 1, 1, 1, 1, 1},
    {1, 3, 5, 1, 3, 5},       {3, 1, 5, 3, 1, 5},       {0, 3, 5, 0, 3, 5},
    {0, 5, 3, 0, 3, 3},       {3, 0, 5, 3, 0, 5},       {5, 0, 3, 3, 0, 3},
    {0, 4, 4, 0, 2, 4},       {0, 0, 3, 0, 0, 3},       {4, 3, 0, 0, 0, 0},
    {2, 5, 3, 2, 3, 3},       {5, 2, 3, 3, 2, 3},       {6, 6, 4, 2, 3, 4},
    {6, 6, 4, 2, 2, 2},       {6, 6, 4, 0, 4, 4},       {6, 6, 4, 4, 0, 4},
    {6, 6, 4, 0, 0, 4},       {6, 6, 4, 3, 3, 4},       {6, 6, 4, 1, 3, 3},
    {3, 3, 10, 3, 3, 10},     {3, 4, 10, 2, 2, 3},      {4, 4, 6, 3, 3, 5},
    {4, 4, 6, 4, 4, 5},       {4, 4, 6, 4, 4, 4},       {20, 15, 12, 9, 8, 12},
    {50, 60, 40, 30, 25, 40}, {70, 60, 40, 30, 25, 35}, {80, 20, 20, 10, 12, 20},
    {30, 80, 20, 10, 12, 20}, {45, 40, 50, 45, 40, 50}, {30, 20, 20, 20, 19, 20},
};

// Checks the numbers of zero and infinite values, which follow from the ranks of A, B and [A; B].
static void check_ranks (const gsvd_page *g, const int *k)
{
  const int r = least (k[3] + k[4], k[5]), eps_wide = k[0] + k[1] >= k[2] && r == g->q;
  int inf = 0;
  for (int j = 0; j < g->q; j++)
    inf += isinf (gsvd_sigma (g, j, 0)) != 0;
  if (eps_wide)
    CHECK (inf == r - k[4], "%c %dx%d %dx%d ranks %d %d of %d: %d infinities", g->call.type, k[0],
           k[2], k[1], k[2], k[3], k[4], k[5], inf);
}

static void test_ranks (gla_type type)
{
  for (size_t s = 0; s < sizeof ranks / sizeof *ranks; s++)
    for (int method = GLA_GSVD_METHOD_AUTO; method <= GLA_GSVD_METHOD_TANGENT; method++)
      for (int economy = 0; economy < 2; economy++) {
        const int *k = ranks[s];
        gsvd_call c = call_of (type, k[0], k[1], k[2], method);
        c.u = c.v = economy ? 1 : 2;
        gsvd_page g = gsvd_page_new (&c);
        fill_rank (&g, 0, k[3], k[5]);
        fill_rank (&g, 1, k[4], k[5]);
        gsvd_run (ctx, &g);
        gsvd_check (&g, "ranks");
        check_ranks (&g, k);
        gsvd_page_free (&g);
      }
}

//------------------------------------------------------------------------------
// hard pairs
//------------------------------------------------------------------------------

// The largest relative error of sigma, in eps times the condition of the scaled pair; for zeros the
// error relative to the largest value.
static double relative_error (const gsvd_page *g)
{
  quad sigma[64];
  const double condition = quad_gsvd (g, 0, sigma);
  double worst = 0;
  for (int j = 0; j < g->q; j++) {
    const quad largest = sigma[g->q - 1], got = gsvd_sigma (g, j, 0);
    const double off = sigma[j] > 1e-29Q * largest ? fabs ((double)(got / sigma[j] - 1))
                                                   : (double)(got / (largest > 0 ? largest : 1));
    worst = check_worst (worst, off);
  }
  return worst / gla_type_eps (g->call.type) / condition;
}

static void test_hard (gla_type type)
{
  static const int sizes[][3] = {{1, 1, 1}, {5, 4, 3}, {8, 8, 8}, {9, 20, 9}, {30, 13, 13}};
  for (int s = 0; s < 5; s++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
        if ((s * KINDS + kind) % STEP != 0)
          continue;
        const gsvd_call c = call_of (type, sizes[s][0], sizes[s][1], sizes[s][2], method);
        gsvd_page g = gsvd_page_new (&c);
        fill_hard (&g, kind);
        gsvd_run (ctx, &g);
        gsvd_check (&g, "hard");
        const double off = relative_error (&g);
        CHECK (off <= 10 * fmax (4, c.p), "%c %dx%d %dx%d method %d kind %d: sigma off by %.1f eps",
               type, c.m, c.p, c.n, c.p, method, kind, off);
        if (kind == SAME && c.m == c.n)
          CHECK (fabs (gsvd_sigma (&g, 0, 0) - 1) <= 20 * c.p * gla_type_eps (type), "A = B");
        gsvd_page_free (&g);
      }
}

//------------------------------------------------------------------------------
// small pairs
//------------------------------------------------------------------------------

// Small pairs of all numbers of columns, where "tangent" works in SIMD lanes, and numbers of rows
// around the cutoff of that; compared with the other method.
static void test_small (gla_type type)
{
  static const int more[][2] = {{0, 0}, {1, 3}, {3, 1}, {17, 0}, {0, 47}};
  for (int p = 1; p <= 64; p += p < 20 ? STEP : 22)
    for (int k = 0; k < 5; k++) {
      gsvd_call c = call_of (type, p + more[k][0], p + more[k][1], p, GLA_GSVD_METHOD_TANGENT);
      c.u = 1 + k % 2;
      gsvd_page g = gsvd_page_new (&c);
      c.options.method = GLA_GSVD_METHOD_HZ;
      gsvd_page reference = gsvd_page_new (&c);
      fill_random (&g, 31 + (unsigned)p);
      fill_random (&reference, 31 + (unsigned)p);
      gsvd_run (ctx, &g);
      gsvd_run (ctx, &reference);
      gsvd_check (&g, "small");
      CHECK (gsvd_difference (&g, &reference) <= 2000 * p * gla_type_eps (type),
             "%c %dx%d %dx%d: sigma differs by %g", type, c.m, p, c.n, p,
             gsvd_difference (&g, &reference));
      gsvd_page_free (&g);
      gsvd_page_free (&reference);
    }
}

// A first row so small that the squares of its entries underflow.
static void test_tiny_row (gla_type type)
{
  gsvd_call c = call_of (type, 9, 8, 7, GLA_GSVD_METHOD_TANGENT);
  gsvd_page g = gsvd_page_new (&c);
  fill_random (&g, 19);
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int j = 0; j < c.p; j++)
      gsvd_set (&g.a[x], 0, j, 0,
                gsvd_get (&g.a[x], 0, j, 0) *
                    (gla_type_real (type) == GLA_TYPE_S ? 1e-21 : 1e-160));
  gsvd_run (ctx, &g);
  gsvd_check (&g, "tiny row");
  gsvd_page_free (&g);
}

static void test_real_in_complex (gla_type type)
{
  for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
    gsvd_call c = call_of (type, 12, 11, 10, method);
    gsvd_page z = gsvd_page_new (&c);
    c.type = gla_type_real (type);
    gsvd_page d = gsvd_page_new (&c);
    fill_random (&d, 31);
    for (int x = GSVD_A; x <= GSVD_B; x++)
      for (int j = 0; j < c.p; j++)
        for (int i = 0; i < d.a[x].rows; i++)
          gsvd_set (&z.a[x], i, j, 0, gsvd_get (&d.a[x], i, j, 0));
    gsvd_run (ctx, &z);
    gsvd_run (ctx, &d);
    double imaginary = 0, off = 0;
    for (int j = 0; j < c.p; j++)
      for (int i = 0; i < c.p; i++) {
        const double complex x = gsvd_get (&z.a[GSVD_X], i, j, 0);
        imaginary = check_worst (imaginary, fabs (cimag (x)));
        off = check_worst (
            off, fabs (fabs (creal (x)) - fabs (creal (gsvd_get (&d.a[GSVD_X], i, j, 0)))));
      }
    CHECK (imaginary == 0 && off <= 1e4 * gla_type_eps (type) &&
               gsvd_difference (&z, &d) <= 1e3 * gla_type_eps (type),
           "%c method %d: imaginary parts %g, X differs by %g, sigma by %g", type, method,
           imaginary, off, gsvd_difference (&z, &d));
    gsvd_page_free (&z);
    gsvd_page_free (&d);
  }
}

//------------------------------------------------------------------------------
// LAPACK
//------------------------------------------------------------------------------

void dggsvd3_ (const char *, const char *, const char *, const GLA_BLAS_INT *, const GLA_BLAS_INT *,
               const GLA_BLAS_INT *, GLA_BLAS_INT *, GLA_BLAS_INT *, double *, const GLA_BLAS_INT *,
               double *, const GLA_BLAS_INT *, double *, double *, double *, const GLA_BLAS_INT *,
               double *, const GLA_BLAS_INT *, double *, const GLA_BLAS_INT *, double *,
               const GLA_BLAS_INT *, GLA_BLAS_INT *, GLA_BLAS_INT *, size_t, size_t, size_t);

static int by_size (const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static void test_lapack (void)
{
  enum { M = 20, R = 18, P = 15 };
  gsvd_call c = call_of (GLA_TYPE_D, M, R, P, GLA_GSVD_METHOD_AUTO);
  c.gap = 0;
  gsvd_page g = gsvd_page_new (&c);
  fill_random (&g, 8);
  gsvd_run (ctx, &g);
  const GLA_BLAS_INT m = M, n = R, p = P, lwork = 10000, one = 1;
  GLA_BLAS_INT k, l, info, iwork[P];
  double a[M * P], b[R * P], alpha[P], beta[P], none[1], *work = malloc (10000 * sizeof *work);
  memcpy (a, g.a[GSVD_A].data, sizeof a);
  memcpy (b, g.a[GSVD_B].data, sizeof b);
  dggsvd3_ ("N", "N", "N", &m, &p, &n, &k, &l, a, &m, b, &n, alpha, beta, none, &one, none, &one,
            none, &one, work, &lwork, iwork, &info, 1, 1, 1);
  CHECK (info == 0 && k == 0 && l == P, "LAPACK: %d", (int)info);
  for (int j = 0; j < P; j++)
    alpha[j] /= beta[j];
  qsort (alpha, P, sizeof *alpha, by_size);
  for (int j = 0; j < P; j++)
    CHECK (fabs (gsvd_sigma (&g, j, 0) / alpha[j] - 1) < 1e-12, "LAPACK: value %d", j);
  free (work);
  gsvd_page_free (&g);
}

//------------------------------------------------------------------------------
// bad input
//------------------------------------------------------------------------------

static void test_not_finite (gla_type type)
{
  const double bad[2] = {NAN, -INFINITY};
  for (int b = 0; b < 4; b++) {
    gsvd_call c = call_of (type, 6, 5, 4, GLA_GSVD_METHOD_AUTO);
    c.pages = 3;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 5);
    gsvd_set (&g.a[b / 2], 2, 3, 1, bad[b % 2]);
    gsvd_run (ctx, &g);
    CHECK (g.status == GLA_OK && g.info[0] == 0 && g.info[1] == 5 && g.info[2] == 0 &&
               g.report.base.pages_failed == 1 && g.report.base.first_failed == 1,
           "%c: info %d %d %d", type, g.info[0], g.info[1], g.info[2]);
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      CHECK (isnan (creal (gsvd_get (&g.a[x], g.a[x].rows - 1, g.a[x].columns - 1, 1))) &&
                 isfinite (creal (gsvd_get (&g.a[x], 0, 0, 2))),
             "%c: result %d must be NaN on its page alone", type, x);
    gsvd_page_free (&g);
  }
}

static void check_refused_page (gsvd_page *g, const char *says)
{
  gsvd_run (ctx, g);
  CHECK (g->status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says), "\"%s\": \"%s\"",
         says, gla_message (ctx));
}

static void test_arguments (void)
{
  const gsvd_call c = call_of (GLA_TYPE_D, 4, 5, 3, GLA_GSVD_METHOD_AUTO);
  const gsvd_page good = gsvd_page_new (&c);
  gsvd_page g = good;
  g.a[GSVD_B].columns = 2;
  check_refused_page (&g, "B is 5x2x1, it must be 5x3x1");
  g = good, g.a[GSVD_B].type = GLA_TYPE_S;
  check_refused_page (&g, "B has type 's', it must be 'd'");
  g = good, g.a[GSVD_U].columns = 2;
  check_refused_page (&g, "U is 4x2x1, it must be 4x4x1");
  g = good, g.a[GSVD_X].row_stride = 2;
  check_refused_page (&g, "X has");
  g = good, g.a[GSVD_V].data = g.a[GSVD_B].data;
  check_refused_page (&g, "V must not overlap B");
  g = good, g.a[GSVD_X].data = g.a[GSVD_V].data;
  check_refused_page (&g, "X must not overlap V");
  g = good, g.a[GSVD_ALPHA].type = GLA_TYPE_Z;
  check_refused_page (&g, "alpha has type 'z', it must be 'd'");
  g = good, g.call.options.block = -1;
  check_refused_page (&g, "block = -1 must not be negative");
  g = good, g.call.options.method = 7;
  check_refused_page (&g, "method = 7 must be 0 to 2");
  g = good, g.call.options.ordering = 2;
  check_refused_page (&g, "ordering = 2 must be 0 to 1");
  CHECK (gla_gsvd (ctx, NULL, &good.a[1], NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "A is NULL");
  CHECK (gla_gsvd (NULL, NULL, NULL, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  g = good;
  gsvd_page_free (&g);
}

int main (void)
{
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  test_arguments ();
  test_lapack ();
  for (const char *t = "sdcz"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_ranks (type);
    test_hard (type);
    test_small (type);
    test_tiny_row (type);
    test_not_finite (type);
    if (gla_type_is_complex (type))
      test_real_in_complex (type);
  }
  gla_context_destroy (ctx);
  return check_report ("test_gsvd");
}
