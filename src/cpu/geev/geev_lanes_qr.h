// geev_lanes_qr.h: shifted QR on the Hessenberg matrices of several pages, and their eigenvalues
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each lane has its own window of rows low .. high, below which all eigenvalues are found. All
// lanes sweep through the rows that are in a window of one of them; a lane makes identities in rows
// outside of its own. A sweep updates only the rows and columns near the diagonal after each step;
// columns on the right follow in blocks, when the steps reach them, and rows above the steps, and
// the vectors, get all steps at the end.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_QR_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_QR_H

#include "geev_lanes.h"
#include "geev_lanes_steps.h"

enum { COLUMN_BLOCK = 8, ROW_BLOCK = 4, SWEEPS_MAX = 60 }; // sweeps for one eigenvalue

typedef struct {
  vec low, high; // rows, from 0; high is -1 where all is done
  vec sweeps;    // since the last eigenvalue was found
  vec failed;    // 1 where that took too many
} qr_state;

//------------------------------------------------------------------------------
// deflation
//------------------------------------------------------------------------------

// Whether (k, k-1) counts as zero: by Ahues and Tisseur, as LAPACK's lahqr.
static mask lanes_small (const lanes_work *w, int k)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0), eps = vec_broadcast (GLA_EPS);
  const vec least = vec_broadcast (GLA_TINY / GLA_EPS * (real)n);
  const num *at = w->h + (k - 1) + (k - 1) * ld; // the 2 x 2 block around it
  const vec below = num_size (at[1]), size = num_size (at[0]) + num_size (at[ld + 1]);
  const mask tiny = below <= least;
  if (!mask_any ((below <= eps * size) | (size == zero) | tiny))
    return tiny;
  vec around = k > 1 ? num_size (at[-ld]) : zero;
  if (k + 1 < n)
    around += num_size (at[2 + ld]);
  const mask near = below <= eps * vec_select (size == zero, around, size);
  const vec above = num_size (at[ld]), last = num_size (at[ld + 1]);
  const vec gap = num_size (num_sub (at[0], at[ld + 1]));
  const vec ab = vec_larger (below, above), ba = vec_smaller (below, above);
  const vec aa = vec_larger (last, gap), bb = vec_smaller (last, gap), s = aa + ab;
  return tiny | (near & (ba * (ab / s) <= vec_larger (least, eps * (bb * (aa / s)))));
}

static int last_row (const qr_state *s)
{
  int last = -1;
  for (int l = 0; l < GLA_LANES; l++)
    last = s->high[l] > last ? (int)s->high[l] : last;
  return last;
}

// Finds single eigenvalues at the end of a window, and pairs of real pages: the window then ends
// above them. Returns nonzero if there was one.
static int lanes_found (const lanes_work *w, qr_state *s)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const int last = last_row (s);
  s->low = zero;
  for (int k = 1; k <= last; k++) {
    const vec row = vec_broadcast ((real)k);
    const num below = w->h[k + (k - 1) * w->ld];
    s->low = vec_select ((num_size (below) == zero) & (s->high >= row), row, s->low);
  }
  const mask open = s->high >= zero, single = open & (s->low == s->high);
  const mask pairs = GLA_COMPLEX ? (mask){0} : (mask)(open & (s->low == s->high - one));
  s->high = vec_select (single | pairs, s->low - one, s->high);
  s->sweeps = vec_select (single | pairs, zero, s->sweeps);
  return mask_any (single | pairs);
}

static void lanes_deflate (const lanes_work *w, qr_state *s)
{
  const int last = last_row (s);
  for (int k = 1; k <= last; k++) {
    num *below = w->h + k + (k - 1) * w->ld;
    const mask here = s->high >= vec_broadcast ((real)k);
    *below = num_select (here & lanes_small (w, k), num_zero (), *below);
  }
  while (lanes_found (w, s))
    ;
}

//------------------------------------------------------------------------------
// a sweep
//------------------------------------------------------------------------------

// The ends of each lane's window, as places of diagonal elements. Lanes that are done have the
// first window.
typedef struct {
  int low[GLA_LANES], high[GLA_LANES];
} qr_places;

static qr_places places_of (const lanes_work *w, const qr_state *s)
{
  qr_places p;
  for (int l = 0; l < GLA_LANES; l++) {
    const int done = s->high[l] < 0, low = done ? 0 : (int)s->low[l];
    p.low[l] = low * (w->ld + 1);
    p.high[l] = (done ? STEP_WIDTH - 1 : (int)s->high[l]) * (w->ld + 1);
  }
  return p;
}

// Element at[l] + offset of lane l.
static inline num lanes_pick (const lanes_work *w, const int *at, int offset)
{
  num x = num_zero ();
  for (int l = 0; l < GLA_LANES; l++) {
    const num *from = w->h + at[l] + offset;
    x.re[l] = from->re[l];
#if GLA_COMPLEX
    x.im[l] = from->im[l];
#endif
  }
  return x;
}

#include "geev_lanes_shifts.h"

