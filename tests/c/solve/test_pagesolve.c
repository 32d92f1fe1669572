// test_pagesolve.c: systems with pages and inverses: sizes, types, strides, structure, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_problem.h"
#include "threads/pool.h"

#include <time.h>

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const gla_type pairs[][2] = {{'s', 's'}, {'d', 'd'}, {'c', 'c'}, {'z', 'z'},
                                    {'s', 'c'}, {'c', 's'}, {'d', 'z'}, {'z', 'd'}};
static const int64_t larger[] = {63, 64, 65, 96, 128, 129, 200};
static const char ops[] = "NTC";

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

static void check_solution (gla_type type_a, gla_type type_b, int64_t n, int64_t r, int64_t gap,
                            char op, gla_side side)
{
  char what[80];
  problem q = random_problem (type_a, type_b, n, r, PAGES, gap, op, side);
  snprintf (what, sizeof what, "%c\\%c op %c side %d n %lld r %lld", (char)type_a, (char)type_b, op,
            (int)side, (long long)n, (long long)r);
  CHECK (solve (&q, 0) == GLA_OK, "%s: %s", what, gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++) {
    const solved_page s = {&q.A, &q.B, &q.X, op, side, p, p, p};
    const double worst = page_ratio (&s, 0);
    CHECK (q.info[p] == 0 && worst <= BOUND, "%s: info %d, ratio %g", what, q.info[p], worst);
    if (n > 0 && n <= 40 && p == 1)
      expect_rcond (&q, p, what);
    if (n == 0)
      CHECK (isinf (creal (get (&q.rcond, 0, 0, p))), "%s: rcond", what);
  }
  CHECK (gaps_are_untouched (&q.X) && gaps_are_untouched (&q.rcond), "%s: a gap was written", what);
  release (&q);
}

static void test_sizes (void)
{
  for (int t = 0; t < COUNT (pairs); t++) {
    for (int64_t n = 0; n <= 40; n++)
      for (int o = 0; o < 6; o++) {
        const int64_t counts[] = {0, 1, 2, 3, 5, n, 1, 4};
        check_solution (pairs[t][0], pairs[t][1], n, counts[(n + 3 * o + t) % 8],
                        (n + o) % 2 ? GAP : 0, ops[o % 3], o / 3 ? GLA_SIDE_RIGHT : GLA_SIDE_LEFT);
      }
    for (int k = 0; k < COUNT (larger); k++)
      check_solution (pairs[t][0], pairs[t][1], larger[k], k % 2 ? 5 : 130, k % 3 ? 0 : GAP,
                      ops[(k + t) % 3], k % 2 ? GLA_SIDE_LEFT : GLA_SIDE_RIGHT);
  }
}

static void check_inverse (gla_type type, int64_t n, int64_t gap, char op)
{
  problem q = random_problem (type, type, n, n, PAGES, gap, op, GLA_SIDE_LEFT);
  CHECK (solve (&q, 1) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++) {
    const double worst = n > 0 ? inverse_ratio (&q.A, op, &q.X, p) : 0;
    CHECK (q.info[p] == 0 && worst <= BOUND, "inverse %c op %c n %lld: info %d, ratio %g",
           (char)type, op, (long long)n, q.info[p], worst);
    if (n > 0 && n <= 40 && p == 2)
      expect_rcond (&q, p, "inverse");
  }
  CHECK (gaps_are_untouched (&q.X), "inverse: a gap was written");
  release (&q);
}

static void test_inverses (void)
{
  for (int t = 0; t < COUNT (types); t++) {
    for (int64_t n = 0; n <= 40; n++)
      check_inverse (types[t], n, n % 2 ? GAP : 0, ops[(n + t) % 3]);
    for (int k = 0; k < COUNT (larger); k++)
      check_inverse (types[t], larger[k], k % 2 ? GAP : 0, ops[(k + t) % 3]);
  }
}

//------------------------------------------------------------------------------
// bits
//------------------------------------------------------------------------------

// Page p of the arrays, alone.
static problem page_of (const problem *q, int64_t p)
{
  problem one = *q;
  gla_array *arrays[] = {&one.A, &one.B, &one.X, &one.rcond};
  for (int k = 0; k < COUNT (arrays); k++) {
    gla_array *a = arrays[k];
    a->data = (char *)a->data + (size_t)(p * a->page_stride) * gla_type_size (a->type);
    a->pages = 1;
  }
  return one;
}

