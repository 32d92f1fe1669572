// svd_cholesky.h: pages with several times as many rows as columns, by Cholesky factors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T (m x k) is a page. T'*T = R1'*R1, T1 = T*inv (R1), T1'*T1 = R2'*R2: the columns of T1*inv (R2)
// are orthonormal (Yamamoto and others 2015), and R = R2*R1 is decomposed as in svd_long.h. For
// products with T and T1 the rows of one page are in lanes; R1, R2 and R have one page per lane.
//
// Substitution by R1 leaves errors in each column of T that are small relative to this column, so R
// has the values of T as accurately as that of reflectors. Only T1'*T1 must be near I, and that
// depends on the angles between the columns of T and not on their lengths. Each page decides by its
// own numbers: by the pivots of R1 relative to the squares of the columns, then by T1'*T1. Pages
// that do not qualify are left to the other methods, and the next page takes their lane. If inv
// (R1) is small, R1 alone is accurate, and R2 = I.
// is small, R1 alone is accurate, and R2 = I.

#ifndef GPULINALG_CPU_SVD_SVD_CHOLESKY_H
#define GPULINALG_CPU_SVD_SVD_CHOLESKY_H

#include "svd_cholesky_lanes.h"
#include "svd_long.h"
#include "svd_rows.h"

enum { CHOLESKY_TOGETHER = 2 * GLA_LANES };

// Pages that are left, and what solves CHOLESKY_TOGETHER of them at a time.
typedef struct {
  void (*solve) (gla_cpu_svd_task *task, const int64_t *pages, int count);
  int64_t page[CHOLESKY_TOGETHER];
  int count;
} svd_others;

typedef struct {
  cholesky_lanes lanes[2];
  scalar *z; // of each lane: k x k
} cholesky_work;

static size_t cholesky_layout (char *base, const gla_svd_job *job, cholesky_work *w)
{
  const int64_t m = job->m, k = job->n;
  size_t at = 0;
  for (int g = 0; g < 2; g++)
    cholesky_lanes_layout (base, &at, m, k, &w->lanes[g]);
  w->z = gla_carve (base, &at, (size_t)(k * k * GLA_LANES) * sizeof (scalar));
  return at;
}

// Returns the rows of lane l.
static tall_space space_of (const cholesky_lanes *t, int l)
{
  tall_space s = t->space;
  s.block += l * s.registers * s.padded;
  return s;
}

//------------------------------------------------------------------------------
// T1 = T*inv (R1)
//------------------------------------------------------------------------------

// Computes x <- x - b*f for `columns` columns of LONG_TILE_ROWS registers x; f is element (i, j) of
// R1 of lane l.
static inline __attribute__ ((always_inline)) void
subtract_column (num *x, const num *b, const cholesky_lanes *t, int64_t i, int64_t j, int l)
{
  const num f = num_broadcast_lane (t->r1 + i + j * t->space.k, l);
#pragma GCC unroll 4
  for (int q = 0; q < LONG_TILE_ROWS; q++)
    x[q] = num_fnma (x[q], b[q], f);
}

// Replaces columns j.. of a tile of rows of T by those of T1, after the columns before j.
static inline __attribute__ ((always_inline)) void substitute_tile (num *b, int64_t j, int columns,
                                                                    const cholesky_lanes *t, int l)
{
  const int64_t ld = t->space.registers;
  num x[LONG_TILE_COLUMNS][LONG_TILE_ROWS];
#pragma GCC unroll 4
  for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
    for (int q = 0; q < LONG_TILE_ROWS; q++)
      x[c][q] = b[q + (j + c) * ld];
  for (int64_t i = 0; i < j; i++)
#pragma GCC unroll 4
    for (int c = 0; c < columns; c++)
      subtract_column (x[c], b + i * ld, t, i, j + c, l);
#pragma GCC unroll 4
  for (int c = 0; c < columns; c++) {
#pragma GCC unroll 4
    for (int i = 0; i < c; i++)
      subtract_column (x[c], x[i], t, j + i, j + c, l);
    const vec over = vec_broadcast (t->over1[j + c][l]);
#pragma GCC unroll 4
    for (int q = 0; q < LONG_TILE_ROWS; q++) {
      x[c][q] = num_scale (over, x[c][q]);
      b[q + (j + c) * ld] = x[c][q];
    }
  }
}

// Replaces T of lane l by T1.
static void substitute (const cholesky_lanes *t, int l)
{
  const tall_space s = space_of (t, l);
  for (int64_t r = 0; r < s.registers; r += LONG_TILE_ROWS) {
    int64_t j = 0;
    for (; j + LONG_TILE_COLUMNS <= s.k; j += LONG_TILE_COLUMNS)
      substitute_tile (s.block + r, j, LONG_TILE_COLUMNS, t, l);
    for (; j < s.k; j++)
      substitute_tile (s.block + r, j, 1, t, l);
  }
}

