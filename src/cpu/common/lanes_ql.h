// lanes_ql.h: implicitly shifted QL on the tridiagonal matrices of several pages at a time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of LAPACK's steqr with one page per lane. All lanes go through the same rows;
// a lane is unchanged in rows outside of its own block. The recurrence is a sequence of dependent
// operations with a division and a square root, so two registers of lanes alternate. Its rotations
// are recorded, and those of several sweeps are applied to the vectors together, some columns at a
// time, which then stay in the first cache.
//
// If only a part of the vectors is wanted, all rotations are recorded on a tape and applied in
// reverse order to the unit vectors of the wanted ones: that takes as many operations for each
// vector, gives vectors as orthogonal, and needs no inverse iteration in clusters.

#ifndef GPULINALG_CPU_COMMON_LANES_QL_H
#define GPULINALG_CPU_COMMON_LANES_QL_H

#include "common/system.h"
#include "lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether e between d[i] and d[i+1] counts as zero.
static inline int is_small (const real *d, real e, int i, real tol2, real floor)
{
  return real_abs (e) <= floor || e * e <= tol2 * real_abs (d[i]) * real_abs (d[i + 1]) + GLA_TINY;
}

// A rotation in each lane, [1, 0] where there is none.
typedef struct {
  vec c, s;
} ql_rotation;

enum { QL_SWEEPS = 8, QL_STRIP = 8 };

// The tape of a register of pages. Sweep k has rotations at[k].. of rows to[k]..from[k]-1.
typedef struct {
  int wanted, failed; // failed: there was no memory for it
  int sweeps, sweeps_room;
  size_t used, room; // rotations
  ql_rotation *rotations;
  ql_rotation *lent; // the caller's memory for the first ones
  struct ql_taped {
    size_t at;
    int from, to;
  } * sweep;
} ql_tape;

// One register of pages.
typedef struct {
  vec *d, *e; // n each; e[k] is between rows k and k+1, e[n-1] is not used
  vec *z;     // n rows ldz apart, row k the eigenvector of d[k]; NULL: values only
  int ldz;
  ql_rotation *rotations; // QL_SWEEPS times n
  vec low, high;          // the block of rows of this sweep; low = high: none
  vec floor, tol2;        // what counts as zero
  vec steps;              // sweeps that are left
  int first;              // all rows before this one are done in all lanes
  int sweeps;             // recorded so far
  int from[QL_SWEEPS];    // row where a recorded sweep begins
  int to[QL_SWEEPS];      // and ends
  ql_tape tape;
  int *place; // with a tape: row k of lane l belongs to row place[l*n + k] of T
} ql_group;

//------------------------------------------------------------------------------
// the tape
//------------------------------------------------------------------------------

// Returns the rotations that usually suffice for n rows.
static inline size_t ql_tape_usual (int n)
{
  return 2 * (size_t)n * (size_t)(n + 1);
}

// Makes room for one more sweep of at most n rotations; 0 if there is no memory.
static int ql_tape_room (ql_tape *t, int n)
{
  if (t->used + (size_t)n > t->room) {
    const size_t room = t->room > 0 ? 2 * t->room : ql_tape_usual (n);
    ql_rotation *more = gla_aligned_new (room * sizeof *more);
    if (more == NULL)
      return 0;
    if (t->used > 0)
      memcpy (more, t->rotations, t->used * sizeof *more);
    if (t->rotations != t->lent)
      gla_aligned_free (t->rotations);
    t->rotations = more;
    t->room = room;
  }
  if (t->sweeps == t->sweeps_room) {
    const int room = t->sweeps_room > 0 ? 2 * t->sweeps_room : 4 * n;
    struct ql_taped *more = realloc (t->sweep, (size_t)room * sizeof *more);
    if (more == NULL)
      return 0;
    t->sweep = more;
    t->sweeps_room = room;
  }
  return 1;
}

static inline void ql_tape_free (ql_tape *t)
{
  if (t->rotations != t->lent)
    gla_aligned_free (t->rotations);
  free (t->sweep);
  *t = (ql_tape){0};
}

enum { QL_COLUMNS = 4 };

