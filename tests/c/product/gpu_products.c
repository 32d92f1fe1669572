// gpu_products.c: products of pages on a GPU against sums in long double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "gpu_product.h"

// Around the edges of tiles of 8, 16, 24, 32, 48, 64 and 128.
static const int64_t sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,
                                13, 14, 15, 16, 17, 18, 19, 20, 23,  24,  25,  31,
                                32, 33, 47, 48, 49, 63, 64, 65, 100, 127, 128, 129};

//------------------------------------------------------------------------------
// reference
//------------------------------------------------------------------------------

// Rows of op (A), or columns of op (B): `count` vectors of k numbers.
typedef struct {
  double *re, *im, *size;
} vectors;

static vectors take (const gla_array *a, int64_t p, int transposed, int conjugated, int64_t count,
                     int64_t k)
{
  const size_t bytes = (size_t)(count * k + 1) * sizeof (double);
  const vectors v = {malloc (bytes), malloc (bytes), malloc (bytes)};
  for (int64_t i = 0; i < count; i++)
    for (int64_t l = 0; l < k; l++) {
      const double complex x = transposed ? get (a, l, i, p) : get (a, i, l, p);
      v.re[i * k + l] = creal (x);
      v.im[i * k + l] = conjugated ? -cimag (x) : cimag (x);
      v.size[i * k + l] = cabs (x);
    }
  return v;
}

static void drop (vectors v)
{
  free (v.re);
  free (v.im);
  free (v.size);
}

// |C - sum| over the bound that holds for any order of the sum: gamma (k + 2) |A| |B|.
static double element_ratio (vectors a, vectors b, int64_t k, int is_complex, double eps,
                             double complex got)
{
  long double re = 0, im = 0;
  double size = 0;
  for (int64_t l = 0; l < k; l++) {
    re += (long double)a.re[l] * b.re[l];
    size += a.size[l] * b.size[l];
  }
  for (int64_t l = 0; is_complex && l < k; l++) {
    re -= (long double)a.im[l] * b.im[l];
    im += (long double)a.re[l] * b.im[l] + (long double)a.im[l] * b.re[l];
  }
  const double unit = (double)(k + 2) * eps * (is_complex ? sqrt (2) : 0.5);
  const double off = (double)hypotl (creal (got) - re, cimag (got) - im);
  return off <= 0 ? 0 : off / (unit * size);
}

// The largest ratio of page p of C, made of pages a and b.
static double ratio (const gla_array *A, char op_a, int64_t a, const gla_array *B, char op_b,
                     int64_t b, const gla_array *C, int64_t p)
{
  const int64_t k = op_a == 'N' ? A->columns : A->rows;
  const vectors x = take (A, a, op_a != 'N', op_a == 'C', C->rows, k);
  const vectors y = take (B, b, op_b == 'N', op_b == 'C', C->columns, k);
  const int is_complex = gla_type_is_complex (C->type);
  const double eps = gla_type_eps (C->type);
  double worst = 0;
  for (int64_t j = 0; j < C->columns; j++)
    for (int64_t i = 0; i < C->rows; i++) {
      const vectors row = {x.re + i * k, x.im + i * k, x.size + i * k};
      const vectors column = {y.re + j * k, y.im + j * k, y.size + j * k};
      worst =
          check_worst (worst, element_ratio (row, column, k, is_complex, eps, get (C, i, j, p)));
    }
  drop (x);
  drop (y);
  return worst;
}

//------------------------------------------------------------------------------
// one product
//------------------------------------------------------------------------------

// Arrays on the host give the bits of arrays on the GPU.
static void compare_host (const product *q, const operands *o)
{
  gla_array C = make (o->C.type, q->m, q->n, q->pages, q->gap);
  const gla_status status = multiply (&o->A, q->op_a, &o->B, q->op_b, &C);
  CHECK (status == GLA_OK, "%s from the host: %s", name_of (q), gla_message (ctx));
  CHECK (memcmp (C.data, o->C.data, bytes_of (&C)) == 0, "%s: other bits from the host",
         name_of (q));
  free (C.data);
}

