// time_slice.c: shorter time slices for threads that others wait for
// SPDX-License-Identifier: GPL-3.0-or-later

#include "time_slice.h"

#if defined(__linux__)

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_sched_setattr) && defined(SYS_sched_getattr)
#define HAVE_TIME_SLICES 1
#endif

#endif

#ifdef HAVE_TIME_SLICES

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
