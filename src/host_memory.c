// host_memory.c: large arrays of the host: their pages, and filling them
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE

#include "host_memory.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)1 << 21)

void gla_host_prefer_huge_pages (void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
  if (end > first) // only a wish: where it fails, pages stay small
    (void)madvise ((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

int gla_host_zero (void *memory, size_t bytes, int (*stop) (void *user), void *user)
{
  int64_t parts = (int64_t)((bytes + HUGE_PAGE - 1) / HUGE_PAGE);
  _Atomic int stopped = 0;
  // dealt out one by one: all threads have work for as long as the one that asks
#pragma omp parallel for schedule(dynamic) if (parts > 2)
  for (int64_t k = 0; k < parts; k++) {
    if (omp_get_thread_num () == 0 && !stopped && stop (user))
      stopped = 1;
    size_t at = (size_t)k * HUGE_PAGE, length = bytes - at < HUGE_PAGE ? bytes - at : HUGE_PAGE;
    if (!stopped)
      memset ((char *)memory + at, 0, length);
  }
  return stopped;
}
