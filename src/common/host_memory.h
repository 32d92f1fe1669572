// host_memory.h: large arrays of the host: their pages, and filling them
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOST_MEMORY_H
#define GPULINALG_HOST_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Asks the system to back fresh memory with huge pages, where it is large enough for them. A page
// fault costs about as much for 2 MB as for 4 KB, and fresh outputs are mostly page faults.
void gla_host_prefer_huge_pages (void *memory, size_t bytes);

// The threads that move data between the host's memory and a GPU, 16 at most: more do not help.
int gla_host_threads (void);

// Has the system give memory that nobody may have touched yet, by several threads; what is there
// stays as it is. Otherwise each page comes when it is written first, and where threads write side
// by side they wait for one another: a huge page is cleared by one of them.
void gla_host_populate (void *memory, size_t bytes);

// memset (memory, 0, bytes) by several threads, so that the page faults are shared, too. The
// calling thread asks `stop` in between, every 2 MB of its own: fresh memory may come at 0.3 GB/s.
// Nonzero ends the work, and is returned then.
int gla_host_zero (void *memory, size_t bytes, int (*stop) (void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif
