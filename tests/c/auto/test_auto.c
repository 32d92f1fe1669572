// test_auto.c: when "auto" starts a GPU, and how much memory it keeps there
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with mock backends, which compute nothing and take a given time by a mock clock.

#include "auto_calls.h"

#include <sys/wait.h>

//------------------------------------------------------------------------------
// when to start
//------------------------------------------------------------------------------

// The driver is not queried for calls that a GPU does not make faster, nor for a few short ones.
static void test_not_started (void)
{
  usual_machine ();
  gla_context *ctx = new_context ();
  double total = 0;
  for (int k = 0; k < 1000; k++)
    total += time_of (ctx, 40); // 0.4 ms, the GPU 0.52 ms
  CHECK (total < 1.02 * 1000 * on_cpu (40), "1000 small calls took %g s", total);
  for (int k = 0; k < 20; k++) {
    const double seconds = time_of (ctx, 1000); // on a GPU each would take 9 ms less
    CHECK (seconds < 1.02 * on_cpu (1000), "call %d took %g s", k, seconds);
  }
  CHECK (counted == 0 && opened == 0, "asked %d times, opened %d", counted, opened);
  gla_context_destroy (ctx);
}

// Any number of calls takes at most about twice the time of the better place, and no call takes
// longer than on the CPU.
static void test_rule (void)
{
  usual_machine ();
  for (int pages = 300; pages <= 100000; pages *= 7) {
    gla_context *ctx = new_context ();
    double total = 0, longest = 0;
    int gpu = 0;
    for (int k = 1; k <= 400 && total < 20; k++) {
      const double seconds = time_of (ctx, pages);
      total += seconds;
      longest = fmax (longest, seconds);
      gpu += opened;
      const double better = fmin (k * on_cpu (pages), 0.3 + k * on_gpu (pages));
      CHECK (total < 2.05 * better + 5e-3, "%d calls of %d pages took %g s, not %g", k, pages,
             total, better);
    }
    CHECK (longest < 1.02 * fmin (on_cpu (pages), 0.3 + on_gpu (pages)) + 1e-3,
           "%d pages took %g s", pages, longest);
    CHECK (gpu > 0, "%d pages: never on the GPU", pages);
    gla_context_destroy (ctx);
    CHECK (opened == 0, "%d pages: left open", pages);
  }
}

// 10 s on the CPU, 0.3 s on the GPU: the first call goes there.
static void test_long_call (void)
{
  usual_machine ();
  cpu_page = 1e-3;
  gpu_call = 0.3;
  gla_context *ctx = new_context ();
  const double seconds = time_of (ctx, 10000);
  CHECK (finished == 1 && seconds < 0.55, "%g s, %d on the GPU", seconds, (int)finished);
  CHECK (warnings == 0 && opened == 1, "%d warnings", warnings);
  gla_context_destroy (ctx);
}

// A call does not wait without limit for a start that takes far longer than expected.
static void test_late_start (void)
{
  usual_machine ();
  start_seconds = 20;
  gla_context *ctx = new_context ();
  const double seconds = time_of (ctx, 100000); // 1 s on the CPU, 0.05 s on the GPU
  CHECK (seconds < 2.1 && finished == 0, "%g s", seconds);
  CHECK (time_of (ctx, 1000) < 1.02 * on_cpu (1000), "waited again");
  start_may_end = 1;
  gla_context_destroy (ctx);
}

// The same call has the same place on a busy machine and after other calls, and in a second
// context, as in a progress function, too.
static void test_same_place (void)
{
  usual_machine ();
  cpu_formula = 0.5; // the CPU is predicted to be faster, wrongly, for up to 111 pages
  gla_context *ctx = open_context (), *other = new_context ();
  for (int k = 0; k < 60; k++) {
    stall = k % 3 == 1 ? 50e-3 : 0;
    CHECK (solve (ctx, N, 100) == GLA_DEVICE_HOST, "call %d", k);
    CHECK (solve (ctx, N, 200) == 0 && solve (other, N, 200) == 0, "call %d of more pages", k);
  }
  stall = 0;
  gla_context_destroy (other);
  gla_context_destroy (ctx);
  CHECK (opened == 0, "left open");
}

//------------------------------------------------------------------------------
// failures
//------------------------------------------------------------------------------

