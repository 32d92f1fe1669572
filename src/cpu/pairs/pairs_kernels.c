// pairs_kernels.c: steps on pencils of one type for one instruction set
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type and instruction set, with -DGLA_T=<type> -DGLA_ISA=<set>.

#include "cpu/common/lanes.h"

#include "pairs.h"
#include "pairs_lanes.h"

static size_t workspace (const gla_pencil_job *job)
{
  lanes_work lanes;
  page_space page;
  const size_t by_page = page_layout (NULL, job->n, &page);
  return by_page + (job->n <= PENCIL_LANES_MAX ? lanes_layout (NULL, job->n, &lanes) : 0);
}

//------------------------------------------------------------------------------
// pages in lanes
//------------------------------------------------------------------------------

// Some pages with a lane each. The bits of `live` say which have good results so far.
typedef struct {
  const gla_cpu_pencil_task *task;
  lanes_work w;
  int64_t first;
  int count;
  unsigned live;
} lanes_group;

static unsigned lanes_of_count (int count)
{
  return (2u << (count - 1)) - 1;
}

// Pages that lanes do not serve are left to the page kernels.
static void leave_factor (const lanes_group *g, unsigned left)
{
  for (int l = 0; l < g->count; l++)
    if (left >> l & 1)
      factor_page (g->task, g->first + l);
}

static void leave_reduce (const lanes_group *g, unsigned left)
{
  for (int l = 0; l < g->count; l++)
    if (left >> l & 1)
      reduce_page (g->task, g->first + l);
}

static inline __attribute__ ((always_inline)) void group_factor (lanes_group *g, int n)
{
  const gla_pencil_chunk *c = g->task->chunk;
  lanes_load_pages (g->w.l, &c->B, n, g->first, g->count);
  const lanes_facts facts = lanes_symmetrise (g->w.l, n, g->task->job->triangle);
  const mask usual = lanes_are_usual (&facts, n, 0), good = lanes_factor (g->w.l, g->w.r, n);
  const unsigned all = lanes_of_count (g->count);
  g->live = lanes_bits (usual & good) & all;
  for (int l = 0; l < g->count; l++) {
    c->info[g->first + l] = 0;
    c->skew_b[g->first + l] = 0;
  }
  if (g->live)
    lanes_store_pages (g->w.l, &c->L, n, g->first, g->live);
  leave_factor (g, all & ~g->live);
}

static inline __attribute__ ((always_inline)) void group_load_factor (lanes_group *g, int n)
{
  const gla_pencil_chunk *c = g->task->chunk;
  const unsigned all = lanes_of_count (g->count);
  unsigned fine = 0;
  for (int l = 0; l < g->count; l++)
    fine |= (unsigned)(c->info[g->first + l] == 0) << l;
  lanes_load_pages (g->w.l, &c->L, n, g->first, g->count);
  const unsigned usual = lanes_bits (lanes_reciprocals (g->w.l, g->w.r, n));
  g->live = all & fine & (g->task->job->reduce ? usual : ~0u);
}

static inline __attribute__ ((always_inline)) void group_reduce (lanes_group *g, int n)
{
  const gla_pencil_chunk *c = g->task->chunk;
  lanes_load_pages (g->w.a, &c->A, n, g->first, g->count);
  const lanes_facts facts = lanes_symmetrise (g->w.a, n, g->task->job->triangle);
  g->live &= lanes_bits (lanes_are_usual (&facts, n, 1));
  lanes_reduce (&g->w, n, g->task->job->product);
  for (int l = 0; l < g->count; l++) {
    c->exponents[g->first + l] = 0;
    c->skew_a[g->first + l] = 0;
  }
  if (g->live)
    lanes_store_pages (g->w.a, &c->C, n, g->first, g->live);
  leave_reduce (g, lanes_of_count (g->count) & ~g->live);
}

static inline __attribute__ ((always_inline)) void group_back (lanes_group *g, int n)
{
  const gla_pencil_chunk *c = g->task->chunk;
  if (!g->live)
    return;
  lanes_load_pages (g->w.a, &c->X, n, g->first, g->count);
  lanes_back (&g->w, n, g->task->job->times);
  for (int j = 0; g->task->job->phase && j < n; j++)
    lanes_phase (n, g->w.a + j * g->w.ld, 0);
  lanes_store_pages (g->w.a, &c->X, n, g->first, g->live);
}

static inline __attribute__ ((always_inline)) void group_steps (lanes_group *g, int n)
{
  const gla_pencil_job *job = g->task->job;
  if (job->factor)
    group_factor (g, n);
  else
    group_load_factor (g, n);
  if (job->reduce)
    group_reduce (g, n);
  if (job->back)
    group_back (g, n);
}

static void solve_group (lanes_group *g)
{
  const int n = (int)g->task->job->n;
  switch (n) {
  case 2:
    group_steps (g, 2);
    break;
  case 3:
    group_steps (g, 3);
    break;
  case 4:
    group_steps (g, 4);
    break;
  default:
    if (n >= 1 && n <= PENCIL_LANES_MAX) // tells the compiler how long loops are
      group_steps (g, n);
    break;
  }
}

//------------------------------------------------------------------------------
// all pages
//------------------------------------------------------------------------------

static void solve_in_lanes (const gla_cpu_pencil_task *task, int64_t first, int64_t count)
{
  lanes_group g = {.task = task};
  page_space page;
  lanes_layout (task->work + page_layout (NULL, task->job->n, &page), task->job->n, &g.w);
  for (int64_t p = first; p < first + count && !gla_cpu_pencil_stopped (task); p += GLA_LANES) {
    g.first = p;
    g.count = (int)gla_min (GLA_LANES, first + count - p);
    solve_group (&g);
  }
}

static void solve (const gla_cpu_pencil_task *task, int64_t first, int64_t count)
{
  if (task->job->n <= PENCIL_LANES_MAX) {
    solve_in_lanes (task, first, count);
    return;
  }
  for (int64_t p = first; p < first + count && !gla_cpu_pencil_stopped (task); p++)
    solve_page (task, p);
}

const gla_cpu_pairs_kernel GLA_KERNEL_TABLE (pairs) = {GLA_LANES, PENCIL_LANES_MAX, workspace,
                                                       solve};
