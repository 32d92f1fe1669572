// system_linux_threads.c: slices of time and places of threads, as Linux has them
// SPDX-License-Identifier: GPL-3.0-or-later

#if defined(__linux__)

#include "threads/schedule.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// shorter time slices for threads that others wait for
//------------------------------------------------------------------------------

#if defined(SYS_sched_setattr) && defined(SYS_sched_getattr)

#define SLICE_NS 700000

// struct sched_attr of the system, in its first version.
typedef struct {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_ns, deadline, period;
} attributes;

static int get (attributes *a)
{
  *a = (attributes){.size = sizeof *a};
  return syscall (SYS_sched_getattr, 0, a, sizeof *a, 0) == 0 && a->policy == SCHED_OTHER;
}

static int set (attributes *a, uint64_t slice_ns)
{
  a->size = sizeof *a;
  a->slice_ns = slice_ns;
  return syscall (SYS_sched_setattr, 0, a, 0) == 0;
}

uint64_t gla_time_slice_shorten (void)
{
  attributes a;
  if (!get (&a) || a.slice_ns <= SLICE_NS) // 0: a system without
    return 0;
  const uint64_t before = a.slice_ns;
  return set (&a, SLICE_NS) ? before : 0;
}

void gla_time_slice_restore (uint64_t before)
{
  attributes a;
  if (before != 0 && get (&a))
    (void)set (&a, before);
}

#else

uint64_t gla_time_slice_shorten (void)
{
  return 0;
}

void gla_time_slice_restore (uint64_t before)
{
  (void)before;
}

#endif

//------------------------------------------------------------------------------
// where the system wakes a thread of the pool
//------------------------------------------------------------------------------

// With more threads than this the system finds an idle processor, and to keep all away takes time.
enum { MOST_SLEEPERS = 4 };

struct gla_sleeper {
  pid_t thread;
  int kept_away;
  cpu_set_t usual, now; // processors that it may use: when it went to sleep, and since
  gla_sleeper *other;   // those that sleep are a list
};

static gla_sleeper *sleepers;
static int count;

gla_sleeper *gla_sleeper_new (void)
{
  gla_sleeper *s = calloc (1, sizeof *s);
  if (s != NULL)
    s->thread = (pid_t)syscall (SYS_gettid);
  return s;
}

void gla_sleeper_begin (gla_sleeper *s)
{
  if (s == NULL)
    return;
  s->kept_away = 0;
  s->other = sleepers;
  sleepers = s;
  count++;
}

static void take_out (gla_sleeper *s)
{
  for (gla_sleeper **at = &sleepers; *at != NULL; at = &(*at)->other)
    if (*at == s) {
      *at = s->other;
      count--;
      return;
    }
}

// A user may have given the thread other processors meanwhile, which stay.
void gla_sleeper_end (gla_sleeper *s)
{
  if (s == NULL)
    return;
  take_out (s);
  cpu_set_t now;
  if (s->kept_away && sched_getaffinity (s->thread, sizeof now, &now) == 0 &&
      CPU_EQUAL (&now, &s->now))
    (void)sched_setaffinity (s->thread, sizeof s->usual, &s->usual);
}

static void keep_away (gla_sleeper *s, int processor)
{
  if (!s->kept_away && sched_getaffinity (s->thread, sizeof s->usual, &s->usual) != 0)
    return;
  cpu_set_t others = s->usual;
  CPU_CLR (processor, &others);
  if (CPU_COUNT (&others) == 0 || (s->kept_away && CPU_EQUAL (&others, &s->now)))
    return;
  if (sched_setaffinity (s->thread, sizeof others, &others) == 0) {
    s->now = others;
    s->kept_away = 1;
  }
}

void gla_sleepers_keep_away (void)
{
  const int processor = count <= MOST_SLEEPERS ? sched_getcpu () : -1;
  for (gla_sleeper *s = sleepers; processor >= 0 && processor < CPU_SETSIZE && s != NULL;
       s = s->other)
    keep_away (s, processor);
}

void gla_sleepers_forget (void)
{
  sleepers = NULL;
  count = 0;
}

#endif