static int same_page (const gla_array *a, int64_t p, const gla_array *b, int64_t q)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t j = 0; j < a->columns; j++)
    if (memcmp ((char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size,
                (char *)b->data + (size_t)(q * b->page_stride + j * b->column_stride) * size,
                (size_t)a->rows * size) != 0)
      return 0;
  return 1;
}

// Each page has the bits of the same page alone, whatever stands beside it.
static void test_bits (gla_type type_a, gla_type type_b, int64_t n, int64_t r, int inverse)
{
  enum { BATCH = 37 };
  problem q = random_problem (type_a, type_b, n, r, BATCH, 0, 'N', GLA_SIDE_LEFT);
  problem other = random_problem (type_a, type_b, n, r, BATCH, 0, 'N', GLA_SIDE_LEFT);
  set (&q.A, 0, 0, 3, NAN);
  for (int64_t j = 0; j < n; j++)
    set (&q.A, 0, j, 5, 0);
  memcpy (other.A.data, q.A.data, (size_t)(q.A.page_stride * BATCH) * gla_type_size (type_a));
  gla_pool_share (3);
  CHECK (solve (&q, inverse) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < BATCH; p++) {
    problem one = page_of (&other, p);
    gla_pool_share (p % 2 ? 1 : 4);
    CHECK (solve (&one, inverse) == GLA_OK && one.info[0] == q.info[p], "info %d and %d",
           one.info[0], q.info[p]);
    CHECK (same_page (&q.X, p, &other.X, p) && same_page (&q.rcond, p, &other.rcond, p),
           "%c\\%c n %lld r %lld page %lld: bits depend on the batch", (char)type_a, (char)type_b,
           (long long)n, (long long)r, (long long)p);
  }
  gla_pool_share (0);
  release (&q);
  release (&other);
}

// Many pages of B with one A: each has the bits that it has alone.
static void test_shared (gla_type type_a, gla_type type_b, int64_t n, int64_t r, int64_t pages)
{
  problem q = random_problem (type_a, type_b, n, r, pages, 0, 'N', GLA_SIDE_RIGHT);
  problem one = random_problem (type_a, type_b, n, r, 1, 0, 'N', GLA_SIDE_RIGHT);
  q.A.pages = 1;
  memcpy (one.A.data, q.A.data, (size_t)q.A.page_stride * gla_type_size (type_a));
  if (pages > 1)
    set (&q.B, 0, 0, 1, NAN);
  gla_pool_share (3);
  CHECK (solve (&q, 0) == GLA_OK, "%s", gla_message (ctx));
  const size_t bytes = (size_t)q.B.page_stride * gla_type_size (type_b);
  for (int64_t p = 0; p < pages; p++) {
    memcpy (one.B.data, (char *)q.B.data + (size_t)p * bytes, bytes);
    CHECK (solve (&one, 0) == GLA_OK, "%s", gla_message (ctx));
    CHECK (same_page (&q.X, p, &one.X, 0) && same_page (&q.rcond, p, &one.rcond, 0) &&
               q.info[p] == one.info[0],
           "%c\\%c n %lld r %lld page %lld of %lld: bits depend on the others", (char)type_a,
           (char)type_b, (long long)n, (long long)r, (long long)p, (long long)pages);
  }
  gla_pool_share (0);
  release (&q);
  release (&one);
}

