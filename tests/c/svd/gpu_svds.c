// gpu_svds.c: singular values of pages on a GPU: all shapes, hard pages, strides, bits
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_svd.h"

//------------------------------------------------------------------------------
// all shapes, with random and hard pages in one batch
//------------------------------------------------------------------------------

static void check_pages (const svd_page *p)
{
  char what[40];
  for (int page = 0; page < p->call.pages; page++) {
    snprintf (what, sizeof what, "kind %d", page % KINDS);
    svd_check_page (p, page, what);
  }
  CHECK (svd_untouched (p), "%c %dx%d: wrote where it must not", p->call.type, p->call.m,
         p->call.n);
}

// Values alone have the same bits in a batch of one page, and where only some are wanted.
static void check_values_alone (const svd_page *all)
{
  for (int page = 0; page < all->call.pages; page += 8)
    check_page_alone (all, page);
  svd_call c = all->call;
  c.values = (svd_least (&c) + 1) / 2;
  svd_page p = svd_page_new (&c);
  for (int page = 0; page < c.pages; page++)
    copy_page (&p, page, all, page);
  run_on_device (&p);
  int same = p.status == GLA_OK;
  for (int page = 0; page < c.pages; page++)
    for (int j = 0; j < c.values; j++)
      same &= svd_value (&p, j, page) == svd_value (all, j, page);
  CHECK (same && svd_untouched (&p), "%c %dx%d: the largest %d alone", c.type, c.m, c.n, c.values);
  svd_page_free (&p);
}

// How far values differ, in eps of the largest one of the page.
static double values_apart (const svd_page *p, const svd_page *all)
{
  const double eps = gla_type_eps (p->call.type);
  double worst = 0;
  for (int page = 0; page < p->call.pages; page++)
    for (int j = 0; j < svd_values (&p->call); j++)
      if (svd_value (all, 0, page) > 0)
        worst = check_worst (worst, fabs (svd_value (p, j, page) - svd_value (all, j, page)) /
                                        svd_value (all, 0, page) / eps);
  return worst;
}

// Values alone, and the largest of them with vectors, which have the same bits as among all.
static void check_part (const svd_page *all)
{
  svd_call c = all->call;
  c.u = c.v = 0;
  svd_page p = svd_page_new (&c);
  for (int page = 0; page < c.pages; page++)
    copy_page (&p, page, all, page);
  run_on_device (&p);
  const double worst = values_apart (&p, all);
  CHECK (p.status == GLA_OK && worst <= 20 * svd_least (&c), "%c %dx%d: values alone differ by %g",
         c.type, c.m, c.n, worst);
  check_values_alone (&p);
  svd_page_free (&p);
  c.u = c.v = 1;
  c.values = (svd_least (&c) + 1) / 2;
  p = svd_page_new (&c);
  for (int page = 0; page < c.pages; page++)
    copy_page (&p, page, all, page);
  run_on_device (&p);
  int same = p.status == GLA_OK;
  for (int page = 0; page < c.pages; page++)
    for (int j = 0; j < c.values; j++)
      same &= svd_value (&p, j, page) == svd_value (all, j, page);
  CHECK (same && svd_untouched (&p), "%c %dx%d: the largest %d", c.type, c.m, c.n, c.values);
  svd_page_free (&p);
}

// Small pages of which all columns of a square U are wanted go another way than those of which
// fewer are, so these are compared with pages in the economical form.
static void check_few (const svd_page *all)
{
  svd_call c = all->call;
  if (c.u != 2 && c.v != 2) {
    check_part (all);
    return;
  }
  c.u = c.v = 1;
  svd_page p = svd_page_new (&c);
  for (int page = 0; page < c.pages; page++)
    copy_page (&p, page, all, page);
  run_on_device (&p);
  const double worst = values_apart (&p, all);
  CHECK (p.status == GLA_OK && worst <= 20 * svd_least (&c),
         "%c %dx%d: economical values differ by %g", c.type, c.m, c.n, worst);
  check_part (&p);
  svd_page_free (&p);
}

