// svd_tall.h: pages with many more rows than columns, by T'*T if that is accurate
// SPDX-License-Identifier: GPL-3.0-or-later
//
// T (m x k, m >= 12 k) is a page, or its adjoint. T'*T = V D V' with one page per lane; S = sqrt
// (D), and T*(V/S) are the long vectors. T is read twice, and nothing of its size is moved to
// lanes. Rounding T'*T costs relative errors of values, and orthogonality of long vectors, of about
// eps times the square of the condition number of T. So only pages whose squared condition number
// is at most TALL_CONDITION qualify: long pages of random numbers do. The page itself decides, and
// all others are left to the methods that work on T; a sample of rows shows most of them, because
// its condition number is larger than that of the page.

#ifndef GPULINALG_CPU_SVD_SVD_TALL_H
#define GPULINALG_CPU_SVD_SVD_TALL_H

#include "cpu/common/lanes_ql.h"
#include "cpu/common/lanes_tridiagonal.h"

#include "svd_lanes_page.h"
#include "svd_tall_gram.h"

enum { TALL_CONDITION = 64, TALL_ITERATIONS = 30 };

// One register of pages.
typedef struct {
  int64_t k, first;
  int count;
  mask live;        // lanes whose pages are done so
  vec up;           // values are sigma*up, a power of two
  num *gram;        // k x k: T'*T scaled, then reflectors
  num *tau, *cross; // k each
  num *work;        // 4 (k + 3)
  ql_group q;       // of the tridiagonal matrix
  real *scratch;    // 2 k
  vec *sigma;       // k: values in order
  int *order;       // k times GLA_LANES: of eigenvalues, descending
  num *y;           // k x k: eigenvectors
  num *v;           // k x k: in order, with their phases
} tall_lanes;

typedef struct {
  tall_space space;
  tall_lanes lanes[2];
  scalar *z; // of each lane: k x k
} tall_work;

static void tall_lanes_layout (char *base, size_t *at, int64_t k, tall_lanes *t)
{
  const size_t n = (size_t)k;
  memset (t, 0, sizeof *t);
  t->k = k;
  t->gram = gla_carve (base, at, n * n * sizeof (num));
  t->tau = gla_carve (base, at, n * sizeof (num));
  t->cross = gla_carve (base, at, n * sizeof (num));
  t->work = gla_carve (base, at, 4 * (n + 3) * sizeof (num));
  t->q.d = gla_carve (base, at, n * sizeof (vec));
  t->q.e = gla_carve (base, at, n * sizeof (vec));
  t->q.rotations = gla_carve (base, at, QL_SWEEPS * n * sizeof (ql_rotation));
  t->q.ldz = ql_row_length ((int)k);
  t->q.z = gla_carve (base, at, n * (size_t)t->q.ldz * sizeof (vec));
  t->scratch = gla_carve (base, at, 2 * n * sizeof (real));
  t->sigma = gla_carve (base, at, n * sizeof (vec));
  t->order = gla_carve (base, at, n * GLA_LANES * sizeof (int));
  t->y = gla_carve (base, at, n * n * sizeof (num));
  t->v = gla_carve (base, at, n * n * sizeof (num));
}

static size_t tall_work_layout (char *base, const gla_svd_job *job, tall_work *w)
{
  const int64_t m = gla_max (job->m, job->n), k = gla_min (job->m, job->n);
  size_t at = 0;
  tall_layout (base, &at, m, k, 1, GLA_TALL_BLOCK_BYTES, &w->space);
  for (int g = 0; g < 2; g++)
    tall_lanes_layout (base, &at, k, &w->lanes[g]);
  w->z = gla_carve (base, &at, (size_t)(k * k * GLA_LANES) * sizeof (scalar));
  return at;
}

//------------------------------------------------------------------------------
// which pages
//------------------------------------------------------------------------------