// B has one page or as many as A.
static void check_product (const product *q, int64_t pages_b, int host)
{
  operands o = operands_of (q, pages_b);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, q->shift), B = gpu_put (&o.B, 3 * q->shift);
  const gpu_copy C = gpu_put (&o.C, q->shift);
  const gla_status status = multiply (&A.array, q->op_a, &B.array, q->op_b, &C.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK, "%s: %s", name_of (q), gla_message (ctx));
    CHECK (gpu_get (&C), "%s: written outside of C", name_of (q));
    CHECK (gpu_unchanged (&A) && gpu_unchanged (&B), "%s: A or B changed", name_of (q));
    double worst = 0;
    for (int64_t p = q->m * q->n * q->k > 64000 ? q->pages - 1 : 0; p < q->pages; p++)
      worst = check_worst (worst,
                           ratio (&o.A, q->op_a, p, &o.B, q->op_b, pages_b > 1 ? p : 0, &o.C, p));
    CHECK (worst <= 1, "%s: ratio %g", name_of (q), worst);
    if (host)
      compare_host (q, &o);
  }
  release (&o);
}

static void test_sizes (void)
{
  for (int t = 0; t < COUNT (pairs); t++)
    for (int s = 0; s < COUNT (sizes); s++)
      for (int o = 0; o < 9; o++) {
        const int64_t n = sizes[s];
        product q = {.type_a = pairs[t][0], .type_b = pairs[t][1], .op_a = ops[o / 3]};
        q.op_b = ops[o % 3];
        q.m = q.n = q.k = n;
        q.pages = n <= 33 ? 5 : 2;
        q.gap = (s + o) % 2 ? GAP : 0;
        q.shift = (s + o) % 4 / 2;
        check_product (&q, q.pages, (s + o) % 4 == 0);
        q.m = sizes[(7 * s + 3 * o) % COUNT (sizes)];
        q.k = sizes[(11 * s + 5 * o) % COUNT (sizes)];
        check_product (&q, q.pages, 0);
      }
}

// Shapes of applications, long sums, pages larger than any tile, one B for all pages.
static void test_shapes (void)
{
  static const int64_t shapes[][3] = {{3, 64, 3},    {49, 49, 60}, {60, 60, 49}, {1, 1, 1000},
                                      {1, 40, 513},  {40, 1, 512}, {5, 7, 1025}, {300, 2, 9},
                                      {2, 300, 9},   {257, 3, 31}, {3, 257, 64}, {257, 257, 257},
                                      {130, 20, 511}};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int s = 0; s < COUNT (shapes); s++)
      for (int o = 0; o < 9; o += shapes[s][0] == 257 && shapes[s][1] == 257 ? 4 : 1) {
        product q = {.type_a = pairs[t][0], .type_b = pairs[t][1], .op_a = ops[o / 3]};
        q.op_b = ops[o % 3];
        q.m = shapes[s][0];
        q.n = shapes[s][1];
        q.k = shapes[s][2];
        q.pages = 3;
        q.gap = o % 2 ? GAP : 0;
        check_product (&q, o % 3 ? 3 : 1, o == 4);
      }
  for (int t = 0; t < COUNT (pairs); t++)
    for (int64_t n = 1; n <= 64; n *= 2) {
      product q = {pairs[t][0], pairs[t][1], 'N', ops[t % 3], n, n, n, 33, 0, 0};
      check_product (&q, 1, n == 8);
      q.k = 0;
      check_product (&q, q.pages, 0);
    }
}

// Sums that are made in parts: one page, few, many, on the host, too.
static void test_long (void)
{
  static const int64_t shapes[][4] = {{17, 20, 2048, 3}, {20, 17, 2105, 40}, {33, 65, 2600, 1},
                                      {64, 64, 2048, 3}, {150, 18, 5003, 2}, {17, 18, 66000, 1}};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int s = 0; s < COUNT (shapes); s++)
      for (int o = 0; o < 9; o += s < 2 ? 1 : 4) {
        product q = {.type_a = pairs[t][0], .type_b = pairs[t][1], .op_a = ops[o / 3]};
        q.op_b = ops[o % 3];
        q.m = shapes[s][0];
        q.n = shapes[s][1];
        q.k = shapes[s][2];
        q.pages = shapes[s][3];
        q.gap = o % 2 ? GAP : 0;
        q.shift = s % 2;
        check_product (&q, o % 3 ? q.pages : 1, o == 4);
      }
}