static void test_failing_start (void)
{
  usual_machine ();
  open_fails = 1;
  gla_context *ctx = new_context ();
  CHECK (solve (ctx, N, 100000) == GLA_DEVICE_HOST, "%s", gla_message (ctx));
  CHECK (time_of (ctx, 100000) < 1.02 * on_cpu (100000), "tried again");
  CHECK (warnings == 0 && strcmp (gla_message (ctx), "") == 0, "%d, %s", warnings,
         gla_message (ctx));
  open_fails = 0;
  CHECK (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) == GLA_OK && solve (ctx, N, 10) == 0,
         "asked for: %s", gla_message (ctx));
  gla_context_destroy (ctx);
}

// Ctrl-C while a call waits for the GPU.
static void test_stop (void)
{
  usual_machine ();
  cpu_page = 1e-3;
  gla_context *ctx = new_context ();
  stop_at = 3;
  CHECK (solve (ctx, N, 10000) == -2 && stops == 3, "%d stops", stops);
  stop_at = 0;
  CHECK (solve (ctx, N, 10000) == 0, "after the stop");
  gla_context_destroy (ctx);
}

// While a thread starts the GPU: a call for the GPU, and the end of the context.
static void test_call_during_start (void)
{
  usual_machine ();
  cpu_page = 40e-6; // 0.4 s: worth starting the GPU, but not waiting for it
  gpu_call = 0.095;
  gla_context *ctx = new_context ();
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST && opened == 0, "not on the CPU");
  CHECK (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) == GLA_OK && solve (ctx, N, 10) == 0, "%s",
         gla_message (ctx));
  CHECK (opened == 1, "opened %d times", (int)opened);
  gla_context_destroy (ctx);

  ctx = new_context ();
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST, "not on the CPU");
  gla_context_destroy (ctx);
  CHECK (opened == 0, "left open");

  gla_device_info about = {.size = sizeof about};
  ctx = new_context ();
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST, "not on the CPU");
  CHECK (gla_device_count (ctx) == 1, "count");
  gla_context_destroy (ctx);

  ctx = new_context (); // without a start
  CHECK (gla_device_query (ctx, 0, &about) == GLA_OK && opened == 0, "query");
  CHECK (about.started == 0 && about.memory_free == -1, "started");
  gla_context_destroy (ctx);
}

static int status_of (void (*body) (void))
{
  int status = -1;
  fflush (NULL);
  const pid_t child = fork ();
  if (child == 0) {
    alarm (20); // ends the process if it hangs
    n_passed = n_failed = 0;
    body ();
    exit (check_report ("child"));
  }
  CHECK (child > 0 && waitpid (child, &status, 0) == child, "fork");
  return status;
}

static void end_while_starting (void)
{
  max_waits = 1000;
  usual_machine ();
  cpu_page = 40e-6;
  gpu_call = 0.095;
  gla_context *ctx = new_context ();
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST, "not on the CPU");
  while (ctx->start != NULL && atomic_load (&ctx->start->stage) != GLA_START_OPENING)
    usleep (20); // from here on the thread is inside of open_engine
}

// A process that is forked while its parent uses or starts the GPU computes on the CPU.
static gla_context *parent;

static void work_in_child (void)
{
  gla_array a = gla_array_packed (A, GLA_TYPE_Z, N, N, 10, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, GLA_TYPE_D, N, 1, 10, GLA_DEVICE_HOST);
  gla_context *both[] = {parent, new_context ()};
  finished = 0;
  for (int k = 0; k < 2; k++) {
    gla_set_place (both[k], GLA_PLACE_AUTO, NULL, 0);
    CHECK (solve (both[k], N, 100000) == GLA_DEVICE_HOST, "auto: %s", gla_message (both[k]));
    gla_status status = gla_set_place (both[k], GLA_PLACE_GPU, NULL, 0);
    if (status == GLA_OK)
      status = call_batcheig (both[k], &a, &l, NULL, info, NULL, NULL);
    CHECK (status == GLA_ERROR_FORKED && strstr (gla_message (both[k]), "forked") != NULL, "%d: %s",
           (int)status, gla_message (both[k]));
    gla_context_destroy (both[k]);
  }
  CHECK (finished == 0, "the child used the GPU");
}

