// test_svd.c: singular values on the CPU: shapes around every method's edge, results, hard pages
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2 guarded

#include "svd_page.h"
#include "threads/pool.h"

static gla_context *ctx;

static void fill (const svd_page *p, unsigned long long seed)
{
  for (int page = 0; page < p->call.pages; page++)
    for (int j = 0; j < p->call.n; j++)
      for (int i = 0; i < p->call.m; i++)
        svd_set (p, i, j, page, random_of (p->call.type, &seed));
}

static svd_page solve (const svd_call *c, unsigned long long seed)
{
  svd_page p = svd_page_new (c);
  fill (&p, seed);
  svd_run (ctx, &p);
  CHECK (p.status == GLA_OK, "%c %dx%d: %s", c->type, c->m, c->n, gla_message (ctx));
  return p;
}

//------------------------------------------------------------------------------
// shapes, with all results and with few
//------------------------------------------------------------------------------

static const int shapes[][2] = {
    {1, 1},   {1, 4},   {5, 1},    {2, 2},    {3, 2},   {3, 3},   {4, 5},    {8, 8},    {9, 7},
    {16, 16}, {17, 15}, {31, 32},  {32, 32},  {33, 32}, {33, 33}, {33, 60},  {60, 8},   {8, 60},
    {64, 64}, {70, 40}, {128, 32}, {129, 32}, {600, 7}, {5, 900}, {2, 2049}, {5000, 3}, {150, 31}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double values_apart (const svd_page *x, const svd_page *y)
{
  double worst = 0;
  for (int j = 0; j < svd_values (&y->call); j++)
    worst = check_worst (worst, fabs (svd_value (x, j, 0) - svd_value (y, j, 0)));
  return worst / (svd_value (x, 0, 0) * gla_type_eps (x->call.type));
}

// The largest values have the bits that they have among all, in the economy form, which may have
// another way to long vectors than a square U.
static void check_largest (const svd_page *few)
{
  svd_call c = few->call;
  c.values = 0;
  svd_page p = solve (&c, 7);
  CHECK (same_page (&p.a[SVD_U], 0, &few->a[SVD_U], 0) &&
             same_page (&p.a[SVD_V], 0, &few->a[SVD_V], 0),
         "%c %dx%d: largest %d of them", c.type, c.m, c.n, few->call.values);
  svd_page_free (&p);
}

// One of U and V, or none; and the largest values only.
static void test_few (const svd_page *all)
{
  for (int which = 0; which < 4; which++) {
    svd_call c = all->call;
    c.u = which == 1 || which == 3 ? 1 : 0;
    c.v = which == 2 || which == 3 ? 1 : 0;
    c.values = which == 3 ? (svd_least (&c) + 1) / 2 : 0;
    svd_page p = solve (&c, 7);
    svd_check_page (&p, 0, "few");
    CHECK (values_apart (all, &p) <= 20 * svd_least (&c),
           "%c %dx%d results %d: values differ by %g", c.type, c.m, c.n, which,
           values_apart (all, &p));
    // pages in lanes have all columns formed alike
    if (which == 3 && c.m * c.n <= 1024)
      check_largest (&p);
    svd_page_free (&p);
  }
}

static void test_shapes (gla_type type)
{
  for (int s = 0; s < SHAPES; s++)
    for (int method = 0; method < 3; method++) {
      const int m = shapes[s][0], n = shapes[s][1], full = m * n < 2000;
      svd_call c = {type, m, n, 1, s % 3, 1 + full, 1 + full, 0, s % 2, (gla_svd_method)method};
      svd_page p = solve (&c, 7);
      svd_check_page (&p, 0, "shape");
      CHECK (svd_untouched (&p), "%c %dx%d: wrote where it must not", type, m, n);
      if (!full || s % 2 == 0)
        test_few (&p);
      svd_page_free (&p);
    }
}

//------------------------------------------------------------------------------
// hard pages
//------------------------------------------------------------------------------

static int rank_of (kind_of_page kind, const svd_call *c)
{
  const int k = svd_least (c);
  return kind == ZERO || kind == MINUS_ZERO    ? 0
         : kind == ONES                        ? 1
         : kind == RANK_2                      ? (k < 2 ? k : 2)
         : kind == ZERO_COLUMN && c->n <= c->m ? k - 1
         : kind == ZERO_ROW && c->m <= c->n    ? k - 1
                                               : k;
}

static void check_rank (const svd_page *p, kind_of_page kind)
{
  const svd_call *c = &p->call;
  // as Octave's rank counts
  const int most = c->m > c->n ? c->m : c->n;
  const double nothing = most * gla_type_eps (c->type) * svd_value (p, 0, 0);
  for (int j = rank_of (kind, c); j < svd_least (c); j++)
    CHECK (svd_value (p, j, 0) <= nothing, "%c %dx%d kind %d: value %d is %g", c->type, c->m, c->n,
           kind, j, svd_value (p, j, 0));
  if (rank_of (kind, c) > 0)
    return;
  for (int x = SVD_U; x <= SVD_V; x++)
    for (int j = 0; j < p->a[x].columns; j++)
      for (int i = 0; i < p->a[x].rows; i++)
        CHECK (svd_at (&p->a[x], i, j, 0) == (i == j), "%c %dx%d: no identity", c->type, c->m,
               c->n);
}

static void test_hard (gla_type type)
{
  static const int sizes[][2] = {{1, 1},   {3, 3},   {7, 4},   {4, 7}, {16, 16},
                                 {40, 40}, {90, 35}, {500, 9}, {64, 8}};
  for (int s = 0; s < 9; s++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int method = 0; method < 3; method++) {
        svd_call c = {type,        sizes[s][0], sizes[s][1], 1, 1,
                      1 + (s < 6), 1 + (s < 6), 0,           0, (gla_svd_method)method};
        svd_page p = svd_page_new (&c);
        unsigned long long seed = 3;
        char what[40];
        snprintf (what, sizeof what, "kind %d", kind);
        for (int j = 0; j < c.n; j++)
          for (int i = 0; i < c.m; i++)
            svd_set (&p, i, j, 0, element (kind, &c, i, j, random_of (type, &seed)));
        svd_run (ctx, &p);
        CHECK (p.status == GLA_OK, "%s", gla_message (ctx));
        svd_check_page (&p, 0, what);
        check_rank (&p, kind);
        svd_page_free (&p);
      }
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

static void check_alone (const svd_page *all, int page)
{
  svd_call c = all->call;
  c.pages = 1, c.gap = 0, c.diagonal = 0;
  svd_page p = svd_page_new (&c);
  for (int j = 0; j < c.n; j++)
    for (int i = 0; i < c.m; i++)
      svd_set (&p, i, j, 0, svd_at (&all->a[SVD_A], i, j, page));
  svd_run (ctx, &p);
  int same = same_page (&p.a[SVD_U], 0, &all->a[SVD_U], page) &&
             same_page (&p.a[SVD_V], 0, &all->a[SVD_V], page) && p.info[0] == all->info[page];
  for (int j = 0; j < svd_least (&c); j++)
    same &= svd_value (&p, j, 0) == svd_value (all, j, page);
  CHECK (same, "%c %dx%d method %d: page %d alone", c.type, c.m, c.n, c.method, page);
  svd_page_free (&p);
}

// Pages among which one holds NaN, one Inf, one is zero and one is tiny.
static void fill_mixed (const svd_page *p)
{
  const svd_call *c = &p->call;
  fill (p, 11);
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++) {
      svd_set (p, i, j, 4, 0);
      svd_set (p, i, j, 5, 1e-35 * svd_at (&p->a[SVD_A], i, j, 5));
    }
  svd_set (p, c->m / 2, c->n / 2, 3, NAN);
  svd_set (p, c->m - 1, 0, 6, -INFINITY);
}

static void test_pages (gla_type type)
{
  static const int sizes[][2] = {{1, 1},  {3, 3},   {7, 5},   {5, 7},    {16, 16},
                                 {60, 8}, {33, 40}, {45, 45}, {300, 20}, {90, 34}};
  for (int s = 0; s < 10; s++)
    for (int method = 0; method < 3; method++) {
      svd_call c = {type, sizes[s][0], sizes[s][1], 23, 2, 1, 1, 0, 1, (gla_svd_method)method};
      const int k = svd_least (&c);
      svd_page p = svd_page_new (&c);
      fill_mixed (&p);
      svd_run (ctx, &p);
      CHECK (p.status == GLA_OK && p.report.base.pages_failed == 2 &&
                 p.report.base.first_failed == 3,
             "%c %dx%d: status %d", type, c.m, c.n, p.status);
      CHECK (svd_untouched (&p), "%c %dx%d pages: wrote where it must not", type, c.m, c.n);
      for (int page = 0; page < c.pages; page++)
        if (page == 3 || page == 6) {
          CHECK (p.info[page] == k + 1 && isnan (svd_value (&p, k - 1, page)) &&
                     isnan (creal (svd_at (&p.a[SVD_U], c.m - 1, 0, page))) &&
                     isnan (creal (svd_at (&p.a[SVD_V], 0, k - 1, page))),
                 "%c %dx%d: page %d has info %d", type, c.m, c.n, page, p.info[page]);
        } else {
          svd_check_page (&p, page, "page");
          check_alone (&p, page);
        }
      svd_page_free (&p);
    }
}

//------------------------------------------------------------------------------
// long pages by way of T'*T, and beside them those for which it is not accurate
//------------------------------------------------------------------------------

// Condition numbers of pages that are done in one way or the other, about sqrt (128) both.
static const double conditions[] = {1, 3, 8, 11, 11.2, 11.4, 12, 30, 1e3, 1e5};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

// Element (i, j) of an orthogonal matrix of order n.
static double cosine (int n, int i, int j)
{
  return (j == 0 ? sqrt (0.5) : cos (M_PI * (i + 0.5) * j / n)) * sqrt (2. / n);
}

// Value j of k of a page: from 1 down to 1 over its condition number.
static double known_value (int k, int page, int j)
{
  return pow (conditions[page % CONDITIONS], k < 2 ? 0 : -(double)j / (k - 1));
}

static void fill_known (const svd_page *p)
{
  enum { ROWS = 1200, COLUMNS = 32 };
  static double left[ROWS][COLUMNS], right[COLUMNS][COLUMNS];
  const svd_call *c = &p->call;
  const int wide = c->m < c->n, k = svd_least (c), m = c->m + c->n - k;
  for (int q = 0; q < k; q++) {
    for (int i = 0; i < m; i++)
      left[i][q] = cosine (m, i, q);
    for (int j = 0; j < k; j++)
      right[j][q] = cosine (k, j, (q + 1) % k);
  }
  for (int page = 0; page < c->pages; page++)
    for (int j = 0; j < k; j++) {
      double weight[COLUMNS];
      for (int q = 0; q < k; q++)
        weight[q] = known_value (k, page, q) * right[j][q];
      for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int q = 0; q < k; q++)
          sum += left[i][q] * weight[q];
        // columns and rows of every second page are turned, which leaves the values as they are
        const double complex turned = gla_type_is_complex (c->type) && page % 2 == 0
                                          ? sum * cexp (I * (3. * i + j * j))
                                          : sum;
        svd_set (p, wide ? j : i, wide ? i : j, page, turned);
      }
    }
}

