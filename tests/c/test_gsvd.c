// test_gsvd.c: GSVD on the CPU: shapes and ranks, hard pairs against quadruple precision, blocks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_quad.h"

#include "orderings.h"

#include <omp.h>

static gla_context *ctx;

// Checked memory makes everything slow.
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 4 };
#else
enum { STEP = 1 };
#endif

//------------------------------------------------------------------------------
// orderings
//------------------------------------------------------------------------------

// How often each pair meets; a step has every player once.
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
      right &= met[p + q * n] == 1 + (kind == GLA_ORDER_MM && q - p == n / 2);
  CHECK (disjoint && right, "ordering %d of %d: disjoint %d, meetings %d", kind, n, disjoint,
         right);
  free (pairs);
  free (met);
  free (seen);
}

static void test_orderings (void)
{
  for (int n = 2; n <= 100; n += 2)
    for (int kind = GLA_ORDER_ME; kind <= GLA_ORDER_MM; kind++)
      test_ordering (kind, n);
  int32_t pairs[32 * 31];
  int exclusive_or = 1;
  gla_ordering_fill (GLA_ORDER_ME, 32, pairs);
  for (int k = 0; k < 16 * 31; k++)
    exclusive_or &= (pairs[2 * k] ^ pairs[2 * k + 1]) == 31 - k / 16;
  CHECK (exclusive_or, "the ordering of 2^k players is that of exclusive or");
}

//------------------------------------------------------------------------------
// pairs
//------------------------------------------------------------------------------

static double complex random_entry (unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return re + im * I;
}

// a = L * M * R with L rows x rank, M rank x common, and the same R common x p for both.
static void fill_rank (const gsvd_page *g, int of_b, int rank, int common)
{
  const gla_array *a = &g->a[of_b ? GSVD_B : GSVD_A];
  const int rows = (int)a->rows, p = (int)a->columns;
  unsigned long long seed = 5 + (unsigned)of_b, seed_r = 3;
  double complex *L = calloc ((size_t)(rows * rank + 1), sizeof *L),
                 *M = calloc ((size_t)(rank * common + 1), sizeof *M),
                 *R = calloc ((size_t)(common * p + 1), sizeof *R);
  for (int k = 0; k < rows * rank; k++)
    L[k] = random_entry (&seed);
  for (int k = 0; k < rank * common; k++)
    M[k] = random_entry (&seed);
  for (int k = 0; k < common * p; k++)
    R[k] = random_entry (&seed_r);
  if (!gla_type_is_complex (g->call.type)) { // products of real parts, not real parts of products
    for (int k = 0; k < rows * rank; k++)
      L[k] = creal (L[k]);
    for (int k = 0; k < rank * common; k++)
      M[k] = creal (M[k]);
    for (int k = 0; k < common * p; k++)
      R[k] = creal (R[k]);
  }
  for (int page = 0; page < g->call.pages; page++)
    for (int j = 0; j < p; j++) {
      double complex *mr = calloc ((size_t)rank + 1, sizeof *mr);
      for (int k = 0; k < rank; k++)
        for (int l = 0; l < common; l++)
          mr[k] += M[k + l * rank] * R[l + j * common];
      for (int i = 0; i < rows; i++) {
        double complex x = 0;
        for (int k = 0; k < rank; k++)
          x += L[i + k * rows] * mr[k];
        gsvd_set (a, i, j, page, x);
      }
      free (mr);
    }
  free (L);
  free (M);
  free (R);
}

static void fill_random (const gsvd_page *g, unsigned long long seed)
{
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int page = 0; page < g->call.pages; page++)
      for (int j = 0; j < g->a[x].columns; j++)
        for (int i = 0; i < g->a[x].rows; i++)
          gsvd_set (&g->a[x], i, j, page, random_entry (&seed));
}

static gsvd_call call_of (gla_type type, int m, int n, int p, gla_gsvd_method method)
{
  return (gsvd_call){.type = type,
                     .m = m,
                     .n = n,
                     .p = p,
                     .pages = 1,
                     .gap = 3,
                     .u = 2,
                     .v = 2,
                     .x = 1,
                     .options = {.method = method}};
}

//------------------------------------------------------------------------------
// shapes and ranks
//------------------------------------------------------------------------------

