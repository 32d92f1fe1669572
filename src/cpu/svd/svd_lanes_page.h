// svd_lanes_page.h: small pages: loads them into lanes, decomposes them, and stores results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_SVD_SVD_LANES_PAGE_H
#define GPULINALG_CPU_SVD_SVD_LANES_PAGE_H

#include "cpu/common/columns.h"
#include "cpu/common/lanes_move.h"
#include "svd_lanes.h"
#include "svd_rows.h"
#include "svd_vectors.h"

//------------------------------------------------------------------------------
// pages to lanes, scaled, and results back
//------------------------------------------------------------------------------

// The functions of lanes_move.h, with an operation on each number, which saves a pass over long
// pages.

// Numbers are multiplied by down0, then by down1; lanes where down0 is 0 become 0 even if the page
// has NaN: 0 * NaN is NaN.
typedef struct {
  vec down0, down1;
} lanes_scale;

static inline vec lanes_scaled (const lanes_scale *s, vec x)
{
  const vec zero = vec_broadcast (0);
  return vec_select (s->down0 != zero, s->down1 * (s->down0 * x), zero);
}

static inline __attribute__ ((always_inline)) void
load_scaled_block (vec *to, const lanes_sources *from, int64_t at, const lanes_scale *s)
{
  lanes_load_block (to, from, at);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    to[at + l] = lanes_scaled (s, to[at + l]);
}

static __attribute__ ((noinline)) void load_scaled_run (vec *to, const lanes_sources *from,
                                                        int64_t count, const lanes_scale *s)
{
  const lanes_scale scale = *s;
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    load_scaled_block (to, from, i, &scale);
  if (i > 0 && count - i > FEW_NUMBERS) {
    load_scaled_block (to, from, count - GLA_LANES, &scale);
    return;
  }
  for (; i < count; i++)
    to[i] = lanes_scaled (&scale, lanes_gather_real (from, i));
}

// -0 becomes 0.
static inline __attribute__ ((always_inline)) void
store_positive_block (const lanes_targets *to, const vec *from, int64_t at)
{
  vec x[GLA_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    x[l] = from[at + l] + vec_broadcast (0);
  lanes_transpose (x);
#pragma GCC unroll 16
  for (int l = 0; l < GLA_LANES; l++)
    if (to->live >> l & 1)
      *(vec_anywhere *)(to->at[l] + at) = (vec_anywhere)x[l];
}

static __attribute__ ((noinline)) void store_positive_run (const lanes_targets *to, const vec *from,
                                                           int64_t count)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= count; i += GLA_LANES)
    store_positive_block (to, from, i);
  if (i > 0 && count - i > FEW_NUMBERS) {
    store_positive_block (to, from, count - GLA_LANES);
    return;
  }
  for (; i < count; i++)
    lanes_scatter_real (to, i, from[i] + vec_broadcast (0));
}

//------------------------------------------------------------------------------
// small pages: into lanes, decomposed, and back
//------------------------------------------------------------------------------

// Columns of the long side's vectors at a time.
enum { SVD_STRIP = 8 };

typedef struct {
  lanes_svd s;
  num *c; // m x strip: columns of Q*Y
  lanes_rows rows;
  svd_scale scale[GLA_LANES];
  const int64_t *page; // of each lane
  int count;           // pages in lanes, in the first ones
  unsigned live;       // bit l: lane l has a page whose results are stored
} lanes_page;

// Returns registers of pages that are solved together: two if both stay in the second-level cache.
static int svd_registers (const gla_svd_job *job)
{
  return gla_min (job->m, job->n) <= 32 ? 2 : 1;
}

static int64_t strip_of (int64_t k)
{
  return gla_max (k, SVD_STRIP);
}

static size_t lanes_page_layout (char *base, int64_t m, int64_t n, lanes_page *p)
{
  const int64_t rows = gla_max (m, n), k = gla_min (m, n);
  size_t at = 0;
  lanes_svd_layout (base, &at, rows, k, &p->s);
  p->c = gla_carve (base, &at, (size_t)(rows * strip_of (k)) * sizeof (num));
  lanes_rows_layout (base, &at, rows, &p->rows);
  return at;
}

//------------------------------------------------------------------------------
// between pages and lanes
//------------------------------------------------------------------------------

