// gsvd_sweeps.h: sweeps over all pairs of columns, one by one or by blocks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jacobi makes the columns of one matrix f orthogonal, and applies the same to g, which may be
// missing; Hari-Zimmermann transforms both. By blocks: form the Gram matrix of two blocks of
// columns and its Cholesky factor, do one sweep (or as many as are needed) on the columns of that,
// which is small and stays in a cache, and multiply by the result of these sweeps. The result of a
// pair of blocks depends on nothing else, so a step's pairs may go to any threads, and blocks to
// any devices.

#ifndef GPULINALG_CPU_GSVD_GSVD_SWEEPS_H
#define GPULINALG_CPU_GSVD_GSVD_SWEEPS_H

#include "common/products.h"
#include "common/scalar.h"
#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "gsvd_lapack.h"
#include "cpu/common/column_sweeps.h"

#include <string.h>

typedef struct {
  const gla_cpu_gsvd_task *task;
  int hz;
  int64_t columns;
  real *f, *g; // rows_f x columns and rows_g x columns, packed
  int64_t rows_f, rows_g;
  num *lanes_f, *lanes_g; // room for both, where there are no blocks
  char *members;          // room for each thread
  size_t member_bytes;
  sweep_record *records; // room for one of each pair of a step
  int32_t *owners;       // room for three numbers of each block, if ranks share the pair
  gla_gsvd_stats *stats;
} iteration;

// Cosines up to this are rounding errors of products of so many numbers.
static real cosine_tolerance (int64_t rows)
{
  return GLA_EPS * real_sqrt ((real)rows);
}

//------------------------------------------------------------------------------
// one by one
//------------------------------------------------------------------------------

static sweep_record sweep_panel (const gla_column_order *o, const lane_panel *a, int hz, real tol)
{
  lane_records record = {.cosine2 = vec_broadcast (0), .sine2 = vec_broadcast (0)};
  for (int s = 0; s < o->steps; s++)
    sweep_step (o, s, a, hz, tol, &record);
  return record_of (&record);
}

// Returns nonzero if it did not converge.
static int iterate_columns (const iteration *it)
{
  const int64_t n = it->columns, rf = registers_for (it->rows_f), rg = registers_for (it->rows_g);
  const real tol = cosine_tolerance (it->rows_f);
  lane_panel a = {it->lanes_f, NULL, NULL, rf, rg, (int)n};
  for (int64_t j = 0; j < n; j++)
    load_column (it->lanes_f + j * rf, it->rows_f, it->f + j * it->rows_f * GLA_PARTS, 1);
  for (int64_t j = 0; it->g && j < n; j++)
    load_column (it->lanes_g + j * rg, it->rows_g, it->g + j * it->rows_g * GLA_PARTS, 1);
  if (it->hz)
    a.g = it->lanes_g;
  else if (it->g)
    a.z = it->lanes_g;
  int going = 1;
  for (int s = 0; s < GLA_GSVD_MAX_SWEEPS && going; s++) {
    const sweep_record record = sweep_panel (it->task->columns, &a, it->hz, tol);
    it->stats->rotations[s] = record.rotations;
    it->stats->sweeps = s + 1;
    gla_cpu_gsvd_swept (it->task, s + 1);
    going = !converged (&record, n, tol) && !gla_cpu_gsvd_stopped (it->task);
  }
  for (int64_t j = 0; j < n; j++)
    store_rows (it->f + j * it->rows_f * GLA_PARTS, it->rows_f, it->lanes_f + j * rf);
  for (int64_t j = 0; it->g && j < n; j++)
    store_rows (it->g + j * it->rows_g * GLA_PARTS, it->rows_g, it->lanes_g + j * rg);
  return going;
}

//------------------------------------------------------------------------------
// one pair of blocks
//------------------------------------------------------------------------------

// The memory of a thread for it.
typedef struct {
  real *strip, *copy;    // the columns of both blocks, of f or g; and once more
  real *gram_f, *gram_g; // and their Cholesky factors
  real *z;               // what the sweeps did
  num *lf, *lg, *lz;     // the same in lanes
  real *tau;
  lapack_work lapack;
} member_work;

static size_t member_layout (char *base, int64_t rows, int width, int hz, member_work *w)
{
  const int64_t c = 2 * (int64_t)width, rv = registers_for (c);
  const size_t square = (size_t)(c * c) * sizeof (scalar);
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->strip = gla_carve (base, &at, (size_t)(rows * c) * sizeof (scalar));
  w->copy = gla_carve (base, &at, (size_t)(rows * c) * sizeof (scalar));
  w->gram_f = gla_carve (base, &at, square);
  w->gram_g = gla_carve (base, &at, hz ? square : 0);
  w->z = gla_carve (base, &at, square);
  w->lf = gla_carve (base, &at, (size_t)(rv * c) * sizeof (num));
  w->lg = gla_carve (base, &at, (size_t)(hz ? rv * c : 0) * sizeof (num));
  w->lz = gla_carve (base, &at, (size_t)(rv * c) * sizeof (num));
  w->tau = gla_carve (base, &at, (size_t)c * sizeof (scalar));
  lapack_layout (base, &at, c, &w->lapack);
  return at;
}

