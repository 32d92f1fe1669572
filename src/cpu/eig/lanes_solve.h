// lanes_solve.h: reads, solves and stores pages, one per lane of a register
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_LANES_SOLVE_H
#define GPULINALG_CPU_EIG_LANES_SOLVE_H

#include <string.h>

#include "cpu/common/carve.h"
#include "cpu/common/lanes.h"
#include "cpu/common/lanes_ql.h"
#include "cpu/common/lanes_tridiagonal.h"
#include "eig.h"
#include "jacobi.h"
#include "scale.h"

//------------------------------------------------------------------------------
// reads pages into lanes: scaled, and with (A + A')/2 taken
//------------------------------------------------------------------------------

// Pages that become the lanes of one register; a lane without its own page reads another's.
typedef struct {
  const real *page[GLA_LANES];
  int64_t ld;
  vec down0, down1; // factors, applied one after the other; 0 if nothing is to be read
} sources;

// Gathers the numbers `at` real numbers into each page, scaled.
static inline __attribute__ ((always_inline)) num gather (const sources *from, int64_t at)
{
  num x = num_zero ();
  for (int l = 0; l < GLA_LANES; l++) {
    x.re[l] = from->page[l][at];
#if GLA_COMPLEX
    x.im[l] = from->page[l][at + 1];
#endif
  }
  return num_scale (from->down1, num_scale (from->down0, x));
}

// Returns element (i, j), i >= j; updates the largest |a_ij - conj (a_ji)|^2.
static inline __attribute__ ((always_inline)) num
load_element (const sources *from, gla_triangle triangle, int i, int j, vec *difference2)
{
  const vec zero = vec_broadcast (0);
  num x = num_zero ();
  if (triangle != GLA_TRIANGLE_UPPER)
    x = gather (from, (i + j * from->ld) * GLA_PARTS);
  if (triangle != GLA_TRIANGLE_LOWER) {
    num y = num_conj (gather (from, (j + i * from->ld) * GLA_PARTS));
    if (triangle == GLA_TRIANGLE_FULL) {
      vec d2 = num_abs2 (num_sub (x, y));
      *difference2 = vec_select (d2 > *difference2, d2, *difference2);
      x = num_scale (vec_broadcast ((real)0.5), num_add (x, y));
    } else
      x = y;
  }
  // 0 * NaN is NaN, so a page that is left out must be masked
  x = num_select (from->down0 != zero, x, num_zero ());
#if GLA_COMPLEX
  if (i == j)
    x.im = zero;
#endif
  return x;
}

// Loads the lower triangle; returns the largest |a_ij - conj (a_ji)|^2. It takes some columns at a
// time, because elements (j, i) of a page that share a cache line belong to neighbouring columns j.
static inline __attribute__ ((always_inline)) vec load_triangle (int n, const sources *from,
                                                                 gla_triangle triangle, num *a)
{
  enum { columns = 64 / (GLA_PARTS * sizeof (real)) };
  vec difference2 = vec_broadcast (0);
  for (int first = 0; first < n; first += columns)
    for (int i = first; i < n; i++)
      for (int j = first; j < first + columns && j <= i; j++)
        a[i + j * n] = load_element (from, triangle, i, j, &difference2);
  return difference2;
}

static void load_group (gla_cpu_eig_task *task, int64_t first, int count, num *a, scaling *s)
{
  const gla_eig_job *job = task->job;
  const gla_array *A = &task->chunk->A;
  const int n = (int)job->n;
  sources from = {.ld = A->column_stride};
  for (int l = 0; l < GLA_LANES; l++) {
    const int64_t page = first + (l < count ? l : 0);
    from.page[l] = (const real *)A->data + page * A->page_stride * GLA_PARTS;
    if (l < count)
      s[l] = scaling_of (largest_of_page (n, from.page[l], from.ld, job->triangle), n);
    from.down0[l] = l < count ? s[l].down[0] : 0;
    from.down1[l] = l < count ? s[l].down[1] : 0;
  }

  vec difference2 = vec_broadcast (0);
  if (job->triangle == GLA_TRIANGLE_FULL)
    difference2 = load_triangle (n, &from, GLA_TRIANGLE_FULL, a);
  else if (job->triangle == GLA_TRIANGLE_LOWER)
    load_triangle (n, &from, GLA_TRIANGLE_LOWER, a);
  else
    load_triangle (n, &from, GLA_TRIANGLE_UPPER, a);

  double *skew = task->chunk->skew;
  for (int l = 0; l < count; l++) {
    if (skew)
      skew[first + l] = 0;
    if (job->triangle == GLA_TRIANGLE_FULL)
      check_hermitian (&s[l], difference2[l], n, skew ? &skew[first + l] : NULL);
  }
}

