// geev_lanes_steps.h: the steps of a sweep of QR, applied to rows and columns in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Step k works on elements k, k+1 and, with double shifts, k+2 of a row or column. march keeps
// these in registers during many steps, so that each step loads and stores one element. An element
// sees the same operations in the same order however the steps are cut.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_STEPS_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_STEPS_H

#include "geev_lanes.h"

// Elements that a step works on. Rows or columns that march takes together.
enum { STEP_WIDTH = GLA_COMPLEX ? 2 : 3, MARCH_ROWS = GLA_VECTOR_BYTES == 64 ? 4 : 2 };

#if GLA_COMPLEX

// Rotations: [a; b] becomes [c, s; -conj (s), c]*[a; b] from the left, [a, b]*[c, -s; conj (s), c]
// from the right.
static inline __attribute__ ((always_inline)) void step_left (const qr_step *q, num *a, num *b)
{
  const num x = *a, y = *b;
  a->re = q->c * x.re;
  a->re += q->s.re * y.re;
  a->re -= q->s.im * y.im;
  a->im = q->c * x.im;
  a->im += q->s.re * y.im;
  a->im += q->s.im * y.re;
  b->re = q->c * y.re;
  b->re -= q->s.re * x.re;
  b->re -= q->s.im * x.im;
  b->im = q->c * y.im;
  b->im -= q->s.re * x.im;
  b->im += q->s.im * x.re;
}

static inline __attribute__ ((always_inline)) void step_right (const qr_step *q, num *a, num *b)
{
  const qr_step adjoint = {q->c, pair_conj (q->s)};
  step_left (&adjoint, a, b);
}

#else

// Applies I - [t0; t1; t2]*[1, v1, v2], or its transpose, which is the same reflector.
static inline __attribute__ ((always_inline)) void step_real (const qr_step *q, num *a, num *b,
                                                              num *c)
{
  vec sum = a->re;
  sum += q->v1 * b->re;
  sum += q->v2 * c->re;
  a->re -= sum * q->t0;
  b->re -= sum * q->t1;
  c->re -= sum * q->t2;
}

#endif

// Rows or columns: element k of the first is at x[k*step], that of the next one is `apart` from it.
typedef struct {
  num *x;
  int step, apart;
} strip;

// Applies steps from .. to-1 of w->q to R rows or columns.
static inline __attribute__ ((always_inline)) void march (const lanes_work *w, int from, int to,
                                                          strip t, int left, int R)
{
  const qr_step *q = w->q;
  const int64_t step = t.step, apart = t.apart;
  num *x = t.x + from * step;
  num a[MARCH_ROWS], b[MARCH_ROWS];
  for (int r = 0; r < R; r++) {
    a[r] = x[r * apart];
#if !GLA_COMPLEX
    b[r] = x[step + r * apart];
#endif
  }
  for (int k = from; k < to; k++, x += step)
#pragma GCC unroll 4
    for (int r = 0; r < R; r++) {
      num *at = x + r * apart;
#if GLA_COMPLEX
      b[r] = at[step];
      if (left)
        step_left (q + k, &a[r], &b[r]);
      else
        step_right (q + k, &a[r], &b[r]);
      at[0] = a[r];
      a[r] = b[r];
#else
      (void)left;
      num c = k + 2 < w->n ? at[2 * step] : num_zero ();
      step_real (q + k, &a[r], &b[r], &c);
      at[0] = a[r];
      a[r] = b[r];
      b[r] = c;
#endif
    }
  for (int r = 0; r < R; r++) {
    x[r * apart] = a[r];
#if !GLA_COMPLEX
    if (to + 1 < w->n)
      x[step + r * apart] = b[r];
#endif
  }
}

// Does the same to rows or columns first .. end-1 of a.
static __attribute__ ((noinline)) void march_columns (const lanes_work *w, int from, int to, num *a,
                                                      int first, int end)
{
  const int ld = w->ld;
  int j = first;
  for (; from < to && j + MARCH_ROWS <= end; j += MARCH_ROWS)
    march (w, from, to, (strip){a + j * ld, 1, ld}, 1, MARCH_ROWS);
  for (; from < to && j < end; j++)
    march (w, from, to, (strip){a + j * ld, 1, ld}, 1, 1);
}

static __attribute__ ((noinline)) void march_rows (const lanes_work *w, int from, int to, num *a,
                                                   int first, int end)
{
  const int ld = w->ld;
  int i = first;
  for (; from < to && i + MARCH_ROWS <= end; i += MARCH_ROWS)
    march (w, from, to, (strip){a + i, ld, 1}, 0, MARCH_ROWS);
  for (; from < to && i < end; i++)
    march (w, from, to, (strip){a + i, ld, 1}, 0, 1);
}

#endif