// m, n, p, rank of A, of B, and columns of what both share; 0 ranks: empty or zero matrices.
static const int ranks[][6] = {
    {3, 5, 4, 3, 4, 4},       {2, 2, 3, 2, 2, 3},       {2, 2, 3, 2, 2, 2},
    {1, 1, 2, 1, 1, 2},       {1, 1, 2, 1, 1, 1},       {1, 1, 1, 1, 1, 1},
    {1, 3, 5, 1, 3, 5},       {3, 1, 5, 3, 1, 5},       {0, 3, 5, 0, 3, 5},
    {0, 5, 3, 0, 3, 3},       {3, 0, 5, 3, 0, 5},       {5, 0, 3, 3, 0, 3},
    {0, 4, 4, 0, 2, 4},       {0, 0, 3, 0, 0, 3},       {4, 3, 0, 0, 0, 0},
    {2, 5, 3, 2, 3, 3},       {5, 2, 3, 3, 2, 3},       {6, 6, 4, 2, 3, 4},
    {6, 6, 4, 2, 2, 2},       {6, 6, 4, 0, 4, 4},       {6, 6, 4, 4, 0, 4},
    {6, 6, 4, 0, 0, 4},       {6, 6, 4, 3, 3, 4},       {6, 6, 4, 1, 3, 3},
    {3, 3, 10, 3, 3, 10},     {3, 4, 10, 2, 2, 3},      {4, 4, 6, 3, 3, 5},
    {4, 4, 6, 4, 4, 5},       {4, 4, 6, 4, 4, 4},       {20, 15, 12, 9, 8, 12},
    {50, 60, 40, 30, 25, 40}, {70, 60, 40, 30, 25, 35}, {80, 20, 20, 10, 12, 20},
    {30, 80, 20, 10, 12, 20}, {45, 40, 50, 45, 40, 50}, {30, 20, 20, 20, 19, 20},
};

// Values that are zero and infinite because of the ranks r of [A; B] and of both, as far as the
// places of C and S leave a choice.
static void check_ranks (const gsvd_page *g, const int *k)
{
  const int r = least (k[3] + k[4], k[5]), eps_wide = k[0] + k[1] >= k[2] && r == g->q;
  int inf = 0;
  for (int j = 0; j < g->q; j++)
    inf += isinf (gsvd_sigma (g, j, 0));
  if (eps_wide)
    CHECK (inf == r - k[4], "%c %dx%d %dx%d ranks %d %d of %d: %d infinities", g->call.type, k[0],
           k[2], k[1], k[2], k[3], k[4], k[5], inf);
}

static void test_ranks (gla_type type)
{
  for (size_t s = 0; s < sizeof ranks / sizeof *ranks; s++)
    for (int method = GLA_GSVD_AUTO; method <= GLA_GSVD_TANGENT; method++)
      for (int economy = 0; economy < 2; economy++) {
        const int *k = ranks[s];
        gsvd_call c = call_of (type, k[0], k[1], k[2], method);
        c.u = c.v = economy ? 1 : 2;
        gsvd_page g = gsvd_page_new (&c);
        fill_rank (&g, 0, k[3], k[5]);
        fill_rank (&g, 1, k[4], k[5]);
        gsvd_run (ctx, &g);
        gsvd_check (&g, "ranks");
        check_ranks (&g, k);
        gsvd_page_free (&g);
      }
}

//------------------------------------------------------------------------------
// hard pairs
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  GRADED_A,
  GRADED_B,
  GRADED_BOTH,
  GRADED_APART, // sigma over 25 decades
  GRADED_WIDELY,
  GRADED_FAR, // to where squares of small pairs begin to be out of range
  ILL_X,
  PARALLEL,
  SAME,
  HUGE_A,
  TINY_A,
  HUGE_BOTH,
  TINY_BOTH,
  ZERO_COLUMN,
  KINDS
} kind_of_pair;

// Factor of column j of A, and of B.
static double column_factor (kind_of_pair kind, int of_b, int j, const gsvd_call *c)
{
  const int single = gla_type_real (c->type) == GLA_S;
  const double t = c->p > 1 ? (double)j / (c->p - 1) : 0;
  switch (kind) {
  case GRADED_A:
    return of_b ? 1 : pow (10, (single ? 6 : 12) * t);
  case GRADED_B:
    return of_b ? pow (10, (single ? -6 : -12) * t) : 1;
  case GRADED_BOTH:
    return pow (10, (single ? 12 : 24) * (t - 0.5));
  case GRADED_APART:
    return pow (10, (of_b ? -1 : 1) * (single ? 5 : 12.5) * (t - 0.5));
  case GRADED_WIDELY:
    return pow (10, (single ? 50 : 580) * (t - 0.5));
  case GRADED_FAR:
    return of_b ? 1 : pow (10, (single ? -8.8 : -119) * t);
  case HUGE_A:
    return of_b ? 1 : single ? 1e18 : 1e150;
  case TINY_A:
    return of_b ? 1 : single ? 1e-18 : 1e-150;
  case HUGE_BOTH:
    return single ? 1e18 : 1e150;
  case TINY_BOTH:
    return single ? 1e-18 : 1e-150;
  default:
    return 1;
  }
}

