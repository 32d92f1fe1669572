// svd_kernels.c: the kernels of the SVD of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "svd.h"
#include "svd_cholesky.h"
#include "svd_jacobi_page.h"
#include "svd_lanes_page.h"
#include "svd_long.h"
#include "svd_page.h"
#include "svd_tall.h"

// Returns bytes of LANES and LONG.
static size_t small_workspace (const gla_svd_job *job, gla_cpu_svd_path path)
{
  lanes_page lanes;
  long_work long_pages;
  jacobi_work jacobi;
  return path == GLA_CPU_SVD_LANES
             ? (size_t)svd_registers (job) * lanes_page_layout (NULL, job->m, job->n, &lanes)
             : long_layout (NULL, job, &long_pages) + jacobi_layout (NULL, job, &jacobi);
}

static size_t workspace (const gla_svd_job *job, gla_cpu_svd_path path)
{
  tall_work tall;
  cholesky_work cholesky;
  page_work page;
  jacobi_work jacobi;
  switch (path) {
  case GLA_CPU_SVD_LANES:
  case GLA_CPU_SVD_LONG:
    return small_workspace (job, path) +
           (gla_cpu_svd_is_tall (job)       ? tall_work_layout (NULL, job, &tall)
            : gla_cpu_svd_is_cholesky (job) ? cholesky_layout (NULL, job, &cholesky)
                                            : 0);
  case GLA_CPU_SVD_PAGE:
    return page_layout (NULL, job, &page);
  case GLA_CPU_SVD_JACOBI:
    return jacobi_layout (NULL, job, &jacobi);
  }
  return 0;
}

// Solves pages pages[0..count-1] of a job of LANES or LONG.
static void solve_small (gla_cpu_svd_task *task, const int64_t *pages, int count)
{
  if (task->path == GLA_CPU_SVD_LANES)
    solve_svd_lanes (task, task->work, pages, count);
  else
    solve_svd_long (task, task->work, pages, count);
}

enum { TOGETHER = 2 * GLA_LANES }; // pages of two registers

// Solves by T'*T if a page allows it. The columns of a square U or V that belong to no value come
// from the other methods, which then go first.
static void solve_tall (gla_cpu_svd_task *task, int64_t first, int count)
{
  const gla_svd_job *job = task->job;
  const int64_t k = gla_min (job->m, job->n);
  const int square = (job->m < job->n ? job->v_columns : job->u_columns) > k;
  int64_t pages[2 * TOGETHER];
  int waiting = 0;
  tall_work w;
  tall_work_layout (task->work + small_workspace (job, task->path), job, &w);
  for (int done = 0; done < count && !gla_cpu_svd_stopped (task); done += TOGETHER) {
    const int now = (int)gla_min (TOGETHER, count - done);
    if (square) {
      for (int i = 0; i < now; i++)
        pages[i] = first + done + i;
      solve_small (task, pages, now);
    } else
      memset (task->chunk->info + first + done, 0, (size_t)now * sizeof (int32_t));
    uint64_t left = solve_tall_pages (task, first + done, now, &w);
    for (; !square && left != 0; left &= left - 1)
      pages[waiting++] = first + done + __builtin_ctzll (left);
    if (waiting >= TOGETHER) {
      solve_small (task, pages, TOGETHER);
      waiting -= TOGETHER;
      memmove (pages, pages + TOGETHER, (size_t)waiting * sizeof *pages);
    }
  }
  if (waiting > 0)
    solve_small (task, pages, waiting);
}

static void solve_by_cholesky (gla_cpu_svd_task *task, int64_t first, int count)
{
  svd_others others = {.solve = solve_small};
  solve_svd_cholesky (task, task->work + small_workspace (task->job, task->path), first, count,
                      &others);
}

static void solve_all (gla_cpu_svd_task *task, int64_t first, int count)
{
  int64_t pages[TOGETHER];
  for (int done = 0; done < count && !gla_cpu_svd_stopped (task); done += TOGETHER) {
    const int now = (int)gla_min (TOGETHER, count - done);
    for (int i = 0; i < now; i++)
      pages[i] = first + done + i;
    solve_small (task, pages, now);
  }
}

static void solve (gla_cpu_svd_task *task, int64_t first, int count)
{
  switch (task->path) {
  case GLA_CPU_SVD_LANES:
  case GLA_CPU_SVD_LONG:
    if (gla_cpu_svd_is_tall (task->job))
      solve_tall (task, first, count);
    else if (gla_cpu_svd_is_cholesky (task->job))
      solve_by_cholesky (task, first, count);
    else
      solve_all (task, first, count);
    break;
  case GLA_CPU_SVD_PAGE:
    solve_svd_page (task, first);
    break;
  case GLA_CPU_SVD_JACOBI:
    solve_svd_jacobi (task, task->work, first);
    break;
  }
}

const gla_cpu_svd_kernel GLA_KERNEL_TABLE (svd) = {GLA_LANES, workspace, solve};