// Few columns or few rows of C, around the 16 that have kernels of their own, where the page is
// large; a sum of which 65536 terms are one launch.
static void test_thin (void)
{
  static const int64_t thin[] = {1, 2, 3, 4, 5, 8, 15, 16, 17};
  static const int64_t large[][2] = {{257, 515}, {1025, 128}, {512, 256}, {300, 1003}, {2051, 131}};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int o = 0; o < 9; o++)
      for (int side = 0; side < 2; side++) {
        product q = {.type_a = pairs[t][0], .type_b = pairs[t][1], .op_a = ops[o / 3]};
        const int64_t few = thin[(o + 2 * t + 4 * side) % COUNT (thin)];
        const int64_t *many = large[(o + t + side) % COUNT (large)];
        q.op_b = ops[o % 3];
        q.m = side ? few : many[0];
        q.n = side ? many[0] : few;
        q.k = many[1];
        q.pages = 3;
        q.gap = (o + side) % 2 ? GAP : 0;
        q.shift = (o + t) % 4 / 2;
        check_product (&q, o % 3 ? 3 : 1, o == 4);
      }
  const product sum = {'d', 'd', 'N', 'N', 257, 2, 70000, 1, 0, 0};
  check_product (&sum, 1, 0);
  const product more = {'d', 'd', 'T', 'N', 11, 257, 70001, 1, 0, 0};
  check_product (&more, 1, 0);
}

//------------------------------------------------------------------------------
// grids, Hermitian products
//------------------------------------------------------------------------------

static void check_grid (const product *q, const int64_t size[3], const int64_t a_step[3],
                        const int64_t b_step[3])
{
  operands o = operands_of (q, q->pages);
  gpu_used = 0;
  const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 1);
  const gla_pagemul_options options = {.size = sizeof options,
                                       .op_a = q->op_a,
                                       .op_b = q->op_b,
                                       .dims = 3,
                                       .dim_size = size,
                                       .a_step = a_step,
                                       .b_step = b_step};
  const gla_pagemul_results there = {sizeof there, C.array};
  gla_array host_C = make (o.C.type, q->m, q->n, q->pages, q->gap);
  const gla_pagemul_results here = {sizeof here, host_C};
  const gla_status status = gla_pagemul (ctx, &A.array, &B.array, &there, &options, NULL);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&C), "grid %s: %s", name_of (q), gla_message (ctx));
    double worst = 0;
    for (int64_t p = 0; p < q->pages; p++) {
      const int64_t at[3] = {p % size[0], p / size[0] % size[1], p / size[0] / size[1]};
      int64_t a = 0, b = 0;
      for (int d = 0; d < 3; d++) {
        a += at[d] * a_step[d];
        b += at[d] * b_step[d];
      }
      worst = check_worst (worst, ratio (&o.A, q->op_a, a, &o.B, q->op_b, b, &o.C, p));
    }
    CHECK (worst <= 1, "grid %s: ratio %g", name_of (q), worst);
    CHECK (gla_pagemul (ctx, &o.A, &o.B, &here, &options, NULL) == GLA_OK &&
               memcmp (host_C.data, o.C.data, bytes_of (&host_C)) == 0,
           "grid %s: other bits from the host; %s", name_of (q), gla_message (ctx));
  }
  free (host_C.data);
  release (&o);
}

static void test_grids (void)
{
  static const int64_t size[3] = {4, 3, 5};
  static const int64_t plain[3] = {1, 4, 12}, first[3] = {1, 0, 0}, last[3] = {0, 0, 1};
  static const int64_t none[3] = {0, 0, 0}, turned[3] = {3, 1, 12}, middle[3] = {0, 1, 0};
  static const int64_t *const steps[][2] = {{plain, plain},  {none, plain}, {none, turned},
                                            {first, last},   {last, plain}, {plain, none},
                                            {middle, first}, {last, first}, {none, none}};
  static const int64_t orders[] = {1, 3, 8, 16, 33, 70};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int k = 0; k < COUNT (steps); k++)
      for (int s = 0; s < COUNT (orders); s++) {
        const product q = {pairs[t][0], pairs[t][1],   ops[k % 3], ops[(k + t) % 3], orders[s],
                           orders[s],   orders[s] + 1, 60,         s % 2 ? GAP : 0,  0};
        check_grid (&q, size, steps[k][0], steps[k][1]);
      }
  for (int k = 0; k < COUNT (steps); k++) {
    const gla_type *types_of = k % 2 ? pairs[1] : pairs[3];
    const product q = {types_of[0], types_of[1], ops[k % 3], ops[k / 3],      18,
                       17,          2090,        60,         k % 2 ? GAP : 0, 0};
    check_grid (&q, size, steps[k][0], steps[k][1]);
  }
}

