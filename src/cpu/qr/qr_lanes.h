// qr_lanes.h: small pages, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Element (i, j) of all pages is at a[i + j*m]. Columns are updated a few at a time, so that enough
// sums are computed at once.

#ifndef GPULINALG_CPU_QR_QR_LANES_H
#define GPULINALG_CPU_QR_QR_LANES_H

#include "cpu/common/carve.h"
#include "cpu/common/exponent.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_move.h"
#include "cpu/common/lanes_reflector.h"
#include "cpu/common/reflector.h"
#include "cpu/common/minmax.h"

#include "qr.h"
#include "qr_page.h"

#include <string.h>

typedef struct {
  num *a, *b; // the pages; columns of B, or W
  num *tau, *w;
  vec *up;
  num *v; // reflectors of one page in all lanes, and their factors
} lanes_work;

// Whether lanes take columns of B of one page instead of pages: if there are too few pages for
// them. The results have the same bits.
static inline int lanes_by_columns (const gla_qr_job *job, int64_t pages)
{
  const int64_t registers = (job->rhs + GLA_LANES - 1) / GLA_LANES;
  return pages * (registers + job->n) < job->rhs;
}

static size_t lanes_layout (char *base, const gla_qr_job *job, lanes_work *w)
{
  const int64_t m = job->m, k = gla_min (m, job->n);
  int64_t b = gla_min (job->rhs, STRIP);
  b = job->wy ? gla_max (b, k) : b;
  const int columns = lanes_by_columns (job, 1);
  size_t at = 0;
  w->a = gla_carve (base, &at, (size_t)(m * gla_max (job->n, job->q_columns)) * sizeof *w->a);
  w->b = gla_carve (base, &at, (size_t)(m * b) * sizeof *w->b);
  w->tau = gla_carve (base, &at, (size_t)k * sizeof *w->tau);
  w->w = gla_carve (base, &at, (size_t)k * sizeof *w->w);
  w->up = gla_carve (base, &at, (size_t)job->n * sizeof *w->up);
  w->v = gla_carve (base, &at, (size_t)(columns ? m * k + k : 0) * sizeof *w->v);
  return at;
}

//------------------------------------------------------------------------------
// between pages and lanes
//------------------------------------------------------------------------------

// Loads column j of the pages first..first+count-1; lanes without a page repeat the first one.
static inline void lanes_load (const gla_array *A, int64_t first, int count, int64_t j,
                               const real **from)
{
  for (int l = 0; l < GLA_LANES; l++)
    from[l] = column_of (A, first + (l < count ? l : 0), j);
}

static inline void lanes_gather (int64_t m, const real **from, vec down, num *to)
{
  for (int64_t i = 0; i < m; i++) {
    num x = num_zero ();
    for (int l = 0; l < GLA_LANES; l++) {
      x.re[l] = from[l][GLA_PARTS * i];
#if GLA_COMPLEX
      x.im[l] = from[l][2 * i + 1];
#endif
    }
    to[i] = num_scale (down, x);
  }
}

// Stores rows 0..rows-1 of a column in column j of every page, times `up`, and zeros down to `all`.
static inline void lanes_store (const gla_array *A, int64_t first, int count, int64_t j,
                                const num *from, int64_t rows, vec up, int64_t all)
{
  for (int l = 0; l < count; l++) {
    const real *x = (const real *)from + l;
    real *to = column_of (A, first + l, j), f = up[l];
    for (int64_t i = 0; i < rows; i++) {
      to[GLA_PARTS * i] = x[GLA_PARTS * GLA_LANES * i] * f;
#if GLA_COMPLEX
      to[2 * i + 1] = x[(2 * i + 1) * GLA_LANES] * f;
#endif
    }
    memset (to + rows * GLA_PARTS, 0, (size_t)((all - rows) * GLA_PARTS) * sizeof *to);
  }
}

//------------------------------------------------------------------------------
// reflectors
//------------------------------------------------------------------------------

// Makes the reflector if squares of some lane underflow or nothing is left of a column: every lane
// follows the rules of its own column, so that it does not matter which lane required this.
static lanes_reflector lanes_careful (int64_t rows, num *x, num alpha, vec sum)
{
  mask none = {0};
  vec down = vec_broadcast (1), up = down;
  for (int l = 0; l < GLA_LANES; l++) {
    bits rest = 0, all;
    for (int64_t i = 0; i < rows * GLA_PARTS; i++) {
      bits b = abs_bits (((const real *)x)[i * GLA_LANES + l]);
      rest = b > rest ? b : rest;
    }
    all = abs_bits (alpha.re[l]);
    real square = alpha.re[l] * alpha.re[l] + sum[l];
#if GLA_COMPLEX
    bits im = abs_bits (alpha.im[l]);
    all = im > all ? im : all;
    none[l] = -(bits)(rest == 0 && im == 0);
    square = alpha.re[l] * alpha.re[l] + alpha.im[l] * alpha.im[l] + sum[l];
#else
    none[l] = -(bits)(rest == 0);
#endif
    all = rest > all ? rest : all;
    const int e = square < GLA_QR_SMALL ? exponent_of (all) : 0;
    down[l] = power_of_two (-e);
    up[l] = power_of_two (e);
  }
  vec again = vec_broadcast (0);
  for (int64_t i = 0; i < rows; i++) {
    x[i] = num_scale (down, x[i]);
    again += num_abs2 (x[i]);
  }
  again = vec_select (down == vec_broadcast (1), sum, again);
  lanes_reflector h = lanes_reflect (num_scale (down, alpha), again, none);
  h.beta *= up;
  return h;
}

