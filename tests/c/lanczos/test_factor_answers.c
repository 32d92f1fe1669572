// test_factor_answers.c: what gla_factor_create reports and refuses, its stops, and the bits
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded tsan

#include "factor_matrices.h"
#include "threads/pool.h"

#include <pthread.h>

static gla_factor *factor (const matrix *A, double shift, const gla_factor_options *o,
                           gla_factor_report *report, const char *what)
{
  const columns_of c = to_columns (A, 8);
  gla_factor *F = (gla_factor *)&F; // must not stay
  *report = (gla_factor_report){.size = sizeof *report};
  const gla_status status = gla_factor_create (ctx, &c.csr, shift, &F, o, report);
  CHECK (status == GLA_OK, "%s: status %d, \"%s\"", what, (int)status, gla_message (ctx));
  return F;
}

//------------------------------------------------------------------------------
// reports
//------------------------------------------------------------------------------

// Column j of a dense matrix takes (n-j)^2 additions and multiplications, one of a diagonal 1.
static void test_counts (gla_type type)
{
  enum { N = 100 };
  matrix D = make_known (type, N, diagonal), C = make_known (type, N, complete);
  gla_factor_report report;
  gla_factor *F = factor (&D, 0.1, NULL, &report, "diagonal");
  CHECK (F != NULL && report.flops == N && report.entries == N,
         "diagonal, %c: %g flops, %lld entries", type, report.flops, (long long)report.entries);
  gla_factor_destroy (F);
  const double flops = N * (N + 1.0) * (2 * N + 1) / 6;
  F = factor (&C, 0.1, NULL, &report, "complete");
  CHECK (F != NULL && report.flops == flops && report.entries == N * N,
         "complete, %c: %g flops, %lld entries", type, report.flops, (long long)report.entries);
  gla_factor_destroy (F);

  // what takes more is analysed only
  gla_factor_options o = {.size = sizeof o, .most_flops = flops - 1};
  F = factor (&C, 0.1, &o, &report, "too many flops");
  CHECK (F == NULL && report.flops == flops && report.entries == N * N && !report.singular &&
             report.negative == 0,
         "%c: %g flops are too many, %d", type, report.flops, report.singular);
  o.most_flops = flops;
  F = factor (&C, 0.1, &o, &report, "as many flops as are allowed");
  CHECK (F != NULL && report.negative == N - 1, "%c: %lld negative", type,
         (long long)report.negative);
  gla_factor_destroy (F);
  matrix_free (&D);
  matrix_free (&C);
}

static void expect_singular (const matrix *A, double shift, double smallest, int singular,
                             const char *what)
{
  gla_factor_report report;
  const gla_factor_options o = {.size = sizeof o, .smallest = smallest};
  gla_factor *F = factor (A, shift, &o, &report, what);
  CHECK ((F == NULL) == singular && (report.singular != 0) == singular, "%s, %c: singular is %d",
         what, A->type, report.singular);
  CHECK (!singular || report.negative == 0, "%s, %c: %lld negative", what, A->type,
         (long long)report.negative);
  gla_factor_destroy (F);
}

// A zero diagonal element that comes with others of its size.
static double complex near_singular (int64_t n, int64_t i, int64_t j)
{
  return i != j ? 0 : i == n / 2 ? 1e-9 : 1;
}

static void test_singular (gla_type type)
{
  matrix D = make_known (type, 90, diagonal), E = make_known (type, 5, identity),
         R = make_known (type, 70, real_rank_one), Z = make_known (type, 3, zero),
         B = make_known (type, 99, bipartite), S = make_known (type, 30, near_singular);
  expect_singular (&D, 7, 0, 1, "a shift that is an eigenvalue");
  expect_singular (&D, 7.5, 0, 0, "a shift between two eigenvalues");
  expect_singular (&D, 7.5, 0.4, 0, "pivots of 0.5 and more");
  expect_singular (&D, 7.5, 0.5, 1, "pivots of 0.5 and more, which are too small");
  expect_singular (&E, 1, 0, 1, "nothing is left");
  expect_singular (&E, 0, 0, 0, "the identity");
  expect_singular (&Z, 0, 0, 1, "zero");
  expect_singular (&Z, -1, 0, 0, "zero and a shift");
  expect_singular (&R, 0, 1e-13, 1, "rank one");
  expect_singular (&B, 0, 1e-9, 1, "rank two");
  expect_singular (&S, 0, 0, 0, "a small pivot");
  expect_singular (&S, 0, 1e-8, 1, "a pivot that is too small");
  matrix *all[] = {&D, &E, &R, &Z, &B, &S};
  for (int k = 0; k < 6; k++)
    matrix_free (all[k]);
}

