// pool_size.c: how many threads there may be
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pool.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread int share; // of this thread; 0: as the environment says

//------------------------------------------------------------------------------
// processors
//------------------------------------------------------------------------------

static int processors_by_affinity (void)
{
#if defined(__linux__)
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
#endif
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

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

// The number at the beginning of an environment variable, or 0; "4,2" is 4 for us.
static int number_in (const char *name)
{
  const char *text = getenv (name);
  if (text == NULL)
    return 0;
  char *end;
  const long number = strtol (text, &end, 10);
  end += strspn (end, " \t");
  return end != text && (*end == '\0' || *end == ',') && number > 0 && number < 4096 ? (int)number
                                                                                     : 0;
}

static int threads_of_process;

static void read_environment (void)
{
  const int asked = number_in ("OMP_NUM_THREADS"), limit = number_in ("OMP_THREAD_LIMIT");
  threads_of_process = asked > 0 ? asked : gla_processors ();
  if (limit > 0 && limit < threads_of_process)
    threads_of_process = limit;
}

int gla_pool_threads (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (share > 0)
    return share;
  pthread_once (&once, read_environment);
  return threads_of_process;
}

void gla_pool_share (int threads)
{
  share = threads > 0 ? threads : 0;
}
