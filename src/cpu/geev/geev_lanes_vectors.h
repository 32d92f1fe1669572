// geev_lanes_vectors.h: eigenvectors from the Schur forms in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Vectors of the Schur form T are found by substitution, as in LAPACK's trevc, then multiplied by
// Z. Numbers are complex here whatever the type of the pages. Of a complex pair of a real page only
// the vector of the eigenvalue with the positive imaginary part is computed. A vector that grows
// beyond a bound is scaled down by a power of two, so that none overflows.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_VECTORS_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_VECTORS_H

#include "geev_lanes.h"

// Diagonal elements of T - lambda are at least 2^-LEAST_EXPONENT, elements of vectors at most
// 2^LARGE_EXPONENT before the next one is computed; T itself is of the size of n or less.
enum { LEAST_EXPONENT = GLA_SINGLE ? 60 : 400, LARGE_EXPONENT = GLA_SINGLE ? 30 : 200 };

// The vector that is computed.
typedef struct {
  pair shift;     // lambda
  vec least;      // a smaller diagonal element counts as this
  mask on, twin;  // lanes that have it; those where it is one of a complex pair
  mask pending;   // lanes where the next element is known
  pair next;      // which it is
  int first, end; // elements so far
} lanes_vector;

static pair not_below (pair d, vec least)
{
  const pair instead = {least, vec_broadcast (0)};
  return pair_select (pair_size (d) < least, instead, d);
}

// Returns element (k, k) of T - lambda, or of its adjoint.
static inline pair shifted (const lanes_work *w, const lanes_vector *v, int k, int adjoint)
{
  pair d = pair_sub (pair_of (w->h[k + k * w->ld]), v->shift);
  return adjoint && GLA_COMPLEX ? pair_conj (d) : d;
}

static lanes_vector begin_vector (const lanes_work *w, int k, mask on, mask twin)
{
  const vec eps = vec_broadcast (GLA_EPS);
  const vec floor = vec_broadcast (power_of_two (-LEAST_EXPONENT));
  lanes_vector v = {.shift = w->lambda[k], .on = on, .twin = twin};
  v.least = vec_larger (eps * pair_size (v.shift), floor);
  return v;
}

// If element j has become large, scales down all of the vector and the pending element.
static void bound_vector (const lanes_work *w, lanes_vector *v, int j)
{
  const vec large = vec_broadcast (power_of_two (LARGE_EXPONENT)), one = vec_broadcast (1);
  const vec size = vec_larger (pair_size (w->x[j]), pair_size (v->next));
  const mask grown = size > large;
  if (!mask_any (grown))
    return;
  const vec down = vec_select (grown, inverse_power (size), one);
  v->next = pair_scale (down, v->next);
  for (int i = v->first; i < v->end; i++)
    w->x[i] = pair_scale (down, w->x[i]);
}

#if !GLA_COMPLEX

// Solves [p, q; r, s]*x = b for pages whose r is not 0, by elimination with the larger pivot.
static void solve_two (pair p, vec q, vec r, pair s, const pair *b, vec least, pair *x)
{
  const vec zero = vec_broadcast (0);
  const pair off_q = {q, zero}, off_r = {r, zero};
  const mask swap = vec_abs (r) > pair_size (p);
  const pair pivot = not_below (pair_select (swap, off_r, p), least);
  const pair beside = pair_select (swap, s, off_q), below = pair_select (swap, p, off_r);
  const pair last = pair_select (swap, off_q, s);
  const pair b0 = pair_select (swap, b[1], b[0]), b1 = pair_select (swap, b[0], b[1]);
  const pair factor = pair_divide (below, pivot);
  const pair rest = not_below (pair_fnma (last, factor, beside), least);
  x[1] = pair_divide (pair_fnma (b1, factor, b0), rest);
  x[0] = pair_divide (pair_fnma (b0, beside, x[1]), pivot);
}

#endif

//------------------------------------------------------------------------------
// right vectors
//------------------------------------------------------------------------------

// Finds element j from the rest of the right-hand side.
static void right_element (const lanes_work *w, lanes_vector *v, int j)
{
  const pair plain = pair_divide (w->x[j], not_below (shifted (w, v, j, 0), v->least));
  pair x = pair_select (v->pending, v->next, plain);
#if !GLA_COMPLEX
  const mask ends = (w->lambda[j].im < 0) & ~v->pending; // a block of rows j-1, j
  v->pending = ends;
  if (j > 0 && mask_any (ends)) {
    const num *at = w->h + (j - 1) + (j - 1) * w->ld;
    pair two[2];
    const pair b[2] = {w->x[j - 1], w->x[j]};
    solve_two (shifted (w, v, j - 1, 0), at[w->ld].re, at[1].re, shifted (w, v, j, 0), b, v->least,
               two);
    x = pair_select (ends, two[1], x);
    v->next = pair_select (ends, two[0], (pair){vec_broadcast (0), vec_broadcast (0)});
  } else
    v->next = (pair){vec_broadcast (0), vec_broadcast (0)};
#endif
  w->x[j] = x;
}

