// product_small.h: the product of a page whose rows fit into one or two registers
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The product of such a page takes some 10 ns, about as long as planning its strips. So there is no
// plan: what a strip may need, a copy of large A or a buffer for C, is left to product_page.h,
// which gets the few pages at the end of an array that need it. Transposed pages are turned first.

#ifndef GPULINALG_CPU_PRODUCT_SMALL_H
#define GPULINALG_CPU_PRODUCT_SMALL_H

#include "product_page.h"

// Larger pages gain more from being fetched ahead.
enum { SMALL_BYTES = 1024 };

static int is_small (const product_shape *s)
{
  const int one = s->rows <= GLA_LANES, two = s->rows <= 2 * GLA_LANES && s->a_bytes <= SMALL_BYTES;
  return (one || two) && s->k <= DEPTH && s->k > 0 && (!s->copy || is_turned (s)) && !s->hermitian;
}

// Whether what lies behind A may be read and what lies behind C may be written.
static inline int has_room (const product_shape *s, const product_operands *o)
{
  return s->rows >= GLA_LANES ||
         ((is_turned (s) || o->a_spare >= (s->k - 1) * s->a_column + GLA_LANES) &&
          o->c_spare >= (s->n - 1) * s->ldc + GLA_LANES);
}

static inline __attribute__ ((always_inline)) void
small_kind (const product_shape *s, const product_operands *o, operands_kind kind, real *work)
{
  const column_panel q = {o->b, s->b_row, s->b_column, s->k, s->b_sign};
  const int64_t last = s->rows - GLA_LANES;
  row_panel one = {.a = o->a, .column = s->a_column},
            two = {.a = o->a, .column = s->a_column, .at = {0, last}, .to = {0, last}};
  if (is_turned (s)) {
    const strip_part all = {last <= 0 ? 1 : 2, last <= 0 ? one.to : two.to, 0, s->k};
    turn_strip (s, o, &all, work);
    one.a = two.a = work;
    one.column = two.column = GLA_LANES;
    two.at[1] = DEPTH * GLA_LANES;
  }
  if (last <= 0)
    columns_product (&one, 1, &q, s->n, kind, 0, 0, o->c, s->ldc);
  else
    columns_product (&two, 2, &q, s->n, kind, 0, 0, o->c, s->ldc);
}

static void small_page (const product_shape *s, const product_operands *o, real *work)
{
#if GLA_COMPLEX
  if (s->kind == BOTH_COMPLEX) {
    small_kind (s, o, BOTH_COMPLEX, work);
    return;
  }
#endif
  small_kind (s, o, REAL_B, work);
}

#endif