// Finds powers of two that bring the largest diagonal element of T'*T near 1. Lanes without a page,
// with numbers that are not finite, out of range, or too far apart are not live.
static void scale_gram (tall_lanes *t)
{
  const int64_t k = t->k;
  vec most = t->gram[0].re, least = most, down = vec_broadcast (1);
  mask finite = most == most; // NaN is below nothing
  for (int64_t j = 1; j < k; j++) {
    const vec d = t->gram[j + j * k].re;
    finite &= d == d;
    most = vec_select (d > most, d, most);
    least = vec_select (d < least, d, least);
  }
  t->live &= finite & (least >= vec_broadcast (GLA_QR_SMALL)) &
             (most <= vec_broadcast (GLA_MAX * GLA_EPS)) & (least * (real)TALL_CONDITION >= most);
  t->up = down;
  for (int l = 0; l < GLA_LANES; l++)
    if (t->live[l]) {
      const int half = exponent_of (abs_bits (most[l])) / 2;
      down[l] = power_of_two (-2 * half);
      t->up[l] = power_of_two (half);
    }
  for (int64_t i = 0; i < k * k; i++)
    t->gram[i] = num_scale (down, t->gram[i]);
}

// Sets T'*T of lanes that are not live to I.
static void settle_gram (tall_lanes *t)
{
  const int64_t k = t->k;
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = j; i < k; i++)
      t->gram[i + j * k] = num_select (t->live, t->gram[i + j * k],
                                       num_from_real (vec_broadcast (i == j ? (real)1 : (real)0)));
}

// Returns at most the largest eigenvalue: the sum of the squares of all over their sum.
static vec at_most_largest (const tall_lanes *t)
{
  const int64_t k = t->k;
  vec trace = vec_broadcast (0), squares = trace;
  for (int64_t j = 0; j < k; j++) {
    const num *column = t->gram + j * k;
    trace += column[j].re;
    squares += num_abs2 (column[j]);
    for (int64_t i = j + 1; i < k; i++)
      squares += 2 * num_abs2 (column[i]);
  }
  return squares / trace;
}

// Solves T'*T * y = x in place with the results of try_pivots: column j of t->y has column j of L
// times pivot j, t->tau[j] the pivot's reciprocal.
static void solve_gram (const tall_lanes *t, num *x)
{
  const int64_t k = t->k;
  const num *a = t->y;
  for (int64_t j = 0; j < k; j++) {
    x[j] = num_scale (t->tau[j].re, x[j]);
    for (int64_t i = j + 1; i < k; i++)
      x[i] = num_fnma (x[i], a[i + j * k], x[j]);
  }
  for (int64_t j = k - 2; j >= 0; j--) {
    num sum = num_zero ();
    for (int64_t i = j + 1; i < k; i++)
      sum = num_fmac (sum, a[i + j * k], x[i]);
    x[j] = num_sub (x[j], num_scale (t->tau[j].re, sum));
  }
}

// Returns at least the least eigenvalue: the Rayleigh quotient after two steps of inverse
// iteration.
static vec at_least_smallest (tall_lanes *t)
{
  const int64_t k = t->k;
  num *x = t->work, *y = t->work + k;
  for (int64_t j = 0; j < k; j++) // an arbitrary start
    x[j] = num_from_real (vec_broadcast ((real)1 - (real)(j * 5 % 8) / 3));
  solve_gram (t, x);
  memcpy (y, x, (size_t)k * sizeof *y);
  solve_gram (t, y);
  vec both = vec_broadcast (0), squares = both;
  for (int64_t j = 0; j < k; j++) {
    both += num_fmac (num_zero (), y[j], x[j]).re;
    squares += num_abs2 (y[j]);
  }
  return both / squares;
}

// Cholesky's factorisation finds most pages that are not accurate before their eigenvectors: no
// pivot is smaller than the least eigenvalue.
static void try_pivots (tall_lanes *t)
{
  const int64_t k = t->k;
  const vec one = vec_broadcast (1), most = at_most_largest (t);
  num *a = t->y;
  memcpy (a, t->gram, (size_t)(k * k) * sizeof *a);
  for (int64_t j = 0; j < k; j++) {
    const vec pivot = a[j + j * k].re;
    t->live &= pivot * (real)TALL_CONDITION >= most;
    const vec inverse = vec_reciprocal (vec_select (t->live, pivot, one));
    t->tau[j] = num_from_real (inverse);
    for (int64_t c = j + 1; c < k; c++) {
      const num f = num_scale (inverse, num_conj (a[c + j * k]));
      for (int64_t i = c; i < k; i++)
        a[i + c * k] = num_fnma (a[i + c * k], a[i + j * k], f);
    }
  }
  if (mask_any (t->live))
    t->live &= at_least_smallest (t) * (real)TALL_CONDITION >= most;
}

