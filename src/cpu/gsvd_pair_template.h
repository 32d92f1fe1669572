// gsvd_pair_template.h: the steps of Jacobi and of Hari and Zimmermann on two columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns stand in registers, their rows in lanes (qr_rows_template.h), zeros behind the last row.

static inline GLA_REAL N (larger) (GLA_REAL a, GLA_REAL b)
{
  return a > b ? a : b;
}

static inline GLA_REAL N (lesser) (GLA_REAL a, GLA_REAL b)
{
  return a < b ? a : b;
}

// What a sweep did: rotations, and the largest cosine and sine that one of them had. Both together
// bound what the next sweep will find, clusters of equal values included.
typedef struct {
  int64_t rotations;
  GLA_REAL cosine, sine;
} N (sweep_note);

static inline void N (note_join) (N (sweep_note) * to, N (sweep_note) from)
{
  to->rotations += from.rotations;
  to->cosine = from.cosine > to->cosine ? from.cosine : to->cosine;
  to->sine = from.sine > to->sine ? from.sine : to->sine;
}

static inline void N (note_step) (N (sweep_note) * to, GLA_REAL cosine, GLA_REAL sine)
{
  N (note_join) (to, (N (sweep_note)){1, cosine, sine});
}

// |x|^2, |y|^2, x'y
typedef struct {
  GLA_REAL xx, yy;
  N (el) xy;
} N (products);

// Two sums side by side, because one addition waits for the one before it.
static inline N (products) N (pair_products) (int64_t rv, const N (num) * x, const N (num) * y)
{
  N (vec) xx0 = N (all) (0), yy0 = xx0, xx1 = xx0, yy1 = xx0;
  N (num) xy0 = N (zero) (), xy1 = N (zero) ();
  int64_t i = 0;
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
  return (N (products)){N (sum_lanes) (xx0 + xx1), N (sum_lanes) (yy0 + yy1),
                        N (sum_num) (N (add) (xy0, xy1))};
}

