// gsvd_rows_qr_template.h: pivoted QR of one small matrix whose rows stand in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For regular pairs (gsvd_rows_page_template.h). Products of a column with as many others as a
// register has lanes are summed together, and stand in lanes afterwards: a step is short of work,
// and what it takes is the time from one result to the next.

// Loops over registers are unrolled for columns of 1, 2 or 4 of them, as far as these are rows that
// pairs often have.
#define GLA_ROWS_UNROLLED(rv) ((rv)*GLA_LANES <= 32)

// Squares of lengths that this takes on; beyond them digits would be lost.
#define GLA_ROWS_LEAST GLA_QR_SMALL
#define GLA_ROWS_MOST (1 / GLA_QR_SMALL)

// A P = Q R: column k of A P is c[k] and becomes that of R, Q = H0 H1 .. with
// Hk = I - t[k] u u', u column k of `u`, zero before row k. Columns of zeros, in t zeros, fill the
// last register of columns.
typedef struct {
  int64_t rv, columns; // registers of a column; columns
  N (num) * c[N (small)], *u;
  GLA_REAL t[N (small)];
  int perm[N (small)];
} N (rows_qr);

// Lanes from this one on.
static inline N (mask) N (lanes_from) (int64_t lane)
{
  N (mask) m;
  for (int l = 0; l < GLA_LANES; l++)
    m[l] = l;
  return m >= (N (mask)){0} + (GLA_BITS)lane;
}

static inline N (num) N (keep) (N (mask) m, N (num) x)
{
  return N (num_select) (m, x, N (zero) ());
}

// The sums of the lanes of x[l] into lane l.
static inline N (num) N (sum_each_num) (const N (num) * x)
{
  N (vec) part[GLA_LANES];
  N (num) r;
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].re;
  r.re = N (sum_each) (part);
#if GLA_COMPLEX
  for (int l = 0; l < GLA_LANES; l++)
    part[l] = x[l].im;
  r.im = N (sum_each) (part);
#endif
  return r;
}

// x_l'y into lane l for the columns x_l of `x`, registers from `first` on.
static inline __attribute__ ((always_inline)) N (num)
    N (products_with) (int64_t first, int64_t rv, const N (num) * x, const N (num) * y)
{
  N (num) sum[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    sum[l] = N (zero) ();
#pragma GCC unroll 4
    for (int64_t i = first; i < rv; i++)
      sum[l] = N (fmac) (sum[l], x[l * rv + i], y[i]);
  }
  return N (sum_each_num) (sum);
}

//------------------------------------------------------------------------------
// factorisation
//------------------------------------------------------------------------------

// The place of the largest of norm2[0..], whose last bits are lost to places.
static inline int N (place_of_largest) (int64_t count, const N (vec) * norm2)
{
  const GLA_BITS places = 127;
  N (mask) place;
  N (vec) most = N (all) (0);
  for (int l = 0; l < GLA_LANES; l++)
    place[l] = places - l;
  for (int64_t i = 0; i < count; i++) {
    const N (mask) key = ((N (mask))norm2[i] & ~places) | (place - (GLA_BITS)(i * GLA_LANES));
    most = N (vmax) ((N (vec))key, most);
  }
  most = N (vmax) (most, N (exchange_lanes) (most, most, 1));
  if (GLA_LANES > 2)
    most = N (vmax) (most, N (exchange_lanes) (most, most, 2));
  if (GLA_LANES > 4)
    most = N (vmax) (most, N (exchange_lanes) (most, most, 4));
  if (GLA_LANES > 8)
    most = N (vmax) (most, N (exchange_lanes) (most, most, 8));
  return (int)(places - (((N (mask))most)[0] & places));
}

