// system_linux.c: processors, memory, slices of time and places of threads, as Linux has them
// SPDX-License-Identifier: GPL-3.0-or-later

#if defined(__linux__)

#include "system.h"
#include "threads/schedule.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const char *gla_system_lacks (void)
{
  return NULL;
}

//------------------------------------------------------------------------------
// processors
//------------------------------------------------------------------------------

static int processors_by_affinity (void)
{
  for (int most = 1024; most <= 1 << 20; most *= 4) {
    cpu_set_t *set = CPU_ALLOC ((size_t)most);
    if (set == NULL)
      break;
    const size_t bytes = CPU_ALLOC_SIZE ((size_t)most);
    const int got = sched_getaffinity (0, bytes, set);
    const int count = got == 0 ? CPU_COUNT_S (bytes, set) : 0;
    CPU_FREE (set);
    if (count > 0)
      return count;
  }
  const long count = sysconf (_SC_NPROCESSORS_ONLN);
  return count > 0 && count < INT_MAX ? (int)count : 1;
}

// Returns the processors that one control group allows, INT_MAX if it does not say; version 2 has
// one file, version 1 has two.
static int processors_of_group (const char *folder, int version)
{
  char path[4200];
  double quota = -1, period = -1;
  snprintf (path, sizeof path, "%s/%s", folder, version == 2 ? "cpu.max" : "cpu.cfs_quota_us");
  FILE *f = fopen (path, "r");
  if (f == NULL)
    return INT_MAX;
  const int found = fscanf (f, "%lf %lf", &quota, &period); // "max 100000" if there is no limit
  fclose (f);
  if (version == 1 && found == 1) {
    snprintf (path, sizeof path, "%s/cpu.cfs_period_us", folder);
    f = fopen (path, "r");
    if (f == NULL || fscanf (f, "%lf", &period) != 1)
      period = -1;
    if (f != NULL)
      fclose (f);
  }
  if (!(quota > 0) || !(period > 0) || quota / period > 1 << 20)
    return INT_MAX;
  const int whole = (int)(quota / period);
  return whole + (whole * period < quota);
}

// Does the same for a group and all that contain it.
static int processors_of_groups (const char *root, char *group, int version)
{
  char folder[4100];
  int least = INT_MAX;
  for (;;) {
    snprintf (folder, sizeof folder, "%s%s", root, group);
    const int here = processors_of_group (folder, version);
    least = here < least ? here : least;
    char *slash = strrchr (group, '/');
    if (slash == NULL)
      return least;
    *slash = '\0';
  }
}

// Lines are "0::/path" for version 2 and "4:cpu,cpuacct:/path" for version 1.
static int processors_by_quota (void)
{
  char line[4096];
  int least = INT_MAX;
  FILE *f = fopen ("/proc/self/cgroup", "r");
  while (f != NULL && fgets (line, sizeof line, f) != NULL) {
    line[strcspn (line, "\n")] = '\0';
    char *controllers = strchr (line, ':'), *group;
    if (controllers == NULL || (group = strchr (++controllers, ':')) == NULL)
      continue;
    *group++ = '\0';
    int here = INT_MAX;
    if (controllers[0] == '\0')
      here = processors_of_groups ("/sys/fs/cgroup", group, 2);
    else if (strcmp (controllers, "cpu") == 0 || strncmp (controllers, "cpu,", 4) == 0 ||
             strstr (controllers, ",cpu,") != NULL)
      here = processors_of_groups ("/sys/fs/cgroup/cpu", group, 1);
    least = here < least ? here : least;
  }
  if (f != NULL)
    fclose (f);
  return least;
}

int gla_processors (void)
{
  const int quota = processors_by_quota (), affinity = processors_by_affinity ();
  return quota < affinity ? quota : affinity;
}

int gla_is_bound (void)
{
  return processors_by_affinity () < sysconf (_SC_NPROCESSORS_ONLN);
}

static unsigned processor_number (void)
{
#if defined(__x86_64__)
  unsigned a, b, c, d;
  __cpuid (1, a, b, c, d);
  return b >> 24;
#else
  return 0;
#endif
}

