// test_spmv_once.c: one product with a sparse matrix by columns, against sums in long double
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded tsan

#include "frame/long_sums.h"
#include "threads/pool.h"
#include "triplets.h"

static gla_context *ctx;

// The combinations of types that there are: of A and of x.
static const char types[][2] = {{'d', 'd'}, {'d', 'z'}, {'z', 'z'}};
enum { TYPES = 3 };

// No more elements than these, so that what is behind them cannot be read.
static void *numbers (gla_type type, int64_t count, unsigned long long seed)
{
  void *x = malloc ((size_t)count * gla_type_size (type));
  for (int64_t k = 0; k < count; k++) {
    const double re = check_random (&seed), im = check_random (&seed);
    set (type, x, k, re + im * I);
  }
  return x;
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// The largest |y - op(A)*x| over the bound (terms + 4) eps |A| |x| of that element; ones: all
// entries of A are 1.
static double ratio (const triplets *t, char op, gla_type type, int ones, const void *x,
                     const void *y)
{
  const int64_t m = op == 'N' ? t->rows : t->columns;
  wide *sum = calloc ((size_t)m + 1, sizeof *sum);
  double *size = calloc ((size_t)m + 1, sizeof *size), worst = 0;
  int64_t *terms = calloc ((size_t)m + 1, sizeof *terms);
  for (int64_t k = 0; k < t->entries; k++) {
    const int64_t to = op == 'N' ? t->i[k] : t->j[k], from = op == 'N' ? t->j[k] : t->i[k];
    const wide a = ones ? 1 : op == 'C' ? conj (t->value[k]) : t->value[k], u = get (type, x, from);
    sum[to] += a * u;
    size[to] += (double)(wide_abs (a) * wide_abs (u));
    terms[to]++;
  }
  for (int64_t i = 0; i < m; i++) {
    const double error = (double)wide_abs (get (type, y, i) - sum[i]);
    const double bound = (double)(terms[i] + 4) * DBL_EPSILON * size[i];
    worst = check_worst (worst, error == 0 ? 0 : error / bound);
  }
  free (sum);
  free (size);
  free (terms);
  return worst;
}

// Every vector of y is that of A and the same vector of x.
static void test_product (const triplets *t, const gla_csr *A, char op, gla_type type, int64_t b)
{
  const int64_t n = op == 'N' ? t->columns : t->rows, m = op == 'N' ? t->rows : t->columns;
  const size_t size = gla_type_size (type);
  char *x = numbers (type, n * b, 3), *y = numbers (type, m * b, 4);
  memset (y, 255, (size_t)(m * b) * size);
  const gla_status status = gla_spmv_once (ctx, A, op, type, x, y, b);
  CHECK (status == GLA_OK, "%lldx%lld: status %d", (long long)t->rows, (long long)t->columns,
         (int)status);
  for (int64_t c = 0; c < b; c++) {
    const double worst = ratio (t, op, type, A->values == NULL, x + (size_t)(c * n) * size,
                                y + (size_t)(c * m) * size);
    CHECK (worst <= 1, "%lldx%lld, A %c%s, x %c, op %c, %d bytes, vector %lld of %lld: error %g",
           (long long)t->rows, (long long)t->columns, A->type, A->values == NULL ? " of ones" : "",
           type, op, A->index_bytes, (long long)c, (long long)b, worst);
  }
  free (x);
  free (y);
}

static void test_matrix (kind_of_matrix kind, int64_t rows, int64_t columns)
{
  static const int64_t vectors[] = {1, 2, 7, 0};
  for (int k = 0; k < TYPES; k++) {
    triplets t = make ((gla_type)types[k][0], kind, rows, columns);
    for (int form = 0; form < 4; form++) {
      gla_csr A = to_csr (&t, form & 1 ? 8 : 4, 1), given = A;
      if (form & 2)
        given.values = NULL;
      for (int v = 0; v < 4; v++)
        for (const char *op = "NTC"; *op; op++)
          test_product (&t, &given, *op, (gla_type)types[k][1], vectors[v]);
      csr_free (&A);
    }
    triplets_free (&t);
  }
}

// No context is needed, and the result is the same.
static void test_no_context (void)
{
  triplets t = make (GLA_TYPE_Z, RANDOM, 60, 40);
  gla_csr A = to_csr (&t, 4, 1);
  char *x = numbers (GLA_TYPE_Z, 120, 3), *y = numbers (GLA_TYPE_Z, 120, 4),
       *z = numbers (GLA_TYPE_Z, 120, 5);
  for (const char *op = "NTC"; *op; op++) {
    const size_t bytes = (size_t)2 * 16 * (*op == 'N' ? 60 : 40);
    CHECK (gla_spmv_once (ctx, &A, *op, GLA_TYPE_Z, x, y, 2) == GLA_OK &&
               gla_spmv_once (NULL, &A, *op, GLA_TYPE_Z, x, z, 2) == GLA_OK &&
               memcmp (y, z, bytes) == 0,
           "op %c without a context", *op);
  }
  free (x);
  free (y);
  free (z);
  csr_free (&A);
  triplets_free (&t);
}

// An element of y is finite where no entry of A meets an element of x that is not; entries that are
// 0 meet it, too.
static void test_not_finite (gla_type of_A, gla_type type, double bad)
{
  enum { ROWS = 50, COLUMNS = 30, AT = 17 };
  triplets t = make (of_A, RANDOM, ROWS, COLUMNS);
  for (int64_t k = 0; k < t.entries; k += 5)
    t.value[k] = 0;
  gla_csr A = to_csr (&t, 4, 1);
  for (const char *op = "NTC"; *op; op++) {
    const int64_t n = *op == 'N' ? COLUMNS : ROWS, m = *op == 'N' ? ROWS : COLUMNS;
    void *x = numbers (type, n, 3), *y = numbers (type, m, 4);
    int met[ROWS] = {0}, right = 0, all = 0;
    for (int64_t k = 0; k < t.entries; k++)
      if ((*op == 'N' ? t.j[k] : t.i[k]) == AT)
        met[*op == 'N' ? t.i[k] : t.j[k]] = 1;
    set (type, x, AT, bad);
    CHECK (gla_spmv_once (ctx, &A, *op, type, x, y, 1) == GLA_OK, "%g", bad);
    for (int64_t i = 0; i < m; i++) {
      const double complex z = get (type, y, i);
      right += (isfinite (creal (z)) && isfinite (cimag (z))) == !met[i];
      all += met[i];
    }
    CHECK (right == m && all > 1 && all < m, "A %c, x %c with %g, op %c: %d of %lld, %d", of_A,
           type, bad, *op, right, (long long)m, all);
    free (x);
    free (y);
  }
  csr_free (&A);
  triplets_free (&t);
}

//------------------------------------------------------------------------------
// threads and stops
//------------------------------------------------------------------------------

// One thread does a sum, so the bits are the same with any number of them. There is enough work
// that they share it, and columns for several parts.
static void test_threads (gla_type of_A, gla_type type, int ones)
{
  enum { ROWS = 9000, COLUMNS = 70000, VECTORS = 24 };
  triplets t = make (of_A, ARROW, ROWS, COLUMNS);
  gla_csr A = to_csr (&t, 8, 1), given = A;
  if (ones)
    given.values = NULL;
  for (const char *op = "NTC"; *op; op++) {
    const int64_t n = *op == 'N' ? COLUMNS : ROWS, m = *op == 'N' ? ROWS : COLUMNS;
    const size_t bytes = (size_t)m * gla_type_size (type);
    void *x = numbers (type, n * VECTORS, 3);
    char *y = numbers (type, m * VECTORS, 4), *z = numbers (type, m * VECTORS, 5);
    gla_pool_share (1);
    CHECK (gla_spmv_once (ctx, &given, *op, type, x, y, VECTORS) == GLA_OK, "one thread");
    const double worst = ratio (&t, *op, type, ones, x, y);
    CHECK (worst <= 1, "large, A %c, x %c, op %c: error %g", of_A, type, *op, worst);
    for (int threads = 2; threads <= 5; threads++) {
      gla_pool_share (threads);
      memset (z, 255, bytes * VECTORS);
      CHECK (gla_spmv_once (ctx, &given, *op, type, x, z, VECTORS) == GLA_OK &&
                 memcmp (y, z, bytes * VECTORS) == 0,
             "A %c, x %c, op %c: other bits with %d threads", of_A, type, *op, threads);
    }
    CHECK (gla_spmv_once (ctx, &given, *op, type, x, z, 1) == GLA_OK && memcmp (y, z, bytes) == 0,
           "A %c, x %c, op %c: other bits of one vector", of_A, type, *op);
    free (x);
    free (y);
    free (z);
  }
  csr_free (&A);
  triplets_free (&t);
}

static int asked, calls_before;

static int stop (void *user)
{
  (void)user;
  return ++asked > calls_before;
}

// The callback is asked after each piece of the calling thread: a vector, or a part of it.
static void test_stop (void)
{
  enum { ROWS = 300, COLUMNS = 40000, VECTORS = 3, PARTS = 3 };
  triplets t = make (GLA_TYPE_D, ARROW, ROWS, COLUMNS);
  gla_csr A = to_csr (&t, 4, 1);
  double *x = numbers (GLA_TYPE_D, COLUMNS * VECTORS, 3),
         *y = numbers (GLA_TYPE_D, COLUMNS * VECTORS, 4);
  gla_pool_share (1);
  gla_set_stop (ctx, stop, NULL);
  for (const char *op = "NT"; *op; op++) {
    const int pieces = *op == 'N' ? VECTORS : VECTORS * PARTS;
    calls_before = pieces;
    asked = 0;
    CHECK (gla_spmv_once (ctx, &A, *op, GLA_TYPE_D, x, y, VECTORS) == GLA_OK && asked == pieces,
           "op %c: asked %d times, not %d", *op, asked, pieces);
    for (calls_before = 0; calls_before < pieces; calls_before++) {
      asked = 0;
      const gla_status status = gla_spmv_once (ctx, &A, *op, GLA_TYPE_D, x, y, VECTORS);
      CHECK (status == GLA_ERROR_STOPPED, "op %c, stop after %d: status %d", *op, calls_before,
             (int)status);
    }
  }
  gla_set_stop (ctx, NULL, NULL);
  CHECK (gla_spmv_once (ctx, &A, 'T', GLA_TYPE_D, x, y, 1) == GLA_OK &&
             ratio (&t, 'T', GLA_TYPE_D, 0, x, y) <= 1,
         "after a stop");
  free (x);
  free (y);
  csr_free (&A);
  triplets_free (&t);
}

//------------------------------------------------------------------------------
// bad arguments
//------------------------------------------------------------------------------

static void refused (const gla_csr *A, char op, gla_type type, int64_t columns, const char *says)
{
  double x[64] = {0}, y[64] = {7};
  const gla_status status = gla_spmv_once (ctx, A, op, type, x, y, columns);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && y[0] == 7 && strstr (gla_message (ctx), says) != NULL,
         "A %c, op %d, x %c, %lld columns: status %d, \"%s\"", A != NULL ? (int)A->type : ' ', op,
         type, (long long)columns, (int)status, gla_message (ctx));
  CHECK (gla_spmv_once (NULL, A, op, type, x, y, columns) == GLA_ERROR_BAD_ARGUMENT && y[0] == 7,
         "the same without a context");
}

