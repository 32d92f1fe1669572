// qr_panel.h: a panel of a large matrix: recursive, after LAPACK's geqrt3
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Elmroth and Gustavson 2000. The halves meet in products of the BLAS; what is left at the bottom
// of the recursion is done with rows in lanes.

#ifndef GPULINALG_CPU_QR_QR_PANEL_H
#define GPULINALG_CPU_QR_QR_PANEL_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/rows.h"

#include "qr.h"
#include "qr_rows.h"

#include <string.h>

enum { LEAF = 16 };

typedef struct {
  num *a;
  scalar *R, *T, *W, *cross;
} leaf_work;

static void leaf_layout (char *base, size_t *at, int64_t m, leaf_work *w)
{
  const size_t square = (size_t)(LEAF * LEAF) * sizeof (scalar);
  w->a = gla_carve (base, at, (size_t)(registers_for (m) * LEAF) * sizeof (num));
  w->R = gla_carve (base, at, square);
  w->T = gla_carve (base, at, square);
  w->W = gla_carve (base, at, square);
  w->cross = gla_carve (base, at, square);
}

// T of all n <= leaf columns from the triangles of the panels.
static void leaf_triangle (int64_t rv, int64_t n, const leaf_work *w, scalar *T, int64_t ldt)
{
  cross_products (rv, w->a, rv, n, w->a, rv, n, w->cross, LEAF);
  for (int64_t j = 0; j < n; j++)
    T[j + j * ldt] = w->T[j % GLA_QR_PANEL + j * GLA_QR_PANEL];
  fill_triangle (n, T, ldt, w->cross, LEAF);
}

// m x n, n <= leaf: R into the upper triangle of a, V below it, T into t.
static void panel_leaf (int64_t m, int64_t n, real *a, int64_t lda, real *t, int64_t ldt,
                        const leaf_work *w)
{
  const int64_t rv = registers_for (m);
  for (int64_t j = 0; j < n; j++)
    load_column (w->a + j * rv, m, a + j * lda * GLA_PARTS, 1);
  rows_factor_leaf (m, n, w->a, rv, w->R, LEAF, w->T, w->W);
  leaf_triangle (rv, n, w, (scalar *)t, ldt);
  for (int64_t j = 0; j < n; j++) {
    store_rows (a + j * lda * GLA_PARTS, m, w->a + j * rv);
    memcpy (a + j * lda * GLA_PARTS, w->R + j * LEAF, (size_t)(j + 1) * sizeof *w->R);
  }
}

// Applies the left n1 columns, adjoint, to the n2 right ones; x (n1 x n2) is scratch.
static void panel_update (int64_t m, int64_t n1, int64_t n2, real *a, int64_t lda, const real *t,
                          int64_t ldt, real *x)
{
  real *right = a + n1 * lda * GLA_PARTS, *low = a + n1 * GLA_PARTS;
  real *low_right = right + n1 * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    memcpy (x + j * ldt * GLA_PARTS, right + j * lda * GLA_PARTS, (size_t)n1 * sizeof (scalar));
  trmm ((triangle_form){"L", "L", "C", "U"}, n1, n2, 1, a, lda, x, ldt);
  gemm ("C", "N", n1, n2, m - n1, 1, low, lda, low_right, lda, 1, x, ldt);
  trmm ((triangle_form){"L", "U", "C", "N"}, n1, n2, 1, t, ldt, x, ldt);
  gemm ("N", "N", m - n1, n2, n1, -1, low, lda, x, ldt, 1, low_right, lda);
  trmm ((triangle_form){"L", "L", "N", "U"}, n1, n2, 1, a, lda, x, ldt);
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1 * GLA_PARTS; i++)
      right[j * lda * GLA_PARTS + i] -= x[j * ldt * GLA_PARTS + i];
}

// The block of T that couples both halves: x = -T1 (V1'*V2) T2.
static void panel_couple (int64_t m, int64_t n1, int64_t n2, const real *a, int64_t lda,
                          const real *t, int64_t ldt, real *x)
{
  const int64_t n = n1 + n2;
  const real *v2 = a + (n1 + n1 * lda) * GLA_PARTS;
  const real *t2 = t + (n1 + n1 * ldt) * GLA_PARTS;
  for (int64_t j = 0; j < n2; j++)
    for (int64_t i = 0; i < n1; i++)
      ((scalar *)x)[i + j * ldt] = scalar_conj (((const scalar *)a)[n1 + j + i * lda]);
  trmm ((triangle_form){"R", "L", "N", "U"}, n1, n2, 1, v2, lda, x, ldt);
  gemm ("C", "N", n1, n2, m - n, 1, a + n * GLA_PARTS, lda, v2 + n2 * GLA_PARTS, lda, 1, x, ldt);
  trmm ((triangle_form){"L", "U", "N", "N"}, n1, n2, -1, t, ldt, x, ldt);
  trmm ((triangle_form){"R", "U", "N", "N"}, n1, n2, 1, t2, ldt, x, ldt);
}

// m >= n: R into the upper triangle of a, V below it, T into the upper triangle of t.
static void panel_factor (int64_t m, int64_t n, real *a, int64_t lda, real *t, int64_t ldt,
                          const leaf_work *w)
{
  if (n <= LEAF) {
    panel_leaf (m, n, a, lda, t, ldt, w);
    return;
  }
  const int64_t n1 = (n / 2 + LEAF - 1) / LEAF * LEAF, n2 = n - n1;
  real *x = t + n1 * ldt * GLA_PARTS;
  panel_factor (m, n1, a, lda, t, ldt, w);
  panel_update (m, n1, n2, a, lda, t, ldt, x);
  panel_factor (m - n1, n2, a + (n1 + n1 * lda) * GLA_PARTS, lda, x + n1 * GLA_PARTS, ldt, w);
  panel_couple (m, n1, n2, a, lda, t, ldt, x);
}

#endif