// NaN and Inf in B change nothing in other columns of X.
static void test_columns (gla_type type, int64_t n, int singular)
{
  enum { R = 9 };
  problem q = random_problem (type, type, n, R, 1, 0, 'N', GLA_SIDE_LEFT);
  problem clean = random_problem (type, type, n, R, 1, 0, 'N', GLA_SIDE_LEFT);
  for (int64_t j = 0; singular && j < n; j++) {
    set (&q.A, 0, j, 0, 0);
    set (&clean.A, 0, j, 0, 0);
  }
  set (&q.B, n / 2, 2, 0, NAN);
  set (&q.B, 0, 7, 0, -INFINITY);
  // so that both have the same columns that are not 0 in the least squares problem
  for (int64_t i = 0; i < n; i++) {
    set (&clean.B, i, 2, 0, 0);
    set (&clean.B, i, 7, 0, 0);
  }
  CHECK (solve (&q, 0) == GLA_OK && solve (&clean, 0) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t j = 0; j < R; j++) {
    int same = 1, finite = 1;
    for (int64_t i = 0; i < n; i++) {
      same &= get (&q.X, i, j, 0) == get (&clean.X, i, j, 0);
      finite &= isfinite (cabs (get (&q.X, i, j, 0)));
    }
    CHECK (j == 2 || j == 7 ? !finite : same, "%c n %lld singular %d: column %lld", (char)type,
           (long long)n, singular, (long long)j);
  }
  CHECK (get (&q.rcond, 0, 0, 0) == get (&clean.rcond, 0, 0, 0), "rcond depends on B");
  release (&q);
  release (&clean);
}

static void test_all_bits (void)
{
  static const int64_t orders[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100, 150};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int k = 0; k < COUNT (orders); k++) {
      test_bits (pairs[t][0], pairs[t][1], orders[k], 1 + 2 * (k % 3), 0);
      for (int64_t pages = 1; pages <= 40; pages += 13)
        test_shared (pairs[t][0], pairs[t][1], orders[k], 1 + 2 * (k % 3), pages);
      if (t < 4) {
        test_bits (pairs[t][0], pairs[t][0], orders[k], orders[k], 1);
        test_columns (pairs[t][0], orders[k], 0);
        test_columns (pairs[t][0], orders[k], 1);
      }
    }
}

//------------------------------------------------------------------------------
// large pages
//------------------------------------------------------------------------------

// Definite pages in place of the random ones.
static void make_definite (gla_array *A)
{
  for (int64_t p = 0; p < A->pages; p++)
    for (int64_t j = 0; j < A->columns; j++) {
      for (int64_t i = 0; i < j; i++)
        set (A, j, i, p, conj (get (A, i, j, p)));
      set (A, j, j, p, (double)(2 * A->rows));
    }
}

// A page that is done in blocks has the bits that one thread gives it.
static void check_blocks (gla_type type_a, gla_type type_b, int64_t n, int64_t r, int definite)
{
  const int inverse = r == 0;
  problem q = random_problem (type_a, type_b, n, inverse ? n : r, 2, GAP, 'N', GLA_SIDE_LEFT);
  problem one = q;
  one.X = make (q.X.type, n, q.X.columns, 2, GAP);
  one.rcond = make (q.rcond.type, 1, 1, 2, GAP);
  if (definite)
    make_definite (&q.A);
  gla_context *before = ctx;
  for (int threads = 1; threads <= 2; threads++) {
    gla_pool_share (threads); // an engine has the threads of its first call
    CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
    CHECK (solve (threads == 1 ? &one : &q, inverse) == GLA_OK, "%s", gla_message (ctx));
    gla_context_destroy (ctx);
  }
  gla_pool_share (0);
  ctx = before;
  for (int64_t p = 0; p < 2; p++) {
    CHECK (same_page (&q.X, p, &one.X, p) && same_page (&q.rcond, p, &one.rcond, p),
           "%c\\%c n %lld r %lld definite %d: bits depend on the threads", (char)type_a,
           (char)type_b, (long long)n, (long long)r, definite);
    const solved_page s = {&q.A, &q.B, &q.X, 'N', GLA_SIDE_LEFT, p, p, p};
    const double worst = !inverse       ? page_ratio (&s, 0)
                         : n < 400 && p ? inverse_ratio (&q.A, 'N', &q.X, p)
                                        : 0;
    CHECK (q.info[p] == 0 && worst <= BOUND, "%c\\%c n %lld r %lld definite %d: info %d, ratio %g",
           (char)type_a, (char)type_b, (long long)n, (long long)r, definite, q.info[p], worst);
  }
  free (one.X.data);
  free (one.rcond.data);
  release (&q);
}

