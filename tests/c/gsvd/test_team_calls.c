// test_team_calls.c: which GPUs work together on a pair, and what happens when one fails
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The GPUs here are the CPU backend under another name; they predict what the test wants, and note
// which of them were to work together. They do nothing with large pairs.

#include "frame/check.h"
#include "backend.h"
#include "gsvd/job.h"
#include "frame/cpu_as_gpu.h"

enum { GPUS = 6, N = 6, PAGES = 8, NONE = -1, LARGE = 2048 };

static double alone, together[GLA_TEAM_MOST + 1]; // predicted seconds of a pair
static gla_status submit_status;
static int failing; // the device that fails where submit_status says so
static int submits, most_pages, led_by;
static gla_gsvd_team seen; // of the last chunk; count 0: none
static const gla_gsvd_job *job_at_work;

static double predict (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine;
  const gla_gsvd_team *team = ((const gla_gsvd_job *)job)->team;
  return (double)pages * (team == NULL ? alone : together[team->count]);
}

static gla_status begin (gla_engine *engine, const gla_job *job, int64_t pages)
{
  job_at_work = (const gla_gsvd_job *)job;
  return gla_backend_cpu.batch[GLA_BATCH_GSVD]->begin (engine, job, pages);
}

static int64_t one_page (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine;
  return ((const gla_gsvd_job *)job)->team != NULL ? 1 : pages;
}

static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  gla_gsvd_team *team = job_at_work->team;
  const int64_t pages = ((const gla_gsvd_chunk *)chunk)->A.pages;
  submits++;
  most_pages = pages > most_pages ? (int)pages : most_pages;
  led_by = engine->device;
  seen = team != NULL ? *team : (gla_gsvd_team){.count = 0};
  if (submit_status != GLA_OK) {
    if (team != NULL && submit_status == GLA_ERROR_DEVICE_FAILURE)
      team->failed = failing;
    return submit_status;
  }
  if (job_at_work->p >= LARGE) {
    *((const gla_gsvd_chunk *)chunk)->info = 0;
    return GLA_OK;
  }
  return gla_backend_cpu.batch[GLA_BATCH_GSVD]->submit (engine, slot, chunk);
}

static gla_status finish (gla_engine *engine, int slot)
{
  if (job_at_work->p >= LARGE)
    return GLA_OK;
  return gla_backend_cpu.batch[GLA_BATCH_GSVD]->finish (engine, slot);
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static int warnings;

static void count_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}

static gla_context *new_context (gla_place place, const int *devices, int count)
{
  gla_context *ctx;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  CHECK (gla_set_place (ctx, place, devices, count) == GLA_OK, "%s", gla_message (ctx));
  gla_set_warning (ctx, count_warning, NULL);
  return ctx;
}

// The values of some pairs, and whether they are those of the CPU.
static gla_status call (gla_context *ctx, int pages)
{
  static double A[N * N * PAGES], B[N * N * PAGES], alpha[N * PAGES], beta[N * PAGES];
  static double alpha_cpu[N * PAGES];
  unsigned long long seed = 3;
  for (int k = 0; k < N * N * PAGES; k++) {
    A[k] = check_random (&seed);
    B[k] = check_random (&seed);
  }
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, N, N, pages, GLA_DEVICE_HOST);
  const gla_array b = gla_array_packed (B, GLA_TYPE_D, N, N, pages, GLA_DEVICE_HOST);
  gla_gsvd_results r = {.size = sizeof r,
                        .alpha = gla_array_packed (alpha, GLA_TYPE_D, N, 1, pages, GLA_DEVICE_HOST),
                        .beta = gla_array_packed (beta, GLA_TYPE_D, N, 1, pages, GLA_DEVICE_HOST)};
  submits = most_pages = warnings = 0;
  led_by = NONE;
  seen = (gla_gsvd_team){.count = 0};
  const gla_status status = gla_gsvd (ctx, &a, &b, &r, NULL, NULL);
  CHECK (status == GLA_OK, "%d pages: %s", pages, gla_message (ctx));
  gla_context *cpu = new_context (GLA_PLACE_CPU, NULL, 0);
  r.alpha.data = alpha_cpu;
  CHECK (gla_gsvd (cpu, &a, &b, &r, NULL, NULL) == GLA_OK, "%s", gla_message (cpu));
  CHECK (memcmp (alpha, alpha_cpu, sizeof alpha[0] * N * (size_t)pages) == 0, "other values");
  gla_context_destroy (cpu);
  return status;
}

// One pair of so many columns, whose results do not matter.
static void call_large (gla_context *ctx, int64_t p)
{
  double *A = calloc ((size_t)(2 * p * p + 2 * p), sizeof *A);
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, p, p, 1, GLA_DEVICE_HOST);
  const gla_array b = gla_array_packed (A + p * p, GLA_TYPE_D, p, p, 1, GLA_DEVICE_HOST);
  double *values = A + 2 * p * p;
  const gla_gsvd_results r = {
      .size = sizeof r,
      .alpha = gla_array_packed (values, GLA_TYPE_D, p, 1, 1, GLA_DEVICE_HOST),
      .beta = gla_array_packed (values + p, GLA_TYPE_D, p, 1, 1, GLA_DEVICE_HOST)};
  seen = (gla_gsvd_team){.count = 0};
  const gla_status status = gla_gsvd (ctx, &a, &b, &r, NULL, NULL);
  CHECK (status == GLA_OK, "%d columns: %s", (int)p, gla_message (ctx));
  free (A);
}

