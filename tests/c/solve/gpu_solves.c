// gpu_solves.c: systems with pages and inverses on a GPU: backward errors, all kinds
// SPDX-License-Identifier: GPL-3.0-or-later

#include "device/gpu_page_tests.h"
#include "gpu_solve.h"

// Around the widths of blocks and of tiles.
static const int64_t orders[] = {
    1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,
    18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  40,
    47,  48,  49,  56,  57,  63,  64,  65,  72,  73,  80,  95,  96,  97,  111, 112, 113,
    127, 128, 129, 144, 145, 152, 153, 160, 176, 177, 200, 224, 225, 255, 256};
static const char ops[] = "NTC";

//------------------------------------------------------------------------------
// general pages: sizes, sides, ops, right-hand sides
//------------------------------------------------------------------------------

// Both places have small backward errors, so their results differ by the condition number.
static void compare_cpu (problem *q, int inverse, gla_context *cpu, const char *what)
{
  problem other = *q;
  gla_context *gpu = ctx;
  other.X = make (q->X.type, q->X.rows, q->X.columns, q->X.pages, GAP);
  other.rcond = make (q->rcond.type, 1, 1, q->X.pages, GAP);
  other.no_rcond = 0;
  ctx = cpu;
  CHECK (solve (&other, inverse) == GLA_OK, "%s on the CPU: %s", what, gla_message (ctx));
  ctx = gpu;
  for (int64_t p = 0; p < q->X.pages; p++) {
    double off = 0, largest = 0;
    for (int64_t j = 0; j < q->X.columns; j++)
      for (int64_t i = 0; i < q->X.rows; i++) {
        off = check_worst (off, cabs (get (&q->X, i, j, p) - get (&other.X, i, j, p)));
        largest = fmax (largest, cabs (get (&other.X, i, j, p)));
      }
    const double n = (double)q->A.rows, rcond = creal (get (&other.rcond, 0, 0, p));
    const double bound = 2 * BOUND * n * gla_type_eps (q->X.type) / rcond;
    CHECK (off <= bound * largest || bound > 1, "%s: differs by %g from the CPU, rcond %g", what,
           off / largest, rcond);
  }
  free (other.X.data);
  free (other.rcond.data);
}

// Half of the definite pages without rcond, and so without the blocks that find it.
static void check_solution (gla_type type_a, gla_type type_b, int64_t n, int64_t r, char op,
                            gla_side side, int definite, gla_context *cpu)
{
  char what[80];
  const int64_t pages = n <= 33 ? 7 : n <= 129 ? PAGES : 1;
  problem q = random_problem (type_a, type_b, n, r, pages, GAP, op, side);
  snprintf (what, sizeof what, "%c\\%c op %c side %d n %lld r %lld definite %d", (char)type_a,
            (char)type_b, op, (int)side, (long long)n, (long long)r, definite);
  q.no_rcond = definite && (n + r) % 2;
  for (int64_t p = 0; definite && p < pages; p++)
    make_hermitian (&q.A, p, 1);
  if (solved_on_gpu (&q, 0, (int)(n % 2), NULL, what)) {
    for (int64_t p = 0; p < pages; p++) {
      const solved_page s = {&q.A, &q.B, &q.X, op, side, p, p, p};
      const double worst = page_ratio (&s, 0);
      CHECK (q.info[p] == 0 && worst <= BOUND, "%s: info %d, ratio %g", what, q.info[p], worst);
      if ((n <= 65 || n == 144 || n == 256) && p == 0 && !q.no_rcond)
        expect_rcond (&q, p, what);
    }
    compare_cpu (&q, 0, cpu, what);
    if (n % 3 == 0)
      compare_host (&q, 0, what);
  }
  release (&q);
}

static void test_sizes (gla_type type_a, gla_type type_b, gla_context *cpu)
{
  for (int k = 0; k < COUNT (orders); k++)
    for (int o = 0; o < 6; o++) {
      const int64_t n = orders[k], counts[] = {1, n, 4, 5, 33, n + 1};
      const int turn = k + (int)type_a + (int)type_b;
      if (n > 33 && (o + k) % 6 > 2) // half of the combinations, by turns
        continue;
      for (int definite = 0; definite < 2; definite++)
        check_solution (type_a, type_b, n, n > 129 ? (o % 2 ? 3 : 5) : counts[(turn + 5 * o) % 6],
                        ops[o % 3], o / 3 ? GLA_SIDE_RIGHT : GLA_SIDE_LEFT, definite, cpu);
    }
}

static void test_inverses (gla_type type, gla_context *cpu)
{
  for (int k = 0; k < COUNT (orders); k++) {
    char what[80];
    const int64_t n = orders[k];
    const char op = ops[k % 3];
    problem q = random_problem (type, type, n, n, n <= 65 ? PAGES : 1, GAP, op, GLA_SIDE_LEFT);
    snprintf (what, sizeof what, "inverse %c op %c n %lld", (char)type, op, (long long)n);
    if (solved_on_gpu (&q, 1, k % 2, NULL, what)) {
      for (int64_t p = 0; p < q.X.pages; p++) {
        const double worst = inverse_ratio (&q.A, op, &q.X, p);
        CHECK (q.info[p] == 0 && worst <= BOUND, "%s: info %d, ratio %g", what, q.info[p], worst);
        if (n <= 65 && p == 0)
          expect_rcond (&q, p, what);
      }
      compare_cpu (&q, 1, cpu, what);
      if (k % 3 == 0)
        compare_host (&q, 1, what);
    }
    release (&q);
  }
}

//------------------------------------------------------------------------------
// pages of all kinds in one batch
//------------------------------------------------------------------------------

