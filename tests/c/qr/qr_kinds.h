// qr_kinds.h: matrices for QR that are hard in some way, and the bounds of all results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef QR_KINDS_H
#define QR_KINDS_H

#include "qr_page.h"

//------------------------------------------------------------------------------
// matrices
//------------------------------------------------------------------------------

typedef enum {
  RANDOM,
  ZERO,
  ZERO_COLUMN,
  SAME_COLUMNS,
  HILBERT,
  KAHAN,
  LAUCHLI,
  VANDERMONDE,
  GRADED_COLUMNS,
  GRADED_ROWS,
  GRADED_ROWS_UP,
  HUGE_ENTRIES,
  TINY_ENTRIES,
  DENORMAL,
  WHOLE_RANGE,
  UNIT_COLUMN,
  IDENTITY,
  TRIANGLE,
  TINY_BELOW,
  // columns near to the one before, all odd ones or the last: condition numbers around the limit up
  // to which Q comes from a solve with R
  NEAR_1,
  NEAR_2,
  NEAR_4,
  LAST_NEAR_1,
  LAST_NEAR_2,
  LAST_NEAR_4,
  KINDS
} kind_of_matrix;

static inline double complex element (kind_of_matrix kind, const qr_call *c, int i, int j,
                                      double complex x, double complex first)
{
  const int single = gla_type_real (c->type) == GLA_TYPE_S;
  const double down = (double)j / c->n, row = (double)i / c->m, angle = 1.2;
  const double eps = gla_type_eps (c->type);
  switch (kind) {
  case RANDOM:
    return x;
  case ZERO:
    return 0;
  case ZERO_COLUMN:
    return j % 3 == 1 ? 0 : x;
  case SAME_COLUMNS:
    return j % 2 == 1 ? first : x;
  case HILBERT:
    return 1.0 / (i + j + 1);
  case KAHAN:
    return i > j ? 0 : pow (sin (angle), i) * (i == j ? 1 : -cos (angle));
  case LAUCHLI:
    return i == 0 ? 1 : i == j + 1 ? eps : 0;
  case VANDERMONDE:
    return pow ((double)(i + 1) / c->m, j);
  case GRADED_COLUMNS:
    return x * pow (10, down * (single ? -30 : -200));
  case GRADED_ROWS:
    return x * pow (10, -12 * row);
  case GRADED_ROWS_UP:
    return x * pow (10, 12 * row - 12);
  case HUGE_ENTRIES:
    return x * (single ? 1e36 : 1e306);
  case TINY_ENTRIES:
    return x * (single ? 1e-34 : 1e-300);
  case DENORMAL:
    return x * (single ? 1e-42 : 1e-318);
  case WHOLE_RANGE:
    return x * pow (10, (single ? 72 : 600) * (down - 0.5));
  case UNIT_COLUMN:
    return j == 0 ? (i == 0 ? 3 : 0) : x;
  case IDENTITY:
    return i == j;
  case TRIANGLE:
    return i > j ? 0 : x;
  case TINY_BELOW:
    return i > j ? x * (single ? 1e-25 : 1e-170) : x;
  case NEAR_1:
  case NEAR_2:
  case NEAR_4:
    return j % 2 == 1 ? first + x * pow (10, kind == NEAR_1 ? -1 : kind == NEAR_2 ? -2 : -4) : x;
  case LAST_NEAR_1:
  case LAST_NEAR_2:
  case LAST_NEAR_4:
    return j > 0 && j == c->n - 1 ? first + x * pow (10, kind == LAST_NEAR_1   ? -1
                                                         : kind == LAST_NEAR_2 ? -2
                                                                               : -4)
                                  : x;
  case KINDS:
    break;
  }
  return x;
}

static inline void fill_array (const qr_call *c, const gla_array *a, kind_of_matrix kind,
                               unsigned long long seed)
{
  for (int p = 0; p < a->pages; p++)
    for (int j = 0; j < a->columns; j++) {
      double complex first = 0;
      for (int i = 0; i < a->rows; i++) {
        const double re = check_random (&seed), im = check_random (&seed);
        if (j > 0)
          first = qr_at (a, i, j - 1, p);
        qr_set (c->type, a->data, i + j * a->column_stride + p * a->page_stride,
                element (kind, c, i, j, re + im * I, first));
      }
    }
}

static inline void check_quality (const qr_page *p, int kind)
{
  const qr_call *c = &p->call;
  for (int64_t page = 0; page < c->pages; page++) {
    const qr_quality q = qr_measure (p, page);
    const double limit = 10 * fmax (4, c->n);
    CHECK (q.columns <= limit && q.identity <= 10 * fmax (4, p->a[QR_Q].columns),
           "%c %dx%d kind %d pivot %d block %d: columns %g, identity %g eps", c->type, c->m, c->n,
           kind, c->pivot, c->block, q.columns, q.identity);
    CHECK (q.product < 30 && q.identity / c->m < 30 && q.c < 30 && q.wy <= limit,
           "%c %dx%d kind %d pivot %d block %d: ratios %g %g %g %g", c->type, c->m, c->n, kind,
           c->pivot, c->block, q.product, q.identity / c->m, q.c, q.wy);
    CHECK (qr_triangular (p, page), "%c %dx%d kind %d pivot %d: R is not as it must be", c->type,
           c->m, c->n, kind, c->pivot);
  }
  CHECK (qr_untouched (p), "%c %dx%d: wrote where it must not", c->type, c->m, c->n);
}

#endif