//------------------------------------------------------------------------------
// R1, R2 and R
//------------------------------------------------------------------------------

static void leave_pages (gla_cpu_svd_task *task, svd_others *o, mask lanes, const int64_t *page)
{
  for (int l = 0; l < GLA_LANES; l++) {
    if (!lanes[l])
      continue;
    o->page[o->count++] = page[l];
    if (o->count < CHOLESKY_TOGETHER)
      continue;
    o->solve (task, o->page, o->count);
    o->count = 0;
  }
}

// Prefetches a page: of A that is read, or of U that is written.
static void fetch_page (const gla_array *A, int64_t page)
{
  const int64_t count = A->rows * GLA_PARTS;
  for (int64_t j = 0; j < A->columns; j++)
    for (int64_t i = 0; i < count; i += 64 / (int64_t)sizeof (real))
      __builtin_prefetch (column_of (A, page, j) + i);
}

// Loads the next pages from *next on into free lanes, and forms T'*T of them. Returns these lanes.
static mask load_free_lanes (const gla_array *A, int64_t *next, int64_t end, cholesky_lanes *t)
{
  mask fresh = {0};
  for (int l = 0; l < GLA_LANES; l++) {
    const tall_space s = space_of (t, l);
    if (t->live[l])
      continue;
    if (*next == end) {
      no_gram (l, &s);
      continue;
    }
    fresh[l] = -1;
    t->page[l] = (*next)++;
    const int64_t used = load_tall_rows (A, t->page[l], 0, 1, &s);
    if (*next < end)
      fetch_page (A, *next);
    block_gram (used, 0, l, &s);
  }
  return fresh;
}

// Finds R1 of pages from *next on, until every lane has one that qualifies or none is left.
static void fill_lanes (gla_cpu_svd_task *task, int64_t *next, int64_t end, cholesky_lanes *t,
                        svd_others *others)
{
  const int k = (int)t->space.k;
  t->live = (mask){0};
  while (mask_any (~t->live) && *next < end) {
    const mask fresh = load_free_lanes (&task->chunk->A, next, end, t);
    tall_gram_lanes (&t->space, t->gram);
    t->live = (t->live | fresh) & columns_in_range (t);
    cholesky_in_lanes (k, t->gram, CHOLESKY_LEAST, t->lengths2, &t->live, t->r1, t->over1);
    leave_pages (task, others, fresh & ~t->live, t->page);
  }
  scale_by_lengths (t);
}

// Returns the lanes of `which` whose nonzero rows do not differ much: the other methods keep small
// values of graded rows.
static mask rows_are_alike (const cholesky_lanes *t, mask which)
{
  for (int l = 0; l < GLA_LANES; l++) {
    const tall_space s = space_of (t, l);
    const vec zero = vec_broadcast (0);
    vec most = zero, least = vec_broadcast (GLA_MAX);
    for (int64_t r = 0; which[l] && r < registers_for (s.m); r++) {
      vec sum = zero;
      for (int64_t j = 0; j < s.k; j++)
        sum += num_abs2 (s.block[r + j * s.registers]);
      most = vec_select (sum > most, sum, most);
      least = vec_select ((sum > zero) & (sum < least), sum, least);
    }
    real high = most[0], low = least[0];
    for (int i = 1; i < GLA_LANES; i++) {
      high = most[i] > high ? most[i] : high;
      low = least[i] < low ? least[i] : low;
    }
    which[l] = which[l] && high <= ROWS_RISE * low ? -1 : 0;
  }
  return which;
}

