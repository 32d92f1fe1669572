// test_pages.c: gla_least_squares and gla_gevd: arguments, strides, info, results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/calls.h"
#include "frame/check.h"

enum { M = 7, N = 5, RHS = 3, P = 9, LD = 11 };

typedef double complex z;

static void fill (z *a, int64_t count, unsigned long long seed)
{
  for (int64_t k = 0; k < count; k++) {
    const double re = check_random (&seed);
    a[k] = re + check_random (&seed) * I;
  }
}

static gla_array strided (z *data, int64_t rows, int64_t columns)
{
  gla_array a = gla_array_packed (data, GLA_TYPE_Z, rows, columns, P, GLA_DEVICE_HOST);
  a.column_stride = LD;
  a.page_stride = LD * columns + 3;
  return a;
}

static z at (const gla_array *a, int64_t i, int64_t j, int64_t p)
{
  return ((const z *)a->data)[i + j * a->column_stride + p * a->page_stride];
}

// The largest entry of A'*(A*X - B).
static double normal_residual (const gla_array *A, const gla_array *B, const gla_array *X,
                               int64_t p)
{
  double worst = 0;
  for (int64_t j = 0; j < X->columns; j++) {
    z r[LD];
    for (int64_t i = 0; i < A->rows; i++) {
      r[i] = -at (B, i, j, p);
      for (int64_t k = 0; k < A->columns; k++)
        r[i] += at (A, i, k, p) * at (X, k, j, p);
    }
    for (int64_t k = 0; k < A->columns; k++) {
      z sum = 0;
      for (int64_t i = 0; i < A->rows; i++)
        sum += conj (at (A, i, k, p)) * r[i];
      worst = isnan (cabs (sum)) ? INFINITY : fmax (worst, cabs (sum));
    }
  }
  return worst;
}

