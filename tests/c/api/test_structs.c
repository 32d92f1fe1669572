// test_structs.c: options, results and reports of callers with an older or a newer header
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/check.h"

#include <stddef.h>

enum { N = 4, P = 3 };
static double A[N * N * P], V[N * N * P], lambda[N * P];
static int32_t info[P];
static gla_context *ctx;

static gla_array pages_of (double *data, int64_t rows, int64_t columns)
{
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, P, GLA_DEVICE_HOST);
}

static void fill (void)
{
  for (int p = 0; p < P; p++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i + N * j + N * N * p] = 1.0 / (1 + i + j + p) + (i == j);
}

static gla_eig_results all_results (void)
{
  const gla_eig_results r = {
      .size = sizeof r, .lambda = pages_of (lambda, N, 1), .V = pages_of (V, N, N), .info = info};
  return r;
}

//------------------------------------------------------------------------------
// older headers: smaller structs
//------------------------------------------------------------------------------

// What a caller knew before tol and maxit were added, followed by what is not the library's.
static void test_older_options (void)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_results r = all_results ();
  gla_eig_options o = {.size = offsetof (gla_eig_options, tol), .tol = NAN, .maxit = -7};
  CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
  o.size = sizeof o;
  CHECK (gla_batcheig (ctx, &a, &r, &o, NULL) == GLA_ERROR_BAD_ARGUMENT, "tol NaN");
}

// A caller that knew no V and no info gets eigenvalues.
static void test_older_results (void)
{
  const gla_array a = pages_of (A, N, N);
  gla_eig_results r = all_results ();
  r.size = offsetof (gla_eig_results, V);
  V[0] = 77;
  info[0] = 77;
  lambda[0] = 77;
  CHECK (gla_batcheig (ctx, &a, &r, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (lambda[0] != 77 && V[0] == 77 && info[0] == 77, "beyond the size of results");
}

static void test_older_report (void)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_results r = all_results ();
  gla_eig_report report = {.base.size = offsetof (gla_eig_report, bad_difference),
                           .bad_difference = 77};
  A[1] += 1; // page 0 is not symmetric
  CHECK (gla_batcheig (ctx, &a, &r, NULL, &report) == GLA_ERROR_NOT_HERMITIAN, "symmetric");
  CHECK (report.bad_page == 0 && report.bad_difference == 77, "beyond the size of report");
  CHECK (report.base.size == offsetof (gla_eig_report, bad_difference), "size was written");
  report.base.size = sizeof report;
  CHECK (gla_batcheig (ctx, &a, &r, NULL, &report) == GLA_ERROR_NOT_HERMITIAN, "symmetric");
  CHECK (report.bad_difference == 1, "difference %g", report.bad_difference);
  fill ();

  gla_device_info about = {.size = offsetof (gla_device_info, major), .major = 77};
  CHECK (gla_device_query (ctx, GLA_DEVICE_HOST, &about) == GLA_OK && about.major == 77 &&
             about.name[0] != '\0',
         "beyond the size of info");
}

//------------------------------------------------------------------------------
// newer headers: larger structs
//------------------------------------------------------------------------------

typedef struct {
  gla_eig_options known;
  double added;
} newer_options;

typedef struct {
  gla_eig_report known;
  double added;
} newer_report;

static void test_newer (void)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_results r = all_results ();
  newer_options o = {.known.size = sizeof o};
  newer_report report = {.known.base.size = sizeof report, .added = 77};
  CHECK (gla_batcheig (ctx, &a, &r, &o.known, &report.known) == GLA_OK, "%s", gla_message (ctx));
  CHECK (report.added == 77 && report.known.bad_page == -1, "report");
  o.added = 1;
  CHECK (gla_batcheig (ctx, &a, &r, &o.known, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (ctx), "options") != NULL &&
             strstr (gla_message (ctx), gla_version ()) != NULL,
         "a setting that is not known: %s", gla_message (ctx));
}

//------------------------------------------------------------------------------
// sizes that were not set
//------------------------------------------------------------------------------

// `status` of a call whose struct has the size `size`.
static void refused (gla_status status, const char *name, size_t size)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s, size %zu: status %d", name, size, (int)status);
  CHECK (strstr (gla_message (ctx), "size of") != NULL, "%s: \"%s\"", name, gla_message (ctx));
}

