// geev_lanes.h: small general pages between arrays and lanes, one page per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is in register i + j*ld. Every operation works lane by lane; if lanes
// need different steps, all make the steps of each, with exact identities in the other lanes. So
// the result of a page does not depend on its neighbours. This may change the sign of zeros:
// nothing may use the sign of a zero, and results get 0 added, which makes all zeros positive.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_H

#include "cpu/common/lanes_square.h"

#include "geev_page.h"

// A complex number of each page, whatever the type of the pages.
typedef struct {
  vec re, im;
} pair;

// How a step of QR changes rows or columns k, k+1, .. of all pages: see the two kinds of shifts in
// geev_lanes_shifts.h.
#if GLA_COMPLEX
typedef struct {
  vec c;
  pair s;
} qr_step;
#else
typedef struct {
  vec v1, v2, t0, t1, t2;
} qr_step;
#endif

typedef struct {
  int n, ld;
  num *h, *z;       // the pages, then Hessenberg and Schur forms; the unitary matrices
  num *v;           // n; a reflector
  vec *d;           // n; row i was divided by d[i], column i multiplied
  vec *scale;       // 2: the pages were divided by the first, and balanced ones by the second
  pair *lambda, *x; // n; eigenvalues, and a vector of the Schur form
  vec *out;         // 2*n; a column of the results
  qr_step *q;       // n; the steps of a sweep
} lanes_work;

static size_t lanes_layout (char *base, int64_t order, lanes_work *w)
{
  const size_t n = (size_t)order;
  size_t at = 0;
  w->n = (int)order;
  w->ld = lanes_ld ((int)order);
  const size_t square = n * (size_t)w->ld;
  w->h = gla_carve (base, &at, square * sizeof *w->h);
  w->z = gla_carve (base, &at, square * sizeof *w->z);
  w->v = gla_carve (base, &at, n * sizeof *w->v);
  w->d = gla_carve (base, &at, n * sizeof *w->d);
  w->scale = gla_carve (base, &at, 2 * sizeof *w->scale);
  w->lambda = gla_carve (base, &at, n * sizeof *w->lambda);
  w->x = gla_carve (base, &at, n * sizeof *w->x);
  w->out = gla_carve (base, &at, 2 * n * sizeof *w->out);
  w->q = gla_carve (base, &at, n * sizeof *w->q);
  return at;
}

//------------------------------------------------------------------------------
// numbers
//------------------------------------------------------------------------------

static inline vec vec_larger (vec a, vec b)
{
  return vec_select (a > b, a, b);
}

static inline vec vec_smaller (vec a, vec b)
{
  return vec_select (a < b, a, b);
}

// |x|, or |re| + |im|.
static inline vec num_size (num a)
{
#if GLA_COMPLEX
  return vec_abs (a.re) + vec_abs (a.im);
#else
  return vec_abs (a.re);
#endif
}

// Returns the power of two below |x|, 0 for denormal numbers, and its reciprocal, which is in range
// for x up to half of the largest number.
static inline vec power_below (vec x)
{
  return (vec)((mask)x & (mask)vec_broadcast (INFINITY));
}

static inline vec inverse_power (vec x)
{
  const bits two = (bits)(2 * GLA_BIAS) << GLA_FRACTION;
  return (vec)(two - (mask)power_below (x));
}

static inline pair pair_of (num a)
{
#if GLA_COMPLEX
  return (pair){a.re, a.im};
#else
  return (pair){a.re, vec_broadcast (0)};
#endif
}

static inline pair pair_add (pair a, pair b)
{
  return (pair){a.re + b.re, a.im + b.im};
}

static inline pair pair_sub (pair a, pair b)
{
  return (pair){a.re - b.re, a.im - b.im};
}

static inline pair pair_scale (vec s, pair a)
{
  return (pair){s * a.re, s * a.im};
}

static inline pair pair_conj (pair a)
{
  return (pair){a.re, -a.im};
}

static inline pair pair_select (mask m, pair yes, pair no)
{
  return (pair){vec_select (m, yes.re, no.re), vec_select (m, yes.im, no.im)};
}

static inline vec pair_size (pair a)
{
  return vec_abs (a.re) + vec_abs (a.im);
}

// acc - a*b
static inline pair pair_fnma (pair acc, pair a, pair b)
{
  acc.re -= a.re * b.re;
  acc.re += a.im * b.im;
  acc.im -= a.re * b.im;
  acc.im -= a.im * b.re;
  return acc;
}

static inline pair pair_mul (pair a, pair b)
{
  pair r = {a.re * b.re, a.re * b.im};
  r.re -= a.im * b.im;
  r.im += a.im * b.re;
  return r;
}

// acc - t*x for an element t of the pages; with `adjoint` acc - conj (t)*x.
static inline pair pair_less (pair acc, num t, pair x, int adjoint)
{
  acc.re -= t.re * x.re;
  acc.im -= t.re * x.im;
#if GLA_COMPLEX
  const vec im = adjoint ? -t.im : t.im;
  acc.re += im * x.im;
  acc.im -= im * x.re;
#else
  (void)adjoint;
#endif
  return acc;
}

