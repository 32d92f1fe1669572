// test_parallel.c: contexts in several threads give the bits of a single context; the pool
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda tsan

#include "frame/calls.h"
#include "frame/check.h"
#include "threads/blas_threads.h"
#include "threads/pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// the pool
//------------------------------------------------------------------------------

enum { PIECES = 20000, MOST = 5 };

typedef struct {
  _Atomic int times[PIECES];
  _Atomic int in_slot[MOST]; // threads that use each slot at this moment
  _Atomic int wrong;
  int nested;
} pool_record;

static void nested_piece (void *user, int64_t piece, int slot)
{
  pool_record *r = user;
  (void)piece;
  if (slot != 0)
    atomic_fetch_add (&r->wrong, 1);
}

static void record_piece (void *user, int64_t piece, int slot)
{
  pool_record *r = user;
  if (slot < 0 || slot >= MOST || atomic_fetch_add (&r->in_slot[slot], 1) != 0)
    atomic_fetch_add (&r->wrong, 1);
  if (r->nested && piece % 100 == 0)
    gla_pool_for (3, MOST, nested_piece, r);
  atomic_fetch_add (&r->times[piece], 1);
  atomic_fetch_sub (&r->in_slot[slot], 1);
}

// Every piece is done once, and two threads never have the same slot.
static int pool_is_right (int64_t pieces, int most, int nested)
{
  static __thread pool_record r;
  memset (&r, 0, sizeof r);
  r.nested = nested;
  gla_pool_for (pieces, most, record_piece, &r);
  int wrong = r.wrong;
  for (int64_t k = 0; k < PIECES; k++)
    wrong += r.times[k] != (k < pieces);
  return wrong == 0;
}

static void *use_pool (void *good)
{
  for (int k = 0; k < 30; k++)
    if (!pool_is_right (PIECES, 2 + k % (MOST - 1), k % 3 == 0) || !pool_is_right (k % 4, MOST, 0))
      *(_Atomic int *)good = 0;
  return NULL;
}

static void test_pool (void)
{
  CHECK (gla_pool_threads () >= 1, "%d threads", gla_pool_threads ());
  gla_pool_share (3);
  CHECK (gla_pool_threads () == 3, "a share of 3 is %d", gla_pool_threads ());
  gla_pool_share (0);
  CHECK (pool_is_right (0, MOST, 0) && pool_is_right (1, MOST, 0), "no piece, and one");
  CHECK (pool_is_right (PIECES, 1, 0) && pool_is_right (PIECES, MOST, 1), "20000 pieces");
  pthread_t threads[4];
  _Atomic int good = 1;
  for (int k = 0; k < 4; k++)
    pthread_create (&threads[k], NULL, use_pool, &good);
  for (int k = 0; k < 4; k++)
    pthread_join (threads[k], NULL);
  CHECK (good, "four threads hand out work");
}

static void sleep_piece (void *user, int64_t piece, int slot)
{
  const struct timespec nap = {0, 300000000};
  (void)user, (void)piece;
  if (slot > 0)
    nanosleep (&nap, NULL);
  else
    usleep (20000);
}

static void count_watch (void *user)
{
  ++*(int *)user;
}

// A thread that waits for the pool sleeps, and polls the stop callback meanwhile. The least time of
// three counts, because a busy machine can only lengthen it.
static void test_watch (void)
{
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    int watched = 0;
    const clock_t before = clock ();
    gla_pool_watched (2, 2, sleep_piece, NULL, count_watch, &watched);
    least = fmin (least, (double)(clock () - before) / CLOCKS_PER_SEC);
    CHECK (watched >= 5, "watched %d times", watched);
  }
  CHECK (least < 0.05, "waiting took %g s of a processor", least);
}

#if defined(__linux__)
typedef struct {
  cpu_set_t usual;
  _Atomic int wrong, pieces;
} places;

