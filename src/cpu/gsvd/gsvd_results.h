// gsvd_results.h: values in order, vectors from their factors, X
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GSVD_GSVD_RESULTS_H
#define GPULINALG_CPU_GSVD_GSVD_RESULTS_H

#include "common/products.h"
#include "cpu/common/minmax.h"

#include "gsvd.h"
#include "gsvd_core.h"
#include "gsvd_lapack.h"
#include "gsvd_load.h"
#include "gsvd_rank.h"
#include "gsvd_work.h"

#include <math.h>
#include <string.h>

//------------------------------------------------------------------------------
// values in order
//------------------------------------------------------------------------------

// Makes a finite value.
static entry entry_of (double sigma, int exponent, int u, int v)
{
  entry e = {.u = u, .v = v, .kind = VALUE_FINITE};
  e.mantissa = frexp (sigma, &e.exponent);
  e.exponent += exponent;
  return e;
}

// Computes C and S, with C/S = sigma * 2^shift.
static void cosine_sine (const entry *e, int shift, double *c, double *s)
{
  const int up = e->exponent + shift > 0;
  const double t = up ? ldexp (1 / e->mantissa, -(e->exponent + shift))
                      : ldexp (e->mantissa, e->exponent + shift);
  const double h = sqrt (1 + t * t);
  *c = up ? 1 / h : t / h;
  *s = up ? t / h : 1 / h;
  if (e->kind != VALUE_FINITE) {
    *c = e->kind == VALUE_INFINITE;
    *s = e->kind == VALUE_ZERO;
  }
}

static int smaller (const entry *a, const entry *b)
{
  return a->exponent != b->exponent ? a->exponent < b->exponent : a->mantissa < b->mantissa;
}

// Does a merge sort of count entries; scratch holds half as many.
static void sort_entries (entry *e, int count, entry *scratch)
{
  if (count < 2)
    return;
  const int half = count / 2;
  sort_entries (e, half, scratch);
  sort_entries (e + half, count - half, scratch);
  memcpy (scratch, e, (size_t)half * sizeof *e);
  for (int to = 0, i = 0, j = half; i < half; to++)
    e[to] = j < count && smaller (&e[j], &scratch[i]) ? e[j++] : scratch[i++];
}

// Makes the q entries. If [A; B] has rank r < q, q - r of them have no column in X: they get sigma
// = 0, as long as B has rows for them. The shapes of C and S need at least q - m zeros and q - n
// infinities; if the ranks give fewer, finite pairs are written as one of each: columns s*x and c*x
// of X instead of x.
static void make_entries (gsvd *w)
{
  const core_result *r = &w->result;
  const int rank = (int)r->rank, columns = (int)w->pair.columns, q = (int)w->q;
  const int of = (int)w->offset_f, og = (int)w->offset_g;
  const int zeros = og + columns - rank, spare = q - (of + og + columns);
  const int lost = (int)gla_max (0, spare - (int)(w->m + w->n) + (of + rank) + (og + columns));
  const int infs = (int)gla_max (0, (w->q - w->n) - (of + lost));
  const entry zero = {.kind = VALUE_ZERO, .u = -1, .v = -1, .nothing = 1};
  const entry inf = {.kind = VALUE_INFINITE, .u = -1, .v = -1, .nothing = 1};
  entry *e = w->entries;
  for (int j = 0; j < spare - lost - infs; j++)
    *e++ = zero;
  for (int j = 0; j < zeros; j++) {
    *e = zero;
    e->nothing = 0;
    e++->v = j < og ? j : rank + j;
  }
  entry *sorted = e + lost;
  for (int j = 0; j < rank; j++)
    w->sorted[j] = entry_of ((double)r->sigma[j], r->exponent, of + j, og + j);
  sort_entries (w->sorted, rank, w->sorted + rank);
  memcpy (sorted, w->sorted + lost, (size_t)(rank - lost) * sizeof *e);
  for (int j = 0; j < lost; j++) {
    e[j] = zero;
    e[j].v = w->sorted[j].v;
    e[rank + j] = inf;
    e[rank + j].u = w->sorted[j].u;
  }
  e += rank + lost;
  for (int j = 0; j < of + infs; j++) {
    *e = inf;
    e->nothing = j >= of;
    e++->u = j < of ? j : -1;
  }
}

