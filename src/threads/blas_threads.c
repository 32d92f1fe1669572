// blas_threads.c: one thread for each call of the BLAS, and memory for as many calls at once
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The number of its threads belongs to the whole process: the first holder of the BLAS sets it to 1
// and the last one restores it. Each call of OpenBLAS needs a buffer. It keeps the buffers that it
// has, and if the system refuses another it asks again forever. So if the process has a limit, new
// buffers are tried before they are needed.
// OpenBLAS with OpenMP asks in each call for a number that belongs to the calling thread, and MKL
// and newer BLIS have such a number, too: so the threads of the pool, and a caller while it holds
// the BLAS, set theirs. Debian's BLIS with OpenMP exports no function and asks OpenMP for as many
// threads as the environment says, but takes one if OpenMP gives no more: so a thread's number of
// levels is 0, too. Before GCC 11 that number was the process's, and is not changed.
// Which BLAS is loaded is known at run time only, so its functions are looked up by name among all
// libraries of the process. A BLAS that has none of them has no threads of its own, or detects that
// several threads call it.

#include "blas_threads.h"
#include "common/system.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a buffer in all versions of OpenBLAS for x86-64 and ARM since 2019, including memory
// that it maps temporarily; older ones have less. At most MOST calls at once are asked for. Buffers
// that a caller needs, see take_buffers.
enum { BUFFER_BYTES = 130 << 20, MOST = 128, FOR_ONE_CALLER = 2 };

// One way to get and set the number; buffers: whether calls need them.
typedef struct {
  const char *get, *set;
  int buffers;
} thread_functions;

static const thread_functions known[] = {
    {"openblas_get_num_threads", "openblas_set_num_threads", 1},
    {"openblas_get_num_threads64_", "openblas_set_num_threads64_", 1},
    {"bli_thread_get_num_threads", "bli_thread_set_num_threads", 0},
};

// gla_symbol_anywhere gives an object pointer, and ISO C has no conversion of it to a function.
typedef union {
  void *object;
  int (*exchange) (int);
  int (*get) (void);
  void (*set) (int);
  void *(*allocate) (int);
  void (*release) (void *);
} symbol;

static struct {
  pthread_mutex_t lock;
  int found; // 0: not yet looked for, -1: none is known
  symbol get, set;
  int buffers;
  int holders, before; // who hold it, and the threads that it had before
  int callers, ready;  // threads that call it now, and those that it has buffers for
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER};

// How often this thread holds it. A thread that holds it once more is the same caller, and needs
// buffers only for the threads that it brings.
static _Thread_local int holds;
// What the caller's own numbers were.
static _Thread_local int omp_before, levels_before, mkl_before;

static symbol look_up (const char *name)
{
  return (symbol){.object = gla_symbol_anywhere (name)};
}

//------------------------------------------------------------------------------
// a child of fork
//------------------------------------------------------------------------------

static void before_fork (void)
{
  pthread_mutex_lock (&blas.lock);
}

static void after_fork (void)
{
  pthread_mutex_unlock (&blas.lock);
}

// A child lacks the threads that held it. The next holder restores what they set.
static void in_child (void)
{
  pthread_mutex_init (&blas.lock, NULL);
  blas.holders = blas.callers = 0;
  holds = 0;
}

// Runs when the library is loaded: the handlers must exist before a fork during the first call.
static __attribute__ ((constructor)) void watch_forks (void)
{
  gla_at_fork (before_fork, after_fork, in_child);
}

//------------------------------------------------------------------------------
// threads of the BLAS
//------------------------------------------------------------------------------

// The numbers of a thread; NULL if the process has none.
static struct {
  pthread_once_t once;
  symbol omp_get, omp_set, levels_get, levels_set, mkl_exchange, blis_set;
  int one_call; // calls at the same time would share a buffer, or wait for each other's threads
} own = {.once = PTHREAD_ONCE_INIT};

// Debian's BLIS with pthreads starts and ends threads in each call, as many as the environment
// says, and exports no function for their number. Its threads wait for each other without sleeping,
// so that calls at the same time took minutes.
static int is_blis_with_threads (void)
{
  const char *number = getenv ("BLIS_NUM_THREADS");
  const symbol product = look_up ("dgemm_");
  char path[4096];
  if (number == NULL)
    number = getenv ("OMP_NUM_THREADS");
  return number != NULL && atoi (number) > 1 && product.object != NULL &&
         gla_file_of (product.object, 1, path, sizeof path) &&
         strstr (path, "blis-pthread") != NULL;
}

static void find_own (void)
{
  own.omp_get = look_up ("omp_get_max_threads");
  own.omp_set = look_up ("omp_set_num_threads");
  if (look_up ("omp_get_supported_active_levels").object != NULL) {
    own.levels_get = look_up ("omp_get_max_active_levels");
    own.levels_set = look_up ("omp_set_max_active_levels");
  }
  own.mkl_exchange = look_up ("MKL_Set_Num_Threads_Local");
  own.blis_set = look_up ("bli_thread_set_num_threads");
  const symbol parallel = look_up ("openblas_get_parallel");
  // OpenBLAS without threads has one buffer
  own.one_call = (parallel.object != NULL && parallel.get () == 0) || is_blis_with_threads ();
}

