// schedule.h: requests to the system about threads: time slices, processors, yields
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pool calls these, and code that polls. If the system has no such call nothing happens.

#ifndef GPULINALG_THREADS_SCHEDULE_H
#define GPULINALG_THREADS_SCHEDULE_H

#include <stdint.h>

//------------------------------------------------------------------------------
// shorter time slices for threads that others wait for
//------------------------------------------------------------------------------

// If every processor has other work, too, a thread that has used its time slice leaves a piece half
// done while all others wait for it. From Linux 6.12 on a thread may ask for shorter slices than
// the usual 3 ms or so: it gets no more time, but sooner. Older systems ignore it.
//
// Asks for slices of 0.7 ms for the calling thread. Returns its slice before, in ns; 0 if nothing
// was changed: its slices are already as short, the thread has another policy, or the system has no
// such slices.
uint64_t gla_time_slice_shorten (void);

// Restores what gla_time_slice_shorten returned.
void gla_time_slice_restore (uint64_t before);

//------------------------------------------------------------------------------
// where the system wakes a thread of the pool
//------------------------------------------------------------------------------

// If there are few processors, Linux may wake a thread on the processor of the thread that woke it,
// although another one is idle, and the two then share it for as long as a call lasts. So a thread
// of the pool that is woken may not run on that processor until it runs; then it may again run
// where it might before. On systems other than Linux these functions do nothing.
typedef struct gla_sleeper gla_sleeper;

// Made for the calling thread, which keeps it to its end; NULL if nothing can be done.
gla_sleeper *gla_sleeper_new (void);

// Called by the thread itself before it sleeps and after it was woken, with the lock of the pool.
void gla_sleeper_begin (gla_sleeper *s);
void gla_sleeper_end (gla_sleeper *s);

// Called by a thread that will wake some: keeps all that sleep from its processor. With the lock of
// the pool.
void gla_sleepers_keep_away (void);

// Called in a child process, which has none of the threads.
void gla_sleepers_forget (void);

//------------------------------------------------------------------------------
// how a thread that polls lets others run
//------------------------------------------------------------------------------

#ifdef __cplusplus
extern "C" {
#endif

// Called between two polls for what comes within a millisecond or so. It yields the processor,
// which takes no time if no other thread wants it. If one does, that one keeps it for a time slice
// of several ms, and gets another slice at the next poll; a thread that sleeps is woken before the
// others. So after a yield that took long the next polls of the thread sleep 20 us instead, at
// first 100 of them, twice as many each time that a yield still takes long.
void gla_yield (void);

#ifdef __cplusplus
}
#endif

#endif
