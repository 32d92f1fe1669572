// test_qr.c: QR on the CPU: every method around its cutoffs, hard matrices, all results
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: avx2

#include "qr_kinds.h"
#include "threads/pool.h"

#include <time.h>

static gla_context *ctx;

static qr_page solve (const qr_call *c, kind_of_matrix kind)
{
  qr_page p = qr_page_new (c);
  fill_array (c, &p.a[QR_A], kind, 1 + (unsigned long long)c->m);
  fill_array (c, &p.a[QR_B], RANDOM, 2);
  qr_run (ctx, &p);
  CHECK (p.status == GLA_OK, "%c %dx%d kind %d: status %d", c->type, c->m, c->n, kind, p.status);
  return p;
}

//------------------------------------------------------------------------------
// LAPACK's R
//------------------------------------------------------------------------------

void sgeqrf_ (const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void dgeqrf_ (const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void cgeqrf_ (const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void zgeqrf_ (const int *, const int *, void *, const int *, void *, void *, const int *, int *);

static void check_lapack (const qr_page *p, int kind)
{
  const qr_call *c = &p->call;
  const gla_array *A = &p->a[QR_A], *R = &p->a[QR_R];
  const int k = qr_least (c), lwork = 64 * c->n;
  const size_t el = gla_type_size (c->type);
  char *a = malloc ((size_t)(c->m * c->n) * el), *tau = malloc ((size_t)k * el),
       *work = malloc ((size_t)lwork * el);
  int info;
  for (int j = 0; j < c->n; j++)
    memcpy (a + (size_t)(j * c->m) * el, (char *)A->data + (size_t)(j * A->column_stride) * el,
            (size_t)c->m * el);
  (c->type == GLA_TYPE_S   ? sgeqrf_
   : c->type == GLA_TYPE_D ? dgeqrf_
   : c->type == GLA_TYPE_C ? cgeqrf_
                           : zgeqrf_) (&c->m, &c->n, a, &c->m, tau, work, &lwork, &info);
  const double eps = gla_type_eps (c->type);
  double worst = 0;
  for (int j = 0; j < c->n; j++) {
    double norm = 0, off = 0;
    for (int i = 0; i <= j && i < k; i++) {
      const double complex r = qr_get (c->type, a, i + j * c->m);
      norm = fmax (norm, cabs (r));
      off = check_worst (off, cabs (r - qr_at (R, i, j, 0)));
    }
    worst = check_worst (worst, norm > 0 || isnan (norm) ? off / norm / eps
                                : off > 0                ? INFINITY
                                                         : 0);
  }
  CHECK (worst <= 300 * sqrt (c->n), "%c %dx%d kind %d: R differs from LAPACK's by %g eps", c->type,
         c->m, c->n, kind, worst);
  free (a);
  free (tau);
  free (work);
}

//------------------------------------------------------------------------------
// shapes, with all results and with few
//------------------------------------------------------------------------------

static const int shapes[][2] = {
    {1, 1},      {1, 5},     {5, 1},     {2, 2},     {3, 5},     {5, 4},     {16, 16},   {17, 16},
    {32, 32},    {33, 31},   {31, 33},   {32, 33},   {64, 16},   {65, 16},   {16, 64},   {4, 300},
    {1, 1024},   {1, 1025},  {1024, 1},  {1025, 1},  {34, 40},   {63, 64},   {64, 64},   {65, 64},
    {90, 70},    {150, 109}, {128, 256}, {129, 256}, {182, 181}, {200, 170}, {120, 290}, {290, 270},
    {2048, 127}, {8191, 5},  {8192, 5},  {8192, 1},  {8192, 65}, {20000, 9}, {9000, 70}, {0, 0}};

// A call with some of the results gives the same bits as a call with all of them.
static void check_few (const qr_page *all)
{
  static const int wanted[][4] = {{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 2, 1, 0}, {1, 1, 0, 0},
                                  {0, 1, 0, 1}, {2, 2, 0, 0}, {0, 1, 2, 0}};
  const qr_call *c = &all->call;
  for (int x = 0; x < 7; x++) {
    qr_call few = *c;
    few.q = wanted[x][0], few.r = wanted[x][1], few.c = wanted[x][2], few.wy = wanted[x][3];
    if (few.q == 2 && c->m > 700)
      continue;
    qr_page p = solve (&few, RANDOM);
    if (few.r)
      CHECK (same_page (&all->a[QR_R], 0, &p.a[QR_R], 0), "%c %dx%d block %d: other R with %d",
             c->type, c->m, c->n, c->block, x);
    if (few.q == 1)
      CHECK (same_page (&all->a[QR_Q], 0, &p.a[QR_Q], 0), "%c %dx%d: other Q with %d", c->type,
             c->m, c->n, x);
    if (few.c == 1)
      CHECK (same_page (&all->a[QR_C], 0, &p.a[QR_C], 0), "%c %dx%d: other C with %d", c->type,
             c->m, c->n, x);
    if (few.wy)
      CHECK (same_page (&all->a[QR_Y], 0, &p.a[QR_Y], 0), "%c %dx%d: other Y with %d", c->type,
             c->m, c->n, x);
    if (few.q == 2)
      check_quality (&p, RANDOM);
    CHECK (qr_untouched (&p), "%c %dx%d: wrote where it must not", c->type, c->m, c->n);
    qr_page_free (&p);
  }
}

// The sanitizers make everything slow, so they get fewer cases.
#ifdef __SANITIZE_ADDRESS__
enum { LARGEST = 45000 };
#else
enum { LARGEST = 1000000 };
#endif

static void test_shapes (gla_type type)
{
  for (int s = 0; shapes[s][0]; s++) {
    if (shapes[s][0] * shapes[s][1] > LARGEST)
      continue;
    qr_call c = {type, shapes[s][0], shapes[s][1], 1, 3, 0, 1, 1, 1, 1, 0, 0};
    qr_page p = solve (&c, RANDOM);
    check_quality (&p, RANDOM);
    check_lapack (&p, RANDOM);
    check_few (&p);
    qr_page_free (&p);
    if (c.m > 700)
      continue;
    c.q = c.r = c.c = 2;
    for (c.pivot = 0; c.pivot < 2; c.pivot++) {
      p = solve (&c, RANDOM);
      check_quality (&p, RANDOM);
      qr_page_free (&p);
    }
  }
}

static void test_blocks (gla_type type)
{
  static const int blocks[] = {1, 2, 15, 16, 17, 33, 39, 40, 41, 100};
  static const int sizes[][2] = {{50, 40}, {40, 40}, {40, 50}, {41, 40}};
  for (int s = 0; s < 4; s++)
    for (int b = 0; b < 10; b++) {
      qr_call c = {type, sizes[s][0], sizes[s][1], 1, 70, 0, 2, 2, 2, 1, 0, blocks[b]};
      qr_page p = solve (&c, RANDOM);
      check_quality (&p, RANDOM);
      check_lapack (&p, RANDOM);
      c.q = c.r = c.c = 1;
      qr_page few = solve (&c, RANDOM);
      CHECK (same_page (&p.a[QR_R], 0, &few.a[QR_R], 0), "%c block %d: other R", type, blocks[b]);
      qr_page_free (&few);
      qr_page_free (&p);
    }
}

// R must agree with LAPACK's where it is well determined; otherwise it must only be backward
// stable.
static int determined (kind_of_matrix kind, const qr_call *c)
{
  if (kind == ZERO_COLUMN) // the row of a zero on the diagonal of R depends on the tree
    return c->m < 8192;
  if (kind == TINY_BELOW) // random triangles become ill-conditioned as they grow
    return c->n <= 30;
  return kind != SAME_COLUMNS && kind != HILBERT && kind != KAHAN && kind != LAUCHLI &&
         kind != VANDERMONDE && kind != GRADED_ROWS && kind != GRADED_ROWS_UP && kind != DENORMAL &&
         kind != NEAR_2 && kind != NEAR_4;
}

static void test_hard (gla_type type)
{
  static const int sizes[][2] = {{30, 20}, {20, 20},   {20, 30},  {80, 60},
                                 {60, 60}, {300, 130}, {8192, 13}};
  for (int s = 0; s < 7; s++)
    for (int kind = 1; kind < KINDS; kind++)
      for (int pivot = 0; pivot < (s == 6 ? 1 : 2); pivot++) {
        qr_call c = {type, sizes[s][0], sizes[s][1], 1, 2, 0, 1, 1, 1, 1, pivot, 0};
        qr_page p = solve (&c, kind);
        check_quality (&p, kind);
        if (!pivot && determined (kind, &c))
          check_lapack (&p, kind);
        if (kind == ZERO)
          for (int j = 0; j < qr_least (&c); j++)
            CHECK (qr_at (&p.a[QR_Q], j, j, 0) == 1 && qr_at (&p.a[QR_R], j, j, 0) == 0,
                   "%c %dx%d pivot %d: Q of zeros", type, c.m, c.n, pivot);
        qr_page_free (&p);
      }
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

static void check_alone (const qr_page *all, int page)
{
  qr_call c = all->call;
  c.pages = 1, c.gap = 0;
  qr_page p = qr_page_new (&c);
  for (int x = QR_A; x <= QR_B; x++)
    for (int64_t j = 0; j < p.a[x].columns; j++)
      for (int64_t i = 0; i < p.a[x].rows; i++)
        qr_set (c.type, p.a[x].data, i + j * p.a[x].column_stride, qr_at (&all->a[x], i, j, page));
  qr_run (ctx, &p);
  for (int x = QR_Q; x < QR_ARRAYS; x++)
    if (p.a[x].data)
      CHECK (same_page (&p.a[x], 0, &all->a[x], page),
             "%c %dx%d pivot %d: page %d, result %d alone", c.type, c.m, c.n, c.pivot, page, x);
  qr_page_free (&p);
}

static void test_pages (gla_type type)
{
  static const int sizes[][2] = {{1, 1},   {7, 5},   {16, 16},   {9, 12},   {40, 40},
                                 {70, 30}, {30, 70}, {220, 160}, {8192, 3}, {8200, 40}};
  for (int s = 0; s < 10; s++)
    for (int pivot = 0; pivot < 2; pivot++) {
      const int pages = s < 7 ? 35 : 5;
      qr_call c = {type, sizes[s][0], sizes[s][1], pages, 2, 3, 1, 1, 1, s != 9, pivot, 0};
      qr_page p = qr_page_new (&c);
      fill_array (&c, &p.a[QR_A], RANDOM, 5);
      fill_array (&c, &p.a[QR_B], RANDOM, 6);
      // among them a page of zeros, one of tiny numbers, and one with NaN
      const int odd = pages / 2;
      for (int64_t j = 0; j < c.n; j++)
        for (int64_t i = 0; i < c.m; i++) {
          const gla_array *a = &p.a[QR_A];
          const int64_t at = i + j * a->column_stride;
          qr_set (type, a->data, at + (odd - 1) * a->page_stride, 0);
          qr_set (type, a->data, at + (odd + 1) * a->page_stride, 1e-30 * qr_at (a, i, j, odd + 1));
        }
      qr_set (type, p.a[QR_A].data, c.m / 2 + odd * p.a[QR_A].page_stride,
              pivot ? qr_at (&p.a[QR_A], c.m / 2, 0, odd) : NAN);
      qr_run (ctx, &p);
      CHECK (p.status == GLA_OK, "%c %dx%d pages", type, c.m, c.n);
      CHECK (qr_untouched (&p), "%c %dx%d pages: wrote where it must not", type, c.m, c.n);
      if (!pivot)
        CHECK (isnan (creal (qr_at (&p.a[QR_R], 0, c.n - 1, odd))), "%c %dx%d: NaN must spread",
               type, c.m, c.n);
      for (int page = 0; page < pages; page += page == odd - 2 || page > odd ? 1 : 3)
        if (page != odd)
          check_alone (&p, page);
      qr_page_free (&p);
    }
}

// Of one page with many columns of B lanes take columns, of many pages one page each: with the same
// bits. The last group of 19 pages is not full.
static void test_many_columns (gla_type type)
{
  static const int sizes[][2] = {{1, 1}, {7, 5}, {9, 12}, {60, 7}, {31, 31}};
  for (int s = 0; s < 5; s++) {
    const qr_call c = {type, sizes[s][0], sizes[s][1], 19, 701, 3, 0, 1, 1 + s % 2, 0, 0, 0};
    qr_page p = qr_page_new (&c);
    fill_array (&c, &p.a[QR_A], RANDOM, 5);
    fill_array (&c, &p.a[QR_B], RANDOM, 6);
    qr_run (ctx, &p);
    CHECK (p.status == GLA_OK, "%c %dx%d, many columns", type, c.m, c.n);
    CHECK (qr_untouched (&p), "%c %dx%d, many columns: wrote where it must not", type, c.m, c.n);
    for (int page = 0; page < c.pages; page += 6)
      check_alone (&p, page);
    qr_page_free (&p);
  }
}

// The bits of a tree do not depend on the number of threads.
static void test_threads (gla_type type)
{
  qr_call c = {type, 20000, 11, 1, 2, 0, 1, 1, 1, 0, 0, 0};
  qr_page two = solve (&c, RANDOM);
  gla_context *both = ctx;
  gla_pool_share (1);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  qr_page one = solve (&c, RANDOM);
  for (int x = QR_Q; x <= QR_C; x++)
    CHECK (same_page (&one.a[x], 0, &two.a[x], 0), "%c: result %d with one thread", type, x);
  gla_context_destroy (ctx);
  gla_pool_share (2);
  ctx = both;
  qr_page_free (&one);
  qr_page_free (&two);
}

// A page that all threads share by strips of columns of A, Q and B: accurate, and the same bits
// again.
static void test_strips (gla_type type)
{
  for (int pivot = 0; pivot < 2; pivot++) {
    qr_call c = {type, 330, 280, 1, 150, 2, 2, 2, 2, 1, pivot, 0};
    qr_page one = solve (&c, RANDOM), two = solve (&c, RANDOM);
    check_quality (&one, RANDOM);
    for (int x = QR_Q; x < QR_ARRAYS; x++)
      CHECK (same_page (&one.a[x], 0, &two.a[x], 0), "%c pivot %d: result %d again", type, pivot,
             x);
    qr_page_free (&one);
    qr_page_free (&two);
  }
}

// With NaN or Inf anywhere a call ends, and R of that column is not finite.
static void test_not_finite (gla_type type)
{
  static const int sizes[][2] = {{12, 8}, {60, 50}, {260, 200}, {8200, 6}};
  const double bad[2] = {NAN, INFINITY};
  for (int s = 0; s < 4; s++)
    for (int b = 0; b < 2; b++)
      for (int pivot = 0; pivot < 2; pivot++) {
        qr_call c = {type, sizes[s][0], sizes[s][1], 1, 2, 0, 1, 1, 1, 1, pivot, 0};
        qr_page p = qr_page_new (&c);
        fill_array (&c, &p.a[QR_A], RANDOM, 5);
        fill_array (&c, &p.a[QR_B], RANDOM, 6);
        qr_set (type, p.a[QR_A].data, c.m / 3 + c.n / 2 * p.a[QR_A].column_stride, bad[b]);
        qr_run (ctx, &p);
        const double d = cabs (qr_at (&p.a[QR_R], c.n / 2, c.n / 2, 0));
        CHECK (p.status == GLA_OK && (pivot || !isfinite (d)), "%c %dx%d with %g", type, c.m, c.n,
               bad[b]);
        qr_page_free (&p);
      }
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
  static const int sizes[][3] = {{900, 900, 1}, {100000, 40, 1}, {16, 16, 20000}, {100, 100, 300}};
  gla_set_stop (ctx, stop, NULL);
  for (int s = 0; s < 4; s++)
    for (calls_before = 0; calls_before < 2; calls_before++) {
      qr_call c = {GLA_TYPE_D, sizes[s][0], sizes[s][1], sizes[s][2], 0, 0, 1, 1, 0, 0, 0, 0};
      qr_page p = qr_page_new (&c);
      fill_array (&c, &p.a[QR_A], RANDOM, 5);
      asked = 0;
      qr_run (ctx, &p);
      CHECK (p.status == (asked > calls_before ? GLA_ERROR_STOPPED : GLA_OK), "%dx%dx%d: status %d",
             c.m, c.n, c.pages, p.status);
      CHECK (asked > 0, "%dx%dx%d: never asked", c.m, c.n, c.pages);
      qr_page_free (&p);
    }
  gla_set_stop (ctx, NULL, NULL);
}

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds of R of one page with pivoting; with or without a stop at the first poll.
static double pivoted (const qr_call *c, int stopped)
{
  qr_page p = qr_page_new (c);
  fill_array (c, &p.a[QR_A], RANDOM, 5);
  gla_set_stop (ctx, stopped ? stop : NULL, NULL);
  asked = calls_before = 0;
  const double start = now ();
  qr_run (ctx, &p);
  const double seconds = now () - start;
  CHECK (p.status == (stopped ? GLA_ERROR_STOPPED : GLA_OK), "pivoting: status %d", p.status);
  gla_set_stop (ctx, NULL, NULL);
  qr_page_free (&p);
  return seconds;
}

// Pivoting of one page polls the stop callback during the work, not only at the end.
static void test_stop_pivoting (gla_type type)
{
  const qr_call c = {type, 1300, 1200, 1, 0, 0, 0, 1, 0, 0, 1, 0};
  const double all = pivoted (&c, 0), part = pivoted (&c, 1);
  CHECK (part < 0.6 * all, "%c pivoting: stopped after %g of %g s", type, part, all);
}

int main (void)
{
  gla_pool_share (2);
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  for (const char *t = "sdcz"; *t; t++) {
    const gla_type type = (gla_type)*t;
    test_shapes (type);
    test_blocks (type);
    test_hard (type);
    test_pages (type);
    test_many_columns (type);
    test_threads (type);
    test_strips (type);
    test_not_finite (type);
  }
  test_stop ();
  test_stop_pivoting (GLA_TYPE_D);
  test_stop_pivoting (GLA_TYPE_C);
  gla_context_destroy (ctx);
  return check_report ("test_qr");
}
