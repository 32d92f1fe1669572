// test_geev.c: eigenvalues and eigenvectors of general pages: residuals, norms, bits, hard pages
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2 guarded
//
// Eigenvectors are never compared entry by entry. An eigenvalue without vectors is judged by its
// backward error: the last pivot of A - lambda by elimination with complete pivoting.

#include "geev_kinds.h"
#include "frame/page_bits.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};

typedef struct {
  gla_array A, lambda, V, W, values; // values: eigenvalues from a call without vectors
  int32_t *info;
} answer;

static answer make_answer (gla_type type, int64_t n, int64_t pages, int64_t gap)
{
  const gla_type complex_type = gla_type_real (type) == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  return (answer){make (type, n, n, pages, gap),         make (complex_type, n, 1, pages, gap),
                  make (complex_type, n, n, pages, gap), make (complex_type, n, n, pages, gap),
                  make (complex_type, n, 1, pages, gap), malloc ((size_t)pages * sizeof (int32_t))};
}

static void free_answer (answer *r)
{
  free (r->A.data);
  free (r->lambda.data);
  free (r->V.data);
  free (r->W.data);
  free (r->values.data);
  free (r->info);
}

static gla_status solve (gla_context *ctx, answer *r, int not_balanced, gla_pageeig_report *report)
{
  const gla_pageeig_options options = {.size = sizeof options, .not_balanced = not_balanced};
  const gla_pageeig_results values = {.size = sizeof values, .lambda = r->values};
  const gla_pageeig_results all = {
      .size = sizeof all, .lambda = r->lambda, .V = r->V, .W = r->W, .info = r->info};
  const gla_status status = gla_pageeig (ctx, &r->A, &values, &options, NULL);
  return status == GLA_OK ? gla_pageeig (ctx, &r->A, &all, &options, report) : status;
}

//------------------------------------------------------------------------------
// one page
//------------------------------------------------------------------------------

// The largest sum of magnitudes in a column.
static double norm_of (const gla_array *A, int64_t p)
{
  double norm = 0;
  for (int64_t j = 0; j < A->columns; j++) {
    double sum = 0;
    for (int64_t i = 0; i < A->rows; i++)
      sum += cabs (get (A, i, j, p));
    norm = check_worst (norm, sum);
  }
  return norm;
}

// What rounding of numbers near 0 may add up to.
static double floor_of (gla_type type)
{
  return gla_type_real (type) == GLA_TYPE_S ? 0x1p-149 : 0x1p-1074;
}

// Power of two by which numbers of the page are multiplied here, so that nothing overflows.
static double scale_of (double norm)
{
  return norm > 1e200 ? 0x1p-500 : norm < 1e-200 ? 0x1p500 : 1;
}

// The largest |A*v - lambda*v| or |w'*A - lambda*w'| over n*eps*|A|, in the 1-norm.
static double residual (const answer *r, int64_t p, int left)
{
  const gla_array *A = &r->A, *V = left ? &r->W : &r->V;
  const int64_t n = A->rows;
  const double norm = norm_of (A, p), s = scale_of (norm);
  const double unit = (double)n * (gla_type_eps (A->type) * norm * s + floor_of (A->type) * s);
  double worst = 0;
  for (int64_t k = 0; k < n; k++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      double complex x = 0;
      for (int64_t j = 0; j < n; j++)
        x += s * (left ? conj (get (V, j, k, p)) * get (A, j, i, p)
                       : get (A, i, j, p) * get (V, j, k, p));
      const double complex v = get (V, i, k, p);
      sum += cabs (x - s * get (&r->lambda, k, 0, p) * (left ? conj (v) : v));
    }
    worst = check_worst (worst, sum / unit);
  }
  return worst;
}