// Solves T*x = lambda*x, with x[k] = 1; for the second eigenvalue of a pair with that of the first.
static void right_vector (const lanes_work *w, lanes_vector *v, int k)
{
  const int ld = w->ld;
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  v->first = 0;
  v->end = k + 1;
  w->x[k] = (pair){vec_select (v->on, one, zero), zero};
#if !GLA_COMPLEX
  if (k > 0) {
    v->shift.im = vec_abs (v->shift.im);
    const vec above = w->h[k - 1 + k * ld].re, below = w->h[k + (k - 1) * ld].re;
    const mask larger = vec_abs (above) >= vec_abs (below);
    const vec by = vec_select (v->twin, vec_select (larger, above, below), one);
    const vec ratio = v->shift.im / by;
    v->next = (pair){vec_select (v->twin, vec_select (larger, one, -ratio), zero), zero};
    w->x[k].im = vec_select (v->twin, vec_select (larger, ratio, one), w->x[k].im);
    w->x[k].re = vec_select (v->twin, zero, w->x[k].re);
    v->pending = v->twin;
  }
#endif
  for (int i = 0; i < k; i++)
    w->x[i] = pair_less ((pair){zero, zero}, w->h[i + k * ld], w->x[k], 0);
  for (int j = k - 1; j >= 0; j--) {
    right_element (w, v, j);
    bound_vector (w, v, j);
    const num *column = w->h + j * ld;
    const pair x = w->x[j];
    for (int i = 0; i < j; i++)
      w->x[i] = pair_less (w->x[i], column[i], x, 0);
  }
}

//------------------------------------------------------------------------------
// left vectors
//------------------------------------------------------------------------------

// Returns minus the sum of conj (T(i, j))*x[i] over the rows first .. end-1.
static pair left_sum (const lanes_work *w, int first, int end, int j)
{
  pair sum = {vec_broadcast (0), vec_broadcast (0)};
  for (int i = first; i < end; i++)
    sum = pair_less (sum, w->h[i + j * w->ld], w->x[i], 1);
  return sum;
}

static void left_element (const lanes_work *w, lanes_vector *v, int j)
{
  const pair b = left_sum (w, v->first, j, j);
  const pair plain = pair_divide (b, not_below (shifted (w, v, j, 1), v->least));
  pair x = pair_select (v->pending, v->next, plain);
#if !GLA_COMPLEX
  const mask begins = (w->lambda[j].im > 0) & ~v->pending; // a block of rows j, j+1
  v->pending = begins;
  if (j + 1 < w->n && mask_any (begins)) {
    const num *at = w->h + j + j * w->ld;
    pair two[2];
    const pair both[2] = {b, left_sum (w, v->first, j, j + 1)};
    solve_two (shifted (w, v, j, 1), at[1].re, at[w->ld].re, shifted (w, v, j + 1, 1), both,
               v->least, two);
    x = pair_select (begins, two[0], x);
    v->next = pair_select (begins, two[1], (pair){vec_broadcast (0), vec_broadcast (0)});
  } else
    v->next = (pair){vec_broadcast (0), vec_broadcast (0)};
#endif
  w->x[j] = x;
}

// Solves x'*T = lambda*x', with x[k] = 1; for the first eigenvalue of a pair with that of the
// second.
static void left_vector (const lanes_work *w, lanes_vector *v, int k)
{
  const int n = w->n;
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  v->first = k;
  v->end = k + 1;
  w->x[k] = (pair){vec_select (v->on, one, zero), zero};
#if !GLA_COMPLEX
  // real pages need T' - conj (lambda)
  v->shift.im = -vec_abs (v->shift.im);
  if (k + 1 < n) {
    const vec above = w->h[k + (k + 1) * w->ld].re, below = w->h[k + 1 + k * w->ld].re;
    const mask larger = vec_abs (above) >= vec_abs (below);
    const vec by = vec_select (v->twin, vec_select (larger, above, below), one);
    const vec ratio = v->shift.im / by;
    v->next = (pair){zero, vec_select (v->twin, vec_select (larger, one, ratio), zero)};
    w->x[k].re = vec_select (v->twin & larger, -ratio, w->x[k].re);
    v->pending = v->twin;
  }
#endif
  for (int j = k + 1; j < n; j++) {
    v->end = j + 1;
    left_element (w, v, j);
    bound_vector (w, v, j);
  }
}

//------------------------------------------------------------------------------
// vectors of the pages
//------------------------------------------------------------------------------

