// expected.h: what gla_pagediag must give, exactly, by the definition
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef EXPECTED_H
#define EXPECTED_H

#include "frame/page_arrays.h"

static const gla_type diag_types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const gla_diag diag_kinds[] = {GLA_DIAG_TAKE, GLA_DIAG_MAKE, GLA_DIAG_TRACE};

static inline int64_t diag_length (int64_t m, int64_t n, int64_t k)
{
  int64_t count = 0;
  for (int64_t i = 0; i < m; i++)
    count += i + k >= 0 && i + k < n;
  return count;
}

// An array for the result of pages of m x n, filled with NaN.
static inline gla_array diag_room (const gla_array *A, gla_diag what, int64_t k, int64_t gap)
{
  const int64_t order = A->rows * A->columns + llabs (k);
  return what == GLA_DIAG_TAKE
             ? make (A->type, diag_length (A->rows, A->columns, k), 1, A->pages, gap)
         : what == GLA_DIAG_MAKE ? make (A->type, order, order, A->pages, gap)
                                 : make (A->type, 1, 1, A->pages, gap);
}

// Element q of diagonal k.
static inline double complex diag_element (const gla_array *A, int64_t k, int64_t q, int64_t p)
{
  return k < 0 ? get (A, q - k, q, p) : get (A, q, q + k, p);
}

static inline double complex diag_sum (const gla_array *A, int64_t k, int64_t p)
{
  const int single = gla_type_real (A->type) == GLA_TYPE_S;
  double re = 0, im = 0;
  for (int64_t q = 0; q < diag_length (A->rows, A->columns, k); q++) {
    const double complex x = diag_element (A, k, q, p);
    re = single ? (double)((float)re + (float)creal (x)) : re + creal (x);
    im = single ? (double)((float)im + (float)cimag (x)) : im + cimag (x);
  }
  return __builtin_complex (re, im); // MinGW has no CMPLX
}

static inline double complex diag_expected (const gla_array *A, gla_diag what, int64_t k, int64_t i,
                                            int64_t j, int64_t p)
{
  if (what == GLA_DIAG_TRACE)
    return diag_sum (A, k, p);
  if (what == GLA_DIAG_TAKE)
    return diag_element (A, k, i, p);
  if (j - i != k)
    return 0;
  const int64_t q = k < 0 ? j : i;
  return A->columns == 1 ? get (A, q, 0, p) : get (A, 0, q, p);
}

static inline int same_part (double x, double y)
{
  return (x == y && !signbit (x) == !signbit (y)) || (isnan (x) && isnan (y));
}

// How many elements of D are wrong.
static inline int diag_wrong (const gla_array *A, gla_diag what, int64_t k, const gla_array *D)
{
  int wrong = 0;
  for (int64_t p = 0; p < D->pages; p++)
    for (int64_t j = 0; j < D->columns; j++)
      for (int64_t i = 0; i < D->rows; i++) {
        const double complex x = get (D, i, j, p), y = diag_expected (A, what, k, i, j, p);
        wrong += !same_part (creal (x), creal (y)) || !same_part (cimag (x), cimag (y));
      }
  return wrong;
}

// Elements that only a copy keeps, and sums that depend on their order.
static inline void diag_fill (gla_array *A, unsigned long long seed)
{
  const double large = gla_type_real (A->type) == GLA_TYPE_S ? 0x1p24 : 0x1p53;
  fill (A, seed);
  for (int64_t p = 0; p < A->pages; p++)
    for (int64_t j = 0; j < A->columns; j++)
      for (int64_t i = 0; i < A->rows; i++) {
        const int64_t at = (i + 3 * j + 5 * p) % 11;
        if (at == 0)
          set (A, i, j, p, p % 2 ? large : -large);
        else if (at == 1)
          set (A, i, j, p, __builtin_complex (-0.0, -0.0));
        else if (at == 2 && p % 7 == 3)
          set (A, i, j, p, i % 2 ? NAN : INFINITY);
      }
}

#endif