// Decides by the eigenvalues that QL has found.
static void try_values (tall_lanes *t)
{
  const int64_t k = t->k;
  vec most = t->q.d[0], least = most;
  for (int64_t j = 1; j < k; j++) {
    t->live &= t->q.e[j - 1] == vec_broadcast (0);
    most = vec_select (t->q.d[j] > most, t->q.d[j], most);
    least = vec_select (t->q.d[j] < least, t->q.d[j], least);
  }
  t->live &= least * (real)TALL_CONDITION >= most;
}

//------------------------------------------------------------------------------
// values and vectors of T'*T
//------------------------------------------------------------------------------

// Whether the work must end. There is no poll between short pages: the clock would take longer.
static int tall_stopped (gla_cpu_svd_task *task, const tall_space *s)
{
  return s->m * s->k > 4096 && gla_cpu_svd_stopped (task);
}

// Adds T'*T of rows from..to-1 to that of those before them, for all live lanes.
static void add_rows (gla_cpu_svd_task *task, tall_lanes *t, int64_t from, int64_t to,
                      const tall_space *s)
{
  for (int l = 0; l < GLA_LANES && !tall_stopped (task, s); l++)
    if (t->live[l])
      tall_gram (&task->chunk->A, t->first + l, l, from, to, s);
    else
      no_gram (l, s);
  tall_gram_lanes (s, t->gram);
}

// Removes lanes where T'*T, scaled, cannot be well enough conditioned. Returns whether one is left.
static int still_live (tall_lanes *t)
{
  scale_gram (t);
  settle_gram (t);
  if (mask_any (t->live))
    try_pivots (t);
  settle_gram (t);
  return mask_any (t->live);
}

// A page with few rows before a gap may be misjudged; then the other methods do it.
static int64_t sample_rows (const tall_space *s)
{
  const int64_t rows = rows_at_once (s);
  return (GLA_TALL_SAMPLE * s->k + rows - 1) / rows * rows;
}

// Makes the tridiagonal matrix, ready for QL. Returns whether a lane is live.
static int tall_begin (gla_cpu_svd_task *task, tall_lanes *t, const tall_space *s, int vectors)
{
  const int64_t sample = sample_rows (s);
  for (int l = 0; l < GLA_LANES; l++)
    t->live[l] = l < t->count && task->chunk->info[t->first + l] == 0 ? -1 : 0;
  add_rows (task, t, 0, sample, s);
  if (!still_live (t))
    return 0;
  add_rows (task, t, sample, s->m, s);
  if (tall_stopped (task, s) || !still_live (t))
    return 0;
  tridiagonalise ((int)t->k, t->gram, t->q.d, t->q.e, t->tau, t->work);
  if (!vectors)
    t->q.z = NULL;
  ql_begin ((int)t->k, &t->q, GLA_EPS, TALL_ITERATIONS, t->scratch);
  return 1;
}

// Sorts values; equal ones keep their order.
static void tall_sort (tall_lanes *t)
{
  const int64_t k = t->k;
  vec *d = t->q.d;
  for (int64_t j = 0; j < k; j++) {
    mask rank = {0}; // how many are before it
    for (int64_t i = 0; i < k; i++)
      rank -= i < j ? d[i] >= d[j] : d[i] > d[j];
    for (int l = 0; l < GLA_LANES; l++) {
      t->order[rank[l] * GLA_LANES + l] = (int)j;
      t->sigma[rank[l]][l] = d[j][l];
    }
  }
  for (int64_t j = 0; j < k; j++)
    t->sigma[j] = vec_sqrt (vec_select (t->live, t->sigma[j], vec_broadcast (1)));
}