// Sets x <- x' Q on columns of QL_COLUMNS registers, where Q are all rotations: last sweep first.
static inline void ql_unwind (const ql_tape *t, vec *x)
{
  for (int k = t->sweeps - 1; k >= 0; k--) {
    const int from = t->sweep[k].from, to = t->sweep[k].to;
    const ql_rotation *q = t->rotations + t->sweep[k].at;
    vec low[QL_COLUMNS], *row = x + to * QL_COLUMNS;
    for (int c = 0; c < QL_COLUMNS; c++)
      low[c] = row[c];
    for (int i = to; i < from; i++, row += QL_COLUMNS, q++)
      for (int c = 0; c < QL_COLUMNS; c++) {
        const vec next = row[QL_COLUMNS + c];
        row[c] = q->c * low[c] + q->s * next;
        low[c] = q->c * next - q->s * low[c];
      }
    for (int c = 0; c < QL_COLUMNS; c++)
      row[c] = low[c];
  }
}

//------------------------------------------------------------------------------
// before the first sweep
//------------------------------------------------------------------------------

// Reverses the blocks of lane l that are graded upwards, which makes QR into QL. If z is wanted it
// becomes the permutation that does this.
static void ql_direct (int n, ql_group *g, int l, real *d, real *e)
{
  const real floor = g->floor[l], tol2 = g->tol2[l];
  for (int i = 0; i < n; i++) {
    d[i] = g->d[i][l];
    e[i] = g->e[i][l];
  }
  for (int lo = 0, hi; lo < n; lo = hi + 1) {
    for (hi = lo; hi + 1 < n && !is_small (d, e[hi], hi, tol2, floor);)
      hi++;
    const int reverse = real_abs (d[hi]) < real_abs (d[lo]);
    for (int i = lo; i <= hi; i++) {
      int k = reverse ? lo + hi - i : i;
      g->d[k][l] = d[i];
      if (reverse && i < hi)
        g->e[k - 1][l] = e[i];
      if (g->z)
        g->z[k * g->ldz + i][l] = 1;
      if (g->place)
        g->place[l * n + k] = i;
    }
  }
}

// Does the same if every lane is one block, without branches for each of them; returns 0 if one is
// not.
static int ql_direct_whole (int n, ql_group *g)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  vec whole = one; // a number, because GCC 12 fails with a mask here
  for (int i = 0; i + 1 < n; i++) {
    const vec e = g->e[i], limit = g->tol2 * vec_abs (g->d[i]) * vec_abs (g->d[i + 1]);
    whole = vec_select ((vec_abs (e) <= g->floor) | (e * e <= limit + GLA_TINY), zero, whole);
  }
  for (int l = 0; l < GLA_LANES; l++)
    if (whole[l] == 0)
      return 0;
  const mask reverse = vec_abs (g->d[n - 1]) < vec_abs (g->d[0]);
  for (int i = 0; i < n / 2; i++) {
    const vec x = g->d[i], y = g->d[n - 1 - i];
    g->d[i] = vec_select (reverse, y, x);
    g->d[n - 1 - i] = vec_select (reverse, x, y);
  }
  for (int i = 0; i < (n - 1) / 2; i++) {
    const vec x = g->e[i], y = g->e[n - 2 - i];
    g->e[i] = vec_select (reverse, y, x);
    g->e[n - 2 - i] = vec_select (reverse, x, y);
  }
  for (int k = 0; g->z && k < n; k++) {
    vec *row = g->z + k * g->ldz;
    row[k] = (vec)(~reverse & (mask)one);
    row[n - 1 - k] = n - 1 - k == k ? one : (vec)(reverse & (mask)one);
  }
  for (int l = 0; g->place && l < GLA_LANES; l++) {
    const int turn = (int)(reverse[l] & 1);
    for (int k = 0; k < n; k++)
      g->place[l * n + k] = k + turn * (n - 1 - 2 * k);
  }
  return 1;
}

static void ql_begin (int n, ql_group *g, real tol, int maxit, real *scratch)
{
  vec norm = vec_broadcast (0);
  g->e[n - 1] = norm;
  for (int i = 0; i < n; i++) {
    vec d = vec_abs (g->d[i]), e = vec_abs (g->e[i]);
    norm = vec_select (d > norm, d, norm);
    norm = vec_select (e > norm, e, norm);
  }
  g->floor = tol * norm;
  g->tol2 = vec_broadcast (tol * tol);
  g->steps = vec_broadcast ((real)maxit * n);
  g->first = g->sweeps = 0;
  if (g->z)
    memset (g->z, 0, (size_t)n * (size_t)g->ldz * sizeof *g->z);
  if (ql_direct_whole (n, g))
    return;
  for (int l = 0; l < GLA_LANES; l++)
    ql_direct (n, g, l, scratch, scratch + n);
}

