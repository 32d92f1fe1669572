// test_spmv.c: sparse products on the CPU: types, indices, orientations, vectors, long rows
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2

#include "threads/pool.h"
#include "triplets.h"

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
        .size = sizeof o, .by_columns = !!(form & 2), .copy = !!(form & 4), .once = !!(form & 8)};
    char what[64];
    snprintf (what, sizeof what, "kind %d %lldx%lld form %d", (int)kind, (long long)rows,
              (long long)columns, form);
    gla_csr c = to_csr (&t, bytes, o.by_columns);
    gla_sparse *S = NULL;
    gla_status status = gla_sparse_create (ctx, &c, &S, &o);
    CHECK (status == GLA_OK, "%s: %s", what, gla_message (ctx));
    if (o.copy) {
      memset ((void *)c.start, 255, 4);
      csr_free (&c);
    }
    for (int v = 0; v < (kind == ARROW ? 3 : 7) && status == GLA_OK; v++)
      for (const char *op = "NTC"; *op; op++)
        test_product (&t, S, *op, vectors[v], what);
    gla_sparse_info info = {.size = sizeof info};
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

// Large enough for several threads, and for shortening 8-byte indices at the second product.
static void test_threads (gla_type type)
{
  const int64_t n = 180000;
  triplets t = make (type, ARROW, n, n);
  for (int form = 0; form < 4; form++) {
    const int once = form % 2, bytes = form < 2 ? 4 : 8;
    gla_csr c = to_csr (&t, bytes, once);
    const gla_sparse_options o = {.size = sizeof o, .by_columns = once, .once = once};
    gla_sparse *S;
    CHECK (gla_sparse_create (ctx, &c, &S, &o) == GLA_OK, "create");
    gla_array x = random_array (type, n, 3, n);
    gla_array y1 = random_array (type, n, 3, n), y2 = random_array (type, n, 3, n);
    gla_pool_share (1);
    gla_status status1 = gla_spmv (ctx, S, 'N', &x, &y1, NULL);
    gla_pool_share (2);
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

// The entries as an n x n table.
static int64_t *places (const triplets *t)
{
  int64_t *at = malloc ((size_t)(t->rows * t->rows) * sizeof *at);
  for (int64_t k = 0; k < t->rows * t->rows; k++)
    at[k] = -1;
  for (int64_t k = 0; k < t->entries; k++)
    at[t->i[k] * t->rows + t->j[k]] = k;
  return at;
}

static int differs (const triplets *t, const int64_t *at, int64_t i, int64_t j)
{
  const int64_t k = at[i * t->rows + j], l = at[j * t->rows + i];
  return k >= 0 && (l < 0 || !(t->value[k] == conj (t->value[l])));
}

// The entry that the error must name, or {-1, -1}: the first row or column of the given format with
// a difference on or above the diagonal, or else the first with one below.
static void first_difference (const triplets *t, int by_columns, int64_t found[2])
{
  int64_t *at = places (t);
  found[0] = found[1] = -1;
  for (int below = 0; below < 2 && found[0] < 0; below++)
    for (int64_t line = 0; line < t->rows && found[0] < 0; line++)
      for (int64_t x = below ? 0 : line; x < (below ? line : t->rows) && found[0] < 0; x++) {
        const int64_t i = by_columns ? x : line, j = by_columns ? line : x;
        if (differs (t, at, i, j))
          found[0] = i, found[1] = j;
      }
  free (at);
}

static void drop_entry (triplets *t, int64_t k)
{
  for (t->entries--; k < t->entries; k++)
    t->i[k] = t->i[k + 1], t->j[k] = t->j[k + 1], t->value[k] = t->value[k + 1];
}

// The last entry above the diagonal in rows up to `row`; with `first` the first one from there on.
static int64_t entry_above (const triplets *t, int64_t row, int first)
{
  int64_t found = -1;
  for (int64_t k = 0; k < t->entries; k++)
    if (t->j[k] > t->i[k] && (first ? t->i[k] >= row && found < 0 : t->i[k] <= row))
      found = k;
  return found;
}

static int64_t image_of (const triplets *t, int64_t k)
{
  int64_t l = 0;
  while (t->i[l] != t->j[k] || t->j[l] != t->i[k])
    l++;
  return l;
}

enum change {
  NOTHING,
  VALUE_ABOVE,
  VALUE_BELOW,
  VALUE_IN_LAST_ROW,
  NO_IMAGE,
  NO_IMAGE_IN_FIRST_ROW,
  NO_IMAGE_IN_LAST_ROW,
  ONLY_THE_IMAGE,
  ONLY_THE_LAST_IMAGE,
  IMAGE_GONE_EARLY_VALUE_WRONG_LATE,
  NAN_ON_BOTH_SIDES,
  NAN_ON_DIAGONAL,
  SIGN, // from here on for complex types
  NOT_REAL_ON_DIAGONAL,
  CHANGES
};

static void make_change (triplets *t, enum change change)
{
  const int64_t middle = entry_above (t, t->rows / 2, 1), first = entry_above (t, 0, 1),
                last = entry_above (t, t->rows, 0);
  int64_t d = 0;
  while (t->i[d] != t->j[d] || t->i[d] < t->rows / 2)
    d++;
  switch (change) {
  case NOTHING:
  case CHANGES:
    break;
  case VALUE_ABOVE:
    t->value[middle] += 1;
    break;
  case VALUE_BELOW:
    t->value[image_of (t, middle)] += 1;
    break;
  case VALUE_IN_LAST_ROW:
    t->value[image_of (t, last)] += 1;
    break;
  case NO_IMAGE:
    drop_entry (t, image_of (t, middle));
    break;
  case NO_IMAGE_IN_FIRST_ROW:
    drop_entry (t, image_of (t, first));
    break;
  case NO_IMAGE_IN_LAST_ROW:
    drop_entry (t, image_of (t, last));
    break;
  case ONLY_THE_IMAGE:
    drop_entry (t, middle);
    break;
  case ONLY_THE_LAST_IMAGE:
    drop_entry (t, last);
    break;
  case IMAGE_GONE_EARLY_VALUE_WRONG_LATE:
    t->value[last] += 1;
    drop_entry (t, first);
    break;
  case NAN_ON_BOTH_SIDES:
    t->value[image_of (t, middle)] = t->value[middle] = NAN;
    break;
  case NAN_ON_DIAGONAL:
    t->value[d] = NAN;
    break;
  case SIGN:
    t->value[middle] = conj (t->value[middle]);
    break;
  case NOT_REAL_ON_DIAGONAL:
    t->value[d] += I;
    break;
  }
}

// A Hermitian matrix of order n, every fifth row and column empty, with a change.
static triplets make_changed (gla_type type, int64_t n, enum change change)
{
  triplets t = make (type, HERMITIAN, n, n);
  int64_t kept = 0;
  for (int64_t k = 0; k < t.entries; k++)
    if (t.i[k] % 5 != 3 && t.j[k] % 5 != 3) {
      t.i[kept] = t.i[k], t.j[kept] = t.j[k];
      t.value[kept++] = t.value[k];
    }
  t.entries = kept;
  make_change (&t, change);
  return t;
}

static void test_hermitian (gla_type type, int64_t n, enum change change, int by_columns)
{
  triplets t = make_changed (type, n, change);
  int64_t wanted[2], row, column;
  first_difference (&t, by_columns, wanted);
  for (int bytes = 4; bytes <= 8; bytes += 4) {
    gla_csr c = to_csr (&t, bytes, by_columns);
    const gla_sparse_options o = {.size = sizeof o, .by_columns = by_columns};
    gla_sparse *S;
    int hermitian = -1;
    CHECK (gla_sparse_create (ctx, &c, &S, &o) == GLA_OK, "create");
    for (int again = 0; again < 2; again++) {
      gla_status status = gla_sparse_hermitian (S, &hermitian, &row, &column);
      CHECK (status == GLA_OK && hermitian == (change == NOTHING), "%c change %d", type, change);
      CHECK (row == wanted[0] && column == wanted[1],
             "%c, n %lld, change %d: (%lld, %lld), not (%lld, %lld)", type, (long long)n, change,
             (long long)row, (long long)column, (long long)wanted[0], (long long)wanted[1]);
    }
    const int numbers = change != NAN_ON_BOTH_SIDES && change != NAN_ON_DIAGONAL;
    for (const char *op = "NTC"; numbers && n < 100 && *op; op++)
      test_product (&t, S, *op, 2, "after the look for symmetry");
    gla_sparse_destroy (S);
    csr_free (&c);
  }
  triplets_free (&t);
}

// n: small, or with enough entries for several threads.
static void test_all_changes (gla_type type)
{
  const int changes = gla_type_is_complex (type) ? CHANGES : SIGN;
  for (int change = 0; change < changes; change++)
    for (int by_columns = 0; by_columns < 2; by_columns++) {
      test_hermitian (type, 40, (enum change)change, by_columns);
      if (type == GLA_TYPE_Z) {
        gla_pool_share (5);
        test_hermitian (type, 1800, (enum change)change, by_columns);
        gla_pool_share (2);
      }
    }
}

//------------------------------------------------------------------------------
// bad arguments
//------------------------------------------------------------------------------

static void test_bad (void)
{
  const int32_t start[] = {0, 2, 3}, index[] = {0, 2, 1};
  const double values[] = {1, 2, 3};
  const gla_csr good = {GLA_TYPE_D, 2, 3, 4, start, index, values};
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
    CHECK (gla_sparse_create (ctx, &c[k], &S, NULL) == GLA_ERROR_BAD_ARGUMENT, "bad csr %d", k);
    CHECK (S == NULL && gla_message (ctx)[0] != '\0', "bad csr %d has no message", k);
  }
  // no rows: nothing but the first start says how many entries there are
  const gla_csr no_rows = {GLA_TYPE_D, 0, 3, 4, late, index, values};
  CHECK (gla_sparse_create (ctx, &no_rows, &S, NULL) == GLA_ERROR_BAD_ARGUMENT && S == NULL &&
             strstr (gla_message (ctx), "start must ascend from 0") != NULL,
         "an entry of no row: \"%s\"", gla_message (ctx));
  CHECK (gla_sparse_create (ctx, NULL, &S, NULL) == GLA_ERROR_BAD_ARGUMENT, "no csr");
  CHECK (gla_sparse_create (ctx, &good, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no S");
  const gla_sparse_options method = {.size = sizeof method, .method = 77};
  CHECK (gla_sparse_create (ctx, &good, &S, &method) == GLA_ERROR_BAD_ARGUMENT, "bad method");
  CHECK (gla_sparse_create (ctx, &good, &S, NULL) == GLA_OK, "good");
  double x[3] = {1, 2, 3}, y[3];
  gla_array X = gla_array_packed (x, GLA_TYPE_D, 3, 1, 1, GLA_DEVICE_HOST);
  gla_array Y = gla_array_packed (y, GLA_TYPE_D, 2, 1, 1, GLA_DEVICE_HOST), wrong = Y;
  CHECK (gla_spmv (ctx, S, 'N', &X, &Y, NULL) == GLA_OK && y[0] == 7 && y[1] == 6, "product");
  CHECK (gla_spmv (ctx, S, 'x', &X, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT, "op");
  CHECK (gla_spmv (ctx, S, 'T', &X, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT, "size");
  CHECK (gla_spmv (ctx, NULL, 'N', &X, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT, "no S");
  CHECK (gla_spmv (ctx, S, 'N', NULL, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT, "no x");
  X.columns = Y.columns = -1;
  CHECK (gla_spmv (ctx, S, 'N', &X, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strcmp (gla_message (ctx), "x is 3x-1x1") == 0,
         "-1 vectors: \"%s\"", gla_message (ctx));
  X.columns = Y.columns = 1;
  wrong.type = GLA_TYPE_S;
  CHECK (gla_spmv (ctx, S, 'N', &X, &wrong, NULL) == GLA_ERROR_BAD_ARGUMENT, "type");
  wrong = Y;
  wrong.data = x;
  CHECK (gla_spmv (ctx, S, 'N', &X, &wrong, NULL) == GLA_ERROR_BAD_ARGUMENT, "overlap");
  gla_context *other;
  CHECK (gla_context_create (&other) == GLA_OK, "context");
  CHECK (gla_spmv (other, S, 'N', &X, &Y, NULL) == GLA_ERROR_BAD_ARGUMENT, "another context");
  gla_context_destroy (other);
  gla_sparse_destroy (S);
  gla_sparse_destroy (NULL);
}

static void test_not_finite (void)
{
  triplets t = make (GLA_TYPE_D, RANDOM, 30, 20);
  t.value[5] = NAN;
  gla_csr c = to_csr (&t, 4, 0);
  gla_sparse *S;
  gla_sparse_info info = {.size = sizeof info};
  CHECK (gla_sparse_create (ctx, &c, &S, NULL) == GLA_OK, "create");
  gla_sparse_query (S, &info);
  CHECK (!info.finite && !info.pattern, "NaN");
  gla_array x = random_array (GLA_TYPE_D, 20, 1, 20), y = random_array (GLA_TYPE_D, 30, 1, 30);
  CHECK (gla_spmv (ctx, S, 'N', &x, &y, NULL) == GLA_OK, "product");
  for (int64_t i = 0; i < 30; i++)
    CHECK (!isnan (((double *)y.data)[i]) == (i != t.i[5]), "NaN in row %lld", (long long)i);
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
  triplets t = make (GLA_TYPE_D, ARROW, 20000, 20000);
  gla_csr c = to_csr (&t, 4, 0);
  gla_sparse *S;
  gla_array x = random_array (GLA_TYPE_D, 20000, 1, 20000),
            y = random_array (GLA_TYPE_D, 20000, 1, 20000);
  CHECK (gla_sparse_create (ctx, &c, &S, NULL) == GLA_OK, "create");
  gla_set_stop (ctx, stop, NULL);
  CHECK (gla_spmv (ctx, S, 'N', &x, &y, NULL) == GLA_ERROR_STOPPED, "stop");
  CHECK (gla_spmv (ctx, S, 'T', &x, &y, NULL) == GLA_ERROR_STOPPED, "stop while it is turned");
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
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
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
    test_all_changes (type);
  }
  test_bad ();
  test_not_finite ();
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_spmv");
}
