// page_leaves.h: the leaves of divide and conquer, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leaves have nearly the same order, so QL solves as many at a time as a register has lanes. A
// leaf of lower order than the highest of its register gets rows of zeros behind its own: they are
// blocks of their own, which QL leaves as they are.

#ifndef GPULINALG_CPU_EIG_PAGE_LEAVES_H
#define GPULINALG_CPU_EIG_PAGE_LEAVES_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes_ql.h"

#include "scale.h"

// LEAF_MOST: the highest order of a leaf. LEAF_STEPS: sweeps for each of its rows.
enum { LEAF_MOST = 32, LEAF_STEPS = 30 };

// Leaf l has rows at[l] .. at[l+1]-1 of the matrix.
typedef struct {
  int count, order; // leaves, and the highest order
  int64_t at[GLA_LANES + 1];
} leaf_group;

typedef struct {
  ql_group q;
  real *scratch;
  int *order;
} leaf_space;

// Lays the space out from `base` (NULL: only counts) and returns its bytes.
static size_t leaf_layout (char *base, int n, leaf_space *w)
{
  size_t at = 0;
  memset (w, 0, sizeof *w);
  ql_group *q = &w->q;
  q->d = gla_carve (base, &at, (size_t)n * sizeof (vec));
  q->e = gla_carve (base, &at, (size_t)n * sizeof (vec));
  q->rotations = gla_carve (base, &at, QL_SWEEPS * (size_t)n * sizeof (ql_rotation));
  q->ldz = ql_row_length (n);
  q->z = gla_carve (base, &at, (size_t)(n * q->ldz) * sizeof (vec));
  w->scratch = gla_carve (base, &at, 2 * (size_t)n * sizeof (real));
  w->order = gla_carve (base, &at, (size_t)n * sizeof (int));
  return at;
}

// Eigenvalues of lane l, ascending, into d, and their vectors into columns of z. Returns 0 where
// it did not converge.
static int leaf_store (const leaf_space *w, int l, int n, real *d, real *z, int64_t ldz)
{
  const ql_group *q = &w->q;
  real *values = w->scratch;
  int bad = 0;
  for (int i = 0; i < n; i++) {
    values[i] = q->d[i][l];
    bad |= i + 1 < n && q->e[i][l] != 0;
  }
  sort (n, values, 1, w->order);
  for (int k = 0; k < n; k++) {
    const real *row = (const real *)(q->z + w->order[k] * q->ldz) + l;
    d[k] = values[w->order[k]];
    for (int i = 0; i < n; i++)
      z[i + k * ldz] = row[(size_t)i * GLA_LANES];
  }
  return !bad;
}

// d, e and z are those of the matrix. Returns 0 where a leaf did not converge.
static int leaves_solve (const leaf_group *g, real *d, const real *e, real *z, int64_t ldz,
                         void *space)
{
  const int n = g->order;
  leaf_space w;
  leaf_layout (space, n, &w);
  for (int i = 0; i < n; i++) {
    w.q.d[i] = w.q.e[i] = vec_broadcast (0);
    for (int l = 0; l < g->count; l++)
      if (g->at[l] + i < g->at[l + 1]) {
        w.q.d[i][l] = d[g->at[l] + i];
        w.q.e[i][l] = g->at[l] + i + 1 < g->at[l + 1] ? e[g->at[l] + i] : 0;
      }
  }
  ql_begin (n, &w.q, GLA_EPS / 2, LEAF_STEPS, w.scratch);
  while (ql_next_sweep (n, 1, &w.q))
    continue;
  int good = 1;
  for (int l = 0; l < g->count; l++) {
    const int64_t lo = g->at[l];
    good &= leaf_store (&w, l, (int)(g->at[l + 1] - lo), d + lo, z + lo + lo * ldz, ldz);
  }
  return good;
}

#endif