void gla_on_first_processor (void (*work) (void *user), void *user)
{
  cpu_set_t before, one;
  const int known = sched_getaffinity (0, sizeof before, &before) == 0;
  for (int k = 0; known && k < CPU_SETSIZE && processor_number () != 0; k++)
    if (CPU_ISSET (k, &before)) {
      CPU_ZERO (&one);
      CPU_SET (k, &one);
      sched_setaffinity (0, sizeof one, &one);
    }
  work (user);
  if (known)
    sched_setaffinity (0, sizeof before, &before);
}

// Reads the value after the colon in the first line of a file in /proc that starts with `key`.
static int read_line (const char *file, const char *key, char *value, size_t size)
{
  FILE *f = fopen (file, "r");
  if (!f)
    return 0;
  char line[512];
  int found = 0;
  while (!found && fgets (line, sizeof line, f))
    if (strncmp (line, key, strlen (key)) == 0) {
      char *p = strchr (line, ':');
      p = p ? p + 1 + strspn (p + 1, " \t") : line;
      p[strcspn (p, "\n")] = '\0';
      size_t length = strlen (p) < size ? strlen (p) : size - 1;
      memcpy (value, p, length);
      value[length] = '\0';
      found = 1;
    }
  fclose (f);
  return found;
}

int gla_processor_name (char *name, size_t room)
{
  return read_line ("/proc/cpuinfo", "model name", name, room);
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

int64_t gla_memory_available (void)
{
  char text[64];
  return read_line ("/proc/meminfo", "MemAvailable", text, sizeof text)
             ? strtoll (text, NULL, 10) * 1024
             : gla_memory_total ();
}

void gla_advise_huge_pages (void *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
  (void)madvise (memory, bytes, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

int gla_populate_pages (void *memory, size_t bytes)
{
#if defined(MADV_POPULATE_WRITE)
  const uintptr_t page = (uintptr_t)sysconf (_SC_PAGESIZE), first = (uintptr_t)memory;
  const uintptr_t from = first / page * page, to = (first + bytes + page - 1) / page * page;
  return madvise ((void *)from, to - from, MADV_POPULATE_WRITE) == 0;
#else
  (void)memory;
  (void)bytes;
  return 0;
#endif
}

int gla_page_is_present (const void *at)
{
  const uintptr_t page = (uintptr_t)sysconf (_SC_PAGESIZE);
  unsigned char there = 0;
  return mincore ((void *)((uintptr_t)at / page * page), page, &there) == 0 && (there & 1);
}

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

static int get_attributes (attributes *a)
{
  *a = (attributes){.size = sizeof *a};
  return syscall (SYS_sched_getattr, 0, a, sizeof *a, 0) == 0 && a->policy == SCHED_OTHER;
}

static int set_attributes (attributes *a, uint64_t slice_ns)
{
  a->size = sizeof *a;
  a->slice_ns = slice_ns;
  return syscall (SYS_sched_setattr, 0, a, 0) == 0;
}

uint64_t gla_time_slice_shorten (void)
{
  attributes a;
  if (!get_attributes (&a) || a.slice_ns <= SLICE_NS) // 0: a system without
    return 0;
  const uint64_t before = a.slice_ns;
  return set_attributes (&a, SLICE_NS) ? before : 0;
}

void gla_time_slice_restore (uint64_t before)
{
  attributes a;
  if (before != 0 && get_attributes (&a))
    (void)set_attributes (&a, before);
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
static int sleeping;

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
  sleeping++;
}

static void take_out (gla_sleeper *s)
{
  for (gla_sleeper **at = &sleepers; *at != NULL; at = &(*at)->other)
    if (*at == s) {
      *at = s->other;
      sleeping--;
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
  const int processor = sleeping <= MOST_SLEEPERS ? sched_getcpu () : -1;
  for (gla_sleeper *s = sleepers; processor >= 0 && processor < CPU_SETSIZE && s != NULL;
       s = s->other)
    keep_away (s, processor);
}

void gla_sleepers_forget (void)
{
  sleepers = NULL;
  sleeping = 0;
}

#endif
