// test_pagemul.c: products of pages against sums in long double; strides, types, bits, arguments
// SPDX-License-Identifier: GPL-3.0-or-later

#include "threads/pool.h"
#include "frame/page_arrays.h"

// Sizes lie around the number of rows in one to four registers, and around the length of a sum that
// is cut.
static const int64_t row_counts[] = {1, 2, 3, 4, 5, 8, 9, 17, 25, 33, 50, 97};
static const int64_t column_counts[] = {1, 2, 3, 4, 5, 7, 9};
static const int64_t depths[] = {0, 1, 3, 16, 512, 513};
static const char ops[] = "NTC";
enum { PAGES = 3, GAP = 3 };

#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static gla_array operand (gla_type type, char op, int64_t rows, int64_t columns, int64_t gap,
                          unsigned long long seed)
{
  gla_array a = make (type, op == 'N' ? rows : columns, op == 'N' ? columns : rows, PAGES, gap);
  fill (&a, seed);
  return a;
}

static double complex element (const gla_array *a, char op, int64_t i, int64_t j, int64_t p)
{
  const double complex x = op == 'N' ? get (a, i, j, p) : get (a, j, i, p);
  return op == 'C' ? conj (x) : x;
}

// Largest |C - op (A)*op (B)| over k*eps*|op (A)|*|op (B)|.
static double ratio (const gla_array *A, char op_a, const gla_array *B, char op_b,
                     const gla_array *C)
{
  const int64_t k = op_a == 'N' ? A->columns : A->rows;
  double worst = 0;
  for (int64_t p = 0; p < C->pages; p++)
    for (int64_t j = 0; j < C->columns; j++)
      for (int64_t i = 0; i < C->rows; i++) {
        long double complex sum = 0;
        double size = 0;
        for (int64_t l = 0; l < k; l++) {
          const double complex x = element (A, op_a, i, l, p), y = element (B, op_b, l, j, p);
          sum += (long double complex)x * y;
          size += cabs (x) * cabs (y);
        }
        const double bound = (double)(k + 4) * gla_type_eps (C->type) * size;
        const double off = (double)cabsl (get (C, i, j, p) - sum);
        worst = check_worst (worst, off <= 0 ? 0 : off / bound);
      }
  return worst;
}

//------------------------------------------------------------------------------
// tests
//------------------------------------------------------------------------------

static gla_status multiply (gla_context *ctx, const gla_array *A, char op_a, const gla_array *B,
                            char op_b, const gla_array *C)
{
  const gla_pagemul_options options = {.size = sizeof options, .op_a = op_a, .op_b = op_b};
  const gla_pagemul_results results = {sizeof results, *C};
  return gla_pagemul (ctx, A, B, &results, &options, NULL);
}

typedef struct {
  gla_type type_a, type_b;
  char op_a, op_b;
  int64_t m, n, k, gap;
} product;

static void check_product (gla_context *ctx, const product *p)
{
  const gla_type type_a = p->type_a, type_b = p->type_b;
  const char op_a = p->op_a, op_b = p->op_b;
  const int64_t m = p->m, n = p->n, k = p->k, gap = p->gap;
  gla_array A = operand (type_a, op_a, m, k, gap, 1), B = operand (type_b, op_b, k, n, gap, 2);
  gla_array C = make (gla_type_is_complex (type_a) ? type_a : type_b, m, n, PAGES, gap);
  const gla_status status = multiply (ctx, &A, op_a, &B, op_b, &C);
  CHECK (status == GLA_OK, "%c%c %c%c %lldx%lldx%lld: %s", (char)type_a, (char)type_b, op_a, op_b,
         (long long)m, (long long)n, (long long)k, gla_message (ctx));
  const double worst = ratio (&A, op_a, &B, op_b, &C);
  CHECK (worst <= 1, "%c%c %c%c %lldx%lldx%lld gap %lld: ratio %g", (char)type_a, (char)type_b,
         op_a, op_b, (long long)m, (long long)n, (long long)k, (long long)gap, worst);
  CHECK (gaps_are_untouched (&C), "%c%c %c%c %lldx%lldx%lld: a gap of C was written", (char)type_a,
         (char)type_b, op_a, op_b, (long long)m, (long long)n, (long long)k);
  free (A.data);
  free (B.data);
  free (C.data);
}

// Types of A and B.
static const gla_type pairs[][2] = {{'s', 's'}, {'d', 'd'}, {'c', 'c'}, {'z', 'z'},
                                    {'s', 'c'}, {'c', 's'}, {'d', 'z'}, {'z', 'd'}};

static void test_sizes (gla_context *ctx)
{
  for (int t = 0; t < COUNT (pairs); t++)
    for (int m = 0; m < COUNT (row_counts); m++)
      for (int n = 0; n < COUNT (column_counts); n++)
        for (int o = 0; o < 9; o++) {
          // every size meets every combination of transposes; sums of all lengths take turns
          const int64_t k = depths[(m + 2 * n + o) % (m % 3 ? 4 : 6)];
          const product p = {pairs[t][0],   pairs[t][1],      ops[o / 3], ops[o % 3],
                             row_counts[m], column_counts[n], k,          (m + n) % 2 ? GAP : 0};
          check_product (ctx, &p);
        }
}