static inline void N (swap_columns) (int64_t rv, N (num) * x, N (num) * y)
{
  for (int64_t i = 0; i < rv; i++) {
    const N (num) t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

//------------------------------------------------------------------------------
// Jacobi
//------------------------------------------------------------------------------

// [c sigma; -conj (sigma) c] from the right, the columns exchanged afterwards where `swap`. h is
// 1 - c: thousands of rotations that are too long by half an ulp of c would cost orthogonality
// (Rutishauser 1966).
typedef struct {
  GLA_REAL h;
  N (el) sigma;
  int swap;
} N (turn);

// Orthogonalises columns whose cosine is c, |x| = rx, |y| = ry. The longer one becomes the first.
static inline N (turn) N (turn_of) (N (el) c, GLA_REAL rx, GLA_REAL ry)
{
  const GLA_REAL large = rx > ry ? rx : ry, a = rx / large, b = ry / large;
  const GLA_REAL d = b * b - a * a;
  const N (el) x = N (el_scale) (a * b, c);
  const GLA_REAL x2 = N (el_abs2) (x);
  const GLA_REAL root = GLA_ABS (d) + GLA_SQRT (d * d + 4 * x2);
  const GLA_REAL g = (d >= 0 ? 2 : -2) / root;
  const GLA_REAL t2 = x2 * g * g, cosine = 1 / GLA_SQRT (1 + t2);
  return (N (turn)){t2 * cosine * cosine / (1 + cosine), N (el_scale) (cosine * g, x), ry > rx};
}

static inline void N (turn_columns) (int64_t rv, N (num) * x, N (num) * y, const N (turn) * r)
{
  const N (num) s = N (spread) (r->sigma);
  const N (vec) h = N (all) (-r->h);
  N (num) *first = r->swap ? y : x, *second = r->swap ? x : y;
  for (int64_t i = 0; i < rv; i++) {
    const N (num) u = x[i], w = y[i];
    first[i] = N (fnmac) (N (add) (u, N (scale) (h, u)), s, w);
    second[i] = N (fma) (N (add) (w, N (scale) (h, w)), s, u);
  }
}

// Columns x, y of a matrix, and vx, vy of what gathers the rotations (vx may be NULL).
static inline void N (jacobi_step) (int64_t rv, N (num) * x, N (num) * y, int64_t rw, N (num) * vx,
                                    N (num) * vy, GLA_REAL tol, N (sweep_note) * note)
{
  const N (products) a = N (pair_products) (rv, x, y);
  const GLA_REAL rx = GLA_SQRT (a.xx), ry = GLA_SQRT (a.yy);
  N (el) c = N (make) (0, 0);
  if (rx > 0 && ry > 0)
    c = N (el_scale) (1 / ry, N (el_scale) (1 / rx, a.xy));
  const GLA_REAL cosine = GLA_SQRT (N (el_abs2) (c));
  if (cosine > tol) {
    const N (turn) r = N (turn_of) (c, rx, ry);
    N (turn_columns) (rv, x, y, &r);
    if (vx)
      N (turn_columns) (rw, vx, vy, &r);
    N (note_step) (note, cosine, GLA_SQRT (N (el_abs2) (r.sigma)));
  } else if (ry > rx) {
    N (swap_columns) (rv, x, y);
    if (vx)
      N (swap_columns) (rw, vx, vy);
  }
}

//------------------------------------------------------------------------------
// Hari-Zimmermann
//------------------------------------------------------------------------------

// (x, y) becomes (z11 x + z21 y, z12 x + z22 y), exchanged where `swap`.
typedef struct {
  GLA_REAL z11, z22;
  N (el) z12, z21;
  int swap;
  GLA_REAL sine;
} N (congruence);

// |z|_A^2 for A = [app u; conj (u) aqq] and z = [x; y], x real or y real
static inline GLA_REAL N (form) (GLA_REAL app, GLA_REAL aqq, N (el) u, N (el) x, N (el) y)
{
  const N (el) cross = N (el_mul) (N (el_conj) (x), N (el_mul) (u, y));
  return app * N (el_abs2) (x) + aqq * N (el_abs2) (y) + 2 * __real__ cross;
}

// The normalised step of Falk and Langemeyer: for A = [app apq; . aqq] and B = [1 w b; . 1], |w| =
// 1, Z'AZ is diagonal and Z'BZ = I, componentwise accurate.
static inline N (congruence)
    N (congruence_of) (GLA_REAL app, GLA_REAL aqq, N (el) apq, GLA_REAL b, N (el) w)
{
  const N (el) turned = N (el_mul) (N (el_conj) (w), apq);
  const GLA_REAL u = __real__ turned, v = GLA_COMPLEX ? __imag__ turned : 0;
  const GLA_REAL t2 = (1 - b) * (1 + b), e = app - aqq;
  const GLA_REAL x1 = app * b - u, x2 = aqq * b - u;
  const GLA_REAL h = GLA_SQRT (t2 * (e * e + 4 * v * v) + (x1 + x2) * (x1 + x2));
  const N (el) nu = N (make) ((e + (GLA_REAL)copysign (h, e)) / 2, v * b);
  N (congruence) z = {.swap = 0};
  if (N (el_abs2) (nu) == 0) {
    const GLA_REAL p = 1 / GLA_SQRT (1 + b), m = 1 / GLA_SQRT (1 - b);
    z.z11 = z.z22 = (p + m) / 2;
    z.z12 = N (el_scale) ((p - m) / 2, w);
    z.z21 = N (el_conj) (z.z12);
  } else {
    const N (el) inv = N (el_inverse) (nu);
    const N (el) al = N (el_mul) (N (make) (x2, -v), inv), be = N (el_mul) (N (make) (x1, v), inv);
    z.z11 = 1 / GLA_SQRT (t2 + N (el_abs2) (be - b));
    z.z22 = 1 / GLA_SQRT (t2 + N (el_abs2) (al + b));
    z.z12 = N (el_scale) (z.z22, N (el_mul) (w, al));
    z.z21 = N (el_scale) (-z.z11, N (el_mul) (N (el_conj) (w), be));
  }
  z.sine = GLA_SQRT (N (larger) (N (el_abs2) (z.z12), N (el_abs2) (z.z21)));
  z.swap = N (form) (app, aqq, apq, N (make) (z.z11, 0), z.z21) <
           N (form) (app, aqq, apq, z.z12, N (make) (z.z22, 0));
  return z;
}

static inline void N (combine_columns) (int64_t rv, N (num) * x, N (num) * y,
                                        const N (congruence) * z)
{
  const N (vec) z11 = N (all) (z->z11), z22 = N (all) (z->z22);
  const N (num) z12 = N (spread) (z->z12), z21 = N (spread) (z->z21);
  N (num) *first = z->swap ? y : x, *second = z->swap ? x : y;
  for (int64_t i = 0; i < rv; i++) {
    const N (num) u = x[i], w = y[i];
    first[i] = N (fma) (N (scale) (z11, u), z21, w);
    second[i] = N (fma) (N (scale) (z22, w), z12, u);
  }
}

// Columns of F and G, and of what gathers the transformations (zx may be NULL). No column of F or
// G is zero. The larger quotient |f|/|g| becomes the first.
static inline void N (hz_step) (int64_t rv, N (num) * fx, N (num) * fy, N (num) * gx, N (num) * gy,
                                N (num) * zx, N (num) * zy, GLA_REAL tol, N (sweep_note) * note)
{
  const N (products) f = N (pair_products) (rv, fx, fy), g = N (pair_products) (rv, gx, gy);
  const GLA_REAL rx = GLA_SQRT (f.xx), ry = GLA_SQRT (f.yy);
  const GLA_REAL dx = 1 / GLA_SQRT (g.xx), dy = 1 / GLA_SQRT (g.yy);
  const N (el) bc = N (el_scale) (dy, N (el_scale) (dx, g.xy));
  const N (el) ac = N (el_scale) (1 / ry, N (el_scale) (1 / rx, f.xy));
  const GLA_REAL b = GLA_SQRT (N (el_abs2) (bc)), a = GLA_SQRT (N (el_abs2) (ac));
  const GLA_REAL qx = rx * dx, qy = ry * dy, large = qx > qy ? qx : qy;
  if (b <= tol && a <= tol) {
    if (qx < qy) {
      N (swap_columns) (rv, fx, fy);
      N (swap_columns) (rv, gx, gy);
      if (zx)
        N (swap_columns) (rv, zx, zy);
    }
    return;
  }
  const GLA_REAL p = qx / large, q = qy / large;
  const N (el) w = b > 0 ? N (el_scale) (1 / b, bc) : N (make) (1, 0);
  N (congruence)
  z = N (congruence_of) (p * p, q * q, N (el_scale) (p * q, ac), N (lesser) (b, 1 - GLA_EPS), w);
  N (note_step) (note, a > b ? a : b, z.sine);
  z.z11 *= dx, z.z22 *= dy;
  z.z12 = N (el_scale) (dx, z.z12), z.z21 = N (el_scale) (dy, z.z21);
  N (combine_columns) (rv, fx, fy, &z);
  N (combine_columns) (rv, gx, gy, &z);
  if (zx)
    N (combine_columns) (rv, zx, zy, &z);
}
