// column_pairs.h: the steps of Jacobi and of Hari and Zimmermann on disjoint pairs of columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns are in registers, their rows in lanes (rows.h), with zeros after the last row. Rotations
// are computed for as many pairs at a time as a register has lanes, one pair per lane, because the
// latency of roots and divisions is the same for one as for all.

#ifndef GPULINALG_CPU_COMMON_COLUMN_PAIRS_H
#define GPULINALG_CPU_COMMON_COLUMN_PAIRS_H

#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

static inline real larger (real a, real b)
{
  return a > b ? a : b;
}

// Statistics of a sweep: rotations, exchanges of columns, and the largest squares of a cosine and
// of a sine that a rotation had. Both together bound what the next sweep will find if every column
// has met every other; if columns were exchanged, some may have missed each other.
typedef struct {
  int64_t rotations, exchanges;
  real cosine2, sine2;
} sweep_record;

static inline void record_join (sweep_record *to, sweep_record from)
{
  to->rotations += from.rotations;
  to->exchanges += from.exchanges;
  to->cosine2 = larger (to->cosine2, from.cosine2);
  to->sine2 = larger (to->sine2, from.sine2);
}

// The same for pairs in lanes.
typedef struct {
  mask rotations, exchanges;
  vec cosine2, sine2;
} lane_records;

static inline vec vec_max (vec a, vec b)
{
  return vec_select (a > b, a, b);
}

// Counts the pairs that are rotated, with their angles, and those that are exchanged.
static inline void record_steps (lane_records *to, mask rotate, mask swap, vec cosine2, vec sine2)
{
  const vec zero = vec_broadcast (0);
  to->rotations -= rotate; // -1 if true
  to->exchanges -= swap;
  to->cosine2 = vec_max (to->cosine2, vec_select (rotate, cosine2, zero));
  to->sine2 = vec_max (to->sine2, vec_select (rotate, sine2, zero));
}

static inline sweep_record record_of (const lane_records *lanes)
{
  sweep_record record = {0, 0, 0, 0};
  for (int l = 0; l < GLA_LANES; l++)
    record_join (&record, (sweep_record){lanes->rotations[l], lanes->exchanges[l],
                                         lanes->cosine2[l], lanes->sine2[l]});
  return record;
}

// |x|^2, |y|^2, x'y of the pair in each lane
typedef struct {
  vec xx, yy;
  num xy;
} products;

// Products before the sum over lanes: those of pair l are in element l.
typedef struct {
  vec xx[GLA_LANES], yy[GLA_LANES], re[GLA_LANES];
#if GLA_COMPLEX
  vec im[GLA_LANES];
#endif
} open_products;

// Two sums alternate, because one addition waits for the previous one.
static inline void pair_products (int64_t rv, const num *x, const num *y, int l, open_products *out)
{
  vec xx0 = num_abs2 (x[0]), yy0 = num_abs2 (y[0]), xx1 = vec_broadcast (0), yy1 = xx1;
  num xy0 = num_mulc (x[0], y[0]), xy1 = num_zero ();
  if (rv > 1) {
    xx1 = num_abs2 (x[1]);
    yy1 = num_abs2 (y[1]);
    xy1 = num_mulc (x[1], y[1]);
  }
  int64_t i = 2;
  for (; i + 1 < rv; i += 2) {
    xx0 += num_abs2 (x[i]);
    yy0 += num_abs2 (y[i]);
    xy0 = num_fmac (xy0, x[i], y[i]);
    xx1 += num_abs2 (x[i + 1]);
    yy1 += num_abs2 (y[i + 1]);
    xy1 = num_fmac (xy1, x[i + 1], y[i + 1]);
  }
  if (i < rv) {
    xx0 += num_abs2 (x[i]);
    yy0 += num_abs2 (y[i]);
    xy0 = num_fmac (xy0, x[i], y[i]);
  }
  const num xy = num_add (xy0, xy1);
  out->xx[l] = xx0 + xx1;
  out->yy[l] = yy0 + yy1;
  out->re[l] = xy.re;
#if GLA_COMPLEX
  out->im[l] = xy.im;
#endif
}

// Up to GLA_LANES disjoint pairs of columns, and what is done to one matrix with them.
typedef struct {
  int count;
  int p[GLA_LANES], q[GLA_LANES];
} group;

// Lanes without a pair get orthogonal columns of some length.
static inline products group_products (const group *g, const num *a, int64_t rv)
{
  open_products open;
  products out;
  for (int l = 0; l < g->count; l++)
    pair_products (rv, a + g->p[l] * rv, a + g->q[l] * rv, l, &open);
  for (int l = g->count; l < GLA_LANES; l++) {
    open.xx[l] = open.yy[l] = vec_broadcast (1);
    open.re[l] = vec_broadcast (0);
#if GLA_COMPLEX
    open.im[l] = vec_broadcast (0);
#endif
  }
  out.xx = sum_each (open.xx);
  out.yy = sum_each (open.yy);
  out.xy.re = sum_each (open.re);
#if GLA_COMPLEX
  out.xy.im = sum_each (open.im);
#endif
  return out;
}