// Sweeps all windows once; with `schur` on all of h, else only on what the windows need.
static void lanes_sweep (const lanes_work *w, const qr_state *s, int schur, int vectors)
{
  const int n = w->n, to = last_row (s);
  int from = to, k;
  for (int l = 0; l < GLA_LANES; l++)
    from = s->high[l] >= 0 && s->low[l] < from ? (int)s->low[l] : from;
  const int columns = schur ? n : to + 1, row = schur ? 0 : from / ROW_BLOCK * ROW_BLOCK;
  const qr_start start = lanes_start (w, s);
  int joined = from; // columns up to here have had all steps before k
  for (k = from; k < to; k++) {
    lanes_chase (w, s, &start, k);
    if (k + STEP_WIDTH > joined) {
      const int end = (k + STEP_WIDTH + COLUMN_BLOCK - 1) / COLUMN_BLOCK * COLUMN_BLOCK;
      const int next = end < columns ? end : columns;
      march_columns (w, from, k, w->h, joined, next);
      joined = next;
    }
    march_columns (w, k, k + 1, w->h, k, joined);
    const int rows = k + STEP_WIDTH < to ? k + STEP_WIDTH : to;
    const int near = k / ROW_BLOCK * ROW_BLOCK;
    march_rows (w, k, k + 1, w->h, near > row ? near : row, rows + 1);
  }
  march_columns (w, from, to, w->h, joined, columns);
  for (int r = row; r + ROW_BLOCK < to; r += ROW_BLOCK)
    march_rows (w, r + ROW_BLOCK > from ? r + ROW_BLOCK : from, to, w->h, r, r + ROW_BLOCK);
  if (vectors)
    march_rows (w, from, to, w->z, 0, n);
}

// Finds the Schur form, with `schur` all of it. Returns the lanes that have one.
static mask lanes_qr (const lanes_work *w, mask live, int schur, int vectors)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  qr_state s = {zero, vec_select (live, vec_broadcast ((real)(w->n - 1)), -one), zero, zero};
  for (lanes_deflate (w, &s); last_row (&s) >= 0; lanes_deflate (w, &s)) {
    s.sweeps += one;
    lanes_sweep (w, &s, schur, vectors);
    const mask late = (s.sweeps >= vec_broadcast (SWEEPS_MAX)) & (s.high >= zero);
    s.failed = vec_select (late, one, s.failed);
    s.high = vec_select (late, -one, s.high);
  }
  return live & (s.failed == zero);
}

//------------------------------------------------------------------------------
// eigenvalues from the Schur forms in lanes
//------------------------------------------------------------------------------

// Real pages: every 2 x 2 block is brought to LAPACK's standard form, equal diagonal elements and
// others of opposite signs, or made triangular if its eigenvalues are real (lanv2).

#if GLA_COMPLEX

static void lanes_values (const lanes_work *w, int schur, int vectors)
{
  (void)schur, (void)vectors;
  for (int i = 0; i < w->n; i++)
    w->lambda[i] = pair_of (w->h[i + i * w->ld]);
}

#else

// [a, b; c, d] and the rotation that made it.
typedef struct {
  vec a, b, c, d, cos, sin;
} block_form;

static inline vec sign_of (vec x)
{
  return vec_select (x < 0, vec_broadcast (-1), vec_broadcast (1));
}

// sqrt (x^2 + y^2) without overflow.
static inline vec vec_hypot (vec x, vec y)
{
  const vec most = vec_larger (vec_abs (x), vec_abs (y)), down = inverse_power (most);
  const vec a = x * down, b = y * down;
  vec sum = a * a;
  sum += b * b;
  return power_below (most) * vec_sqrt (sum);
}

// The eigenvalues are real and apart: the block becomes triangular.
static block_form block_real (block_form f, vec p, vec z, vec product)
{
  const vec root = p + sign_of (p) * z, tau = vec_hypot (f.c, root), d = f.d;
  f.a = d + root;
  f.d = d - product / root;
  f.cos = root / tau;
  f.sin = f.c / tau;
  f.b -= f.c;
  f.c = vec_broadcast (0);
  return f;
}

// Blocks with equal signs of b and c after block_equal have real eigenvalues after all.
static block_form block_split (block_form f)
{
  const vec root_b = vec_sqrt (vec_abs (f.b)), root_c = vec_sqrt (vec_abs (f.c));
  const vec p = sign_of (f.c) * root_b * root_c, middle = f.a;
  const vec tau = vec_broadcast (1) / vec_sqrt (vec_abs (f.b + f.c));
  const vec cos = root_b * tau, sin = root_c * tau, c = f.cos, s = f.sin;
  f.a = middle + p;
  f.d = middle - p;
  f.b -= f.c;
  f.c = vec_broadcast (0);
  f.cos = c * cos - s * sin;
  f.sin = c * sin + s * cos;
  return f;
}