// One vector that is NULL.
static void refused_arrays (const gla_csr *A, char op, const double *x, double *y, const char *says)
{
  const gla_status status = gla_spmv_once (ctx, A, op, GLA_TYPE_D, x, y, 1);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL,
         "%lldx%lld, op %c, %s: status %d, \"%s\"", (long long)A->rows, (long long)A->columns, op,
         says, (int)status, gla_message (ctx));
  CHECK (gla_spmv_once (NULL, A, op, GLA_TYPE_D, x, y, 1) == GLA_ERROR_BAD_ARGUMENT,
         "the same without a context");
}

// Rows, columns and arrays that a matrix cannot have.
static void test_bad_matrix (void)
{
  triplets t = make (GLA_TYPE_D, HERMITIAN, 6, 6);
  gla_csr A = to_csr (&t, 4, 1), bad = A;
  bad.start = NULL;
  refused (&bad, 'N', GLA_TYPE_D, 1, "start must not be NULL");
  bad = A;
  bad.index = NULL;
  refused (&bad, 'N', GLA_TYPE_D, 1, "index must not be NULL");
  bad = A;
  bad.rows = -1;
  refused (&bad, 'N', GLA_TYPE_D, 1, "A is -1x6");
  bad.rows = (int64_t)INT32_MAX + 1;
  refused (&bad, 'T', GLA_TYPE_D, 1, "A is 2147483648x6, too large for 4-byte indices");
  bad = A;
  bad.columns = -2;
  refused (&bad, 'T', GLA_TYPE_D, 1, "A is 6x-2");
  bad = A;
  bad.index_bytes = 3;
  refused (&bad, 'N', GLA_TYPE_D, 1, "index_bytes = 3 must be 4 or 8");
  csr_free (&A);
  triplets_free (&t);
}

