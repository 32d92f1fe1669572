// qr_page.h: a page in a cache with rows in lanes; and how results are written
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_QR_QR_PAGE_H
#define GPULINALG_CPU_QR_QR_PAGE_H

#include <string.h>

#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/columns.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"
#include "cpu/common/rows_reflector.h"
#include "qr.h"

//------------------------------------------------------------------------------
// what large pages need of reflectors on rows in lanes
//------------------------------------------------------------------------------

// Sets C = C - V*W, one tile of rows after the other, for a wide V.
static void subtract_wide (int64_t rv, const num *V, int64_t ldv, int64_t nv, num *C, int64_t ldc,
                           int64_t nc, const scalar *W, int64_t ldw)
{
  int64_t i = 0;
  for (; i + TILE_R <= rv; i += TILE_R) {
    int64_t c = 0;
    for (; c + TILE_C <= nc; c += TILE_C)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, TILE_R, TILE_C, W + c * ldw, ldw);
    for (; c < nc; c++)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, TILE_R, 1, W + c * ldw, ldw);
  }
  for (; i < rv; i++)
    for (int64_t c = 0; c < nc; c++)
      subtract_tile (V + i, ldv, nv, C + i + c * ldc, ldc, 1, 1, W + c * ldw, ldw);
}

// Does rows_factor for the leaf of a panel.
static void rows_factor_leaf (int64_t m, int64_t n, num *a, int64_t ld, scalar *R, int64_t ldr,
                              scalar *T, scalar *W)
{
  if (ONCE_LEAF)
    rows_factor_of (m, n, a, ld, R, ldr, T, W, 1);
  else
    rows_factor (m, n, a, ld, R, ldr, T, W);
}

//------------------------------------------------------------------------------
// a page in a cache, its rows in lanes; and how results are written
//------------------------------------------------------------------------------

// Stores column j of R: the first `count` elements of x, times 2^e, and zeros down to r_rows.
static void store_r_column (const gla_qr_chunk *c, int64_t page, int64_t j, int64_t count,
                            const scalar *x, int e)
{
  scalar *to = (scalar *)column_of (&c->R, page, j);
  const real up = power_of_two (e);
  for (int64_t i = 0; i < count; i++)
    to[i] = scalar_scale (up, x[i]);
  memset (to + count, 0, (size_t)(c->R.rows - count) * sizeof *to);
}

//------------------------------------------------------------------------------
// columns of B near the end of the range
//------------------------------------------------------------------------------

// Returns the smallest number above what reflectors of m rows can be applied to.
static inline vec limit_of (int64_t m)
{
  return vec_broadcast (power_of_two (exponent_limit (m) + 1));
}

static inline mask num_above (num x, vec limit)
{
#if GLA_COMPLEX
  return (vec_abs (x.re) >= limit) | (vec_abs (x.im) >= limit);
#else
  return vec_abs (x.re) >= limit;
#endif
}

static void lanes_scale (int64_t registers, num *x, vec factor)
{
  for (int64_t i = 0; i < registers; i++)
    x[i] = num_scale (factor, x[i]);
}

// Loads a column of B, scaled if it is above the limit; returns the exponent taken out.
static int load_below_limit (num *to, int64_t rows, const real *from, int64_t m)
{
  const vec limit = limit_of (m);
  mask above = {0};
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    const num x = load_register (from + GLA_PARTS * i);
    to[i / GLA_LANES] = x;
    above |= num_above (x, limit);
  }
  if (i < rows) {
    load_column (to + i / GLA_LANES, rows - i, from + GLA_PARTS * i, 1);
    above |= num_above (to[i / GLA_LANES], limit);
  }
  if (!mask_any (above))
    return 0;
  const int e = exponent_above (largest_of (from, rows * GLA_PARTS, 0), m);
  lanes_scale (registers_for (rows), to, vec_broadcast (power_of_two (-e)));
  return e;
}

//------------------------------------------------------------------------------
// one page
//------------------------------------------------------------------------------

enum { STRIP = 32 }; // columns of B at a time

typedef struct {
  num *a, *q; // q: Q, or columns of B, or W
  scalar *R, *T, *W, *Z;
  int *e;
} rows_work;

static size_t rows_layout (char *base, const gla_qr_job *job, rows_work *w)
{
  const int64_t m = job->m, n = job->n, k = gla_min (m, n), rv = registers_for (m);
  int64_t q = gla_max (job->q_columns, gla_min (job->rhs, STRIP));
  q = job->wy ? gla_max (q, k) : q;
  size_t at = 0;
  w->a = gla_carve (base, &at, (size_t)(rv * n) * sizeof (num));
  w->q = gla_carve (base, &at, (size_t)(rv * q) * sizeof (num));
  w->R = gla_carve (base, &at, (size_t)(k * n) * sizeof (scalar));
  w->T = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * k) * sizeof (scalar));
  w->W = gla_carve (base, &at, (size_t)(GLA_QR_PANEL * gla_max (n, q)) * sizeof (scalar));
  w->Z = gla_carve (base, &at, (size_t)(job->wy ? GLA_QR_PANEL * k : 0) * sizeof (scalar));
  w->e = gla_carve (base, &at, (size_t)n * sizeof (int));
  return at;
}