static void set_own_to_one (void)
{
  pthread_once (&own.once, find_own);
  if (own.omp_get.object != NULL && own.omp_set.object != NULL) {
    omp_before = own.omp_get.get ();
    own.omp_set.set (1);
  }
  if (own.levels_get.object != NULL) {
    levels_before = own.levels_get.get ();
    own.levels_set.set (0);
  }
  if (own.mkl_exchange.object != NULL)
    mkl_before = own.mkl_exchange.exchange (1);
}

static void set_own_back (void)
{
  if (omp_before > 0)
    own.omp_set.set (omp_before);
  if (levels_before > 0)
    own.levels_set.set (levels_before);
  if (own.mkl_exchange.object != NULL)
    own.mkl_exchange.exchange (mkl_before);
  omp_before = levels_before = mkl_before = 0;
}

static _Thread_local int is_pools;

void gla_blas_pool_thread (void)
{
  is_pools = 1;
  set_own_to_one ();
}

// Older BLIS has one number for the process; while the BLAS is held, that is already 1.
int gla_blas_first_call (void)
{
  pthread_once (&own.once, find_own);
  if (is_pools && own.blis_set.object != NULL)
    own.blis_set.set (1);
  return own.one_call;
}

static void find (void)
{
  blas.found = -1;
  for (size_t i = 0; i < sizeof known / sizeof *known && blas.found < 0; i++) {
    blas.get = look_up (known[i].get);
    blas.set = look_up (known[i].set);
    blas.buffers = known[i].buffers;
    if (blas.get.object && blas.set.object)
      blas.found = 1;
  }
}

static void set_one (void)
{
  const int now = blas.get.get ();
  if (now > 1 || blas.before < 1)
    blas.before = now;
  if (now > 1)
    blas.set.set (1);
}

static void set_back (void)
{
  if (blas.before > 1)
    blas.set.set (blas.before);
  blas.before = 0;
}

//------------------------------------------------------------------------------
// buffers
//------------------------------------------------------------------------------

// Returns how many of `wanted` buffers the system would give now.
static int try_buffers (int wanted)
{
  void *maps[FOR_ONE_CALLER * MOST];
  int count = 0;
  while (count < wanted && (maps[count] = gla_map_zeros (BUFFER_BYTES)) != NULL)
    count++;
  for (int k = 0; k < count; k++)
    gla_unmap (maps[k], BUFFER_BYTES);
  return count;
}

// OpenBLAS gives a call a buffer that was last used on the same processor, and takes an unused
// place of its table for one of processor 0: so processor 0 makes a new buffer although others are
// free. All can use buffers that processor 0 made; if there are twice as many as callers, one is
// always free.
static void take_buffers_here (void *user)
{
  const symbol allocate = look_up ("blas_memory_alloc"), release = look_up ("blas_memory_free");
  const int count = *(const int *)user;
  void *taken[FOR_ONE_CALLER * MOST];
  if (allocate.object == NULL || release.object == NULL)
    return;
  for (int k = 0; k < count; k++)
    taken[k] = allocate.allocate (0);
  for (int k = 0; k < count; k++)
    release.release (taken[k]);
}

// OpenBLAS takes so many buffers at once and keeps them, before anything else can have the memory.
// Those that are in use at the moment are not among them.
static void take_buffers (int count)
{
  gla_on_first_processor (take_buffers_here, &count);
}

// Returns whether so many threads may call it at once, or how many.
static int callers_for (int wanted)
{
  if (blas.found < 0 || !blas.buffers || !gla_memory_is_limited ())
    return wanted;
  const int most = wanted < MOST ? wanted : MOST;
  if (blas.ready < most) {
    const int more = try_buffers (FOR_ONE_CALLER * (most - blas.ready)) / FOR_ONE_CALLER;
    if (more > 0)
      take_buffers (FOR_ONE_CALLER * (blas.ready + more) - blas.callers);
    blas.ready += more;
  }
  return blas.ready < most ? blas.ready : most;
}

//------------------------------------------------------------------------------
// hold and release
//------------------------------------------------------------------------------

int gla_blas_enter (int threads)
{
  pthread_mutex_lock (&blas.lock);
  if (blas.found == 0)
    find ();
  const int others = blas.callers - (holds > 0);
  const int granted = callers_for (others + threads) - others;
  if (granted > 0) {
    if (blas.holders++ == 0 && blas.found > 0)
      set_one ();
    blas.callers = others + granted;
    if (holds++ == 0 && !is_pools)
      set_own_to_one ();
  }
  pthread_mutex_unlock (&blas.lock);
  return granted > 0 ? granted : 0;
}

void gla_blas_leave (int threads)
{
  pthread_mutex_lock (&blas.lock);
  blas.callers -= threads - (--holds > 0);
  if (--blas.holders == 0 && blas.found > 0)
    set_back ();
  if (holds == 0 && !is_pools)
    set_own_back ();
  pthread_mutex_unlock (&blas.lock);
}