// The largest | |v| - 1 | over eps, and the largest imaginary part of a largest component.
static double off_norm (const gla_array *V, int64_t p)
{
  double worst = 0;
  for (int64_t j = 0; j < V->columns; j++) {
    double sum = 0, most = 0, turned = 0;
    for (int64_t i = 0; i < V->rows; i++) {
      const double size = cabs (get (V, i, j, p));
      sum += size * size;
      turned = size > most ? fabs (cimag (get (V, i, j, p))) : turned;
      most = fmax (size, most);
    }
    worst = check_worst (worst, fabs (sqrt (sum) - 1));
    if (V->rows == 1)
      worst = check_worst (worst, turned);
  }
  return worst / gla_type_eps (V->type);
}

// Pages of a real A have conjugate pairs, positive imaginary part first, and conjugate vectors.
static int pairs_are_right (const answer *r, int64_t p)
{
  const int64_t n = r->A.rows;
  for (int64_t k = 0; k < n; k++) {
    const double complex a = get (&r->lambda, k, 0, p);
    if (cimag (a) == 0)
      continue;
    if (cimag (a) < 0 || k + 1 == n || get (&r->lambda, k + 1, 0, p) != conj (a))
      return 0;
    k++;
    for (int64_t i = 0; i < n; i++)
      if (get (&r->V, i, k, p) != conj (get (&r->V, i, k - 1, p)) ||
          get (&r->W, i, k, p) != conj (get (&r->W, i, k - 1, p)))
        return 0;
  }
  return 1;
}

static double off_trace (const answer *r, const gla_array *lambda, int64_t p)
{
  const int64_t n = r->A.rows;
  const double norm = norm_of (&r->A, p), s = scale_of (norm);
  double complex sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += s * get (&r->A, i, i, p) - s * get (lambda, i, 0, p);
  return cabs (sum) /
         ((double)n * (gla_type_eps (r->A.type) * norm * s + floor_of (r->A.type) * s));
}

// The largest element of rows and columns from k on comes to (k, k).
static void pivot (double complex *a, int64_t n, int64_t k)
{
  int64_t row = k, column = k;
  for (int64_t j = k; j < n; j++)
    for (int64_t i = k; i < n; i++)
      if (cabs (a[i + j * n]) > cabs (a[row + column * n])) {
        row = i;
        column = j;
      }
  for (int64_t i = 0; i < n; i++) {
    const double complex x = a[i + k * n];
    a[i + k * n] = a[i + column * n];
    a[i + column * n] = x;
  }
  for (int64_t j = 0; j < n; j++) {
    const double complex x = a[k + j * n];
    a[k + j * n] = a[row + j * n];
    a[row + j * n] = x;
  }
}

