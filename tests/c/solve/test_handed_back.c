// test_handed_back.c: systems that a GPU hands back get the CPU's bits, the others keep the GPU's
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPU here is the CPU backend under another name, which hands some pages back as if pivot 2
// were out of scale. test_irregular.c does the same with pairs.

#include "frame/check.h"
#include "backend.h"
#include "solve/job.h"
#include "frame/cpu_as_gpu.h"

enum { N = 5, RHS = 3, PAGES = 10 };

static unsigned handed_back; // bit k: page k
static int all_handed_back;  // of any number of pages
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
    if (all_handed_back || handed_back >> (c->first + k) & 1) {
      c->info[k] = -2;
      if (c->rcond.data != NULL)
        ((double *)c->rcond.data)[k * c->rcond.page_stride] = 0;
      for (int64_t i = 0; i < c->X.rows * c->X.columns; i++)
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

static gla_status solve (int inverse, gla_place place, int device, answer *to)
{
  static double A[N * N * PAGES], B[N * RHS * PAGES];
  const int columns = inverse ? N : RHS;
  gla_context *ctx;
  fill (A, B);
  *to = (answer){.report.base.size = sizeof to->report};
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, PAGES, device);
  const gla_array b = gla_array_packed (B, GLA_TYPE_D, N, RHS, PAGES, device);
  const gla_pagesolve_results r = {
      .size = sizeof r,
      .X = gla_array_packed (to->X, GLA_TYPE_D, N, columns, PAGES, device),
      .rcond = gla_array_packed (to->rcond, GLA_TYPE_D, 1, 1, PAGES, device),
      .info = to->info};
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "place: %s", gla_message (ctx));
  const gla_status status = gla_pagesolve (ctx, &a, inverse ? NULL : &b, &r, NULL, &to->report);
  CHECK (status == of_copies, "status %d: %s", (int)status, gla_message (ctx));
  gla_context_destroy (ctx);
  return status;
}

// device: where the arrays are.
static void test_pages (int inverse, unsigned mask, int device)
{
  static answer cpu, gpu;
  const size_t page = sizeof (double) * N * (size_t)(inverse ? N : RHS);
  handed_back = 0;
  solve (inverse, GLA_PLACE_CPU, GLA_DEVICE_HOST, &cpu);
  handed_back = mask;
  solve (inverse, GLA_PLACE_GPU, device, &gpu);
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
  const int all = mask == (1u << PAGES) - 1 && device == GLA_DEVICE_HOST;
  CHECK (gpu.report.base.device == (all ? GLA_DEVICE_HOST : 0), "pages %x: device %d", mask,
         gpu.report.base.device);
}

// All pairs of 2 pages of A and 3 of B, with transposes, from the right, without rcond.
static void test_grid (void)
{
  static double A[N * N * 2], B[RHS * N * 3], X[2][RHS * N * 6];
  const int64_t dim_size[] = {2, 3}, a_step[] = {1, 0}, b_step[] = {0, 1};
  const gla_pagesolve_options o = {sizeof o, 'T', GLA_SIDE_RIGHT, 2, dim_size, a_step, b_step};
  unsigned long long seed = 9;
  for (int k = 0; k < N * N * 2; k++)
    A[k] = check_random (&seed);
  for (int k = 0; k < RHS * N * 3; k++)
    B[k] = check_random (&seed);
  handed_back = 0x35;
  for (int device = GLA_DEVICE_HOST; device <= 0; device++) {
    gla_context *ctx;
    const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, 2, device);
    const gla_array b = gla_array_packed (B, GLA_TYPE_D, RHS, N, 3, device);
    const gla_pagesolve_results r = {
        .size = sizeof r, .X = gla_array_packed (X[device == 0], GLA_TYPE_D, RHS, N, 6, device)};
    CHECK (gla_context_create (&ctx) == GLA_OK, "context");
    CHECK (gla_set_place (ctx, device == 0 ? GLA_PLACE_GPU : GLA_PLACE_CPU, NULL, 0) == GLA_OK,
           "place");
    CHECK (gla_pagesolve (ctx, &a, &b, &r, &o, NULL) == GLA_OK, "grid: %s", gla_message (ctx));
    gla_context_destroy (ctx);
  }
  CHECK (memcmp (X[0], X[1], sizeof X[0]) == 0, "the grid has other bits on a GPU");
}

