// time_slice.h: shorter time slices for threads that others wait for
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GLA_TIME_SLICE_H
#define GLA_TIME_SLICE_H

#include <stdint.h>

// Where every processor has other work, too, a thread that has used its time slice leaves a piece
// half done while all others wait for it. From Linux 6.12 on a thread may ask for shorter slices
// than the 3 ms or so that are usual: it gets no more time, but sooner. Older systems ignore it.
//
// Asks for slices of 0.7 ms for the calling thread. Returns its slice before, in ns; 0 where
// nothing was changed: its slices are as short already, the thread has a policy of its own, or the
// system has no such slices.
uint64_t gla_time_slice_shorten (void);

// Gives the thread back what gla_time_slice_shorten returned.
void gla_time_slice_restore (uint64_t before);

#endif