// The backward error of an eigenvalue over n*eps*|A|.
static double backward (const answer *r, double complex lambda, int64_t p)
{
  const int64_t n = r->A.rows;
  const double norm = norm_of (&r->A, p), s = scale_of (norm);
  double complex *a = malloc ((size_t)(n * n) * sizeof *a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      a[i + j * n] = s * get (&r->A, i, j, p) - (i == j ? s * lambda : 0);
  for (int64_t k = 0; k < n; k++) {
    pivot (a, n, k);
    if (a[k + k * n] == 0)
      break;
    for (int64_t j = k + 1; j < n; j++) {
      const double complex f = a[k + j * n] / a[k + k * n];
      for (int64_t i = k + 1; i < n; i++)
        a[i + j * n] -= f * a[i + k * n];
    }
  }
  const double last = cabs (a[n * n - 1]);
  free (a);
  return last / ((double)n * (gla_type_eps (r->A.type) * norm * s + floor_of (r->A.type) * s));
}

static int all_nan (const answer *r, int64_t p)
{
  for (int64_t j = 0; j < r->A.rows; j++) {
    if (!isnan (creal (get (&r->lambda, j, 0, p))) || cimag (get (&r->lambda, j, 0, p)) != 0)
      return 0;
    for (int64_t i = 0; i < r->A.rows; i++)
      if (!isnan (creal (get (&r->V, i, j, p))) || !isnan (creal (get (&r->W, i, j, p))))
        return 0;
  }
  return 1;
}

// Bounds are multiples of n*eps*|A| for residuals and of eps for norms.
static void check_page (const answer *r, geev_kind kind, int64_t p, int exact)
{
  const char type = (char)r->A.type;
  const long long n = r->A.rows;
  if (kind_fails (kind)) {
    CHECK (r->info[p] == n + 1 && all_nan (r, p), "%c %lld kind %d: info %d", type, n, kind,
           (int)r->info[p]);
    return;
  }
  const double right = residual (r, p, 0), left = residual (r, p, 1);
  CHECK (r->info[p] == 0 && right < 10 && left < 10, "%c %lld kind %d: info %d, residuals %g, %g",
         type, n, kind, (int)r->info[p], right, left);
  const double v = off_norm (&r->V, p), w = off_norm (&r->W, p);
  CHECK (v < 6 + (double)n / 4 && w < 6 + (double)n / 4, "%c %lld kind %d: norms off by %g, %g",
         type, n, kind, v, w);
  const double with = off_trace (r, &r->lambda, p), without = off_trace (r, &r->values, p);
  CHECK (with < 10 && without < 10, "%c %lld kind %d: trace off by %g, %g", type, n, kind, with,
         without);
  if (!gla_type_is_complex (r->A.type))
    CHECK (pairs_are_right (r, p), "%c %lld kind %d: pairs", type, n, kind);
  double worst = 0;
  for (int64_t k = 0; exact && k < n; k++)
    worst = check_worst (worst, backward (r, get (&r->values, k, 0, p), p));
  // the last pivot may be n times the smallest singular value, as of CYCLE
  CHECK (worst < 10 + (double)n, "%c %lld kind %d: backward error %g", type, n, kind, worst);
}

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

// A batch with all kinds in turn, also beside each other in a register.
static void test_kinds (gla_context *ctx, gla_type type, int64_t n, int64_t pages, int not_balanced)
{
  answer r = make_answer (type, n, pages, 3);
  int64_t failed = 0, first = -1;
  for (int64_t p = 0; p < pages; p++) {
    const geev_kind kind = (geev_kind)(p % KINDS);
    fill_kind (&r.A, p, kind, (unsigned long long)(1000 * n + p));
    failed += kind_fails (kind);
    first = first < 0 && kind_fails (kind) ? p : first;
  }
  gla_pageeig_report report = {.base.size = sizeof report};
  const gla_status status = solve (ctx, &r, not_balanced, &report);
  CHECK (status == GLA_OK, "%c %lld: %s", (char)type, (long long)n, gla_message (ctx));
  CHECK (report.base.pages_failed == failed && report.base.first_failed == first,
         "%c %lld: %lld pages failed, from %lld", (char)type, (long long)n,
         (long long)report.base.pages_failed, (long long)report.base.first_failed);
  for (int64_t p = 0; p < pages; p++)
    check_page (&r, (geev_kind)(p % KINDS), p, n <= 17);
  CHECK (gaps_are_untouched (&r.V) && gaps_are_untouched (&r.W) && gaps_are_untouched (&r.lambda),
         "%c %lld: gaps", (char)type, (long long)n);
  free_answer (&r);
}

// Eigenvalues of pages that balancing makes smaller, also of tiny ones.
static void test_stretched (gla_context *ctx, gla_type type, int64_t n, int spread, double size)
{
  // the norm of a long chain may stay far from the least one, as with LAPACK
  const int64_t kinds = n > 9 ? STRETCHED_CHAIN : STRETCHED_KINDS;
  answer r = make_answer (type, n, 3 * kinds, 0);
  for (int64_t p = 0; p < 3 * kinds; p++)
    fill_stretched (&r.A, p, (stretched_kind)(p % kinds), spread, 1, size);
  CHECK (solve (ctx, &r, 0, NULL) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < 3 * kinds; p++) {
    fill_stretched (&r.A, p, (stretched_kind)(p % kinds), spread, 0, size);
    double worst = r.info[p] == 0 ? 0 : INFINITY;
    for (int64_t k = 0; k < n; k++) {
      worst = check_worst (worst, backward (&r, get (&r.values, k, 0, p), p));
      worst = check_worst (worst, backward (&r, get (&r.lambda, k, 0, p), p));
    }
    CHECK (worst < 10 + (double)n, "%c %lld stretched by 2^%d, kind %lld: backward error %g",
           (char)type, (long long)n, spread, (long long)(p % kinds), worst);
  }
  free_answer (&r);
}

static void test_stretches (gla_context *ctx, gla_type type)
{
  static const int64_t sizes[] = {2, 3, 4, 5, 9, 17};
  static const int spreads[] = {10, 20, 22, 24, 30, 40, 54, 75}; // LAPACK loses small parts beyond
  const int single = gla_type_real (type) == GLA_TYPE_S;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
      const int spread = single ? spreads[s] : spreads[s] < 75 ? 10 * spreads[s] - 3 : 550;
      test_stretched (ctx, type, sizes[k], spread, 1);
      if (s < 4)
        test_stretched (ctx, type, sizes[k], spread, single ? 0x1p-70 : 0x1p-530);
    }
}

