// test_svd_copied.c: pages in the memory of a GPU that has no way to all columns of U get the CPU's
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPU here is the CPU backend under another name; it refuses a square U, as one does for tall
// pages.

#include "frame/check.h"
#include "backend.h"
#include "svd/job.h"
#include "frame/cpu_as_gpu.h"

enum { M = 40, N = 3, PAGES = 9000, STEP = 41 }; // more pages than are copied at a time

static int stops_after = -1; // polls

static int refuses_square (const gla_job *head)
{
  const gla_svd_job *job = (const gla_svd_job *)head;
  return job->u_columns <= job->values && job->v_columns <= job->values;
}

static int stop (void *user)
{
  (void)user;
  return stops_after >= 0 && stops_after-- == 0;
}

typedef struct {
  double A[M * N * PAGES], S[N * PAGES], U[STEP * M * PAGES], V[N * N * PAGES];
  int32_t info[PAGES];
  gla_svd_report report;
} answer;

// wide: A' with V of M columns. Page 5 holds NaN.
static gla_status solve (answer *to, int wide, gla_place place, int device)
{
  unsigned long long seed = 7;
  for (int k = 0; k < M * N * PAGES; k++)
    to->A[k] = check_random (&seed);
  to->A[5 * M * N + 4] = NAN;
  to->report = (gla_svd_report){.base.size = sizeof to->report};
  const int m = wide ? N : M, n = M + N - m;
  const gla_array A = gla_array_packed (to->A, GLA_TYPE_D, m, n, PAGES, device);
  gla_array square = gla_array_packed (to->U, GLA_TYPE_D, M, M, PAGES, device);
  square.column_stride = STEP; // gaps
  square.page_stride = STEP * M;
  const gla_array small = gla_array_packed (to->V, GLA_TYPE_D, N, N, PAGES, device);
  const gla_svd_results r = {.size = sizeof r,
                             .S = gla_array_packed (to->S, GLA_TYPE_D, N, 1, PAGES, device),
                             .U = wide ? small : square,
                             .V = wide ? square : small,
                             .info = to->info};
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "place: %s", gla_message (ctx));
  gla_set_stop (ctx, stop, NULL);
  const gla_status status = gla_batchsvd (ctx, &A, &r, NULL, &to->report);
  gla_context_destroy (ctx);
  return status;
}

static void test_bits (int wide)
{
  static answer cpu, gpu;
  memset (&cpu, 0, sizeof cpu);
  memset (&gpu, 0, sizeof gpu);
  CHECK (solve (&cpu, wide, GLA_PLACE_CPU, GLA_DEVICE_HOST) == GLA_OK, "cpu");
  CHECK (solve (&gpu, wide, GLA_PLACE_GPU, 0) == GLA_OK, "gpu");
  CHECK (memcmp (cpu.S, gpu.S, sizeof cpu.S) == 0, "S, wide %d", wide);
  CHECK (memcmp (cpu.U, gpu.U, sizeof cpu.U) == 0, "square, wide %d", wide);
  CHECK (memcmp (cpu.V, gpu.V, sizeof cpu.V) == 0, "small, wide %d", wide);
  CHECK (memcmp (cpu.info, gpu.info, sizeof cpu.info) == 0, "info, wide %d", wide);
  CHECK (gpu.info[5] == N + 1 && gpu.report.base.pages_failed == 1 &&
             gpu.report.base.first_failed == 5 && gpu.report.base.device == GLA_DEVICE_HOST,
         "wide %d: info %d, %lld failed, device %d", wide, gpu.info[5],
         (long long)gpu.report.base.pages_failed, gpu.report.base.device);
}

// A stop between pages that are copied, copies that fail, and a place that is not theirs.
static void test_ends (void)
{
  static answer a;
  stops_after = 0;
  CHECK (solve (&a, 0, GLA_PLACE_GPU, 0) == GLA_ERROR_STOPPED, "not stopped");
  stops_after = -1;
  of_copies = GLA_ERROR_DEVICE_FAILURE;
  CHECK (solve (&a, 0, GLA_PLACE_GPU, 0) == GLA_ERROR_DEVICE_FAILURE, "copies that fail");
  of_copies = GLA_OK;
  CHECK (solve (&a, 0, GLA_PLACE_CPU, 0) == GLA_ERROR_BAD_ARGUMENT, "place \"cpu\"");
}

int main (void)
{
  make_gpu (GLA_BATCH_SVD, gla_backend_cpu.batch[GLA_BATCH_SVD]->submit,
            gla_backend_cpu.batch[GLA_BATCH_SVD]->finish);
  make_gpu_memory ();
  gpu_ops.supports = refuses_square;
  test_bits (0);
  test_bits (1);
  test_ends ();
  return check_report ("test_svd_copied");
}