// A page that threads share gives the bits of the same page in a batch.
static void test_bits (gla_context *ctx, gla_type type)
{
  enum { N = 260, BATCH = 9 };
  gla_array A = make (type, N, N, BATCH, 0), B = make (type, N, N, BATCH, 0);
  gla_array C = make (type, N, N, BATCH, 0), D = make (type, N, N, BATCH, 0);
  fill (&A, 5);
  fill (&B, 6);
  const size_t page = (size_t)A.page_stride * gla_type_size (type);
  gla_pool_share (3);
  CHECK (multiply (ctx, &A, 'N', &B, 'N', &C) == GLA_OK, "%s", gla_message (ctx));
  for (int p = 0; p < BATCH; p++) {
    gla_array a = A, b = B, d = D;
    a.data = (char *)A.data + (size_t)p * page;
    b.data = (char *)B.data + (size_t)p * page;
    d.data = (char *)D.data + (size_t)p * page;
    a.pages = b.pages = d.pages = 1;
    gla_pool_share (p % 2 ? 1 : 4);
    CHECK (multiply (ctx, &a, 'N', &b, 'N', &d) == GLA_OK, "%s", gla_message (ctx));
  }
  gla_pool_share (0);
  CHECK (memcmp (C.data, D.data, (size_t)BATCH * page) == 0, "%c: bits depend on the batch",
         (char)type);
  free (A.data);
  free (B.data);
  free (C.data);
  free (D.data);
}

static void test_hermitian (gla_context *ctx, gla_type type)
{
  for (int m = 0; m < COUNT (row_counts); m++)
    for (int side = 0; side < 2; side++) {
      const int64_t n = row_counts[m];
      gla_array A = make (type, side ? 7 : n, side ? n : 7, PAGES, GAP), C;
      fill (&A, 7);
      C = make (type, n, n, PAGES, GAP);
      CHECK (multiply (ctx, &A, side ? 'C' : 'N', &A, side ? 'N' : 'C', &C) == GLA_OK, "%s",
             gla_message (ctx));
      int exact = 1;
      for (int64_t p = 0; p < PAGES; p++)
        for (int64_t j = 0; j < n; j++)
          for (int64_t i = 0; i <= j; i++)
            exact &= get (&C, i, j, p) == conj (get (&C, j, i, p));
      CHECK (exact, "%c of order %lld is not Hermitian", (char)type, (long long)n);
      const double worst = ratio (&A, side ? 'C' : 'N', &A, side ? 'N' : 'C', &C);
      CHECK (worst <= 1, "%c Hermitian of order %lld: ratio %g", (char)type, (long long)n, worst);
      free (A.data);
      free (C.data);
    }
}

// A page of A that meets many pages of B gives the bits that as many copies of it give. The pages
// lie in two dimensions, of which A has the second, so that they are joined piece by piece.
static void check_joined (gla_context *ctx, const product *p)
{
  enum { FIRST = 307, SECOND = 2 };
  const int64_t rows = p->op_a == 'N' ? p->m : p->k, columns = p->op_a == 'N' ? p->k : p->m;
  const int64_t pages = FIRST * SECOND, size[2] = {FIRST, SECOND};
  const int64_t a_step[2] = {0, 1}, b_step[2] = {1, FIRST};
  const gla_type type = gla_type_is_complex (p->type_a) ? p->type_a : p->type_b;
  gla_array A = make (p->type_a, rows, columns, SECOND, p->gap);
  gla_array copies = make (p->type_a, rows, columns, pages, p->gap);
  gla_array B = make (p->type_b, p->k, p->n, pages, 0);
  gla_array C = make (type, p->m, p->n, pages, 0), D = make (type, p->m, p->n, pages, 0);
  fill (&A, 11);
  fill (&B, 12);
  const size_t bytes = (size_t)A.page_stride * gla_type_size (p->type_a);
  for (int64_t q = 0; q < pages; q++)
    memcpy ((char *)copies.data + (size_t)q * bytes,
            (const char *)A.data + (size_t)(q / FIRST) * bytes,
            (size_t)(A.column_stride * (A.columns - 1) + A.rows) * gla_type_size (p->type_a));
  const gla_pagemul_options options = {.size = sizeof options,
                                       .op_a = p->op_a,
                                       .op_b = 'N',
                                       .dims = 2,
                                       .dim_size = size,
                                       .a_step = a_step,
                                       .b_step = b_step};
  const gla_pagemul_results results = {sizeof results, C};
  CHECK (gla_pagemul (ctx, &A, &B, &results, &options, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (multiply (ctx, &copies, p->op_a, &B, 'N', &D) == GLA_OK, "%s", gla_message (ctx));
  CHECK (memcmp (C.data, D.data, (size_t)(pages * C.page_stride) * gla_type_size (type)) == 0,
         "%c%c %c %lldx%lldx%lld gap %lld: bits of a page of A for many pages", (char)p->type_a,
         (char)p->type_b, p->op_a, (long long)p->m, (long long)p->n, (long long)p->k,
         (long long)p->gap);
  free (A.data);
  free (copies.data);
  free (B.data);
  free (C.data);
  free (D.data);
}

static void test_joined (gla_context *ctx)
{
  static const int64_t rows[] = {1, 3, 6, 8, 11, 25, 50}, columns[] = {1, 3, 9};
  static const int64_t sums[] = {1, 6, 17, 513};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int m = 0; m < COUNT (rows); m++)
      for (int n = 0; n < COUNT (columns); n++)
        for (int o = 0; o < 3; o++) {
          const int64_t k = sums[(m + 2 * n + o) % (m % 3 ? 3 : 4)];
          const product p = {pairs[t][0], pairs[t][1], ops[o], 'N',
                             rows[m],     columns[n],  k,      (m + n) % 2 ? GAP : 0};
          check_joined (ctx, &p);
        }
}

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

// A stopped call ends early, also within one page.
static void test_stop (gla_context *ctx)
{
  gla_array A = make (GLA_TYPE_D, 1500, 1500, 1, 0), C = make (GLA_TYPE_D, 1500, 1500, 1, 0);
  fill (&A, 8);
  gla_set_stop (ctx, stop_at_once, NULL);
  CHECK (multiply (ctx, &A, 'N', &A, 'N', &C) == GLA_ERROR_STOPPED, "the call was not stopped");
  gla_set_stop (ctx, NULL, NULL);
  free (A.data);
  free (C.data);
}

static void expect_refusal (gla_context *ctx, const gla_array *A, const gla_array *B,
                            const gla_array *C, const gla_pagemul_options *options,
                            const char *says)
{
  const gla_pagemul_results results = {sizeof results, *C};
  const gla_status status = gla_pagemul (ctx, A, B, &results, options, NULL);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL,
         "status %d, \"%s\" instead of \"%s\"", (int)status, gla_message (ctx), says);
}