//------------------------------------------------------------------------------
// a sweep
//------------------------------------------------------------------------------

// Finds the lowest block of each lane; negligible entries become zero.
static inline void ql_search (int n, ql_group *g)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  vec at = vec_broadcast ((real)(n - 1)), end = at, low = zero, high = zero;
  for (int i = n - 2; i >= g->first; i--) {
    vec e = g->e[i], limit = g->tol2 * vec_abs (g->d[i]) * vec_abs (g->d[i + 1]);
    mask small = (vec_abs (e) <= g->floor) | (e * e <= limit + GLA_TINY);
    at -= one;
    g->e[i] = vec_select (small, zero, e);
    end = vec_select (small, at, end);
    low = vec_select (small, low, at);
    high = vec_select (small, high, end);
  }
  mask work = (low < high) & (g->steps > zero);
  g->steps -= vec_select (work, one, zero);
  g->low = vec_select (work, low, zero);
  g->high = vec_select (work, high, zero);
}

// Finds rows first..last-1 that contain all blocks of the lanes; none: n and 0.
static inline void ql_bounds (int n, const ql_group *g, int *first, int *last)
{
  vec low = vec_select (g->low < g->high, g->low, vec_broadcast ((real)n));
  real least = low[0], most = g->high[0];
  for (int l = 1; l < GLA_LANES; l++) {
    least = low[l] < least ? low[l] : least;
    most = g->high[l] > most ? g->high[l] : most;
  }
  *first = (int)least;
  *last = (int)most;
}

// State of the recurrence.
typedef struct {
  vec g, c, s, p;
} chase;

static inline chase ql_start (const ql_group *q)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  // a lane without a block gets some number, or none, and does not use it
  vec d0 = zero, d1 = zero, e0 = zero, dm = zero;
  for (int l = 0; l < GLA_LANES; l++) {
    int low = (int)q->low[l], high = (int)q->high[l];
    d0[l] = q->d[low][l];
    d1[l] = q->d[low + 1][l];
    dm[l] = q->d[high][l];
    e0[l] = q->e[low][l];
  }
  vec g = (d1 - d0) / (2 * e0), size = vec_abs (g);
  vec root = vec_select (size < vec_broadcast (1 / GLA_EPS), vec_sqrt (g * g + one), size);
  g = dm - d0 + e0 / (g + vec_select (g >= zero, root, -root));
  return (chase){g, one, one, zero};
}

// Rotates rows i and i+1; `at` is i in all lanes. Squares that underflow belong to entries far
// below the rounding of the matrix: they are treated as if f were zero.
static inline __attribute__ ((always_inline)) chase ql_chase (ql_group *q, chase x, int i, vec at,
                                                              ql_rotation *out)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const vec least = vec_broadcast (GLA_TINY / (GLA_EPS * GLA_EPS));
  vec e = q->e[i], d = q->d[i], above = q->d[i + 1];
  mask live = (at >= q->low) & (at < q->high), inner = live & (at + one < q->high);
  vec f = x.s * e, b = x.c * e, sum = x.g * x.g + f * f;
  mask keep = live & (sum >= least);
  vec inverse = vec_rsqrt (sum);
  vec c = vec_select (keep, x.g * inverse, one);
  vec s = vec_select (keep, f * inverse, zero);
  q->e[i + 1] = vec_select (inner, vec_select (keep, sum * inverse, x.g), q->e[i + 1]);

  vec g = above - x.p, w = (d - g) * s + (2 * b) * c, p = s * w;
  q->d[i + 1] = vec_select (live, g + p, above);
  *out = (ql_rotation){c, s};
  x.g = vec_select (live, c * w - b, x.g);
  x.c = c;
  x.s = vec_select (live, s, x.s);
  x.p = vec_select (live, p, x.p);
  return x;
}

static inline void ql_stop (ql_group *q, chase x)
{
  for (int l = 0; l < GLA_LANES; l++)
    if (q->low[l] < q->high[l]) {
      int low = (int)q->low[l];
      q->d[low][l] -= x.p[l];
      q->e[low][l] = x.g[l];
    }
}

