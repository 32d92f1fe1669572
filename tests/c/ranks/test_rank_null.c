// test_rank_null.c: functions of ranks without a context, and with sizes that were not set
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/check.h"

enum { N = 3 };
static double numbers[N * N];

static void bad (gla_status status, const char *name)
{
  CHECK (status == GLA_ERROR_BAD_ARGUMENT, "%s: status %d", name, (int)status);
}

static void test_no_context (gla_ranks *ranks)
{
  const gla_array a = gla_array_packed (numbers, GLA_TYPE_D, N, N, 1, GLA_DEVICE_HOST);
  const gla_qr_results qr = {.size = sizeof qr};
  const gla_least_squares_results ls = {.size = sizeof ls, .X = a};
  const gla_gsvd_results gsvd = {.size = sizeof gsvd};
  const gla_gevd_results gevd = {.size = sizeof gevd};
  gla_ranks_info info = {.size = sizeof info};
  gla_ranks_parts parts = {.size = sizeof parts};
  int64_t bytes[1] = {0}, bytes_in[1];
  void *received = NULL;
  bad (gla_ranks_mpi (NULL, &(gla_ranks *){NULL}), "gla_ranks_mpi");
  bad (gla_ranks_query (NULL, ranks, &info), "gla_ranks_query");
  bad (gla_ranks_announce (NULL, ranks, &parts), "gla_ranks_announce");
  bad (gla_ranks_refuse (NULL, ranks, GLA_ERROR_OUT_OF_MEMORY, ""), "gla_ranks_refuse");
  bad (gla_ranks_deal (NULL, ranks, &a, &a), "gla_ranks_deal");
  bad (gla_ranks_collect (NULL, ranks, &a, &a), "gla_ranks_collect");
  bad (gla_ranks_all_to_all (NULL, ranks, numbers, bytes, &received, bytes_in),
       "gla_ranks_all_to_all");
  bad (gla_qr_rows (NULL, ranks, &a, NULL, &qr, NULL, NULL), "gla_qr_rows");
  bad (gla_least_squares_rows (NULL, ranks, &a, &a, &ls, NULL, NULL), "gla_least_squares_rows");
  bad (gla_gsvd_rows (NULL, ranks, &a, &a, &gsvd, NULL, NULL), "gla_gsvd_rows");
  bad (gla_gevd_rows (NULL, ranks, &a, &a, &gevd, NULL, NULL), "gla_gevd_rows");
  bad (gla_gsvd_columns (NULL, ranks, &a, &a, &gsvd, NULL, NULL), "gla_gsvd_columns");
  bad (gla_gevd_columns (NULL, ranks, &a, &a, &gevd, NULL, NULL), "gla_gevd_columns");
}

static void test_sparse (gla_ranks *ranks)
{
  static const int32_t start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
  const gla_csr csr = {GLA_TYPE_D, N, N, 4, start, index, NULL};
  const gla_array x = gla_array_packed (numbers, GLA_TYPE_D, N, 1, 1, GLA_DEVICE_HOST);
  const gla_eigs_results eigs = {.size = sizeof eigs, .values = x};
  gla_sparse_rows *S = (gla_sparse_rows *)&eigs;
  bad (gla_sparse_rows_create (NULL, ranks, &csr, &S, NULL), "gla_sparse_rows_create");
  CHECK (S == NULL, "the handle of a call that failed");
  bad (gla_spmv_rows (NULL, NULL, &x, &x, NULL), "gla_spmv_rows");
  bad (gla_eigs_rows (NULL, NULL, 1, GLA_EIGS_WHICH_LA, &eigs, NULL, NULL), "gla_eigs_rows");
}

static void test_sizes (gla_context *ctx, gla_ranks *ranks, size_t size)
{
  bad (gla_ranks_query (ctx, ranks, &(gla_ranks_info){.size = size}), "gla_ranks_info");
  CHECK (strstr (gla_message (ctx), "size of") != NULL, "\"%s\"", gla_message (ctx));
  bad (gla_ranks_announce (ctx, ranks, &(gla_ranks_parts){.size = size}), "gla_ranks_parts");
  CHECK (strstr (gla_message (ctx), "size of") != NULL, "\"%s\"", gla_message (ctx));
}

int main (void)
{
  gla_context *ctx = NULL;
  gla_ranks *ranks = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_ranks_threads (ctx, 1, &ranks) == GLA_OK, "%s", gla_message (ctx));
  test_no_context (ranks);
  test_sparse (ranks);
  const size_t unset[] = {0, 3, (size_t)1 << 40};
  for (int k = 0; k < 3; k++)
    test_sizes (ctx, ranks, unset[k]);
  gla_ranks_destroy (ranks);
  gla_context_destroy (ctx);
  return check_report ("test_rank_null");
}