static void expect (const char *what, int leader, int members)
{
  CHECK (seen.count == members && led_by == leader && (members == 0 || seen.devices[0] == leader),
         "%s: %d members led by %d, not %d by %d", what, seen.count, led_by, members, leader);
  CHECK (members == 0 || most_pages == 1, "%s: a chunk of %d pages", what, most_pages);
}

static void predict_all (double a, double two, double four, double eight)
{
  alone = a;
  together[2] = two;
  together[4] = four;
  together[8] = eight;
}

static void test_choice (void)
{
  const int three[] = {4, 2, 5}, one[] = {3};
  gla_context *all = new_context (GLA_PLACE_GPU, NULL, 0);
  gla_context *some = new_context (GLA_PLACE_LIST, three, 3);
  gla_context *single = new_context (GLA_PLACE_LIST, one, 1);
  predict_all (1, 0.6, 0.4, 0.3); // there are not eight
  call (all, 1);
  expect ("four are faster", 0, 4);
  CHECK (seen.devices[1] == 1 && seen.devices[3] == 3, "devices %d %d", seen.devices[1],
         seen.devices[3]);
  predict_all (1, 0.6, 0.7, 0.3);
  call (all, 1);
  expect ("two are faster", 0, 2);
  call (all, 2);
  expect ("two pairs, one after the other, take longer", led_by, 0);
  CHECK (submits == 2, "%d chunks", submits);
  predict_all (1, 0.3, 0.7, 0.3);
  call (all, 2);
  expect ("two pairs, one after the other", 0, 2);
  CHECK (submits == 2, "%d chunks", submits);
  call (all, GPUS);
  expect ("a pair for each GPU", led_by, 0);
  predict_all (1, 0.95, 1e9, 1e9);
  call (all, 1);
  expect ("two save little", led_by, 0);
  predict_all (1, 1.1, 1e9, 1e9);
  call (all, 1);
  expect ("two are slower", led_by, 0);
  call (some, 1);
  expect ("two are slower, also of those that are listed", led_by, 0);
  call_large (all, LARGE);
  expect ("two are slower for a large pair", led_by, 0);
  call_large (some, LARGE);
  expect ("two are slower for a large pair, and listed", 4, 2);
  CHECK (seen.devices[1] == 2, "device %d", seen.devices[1]);
  call (some, 2);
  expect ("two pairs on listed GPUs", led_by, 0);
  predict_all (1, 1e9, 1e9, 1e9);
  call_large (some, LARGE);
  expect ("they cannot", led_by, 0);
  predict_all (1, 0.1, 0.1, 0.1);
  call (single, 1);
  expect ("one GPU", 3, 0);
  CHECK (warnings == 0, "%d warnings", warnings);
  gla_context_destroy (all);
  gla_context_destroy (some);
  gla_context_destroy (single);
}

// Where memory is short or a GPU fails, the CPU does the pair with one warning, and the GPU that
// failed is not used again; the others are.
static void test_failures (void)
{
  const int three[] = {4, 2, 5};
  gla_context *ctx = new_context (GLA_PLACE_LIST, three, 3);
  predict_all (1, 0.6, 0.4, 0.3);
  submit_status = GLA_ERROR_OUT_OF_MEMORY;
  call (ctx, 1);
  expect ("memory is short", 4, 2);
  CHECK (warnings == 1, "%d warnings", warnings);
  submit_status = GLA_OK;
  call (ctx, 1);
  expect ("there is memory again", 4, 2);
  CHECK (warnings == 0, "%d warnings", warnings);
  submit_status = GLA_ERROR_DEVICE_FAILURE;
  failing = 2;
  call (ctx, 1);
  expect ("device 2 fails", 4, 2);
  CHECK (warnings == 1, "%d warnings", warnings);
  submit_status = GLA_OK;
  call (ctx, 1);
  expect ("device 2 has failed", 4, 2);
  CHECK (seen.devices[1] == 5 && warnings == 0, "device %d", seen.devices[1]);
  gla_context_destroy (ctx);
  open_fails = 4;
  ctx = new_context (GLA_PLACE_LIST, three, 3);
  call (ctx, 1);
  expect ("device 4 does not open", 2, 2);
  CHECK (seen.devices[1] == 5 && warnings == 1, "device %d, %d warnings", seen.devices[1],
         warnings);
  gla_context_destroy (ctx);
  open_fails = NONE;
}

int main (void)
{
  make_gpu (GLA_BATCH_GSVD, submit, finish);
  make_gpus (GPUS);
  gpu_ops.seconds = predict;
  gpu_ops.begin = begin;
  gpu_ops.chunk_pages = one_page;
  open_fails = NONE;
  test_choice ();
  test_failures ();
  return check_report ("test_team_calls");
}