static void look_at_place (void *user, int64_t piece, int slot)
{
  places *p = user;
  cpu_set_t now;
  (void)piece, (void)slot;
  if (sched_getaffinity (0, sizeof now, &now) != 0 || !CPU_EQUAL (&now, &p->usual))
    atomic_fetch_add (&p->wrong, 1);
  atomic_fetch_add (&p->pieces, 1);
  nanosleep (&(struct timespec){0, 20000}, NULL);
}

// Threads that were asleep are kept from the processor of the caller until they run, and no longer.
static void test_places (void)
{
  places p = {.wrong = 0};
  CHECK (sched_getaffinity (0, sizeof p.usual, &p.usual) == 0, "processors of this thread");
  for (int k = 0; k < 60; k++) {
    nanosleep (&(struct timespec){0, 2000000}, NULL); // all threads sleep
    gla_pool_for (12, 2 + k % 4, look_at_place, &p);
  }
  CHECK (p.wrong == 0 && p.pieces == 60 * 12, "%d of %d pieces on other processors", p.wrong,
         p.pieces);
}
#endif

//------------------------------------------------------------------------------
// the threads of the BLAS
//------------------------------------------------------------------------------

static int one (void)
{
  return 1;
}

// One thread from the first hold to the last release, then as many as before. Only OpenBLAS says
// how many it has.
static void test_blas_hold (void)
{
  int (*threads) (void);
  void (*set_threads) (int);
  *(void **)&threads = dlsym (RTLD_DEFAULT, "openblas_get_num_threads");
  *(void **)&set_threads = dlsym (RTLD_DEFAULT, "openblas_set_num_threads");
  if (threads == NULL)
    threads = one;
  if (set_threads != NULL)
    set_threads (2);
  const int before = threads ();
  const int outer = gla_blas_hold (), inner = gla_blas_hold ();
  CHECK (outer == 1 && inner == 1 && threads () == 1, "held %d, %d: %d threads", outer, inner,
         threads ());
  gla_blas_release (inner);
  CHECK (threads () == 1, "still held: %d threads", threads ());
  gla_blas_release (0); // nothing was held
  gla_blas_release (outer);
  CHECK (threads () == before, "released: %d threads, before %d", threads (), before);
}

//------------------------------------------------------------------------------
// contexts
//------------------------------------------------------------------------------

// Large enough for LAPACK, whose products the BLAS would share among several threads.
enum { N = 260, P = 20, ROUNDS = 3, CONTEXTS = 3 };

static double complex *pages;

// Writes the results of calls in a context to `to`.
typedef struct {
  double *lambda;
  double complex *V, *Q, *R;
} answers;

static answers answers_new (void)
{
  answers a;
  a.lambda = malloc (sizeof *a.lambda * N * P);
  a.V = malloc (sizeof *a.V * N * N * P);
  a.Q = malloc (sizeof *a.Q * N * N * P);
  a.R = malloc (sizeof *a.R * N * N * P);
  return a;
}

static void answers_free (answers *a)
{
  free (a->lambda);
  free (a->V);
  free (a->Q);
  free (a->R);
}