// Several chunks of a call with host arrays read one copy of what expands: the bits of arrays on
// the GPU, which have no chunks of that kind.
static void test_chunks (void)
{
  enum { ORDER = 90, FIRST = 30, LAST = 60 };
  static const int64_t size[2] = {FIRST, LAST};
  static const int64_t none[2] = {0, 0}, plain[2] = {1, FIRST}, first[2] = {1, 0}, last[2] = {0, 1};
  static const int64_t *const steps[][2] = {{none, plain}, {plain, none}, {first, last},
                                            {last, first}, {none, none},  {first, plain}};
  for (int k = 0; k < COUNT (steps); k++) {
    const product q = {'d',   'd',   ops[k % 3],   ops[(k + 1) % 3], ORDER,
                       ORDER, ORDER, FIRST * LAST, k % 2 ? GAP : 0,  0};
    operands o = operands_of (&q, q.pages);
    gpu_used = 0;
    const gpu_copy A = gpu_put (&o.A, 0), B = gpu_put (&o.B, 0), C = gpu_put (&o.C, 0);
    gla_pagemul_options options = {.size = sizeof options, .op_a = q.op_a, .op_b = q.op_b};
    options.dims = 2;
    options.dim_size = size;
    options.a_step = steps[k][0];
    options.b_step = steps[k][1];
    gla_array host_C = make (o.C.type, q.m, q.n, q.pages, q.gap);
    const gla_pagemul_results there = {sizeof there, C.array}, here = {sizeof here, host_C};
    gla_status status = gla_pagemul (ctx, &A.array, &B.array, &there, &options, NULL);
    if (!gpu_refuses (ctx, status)) {
      CHECK (status == GLA_OK && gpu_get (&C), "chunks %d: %s", k, gla_message (ctx));
      // pages of an array that expands lie side by side
      gla_array a = o.A, b = o.B;
      a.pages = 1 + (FIRST - 1) * steps[k][0][0] + (LAST - 1) * steps[k][0][1];
      b.pages = 1 + (FIRST - 1) * steps[k][1][0] + (LAST - 1) * steps[k][1][1];
      status = gla_pagemul (ctx, &a, &b, &here, &options, NULL);
      CHECK (status == GLA_OK && memcmp (host_C.data, o.C.data, bytes_of (&host_C)) == 0,
             "chunks %d: other bits from the host; %s", k, gla_message (ctx));
    }
    free (host_C.data);
    release (&o);
  }
}

static void check_hermitian (gla_type type, int64_t n, int64_t k, int side)
{
  const int64_t pages = 4;
  gla_array A = make (type, side ? k : n, side ? n : k, pages, GAP), C;
  C = make (type, n, n, pages, GAP);
  fill (&A, (unsigned long long)n);
  gpu_used = 0;
  const gpu_copy a = gpu_put (&A, 1), c = gpu_put (&C, 0);
  const char op_a = side ? 'C' : 'N', op_b = side ? 'N' : 'C';
  const gla_status status = multiply (&a.array, op_a, &a.array, op_b, &c.array);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && gpu_get (&c), "%s", gla_message (ctx));
    int exact = 1;
    double worst = 0;
    for (int64_t p = 0; p < pages; p++) {
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++)
          exact &= get (&C, i, j, p) == conj (get (&C, j, i, p));
      worst = check_worst (worst, ratio (&A, op_a, p, &A, op_b, p, &C, p));
    }
    CHECK (exact, "%c of order %lld is not Hermitian", (char)type, (long long)n);
    CHECK (worst <= 1, "%c Hermitian of order %lld: ratio %g", (char)type, (long long)n, worst);
  }
  free (A.data);
  free (C.data);
}

static void test_hermitian (void)
{
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (sizes); s++)
      for (int side = 0; side < 2; side++)
        check_hermitian (types[t], sizes[s], 1 + (5 * s) % 67, side);
}

int gpu_products (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  test_sizes ();
  test_shapes ();
  test_long ();
  test_thin ();
  test_grids ();
  test_chunks ();
  test_hermitian ();
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_products");
}
