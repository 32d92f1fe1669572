// gpu_product_bits.c: bits of products on a GPU in batches of all sizes, A*A', large; NaN
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "gpu_product.h"

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

static gla_array pages_from (gla_array a, int64_t first, int64_t count)
{
  a.data = (char *)a.data + (size_t)(first * a.page_stride) * gla_type_size (a.type);
  a.pages = count;
  return a;
}

static int same_pages (const gla_array *a, int64_t p, const gla_array *b, int64_t q, int64_t count)
{
  const size_t size = gla_type_size (a->type), page = (size_t)a->page_stride * size;
  for (int64_t k = 0; k < count; k++)
    for (int64_t j = 0; j < a->columns; j++) {
      const size_t at = (size_t)(j * a->column_stride) * size;
      if (memcmp ((char *)a->data + (size_t)(p + k) * page + at,
                  (char *)b->data + (size_t)(q + k) * page + at, (size_t)a->rows * size) != 0)
        return 0;
    }
  return 1;
}

// Pages of a large batch again, one or seven at a time, from the same and from other addresses; and
// again, when other pages hold NaN and Inf.
static void check_bits (gla_type type, int64_t n, int64_t pages, char op, int gap)
{
  const product q = {type, type, 'N', op, n, n, n, pages, gap, 0};
  static const int64_t first[] = {0, 1, 2, 500, 993}, count[] = {1, 7};
  operands o = operands_of (&q, pages);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 0);
  const gpu_copy A1 = gpu_put (&o.A, 1), C1 = gpu_put (&o.C, 1);
  const gla_status status = multiply (&A.array, 'N', &B.array, op, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "%s", gla_message (ctx));
    gla_array part = make (type, n, n, pages, gap);
    const gpu_copy D = {.array = C1.array, .host = &part, .bytes = C1.bytes};
    for (int f = 0; f < COUNT (first); f++)
      for (int k = 0; k < 4; k++) {
        const int64_t p = first[f] % (pages - 7), many = count[k % 2];
        const gla_array a = pages_from (k / 2 ? A1.array : A.array, p, many);
        const gla_array b = pages_from (B.array, p, many), d = pages_from (D.array, 0, many);
        CHECK (multiply (&a, 'N', &b, op, &d) == GLA_OK && gpu_get (&D) &&
                   same_pages (&o.C, p, &part, 0, many),
               "%s: %lld pages from page %lld have other bits than all together", name_of (&q),
               (long long)many, (long long)p);
      }
    for (int64_t p = 0; p < pages; p += 5) {
      set (&o.A, n / 2, n - 1, p, p % 2 ? NAN : INFINITY);
      set (&o.B, 0, n / 2, p, p % 3 ? NAN : -INFINITY);
    }
    gpu_used = 0;
    const gpu_copy E = gpu_put (&o.A, 0), F = gpu_put (&o.B, 0);
    CHECK (multiply (&E.array, 'N', &F.array, op, &D.array) == GLA_OK && gpu_get (&D), "%s",
           gla_message (ctx));
    int same = 1, found = 1;
    for (int64_t p = 0; p < pages; p++)
      if (p % 5)
        same &= same_pages (&o.C, p, &part, p, 1);
      else
        found &= !isfinite (cabs (get (&part, n / 2, 0, p)));
    CHECK (same, "%s: NaN left its page", name_of (&q));
    CHECK (found, "%s: NaN was lost", name_of (&q));
    free (part.data);
  }
  release (&o);
}

static void test_bits (void)
{
  static const int64_t orders[] = {1,  2,  3,   4,   7,  8,  16, 17,  24, 32, 33,
                                   48, 64, 100, 130, 63, 96, 65, 128, 95, 256};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (orders); s++)
      check_bits (types[t], orders[s], orders[s] <= 33 ? 1000 : 40, ops[s % 3], s % 2 ? GAP : 0);
}

//------------------------------------------------------------------------------
// Hermitian products
//------------------------------------------------------------------------------

static gla_status square (const gla_array *A, int side, const gla_array *C)
{
  return multiply (A, side ? 'C' : 'N', A, side ? 'N' : 'C', C);
}

