// wake_place.c: where the system wakes a thread of the pool
// SPDX-License-Identifier: GPL-3.0-or-later

#include "wake_place.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#else

gla_sleeper *gla_sleeper_new (void)
{
  return NULL;
}
void gla_sleeper_begin (gla_sleeper *s)
{
  (void)s;
}
void gla_sleeper_end (gla_sleeper *s)
{
  (void)s;
}
void gla_sleepers_keep_away (void) {}
void gla_sleepers_forget (void) {}

#endif
