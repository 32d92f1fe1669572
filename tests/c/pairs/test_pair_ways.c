// test_pair_ways.c: pairs with a semidefinite B: GLA_PAIRS_DROP, GLA_PAIRS_SWAP, ranks, counts
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "threads/pool.h"
#include "frame/page_arrays.h"
#include "pair_problem.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
enum { PAGES = 5 };

typedef struct {
  pair_problem q;
  int64_t rank[PAGES], count[PAGES];
} problem;

// B of rank n - p on page p < n: the last rows and columns are 0 and the others those of a random
// definite page. A is definite as well.
static problem semidefinite (gla_type type, int64_t n, int64_t gap)
{
  problem w = {.q = random_pairs (type, n, PAGES, gap, n)};
  pair_problem other = random_pairs (type, n, PAGES, gap, 2 * n + 1);
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        set (&w.q.A, i, j, p, get (&other.B, i, j, p));
        if (p < n && (i >= n - p || j >= n - p))
          set (&w.q.B, i, j, p, 0);
      }
  release (&other);
  return w;
}

static int64_t rank_of (int64_t n, int64_t p)
{
  return p < n ? n - p : n;
}

static gla_status solve_ranks (problem *w)
{
  pair_problem *q = &w->q;
  const gla_eig_pairs_results r = {.size = sizeof r,
                                   .lambda = q->lambda,
                                   .V = q->V,
                                   .rcond = q->rcond,
                                   .info = q->info,
                                   .count = w->count,
                                   .rank = w->rank};
  q->report.base.size = sizeof q->report;
  return gla_batcheig_pairs (ctx, &q->A, &q->B, &r, &q->o, &q->report);
}

// The largest entry of X'*M*X - I for the first k columns, over n*eps*|X|^2*|M|.
static double apart (const pair_problem *q, const gla_array *M, int64_t p, int64_t k)
{
  const int64_t n = q->n, size = n * n;
  double complex *m = q->work, *x = m + size, *y = x + size, *z = y + size;
  double worst = 0;
  read_hermitian (M, p, q->o.triangle, m);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      x[i + j * n] = j < k ? get (&q->V, i, j, p) : 0;
  product (n, m, 0, x, y);
  product (n, x, 1, y, z);
  const double v = norm_of (n, x);
  const double bound = (double)n * gla_type_eps (q->A.type) * v * v * norm_of (n, m);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < k; i++)
      worst = check_worst (worst, cabs (z[i + j * n] - (i == j)) / bound);
  return worst;
}

// The largest residual over n*eps*(|A| + |lambda| |B|)*|X|; rows from `rows` on do not count, and
// with 1/lambda in place of lambda where that is large.
static double residual (const pair_problem *q, int64_t p, int64_t k, int64_t rows, int swap)
{
  const int64_t n = q->n, size = n * n;
  double complex *a = q->work, *b = a + size, *x = b + size, *y = x + size, *z = y + size;
  double worst = 0;
  read_hermitian (&q->A, p, q->o.triangle, a);
  read_hermitian (&q->B, p, q->o.triangle, b);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      x[i + j * n] = j < k ? get (&q->V, i, j, p) : 0;
  product (n, a, 0, x, y);
  product (n, b, 0, x, z);
  const double unit = (double)n * gla_type_eps (q->A.type) * norm_of (n, x);
  const double norm_a = norm_of (n, a), norm_b = norm_of (n, b);
  for (int64_t j = 0; j < k; j++) {
    const double lambda = creal (get (&q->lambda, j, 0, p));
    const double f = swap ? 1 / lambda : 1, g = swap ? 1 : lambda;
    const double bound = unit * (fabs (f) * norm_a + fabs (g) * norm_b);
    for (int64_t i = 0; i < rows; i++)
      worst = check_worst (worst, cabs (f * y[i + j * n] - g * z[i + j * n]) / bound);
  }
  return worst;
}

static int ends_in_nan (const pair_problem *q, int64_t p, int64_t k)
{
  for (int64_t j = k; j < q->lambda.rows; j++) {
    if (!isnan (creal (get (&q->lambda, j, 0, p))))
      return 0;
    for (int64_t i = 0; i < q->n; i++)
      if (!isnan (creal (get (&q->V, i, j, p))))
        return 0;
  }
  return 1;
}

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

// B has zero rows at the end, so the kept space is that of the first rows.
static void check_drop (gla_type type, int64_t n, int64_t gap, gla_triangle triangle)
{
  problem w = semidefinite (type, n, gap);
  w.q.o.way = GLA_PAIRS_DROP;
  w.q.o.triangle = triangle;
  if (triangle != GLA_TRIANGLE_FULL)
    spoil_triangle (&w.q, triangle);
  CHECK (solve_ranks (&w) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++) {
    const int64_t r = rank_of (n, p);
    CHECK (w.q.info[p] == 0 && w.rank[p] == r && w.count[p] == r, "%c n %lld: rank %lld, not %lld",
           (char)type, (long long)n, (long long)w.rank[p], (long long)r);
    const double o = apart (&w.q, &w.q.B, p, r), s = residual (&w.q, p, r, r, 0);
    CHECK (o <= BOUND && s <= BOUND, "%c n %lld page %lld: %g, %g", (char)type, (long long)n,
           (long long)p, o, s);
    CHECK (ends_in_nan (&w.q, p, r), "%c n %lld: no NaN behind the rank", (char)type, (long long)n);
  }
  CHECK (w.q.report.most == n && w.q.report.base.pages_failed == 0, "report");
  CHECK (gaps_are_untouched (&w.q.V), "a gap was written");
  release (&w.q);
}

