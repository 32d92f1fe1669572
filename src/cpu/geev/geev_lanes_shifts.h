// geev_lanes_shifts.h: shifts of a QR sweep in lanes: single for complex, double for real pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is a part of geev_lanes_qr.h, which includes it after the types that a sweep uses.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_SHIFTS_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_SHIFTS_H

#if GLA_COMPLEX

//------------------------------------------------------------------------------
// implicit single shifts, for complex pages
//------------------------------------------------------------------------------

// The shifts are those of LAPACK's lahqr. Rotations have a real cosine, so subdiagonal elements are
// complex.

// The column that the first rotation of each lane reduces.
typedef struct {
  pair x[2];
} qr_start;

// Returns the root with a nonnegative real part, for |a| in the middle of the range.
static pair pair_sqrt (pair a)
{
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  vec size = a.re * a.re;
  size += a.im * a.im;
  const vec large = vec_sqrt (half * (vec_sqrt (size) + vec_abs (a.re)));
  const vec other = vec_select (large > zero, half * vec_abs (a.im) / large, zero);
  const mask right = a.re >= zero;
  const vec im = vec_select (right, other, large);
  return (pair){vec_select (right, large, other), vec_select (a.im < zero, -im, im)};
}

// sqrt (a*b), also where a*b is out of range.
static pair root_of_product (pair a, pair b)
{
  const vec size_a = pair_size (a), size_b = pair_size (b);
  const pair product =
      pair_mul (pair_scale (inverse_power (size_a), a), pair_scale (inverse_power (size_b), b));
  const vec size = vec_sqrt (power_below (size_a)) * vec_sqrt (power_below (size_b));
  return pair_scale (size, pair_sqrt (product));
}

// Returns the eigenvalue of the last 2 x 2 block that is nearer to its last element.
static pair lanes_shift (const lanes_work *w, const qr_state *s, const qr_places *p)
{
  const int ld = w->ld;
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  const pair h11 = pair_of (lanes_pick (w, p->high, -ld - 1));
  const pair h12 = pair_of (lanes_pick (w, p->high, -1));
  const pair h21 = pair_of (lanes_pick (w, p->high, -ld)),
             h22 = pair_of (lanes_pick (w, p->high, 0));
  const pair low = pair_of (lanes_pick (w, p->low, 0)), next = pair_of (lanes_pick (w, p->low, 1));
  pair x = pair_scale (half, pair_sub (h11, h22)), u = root_of_product (h12, h21);
  const vec most = vec_larger (pair_size (x), pair_size (u)), down = inverse_power (most);
  x = pair_scale (down, x);
  const pair v = pair_scale (down, u);
  pair y = pair_sqrt (pair_add (pair_mul (x, x), pair_mul (v, v)));
  const mask turn = x.re * y.re + x.im * y.im<zero, some = most> zero;
  y = pair_select (turn, pair_scale (vec_broadcast (-1), y), y);
  const pair one = {vec_broadcast (1), zero}; // x + y is not small beside x and v
  const pair t = pair_mul (u, pair_divide (v, pair_select (some, pair_add (x, y), one)));
  pair shift = pair_select (some, pair_sub (h22, t), h22);
  const mask top = (s->sweeps == 10) | (s->sweeps == 30) | (s->sweeps == 50);
  const mask bottom = (s->sweeps == 20) | (s->sweeps == 40);
  const vec at_top = (real)0.75 * pair_size (next), at_bottom = (real)0.75 * pair_size (h21);
  shift = pair_select (top, (pair){low.re + at_top, low.im}, shift);
  return pair_select (bottom, (pair){h22.re + at_bottom, h22.im}, shift);
}

static qr_start lanes_start (const lanes_work *w, const qr_state *s)
{
  const qr_places p = places_of (w, s);
  const pair t = lanes_shift (w, s, &p);
  return (qr_start){
      {pair_sub (pair_of (lanes_pick (w, p.low, 0)), t), pair_of (lanes_pick (w, p.low, 1))}};
}