// Rows of a column in another order, and both kinds of indices, give the same factor.
static void test_storage (gla_type type)
{
  enum { N = 80 };
  matrix A = make_known (type, N, arrow), B = make_known (type, N, arrow);
  const size_t size = gla_type_size (type);
  char *b = right_sides (type, N, 1), *x = malloc (N * size), *y = malloc (N * size),
       *from = A.values, *to = B.values;
  for (int64_t j = 0; j < N; j++)
    for (int64_t k = A.start[j], l = A.start[j + 1] - 1; k < A.start[j + 1]; k++, l--) {
      B.index[l] = A.index[k];
      memcpy (to + (size_t)l * size, from + (size_t)k * size, size);
    }
  for (int bytes = 4; bytes <= 8; bytes += 4) {
    const matrix *all[] = {&A, &B};
    for (int k = 0; k < 2; k++) {
      columns_of c = to_columns (all[k], bytes);
      gla_factor *F = NULL;
      CHECK (gla_factor_create (ctx, &c.csr, 0.25, &F, NULL, NULL) == GLA_OK && F != NULL, "%d: %s",
             bytes, gla_message (ctx));
      CHECK (gla_factor_solve (F, b, k + bytes == 4 ? x : y, 1) == GLA_OK, "solve");
      CHECK (k + bytes == 4 || memcmp (x, y, N * size) == 0, "%c, %d bytes, backwards %d: bits",
             type, bytes, k);
      gla_factor_destroy (F);
      columns_free (&c);
    }
  }
  CHECK (residual (&A, 0.25, x, b) <= 10, "%c: residual %g", type, residual (&A, 0.25, x, b));
  free (b);
  free (x);
  free (y);
  matrix_free (&A);
  matrix_free (&B);
}

// Without values all entries are 1.
static void test_no_values (gla_type type)
{
  enum { N = 40 };
  matrix A = make_known (type, N, path);
  columns_of c = to_columns (&A, 4);
  gla_factor *F = NULL;
  gla_factor_report report = {.size = sizeof report};
  c.csr.values = NULL;
  CHECK (gla_factor_create (ctx, &c.csr, 0, &F, NULL, &report) == GLA_OK && F != NULL, "%s",
         gla_message (ctx));
  void *b = right_sides (type, N, 1), *x = malloc (N * 16);
  CHECK (gla_factor_solve (F, b, x, 1) == GLA_OK && residual (&A, 0, x, b) <= 10 &&
             report.negative == N / 2,
         "%c without values: residual %g, %lld negative", type, residual (&A, 0, x, b),
         (long long)report.negative);
  free (b);
  free (x);
  gla_factor_destroy (F);
  columns_free (&c);
  matrix_free (&A);
}

static void test_empty (void)
{
  const int32_t start[] = {0};
  const gla_csr A = {GLA_TYPE_Z, 0, 0, 4, start, NULL, NULL};
  gla_factor *F = NULL;
  gla_factor_report report = {.size = sizeof report};
  CHECK (gla_factor_create (ctx, &A, 1, &F, NULL, &report) == GLA_OK && F != NULL &&
             report.flops == 0 && report.entries == 0 && report.negative == 0,
         "0x0: %s", gla_message (ctx));
  CHECK (gla_factor_solve (F, NULL, NULL, 3) == GLA_OK, "0x0: solve");
  gla_factor_destroy (F);
}

//------------------------------------------------------------------------------
// bad arguments
//------------------------------------------------------------------------------

static void refused (const gla_csr *A, double shift, const gla_factor_options *o, const char *says)
{
  gla_factor *F = (gla_factor *)&F;
  gla_factor_report report = {.size = sizeof report, .flops = -7};
  const gla_status status = gla_factor_create (ctx, A, shift, &F, o, &report);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && F == NULL && strstr (gla_message (ctx), says) != NULL,
         "%s: status %d, \"%s\"", says, (int)status, gla_message (ctx));
}