// Finds T1 and R2 for the lanes where R1 is not accurate enough, and R.
static void factor_again (gla_cpu_svd_task *task, cholesky_lanes *t, svd_others *others)
{
  const int k = (int)t->space.k;
  invert_first (t);
  const mask again = t->live & ~t->once;
  if (mask_any (again)) {
    const mask alike = rows_are_alike (t, again);
    for (int l = 0; l < GLA_LANES; l++) {
      const tall_space s = space_of (t, l);
      if (alike[l]) {
        substitute (t, l);
        block_gram (registers_for (s.m), 0, l, &s);
      } else
        no_gram (l, &s);
    }
    tall_gram_lanes (&t->space, t->gram);
    mask twice = alike & near_identity (k, t->gram);
    cholesky_in_lanes (k, t->gram, 0, t->lengths2, &twice, t->r2, t->over2);
    t->live = t->once | twice;
    leave_pages (task, others, again & ~twice, t->page);
    settle_second (t);
  }
  form_R (t);
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Computes registers r.. of columns j.. of T1*Z. The last register of a page also has rows of the
// one before it, as zeros, and is stored before it.
static inline __attribute__ ((always_inline)) void page_tile (const tall_space *s, int64_t r,
                                                              const scalar *z, const svd_basis *to,
                                                              int64_t j, int columns)
{
  num sum[LONG_TILE_ROWS * LONG_TILE_COLUMNS];
  tile_times (s, r, z, j, columns, sum);
  for (int q = LONG_TILE_ROWS - 1; q >= 0; q--) {
    if (r + q >= registers_for (s->m))
      continue;
    const int64_t row = row_of (s, (r + q) * GLA_LANES);
    for (int c = 0; c < columns; c++)
      store_register ((real *)(basis_column (to, j + c) + row), sum[q + c * LONG_TILE_ROWS]);
  }
}

// Stores columns of T1*Z in the page of the result; z: k x to->columns.
static void page_times (const tall_space *s, const scalar *z, const svd_basis *to)
{
  const int64_t last = s->registers - LONG_TILE_ROWS;
  int64_t j = 0;
  for (; j + LONG_TILE_COLUMNS <= to->columns; j += LONG_TILE_COLUMNS)
    for (int64_t r = last; r >= 0; r -= LONG_TILE_ROWS)
      page_tile (s, r, z, to, j, LONG_TILE_COLUMNS);
  for (; j < to->columns; j++)
    for (int64_t r = last; r >= 0; r -= LONG_TILE_ROWS)
      page_tile (s, r, z, to, j, 1);
}

static void store_cholesky_vectors (gla_cpu_svd_task *task, scalar *z, cholesky_lanes *t)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *chunk = task->chunk;
  const int64_t k = t->space.k, columns = job->values;
  for (int l = 0; l < GLA_LANES; l++)
    if (job->u_columns > 0 && t->live[l])
      fetch_page (&chunk->U, t->page[l]);
  form_bases_of_R (job, &t->p);
  if (job->u_columns > 0) {
    long_factors (t, columns, t->p.c);
    lanes_targets to = {.live = ~0u};
    for (int l = 0; l < GLA_LANES; l++)
      to.at[l] = (real *)(z + l * k * k);
    lanes_store_run (&to, (const vec *)t->p.c, k * columns * GLA_PARTS);
  }
  for (int l = 0; l < GLA_LANES; l++) {
    const tall_space s = space_of (t, l);
    if (job->u_columns == 0 || !t->live[l])
      continue;
    const svd_basis to = basis_of (&chunk->U, t->page[l]);
    page_times (&s, z + l * k * k, &to);
  }
  if (job->v_columns > 0)
    write_columns (&chunk->V, t->page, t->p.live, 0, chunk->V.columns, t->p.s.right);
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

// Solves one or two registers of pages from *next on.
static void solve_cholesky_pair (gla_cpu_svd_task *task, int64_t *next, int64_t end,
                                 cholesky_work *w, svd_others *others)
{
  const svd_sweeps wanted = sweeps_of (task->job);
  lanes_svd *s[2];
  int unconverged[2][GLA_LANES], registers = 0;
  for (; registers < 2 && *next < end; registers++) {
    cholesky_lanes *t = &w->lanes[registers];
    fill_lanes (task, next, end, t, others);
    if (!mask_any (t->live))
      break;
    factor_again (task, t, others);
    t->p.page = t->page;
    t->p.live = lanes_bits (t->live);
    s[registers] = &t->p.s;
  }
  if (registers == 0)
    return;
  decompose_lanes (registers, s, &wanted, unconverged);
  for (int g = 0; g < registers; g++) {
    cholesky_lanes *t = &w->lanes[g];
    store_values (task->job, task->chunk, &t->p);
    if (wanted.vectors)
      store_cholesky_vectors (task, w->z, t);
    settle_register (task->chunk, &t->p, unconverged[g]);
  }
}

// Solves pages first..first+count-1 of a job of gla_cpu_svd_is_cholesky; others->solve does those
// that are left.
static void solve_svd_cholesky (gla_cpu_svd_task *task, char *work, int64_t first, int count,
                                svd_others *others)
{
  cholesky_work w;
  cholesky_layout (work, task->job, &w);
  int64_t next = first;
  while (next < first + count && !gla_cpu_svd_stopped (task))
    solve_cholesky_pair (task, &next, first + count, &w, others);
  if (others->count > 0)
    others->solve (task, others->page, others->count);
}

#endif