// Stores R above the diagonal and on it, v below it.
static void lanes_factor (int64_t m, int64_t n, num *a, num *tau)
{
  for (int64_t j = 0; j < gla_min (m, n); j++) {
    num *c = a + j + j * m, alpha = *c;
    const int64_t rows = m - j;
    vec sum = vec_broadcast (0);
    for (int64_t i = 1; i < rows; i++)
      sum += num_abs2 (c[i]);
    lanes_reflector h;
    const vec square = sum + num_abs2 (alpha);
    if (mask_any ((square < vec_broadcast (GLA_QR_SMALL)) | (sum == vec_broadcast (0))))
      h = lanes_careful (rows - 1, c + 1, alpha, sum);
    else
      h = lanes_reflect (alpha, sum, (mask){0});
    for (int64_t i = 1; i < rows; i++)
      c[i] = num_mul (c[i], h.inv);
    tau[j] = h.tau;
    *c = num_from_real (h.beta);
    lanes_update (rows, c, num_conj (h.tau), c + m, m, n - j - 1);
  }
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Column j of Q overwrites v_j, which is no longer needed.
static void lanes_q (int64_t m, int64_t k, int64_t columns, num *a, const num *tau)
{
  const num one = num_from_real (vec_broadcast (1));
  if (columns > k)
    memset (a + k * m, 0, (size_t)((columns - k) * m) * sizeof *a);
  for (int64_t j = k; j < columns; j++)
    a[j + j * m] = one;
  for (int64_t j = k - 1; j >= 0; j--) {
    num *c = a + j + j * m;
    lanes_update (m - j, c, tau[j], c + m, m, columns - j - 1);
    memset (a + j * m, 0, (size_t)j * sizeof *a);
    *c = num_sub (one, tau[j]);
    for (int64_t i = 1; i < m - j; i++)
      c[i] = num_sub (num_zero (), num_mul (c[i], tau[j]));
  }
}

// Scales columns of B that products with reflectors could make too large; returns the factors for
// the results. Every lane depends on its own column alone.
static vec lanes_below_limit (int64_t m, num *x)
{
  vec up = vec_broadcast (1), down = up;
  const vec limit = limit_of (m);
  mask above = {0};
  for (int64_t i = 0; i < m; i++)
    above |= num_above (x[i], limit);
  if (!mask_any (above))
    return up;
  for (int l = 0; l < GLA_LANES; l++) {
    bits most = 0;
    for (int64_t i = 0; i < m * GLA_PARTS; i++)
      most = gla_max (most, abs_bits (((const real *)x)[i * GLA_LANES + l]));
    const int e = exponent_above (most, m);
    up[l] = power_of_two (e);
    down[l] = power_of_two (-e);
  }
  lanes_scale (m, x, down);
  return up;
}

static void lanes_c (gla_cpu_qr_task *task, int64_t first, int count, const lanes_work *w)
{
  const gla_qr_job *job = task->job;
  const int64_t m = job->m, k = gla_min (m, job->n);
  const real *from[GLA_LANES];
  vec up[STRIP];
  for (int64_t q = 0; q < job->rhs; q += STRIP) {
    const int64_t columns = gla_min (STRIP, job->rhs - q);
    for (int64_t j = 0; j < columns; j++) {
      lanes_load (&task->chunk->B, first, count, q + j, from);
      lanes_gather (m, from, vec_broadcast (1), w->b + j * m);
      up[j] = lanes_below_limit (m, w->b + j * m);
    }
    for (int64_t j = 0; j < k; j++)
      lanes_update (m - j, w->a + j + j * m, num_conj (w->tau[j]), w->b + j, m, columns);
    for (int64_t j = 0; j < columns; j++)
      lanes_store (&task->chunk->C, first, count, q + j, w->b + j * m, job->c_rows, up[j],
                   job->c_rows);
  }
}

static inline num lanes_same (num x, int lane)
{
  x.re = vec_broadcast (x.re[lane]);
#if GLA_COMPLEX
  x.im = vec_broadcast (x.im[lane]);
#endif
  return x;
}

// Computes Q'*B of a page whose reflectors are in this lane, with a column of B in each lane.
static void lanes_c_of_page (gla_cpu_qr_task *task, int64_t page, int lane, const lanes_work *w)
{
  const gla_qr_job *job = task->job;
  const int64_t m = job->m, k = gla_min (m, job->n), width = STRIP * GLA_LANES;
  num *v = w->v, *factor = v + m * k;
  vec up[STRIP];
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = j + 1; i < m; i++)
      v[i + j * m] = lanes_same (w->a[i + j * m], lane);
    factor[j] = num_conj (lanes_same (w->tau[j], lane));
  }
  for (int64_t q = 0; q < job->rhs; q += width) {
    const int64_t columns = gla_min (width, job->rhs - q);
    const int64_t registers = (columns + GLA_LANES - 1) / GLA_LANES;
    if (gla_cpu_qr_stopped (task, 0))
      return;
    for (int64_t r = 0; r < registers; r++) {
      lanes_sources from;
      for (int l = 0; l < GLA_LANES; l++)
        from.at[l] =
            column_of (&task->chunk->B, page, q + gla_min (r * GLA_LANES + l, columns - 1));
      lanes_load_run ((vec *)(w->b + r * m), &from, m * GLA_PARTS);
      up[r] = lanes_below_limit (m, w->b + r * m);
    }
    for (int64_t j = 0; j < k; j++)
      lanes_update (m - j, v + j + j * m, factor[j], w->b + j, m, registers);
    for (int64_t r = 0; r < registers; r++) {
      lanes_targets to = {.live = 0};
      if (mask_any (up[r] != vec_broadcast (1)))
        lanes_scale (job->c_rows, w->b + r * m, up[r]);
      for (int l = 0; l < GLA_LANES && r * GLA_LANES + l < columns; l++) {
        to.at[l] = column_of (&task->chunk->C, page, q + r * GLA_LANES + l);
        to.live |= 1u << l;
      }
      lanes_store_run (&to, (const vec *)(w->b + r * m), job->c_rows * GLA_PARTS);
    }
  }
}

