// test_svd_arguments.c: wrong arguments of gla_batchsvd, and pages without elements
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_page.h"

static gla_context *ctx;

static void refused (gla_status status, const char *word)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (ctx), word) != NULL,
         "%s: status %d, \"%s\"", word, status, gla_message (ctx));
}

static void test_arguments (void)
{
  static double data[4][64];
  const gla_array a = gla_array_packed (data[0], GLA_TYPE_D, 4, 3, 2, GLA_DEVICE_HOST);
  const gla_array s = gla_array_packed (data[1], GLA_TYPE_D, 3, 1, 2, GLA_DEVICE_HOST);
  const gla_array u = gla_array_packed (data[2], GLA_TYPE_D, 4, 4, 2, GLA_DEVICE_HOST);
  const gla_array v = gla_array_packed (data[3], GLA_TYPE_D, 3, 3, 2, GLA_DEVICE_HOST);
  const gla_svd_results good = {sizeof good, s, u, v, NULL};
  gla_svd_results r = good;
  gla_svd_options o = {.size = sizeof o, .method = (gla_svd_method)7};
  CHECK (gla_batchsvd (ctx, &a, &good, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  refused (gla_batchsvd (ctx, &a, &good, &o, NULL), "method = 7");
  o = (gla_svd_options){.size = sizeof o, .tol = 1};
  refused (gla_batchsvd (ctx, &a, &good, &o, NULL), "tol = 1");
  o = (gla_svd_options){.size = sizeof o, .maxit = -1};
  refused (gla_batchsvd (ctx, &a, &good, &o, NULL), "maxit = -1");
  o = (gla_svd_options){.size = sizeof o, .values = 4};
  refused (gla_batchsvd (ctx, &a, &good, &o, NULL), "values = 4");
  o = (gla_svd_options){.size = sizeof o, .values = 2};
  refused (gla_batchsvd (ctx, &a, &good, &o, NULL), "S is 3x1x2, it must be 2x1x2");
  r.S.rows = 2;
  refused (gla_batchsvd (ctx, &a, &r, &o, NULL), "U is 4x4x2, it must be 4x2x2");
  r = good, r.V.columns = 2;
  refused (gla_batchsvd (ctx, &a, &r, NULL, NULL), "V is 3x2x2");
  r = good, r.U.row_stride = 2;
  refused (gla_batchsvd (ctx, &a, &r, NULL, NULL), "U");
  r = good, r.V.data = data[2] + 8;
  refused (gla_batchsvd (ctx, &a, &r, NULL, NULL), "V must not overlap U");
  r = good, r.S.type = GLA_TYPE_Z;
  refused (gla_batchsvd (ctx, &a, &r, NULL, NULL), "S has type");
  r = good, r.S.data = NULL;
  refused (gla_batchsvd (ctx, &a, &r, NULL, NULL), "S");
  gla_array strange = a;
  strange.type = (gla_type)1;
  refused (gla_batchsvd (ctx, &strange, &good, NULL, NULL), "type 1");
}

// Nothing to decompose: U and V are identities.
static void test_empty (void)
{
  static const int sizes[][3] = {{0, 3, 2}, {3, 0, 2}, {0, 0, 2}, {3, 3, 0}};
  for (int s = 0; s < 4; s++) {
    svd_call c = {GLA_TYPE_D, sizes[s][0], sizes[s][1], sizes[s][2], 0, 2, 2, 0, 0, 0};
    svd_page p = svd_page_new (&c);
    svd_run (ctx, &p);
    CHECK (p.status == GLA_OK, "%s", gla_message (ctx));
    for (int page = 0; page < c.pages; page++) {
      CHECK (p.info[page] == 0, "empty: info");
      for (int i = 0; i < c.m; i++)
        CHECK (svd_at (&p.a[SVD_U], i, 0, page) == (i == 0), "empty: U");
      for (int i = 0; i < c.n; i++)
        CHECK (svd_at (&p.a[SVD_V], i, 0, page) == (i == 0), "empty: V");
    }
    svd_page_free (&p);
  }
}

int main (void)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "CPU");
  test_arguments ();
  test_empty ();
  gla_context_destroy (ctx);
  return check_report ("test_svd_arguments");
}