// Page p has the same bits among others, alone, and where one kind of vector is not wanted.
static void test_bits (gla_context *ctx, gla_type type, int64_t n)
{
  const int64_t pages = 2 * KINDS + 3;
  answer r = make_answer (type, n, pages, 0);
  for (int64_t p = 0; p < pages; p++)
    fill_kind (&r.A, p, (geev_kind)((p * 7 + p / KINDS) % KINDS), (unsigned long long)p);
  CHECK (solve (ctx, &r, 0, NULL) == GLA_OK, "%s", gla_message (ctx));
  int same = 1;
  for (int64_t p = 0; p < pages; p++) {
    answer one = make_answer (type, n, 1, 1);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++)
        set (&one.A, i, j, 0, get (&r.A, i, j, p));
    same &= solve (ctx, &one, 0, NULL) == GLA_OK;
    same &= same_page (&one.lambda, 0, &r.lambda, p) && same_page (&one.values, 0, &r.values, p);
    same &= same_page (&one.V, 0, &r.V, p) && same_page (&one.W, 0, &r.W, p);
    gla_pageeig_results right = {.size = sizeof right, .lambda = one.lambda, .V = one.W};
    same &= gla_pageeig (ctx, &one.A, &right, NULL, NULL) == GLA_OK;
    same &= same_page (&one.lambda, 0, &r.lambda, p) && same_page (&one.W, 0, &r.V, p);
    CHECK (same, "%c %lld page %lld of kind %lld: other bits alone", (char)type, (long long)n,
           (long long)p, (long long)((p * 7 + p / KINDS) % KINDS));
    free_answer (&one);
  }
  free_answer (&r);
}

