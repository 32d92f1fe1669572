// qr.c: QR jobs on the CPU: choice of the method, threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../blas.h"
#include "engine.h"

static int type_index (gla_type type)
{
  return type == GLA_S ? 0 : type == GLA_D ? 1 : type == GLA_C ? 2 : 3;
}

//------------------------------------------------------------------------------
// choice of the method
//------------------------------------------------------------------------------

// Elements of a page up to which it goes into a lane, and the most columns. Bytes of a page up to
// which its rows go into lanes. Columns up to which a tree of row blocks serves, where there are
// so many times more rows.
enum {
  LANES_ELEMENTS = 1024,
  LANES_COLUMNS = 32,
  ROWS_BYTES = 256 * 1024,
  TALL_COLUMNS = 128,
  TALL_RATIO = 128,
  TALL_ROWS = 8192
};

gla_cpu_qr_path gla_cpu_qr_path_of (const gla_qr_job *job)
{
  const int64_t m = job->m, n = job->n, least = m < n ? m : n;
  if (job->pivot || job->block > 0)
    return GLA_CPU_QR_BLOCKS;
  if (m <= LANES_ELEMENTS && n <= LANES_ELEMENTS && m * n <= LANES_ELEMENTS &&
      least <= LANES_COLUMNS)
    return GLA_CPU_QR_LANES;
  if (n <= TALL_COLUMNS && m >= TALL_RATIO * n && m >= TALL_ROWS)
    return GLA_CPU_QR_TALL;
  const int64_t most = ROWS_BYTES / (int64_t)gla_type_size (job->type);
  return m <= most / n ? GLA_CPU_QR_ROWS : GLA_CPU_QR_BLOCKS;
}

// Where LAPACK and the BLAS do most of it, small pages have a thread each.
enum { PAGE_IN_THREAD = 128 * 128 };

int gla_cpu_qr_in_threads (const gla_qr_job *job, gla_cpu_qr_path path)
{
  if (path == GLA_CPU_QR_LANES || path == GLA_CPU_QR_ROWS)
    return 1;
  return path == GLA_CPU_QR_BLOCKS && job->m <= PAGE_IN_THREAD / job->n;
}

int gla_cpu_qr_supports (const gla_qr_job *job)
{
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  const int64_t strides = largest / 8; // LAPACK counts workspace in its integers, too
  return job->m <= strides && job->n <= strides && job->rhs <= strides && !job->device_arrays;
}

int64_t gla_cpu_qr_chunk_pages (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  (void)engine, (void)job;
  return pages;
}

//------------------------------------------------------------------------------
// workspace
//------------------------------------------------------------------------------

gla_status gla_cpu_qr_begin (gla_engine *engine, const gla_qr_job *job, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_cpu_qr_path path = gla_cpu_qr_path_of (job);
  const gla_cpu_qr_kernel *kernel = &e->qr_kernels[type_index (job->type)];
  const int in_threads = gla_cpu_qr_in_threads (job, path);
  const int group = path == GLA_CPU_QR_LANES ? kernel->lanes : 1;
  const int64_t units = (pages + group - 1) / group;
  // pages of a tree are dealt out, too, where there are enough of them and no BLAS takes part
  const int plain = !job->wy && job->q_columns <= job->n && job->c_rows <= job->n;
  const int deal = in_threads || (path == GLA_CPU_QR_TALL && plain && units >= 2 * e->threads_max);
  e->qr_job = *job;
  e->qr_path = path;
  e->group = group;
  e->threads = deal ? gla_cpu_threads_for (e, units, gla_cpu_qr_alone (e, job, pages)) : 1;
  e->team = deal ? 1 : e->threads_max;
  e->work_bytes = (kernel->workspace (job, path, e->team) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)e->threads * e->work_bytes);
}

//------------------------------------------------------------------------------
// threads
//------------------------------------------------------------------------------

int gla_cpu_qr_stopped (const gla_cpu_qr_task *task, int member)
{
  return gla_cpu_crew_stopped (task->crew, task->thread + member);
}

void gla_cpu_qr_for (const gla_cpu_qr_task *task, int64_t pieces, gla_pool_work work, void *user)
{
  gla_cpu_crew_for (task->crew, pieces, task->team, work, user);
}

typedef struct {
  const gla_cpu_engine *e;
  const gla_qr_chunk *chunk;
  gla_cpu_crew *crew;
  int team;
} pages_work;

static void solve_group (void *user, int64_t group, int slot)
{
  const pages_work *w = user;
  const gla_cpu_engine *e = w->e;
  const int64_t pages = w->chunk->A.pages, first = group * e->group;
  const int count = (int)(pages - first < e->group ? pages - first : e->group);
  gla_cpu_qr_task task = {.job = &e->qr_job,
                          .chunk = w->chunk,
                          .crew = w->crew,
                          .path = e->qr_path,
                          .thread = slot,
                          .team = w->team,
                          .work = e->work + (size_t)slot * e->work_bytes};
  if (gla_cpu_qr_stopped (&task, 0))
    return;
  e->qr_kernels[type_index (e->qr_job.type)].solve (&task, first, count);
  atomic_fetch_add (&w->crew->done, count);
}

// A pool's piece may not hand out work, so pages whose work is shared are no pieces.
static void solve_all (pages_work *w, int threads)
{
  const int64_t groups = (w->chunk->A.pages + w->e->group - 1) / w->e->group;
  if (w->team == 1) {
    gla_cpu_crew_for (w->crew, groups, threads, solve_group, w);
    return;
  }
  for (int64_t g = 0; g < groups; g++)
    solve_group (w, g, 0);
}

gla_status gla_cpu_qr_submit (gla_engine *engine, int slot, const gla_qr_chunk *chunk)
{
  (void)slot;
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  // pages in lanes are factored without the BLAS
  const int lanes = e->qr_path == GLA_CPU_QR_LANES || e->qr_path == GLA_CPU_QR_ROWS;
  const int most = e->threads * e->team, held = lanes ? most : gla_blas_enter (most);
  if (held == 0)
    return GLA_OUT_OF_MEMORY;
  gla_cpu_crew crew;
  pages_work w = {e, chunk, &crew, e->team < held ? e->team : held};
  gla_cpu_crew_start (&crew, &e->qr_job.monitor);
  solve_all (&w, held);
  if (!lanes)
    gla_blas_leave (held);
  return gla_cpu_crew_end (&crew);
}

gla_status gla_cpu_qr_finish (gla_engine *engine, int slot)
{
  (void)engine, (void)slot;
  return GLA_OK;
}

void gla_cpu_qr_end (gla_engine *engine)
{
  (void)engine;
}