static void check_swap (gla_type type, int64_t n, int64_t gap, gla_triangle triangle)
{
  problem w = semidefinite (type, n, gap);
  w.q.o.way = GLA_PAIRS_SWAP;
  w.q.o.triangle = triangle;
  if (triangle != GLA_TRIANGLE_FULL)
    spoil_triangle (&w.q, triangle);
  CHECK (solve_ranks (&w) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++) {
    const int64_t r = rank_of (n, p);
    CHECK (w.q.info[p] == 0 && w.rank[p] == r && w.count[p] == n, "%c n %lld: rank %lld, not %lld",
           (char)type, (long long)n, (long long)w.rank[p], (long long)r);
    const double o = apart (&w.q, &w.q.A, p, n), s = residual (&w.q, p, n, n, 1);
    CHECK (o <= BOUND && s <= BOUND, "%c n %lld page %lld: %g, %g", (char)type, (long long)n,
           (long long)p, o, s);
    for (int64_t j = 0; j < n; j++) {
      const double lambda = creal (get (&w.q.lambda, j, 0, p));
      const double next = j + 1 < n ? creal (get (&w.q.lambda, j + 1, 0, p)) : INFINITY;
      CHECK (lambda > 0 && lambda <= next && !isinf (lambda) == (j < r), "%c n %lld: %g",
             (char)type, (long long)n, lambda);
    }
  }
  CHECK (gaps_are_untouched (&w.q.V), "a gap was written");
  release (&w.q);
}

static void test_sizes (void)
{
  static const int64_t orders[] = {1, 2, 3, 4, 5, 8, 9, 17, 33, 70, 140};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < COUNT (orders); k++) {
      check_drop (types[t], orders[k], k % 2 ? GAP : 0, (gla_triangle)((k + t) % 3));
      check_swap (types[t], orders[k], k % 2 ? 0 : GAP, (gla_triangle)((k + t) % 3));
    }
}

//------------------------------------------------------------------------------
// bits, room, parts
//------------------------------------------------------------------------------

static void check_bits (gla_type type, int64_t n, gla_pairs_way way, int share_b)
{
  problem w = semidefinite (type, n, 0);
  w.q.o.way = way;
  if (share_b)
    w.q.B.pages = 1;
  gla_pool_share (3);
  CHECK (solve_ranks (&w) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++) {
    problem one = {.q = page_alone (&w.q, p)};
    gla_pool_share (1);
    CHECK (solve_ranks (&one) == GLA_OK && one.rank[0] == w.rank[p], "rank %lld",
           (long long)one.rank[0]);
    const int64_t k = w.count[p];
    one.q.lambda.rows = one.q.V.columns = w.q.lambda.rows = w.q.V.columns = k;
    CHECK (same_page (&w.q.V, p, &one.q.V, 0), "%c n %lld page %lld: bits depend on the batch",
           (char)type, (long long)n, (long long)p);
    w.q.lambda.rows = w.q.V.columns = n;
    release_results (&one.q);
  }
  gla_pool_share (0);
  release (&w.q);
}

// Fewer columns than the rank, and the counts that tell.
static void check_room (int64_t n)
{
  problem w = semidefinite (GLA_TYPE_Z, n, 0), part = semidefinite (GLA_TYPE_Z, n, 0);
  w.q.o.way = part.q.o.way = GLA_PAIRS_DROP;
  CHECK (solve_ranks (&w) == GLA_OK, "%s", gla_message (ctx));
  part.q.lambda.rows = part.q.V.columns = 2;
  CHECK (solve_ranks (&part) == GLA_OK && part.q.report.most == n, "%s", gla_message (ctx));
  for (int64_t p = 0; p < PAGES; p++)
    for (int64_t j = 0; j < 2 && j < w.rank[p]; j++)
      CHECK (get (&part.q.lambda, j, 0, p) == get (&w.q.lambda, j, 0, p) &&
                 get (&part.q.V, n - 1, j, p) == get (&w.q.V, n - 1, j, p) &&
                 part.count[p] == w.count[p],
             "n %lld page %lld: the first columns differ", (long long)n, (long long)p);
  part.q.o.range = GLA_EIG_INDICES;
  part.q.o.il = n - 2;
  part.q.o.iu = n - 1;
  CHECK (solve_ranks (&part) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < 4; p++) {
    const int64_t there = w.rank[p] >= n - 1 ? 2 : w.rank[p] == n - 2 ? 1 : 0;
    CHECK (part.count[p] == there && ends_in_nan (&part.q, p, there), "count %lld, not %lld",
           (long long)part.count[p], (long long)there);
    CHECK (there == 0 || get (&part.q.lambda, 0, 0, p) == get (&w.q.lambda, n - 3, 0, p), "range");
  }
  part.q.lambda.rows = part.q.V.columns = n;
  release (&part.q);
  release (&w.q);
}

