// pool.c: the threads that share the library's work
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pool.h"
#include "blas_threads.h"
#include "common/system.h"
#include "schedule.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

// Stack of a thread: LAPACK and the kernels need less than a tenth of it. How long a thread without
// work polls for more before it sleeps: then consecutive phases need no system call. It is longer
// if the last work came as soon as that: a wake-up can take 0.1 ms, as long as a pass of Lanczos.
// How often a waiting caller polls its monitor.
enum { STACK_BYTES = 2 << 20, SPIN_NS = 30000, LONG_SPIN_NS = 200000, WATCH_NS = 20000000 };

typedef struct job {
  int64_t pieces;
  gla_pool_work work;
  void *user;
  int64_t opened;       // when
  _Atomic int64_t next; // the first piece that is not taken
  int most, joined;     // threads, the caller included
  _Atomic int inside;   // threads of the pool that may still work
  struct job *other;    // open jobs are a list
} job;

static struct {
  pthread_mutex_t lock; // for all but the atomic numbers
  pthread_cond_t more, done;
  job *open;
  int threads, sleeping;
  _Atomic int looking;        // threads that look for work without sleeping
  _Atomic unsigned announced; // jobs so far
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static __thread int working; // whether this thread works for a job

static void pause_briefly (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Polls *number until it is no longer `old`, or so long.
static void look (const _Atomic unsigned *number, unsigned old, int64_t ns)
{
  const int64_t end = gla_now_ns () + ns;
  do
    for (int k = 0; k < 64; k++) {
      if (atomic_load_explicit (number, memory_order_relaxed) != old)
        return;
      pause_briefly ();
    }
  while (gla_now_ns () < end);
}

//------------------------------------------------------------------------------
// work
//------------------------------------------------------------------------------

static void take_pieces (job *j, int slot)
{
  const int before = working;
  working = 1;
  for (;;) {
    const int64_t piece = atomic_fetch_add_explicit (&j->next, 1, memory_order_relaxed);
    if (piece >= j->pieces)
      break;
    j->work (j->user, piece, slot);
  }
  working = before;
}

static int is_worth_joining (const job *j)
{
  return j->joined < j->most && atomic_load_explicit (&j->next, memory_order_relaxed) < j->pieces;
}

// Returns the open job with the fewest threads that has room for one more, or NULL.
static job *find_job (void)
{
  job *best = NULL;
  for (job *j = pool.open; j != NULL; j = j->other)
    if (is_worth_joining (j) && (best == NULL || j->joined < best->joined))
      best = j;
  return best;
}

// Wakes up to two threads, which wake others if there is work for them.
static void wake_some (int wanted)
{
  wanted -= atomic_load (&pool.looking);
  if (wanted > 0 && pool.sleeping > 0)
    gla_sleepers_keep_away ();
  for (int k = 0; k < 2 && k < wanted && k < pool.sleeping; k++)
    pthread_cond_signal (&pool.more);
}

// The caller holds the lock before and after.
static void help (job *j)
{
  const int slot = j->joined++;
  atomic_fetch_add (&j->inside, 1);
  if (is_worth_joining (j))
    wake_some (j->most - j->joined);
  pthread_mutex_unlock (&pool.lock);
  take_pieces (j, slot);
  pthread_mutex_lock (&pool.lock);
  // the caller may return as soon as it sees 0, and *j no longer exists then
  if (atomic_fetch_sub (&j->inside, 1) == 1)
    pthread_cond_broadcast (&pool.done);
}

static void *thread_main (void *unused)
{
  (void)unused;
  gla_time_slice_shorten ();
  gla_blas_pool_thread ();
  gla_sleeper *const sleeper = gla_sleeper_new ();
  int64_t idle_since = gla_now_ns (), spin = SPIN_NS;
  pthread_mutex_lock (&pool.lock);
  for (;;) {
    job *j = find_job ();
    if (j != NULL) {
      spin = j->opened - idle_since < LONG_SPIN_NS ? LONG_SPIN_NS : SPIN_NS;
      help (j);
      idle_since = gla_now_ns ();
      continue;
    }
    const unsigned seen = atomic_load (&pool.announced);
    atomic_fetch_add (&pool.looking, 1);
    pthread_mutex_unlock (&pool.lock);
    look (&pool.announced, seen, spin);
    pthread_mutex_lock (&pool.lock);
    atomic_fetch_sub (&pool.looking, 1);
    pool.sleeping++;
    gla_sleeper_begin (sleeper);
    while (atomic_load (&pool.announced) == seen && find_job () == NULL)
      pthread_cond_wait (&pool.more, &pool.lock);
    gla_sleeper_end (sleeper);
    pool.sleeping--;
  }
  return NULL;
}

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

static void before_fork (void)
{
  pthread_mutex_lock (&pool.lock);
}

static void after_fork (void)
{
  pthread_mutex_unlock (&pool.lock);
}

// A child has the caller's thread alone: it starts its own threads at first need.
static void in_child (void)
{
  pthread_mutex_init (&pool.lock, NULL);
  pthread_cond_init (&pool.more, NULL);
  pthread_cond_init (&pool.done, NULL);
  pool.open = NULL;
  pool.threads = pool.sleeping = 0;
  gla_sleepers_forget ();
  atomic_store (&pool.looking, 0);
}

// Runs when the library is loaded: the handlers must exist before a fork during the first call.
static __attribute__ ((constructor)) void watch_forks (void)
{
  gla_at_fork (before_fork, after_fork, in_child);
}

// Keeps the code that sleeping threads return to in memory, also if a program unloads its library.
static void stay_loaded (void)
{
  gla_stay_loaded (&pool);
}

// The caller holds the lock. If the system gives no thread, the existing ones do the work.
static void start_threads (int wanted)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, stay_loaded);
  while (pool.threads < wanted && gla_thread_start (NULL, STACK_BYTES, thread_main, NULL) == 0)
    pool.threads++;
}

