// gsvd_work.h: the workspace of a pair of any size and rank
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GSVD_GSVD_WORK_H
#define GPULINALG_CPU_GSVD_GSVD_WORK_H

#include "common/orderings.h"
#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/minmax.h"
#include "cpu/common/pivot.h"
#include "cpu/common/rows.h"

#include "gsvd.h"
#include "gsvd_core.h"
#include "gsvd_lapack.h"
#include "gsvd_rank.h"
#include "gsvd_rows_sweeps.h"
#include "gsvd_sweeps.h"

#include <string.h>

enum { STRIP = 64 }; // columns of X at a time

// One generalized singular value, mantissa * 2^exponent if it is finite, and which vectors of the
// bases belong to it (-1: none).
typedef enum { VALUE_FINITE, VALUE_ZERO, VALUE_INFINITE } entry_kind;

typedef struct {
  entry_kind kind;
  int u, v;
  int nothing; // the ranks give this place of C and S no value, or half of one
  double mantissa;
  int exponent;
  double c, s, alpha, beta; // C and S of the core, and of the caller's pair
} entry;

// A small regular pair, its rows in lanes (gsvd_rows_page.h).
typedef struct {
  int fits;
  int64_t rm, rn, rp;   // registers of m, n and p rows
  num *a, *b;           // A and B without exponent_a and exponent_b, and zero columns behind
  num *f, *g, *uf, *ug; // the same equilibrated, then R; the reflectors
  num *t, *w;           // R' of F, which Jacobi turns, and what it does
  num *u, *v;           // U and V
  meetings *m;
} rows_work;

// Workspace of a page. F and G are A and B with scaled columns, reduced by QR if they are tall.
typedef struct {
  int64_t m, n, p, q;
  int tall_a, tall_b;
  real *tall_f, *tall_g, *tau_tall_f, *tau_tall_g;
  matrix_pair pair;
  deflated first, second;
  rank_scratch rank;
  core_work core;
  real *copy;              // of F, and for the scaling of columns of X
  real *u, *v;             // if the caller wants X and not them
  entry *entries, *sorted; // q of them; room for 2 p
  int *source_u, *source_v;
  char *used;
  rows_work rows; // used if a regular pair stays in registers
  // of the current page
  bits *largest_a, *largest_b; // of the columns
  int exponent_a, exponent_b;  // of the largest entries
  factor_chain chain_f, chain_g;
  int64_t offset_f, offset_g; // what deflation has split off: Inf and 0
  core_result result;
  gla_gsvd_stats stats;
} gsvd;

static int is_tall (int64_t rows, int64_t columns)
{
  return rows > columns + columns / 2;
}

// What sweeps over blocks need.
static void blocks_layout (char *base, size_t *at, const gla_cpu_gsvd_plan *plan, int team,
                           int64_t p, core_work *w)
{
  const size_t square = (size_t)(p * p) * sizeof (scalar);
  const size_t blocks = plan->width > 0 ? (size_t)(p / plan->width + 2) : 0;
  member_work none;
  w->m = gla_carve (base, at, square);
  w->vectors = gla_carve (base, at, square);
  w->member_bytes = plan->width > 0 ? member_layout (NULL, p, plan->width,
                                                     plan->method == GLA_GSVD_METHOD_HZ, &none)
                                    : 0;
  w->members = gla_carve (base, at, w->member_bytes * (size_t)team);
  w->records = gla_carve (base, at, (blocks / 2 + 1) * sizeof *w->records);
  w->owners = gla_carve (base, at, 3 * blocks * sizeof *w->owners);
}

static void core_layout (char *base, size_t *at, const gla_cpu_gsvd_plan *plan, int team, int64_t p,
                         core_work *w)
{
  const size_t square = (size_t)(p * p) * sizeof (scalar), line = (size_t)p * sizeof (scalar);
  const int hz = plan->method == GLA_GSVD_METHOD_HZ;
  const size_t lanes = plan->width > 0 ? 0 : (size_t)(registers_for (p) * p) * sizeof (num);
  blocks_layout (base, at, plan, team, p, w);
  w->inner = gla_carve (base, at, hz ? 0 : square);
  w->tau_f = gla_carve (base, at, line);
  w->tau_g = gla_carve (base, at, line);
  w->tau_inner = gla_carve (base, at, line);
  w->sigma = gla_carve (base, at, (size_t)p * sizeof (real));
  w->perm_f = gla_carve (base, at, (size_t)p * sizeof (int));
  w->perm_g = gla_carve (base, at, (size_t)p * sizeof (int));
  w->lanes_f = gla_carve (base, at, lanes);
  w->lanes_g = gla_carve (base, at, lanes);
}

static void deflated_layout (char *base, size_t *at, int64_t rows_f, int64_t rows_g, int64_t p,
                             deflated *w)
{
  w->f = gla_carve (base, at, (size_t)(rows_f * p) * sizeof (scalar));
  w->g = gla_carve (base, at, (size_t)(rows_g * p) * sizeof (scalar));
  w->tau_f = gla_carve (base, at, (size_t)p * sizeof (scalar));
  w->tau_g = gla_carve (base, at, (size_t)p * sizeof (scalar));
}