// Sizes and arrays that a matrix cannot have.
static void test_bad_matrix (void)
{
  enum { N = 4 };
  matrix A = make_known (GLA_TYPE_D, N, path);
  const columns_of c = to_columns (&A, 8);
  const int64_t far = c.csr.rows; // an entry behind the last row
  gla_csr bad = c.csr;
  bad.start = NULL;
  refused (&bad, 0, NULL, "start must not be NULL");
  bad = c.csr;
  bad.index = NULL;
  refused (&bad, 0, NULL, "index must not be NULL");
  bad = c.csr;
  bad.rows = bad.columns = -1;
  refused (&bad, 0, NULL, "A is -1x-1");
  bad = c.csr;
  bad.index_bytes = 3;
  refused (&bad, 0, NULL, "index_bytes = 3 must be 4 or 8");
  bad.index_bytes = 4;
  bad.rows = bad.columns = (int64_t)INT32_MAX + 1;
  refused (&bad, 0, NULL, "A is 2147483648x2147483648, too large for 4-byte indices");

  // columns 0 to 3 of a path have the rows {1}, {0, 2}, {1, 3}, {2}
  static const int64_t starts[][N + 1] = {
      {1, 1, 3, 5, 6}, {-1, 1, 3, 5, 6}, {0, 3, 1, 5, 6}, {0, 1, 3, 7, 6}, {0, 1, 3, 5, 4}};
  static const int bad_column[] = {0, 0, 1, 2, 2};
  char says[64];
  bad = c.csr;
  for (int k = 0; k < 5; k++) {
    bad.start = starts[k];
    snprintf (says, sizeof says, "column %d (from 0) is not in order", bad_column[k]);
    refused (&bad, 0, NULL, says);
  }
  bad = c.csr;
  for (int64_t k = 0; k < 6; k++) {
    int64_t index[6];
    memcpy (index, c.csr.index, sizeof index);
    index[k] = k % 2 ? -1 : far;
    bad.index = index;
    snprintf (says, sizeof says, "column %d (from 0) has row %d, it must be 0 to 3",
              (int)(k + 1) / 2, (int)index[k]);
    refused (&bad, 0, NULL, says);
  }
  matrix_free (&A);
}

// One triangle of A, with the diagonal.
static void test_triangle (gla_type type, element f, int upper)
{
  enum { N = 90 };
  matrix A = make_known (type, N, f);
  const columns_of c = to_columns (&A, 8);
  int64_t start[N + 1] = {0}, *index = malloc ((size_t)A.start[N] * sizeof *index);
  for (int64_t j = 0; j < N; j++) {
    start[j + 1] = start[j];
    for (int64_t k = A.start[j]; k < A.start[j + 1]; k++)
      if (upper ? A.index[k] <= j : A.index[k] >= j)
        index[start[j + 1]++] = A.index[k];
  }
  gla_csr half = c.csr;
  half.start = start;
  half.index = index;
  half.values = NULL;
  gla_factor *F = (gla_factor *)&F;
  const gla_status status = gla_factor_create (ctx, &half, 0.5, &F, NULL, NULL);
  CHECK (status == GLA_ERROR_NOT_HERMITIAN && F == NULL &&
             strstr (gla_message (ctx), "both triangles are needed") != NULL,
         "%c, %s triangle: status %d, \"%s\"", type, upper ? "upper" : "lower", (int)status,
         gla_message (ctx));
  free (index);
  matrix_free (&A);
}

static void test_bad (void)
{
  enum { N = 4 };
  matrix A = make_known (GLA_TYPE_D, N, path);
  const columns_of c = to_columns (&A, 8);
  gla_csr bad = c.csr;
  for (const char *type = "scq"; *type; type++) {
    char says[64];
    bad.type = (gla_type)*type;
    snprintf (says, sizeof says, "A has type %d, it must be d or z", *type);
    refused (&bad, 0, NULL, says);
  }
  bad = c.csr;
  bad.rows = 3;
  refused (&bad, 0, NULL, "A is 3x4, it must be square");
  refused (&c.csr, INFINITY, NULL, "shift = inf must be finite");
  refused (&c.csr, -INFINITY, NULL, "shift = -inf must be finite");
  refused (&c.csr, NAN, NULL, "nan must be finite");
  static const int64_t orders[][N] = {
      {0, 1, 2, 2}, {0, 1, 2, 4}, {-1, 1, 2, 3}, {1, 2, 3, INT64_MAX}, {3, 3, 3, 3}};
  for (int k = 0; k < 5; k++) {
    const gla_factor_options o = {.size = sizeof o, .order = orders[k]};
    refused (&c.csr, 0, &o, "order must be a permutation of 0 to n-1");
  }

  gla_factor_report report;
  gla_factor *F = factor (&A, 0.1, NULL, &report, "after bad arguments");
  double x[N] = {1, 2, 3, 4};
  CHECK (gla_message (ctx)[0] == '\0', "\"%s\"", gla_message (ctx));
  CHECK (gla_factor_solve (F, x, x, -1) == GLA_ERROR_BAD_ARGUMENT && x[0] == 1, "-1 columns");
  gla_factor_destroy (F);
  matrix_free (&A);
}

//------------------------------------------------------------------------------
// stops
//------------------------------------------------------------------------------

static int asked, calls_before;

static int stop (void *user)
{
  return ++asked > calls_before + (user != NULL);
}