static void test_dense (size_t size)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_results eig = all_results ();
  const gla_qr_results qr = {.size = sizeof qr, .R = pages_of (V, N, N)};
  const gla_gsvd_results gsvd = {.size = sizeof gsvd, .alpha = pages_of (lambda, N, 1)};
  const gla_least_squares_results ls = {.size = sizeof ls, .X = pages_of (V, N, N)};
  refused (gla_batcheig (ctx, &a, &(gla_eig_results){.size = size}, NULL, NULL), "eig", size);
  refused (gla_batcheig (ctx, &a, &eig, &(gla_eig_options){.size = size}, NULL), "eig", size);
  refused (gla_batcheig (ctx, &a, &eig, NULL, &(gla_eig_report){.base.size = size}), "eig", size);
  refused (gla_qr (ctx, &a, NULL, &(gla_qr_results){.size = size}, NULL, NULL), "qr", size);
  refused (gla_qr (ctx, &a, NULL, &qr, &(gla_qr_options){.size = size}, NULL), "qr", size);
  refused (gla_qr (ctx, &a, NULL, &qr, NULL, &(gla_qr_report){.base.size = size}), "qr", size);
  refused (gla_least_squares (ctx, &a, &a, &(gla_least_squares_results){.size = size}, NULL, NULL),
           "least squares", size);
  refused (gla_least_squares (ctx, &a, &a, &ls, &(gla_qr_options){.size = size}, NULL),
           "least squares", size);
  refused (
      gla_least_squares (ctx, &a, &a, &ls, NULL, &(gla_least_squares_report){.base.size = size}),
      "least squares", size);
  refused (gla_gsvd (ctx, &a, &a, &(gla_gsvd_results){.size = size}, NULL, NULL), "gsvd", size);
  refused (gla_gsvd (ctx, &a, &a, &gsvd, &(gla_gsvd_options){.size = size}, NULL), "gsvd", size);
  refused (gla_gsvd (ctx, &a, &a, &gsvd, NULL, &(gla_gsvd_report){.base.size = size}), "gsvd",
           size);
  const gla_gevd_results gevd = {
      .size = sizeof gevd, .alpha = pages_of (lambda, N, 1), .beta = pages_of (V, N, 1)};
  refused (gla_gevd (ctx, &a, &a, &(gla_gevd_results){.size = size}, NULL, NULL), "gevd", size);
  refused (gla_gevd (ctx, &a, &a, &gevd, &(gla_gsvd_options){.size = size}, NULL), "gevd", size);
  refused (gla_gevd (ctx, &a, &a, &gevd, NULL, &(gla_gevd_report){.base.size = size}), "gevd",
           size);
  const gla_pagesolve_results pagesolve = {.size = sizeof pagesolve, .X = pages_of (V, N, N)};
  refused (gla_pagesolve (ctx, &a, &a, &(gla_pagesolve_results){.size = size}, NULL, NULL),
           "pagesolve", size);
  refused (gla_pagesolve (ctx, &a, &a, &pagesolve, &(gla_pagesolve_options){.size = size}, NULL),
           "pagesolve", size);
  refused (
      gla_pagesolve (ctx, &a, &a, &pagesolve, NULL, &(gla_pagesolve_report){.base.size = size}),
      "pagesolve", size);
  refused (gla_device_query (ctx, GLA_DEVICE_HOST, &(gla_device_info){.size = size}), "query",
           size);
}