// All columns but the first come near to it.
static void bend (const gla_array *a, double apart)
{
  for (int j = 1; j < a->columns; j++)
    for (int i = 0; i < a->rows; i++)
      gsvd_set (a, i, j, 0, gsvd_get (a, i, 0, 0) + apart * gsvd_get (a, i, j, 0));
}

static void fill_hard (const gsvd_page *g, kind_of_pair kind)
{
  const gsvd_call *c = &g->call;
  const int single = gla_type_real (c->type) == GLA_S;
  fill_random (g, 11 + (unsigned)c->p);
  if (kind == ILL_X || kind == PARALLEL)
    bend (&g->a[GSVD_B], kind == ILL_X ? (single ? 1e-3 : 1e-8) : (single ? 1e-2 : 1e-4));
  if (kind == ILL_X)
    bend (&g->a[GSVD_A], single ? 1e-3 : 1e-8);
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int j = 0; j < c->p; j++)
      for (int i = 0; i < g->a[x].rows; i++) {
        const double complex e = kind == SAME && i < g->a[0].rows ? gsvd_get (&g->a[0], i, j, 0)
                                                                  : gsvd_get (&g->a[x], i, j, 0);
        const int zero = kind == ZERO_COLUMN && x == GSVD_A && j == c->p / 2;
        gsvd_set (&g->a[x], i, j, 0, zero ? 0 : e * column_factor (kind, x == GSVD_B, j, c));
      }
}

// The largest relative error of sigma, in eps times the condition of the scaled pair; that of
// zeros relative to the largest value.
static double relative_error (const gsvd_page *g)
{
  quad sigma[64];
  const double condition = quad_gsvd (g, 0, sigma);
  double worst = 0;
  for (int j = 0; j < g->q; j++) {
    const quad largest = sigma[g->q - 1], got = gsvd_sigma (g, j, 0);
    const double off = sigma[j] > 1e-29Q * largest ? fabs ((double)(got / sigma[j] - 1))
                                                   : (double)(got / (largest > 0 ? largest : 1));
    if (!(off <= worst))
      worst = off;
  }
  return worst / gla_type_eps (g->call.type) / condition;
}

static void test_hard (gla_type type)
{
  static const int sizes[][3] = {{1, 1, 1}, {5, 4, 3}, {8, 8, 8}, {9, 20, 9}, {30, 13, 13}};
  for (int s = 0; s < 5; s++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++) {
        if ((s * KINDS + kind) % STEP != 0)
          continue;
        const gsvd_call c = call_of (type, sizes[s][0], sizes[s][1], sizes[s][2], method);
        gsvd_page g = gsvd_page_new (&c);
        fill_hard (&g, kind);
        gsvd_run (ctx, &g);
        gsvd_check (&g, "hard");
        const double off = relative_error (&g);
        CHECK (off <= 10 * fmax (4, c.p), "%c %dx%d %dx%d method %d kind %d: sigma off by %.1f eps",
               type, c.m, c.p, c.n, c.p, method, kind, off);
        if (kind == SAME && c.m == c.n)
          CHECK (fabs (gsvd_sigma (&g, 0, 0) - 1) <= 20 * c.p * gla_type_eps (type), "A = B");
        gsvd_page_free (&g);
      }
}

//------------------------------------------------------------------------------
// blocks
//------------------------------------------------------------------------------

// sigma of both pages, relatively
static double difference (const gsvd_page *a, const gsvd_page *b)
{
  double worst = 0;
  for (int j = 0; j < a->q; j++) {
    const double off = fabs (gsvd_sigma (a, j, 0) / gsvd_sigma (b, j, 0) - 1);
    if (!(off <= worst))
      worst = off;
  }
  return worst;
}

