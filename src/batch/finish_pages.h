// finish_pages.h: pages that are finished on the host after a factorisation, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FINISH_PAGES_H
#define GPULINALG_FINISH_PAGES_H

#include "context.h"

// Sets the type and the monitor of the job and has the CPU do it. tells: nonzero where progress is
// to be told, page by page. Nothing is done without pages.
gla_status gla_finish_pages (gla_context *ctx, gla_pages_job *job, gla_type type, int tells);

// Packed host memory of rows x columns x pages; data is NULL where there is none or too little.
gla_array gla_take_pages (gla_type type, int64_t rows, int64_t columns, int64_t pages);

// Calls whose progress nobody hears: what it was before comes back with the second.
typedef struct {
  void (*progress) (void *, int64_t, int64_t);
  void (*swept) (void *, int64_t, int64_t, int);
} gla_quiet;
gla_quiet gla_quiet_begin (gla_context *ctx);
void gla_quiet_end (gla_context *ctx, gla_quiet before);

#endif