static void put_real (const gla_array *a, int64_t page, int64_t j, real x)
{
  if (a->data != NULL)
    ((real *)a->data)[page * a->page_stride + j * a->row_stride] = x;
}

// Stores C and S of the core and of the caller's pair. blank: the caller gets NaN where they mean
// nothing.
static void store_values (const gla_gsvd_chunk *c, int64_t page, int blank, gsvd *w)
{
  const int shift = w->exponent_a - w->exponent_b;
  for (int64_t j = 0; j < w->q; j++) {
    entry *e = &w->entries[j];
    cosine_sine (e, 0, &e->c, &e->s);
    e->alpha = e->c, e->beta = e->s;
    if (shift != 0)
      cosine_sine (e, shift, &e->alpha, &e->beta);
    const int nothing = blank && e->nothing;
    put_real (&c->alpha, page, j, nothing ? (real)NAN : (real)e->alpha);
    put_real (&c->beta, page, j, nothing ? (real)NAN : (real)e->beta);
  }
}

//------------------------------------------------------------------------------
// vectors
//------------------------------------------------------------------------------

// Chooses which vector of the basis each column is: those of entries at their places, the others in
// order.
static void choose_vectors (gsvd *w, int of_b)
{
  const int64_t rows = of_b ? w->n : w->m, shift = of_b ? 0 : gla_max (0, w->q - w->m);
  int *source = of_b ? w->source_v : w->source_u;
  memset (w->used, 0, (size_t)rows);
  for (int64_t j = 0; j < rows; j++)
    source[j] = -1;
  for (int64_t j = shift; j < w->q && j - shift < rows; j++) {
    const int id = of_b ? w->entries[j].v : w->entries[j].u;
    source[j - shift] = id;
    if (id >= 0)
      w->used[id] = 1;
  }
  for (int64_t j = 0, id = 0; j < rows; j++)
    if (source[j] < 0) {
      while (w->used[id])
        id++;
      source[j] = (int)id++;
    }
}

typedef struct {
  const real *x; // rank columns of rows each
  int64_t rows, rank, offset, columns;
  const factor *inner;
  const int *perm;
  const factor_chain *chain;
  int64_t length; // of a vector
  real *copy;     // STRIP columns, or as many as there are, as long as a vector
  const lapack_work *lapack;
} basis;

// ormqr applies up to this many reflectors one by one.
enum { FEW_REFLECTORS = 32 };

// Multiplies Q by some columns. A few reflectors are applied in the workspace, because `to` may be
// a page of the caller's array: in OpenBLAS products with a vector may round differently by the
// array's place in memory, those of matrices do not.
static void apply_to_vectors (const basis *b, const factor *f, int64_t count, real *to, int64_t ld)
{
  if (f->count > FEW_REFLECTORS || is_small (f->rows, count)) {
    apply_q (0, f, count, to, ld, b->lapack);
    return;
  }
  const size_t column = (size_t)(f->rows * GLA_PARTS) * sizeof *to;
  for (int64_t first = 0; first < count; first += STRIP) {
    const int64_t some = gla_min (STRIP, count - first);
    real *at = to + first * ld * GLA_PARTS;
    for (int64_t j = 0; j < some; j++)
      memcpy (b->copy + j * f->rows * GLA_PARTS, at + j * ld * GLA_PARTS, column);
    apply_q (0, f, some, b->copy, f->rows, b->lapack);
    for (int64_t j = 0; j < some; j++)
      memcpy (at + j * ld * GLA_PARTS, b->copy + j * f->rows * GLA_PARTS, column);
  }
}