// A GPU has no Jacobi for more than 64 columns.
static gla_svd_method method_of (int m, int n, int number)
{
  static const gla_svd_method methods[] = {GLA_SVD_METHOD_AUTO, GLA_SVD_METHOD_QR,
                                           GLA_SVD_METHOD_JACOBI};
  return methods[number % (m > 64 && n > 64 ? 2 : 3)];
}

static void check_shape (gla_type type, int m, int n, int number)
{
  const int most = m > n ? m : n, full = most <= 32 && number % 2;
  const svd_call c = {type,     m,        n, 2 * KINDS + 1, number % 3,
                      1 + full, 1 + full, 0, number % 2,    method_of (m, n, number)};
  svd_page p = svd_page_new (&c);
  unsigned long long seed = (unsigned long long)(1 + number);
  for (int page = 0; page < c.pages; page++)
    fill_page (&p, page, (kind_of_page)(page % KINDS), &seed);
  run_on_device (&p);
  if (!is_refused (&p)) {
    CHECK (p.status == GLA_OK, "%c %dx%d: %s", type, m, n, gla_message (on_gpu));
    check_pages (&p);
    for (int page = 0; page < p.call.pages; page += 4)
      check_page_alone (&p, page);
    check_few (&p);
  }
  svd_page_free (&p);
}

