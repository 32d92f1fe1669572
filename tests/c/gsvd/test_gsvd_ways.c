// test_gsvd_ways.c: GSVD on the CPU: orderings, blocks, pages, threads, sweeps, stop
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "gsvd_pairs.h"
#include "threads/pool.h"

#include "common/orderings.h"

static gla_context *ctx;

//------------------------------------------------------------------------------
// orderings
//------------------------------------------------------------------------------

// Each step of an ordering has every column once, and each pair of columns is rotated equally
// often.
static void test_ordering (gla_gsvd_ordering kind, int n)
{
  const int steps = gla_ordering_steps (kind, n);
  int32_t *pairs = malloc ((size_t)(steps * n) * sizeof *pairs);
  int *met = calloc ((size_t)(n * n), sizeof *met), *seen = calloc ((size_t)n, sizeof *seen);
  int disjoint = 1, right = 1;
  gla_ordering_fill (kind, n, pairs);
  for (int k = 0; k < steps * n / 2; k++) {
    const int p = pairs[2 * k], q = pairs[2 * k + 1];
    if (p < 0 || q <= p || q >= n) {
      disjoint = 0;
      break;
    }
    met[p + q * n]++;
    disjoint &= seen[p]++ == k / (n / 2) && seen[q]++ == k / (n / 2);
  }
  for (int q = 0; q < n; q++)
    for (int p = 0; p < q; p++)
      right &= met[p + q * n] == 1 + (kind == GLA_GSVD_ORDERING_MM && q - p == n / 2);
  CHECK (disjoint && right, "ordering %d of %d: disjoint %d, meetings %d", kind, n, disjoint,
         right);
  free (pairs);
  free (met);
  free (seen);
}

static void test_orderings (void)
{
  for (int n = 2; n <= 100; n += 2)
    for (int kind = GLA_GSVD_ORDERING_ME; kind <= GLA_GSVD_ORDERING_MM; kind++)
      test_ordering (kind, n);
  int32_t pairs[32 * 31];
  int exclusive_or = 1;
  gla_ordering_fill (GLA_GSVD_ORDERING_ME, 32, pairs);
  for (int k = 0; k < 16 * 31; k++)
    exclusive_or &= (pairs[2 * k] ^ pairs[2 * k + 1]) == 31 - k / 16;
  CHECK (exclusive_or, "the ordering of 2^k players is that of exclusive or");
}

//------------------------------------------------------------------------------
// blocks
//------------------------------------------------------------------------------

// Results by blocks against those of single columns.
static void test_ways (gla_type type, int p, int block)
{
  gsvd_call c = call_of (type, p + 2, p + 5, p, GLA_GSVD_METHOD_TANGENT);
  gsvd_page reference = gsvd_page_new (&c);
  fill_random (&reference, 77);
  gsvd_run (ctx, &reference);
  c.options.block = block;
  for (int way = 0; way < 8; way++) {
    c.options.method = way & 1 ? GLA_GSVD_METHOD_HZ : GLA_GSVD_METHOD_TANGENT;
    c.options.blocking = way & 2 ? GLA_GSVD_BLOCKING_FULL : GLA_GSVD_BLOCKING_ORIENTED;
    c.options.ordering = way & 4 ? GLA_GSVD_ORDERING_MM : GLA_GSVD_ORDERING_ME;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 77);
    gsvd_run (ctx, &g);
    gsvd_check (&g, "way");
    CHECK (gsvd_difference (&g, &reference) <= 2000 * p * gla_type_eps (type),
           "%c p = %d block %d way %d: sigma differs by %g", type, p, block, way,
           gsvd_difference (&g, &reference));
    CHECK (g.stats[0].method == c.options.method && g.stats[0].sweeps > 0 &&
               g.stats[0].sweeps < 30 && g.stats[0].rotations[0] > 0,
           "%c p = %d block %d way %d: %d sweeps", type, p, block, way, g.stats[0].sweeps);
    gsvd_page_free (&g);
  }
  gsvd_page_free (&reference);
}

