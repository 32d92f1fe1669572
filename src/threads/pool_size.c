// pool_size.c: how many threads there may be
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pool.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

static __thread int share; // of this thread; 0: as the environment says

// Returns the number at the beginning of an environment variable, or 0; "4,2" means 4.
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
