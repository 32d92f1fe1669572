// test_spmv.c: sparse products on the CPU: types, indices, orientations, vectors, long rows
// SPDX-License-Identifier: GPL-3.0-or-later

#include "triplets.h"

#include <omp.h>

static gla_context *ctx;

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

static void test_product (const triplets *t, gla_sparse *S, char op, int64_t b, const char *what)
{
  const int64_t n = op == 'N' ? t->columns : t->rows, m = op == 'N' ? t->rows : t->columns;
  gla_array x = random_array (t->type, n, b, n + 2), y = random_array (t->type, m, b, m + 3);
  gla_status status = gla_spmv (ctx, S, op, &x, &y, NULL);
  CHECK (status == GLA_OK, "%s: status %d", what, status);
  const double error = error_of (t, op, &x, &y);
  // rounding of the values to the type, and a sum of at most 20000 terms
  CHECK (error < 60, "%s: %c op %c, %lld vectors: error %g eps", what, t->type, op, (long long)b,
         error);
  free (x.data);
  free (y.data);
}

static void test_matrix (gla_type type, kind_of_matrix kind, int64_t rows, int64_t columns)
{
  static const int64_t vectors[] = {1, 2, 3, 5, 8, 9, 0};
  triplets t = make (type, kind, rows, columns);
  for (int form = 0; form < 16; form++) {
    const int bytes = form & 1 ? 8 : 4;
    const gla_sparse_options o = {
        .by_columns = !!(form & 2), .copy = !!(form & 4), .once = !!(form & 8)};
    char what[64];
    snprintf (what, sizeof what, "kind %d %lldx%lld form %d", (int)kind, (long long)rows,
              (long long)columns, form);
    gla_csr c = to_csr (&t, bytes, o.by_columns);
    gla_sparse *S = NULL;
    gla_status status = gla_sparse_create (ctx, &c, &o, &S);
    CHECK (status == GLA_OK, "%s: %s", what, gla_message (ctx));
    if (o.copy) {
      memset ((void *)c.start, 255, 4);
      csr_free (&c);
    }
    for (int v = 0; v < (kind == ARROW ? 3 : 7) && status == GLA_OK; v++)
      for (const char *op = "NTC"; *op; op++)
        test_product (&t, S, *op, vectors[v], what);
    gla_sparse_info info;
    gla_sparse_query (S, &info);
    CHECK (info.entries == t.entries && info.finite && info.pattern >= (kind == PATTERN && !o.once),
           "%s: info", what);
    gla_sparse_destroy (S);
    if (!o.copy)
      csr_free (&c);
  }
  triplets_free (&t);
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

// So large that threads share the work, and that 8-byte indices become shorter when the matrix
// comes back for its second product.
static void test_threads (gla_type type)
{
  const int64_t n = 180000;
  triplets t = make (type, ARROW, n, n);
  for (int form = 0; form < 4; form++) {
    const int once = form % 2, bytes = form < 2 ? 4 : 8;
    gla_csr c = to_csr (&t, bytes, once);
    const gla_sparse_options o = {.by_columns = once, .once = once};
    gla_sparse *S;
    CHECK (gla_sparse_create (ctx, &c, &o, &S) == GLA_OK, "create");
    gla_array x = random_array (type, n, 3, n);
    gla_array y1 = random_array (type, n, 3, n), y2 = random_array (type, n, 3, n);
    omp_set_num_threads (1);
    gla_status status1 = gla_spmv (ctx, S, 'N', &x, &y1, NULL);
    omp_set_num_threads (2);
    gla_status status2 = gla_spmv (ctx, S, 'N', &x, &y2, NULL);
    CHECK (status1 == GLA_OK && status2 == GLA_OK &&
               memcmp (y1.data, y2.data, (size_t)(3 * n) * gla_type_size (type)) == 0,
           "%c, once %d, %d bytes: other bits with other numbers of threads", type, once, bytes);
    CHECK (error_of (&t, 'N', &x, &y2) < 60, "%c, once %d, %d bytes: error", type, once, bytes);
    gla_sparse_destroy (S);
    csr_free (&c);
    free (x.data);
    free (y1.data);
    free (y2.data);
  }
  triplets_free (&t);
}

//------------------------------------------------------------------------------
// Hermitian or not
//------------------------------------------------------------------------------

static void test_hermitian (gla_type type)
{
  for (int change = 0; change < 4; change++)
    for (int by_columns = 0; by_columns < 2; by_columns++) {
      triplets t = make (type, HERMITIAN, 40, 40);
      int64_t k = 0, row, column;
      while (t.i[k] < 3 || t.j[k] <= t.i[k])
        k++;
      const int64_t i = t.i[k], j = t.j[k];
      if (change == 1) // another value above the diagonal
        t.value[k] += 1;
      else if (change == 2) { // its mirror image is missing
        for (k = 0; t.i[k] != j || t.j[k] != i; k++)
          ;
      } // 3: it is missing itself
      if (change >= 2) {
        for (t.entries--; k < t.entries; k++)
          t.i[k] = t.i[k + 1], t.j[k] = t.j[k + 1], t.value[k] = t.value[k + 1];
      }
      gla_csr c = to_csr (&t, 4, by_columns);
      const gla_sparse_options o = {.by_columns = by_columns};
      gla_sparse *S;
      int hermitian = -1;
      CHECK (gla_sparse_create (ctx, &c, &o, &S) == GLA_OK, "create");
      for (int again = 0; again < 2; again++) {
        gla_status status = gla_sparse_hermitian (S, &hermitian, &row, &column);
        CHECK (status == GLA_OK && hermitian == (change == 0), "%c change %d", type, change);
        CHECK (change == 0 || (row == i && column == j) || (row == j && column == i),
               "%c change %d: (%lld, %lld), not (%lld, %lld)", type, change, (long long)row,
               (long long)column, (long long)i, (long long)j);
      }
      for (const char *op = "NTC"; *op; op++)
        test_product (&t, S, *op, 2, "after the look for symmetry");
      gla_sparse_destroy (S);
      csr_free (&c);
      triplets_free (&t);
    }
}

//------------------------------------------------------------------------------
// bad arguments
//------------------------------------------------------------------------------

static void test_bad (void)
{
  const int32_t start[] = {0, 2, 3}, index[] = {0, 2, 1};
  const double values[] = {1, 2, 3};
  const gla_csr good = {GLA_D, 2, 3, 4, start, index, values};
  const int32_t falls[] = {0, 3, 2}, late[] = {1, 2, 3}, twice[] = {0, 0, 1}, outside[] = {0, 3, 1};
  gla_sparse *S = NULL;
  gla_csr c[9];
  for (int k = 0; k < 9; k++)
    c[k] = good;
  c[0].type = 'x';
  c[1].rows = -1;
  c[2].index_bytes = 2;
  c[3].start = NULL;
  c[4].index = NULL;
  c[5].start = falls;
  c[6].start = late;
  c[7].index = twice;
  c[8].index = outside;
  for (int k = 0; k < 9; k++) {
    CHECK (gla_sparse_create (ctx, &c[k], NULL, &S) == GLA_BAD_ARGUMENT, "bad csr %d", k);
    CHECK (S == NULL && gla_message (ctx)[0] != '\0', "bad csr %d has no message", k);
  }
  CHECK (gla_sparse_create (ctx, NULL, NULL, &S) == GLA_BAD_ARGUMENT, "no csr");
  CHECK (gla_sparse_create (ctx, &good, NULL, NULL) == GLA_BAD_ARGUMENT, "no S");
  const gla_sparse_options method = {.method = 77};
  CHECK (gla_sparse_create (ctx, &good, &method, &S) == GLA_BAD_ARGUMENT, "bad method");
  CHECK (gla_sparse_create (ctx, &good, NULL, &S) == GLA_OK, "good");
  double x[3] = {1, 2, 3}, y[3];
  gla_array X = gla_array_packed (x, GLA_D, 3, 1, 1, GLA_HOST);
  gla_array Y = gla_array_packed (y, GLA_D, 2, 1, 1, GLA_HOST), wrong = Y;
  CHECK (gla_spmv (ctx, S, 'N', &X, &Y, NULL) == GLA_OK && y[0] == 7 && y[1] == 6, "product");
  CHECK (gla_spmv (ctx, S, 'x', &X, &Y, NULL) == GLA_BAD_ARGUMENT, "op");
  CHECK (gla_spmv (ctx, S, 'T', &X, &Y, NULL) == GLA_BAD_ARGUMENT, "size");
  CHECK (gla_spmv (ctx, NULL, 'N', &X, &Y, NULL) == GLA_BAD_ARGUMENT, "no S");
  CHECK (gla_spmv (ctx, S, 'N', NULL, &Y, NULL) == GLA_BAD_ARGUMENT, "no x");
  wrong.type = GLA_S;
  CHECK (gla_spmv (ctx, S, 'N', &X, &wrong, NULL) == GLA_BAD_ARGUMENT, "type");
  wrong = Y;
  wrong.data = x;
  CHECK (gla_spmv (ctx, S, 'N', &X, &wrong, NULL) == GLA_BAD_ARGUMENT, "overlap");
  gla_context *other;
  CHECK (gla_context_create (&other) == GLA_OK, "context");
  CHECK (gla_spmv (other, S, 'N', &X, &Y, NULL) == GLA_BAD_ARGUMENT, "another context");
  gla_context_destroy (other);
  gla_sparse_destroy (S);
  gla_sparse_destroy (NULL);
}

static void test_not_finite (void)
{
  triplets t = make (GLA_D, RANDOM, 30, 20);
  t.value[5] = NAN;
  gla_csr c = to_csr (&t, 4, 0);
  gla_sparse *S;
  gla_sparse_info info;
  CHECK (gla_sparse_create (ctx, &c, NULL, &S) == GLA_OK, "create");
  gla_sparse_query (S, &info);
  CHECK (!info.finite && !info.pattern, "NaN");
  gla_array x = random_array (GLA_D, 20, 1, 20), y = random_array (GLA_D, 30, 1, 30);
  CHECK (gla_spmv (ctx, S, 'N', &x, &y, NULL) == GLA_OK, "product");
  for (int64_t i = 0; i < 30; i++)
    CHECK (isnan (((double *)y.data)[i]) == (i == t.i[5]), "NaN in row %lld", (long long)i);
  free (x.data);
  free (y.data);
  gla_sparse_destroy (S);
  csr_free (&c);
  triplets_free (&t);
}

static int stop (void *user)
{
  (void)user;
  return 1;
}

static void test_stop (void)
{
  triplets t = make (GLA_D, ARROW, 20000, 20000);
  gla_csr c = to_csr (&t, 4, 0);
  gla_sparse *S;
  gla_array x = random_array (GLA_D, 20000, 1, 20000), y = random_array (GLA_D, 20000, 1, 20000);
  CHECK (gla_sparse_create (ctx, &c, NULL, &S) == GLA_OK, "create");
  gla_set_stop (ctx, stop, NULL);
  CHECK (gla_spmv (ctx, S, 'N', &x, &y, NULL) == GLA_STOPPED, "stop");
  CHECK (gla_spmv (ctx, S, 'T', &x, &y, NULL) == GLA_STOPPED, "stop while it is turned");
  gla_set_stop (ctx, NULL, NULL);
  test_product (&t, S, 'T', 1, "after a stop");
  free (x.data);
  free (y.data);
  gla_sparse_destroy (S);
  csr_free (&c);
  triplets_free (&t);
}

int main (void)
{
  omp_set_num_threads (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *p = "sdcz"; *p; p++) {
    const gla_type type = (gla_type)*p;
    test_matrix (type, RANDOM, 70, 50);
    test_matrix (type, RANDOM, 1, 1);
    test_matrix (type, PATTERN, 33, 80);
    test_matrix (type, HERMITIAN, 60, 60);
    test_matrix (type, EMPTY, 12, 7);
    test_matrix (type, EMPTY, 0, 5);
    test_matrix (type, EMPTY, 5, 0);
    test_matrix (type, ARROW, 9000, 20000);
    test_threads (type);
    test_hermitian (type);
  }
  test_bad ();
  test_not_finite ();
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_spmv");
}
