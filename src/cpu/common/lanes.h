// lanes_template.h: numbers of several pages side by side, one page per lane of a SIMD register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A register holds the same element of GLA_LANES pages, and every operation works lane by lane,
// so what one page gives cannot depend on what stands in the lanes beside it. `vec` is a register
// of real numbers, `mask` one of all-ones and all-zeros, `num` one element: real, or real and
// imaginary registers. With them real and complex algorithms are written once.

typedef GLA_REAL N (vec) __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias));
typedef GLA_BITS N (mask) __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias));
typedef struct {
  N (vec) re;
#if GLA_COMPLEX
  N (vec) im;
#endif
} N (num);

//------------------------------------------------------------------------------
// real registers
//------------------------------------------------------------------------------

static inline N (vec) N (all) (GLA_REAL x)
{
  return x - (N (vec)){0};
}

static inline N (vec) N (select) (N (mask) m, N (vec) yes, N (vec) no)
{
  return (N (vec)) ((m & (N (mask))yes) | (~m & (N (mask))no));
}

static inline int N (any) (N (mask) m)
{
#if defined __AVX__ && GLA_VECTOR_BYTES == 32
  typedef long long words __attribute__ ((vector_size (32)));
  return !__builtin_ia32_ptestz256 ((words)m, (words)m);
#else
  GLA_BITS r = 0;
  for (int l = 0; l < GLA_LANES; l++)
    r |= m[l];
  return r != 0;
#endif
}

static inline N (vec) N (vabs) (N (vec) x)
{
  const N (mask) sign = (N (mask))N (all) (-(GLA_REAL)0);
  return (N (vec)) ((N (mask))x & ~sign);
}

static inline N (vec) N (vsqrt) (N (vec) x)
{
  N (vec) r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = GLA_SQRT (x[l]);
  return r;
}

//------------------------------------------------------------------------------
// elements
//------------------------------------------------------------------------------

static inline N (num) N (zero) (void)
{
  return (N (num)){0};
}

static inline N (num) N (from_real) (N (vec) x)
{
  N (num) r = {0};
  r.re = x;
  return r;
}

static inline N (num) N (add) (N (num) a, N (num) b)
{
  a.re += b.re;
#if GLA_COMPLEX
  a.im += b.im;
#endif
  return a;
}

static inline N (num) N (sub) (N (num) a, N (num) b)
{
  a.re -= b.re;
#if GLA_COMPLEX
  a.im -= b.im;
#endif
  return a;
}

static inline N (num) N (conj) (N (num) a)
{
#if GLA_COMPLEX
  a.im = -a.im;
#endif
  return a;
}

static inline N (num) N (scale) (N (vec) s, N (num) a)
{
  a.re *= s;
#if GLA_COMPLEX
  a.im *= s;
#endif
  return a;
}

// acc + a b
static inline N (num) N (fma) (N (num) acc, N (num) a, N (num) b)
{
  acc.re += a.re * b.re;
#if GLA_COMPLEX
  acc.re -= a.im * b.im;
  acc.im += a.re * b.im;
  acc.im += a.im * b.re;
#endif
  return acc;
}

// acc + conj (a) b
static inline N (num) N (fmac) (N (num) acc, N (num) a, N (num) b)
{
  acc.re += a.re * b.re;
#if GLA_COMPLEX
  acc.re += a.im * b.im;
  acc.im += a.re * b.im;
  acc.im -= a.im * b.re;
#endif
  return acc;
}

// acc - a b
static inline N (num) N (fnma) (N (num) acc, N (num) a, N (num) b)
{
  acc.re -= a.re * b.re;
#if GLA_COMPLEX
  acc.re += a.im * b.im;
  acc.im -= a.re * b.im;
  acc.im -= a.im * b.re;
#endif
  return acc;
}

// acc - conj (a) b
static inline N (num) N (fnmac) (N (num) acc, N (num) a, N (num) b)
{
  acc.re -= a.re * b.re;
#if GLA_COMPLEX
  acc.re -= a.im * b.im;
  acc.im -= a.re * b.im;
  acc.im += a.im * b.re;
#endif
  return acc;
}

static inline N (num) N (mul) (N (num) a, N (num) b)
{
  return N (fma) (N (zero) (), a, b);
}

// |a|^2
static inline N (vec) N (abs2) (N (num) a)
{
  N (vec) r = a.re * a.re;
#if GLA_COMPLEX
  r += a.im * a.im;
#endif
  return r;
}

static inline N (num) N (num_select) (N (mask) m, N (num) yes, N (num) no)
{
  yes.re = N (select) (m, yes.re, no.re);
#if GLA_COMPLEX
  yes.im = N (select) (m, yes.im, no.im);
#endif
  return yes;
}
