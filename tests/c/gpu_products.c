// tests/c/gpu_products.c: products of pages on a GPU against sums in long double
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_page_tests.h"
#include "gpu_pages.h"

// Around the edges of tiles of 8, 16, 24, 32, 48, 64 and 128.
static const int64_t sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,
                                13, 14, 15, 16, 17, 18, 19, 20, 23,  24,  25,  31,
                                32, 33, 47, 48, 49, 63, 64, 65, 100, 127, 128, 129};
static const gla_type pairs[][2] = {{'s', 's'}, {'d', 'd'}, {'c', 'c'}, {'z', 'z'},
                                    {'s', 'c'}, {'c', 's'}, {'d', 'z'}, {'z', 'd'}};
static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const char ops[] = "NTC";
enum { GAP = 3 };

static gla_context *ctx;

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

typedef struct {
  gla_type type_a, type_b;
  char op_a, op_b;
  int64_t m, n, k, pages;
  int gap, shift;
} product;

typedef struct {
  gla_array A, B, C;
} operands;

static operands operands_of (const product *q, int64_t pages_b)
{
  const int trans_a = q->op_a != 'N', trans_b = q->op_b != 'N';
  const gla_type type = gla_type_is_complex (q->type_a) ? q->type_a : q->type_b;
  operands o = {
      .A = make (q->type_a, trans_a ? q->k : q->m, trans_a ? q->m : q->k, q->pages, q->gap),
      .B = make (q->type_b, trans_b ? q->n : q->k, trans_b ? q->k : q->n, pages_b, q->gap),
      .C = make (type, q->m, q->n, q->pages, q->gap)};
  fill (&o.A, (unsigned long long)(q->m + 300 * q->k));
  fill (&o.B, (unsigned long long)(q->n + 300 * q->k + 7));
  return o;
}

static void release (operands *o)
{
  free (o->A.data);
  free (o->B.data);
  free (o->C.data);
}

static gla_status multiply (const gla_array *A, char op_a, const gla_array *B, char op_b,
                            const gla_array *C)
{
  const gla_pagemul_options options = {.size = sizeof options, .op_a = op_a, .op_b = op_b};
  const gla_pagemul_results results = {sizeof results, *C};
  gla_pagemul_report report = {.base.size = sizeof report};
  const gla_status status = gla_pagemul (ctx, A, B, &results, &options, &report);
  if (status == GLA_OK && C->pages > 0 && C->rows > 0 && C->columns > 0)
    CHECK (report.base.device == 0, "a product of type %c was not made on the GPU", (char)C->type);
  return status;
}

static const char *name_of (const product *q)
{
  static char name[120];
  snprintf (name, sizeof name, "%c%c %c%c %lldx%lldx%lld gap %d shift %d", (char)q->type_a,
            (char)q->type_b, q->op_a, q->op_b, (long long)q->m, (long long)q->n, (long long)q->k,
            q->gap, q->shift);
  return name;
}

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

//------------------------------------------------------------------------------
// bits, NaN
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
  static const int64_t orders[] = {1, 2, 3, 4, 7, 8, 16, 17, 24, 32, 33, 48, 64, 100, 130};
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (orders); s++)
      check_bits (types[t], orders[s], orders[s] <= 33 ? 1000 : 40, ops[s % 3], s % 2 ? GAP : 0);
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

//------------------------------------------------------------------------------
// progress and stop
//------------------------------------------------------------------------------

// One A and one B for all pages of C, which keeps the memory small and the work large.
static void check_stop (const char *what, gla_type type, int64_t n, int64_t k, int64_t pages,
                        int host)
{
  const size_t size = gla_type_size (type);
  const gla_array A = gla_array_packed (gpu_block, type, n, k, 1, 0);
  const gla_array B = gla_array_packed (gpu_block, type, k, n, 1, 0);
  gla_array a = A, b = B, c;
  char *memory = NULL;
  CHECK (cudaMemset (gpu_block, 0, (size_t)(n * k) * size) == cudaSuccess, "cudaMemset");
  if (host) {
    memory = calloc ((size_t)(n * n * pages + n * k), size);
    c = gla_array_packed (memory, type, n, n, pages, GLA_DEVICE_HOST);
    a.data = b.data = memory + (size_t)(n * n * pages) * size;
    a.device = b.device = GLA_DEVICE_HOST;
  } else {
    CHECK (cudaMalloc ((void **)&memory, (size_t)(n * n * pages) * size) == cudaSuccess, "memory");
    c = gla_array_packed (memory, type, n, n, pages, 0);
  }
  gla_array one = c;
  one.pages = 1;
  int64_t last = 0;
  gla_set_progress (ctx, gpu_last_progress, &last);
  const gla_status status = multiply (&a, 'N', &b, 'N', &one);
  if (!gpu_refuses (ctx, status)) {
    CHECK (status == GLA_OK && last == 1, "%s: %s", what, gla_message (ctx));
    const double start = gpu_now ();
    gpu_stop_at = start + 0.05;
    gla_set_stop (ctx, gpu_late_stop, NULL);
    const gla_status stopped = multiply (&a, 'N', &b, 'N', &c);
    const double took = gpu_now () - gpu_stop_at;
    gla_set_stop (ctx, NULL, NULL);
    CHECK (stopped == GLA_ERROR_STOPPED || (stopped == GLA_OK && took < 0.1), "%s: status %d", what,
           (int)stopped);
    CHECK (took < 0.2, "%s: stopping took %g s", what, took);
    printf ("%s: %s, %.3f s after the wish\n", what, gla_status_text (stopped), took);
  }
  gla_set_progress (ctx, NULL, NULL);
  if (host)
    free (memory);
  else
    cudaFree (memory);
}

int gpu_products (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  test_sizes ();
  test_shapes ();
  test_grids ();
  test_hermitian ();
  test_bits ();
  test_special ();
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_products");
}

int gpu_products_stop (void)
{
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 30))
    return 1;
  check_stop ("stop of products of 256 x 65536", GLA_TYPE_D, 256, 65536, 8000, 0);
  check_stop ("stop of products of order 64", GLA_TYPE_Z, 64, 64, 200000, 0);
  check_stop ("stop of one product of order 8192", GLA_TYPE_D, 8192, 8192, 1, 0);
  check_stop ("stop of products from the host", GLA_TYPE_Z, 256, 256, 8000, 1);
  gpu_close ();
  gla_context_destroy (ctx);
  return gpu_report ("gpu_products_stop");
}
