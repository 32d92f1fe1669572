// blas_gate.c: a fork waits until no thread of the library is in a call of the BLAS or of LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls are counted in several places, so that threads do not write to the same cache line in each
// of their calls. A thread counts itself, then checks for a fork; a fork announces itself, then
// checks the counts: at least one of them sees the other.

#include "blas_gate.h"
#include "blas_threads.h"
#include "common/system.h"

#include <stdatomic.h>
#include <stdint.h>

// A fork checks the counts so often, and continues after so long: some calls of LAPACK take
// minutes, and most children call another program at once.
enum { PLACES = 64, NAP_NS = 50000 };
static const int64_t longest_wait_ns = 1000000000;

typedef struct {
  _Alignas(64) atomic_int inside;
} place;

static struct {
  pthread_mutex_t lock; // of the thread that forks
  atomic_int forking;
  atomic_uint threads; // so many have a place
  place places[PLACES];
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local place *mine;

// The lock of a BLAS that serves one call at a time: every caller of it holds it.
static pthread_mutex_t one_call = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int takes_turns, depth;

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static void wait_for_fork (void)
{
  pthread_mutex_lock (&gate.lock);
  pthread_mutex_unlock (&gate.lock);
}

void gla_blas_in (void)
{
  if (mine == NULL) {
    mine = &gate.places[atomic_fetch_add (&gate.threads, 1) % PLACES];
    takes_turns = gla_blas_first_call ();
  }
  atomic_fetch_add (&mine->inside, 1);
  while (atomic_load (&gate.forking)) {
    atomic_fetch_sub (&mine->inside, 1);
    wait_for_fork ();
    atomic_fetch_add (&mine->inside, 1);
  }
  if (takes_turns && depth++ == 0)
    pthread_mutex_lock (&one_call);
}

void gla_blas_out (void)
{
  if (takes_turns && --depth == 0)
    pthread_mutex_unlock (&one_call);
  atomic_fetch_sub (&mine->inside, 1);
}

//------------------------------------------------------------------------------
// forks
//------------------------------------------------------------------------------

static int calls_now (void)
{
  int calls = 0;
  for (int k = 0; k < PLACES; k++)
    calls += atomic_load (&gate.places[k].inside);
  return calls;
}

static void before_fork (void)
{
  pthread_mutex_lock (&gate.lock);
  atomic_store (&gate.forking, 1);
  const int64_t end = gla_now_ns () + longest_wait_ns;
  while (calls_now () > 0 && gla_now_ns () < end)
    gla_nap (NAP_NS);
}

static void after_fork (void)
{
  atomic_store (&gate.forking, 0);
  pthread_mutex_unlock (&gate.lock);
}

static void in_child (void)
{
  pthread_mutex_init (&gate.lock, NULL);
  pthread_mutex_init (&one_call, NULL);
  for (int k = 0; k < PLACES; k++)
    atomic_store (&gate.places[k].inside, 0);
  atomic_store (&gate.forking, 0);
}

// Runs when the library is loaded: the handlers must exist before a fork during the first call.
static __attribute__ ((constructor)) void watch_forks (void)
{
  gla_at_fork (before_fork, after_fork, in_child);
}