static void test_arguments (gla_context *ctx)
{
  double memory[64] = {0}, product[64];
  const int64_t two = 2, one = 1, minus = -1;
  gla_array A = gla_array_packed (memory, GLA_TYPE_D, 2, 3, 2, GLA_DEVICE_HOST);
  gla_array B = gla_array_packed (memory, GLA_TYPE_D, 3, 4, 2, GLA_DEVICE_HOST);
  gla_array C = gla_array_packed (product, GLA_TYPE_D, 2, 4, 2, GLA_DEVICE_HOST), other;
  gla_pagemul_options options = {.size = sizeof options};
  const gla_pagemul_results results = {sizeof results, C};
  CHECK (gla_pagemul (ctx, &A, &B, &results, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (gla_pagemul (NULL, &A, &B, &results, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  CHECK (gla_pagemul (ctx, NULL, &B, &results, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no A");
  CHECK (gla_pagemul (ctx, &A, &B, NULL, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no results");
  options.op_a = 'X';
  expect_refusal (ctx, &A, &B, &C, &options, "'N', 'T' or 'C'");
  options.op_a = 'T';
  expect_refusal (ctx, &A, &B, &C, &options, "op (A) has 2 columns and op (B) 3 rows");
  options.op_a = 0;
  other = C;
  other.pages = 3;
  expect_refusal (ctx, &A, &B, &other, &options, "A has 2 pages, page 2 is needed");
  other = C;
  other.type = GLA_TYPE_Z;
  expect_refusal (ctx, &A, &B, &other, &options, "C has type 'z', it must be 'd'");
  other = A;
  other.type = GLA_TYPE_S;
  expect_refusal (ctx, &other, &B, &C, &options, "A has type 's'");
  other = A;
  other.row_stride = 2;
  other.column_stride = 4;
  expect_refusal (ctx, &other, &B, &C, &options, "A has row stride 2");
  other = C;
  other.data = memory;
  expect_refusal (ctx, &A, &B, &other, &options, "C must not overlap A");
  options.dims = 1;
  expect_refusal (ctx, &A, &B, &C, &options, "without sizes and steps");
  options.dim_size = &two;
  options.a_step = options.b_step = &two;
  expect_refusal (ctx, &A, &B, &C, &options, "A has 2 pages, page 2 is needed");
  options.a_step = &one;
  options.b_step = &minus;
  expect_refusal (ctx, &A, &B, &C, &options, "a negative number");
  options.dim_size = &one;
  options.b_step = &one;
  expect_refusal (ctx, &A, &B, &C, &options, "C has 2 pages, it must have 1");
}

int main (void)
{
  gla_context *ctx;
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  test_sizes (ctx);
  test_joined (ctx);
  static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
  for (int t = 0; t < COUNT (types); t++) {
    test_bits (ctx, types[t]);
    test_hermitian (ctx, types[t]);
  }
  test_stop (ctx);
  test_arguments (ctx);
  gla_context_destroy (ctx);
  return check_report ("test_pagemul");
}