// Goes from row last-1 down to first in all groups, step by step.
static inline __attribute__ ((always_inline)) void ql_sweep (int n, int groups, ql_group *q,
                                                             int first, int last)
{
  chase x[2];
  ql_rotation *out[2];
  vec at = vec_broadcast ((real)last);
  for (int g = 0; g < groups; g++) {
    x[g] = ql_start (&q[g]);
    out[g] = q[g].tape.wanted && !q[g].tape.failed ? q[g].tape.rotations + q[g].tape.used - first
                                                   : q[g].rotations + q[g].sweeps * n;
  }
  for (int i = last - 1; i >= first; i--) {
    at -= vec_broadcast (1);
    for (int g = 0; g < groups; g++)
      x[g] = ql_chase (&q[g], x[g], i, at, &out[g][i]);
  }
  for (int g = 0; g < groups; g++)
    ql_stop (&q[g], x[g]);
}

//------------------------------------------------------------------------------
// the vectors
//------------------------------------------------------------------------------

// Rows are an odd number of cache lines apart: at a power of two a few would fill a cache.
static inline int ql_row_length (int n)
{
  const int line = GLA_VECTOR_BYTES < 64 ? 64 / GLA_VECTOR_BYTES : 1;
  return ((n + line - 1) / line | 1) * line;
}

// Applies one sweep to `count` columns; the lower row stays in registers for the next rotation.
static inline __attribute__ ((always_inline)) void
ql_strip_sweep (const ql_group *g, int sweep, const ql_rotation *t, vec *z, int count)
{
  const int ldz = g->ldz, from = g->from[sweep], to = g->to[sweep];
  vec low[QL_STRIP];
  for (int i = 0; i < count; i++)
    low[i] = z[from * ldz + i];
  for (int k = from - 1; k >= to; k--) {
    vec *row = z + k * ldz;
    const vec c = t[k].c, s = t[k].s;
    for (int i = 0; i < count; i++) {
      vec x = row[i];
      row[ldz + i] = s * x + c * low[i];
      low[i] = c * x - s * low[i];
    }
  }
  for (int i = 0; i < count; i++)
    z[to * ldz + i] = low[i];
}

// Applies the recorded sweeps.
static void ql_replay (int n, ql_group *g)
{
  int j = 0;
  for (; j + QL_STRIP <= n; j += QL_STRIP)
    for (int k = 0; k < g->sweeps; k++)
      ql_strip_sweep (g, k, g->rotations + k * n, g->z + j, QL_STRIP);
  for (; j + 2 <= n; j += 2)
    for (int k = 0; k < g->sweeps; k++)
      ql_strip_sweep (g, k, g->rotations + k * n, g->z + j, 2);
  for (; j < n; j++)
    for (int k = 0; k < g->sweeps; k++)
      ql_strip_sweep (g, k, g->rotations + k * n, g->z + j, 1);
  g->sweeps = 0;
}

//------------------------------------------------------------------------------
// all of it
//------------------------------------------------------------------------------

// Adds the recorded sweep of rows first..last-1.
static void ql_tape_add (ql_group *g, int first, int last)
{
  ql_tape *t = &g->tape;
  const int from = g->from[0], to = g->to[0];
  if (!t->wanted || t->failed || from <= to)
    return;
  t->sweep[t->sweeps++] = (struct ql_taped){t->used + (size_t)(to - first), from, to};
  t->used += (size_t)(last - first);
}

// Does the next sweep of one or two groups; returns 0 if there is none: then d has the eigenvalues,
// not sorted, and z their vectors. maxit*n sweeps are allowed; if they do not suffice, nonzero
// entries of e remain.
static int ql_next_sweep (int n, int groups, ql_group *q)
{
  int first = n, last = 0;
  for (int g = 0; g < groups; g++) {
    int from, to;
    ql_search (n, &q[g]);
    ql_bounds (n, &q[g], &from, &to);
    q[g].first = from < to ? from : n - 1;
    first = from < first ? from : first;
    last = to > last ? to : last;
    q[g].from[q[g].sweeps] = to;
    q[g].to[q[g].sweeps] = from;
    if (q[g].tape.wanted && !ql_tape_room (&q[g].tape, n))
      q[g].tape.failed = 1;
  }
  if (last == 0) {
    for (int g = 0; g < groups; g++)
      if (q[g].z)
        ql_replay (n, &q[g]);
    return 0;
  }
  if (groups == 2)
    ql_sweep (n, 2, q, first, last);
  else
    ql_sweep (n, 1, q, first, last);
  for (int g = 0; g < groups; g++)
    if (q[g].z && q[g].from[q[g].sweeps] > 0 && ++q[g].sweeps == QL_SWEEPS)
      ql_replay (n, &q[g]);
  for (int g = 0; g < groups; g++)
    ql_tape_add (&q[g], first, last);
  return 1;
}

#endif