static gla_status compute (answers *to)
{
  gla_context *ctx = NULL;
  gla_status status = gla_context_create (&ctx);
  if (status == GLA_OK)
    status = gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  const gla_array A = gla_array_packed (pages, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  const gla_array L = gla_array_packed (to->lambda, GLA_TYPE_D, N, 1, P, GLA_DEVICE_HOST);
  const gla_array V = gla_array_packed (to->V, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  if (status == GLA_OK)
    status = call_batcheig (ctx, &A, &L, &V, NULL, NULL, NULL);
  const gla_array Q = gla_array_packed (to->Q, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  const gla_array R = gla_array_packed (to->R, GLA_TYPE_Z, N, N, P, GLA_DEVICE_HOST);
  const gla_qr_results results = {.size = sizeof results, .Q = Q, .R = R};
  if (status == GLA_OK)
    status = gla_qr (ctx, &A, NULL, &results, NULL, NULL);
  gla_context_destroy (ctx);
  return status;
}

static answers serial;
static _Atomic int different, compared, failed;

static int differs (const void *a, const void *b, int page, size_t bytes)
{
  const size_t at = (size_t)page * bytes;
  return memcmp ((const char *)a + at, (const char *)b + at, bytes) != 0;
}

static void *one_context (void *unused)
{
  (void)unused;
  answers own = answers_new ();
  for (int round = 0; round < ROUNDS; round++) {
    if (compute (&own) != GLA_OK)
      atomic_fetch_add (&failed, 1);
    for (int p = 0; p < P; p++) {
      const int square = N * N * (int)sizeof *own.V;
      const int d = differs (own.lambda, serial.lambda, p, N * sizeof *own.lambda) ||
                    differs (own.V, serial.V, p, (size_t)square) ||
                    differs (own.Q, serial.Q, p, (size_t)square) ||
                    differs (own.R, serial.R, p, (size_t)square);
      atomic_fetch_add (&different, d);
      atomic_fetch_add (&compared, 1);
    }
  }
  answers_free (&own);
  return NULL;
}

static void test_contexts (void)
{
  pthread_t threads[CONTEXTS];
  pages = malloc (sizeof *pages * N * N * P);
  serial = answers_new ();
  check_fill (pages, N, P, 7);
  CHECK (compute (&serial) == GLA_OK, "one context alone");
  for (int k = 0; k < CONTEXTS; k++)
    pthread_create (&threads[k], NULL, one_context, NULL);
  for (int k = 0; k < CONTEXTS; k++)
    pthread_join (threads[k], NULL);
  CHECK (failed == 0 && compared == CONTEXTS * ROUNDS * P, "%d failed", failed);
  CHECK (different == 0, "%d of %d results differ from the serial ones", different, compared);
  answers_free (&serial);
  free (pages);
}

//------------------------------------------------------------------------------
// pages that are dealt out to threads
//------------------------------------------------------------------------------

enum { NORMS = 500001 };

static void add_done (void *user, int64_t done, int64_t total)
{
  (void)total;
  *(int64_t *)user = done;
}

// Whatever their number, each page is done, and all are reported. A thread takes 384 such pages at
// a time, and up to 32 times as many where there are enough.
static void test_deal (void)
{
  static const int64_t counts[] = {1, 383, 385, 5000, 12289, 12673, 25345, 100003, NORMS};
  double *a = malloc (sizeof *a * NORMS), *norms = malloc (sizeof *norms * (NORMS + 1));
  gla_context *ctx = NULL;
  gla_context_create (&ctx);
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  for (int64_t k = 0; k < NORMS; k++)
    a[k] = -(double)(k + 1);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const int64_t count = counts[c];
    int64_t done = 0, wrong = 0;
    gla_set_progress (ctx, add_done, &done);
    memset (norms, 0xff, sizeof *norms * (NORMS + 1));
    const gla_array A = gla_array_packed (a, GLA_TYPE_D, 1, 1, count, GLA_DEVICE_HOST);
    const gla_array X = gla_array_packed (norms, GLA_TYPE_D, 1, 1, count, GLA_DEVICE_HOST);
    const gla_status status = gla_pagenorm (ctx, &A, GLA_NORM_FRO, &X, NULL);
    for (int64_t k = 0; k < count; k++)
      wrong += norms[k] != (double)(k + 1);
    CHECK (status == GLA_OK && wrong == 0 && isnan (norms[count]), "%lld of %lld norms are wrong",
           (long long)wrong, (long long)count);
    CHECK (done == count, "%lld of %lld pages reported", (long long)done, (long long)count);
  }
  gla_context_destroy (ctx);
  free (norms);
  free (a);
}

int main (void)
{
  test_pool ();
  test_watch ();
#if defined(__linux__)
  test_places ();
#endif
  test_blas_hold ();
  test_contexts ();
  test_deal ();
  return check_report ("parallel");
}