static inline void swap_columns (int64_t rv, num *x, num *y)
{
  for (int64_t i = 0; i < rv; i++) {
    const num t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

//------------------------------------------------------------------------------
// Jacobi
//------------------------------------------------------------------------------

// Applies [c sigma; -conj (sigma) c] from the right in each lane of `rotate`, and then exchanges
// the columns in each lane of `swap`. h is 1 - c: thousands of rotations that are too long by half
// an ulp of c would cost orthogonality (Rutishauser 1966).
typedef struct {
  vec h;
  num sigma;
  mask rotate, swap;
} jacobi_rotations;

// Columns are exchanged if their lengths or quotients differ by more than this factor. Columns that
// rounding errors exchange would miss their partners in every sweep.
static inline vec exchange_margin (real tol)
{
  return vec_broadcast (1 + 16 * tol);
}

// Finds rotations that orthogonalise columns with these products. The longer one becomes the first.
static inline jacobi_rotations rotations_of (const products *a, real tol, lane_records *record)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const vec rx = vec_sqrt (a->xx), ry = vec_sqrt (a->yy);
  const mask some = (rx > zero) & (ry > zero);
  const vec large = vec_select (some, vec_max (rx, ry), one);
  const num c = num_scale (vec_select (some, one / (rx * ry), zero), a->xy);
  const vec cosine2 = num_abs2 (c), u = rx / large, v = ry / large;
  jacobi_rotations r;
  r.rotate = cosine2 > vec_broadcast (tol * tol);
  r.swap = ry > rx * exchange_margin (tol);

  const vec d = v * v - u * u;
  const num x = num_scale (u * v, c);
  const vec x2 = num_abs2 (x), root = vec_abs (d) + vec_sqrt (d * d + 4 * x2);
  const vec g = vec_select (d >= zero, 2 * one, -2 * one) / vec_select (r.rotate, root, one);
  const vec t2 = x2 * g * g, secant = vec_sqrt (one + t2);
  r.h = t2 / (secant * (one + secant));
  r.sigma = num_scale (g / secant, x);
  record_steps (record, r.rotate, r.swap, cosine2, num_abs2 (r.sigma));
  return r;
}

static inline void rotate_columns (const group *g, const jacobi_rotations *r, num *a, int64_t rv)
{
  for (int l = 0; l < g->count; l++) {
    num *x = a + g->p[l] * rv, *y = a + g->q[l] * rv;
    if (!r->rotate[l]) {
      if (r->swap[l])
        swap_columns (rv, x, y);
      continue;
    }
    const num s = num_broadcast_lane (&r->sigma, l);
    const vec h = vec_broadcast (-r->h[l]);
    num *first = r->swap[l] ? y : x, *second = r->swap[l] ? x : y;
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const num u = x[i], w = y[i];
      first[i] = num_fnmac (num_add (u, num_scale (h, u)), s, w);
      second[i] = num_fma (num_add (w, num_scale (h, w)), s, u);
    }
  }
}

//------------------------------------------------------------------------------
// Hari-Zimmermann
//------------------------------------------------------------------------------

// (x, y) becomes (z11 x + z21 y, z12 x + z22 y) in each lane of `rotate`, exchanged where `swap`.
typedef struct {
  vec z11, z22;
  num z12, z21;
  mask rotate, swap;
} congruences;

static inline vec reciprocal_root (vec x)
{
  return vec_broadcast (1) / vec_sqrt (x);
}

// Returns z' A z for A = [app apq; . aqq] and z = [x; y].
static inline vec quadratic_form (vec app, vec aqq, num apq, num x, num y)
{
  const num cross = num_mul (num_conj (x), num_mul (apq, y));
  return app * num_abs2 (x) + aqq * num_abs2 (y) + 2 * cross.re;
}

// If A is a multiple of B, sets B^(-1/2), the smallest change that serves.
static inline void proportional (mask where, vec b, num w, congruences *z)
{
  const vec one = vec_broadcast (1);
  const vec p = reciprocal_root (one + b), m = reciprocal_root (one - b);
  const vec half = vec_broadcast ((real)0.5), c = half * (p + m);
  const num d = num_scale (half * (p - m), w);
  z->z11 = vec_select (where, c, z->z11);
  z->z22 = vec_select (where, c, z->z22);
  z->z12 = num_select (where, d, z->z12);
  z->z21 = num_select (where, num_conj (d), z->z21);
}