// Around the widths of blocks: 64 columns up to order 640, then 128.
static void test_blocks (void)
{
  static const int64_t orders[] = {257, 319, 320, 321, 600, 641};
  for (int t = 0; t < COUNT (pairs); t++)
    for (int k = 0; k < COUNT (orders); k++)
      for (int definite = 0; definite < 2; definite++) {
        check_blocks (pairs[t][0], pairs[t][1], orders[k], k == 0 ? 131 : 3, definite);
        if (t < 4 && (t % 2 || k == 3))
          check_blocks (pairs[t][0], pairs[t][0], orders[k], 0, definite);
      }
  test_bits (GLA_TYPE_D, GLA_TYPE_D, 300, 3, 0);
  test_bits (GLA_TYPE_Z, GLA_TYPE_Z, 260, 260, 1);
  test_shared (GLA_TYPE_D, GLA_TYPE_Z, 300, 70, 5);
}

//------------------------------------------------------------------------------
// grids of pages
//------------------------------------------------------------------------------

// Page (i, j, k) of X is made of page `a_step` of A and `b_step` of B.
static void check_grid (gla_type type_a, gla_type type_b, int64_t n, const int64_t size[3],
                        const int64_t a_step[3], const int64_t b_step[3], gla_side side)
{
  const int64_t pages = size[0] * size[1] * size[2];
  problem q = random_problem (type_a, type_b, n, 2, pages, GAP, 'T', side);
  const gla_pagesolve_options options = {.size = sizeof options,
                                         .op_a = 'T',
                                         .side = side,
                                         .dims = 3,
                                         .dim_size = size,
                                         .a_step = a_step,
                                         .b_step = b_step};
  const gla_pagesolve_results results = {.size = sizeof results, .X = q.X};
  CHECK (gla_pagesolve (ctx, &q.A, &q.B, &results, &options, NULL) == GLA_OK, "%s",
         gla_message (ctx));
  check_grid_pages (&q, size, a_step, b_step, side);
  CHECK (gaps_are_untouched (&q.X), "grid: a gap was written");
  release (&q);
}

static void test_grids (void)
{
  static const int64_t size[3] = {4, 3, 5}, ones[3] = {4, 1, 15}, across[3] = {1, 99, 4};
  static const int64_t plain[3] = {1, 4, 12}, first[3] = {1, 0, 0}, last[3] = {0, 0, 1};
  static const int64_t none[3] = {0, 0, 0}, turned[3] = {3, 1, 12}, middle[3] = {0, 1, 0};
  static const int64_t *const steps[][2] = {{plain, plain},  {none, plain}, {none, turned},
                                            {first, last},   {last, plain}, {plain, none},
                                            {middle, first}, {last, first}, {none, none}};
  for (int64_t n = 1; n <= 150; n += n < 8 ? 1 : 47)
    for (int k = 0; k < COUNT (steps); k++)
      for (int t = 1; t < COUNT (pairs); t += 2) {
        check_grid (pairs[t][0], pairs[t][1], n, size, steps[k][0], steps[k][1],
                    k % 2 ? GLA_SIDE_LEFT : GLA_SIDE_RIGHT);
        if (k < 2)
          check_grid (pairs[t][0], pairs[t][1], n, ones, k ? none : across, across, GLA_SIDE_LEFT);
      }
}

//------------------------------------------------------------------------------
// stop, arguments
//------------------------------------------------------------------------------

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

static void test_stop (void)
{
  problem q = random_problem (GLA_TYPE_D, GLA_TYPE_D, 700, 1, 2, 0, 'N', GLA_SIDE_LEFT);
  gla_set_stop (ctx, stop_at_once, NULL);
  CHECK (solve (&q, 0) == GLA_ERROR_STOPPED, "the call was not stopped");
  gla_set_stop (ctx, NULL, NULL);
  release (&q);
}

// The least processor time of three calls in seconds: other processes change it less than the time
// on the clock.
static double solve_seconds (problem *q, int inverse, gla_status expected)
{
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const clock_t start = clock ();
    CHECK (solve (q, inverse) == expected, "%s", gla_message (ctx));
    least = fmin (least, (double)(clock () - start) / CLOCKS_PER_SEC);
  }
  return least;
}

// One large page polls the stop callback during the work, not only at the end.
static void test_stop_inside (gla_type type, int64_t n, int inverse)
{
  problem q = random_problem (type, type, n, inverse ? n : 200, 1, 0, 'N', GLA_SIDE_LEFT);
  const double full = solve_seconds (&q, inverse, GLA_OK);
  gla_set_stop (ctx, stop_at_once, NULL);
  const double stopped = solve_seconds (&q, inverse, GLA_ERROR_STOPPED);
  gla_set_stop (ctx, NULL, NULL);
  CHECK (stopped < 0.6 * full, "%c n %lld inverse %d: stopped after %g of %g s of a processor",
         (char)type, (long long)n, inverse, stopped, full);
  release (&q);
}