// x and y may be NULL where they have no elements, and only there.
static void test_no_elements (void)
{
  static const int64_t sizes[][2] = {{5, 0}, {0, 5}, {0, 0}};
  for (int s = 0; s < 3; s++) {
    triplets t = make (GLA_TYPE_D, EMPTY, sizes[s][0], sizes[s][1]);
    gla_csr A = to_csr (&t, 4, 1);
    for (const char *op = "NTC"; *op; op++) {
      const int64_t m = *op == 'N' ? t.rows : t.columns, n = *op == 'N' ? t.columns : t.rows;
      double x[5] = {0}, y[5] = {7, 7, 7, 7, 7};
      const char *says = n > 0 ? "x must not be NULL" : "y must not be NULL";
      if (m + n > 0) {
        refused_arrays (&A, *op, NULL, NULL, says);
        refused_arrays (&A, *op, n > 0 ? NULL : x, m > 0 ? NULL : y, says);
      }
      CHECK (
          gla_spmv_once (ctx, &A, *op, GLA_TYPE_D, n > 0 ? x : NULL, m > 0 ? y : NULL, 1) == GLA_OK,
          "%lldx%lld, op %c: %s", (long long)t.rows, (long long)t.columns, *op, gla_message (ctx));
      CHECK (y[0] == (m > 0 ? 0 : 7) && y[4] == y[0], "%lldx%lld, op %c: y is %g, %g",
             (long long)t.rows, (long long)t.columns, *op, y[0], y[4]);
    }
    csr_free (&A);
    triplets_free (&t);
  }
}