// Small pairs of all numbers of columns, whose rows stay in lanes with "tangent", and rows around
// where that ends, against the other method.
static void test_small (gla_type type)
{
  static const int more[][2] = {{0, 0}, {1, 3}, {3, 1}, {17, 0}, {0, 47}};
  for (int p = 1; p <= 64; p += p < 20 ? STEP : 22)
    for (int k = 0; k < 5; k++) {
      gsvd_call c = call_of (type, p + more[k][0], p + more[k][1], p, GLA_GSVD_TANGENT);
      c.u = 1 + k % 2;
      gsvd_page g = gsvd_page_new (&c);
      c.options.method = GLA_GSVD_HZ;
      gsvd_page reference = gsvd_page_new (&c);
      fill_random (&g, 31 + (unsigned)p);
      fill_random (&reference, 31 + (unsigned)p);
      gsvd_run (ctx, &g);
      gsvd_run (ctx, &reference);
      gsvd_check (&g, "small");
      CHECK (difference (&g, &reference) <= 2000 * p * gla_type_eps (type),
             "%c %dx%d %dx%d: sigma differs by %g", type, c.m, p, c.n, p,
             difference (&g, &reference));
      gsvd_page_free (&g);
      gsvd_page_free (&reference);
    }
}

// A first row so small that the squares of its entries are not normal numbers.
static void test_tiny_row (gla_type type)
{
  gsvd_call c = call_of (type, 9, 8, 7, GLA_GSVD_TANGENT);
  gsvd_page g = gsvd_page_new (&c);
  fill_random (&g, 19);
  for (int x = GSVD_A; x <= GSVD_B; x++)
    for (int j = 0; j < c.p; j++)
      gsvd_set (&g.a[x], 0, j, 0,
                gsvd_get (&g.a[x], 0, j, 0) * (gla_type_real (type) == GLA_S ? 1e-21 : 1e-160));
  gsvd_run (ctx, &g);
  gsvd_check (&g, "tiny row");
  gsvd_page_free (&g);
}

// Every way against the other one, which pairs columns one by one.
static void test_ways (gla_type type, int p, int block)
{
  gsvd_call c = call_of (type, p + 2, p + 5, p, GLA_GSVD_TANGENT);
  gsvd_page reference = gsvd_page_new (&c);
  fill_random (&reference, 77);
  gsvd_run (ctx, &reference);
  c.options.block = block;
  for (int way = 0; way < 8; way++) {
    c.options.method = way & 1 ? GLA_GSVD_HZ : GLA_GSVD_TANGENT;
    c.options.blocking = way & 2 ? GLA_FULL_BLOCK : GLA_BLOCK_ORIENTED;
    c.options.ordering = way & 4 ? GLA_ORDER_MM : GLA_ORDER_ME;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 77);
    gsvd_run (ctx, &g);
    gsvd_check (&g, "way");
    CHECK (difference (&g, &reference) <= 2000 * p * gla_type_eps (type),
           "%c p = %d block %d way %d: sigma differs by %g", type, p, block, way,
           difference (&g, &reference));
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
    gsvd_call c = call_of (type, p, p, p, GLA_GSVD_AUTO);
    c.u = c.v = 1;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 4);
    gsvd_run (ctx, &g);
    gsvd_check (&g, "auto");
    gsvd_page_free (&g);
  }
}

// Blocks whose columns are so close that their Gram matrix has lost them.
static void test_lost_gram (gla_type type)
{
  for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++) {
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
// pages, and which results are wanted
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
      same &= one.a[x].data == NULL || gsvd_same (&one.a[x], 0, &all->a[x], page);
    CHECK (same, "%c %dx%d %dx%d method %d page %d: results %d differ", c.type, c.m, c.p, c.n, c.p,
           c.options.method, page, wanted);
    gsvd_page_free (&one);
  }
}

static void test_pages (gla_type type)
{
  static const int sizes[][3] = {{6, 7, 5}, {3, 2, 6}, {40, 17, 16}, {60, 60, 40}};
  for (int s = 0; s < 4; s++)
    for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++) {
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
  for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++) {
    gsvd_call c = call_of (type, 50, 45, 40, method);
    c.options.block = 8;
    gsvd_page two = gsvd_page_new (&c), one = gsvd_page_new (&c);
    fill_random (&two, 9);
    fill_random (&one, 9);
    gsvd_run (ctx, &two);
    omp_set_num_threads (1);
    CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
    CHECK (gla_set_place (ctx, GLA_CPU, NULL, 0) == GLA_OK, "CPU");
    gsvd_run (ctx, &one);
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      CHECK (gsvd_same (&one.a[x], 0, &two.a[x], 0), "%c: result %d with one thread", type, x);
    gla_context_destroy (ctx);
    omp_set_num_threads (2);
    ctx = both;
    gsvd_page_free (&one);
    gsvd_page_free (&two);
  }
}

