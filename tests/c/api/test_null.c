// test_null.c: NULL for every pointer, and what is written where a call fails
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda

#include "frame/check.h"

#include <stdio.h>

enum { N = 3, P = 2 };
static double A[N * N * P], V[N * N * P], lambda[N * P];
static gla_context *ctx;

static gla_array pages_of (double *data, int64_t rows, int64_t columns)
{
  return gla_array_packed (data, GLA_TYPE_D, rows, columns, P, GLA_DEVICE_HOST);
}

// The status of a call with an argument that must not be NULL; `name` is what the message says.
static void refused (gla_status status, const char *name)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s: status %d", name, (int)status);
  CHECK (strstr (gla_message (ctx), name) != NULL && strstr (gla_message (ctx), "NULL") != NULL,
         "%s: \"%s\"", name, gla_message (ctx));
}

static void bad (gla_status status, const char *name)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s: status %d", name, (int)status);
}

//------------------------------------------------------------------------------
// no context, no handle
//------------------------------------------------------------------------------

static void test_no_context (void)
{
  const int devices[] = {0};
  gla_device_info about = {.size = sizeof about};
  gla_set_stop (NULL, NULL, NULL);
  gla_set_progress (NULL, NULL, NULL);
  gla_set_sweeps (NULL, NULL, NULL);
  gla_set_warning (NULL, NULL, NULL);
  gla_context_destroy (NULL);
  gla_sparse_destroy (NULL);
  gla_factor_destroy (NULL);
  CHECK (gla_device_count (NULL) == 0, "counts");
  CHECK (gla_message (NULL)[0] == '\0' && gla_backend_note (NULL)[0] == '\0', "texts");
  bad (gla_context_create (NULL), "gla_context_create");
  bad (gla_set_place (NULL, GLA_PLACE_LIST, devices, 1), "gla_set_place");
  bad (gla_device_query (NULL, GLA_DEVICE_HOST, &about), "gla_device_query");
  bad (gla_release (NULL, GLA_DEVICE_ALL_GPUS), "gla_release");
}

// Without a context, and without a GPU where there is none.
static void test_memory_of_a_gpu (void)
{
  void *memory = &memory;
  double x = 0;
  gla_memory_info info = {.size = sizeof info};
  bad (gla_memory_take (NULL, 0, 1, &memory), "gla_memory_take");
  gla_memory_give (NULL, 0, &x);
  gla_memory_give (ctx, 77, &x);
  gla_memory_give (ctx, 0, NULL);
  bad (gla_memory_query (NULL, 0, &info), "gla_memory_query");
  bad (gla_memory_put (NULL, 0, &x, &x, 8), "gla_memory_put");
  bad (gla_memory_get (NULL, 0, &x, &x, 8), "gla_memory_get");
  bad (gla_wait (NULL, 0), "gla_wait");
  CHECK (gla_wait (ctx, 77) == GLA_ERROR_NO_DEVICE && gla_message (ctx)[0] != '\0', "GPU 77");
  CHECK (gla_memory_take (ctx, 77, 1, &memory) == GLA_ERROR_NO_DEVICE && memory == NULL,
         "memory of GPU 77");
}

