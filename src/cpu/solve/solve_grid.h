// solve_grid.h: pages of a job as systems of equations
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X*op (A) = B is solved as op (A).' * X.' = B.', and strides describe every transpose.

#ifndef GPULINALG_CPU_SOLVE_GRID_H
#define GPULINALG_CPU_SOLVE_GRID_H

#include "common/grid.h"

#include "solve.h"
#include "solve_system.h"

// Returns the systems of `pages` pages with one A.
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

// Returns page p of the chunk, and those after it with the same A, whose pages of B are b_step
// apart.
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

#endif