static void test_real_in_complex (gla_type type)
{
  for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++) {
    gsvd_call c = call_of (type, 12, 11, 10, method);
    gsvd_page z = gsvd_page_new (&c);
    c.type = gla_type_real (type);
    gsvd_page d = gsvd_page_new (&c);
    fill_random (&d, 31);
    for (int x = GSVD_A; x <= GSVD_B; x++)
      for (int j = 0; j < c.p; j++)
        for (int i = 0; i < d.a[x].rows; i++)
          gsvd_set (&z.a[x], i, j, 0, gsvd_get (&d.a[x], i, j, 0));
    gsvd_run (ctx, &z);
    gsvd_run (ctx, &d);
    double imaginary = 0, off = 0;
    for (int j = 0; j < c.p; j++)
      for (int i = 0; i < c.p; i++) {
        const double complex x = gsvd_get (&z.a[GSVD_X], i, j, 0);
        imaginary = fmax (imaginary, fabs (cimag (x)));
        off = fmax (off, fabs (fabs (creal (x)) - fabs (creal (gsvd_get (&d.a[GSVD_X], i, j, 0)))));
      }
    CHECK (imaginary == 0 && off <= 1e4 * gla_type_eps (type) &&
               difference (&z, &d) <= 1e3 * gla_type_eps (type),
           "%c method %d: imaginary parts %g, X differs by %g, sigma by %g", type, method,
           imaginary, off, difference (&z, &d));
    gsvd_page_free (&z);
    gsvd_page_free (&d);
  }
}

//------------------------------------------------------------------------------
// LAPACK
//------------------------------------------------------------------------------

void dggsvd3_ (const char *, const char *, const char *, const GLA_BLAS_INT *, const GLA_BLAS_INT *,
               const GLA_BLAS_INT *, GLA_BLAS_INT *, GLA_BLAS_INT *, double *, const GLA_BLAS_INT *,
               double *, const GLA_BLAS_INT *, double *, double *, double *, const GLA_BLAS_INT *,
               double *, const GLA_BLAS_INT *, double *, const GLA_BLAS_INT *, double *,
               const GLA_BLAS_INT *, GLA_BLAS_INT *, GLA_BLAS_INT *, size_t, size_t, size_t);