//------------------------------------------------------------------------------
// solves pages that are side by side in lanes and writes them back
//------------------------------------------------------------------------------

// Workspace of a thread: for Jacobi one register of pages, for QL one or two.
typedef struct {
  num *a[2], *tau[2], *v, *cross, *work;
  vec *d[2];
  ql_group q[2];
  real *scratch;
  vec *columns;       // QL_COLUMNS * n, if a part of the vectors is wanted
  int *order, *place; // n per page; n
} lanes_work;

static void lanes_layout_qr (char *base, size_t *at, const gla_eig_job *job, int g, lanes_work *w)
{
  const size_t n = (size_t)job->n;
  ql_group *q = &w->q[g];
  w->tau[g] = gla_carve (base, at, n * sizeof (num));
  q->d = w->d[g];
  q->e = gla_carve (base, at, n * sizeof (vec));
  q->rotations = gla_carve (base, at, QL_SWEEPS * n * sizeof (ql_rotation));
  q->ldz = ql_row_length ((int)n);
  q->tape.wanted = job->vectors && job->range != GLA_EIG_ALL;
  if (q->tape.wanted) {
    q->place = gla_carve (base, at, GLA_LANES * n * sizeof (int));
    q->tape.room = ql_tape_usual ((int)n);
    q->tape.lent = gla_carve (base, at, q->tape.room * sizeof (ql_rotation));
    q->tape.rotations = q->tape.lent;
  } else if (job->vectors)
    q->z = gla_carve (base, at, n * (size_t)q->ldz * sizeof (vec));
}

// Lays out the workspace for so many pages from `base` (NULL: only counts) and returns its bytes.
static size_t lanes_layout (char *base, const gla_eig_job *job, int jacobi, int pages,
                            lanes_work *w)
{
  const size_t n = (size_t)job->n;
  size_t at = 0;
  memset (w, 0, sizeof *w);
  for (int g = 0; g * GLA_LANES < pages; g++) {
    w->a[g] = gla_carve (base, &at, n * n * sizeof (num));
    w->d[g] = gla_carve (base, &at, n * sizeof (vec));
    if (!jacobi)
      lanes_layout_qr (base, &at, job, g, w);
  }
  if (jacobi)
    w->v = job->vectors ? gla_carve (base, &at, n * n * sizeof (num)) : NULL;
  else {
    w->work = gla_carve (base, &at, 4 * (n + 3) * sizeof (num));
    w->cross = gla_carve (base, &at, n * sizeof (num));
    w->scratch = gla_carve (base, &at, 2 * n * sizeof (real));
    if (job->vectors && job->range != GLA_EIG_ALL)
      w->columns = gla_carve (base, &at, QL_COLUMNS * n * sizeof (vec));
  }
  w->order = gla_carve (base, &at, GLA_LANES * n * sizeof (int));
  w->place = gla_carve (base, &at, n * sizeof (int));
  return at;
}

//------------------------------------------------------------------------------
// QL
//------------------------------------------------------------------------------

// Returns how many eigenvalues of lane l did not converge.
static int count_unconverged (int n, const ql_group *q, int l)
{
  int count = 0;
  for (int i = 0; i + 1 < n; i++)
    count += q->e[i][l] != 0;
  return count;
}