// Makes the rotation that makes x[1] zero in some lanes; returns the new x[0].
static pair lanes_step (const pair *x, mask on, qr_step *q)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const vec most = vec_larger (pair_size (x[0]), pair_size (x[1])), down = inverse_power (most);
  const pair f = pair_scale (down, x[0]), g = pair_scale (down, x[1]);
  on &= pair_size (g) > zero;
  vec f2 = f.re * f.re, g2 = g.re * g.re;
  f2 += f.im * f.im;
  g2 += g.im * g.im;
  const mask swap = f2 < vec_broadcast (4 * GLA_TINY); // f vanishes beside g
  const vec sum = f2 + g2, product = vec_select (swap, g2, f2 * sum);
  const vec root = vec_rsqrt (vec_select (on, product, one));
  // conj (g), times f unless that vanishes
  const pair turned = pair_select (swap, pair_conj (g), pair_mul (f, pair_conj (g)));
  q->c = vec_select (on, vec_select (swap, zero, f2 * root), one);
  q->s = pair_select (on, pair_scale (root, turned), (pair){zero, zero});
  const pair first = pair_select (swap, (pair){g2 * root, zero}, pair_scale (sum * root, f));
  return pair_select (on, pair_scale (power_below (most), first), x[0]);
}

// Stores step k of all lanes in q[k], and sets the zero of column k-1.
static void lanes_chase (const lanes_work *w, const qr_state *s, const qr_start *start, int k)
{
  const vec row = vec_broadcast ((real)k);
  // GCC 10 makes low <= row of low < row where it sees low == row beside it
  const mask takes = (s->low <= row) & (s->high > row), begins = takes & (s->low >= row);
  const mask inside = takes & ~begins;
  num *below = k > 0 ? w->h + k + (k - 1) * w->ld : w->h;
  pair x[2] = {pair_of (below[0]), pair_of (below[1])};
  for (int i = 0; i < 2; i++)
    x[i] = pair_select (begins, start->x[i], x[i]);
  const pair first = lanes_step (x, begins | inside, w->q + k);
  if (k == 0)
    return;
  below[0] = num_select (inside, (num){first.re, first.im}, below[0]);
  below[1] = num_select (inside, num_zero (), below[1]);
}

#else

//------------------------------------------------------------------------------
// implicit double shifts, for real pages
//------------------------------------------------------------------------------

// Shifts, first column and exceptional shifts are those of LAPACK's lahqr, but without a search for
// two small subdiagonal elements: a sweep begins at the first row of the window.

// The column that the first reflector of each lane reduces.
typedef struct {
  vec x[3];
} qr_start;

// The real parts of two shifts, and the imaginary part of the first one.
typedef struct {
  vec re1, re2, im;
} double_shift;

static double_shift lanes_shifts (const lanes_work *w, const qr_state *s, const qr_places *p)
{
  const int ld = w->ld;
  const vec zero = vec_broadcast (0), half = vec_broadcast ((real)0.5);
  vec h11 = lanes_pick (w, p->high, -ld - 1).re, h12 = lanes_pick (w, p->high, -1).re;
  vec h21 = lanes_pick (w, p->high, -ld).re, h22 = lanes_pick (w, p->high, 0).re;
  const mask top = (s->sweeps == 10) | (s->sweeps == 30) | (s->sweeps == 50);
  const mask bottom = (s->sweeps == 20) | (s->sweeps == 40);
  if (mask_any (top | bottom)) { // exceptional shifts
    const vec at_top =
        vec_abs (lanes_pick (w, p->low, 1).re) + vec_abs (lanes_pick (w, p->low, ld + 2).re);
    const vec at_bottom = vec_abs (h21) + vec_abs (lanes_pick (w, p->high, -2 * ld - 1).re);
    const vec size = vec_select (top, at_top, at_bottom);
    const vec middle = (real)0.75 * size + vec_select (top, lanes_pick (w, p->low, 0).re, h22);
    h11 = vec_select (top | bottom, middle, h11);
    h12 = vec_select (top | bottom, (real)-0.4375 * size, h12);
    h21 = vec_select (top | bottom, size, h21);
    h22 = vec_select (top | bottom, middle, h22);
  }
  const vec size = vec_abs (h11) + vec_abs (h12) + vec_abs (h21) + vec_abs (h22);
  const vec up = power_below (size), down = inverse_power (size);
  const vec a = down * h11, b = down * h12, c = down * h21, d = down * h22;
  const vec mean = half * (a + d);
  vec det = (a - mean) * (d - mean);
  det -= b * c;
  const vec root = vec_sqrt (vec_abs (det)), r1 = mean + root, r2 = mean - root;
  const vec nearer = vec_select (vec_abs (r1 - d) <= vec_abs (r2 - d), r1, r2);
  const mask complex = det >= zero;
  const vec re = up * vec_select (complex, mean, nearer);
  return (double_shift){re, re, vec_select (complex, up * root, zero)};
}