// The normalised step of Falk and Langemeyer: for A = [app apq; . aqq] and B = [1 w b; . 1], |w| =
// 1, and the larger of app and aqq 1, Z'AZ is diagonal and Z'BZ = I, componentwise accurate.
static inline congruences congruences_of (vec app, vec aqq, num apq, vec b, num w, real tol)
{
  const vec one = vec_broadcast (1), zero = vec_broadcast (0);
  const num aligned = num_mul (num_conj (w), apq);
  const vec u = aligned.re, t2 = (one - b) * (one + b), e = app - aqq;
  num x1 = num_from_real (app * b - u), x2 = num_from_real (aqq * b - u);
  const vec sum = x1.re + x2.re;
  vec square = e * e;
  num nu = num_zero ();
#if GLA_COMPLEX
  const vec v = aligned.im;
  square += 4 * v * v;
  nu.im = v * b;
  x1.im = v;
  x2.im = -v;
#endif
  const vec h = vec_sqrt (t2 * square + sum * sum);
  nu.re = vec_broadcast ((real)0.5) * (e + vec_select (e >= zero, h, -h));
  const vec nu2 = num_abs2 (nu);
  const mask none = nu2 <= vec_broadcast (tol * tol); // only rounding errors
  const num inverse = num_scale (one / vec_select (none, one, nu2), num_conj (nu));
  num al = num_mul (x2, inverse), be = num_mul (x1, inverse);
  congruences z;
  const num al_b = num_add (al, num_from_real (b)), be_b = num_sub (be, num_from_real (b));
  z.z11 = reciprocal_root (t2 + num_abs2 (be_b));
  z.z22 = reciprocal_root (t2 + num_abs2 (al_b));
  z.z12 = num_scale (z.z22, num_mul (w, al));
  z.z21 = num_scale (-z.z11, num_mul (num_conj (w), be));
  if (mask_any (none))
    proportional (none, b, w, &z);
  z.swap = quadratic_form (app, aqq, apq, num_from_real (z.z11), z.z21) * exchange_margin (tol) <
           quadratic_form (app, aqq, apq, z.z12, num_from_real (z.z22));
  return z;
}

// Takes the products of the columns of F and of G, none of them zero. The larger quotient |f|/|g|
// becomes the first.
static inline congruences congruences_from (const products *f, const products *g, real tol,
                                            lane_records *record)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1), tol2 = vec_broadcast (tol * tol);
  const vec rx = vec_sqrt (f->xx), ry = vec_sqrt (f->yy);
  const vec dx = reciprocal_root (g->xx), dy = reciprocal_root (g->yy);
  const num bc = num_scale (dy, num_scale (dx, g->xy));
  const num ac = num_scale (one / ry, num_scale (one / rx, f->xy));
  const vec b2 = num_abs2 (bc), a2 = num_abs2 (ac), b = vec_sqrt (b2);
  const vec qx = rx * dx, qy = ry * dy, large = vec_max (qx, qy);
  const vec p = qx / large, q = qy / large, most = vec_broadcast (1 - GLA_EPS);
  const mask flat = b == zero;
  const num w =
      num_select (flat, num_from_real (one), num_scale (one / vec_select (flat, one, b), bc));
  congruences z =
      congruences_of (p * p, q * q, num_scale (p * q, ac), vec_select (b > most, most, b), w, tol);
  z.rotate = (b2 > tol2) | (a2 > tol2);
  z.swap = (z.rotate & z.swap) | (~z.rotate & (qx * exchange_margin (tol) < qy));
  record_steps (record, z.rotate, z.swap, vec_max (a2, b2),
                vec_max (num_abs2 (z.z12), num_abs2 (z.z21)));
  z.z11 *= dx;
  z.z22 *= dy;
  z.z12 = num_scale (dx, z.z12);
  z.z21 = num_scale (dy, z.z21);
  return z;
}

static inline void combine_columns (const group *g, const congruences *z, num *a, int64_t rv)
{
  for (int l = 0; l < g->count; l++) {
    num *x = a + g->p[l] * rv, *y = a + g->q[l] * rv;
    if (!z->rotate[l]) {
      if (z->swap[l])
        swap_columns (rv, x, y);
      continue;
    }
    const vec z11 = vec_broadcast (z->z11[l]), z22 = vec_broadcast (z->z22[l]);
    const num z12 = num_broadcast_lane (&z->z12, l), z21 = num_broadcast_lane (&z->z21, l);
    num *first = z->swap[l] ? y : x, *second = z->swap[l] ? x : y;
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const num u = x[i], w = y[i];
      first[i] = num_fma (num_scale (z11, u), z21, w);
      second[i] = num_fma (num_scale (z22, w), z12, u);
    }
  }
}

#endif