// Transforms vectors j..j+count-1 of QL back and stores them in the wanted order.
static void store_strip (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first, int j,
                         int count, const part *live)
{
  const int n = (int)task->job->n;
  const gla_array *V = &task->chunk->V;
  num *y = w->work;
  for (int c = 0; c < count; c++)
    for (int i = 0; i < n; i++)
      y[i + c * n] = num_from_real (w->q[g].z[i + (j + c) * w->q[g].ldz]);
  back_transform (n, w->a[g], w->tau[g], w->cross, y, count);
  for (int c = 0; task->job->phase && c < count; c++)
    lanes_phase (n, y + c * n, 1);
  for (int l = 0; l < GLA_LANES; l++)
    for (int c = 0; live[l].count > 0 && c < count; c++) {
      const int64_t to = (first + l) * V->page_stride + w->order[l * n + j + c] * V->column_stride;
      store_column ((real *)V->data + to * GLA_PARTS, (const real *)(y + c * n) + l, n,
                    GLA_PARTS * GLA_LANES, GLA_LANES);
    }
}

// Stores all vectors. `order` becomes the place of each vector.
static void store_all (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first,
                       const part *live)
{
  const int n = (int)task->job->n;
  int *place = w->place;
  for (int l = 0; l < GLA_LANES; l++) {
    int *order = w->order + l * n;
    for (int k = 0; live[l].count > 0 && k < n; k++)
      place[order[k]] = k;
    if (live[l].count > 0)
      memcpy (order, place, (size_t)n * sizeof *place);
  }
  for (int j = 0; j < n; j += BACK_COLUMNS) {
    if (n > GLA_CPU_EIG_NO_POLL && gla_cpu_eig_stopped (task))
      return;
    store_strip (task, w, g, first, j, n - j < BACK_COLUMNS ? n - j : BACK_COLUMNS, live);
  }
}

// Transforms columns j..j+BACK_COLUMNS-1 of the wanted part back, from column `at` of w->columns
// on, and stores them.
static void store_part_strip (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first,
                              int j, int at, const part *live)
{
  const int n = (int)task->job->n;
  const gla_array *V = &task->chunk->V;
  num *y = w->work;
  memset (y, 0, (size_t)n * BACK_COLUMNS * sizeof *y);
  for (int l = 0; l < GLA_LANES; l++)
    for (int c = 0; c < BACK_COLUMNS && j + c < live[l].count; c++)
      for (int k = 0; k < n; k++)
        ((real *)(y + w->q[g].place[l * n + k] + c * n))[l] =
            w->columns[k * QL_COLUMNS + at + c][l];
  back_transform (n, w->a[g], w->tau[g], w->cross, y, BACK_COLUMNS);
  for (int c = 0; task->job->phase && c < BACK_COLUMNS; c++)
    lanes_phase (n, y + c * n, 1);
  for (int l = 0; l < GLA_LANES; l++)
    for (int c = 0; c < BACK_COLUMNS && j + c < live[l].count; c++) {
      const int64_t to = (first + l) * V->page_stride + (j + c) * V->column_stride;
      store_column ((real *)V->data + to * GLA_PARTS, (const real *)(y + c * n) + l, n,
                    GLA_PARTS * GLA_LANES, GLA_LANES);
    }
}

// Computes columns j..j+QL_COLUMNS-1 of the wanted part: each lane has its own vectors there. The
// number of columns is always the same, with zeros after a page's last, so that the bits of a page
// do not depend on how many its neighbours have.
static void store_part_columns (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first,
                                int j, const part *live)
{
  const int n = (int)task->job->n;
  memset (w->columns, 0, (size_t)n * QL_COLUMNS * sizeof *w->columns);
  for (int l = 0; l < GLA_LANES; l++)
    for (int c = 0; c < QL_COLUMNS && j + c < live[l].count; c++)
      w->columns[w->order[l * n + live[l].first + j + c] * QL_COLUMNS + c][l] = 1;
  ql_unwind (&w->q[g].tape, w->columns);
  for (int c = 0; c < QL_COLUMNS; c += BACK_COLUMNS)
    store_part_strip (task, w, g, first, j + c, c, live);
}