static void test_known (gla_type type)
{
  static const int sizes[][2] = {
      {16, 3},    {17, 3}, {24, 8}, {8, 60}, {61, 9}, {60, 20}, {32, 129}, {1150, 24}, {24, 1101},
      {1200, 32}, {47, 8}, {48, 8}, {60, 8}, {64, 8}, {90, 9},  {97, 16},  {112, 28},  {128, 32}};
  for (int s = 0; s < 18; s++)
    for (int all = 0; all < 2; all++) {
      svd_call c = {type, sizes[s][0], sizes[s][1], 43, 2 * all, 1, 1, 0, all, GLA_SVD_METHOD_AUTO};
      const int k = svd_least (&c);
      if (all)
        c.u = c.v = 1 + (c.m * c.n < 2000);
      svd_page p = svd_page_new (&c);
      fill_known (&p);
      svd_set (&p, 1, 2, 7, NAN);
      svd_run (ctx, &p);
      CHECK (p.status == GLA_OK && p.report.base.pages_failed == 1, "%c %dx%d: status %d", type,
             c.m, c.n, p.status);
      CHECK (svd_untouched (&p), "%c %dx%d known: wrote where it must not", type, c.m, c.n);
      for (int page = 0; page < c.pages; page++) {
        if (page == 7)
          continue;
        check_alone (&p, page);
        svd_check_page (&p, page, "known");
        // relative to each value, times the condition number of the page, which A is rounded to
        double worst = 0;
        for (int j = 0; j < k; j++)
          worst =
              check_worst (worst, fabs (svd_value (&p, j, page) / known_value (k, page, j) - 1));
        const double bound = 5 * k * gla_type_eps (type) * conditions[page % CONDITIONS];
        CHECK (worst <= bound, "%c %dx%d page %d: a value is off by %g of %g", type, c.m, c.n, page,
               worst, bound);
      }
      svd_page_free (&p);
    }
}