// What is wrong with page p of C, which is Hermitian but for row and column 0 with NaN, or whose
// first element has overflowed.
static const char *fault_of (const gla_array *C, int64_t p, int with_nan, int with_inf)
{
  for (int64_t j = 0; j < C->rows; j++)
    for (int64_t i = 0; i <= j; i++) {
      const double complex x = get (C, i, j, p), y = get (C, j, i, p);
      if (with_nan && i == 0) {
        if (!isnan (creal (x)) || !isnan (creal (y)))
          return "NaN was lost";
      } else if (with_inf && i == 0) {
        if (j == 0 && (creal (x) != INFINITY || cimag (x) != 0))
          return "the first element is not Inf";
      } else if (x != conj (y) || (i == j && cimag (x) != 0))
        return "not Hermitian";
    }
  return NULL;
}

// C = A*A' of some pages from `first` on has the bits that it has in the batch.
static void compare_square (const gpu_copy *A, const gla_array *C, const gpu_copy *D, int side,
                            int64_t first, int64_t count)
{
  const gla_array a = pages_from (A->array, first, count), d = pages_from (D->array, 0, count);
  CHECK (square (&a, side, &d) == GLA_OK && gpu_get (D) && same_pages (C, first, D->host, 0, count),
         "%c, A*A' of order %lld, %lld pages: other bits than all together", (char)C->type,
         (long long)C->rows, (long long)count);
}

// A*A' (A'*A with `side`) of a batch, and of one and seven pages of it, for which other tiles are
// taken, from the same address and from one for which the unit for tiles does not serve. One page
// has NaN, one overflows.
static void check_squares (gla_type type, int64_t n, int64_t k, int side)
{
  enum { PAGES = 40, WITH_NAN = 3, WITH_INF = 11 };
  gla_array A = make (type, side ? k : n, side ? n : k, PAGES, 0);
  gla_array C = make (type, n, n, PAGES, 0), part = make (type, n, n, PAGES, 0);
  fill (&A, (unsigned long long)(n + 300 * k));
  set (&A, 0, 0, WITH_NAN, NAN);
  const double huge = gla_type_eps (type) < 1e-10 ? 1e200 : 1e30;
  set (&A, 0, 0, WITH_INF, gla_type_is_complex (type) ? CMPLX (huge, huge) : huge);
  gpu_used = 0;
  const gpu_copy a = gpu_put (&A, 0), b = gpu_put (&A, 1);
  const gpu_copy c = gpu_put (&C, 0), d = gpu_put (&part, 0);
  const gla_status status = square (&a.array, side, &c.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&c), "%s", gla_message (ctx));
    for (int64_t p = 0; p < PAGES; p++) {
      const char *fault = fault_of (&C, p, p == WITH_NAN, p == WITH_INF);
      CHECK (fault == NULL, "%c, A*A' of order %lld, page %lld: %s", (char)type, (long long)n,
             (long long)p, fault);
    }
    compare_square (&a, &C, &d, side, 0, PAGES);
    compare_square (&b, &C, &d, side, 0, PAGES);
    compare_square (&a, &C, &d, side, WITH_NAN + 1, 1);
    compare_square (&b, &C, &d, side, WITH_INF + 1, 1);
    compare_square (&a, &C, &d, side, WITH_INF + 1, 7);
  }
  free (A.data);
  free (C.data);
  free (part.data);
}

// Around the edges of tiles of 32, 48, 64, 96 and 128.
static void test_squares (void)
{
  static const int64_t orders[] = {24, 25, 32,  33,  48,  49,  63,  64, 65,
                                   95, 96, 100, 128, 129, 192, 193, 256};
  static const int64_t terms[] = {24, 37, 64, 128, 130};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (orders); s++)
      for (int side = 0; side < 2; side++)
        check_squares (types[t], orders[s], terms[(s + side) % COUNT (terms)], side);
}

//------------------------------------------------------------------------------
// large and thin pages
//------------------------------------------------------------------------------

// The pages of q again, from addresses for which the unit for tiles does not serve (but complex
// ones of double precision), and the last one alone, have the same bits. With `hermitian` B is A.
static void check_large (const product *q, int hermitian)
{
  operands o = operands_of (q, q->pages);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), C = gpu_put (&o.C, 0), A1 = gpu_put (&o.A, 1);
  const gpu_copy B = hermitian ? A : gpu_put (&o.B, 0);
  gla_array part = make (o.C.type, q->m, q->n, q->pages, q->gap);
  const gpu_copy D = gpu_put (&part, 1);
  const gla_status status = multiply (&A.array, q->op_a, &B.array, q->op_b, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "%s: %s", name_of (q), gla_message (ctx));
    const gpu_copy *b = hermitian ? &A1 : &B;
    CHECK (multiply (&A1.array, q->op_a, &b->array, q->op_b, &D.array) == GLA_OK && gpu_get (&D) &&
               same_pages (&o.C, 0, &part, 0, q->pages),
           "%s: other bits from other addresses", name_of (q));
    const int64_t last = q->pages - 1;
    const gla_array one = pages_from (A.array, last, 1), with = pages_from (B.array, last, 1);
    const gla_array d = pages_from (D.array, 0, 1);
    CHECK (multiply (&one, q->op_a, hermitian ? &one : &with, q->op_b, &d) == GLA_OK &&
               gpu_get (&D) && same_pages (&o.C, last, &part, 0, 1),
           "%s: the last page alone has other bits", name_of (q));
  }
  free (part.data);
  release (&o);
}