static void test_bad (void)
{
  static const char wrong[] = "A and x must be d or z, x not d where A is z, and op N, T or C";
  triplets t = make (GLA_TYPE_D, HERMITIAN, 6, 6);
  gla_csr A = to_csr (&t, 4, 1), bad = A;
  double x[6] = {1}, y[6] = {7};
  refused (NULL, 'N', GLA_TYPE_D, 1, "A must not be NULL");
  refused (&A, 'N', GLA_TYPE_D, -1, "columns = -1 must not be negative");
  refused (&A, 'n', GLA_TYPE_D, 1, wrong);
  refused (&A, 0, GLA_TYPE_D, 1, wrong);
  refused (&A, 'H', GLA_TYPE_Z, 1, wrong);
  for (const char *type = "scqb"; *type; type++) {
    refused (&A, 'N', (gla_type)*type, 1, wrong);
    bad.type = (gla_type)*type;
    refused (&bad, 'N', GLA_TYPE_D, 1, wrong);
    refused (&bad, 'N', (gla_type)*type, 1, wrong);
  }
  bad.type = GLA_TYPE_Z;
  refused (&bad, 'N', GLA_TYPE_D, 1, wrong);
  for (const char *op = "NT"; *op; op++) {
    refused_arrays (&A, *op, NULL, y, "x must not be NULL");
    refused_arrays (&A, *op, x, NULL, "y must not be NULL");
    refused_arrays (&A, *op, NULL, NULL, "x must not be NULL");
  }
  CHECK (y[0] == 7, "y was written");
  CHECK (gla_spmv_once (ctx, &A, 'N', GLA_TYPE_D, NULL, NULL, 0) == GLA_OK, "no vectors");
  csr_free (&A);
  triplets_free (&t);
}

int main (void)
{
  static const int64_t sizes[][2] = {{70, 50}, {50, 70}, {1, 1}, {1, 200}, {200, 1},
                                     {12, 7},  {0, 5},   {5, 0}, {0, 0}};
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  gla_pool_share (2);
  for (int kind = RANDOM; kind < KINDS; kind++)
    for (int s = 0; s < 9; s++)
      if (kind != HERMITIAN || sizes[s][0] == sizes[s][1])
        test_matrix ((kind_of_matrix)kind, sizes[s][0], sizes[s][1]);
  test_matrix (HERMITIAN, 60, 60);
  test_matrix (ARROW, 900, 2000);
  test_no_context ();
  for (int k = 0; k < TYPES; k++) {
    const gla_type of_A = (gla_type)types[k][0], type = (gla_type)types[k][1];
    test_not_finite (of_A, type, NAN);
    test_not_finite (of_A, type, INFINITY);
    test_not_finite (of_A, type, -INFINITY);
    for (int ones = 0; ones < 2; ones++)
      test_threads (of_A, type, ones);
  }
  test_stop ();
  test_bad ();
  test_bad_matrix ();
  test_no_elements ();
  gla_context_destroy (ctx);
  return check_report ("test_spmv_once");
}
