// blas_threads.c: one thread for the BLAS while our own threads work
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which BLAS is loaded is known at run time only, so its functions are looked up by name among all
// libraries of the process. A BLAS that has none of them has no threads of its own, or notices
// that it is called from a parallel region.

#include "blas_threads.h"

#include <dlfcn.h>
#include <stddef.h>

// One way to ask and to tell. `get` may be NULL: then `set` returns what was there.
typedef struct {
  const char *get, *set;
} thread_functions;

static const thread_functions known[] = {
    {"openblas_get_num_threads", "openblas_set_num_threads"},
    {"openblas_get_num_threads64_", "openblas_set_num_threads64_"},
    {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
};

static void *look_up (const char *name)
{
  return dlsym (RTLD_DEFAULT, name);
}

// dlsym gives an object pointer, and ISO C has no conversion of it to a function.
typedef union {
  void *object;
  int (*get) (void);
  void (*set) (int);
} symbol;

// Index into `known` of the BLAS in this process, or -1.
static int find (symbol *get, symbol *set)
{
  for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
    get->object = look_up (known[i].get);
    set->object = look_up (known[i].set);
    if (get->object && set->object)
      return i;
  }
  return -1;
}

int gla_blas_threads_one (void)
{
  symbol get, set;
  if (find (&get, &set) < 0)
    return 0;
  int before = get.get ();
  if (before <= 1)
    return 0;
  set.set (1);
  return before;
}

void gla_blas_threads_restore (int before)
{
  symbol get, set;
  if (before > 0 && find (&get, &set) >= 0)
    set.set (before);
}
