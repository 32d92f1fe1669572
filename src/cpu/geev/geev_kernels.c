// geev_kernels.c: general eigenproblems of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "geev.h"
#include "geev_lanes_qr.h"
#include "geev_lanes_reduce.h"
#include "geev_lanes_vectors.h"
#include "geev_page.h"

static size_t workspace (const gla_geev_job *job)
{
  lanes_work lanes;
  page_work page;
  const size_t by_page = page_layout (NULL, job, &page);
  return by_page + (job->n <= GLA_CPU_GEEV_LANES_MAX ? lanes_layout (NULL, job->n, &lanes) : 0);
}

// Solves pages first .. with a lane each. Returns the bits of those that have results; the others
// are left to LAPACK.
static unsigned solve_group (const gla_cpu_geev_task *task, const lanes_work *w, int64_t first,
                             int count)
{
  const gla_geev_job *job = task->job;
  const gla_geev_chunk *c = task->chunk;
  const int vectors = job->right || job->left;
  lanes_load_pages (w, &c->A, first, count);
  mask live = lanes_scale_pages (w, job->balance);
  for (int i = 0; i < w->n; i++)
    w->d[i] = vec_broadcast (1);
  if (job->balance) {
    live &= ~lanes_decompose (w);
    live &= lanes_balance (w);
    lanes_scale_balanced (w);
  }
  if (!(lanes_bits (live) & lanes_of_count (count)))
    return 0;
  lanes_reduce (w);
  lanes_form_q (w, vectors);
  live = lanes_qr (w, live, vectors, vectors);
  const unsigned done = lanes_bits (live) & lanes_of_count (count);
  lanes_values (w, vectors, vectors);
  lanes_store_values (w, &c->lambda, first, done);
  if (job->right)
    lanes_vectors (w, &c->V, first, 0, done);
  if (job->left)
    lanes_vectors (w, &c->W, first, 1, done);
  return done;
}

static void solve (const gla_cpu_geev_task *task, int64_t first, int64_t count)
{
  const int in_lanes = task->job->n <= GLA_CPU_GEEV_LANES_MAX, step = in_lanes ? GLA_LANES : 1;
  const int64_t end = first + count;
  page_work page;
  lanes_work lanes;
  const size_t by_page = page_layout (task->work, task->job, &page);
  if (in_lanes)
    lanes_layout (task->work + by_page, task->job->n, &lanes);
  for (int64_t p = first; p < end && !gla_cpu_geev_stopped (task); p += step) {
    const int here = end - p < step ? (int)(end - p) : step;
    const unsigned done = in_lanes ? solve_group (task, &lanes, p, here) : 0;
    for (int l = 0; l < here; l++)
      if (done >> l & 1)
        task->chunk->info[p + l] = 0;
      else
        solve_page (task, &page, p + l);
  }
}

const gla_cpu_geev_kernel GLA_KERNEL_TABLE (geev) = {GLA_LANES, workspace, solve};