static void test_fork (void)
{
  usual_machine ();
  parent = open_context ();
  CHECK (status_of (work_in_child) == 0, "child of one with a GPU");
  CHECK (solve (parent, N, 100000) == 0, "parent");
  gla_context_destroy (parent);
  cpu_page = 40e-6;
  gpu_call = 0.095;
  parent = new_context ();
  CHECK (solve (parent, N, 10000) == GLA_DEVICE_HOST, "not on the CPU");
  CHECK (status_of (work_in_child) == 0, "child of one that starts a GPU");
  gla_context_destroy (parent);
}

static void *work_in_thread (void *failed)
{
  gla_context *ctx = NULL;
  *(int *)failed = gla_context_create (&ctx) != GLA_OK;
  for (int k = 0; k < 40; k++) {
    double l[4];
    int32_t i[1];
    double complex page[16] = {0};
    gla_array pages = gla_array_packed (page, GLA_TYPE_Z, 4, 4, 1, GLA_DEVICE_HOST);
    gla_array values = gla_array_packed (l, GLA_TYPE_D, 4, 1, 1, GLA_DEVICE_HOST);
    *(int *)failed += call_batcheig (ctx, &pages, &values, NULL, i, NULL, NULL) != GLA_OK;
  }
  gla_context_destroy (ctx);
  return NULL;
}

// Contexts in several threads start their GPUs in parallel.
static void test_threads (void)
{
  usual_machine ();
  cpu_page = 20e-3;
  held = 0;
  pthread_t threads[4];
  int failed[4];
  for (int k = 0; k < 4; k++)
    CHECK (pthread_create (&threads[k], NULL, work_in_thread, &failed[k]) == 0, "thread");
  for (int k = 0; k < 4; k++) {
    pthread_join (threads[k], NULL);
    CHECK (failed[k] == 0, "thread %d", k);
  }
  held = 1;
  CHECK (opened == 0, "%d left open", (int)opened);
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static void test_memory (void)
{
  gla_device_info about = {.size = sizeof about};
  usual_machine ();
  page_bytes = memory_total / 10000;
  gla_context *ctx = open_context ();
  gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0);
  CHECK (solve (ctx, N, 100) == 0 && kept == 100 * page_bytes, "%lld", (long long)kept);
  CHECK (gla_device_query (ctx, 0, &about) == GLA_OK && about.memory_kept == kept &&
             about.host_kept == 64 && about.started,
         "%lld", (long long)about.memory_kept);
  CHECK (solve (ctx, N, 9000) == 0 && kept == memory_total / 8, "after a large call %lld",
         (long long)kept);
  CHECK (gla_release (ctx, 1) == GLA_ERROR_NO_DEVICE &&
             gla_release (ctx, -7) == GLA_ERROR_NO_DEVICE,
         "device");
  CHECK (kept > 0 && gla_release (ctx, 0) == GLA_OK && kept == 0 && pinned == 0, "release");
  CHECK (solve (ctx, N, 100) == 0 && kept > 0, "after the release");
  CHECK (gla_release (ctx, GLA_DEVICE_ALL_GPUS) == GLA_OK && kept == 0, "release all");
  CHECK (gla_release (NULL, 0) == GLA_ERROR_BAD_ARGUMENT, "NULL");
  gla_context_destroy (ctx);

  cpu_page = 40e-6; // a GPU that is being started is waited for
  gpu_call = 0.095;
  ctx = new_context ();
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST && ctx->start != NULL, "not started");
  start_may_end = 1;
  CHECK (gla_release (ctx, GLA_DEVICE_ALL_GPUS) == GLA_OK && ctx->start == NULL && opened == 1,
         "the start goes on");
  gla_context_destroy (ctx);

  ctx = new_context (); // starts nothing
  const int before = counted;
  CHECK (gla_release (ctx, GLA_DEVICE_ALL_GPUS) == GLA_OK && counted == before && opened == 0,
         "started");
  gla_context_destroy (ctx);
}

int main (void)
{
  use_mocks ();
  CHECK (status_of (end_while_starting) == 0, "a process that ends while a GPU starts");
  test_not_started ();
  test_rule ();
  test_long_call ();
  test_late_start ();
  test_same_place ();
  test_failing_start ();
  test_stop ();
  test_call_during_start ();
  test_fork ();
  test_threads ();
  test_memory ();
  return check_report ("test_auto");
}