// H of what x has from this lane of register `first` on, and x becomes what H makes of it.
static inline __attribute__ ((always_inline)) void N (eliminate) (int64_t rv, int64_t first,
                                                                  int lane, GLA_REAL norm2,
                                                                  N (num) * x, N (num) * u,
                                                                  GLA_REAL *t)
{
  const N (el) alpha = N (get) (x + first, lane);
  const GLA_REAL norm = GLA_SQRT (norm2);
#if GLA_COMPLEX
  // beside the length, because squares of small numbers have no digits; less than that is nothing
  const N (el) part = N (el_scale) (1 / norm, alpha);
  const GLA_REAL part2 = N (el_abs2) (part), root = GLA_SQRT (part2), size = norm * root;
  const N (el) phase = part2 >= GLA_QR_SMALL ? N (el_scale) (1 / root, part) : N (make) (1, 0);
#else
  const GLA_REAL size = GLA_ABS (alpha), phase = alpha < 0 ? -1 : 1;
#endif
  const N (num) beta = N (spread) (N (el_scale) (-norm, phase));
  const N (mask) from = N (lanes_from) (lane), at = from & ~N (lanes_from) (lane + 1);
  *t = 1 / (norm * (norm + size));
  for (int64_t i = 0; i < first; i++)
    u[i] = N (zero) ();
  u[first] = N (keep) (from, N (sub) (x[first], N (keep) (at, beta)));
  x[first] = N (num_select) (at, beta, N (keep) (~from, x[first]));
  for (int64_t i = first + 1; i < rv; i++) {
    u[i] = x[i];
    x[i] = N (zero) ();
  }
}

// H on the columns c of one register full, those of lanes `which`; squares of what they have behind
// this lane afterwards.
static inline __attribute__ ((always_inline)) N (vec)
    N (eliminate_rest) (int64_t rv, int64_t first, int lane, const N (num) * u, GLA_REAL t,
                        N (mask) which, N (num) *const *c)
{
  const N (mask) behind = N (lanes_from) (lane + 1);
  N (num) sum[GLA_LANES];
  N (vec) square[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    sum[l] = N (zero) ();
    for (int64_t i = first; i < rv; i++)
      sum[l] = N (fmac) (sum[l], u[i], c[l][i]);
  }
  const N (num) s = N (keep) (which, N (scale) (N (all) (t), N (sum_each_num) (sum)));
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++) {
    const N (num) by = N (broadcast) (&s, l);
    N (num) *y = c[l];
    y[first] = N (fnma) (y[first], u[first], by);
    square[l] = N (abs2) (N (keep) (behind, y[first]));
    for (int64_t i = first + 1; i < rv; i++) {
      y[i] = N (fnma) (y[i], u[i], by);
      square[l] += N (abs2) (y[i]);
    }
  }
  return N (select) (which, N (sum_each) (square), N (all) (0));
}

static inline void N (exchange_places) (N (rows_qr) * q, int64_t i, int64_t j)
{
  N (num) *const c = q->c[i];
  const int place = q->perm[i];
  q->c[i] = q->c[j], q->c[j] = c;
  q->perm[i] = q->perm[j], q->perm[j] = place;
}

// Returns 0 where a column that must be eliminated is out of range, or not longer than `least`
// times what it was in the beginning.
static inline __attribute__ ((always_inline)) int N (rows_factor_of) (N (rows_qr) * q, int64_t rv,
                                                                      GLA_REAL least)
{
  const int64_t registers = N (registers) (q->columns);
  N (vec) norm2[N (small) / GLA_LANES], whole[N (small) / GLA_LANES];
  for (int64_t j = 0; j < registers; j++) {
    N (vec) square[GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      square[l] = N (all) (0);
      for (int64_t i = 0; i < rv; i++)
        square[l] += N (abs2) (q->c[j * GLA_LANES + l][i]);
    }
    norm2[j] = whole[j] = N (sum_each) (square);
  }
  for (int64_t j = 0; j < q->columns; j++)
    q->perm[j] = (int)j;
#pragma GCC unroll 4
  for (int64_t first = 0; first < rv && first < registers; first++)
    for (int64_t k = first * GLA_LANES; k < gla_less (q->columns, (first + 1) * GLA_LANES); k++) {
      const int place = N (place_of_largest) (registers - first, norm2 + first);
      const int64_t best = first * GLA_LANES + place;
      const GLA_REAL length2 = ((const GLA_REAL *)norm2)[best];
      N (exchange_places) (q, k, best);
      if (!(length2 >= GLA_ROWS_LEAST && length2 <= GLA_ROWS_MOST &&
            length2 > least * least * ((const GLA_REAL *)whole)[q->perm[k]]))
        return 0;
      N (eliminate) (rv, first, (int)(k % GLA_LANES), length2, q->c[k], q->u + k * rv, q->t + k);
      for (int64_t j = (k + 1) / GLA_LANES; j < registers; j++)
        norm2[j] = N (eliminate_rest) (rv, first, (int)(k % GLA_LANES), q->u + k * rv, q->t[k],
                                       N (lanes_from) (j > first ? 0 : k % GLA_LANES + 1),
                                       q->c + j * GLA_LANES);
    }
  return 1;
}

