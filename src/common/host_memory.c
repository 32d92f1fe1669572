// host_memory.c: large arrays of the host: huge pages of the system, and prefaulting
// SPDX-License-Identifier: GPL-3.0-or-later

#include "host_memory.h"
#include "system.h"
#include "threads/pool.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HUGE_PAGE ((size_t)1 << 21)

void gla_host_prefer_huge_pages (void *memory, size_t bytes)
{
  uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
  if (end > first) // only a request: if it fails, pages stay small
    gla_advise_huge_pages ((void *)first, end - first);
}

// Does one thread's share. If the system has no call for it, each page is written with its own
// value.
static void prefault (uintptr_t first, uintptr_t end)
{
  if (gla_populate_pages ((void *)first, end - first))
    return;
  for (uintptr_t at = first; at < end; at += 4096 - at % 4096) {
    volatile char *byte = (volatile char *)at;
    *byte = *byte;
  }
}

// The last bytes are checked first: the first ones of fresh memory may hold what malloc writes
// there.
int gla_host_is_touched (const void *memory, size_t bytes)
{
  enum { LOOKS = 32 };
  for (size_t k = 0; k < LOOKS && bytes > 0; k++)
    if (!gla_page_is_present ((const char *)memory + bytes - 1 - (bytes - 1) / LOOKS * k))
      return 0;
  return 1;
}

int gla_host_threads (void)
{
  const int threads = gla_pool_threads ();
  return threads > 16 ? 16 : threads;
}

// Memory in parts of a huge page.
typedef struct {
  uintptr_t first, end;
  int (*stop) (void *user);
  void *user;
  _Atomic int stopped;
} memory_parts;

static void prefault_part (void *user, int64_t k, int slot)
{
  (void)slot;
  const memory_parts *m = user;
  const uintptr_t from = (m->first / HUGE_PAGE + (uintptr_t)k) * HUGE_PAGE, to = from + HUGE_PAGE;
  prefault (from < m->first ? m->first : from, to > m->end ? m->end : to);
}

void gla_host_prefault (void *memory, size_t bytes)
{
  memory_parts m = {(uintptr_t)memory, (uintptr_t)memory + bytes, NULL, NULL, 0};
  if (bytes > 0)
    gla_pool_for ((int64_t)((m.end - 1) / HUGE_PAGE - m.first / HUGE_PAGE) + 1, gla_host_threads (),
                  prefault_part, &m);
}

static void zero_part (void *user, int64_t k, int slot)
{
  memory_parts *m = user;
  const uintptr_t from = m->first + (uintptr_t)k * HUGE_PAGE, left = m->end - from;
  if (slot == 0 && !atomic_load (&m->stopped) && m->stop (m->user))
    atomic_store (&m->stopped, 1);
  if (!atomic_load (&m->stopped))
    memset ((void *)from, 0, left < HUGE_PAGE ? left : HUGE_PAGE);
}

int gla_host_zero (void *memory, size_t bytes, int (*stop) (void *user), void *user)
{
  const int64_t parts = (int64_t)((bytes + HUGE_PAGE - 1) / HUGE_PAGE);
  memory_parts m = {(uintptr_t)memory, (uintptr_t)memory + bytes, stop, user, 0};
  gla_pool_for (parts, parts > 2 ? gla_pool_threads () : 1, zero_part, &m);
  return atomic_load (&m.stopped);
}

// From so many bytes on, calloc would clear memory that was used before.
enum { LARGE_ZEROS = 1 << 16 };

void *gla_host_zeros (size_t bytes)
{
  return bytes >= LARGE_ZEROS ? gla_map_zeros (bytes) : calloc (bytes > 0 ? bytes : 1, 1);
}

void gla_host_free_zeros (void *memory, size_t bytes)
{
  if (memory == NULL || bytes < LARGE_ZEROS)
    free (memory);
  else
    gla_unmap (memory, bytes);
}