// Reads contiguous columns of the pages, rows x columns, scaled; lanes without a page repeat the
// first.
static void read_columns (const gla_array *A, const int64_t *page, int count,
                          const lanes_scale *scale, num *to)
{
  const int whole = A->column_stride == A->rows;
  const int64_t runs = whole ? 1 : A->columns, length = whole ? A->rows * A->columns : A->rows;
  for (int64_t j = 0; j < runs; j++) {
    lanes_sources from;
    for (int l = 0; l < GLA_LANES; l++)
      from.at[l] = column_of (A, page[l < count ? l : 0], j);
    load_scaled_run ((vec *)(to + j * A->rows), &from, length * GLA_PARTS, scale);
  }
}

// Returns element (i, j) of lane l of an array of k rows.
static inline real *in_lane (num *x, int64_t k, int64_t i, int64_t j, int l)
{
  return (real *)(x + i + j * k) + l;
}

static inline scalar lane_get (num *x, int64_t k, int64_t i, int64_t j, int l)
{
  const real *y = in_lane (x, k, i, j, l);
  return scalar_make (y[0], GLA_COMPLEX ? y[GLA_COMPLEX * GLA_LANES] : 0);
}

static inline void lane_set (num *x, int64_t k, int64_t i, int64_t j, int l, scalar value)
{
  real *y = in_lane (x, k, i, j, l);
  y[0] = __real__ value;
#if GLA_COMPLEX
  y[GLA_LANES] = __imag__ value;
#endif
}

static unsigned first_lanes (int count)
{
  return (1u << count) - 1;
}

// Writes columns j.. of the pages of a result, of the lanes whose bit is set in `live`; -0 becomes
// 0, because the sign of a zero depends on what the other lanes did.
static void write_columns (const gla_array *A, const int64_t *page, unsigned live, int64_t j,
                           int64_t columns, num *from)
{
  const int whole = A->column_stride == A->rows;
  const int64_t runs = whole ? 1 : columns, length = whole ? A->rows * columns : A->rows;
  const vec *x = (const vec *)from;
  for (int64_t r = 0; r < runs; r++) {
    lanes_targets to = {.live = live};
    for (int l = 0; l < GLA_LANES; l++)
      to.at[l] = live >> l & 1 ? column_of (A, page[l], j + r) : NULL;
    store_positive_run (&to, x + r * A->rows * GLA_PARTS, length * GLA_PARTS);
  }
}