// Computes rows i .. i+R-1 of Z*x, for the elements first .. end-1 of x, times the scales of
// balancing.
static inline __attribute__ ((always_inline)) void
back_rows (const lanes_work *w, const lanes_vector *v, int i, int left, int R)
{
  pair sum[4];
  for (int r = 0; r < R; r++)
    sum[r] = (pair){vec_broadcast (0), vec_broadcast (0)};
  const num *z = w->z + i + v->first * w->ld;
  for (int j = v->first; j < v->end; j++, z += w->ld)
    for (int r = 0; r < R; r++)
      sum[r] = pair_less (sum[r], z[r], w->x[j], 0);
  for (int r = 0; r < R; r++) {
    const vec d = left ? -inverse_power (w->d[i + r]) : -w->d[i + r];
    w->out[2 * (i + r)] = d * sum[r].re;
    w->out[2 * (i + r) + 1] = d * sum[r].im;
  }
}

// Returns the place of the largest component of w->out, of equal ones the first.
static vec largest_place (const lanes_work *w, vec *most)
{
  vec at = vec_broadcast (0);
  *most = vec_broadcast (-1);
  for (int i = 0; i < w->n; i++) {
    vec size = w->out[2 * i] * w->out[2 * i];
    size += w->out[2 * i + 1] * w->out[2 * i + 1];
    at = vec_select (size > *most, vec_broadcast ((real)i), at);
    *most = vec_larger (size, *most);
  }
  return at;
}

// Gives w->out the norm 1 and, in the lanes `turn`, a real and positive largest component.
static void normalise (const lanes_work *w, mask turn)
{
  const int n = w->n;
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  vec largest = zero, most, sum = zero;
  for (int i = 0; i < 2 * n; i++)
    largest = vec_larger (vec_abs (w->out[i]), largest);
  const vec down = inverse_power (largest);
  for (int i = 0; i < 2 * n; i++)
    w->out[i] *= down;
  for (int i = 0; i < 2 * n; i++)
    sum += w->out[i] * w->out[i];
  const vec inverse = one / vec_sqrt (vec_select (sum > zero, sum, one));
  vec c = one, s = zero;
  if (mask_any (turn)) {
    const vec at = largest_place (w, &most);
    vec re = zero, im = zero;
    for (int l = 0; l < GLA_LANES; l++) {
      re[l] = w->out[2 * (int)at[l]][l];
      im[l] = w->out[2 * (int)at[l] + 1][l];
    }
    const pair x = {re, im};
    const vec size = one / vec_sqrt (vec_select (most > zero, most, one));
    c = vec_select (turn, x.re * size, one);
    s = vec_select (turn, x.im * size, zero);
    for (int i = 0; i < n; i++) {
      const vec re = w->out[2 * i], im = w->out[2 * i + 1];
      vec a = c * re, b = c * im;
      a += s * im;
      b -= s * re;
      w->out[2 * i] = a;
      w->out[2 * i + 1] = vec_select (turn & (at == vec_broadcast ((real)i)), zero, b);
    }
  }
  for (int i = 0; i < 2 * n; i++)
    w->out[i] = w->out[i] * inverse + zero;
}

static void conjugate_column (const lanes_work *w, mask in)
{
  const vec zero = vec_broadcast (0);
  for (int i = 0; i < w->n; i++) {
    vec *im = &w->out[2 * i + 1];
    *im = vec_select (in, zero - *im, *im);
  }
}

// Stores vector k of the pages in `live`, and its conjugate if it is one of a pair.
static void store_vector (const lanes_work *w, const lanes_vector *v, const gla_array *to,
                          int64_t first, int k, int left, unsigned live)
{
  int i = 0;
  for (; i + 4 <= w->n; i += 4)
    back_rows (w, v, i, left, 4);
  for (; i < w->n; i++)
    back_rows (w, v, i, left, 1);
  normalise (w, GLA_COMPLEX ? ~(mask){0} : v->twin);
  const unsigned on = live & lanes_bits (v->on), twin = on & lanes_bits (v->twin);
  if (twin) {
    const int other = left ? k + 1 : k - 1;
    if (left)
      conjugate_column (w, v->twin);
    lanes_store_column (w, to, first, other, twin);
    conjugate_column (w, v->twin);
  }
  lanes_store_column (w, to, first, k, on);
}

static void lanes_vectors (const lanes_work *w, const gla_array *to, int64_t first, int left,
                           unsigned live)
{
  for (int k = w->n - 1; k >= 0; k--) {
#if GLA_COMPLEX
    const mask twin = {0}, on = ~twin;
#else
    const vec im = w->lambda[k].im, zero = vec_broadcast (0);
    const mask twin = left ? (mask)(im > zero) : (mask)(im < zero), on = twin | (im == zero);
#endif
    if (!(lanes_bits (on) & live))
      continue;
    lanes_vector v = begin_vector (w, k, on, twin);
    if (left)
      left_vector (w, &v, k);
    else
      right_vector (w, &v, k);
    store_vector (w, &v, to, first, k, left, live);
  }
}

#endif