// A dense matrix is work for many questions.
static void test_stop (gla_type type, int64_t n)
{
  matrix A = make_known (type, n, complete);
  const columns_of c = to_columns (&A, 8);
  gla_factor_report report;
  int all = 0;
  calls_before = INT32_MAX - 1;
  asked = 0;
  gla_set_stop (ctx, stop, NULL);
  gla_factor *F = factor (&A, 0.5, NULL, &report, "never stopped");
  all = asked;
  CHECK (F != NULL && all >= 2 && all <= 10, "%c, n = %lld: asked %d times", type, (long long)n,
         all);
  gla_factor_destroy (F);
  for (calls_before = 0; calls_before < all; calls_before++) {
    asked = 0;
    F = (gla_factor *)&F;
    const gla_status status = gla_factor_create (ctx, &c.csr, 0.5, &F, NULL, NULL);
    CHECK (status == GLA_ERROR_STOPPED && F == NULL && asked == calls_before + 1 &&
               gla_message (ctx)[0] != '\0',
           "%c, stop after %d: status %d, asked %d times", type, calls_before, (int)status, asked);
  }
  gla_set_stop (ctx, NULL, NULL);
  F = factor (&A, 0.5, NULL, &report, "after a stop");
  CHECK (F != NULL && report.negative == n - 1, "%c after a stop: %lld negative", type,
         (long long)report.negative);
  gla_factor_destroy (F);
  matrix_free (&A);
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

enum { SIZE = 150, COLUMNS = 19, TOGETHER = 8 };

typedef struct {
  const matrix *A;
  const void *b;
  char *x;
  int threads, ok;
} solution;

// With a context of its own.
static void *solve_alone (void *user)
{
  solution *s = user;
  const columns_of c = to_columns (s->A, 8);
  gla_context *own = NULL;
  gla_factor *F = NULL;
  gla_pool_share (s->threads);
  s->ok = gla_context_create (&own) == GLA_OK &&
          gla_factor_create (own, &c.csr, 0.3, &F, NULL, NULL) == GLA_OK && F != NULL &&
          gla_factor_solve (F, s->b, s->x, COLUMNS) == GLA_OK;
  gla_factor_destroy (F);
  gla_context_destroy (own);
  return NULL;
}

// Any number of threads, several callers at the same time, X in the place of B, and the first
// columns alone.
static void test_bits (gla_type type, element f)
{
  enum { CALLERS = 4 };
  matrix A = make_known (type, SIZE, f);
  const size_t bytes = SIZE * gla_type_size (type);
  void *b = right_sides (type, SIZE, COLUMNS);
  char *x = malloc (COLUMNS * bytes);
  solution first = {&A, b, x, 1, 0}, more[CALLERS];
  pthread_t callers[CALLERS];
  solve_alone (&first);
  for (int k = 0; k < CALLERS; k++) {
    more[k] = (solution){&A, b, malloc (COLUMNS * bytes), k + 1, 0};
    CHECK (pthread_create (&callers[k], NULL, solve_alone, &more[k]) == 0, "no thread");
  }
  for (int k = 0; k < CALLERS; k++) {
    pthread_join (callers[k], NULL);
    CHECK (first.ok && more[k].ok && memcmp (x, more[k].x, COLUMNS * bytes) == 0,
           "%c: other bits with %d threads", type, k + 1);
    free (more[k].x);
  }
  gla_factor_report report;
  gla_factor *F = factor (&A, 0.3, NULL, &report, "bits");
  char *y = malloc (COLUMNS * bytes);
  memcpy (y, b, COLUMNS * bytes);
  CHECK (gla_factor_solve (F, y, y, COLUMNS) == GLA_OK && memcmp (x, y, COLUMNS * bytes) == 0,
         "%c: other bits in place", type);
  memset (y, 255, COLUMNS * bytes);
  CHECK (gla_factor_solve (F, b, y, TOGETHER) == GLA_OK && memcmp (x, y, TOGETHER * bytes) == 0,
         "%c: other bits of the first columns", type);
  size_t kept = 0;
  for (size_t k = TOGETHER * bytes; k < COLUMNS * bytes; k++)
    kept += y[k] == (char)255;
  CHECK (kept == (COLUMNS - TOGETHER) * bytes, "%c: other columns were written", type);
  free (b);
  free (x);
  free (y);
  gla_factor_destroy (F);
  matrix_free (&A);
}

int main (void)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  for (const char *type = "dz"; *type; type++) {
    test_counts ((gla_type)*type);
    test_singular ((gla_type)*type);
    test_storage ((gla_type)*type);
    test_no_values ((gla_type)*type);
    for (int upper = 0; upper < 2; upper++) {
      test_triangle ((gla_type)*type, path, upper);
      test_triangle ((gla_type)*type, arrow, upper);
      test_triangle ((gla_type)*type, dominated, upper);
    }
    test_bits ((gla_type)*type, without_diagonal);
    test_bits ((gla_type)*type, dominated);
    test_stop ((gla_type)*type, *type == 'd' ? 1400 : 900);
  }
  test_empty ();
  test_bad ();
  test_bad_matrix ();
  gla_context_destroy (ctx);
  return check_report ("test_factor_answers");
}
