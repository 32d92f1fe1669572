// gsvd_rows_sweeps.h: Jacobi's sweeps on the few columns of a small regular pair
// SPDX-License-Identifier: GPL-3.0-or-later
//
// It does what gsvd_sweeps.h does, with its tests, for columns whose lengths differ by at most
// GLA_ROWS_RATIO: their squares and quotients need no scaling. The matrix that gathers the
// rotations gets those of a step while the roots and divisions of the next one are computed.

#ifndef GPULINALG_CPU_GSVD_GSVD_ROWS_SWEEPS_H
#define GPULINALG_CPU_GSVD_GSVD_ROWS_SWEEPS_H

#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "cpu/common/column_pairs.h"
#include "gsvd_rows_qr.h"
#include "gsvd_sweeps.h"

#define GLA_ROWS_RATIO (GLA_SINGLE ? (real)0x1p-30 : (real)0x1p-400)

// Up to GLA_LANES pairs of a step: the distances of their columns from the first one in bytes.
typedef struct {
  mask p, q;
  int count;
} meetings;

// Lists the meetings of a sweep. If there is one player more than columns, it is a zero column.
static void list_meetings (const gla_column_order *o, int64_t rv, meetings *m)
{
  const int64_t bytes = rv * (int64_t)sizeof (num);
  const int half = o->players / 2;
  for (int s = 0; s < o->steps; s++)
    for (int k = 0; k < half; k += GLA_LANES, m++) {
      const int32_t *pairs = o->pairs + (int64_t)s * o->players + 2 * k;
      *m = (meetings){.count = half - k < GLA_LANES ? half - k : GLA_LANES};
      for (int l = 0; l < m->count; l++) {
        m->p[l] = (bits)(pairs[2 * l] * bytes);
        m->q[l] = (bits)(pairs[2 * l + 1] * bytes);
      }
    }
}

static inline num *column_in (num *f, bits bytes)
{
  return (num *)(void *)((char *)f + bytes);
}

// The rotation in each lane of `rotate` as three shears: x - conj (half) y, then y + sine x, then x
// - conj (half) y. half = sine / (1 + cosine) makes it orthogonal up to eps |sine|^2, so thousands
// of small ones cost no orthogonality. Then `first` and `second` receive x and y.
typedef struct {
  num sine, half;
  mask rotate, first, second;
} shears;

static inline __attribute__ ((always_inline)) void sum_products (open_products *open, products *out)
{
  out->xx = sum_each (open->xx);
  out->yy = sum_each (open->yy);
  out->xy.re = sum_each (open->re);
#if GLA_COMPLEX
  out->xy.im = sum_each (open->im);
#endif
}

// Forms the products of all pairs; lanes without a pair get orthogonal columns of some length.
// Structures are filled in place: copying them causes loads that wait for stores.
static inline __attribute__ ((always_inline)) void products_of (const meetings *m, num *f,
                                                                int64_t rv, products *out)
{
  open_products open;
  if (m->count == GLA_LANES) {
#pragma GCC unroll 16
    for (int l = 0; l < GLA_LANES; l++)
      pair_products (rv, column_in (f, m->p[l]), column_in (f, m->q[l]), l, &open);
    sum_products (&open, out);
    return;
  }
  for (int l = 0; l < GLA_LANES; l++) {
    open.xx[l] = open.yy[l] = vec_broadcast (1);
    open.re[l] = vec_broadcast (0);
#if GLA_COMPLEX
    open.im[l] = vec_broadcast (0);
#endif
  }
  for (int l = 0; l < m->count; l++)
    pair_products (rv, column_in (f, m->p[l]), column_in (f, m->q[l]), l, &open);
  sum_products (&open, out);
}

// a / b
static inline num quotient (num a, vec b)
{
#if GLA_COMPLEX
  return num_scale (vec_broadcast (1) / b, a);
#else
  a.re /= b;
  return a;
#endif
}

// Intermediate results from the products. With a the longer square, q = shorter / longer and x =
// x'y / longer: r = |(1 - q, 2 x)|, root = 1 - q + r, and the cosine is that of the smaller angle,
// sqrt (root / 2 r).
typedef struct {
  num twice; // 2 x, with its sign
  vec d, r, root, length;
} angles;

// The computation has three pieces, each ending before a slow root or division. Lanes without a
// rotation may have 0 / 0, which is not used: as a cosine it is not recorded, because comparisons
// with NaN are false.
static inline __attribute__ ((always_inline)) void begin_shears (const products *a,
                                                                 const meetings *m, real tol,
                                                                 angles *w, shears *s,
                                                                 lane_records *record)
{
  const vec one = vec_broadcast (1), tol2 = vec_broadcast (tol * tol);
  const mask up = a->yy > a->xx, swap = a->yy > a->xx * exchange_margin (2 * tol);
  const vec longer = vec_select (up, a->yy, a->xx), shorter = vec_select (up, a->xx, a->yy);
  const vec inverse = one / longer, q = shorter * inverse;
  const num x = num_scale (inverse, a->xy);
  const vec x2 = num_abs2 (x), d = one - q;
  s->rotate = x2 > tol2 * q;
  s->first = (mask)vec_select (swap, (vec)m->q, (vec)m->p);
  s->second = (mask)vec_select (swap, (vec)m->p, (vec)m->q);
  record->rotations -= s->rotate; // -1 if true
  record->exchanges -= swap;
  record->cosine2 = vec_max (x2 / q, record->cosine2);
  w->twice = num_scale (vec_select (up, vec_broadcast (2), vec_broadcast (-2)), x);
  w->d = d;
  w->r = vec_sqrt (d * d + 4 * x2);
}