static void test_page_functions (size_t size)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_pairs_results pairs = {.size = sizeof pairs, .lambda = pages_of (lambda, N, 1)};
  refused (gla_batcheig_pairs (ctx, &a, &a, &(gla_eig_pairs_results){.size = size}, NULL, NULL),
           "pairs", size);
  refused (gla_batcheig_pairs (ctx, &a, &a, &pairs, &(gla_eig_pairs_options){.size = size}, NULL),
           "pairs", size);
  refused (
      gla_batcheig_pairs (ctx, &a, &a, &pairs, NULL, &(gla_eig_pairs_report){.base.size = size}),
      "pairs", size);
  const gla_pagemul_results pagemul = {.size = sizeof pagemul, .C = pages_of (V, N, N)};
  refused (gla_pagemul (ctx, &a, &a, &(gla_pagemul_results){.size = size}, NULL, NULL), "pagemul",
           size);
  refused (gla_pagemul (ctx, &a, &a, &pagemul, &(gla_pagemul_options){.size = size}, NULL),
           "pagemul", size);
  refused (gla_pagemul (ctx, &a, &a, &pagemul, NULL, &(gla_pagemul_report){.base.size = size}),
           "pagemul", size);
  const gla_pagefun_results fun = {.size = sizeof fun, .F = pages_of (V, N, N)};
  refused (gla_pagefun (ctx, &a, GLA_FUN_EXP, &(gla_pagefun_results){.size = size}, NULL, NULL),
           "pagefun", size);
  refused (gla_pagefun (ctx, &a, GLA_FUN_EXP, &fun, &(gla_pagefun_options){.size = size}, NULL),
           "pagefun", size);
  refused (gla_pagefun (ctx, &a, GLA_FUN_EXP, &fun, NULL, &(gla_pagefun_report){.base.size = size}),
           "pagefun", size);
  const gla_svd_results svd = {.size = sizeof svd, .S = pages_of (lambda, N, 1)};
  refused (gla_batchsvd (ctx, &a, &(gla_svd_results){.size = size}, NULL, NULL), "svd", size);
  refused (gla_batchsvd (ctx, &a, &svd, &(gla_svd_options){.size = size}, NULL), "svd", size);
  refused (gla_batchsvd (ctx, &a, &svd, NULL, &(gla_svd_report){.base.size = size}), "svd", size);
  const gla_pageeig_results general = {.size = sizeof general, .lambda = pages_of (lambda, N, 1)};
  refused (gla_pageeig (ctx, &a, &(gla_pageeig_results){.size = size}, NULL, NULL), "pageeig",
           size);
  refused (gla_pageeig (ctx, &a, &general, &(gla_pageeig_options){.size = size}, NULL), "pageeig",
           size);
  refused (gla_pageeig (ctx, &a, &general, NULL, &(gla_pageeig_report){.base.size = size}),
           "pageeig", size);
}

static void test_sparse (size_t size)
{
  static const int32_t start[] = {0, 1, 2}, index[] = {0, 1};
  static const double values[] = {1, 2};
  const gla_csr csr = {GLA_TYPE_D, 2, 2, 4, start, index, values};
  double x[2] = {1, 1}, y[2];
  gla_sparse *S = NULL;
  gla_factor *F = NULL;
  refused (gla_sparse_create (ctx, &csr, &S, &(gla_sparse_options){.size = size}), "sparse", size);
  CHECK (gla_sparse_create (ctx, &csr, &S, NULL) == GLA_OK, "%s", gla_message (ctx));
  refused (gla_sparse_query (S, &(gla_sparse_info){.size = size}), "sparse query", size);
  const gla_array gx = gla_array_packed (x, GLA_TYPE_D, 2, 1, 1, GLA_DEVICE_HOST);
  const gla_array gy = gla_array_packed (y, GLA_TYPE_D, 2, 1, 1, GLA_DEVICE_HOST);
  refused (gla_spmv (ctx, S, 'N', &gx, &gy, &(gla_spmv_report){.size = size}), "spmv", size);
  refused (gla_factor_create (ctx, &csr, 0, &F, &(gla_factor_options){.size = size}, NULL),
           "factor", size);
  refused (gla_factor_create (ctx, &csr, 0, &F, NULL, &(gla_factor_report){.size = size}), "factor",
           size);
  const gla_operator op = {.size = sizeof op, .sparse = S};
  const gla_eigs_results r = {.size = sizeof r, .values = gx};
  const gla_operator bad = {.size = size, .sparse = S};
  refused (gla_eigs (ctx, &bad, 2, GLA_EIGS_WHICH_LA, &r, NULL, NULL), "operator", size);
  refused (gla_eigs (ctx, &op, 2, GLA_EIGS_WHICH_LA, &(gla_eigs_results){.size = size}, NULL, NULL),
           "eigs", size);
  refused (gla_eigs (ctx, &op, 2, GLA_EIGS_WHICH_LA, &r, &(gla_eigs_options){.size = size}, NULL),
           "eigs", size);
  refused (gla_eigs (ctx, &op, 2, GLA_EIGS_WHICH_LA, &r, NULL, &(gla_eigs_report){.size = size}),
           "eigs", size);
  CHECK (S != NULL && F == NULL, "handles");
  gla_sparse_destroy (S);
}

int main (void)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  fill ();
  test_older_options ();
  test_older_results ();
  test_older_report ();
  test_newer ();
  const size_t unset[] = {0, 3, (size_t)1 << 40};
  for (int k = 0; k < 3; k++) {
    test_dense (unset[k]);
    test_page_functions (unset[k]);
    test_sparse (unset[k]);
  }
  gla_context_destroy (ctx);
  return check_report ("test_structs");
}