static void test_no_context_for_operations (void)
{
  const gla_array a = pages_of (A, N, N), l = pages_of (lambda, N, 1);
  const gla_eig_results eig = {.size = sizeof eig, .lambda = l};
  const gla_qr_results qr = {.size = sizeof qr};
  const gla_least_squares_results ls = {.size = sizeof ls, .X = a};
  const gla_gsvd_results gsvd = {.size = sizeof gsvd};
  const gla_gevd_results gevd = {.size = sizeof gevd};
  const gla_pagesolve_results pagesolve = {.size = sizeof pagesolve, .X = a};
  const gla_eig_pairs_results pairs = {.size = sizeof pairs, .lambda = l};
  const gla_pagemul_results pagemul = {.size = sizeof pagemul, .C = a};
  const gla_pagefun_results fun = {.size = sizeof fun, .F = a};
  const gla_svd_results svd = {.size = sizeof svd, .S = l};
  const gla_pageeig_results pageeig = {.size = sizeof pageeig, .lambda = l};
  const gla_eigs_results eigs = {.size = sizeof eigs};
  const gla_operator op = {.size = sizeof op};
  const gla_csr csr = {.type = GLA_TYPE_D};
  gla_sparse *S = (gla_sparse *)&op;
  gla_factor *F = (gla_factor *)&op;
  int hermitian;
  bad (gla_batcheig (NULL, &a, &eig, NULL, NULL), "gla_batcheig");
  bad (gla_qr (NULL, &a, NULL, &qr, NULL, NULL), "gla_qr");
  bad (gla_least_squares (NULL, &a, &a, &ls, NULL, NULL), "gla_least_squares");
  bad (gla_gsvd (NULL, &a, &a, &gsvd, NULL, NULL), "gla_gsvd");
  bad (gla_gevd (NULL, &a, &a, &gevd, NULL, NULL), "gla_gevd");
  bad (gla_pagesolve (NULL, &a, NULL, &pagesolve, NULL, NULL), "gla_pagesolve");
  bad (gla_batcheig_pairs (NULL, &a, &a, &pairs, NULL, NULL), "gla_batcheig_pairs");
  bad (gla_pagemul (NULL, &a, &a, &pagemul, NULL, NULL), "gla_pagemul");
  bad (gla_pagefun (NULL, &a, GLA_FUN_EXP, &fun, NULL, NULL), "gla_pagefun");
  bad (gla_batchsvd (NULL, &a, &svd, NULL, NULL), "gla_batchsvd");
  bad (gla_pageeig (NULL, &a, &pageeig, NULL, NULL), "gla_pageeig");
  bad (gla_sparse_create (NULL, &csr, &S, NULL), "gla_sparse_create");
  bad (gla_factor_create (NULL, &csr, 0, &F, NULL, NULL), "gla_factor_create");
  CHECK (S == NULL && F == NULL, "handles of calls that failed");
  bad (gla_spmv (NULL, NULL, 'N', &a, &a, NULL), "gla_spmv");
  bad (gla_eigs (NULL, &op, 1, GLA_EIGS_WHICH_LA, &eigs, NULL, NULL), "gla_eigs");
  bad (gla_sparse_query (NULL, NULL), "gla_sparse_query");
  bad (gla_sparse_hermitian (NULL, &hermitian, NULL, NULL), "gla_sparse_hermitian");
  bad (gla_factor_solve (NULL, A, A, 1), "gla_factor_solve");
  bad (gla_spmv_once (NULL, NULL, 'N', GLA_TYPE_D, A, V, 1), "gla_spmv_once");
}

//------------------------------------------------------------------------------
// other pointers
//------------------------------------------------------------------------------