// Columns first[0].. and first[1].., count[0] and count[1] of them.
typedef struct {
  int64_t first[2];
  int count[2], both;
} blocks_pair;

// Returns the first column of block k, of width w or one less, so that sizes are nearly equal.
static int64_t block_first (int64_t columns, int blocks, int k)
{
  return columns * k / blocks;
}

static blocks_pair blocks_pair_of (int64_t columns, int blocks, int p, int q)
{
  blocks_pair b = {{block_first (columns, blocks, p), block_first (columns, blocks, q)}, {0, 0}, 0};
  b.count[0] = (int)(block_first (columns, blocks, p + 1) - b.first[0]);
  b.count[1] = (int)(block_first (columns, blocks, q + 1) - b.first[1]);
  b.both = b.count[0] + b.count[1];
  return b;
}

static void gather_blocks (const blocks_pair *b, const real *x, int64_t rows, real *to)
{
  const size_t column = (size_t)(rows * GLA_PARTS) * sizeof *x;
  memcpy (to, x + b->first[0] * rows * GLA_PARTS, (size_t)b->count[0] * column);
  memcpy (to + b->count[0] * rows * GLA_PARTS, x + b->first[1] * rows * GLA_PARTS,
          (size_t)b->count[1] * column);
}

// Returns the largest cosine between two columns, from their Gram matrix.
static real largest_cosine (int c, const scalar *gram)
{
  real inverse[256], largest = 0;
  for (int j = 0; j < c; j++) {
    const real x = __real__ gram[j + j * c];
    inverse[j] = x > 0 ? 1 / real_sqrt (x) : 0;
  }
  for (int j = 0; j < c; j++)
    for (int i = 0; i < j; i++) {
      const scalar x = scalar_scale (inverse[i], scalar_scale (inverse[j], gram[i + j * c]));
      const real x2 = scalar_abs2 (x);
      largest = x2 > largest ? x2 : largest;
    }
  return real_sqrt (largest);
}

// Forms the Gram matrix of the strip, without its lower triangle.
static void gram_of (const blocks_pair *b, int64_t rows, const real *x, real *gram)
{
  const int64_t p = b->count[0], q = b->count[1], c = b->both;
  const real *y = x + p * rows * GLA_PARTS;
  real *right = gram + p * c * GLA_PARTS;
  gemm ("C", "N", p, p, rows, 1, x, rows, x, rows, 0, gram, c);
  gemm ("C", "N", p, q, rows, 1, x, rows, y, rows, 0, right, c);
  gemm ("C", "N", q, q, rows, 1, y, rows, y, rows, 0, right + p * GLA_PARTS, c);
}

// Stores an upper triangle R with R'R = X'X in lanes, from the Gram matrix; or from X itself if
// columns are so close to each other that the Gram matrix has lost them.
static void factor_blocks (int c, int64_t rows, const real *strip, real *gram, num *lanes,
                           const member_work *w)
{
  const int64_t rv = registers_for (c), part = GLA_PARTS;
  real before[256];
  real *from = gram;
  int64_t ld = c;
  for (int j = 0; j < c; j++)
    before[j] = gram[(j + j * c) * part];
  int lost = cholesky (c, gram, c);
  for (int j = 0; j < c && !lost; j++) {
    const real d = gram[(j + j * c) * part];
    lost = !(d * d > real_sqrt (GLA_EPS) * before[j]);
  }
  if (lost) {
    memcpy (w->copy, strip, (size_t)(rows * c * part) * sizeof *strip);
    qr_plain (rows, c, w->copy, rows, w->tau, &w->lapack);
    from = w->copy;
    ld = rows;
  }
  memset (lanes, 0, (size_t)(rv * c) * sizeof *lanes);
  for (int j = 0; j < c; j++)
    load_column (lanes + j * rv, gla_min (j + 1, rows), from + j * ld * part, 1);
}

// Sets x = x Z on the columns of both blocks; strip holds them.
static void multiply_blocks (const blocks_pair *b, real *x, int64_t rows, const real *strip,
                             const real *z)
{
  const int64_t c = b->both;
  gemm ("N", "N", rows, b->count[0], c, 1, strip, rows, z, c, 0, x + b->first[0] * rows * GLA_PARTS,
        rows);
  gemm ("N", "N", rows, b->count[1], c, 1, strip, rows, z + b->count[0] * c * GLA_PARTS, c, 0,
        x + b->first[1] * rows * GLA_PARTS, rows);
}

