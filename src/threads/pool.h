// pool.h: the threads that share the library's work
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One pool serves the whole process. Its threads start at first need, block signals, and sleep
// while there is nothing to do. They take work piece by piece from a counter: the caller works,
// too, and never waits for a thread that has not begun, so a busy machine delays a call by no more
// than the pieces that were begun. Several threads may share out work at once. If a piece of shared
// work shares out work itself, its own thread does all of that.

#ifndef GPULINALG_POOL_H
#define GPULINALG_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns how many threads the work of this thread may have, itself included: what gla_pool_share
// has set, or else the first number in OMP_NUM_THREADS, or OMP_THREAD_LIMIT, or the processors that
// this process may use. The environment is read once.
int gla_pool_threads (void);

// Sets that number for the calling thread; 0 undoes it.
void gla_pool_share (int threads);

// One piece of work; slot, the number of a workspace, is 0 in the caller and below `most` in all.
typedef void (*gla_pool_work) (void *user, int64_t piece, int slot);

// Does pieces 0 to pieces-1, by at most so many threads. The order of the pieces is not fixed.
void gla_pool_for (int64_t pieces, int most, gla_pool_work work, void *user);

// Does the same. While the caller waits for others to finish their pieces, it calls `watch` every
// 20 ms.
void gla_pool_watched (int64_t pieces, int most, gla_pool_work work, void *user,
                       void (*watch) (void *), void *watch_user);

// Calls work (user, first, end) for elements 0 to count-1 of an array in pieces of at most `length`
// elements, by all threads of the pool if there is more than one piece.
void gla_pool_ranges (int64_t count, int64_t length, void (*work) (void *, int64_t, int64_t),
                      void *user);

#ifdef __cplusplus
}
#endif

#endif