static void test_dense_arguments (void)
{
  const gla_array a = pages_of (A, N, N), none = pages_of (NULL, N, N);
  const gla_qr_results qr = {.size = sizeof qr};
  const gla_least_squares_results ls = {.size = sizeof ls, .X = a};
  const gla_gsvd_results gsvd = {.size = sizeof gsvd};
  const gla_gevd_results gevd = {.size = sizeof gevd, .alpha = pages_of (NULL, N, 1)};
  const gla_eig_results eig = {.size = sizeof eig, .lambda = pages_of (lambda, N, 1)};
  const gla_pagesolve_results pagesolve = {.size = sizeof pagesolve, .X = pages_of (V, N, N)};
  const gla_pagesolve_results no_X = {.size = sizeof no_X, .X = none};
  refused (gla_batcheig (ctx, NULL, &eig, NULL, NULL), "A");
  refused (gla_batcheig (ctx, &a, NULL, NULL, NULL), "results");
  bad (gla_batcheig (ctx, &none, &eig, NULL, NULL), "A without data");
  refused (gla_qr (ctx, NULL, NULL, &qr, NULL, NULL), "A");
  refused (gla_qr (ctx, &a, NULL, NULL, NULL, NULL), "results");
  refused (gla_least_squares (ctx, NULL, &a, &ls, NULL, NULL), "A");
  refused (gla_least_squares (ctx, &a, NULL, &ls, NULL, NULL), "B");
  refused (gla_least_squares (ctx, &a, &a, NULL, NULL, NULL), "results");
  refused (gla_gsvd (ctx, NULL, &a, &gsvd, NULL, NULL), "A");
  refused (gla_gsvd (ctx, &a, NULL, &gsvd, NULL, NULL), "B");
  refused (gla_gsvd (ctx, &a, &a, NULL, NULL, NULL), "results");
  refused (gla_gevd (ctx, NULL, &a, &gevd, NULL, NULL), "A");
  refused (gla_gevd (ctx, &a, NULL, &gevd, NULL, NULL), "B");
  refused (gla_gevd (ctx, &a, &a, NULL, NULL, NULL), "results");
  refused (gla_gevd (ctx, &a, &a, &gevd, NULL, NULL), "alpha");
  refused (gla_pagesolve (ctx, NULL, &a, &pagesolve, NULL, NULL), "A");
  refused (gla_pagesolve (ctx, &a, &a, NULL, NULL, NULL), "results");
  bad (gla_pagesolve (ctx, &a, &none, &pagesolve, NULL, NULL), "B without data");
  bad (gla_pagesolve (ctx, &a, &a, &no_X, NULL, NULL), "X without data");
  CHECK (gla_pagesolve (ctx, &a, NULL, &pagesolve, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  refused (gla_device_query (ctx, GLA_DEVICE_HOST, NULL), "info");
}

static void test_page_functions (void)
{
  const gla_array a = pages_of (A, N, N), none = pages_of (NULL, N, N);
  const gla_eig_pairs_results pairs = {.size = sizeof pairs, .lambda = pages_of (lambda, N, 1)};
  const gla_pagemul_results pagemul = {.size = sizeof pagemul, .C = pages_of (V, N, N)};
  const gla_pagemul_results no_C = {.size = sizeof no_C, .C = none};
  const gla_pagefun_results fun = {.size = sizeof fun, .F = pages_of (V, N, N)};
  const gla_pagefun_results no_F = {.size = sizeof no_F, .F = none};
  const gla_pagefun_options strange = {.size = sizeof strange, .triangle = (gla_triangle)7};
  const gla_svd_results svd = {.size = sizeof svd, .S = pages_of (lambda, N, 1)};
  const gla_svd_results no_S = {.size = sizeof no_S, .S = pages_of (NULL, N, 1)};
  refused (gla_batchsvd (ctx, NULL, &svd, NULL, NULL), "A");
  refused (gla_batchsvd (ctx, &a, NULL, NULL, NULL), "results");
  bad (gla_batchsvd (ctx, &none, &svd, NULL, NULL), "A without data");
  bad (gla_batchsvd (ctx, &a, &no_S, NULL, NULL), "S without data");
  CHECK (gla_batchsvd (ctx, &a, &svd, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  refused (gla_batcheig_pairs (ctx, NULL, &a, &pairs, NULL, NULL), "A");
  refused (gla_batcheig_pairs (ctx, &a, NULL, &pairs, NULL, NULL), "B");
  refused (gla_batcheig_pairs (ctx, &a, &a, NULL, NULL, NULL), "results");
  refused (gla_pagemul (ctx, NULL, &a, &pagemul, NULL, NULL), "A");
  refused (gla_pagemul (ctx, &a, NULL, &pagemul, NULL, NULL), "B");
  refused (gla_pagemul (ctx, &a, &a, NULL, NULL, NULL), "results");
  bad (gla_pagemul (ctx, &a, &a, &no_C, NULL, NULL), "C without data");
  refused (gla_pagefun (ctx, NULL, GLA_FUN_EXP, &fun, NULL, NULL), "A");
  refused (gla_pagefun (ctx, &a, GLA_FUN_EXP, NULL, NULL, NULL), "results");
  refused (gla_pagefun (ctx, &a, GLA_FUN_VALUES, &fun, NULL, NULL), "values");
  bad (gla_pagefun (ctx, &a, GLA_FUN_EXP, &no_F, NULL, NULL), "F without data");
  bad (gla_pagefun (ctx, &a, GLA_FUN_EXP, &fun, &strange, NULL), "triangle = 7");
  CHECK (gla_pagefun (ctx, &a, GLA_FUN_EXP, &fun, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
}

static void test_sparse_arguments (void)
{
  static const int32_t start[] = {0, 1, 2}, index[] = {0, 1};
  const gla_csr csr = {GLA_TYPE_D, 2, 2, 4, start, index, NULL};
  const gla_csr no_start = {GLA_TYPE_D, 2, 2, 4, NULL, index, NULL};
  const gla_csr no_index = {GLA_TYPE_D, 2, 2, 4, start, NULL, NULL};
  double x[2] = {1, 2}, y[2];
  const gla_array gx = gla_array_packed (x, GLA_TYPE_D, 2, 1, 1, GLA_DEVICE_HOST);
  gla_sparse *S = NULL;
  gla_factor *F = NULL;
  refused (gla_sparse_create (ctx, NULL, &S, NULL), "csr");
  refused (gla_sparse_create (ctx, &csr, NULL, NULL), "S");
  refused (gla_sparse_create (ctx, &no_start, &S, NULL), "start");
  refused (gla_sparse_create (ctx, &no_index, &S, NULL), "index");
  CHECK (S == NULL, "S of a call that failed");
  CHECK (gla_sparse_create (ctx, &csr, &S, NULL) == GLA_OK, "%s", gla_message (ctx));
  refused (gla_sparse_query (S, NULL), "info");
  refused (gla_sparse_hermitian (S, NULL, NULL, NULL), "hermitian");
  refused (gla_spmv (ctx, NULL, 'N', &gx, &gx, NULL), "S");
  refused (gla_spmv (ctx, S, 'N', NULL, &gx, NULL), "x");
  refused (gla_spmv (ctx, S, 'N', &gx, NULL, NULL), "y");
  refused (gla_factor_create (ctx, NULL, 0, &F, NULL, NULL), "A");
  refused (gla_factor_create (ctx, &csr, 0, NULL, NULL, NULL), "F");
  CHECK (gla_factor_create (ctx, &csr, 0, &F, NULL, NULL) == GLA_OK, "%s", gla_message (ctx));
  bad (gla_factor_solve (F, NULL, y, 1), "B");
  bad (gla_factor_solve (F, x, NULL, 1), "X");
  CHECK (gla_factor_solve (F, x, y, 1) == GLA_OK && y[1] == 2, "solve");
  refused (gla_spmv_once (ctx, &csr, 'N', GLA_TYPE_D, NULL, y, 1), "x");
  refused (gla_spmv_once (ctx, &csr, 'N', GLA_TYPE_D, x, NULL, 1), "y");
  const gla_operator op = {.size = sizeof op, .sparse = S};
  const gla_eigs_results eigs = {.size = sizeof eigs, .values = gx};
  refused (gla_eigs (ctx, NULL, 1, GLA_EIGS_WHICH_LA, &eigs, NULL, NULL), "A");
  refused (gla_eigs (ctx, &op, 1, GLA_EIGS_WHICH_LA, NULL, NULL, NULL), "results");
  gla_factor_destroy (F);
  gla_sparse_destroy (S);
}

//------------------------------------------------------------------------------
// what is written where a call fails
//------------------------------------------------------------------------------

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

static void fill (void)
{
  for (int q = 0; q < N * N * P; q++)
    A[q] = q % (N * N) % (N + 1) == 0;
  for (int q = 0; q < N * P; q++)
    lambda[q] = 77;
}

static void test_failures (void)
{
  const gla_array a = pages_of (A, N, N);
  const gla_eig_results r = {.size = sizeof r, .lambda = pages_of (lambda, N, 1)};
  const gla_eig_options o = {.size = sizeof o, .tol = 2};
  gla_eig_report report = {.base = {.size = sizeof report, .device = 77}};
  fill ();
  bad (gla_batcheig (ctx, &a, &r, &o, &report), "tol = 2");
  CHECK (lambda[0] == 77 && report.base.device == 77, "written after a bad argument");

  const double before = A[1] = 1;
  CHECK (gla_batcheig (ctx, &a, &r, NULL, &report) == GLA_ERROR_NOT_HERMITIAN, "Hermitian");
  CHECK (report.bad_page == 0 && report.base.device == GLA_DEVICE_HOST && A[1] == before, "report");
  fill ();

  gla_set_stop (ctx, stop_at_once, NULL);
  CHECK (gla_batcheig (ctx, &a, &r, NULL, &report) == GLA_ERROR_STOPPED, "not stopped");
  CHECK (report.base.device == GLA_DEVICE_HOST && report.bad_page == -1, "report when stopped");
  CHECK (strcmp (gla_message (ctx), gla_status_text (GLA_ERROR_STOPPED)) == 0, "\"%s\"",
         gla_message (ctx));
  gla_set_stop (ctx, NULL, NULL);

  CHECK (gla_batcheig (ctx, &a, &r, NULL, &report) == GLA_OK && lambda[0] == 1, "after a stop");
  CHECK (gla_message (ctx)[0] == '\0', "message after a success");
}

int main (void)
{
  char version[32];
  snprintf (version, sizeof version, "%d.%d.%d%s", GLA_VERSION_NUMBER / 10000,
            GLA_VERSION_NUMBER / 100 % 100, GLA_VERSION_NUMBER % 100, GLA_VERSION_SUFFIX);
  CHECK (strcmp (version, gla_version ()) == 0, "version %s, %s", version, gla_version ());
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK, "place");
  fill ();
  test_no_context ();
  test_no_context_for_operations ();
  test_memory_of_a_gpu ();
  test_dense_arguments ();
  test_page_functions ();
  test_sparse_arguments ();
  test_failures ();
  gla_context_destroy (ctx);
  return check_report ("test_null");
}