// Inverses of every second page; a grid without B needs no b_step.
static void test_inverse_grid (void)
{
  static double A[N * N * 6], X[2][N * N * 3];
  const int64_t dim_size[] = {3}, a_step[] = {2};
  const gla_pagesolve_options o = {
      .size = sizeof o, .dims = 1, .dim_size = dim_size, .a_step = a_step};
  unsigned long long seed = 11;
  for (int k = 0; k < N * N * 6; k++)
    A[k] = check_random (&seed);
  handed_back = 5;
  for (int device = GLA_DEVICE_HOST; device <= 0; device++) {
    gla_context *ctx;
    const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, 6, device);
    const gla_pagesolve_results r = {
        .size = sizeof r, .X = gla_array_packed (X[device == 0], GLA_TYPE_D, N, N, 3, device)};
    CHECK (gla_context_create (&ctx) == GLA_OK, "context");
    CHECK (gla_set_place (ctx, device == 0 ? GLA_PLACE_GPU : GLA_PLACE_CPU, NULL, 0) == GLA_OK,
           "place");
    CHECK (gla_pagesolve (ctx, &a, NULL, &r, &o, NULL) == GLA_OK, "%s", gla_message (ctx));
    gla_context_destroy (ctx);
  }
  CHECK (memcmp (X[0], X[1], sizeof X[0]) == 0, "inverses of a grid have other bits on a GPU");
}

// A page that cannot be brought to the CPU ends the call, and so does Ctrl-C.
static void test_no_copy (void)
{
  static answer gpu;
  handed_back = 2;
  of_copies = GLA_ERROR_OUT_OF_MEMORY;
  solve (0, GLA_PLACE_GPU, 0, &gpu);
  of_copies = GLA_ERROR_STOPPED;
  solve (0, GLA_PLACE_GPU, 0, &gpu);
  of_copies = GLA_OK;
}

//------------------------------------------------------------------------------
// stops
//------------------------------------------------------------------------------

// Copies of a batch: A and B to the host, X and rcond back.
enum { COPIES = 4 };

static int64_t copies_before; // that are let through

static int stop (void *user)
{
  (void)user;
  return copies >= copies_before;
}

// Pages of device memory are solved by batches of 16 MB. Who asks to stop is heard before the next
// one is copied, and nothing is written after that.
static void test_stop (void)
{
  enum { BATCH = (16 << 20) / (16 * (N * N + 2 * N * RHS + 1) + 1), MANY = 2 * BATCH + 7 };
  double *A = malloc (MANY * N * N * sizeof *A), *B = malloc (MANY * N * RHS * sizeof *B),
         *X = malloc (MANY * N * RHS * sizeof *X), *rcond = malloc (MANY * sizeof *rcond);
  gla_context *ctx;
  unsigned long long seed = 13;
  for (int64_t k = 0; k < MANY * N * N; k++)
    A[k] = check_random (&seed);
  for (int64_t k = 0; k < MANY * N * RHS; k++)
    B[k] = check_random (&seed);
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, MANY, 0),
                  b = gla_array_packed (B, GLA_TYPE_D, N, RHS, MANY, 0);
  const gla_pagesolve_results r = {.size = sizeof r,
                                   .X = gla_array_packed (X, GLA_TYPE_D, N, RHS, MANY, 0),
                                   .rcond = gla_array_packed (rcond, GLA_TYPE_D, 1, 1, MANY, 0)};
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) == GLA_OK, "place");
  gla_set_stop (ctx, stop, NULL);
  all_handed_back = 1;
  for (int batches = 1; batches <= 3; batches++) {
    copies = 0;
    copies_before = batches * COPIES;
    const gla_status status = gla_pagesolve (ctx, &a, &b, &r, NULL, NULL);
    CHECK (status == (batches < 3 ? GLA_ERROR_STOPPED : GLA_OK) && copies == copies_before,
           "stop after %d batches: status %d, %lld copies", batches, (int)status,
           (long long)copies);
    CHECK (!isnan (X[(MANY - 1) * N * RHS]) == (batches >= 3), "the last page");
    CHECK (isfinite (X[(batches < 3 ? batches * BATCH : MANY) * N * RHS - 1]), "pages of a batch");
    CHECK (gla_message (ctx)[0] != '\0' || status == GLA_OK, "no message");
  }
  all_handed_back = 0;
  gla_context_destroy (ctx);
  free (A);
  free (B);
  free (X);
  free (rcond);
}

int main (void)
{
  make_gpu (GLA_BATCH_PAGESOLVE, submit, finish);
  make_gpu_memory ();
  const unsigned masks[] = {0, 1, 0x226, 0x3f8, 0x200, (1u << PAGES) - 1};
  for (int k = 0; k < 24; k++)
    test_pages (k / 2 % 2, masks[k / 4], k % 2 ? 0 : GLA_DEVICE_HOST);
  test_grid ();
  test_inverse_grid ();
  test_no_copy ();
  test_stop ();
  return check_report ("test_handed_back");
}
