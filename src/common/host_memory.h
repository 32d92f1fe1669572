// host_memory.h: large arrays of the host: huge pages of the system, and prefaulting
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOST_MEMORY_H
#define GPULINALG_HOST_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Asks the system to back fresh memory with huge pages, if it is large enough for them. A page
// fault costs about as much for 2 MB as for 4 KB, and most of the time of fresh outputs is page
// faults.
void gla_host_prefer_huge_pages (void *memory, size_t bytes);

// Returns the threads that move data between the host's memory and a GPU, 16 at most: more do not
// help.
int gla_host_threads (void);

// Prefaults memory by several threads without changing its contents. Otherwise the first write to
// each page of the system faults, and threads that write to one huge page wait for the one that
// clears it.
void gla_host_prefault (void *memory, size_t bytes);

// Whether this memory has been touched before, by checking 32 places in it: then the system need
// not clear it. 0 also if the system does not tell.
int gla_host_is_touched (const void *memory, size_t bytes);

// memset (memory, 0, bytes) by several threads, so that the page faults are shared, too. The
// calling thread polls `stop` every 2 MB of its own: fresh memory may come at 0.3 GB/s.
// Nonzero ends the work, and is returned then.
int gla_host_zero (void *memory, size_t bytes, int (*stop) (void *user), void *user);

// Returns memory of zeros, or NULL. Untouched memory costs nothing, even if it is taken repeatedly.
// It is freed with the same number of bytes.
void *gla_host_zeros (size_t bytes);
void gla_host_free_zeros (void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