// Sweeps on the triangles; stores Z in w->z.
static sweep_record inner_sweeps (const iteration *it, int c, const member_work *w)
{
  const int64_t rv = registers_for (c);
  const int most = it->task->job->options.blocking == GLA_GSVD_BLOCKING_FULL ? 30 : 1;
  const lane_panel a = {w->lf, w->lg, w->lz, rv, rv, c};
  sweep_record all = {0, 0, 0, 0};
  memset (w->lz, 0, (size_t)(rv * c) * sizeof *w->lz);
  for (int j = 0; j < c; j++)
    row_set (w->lz + j * rv, j, scalar_make (1, 0));
  for (int s = 0; s < most; s++) {
    const sweep_record record = sweep_panel (it->task->columns, &a, it->hz, cosine_tolerance (c));
    record_join (&all, record);
    if (record.rotations == 0 && record.exchanges == 0)
      break;
  }
  for (int j = 0; j < c; j++)
    store_rows (w->z + j * c * GLA_PARTS, c, w->lz + j * rv);
  return all;
}

static sweep_record work_on_blocks (const iteration *it, const blocks_pair *b, const member_work *w)
{
  const sweep_record nothing = {0, 0, 0, 0};
  const int c = b->both;
  real cosine = 0;
  if (it->hz) {
    gather_blocks (b, it->g, it->rows_g, w->strip);
    gram_of (b, it->rows_g, w->strip, w->gram_g);
    cosine = largest_cosine (c, (const scalar *)w->gram_g);
    factor_blocks (c, it->rows_g, w->strip, w->gram_g, w->lg, w);
  }
  gather_blocks (b, it->f, it->rows_f, w->strip);
  gram_of (b, it->rows_f, w->strip, w->gram_f);
  cosine = larger (cosine, largest_cosine (c, (const scalar *)w->gram_f));
  if (cosine <= cosine_tolerance (it->rows_f))
    return nothing;
  factor_blocks (c, it->rows_f, w->strip, w->gram_f, w->lf, w);
  const sweep_record record = inner_sweeps (it, c, w);
  multiply_blocks (b, it->f, it->rows_f, w->strip, w->z);
  if (it->g) {
    gather_blocks (b, it->g, it->rows_g, w->strip);
    multiply_blocks (b, it->g, it->rows_g, w->strip, w->z);
  }
  return record;
}

//------------------------------------------------------------------------------
// sweeps over blocks
//------------------------------------------------------------------------------

// A step of a sweep: pairs without a common block.
typedef struct {
  const iteration *it;
  const int32_t *pairs;
  int blocks;
  sweep_record *records; // of each pair
} blocks_step;

static void blocks_piece (void *user, int64_t k, int member)
{
  const blocks_step *s = user;
  const iteration *it = s->it;
  const int p = s->pairs[2 * k], q = s->pairs[2 * k + 1];
  s->records[k] = (sweep_record){0, 0, 0, 0};
  if (q >= s->blocks || gla_cpu_parallel_stopped (it->task->region, it->task->thread + member))
    return;
  member_work w;
  member_layout (it->members + (size_t)member * it->member_bytes, gla_max (it->rows_f, it->rows_g),
                 it->task->plan->width, it->hz, &w);
  const blocks_pair b = blocks_pair_of (it->columns, s->blocks, p, q);
  s->records[k] = work_on_blocks (it, &b, &w);
}

static sweep_record sweep_blocks (const iteration *it, int blocks)
{
  const gla_column_order *o = it->task->blocks;
  sweep_record all = {0, 0, 0, 0};
  for (int s = 0; s < o->steps && !gla_cpu_gsvd_stopped (it->task); s++) {
    blocks_step step = {it, o->pairs + (int64_t)s * o->players, blocks, it->records};
    gla_cpu_parallel_for (it->task->region, o->players / 2, it->task->team, blocks_piece, &step);
    for (int k = 0; k < o->players / 2; k++)
      record_join (&all, it->records[k]);
  }
  return all;
}

static int count_blocks (const iteration *it)
{
  const int width = it->task->plan->width;
  return (int)gla_max (2, (it->columns + width - 1) / width);
}

static int iterate_blocks (const iteration *it)
{
  const int blocks = count_blocks (it);
  const real tol = cosine_tolerance (it->rows_f);
  int going = 1;
  for (int s = 0; s < GLA_GSVD_MAX_SWEEPS && going; s++) {
    const sweep_record record = sweep_blocks (it, blocks);
    it->stats->rotations[s] = record.rotations;
    it->stats->sweeps = s + 1;
    gla_cpu_gsvd_swept (it->task, s + 1);
    going = !converged (&record, it->columns, tol) && !gla_cpu_gsvd_stopped (it->task);
  }
  return going;
}

#endif