static void test_least_squares (gla_context *ctx)
{
  static z a[P * (LD * N + 3)], b[P * (LD * RHS + 3)], x[P * (LD * RHS + 3)];
  gla_array A = strided (a, M, N), B = strided (b, M, RHS), X = strided (x, N, RHS);
  int32_t info[P];
  gla_least_squares_report report = {.base.size = sizeof report};
  fill (a, P * (LD * N + 3), 1);
  fill (b, P * (LD * RHS + 3), 2);
  fill (x, P * (LD * RHS + 3), 3);
  for (int64_t i = 0; i < M; i++) {
    a[i + 2 * LD + 3 * A.page_stride] = 2 * a[i + 3 * A.page_stride]; // page 3: rank 4
    for (int64_t j = 0; j < N; j++)
      a[i + j * LD + 6 * A.page_stride] = 0; // page 6: rank 0
  }
  a[4 + 5 * A.page_stride] = NAN;
  b[1 + LD + 7 * B.page_stride] = INFINITY;
  const z between = x[N];
  CHECK (call_least_squares (ctx, &A, &B, &X, info, NULL, &report) == GLA_OK, "%s",
         gla_message (ctx));
  const int32_t wanted[P] = {0, 0, 0, 1, 0, N + 1, N, N + 1, 0};
  for (int64_t p = 0; p < P; p++) {
    CHECK (info[p] == wanted[p], "page %d: info %d", (int)p, info[p]);
    if (wanted[p] <= N)
      CHECK (normal_residual (&A, &B, &X, p) < 1e-12, "page %d: %g", (int)p,
             normal_residual (&A, &B, &X, p));
    else
      CHECK (isnan (creal (at (&X, N - 1, RHS - 1, p))), "page %d is not NaN", (int)p);
  }
  CHECK (cabs (at (&X, 0, 0, 3) * 2 - at (&X, 2, 0, 3)) < 1e-12, "not of least norm");
  CHECK (report.base.pages_failed == 2 && report.base.first_failed == 5 &&
             report.pages_deficient == 2 && report.first_deficient == 3,
         "%d failed, %d deficient", (int)report.base.pages_failed, (int)report.pages_deficient);
  CHECK (x[N] == between, "written between columns");

  gla_array wide = strided (a, 4, N), right = strided (b, 4, RHS);
  CHECK (call_least_squares (ctx, &wide, &right, &X, NULL, NULL, NULL) == GLA_OK, "wide");
  CHECK (normal_residual (&wide, &right, &X, 0) < 1e-12, "wide");

  gla_array bad = X;
  bad.rows = N + 1;
  CHECK (call_least_squares (ctx, &A, &B, &bad, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "X too long");
  bad = X;
  bad.data = a;
  CHECK (call_least_squares (ctx, &A, &B, &bad, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "overlap");
  bad = B;
  bad.type = GLA_TYPE_D;
  CHECK (call_least_squares (ctx, &A, &bad, &X, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "types");
  CHECK (call_least_squares (ctx, &A, &B, &X, NULL,
                             &(gla_qr_options){.size = sizeof (gla_qr_options), .pivot = 1},
                             NULL) == GLA_ERROR_BAD_ARGUMENT,
         "pivot");
  CHECK (call_least_squares (ctx, NULL, &B, &X, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT,
         "NULL");
  CHECK (call_least_squares (NULL, &A, &B, &X, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
}

static void test_gevd (gla_context *ctx)
{
  static z a[P * (LD * N + 3)], b[P * (LD * N + 3)], vectors[P * (LD * N + 3)];
  static double alpha[P * N], beta[P * N];
  gla_array A = strided (a, M, N), B = strided (b, N + 1, N);
  int32_t info[P];
  gla_gevd_report report = {.base.size = sizeof report};
  gla_gevd_results r = {.size = sizeof r,
                        .alpha = gla_array_packed (alpha, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST),
                        .beta = gla_array_packed (beta, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST),
                        .Z = strided (vectors, N, N),
                        .info = info};
  fill (a, P * (LD * N + 3), 4);
  fill (b, P * (LD * N + 3), 5);
  for (int64_t i = 0; i < M; i++)
    a[i + LD + 2 * A.page_stride] = b[i + LD + 2 * B.page_stride] = 0; // page 2: rank 4
  b[8 * B.page_stride] = NAN;
  CHECK (gla_gevd (ctx, &A, &B, &r, NULL, &report) == GLA_OK, "%s", gla_message (ctx));
  CHECK (report.base.pages_failed == 1 && report.base.first_failed == 8 &&
             report.pages_singular == 1 && report.first_singular == 2 && info[2] == N + 2 &&
             info[8] == N + 1,
         "%d failed, %d singular", (int)report.base.pages_failed, (int)report.pages_singular);
  for (int64_t p = 0; p < P; p++)
    for (int64_t j = 0; j < N; j++) {
      z sum = 0; // of Z'*A'*A*Z
      for (int64_t i = 0; i < M; i++) {
        z v = 0;
        for (int64_t k = 0; k < N; k++)
          v += at (&A, i, k, p) * at (&r.Z, k, j, p);
        sum += conj (v) * v;
      }
      const double c = alpha[p * N + j];
      if (info[p] == 0)
        CHECK (cabs (sum - c * c) < 1e-11, "page %d, column %d: %g", (int)p, (int)j,
               cabs (sum - c * c));
      else
        CHECK (isnan (creal (sum)), "page %d has a Z", (int)p);
    }
  double with[N];
  memcpy (with, alpha, sizeof with);
  r.Z.data = NULL;
  r.info = NULL;
  CHECK (gla_gevd (ctx, &A, &B, &r, NULL, NULL) == GLA_OK, "values alone");
  CHECK (memcmp (with, alpha, sizeof with) == 0, "other bits without Z");
  r.Z = strided (vectors, N + 1, N);
  CHECK (gla_gevd (ctx, &A, &B, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "Z too long");
  CHECK (gla_gevd (ctx, &A, NULL, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "NULL");
}

int main (void)
{
  gla_context *ctx;
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  test_least_squares (ctx);
  test_gevd (ctx);
  gla_context_destroy (ctx);
  return check_report ("test_pages");
}
