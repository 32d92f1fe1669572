// gsvd_rows_sweeps_template.h: Jacobi's sweeps on the few columns of a small regular pair
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As gsvd_sweeps_template.h and with its tests, for columns whose lengths differ by at most
// GLA_ROWS_RATIO: their squares and the quotients of these can be taken as they are. What gathers
// the rotations gets those of a step while the roots and divisions of the next one are under way.

#define GLA_ROWS_RATIO (GLA_SINGLE ? (GLA_REAL)0x1p-30 : (GLA_REAL)0x1p-400)

// Up to GLA_LANES pairs of a step: how many bytes their columns are from the first one.
typedef struct {
  N (mask) p, q;
  int count;
} N (meetings);

// The meetings of a sweep. A player more than there are columns is one that is zero.
static void N (list_meetings) (const gla_cpu_gsvd_order *o, int64_t rv, N (meetings) * m)
{
  const int64_t bytes = rv * (int64_t)sizeof (N (num));
  const int half = o->players / 2;
  for (int s = 0; s < o->steps; s++)
    for (int k = 0; k < half; k += GLA_LANES, m++) {
      const int32_t *pairs = o->pairs + (int64_t)s * o->players + 2 * k;
      *m = (N (meetings)){.count = half - k < GLA_LANES ? half - k : GLA_LANES};
      for (int l = 0; l < m->count; l++) {
        m->p[l] = (GLA_BITS)(pairs[2 * l] * bytes);
        m->q[l] = (GLA_BITS)(pairs[2 * l + 1] * bytes);
      }
    }
}

static inline N (num) * N (column_in) (N (num) * f, GLA_BITS bytes)
{
  return (N (num) *)(void *)((char *)f + bytes);
}

// The rotation in each lane of `turn` as three shears: x - conj (half) y, then y + sine x, then x -
// conj (half) y. half = sine / (1 + cosine) makes it orthogonal up to eps |sine|^2, so thousands
// of small ones cost none of it. Then x and y go to where `first` and `second` say.
typedef struct {
  N (num) sine, half;
  N (mask) turn, first, second;
} N (shears);

static inline __attribute__ ((always_inline)) void N (sum_products) (N (open_products) * open,
                                                                     N (products) * out)
{
  out->xx = N (sum_each) (open->xx);
  out->yy = N (sum_each) (open->yy);
  out->xy.re = N (sum_each) (open->re);
#if GLA_COMPLEX
  out->xy.im = N (sum_each) (open->im);
#endif
}

// The products of all pairs; lanes without a pair have columns of some length that are orthogonal.
// Structures are filled in where they are: copies of them end in loads that wait for stores.
static inline __attribute__ ((always_inline)) void
N (products_of) (const N (meetings) * m, N (num) * f, int64_t rv, N (products) * out)
{
  N (open_products) open;
  if (m->count == GLA_LANES) {
#pragma GCC unroll 16
    for (int l = 0; l < GLA_LANES; l++)
      N (pair_products) (rv, N (column_in) (f, m->p[l]), N (column_in) (f, m->q[l]), l, &open);
    N (sum_products) (&open, out);
    return;
  }
  for (int l = 0; l < GLA_LANES; l++) {
    open.xx[l] = open.yy[l] = N (all) (1);
    open.re[l] = N (all) (0);
#if GLA_COMPLEX
    open.im[l] = N (all) (0);
#endif
  }
  for (int l = 0; l < m->count; l++)
    N (pair_products) (rv, N (column_in) (f, m->p[l]), N (column_in) (f, m->q[l]), l, &open);
  N (sum_products) (&open, out);
}

// a / b
static inline N (num) N (quotient) (N (num) a, N (vec) b)
{
#if GLA_COMPLEX
  return N (scale) (N (all) (1) / b, a);
#else
  a.re /= b;
  return a;
#endif
}

// What becomes of products, as far as it is known. With a the longer square, q = shorter / longer
// and x = x'y / longer: r = |(1 - q, 2 x)|, root = 1 - q + r, and the cosine is that of the smaller
// angle, sqrt (root / 2 r).
typedef struct {
  N (num) twice; // 2 x, with its sign
  N (vec) d, r, root, length;
} N (angles);

// Three pieces, each up to a root or a division that takes its time. Lanes that do not turn may
// have 0 / 0, which is not looked at: as a cosine it stays out of the note, nothing being less than
// NaN.
static inline __attribute__ ((always_inline)) void
N (begin_shears) (const N (products) * a, const N (meetings) * m, GLA_REAL tol, N (angles) * w,
                  N (shears) * s, N (lane_notes) * note)
{
  const N (vec) one = N (all) (1), tol2 = N (all) (tol * tol);
  const N (mask) up = a->yy > a->xx, swap = a->yy > a->xx * N (clearly) (2 * tol);
  const N (vec) longer = N (select) (up, a->yy, a->xx), shorter = N (select) (up, a->xx, a->yy);
  const N (vec) inverse = one / longer, q = shorter * inverse;
  const N (num) x = N (scale) (inverse, a->xy);
  const N (vec) x2 = N (abs2) (x), d = one - q;
  s->turn = x2 > tol2 * q;
  s->first = (N (mask))N (select) (swap, (N (vec))m->q, (N (vec))m->p);
  s->second = (N (mask))N (select) (swap, (N (vec))m->p, (N (vec))m->q);
  note->rotations -= s->turn; // -1 where it is so
  note->exchanges -= swap;
  note->cosine2 = N (vmax) (x2 / q, note->cosine2);
  w->twice = N (scale) (N (select) (up, N (all) (2), N (all) (-2)), x);
  w->d = d;
  w->r = N (vsqrt) (d * d + 4 * x2);
}