// Eigenvalues that are exact: of triangles in any order where pages are balanced, and along a
// diagonal with any stride.
static void test_exact (gla_context *ctx)
{
  double a[9] = {1, 2, 3, 0, 4, 5, 0, 0, 6}, d[18] = {0};
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, 3, 3, 1, GLA_DEVICE_HOST);
  gla_array lambda = gla_array_packed (d, GLA_TYPE_Z, 3, 1, 1, GLA_DEVICE_HOST);
  lambda.row_stride = 3;
  lambda.column_stride = lambda.page_stride = 9;
  const gla_pageeig_results r = {.size = sizeof r, .lambda = lambda};
  CHECK (gla_pageeig (ctx, &A, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (d[0] + d[6] + d[12] == 11 && d[0] * d[6] * d[12] == 24, "%g %g %g", d[0], d[6], d[12]);
  CHECK (d[2] == 0 && d[4] == 0 && d[8] == 0, "written between the values");
}

// Pages of one number, whose only column has the stride 0: zeros are left to LAPACK.
static void test_single_columns (gla_context *ctx, gla_type type)
{
  answer r = make_answer (type, 1, 2, 0);
  gla_pageeig_report report = {.base.size = sizeof report};
  for (int64_t p = 0; p < 2; p++)
    set (&r.A, 0, 0, p, 3. * (double)p);
  r.A.column_stride = r.lambda.column_stride = r.V.column_stride = r.W.column_stride = 0;
  CHECK (solve (ctx, &r, 0, &report) == GLA_OK && report.base.pages_failed == 0,
         "%c: %d pages of one number fail", (char)type, (int)report.base.pages_failed);
  for (int64_t p = 0; p < 2; p++)
    CHECK (get (&r.lambda, 0, 0, p) == 3. * (double)p && get (&r.V, 0, 0, p) == 1 &&
               get (&r.W, 0, 0, p) == 1,
           "%c: page %d of one number", (char)type, (int)p);
  free_answer (&r);
}

static void test_empty (gla_context *ctx)
{
  double none[1] = {0};
  for (int64_t n = 0; n < 2; n++) {
    const gla_array A = gla_array_packed (none, GLA_TYPE_D, n, n, n == 0 ? 4 : 0, GLA_DEVICE_HOST);
    const gla_array l = gla_array_packed (none, GLA_TYPE_Z, n, 1, n == 0 ? 4 : 0, GLA_DEVICE_HOST);
    const gla_pageeig_results r = {.size = sizeof r, .lambda = l};
    CHECK (gla_pageeig (ctx, &A, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  }
}

static void refused (gla_context *ctx, const gla_array *A, const gla_pageeig_results *r,
                     const char *words)
{
  CHECK (gla_pageeig (ctx, A, r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (ctx), words) != NULL,
         "%s: %s", words, gla_message (ctx));
}

static void test_arguments (gla_context *ctx)
{
  answer r = make_answer (GLA_TYPE_D, 4, 2, 0);
  fill (&r.A, 1);
  gla_pageeig_results to = {.size = sizeof to, .lambda = r.lambda, .V = r.V};
  gla_array A = r.A;
  A.columns = 3;
  refused (ctx, &A, &to, "square");
  A = r.A;
  A.row_stride = 2;
  refused (ctx, &A, &to, "A");
  to.lambda.type = GLA_TYPE_D;
  refused (ctx, &r.A, &to, "lambda");
  to.lambda = r.lambda;
  to.V.rows = 3;
  refused (ctx, &r.A, &to, "V");
  to.V = r.V;
  to.W = r.V;
  refused (ctx, &r.A, &to, "W");
  to.W = (gla_array){0};
  refused (ctx, NULL, &to, "A");
  refused (ctx, &r.A, NULL, "results");
  free_answer (&r);
}

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

static void test_stop (gla_context *ctx)
{
  answer r = make_answer (GLA_TYPE_D, 20, 20000, 0);
  fill (&r.A, 5);
  gla_set_stop (ctx, stop_at_once, NULL);
  CHECK (solve (ctx, &r, 0, NULL) == GLA_ERROR_STOPPED, "%s", gla_message (ctx));
  gla_set_stop (ctx, NULL, NULL);
  free_answer (&r);
}

int main (void)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 31, 47, 48, 49, 60};
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      test_kinds (ctx, types[t], sizes[k], KINDS + (int64_t)k, 0);
      test_kinds (ctx, types[t], sizes[k], KINDS, 1);
    }
    for (int64_t pages = 1; pages < 18; pages++)
      test_kinds (ctx, types[t], 5, pages, 0);
    test_single_columns (ctx, types[t]);
    test_stretches (ctx, types[t]);
    test_bits (ctx, types[t], 6);
    test_bits (ctx, types[t], 19);
    test_bits (ctx, types[t], 50);
  }
  test_exact (ctx);
  test_empty (ctx);
  test_arguments (ctx);
  test_stop (ctx);
  gla_context_destroy (ctx);
  return check_report ("geev");
}
