// grid.h: which pages of A and B make a page of the result (gla_pagemul_job)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GRID_H
#define GPULINALG_GRID_H

#include <stdint.h>

typedef struct {
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_grid;

// Finds the pages of A and of B for page p.
static inline void gla_grid_pages (const gla_grid *g, int64_t p, int64_t *a, int64_t *b)
{
  if (g->dims == 1) { // the usual case, without a division
    *a = p * g->a_step[0];
    *b = p * g->b_step[0];
    return;
  }
  *a = *b = 0;
  for (int d = 0; d < g->dims; d++) {
    const int64_t i = p % g->dim_size[d];
    p /= g->dim_size[d];
    *a += i * g->a_step[d];
    *b += i * g->b_step[d];
  }
}

#endif
