// test_pagenorm.c: norms of pages against sums in long double; strides, NaN, the ends of the range
// SPDX-License-Identifier: GPL-3.0-or-later

#include "check.h"

enum { LARGEST = 40, PAGES = 70 };

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const gla_norm norms[] = {GLA_NORM_FRO, GLA_NORM_ONE, GLA_NORM_INF};
static double complex memory[LARGEST * LARGEST * PAGES];
static double results[2 * PAGES];

static void store (gla_type type, int64_t at, double complex x)
{
  if (type == GLA_TYPE_S)
    ((float *)memory)[at] = (float)creal (x);
  else if (type == GLA_TYPE_D)
    ((double *)memory)[at] = creal (x);
  else if (type == GLA_TYPE_C)
    ((float complex *)memory)[at] = (float complex)x;
  else
    memory[at] = x;
}

static long double magnitude (gla_type type, int64_t at)
{
  if (type == GLA_TYPE_S)
    return fabsl ((long double)((float *)memory)[at]);
  if (type == GLA_TYPE_D)
    return fabsl ((long double)((double *)memory)[at]);
  return type == GLA_TYPE_C ? cabsl ((long double complex) ((float complex *)memory)[at])
                            : cabsl ((long double complex)memory[at]);
}

static double result_at (gla_type type, int64_t at)
{
  return gla_type_real (type) == GLA_TYPE_S ? (double)((float *)results)[at] : results[at];
}

// The norm of a page as the definition has it.
static long double expected (const gla_array *A, gla_norm norm, int64_t page)
{
  const int by_rows = norm == GLA_NORM_INF;
  const int64_t outer = by_rows ? A->rows : A->columns, inner = by_rows ? A->columns : A->rows;
  long double most = 0, squares = 0;
  for (int64_t o = 0; o < outer; o++) {
    long double sum = 0;
    for (int64_t k = 0; k < inner; k++) {
      const int64_t i = by_rows ? o : k, j = by_rows ? k : o;
      const long double x = magnitude (A->type, page * A->page_stride + j * A->column_stride + i);
      sum += x;
      squares += x * x;
    }
    most = sum > most ? sum : most;
  }
  return norm == GLA_NORM_FRO ? sqrtl (squares) : most;
}

static void check_pages (gla_context *ctx, const gla_array *A, gla_norm norm, int64_t stride)
{
  gla_array to =
      gla_array_packed (results, gla_type_real (A->type), 1, 1, A->pages, GLA_DEVICE_HOST);
  to.page_stride = stride;
  memset (results, 0x55, sizeof results);
  const gla_status status = gla_pagenorm (ctx, A, norm, &to, NULL);
  CHECK (status == GLA_OK, "%c %lldx%lld norm %d: %s", (char)A->type, (long long)A->rows,
         (long long)A->columns, (int)norm, gla_message (ctx));
  double worst = 0;
  for (int64_t p = 0; p < A->pages; p++) {
    const double right = (double)expected (A, norm, p), got = result_at (A->type, p * stride);
    worst = check_worst (worst, right > 0 ? fabs (got - right) / right : fabs (got));
  }
  // half a unit for the result, and as much for each of the sums in double
  const double bound = gla_type_real (A->type) == GLA_TYPE_S
                           ? FLT_EPSILON
                           : (double)(A->rows + A->columns + 4) * DBL_EPSILON;
  CHECK (worst <= bound, "%c %lldx%lld norm %d: off by %g", (char)A->type, (long long)A->rows,
         (long long)A->columns, (int)norm, worst);
}

static void test_sizes (gla_context *ctx)
{
  static const int64_t sizes[][2] = {{1, 1},   {1, 9},  {9, 1}, {5, 7},
                                     {33, 40}, {40, 3}, {0, 4}, {4, 0}};
  unsigned long long seed = 7;
  for (int t = 0; t < 4; t++)
    for (int s = 0; s < 8; s++) {
      gla_array A =
          gla_array_packed (memory, types[t], sizes[s][0], sizes[s][1], PAGES, GLA_DEVICE_HOST);
      A.column_stride = LARGEST;
      A.page_stride = LARGEST * LARGEST;
      for (int64_t k = 0; k < LARGEST * LARGEST * PAGES; k++)
        store (types[t], k, check_random (&seed) + check_random (&seed) * I);
      for (int k = 0; k < 3; k++) {
        check_pages (ctx, &A, norms[k], 1);
        check_pages (ctx, &A, norms[k], 2);
      }
    }
}

