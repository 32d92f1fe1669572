// rows_template.h: columns of one page whose rows stand side by side in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column is an array of registers: row i is lane i % GLA_LANES of register i / GLA_LANES, and the
// lanes behind the last row are zero.

static inline GLA_REAL *N (real_at) (N (num) * column, int64_t i)
{
  return (GLA_REAL *)(column + i / GLA_LANES) + i % GLA_LANES;
}

static inline N (el) N (get) (const N (num) * column, int64_t i)
{
  const GLA_REAL *x = (const GLA_REAL *)(column + i / GLA_LANES) + i % GLA_LANES;
  return N (make) (x[0], GLA_COMPLEX ? x[GLA_COMPLEX * GLA_LANES] : 0);
}

static inline void N (set) (N (num) * column, int64_t i, N (el) value)
{
  GLA_REAL *x = N (real_at) (column, i);
  x[0] = __real__ value;
#if GLA_COMPLEX
  x[GLA_LANES] = __imag__ value;
#endif
}

static inline N (num) N (spread) (N (el) x)
{
  N (num) r;
  r.re = N (all) (__real__ x);
#if GLA_COMPLEX
  r.im = N (all) (__imag__ x);
#endif
  return r;
}

// conj (a) b
static inline N (num) N (mulc) (N (num) a, N (num) b)
{
  N (num) r;
  r.re = a.re * b.re;
#if GLA_COMPLEX
  r.re += a.im * b.im;
  r.im = a.re * b.im;
  r.im -= a.im * b.re;
#endif
  return r;
}

static inline GLA_REAL N (sum_lanes) (N (vec) x)
{
  GLA_REAL s = x[0];
  for (int l = 1; l < GLA_LANES; l++)
    s += x[l];
  return s;
}

static inline N (el) N (sum_num) (N (num) x)
{
#if GLA_COMPLEX
  return N (make) (N (sum_lanes) (x.re), N (sum_lanes) (x.im));
#else
  return N (sum_lanes) (x.re);
#endif
}

static inline int64_t N (registers) (int64_t rows)
{
  return (rows + GLA_LANES - 1) / GLA_LANES;
}

//------------------------------------------------------------------------------
// many sums at once
//------------------------------------------------------------------------------

// Lane l of a, or of b where bit d is set in l, exchanged with lane l ^ d.
static inline __attribute__ ((always_inline)) N (vec)
    N (exchange_lanes) (N (vec) a, N (vec) b, int d)
{
#ifdef __clang__
  N (vec) r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & d ? b[l ^ d] : a[l ^ d];
  return r;
#else
  N (mask) from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = (l & d ? GLA_LANES : 0) + (l ^ d);
  return __builtin_shuffle (a, b, from);
#endif
}

// Lane l of a, or of b where bit d is set in l.
static inline __attribute__ ((always_inline)) N (vec) N (mix_lanes) (N (vec) a, N (vec) b, int d)
{
#ifdef __clang__
  N (vec) r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & d ? b[l] : a[l];
  return r;
#else
  N (mask) from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = (l & d ? GLA_LANES : 0) + l;
  return __builtin_shuffle (a, b, from);
#endif
}

// Half as many x, each the sum of two, which stand in the lanes without and with bit d. Inlined,
// for where d is no constant shuffles take many times as long.
static inline __attribute__ ((always_inline)) void N (fold_lanes) (N (vec) * x, int d)
{
#pragma GCC unroll 8
  for (int i = 0; i < GLA_LANES / 2 / d; i++)
    x[i] =
        N (mix_lanes) (x[2 * i], x[2 * i + 1], d) + N (exchange_lanes) (x[2 * i], x[2 * i + 1], d);
}

// The sum of the lanes of x[l] into lane l, for all l; x is lost.
static inline __attribute__ ((always_inline)) N (vec) N (sum_each) (N (vec) * x)
{
  N (fold_lanes) (x, 1);
  if (GLA_LANES > 2)
    N (fold_lanes) (x, 2);
  if (GLA_LANES > 4)
    N (fold_lanes) (x, 4);
  if (GLA_LANES > 8)
    N (fold_lanes) (x, 8);
  return x[0];
}

//------------------------------------------------------------------------------
// between arrays and lanes
//------------------------------------------------------------------------------

// Rows of one column, times `scale`; zeros behind them.
static inline void N (load_column) (N (num) * to, int64_t rows, const GLA_REAL *from,
                                    GLA_REAL scale)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    N (num) x = N (zero) ();
    for (int l = 0; l < GLA_LANES; l++) {
      x.re[l] = from[GLA_PARTS * (i + l)] * scale;
#if GLA_COMPLEX
      x.im[l] = from[2 * (i + l) + 1] * scale;
#endif
    }
    to[i / GLA_LANES] = x;
  }
  if (i == rows)
    return;
  to[i / GLA_LANES] = N (zero) ();
  for (; i < rows; i++)
    N (set)
  (to, i,
   N (make) (from[GLA_PARTS * i] * scale, GLA_COMPLEX ? from[GLA_PARTS * i + 1] * scale : 0));
}

static inline void N (store_rows) (GLA_REAL *to, int64_t rows, const N (num) * from)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    const N (num) x = from[i / GLA_LANES];
    for (int l = 0; l < GLA_LANES; l++) {
      to[GLA_PARTS * (i + l)] = x.re[l];
#if GLA_COMPLEX
      to[2 * (i + l) + 1] = x.im[l];
#endif
    }
  }
  for (; i < rows; i++) {
    const N (el) x = N (get) (from, i);
    to[GLA_PARTS * i] = __real__ x;
#if GLA_COMPLEX
    to[2 * i + 1] = __imag__ x;
#endif
  }
}
