// rows_reflector.h: Householder reflectors on columns with rows in lanes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column is an array of registers: row i is lane i % GLA_LANES of register i / GLA_LANES, and the
// lanes after the last row are zero. Products of few columns with few columns are done by tiles in
// registers. V is stored with its ones and zeros.

#ifndef GPULINALG_CPU_COMMON_ROWS_REFLECTOR_H
#define GPULINALG_CPU_COMMON_ROWS_REFLECTOR_H

#include "common/scalar.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/reflector.h"
#include "cpu/common/rows.h"

#include <string.h>

// Columns of the block reflectors of the kernels that work on rows in lanes.
enum { GLA_QR_PANEL = 4 };

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Tiles: columns of V by columns of C for V'*C, registers by columns of C for C - V*W.
enum { TILE_V = GLA_COMPLEX ? 2 : 4, TILE_C = GLA_COMPLEX ? 2 : 3 };
enum { TILE_R = GLA_COMPLEX ? 2 : 4 };

static inline __attribute__ ((always_inline)) void cross_tile (int64_t rv, const num *V,
                                                               int64_t ldv, int nv, const num *C,
                                                               int64_t ldc, int nc, scalar *out,
                                                               int64_t ldo)
{
  num sum[TILE_V * TILE_C];
  for (int q = 0; q < nv * nc; q++)
    sum[q] = num_zero ();
  for (int64_t i = 0; i < rv; i++)
    for (int v = 0; v < nv; v++)
      for (int c = 0; c < nc; c++)
        sum[v + c * nv] = num_fmac (sum[v + c * nv], V[i + v * ldv], C[i + c * ldc]);
  for (int v = 0; v < nv; v++)
    for (int c = 0; c < nc; c++)
      out[v + c * ldo] = sum_num (sum[v + c * nv]);
}

// out = V'*C
static void cross_products (int64_t rv, const num *V, int64_t ldv, int64_t nv, const num *C,
                            int64_t ldc, int64_t nc, scalar *out, int64_t ldo)
{
  int64_t v = 0;
  for (; v + TILE_V <= nv; v += TILE_V) {
    int64_t c = 0;
    for (; c + TILE_C <= nc; c += TILE_C)
      cross_tile (rv, V + v * ldv, ldv, TILE_V, C + c * ldc, ldc, TILE_C, out + v + c * ldo, ldo);
    for (; c < nc; c++)
      cross_tile (rv, V + v * ldv, ldv, TILE_V, C + c * ldc, ldc, 1, out + v + c * ldo, ldo);
  }
  for (; v < nv; v++)
    for (int64_t c = 0; c < nc; c++)
      cross_tile (rv, V + v * ldv, ldv, 1, C + c * ldc, ldc, 1, out + v + c * ldo, ldo);
}

static inline __attribute__ ((always_inline)) void subtract_tile (const num *V, int64_t ldv,
                                                                  int64_t nv, num *C, int64_t ldc,
                                                                  int nr, int nc, const scalar *W,
                                                                  int64_t ldw)
{
  num x[TILE_R * TILE_C];
  for (int r = 0; r < nr; r++)
    for (int c = 0; c < nc; c++)
      x[r + c * nr] = C[r + c * ldc];
  for (int64_t v = 0; v < nv; v++)
    for (int c = 0; c < nc; c++) {
      const num w = num_broadcast (W[v + c * ldw]);
      for (int r = 0; r < nr; r++)
        x[r + c * nr] = num_fnma (x[r + c * nr], V[r + v * ldv], w);
    }
  for (int r = 0; r < nr; r++)
    for (int c = 0; c < nc; c++)
      C[r + c * ldc] = x[r + c * nr];
}

// Sets C = C - V*W, the columns of C one tile after the other, for a narrow V.
static void subtract (int64_t rv, const num *V, int64_t ldv, int64_t nv, num *C, int64_t ldc,
                      int64_t nc, const scalar *W, int64_t ldw)
{
  for (int64_t c = 0; c < nc;) {
    const int wide = c + TILE_C <= nc;
    num *to = C + c * ldc;
    const scalar *w = W + c * ldw;
    int64_t i = 0;
    if (wide)
      for (; i + TILE_R <= rv; i += TILE_R)
        subtract_tile (V + i, ldv, nv, to + i, ldc, TILE_R, TILE_C, w, ldw);
    else
      for (; i + TILE_R <= rv; i += TILE_R)
        subtract_tile (V + i, ldv, nv, to + i, ldc, TILE_R, 1, w, ldw);
    for (; i < rv; i++)
      for (int k = 0; k < (wide ? TILE_C : 1); k++)
        subtract_tile (V + i, ldv, nv, to + i + k * ldc, ldc, 1, 1, w + k * ldw, ldw);
    c += wide ? TILE_C : 1;
  }
}

