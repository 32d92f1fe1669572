// test_driver.c: the batch driver with a mock GPU that runs short of memory or fails
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: tsan
//
// Linked with its own list of backends: a mock GPU that computes on the CPU and fails as `plan`
// says.

#include "frame/calls.h"
#include "frame/check.h"
#include "backend.h"
#include "batch/run.h"
#include "eig/job.h"
#include "threads/schedule.h"

enum { N = 6, P = 100 };

//------------------------------------------------------------------------------
// the mock GPU
//------------------------------------------------------------------------------

static struct {
  int devices, open_fails;
  int64_t chunk, memory; // pages of a chunk, and the largest number that memory allows
  int fail_submit, fail_finish, short_submit; // number of the call that fails; 0: none
  int stop_at;                                // finished chunks after which the caller stops
  int one_chunk;                              // memory is short while another chunk is in flight
  int not_converging; // pages with this real part at (0, 0) do not converge by the first method
} plan;
static struct {
  int opened, begun, submitted, finished;
  int64_t largest;
  int long_slices; // submits by a thread with the system's time slices
} seen;

typedef struct {
  gla_engine base;
  gla_engine *cpu;
  gla_eig_job job;
  int in_flight;
  const gla_eig_chunk *chunks[2];
} mock_engine;

// Engines count in parallel, each in its own thread.
static int count_up (int *counter)
{
  return __atomic_add_fetch (counter, 1, __ATOMIC_SEQ_CST);
}

static void note_largest (int64_t pages)
{
  int64_t largest = __atomic_load_n (&seen.largest, __ATOMIC_SEQ_CST);
  while (pages > largest && !__atomic_compare_exchange_n (&seen.largest, &largest, pages, 0,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
}

static int mock_count (char *why, size_t size)
{
  snprintf (why, size, "the plan has none");
  return plan.devices;
}
static gla_status mock_query (int device, gla_device_info *info)
{
  info->multiprocessors = device;
  return GLA_OK;
}

extern const gla_backend mock;

static gla_status mock_open (int device, gla_engine **engine)
{
  if (plan.open_fails)
    return GLA_ERROR_DEVICE_FAILURE;
  mock_engine *e = calloc (1, sizeof *e);
  e->base = (gla_engine){&mock, device};
  gla_backend_cpu.open (GLA_DEVICE_HOST, &e->cpu);
  count_up (&seen.opened);
  *engine = &e->base;
  return GLA_OK;
}
static void mock_close (gla_engine *engine)
{
  mock_engine *e = (mock_engine *)engine;
  gla_backend_cpu.close (e->cpu);
  __atomic_sub_fetch (&seen.opened, 1, __ATOMIC_SEQ_CST);
  free (e);
}
static int mock_supports (const gla_job *job)
{
  return ((const gla_eig_job *)job)->n <= 1000;
}
static double mock_seconds (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job, (void)pages;
  return 0;
}
static int64_t mock_pages (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages < plan.chunk ? pages : plan.chunk;
}
static gla_status mock_begin (gla_engine *engine, const gla_job *job, int64_t pages)
{
  mock_engine *e = (mock_engine *)engine;
  if (pages > plan.memory)
    return GLA_ERROR_OUT_OF_MEMORY;
  e->job = *(const gla_eig_job *)job;
  e->in_flight = 0;
  count_up (&seen.begun);
  return GLA_OK;
}
static gla_status mock_submit (gla_engine *engine, int slot, const void *pages)
{
  const gla_eig_chunk *chunk = pages;
  mock_engine *e = (mock_engine *)engine;
  int number = count_up (&seen.submitted);
  if (gla_time_slice_shorten () != 0)
    count_up (&seen.long_slices);
  if (number == plan.fail_submit)
    return GLA_ERROR_DEVICE_FAILURE;
  if (number == plan.short_submit || (plan.one_chunk && e->in_flight > 0))
    return GLA_ERROR_OUT_OF_MEMORY;
  e->in_flight++;
  note_largest (chunk->A.pages);
  e->chunks[slot] = chunk;
  return GLA_OK;
}
static int no_poll (void *user, int64_t pages)
{
  (void)user, (void)pages;
  return 0;
}
static gla_status mock_finish (gla_engine *engine, int slot)
{
  mock_engine *e = (mock_engine *)engine;
  const gla_eig_chunk *chunk = e->chunks[slot];
  e->in_flight--;
  if (count_up (&seen.finished) == plan.fail_finish)
    return GLA_ERROR_DEVICE_FAILURE;
  gla_eig_job job = e->job;
  job.head.monitor.poll = no_poll;
  const gla_batch_ops *cpu = gla_backend_cpu.batch[GLA_BATCH_EIG];
  gla_status status = cpu->begin (e->cpu, &job.head, chunk->A.pages);
  if (status == GLA_OK)
    status = cpu->submit (e->cpu, 0, chunk);
  if (status == GLA_OK)
    status = cpu->finish (e->cpu, 0);
  cpu->end (e->cpu);
  const double complex *A = chunk->A.data;
  for (int64_t p = 0; p < chunk->A.pages; p++)
    if (plan.not_converging && creal (A[p * chunk->A.page_stride]) == plan.not_converging &&
        e->job.method != GLA_EIG_METHOD_JACOBI) {
      chunk->info[p] = 2;
      ((double *)chunk->lambda.data)[p * chunk->lambda.page_stride] = NAN;
    }
  if (status == GLA_OK && e->job.head.monitor.poll (e->job.head.monitor.user, chunk->A.pages))
    status = GLA_ERROR_STOPPED;
  return status;
}
static void mock_end (gla_engine *engine)
{
  (void)engine;
  __atomic_sub_fetch (&seen.begun, 1, __ATOMIC_SEQ_CST);
}

static const gla_batch_ops mock_eig = {.supports = mock_supports,
                                       .seconds = mock_seconds,
                                       .chunk_pages = mock_pages,
                                       .begin = mock_begin,
                                       .submit = mock_submit,
                                       .finish = mock_finish,
                                       .end = mock_end};
const gla_backend mock = {.name = "stand-in",
                          .device_count = mock_count,
                          .device_query = mock_query,
                          .open = mock_open,
                          .close = mock_close,
                          .slots = 2,
                          .batch = {[GLA_BATCH_EIG] = &mock_eig}};
gla_backend_list gla_backends (void)
{
  return (gla_backend_list){&gla_backend_cpu, &mock, "a mock"};
}

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

static double complex A[N * N * P], V[N * N * P];
static double lambda[N * P];
static int32_t info[P];
static int warnings;
static char last_id[32];

static void on_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)text;
  warnings++;
  snprintf (last_id, sizeof last_id, "%s", id);
}

