// spmv_rows.h: sparse products by rows, of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SPMV_SPMV_ROWS_H
#define GPULINALG_CPU_SPMV_SPMV_ROWS_H

#include <string.h>

#include "cpu/common/lanes.h"
#include "cpu/common/sparse_product.h"

//------------------------------------------------------------------------------
// sums over entries of a sparse matrix, of one type
//------------------------------------------------------------------------------

// Returns a*b + c, rounded once where the processor can. Left to the compiler, it is once in one
// loop and twice in another, and the bits of a product would depend on the size of the indices.
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

// Adds a*x[0..width-1] to sum[0..width-1].
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

// Stores y of row i from its sum. Only a pattern has a factor: 1 + 0i would make NaN of the part
// beside Inf.
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

// Sets elements first..end-1 of y to the sum of `count` vectors, n apart.
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

//------------------------------------------------------------------------------
// sparse products by rows, of one type
//------------------------------------------------------------------------------

// What a product is, constants where these functions are inlined.
typedef struct {
  int wide;       // the indices have 8 bytes, not 4
  int width;      // vectors
  int pattern;    // all stored values are equal: sums of x alone
  int conjugate;  // of the values
  int prefetched; // x does not stay in a cache
} product_kind;

static inline __attribute__ ((always_inline)) int64_t index_at (const void *index, int64_t k,
                                                                int wide)
{
  return wide ? ((const int64_t *)index)[k] : ((const int32_t *)index)[k];
}

// Prefetches the x of entry k + GLA_SPMV_AHEAD. Rows of graphs are short and of any length, so the
// processor's own prefetching does not reach far enough. If x is in a cache, a prefetch takes
// longer than the load.
static inline __attribute__ ((always_inline)) void prefetch_x (const gla_cpu_spmv_task *t,
                                                               int64_t k, int width, int wide)
{
  if (k >= t->sparse->M.entries - GLA_SPMV_AHEAD)
    return;
  const int64_t row = index_at (t->sparse->M.csr.index, k + GLA_SPMV_AHEAD, wide);
  const char *x = (const char *)((const real *)t->x + row * t->ldx * GLA_PARTS);
  for (size_t at = 0; at < (size_t)width * GLA_PARTS * sizeof (real); at += 64)
    __builtin_prefetch (x + at);
}

// Multiplies one vector: four alternating sums hide the latency of the additions.
static inline __attribute__ ((always_inline)) void
sum_one (const gla_cpu_spmv_task *t, int64_t first, int64_t end, product_kind kind, real *sum)
{
  const gla_csr *m = &t->sparse->M.csr;
  const real *values = m->values, *x = t->x;
  real s[4][GLA_PARTS] = {{0}};
  int64_t k = first;
  for (; k + 4 <= end; k += 4)
    for (int u = 0; u < 4; u++) {
      if (kind.prefetched)
        prefetch_x (t, k + u, 1, kind.wide);
      add_entry (s[u], kind.pattern ? NULL : values + (k + u) * GLA_PARTS,
                 x + index_at (m->index, k + u, kind.wide) * t->ldx * GLA_PARTS, 1, kind.pattern,
                 kind.conjugate);
    }
  for (; k < end; k++) {
    if (kind.prefetched)
      prefetch_x (t, k, 1, kind.wide);
    add_entry (s[0], kind.pattern ? NULL : values + k * GLA_PARTS,
               x + index_at (m->index, k, kind.wide) * t->ldx * GLA_PARTS, 1, kind.pattern,
               kind.conjugate);
  }
  for (int p = 0; p < GLA_PARTS; p++)
    sum[p] = (s[0][p] + s[1][p]) + (s[2][p] + s[3][p]);
}