// Replaces the diagonal and the entries above it by those of Y; then W = -Y*T, column by column:
// w_j = -(v_j + W Y'*v_j) tau_j.
static void lanes_wy (gla_cpu_qr_task *task, int64_t first, int count, const lanes_work *w)
{
  const int64_t m = task->job->m, k = gla_min (m, task->job->n);
  for (int64_t j = 0; j < k; j++) {
    num *v = w->a + j * m, *to = w->b + j * m;
    memset (v, 0, (size_t)j * sizeof *v);
    v[j] = num_from_real (vec_broadcast (1));
    memcpy (to, v, (size_t)m * sizeof *v);
    for (int64_t q = 0; q < j; q++) {
      num dot = num_zero ();
      for (int64_t i = j; i < m; i++)
        dot = num_fmac (dot, w->a[i + q * m], v[i]);
      for (int64_t i = 0; i < m; i++)
        to[i] = num_fma (to[i], w->b[i + q * m], dot);
    }
    const num minus = num_sub (num_zero (), w->tau[j]);
    for (int64_t i = 0; i < m; i++)
      to[i] = num_mul (to[i], minus);
    lanes_store (&task->chunk->Y, first, count, j, v, m, vec_broadcast (1), m);
    lanes_store (&task->chunk->W, first, count, j, to, m, vec_broadcast (1), m);
  }
}

static void solve_lanes (gla_cpu_qr_task *task, int64_t first, int count)
{
  const gla_qr_job *job = task->job;
  const gla_qr_chunk *c = task->chunk;
  const int64_t m = job->m, n = job->n, k = gla_min (m, n);
  const real *from[GLA_LANES];
  lanes_work w;
  lanes_layout (task->work, job, &w);
  for (int64_t j = 0; j < n; j++) {
    vec down;
    lanes_load (&c->A, first, count, j, from);
    for (int l = 0; l < GLA_LANES; l++) {
      const int e = column_exponent (from[l], m);
      down[l] = power_of_two (-e);
      w.up[j][l] = power_of_two (e);
    }
    lanes_gather (m, from, down, w.a + j * m);
  }
  lanes_factor (m, n, w.a, w.tau);
  for (int64_t j = 0; job->r_rows && j < n; j++)
    lanes_store (&c->R, first, count, j, w.a + j * m, gla_min (j + 1, k), w.up[j], job->r_rows);
  if (job->rhs && lanes_by_columns (job, count))
    for (int l = 0; l < count; l++)
      lanes_c_of_page (task, first + l, l, &w);
  else if (job->rhs)
    lanes_c (task, first, count, &w);
  if (job->wy)
    lanes_wy (task, first, count, &w);
  if (!job->q_columns)
    return;
  lanes_q (m, k, job->q_columns, w.a, w.tau);
  for (int64_t j = 0; j < job->q_columns; j++)
    lanes_store (&c->Q, first, count, j, w.a + j * m, m, vec_broadcast (1), m);
}

#endif