// Loads T of the pages, graded rows in order of their length; zeros if one is not finite, or there
// is none.
static void load_pages (const gla_array *A, lanes_page *p)
{
  const int64_t m = A->rows, n = A->columns;
  num *a = p->s.qr.a, *from = m >= n ? a : p->c;
  lanes_scale scale = {vec_broadcast (0), vec_broadcast (0)};
  for (int l = 0; l < p->count; l++) {
    p->scale[l] = svd_scale_of (A, p->page[l], GLA_SVD_TOP);
    scale.down0[l] = p->scale[l].info == 0 ? p->scale[l].down[0] : 0;
    scale.down1[l] = p->scale[l].down[1];
  }
  read_columns (A, p->page, p->count, &scale, from);
  for (int64_t j = 0; m < n && j < n; j++)
    for (int64_t i = 0; i < m; i++)
      a[j + i * n] = num_conj (from[i + j * m]);
  sort_lanes_rows (p->s.qr.m, p->s.qr.k, a, &p->rows);
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Forms columns j..j+count-1 of Q*[Y 0; 0 I] in p->c.
static void form_long (const lanes_page *p, int64_t j, int64_t count)
{
  const int64_t m = p->s.qr.m, k = p->s.qr.k;
  const int whole = k % Q_BLOCK == 0 && j + count <= k; // then Q needs no zeros
  if (!whole)
    memset (p->c, 0, (size_t)(m * count) * sizeof *p->c);
  for (int64_t q = 0; q < count; q++)
    if (j + q < k)
      memcpy (p->c + q * m, p->s.left + (j + q) * k, (size_t)k * sizeof *p->c);
    else
      p->c[j + q + q * m] = num_from_real (vec_broadcast (1));
  lanes_times_Q (&p->s.qr, p->c, count, whole ? k : m);
  unsort_lanes_rows (m, count, p->c, &p->rows);
}

// Stores the vectors of the long side. V is the array with the phases, of which `fix` columns are
// fixed: then those of the short side are multiplied by the same factors.
static void store_long (const gla_array *to, const lanes_page *p, int64_t fix)
{
  const int64_t m = p->s.qr.m, k = p->s.qr.k, strip = strip_of (k);
  for (int64_t j = 0; j < to->columns; j += strip) {
    const int64_t count = gla_min (strip, to->columns - j);
    form_long (p, j, count);
    for (int64_t q = 0; q < count && j + q < fix; q++)
      times_phase (k, fix_phase (m, p->c + q * m), p->s.right + (j + q) * k);
    write_columns (to, p->page, p->live, j, count, p->c);
  }
}

static void store_vectors (const gla_svd_job *job, const gla_svd_chunk *c, const lanes_page *p)
{
  const int wide = job->m < job->n;
  const gla_array *to_long = wide ? &c->V : &c->U, *to_short = wide ? &c->U : &c->V;
  const int64_t k = p->s.qr.k;
  const int of_long = (wide ? job->v_columns : job->u_columns) > 0;
  const int of_short = (wide ? job->u_columns : job->v_columns) > 0;
  if (of_long)
    form_left (&p->s);
  if (of_short)
    form_right (&p->s);
  for (int64_t j = 0; of_short && !wide && j < job->values; j++) {
    const num f = fix_phase (k, p->s.right + j * k);
    if (of_long)
      times_phase (k, f, p->s.left + j * k);
  }
  if (of_long)
    store_long (to_long, p, wide ? job->values : 0);
  if (of_short)
    write_columns (to_short, p->page, p->live, 0, to_short->columns, p->s.right);
}

static void store_values (const gla_svd_job *job, const gla_svd_chunk *c, const lanes_page *p)
{
  for (int l = 0; l < GLA_LANES; l++) {
    const svd_scale *s = &p->scale[l];
    for (int64_t j = 0; p->live >> l & 1 && j < job->values; j++)
      store_value (c, p->page[l], j,
                   p->s.sigma[p->s.order[j * GLA_LANES + l]][l] * s->up[0] * s->up[1]);
  }
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

// Sets info of the pages, and NaN if it is not 0.
static void settle_register (const gla_svd_chunk *c, const lanes_page *p, const int *unconverged)
{
  for (int l = 0; l < GLA_LANES; l++) {
    if (!(p->live >> l & 1))
      continue;
    const int32_t info = p->scale[l].info != 0 ? p->scale[l].info : unconverged[l];
    c->info[p->page[l]] = info;
    if (info != 0)
      store_failed (c, p->page[l], info);
  }
}

static svd_sweeps sweeps_of (const gla_svd_job *job)
{
  return (svd_sweeps){.vectors = job->u_columns > 0 || job->v_columns > 0,
                      .y = (job->m < job->n ? job->v_columns : job->u_columns) > 0,
                      .sweeps = job->maxit,
                      .tol = (real)job->tol};
}

// Solves one or two registers of pages.
static void solve_registers (gla_cpu_svd_task *task, int registers, lanes_page *p)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *c = task->chunk;
  const svd_sweeps wanted = sweeps_of (job);
  lanes_svd *s[2] = {&p[0].s, &p[1].s};
  int unconverged[2][GLA_LANES];
  for (int g = 0; g < registers; g++)
    load_pages (&c->A, &p[g]);
  decompose_lanes (registers, s, &wanted, unconverged);
  for (int g = 0; g < registers; g++) {
    store_values (job, c, &p[g]);
    if (wanted.vectors)
      store_vectors (job, c, &p[g]);
    settle_register (c, &p[g], unconverged[g]);
  }
}

// Solves pages pages[0..count-1].
static void solve_svd_lanes (gla_cpu_svd_task *task, char *work, const int64_t *pages, int count)
{
  const gla_svd_job *job = task->job;
  const int together = svd_registers (job);
  lanes_page p[2];
  size_t at = 0;
  for (int g = 0; g < together; g++)
    at += lanes_page_layout (work + at, job->m, job->n, &p[g]);
  for (int done = 0; done < count && !gla_cpu_svd_stopped (task); done += together * GLA_LANES) {
    int registers = 0;
    for (; registers < together && done + registers * GLA_LANES < count; registers++) {
      p[registers].page = pages + done + registers * GLA_LANES;
      p[registers].count = (int)gla_min (GLA_LANES, count - done - registers * GLA_LANES);
      p[registers].live = first_lanes (p[registers].count);
    }
    solve_registers (task, registers, p);
  }
}

#endif