static int64_t last_done;
static void on_progress (void *user, int64_t done, int64_t total)
{
  (void)user, (void)total;
  last_done = done;
}

// Runs the plan; all pages must be right, and every begin and open must have its end and close.
static gla_eig_report run (const char *name, gla_place place, int expected_warnings)
{
  gla_context *ctx = NULL;
  memset (&seen, 0, sizeof seen);
  warnings = 0;
  last_done = 0;
  CHECK (gla_context_create (&ctx) == GLA_OK, "%s: context", name);
  gla_set_warning (ctx, on_warning, NULL);
  gla_set_progress (ctx, on_progress, NULL);
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "%s: place", name);
  for (int q = 0; q < N * N * P; q++)
    V[q] = NAN;
  gla_array a = gla_array_packed (A, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
  gla_eig_report report = {.base.size = sizeof report};
  gla_status status = call_batcheig (ctx, &a, &l, &v, info, NULL, &report);
  CHECK (status == GLA_OK, "%s: %s", name, gla_message (ctx));
  int wrong = 0;
  for (int p = 0; p < P; p++)
    wrong +=
        info[p] != 0 || check_ratio (A + p * N * N, V + p * N * N, lambda + p * N, N, N, 1) > 30;
  CHECK (wrong == 0, "%s: %d pages are wrong", name, wrong);
  CHECK (warnings == expected_warnings, "%s: %d warnings, last %s", name, warnings, last_id);
  CHECK (last_done == P, "%s: progress ended at %lld", name, (long long)last_done);
  CHECK (seen.begun == 0, "%s: %d begun and not ended", name, seen.begun);
  gla_context_destroy (ctx);
  CHECK (seen.opened == 0, "%s: %d engines left open", name, seen.opened);
  return report;
}

static int stop_at_plan (void *user)
{
  (void)user;
  return __atomic_load_n (&seen.finished, __ATOMIC_SEQ_CST) >= plan.stop_at;
}

// The stop callback ends the call, and every begin still has its end.
static void run_stopped (const char *name)
{
  gla_context *ctx = NULL;
  memset (&seen, 0, sizeof seen);
  CHECK (gla_context_create (&ctx) == GLA_OK, "%s: context", name);
  gla_set_stop (ctx, stop_at_plan, NULL);
  CHECK (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) == GLA_OK, "%s: place", name);
  gla_array a = gla_array_packed (A, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
  gla_status status = call_batcheig (ctx, &a, &l, NULL, info, NULL, NULL);
  CHECK (status == GLA_ERROR_STOPPED, "%s: status %d", name, (int)status);
  CHECK (seen.begun == 0, "%s: %d begun and not ended", name, seen.begun);
  gla_context_destroy (ctx);
  CHECK (seen.opened == 0, "%s: %d engines left open", name, seen.opened);
}

static void reset (int devices)
{
  memset (&plan, 0, sizeof plan);
  plan.devices = devices;
  plan.chunk = 16;
  plan.memory = 1000;
}

// The sweep callback is called once for each sweep: at once in the caller's thread, or later by it
// for a sweep that an engine's thread reports.
static int sweep_calls[3]; // number of calls, the last sweep, pages done

static void on_sweep (void *user, int64_t done, int64_t total, int sweeps)
{
  sweep_calls[0] += total == *(int64_t *)user;
  sweep_calls[1] = sweeps;
  sweep_calls[2] = (int)done;
}