static inline __attribute__ ((always_inline)) void
sum_row (const gla_cpu_spmv_task *t, int64_t first, int64_t end, product_kind kind, real *sum)
{
  const gla_csr *m = &t->sparse->M.csr;
  const real *values = m->values, *x = t->x;
  if (kind.width == 1) {
    sum_one (t, first, end, kind, sum);
    return;
  }
  for (int c = 0; c < kind.width * GLA_PARTS; c++)
    sum[c] = 0;
  for (int64_t k = first; k < end; k++) {
    prefetch_x (t, k, kind.width, kind.wide);
    add_entry (sum, kind.pattern ? NULL : values + k * GLA_PARTS,
               x + index_at (m->index, k, kind.wide) * t->ldx * GLA_PARTS, kind.width, kind.pattern,
               kind.conjugate);
  }
}

static inline __attribute__ ((always_inline)) void
rows_of (const gla_cpu_spmv_task *t, int64_t first, int64_t end, product_kind kind)
{
  const void *start = t->sparse->M.csr.start;
  for (int64_t i = first; i < end; i++) {
    real sum[GLA_SPMV_WIDTH * GLA_PARTS];
    const int64_t from = index_at (start, i, kind.wide), to = index_at (start, i + 1, kind.wide);
    if (to - from > GLA_SPMV_LONG)
      continue;
    sum_row (t, from, to, kind, sum);
    store_sum (t, i, sum, kind.width, kind.pattern);
  }
}

static inline __attribute__ ((always_inline)) void rows_of_width (const gla_cpu_spmv_task *t,
                                                                  int64_t first, int64_t end,
                                                                  int wide, int width,
                                                                  int prefetched)
{
  if (t->sparse->M.pattern)
    rows_of (t, first, end, (product_kind){wide, width, 1, 0, prefetched});
  else if (GLA_COMPLEX && t->conjugate)
    rows_of (t, first, end, (product_kind){wide, width, 0, 1, prefetched});
  else
    rows_of (t, first, end, (product_kind){wide, width, 0, 0, prefetched});
}

static inline __attribute__ ((always_inline)) void
multiply_rows (const gla_cpu_spmv_task *t, int64_t first, int64_t end, int wide)
{
  switch (t->width) {
  case 1:
    if (t->sparse->M.csr.columns * GLA_PARTS * (int64_t)sizeof (real) > GLA_SPMV_CACHED)
      rows_of_width (t, first, end, wide, 1, 1);
    else
      rows_of_width (t, first, end, wide, 1, 0);
    break;
  case 2:
    rows_of_width (t, first, end, wide, 2, 1);
    break;
  case 4:
    rows_of_width (t, first, end, wide, 4, 1);
    break;
  default:
    rows_of_width (t, first, end, wide, GLA_SPMV_WIDTH, 1);
    break;
  }
}

static inline __attribute__ ((always_inline)) void
sum_segment (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, void *sum, int wide)
{
  if (t->sparse->M.pattern)
    sum_row (t, s->first, s->end, (product_kind){wide, t->width, 1, 0, 1}, sum);
  else
    sum_row (t, s->first, s->end, (product_kind){wide, t->width, 0, t->conjugate, 1}, sum);
}

// Adds the contribution of rows first..end-1 of M to y = M.'*x.
static inline __attribute__ ((always_inline)) void
scatter_rows (const gla_cpu_spmv_task *t, int64_t first, int64_t end, int wide)
{
  const gla_spmv_matrix *M = &t->sparse->M;
  const void *start = M->csr.start, *index = M->csr.index;
  const real *values = M->csr.values, *x = t->x;
  real *y = t->y;
  const int conjugate = t->conjugate, pattern = M->pattern;
  const real one[2] = {(real)M->value[0], (real)M->value[1]};
  for (int64_t i = first; i < end; i++) {
    const int64_t last = index_at (start, i + 1, wide);
    for (int64_t k = index_at (start, i, wide); k < last; k++)
      add_entry (y + index_at (index, k, wide) * GLA_PARTS, pattern ? one : values + k * GLA_PARTS,
                 x + i * GLA_PARTS, 1, 0, conjugate);
  }
}

#endif