// Makes `count` columns of a basis.
static void make_vectors (const basis *b, const int *source, int64_t count, real *to, int64_t ld)
{
  const int64_t part = GLA_PARTS;
  for (int64_t j = 0; j < count; j++) {
    real *x = to + j * ld * part;
    const int64_t core = source[j] - b->offset;
    memset (x, 0, (size_t)(b->length * part) * sizeof *x);
    if (core >= 0 && core < b->rank)
      memcpy (x + b->offset * part, b->x + core * b->rows * part,
              (size_t)(b->rows * part) * sizeof *x);
    else
      x[source[j] * part] = 1;
  }
  real *at = to + b->offset * part;
  if (b->inner && b->inner->count > 0)
    apply_to_vectors (b, b->inner, count, at, ld);
  for (int64_t j = 0; b->perm && j < count; j++) {
    scalar *x = (scalar *)(at + j * ld * part), *y = (scalar *)b->copy;
    memcpy (y, x, (size_t)b->columns * sizeof *x);
    for (int64_t i = 0; i < b->columns; i++)
      x[b->perm[i]] = y[i];
  }
  for (int k = b->chain->count - 1; k >= 0; k--) {
    const factor *f = &b->chain->f[k];
    apply_to_vectors (b, f, count, to + f->offset * part, ld);
  }
}

// Makes the economy form first, so that its bits do not depend on other results.
static void make_all_vectors (const basis *b, int64_t q, const int *source, int64_t count, real *to,
                              int64_t ld)
{
  const int64_t economy = gla_min (b->length, q);
  make_vectors (b, source, economy, to, ld);
  make_vectors (b, source + economy, count - economy, to + economy * ld * GLA_PARTS, ld);
}

// Returns the distance of columns of `rows` rows; a single one may have any stride.
static int64_t stride_of (const gla_array *a, int64_t rows)
{
  return a->columns > 1 ? a->column_stride : rows;
}

// Returns the place of U or V of a page: the caller's, or in the workspace if only X needs it.
static real *vectors_at (const gla_array *a, int64_t page, real *own, int64_t rows, int64_t *ld)
{
  *ld = a->data != NULL ? stride_of (a, rows) : rows;
  return a->data != NULL ? column_of (a, page, 0) : own;
}

static void store_vectors (const gla_cpu_gsvd_task *task, int64_t page, gsvd *w)
{
  const gla_gsvd_job *job = task->job;
  const core_result *r = &w->result;
  int64_t ld;
  if (job->u_columns > 0 || job->x) {
    const basis b = {r->u, r->rows_u,   r->rank, w->offset_f, w->pair.columns, NULL,
                     NULL, &w->chain_f, w->m,    w->copy,     &w->rank.lapack};
    real *to = vectors_at (&task->chunk->U, page, w->u, w->m, &ld);
    const int64_t count = job->u_columns > 0 ? job->u_columns : gla_min (w->m, w->q);
    choose_vectors (w, 0);
    make_all_vectors (&b, w->q, w->source_u, count, to, ld);
  }
  if (job->v_columns > 0 || job->x) {
    const basis b = {r->v,    r->rows_v,   r->rank, w->offset_g, w->pair.columns, &r->inner,
                     r->perm, &w->chain_g, w->n,    w->copy,     &w->rank.lapack};
    real *to = vectors_at (&task->chunk->V, page, w->v, w->n, &ld);
    const int64_t count = job->v_columns > 0 ? job->v_columns : gla_min (w->n, w->q);
    choose_vectors (w, 1);
    make_all_vectors (&b, w->q, w->source_v, count, to, ld);
  }
}

//------------------------------------------------------------------------------
// X
//------------------------------------------------------------------------------

