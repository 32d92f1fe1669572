// solve_kernels.c: page solves with one type of A for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type of A and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "common/grid.h"
#include "cpu/common/lanes.h"
#include "solve.h"
#include "solve_lanes.h"
#include "solve_lapack.h"
#include "solve_page.h"
#include "solve_system.h"

//------------------------------------------------------------------------------
// pages of a job as systems of equations
//------------------------------------------------------------------------------

// X*op (A) = B is solved as op (A).' * X.' = B.', and every transpose is a choice of strides.

// The systems of `pages` pages with one A.
static lu_shape shape_of (const gla_pagesolve_job *job, int64_t pages)
{
  const int pairs = !job->a_complex && job->b_complex;
  return (lu_shape){.n = job->n,
                    .columns = job->rhs * (1 + pairs) * pages,
                    .inner = job->rhs,
                    .pairs = pairs,
                    .inverse = job->inverse,
                    .rcond = job->rcond};
}

// Page p of the chunk, and those behind it with the same A, whose pages of B are b_step apart.
static lu_system system_of (const gla_cpu_lu_task *task, int64_t p, int64_t b_step)
{
  const gla_pagesolve_job *job = task->job;
  const gla_array *A = &task->chunk->A, *B = &task->chunk->B, *X = &task->chunk->X;
  const int64_t pb = 1 + job->b_complex, px = 1 + gla_type_is_complex (X->type);
  const int right = job->side == GLA_SIDE_RIGHT, transposed = (job->op_a != 'N') != right;
  int64_t a, b;
  const gla_grid grid = {job->dims, job->dim_size, job->a_step, job->b_step};
  gla_grid_pages (&grid, task->chunk->first + p, &a, &b);
  lu_system s = {.A = {.at = (const real *)A->data + a * A->page_stride * GLA_PARTS,
                       .row = (transposed ? A->column_stride : 1) * GLA_PARTS,
                       .column = (transposed ? 1 : A->column_stride) * GLA_PARTS,
                       .parts = GLA_PARTS,
                       .sign = job->op_a == 'C' ? -1 : 1},
                 .X = {.at = job->rhs > 0 ? (real *)X->data + p * X->page_stride * px : NULL,
                       .row = (right ? X->column_stride : 1) * px,
                       .column = (right ? 1 : X->column_stride) * px,
                       .page = X->page_stride * px}};
  if (!job->inverse && job->rhs > 0)
    s.B = (lu_input){.at = (const real *)B->data + b * B->page_stride * pb,
                     .row = (right ? B->column_stride : 1) * pb,
                     .column = (right ? 1 : B->column_stride) * pb,
                     .page = b_step * B->page_stride * pb,
                     .parts = GLA_COMPLEX ? (int)pb : 1,
                     .sign = 1};
  return s;
}

//------------------------------------------------------------------------------
// page solves with one type of A for one instruction set
//------------------------------------------------------------------------------

// What solves pages of a size: many in lanes up to LU_LANES_MAX, one in registers up to
// LU_PAGE_MAX. LAPACK does larger ones, and those that a kernel leaves: singular and not finite
// ones, and some that are far out of scale.
static size_t workspace (const gla_pagesolve_job *job, int64_t pages, int team)
{
  const lu_shape shape = shape_of (job, pages);
  lu_space w;
  size_t kernel = 0;
  if (job->n <= LU_LANES_MAX)
    kernel = lu_lanes_bytes (&shape);
  else if (job->n <= LU_PAGE_MAX)
    kernel = lu_page_bytes (&shape);
  return (size_t)gla_max ((int64_t)kernel, (int64_t)lapack_layout (NULL, &shape, team, &w));
}

// At most GLA_LANES systems, or one with the columns of several pages.
static void solve_systems (const gla_cpu_lu_task *task, const lu_shape *shape, lu_system *systems,
                           int count)
{
  for (int k = 0; k < count; k++)
    systems[k].left = 1;
  if (shape->n <= LU_LANES_MAX)
    lu_lanes_solve (shape, systems, count, task->work);
  else if (shape->n <= LU_PAGE_MAX)
    lu_page_solve (shape, systems, count, task->work);
  for (int k = 0; k < count; k++)
    if (systems[k].left && !gla_cpu_lu_stopped (task, 0))
      lapack_solve (task, shape, &systems[k], task->work);
}

static void store_numbers (const gla_cpu_lu_task *task, const lu_system *s, int64_t first,
                           int64_t pages)
{
  const gla_array *rcond = &task->chunk->rcond;
  for (int64_t p = first; p < first + pages; p++) {
    task->chunk->info[p] = s->info;
    if (task->job->rcond)
      ((real *)rcond->data)[p * rcond->page_stride] = s->rcond;
  }
}

static void solve_apart (const gla_cpu_lu_task *task, int64_t first, int64_t count)
{
  const lu_shape shape = shape_of (task->job, 1);
  lu_system systems[GLA_LANES];
  for (int64_t p = first; p < first + count; p += GLA_LANES) {
    const int64_t some = gla_min (GLA_LANES, first + count - p);
    for (int64_t k = 0; k < some; k++)
      systems[k] = system_of (task, p + k, 0);
    solve_systems (task, &shape, systems, (int)some);
    for (int64_t k = 0; k < some; k++)
      store_numbers (task, &systems[k], p + k, 1);
  }
}

static void solve (const gla_cpu_lu_task *task, int64_t first, int64_t count)
{
  int64_t b_step;
  const int64_t shared = gla_cpu_lu_shared (task->job, &b_step), end = first + count;
  if (shared == 1) {
    solve_apart (task, first, count);
    return;
  }
  for (int64_t p = first; p < end;) {
    const int64_t left = shared - (task->chunk->first + p) % shared;
    const int64_t pages = gla_min (left, end - p);
    const lu_shape shape = shape_of (task->job, pages);
    lu_system s = system_of (task, p, b_step);
    solve_systems (task, &shape, &s, 1);
    store_numbers (task, &s, p, pages);
    p += pages;
  }
}

const gla_cpu_solve_kernel GLA_KERNEL_TABLE (solve) = {GLA_LANES, workspace, solve};