static void test_large (void)
{
  static const int64_t cases[][4] = {
      {1040, 1040, 1040, 2}, {1100, 1100, 1100, 1}, {4096, 64, 1100, 1}, {3000, 3000, 10, 1},
      {3000, 3000, 36, 1},   {64, 5000, 64, 3},     {36, 1200, 1040, 2}, {2048, 100, 2048, 1},
      {701, 300, 1, 3},      {4, 900, 515, 3},      {20001, 129, 16, 2}, {3, 2000, 3001, 2},
      {1000, 1000, 8, 3},    {333, 500, 12, 60},    {7, 600, 310, 60}};
  static const char how[][2] = {{'N', 'N'}, {'N', 'C'}, {'T', 'N'}, {'C', 'T'}};
  for (int t = 0; t < COUNT (types); t++)
    for (int c = 0; c < COUNT (cases); c++) {
      const char *op = how[(c + t) % COUNT (how)];
      product q = {types[t],    types[t],    op[0],       op[1], cases[c][0],
                   cases[c][2], cases[c][1], cases[c][3], 0,     0};
      check_large (&q, 0);
      if (q.m != q.n)
        continue;
      q.op_a = t % 2 ? 'C' : 'N';
      q.op_b = t % 2 ? 'N' : 'C';
      check_large (&q, 1);
    }
}

//------------------------------------------------------------------------------
// long sums
//------------------------------------------------------------------------------

// Sums that are made in parts, and some that just are not, of one page, of few pages, whose parts
// are pages of a launch, and of so many that a launch has one part of all. Terms that are left over
// are none, too few for the unit for tiles, and many. The last are more pages than the work space
// has parts of.
static void test_long (void)
{
  static const int64_t cases[][4] = {
      {64, 2047, 64, 3},   {64, 2048, 64, 1},   {64, 2049, 64, 3},   {64, 2071, 64, 20},
      {24, 2300, 40, 3},   {17, 2048, 300, 3},  {16, 4100, 200, 2},  {128, 20000, 128, 1},
      {128, 5000, 128, 3}, {260, 2080, 260, 1}, {256, 2111, 256, 3}, {1024, 2048, 30, 1},
      {36, 4096, 2048, 1}, {2048, 4096, 32, 1}, {36, 70001, 24, 1},  {20, 2176, 20, 30},
      {65, 3001, 33, 12},  {520, 4163, 512, 1}, {20, 100, 20, 3},    {3, 30000, 1, 1},
      {1, 70001, 1, 2},    {10, 16384, 10, 3},  {1, 16383, 40, 40},  {16, 17111, 255, 2},
      {5, 300000, 2, 1},   {2, 2047, 3, 3},     {12, 50000, 256, 1}};
  for (int t = 0; t < COUNT (types); t++) {
    product q = {.type_a = types[t], .type_b = types[t], .op_a = 'N', .op_b = 'N'};
    for (int c = 0; c < COUNT (cases); c++) {
      q.m = cases[c][0];
      q.k = cases[c][1];
      q.n = cases[c][2];
      q.pages = cases[c][3];
      const int heavy = q.m * q.k * q.n > 9000000;
      for (int o = heavy ? c % 4 : 0; o < 9; o += heavy ? 4 : 1) {
        q.op_a = ops[o / 3];
        q.op_b = ops[o % 3];
        check_large (&q, 0);
      }
      q.op_a = c % 2 ? 'C' : 'N';
      q.op_b = c % 2 ? 'N' : 'C';
      if (q.m == q.n)
        check_large (&q, 1);
    }
    q.m = q.n = 128;
    q.k = 2053;
    q.pages = (1 << 23) / (128 * 128 * (int64_t)gla_type_size (types[t])) + 5;
    check_large (&q, 0);
  }
  static const int64_t orders[] = {3, 16, 17, 24, 33, 64, 100};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (orders); s++)
      check_squares (types[t], orders[s], (orders[s] > 16 ? 2048 : 16384) + 37 * s, s % 2);
}

