// product_mirror.h: the upper triangle of a Hermitian or symmetric page from the lower one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Squares of elements, as wide as a register, are read column by column, turned in registers and
// written as whole columns again: one element after the other would touch a line of the cache, and
// of large pages lines that compete for the same places, for each of them.

#ifndef GPULINALG_CPU_PRODUCT_MIRROR_H
#define GPULINALG_CPU_PRODUCT_MIRROR_H

#include "cpu/common/lanes_blocks.h"

#include "product_page.h"

// Rows and columns of a square.
enum { MIRROR_SIDE = GLA_LANES / GLA_PARTS };

static inline void mirror_element (const product_shape *s, real *c, int64_t i, int64_t j)
{
  const real *from = c + j * s->ldc + i * GLA_PARTS;
  real *to = c + i * s->ldc + j * GLA_PARTS;
  to[0] = from[0];
#if GLA_COMPLEX
  to[1] = s->symmetric ? from[1] : 0 - from[1]; // not -0: as in the product of other arrays
#endif
}

// Rows i .. i+MIRROR_SIDE-1 of as many columns from j on.
static inline __attribute__ ((always_inline)) void mirror_square (const product_shape *s, real *c,
                                                                  int64_t i, int64_t j)
{
  const real *from = c + j * s->ldc + i * GLA_PARTS;
  real *to = c + i * s->ldc + j * GLA_PARTS;
  vec x[MIRROR_SIDE];
#pragma GCC unroll 16
  for (int k = 0; k < MIRROR_SIDE; k++)
    x[k] = (vec) * (const vec_anywhere *)(from + k * s->ldc);
#pragma GCC unroll 4
  for (int d = 1; d < MIRROR_SIDE; d *= 2)
#pragma GCC unroll 16
    for (int k = 0; k < MIRROR_SIDE; k++)
      if (!(k & d))
        lanes_swap_blocks (&x[k], &x[k + d], d * GLA_PARTS);
#if GLA_COMPLEX
  mask odd;
  for (int l = 0; l < GLA_LANES; l++)
    odd[l] = -(l & 1);
  for (int k = 0; k < MIRROR_SIDE && !s->symmetric; k++)
    x[k] = vec_select (odd, (vec){0} - x[k], x[k]);
#endif
#pragma GCC unroll 16
  for (int k = 0; k < MIRROR_SIDE; k++)
    *(vec_anywhere *)(to + k * s->ldc) = (vec_anywhere)x[k];
}

// The diagonal of a Hermitian page is real.
static void mirror_page (const product_shape *s, real *c)
{
  const int64_t n = s->n;
  for (int64_t i = 0; i < n; i += MIRROR_SIDE) {
    const int64_t end = i + MIRROR_SIDE < n ? i + MIRROR_SIDE : n;
    int64_t from = 0; // columns of the lower triangle that squares have done
    if (end == i + MIRROR_SIDE)
      for (; from < i; from += MIRROR_SIDE)
        mirror_square (s, c, i, from);
    for (int64_t k = i; k < end; k++) {
#if GLA_COMPLEX
      if (!s->symmetric)
        c[k * s->ldc + 2 * k + 1] = 0;
#endif
      for (int64_t j = from; j < k; j++)
        mirror_element (s, c, k, j);
    }
  }
}

#endif