static inline __attribute__ ((always_inline)) void go_on_with_shears (angles *w)
{
  w->root = w->d + w->r;
  w->length = vec_sqrt (2 * w->r * w->root);
}

static inline __attribute__ ((always_inline)) void end_shears (const angles *w, shears *s,
                                                               lane_records *record)
{
  s->sine = quotient (w->twice, w->length);
  s->half = quotient (w->twice, w->length + w->root);
  record->sine2 =
      vec_max (vec_select (s->rotate, num_abs2 (s->sine), vec_broadcast (0)), record->sine2);
}

static inline __attribute__ ((always_inline)) void
shear_columns (const meetings *m, const shears *s, num *f, int64_t rv)
{
  for (int l = 0; l < m->count; l++) {
    num *x = column_in (f, m->p[l]), *y = column_in (f, m->q[l]);
    num *first = column_in (f, s->first[l]), *second = column_in (f, s->second[l]);
    if (!s->rotate[l]) {
      if (first != x)
        swap_columns (rv, x, y);
      continue;
    }
    const num sine = num_broadcast_lane (&s->sine, l), half = num_broadcast_lane (&s->half, l);
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const num u = num_fnmac (x[i], half, y[i]), w = num_fma (y[i], sine, u);
      first[i] = num_fnmac (u, half, w);
      second[i] = w;
    }
  }
}

// Meetings that are computed at the same time: the roots and divisions of one overlap with the
// waits of the other.
typedef struct {
  const meetings *m;
  int count;
  shears s[GROUPS_MOST];
} batch;

// Finds the rotations of the batch; meanwhile those of the previous one are applied to z.
static inline __attribute__ ((always_inline)) void find_shears (batch *b, num *f,
                                                                const batch *before, num *z,
                                                                int64_t rv, real tol,
                                                                lane_records *record)
{
  products a[GROUPS_MOST];
  angles w[GROUPS_MOST];
  for (int g = 0; g < b->count; g++)
    products_of (&b->m[g], f, rv, &a[g]);
  for (int g = 0; g < b->count; g++)
    begin_shears (&a[g], &b->m[g], tol, &w[g], &b->s[g], record);
  if (z && before->count > 0)
    shear_columns (&before->m[0], &before->s[0], z, rv);
  for (int g = 0; g < b->count; g++)
    go_on_with_shears (&w[g]);
  for (int g = 1; z && g < before->count; g++)
    shear_columns (&before->m[g], &before->s[g], z, rv);
  for (int g = 0; g < b->count; g++)
    end_shears (&w[g], &b->s[g], record);
}

// Does one sweep on the columns of f; z is NULL or rotated as f is.
static inline __attribute__ ((always_inline)) sweep_record
rows_sweep_of (const gla_column_order *o, const meetings *m, num *f, num *z, int64_t rv, real tol)
{
  const int groups = (o->players / 2 + GLA_LANES - 1) / GLA_LANES;
  lane_records record = {.cosine2 = vec_broadcast (0), .sine2 = vec_broadcast (0)};
  batch b[2];
  int at = 0;
  b[0].count = b[1].count = 0;
  for (int s = 0; s < o->steps; s++)
    for (int k = 0; k < groups; k += GROUPS_MOST, at ^= 1) {
      b[at].count = groups - k < GROUPS_MOST ? groups - k : GROUPS_MOST;
      b[at].m = m;
      m += b[at].count;
      find_shears (&b[at], f, &b[at ^ 1], z, rv, tol, &record);
      for (int g = 0; g < b[at].count; g++)
        shear_columns (&b[at].m[g], &b[at].s[g], f, rv);
    }
  for (int g = 0; z && g < b[at ^ 1].count; g++)
    shear_columns (&b[at ^ 1].m[g], &b[at ^ 1].s[g], z, rv);
  return record_of (&record);
}

static sweep_record rows_sweep (const gla_column_order *o, const meetings *m, num *f, num *z,
                                int64_t rv, real tol)
{
  if (rv == 1)
    return rows_sweep_of (o, m, f, z, 1, tol);
  if (rv == 2)
    return rows_sweep_of (o, m, f, z, 2, tol);
  if (GLA_ROWS_UNROLLED (3) && rv == 3)
    return rows_sweep_of (o, m, f, z, 3, tol);
  if (GLA_ROWS_UNROLLED (4) && rv == 4)
    return rows_sweep_of (o, m, f, z, 4, tol);
  return rows_sweep_of (o, m, f, z, rv, tol);
}

#endif
