// gsvd_pair_template.h: the steps of Jacobi and of Hari and Zimmermann on disjoint pairs of columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns stand in registers, their rows in lanes (rows_template.h), zeros behind the last row.
// What turns them is computed for as many pairs at a time as a register has lanes, one pair per
// lane, because the chain of roots and divisions takes as long for one as for all.

static inline GLA_REAL N (larger) (GLA_REAL a, GLA_REAL b)
{
  return a > b ? a : b;
}

// What a sweep did: rotations, exchanges of columns, and the largest squares of a cosine and of a
// sine that a rotation had. Both together bound what the next sweep will find where every column
// has met every other; where columns were exchanged, some may have passed each other.
typedef struct {
  int64_t rotations, exchanges;
  GLA_REAL cosine2, sine2;
} N (sweep_note);

static inline void N (note_join) (N (sweep_note) * to, N (sweep_note) from)
{
  to->rotations += from.rotations;
  to->exchanges += from.exchanges;
  to->cosine2 = N (larger) (to->cosine2, from.cosine2);
  to->sine2 = N (larger) (to->sine2, from.sine2);
}

// The same for pairs in lanes.
typedef struct {
  N (mask) rotations, exchanges;
  N (vec) cosine2, sine2;
} N (lane_notes);

static inline N (vec) N (vmax) (N (vec) a, N (vec) b)
{
  return N (select) (a > b, a, b);
}

// Pairs that turn, how far, and those that change places.
static inline void N (note_steps) (N (lane_notes) * to, N (mask) turn, N (mask) swap,
                                   N (vec) cosine2, N (vec) sine2)
{
  const N (vec) zero = N (all) (0);
  to->rotations -= turn; // -1 where it is so
  to->exchanges -= swap;
  to->cosine2 = N (vmax) (to->cosine2, N (select) (turn, cosine2, zero));
  to->sine2 = N (vmax) (to->sine2, N (select) (turn, sine2, zero));
}

static inline N (sweep_note) N (note_of) (const N (lane_notes) * lanes)
{
  N (sweep_note) note = {0, 0, 0, 0};
  for (int l = 0; l < GLA_LANES; l++)
    N (note_join)
  (&note,
   (N (sweep_note)){lanes->rotations[l], lanes->exchanges[l], lanes->cosine2[l], lanes->sine2[l]});
  return note;
}

// |x|^2, |y|^2, x'y of the pair in each lane
typedef struct {
  N (vec) xx, yy;
  N (num) xy;
} N (products);

// Products whose lanes are still to be summed: those of pair l in element l.
typedef struct {
  N (vec) xx[GLA_LANES], yy[GLA_LANES], re[GLA_LANES];
#if GLA_COMPLEX
  N (vec) im[GLA_LANES];
#endif
} N (open_products);

// Two sums side by side, because one addition waits for the one before it.
static inline void N (pair_products) (int64_t rv, const N (num) * x, const N (num) * y, int l,
                                      N (open_products) * out)
{
  N (vec) xx0 = N (abs2) (x[0]), yy0 = N (abs2) (y[0]), xx1 = N (all) (0), yy1 = xx1;
  N (num) xy0 = N (mulc) (x[0], y[0]), xy1 = N (zero) ();
  if (rv > 1) {
    xx1 = N (abs2) (x[1]);
    yy1 = N (abs2) (y[1]);
    xy1 = N (mulc) (x[1], y[1]);
  }
  int64_t i = 2;
  for (; i + 1 < rv; i += 2) {
    xx0 += N (abs2) (x[i]);
    yy0 += N (abs2) (y[i]);
    xy0 = N (fmac) (xy0, x[i], y[i]);
    xx1 += N (abs2) (x[i + 1]);
    yy1 += N (abs2) (y[i + 1]);
    xy1 = N (fmac) (xy1, x[i + 1], y[i + 1]);
  }
  if (i < rv) {
    xx0 += N (abs2) (x[i]);
    yy0 += N (abs2) (y[i]);
    xy0 = N (fmac) (xy0, x[i], y[i]);
  }
  const N (num) xy = N (add) (xy0, xy1);
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
} N (group);

// Lanes without a pair have columns of some length that are orthogonal.
static inline N (products) N (group_products) (const N (group) * g, const N (num) * a, int64_t rv)
{
  N (open_products) open;
  N (products) out;
  for (int l = 0; l < g->count; l++)
    N (pair_products) (rv, a + g->p[l] * rv, a + g->q[l] * rv, l, &open);
  for (int l = g->count; l < GLA_LANES; l++) {
    open.xx[l] = open.yy[l] = N (all) (1);
    open.re[l] = N (all) (0);
#if GLA_COMPLEX
    open.im[l] = N (all) (0);
#endif
  }
  out.xx = N (sum_each) (open.xx);
  out.yy = N (sum_each) (open.yy);
  out.xy.re = N (sum_each) (open.re);
#if GLA_COMPLEX
  out.xy.im = N (sum_each) (open.im);
#endif
  return out;
}

