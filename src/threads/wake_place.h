// wake_place.h: where the system wakes a thread of the pool
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_WAKE_PLACE_H
#define GPULINALG_WAKE_PLACE_H

// Where there are few processors, Linux may wake a thread on the processor of the thread that woke
// it, although another one is idle, and the two then share it for as long as a call lasts. So a
// thread of the pool that is woken may not run on that processor until it runs; then it may again
// run where it might before. Elsewhere than on Linux these functions do nothing.
typedef struct gla_sleeper gla_sleeper;

// Of the calling thread, which keeps it to its end; NULL where nothing can be done.
gla_sleeper *gla_sleeper_new (void);

// Of the calling thread: before it sleeps and after it was woken. With the lock of the pool.
void gla_sleeper_begin (gla_sleeper *s);
void gla_sleeper_end (gla_sleeper *s);

// By the thread that is about to wake some: all that sleep are kept from its processor. With the
// lock of the pool.
void gla_sleepers_keep_away (void);

// In a child process, which has none of the threads.
void gla_sleepers_forget (void);

#endif