// Columns of very different lengths with known values: a rotation by a small angle mixes each two
// of them, such that the page with columns of length 1 has a condition number below 3. Some pages
// have two equal columns instead, and no known values.
static double graded_value (const svd_call *c, int page, int j)
{
  const double decades = gla_type_real (c->type) == GLA_TYPE_S ? 20 : 130;
  return pow (10, -decades * page / c->pages * j / (c->n - 1));
}

static int has_equal_columns (int page)
{
  return page % 6 == 5;
}

static void fill_graded (const svd_page *p)
{
  const svd_call *c = &p->call;
  for (int page = 0; page < c->pages; page++) {
    for (int j = 0; j < c->n; j++) {
      const int x = j / 2 * 2, y = x + 1, both = y < c->n;
      const double s = graded_value (c, page, x), t = both ? graded_value (c, page, y) : 0;
      // column j of the rotation whose sine is about t/s
      const double sine = 0.7 * t / s, one = sqrt (1 - sine * sine);
      const double of_x = s * (j == x ? one : sine), of_y = t * (j == x ? -sine : one);
      for (int i = 0; i < c->m; i++) {
        const double sum = of_x * cosine (c->m, i, x) + (both ? of_y * cosine (c->m, i, y) : 0);
        svd_set (p, i, (5 * j + page) % c->n, page, // columns in no order
                 gla_type_is_complex (c->type) ? sum * cexp (I * (2. * i + j)) : sum);
      }
    }
    for (int i = 0; has_equal_columns (page) && i < c->m; i++)
      svd_set (p, i, 3, page, svd_at (&p->a[SVD_A], i, 2, page));
  }
}

