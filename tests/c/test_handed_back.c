// test_handed_back.c: systems that a GPU hands back get the CPU's bits, the others keep the GPU's
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda
//
// The GPU here is the CPU backend under another name, which hands some pages back as if pivot 2
// were out of scale. test_irregular.c does the same with pairs.

#include "check.h"
#include "cpu_as_gpu.h"

enum { N = 5, RHS = 3, PAGES = 10 };

static unsigned handed_back; // bit k: page k
static const gla_pagesolve_chunk *at_work;

static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  at_work = chunk;
  return gla_backend_cpu.batch[GLA_BATCH_PAGESOLVE]->submit (engine, slot, chunk);
}

static gla_status finish (gla_engine *engine, int slot)
{
  const gla_pagesolve_chunk *c = at_work;
  const gla_status status = gla_backend_cpu.batch[GLA_BATCH_PAGESOLVE]->finish (engine, slot);
  for (int64_t k = 0; k < c->X.pages; k++)
    if (handed_back >> (c->first + k) & 1) {
      c->info[k] = -2;
      ((double *)c->rcond.data)[k * c->rcond.page_stride] = 0;
      for (int64_t i = 0; i < N * c->X.columns; i++)
        ((double *)c->X.data)[k * c->X.page_stride + i] = NAN;
    }
  return status;
}

typedef struct {
  double X[N * N * PAGES], rcond[PAGES];
  int32_t info[PAGES];
  gla_pagesolve_report report;
} answer;

// Page 3 is singular, page 6 holds NaN; with 0 right-hand sides the inverse.
static void fill (double *A, double *B)
{
  unsigned long long seed = 5;
  for (int k = 0; k < N * N * PAGES; k++)
    A[k] = check_random (&seed);
  for (int k = 0; k < N * RHS * PAGES; k++)
    B[k] = check_random (&seed);
  for (int i = 0; i < N; i++)
    A[3 * N * N + 2 * N + i] = 0;
  A[6 * N * N + 7] = NAN;
}

static gla_status solve (int inverse, gla_place place, answer *to)
{
  static double A[N * N * PAGES], B[N * RHS * PAGES];
  const int columns = inverse ? N : RHS;
  gla_context *ctx;
  fill (A, B);
  *to = (answer){.report.base.size = sizeof to->report};
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, PAGES, GLA_DEVICE_HOST);
  const gla_array b = gla_array_packed (B, GLA_TYPE_D, N, RHS, PAGES, GLA_DEVICE_HOST);
  const gla_pagesolve_results r = {
      .size = sizeof r,
      .X = gla_array_packed (to->X, GLA_TYPE_D, N, columns, PAGES, GLA_DEVICE_HOST),
      .rcond = gla_array_packed (to->rcond, GLA_TYPE_D, 1, 1, PAGES, GLA_DEVICE_HOST),
      .info = to->info};
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "place: %s", gla_message (ctx));
  const gla_status status = gla_pagesolve (ctx, &a, inverse ? NULL : &b, &r, NULL, &to->report);
  CHECK (status == GLA_OK, "%s", gla_message (ctx));
  gla_context_destroy (ctx);
  return status;
}

static void test_pages (int inverse, unsigned mask)
{
  static answer cpu, gpu;
  const size_t page = sizeof (double) * N * (size_t)(inverse ? N : RHS);
  handed_back = 0;
  solve (inverse, GLA_PLACE_CPU, &cpu);
  handed_back = mask;
  solve (inverse, GLA_PLACE_GPU, &gpu);
  for (int p = 0; p < PAGES; p++) {
    const size_t at = (size_t)p * page / sizeof (double);
    CHECK (gpu.info[p] == cpu.info[p] && memcmp (gpu.X + at, cpu.X + at, page) == 0 &&
               memcmp (gpu.rcond + p, cpu.rcond + p, sizeof gpu.rcond[p]) == 0,
           "inverse %d, pages %x: page %d has info %d and not %d, or other bits", inverse, mask, p,
           gpu.info[p], cpu.info[p]);
  }
  CHECK (cpu.info[3] == 3 && cpu.info[6] == N + 1, "info %d, %d", cpu.info[3], cpu.info[6]);
  CHECK (gpu.report.first_singular == 3 && gpu.report.base.first_failed == 6 &&
             gpu.report.pages_singular == 1 && gpu.report.base.pages_failed == 1,
         "inverse %d, pages %x: counts", inverse, mask);
  const int all = mask == (1u << PAGES) - 1;
  CHECK (gpu.report.base.device == (all ? GLA_DEVICE_HOST : 0), "pages %x: device %d", mask,
         gpu.report.base.device);
}

int main (void)
{
  make_gpu (GLA_BATCH_PAGESOLVE, submit, finish);
  const unsigned masks[] = {0, 1, 0x226, 0x3f8, 0x200, (1u << PAGES) - 1};
  for (int k = 0; k < 6; k++) {
    test_pages (0, masks[k]);
    test_pages (1, masks[k]);
  }
  return check_report ("test_handed_back");
}