// Computes Q'*B of some columns, without the exponents e.
static void rows_c_strip (gla_cpu_qr_task *task, int64_t page, const rows_work *w, int64_t first,
                          int64_t count, const int *e)
{
  const int64_t m = task->job->m, rv = registers_for (m), k = gla_min (m, task->job->n);
  for (int64_t j = 0; j < count; j++)
    load_column (w->q + j * rv, m, column_of (&task->chunk->B, page, first + j),
                 power_of_two (-e[j]));
  rows_multiply (m, k, w->a, rv, w->T, 1, w->q, rv, count, 0, w->W);
}

// Finds exponents of columns that have overflowed: then row k, which all reflectors change, has no
// number. It is tested afterwards, because reading all of B takes a tenth of the time if k is
// small. Returns whether there are some.
static int rows_overflowed (const gla_cpu_qr_task *task, int64_t page, const rows_work *w,
                            int64_t first, int64_t count, int *e)
{
  const int64_t m = task->job->m, rv = registers_for (m), k = gla_min (m, task->job->n);
  int some = 0;
  for (int64_t j = 0; j < count; j++) {
    const scalar x = row_get (w->q + j * rv, k - 1);
    if (__real__ x - __real__ x == 0 && __imag__ x - __imag__ x == 0)
      continue;
    const real *from = column_of (&task->chunk->B, page, first + j);
    e[j] = exponent_above (largest_of (from, m * GLA_PARTS, 0), m);
    some |= e[j] > 0;
  }
  return some;
}

static void rows_c (gla_cpu_qr_task *task, int64_t page, const rows_work *w)
{
  const gla_qr_job *job = task->job;
  const int64_t rv = registers_for (job->m);
  for (int64_t first = 0; first < job->rhs; first += STRIP) {
    const int64_t count = gla_min (STRIP, job->rhs - first);
    int e[STRIP] = {0};
    rows_c_strip (task, page, w, first, count, e);
    if (rows_overflowed (task, page, w, first, count, e))
      rows_c_strip (task, page, w, first, count, e);
    for (int64_t j = 0; j < count; j++) {
      if (e[j] > 0)
        lanes_scale (rv, w->q + j * rv, vec_broadcast (power_of_two (e[j])));
      store_rows (column_of (&task->chunk->C, page, first + j), job->c_rows, w->q + j * rv);
    }
  }
}

// Computes -W = Y*T of all columns, by panels: -W_p = (V_p - (-W) Y'*V_p) T_p.
static void rows_wy (gla_cpu_qr_task *task, int64_t page, const rows_work *w)
{
  const int64_t m = task->job->m, rv = registers_for (m), k = gla_min (m, task->job->n);
  for (int64_t j0 = 0; j0 < k; j0 += GLA_QR_PANEL) {
    const int64_t count = gla_min (GLA_QR_PANEL, k - j0), skip = j0 / GLA_LANES;
    const scalar *T = w->T + j0 * GLA_QR_PANEL;
    num *to = w->q + j0 * rv;
    memcpy (to, w->a + j0 * rv, (size_t)(count * rv) * sizeof *to);
    cross_products (rv - skip, w->a + skip, rv, j0, w->a + skip + j0 * rv, rv, count, w->Z, k);
    subtract (rv, w->q, rv, j0, to, rv, count, w->Z, k);
    for (int64_t j = count - 1; j >= 0; j--)
      for (int64_t i = 0; i < rv; i++) {
        num x = num_zero ();
        for (int64_t v = 0; v <= j; v++)
          x = num_fma (x, to[i + v * rv], num_broadcast (T[v + j * GLA_QR_PANEL]));
        to[i + j * rv] = x;
      }
  }
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = 0; i < rv; i++)
      w->q[i + j * rv] = num_sub (num_zero (), w->q[i + j * rv]);
    store_rows (column_of (&task->chunk->W, page, j), m, w->q + j * rv);
    store_rows (column_of (&task->chunk->Y, page, j), m, w->a + j * rv);
  }
}

static void solve_rows (gla_cpu_qr_task *task, int64_t page)
{
  const gla_qr_job *job = task->job;
  const gla_qr_chunk *c = task->chunk;
  const int64_t m = job->m, n = job->n, k = gla_min (m, n), rv = registers_for (m);
  rows_work w;
  rows_layout (task->work, job, &w);
  for (int64_t j = 0; j < n; j++) {
    const real *from = column_of (&c->A, page, j);
    w.e[j] = column_exponent (from, m);
    load_column (w.a + j * rv, m, from, power_of_two (-w.e[j]));
  }
  rows_factor (m, n, w.a, rv, w.R, k, w.T, w.W);
  for (int64_t j = 0; job->r_rows && j < n; j++)
    store_r_column (c, page, j, gla_min (j + 1, k), w.R + j * k, w.e[j]);
  if (job->rhs)
    rows_c (task, page, &w);
  if (job->wy)
    rows_wy (task, page, &w);
  if (!job->q_columns)
    return;
  memset (w.q, 0, (size_t)(rv * job->q_columns) * sizeof *w.q);
  for (int64_t j = 0; j < job->q_columns; j++)
    row_set (w.q + j * rv, j, scalar_make (1, 0));
  rows_multiply (m, k, w.a, rv, w.T, 0, w.q, rv, job->q_columns, 1, w.W);
  for (int64_t j = 0; j < job->q_columns; j++)
    store_rows (column_of (&c->Q, page, j), m, w.q + j * rv);
}

#endif