static block_form block_select (mask m, block_form yes, block_form no)
{
  return (block_form){vec_select (m, yes.a, no.a),     vec_select (m, yes.b, no.b),
                      vec_select (m, yes.c, no.c),     vec_select (m, yes.d, no.d),
                      vec_select (m, yes.cos, no.cos), vec_select (m, yes.sin, no.sin)};
}

// The eigenvalues are complex, or real and nearly equal: the diagonal elements become equal.
static block_form block_equal (block_form f, vec gap)
{
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  const vec sum = f.b + f.c, tau = vec_hypot (sum, gap);
  const vec cos = vec_sqrt (half * (vec_broadcast (1) + vec_abs (sum) / tau));
  const vec sin = -(half * gap / (tau * cos)) * sign_of (sum);
  const vec aa = f.a * cos + f.b * sin, bb = f.b * cos - f.a * sin;
  const vec cc = f.c * cos + f.d * sin, dd = f.d * cos - f.c * sin;
  const vec middle = half * ((aa * cos + cc * sin) + (dd * cos - bb * sin));
  f = (block_form){middle, bb * cos + dd * sin, cc * cos - aa * sin, middle, cos, sin};
  const mask split = (f.c != zero) & (f.b != zero) & ((f.b < zero) == (f.c < zero));
  const mask turn = (f.c != zero) & (f.b == zero);
  const block_form turned = {f.a, -f.c, zero, f.d, -f.sin, f.cos};
  f = block_select (turn, turned, f);
  return mask_any (split) ? block_select (split, block_split (f), f) : f;
}

// Returns the standard form of blocks with c != 0.
static block_form block_standard (vec a, vec b, vec c, vec d)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1), gap = a - d;
  const block_form f = {a, b, c, d, one, zero}, swapped = {d, -c, zero, a, zero, one};
  const vec p = (real)0.5 * gap, least = vec_smaller (vec_abs (b), vec_abs (c));
  const vec most = vec_larger (vec_abs (b), vec_abs (c)),
            product = sign_of (b) * sign_of (c) * least;
  const vec scale = vec_larger (vec_abs (p), most);
  vec z = p / scale * p;
  z += most / scale * product;
  const mask is_real = z >= vec_broadcast (4 * GLA_EPS),
             is_standard = (gap == zero) & ((b < zero) != (c < zero));
  const vec root = vec_sqrt (scale) * vec_sqrt (vec_larger (z, zero));
  block_form r =
      block_select (is_real, block_real (f, p, root, most * product), block_equal (f, gap));
  r = block_select (is_standard, f, r);
  return block_select (b == zero, swapped, r);
}

// Rotates rows or columns i and i+1 of which `count` elements are `apart`.
static inline void rotate_lanes (num *x, num *y, int apart, int count, vec c, vec s)
{
  for (int i = 0; i < count; i++, x += apart, y += apart) {
    vec a = c * x->re, b = c * y->re;
    a += s * y->re;
    b -= s * x->re;
    x->re = a;
    y->re = b;
  }
}

// Standardises block k, k+1 in the lanes that have one there.
static void lanes_standardise (const lanes_work *w, int k, mask here, int schur, int vectors)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  num *at = w->h + k + k * ld;
  block_form f = {at[0].re, at[ld].re, at[1].re, at[ld + 1].re, one, zero};
  // other lanes compute with a block that has an answer
  const block_form f_here =
      block_standard (vec_select (here, f.a, zero), vec_select (here, f.b, -one),
                      vec_select (here, f.c, one), vec_select (here, f.d, zero));
  f = block_select (here, f_here, f);
  at[0].re = f.a;
  at[ld].re = f.b;
  at[1].re = f.c;
  at[ld + 1].re = f.d;
  if (schur && k + 2 < n)
    rotate_lanes (at + 2 * ld, at + 1 + 2 * ld, ld, n - k - 2, f.cos, f.sin);
  if (schur)
    rotate_lanes (w->h + k * ld, w->h + (k + 1) * ld, 1, k, f.cos, f.sin);
  if (vectors)
    rotate_lanes (w->z + k * ld, w->z + (k + 1) * ld, 1, n, f.cos, f.sin);
}

// Stores eigenvalues; that with the positive imaginary part comes first in a complex pair.
static void lanes_values (const lanes_work *w, int schur, int vectors)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0);
  for (int k = 0; k + 1 < n; k++) {
    const mask here = w->h[k + 1 + k * ld].re != zero;
    if (mask_any (here))
      lanes_standardise (w, k, here, schur, vectors);
  }
  for (int k = 0; k < n; k++)
    w->lambda[k] = (pair){w->h[k + k * ld].re, zero};
  for (int k = 0; k + 1 < n; k++) {
    const vec b = w->h[k + (k + 1) * ld].re, c = w->h[k + 1 + k * ld].re;
    const vec im = vec_select (c != zero, vec_sqrt (vec_abs (b)) * vec_sqrt (vec_abs (c)), zero);
    w->lambda[k].im += im;
    w->lambda[k + 1].im -= im;
  }
}

#endif

#endif
