// test_fork_blas.c: children of fork can use the BLAS while threads of the parent do
// SPDX-License-Identifier: GPL-3.0-or-later
//
// dgemm_ and dtrmm_ here lock a mutex, as OpenBLAS does in each of its calls, but for so long that
// almost every fork meets a thread that holds it.

#include "frame/calls.h"
#include "frame/check.h"
#include "common/blas.h"
#include "fork_heap.h"
#include "threads/pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// handlers of forks
//------------------------------------------------------------------------------

extern int __register_atfork (void (*) (void), void (*) (void), void (*) (void), void *);
extern void *__dso_handle;

static int handlers, begun;
static _Atomic int late;

// The library registers its handlers with this. Where the C library runs them it has no lock for
// those that come while another thread forks, and a call that registers them holds locks.
int pthread_atfork (void (*before) (void), void (*after) (void), void (*child) (void))
{
  handlers++;
  late += begun;
  return __register_atfork (before, after, child, &__dso_handle);
}

//------------------------------------------------------------------------------
// the BLAS
//------------------------------------------------------------------------------

enum { HELD_NS = 200000 };

static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int long_call, calls; // 1: dtrmm_ lasts until this is 0 again, 2: it does
static pid_t parent;

static void hold_lock (int long_one)
{
  const struct timespec held = {0, HELD_NS};
  pthread_mutex_lock (&blas_lock);
  calls++;
  do {
    nanosleep (&held, NULL);
    if (long_one && long_call && getpid () == parent)
      long_call = 2;
  } while (long_one && long_call == 2);
  pthread_mutex_unlock (&blas_lock);
}

void dgemm_ (const char *transa, const char *transb, const gla_blas_int *m, const gla_blas_int *n,
             const gla_blas_int *k, const double *alpha, const double *a, const gla_blas_int *lda,
             const double *b, const gla_blas_int *ldb, const double *beta, double *c,
             const gla_blas_int *ldc, size_t s1, size_t s2)
{
  static __typeof__ (dgemm_) *real;
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "dgemm_");
  hold_lock (0);
  real (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, s1, s2);
}

void dtrmm_ (const char *side, const char *uplo, const char *trans, const char *diag,
             const gla_blas_int *m, const gla_blas_int *n, const double *alpha, const double *a,
             const gla_blas_int *lda, double *b, const gla_blas_int *ldb, size_t s1, size_t s2,
             size_t s3, size_t s4)
{
  static __typeof__ (dtrmm_) *real;
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "dtrmm_");
  hold_lock (1);
  real (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, s1, s2, s3, s4);
}

//------------------------------------------------------------------------------
// work
//------------------------------------------------------------------------------

enum { M = 300, K = 250 };

static double A[M * K], expected[K * K], own[K * K], other[K * K];

static int qr (gla_context *ctx, double *R)
{
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, M, K, 1, GLA_DEVICE_HOST);
  gla_qr_results results = {.size = sizeof results};
  results.R = gla_array_packed (R, GLA_TYPE_D, K, K, 1, GLA_DEVICE_HOST);
  return gla_qr (ctx, &a, NULL, &results, NULL, NULL) == GLA_OK;
}

static _Atomic int ending, rounds, busy_failed;

static void *keep_busy (void *unused)
{
  (void)unused;
  gla_context *ctx = NULL;
  busy_failed =
      gla_context_create (&ctx) != GLA_OK || gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) != GLA_OK;
  while (!ending && !busy_failed) {
    busy_failed = !qr (ctx, other);
    rounds++;
  }
  gla_context_destroy (ctx);
  return NULL;
}

// Whether a child ended with the bits of the parent, within 20 seconds.
static int child_is_right (gla_context *ctx)
{
  const pid_t child = fork ();
  if (child == 0) {
    alarm (60);
    _exit (!qr (ctx, own) || memcmp (own, expected, sizeof own) != 0);
  }
  for (int k = 0; child > 0 && k < 2000; k++) {
    const struct timespec nap = {0, 10000000};
    int status;
    if (waitpid (child, &status, WNOHANG) == child)
      return WIFEXITED (status) && WEXITSTATUS (status) == 0;
    nanosleep (&nap, NULL);
  }
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  return 0;
}

// A call that lasts longer than a fork waits: it does not end before the fork has.
static void fork_in_long_call (void)
{
  const struct timespec nap = {0, 1000000};
  long_call = 1;
  while (long_call == 1 && !busy_failed)
    nanosleep (&nap, NULL);
  const pid_t child = fork ();
  if (child == 0)
    _exit (0);
  int status = 1;
  const int ended = waitpid (child, &status, 0) == child;
  long_call = 0;
  CHECK (ended && status == 0, "a fork in a long call: %d", status);
}

int main (void)
{
  gla_context *ctx = NULL;
  pthread_t thread;
  unsigned long long seed = 3;
  begun = 1;
  parent = getpid ();
  for (int k = 0; k < M * K; k++)
    A[k] = check_random (&seed);
  gla_pool_share (3);
  CHECK (gla_context_create (&ctx) == GLA_OK &&
             gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0) == GLA_OK && qr (ctx, expected) &&
             calls > 0,
         "alone, with %d calls of the BLAS", calls);
  CHECK (handlers >= 4 && late == 0, "%d handlers of forks, %d of them late", handlers, late);
  pthread_create (&thread, NULL, keep_busy, NULL);
  while (rounds < 1 && !busy_failed)
    nanosleep (&(struct timespec){0, 1000000}, NULL);
  int right = 1;
  for (int k = 0; k < 20 && right; k++) { // one that hangs takes long
    right = child_is_right (ctx);
    CHECK (right, "child %d", k);
  }
  fork_in_long_call ();
  CHECK (child_is_right (ctx), "a child after a long call");
  ending = 1;
  pthread_join (thread, NULL);
  CHECK (!busy_failed, "the busy thread");
  gla_context_destroy (ctx);
  return check_report ("fork_blas");
}