static void test_graded (gla_type type)
{
  static const int sizes[][2] = {{48, 8}, {60, 8}, {130, 13}, {96, 16}, {128, 32}};
  for (int s = 0; s < 5; s++) {
    svd_call c = {type, sizes[s][0], sizes[s][1], 41, 0, 1, 1, 0, 0, GLA_SVD_METHOD_AUTO};
    svd_page p = svd_page_new (&c);
    fill_graded (&p);
    svd_run (ctx, &p);
    CHECK (p.status == GLA_OK, "%c %dx%d: %s", type, c.m, c.n, gla_message (ctx));
    for (int page = 0; page < c.pages; page++) {
      check_alone (&p, page);
      svd_check_page (&p, page, "graded");
      for (int j = 0; !has_equal_columns (page) && j < c.n; j++) {
        const double off = fabs (svd_value (&p, j, page) / graded_value (&c, page, j) - 1);
        CHECK (off <= 15 * c.n * gla_type_eps (type), "%c %dx%d page %d: value %d is off by %g",
               type, c.m, c.n, page, j, off);
      }
    }
    svd_page_free (&p);
  }
}

// The bits do not depend on the number of threads.
static void test_threads (gla_type type)
{
  static const int sizes[][2] = {{5, 5}, {48, 40}, {1200, 20}, {60, 8}};
  for (int s = 0; s < 4; s++) {
    svd_call c = {type, sizes[s][0], sizes[s][1], 400, 0, 1, 1, 0, 0, GLA_SVD_METHOD_AUTO};
    svd_page two = solve (&c, 9);
    gla_context *both = ctx;
    gla_pool_share (1);
    CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
    CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
    svd_page one = solve (&c, 9);
    for (int x = SVD_S; x < SVD_ARRAYS; x++)
      for (int page = 0; page < c.pages; page++)
        CHECK (same_page (&one.a[x], page, &two.a[x], page), "%c: result %d with one thread", type,
               x);
    gla_context_destroy (ctx);
    gla_pool_share (2);
    ctx = both;
    svd_page_free (&one);
    svd_page_free (&two);
  }
}