// Squares of these overflow or vanish in double.
static void test_range (gla_context *ctx)
{
  static const double scales[] = {1e300, 1e-300, 5e-324};
  const gla_array A = gla_array_packed (memory, GLA_TYPE_D, 6, 5, PAGES, GLA_DEVICE_HOST);
  for (int s = 0; s < 3; s++) {
    for (int64_t k = 0; k < 30 * PAGES; k++)
      store (GLA_TYPE_D, k, scales[s] * (double)(1 + k % 3));
    for (int k = 1; k < 3; k++)
      check_pages (ctx, &A, norms[k], 1);
    if (scales[s] > 1e-320)
      check_pages (ctx, &A, GLA_NORM_FRO, 1);
  }
}

// NaN and Inf stay on their pages, and NaN wins over Inf.
static void test_not_finite (gla_context *ctx)
{
  for (int t = 0; t < 4; t++) {
    const gla_array A = gla_array_packed (memory, types[t], 4, 3, 4, GLA_DEVICE_HOST);
    const gla_array to =
        gla_array_packed (results, gla_type_real (types[t]), 1, 1, 4, GLA_DEVICE_HOST);
    for (int64_t k = 0; k < 48; k++)
      store (types[t], k, 1);
    store (types[t], 12 + 5, NAN);
    store (types[t], 24 + 11, -INFINITY);
    store (types[t], 36, INFINITY);
    store (types[t], 36 + 11, NAN);
    for (int k = 0; k < 3; k++) {
      CHECK (gla_pagenorm (ctx, &A, norms[k], &to, NULL) == GLA_OK, "%s", gla_message (ctx));
      CHECK (result_at (types[t], 0) > 2 && result_at (types[t], 0) < 5, "page 0");
      CHECK (isnan (result_at (types[t], 1)), "NaN, norm %d", k);
      CHECK (result_at (types[t], 2) == INFINITY, "Inf, norm %d", k);
      CHECK (isnan (result_at (types[t], 3)), "NaN and Inf, norm %d", k);
    }
  }
}

static void test_arguments (gla_context *ctx)
{
  gla_array A = gla_array_packed (memory, GLA_TYPE_D, 4, 3, 5, GLA_DEVICE_HOST);
  gla_array to = gla_array_packed (results, GLA_TYPE_D, 1, 1, 5, GLA_DEVICE_HOST), bad = to;
  gla_pagenorm_report report = {.base.size = sizeof report};
  CHECK (gla_pagenorm (NULL, &A, GLA_NORM_ONE, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  CHECK (gla_pagenorm (ctx, NULL, GLA_NORM_ONE, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "no A");
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no norms");
  CHECK (gla_pagenorm (ctx, &A, (gla_norm)9, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "norm 9");
  bad.type = GLA_TYPE_S;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "type");
  bad = to;
  bad.pages = 4;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "pages");
  bad = to;
  bad.data = (double *)memory + 3;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "overlap");
  CHECK (gla_message (ctx)[0] != '\0', "no message");
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &to, &report) == GLA_OK, "%s", gla_message (ctx));
  CHECK (report.base.device == GLA_DEVICE_HOST && report.base.chunk_pages == 5, "report: %d, %lld",
         report.base.device, (long long)report.base.chunk_pages);
  A.pages = to.pages = 0;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &to, &report) == GLA_OK &&
             report.base.chunk_pages == 0,
         "no pages");
}

static void test_all (gla_context *ctx, gla_place place)
{
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "%s", gla_message (ctx));
  test_sizes (ctx);
  test_range (ctx);
  test_not_finite (ctx);
}

int main (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  test_all (ctx, GLA_PLACE_CPU);
  test_arguments (ctx);
  if (gla_device_count (ctx) > 0)
    test_all (ctx, GLA_PLACE_GPU);
  gla_context_destroy (ctx);
  return check_report ("test_pagenorm");
}
