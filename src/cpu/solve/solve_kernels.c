// solve_kernels.c: page solves with one type of A for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type of A and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "solve.h"
#include "solve_grid.h"
#include "solve_lanes.h"
#include "solve_lapack.h"
#include "solve_page.h"

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

// Solves at most GLA_LANES systems, or one with the columns of several pages.
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