// a/b, where |b|^2 is in range.
static inline pair pair_divide (pair a, pair b)
{
  vec size = b.re * b.re;
  size += b.im * b.im;
  pair r = {a.re * b.re, a.im * b.re};
  r.re += a.im * b.im;
  r.im -= a.re * b.im;
  return pair_scale (vec_broadcast (1) / size, r);
}

//------------------------------------------------------------------------------
// between arrays and lanes
//------------------------------------------------------------------------------

static inline unsigned lanes_of_count (int count)
{
  return (2u << (count - 1)) - 1;
}

// Loads pages first .. of A to h; lanes from `count` on read the first one.
static void lanes_load_pages (const lanes_work *w, const gla_array *A, int64_t first, int count)
{
  lanes_sources from;
  for (int l = 0; l < GLA_LANES; l++)
    from.at[l] = page_at (A, first + (l < count ? l : 0), GLA_PARTS);
  lanes_load_square (w->h, from, A->column_stride, w->n);
}

// A page whose smallest nonzero part is less than its largest one times 2^-this is not balanced
// here: small parts would become denormal, and those of a balanced page may be as small.
enum { RANGE_EXPONENT = GLA_SINGLE ? 48 : 480 };

// |x|, or Inf for 0.
static inline vec size_but_zero (vec x)
{
  return vec_select (x == vec_broadcast (0), vec_broadcast (INFINITY), vec_abs (x));
}

// Divides all elements by a power of two, whose inverse is given.
static void lanes_times (const lanes_work *w, vec inverse)
{
  for (int j = 0; j < w->n; j++)
    for (int i = 0; i < w->n; i++)
      w->h[i + j * w->ld] = num_scale (inverse, w->h[i + j * w->ld]);
}

// Brings the largest part of each page to at least 1 and below 2, by a power of two. Returns the
// lanes with pages that are finite, not zero and away from the ends of the range, and, with
// `balance`, whose parts do not differ too much in size.
static mask lanes_scale_pages (const lanes_work *w, int balance)
{
  vec most = vec_broadcast (0), sum = most, least = vec_broadcast (INFINITY);
  for (int j = 0; j < w->n; j++)
    for (int i = 0; i < w->n; i++) {
      const num x = w->h[i + j * w->ld];
      most = vec_larger (vec_abs (x.re), most);
      least = vec_smaller (size_but_zero (x.re), least);
#if GLA_COMPLEX
      most = vec_larger (vec_abs (x.im), most);
      least = vec_smaller (size_but_zero (x.im), least);
#endif
      sum += num_size (x);
    }
  const mask usual = (most >= vec_broadcast (power_of_two (16 - GLA_BIAS))) &
                     (sum <= vec_broadcast (power_of_two (GLA_BIAS - 16)));
  const vec inverse = vec_select (usual, inverse_power (most), vec_broadcast (1));
  w->scale[0] = vec_select (usual, power_below (most), vec_broadcast (1));
  w->scale[1] = vec_broadcast (1);
  lanes_times (w, inverse);
  const mask narrow = least * inverse >= vec_broadcast (power_of_two (-(int)RANGE_EXPONENT));
  return balance ? (mask)(usual & narrow) : usual;
}

// Does the same for balanced pages, which may have become much smaller: later thresholds assume
// pages of size 1.
static void lanes_scale_balanced (const lanes_work *w)
{
  const vec one = vec_broadcast (1);
  vec most = vec_broadcast (0);
  for (int j = 0; j < w->n; j++)
    for (int i = 0; i < w->n; i++) {
      const num x = w->h[i + j * w->ld];
      most = vec_larger (vec_abs (x.re), most);
#if GLA_COMPLEX
      most = vec_larger (vec_abs (x.im), most);
#endif
    }
  const mask usual = (most >= vec_broadcast (power_of_two (16 - GLA_BIAS))) &
                     (most <= vec_broadcast (power_of_two (GLA_BIAS - 16)));
  w->scale[1] = vec_select (usual, power_below (most), one);
  if (mask_any (w->scale[1] != one))
    lanes_times (w, vec_select (usual, inverse_power (most), one));
}

// Stores the column w->out in column j of an array of complex pages, in some lanes.
static void lanes_store_column (const lanes_work *w, const gla_array *to, int64_t first, int j,
                                unsigned live)
{
  lanes_targets targets = {.live = live};
  for (int l = 0; l < GLA_LANES; l++)
    targets.at[l] =
        page_at (to, first + (live >> l & 1 ? l : 0), 2) + 2 * (int64_t)j * to->column_stride;
  lanes_store_run (&targets, w->out, 2 * (int64_t)w->n);
}

static void lanes_store_values (const lanes_work *w, const gla_array *to, int64_t first,
                                unsigned live)
{
  for (int l = 0; l < GLA_LANES; l++) {
    real *at = page_at (to, first + (live >> l & 1 ? l : 0), 2);
    const real first_scale = w->scale[0][l], second_scale = w->scale[1][l]; // may have no product
    for (int i = 0; live >> l & 1 && i < w->n; i++, at += 2 * to->row_stride) {
      at[0] = w->lambda[i].re[l] * second_scale * first_scale + 0;
      at[1] = w->lambda[i].im[l] * second_scale * first_scale + 0;
    }
  }
}

#endif