//------------------------------------------------------------------------------
// second try
//------------------------------------------------------------------------------

// Too few sweeps: the other method does these pages.
static void test_retry (void)
{
  svd_call c = {GLA_TYPE_D, 40, 40, 3, 0, 1, 1, 0, 0, GLA_SVD_METHOD_JACOBI};
  svd_page p = svd_page_new (&c);
  fill (&p, 5);
  const gla_svd_options o = {.size = sizeof o, .method = c.method, .maxit = 1};
  const gla_svd_results r = {sizeof r, p.a[SVD_S], p.a[SVD_U], p.a[SVD_V], p.info};
  CHECK (gla_batchsvd (ctx, &p.a[SVD_A], &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  for (int page = 0; page < c.pages; page++)
    svd_check_page (&p, page, "retry");
  svd_page_free (&p);
}

//------------------------------------------------------------------------------
// stop
//------------------------------------------------------------------------------

static int asked, calls_before;

static int stop (void *user)
{
  (void)user;
  return ++asked > calls_before;
}

static void test_stop (void)
{
  static const int sizes[][3] = {{16, 16, 20000}, {60, 60, 200}, {1000, 32, 200}, {400, 300, 2}};
  gla_set_stop (ctx, stop, NULL);
  for (int s = 0; s < 4; s++)
    for (calls_before = 0; calls_before < 2; calls_before++) {
      svd_call c = {GLA_TYPE_D,  sizes[s][0],
                    sizes[s][1], sizes[s][2],
                    0,           1,
                    1,           0,
                    0,           s == 3 ? GLA_SVD_METHOD_JACOBI : GLA_SVD_METHOD_AUTO};
      svd_page p = svd_page_new (&c);
      fill (&p, 5);
      asked = 0;
      svd_run (ctx, &p);
      CHECK (p.status == (asked > calls_before ? GLA_ERROR_STOPPED : GLA_OK) && asked > 0,
             "%dx%dx%d: status %d, asked %d times", c.m, c.n, c.pages, p.status, asked);
      svd_page_free (&p);
    }
  gla_set_stop (ctx, NULL, NULL);
}

int main (void)
{
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *t = "sdcz"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_shapes (type);
    test_hard (type);
    test_pages (type);
    test_known (type);
    test_graded (type);
    test_threads (type);
  }
  test_retry ();
  test_stop ();
  gla_context_destroy (ctx);
  return check_report ("test_svd");
}
