// svd_kinds.h: kinds of pages for tests of singular values
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SVD_KINDS_H
#define SVD_KINDS_H

#include "svd_page.h"

typedef enum {
  RANDOM,
  ZERO,
  IDENTITY,
  ONES,
  ZERO_COLUMN,
  ZERO_ROW,
  RANK_2,
  REPEATED,
  NEAR,
  TINY,
  LARGE,
  DENORMAL,
  ROWS_UP,
  COLUMNS_UP,
  COLUMNS_DOWN,
  MINUS_ZERO,
  POWERS, // R of its QR factorisation has a level diagonal and a large condition number
  KINDS
} kind_of_page;

static inline double complex random_of (gla_type type, unsigned long long *seed)
{
  const double re = check_random (seed), im = check_random (seed);
  return gla_type_is_complex (type) ? re + im * I : re;
}

// Element (i, j) of a page of this kind, x a random number.
static inline double complex element (kind_of_page kind, const svd_call *c, int i, int j,
                                      double complex x)
{
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  const double least = single ? 0x1p-149 : 0x1p-1074, size = single ? 1e30 : 1e300;
  switch (kind) {
  case RANDOM:
    return x;
  case ZERO:
    return 0;
  case IDENTITY:
    return i == j;
  case ONES:
    return 1;
  case ZERO_COLUMN:
    return j == c->n / 2 ? 0 : x;
  case ZERO_ROW:
    return i == c->m / 2 ? 0 : x;
  case RANK_2:
    return cos (i) * sin (j + 1) + sin (2 * i) * cos (3 * j);
  case REPEATED:
    return (i % 3 == j % 3) + (double)(i == j);
  case NEAR:
    return (i == j) + gla_type_eps (c->type) * 4 * x;
  case TINY:
    return x / size;
  case LARGE:
    return x * size;
  case DENORMAL:
    return round (4 * creal (x)) * least;
  case ROWS_UP:
    return x * pow (10, 20. * i / c->m);
  case COLUMNS_UP:
    return x * pow (10, 20. * j / c->n);
  case COLUMNS_DOWN:
    return x * pow (10, (single ? -24. : -250.) * j / c->n);
  case POWERS:
    return c->m < c->n ? pow ((j + 1.) / c->n, i) : pow ((i + 1.) / c->m, c->n - 1 - j);
  default:
    return -0.0 * (i + j);
  }
}

#endif
