// yield.h: how a thread that polls lets others run
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GLA_YIELD_H
#define GLA_YIELD_H

#ifdef __cplusplus
extern "C" {
#endif

// Between two looks of a thread that polls for what comes within a millisecond or so. It yields the
// processor, which takes no time where no other thread wants it. Where one does, that one keeps it
// for a time slice of several ms, and gets another slice at the next look; a thread that sleeps is
// woken before the others. So after a yield that took long the next looks of the thread sleep 20 us
// instead, at first 100 of them, twice as many each time that a yield still takes long.
void gla_yield (void);

#ifdef __cplusplus
}
#endif

#endif
