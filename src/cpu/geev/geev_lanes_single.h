// geev_lanes_single.h: implicit single shifts, for complex pages in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The shifts are those of LAPACK's lahqr. Rotations have a real cosine, so subdiagonal elements are
// complex.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_SINGLE_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_SINGLE_H

// The column that the first rotation of each lane reduces.
typedef struct {
  pair x[2];
} qr_start;

// The root with a real part that is not negative, for |a| in the middle of the range.
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

// The eigenvalue of the last 2 x 2 block that is nearer to its last element.
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

// The rotation that makes x[1] zero in some lanes; returns what x[0] becomes there.
static pair lanes_step (const pair *x, mask on, qr_step *q)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const vec most = vec_larger (pair_size (x[0]), pair_size (x[1])), down = inverse_power (most);
  const pair f = pair_scale (down, x[0]), g = pair_scale (down, x[1]);
  on &= pair_size (g) > zero;
  vec f2 = f.re * f.re, g2 = g.re * g.re;
  f2 += f.im * f.im;
  g2 += g.im * g.im;
  const mask swap = f2 < vec_broadcast (4 * GLA_TINY); // nothing is left of f beside g
  const vec sum = f2 + g2, product = vec_select (swap, g2, f2 * sum);
  const vec root = vec_rsqrt (vec_select (on, product, one));
  // conj (g), times f where that is not nothing
  const pair turned = pair_select (swap, pair_conj (g), pair_mul (f, pair_conj (g)));
  q->c = vec_select (on, vec_select (swap, zero, f2 * root), one);
  q->s = pair_select (on, pair_scale (root, turned), (pair){zero, zero});
  const pair first = pair_select (swap, (pair){g2 * root, zero}, pair_scale (sum * root, f));
  return pair_select (on, pair_scale (power_below (most), first), x[0]);
}

// Step k of all lanes goes to q[k], and column k-1 gets its zero.
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

#endif