static int by_size (const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static void test_lapack (void)
{
  enum { M = 20, R = 18, P = 15 };
  gsvd_call c = call_of (GLA_D, M, R, P, GLA_GSVD_AUTO);
  c.gap = 0;
  gsvd_page g = gsvd_page_new (&c);
  fill_random (&g, 8);
  gsvd_run (ctx, &g);
  const GLA_BLAS_INT m = M, n = R, p = P, lwork = 10000, one = 1;
  GLA_BLAS_INT k, l, info, iwork[P];
  double a[M * P], b[R * P], alpha[P], beta[P], none[1], *work = malloc (10000 * sizeof *work);
  memcpy (a, g.a[GSVD_A].data, sizeof a);
  memcpy (b, g.a[GSVD_B].data, sizeof b);
  dggsvd3_ ("N", "N", "N", &m, &p, &n, &k, &l, a, &m, b, &n, alpha, beta, none, &one, none, &one,
            none, &one, work, &lwork, iwork, &info, 1, 1, 1);
  CHECK (info == 0 && k == 0 && l == P, "LAPACK: %d", (int)info);
  for (int j = 0; j < P; j++)
    alpha[j] /= beta[j];
  qsort (alpha, P, sizeof *alpha, by_size);
  for (int j = 0; j < P; j++)
    CHECK (fabs (gsvd_sigma (&g, j, 0) / alpha[j] - 1) < 1e-12, "LAPACK: value %d", j);
  free (work);
  gsvd_page_free (&g);
}

//------------------------------------------------------------------------------
// bad input, stop
//------------------------------------------------------------------------------

static void test_not_finite (gla_type type)
{
  const double bad[2] = {NAN, -INFINITY};
  for (int b = 0; b < 4; b++) {
    gsvd_call c = call_of (type, 6, 5, 4, GLA_GSVD_AUTO);
    c.pages = 3;
    gsvd_page g = gsvd_page_new (&c);
    fill_random (&g, 5);
    gsvd_set (&g.a[b / 2], 2, 3, 1, bad[b % 2]);
    gsvd_run (ctx, &g);
    CHECK (g.status == GLA_OK && g.info[0] == 0 && g.info[1] == 5 && g.info[2] == 0 &&
               g.report.pages_failed == 1 && g.report.first_failed == 1,
           "%c: info %d %d %d", type, g.info[0], g.info[1], g.info[2]);
    for (int x = GSVD_ALPHA; x < GSVD_ARRAYS; x++)
      CHECK (isnan (creal (gsvd_get (&g.a[x], g.a[x].rows - 1, g.a[x].columns - 1, 1))) &&
                 isfinite (creal (gsvd_get (&g.a[x], 0, 0, 2))),
             "%c: result %d must be NaN on its page alone", type, x);
    gsvd_page_free (&g);
  }
}

static void check_refused (gsvd_page *g, const char *says)
{
  gsvd_run (ctx, g);
  CHECK (g->status == GLA_BAD_ARGUMENT && strstr (gla_message (ctx), says), "\"%s\": \"%s\"", says,
         gla_message (ctx));
}

static void test_arguments (void)
{
  const gsvd_call c = call_of (GLA_D, 4, 5, 3, GLA_GSVD_AUTO);
  const gsvd_page good = gsvd_page_new (&c);
  gsvd_page g = good;
  g.a[GSVD_B].columns = 2;
  check_refused (&g, "B is 5x2x1, it must be 5x3x1");
  g = good, g.a[GSVD_B].type = GLA_S;
  check_refused (&g, "B has type 's', it must be 'd'");
  g = good, g.a[GSVD_U].columns = 2;
  check_refused (&g, "U is 4x2x1, it must be 4x4x1");
  g = good, g.a[GSVD_X].row_stride = 2;
  check_refused (&g, "X has");
  g = good, g.a[GSVD_V].data = g.a[GSVD_B].data;
  check_refused (&g, "V must not overlap B");
  g = good, g.a[GSVD_X].data = g.a[GSVD_V].data;
  check_refused (&g, "X must not overlap V");
  g = good, g.a[GSVD_ALPHA].type = GLA_Z;
  check_refused (&g, "alpha has type 'z', it must be 'd'");
  g = good, g.call.options.block = -1;
  check_refused (&g, "block = -1 must not be negative");
  g = good, g.call.options.method = 7;
  check_refused (&g, "method = 7 must be 0 to 2");
  g = good, g.call.options.ordering = 2;
  check_refused (&g, "ordering = 2 must be 0 to 1");
  CHECK (gla_gsvd (ctx, NULL, &good.a[1], NULL, NULL, NULL) == GLA_BAD_ARGUMENT, "A is NULL");
  CHECK (gla_gsvd (NULL, NULL, NULL, NULL, NULL, NULL) == GLA_BAD_ARGUMENT, "no context");
  g = good;
  gsvd_page_free (&g);
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
    for (int method = GLA_GSVD_HZ; method <= GLA_GSVD_TANGENT; method++)
      for (calls_before = 0; calls_before < 2; calls_before++) {
        gsvd_call c = call_of (GLA_D, sizes[s][0], sizes[s][1], sizes[s][2], method);
        c.pages = sizes[s][3], c.gap = 0;
        gsvd_page g = gsvd_page_new (&c);
        fill_random (&g, 5);
        asked = 0;
        gsvd_run (ctx, &g);
        CHECK (asked > 0 && g.status == (asked > calls_before ? GLA_STOPPED : GLA_OK),
               "%dx%d method %d: asked %d times, status %d", c.m, c.p, method, asked, g.status);
        gsvd_page_free (&g);
      }
  gla_set_stop (ctx, NULL, NULL);
}

int main (void)
{
  omp_set_num_threads (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_CPU, NULL, 0) == GLA_OK, "CPU");
  test_orderings ();
  test_arguments ();
  test_lapack ();
  for (const char *t = "sdcz"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_ranks (type);
    test_hard (type);
    test_small (type);
    test_tiny_row (type);
    test_blocks (type);
    test_lost_gram (type);
    test_pages (type);
    test_threads (type);
    test_not_finite (type);
    if (gla_type_is_complex (type))
      test_real_in_complex (type);
  }
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_gsvd");
}
