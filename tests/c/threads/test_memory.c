// test_memory.c: host_memory.h prefaults and zeroes memory
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda

#include "frame/check.h"
#include "common/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MB = 1 << 20, ALL = 9 * MB };

static unsigned char *fresh (void)
{
  unsigned char *memory =
      mmap (NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK (memory != MAP_FAILED, "mmap");
  return memory;
}

// Which OS pages of a mapping are resident.
static int64_t resident (unsigned char *memory, size_t bytes)
{
  const size_t page = (size_t)sysconf (_SC_PAGESIZE), pages = (bytes + page - 1) / page;
  unsigned char *there = malloc (pages);
  int64_t count = 0;
  CHECK (there != NULL && mincore (memory, bytes, there) == 0, "mincore");
  for (size_t k = 0; there != NULL && k < pages; k++)
    count += there[k] & 1;
  free (there);
  return count;
}

static unsigned char value_at (size_t at)
{
  return (unsigned char)(at * 2654435761u >> 13);
}

// All OS pages of the range become resident, and none more than a huge page away.
static void test_fresh (size_t first, size_t bytes, int huge)
{
  unsigned char *memory = fresh ();
  const size_t page = (size_t)sysconf (_SC_PAGESIZE);
  if (huge)
    gla_host_prefer_huge_pages (memory, ALL);
  gla_host_prefault (memory + first, bytes);
  const size_t from = first / page * page, to = (first + bytes + page - 1) / page * page;
  const int64_t wanted = bytes > 0 ? (int64_t)((to - from) / page) : 0;
  const int64_t inside = wanted > 0 ? resident (memory + from, to - from) : 0;
  CHECK (inside == wanted, "%zu + %zu: %lld of %lld pages", first, bytes, (long long)inside,
         (long long)wanted);
  const int64_t more = resident (memory, ALL) - inside,
                most = huge ? 2 * 2 * MB / (int64_t)page : 0;
  CHECK (more <= most, "%zu + %zu: %lld pages more", first, bytes, (long long)more);
  size_t zeros = 0;
  for (size_t at = 0; at < ALL; at++)
    zeros += memory[at] == 0;
  CHECK (zeros == ALL, "%zu + %zu: not zero", first, bytes);
  munmap (memory, ALL);
}

// The contents do not change, in the range and around it.
static void test_kept (size_t first, size_t bytes)
{
  unsigned char *memory = fresh ();
  for (size_t at = 0; at < ALL; at += at % 3 == 0 ? 1 : 4099) // some OS pages are not written
    memory[at] = value_at (at);
  unsigned char *copy = malloc (ALL);
  memcpy (copy, memory, ALL);
  gla_host_prefault (memory + first, bytes);
  CHECK (memcmp (copy, memory, ALL) == 0, "%zu + %zu: changed", first, bytes);
  free (copy);
  munmap (memory, ALL);
}

// Fresh memory is not touched, also where malloc has written its first bytes.
static void test_touched (size_t first, size_t bytes)
{
  unsigned char *memory = fresh ();
  CHECK (!gla_host_is_touched (memory + first, bytes), "%zu + %zu: fresh", first, bytes);
  memory[first] = 1;
  if (bytes > 2 * MB)
    CHECK (!gla_host_is_touched (memory + first, bytes), "%zu + %zu: one byte", first, bytes);
  memset (memory + first, 1, bytes);
  CHECK (gla_host_is_touched (memory + first, bytes), "%zu + %zu: touched", first, bytes);
  munmap (memory, ALL);
}

static int stop_at, asked;
static int stop (void *user)
{
  (void)user;
  return ++asked == stop_at;
}

static void test_zero (void)
{
  unsigned char *memory = fresh ();
  memset (memory, 7, ALL);
  stop_at = 0;
  CHECK (gla_host_zero (memory + 3, ALL - 5, stop, NULL) == 0, "stopped");
  size_t zeros = 0;
  for (size_t at = 0; at < ALL; at++)
    zeros += memory[at] == 0;
  CHECK (zeros == ALL - 5 && memory[2] == 7 && memory[ALL - 2] == 7, "%zu zeros", zeros);
  int stopped = 0; // may remain 0, if other threads did all the work first
  for (int k = 0; k < 1000 && !stopped; k++) {
    asked = 0;
    stop_at = 1;
    stopped = gla_host_zero (memory, ALL, stop, NULL);
  }
  CHECK (stopped, "never stopped");
  munmap (memory, ALL);
}

int main (void)
{
  static const size_t firsts[] = {0, 1, 4095, 4096, 100000, 2 * MB - 1, 2 * MB, 3 * MB + 17};
  static const size_t sizes[] = {0, 1, 2, 4095, 4097, 2 * MB - 1, 2 * MB, 2 * MB + 1, 5 * MB + 77};
  for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      test_fresh (firsts[f], sizes[s], 0);
      test_fresh (firsts[f], sizes[s], 1);
      test_kept (firsts[f], sizes[s]);
      if (sizes[s] > 0)
        test_touched (firsts[f], sizes[s]);
    }
  test_zero ();
  return check_report ("test_memory");
}
