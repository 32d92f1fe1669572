// lanes.h: numbers of several pages side by side, one page per lane of a SIMD register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A register holds the same element of GLA_LANES pages, and every operation works lane by lane, so
// the result of a page cannot depend on the lanes beside it. `vec` is a register of real numbers,
// `mask` one of all-ones and all-zeros, `num` one element: real, or real and imaginary registers.
// With them one source serves real and complex algorithms.

#ifndef GPULINALG_CPU_COMMON_LANES_H
#define GPULINALG_CPU_COMMON_LANES_H

#include "common/types.h"

// Bytes of a SIMD register of the instruction set that this file is compiled for.
#ifndef GLA_VECTOR_BYTES
#if defined __AVX512F__
#define GLA_VECTOR_BYTES 64
#elif defined __AVX2__
#define GLA_VECTOR_BYTES 32
#else
#define GLA_VECTOR_BYTES 16
#endif
#endif

// Numbers in a register.
#if GLA_SINGLE
#define GLA_LANES (GLA_VECTOR_BYTES / 4)
#else
#define GLA_LANES (GLA_VECTOR_BYTES / 8)
#endif

typedef real vec __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias));
typedef bits mask __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias));
#if GLA_VECTOR_BYTES == 64
typedef float wide_single __attribute__ ((vector_size (64)));
typedef double wide_double __attribute__ ((vector_size (64)));
#endif
typedef struct {
  vec re;
#if GLA_COMPLEX
  vec im;
#endif
} num;

//------------------------------------------------------------------------------
// real registers
//------------------------------------------------------------------------------

static inline vec vec_broadcast (real x)
{
  return x - (vec){0};
}

static inline vec vec_select (mask m, vec yes, vec no)
{
  return (vec)((m & (mask)yes) | (~m & (mask)no));
}

static inline int mask_any (mask m)
{
#if defined __AVX__ && GLA_VECTOR_BYTES == 32
  typedef long long words __attribute__ ((vector_size (32)));
  return !__builtin_ia32_ptestz256 ((words)m, (words)m);
#elif defined __AVX512DQ__ && GLA_VECTOR_BYTES == 64
  typedef int halves __attribute__ ((vector_size (64)));
  return __builtin_ia32_cvtd2mask512 ((halves)(m | -m)) != 0; // the sign of each
#else
  bits r = 0;
  for (int l = 0; l < GLA_LANES; l++)
    r |= m[l];
  return r != 0;
#endif
}

static inline vec vec_abs (vec x)
{
  const mask sign = (mask)vec_broadcast (-(real)0);
  return (vec)((mask)x & ~sign);
}

static inline vec vec_sqrt (vec x)
{
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = real_sqrt (x[l]);
  return r;
}

// Returns 1/x and 1/sqrt (x) of numbers whose reciprocals are in range, to about a unit in the last
// place. AVX-512 has estimates of 14 bits, which a few products refine: a quotient and a root of a
// register take 16 and 24 cycles there, and block others of their kind.
#if defined __AVX512F__ && GLA_VECTOR_BYTES == 64
static inline vec vec_reciprocal (vec x)
{
  const vec one = vec_broadcast (1);
#if GLA_SINGLE
  const vec y = (vec)__builtin_ia32_rcp14ps512_mask ((wide_single)x, (wide_single){0}, 0xffff);
  return y + y * (one - x * y);
#else
  const vec y = (vec)__builtin_ia32_rcp14pd512_mask ((wide_double)x, (wide_double){0}, 0xff);
  const vec e = one - x * y, y3 = y + y * (e + e * e);
  return y3 + y3 * (one - x * y3);
#endif
}