static void rows_layout (char *base, size_t *at, const gla_gsvd_job *job,
                         const gla_cpu_gsvd_plan *plan, rows_work *w)
{
  const int64_t m = job->m, n = job->n, p = job->p, el = sizeof (num);
  w->fits = plan->method == GLA_GSVD_METHOD_TANGENT && plan->width == 0 && is_small (m, n) &&
            p <= gla_min (m, n);
  if (!w->fits)
    return;
  w->rm = registers_for (m), w->rn = registers_for (n), w->rp = registers_for (p);
  const int64_t all = w->rp * GLA_LANES; // with columns of zeros behind the last
  w->a = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->b = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->f = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->g = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->uf = gla_carve (base, at, (size_t)(w->rm * all * el));
  w->ug = gla_carve (base, at, (size_t)(w->rn * all * el));
  w->t = gla_carve (base, at, (size_t)(w->rp * (all + 1) * el)); // a player more than columns
  w->w = gla_carve (base, at, (size_t)(w->rp * (all + 1) * el));
  const int64_t steps = gla_ordering_steps (job->options.ordering, (int32_t)(p + p % 2));
  w->m = gla_carve (base, at, (size_t)(steps * w->rp) * sizeof *w->m);
  w->u = gla_carve (base, at, (size_t)(w->rm * gla_max (p, job->u_columns) * el));
  w->v = gla_carve (base, at, (size_t)(w->rn * gla_max (p, job->v_columns) * el));
}

static size_t gsvd_layout (char *base, const gla_gsvd_job *job, const gla_cpu_gsvd_plan *plan,
                           int team, gsvd *w)
{
  const int64_t m = job->m, n = job->n, p = job->p, q = gla_min (m + n, p), el = sizeof (scalar);
  size_t at = 0;
  memset (w, 0, sizeof *w);
  w->m = m, w->n = n, w->p = p, w->q = q;
  w->tall_a = is_tall (m, p), w->tall_b = is_tall (n, p);
  const int64_t rf = w->tall_a ? p : m, rg = w->tall_b ? p : n, most = gla_max (m, n);
  const int64_t columns = gla_max (p, gla_max (job->u_columns, job->v_columns));
  w->tall_f = gla_carve (base, &at, (size_t)(w->tall_a ? m * p * el : 0));
  w->tall_g = gla_carve (base, &at, (size_t)(w->tall_b ? n * p * el : 0));
  w->tau_tall_f = gla_carve (base, &at, (size_t)(p * el));
  w->tau_tall_g = gla_carve (base, &at, (size_t)(p * el));
  w->pair.f = gla_carve (base, &at, (size_t)(rf * p * el));
  w->pair.g = gla_carve (base, &at, (size_t)(rg * p * el));
  w->pair.threshold_f = gla_carve (base, &at, (size_t)p * sizeof (real));
  w->pair.threshold_g = gla_carve (base, &at, (size_t)p * sizeof (real));
  deflated_layout (base, &at, rf, rg, p, &w->first);
  if (plan->method == GLA_GSVD_METHOD_HZ)
    deflated_layout (base, &at, p, rf, p, &w->second);
  w->rank.row = gla_carve (base, &at, (size_t)(p * el));
  w->rank.threshold = gla_carve (base, &at, (size_t)p * sizeof (real));
  w->rank.perm = gla_carve (base, &at, (size_t)p * sizeof (int));
  w->rank.perm_rest = gla_carve (base, &at, (size_t)p * sizeof (int));
  lapack_layout (base, &at, columns, &w->rank.lapack);
  pivot_layout (base, &at, gla_max (rf, gla_max (rg, p)), p, &w->rank.lapack.pivots);
  core_layout (base, &at, plan, team, p, &w->core);
  w->core.lapack = w->rank.lapack;
  w->copy = gla_carve (base, &at, (size_t)(gla_max (rf * p, most * gla_min (columns, STRIP)) * el));
  w->u = gla_carve (base, &at, (size_t)(job->x && !job->u_columns ? m * gla_min (m, q) * el : 0));
  w->v = gla_carve (base, &at, (size_t)(job->x && !job->v_columns ? n * gla_min (n, q) * el : 0));
  w->entries = gla_carve (base, &at, (size_t)q * sizeof *w->entries);
  w->source_u = gla_carve (base, &at, (size_t)m * sizeof (int));
  w->source_v = gla_carve (base, &at, (size_t)n * sizeof (int));
  w->sorted = gla_carve (base, &at, (size_t)(2 * p) * sizeof *w->sorted);
  w->used = gla_carve (base, &at, (size_t)most);
  w->largest_a = gla_carve (base, &at, (size_t)p * sizeof *w->largest_a);
  w->largest_b = gla_carve (base, &at, (size_t)p * sizeof *w->largest_b);
  rows_layout (base, &at, job, plan, &w->rows);
  return at;
}

#endif