static void test_sweep_calls (void)
{
  gla_context *ctx = NULL;
  gla_run run;
  int64_t pages = 9;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_sweeps (ctx, on_sweep, &pages);
  gla_run_start (&run, ctx, pages);
  gla_run_poll (&run, 2);
  CHECK (sweep_calls[0] == 0, "%d calls before the first", sweep_calls[0]);
  gla_run_swept (&run, 1);
  gla_run_watch (&run);
  CHECK (sweep_calls[0] == 1 && sweep_calls[1] == 1 && sweep_calls[2] == 2, "%d calls, %d",
         sweep_calls[0], sweep_calls[1]);
  run.threaded = 1;
  gla_run_swept (&run, 5);
  gla_run_poll (&run, 1);
  CHECK (sweep_calls[0] == 1, "an engine's thread called back");
  gla_run_watch (&run);
  gla_run_watch (&run);
  CHECK (sweep_calls[0] == 2 && sweep_calls[1] == 5 && sweep_calls[2] == 3, "%d calls, %d",
         sweep_calls[0], sweep_calls[1]);
  gla_context_destroy (ctx);
}

// Threads that copy have short time slices, where the system has such; the caller has its own again
// afterwards.
static void test_time_slices (int devices)
{
  const uint64_t before = gla_time_slice_shorten ();
  gla_time_slice_restore (before);
  reset (devices);
  run ("time slices", GLA_PLACE_GPU, 0);
  CHECK (seen.long_slices == 0, "%d submits with long time slices", seen.long_slices);
  const uint64_t after = gla_time_slice_shorten ();
  gla_time_slice_restore (after);
  CHECK (after == before, "time slices of %lld ns, %lld before", (long long)after,
         (long long)before);
}

int main (void)
{
  check_fill (A, N, P, 4);
  test_time_slices (1); // before any other call could change them
  test_time_slices (3);
  reset (1);
  gla_eig_report r = run ("healthy", GLA_PLACE_GPU, 0);
  CHECK (r.base.device == 0 && r.base.chunk_pages == 16 && seen.submitted == 7,
         "device %d, %d chunks", r.base.device, seen.submitted);
  reset (0);
  r = run ("no device", GLA_PLACE_AUTO, 0);
  CHECK (r.base.device == GLA_DEVICE_HOST, "ran on %d", r.base.device);
  reset (1);
  plan.memory = 5;
  r = run ("memory for 5 pages", GLA_PLACE_GPU, 0);
  CHECK (seen.largest == 4 && r.base.device == 0, "chunks of %lld", (long long)seen.largest);
  reset (1);
  plan.memory = 0;
  run ("no memory at all", GLA_PLACE_GPU, 1);
  CHECK (strcmp (last_id, "device-memory") == 0 && seen.submitted == 0, "%s", last_id);
  for (int k = 1; k <= 7; k++) {
    reset (1);
    plan.short_submit = k;
    run ("short of memory while running", GLA_PLACE_GPU, 0);
    reset (1);
    plan.fail_submit = k;
    run ("fails at a submit", GLA_PLACE_GPU, 1);
    CHECK (strcmp (last_id, "device-failed") == 0, "%s", last_id);
    reset (1);
    plan.fail_finish = k;
    run ("fails at a finish", GLA_PLACE_GPU, 1);
    reset (3);
    plan.fail_finish = k;
    r = run ("one of three fails", GLA_PLACE_GPU, 1);
  }
  for (int chunk = 1; chunk <= 16; chunk *= 4) {
    reset (1);
    plan.chunk = chunk;
    plan.one_chunk = 1;
    r = run ("memory for one chunk in flight", GLA_PLACE_GPU, 0);
    CHECK (r.base.device == 0, "device %d", r.base.device);
  }
  reset (2);
  r = run ("two devices", GLA_PLACE_GPU, 0);
  CHECK (r.base.device == 0, "device %d", r.base.device);
  for (int k = 0; k < 50; k++) {
    reset (5);
    plan.chunk = 1 + k % 7;
    run ("five devices at once", GLA_PLACE_GPU, 0);
    CHECK (seen.submitted == seen.finished, "%d of %d", seen.finished, seen.submitted);
  }
  for (int k = 1; k <= 3; k++) {
    reset (2);
    plan.chunk = 2;
    plan.stop_at = k;
    run_stopped ("stopped between two devices");
  }
  reset (1);
  plan.open_fails = 1;
  run ("cannot be opened", GLA_PLACE_GPU, 1);
  run ("cannot be opened, auto", GLA_PLACE_AUTO, 0);
  reset (1);
  plan.not_converging = 3;
  A[17 * N * N] = A[99 * N * N] = 3;
  r = run ("second chance", GLA_PLACE_GPU, 0);
  CHECK (r.base.pages_failed == 0, "%lld pages failed", (long long)r.base.pages_failed);
  test_sweep_calls ();
  return check_report ("test_driver");
}