static inline vec vec_rsqrt (vec x)
{
  const vec one = vec_broadcast (1), half = vec_broadcast ((real)0.5);
#if GLA_SINGLE
  const vec y = (vec)__builtin_ia32_rsqrt14ps512_mask ((wide_single)x, (wide_single){0}, 0xffff);
  return y + half * y * (one - x * y * y);
#else
  const vec y = (vec)__builtin_ia32_rsqrt14pd512_mask ((wide_double)x, (wide_double){0}, 0xff);
  const vec e = one - x * y * y, y3 = y + y * e * (half + (real)0.375 * e);
  return y3 + half * y3 * (one - x * y3 * y3);
#endif
}
#else
static inline vec vec_reciprocal (vec x)
{
  return vec_broadcast (1) / x;
}

static inline vec vec_rsqrt (vec x)
{
  return vec_broadcast (1) / x * vec_sqrt (x); // quotient and root at once
}
#endif

// Returns lane l of a, or of b if bit d is set in l, exchanged with lane l ^ d.
static inline __attribute__ ((always_inline)) vec exchange_lanes (vec a, vec b, int d)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & d ? b[l ^ d] : a[l ^ d];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = (l & d ? GLA_LANES : 0) + (l ^ d);
  return __builtin_shuffle (a, b, from);
#endif
}

//------------------------------------------------------------------------------
// elements
//------------------------------------------------------------------------------

static inline num num_zero (void)
{
  return (num){0};
}

static inline num num_from_real (vec x)
{
  num r = {0};
  r.re = x;
  return r;
}

static inline num num_add (num a, num b)
{
  a.re += b.re;
#if GLA_COMPLEX
  a.im += b.im;
#endif
  return a;
}

static inline num num_sub (num a, num b)
{
  a.re -= b.re;
#if GLA_COMPLEX
  a.im -= b.im;
#endif
  return a;
}

static inline num num_conj (num a)
{
#if GLA_COMPLEX
  a.im = -a.im;
#endif
  return a;
}

static inline num num_scale (vec s, num a)
{
  a.re *= s;
#if GLA_COMPLEX
  a.im *= s;
#endif
  return a;
}

// acc + a b
static inline num num_fma (num acc, num a, num b)
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
static inline num num_fmac (num acc, num a, num b)
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
static inline num num_fnma (num acc, num a, num b)
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
static inline num num_fnmac (num acc, num a, num b)
{
  acc.re -= a.re * b.re;
#if GLA_COMPLEX
  acc.re -= a.im * b.im;
  acc.im -= a.re * b.im;
  acc.im += a.im * b.re;
#endif
  return acc;
}

static inline num num_mul (num a, num b)
{
  return num_fma (num_zero (), a, b);
}

// |a|^2
static inline vec num_abs2 (num a)
{
  vec r = a.re * a.re;
#if GLA_COMPLEX
  r += a.im * a.im;
#endif
  return r;
}

static inline num num_select (mask m, num yes, num no)
{
  yes.re = vec_select (m, yes.re, no.re);
#if GLA_COMPLEX
  yes.im = vec_select (m, yes.im, no.im);
#endif
  return yes;
}

//------------------------------------------------------------------------------
// a register of real numbers at any address
//------------------------------------------------------------------------------

// A vec aligned to a number only, to read and write contiguous numbers.
typedef real vec_anywhere
    __attribute__ ((vector_size (GLA_VECTOR_BYTES), aligned (sizeof (real)), may_alias));

// Returns every second lane of a and b, the first of them lane `odd` of a.
static inline __attribute__ ((always_inline)) vec every_second (vec a, vec b, int odd)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = 2 * l < GLA_LANES ? a[2 * l + odd] : b[2 * l + odd - GLA_LANES];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = 2 * l + odd;
  return __builtin_shuffle (a, b, from);
#endif
}

// Alternates the lanes of a and b, from lane `first` of both on.
static inline __attribute__ ((always_inline)) vec by_turns (vec a, vec b, int first)
{
#ifdef __clang__
  vec r;
  for (int l = 0; l < GLA_LANES; l++)
    r[l] = l & 1 ? b[first + l / 2] : a[first + l / 2];
  return r;
#else
  mask from = {0};
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = first + l / 2 + (l & 1 ? GLA_LANES : 0);
  return __builtin_shuffle (a, b, from);
#endif
}

#endif
