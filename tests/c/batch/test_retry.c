// test_retry.c: pages of device memory that a GPU cannot solve are solved by the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPU here is the CPU backend under another name, whose pages do not converge as often as the
// test says; its device memory is memory of the host.

#include "frame/check.h"
#include "backend.h"
#include "svd/job.h"
#include "frame/cpu_as_gpu.h"

enum { M = 7, N = 5, LD = 9, PAGES = 6 };

static unsigned failing; // bit k: page k, by whatever method
static const gla_svd_chunk *at_work;
static const int32_t *infos; // of the whole call

static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  at_work = chunk;
  return gla_backend_cpu.batch[GLA_BATCH_SVD]->submit (engine, slot, chunk);
}

static gla_status finish (gla_engine *engine, int slot)
{
  const gla_svd_chunk *c = at_work;
  const gla_status status = gla_backend_cpu.batch[GLA_BATCH_SVD]->finish (engine, slot);
  for (int64_t k = 0; k < c->A.pages; k++)
    if (failing >> (c->info + k - infos) & 1) {
      c->info[k] = N;
      for (int64_t i = 0; i < N; i++)
        ((double *)c->S.data)[k * c->S.page_stride + i * c->S.row_stride] = NAN;
    }
  return status;
}

// Columns have LD elements, of which those behind the matrix must stay; the values have a stride.
typedef struct {
  double A[LD * N * PAGES], U[LD * N * PAGES], V[LD * N * PAGES], S[2 * N * PAGES];
  int32_t info[PAGES];
  gla_svd_report report;
} arrays;

static gla_array matrices (double *data, int rows, int device)
{
  gla_array a = gla_array_packed (data, GLA_TYPE_D, LD, N, PAGES, device);
  a.rows = rows;
  return a;
}

static gla_status decompose (gla_place place, int device, gla_svd_method method, arrays *a)
{
  gla_context *ctx;
  unsigned long long seed = 7;
  for (int k = 0; k < LD * N * PAGES; k++) {
    a->A[k] = check_random (&seed);
    a->U[k] = a->V[k] = 77;
  }
  for (int k = 0; k < 2 * N * PAGES; k++)
    a->S[k] = 77;
  a->report.base.size = sizeof a->report;
  infos = a->info;
  const gla_array A = matrices (a->A, M, device);
  gla_svd_results r = {.size = sizeof r, .info = a->info};
  r.U = matrices (a->U, M, device);
  r.V = matrices (a->V, N, device);
  r.S = gla_array_packed (a->S, GLA_TYPE_D, N, 1, PAGES, device);
  r.S.row_stride = 2;
  r.S.page_stride = r.S.column_stride = 2 * N;
  const gla_svd_options o = {.size = sizeof o, .method = method};
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "place: %s", gla_message (ctx));
  const gla_status status = gla_batchsvd (ctx, &A, &r, &o, &a->report);
  gla_context_destroy (ctx);
  return status;
}

// Whether a page of both has the same bits, with what lies between its columns.
static int alike (const arrays *a, const arrays *b, int page)
{
  const size_t at = (size_t)page * LD * N, bytes = sizeof (double) * LD * N;
  const size_t at_s = (size_t)page * 2 * N, bytes_s = sizeof (double) * 2 * N;
  return memcmp (a->U + at, b->U + at, bytes) == 0 && memcmp (a->V + at, b->V + at, bytes) == 0 &&
         memcmp (a->S + at_s, b->S + at_s, bytes_s) == 0;
}

// Those that fail by the usual method have on the CPU what "jacobi" has there.
static void test_pages (unsigned mask)
{
  static arrays usual, jacobi, gpu;
  failing = 0;
  CHECK (decompose (GLA_PLACE_CPU, GLA_DEVICE_HOST, GLA_SVD_METHOD_AUTO, &usual) == GLA_OK,
         "on the CPU");
  CHECK (decompose (GLA_PLACE_CPU, GLA_DEVICE_HOST, GLA_SVD_METHOD_JACOBI, &jacobi) == GLA_OK,
         "on the CPU");
  failing = mask;
  const int64_t before = copies;
  CHECK (decompose (GLA_PLACE_GPU, 0, GLA_SVD_METHOD_AUTO, &gpu) == GLA_OK, "on the GPU");
  for (int p = 0; p < PAGES; p++)
    CHECK (gpu.info[p] == 0 && alike (&gpu, mask >> p & 1 ? &jacobi : &usual, p),
           "pages %x: page %d has info %d, or other bits", mask, p, gpu.info[p]);
  CHECK ((copies > before) == (mask != 0) && gpu.report.base.pages_failed == 0,
         "pages %x: %lld failed", mask, (long long)gpu.report.base.pages_failed);
}

// A page that cannot be brought to the CPU has failed, the others have not; Ctrl-C ends the call.
static void test_no_copy (void)
{
  static arrays gpu;
  failing = 4;
  of_copies = GLA_ERROR_OUT_OF_MEMORY;
  CHECK (decompose (GLA_PLACE_GPU, 0, GLA_SVD_METHOD_AUTO, &gpu) == GLA_OK, "without memory");
  for (int p = 0; p < PAGES; p++)
    CHECK (gpu.info[p] == (p == 2 ? N : 0), "page %d has info %d", p, gpu.info[p]);
  CHECK (isnan (gpu.S[2 * 2 * N]) && gpu.report.base.pages_failed == 1, "the page that failed");
  of_copies = GLA_ERROR_STOPPED;
  CHECK (decompose (GLA_PLACE_GPU, 0, GLA_SVD_METHOD_AUTO, &gpu) == GLA_ERROR_STOPPED, "a stop");
  of_copies = GLA_OK;
}

int main (void)
{
  make_gpu (GLA_BATCH_SVD, submit, finish);
  make_gpu_memory ();
  const unsigned masks[] = {0, 1, 0x2a, (1u << PAGES) - 1};
  for (int k = 0; k < 4; k++)
    test_pages (masks[k]);
  test_no_copy ();
  return check_report ("test_retry");
}
