// eig.c: eigenvalue jobs on the CPU: choice of the method, threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../blas.h"
#include "engine.h"

//------------------------------------------------------------------------------
// choice of the method
//------------------------------------------------------------------------------

static int type_index (gla_type type)
{
  return type == GLA_S ? 0 : type == GLA_D ? 1 : type == GLA_C ? 2 : 3;
}

// The largest n with one page per lane: by Jacobi, where "auto" takes Jacobi, by QL where divide
// and conquer could do it instead, by QL otherwise, and that for eigenvalues of complex double
// alone. A register takes as long with one page as with all, so these are the sizes where full
// registers gain about as much over one page at a time as one page loses: 2 to 4 times. And the
// largest n with two registers of pages at a time.
enum {
  LANES_JACOBI_MAX = 96,
  AUTO_JACOBI_MAX = 4,
  LANES_BEFORE_DC_MAX = 128,
  LANES_QR_MAX = 192,
  LANES_Z_VALUES_MAX = 256,
  TWO_REGISTERS_MAX = 64
};

gla_cpu_eig_path gla_cpu_eig_path_of (const gla_eig_job *job)
{
  const int64_t n = job->n;
  if (job->method == GLA_METHOD_JACOBI)
    return n <= LANES_JACOBI_MAX ? GLA_CPU_LANES_JACOBI : GLA_CPU_BLOCK_JACOBI;
  if (job->method == GLA_METHOD_AUTO && n <= AUTO_JACOBI_MAX)
    return GLA_CPU_LANES_JACOBI;
  // divide and conquer knows no tolerance, and without vectors QL is as fast
  const int dc =
      job->method == GLA_METHOD_AUTO && job->vectors && job->tol == gla_type_eps (job->type);
  const int most = dc                                    ? LANES_BEFORE_DC_MAX
                   : job->type == GLA_Z && !job->vectors ? LANES_Z_VALUES_MAX
                                                         : LANES_QR_MAX;
  if (n <= most)
    return GLA_CPU_LANES_QR;
  return dc ? GLA_CPU_PAGE_DC : GLA_CPU_PAGE_QR;
}

int gla_cpu_eig_lanes (const gla_cpu_engine *e, const gla_eig_job *job, gla_cpu_eig_path path)
{
  const int lanes = path == GLA_CPU_LANES_JACOBI || path == GLA_CPU_LANES_QR;
  return lanes ? e->kernels[type_index (job->type)].lanes : 1;
}

// Pages that a thread takes at a time: the lanes of one register, or of two where QL takes a good
// part of the time, unless that left threads without work.
static int group_of (const gla_cpu_engine *e, int64_t pages)
{
  const int lanes = gla_cpu_eig_lanes (e, &e->job, e->path);
  const int both = e->path == GLA_CPU_LANES_QR && e->job.n <= TWO_REGISTERS_MAX;
  return both && pages >= 2 * (int64_t)lanes * e->threads_max ? 2 * lanes : lanes;
}

// Both methods serve every n whose workspace LAPACK can count in its integers.
int gla_cpu_eig_supports (const gla_eig_job *job)
{
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT_MAX / 8 : 46000;
  return job->n >= 0 && job->n <= largest;
}

int64_t gla_cpu_eig_chunk_pages (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages;
}

//------------------------------------------------------------------------------
// workspace
//------------------------------------------------------------------------------

gla_status gla_cpu_eig_begin (gla_engine *engine, const gla_eig_job *job, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  e->job = *job;
  e->path = gla_cpu_eig_path_of (job);
  if (job->n == 0)
    return GLA_OK;
  const gla_cpu_eig_kernel *kernel = &e->kernels[type_index (job->type)];
  e->group = group_of (e, pages);
  e->threads =
      gla_cpu_threads_for (e, (pages + e->group - 1) / e->group, gla_cpu_eig_alone (e, job, pages));
  e->work_bytes = kernel->workspace (job, e->path, e->group);
  return gla_cpu_engine_take (e, (size_t)e->threads * e->work_bytes);
}

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

int gla_cpu_task_stopped (gla_cpu_task *task)
{
  return gla_cpu_crew_stopped (task->crew, task->thread);
}

typedef struct {
  const gla_cpu_engine *e;
  const gla_eig_chunk *chunk;
  gla_cpu_crew *crew;
} pages_work;

static void solve_group (void *user, int64_t group, int slot)
{
  const pages_work *w = user;
  const gla_cpu_engine *e = w->e;
  const int64_t pages = w->chunk->A.pages, first = group * e->group;
  const int count = (int)(pages - first < e->group ? pages - first : e->group);
  gla_cpu_task task = {&e->job, w->chunk, w->crew, slot, e->work + (size_t)slot * e->work_bytes};
  if (gla_cpu_task_stopped (&task))
    return;
  e->kernels[type_index (e->job.type)].solve (&task, e->path, first, count);
  atomic_fetch_add (&w->crew->done, count);
}

gla_status gla_cpu_eig_submit (gla_engine *engine, int slot, const gla_eig_chunk *chunk)
{
  (void)slot;
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  if (e->job.n == 0) {
    for (int64_t p = 0; p < chunk->A.pages; p++)
      chunk->info[p] = 0;
    if (chunk->skew)
      memset (chunk->skew, 0, (size_t)chunk->A.pages * sizeof *chunk->skew);
    return GLA_OK;
  }

  // pages in lanes are solved without the BLAS
  const int lanes = e->path == GLA_CPU_LANES_JACOBI || e->path == GLA_CPU_LANES_QR;
  const int threads = lanes ? e->threads : gla_blas_enter (e->threads);
  if (threads == 0)
    return GLA_OUT_OF_MEMORY;
  gla_cpu_crew crew;
  pages_work w = {e, chunk, &crew};
  gla_cpu_crew_start (&crew, &e->job.monitor);
  gla_cpu_crew_for (&crew, (chunk->A.pages + e->group - 1) / e->group, threads, solve_group, &w);
  if (!lanes)
    gla_blas_leave (threads);
  return gla_cpu_crew_end (&crew);
}

gla_status gla_cpu_eig_finish (gla_engine *engine, int slot)
{
  (void)engine, (void)slot;
  return GLA_OK;
}

void gla_cpu_eig_end (gla_engine *engine)
{
  (void)engine;
}