static void check_kinds (const problem *q, int inverse)
{
  for (int k = 0; k < KINDS; k++) {
    // an inverse of order 256 takes a tenth of a second
    if (inverse && q->A.rows > 65 && k != DEFINITE && k != INDEFINITE && k != UPPER && k < SINGULAR)
      continue;
    check_kind (q, k, (kind)k, inverse);
    if (inverse)
      check_structure (&q->X, k, (kind)k);
  }
}

// The same pages from the host have the same bits, also those that the GPU hands back to the CPU.
static void check_host_kinds (const problem *q, int inverse, const char *what)
{
  problem host = on_host (q);
  CHECK (solve (&host, inverse) == GLA_OK, "%s from the host: %s", what, gla_message (ctx));
  check_kinds (&host, inverse);
  int same = 1;
  for (int k = 0; k < KINDS; k++)
    if (q->info[k] <= q->A.rows)
      same &= host.info[k] == q->info[k] && same_page (&q->X, k, &host.X, k);
  CHECK (same, "%s: other bits from the host", what);
  free (host.X.data);
  if (!q->no_rcond)
    free (host.rcond.data);
}

static void test_kinds (gla_type type, int64_t n, int inverse)
{
  char what[80];
  problem q = random_problem (type, type, n, inverse ? n : 3, KINDS, GAP, 'N', GLA_SIDE_LEFT);
  gla_pagesolve_report report = {.base.size = sizeof report};
  snprintf (what, sizeof what, "kinds %c n %lld inverse %d", (char)type, (long long)n, inverse);
  for (int k = 0; k < KINDS; k++)
    fill_kind (&q.A, &q.B, k, (kind)k);
  if (solved_on_gpu (&q, inverse, 1, &report, what)) {
    check_kinds (&q, inverse);
    CHECK (report.pages_singular >= 1 && report.first_singular <= SINGULAR &&
               report.base.pages_failed == 2 && report.base.first_failed == WITH_NAN,
           "%s: %lld singular, %lld failed", what, (long long)report.pages_singular,
           (long long)report.base.pages_failed);
    check_host_kinds (&q, inverse, what);
  }
  if (!inverse) { // and once more without rcond, which the checks have from the first call
    free (q.X.data);
    q.X = make (q.B.type, q.B.rows, q.B.columns, KINDS, GAP);
    q.no_rcond = 1;
    if (solved_on_gpu (&q, 0, 1, NULL, what)) {
      check_kinds (&q, 0);
      check_host_kinds (&q, 0, what);
    }
  }
  release (&q);
}

// Several chunks of a call with host arrays read one copy of A, or of B: the bits of arrays on the
// GPU, which are not copied.
static void test_chunks (void)
{
  enum { ORDER = 64, FIRST = 40, LAST = 70 };
  static const int64_t size[2] = {FIRST, LAST};
  static const int64_t none[2] = {0, 0}, plain[2] = {1, FIRST}, first[2] = {1, 0}, last[2] = {0, 1};
  static const int64_t *const steps[][2] = {{none, plain}, {plain, none}, {first, last}};
  for (int k = 0; k < COUNT (steps); k++) {
    problem q =
        random_problem (GLA_TYPE_D, GLA_TYPE_D, ORDER, ORDER, FIRST * LAST, 0, 'N', GLA_SIDE_LEFT);
    gla_pagesolve_options options = {.size = sizeof options, .dims = 2, .dim_size = size};
    options.a_step = steps[k][0];
    options.b_step = steps[k][1];
    gpu_used = 0;
    const gpu_copy A = gpu_put (&q.A, 0), B = gpu_put (&q.B, 0), X = gpu_put (&q.X, 0);
    gla_array host_X = make (q.X.type, ORDER, ORDER, q.X.pages, 0), a = q.A, b = q.B;
    a.pages = 1 + (FIRST - 1) * steps[k][0][0] + (LAST - 1) * steps[k][0][1];
    b.pages = 1 + (FIRST - 1) * steps[k][1][0] + (LAST - 1) * steps[k][1][1];
    const gla_pagesolve_results there = {.size = sizeof there, .X = X.array},
                                here = {.size = sizeof here, .X = host_X};
    gla_status status = gla_pagesolve (ctx, &A.array, &B.array, &there, &options, NULL);
    if (!gpu_refuses (ctx, status)) {
      CHECK (status == GLA_OK && gpu_get (&X), "chunks %d: %s", k, gla_message (ctx));
      status = gla_pagesolve (ctx, &a, &b, &here, &options, NULL);
      CHECK (status == GLA_OK && same_bytes (&q.X, &host_X),
             "chunks %d: other bits from the host; %s", k, gla_message (ctx));
    }
    free (host_X.data);
    release (&q);
  }
}

int gpu_solves (const char *types)
{
  gla_context *cpu = NULL;
  CHECK (gla_context_create (&cpu) == GLA_OK && gla_set_place (cpu, GLA_PLACE_CPU, NULL, 0) == 0,
         "no context");
  ctx = gpu_context ();
  if (!gpu_open ((size_t)1 << 29))
    return 1;
  for (; *types != '\0'; types++) {
    const gla_type type = (gla_type)*types;
    const gla_type other = other_type (type);
    test_sizes (type, type, cpu);
    test_sizes (type, other, cpu);
    test_inverses (type, cpu);
    for (int k = 0; k < COUNT (orders); k++)
      for (int inverse = 0; inverse < 2; inverse++)
        test_kinds (type, orders[k], inverse);
    if (type == GLA_TYPE_D)
      test_chunks ();
  }
  gpu_close ();
  gla_context_destroy (ctx);
  gla_context_destroy (cpu);
  return gpu_report ("gpu_solves");
}