static void store_part (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first,
                        const part *live, int most)
{
  for (int j = 0; j < most; j += QL_COLUMNS) {
    if (task->job->n > GLA_CPU_EIG_NO_POLL && gla_cpu_eig_stopped (task))
      return;
    store_part_columns (task, w, g, first, j, live);
  }
}

// Stores pages first..first+count-1 from group g.
static void store_group (gla_cpu_eig_task *task, const lanes_work *w, int g, int64_t first,
                         int count, scaling *s)
{
  const int n = (int)task->job->n;
  part live[GLA_LANES] = {{0, 0}};
  int most = 0;
  for (int l = 0; l < count; l++) {
    if (s[l].info == 0)
      s[l].info = w->q[g].tape.failed ? n : count_unconverged (n, &w->q[g], l);
    live[l] = store_values (task, first + l, &s[l], (const real *)w->d[g] + l, GLA_LANES,
                            w->order + l * n);
    most = live[l].count > most ? (int)live[l].count : most;
  }
  if (most == 0)
    return;
  back_prepare (n, w->a[g], w->cross);
  if (task->job->range == GLA_EIG_ALL)
    store_all (task, w, g, first, live);
  else
    store_part (task, w, g, first, live, most);
}

// Solves up to two registers of pages, because QL is faster on two.
static void solve_lanes_qr (gla_cpu_eig_task *task, int64_t first, int count)
{
  const int n = (int)task->job->n, groups = (count + GLA_LANES - 1) / GLA_LANES;
  lanes_work w;
  lanes_layout (task->work, task->job, 0, count, &w);
  scaling s[2 * GLA_LANES];
  for (int g = 0; g < groups; g++) {
    int left = count - g * GLA_LANES, lanes = left < GLA_LANES ? left : GLA_LANES;
    load_group (task, first + g * GLA_LANES, lanes, w.a[g], s + g * GLA_LANES);
    tridiagonalise (n, w.a[g], w.d[g], w.q[g].e, w.tau[g], w.work);
    ql_begin (n, &w.q[g], (real)task->job->tol, task->job->maxit, w.scratch);
  }
  while ((n <= GLA_CPU_EIG_NO_POLL || !gla_cpu_eig_stopped (task)) &&
         ql_next_sweep (n, groups, w.q))
    continue;
  for (int g = 0; g < groups; g++) {
    int left = count - g * GLA_LANES, lanes = left < GLA_LANES ? left : GLA_LANES;
    if (n <= GLA_CPU_EIG_NO_POLL || !gla_cpu_eig_stopped (task))
      store_group (task, &w, g, first + g * GLA_LANES, lanes, s + g * GLA_LANES);
    ql_tape_free (&w.q[g].tape);
  }
}

//------------------------------------------------------------------------------
// Jacobi
//------------------------------------------------------------------------------

static void solve_lanes_jacobi (gla_cpu_eig_task *task, int64_t first, int count)
{
  const int n = (int)task->job->n;
  lanes_work w;
  lanes_layout (task->work, task->job, 1, count, &w);
  scaling s[GLA_LANES];
  int unconverged[GLA_LANES];
  vec *d = w.d[0];
  load_group (task, first, count, w.a[0], s);
  jacobi_solve (n, w.a[0], w.v, (real)task->job->tol, task->job->maxit, unconverged);
  for (int i = 0; i < n; i++)
    d[i] = w.a[0][i + i * n].re;
  for (int j = 0; w.v && task->job->phase && j < n; j++)
    lanes_phase (n, w.v + j * n, 1);

  for (int l = 0; l < count; l++) {
    result r = {(const real *)d + l, NULL, GLA_LANES, n, GLA_PARTS * GLA_LANES, GLA_LANES, 0};
    if (w.v)
      r.v = (const real *)w.v + l;
    if (s[l].info == 0)
      s[l].info = unconverged[l];
    store (task, first + l, &s[l], r, w.order);
  }
}

#endif