static void test_blocks (gla_type type)
{
  static const int sizes[][2] = {{7, 4},  {8, 4},   {9, 4},  {11, 4}, {12, 4},  {13, 4}, {16, 4},
                                 {17, 4}, {33, 16}, {40, 1}, {30, 3}, {64, 32}, {65, 32}};
  for (int s = 0; s < 13; s += STEP)
    test_ways (type, sizes[s][0], sizes[s][1]);
  for (int p = 191; p <= 194 && STEP == 1; p++) { // where "auto" begins to use blocks
    gsvd_call c = call_of (type, p, p, p, GLA_GSVD_METHOD_AUTO);
    c.u = c.v = 1;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 4);
    gsvd_run (ctx, &g);
    gsvd_check (&g, "auto");
    gsvd_page_free (&g);
  }
}

// Blocks whose columns are so nearly parallel that their Gram matrix is singular to rounding.
static void test_lost_gram (gla_type type)
{
  for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
    gsvd_call c = call_of (type, 20, 20, 20, method);
    c.options.block = 5;
    gsvd_page g = gsvd_page_new (&c);
    fill_hard (&g, ILL_X);
    gsvd_run (ctx, &g);
    gsvd_check (&g, "lost gram");
    gsvd_page_free (&g);
  }
}

//------------------------------------------------------------------------------
// pages, and subsets of the results
//------------------------------------------------------------------------------

static void check_alone (const gsvd_page *all, int page)
{
  for (int wanted = 0; wanted < 8; wanted++) {
    gsvd_call c = all->call;
    c.pages = 1, c.gap = 1;
    c.u = wanted & 1 ? 1 : 0, c.v = wanted & 2 ? 2 : 0, c.x = wanted & 4 ? 1 : 0;
    gsvd_page one = gsvd_page_new (&c);
    for (int x = GSVD_A; x <= GSVD_B; x++)
      for (int j = 0; j < c.p; j++)
        for (int i = 0; i < one.a[x].rows; i++)
          gsvd_set (&one.a[x], i, j, 0, gsvd_get (&all->a[x], i, j, page));
    gsvd_run (ctx, &one);
    int same = one.status == GLA_OK;
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      same &= one.a[x].data == NULL || same_page (&one.a[x], 0, &all->a[x], page);
    CHECK (same, "%c %dx%d %dx%d method %d page %d: results %d differ", c.type, c.m, c.p, c.n, c.p,
           c.options.method, page, wanted);
    gsvd_page_free (&one);
  }
}

static void test_pages (gla_type type)
{
  static const int sizes[][3] = {{6, 7, 5}, {3, 2, 6}, {40, 17, 16}, {60, 60, 40}};
  for (int s = 0; s < 4; s++)
    for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
      gsvd_call c = call_of (type, sizes[s][0], sizes[s][1], sizes[s][2], method);
      c.pages = 7;
      gsvd_page g = gsvd_page_new (&c);
      fill_random (&g, 21);
      for (int j = 0; j < c.p; j++) // one without A, one with parallel columns
        for (int i = 0; i < c.m; i++) {
          gsvd_set (&g.a[GSVD_A], i, j, 3, 0);
          gsvd_set (&g.a[GSVD_A], i, j, 4, gsvd_get (&g.a[GSVD_A], i, 0, 4));
        }
      gsvd_run (ctx, &g);
      gsvd_check (&g, "pages");
      for (int page = 0; page < 7; page += 2)
        check_alone (&g, page);
      check_alone (&g, 3);
      gsvd_page_free (&g);
    }
}

// The bits do not depend on the number of threads, nor on the run.
static void test_threads (gla_type type)
{
  gla_context *both = ctx;
  for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
    gsvd_call c = call_of (type, 50, 45, 40, method);
    c.options.block = 8;
    gsvd_page two = gsvd_page_new (&c), one = gsvd_page_new (&c);
    fill_random (&two, 9);
    fill_random (&one, 9);
    gsvd_run (ctx, &two);
    gla_pool_share (1);
    CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
    CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
    gsvd_run (ctx, &one);
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      CHECK (same_page (&one.a[x], 0, &two.a[x], 0), "%c: result %d with one thread", type, x);
    gla_context_destroy (ctx);
    gla_pool_share (2);
    ctx = both;
    gsvd_page_free (&one);
    gsvd_page_free (&two);
  }
}

//------------------------------------------------------------------------------
// sweep callback, stop
//------------------------------------------------------------------------------

// Calls of the sweep callback: their number, the last sweep, and those out of order (neither one
// more than before nor 1).
typedef struct {
  int calls, last, wrong;
  int64_t done, total;
} sweep_log;

static void on_sweep (void *user, int64_t done, int64_t total, int sweeps)
{
  sweep_log *t = user;
  t->wrong += sweeps != t->last + 1 && sweeps != 1;
  t->calls++;
  t->last = sweeps;
  t->done = done;
  t->total = total;
}

