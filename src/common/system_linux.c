// system_linux.c: processors and memory, as Linux tells of them
// SPDX-License-Identifier: GPL-3.0-or-later

#if defined(__linux__)

#include "system.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

// The processors that one control group leaves, INT_MAX where it does not say; version 2 has one
// file, version 1 has two.
static int processors_of_group (const char *folder, int version)
{
  char path[4200];
  double quota = -1, period = -1;
  snprintf (path, sizeof path, "%s/%s", folder, version == 2 ? "cpu.max" : "cpu.cfs_quota_us");
  FILE *f = fopen (path, "r");
  if (f == NULL)
    return INT_MAX;
  const int found = fscanf (f, "%lf %lf", &quota, &period); // "max 100000" where there is no limit
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

// The same for a group and all that it is in.
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

// Value of the first line of a file in /proc that starts with `key`, behind its colon.
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

#endif