static inline void N (swap_columns) (int64_t rv, N (num) * x, N (num) * y)
{
  for (int64_t i = 0; i < rv; i++) {
    const N (num) t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

static inline N (num) N (broadcast) (const N (num) * x, int l)
{
  N (num) r;
  r.re = N (all) (x->re[l]);
#if GLA_COMPLEX
  r.im = N (all) (x->im[l]);
#endif
  return r;
}

//------------------------------------------------------------------------------
// Jacobi
//------------------------------------------------------------------------------

// [c sigma; -conj (sigma) c] from the right in each lane of `turn`, the columns exchanged (after
// that) in each lane of `swap`. h is 1 - c: thousands of rotations that are too long by half an ulp
// of c would cost orthogonality (Rutishauser 1966).
typedef struct {
  N (vec) h;
  N (num) sigma;
  N (mask) turn, swap;
} N (turns);

// Lengths or quotients that differ by less are the same: who was exchanged for a rounding error
// would pass others without meeting them, sweep after sweep.
static inline N (vec) N (clearly) (GLA_REAL tol)
{
  return N (all) (1 + 16 * tol);
}

// Orthogonalises columns with these products. The longer one becomes the first.
static inline N (turns) N (turns_of) (const N (products) * a, GLA_REAL tol, N (lane_notes) * note)
{
  const N (vec) zero = N (all) (0), one = N (all) (1);
  const N (vec) rx = N (vsqrt) (a->xx), ry = N (vsqrt) (a->yy);
  const N (mask) some = (rx > zero) & (ry > zero);
  const N (vec) large = N (select) (some, N (vmax) (rx, ry), one);
  const N (num) c = N (scale) (N (select) (some, one / (rx * ry), zero), a->xy);
  const N (vec) cosine2 = N (abs2) (c), u = rx / large, v = ry / large;
  N (turns) r;
  r.turn = cosine2 > N (all) (tol * tol);
  r.swap = ry > rx * N (clearly) (tol);

  const N (vec) d = v * v - u * u;
  const N (num) x = N (scale) (u * v, c);
  const N (vec) x2 = N (abs2) (x), root = N (vabs) (d) + N (vsqrt) (d * d + 4 * x2);
  const N (vec) g = N (select) (d >= zero, 2 * one, -2 * one) / N (select) (r.turn, root, one);
  const N (vec) t2 = x2 * g * g, secant = N (vsqrt) (one + t2);
  r.h = t2 / (secant * (one + secant));
  r.sigma = N (scale) (g / secant, x);
  N (note_steps) (note, r.turn, r.swap, cosine2, N (abs2) (r.sigma));
  return r;
}

static inline void N (turn_columns) (const N (group) * g, const N (turns) * r, N (num) * a,
                                     int64_t rv)
{
  for (int l = 0; l < g->count; l++) {
    N (num) *x = a + g->p[l] * rv, *y = a + g->q[l] * rv;
    if (!r->turn[l]) {
      if (r->swap[l])
        N (swap_columns) (rv, x, y);
      continue;
    }
    const N (num) s = N (broadcast) (&r->sigma, l);
    const N (vec) h = N (all) (-r->h[l]);
    N (num) *first = r->swap[l] ? y : x, *second = r->swap[l] ? x : y;
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const N (num) u = x[i], w = y[i];
      first[i] = N (fnmac) (N (add) (u, N (scale) (h, u)), s, w);
      second[i] = N (fma) (N (add) (w, N (scale) (h, w)), s, u);
    }
  }
}

//------------------------------------------------------------------------------
// Hari-Zimmermann
//------------------------------------------------------------------------------

// (x, y) becomes (z11 x + z21 y, z12 x + z22 y) in each lane of `turn`, exchanged where `swap`.
typedef struct {
  N (vec) z11, z22;
  N (num) z12, z21;
  N (mask) turn, swap;
} N (congruences);

static inline N (vec) N (reciprocal_root) (N (vec) x)
{
  return N (all) (1) / N (vsqrt) (x);
}

// |z|_A^2 for A = [app apq; . aqq] and z = [x; y]
static inline N (vec) N (form) (N (vec) app, N (vec) aqq, N (num) apq, N (num) x, N (num) y)
{
  const N (num) cross = N (mul) (N (conj) (x), N (mul) (apq, y));
  return app * N (abs2) (x) + aqq * N (abs2) (y) + 2 * cross.re;
}

// Where A is a multiple of B: B^(-1/2), which turns nothing further than it must.
static inline void N (proportional) (N (mask) where, N (vec) b, N (num) w, N (congruences) * z)
{
  const N (vec) one = N (all) (1);
  const N (vec) p = N (reciprocal_root) (one + b), m = N (reciprocal_root) (one - b);
  const N (vec) half = N (all) ((GLA_REAL)0.5), c = half * (p + m);
  const N (num) d = N (scale) (half * (p - m), w);
  z->z11 = N (select) (where, c, z->z11);
  z->z22 = N (select) (where, c, z->z22);
  z->z12 = N (num_select) (where, d, z->z12);
  z->z21 = N (num_select) (where, N (conj) (d), z->z21);
}

// The normalised step of Falk and Langemeyer: for A = [app apq; . aqq] and B = [1 w b; . 1], |w| =
// 1, and the larger of app and aqq 1, Z'AZ is diagonal and Z'BZ = I, componentwise accurate.
static inline N (congruences)
    N (congruences_of) (N (vec) app, N (vec) aqq, N (num) apq, N (vec) b, N (num) w, GLA_REAL tol)
{
  const N (vec) one = N (all) (1), zero = N (all) (0);
  const N (num) turned = N (mul) (N (conj) (w), apq);
  const N (vec) u = turned.re, t2 = (one - b) * (one + b), e = app - aqq;
  N (num) x1 = N (from_real) (app * b - u), x2 = N (from_real) (aqq * b - u);
  const N (vec) sum = x1.re + x2.re;
  N (vec) square = e * e;
  N (num) nu = N (zero) ();
#if GLA_COMPLEX
  const N (vec) v = turned.im;
  square += 4 * v * v;
  nu.im = v * b;
  x1.im = v;
  x2.im = -v;
#endif
  const N (vec) h = N (vsqrt) (t2 * square + sum * sum);
  nu.re = N (all) ((GLA_REAL)0.5) * (e + N (select) (e >= zero, h, -h));
  const N (vec) nu2 = N (abs2) (nu);
  const N (mask) none = nu2 <= N (all) (tol * tol); // nothing but rounding errors
  const N (num) inverse = N (scale) (one / N (select) (none, one, nu2), N (conj) (nu));
  N (num) al = N (mul) (x2, inverse), be = N (mul) (x1, inverse);
  N (congruences) z;
  const N (num) al_b = N (add) (al, N (from_real) (b)), be_b = N (sub) (be, N (from_real) (b));
  z.z11 = N (reciprocal_root) (t2 + N (abs2) (be_b));
  z.z22 = N (reciprocal_root) (t2 + N (abs2) (al_b));
  z.z12 = N (scale) (z.z22, N (mul) (w, al));
  z.z21 = N (scale) (-z.z11, N (mul) (N (conj) (w), be));
  if (N (any) (none))
    N (proportional) (none, b, w, &z);
  z.swap = N (form) (app, aqq, apq, N (from_real) (z.z11), z.z21) * N (clearly) (tol) <
           N (form) (app, aqq, apq, z.z12, N (from_real) (z.z22));
  return z;
}

// From the products of the columns of F and of G, of which none is zero. The larger quotient
// |f|/|g| becomes the first.
static inline N (congruences) N (congruences_from) (const N (products) * f, const N (products) * g,
                                                    GLA_REAL tol, N (lane_notes) * note)
{
  const N (vec) zero = N (all) (0), one = N (all) (1), tol2 = N (all) (tol * tol);
  const N (vec) rx = N (vsqrt) (f->xx), ry = N (vsqrt) (f->yy);
  const N (vec) dx = N (reciprocal_root) (g->xx), dy = N (reciprocal_root) (g->yy);
  const N (num) bc = N (scale) (dy, N (scale) (dx, g->xy));
  const N (num) ac = N (scale) (one / ry, N (scale) (one / rx, f->xy));
  const N (vec) b2 = N (abs2) (bc), a2 = N (abs2) (ac), b = N (vsqrt) (b2);
  const N (vec) qx = rx * dx, qy = ry * dy, large = N (vmax) (qx, qy);
  const N (vec) p = qx / large, q = qy / large, most = N (all) (1 - GLA_EPS);
  const N (mask) flat = b == zero;
  const N (num) w =
      N (num_select) (flat, N (from_real) (one), N (scale) (one / N (select) (flat, one, b), bc));
  N (congruences)
  z = N (congruences_of) (p * p, q * q, N (scale) (p * q, ac), N (select) (b > most, most, b), w,
                          tol);
  z.turn = (b2 > tol2) | (a2 > tol2);
  z.swap = (z.turn & z.swap) | (~z.turn & (qx * N (clearly) (tol) < qy));
  N (note_steps)
  (note, z.turn, z.swap, N (vmax) (a2, b2), N (vmax) (N (abs2) (z.z12), N (abs2) (z.z21)));
  z.z11 *= dx;
  z.z22 *= dy;
  z.z12 = N (scale) (dx, z.z12);
  z.z21 = N (scale) (dy, z.z21);
  return z;
}

static inline void N (combine_columns) (const N (group) * g, const N (congruences) * z, N (num) * a,
                                        int64_t rv)
{
  for (int l = 0; l < g->count; l++) {
    N (num) *x = a + g->p[l] * rv, *y = a + g->q[l] * rv;
    if (!z->turn[l]) {
      if (z->swap[l])
        N (swap_columns) (rv, x, y);
      continue;
    }
    const N (vec) z11 = N (all) (z->z11[l]), z22 = N (all) (z->z22[l]);
    const N (num) z12 = N (broadcast) (&z->z12, l), z21 = N (broadcast) (&z->z21, l);
    N (num) *first = z->swap[l] ? y : x, *second = z->swap[l] ? x : y;
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const N (num) u = x[i], w = y[i];
      first[i] = N (fma) (N (scale) (z11, u), z21, w);
      second[i] = N (fma) (N (scale) (z22, w), z12, u);
    }
  }
}
