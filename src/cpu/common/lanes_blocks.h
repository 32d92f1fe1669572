// lanes_blocks.h: copies contiguous blocks of numbers between memory and lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole registers are read, one of each lane, and then transposed: element i of all lanes makes
// register i.

#ifndef GPULINALG_CPU_COMMON_LANES_BLOCKS_H
#define GPULINALG_CPU_COMMON_LANES_BLOCKS_H

#include "lanes.h"

// An address for each lane. Bit l of `live` says that lane l may be written.
typedef struct {
  const real *at[GLA_LANES];
} lanes_sources;
typedef struct {
  real *at[GLA_LANES];
  unsigned live;
} lanes_targets;

// Bit l for lane l.
static inline unsigned lanes_bits (mask m)
{
#if defined __AVX512DQ__ && GLA_VECTOR_BYTES == 64
  typedef long long words __attribute__ ((vector_size (64)));
  typedef int halves __attribute__ ((vector_size (64)));
  return GLA_SINGLE ? (unsigned)__builtin_ia32_cvtd2mask512 ((halves)m)
                    : (unsigned)__builtin_ia32_cvtq2mask512 ((words)m);
#else
  unsigned b = 0;
  for (int l = 0; l < GLA_LANES; l++)
    b |= (unsigned)(m[l] & 1) << l;
  return b;
#endif
}

//------------------------------------------------------------------------------
// transposition
//------------------------------------------------------------------------------

// Transposes two registers as 2 x 2 blocks of d lanes each.
static inline __attribute__ ((always_inline)) void lanes_swap_blocks (vec *a, vec *b, int d)
{
  const vec x = *a, y = *b;
#ifdef __clang__
  for (int l = 0; l < GLA_LANES; l++) {
    (*a)[l] = l & d ? y[l ^ d] : x[l];
    (*b)[l] = l & d ? y[l] : x[l ^ d];
  }
#else
  mask low = {0}, high = {0};
  for (int l = 0; l < GLA_LANES; l++) {
    low[l] = l & d ? GLA_LANES + (l ^ d) : l;
    high[l] = l & d ? GLA_LANES + l : l ^ d;
  }
  *a = __builtin_shuffle (x, y, low);
  *b = __builtin_shuffle (x, y, high);
#endif
}

static inline __attribute__ ((always_inline)) void lanes_transpose_step (vec *x, int d)
{
#pragma GCC unroll 16
  for (int i = 0; i < GLA_LANES; i++)
    if (!(i & d) && d < GLA_LANES)
      lanes_swap_blocks (&x[i], &x[i + d], d);
}

// Exchanges lane l of register i with lane i of register l.
static inline __attribute__ ((always_inline)) void lanes_transpose (vec *x)
{
  lanes_transpose_step (x, 1);
  lanes_transpose_step (x, 2);
  lanes_transpose_step (x, 4);
  lanes_transpose_step (x, 8);
}

//------------------------------------------------------------------------------
// consecutive real numbers
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) void
lanes_load_block (vec *to, const lanes_sources *from, int64_t at)
{
  vec x[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l] = (vec) * (const vec_anywhere *)(from->at[l] + at);
  lanes_transpose (x);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    to[at + l] = x[l];
}

static inline __attribute__ ((always_inline)) vec lanes_gather_real (const lanes_sources *from,
                                                                     int64_t at)
{
  vec x;
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l] = from->at[l][at];
  return x;
}

static inline __attribute__ ((always_inline)) void lanes_store_block (const lanes_targets *to,
                                                                      const vec *from, int64_t at)
{
  vec x[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l] = from[at + l];
  lanes_transpose (x);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    if (to->live >> l & 1)
      *(vec_anywhere *)(to->at[l] + at) = (vec_anywhere)x[l];
}

static inline __attribute__ ((always_inline)) void lanes_scatter_real (const lanes_targets *to,
                                                                       int64_t at, vec x)
{
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    if (to->live >> l & 1)
      to->at[l][at] = x[l];
}

#endif