// A single pair: the callback is called for each sweep, over columns, over blocks, and in SIMD
// lanes.
static void test_sweeps_of_pair (gla_type type, int m, int n, int p, int block)
{
  for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++) {
    gsvd_call c = call_of (type, m, n, p, method);
    c.options.block = block;
    gsvd_page g = gsvd_page_new (&c);
    sweep_log t = {0};
    fill_random (&g, 13);
    gla_set_sweeps (ctx, on_sweep, &t);
    gsvd_run (ctx, &g);
    gla_set_sweeps (ctx, NULL, NULL);
    CHECK (g.status == GLA_OK && g.stats[0].sweeps > 1 && t.calls == g.stats[0].sweeps &&
               t.last == t.calls && t.wrong == 0 && t.done == 0 && t.total == 1,
           "%c %dx%d %dx%d method %d block %d: %d calls, the last %d, %d wrong, of %d", type, m, p,
           n, p, method, block, t.calls, t.last, t.wrong, g.stats[0].sweeps);
    gsvd_page_free (&g);
  }
}

// Pages: no calls for pages that are computed in parallel, all sweeps of pages that use all
// threads.
static void test_sweeps_of_pages (int rows, int columns, int pages, int in_parallel)
{
  gsvd_call c = call_of (GLA_TYPE_D, rows, rows, columns, GLA_GSVD_METHOD_TANGENT);
  c.pages = pages, c.u = c.v = c.x = 0;
  gsvd_page g = gsvd_page_new (&c);
  sweep_log t = {0};
  int sweeps = 0;
  fill_random (&g, 13);
  gla_set_sweeps (ctx, on_sweep, &t);
  gsvd_run (ctx, &g);
  gla_set_sweeps (ctx, NULL, NULL);
  for (int page = 0; page < pages; page++)
    sweeps += g.stats[page].sweeps;
  CHECK (g.status == GLA_OK && t.calls == (in_parallel ? 0 : sweeps) && t.wrong == 0,
         "%dx%dx%d: %d calls for %d sweeps, %d wrong", rows, columns, pages, t.calls, sweeps,
         t.wrong);
  gsvd_page_free (&g);
}

static void test_sweeps (void)
{
  for (const char *t = "sdcz"; *t; t++) {
    test_sweeps_of_pair ((gla_type)*t, 8, 9, 7, 0);
    test_sweeps_of_pair ((gla_type)*t, 90, 80, 70, 0);
    test_sweeps_of_pair ((gla_type)*t, 60, 50, 40, 8);
    test_sweeps_of_pair ((gla_type)*t, 30, 50, 40, 8);
  }
  test_sweeps_of_pages (12, 10, 50, 1);
  test_sweeps_of_pages (100, 80, 3, 1);
  test_sweeps_of_pages (400, 100, 3, 0);
}

static int asked, calls_before;

static int stop (void *user)
{
  (void)user;
  return ++asked > calls_before;
}

static void test_stop (void)
{
  static const int sizes[][4] = {{400, 400, 300, 1}, {16, 16, 16, 4000}, {300, 100, 250, 1}};
  gla_set_stop (ctx, stop, NULL);
  for (int s = 0; s < 3; s++)
    for (int method = GLA_GSVD_METHOD_HZ; method <= GLA_GSVD_METHOD_TANGENT; method++)
      for (calls_before = 0; calls_before < 2; calls_before++) {
        gsvd_call c = call_of (GLA_TYPE_D, sizes[s][0], sizes[s][1], sizes[s][2], method);
        c.pages = sizes[s][3], c.gap = 0;
        gsvd_page g = gsvd_page_new (&c);
        fill_random (&g, 5);
        asked = 0;
        gsvd_run (ctx, &g);
        CHECK (asked > 0 && g.status == (asked > calls_before ? GLA_ERROR_STOPPED : GLA_OK),
               "%dx%d method %d: asked %d times, status %d", c.m, c.p, method, asked, g.status);
        gsvd_page_free (&g);
      }
  gla_set_stop (ctx, NULL, NULL);
}

int main (void)
{
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  test_orderings ();
  for (const char *t = "sdcz"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_blocks (type);
    test_lost_gram (type);
    test_pages (type);
    test_threads (type);
  }
  test_sweeps ();
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_gsvd_ways");
}
