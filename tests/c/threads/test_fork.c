// test_fork.c: calls in a forked child give the bits of calls in the parent
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with its own list of backends: a mock GPU, which no child may use.

#include "frame/calls.h"
#include "frame/check.h"
#include "backend.h"
#include "threads/pool.h"
#include "fork_heap.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// the mock GPU
//------------------------------------------------------------------------------

static int opened, touched_after_fork;
static pid_t parent;

static void touch (void)
{
  if (getpid () != parent)
    touched_after_fork = 1;
}

static int mock_count (char *why, size_t size)
{
  snprintf (why, size, "never");
  touch ();
  return 1;
}
static gla_status mock_query (int device, gla_device_info *info)
{
  (void)device, (void)info;
  touch ();
  return GLA_OK;
}
extern const gla_backend mock;
static gla_status mock_open (int device, gla_engine **engine)
{
  static gla_engine the_engine;
  touch ();
  the_engine = (gla_engine){&mock, device};
  *engine = &the_engine;
  opened = 1;
  return GLA_OK;
}
static void mock_close (gla_engine *engine)
{
  (void)engine;
  touch ();
}
static int mock_supports (const gla_job *job)
{
  (void)job;
  touch ();
  return 1;
}
static double mock_seconds (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job, (void)pages;
  return 0;
}
static int64_t mock_pages (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages;
}
// The mock GPU opens, but leaves all pages to the CPU.
static gla_status mock_begin (gla_engine *engine, const gla_job *job, int64_t pages)
{
  (void)engine, (void)job, (void)pages;
  touch ();
  return GLA_ERROR_OUT_OF_MEMORY;
}
static const gla_batch_ops mock_eig = {.supports = mock_supports,
                                       .seconds = mock_seconds,
                                       .chunk_pages = mock_pages,
                                       .begin = mock_begin};
const gla_backend mock = {.name = "stand-in",
                          .device_count = mock_count,
                          .device_query = mock_query,
                          .open = mock_open,
                          .close = mock_close,
                          .slots = 1,
                          .batch = {[GLA_BATCH_EIG] = &mock_eig}};
gla_backend_list gla_backends (void)
{
  return (gla_backend_list){&gla_backend_cpu, &mock, "a mock"};
}

//------------------------------------------------------------------------------
// work
//------------------------------------------------------------------------------

enum { N = 40, P = 60, M = 600, K = 500, G = 240, S = 200000 };

typedef struct {
  double lambda[N * P], R[K * K], C[G], S[G], values[4], residuals[4], y[S];
} answers;

static double complex A[N * N * P];
static double B[M * K], F[G * G], H[G * G], x[S];
static int64_t start[S + 1], column[3 * S];
static double value[3 * S];

static void fill (void)
{
  unsigned long long seed = 3;
  check_fill (A, N, P, 1);
  for (int k = 0; k < M * K; k++)
    B[k] = check_random (&seed);
  for (int k = 0; k < G * G; k++) {
    F[k] = check_random (&seed);
    H[k] = check_random (&seed);
  }
  int64_t at = 0;
  for (int64_t i = 0; i < S; i++) {
    x[i] = check_random (&seed);
    for (int64_t j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < S) {
        column[at] = j;
        value[at++] = i == j ? 2 + 3 * (i % 7 == 0) : -1;
      }
    start[i + 1] = at;
  }
}