//------------------------------------------------------------------------------
// NaN and Inf
//------------------------------------------------------------------------------

// NaN in row 2 of op (A) on page 1 makes that row of C NaN and changes nothing else.
static void check_nan_row (const product *q)
{
  operands o = operands_of (q, q->pages);
  gla_array with = make (o.C.type, q->m, q->n, q->pages, q->gap);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 0);
  const gpu_copy D = gpu_put (&with, 0);
  const gla_status status = multiply (&A.array, q->op_a, &B.array, q->op_b, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "%s: %s", name_of (q), gla_message (ctx));
    const int64_t last = q->k - 1;
    set (&o.A, q->op_a == 'N' ? 2 : last, q->op_a == 'N' ? last : 2, 1, NAN);
    const gpu_copy E = gpu_put (&o.A, 0);
    CHECK (multiply (&E.array, q->op_a, &B.array, q->op_b, &D.array) == GLA_OK && gpu_get (&D),
           "%s", gla_message (ctx));
    int same = 1, found = 1;
    for (int64_t p = 0; p < q->pages; p++)
      for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++)
          if (p == 1 && i == 2)
            found &= isnan (creal (get (&with, i, j, p)));
          else
            same &= get (&with, i, j, p) == get (&o.C, i, j, p);
    CHECK (same, "%s: NaN left its row", name_of (q));
    CHECK (found, "%s: NaN was lost", name_of (q));
  }
  free (with.data);
  release (&o);
}

static void test_nan_rows (void)
{
  static const int64_t shapes[][3] = {{701, 3, 300}, {5, 515, 900}, {1000, 16, 1000}};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int s = 0; s < COUNT (shapes); s++)
      for (int o = 0; o < 3; o++) {
        const product q = {pairs[t][0],  pairs[t][1],
                           ops[o],       ops[(o + t) % 3],
                           shapes[s][0], shapes[s][1],
                           shapes[s][2], 3,
                           GAP,          0};
        check_nan_row (&q);
      }
}

// NaN and Inf are where they are on the CPU, also of real arrays times complex ones.
static void check_special (gla_type type_a, gla_type type_b, int64_t n, char op_a, char op_b,
                           gla_context *cpu)
{
  const product q = {type_a, type_b, op_a, op_b, n, n, n, 3, GAP, 0};
  operands o = operands_of (&q, 3);
  for (int64_t p = 0; p < 3; p++) {
    set (&o.A, n / 2, 0, p, p ? INFINITY : NAN);
    set (&o.B, n - 1, n / 3, p, p == 1 ? NAN : -INFINITY);
  }
  gla_array expected = make (o.C.type, n, n, 3, GAP);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 0);
  const gla_pagemul_options options = {.size = sizeof options, .op_a = op_a, .op_b = op_b};
  const gla_pagemul_results results = {sizeof results, expected};
  const gla_status status = multiply (&A.array, op_a, &B.array, op_b, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "%s", gla_message (ctx));
    CHECK (gla_pagemul (cpu, &o.A, &o.B, &results, &options, NULL) == GLA_OK, "CPU");
    int same = 1;
    for (int64_t p = 0; p < 3; p++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
          const double complex x = get (&o.C, i, j, p), y = get (&expected, i, j, p);
          same &= isfinite (creal (y)) ? isfinite (creal (x)) : !isfinite (creal (x));
          same &= isfinite (cimag (y)) ? isfinite (cimag (x)) : !isfinite (cimag (x));
          same &= isinf (creal (y)) ? creal (x) == creal (y) : 1;
        }
    CHECK (same, "%s: NaN and Inf are not where they are on the CPU", name_of (&q));
  }
  free (expected.data);
  release (&o);
}

static void test_special (void)
{
  static const int64_t orders[] = {2, 3, 8, 13, 24, 33, 50, 70, 130};
  gla_context *cpu = NULL;
  CHECK (gla_context_create (&cpu) == GLA_OK, "no context");
  gla_set_place (cpu, GLA_PLACE_CPU, NULL, 0);
  for (int t = 0; t < COUNT (pairs); t++)
    for (int s = 0; s < COUNT (orders); s++)
      check_special (pairs[t][0], pairs[t][1], orders[s], ops[(s + t) % 3], ops[s % 3], cpu);
  gla_context_destroy (cpu);
}

int gpu_product_bits (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  test_bits ();
  test_squares ();
  test_large ();
  test_long ();
  test_nan_rows ();
  test_special ();
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_product_bits");
}
