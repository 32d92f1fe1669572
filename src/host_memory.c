// host_memory.c: large arrays of the host: their pages, and filling them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "host_memory.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
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

// One thread's share. Systems that cannot be asked are told by writing to each page what is there.
static void populate (uintptr_t first, uintptr_t end)
{
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  const uintptr_t page = (uintptr_t)sysconf (_SC_PAGESIZE);
  const uintptr_t from = first / page * page, to = (end + page - 1) / page * page;
  if (madvise ((void *)from, to - from, MADV_POPULATE_WRITE) == 0)
    return;
#endif
  for (uintptr_t at = first; at < end; at += 4096 - at % 4096) {
    volatile char *byte = (volatile char *)at;
    *byte = *byte;
  }
}

int gla_host_threads (void)
{
  const int threads = omp_get_max_threads ();
  return threads > 16 ? 16 : threads;
}

void gla_host_populate (void *memory, size_t bytes)
{
  const uintptr_t first = (uintptr_t)memory, end = first + bytes, base = first / HUGE_PAGE;
  const int64_t parts = bytes > 0 ? (int64_t)((end - 1) / HUGE_PAGE - base) + 1 : 0;
  if (parts <= 1) {
    if (parts == 1)
      populate (first, end);
    return;
  }
#pragma omp parallel for schedule(dynamic) num_threads(gla_host_threads())
  for (int64_t k = 0; k < parts; k++) {
    const uintptr_t from = (base + (uintptr_t)k) * HUGE_PAGE, to = from + HUGE_PAGE;
    populate (from < first ? first : from, to > end ? end : to);
  }
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