// Sets W = T*W or T'*W for an upper triangle T of w <= GLA_QR_PANEL columns.
static void times_triangle (int w, const scalar *T, int adjoint, int64_t nc, scalar *W)
{
  for (int64_t c = 0; c < nc; c++) {
    scalar *x = W + c * GLA_QR_PANEL, y[GLA_QR_PANEL];
    for (int i = 0; i < w; i++) {
      y[i] = scalar_make (0, 0);
      for (int k = adjoint ? 0 : i; k < (adjoint ? i + 1 : w); k++) {
        const scalar t = adjoint ? scalar_conj (T[k + i * GLA_QR_PANEL]) : T[i + k * GLA_QR_PANEL];
        y[i] += scalar_mul (t, x[k]);
      }
    }
    memcpy (x, y, (size_t)w * sizeof *x);
  }
}

// Sets C = (I - V T V') C, or with T' if adjoint. W: GLA_QR_PANEL * nc.
static void rows_apply (int64_t rv, const num *V, int64_t ldv, int w, const scalar *T, int adjoint,
                        num *C, int64_t ldc, int64_t nc, scalar *W)
{
  cross_products (rv, V, ldv, w, C, ldc, nc, W, GLA_QR_PANEL);
  times_triangle (w, T, adjoint, nc, W);
  subtract (rv, V, ldv, w, C, ldc, nc, W, GLA_QR_PANEL);
}

// Does the same, not inlined and not cloned. A copy of rows_apply that knows `adjoint` may add the
// products with T after rounding them, this one adds them by FMA: so the last bits of a result
// depend on which of both is called. The constants below keep the bits of earlier versions.
static __attribute__ ((noinline, noclone)) void
rows_apply_once (int64_t rv, const num *V, int64_t ldv, int w, const scalar *T, int adjoint, num *C,
                 int64_t ldc, int64_t nc, scalar *W)
{
  rows_apply (rv, V, ldv, w, T, adjoint, C, ldc, nc, W);
}

// Whether Q'*C (adjoint), Q*C, or a leaf of a panel goes through rows_apply_once.
#if GLA_COMPLEX || (!GLA_SINGLE && GLA_VECTOR_BYTES != 32)
enum { ONCE_ADJOINT = 0, ONCE_Q = 0, ONCE_LEAF = 0 };
#elif GLA_SINGLE
enum { ONCE_ADJOINT = 1, ONCE_Q = 1, ONCE_LEAF = 0 };
#else
enum { ONCE_ADJOINT = 0, ONCE_Q = 1, ONCE_LEAF = 1 };
#endif

//------------------------------------------------------------------------------
// a panel of up to GLA_QR_PANEL columns
//------------------------------------------------------------------------------

// sum = |x|^2, dots[c] = x'*C(:, c)
static inline __attribute__ ((always_inline)) real dots_of (int64_t rv, const num *x, const num *C,
                                                            int64_t ldc, int nc, scalar *dots)
{
  vec sum = vec_broadcast (0);
  num d[GLA_QR_PANEL];
  for (int c = 0; c < nc; c++)
    d[c] = num_zero ();
  for (int64_t i = 0; i < rv; i++) {
    sum += num_abs2 (x[i]);
    for (int c = 0; c < nc; c++)
      d[c] = num_fmac (d[c], x[i], C[i + c * ldc]);
  }
  for (int c = 0; c < nc; c++)
    dots[c] = sum_num (d[c]);
  return sum_lanes (sum);
}

static real dot_products (int64_t rv, const num *x, const num *C, int64_t ldc, int nc, scalar *dots)
{
  switch (nc) {
  case 0:
    return dots_of (rv, x, C, ldc, 0, dots);
  case 1:
    return dots_of (rv, x, C, ldc, 1, dots);
  case 2:
    return dots_of (rv, x, C, ldc, 2, dots);
  }
  return dots_of (rv, x, C, ldc, 3, dots);
}