static void test_shapes (gla_type type)
{
  static const int shapes[][2] = {
      {1, 2},   {2, 1},    {4, 1},    {3, 2},   {2, 4},    {5, 3},     {8, 4},
      {6, 8},   {9, 8},    {7, 16},   {16, 3},  {17, 16},  {20, 31},   {32, 1},
      {32, 31}, {1, 32},   {33, 1},   {1, 33},  {33, 8},   {60, 8},    {8, 60},
      {64, 32}, {32, 70},  {125, 9},  {250, 5}, {128, 32}, {31, 128},  {1000, 32},
      {600, 3}, {7, 1500}, {33, 33},  {40, 40}, {47, 48},  {48, 47},   {64, 64},
      {64, 33}, {125, 64}, {50, 100}, {65, 64}, {300, 64}, {64, 1200}, {3000, 40},
      {32, 8},  {8, 32},   {24, 16},  {17, 1},  {1, 17},   {12, 8},    {9, 2}};
  static const int polar[][2] = {{65, 65},   {66, 65},   {70, 96},   {100, 100},
                                 {112, 112}, {113, 113}, {128, 128}, {300, 129},
                                 {70, 2000}, {130, 200}, {256, 256}};
  for (int k = 1; k <= 32; k++)
    check_shape (type, k, k, k);
  for (int s = 0; s < COUNT (shapes); s++)
    check_shape (type, shapes[s][0], shapes[s][1], s);
  for (int s = 0; s < COUNT (polar); s++)
    check_shape (type, polar[s][0], polar[s][1], s);
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

static void check_bad (gla_type type, int m, int n, int vectors)
{
  enum { BAD = 3, INFINITE = 6 };
  const svd_call c = {type, m, n, 9, 1, vectors, vectors, 0, 0, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c), clean = svd_page_new (&c);
  unsigned long long seed = 5;
  for (int page = 0; page < c.pages; page++) {
    fill_page (&p, page, RANDOM, &seed);
    copy_page (&clean, page, &p, page);
  }
  svd_set (&p, m - 1, n / 2, BAD, NAN);
  svd_set (&p, m / 2, n - 1, INFINITE, -INFINITY);
  run_on_device (&p);
  if (is_refused (&p)) {
    svd_page_free (&p);
    svd_page_free (&clean);
    return;
  }
  run_on_device (&clean);
  CHECK (p.status == GLA_OK && p.report.base.pages_failed == 2 && p.report.base.first_failed == BAD,
         "%c %dx%d: %d failed", type, m, n, (int)p.report.base.pages_failed);
  for (int page = 0; page < c.pages; page++) {
    const int bad = page == BAD || page == INFINITE;
    CHECK (p.info[page] == (bad ? svd_least (&c) + 1 : 0), "%c %dx%d page %d: info %d", type, m, n,
           page, p.info[page]);
    CHECK (bad ? all_nan (&p.a[SVD_S], page) &&
                     (!vectors || (all_nan (&p.a[SVD_U], page) && all_nan (&p.a[SVD_V], page)))
               : same_results (&clean, page, &p, page),
           "%c %dx%d page %d: beside NaN", type, m, n, page);
  }
  svd_page_free (&p);
  svd_page_free (&clean);
}

static void test_bad (gla_type type)
{
  static const int shapes[][2] = {{1, 1},  {3, 3},   {8, 5},   {16, 16}, {32, 32},
                                  {60, 8}, {9, 100}, {40, 50}, {80, 80}, {90, 200}};
  for (int s = 0; s < 2 * COUNT (shapes); s++)
    check_bad (type, shapes[s / 2][0], shapes[s / 2][1], s % 2);
}

//------------------------------------------------------------------------------
// small values
//------------------------------------------------------------------------------

// Columns of A graded over 20 decades and more, in any order, or of about one length: each value
// has the digits that the CPU's has. Both err by k*eps times the condition of the columns, which
// for these random ones is below 1e4.
static void check_relative (gla_type type, int k, int vectors)
{
  static const kind_of_page kinds[] = {COLUMNS_DOWN, COLUMNS_UP, RANDOM};
  const svd_call c = {type, k, k, 9, 0, vectors, vectors, 0, 0, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c), q = svd_page_new (&c);
  unsigned long long seed = 11;
  for (int page = 0; page < c.pages; page++) {
    fill_page (&p, page, kinds[page % COUNT (kinds)], &seed);
    copy_page (&q, page, &p, page);
  }
  run_on_device (&p);
  svd_run (on_cpu, &q);
  double worst = 0;
  for (int page = 0; page < c.pages; page++)
    for (int j = 0; j < k; j++) {
      const double s = svd_value (&q, j, page);
      worst = check_worst (worst, fabs (svd_value (&p, j, page) - s) / s / gla_type_eps (type));
    }
  CHECK (p.status == GLA_OK && q.status == GLA_OK && worst <= 1e4 * k,
         "%c %dx%d, vectors %d: small values differ by %g eps of themselves", type, k, k, vectors,
         worst);
  svd_page_free (&p);
  svd_page_free (&q);
}

static void test_relative (gla_type type)
{
  for (int k = 2; k <= 32; k += 5)
    for (int vectors = 0; vectors < 2; vectors++)
      check_relative (type, k, vectors);
}

//------------------------------------------------------------------------------
// tall pages of denormal or huge numbers
//------------------------------------------------------------------------------

// What page p of a batch is divided by to become an ordinary one; 0: a page of zeros.
enum { EXTREME_PAGES = 70, EXTREME_NAN = 10 };
static double extreme_factor (gla_type type, int page)
{
  const int single = gla_type_real (type) == GLA_TYPE_S;
  const double factor[] = {single ? 0x1p-149 : 0x1p-1074, 1, single ? 0x1p116 : 0x1p1012};
  return page % 7 == 3 ? 0 : factor[page < 40 ? page % 3 : 0];
}

// The same integers, of up to 1000 or 2, in both; divided by 16 where they are not denormal.
static void fill_extreme (const svd_page *p, const svd_page *ordinary)
{
  const svd_call *c = &p->call;
  unsigned long long seed = 21;
  for (int page = 0; page < c->pages; page++)
    for (int j = 0; j < c->n; j++)
      for (int i = 0; i < c->m; i++) {
        const double factor = extreme_factor (c->type, page), size = page % 2 ? 2 : 1000;
        const double complex x = size * random_of (c->type, &seed),
                             a = CMPLX (round (creal (x)), round (cimag (x))),
                             b = factor < 1 ? a : a / 16;
        svd_set (ordinary, i, j, page, b);
        svd_set (p, i, j, page, CMPLX (creal (b) * factor, cimag (b) * factor));
      }
  svd_set (p, 0, 0, EXTREME_NAN, NAN);
}

// Values are those of the ordinary page times the factor, rounded where they are denormal.
static void check_extreme_values (const svd_page *p, const svd_page *ordinary)
{
  const svd_call *c = &p->call;
  double worst = 0;
  for (int page = 0; page < c->pages; page++) {
    const double factor = extreme_factor (c->type, page), top = svd_value (ordinary, 0, page);
    const double bound = 30 * svd_least (c) * gla_type_eps (c->type) * top + (factor < 1 ? 0.5 : 0);
    for (int j = 0; j < svd_least (c) && factor > 0; j++)
      worst = check_worst (
          worst, fabs (svd_value (p, j, page) / factor - svd_value (ordinary, j, page)) / bound);
  }
  CHECK (worst <= 1, "%c %dx%d, vectors %d: extreme values differ by %g of the bound", c->type,
         c->m, c->n, c->u, worst);
}

static void check_extreme (gla_type type, int m, int n, int vectors)
{
  const svd_call c = {type,    m, n, EXTREME_PAGES,      vectors, vectors,
                      vectors, 0, 0, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c), ordinary = svd_page_new (&c);
  fill_extreme (&p, &ordinary);
  run_on_device (&p);
  if (!is_refused (&p)) {
    svd_run (on_cpu, &ordinary);
    CHECK (p.status == GLA_OK && p.report.base.pages_failed == 1 &&
               p.info[EXTREME_NAN] == svd_least (&c) + 1 && all_nan (&p.a[SVD_S], EXTREME_NAN),
           "%c %dx%d: NaN beside extreme pages", type, m, n);
    check_extreme_values (&p, &ordinary);
    for (int page = 0; page < 6; page += 1 + (page == 2)) {
      svd_check_page (&p, page, "extreme");
      check_page_alone (&p, page);
    }
    check_page_alone (&p, EXTREME_PAGES - 1);
    CHECK (svd_untouched (&p), "%c %dx%d: wrote where it must not", type, m, n);
  }
  svd_page_free (&ordinary);
  svd_page_free (&p);
}

static void test_extreme (gla_type type)
{
  static const int shapes[][2] = {{60, 8},    {8, 60},   {300, 32},  {125, 64},  {50, 400},
                                  {150, 100}, {70, 200}, {600, 100}, {257, 200}, {90, 90}};
  for (int s = 0; s < 2 * COUNT (shapes); s++)
    check_extreme (type, shapes[s / 2][0], shapes[s / 2][1], s % 2);
}

//------------------------------------------------------------------------------
// many pages
//------------------------------------------------------------------------------

// In several chunks, from the host.
static void check_many (gla_type type, int m, int n, int pages)
{
  const svd_call c = {type, m, n, pages, 0, 1, 1, 0, 0, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c);
  unsigned long long seed = 3;
  for (int page = 0; page < pages; page++)
    fill_page (&p, page, RANDOM, &seed);
  svd_run (on_gpu, &p);
  if (is_refused (&p)) {
    svd_page_free (&p);
    return;
  }
  CHECK (p.status == GLA_OK, "%s", gla_message (on_gpu));
  CHECK (p.report.base.chunk_pages < pages, "one chunk of %d", (int)p.report.base.chunk_pages);
  for (int page = 0; page < pages; page += 997)
    svd_check_page (&p, page, "of many");
  svd_page_free (&p);
}

int gpu_svds (const char *wanted)
{
  if (gla_context_create (&on_gpu) != GLA_OK || gla_context_create (&on_cpu) != GLA_OK ||
      use_first_gpu (on_gpu) != GLA_OK)
    return 1;
  gla_set_place (on_cpu, GLA_PLACE_CPU, NULL, 0);
  for (int t = 0; t < COUNT (types); t++)
    if (strchr (wanted, types[t]) != NULL) {
      test_shapes (types[t]);
      test_bad (types[t]);
      test_relative (types[t]);
      test_extreme (types[t]);
    }
  static const struct {
    gla_type type;
    int m, n, pages;
  } many[] = {{GLA_TYPE_D, 3, 3, 1000000},
              {GLA_TYPE_Z, 20, 12, 40000},
              {GLA_TYPE_S, 100, 9, 40000},
              {GLA_TYPE_D, 96, 96, 6000}};
  for (int k = 0; k < COUNT (many); k++)
    if (strchr (wanted, many[k].type) != NULL)
      check_many (many[k].type, many[k].m, many[k].n, many[k].pages);
  gla_context_destroy (on_gpu);
  gla_context_destroy (on_cpu);
  printf ("gpu_svds: %d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
  return n_failed > 0;
}