// Multiplies columns first.. of U or V by C or S; columns without an entry become zero.
static void scale_vectors (const gsvd *w, int of_b, int64_t first, int64_t count,
                           const real *vectors, int64_t ld)
{
  const int64_t rows = of_b ? w->n : w->m, shift = of_b ? 0 : gla_max (0, w->q - w->m);
  for (int64_t j = 0; j < count; j++) {
    const entry *e = &w->entries[first + j];
    real *to = w->copy + j * rows * GLA_PARTS;
    memset (to, 0, (size_t)(rows * GLA_PARTS) * sizeof *to);
    if ((of_b ? e->v : e->u) < 0)
      continue;
    const real *from = vectors + (first + j - shift) * ld * GLA_PARTS;
    const real weight = (real)(of_b ? e->s : e->c);
    for (int64_t i = 0; i < rows * GLA_PARTS; i++)
      to[i] = weight * from[i];
  }
}

// A and B were scaled separately; h * 2^*exponent makes C and S those of the caller's pair.
static real weight_of_x (const gsvd *w, const entry *e, int *exponent)
{
  const int by_b = e->beta >= e->alpha;
  const double mantissa = frexp (by_b ? e->beta : e->alpha, exponent);
  *exponent = (by_b ? w->exponent_b : w->exponent_a) - *exponent;
  return (real)((by_b ? e->s : e->c) / mantissa);
}

static void scale_x (const gsvd *w, const entry *e, real *x)
{
  int exponent;
  const real h = weight_of_x (w, e, &exponent);
  for (int64_t i = 0; i < w->p * GLA_PARTS; i++)
    x[i] *= h;
  scale_column (w->p, x, exponent);
}

// Computes X = A'*U*C + B'*V*S: residuals are small whatever the condition of the pair.
static void store_x (const gla_cpu_gsvd_task *task, int64_t page, gsvd *w)
{
  const gla_gsvd_chunk *c = task->chunk;
  const int64_t p = w->p, ldx = stride_of (&c->X, p);
  real *a = w->tall_a ? w->tall_f : w->pair.f, *b = w->tall_b ? w->tall_g : w->pair.g;
  int64_t ldu, ldv;
  const real *u = vectors_at (&c->U, page, w->u, w->m, &ldu);
  const real *v = vectors_at (&c->V, page, w->v, w->n, &ldv);
  for (int64_t j = 0; j < p; j++) {
    load_scaled (&c->A, page, j, -w->exponent_a, a + j * w->m * GLA_PARTS);
    load_scaled (&c->B, page, j, -w->exponent_b, b + j * w->n * GLA_PARTS);
  }
  for (int64_t first = 0; first < w->q; first += STRIP) {
    const int64_t count = gla_min (STRIP, w->q - first);
    real *x = column_of (&c->X, page, first);
    scale_vectors (w, 0, first, count, u, ldu);
    gemm ("C", "N", p, count, w->m, 1, a, w->m, w->copy, w->m, 0, x, ldx);
    scale_vectors (w, 1, first, count, v, ldv);
    gemm ("C", "N", p, count, w->n, 1, b, w->n, w->copy, w->n, 1, x, ldx);
    for (int64_t j = 0; j < count; j++)
      scale_x (w, &w->entries[first + j], x + j * ldx * GLA_PARTS);
    if (gla_cpu_gsvd_stopped (task))
      return;
  }
}

//------------------------------------------------------------------------------
// a page
//------------------------------------------------------------------------------

static void store (const gla_cpu_gsvd_task *task, int64_t page, gsvd *w)
{
  make_entries (w);
  store_values (task->chunk, page, task->job->options.blank, w);
  store_vectors (task, page, w);
  if (task->job->x)
    store_x (task, page, w);
}

static void store_nan (const gla_gsvd_chunk *c, int64_t page)
{
  for (int64_t j = 0; j < c->alpha.rows; j++)
    put_real (&c->alpha, page, j, (real)NAN);
  for (int64_t j = 0; j < c->beta.rows; j++)
    put_real (&c->beta, page, j, (real)NAN);
  fill_nan (&c->U, page);
  fill_nan (&c->V, page);
  fill_nan (&c->X, page);
}

#endif