// x = x*inv, C(:, c) = C(:, c) - x*w[c]
static inline __attribute__ ((always_inline)) void
reflect_of (int64_t rv, num *x, scalar inv, num *C, int64_t ldc, int nc, const scalar *w)
{
  const num s = num_broadcast (inv);
  num f[GLA_QR_PANEL];
  for (int c = 0; c < nc; c++)
    f[c] = num_broadcast (w[c]);
  for (int64_t i = 0; i < rv; i++) {
    const num v = num_mul (x[i], s);
    x[i] = v;
    for (int c = 0; c < nc; c++)
      C[i + c * ldc] = num_fnma (C[i + c * ldc], v, f[c]);
  }
}

static void reflect_columns (int64_t rv, num *x, scalar inv, num *C, int64_t ldc, int nc,
                             const scalar *w)
{
  switch (nc) {
  case 0:
    reflect_of (rv, x, inv, C, ldc, 0, w);
    break;
  case 1:
    reflect_of (rv, x, inv, C, ldc, 1, w);
    break;
  case 2:
    reflect_of (rv, x, inv, C, ldc, 2, w);
    break;
  default:
    reflect_of (rv, x, inv, C, ldc, 3, w);
  }
}

// Makes the reflector of a column whose squares underflow, or of which nothing is left; scales x
// and dots.
static reflector careful_reflector (int64_t rv, num *x, scalar alpha, const num *C, int64_t ldc,
                                    int nc, scalar *dots)
{
  const int64_t parts = rv * GLA_LANES * GLA_PARTS;
  const bits rest = largest_of ((const real *)x, parts, 0);
  if (rest == 0 && __imag__ alpha == 0)
    return no_reflector (alpha);
  const int e = exponent_of (largest_of ((const real *)&alpha, GLA_PARTS, rest));
  const vec down = vec_broadcast (power_of_two (-e));
  for (int64_t i = 0; i < rv; i++)
    x[i] = num_scale (down, x[i]);
  real sum = dot_products (rv, x, C, ldc, nc, dots);
  reflector h = reflect (scalar_scale (down[0], alpha), sum);
  h.beta *= power_of_two (e);
  return h;
}

// Does column j of the panel that starts at row j0; rows above row j0+j go to R and become zero.
static void panel_column (int64_t rv, int64_t j0, int j, int w, num *a, int64_t ld, scalar *R,
                          int64_t ldr, scalar *T)
{
  const int64_t r = j0 + j, skip = j0 / GLA_LANES;
  const int after = w - j - 1;
  num *column = a + j * ld, *next = column + ld;
  for (int64_t i = j0; i < r; i++) {
    R[i + j * ldr] = row_get (column, i);
    row_set (column, i, scalar_make (0, 0));
  }
  const scalar alpha = row_get (column, r);
  row_set (column, r, scalar_make (0, 0));

  scalar d[GLA_QR_PANEL];
  const real sum = dot_products (rv - skip, column + skip, next + skip, ld, after, d);
  reflector h;
  if (sum == 0 || sum + scalar_abs2 (alpha) < GLA_QR_SMALL)
    h = careful_reflector (rv - skip, column + skip, alpha, next + skip, ld, after, d);
  else
    h = reflect (alpha, sum);
  for (int c = 0; c < after; c++) {
    const scalar top = row_get (next + c * ld, r);
    d[c] = scalar_mul (scalar_conj (h.tau), top + scalar_mul (scalar_conj (h.inv), d[c]));
    row_set (next + c * ld, r, top - d[c]);
  }
  reflect_columns (rv - skip, column + skip, h.inv, next + skip, ld, after, d);
  row_set (column, r, scalar_make (1, 0));
  R[r + j * ldr] = scalar_make (h.beta, 0);
  T[j + j * GLA_QR_PANEL] = h.tau;
}

// Fills T of V, whose diagonal is set: T(0:j, j) = -tau_j T(0:j, 0:j) V(:, 0:j)'*v_j.
static void fill_triangle (int64_t w, scalar *T, int64_t ldt, const scalar *cross, int64_t ldx)
{
  for (int64_t j = 1; j < w; j++)
    for (int64_t i = 0; i < j; i++) {
      scalar sum = scalar_make (0, 0);
      for (int64_t k = i; k < j; k++)
        sum += scalar_mul (T[i + k * ldt], cross[k + j * ldx]);
      T[i + j * ldt] = -scalar_mul (T[j + j * ldt], sum);
    }
}