static int batcheig (gla_context *ctx, answers *to)
{
  const gla_array a = gla_array_packed (A, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  const gla_array l = gla_array_packed (to->lambda, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
  return call_batcheig (ctx, &a, &l, NULL, NULL, NULL, NULL) == GLA_OK;
}

static int qr (gla_context *ctx, answers *to)
{
  const gla_array b = gla_array_packed (B, GLA_TYPE_D, M, K, 1, GLA_DEVICE_HOST);
  gla_qr_results results = {.size = sizeof results};
  results.R = gla_array_packed (to->R, GLA_TYPE_D, K, K, 1, GLA_DEVICE_HOST);
  return gla_qr (ctx, &b, NULL, &results, NULL, NULL) == GLA_OK;
}

static int gsvd (gla_context *ctx, answers *to)
{
  const gla_array f = gla_array_packed (F, GLA_TYPE_D, G, G, 1, GLA_DEVICE_HOST);
  const gla_array h = gla_array_packed (H, GLA_TYPE_D, G, G, 1, GLA_DEVICE_HOST);
  gla_gsvd_results results = {.size = sizeof results};
  results.alpha = gla_array_packed (to->C, GLA_TYPE_D, G, 1, 1, GLA_DEVICE_HOST);
  results.beta = gla_array_packed (to->S, GLA_TYPE_D, G, 1, 1, GLA_DEVICE_HOST);
  return gla_gsvd (ctx, &f, &h, &results, NULL, NULL) == GLA_OK;
}

static int sparse (gla_context *ctx, answers *to)
{
  const gla_csr csr = {GLA_TYPE_D, S, S, 8, start, column, value};
  const gla_array in = gla_array_packed (x, GLA_TYPE_D, S, 1, 1, GLA_DEVICE_HOST);
  const gla_array out = gla_array_packed (to->y, GLA_TYPE_D, S, 1, 1, GLA_DEVICE_HOST);
  const gla_eigs_options few = {.size = sizeof few, .basis = 12, .maxit = 2, .trust = 1};
  gla_eigs_results results = {.size = sizeof results, .residuals = to->residuals};
  gla_operator operator= {.size = sizeof operator, .sparse = NULL };
  results.values = gla_array_packed (to->values, GLA_TYPE_D, 4, 1, 1, GLA_DEVICE_HOST);
  int good = gla_sparse_create (ctx, &csr, &operator.sparse, NULL) == GLA_OK &&
             gla_spmv (ctx, operator.sparse, 'N', &in, &out, NULL) == GLA_OK &&
             gla_eigs (ctx, &operator, 4, GLA_EIGS_WHICH_LA, &results, &few, NULL) == GLA_OK;
  gla_sparse_destroy (operator.sparse);
  return good;
}

static int compute (gla_context *ctx, answers *to)
{
  return batcheig (ctx, to) && qr (ctx, to) && gsvd (ctx, to) && sparse (ctx, to);
}

//------------------------------------------------------------------------------
// children
//------------------------------------------------------------------------------

static answers expected, own;

// The exit status of a child: 0 is success.
enum { GOOD, NOT_COMPUTED, OTHER_BITS, NOT_REFUSED, TOUCHED };

static int compute_in_child (gla_context *ctx)
{
  memset (&own, 0, sizeof own);
  if (!compute (ctx, &own))
    return NOT_COMPUTED;
  return memcmp (&own, &expected, sizeof own) == 0 ? GOOD : OTHER_BITS;
}

// With an inherited context "auto" and the CPU work; the GPU is an error.
static int use_inherited (gla_context *ctx)
{
  int result = compute_in_child (ctx);
  if (result == GOOD && (gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0) != GLA_ERROR_FORKED ||
                         strstr (gla_message (ctx), "forked") == NULL))
    result = NOT_REFUSED;
  if (result == GOOD && gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK)
    result = NOT_COMPUTED;
  if (result == GOOD)
    result = compute_in_child (ctx);
  gla_context_destroy (ctx);
  return touched_after_fork ? TOUCHED : result;
}

// A context whose place was a GPU before the fork.
static int use_gpu (gla_context *ctx)
{
  int result = batcheig (ctx, &own) ? NOT_REFUSED : GOOD;
  if (result == GOOD && strstr (gla_message (ctx), "forked") == NULL)
    result = NOT_REFUSED;
  gla_context_destroy (ctx);
  return touched_after_fork ? TOUCHED : result;
}

// The exit status of a child that runs `what`, or -1 if it did not end within 60 seconds.
static int in_child (int (*what) (gla_context *), gla_context *ctx)
{
  const pid_t child = fork ();
  if (child == 0) {
    alarm (120);
    _exit (what (ctx));
  }
  for (int k = 0; child > 0 && k < 6000; k++) {
    const struct timespec nap = {0, 10000000};
    int status;
    if (waitpid (child, &status, WNOHANG) == child)
      return WIFEXITED (status) ? WEXITSTATUS (status) : -2;
    nanosleep (&nap, NULL);
  }
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  return -1;
}

static _Atomic int ending, rounds, busy_failed;

// Takes the library's locks all the time, so that some are held at a fork.
static void *keep_busy (void *unused)
{
  (void)unused;
  static answers other;
  gla_context *ctx = NULL;
  busy_failed =
      gla_context_create (&ctx) != GLA_OK || gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK;
  while (!ending && !busy_failed) {
    busy_failed = !batcheig (ctx, &other) || !qr (ctx, &other);
    rounds++;
  }
  gla_context_destroy (ctx);
  return NULL;
}

static int use_cpu (gla_context *ctx)
{
  const int result = compute_in_child (ctx);
  return touched_after_fork ? TOUCHED : result;
}

int main (void)
{
  gla_context *ctx = NULL, *gpu = NULL;
  pthread_t thread;
  parent = getpid ();
  fill ();
  gla_pool_share (3); // threads that the child does not inherit, on any machine
  CHECK (gla_context_create (&ctx) == GLA_OK && gla_context_create (&gpu) == GLA_OK, "contexts");
  CHECK (gla_set_place (gpu, GLA_PLACE_GPU, NULL, 0) == GLA_OK && batcheig (gpu, &own) && opened,
         "the stand-in was not opened");
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK && compute (ctx, &expected),
         "alone");
  CHECK (gla_set_place (ctx, GLA_PLACE_AUTO, NULL, 0) == GLA_OK, "auto");
  for (int k = 0; k < 3; k++) {
    const int result = in_child (use_inherited, ctx);
    CHECK (result == GOOD, "child %d: %d", k, result);
  }
  const int refused = in_child (use_gpu, gpu);
  CHECK (refused == GOOD, "a child with a GPU: %d", refused);
  CHECK (gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK && compute (ctx, &own) &&
             memcmp (&own, &expected, sizeof own) == 0,
         "the parent afterwards");
  pthread_create (&thread, NULL, keep_busy, NULL);
  while (rounds < 1 && !busy_failed)
    nanosleep (&(struct timespec){0, 1000000}, NULL);
  for (int k = 0; k < 20; k++) {
    const int result = in_child (use_cpu, ctx);
    CHECK (result == GOOD, "child %d of a busy parent: %d", k, result);
  }
  ending = 1;
  pthread_join (thread, NULL);
  CHECK (!busy_failed, "the busy thread");
  gla_context_destroy (ctx);
  gla_context_destroy (gpu);
  return check_report ("fork");
}
