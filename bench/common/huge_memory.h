// huge_memory.h: memory of the host for the results of a benchmark
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef HUGE_MEMORY_H
#define HUGE_MEMORY_H

#include <stdlib.h>
#include <sys/mman.h>

// Fresh memory for which huge pages are asked, as for the results of Octave's functions; NULL:
// there is none. free gives it back.
static inline void *huge_memory (size_t bytes)
{
  const size_t huge = (size_t)2 << 20, room = (bytes / huge + 1) * huge;
  void *memory = NULL;
  if (posix_memalign (&memory, huge, room) != 0)
    return NULL;
  madvise (memory, room, MADV_HUGEPAGE); // a wish
  return memory;
}

#endif
