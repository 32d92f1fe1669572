// staging.h: copies between the caller's strided host arrays and packed pinned buffers
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STAGING_H
#define GPULINALG_STAGING_H

#include "gpulinalg.h"

#ifdef __cplusplus
extern "C" {
#endif

// The bytes of an array in packed order: `units` runs of `unit` bytes, `per_page` of them on a
// page.
typedef struct {
  char *base;
  size_t unit, unit_stride, page_stride, total;
  int64_t per_page;
} gla_packing;

gla_packing gla_packing_of (const gla_array *a);

// Copies bytes [first, first+bytes) of the packed order to or from buffer, with several threads
// where that pays: a fresh page of an Octave array costs a page fault, and those run in parallel.
void gla_pack (const gla_packing *p, size_t first, size_t bytes, char *buffer);
void gla_unpack (const gla_packing *p, size_t first, size_t bytes, const char *buffer);

#ifdef __cplusplus
}
#endif

#endif