static int N (rows_factor) (N (rows_qr) * q, GLA_REAL least)
{
  if (q->rv == 1)
    return N (rows_factor_of) (q, 1, least);
  if (q->rv == 2)
    return N (rows_factor_of) (q, 2, least);
  if (GLA_ROWS_UNROLLED (4) && q->rv == 4)
    return N (rows_factor_of) (q, 4, least);
  return N (rows_factor_of) (q, q->rv, least);
}

//------------------------------------------------------------------------------
// what the factors are for
//------------------------------------------------------------------------------

// T with Hk .. H(k+GLA_LANES-1) = I - Y T Y', column by column, for their vectors Y.
static inline __attribute__ ((always_inline)) void
N (join_reflectors) (int64_t first, int64_t rv, const N (num) * y, const GLA_REAL *t, N (num) * T)
{
  for (int b = 0; b < GLA_LANES; b++) {
    const N (num) g = N (products_with) (first, rv, y, y + b * rv);
    const N (mask) from = N (lanes_from) (b);
    N (num) column = N (zero) ();
    for (int a = 0; a < b; a++)
      column = N (fma) (column, T[a], N (broadcast) (&g, a));
    column = N (scale) (N (all) (-t[b]), column);
    column.re = N (select) (from & ~N (lanes_from) (b + 1), N (all) (t[b]), column.re);
    T[b] = column;
  }
}

// x = Q x for `count` columns.
static inline __attribute__ ((always_inline)) void
N (rows_apply_of) (const N (rows_qr) * q, int64_t rv, int64_t count, N (num) * x)
{
  N (num) T[GLA_LANES], yT[GLA_LANES * (N (small) / GLA_LANES)];
#pragma GCC unroll 4
  for (int64_t first = rv - 1; first >= 0; first--) {
    if (first >= N (registers) (q->columns))
      continue;
    const int64_t k = first * GLA_LANES;
    const N (num) *y = q->u + k * rv;
    N (join_reflectors) (first, rv, y, q->t + k, T);
    for (int l = 0; l < GLA_LANES; l++)
      for (int64_t i = first; i < rv; i++) {
        N (num) sum = N (zero) ();
        for (int a = 0; a <= l; a++)
          sum = N (fma) (sum, y[a * rv + i], N (broadcast) (&T[l], a));
        yT[l * rv + i] = sum;
      }
    for (int64_t j = 0; j < count; j++) {
      N (num) *to = x + j * rv;
      const N (num) s = N (products_with) (first, rv, y, to);
#pragma GCC unroll 16
      for (int l = 0; l < GLA_LANES; l++) {
        const N (num) b = N (broadcast) (&s, l);
        for (int64_t i = first; i < rv; i++)
          to[i] = N (fnma) (to[i], yT[l * rv + i], b);
      }
    }
  }
}

static void N (rows_apply) (const N (rows_qr) * q, int64_t count, N (num) * x)
{
  if (q->rv == 1)
    N (rows_apply_of) (q, 1, count, x);
  else if (q->rv == 2)
    N (rows_apply_of) (q, 2, count, x);
  else if (GLA_ROWS_UNROLLED (4) && q->rv == 4)
    N (rows_apply_of) (q, 4, count, x);
  else
    N (rows_apply_of) (q, q->rv, count, x);
}

// The columns x[0], x[1], .. become those of X R^-1.
static inline __attribute__ ((always_inline)) void
N (rows_divide_of) (const N (rows_qr) * q, int64_t rv, N (num) *const *x)
{
  for (int64_t j = 0; j < q->columns; j++) {
    N (num) *to = x[j];
    for (int64_t k = 0; k < j; k++) {
      const N (num) r = N (spread) (N (get) (q->c[j], k));
      for (int64_t i = 0; i < rv; i++)
        to[i] = N (fnma) (to[i], r, x[k][i]);
    }
    const N (num) inverse = N (spread) (N (el_inverse) (N (get) (q->c[j], j)));
    for (int64_t i = 0; i < rv; i++)
      to[i] = N (mul) (inverse, to[i]);
  }
}

static void N (rows_divide) (const N (rows_qr) * q, int64_t rv, N (num) *const *x)
{
  if (rv == 1)
    N (rows_divide_of) (q, 1, x);
  else if (rv == 2)
    N (rows_divide_of) (q, 2, x);
  else if (GLA_ROWS_UNROLLED (4) && rv == 4)
    N (rows_divide_of) (q, 4, x);
  else
    N (rows_divide_of) (q, rv, x);
}
