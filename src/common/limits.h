// limits.h: the sizes and times that bound the work, for all of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LIMITS_H
#define GPULINALG_LIMITS_H

enum {
  GLA_MAX_DEVICES = 64,    // GPUs of a context
  GLA_MAX_SLOTS = 4,       // chunks in flight on one engine
  GLA_MAX_CHUNK = 1 << 20, // pages of a chunk
  GLA_KEPT_PART = 8        // an idle GPU keeps one part in so many of its memory as work space
};

// Seconds between two polls: while the CPU works, and while a GPU is started.
#define GLA_POLL_SECONDS 0.02
#define GLA_START_POLL_SECONDS 0.01
// How long a thread sleeps that waits for others.
#define GLA_NAP_NANOSECONDS 200000
// Work of one thread, in seconds, that is worth a further thread.
#define GLA_THREAD_SECONDS 1e-4

#endif
