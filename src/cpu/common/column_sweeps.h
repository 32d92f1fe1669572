// column_sweeps.h: a sweep over all pairs of columns, one by one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jacobi makes the columns of one matrix f orthogonal, while z gathers the rotations;
// Hari-Zimmermann transforms f and g.

#ifndef GPULINALG_CPU_COMMON_COLUMN_SWEEPS_H
#define GPULINALG_CPU_COMMON_COLUMN_SWEEPS_H

#include "common/orderings.h"

#include "column_pairs.h"

// Whether the recorded sweep was the last: the cosines that it left are of the size of those it met
// times how far columns moved, relatively: by the sine, and a short one by the cosine. Among equal
// values rounding errors rotate columns by any angle, for ever.
static int converged (const sweep_record *record, int64_t columns, real tol)
{
  const real cosine = real_sqrt (record->cosine2), sine = real_sqrt (record->sine2);
  return record->exchanges == 0 &&
         (cosine <= 4 * tol || cosine * larger (cosine, sine) * (real)columns <= tol);
}

// Columns in lanes: those of f and g have rv registers, those of z rw.
typedef struct {
  num *f, *g, *z; // z NULL: nothing gathers; g only for Hari-Zimmermann
  int64_t rv, rw;
  int columns;
} lane_panel;

// Groups at a time: the roots and divisions of one overlap with the waits of the other.
enum { GROUPS_MOST = 2 };

static inline void jacobi_groups (const lane_panel *a, const group *g, int count, real tol,
                                  lane_records *record)
{
  products f[GROUPS_MOST];
  jacobi_rotations r[GROUPS_MOST];
  for (int k = 0; k < count; k++)
    f[k] = group_products (&g[k], a->f, a->rv);
  for (int k = 0; k < count; k++)
    r[k] = rotations_of (&f[k], tol, record);
  for (int k = 0; k < count; k++) {
    rotate_columns (&g[k], &r[k], a->f, a->rv);
    if (a->z)
      rotate_columns (&g[k], &r[k], a->z, a->rw);
  }
}

static inline void hz_groups (const lane_panel *a, const group *g, int count, real tol,
                              lane_records *record)
{
  products f[GROUPS_MOST], b[GROUPS_MOST];
  congruences z[GROUPS_MOST];
  for (int k = 0; k < count; k++) {
    f[k] = group_products (&g[k], a->f, a->rv);
    b[k] = group_products (&g[k], a->g, a->rv);
  }
  for (int k = 0; k < count; k++)
    z[k] = congruences_from (&f[k], &b[k], tol, record);
  for (int k = 0; k < count; k++) {
    combine_columns (&g[k], &z[k], a->f, a->rv);
    combine_columns (&g[k], &z[k], a->g, a->rv);
    if (a->z)
      combine_columns (&g[k], &z[k], a->z, a->rw);
  }
}

// Returns the next group of a step's pairs, from pair *k on; pairs with a player that is no column
// are left out.
static inline group next_group (const int32_t *pairs, int pairs_count, int64_t columns, int *k)
{
  group g = {.count = 0};
  for (; *k < pairs_count && g.count < GLA_LANES; ++*k)
    if (pairs[2 * *k + 1] < columns) {
      g.p[g.count] = pairs[2 * *k];
      g.q[g.count++] = pairs[2 * *k + 1];
    }
  return g;
}

// Does one step of a sweep.
static void sweep_step (const gla_column_order *o, int step, const lane_panel *a, int hz, real tol,
                        lane_records *record)
{
  const int32_t *pairs = o->pairs + (int64_t)step * o->players;
  for (int k = 0; k < o->players / 2;) {
    group g[GROUPS_MOST];
    int count = 0;
    while (count < GROUPS_MOST && k < o->players / 2)
      g[count++] = next_group (pairs, o->players / 2, a->columns, &k);
    if (hz)
      hz_groups (a, g, count, tol, record);
    else
      jacobi_groups (a, g, count, tol, record);
  }
}

#endif
