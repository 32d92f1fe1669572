// test_pagediag.c: diagonals and traces of pages, exactly; strides, empty arrays, wrong arguments
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: guarded

#include "expected.h"

enum { PAGES = 23, GAP = 3 };

static void check_pages (gla_context *ctx, const gla_array *A, gla_diag what, int64_t k,
                         int64_t gap)
{
  gla_array D = diag_room (A, what, k, gap);
  gla_pagediag_report report = {.base.size = sizeof report};
  const gla_status status = gla_pagediag (ctx, A, what, k, &D, &report);
  CHECK (status == GLA_OK && report.base.pages_failed == 0, "%c %lldx%lld kind %d k %lld: %s",
         (char)A->type, (long long)A->rows, (long long)A->columns, (int)what, (long long)k,
         gla_message (ctx));
  const int wrong = diag_wrong (A, what, k, &D);
  CHECK (wrong == 0 && gaps_are_untouched (&D), "%c %lldx%lld kind %d k %lld: %d wrong",
         (char)A->type, (long long)A->rows, (long long)A->columns, (int)what, (long long)k, wrong);
  free (D.data);
}

static void test_sizes (gla_context *ctx)
{
  static const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {5, 7}, {40, 33}, {40, 3},
                                     {0, 4}, {4, 0}, {0, 1}, {1, 0}, {2, 2},   {0, 0}};
  for (int t = 0; t < 4; t++)
    for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
      gla_array A = make (diag_types[t], sizes[s][0], sizes[s][1], PAGES, s % 2 ? GAP : 0);
      diag_fill (&A, (unsigned long long)(100 * t + s));
      const int64_t ks[] = {0, 1, -1, 2, -4, A.columns, -A.rows, 50, -50};
      for (int k = 0; k < 9; k++)
        for (int kind = 0; kind < 3; kind++)
          if (diag_kinds[kind] != GLA_DIAG_MAKE || A.rows == 1 || A.columns == 1)
            check_pages (ctx, &A, diag_kinds[kind], ks[k], k % 2 ? 0 : GAP);
      CHECK (gaps_are_untouched (&A), "A was changed");
      free (A.data);
    }
}

// A page has the same bits alone, and many pages go over all threads.
static void test_many (gla_context *ctx)
{
  enum { MANY = 20000 };
  gla_array A = make (GLA_TYPE_D, 6, 6, MANY, 0), D = make (GLA_TYPE_D, 1, 1, MANY, 0);
  diag_fill (&A, 5);
  CHECK (gla_pagediag (ctx, &A, GLA_DIAG_TRACE, 1, &D, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (diag_wrong (&A, GLA_DIAG_TRACE, 1, &D) == 0, "many traces");
  for (int64_t p = 0; p < MANY; p += 999) {
    gla_array one = A, to = make (GLA_TYPE_D, 1, 1, 1, 0);
    one.data = (double *)A.data + p * A.page_stride;
    one.pages = 1;
    CHECK (gla_pagediag (ctx, &one, GLA_DIAG_TRACE, 1, &to, NULL) == GLA_OK, "one page");
    CHECK (memcmp (to.data, (double *)D.data + p, sizeof (double)) == 0, "page %d", (int)p);
    free (to.data);
  }
  free (A.data);
  free (D.data);
}

static void test_arguments (gla_context *ctx)
{
  gla_array A = make (GLA_TYPE_D, 4, 3, 5, 0), D = make (GLA_TYPE_D, 3, 1, 5, 0), bad = D;
  gla_pagediag_report report = {.base.size = sizeof report};
  CHECK (gla_pagediag (NULL, &A, GLA_DIAG_TAKE, 0, &D, NULL) == GLA_ERROR_BAD_ARGUMENT, "context");
  check_refused (ctx, gla_pagediag (ctx, NULL, GLA_DIAG_TAKE, 0, &D, NULL), "A must not be NULL");
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, NULL, NULL), "D must not be NULL");
  const size_t unset[] = {0, 3, (size_t)1 << 40};
  for (int k = 0; k < 3; k++) {
    gla_pagediag_report strange = {.base.size = unset[k]};
    check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &D, &strange), "size of");
  }
  check_refused (ctx, gla_pagediag (ctx, &A, (gla_diag)9, 0, &D, NULL), "what = 9");
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_MAKE, 0, &D, NULL), "one row or one column");
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 1, &D, NULL), "D is 3x1x5");
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TRACE, 0, &D, NULL), "D is 3x1x5");
  check_refused (ctx, gla_pagediag (ctx, &D, GLA_DIAG_MAKE, INT64_MIN, &A, NULL), "so large");
  check_refused (ctx, gla_pagediag (ctx, &D, GLA_DIAG_MAKE, INT64_MAX, &A, NULL), "so large");
  bad.type = GLA_TYPE_S;
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &bad, NULL), "D has type");
  bad = D;
  bad.row_stride = 2;
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &bad, NULL), "D");
  bad = D;
  bad.data = (double *)A.data + 3;
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &bad, NULL), "D");
  bad = D;
  bad.device = 0;
  check_refused (ctx, gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &bad, NULL), "D is in place 0");
  CHECK (gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &D, &report) == GLA_OK, "%s", gla_message (ctx));
  CHECK (report.base.device == GLA_DEVICE_HOST && report.base.chunk_pages == 5 &&
             report.base.first_failed == -1,
         "report: %d, %lld", report.base.device, (long long)report.base.chunk_pages);
  A.pages = D.pages = 0;
  CHECK (gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &D, &report) == GLA_OK, "no pages");
  free (A.data);
  free (D.data);
}

static int stop (void *user)
{
  (void)user;
  return 1;
}

static void test_stop (gla_context *ctx)
{
  gla_array A = make (GLA_TYPE_Z, 300, 300, 50, 0), D = make (GLA_TYPE_Z, 300, 1, 50, 0);
  gla_set_stop (ctx, stop, NULL);
  CHECK (gla_pagediag (ctx, &A, GLA_DIAG_TAKE, 0, &D, NULL) == GLA_ERROR_STOPPED, "not stopped");
  gla_set_stop (ctx, NULL, NULL);
  free (A.data);
  free (D.data);
}

static void test_all (gla_context *ctx, gla_place place)
{
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "%s", gla_message (ctx));
  test_sizes (ctx);
  test_many (ctx);
}

int main (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  test_all (ctx, GLA_PLACE_CPU);
  test_arguments (ctx);
  test_stop (ctx);
  if (gla_device_count (ctx) > 0)
    test_all (ctx, GLA_PLACE_GPU);
  gla_context_destroy (ctx);
  return check_report ("test_pagediag");
}