static qr_start lanes_start (const lanes_work *w, const qr_state *s)
{
  const qr_places p = places_of (w, s);
  const double_shift t = lanes_shifts (w, s, &p);
  const int ld = w->ld;
  const vec h11 = lanes_pick (w, p.low, 0).re, h12 = lanes_pick (w, p.low, ld).re;
  const vec h21 = lanes_pick (w, p.low, 1).re, h22 = lanes_pick (w, p.low, ld + 1).re;
  const vec h32 = lanes_pick (w, p.low, ld + 2).re;
  const vec size = vec_abs (h11 - t.re2) + vec_abs (t.im) + vec_abs (h21);
  const vec inverse = vec_broadcast (1) / vec_select (size > 0, size, vec_broadcast (1));
  const vec below = h21 * inverse;
  qr_start x;
  x.x[0] = below * h12;
  x.x[0] += (h11 - t.re1) * ((h11 - t.re2) * inverse);
  x.x[0] += t.im * (t.im * inverse);
  x.x[1] = below * (h11 + h22 - t.re1 - t.re2);
  x.x[2] = below * h32;
  return x;
}

// Makes the reflector that makes x[1] and x[2] zero in some lanes; returns the new x[0].
static vec lanes_step (const vec *x, mask on, qr_step *q)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const vec most = vec_larger (vec_larger (vec_abs (x[0]), vec_abs (x[1])), vec_abs (x[2]));
  const vec down = inverse_power (most), a = down * x[0], b = down * x[1], c = down * x[2];
  on &= (b != zero) | (c != zero);
  vec size = a * a;
  size += b * b;
  size += c * c;
  size = vec_sqrt (vec_select (on, size, one));
  const vec beta = vec_select (a < zero, size, -size);
  const vec inverse = vec_select (on, vec_reciprocal (beta), zero);
  const vec from = vec_select (on, vec_reciprocal (a - beta), zero);
  q->v1 = b * from;
  q->v2 = c * from;
  q->t0 = (beta - a) * inverse;
  q->t1 = -b * inverse;
  q->t2 = -c * inverse;
  return vec_select (on, beta * power_below (most), x[0]);
}

// Stores step k of all lanes in q[k], and sets the zeros of column k-1.
static void lanes_chase (const lanes_work *w, const qr_state *s, const qr_start *start, int k)
{
  const vec zero = vec_broadcast (0), row = vec_broadcast ((real)k);
  // GCC 10 makes low <= row of low < row where it sees low == row beside it
  const mask takes = (s->low <= row) & (s->high > row), begins = takes & (s->low >= row);
  const mask inside = takes & ~begins;
  const int third = k + 2 < w->n;
  num *below = k > 0 ? w->h + k + (k - 1) * w->ld : w->h;
  vec x[3] = {below[0].re, below[1].re, third ? below[2].re : zero};
  for (int i = 0; i < 3; i++)
    x[i] = vec_select (begins, start->x[i], x[i]);
  const vec first = lanes_step (x, begins | inside, w->q + k);
  if (k == 0)
    return;
  below[0].re = vec_select (inside, first, below[0].re);
  below[1].re = vec_select (inside, zero, below[1].re);
  if (third)
    below[2].re = vec_select (inside, zero, below[2].re);
}

#endif

#endif
