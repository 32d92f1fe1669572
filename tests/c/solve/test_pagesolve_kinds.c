// test_pagesolve_kinds.c: systems with pages of all kinds in one batch
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "solve_kinds.h"

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const int64_t orders[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 16,  17,  24,
                                 31, 32, 33, 40, 48, 63, 64, 65, 96, 128, 129, 200};

static void test_kinds (gla_type type, int64_t n, int inverse)
{
  problem q = random_problem (type, type, n, inverse ? n : 3, KINDS, GAP, 'N', GLA_SIDE_LEFT);
  gla_pagesolve_report report = {.base.size = sizeof report};
  const gla_pagesolve_results results = {sizeof results, q.X, q.rcond, q.info};
  for (int k = 0; k < KINDS; k++)
    fill_kind (&q.A, &q.B, k, (kind)k);
  CHECK (gla_pagesolve (ctx, &q.A, inverse ? NULL : &q.B, &results, NULL, &report) == GLA_OK, "%s",
         gla_message (ctx));
  for (int k = 0; k < KINDS; k++) {
    check_kind (&q, k, (kind)k, inverse);
    if (inverse)
      check_structure (&q.X, k, (kind)k);
  }
  int singular = 0;
  for (int k = 0; k < KINDS; k++)
    singular += q.info[k] > 0 && q.info[k] <= n;
  CHECK (report.pages_singular == singular && report.first_singular == SINGULAR &&
             report.base.pages_failed == 2 && report.base.first_failed == WITH_NAN,
         "report: %lld singular, %lld failed", (long long)report.pages_singular,
         (long long)report.base.pages_failed);
  CHECK (gaps_are_untouched (&q.X), "kinds: a gap was written");
  release (&q);
}

// Pages whose last column depends on others: the last pivot is rounding error of any size, but of
// nearly all pages it is found. A solution by LU has numbers of 1e15, or 1e6.
static void test_dependent (gla_type type)
{
  enum { PAGES = 100 };
  static const int64_t sizes[] = {3, 5, 10, 16, 20, 40, 80, 129};
  int found = 0;
  for (int k = 0; k < COUNT (sizes); k++) {
    const int64_t n = sizes[k];
    problem q = random_problem (type, type, n, 1, PAGES, 0, 'N', GLA_SIDE_LEFT);
    int32_t info[PAGES];
    const gla_pagesolve_results results = {sizeof results, q.X, q.rcond, info};
    for (int64_t p = 0; p < PAGES; p++)
      for (int64_t i = 0; i < n; i++)
        set (&q.A, i, n - 1, p, 3 * get (&q.A, i, 0, p) - get (&q.A, i, 1, p) / 3);
    CHECK (gla_pagesolve (ctx, &q.A, &q.B, &results, NULL, NULL) == GLA_OK, "%s",
           gla_message (ctx));
    for (int64_t p = 0; p < PAGES; p++) {
      double largest = 0;
      for (int64_t i = 0; i < n; i++)
        largest = fmax (largest, cabs (get (&q.X, i, 0, p)));
      found += info[p] > 0 && info[p] <= n && largest < 1e5;
    }
    release (&q);
  }
  CHECK (found >= PAGES * COUNT (sizes) * 98 / 100, "%c: %d of %d singular pages found", (char)type,
         found, PAGES * COUNT (sizes));
}

int main (void)
{
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  for (int t = 0; t < COUNT (types); t++)
    for (int k = 0; k < COUNT (orders); k++)
      for (int inverse = 0; inverse < 2; inverse++)
        test_kinds (types[t], orders[k], inverse);
  for (int t = 0; t < COUNT (types); t++)
    test_kinds (types[t], 321, 0);
  for (int t = 0; t < COUNT (types); t++)
    test_dependent (types[t]);
  test_kinds (GLA_TYPE_D, 257, 1);
  test_kinds (GLA_TYPE_C, 257, 1);
  gla_context_destroy (ctx);
  return check_report ("test_pagesolve_kinds");
}
