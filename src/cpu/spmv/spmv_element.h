// spmv_element.h: sums over entries of a sparse matrix, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SPMV_SPMV_ELEMENT_H
#define GPULINALG_CPU_SPMV_SPMV_ELEMENT_H

#include "cpu/common/lanes.h"

#include "cpu/common/sparse_product.h"

#include <string.h>

// a*b + c, rounded once where the processor can. Left to the compiler, it is once in one loop and
// twice in another, and the bits of a product would be a matter of the indices' size.
static inline __attribute__ ((always_inline)) real add_product (real a, real b, real c)
{
#if !defined __FMA__
  return a * b + c;
#elif GLA_SINGLE
  return __builtin_fmaf (a, b, c);
#else
  return __builtin_fma (a, b, c);
#endif
}

// sum[0..width-1] += a*x[0..width-1]
static inline __attribute__ ((always_inline)) void
add_entry (real *sum, const real *a, const real *x, int width, int pattern, int conjugate)
{
  for (int c = 0; c < width; c++) {
#if GLA_COMPLEX
    const real re = x[2 * c], im = x[2 * c + 1];
    if (pattern) {
      sum[2 * c] += re;
      sum[2 * c + 1] += im;
    } else {
      const real b = conjugate ? -a[1] : a[1];
      sum[2 * c] = add_product (-b, im, add_product (a[0], re, sum[2 * c]));
      sum[2 * c + 1] = add_product (b, re, add_product (a[0], im, sum[2 * c + 1]));
    }
#else
    (void)conjugate;
    sum[c] = pattern ? sum[c] + x[c] : add_product (a[0], x[c], sum[c]);
#endif
  }
}

// y of row i from its sum. Only a pattern has a factor: 1 + 0i would make NaN of the part beside
// Inf.
static inline __attribute__ ((always_inline)) void
store_sum (const gla_cpu_spmv_task *t, int64_t i, const real *sum, int width, int pattern)
{
  const double *value = t->sparse->M.value;
  real *y = (real *)t->y + i * GLA_PARTS;
  for (int c = 0; c < width; c++, y += t->ldy * GLA_PARTS) {
    if (!pattern) {
      memcpy (y, sum + c * GLA_PARTS, GLA_PARTS * sizeof *y);
      continue;
    }
#if GLA_COMPLEX
    const real a = (real)value[0], b = (real)(t->conjugate ? -value[1] : value[1]);
    y[0] = a * sum[2 * c] - b * sum[2 * c + 1];
    y[1] = a * sum[2 * c + 1] + b * sum[2 * c];
#else
    y[0] = (real)value[0] * sum[c];
#endif
  }
}

static void join_segments (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, int64_t count,
                           const void *sums)
{
  real sum[GLA_SPMV_WIDTH * GLA_PARTS] = {0};
  const real *part = sums;
  for (int64_t k = 0; k < count; k++, part += GLA_SPMV_WIDTH * GLA_PARTS)
    for (int c = 0; c < t->width * GLA_PARTS; c++)
      sum[c] += part[c];
  if (t->sparse->M.pattern)
    store_sum (t, s->row, sum, t->width, 1);
  else
    store_sum (t, s->row, sum, t->width, 0);
}

static void to_rows (const void *x, int64_t ld, int64_t first, int64_t end, int b, void *to)
{
  const real *from = x;
  real *row = (real *)to + first * b * GLA_PARTS;
  for (int64_t j = first; j < end; j++)
    for (int c = 0; c < b; c++, row += GLA_PARTS)
      memcpy (row, from + (j + c * ld) * GLA_PARTS, GLA_PARTS * sizeof (real));
}

// Elements first..end-1 of y as the sum of `count` vectors, one after the other, n apart.
static void add_vectors (const void *vectors, int64_t n, int count, int64_t first, int64_t end,
                         void *y)
{
  const real *from = vectors;
  real *to = y;
  for (int64_t i = first * GLA_PARTS; i < end * GLA_PARTS; i++) {
    real sum = from[i];
    for (int p = 1; p < count; p++)
      sum += from[i + p * n * GLA_PARTS];
    to[i] = sum;
  }
}

#endif