static void test_values_alone (void)
{
  for (int way = GLA_PAIRS_DROP; way <= GLA_PAIRS_SWAP; way++) {
    problem w = semidefinite (GLA_TYPE_C, 7, 0), r = semidefinite (GLA_TYPE_C, 7, 0);
    w.q.o.way = r.q.o.way = (gla_pairs_way)way;
    free (r.q.V.data);
    r.q.V.data = NULL;
    CHECK (solve_ranks (&w) == GLA_OK && solve_ranks (&r) == GLA_OK, "%s", gla_message (ctx));
    for (int64_t p = 0; p < PAGES; p++)
      for (int64_t j = 0; j < w.rank[p]; j++)
        CHECK (cabs (get (&w.q.lambda, j, 0, p) - get (&r.q.lambda, j, 0, p)) <=
                   100 * FLT_EPSILON * cabs (get (&w.q.lambda, w.rank[p] - 1, 0, p)),
               "way %d: values alone", way);
    release (&w.q);
    release (&r.q);
  }
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static void refused (const problem *w, const char *text)
{
  problem wrong = *w;
  CHECK (solve_ranks (&wrong) == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), text) != NULL,
         "%s: %s", text, gla_message (ctx));
}

static void test_errors (void)
{
  const problem right = semidefinite (GLA_TYPE_D, 3, 0);
  problem w = right;
  w.q.o.way = (gla_pairs_way)7;
  refused (&w, "way = 7");
  w = right, w.q.o.way = GLA_PAIRS_SWAP, w.q.o.itype = 2;
  refused (&w, "itype = 2 must be 1");
  w = right, w.q.o.way = GLA_PAIRS_DROP, w.q.o.itype = 3;
  refused (&w, "itype = 3 must be 1");
  w = right, w.q.o.drop = -1;
  refused (&w, "drop = -1");
  w = right, w.q.o.drop = 1;
  refused (&w, "drop = 1");
  w = right, w.q.o.drop = NAN;
  refused (&w, "drop = nan");
  w = right, w.q.o.way = GLA_PAIRS_DROP, w.q.o.largest = 1;
  refused (&w, "largest = 1 needs GLA_PAIRS_DROP and GLA_EIG_INDICES");
  w = right, w.q.o.phase = (gla_eig_phase)9;
  refused (&w, "phase = 9");
  w = right, w.q.o.way = GLA_PAIRS_DROP, w.q.lambda.rows = 4;
  refused (&w, "lambda has 4 rows, it must have 0 to 3");
  w = right, w.q.o.way = GLA_PAIRS_DROP, w.q.lambda.rows = 2;
  refused (&w, "V is 3x3x5");
  w = right;
  release (&w.q);
}

static void test_not_hermitian (void)
{
  for (int way = GLA_PAIRS_DROP; way <= GLA_PAIRS_SWAP; way++)
    for (int b = 0; b < 2; b++) {
      problem w = semidefinite (GLA_TYPE_D, 6, 0);
      gla_array *bad = b ? &w.q.B : &w.q.A;
      w.q.o.way = (gla_pairs_way)way;
      set (bad, 1, 0, 3, 0.5 + get (bad, 1, 0, 3));
      CHECK (solve_ranks (&w) == GLA_ERROR_NOT_HERMITIAN && w.q.report.bad_page == 3 &&
                 w.q.report.bad_matrix == (b ? 'B' : 'A') &&
                 fabs (w.q.report.bad_difference - 0.5) < 1e-12,
             "way %d: %s", way, gla_message (ctx));
      release (&w.q);
    }
}

static int stop_after (void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

static void test_stop (void)
{
  for (int after = 0; after < 3; after++) {
    problem w = {.q = random_pairs (GLA_TYPE_D, 150, PAGES, 0, 3)};
    int left = after;
    w.q.o.way = GLA_PAIRS_DROP;
    gla_set_stop (ctx, stop_after, &left);
    CHECK (solve_ranks (&w) == GLA_ERROR_STOPPED, "not stopped after %d", after);
    gla_set_stop (ctx, NULL, NULL);
    release (&w.q);
  }
}

int main (void)
{
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  test_sizes ();
  for (int t = 0; t < 4; t++)
    for (int64_t n = 4; n <= 44; n += 20)
      for (int way = GLA_PAIRS_DROP; way <= GLA_PAIRS_SWAP; way++)
        check_bits (types[t], n, (gla_pairs_way)way, t % 2);
  check_room (6);
  check_room (40);
  test_values_alone ();
  test_errors ();
  test_not_hermitian ();
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_pair_ways");
}