// Sorts V.
static void tall_vectors (tall_lanes *t)
{
  const int k = (int)t->k;
  back_prepare (k, t->gram, t->cross);
  for (int j = 0; j < k; j += BACK_COLUMNS) {
    const int count = k - j < BACK_COLUMNS ? k - j : BACK_COLUMNS;
    for (int c = 0; c < count; c++)
      for (int i = 0; i < k; i++)
        t->y[i + (j + c) * k] = num_from_real (t->q.z[i + (j + c) * t->q.ldz]);
    back_transform (k, t->gram, t->tau, t->cross, t->y + j * k, count);
  }
  for (int j = 0; j < k; j++)
    gather_in_order (k, t->y, t->order + j * GLA_LANES, NULL, t->v + j * k);
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Stores the first `values` long vectors, T*(V/S), of all live lanes. If they are V of the page,
// they get their phases, and the short ones follow.
static void store_tall_long (gla_cpu_svd_task *task, const gla_array *to_long, tall_work *w,
                             const tall_lanes *t)
{
  const gla_svd_job *job = task->job;
  const int64_t k = t->k, m = w->space.m, columns = job->values;
  lanes_targets z = {.live = ~0u};
  for (int l = 0; l < GLA_LANES; l++)
    z.at[l] = (real *)(w->z + l * k * k);
  for (int64_t j = 0; j < columns; j++) {
    const vec inverse = 1 / (t->sigma[j] * t->up);
    for (int64_t i = 0; i < k; i++)
      t->y[i + j * k] = num_scale (inverse, t->v[i + j * k]);
  }
  lanes_store_run (&z, (const vec *)t->y, k * columns * GLA_PARTS);
  for (int l = 0; l < t->count && !tall_stopped (task, &w->space); l++) {
    if (!t->live[l])
      continue;
    svd_basis to = basis_of (to_long, t->first + l);
    to.columns = columns;
    tall_times (&task->chunk->A, t->first + l, &w->space, w->z + l * k * k, &to);
    for (int64_t j = 0; job->m < job->n && j < columns; j++) {
      const scalar f = fix_column (m, basis_column (&to, j));
      for (int64_t i = 0; i < k; i++)
        lane_set (t->v, k, i, j, l, scalar_mul (f, lane_get (t->v, k, i, j, l)));
    }
  }
}

static void store_tall (gla_cpu_svd_task *task, tall_work *w, tall_lanes *t)
{
  const gla_svd_job *job = task->job;
  const gla_svd_chunk *c = task->chunk;
  const int wide = job->m < job->n;
  const gla_array *to_long = wide ? &c->V : &c->U, *to_short = wide ? &c->U : &c->V;
  int64_t pages[GLA_LANES];
  tall_sort (t);
  for (int l = 0; l < GLA_LANES; l++)
    pages[l] = t->first + l;
  for (int l = 0; l < t->count; l++)
    for (int64_t j = 0; t->live[l] && j < job->values; j++)
      store_value (c, pages[l], j, t->sigma[j][l] * t->up[l]);
  if (job->u_columns > 0 || job->v_columns > 0)
    tall_vectors (t);
  for (int64_t j = 0; !wide && job->v_columns > 0 && j < job->values; j++)
    (void)fix_phase (t->k, t->v + j * t->k);
  if ((wide ? job->v_columns : job->u_columns) > 0)
    store_tall_long (task, to_long, w, t);
  if ((wide ? job->u_columns : job->v_columns) > 0)
    write_columns (to_short, pages, lanes_bits (t->live), 0, job->values, t->v);
}

//------------------------------------------------------------------------------
// pages
//------------------------------------------------------------------------------

// Solves `count` pages from `first` on, at most two registers of them. Returns a bit for each that
// is left. Pages whose info is not 0 are left, too.
static uint64_t solve_tall_pages (gla_cpu_svd_task *task, int64_t first, int count, tall_work *w)
{
  const gla_svd_job *job = task->job;
  const int k = (int)gla_min (job->m, job->n);
  const int vectors = job->u_columns > 0 || job->v_columns > 0;
  tall_lanes *live[2];
  ql_group q[2];
  int groups = 0;
  uint64_t left = ((uint64_t)1 << count) - 1;
  for (int g = 0; g * GLA_LANES < count; g++) {
    tall_lanes *t = &w->lanes[groups];
    t->first = first + g * GLA_LANES;
    t->count = (int)gla_min (GLA_LANES, count - g * GLA_LANES);
    if (!tall_begin (task, t, &w->space, vectors))
      continue;
    q[groups] = t->q;
    live[groups++] = t;
  }
  while (groups > 0 && ql_next_sweep (k, groups, q))
    continue;
  for (int g = 0; g < groups; g++) {
    try_values (live[g]);
    if (!mask_any (live[g]->live))
      continue;
    store_tall (task, w, live[g]);
    left &= ~((uint64_t)lanes_bits (live[g]->live) << (live[g]->first - first));
  }
  return left;
}

#endif