// Reflects columns a(:, 0..w-1) from row j0 on; R and T start at the same column.
static void rows_panel (int64_t rv, int64_t j0, int w, num *a, int64_t ld, scalar *R, int64_t ldr,
                        scalar *T)
{
  const int64_t skip = j0 / GLA_LANES;
  scalar cross[GLA_QR_PANEL * GLA_QR_PANEL];
  for (int j = 0; j < w; j++)
    for (int64_t i = 0; i < j0; i++) {
      R[i + j * ldr] = row_get (a + j * ld, i);
      row_set (a + j * ld, i, scalar_make (0, 0));
    }
  for (int j = 0; j < w; j++)
    panel_column (rv, j0, j, w, a, ld, R, ldr, T);
  if (w < 2)
    return;
  cross_products (rv - skip, a + skip, ld, w, a + skip, ld, w, cross, GLA_QR_PANEL);
  fill_triangle (w, T, GLA_QR_PANEL, cross, GLA_QR_PANEL);
}

//------------------------------------------------------------------------------
// a matrix
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) void rows_factor_of (int64_t m, int64_t n, num *a,
                                                                   int64_t ld, scalar *R,
                                                                   int64_t ldr, scalar *T,
                                                                   scalar *W, int once)
{
  const int64_t rv = registers_for (m), k = gla_min (m, n);
  for (int64_t j = 0; j < k; j += GLA_QR_PANEL) {
    const int w = (int)gla_min (GLA_QR_PANEL, k - j);
    const int64_t skip = j / GLA_LANES, next = j + w;
    rows_panel (rv, j, w, a + j * ld, ld, R + j * ldr, ldr, T + j * GLA_QR_PANEL);
    if (next < n && once)
      rows_apply_once (rv - skip, a + skip + j * ld, ld, w, T + j * GLA_QR_PANEL, 1,
                       a + skip + next * ld, ld, n - next, W);
    else if (next < n)
      rows_apply (rv - skip, a + skip + j * ld, ld, w, T + j * GLA_QR_PANEL, 1,
                  a + skip + next * ld, ld, n - next, W);
  }
  for (int64_t j = k; j < n; j++)
    for (int64_t i = 0; i < k; i++)
      R[i + j * ldr] = row_get (a + j * ld, i);
}

// Replaces a by V in its first k = min (m, n) columns; R is k x n, without zeros below the
// diagonal; T holds the triangle of every panel, GLA_QR_PANEL x k. W: GLA_QR_PANEL * n.
static void rows_factor (int64_t m, int64_t n, num *a, int64_t ld, scalar *R, int64_t ldr,
                         scalar *T, scalar *W)
{
  rows_factor_of (m, n, a, ld, R, ldr, T, W, 0);
}

// Sets C = Q'*C (adjoint) or Q*C. `triangular` says that C starts as zero in rows and columns that
// Q leaves unchanged: then block j touches only columns from j on.
static __attribute__ ((unused)) void rows_multiply (int64_t m, int64_t k, const num *V, int64_t ld,
                                                    const scalar *T, int adjoint, num *C,
                                                    int64_t ldc, int64_t nc, int triangular,
                                                    scalar *W)
{
  const int64_t rv = registers_for (m), panels = (k + GLA_QR_PANEL - 1) / GLA_QR_PANEL;
  for (int64_t p = 0; p < panels; p++) {
    const int64_t j = (adjoint ? p : panels - 1 - p) * GLA_QR_PANEL, skip = j / GLA_LANES;
    const int64_t first = triangular ? j : 0;
    if (first >= nc)
      continue;
    if (adjoint ? ONCE_ADJOINT : ONCE_Q)
      rows_apply_once (rv - skip, V + skip + j * ld, ld, (int)gla_min (GLA_QR_PANEL, k - j),
                       T + j * GLA_QR_PANEL, adjoint, C + skip + first * ldc, ldc, nc - first, W);
    else
      rows_apply (rv - skip, V + skip + j * ld, ld, (int)gla_min (GLA_QR_PANEL, k - j),
                  T + j * GLA_QR_PANEL, adjoint, C + skip + first * ldc, ldc, nc - first, W);
  }
}

#endif