//------------------------------------------------------------------------------
// callers
//------------------------------------------------------------------------------

static void open_job (job *j)
{
  const int64_t helpers = j->pieces < j->most ? j->pieces - 1 : j->most - 1;
  j->opened = gla_now_ns ();
  pthread_mutex_lock (&pool.lock);
  if (pool.threads < helpers)
    start_threads ((int)helpers);
  j->other = pool.open;
  pool.open = j;
  atomic_fetch_add (&pool.announced, 1);
  wake_some ((int)helpers);
  pthread_mutex_unlock (&pool.lock);
}

// Closes the job to further threads. The caller holds the lock.
static void close_job (job *j)
{
  job **at = &pool.open;
  while (*at != NULL && *at != j)
    at = &(*at)->other;
  if (*at == j)
    *at = j->other;
}

static void wait_a_little (void)
{
  struct timespec end;
  clock_gettime (CLOCK_REALTIME, &end);
  end.tv_nsec += WATCH_NS;
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    end.tv_sec++;
  }
  pthread_cond_timedwait (&pool.done, &pool.lock, &end);
}

// Waits until the threads that joined have left.
static void finish_job (job *j, void (*watch) (void *), void *watch_user)
{
  pthread_mutex_lock (&pool.lock);
  close_job (j);
  pthread_mutex_unlock (&pool.lock);
  const int64_t end = gla_now_ns () + SPIN_NS;
  while (atomic_load (&j->inside) > 0 && gla_now_ns () < end)
    pause_briefly ();
  if (atomic_load (&j->inside) == 0)
    return;
  pthread_mutex_lock (&pool.lock);
  while (atomic_load (&j->inside) > 0) {
    if (watch == NULL) {
      pthread_cond_wait (&pool.done, &pool.lock);
      continue;
    }
    wait_a_little ();
    pthread_mutex_unlock (&pool.lock);
    watch (watch_user);
    pthread_mutex_lock (&pool.lock);
  }
  pthread_mutex_unlock (&pool.lock);
}

void gla_pool_watched (int64_t pieces, int most, gla_pool_work work, void *user,
                       void (*watch) (void *), void *watch_user)
{
  job j = {.pieces = pieces, .work = work, .user = user, .most = most, .joined = 1};
  if (pieces <= 1 || most <= 1 || working) {
    for (int64_t piece = 0; piece < pieces; piece++)
      work (user, piece, 0);
    return;
  }
  open_job (&j);
  take_pieces (&j, 0);
  finish_job (&j, watch, watch_user);
}

void gla_pool_for (int64_t pieces, int most, gla_pool_work work, void *user)
{
  gla_pool_watched (pieces, most, work, user, NULL, NULL);
}

typedef struct {
  int64_t count, length;
  void (*work) (void *, int64_t, int64_t);
  void *user;
} ranges;

static void work_on_range (void *user, int64_t piece, int slot)
{
  (void)slot;
  const ranges *r = user;
  const int64_t first = piece * r->length, left = r->count - first;
  r->work (r->user, first, first + (left < r->length ? left : r->length));
}

void gla_pool_ranges (int64_t count, int64_t length, void (*work) (void *, int64_t, int64_t),
                      void *user)
{
  ranges r = {count, length, work, user};
  gla_pool_for ((count + length - 1) / length, gla_pool_threads (), work_on_range, &r);
}