static void expect_refusal (const gla_array *A, const gla_array *B,
                            const gla_pagesolve_results *results,
                            const gla_pagesolve_options *options, const char *says)
{
  const gla_status status = gla_pagesolve (ctx, A, B, results, options, NULL);
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), says) != NULL,
         "status %d, \"%s\" instead of \"%s\"", (int)status, gla_message (ctx), says);
}

static void test_arguments (void)
{
  double a[18] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 0, 0, 2}, b[24] = {0}, x[36], y[2];
  const int64_t two = 2, minus = -1;
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, 3, 3, 2, GLA_DEVICE_HOST);
  const gla_array B = gla_array_packed (b, GLA_TYPE_D, 3, 4, 2, GLA_DEVICE_HOST);
  gla_pagesolve_results r = {.size = sizeof r};
  gla_pagesolve_options o = {.size = sizeof o};
  gla_array other;
  r.X = gla_array_packed (x, GLA_TYPE_D, 3, 4, 2, GLA_DEVICE_HOST);
  CHECK (gla_pagesolve (ctx, &A, &B, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (gla_pagesolve (NULL, &A, &B, &r, NULL, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  expect_refusal (NULL, &B, &r, &o, "A must not be NULL");
  expect_refusal (&A, &B, NULL, &o, "results");
  expect_refusal (&A, NULL, &r, &o, "X is 3x4x2, it must be 3x3x2");
  o.op_a = 'X';
  expect_refusal (&A, &B, &r, &o, "'N', 'T' or 'C'");
  o.op_a = 0;
  o.side = (gla_side)7;
  expect_refusal (&A, &B, &r, &o, "side = 7 is not a gla_side");
  o.side = GLA_SIDE_RIGHT;
  expect_refusal (&A, &B, &r, &o, "B has 4 columns, and A has 3");
  o.side = GLA_SIDE_LEFT;
  other = A;
  other.columns = 2;
  expect_refusal (&other, &B, &r, &o, "its pages must be square");
  other = B;
  other.type = GLA_TYPE_S;
  expect_refusal (&A, &other, &r, &o, "B has type 's'");
  other = A;
  other.data = NULL;
  expect_refusal (&other, &B, &r, &o, "A has no data");
  r.rcond = gla_array_packed (y, GLA_TYPE_S, 1, 1, 2, GLA_DEVICE_HOST);
  expect_refusal (&A, &B, &r, &o, "rcond has type 's', it must be 'd'");
  r.rcond = gla_array_packed (x, GLA_TYPE_D, 1, 1, 2, GLA_DEVICE_HOST);
  expect_refusal (&A, &B, &r, &o, "rcond must not overlap X");
  r.rcond.data = NULL;
  r.X.data = b;
  expect_refusal (&A, &B, &r, &o, "X must not overlap B");
  r.X.data = x;
  r.X.pages = 3;
  expect_refusal (&A, &B, &r, &o, "A has 2 pages, page 2 is needed");
  r.X.pages = 2;
  r.X.type = GLA_TYPE_Z;
  expect_refusal (&A, &B, &r, &o, "X has type 'z', it must be 'd'");
  r.X.type = GLA_TYPE_D;
  o.dims = 1;
  expect_refusal (&A, &B, &r, &o, "without sizes and steps");
  o.dim_size = o.a_step = o.b_step = &two;
  expect_refusal (&A, &B, &r, &o, "A has 2 pages, page 2 is needed");
  o.a_step = &minus;
  expect_refusal (&A, &B, &r, &o, "a negative number");
}

int main (void)
{
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  test_sizes ();
  test_inverses ();
  test_all_bits ();
  test_grids ();
  test_blocks ();
  test_stop ();
  test_stop_inside (GLA_TYPE_D, 2000, 0);
  test_stop_inside (GLA_TYPE_Z, 1100, 1);
  test_arguments ();
  gla_context_destroy (ctx);
  return check_report ("test_pagesolve");
}