static inline __attribute__ ((always_inline)) void N (go_on_with_shears) (N (angles) * w)
{
  w->root = w->d + w->r;
  w->length = N (vsqrt) (2 * w->r * w->root);
}

static inline __attribute__ ((always_inline)) void
N (end_shears) (const N (angles) * w, N (shears) * s, N (lane_notes) * note)
{
  s->sine = N (quotient) (w->twice, w->length);
  s->half = N (quotient) (w->twice, w->length + w->root);
  note->sine2 = N (vmax) (N (select) (s->turn, N (abs2) (s->sine), N (all) (0)), note->sine2);
}

static inline __attribute__ ((always_inline)) void
N (shear_columns) (const N (meetings) * m, const N (shears) * s, N (num) * f, int64_t rv)
{
  for (int l = 0; l < m->count; l++) {
    N (num) *x = N (column_in) (f, m->p[l]), *y = N (column_in) (f, m->q[l]);
    N (num) *first = N (column_in) (f, s->first[l]), *second = N (column_in) (f, s->second[l]);
    if (!s->turn[l]) {
      if (first != x)
        N (swap_columns) (rv, x, y);
      continue;
    }
    const N (num) sine = N (broadcast) (&s->sine, l), half = N (broadcast) (&s->half, l);
#pragma GCC unroll 4
    for (int64_t i = 0; i < rv; i++) {
      const N (num) u = N (fnmac) (x[i], half, y[i]), w = N (fma) (y[i], sine, u);
      first[i] = N (fnmac) (u, half, w);
      second[i] = w;
    }
  }
}

// Meetings that are worked on at the same time: the roots and divisions of one go on while those of
// the other wait.
typedef struct {
  const N (meetings) * m;
  int count;
  N (shears) s[N (groups_most)];
} N (batch);

// Finds the rotations of the batch; those of the one before it are applied to z meanwhile.
static inline __attribute__ ((always_inline)) void
N (find_shears) (N (batch) * b, N (num) * f, const N (batch) * before, N (num) * z, int64_t rv,
                 GLA_REAL tol, N (lane_notes) * note)
{
  N (products) a[N (groups_most)];
  N (angles) w[N (groups_most)];
  for (int g = 0; g < b->count; g++)
    N (products_of) (&b->m[g], f, rv, &a[g]);
  for (int g = 0; g < b->count; g++)
    N (begin_shears) (&a[g], &b->m[g], tol, &w[g], &b->s[g], note);
  if (z && before->count > 0)
    N (shear_columns) (&before->m[0], &before->s[0], z, rv);
  for (int g = 0; g < b->count; g++)
    N (go_on_with_shears) (&w[g]);
  for (int g = 1; z && g < before->count; g++)
    N (shear_columns) (&before->m[g], &before->s[g], z, rv);
  for (int g = 0; g < b->count; g++)
    N (end_shears) (&w[g], &b->s[g], note);
}

// One sweep on the columns of f, z NULL or turned as f.
static inline __attribute__ ((always_inline)) N (sweep_note)
    N (rows_sweep_of) (const gla_cpu_gsvd_order *o, const N (meetings) * m, N (num) * f,
                       N (num) * z, int64_t rv, GLA_REAL tol)
{
  const int groups = (o->players / 2 + GLA_LANES - 1) / GLA_LANES;
  N (lane_notes) note = {.cosine2 = N (all) (0), .sine2 = N (all) (0)};
  N (batch) b[2];
  int at = 0;
  b[0].count = b[1].count = 0;
  for (int s = 0; s < o->steps; s++)
    for (int k = 0; k < groups; k += N (groups_most), at ^= 1) {
      b[at].count = groups - k < N (groups_most) ? groups - k : N (groups_most);
      b[at].m = m;
      m += b[at].count;
      N (find_shears) (&b[at], f, &b[at ^ 1], z, rv, tol, &note);
      for (int g = 0; g < b[at].count; g++)
        N (shear_columns) (&b[at].m[g], &b[at].s[g], f, rv);
    }
  for (int g = 0; z && g < b[at ^ 1].count; g++)
    N (shear_columns) (&b[at ^ 1].m[g], &b[at ^ 1].s[g], z, rv);
  return N (note_of) (&note);
}

static N (sweep_note) N (rows_sweep) (const gla_cpu_gsvd_order *o, const N (meetings) * m,
                                      N (num) * f, N (num) * z, int64_t rv, GLA_REAL tol)
{
  if (rv == 1)
    return N (rows_sweep_of) (o, m, f, z, 1, tol);
  if (rv == 2)
    return N (rows_sweep_of) (o, m, f, z, 2, tol);
  if (GLA_ROWS_UNROLLED (3) && rv == 3)
    return N (rows_sweep_of) (o, m, f, z, 3, tol);
  if (GLA_ROWS_UNROLLED (4) && rv == 4)
    return N (rows_sweep_of) (o, m, f, z, 4, tol);
  return N (rows_sweep_of) (o, m, f, z, rv, tol);
}
