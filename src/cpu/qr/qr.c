// qr.c: QR jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>

#include "common/blas.h"
#include "cpu/engine.h"
#include "qr.h"

GLA_KERNEL_LIST (qr);

// A job as the engine keeps it.
typedef struct {
  gla_qr_job job; // must stay first
  gla_cpu_qr_path path;
} kept_job;
_Static_assert(sizeof (kept_job) <= GLA_CPU_JOB_BYTES, "");

const gla_cpu_qr_kernel *gla_cpu_qr_kernel_of (const gla_cpu_engine *e, const gla_qr_job *job)
{
  return gla_cpu_qr_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

static int supports (const gla_job *head)
{
  const gla_qr_job *job = (const gla_qr_job *)head;
  const int64_t largest = sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX;
  const int64_t strides = largest / 8; // LAPACK counts workspace in its integers, too
  return job->m <= strides && job->n <= strides && job->rhs <= strides && !head->device_arrays;
}

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

int gla_cpu_qr_stopped (const gla_cpu_qr_task *task, int member)
{
  return gla_cpu_parallel_stopped (task->region, task->thread + member);
}

void gla_cpu_qr_for (const gla_cpu_qr_task *task, int64_t pieces, gla_pool_work work, void *user)
{
  gla_cpu_parallel_for (task->region, pieces, task->team, work, user);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const kept_job *kept = w->job;
  gla_cpu_qr_task task = {.job = &kept->job,
                          .chunk = w->chunk,
                          .region = w->region,
                          .path = kept->path,
                          .thread = w->thread,
                          .team = w->team,
                          .work = w->work};
  gla_cpu_qr_kernel_of (w->engine, &kept->job)->solve (&task, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_qr_job *job = (const gla_qr_job *)head;
  const gla_cpu_qr_path path = gla_cpu_qr_path_of (job);
  const gla_cpu_qr_kernel *kernel = gla_cpu_qr_kernel_of (e, job);
  gla_cpu_batch *b = &e->batch;
  b->group = path == GLA_CPU_QR_LANES ? kernel->lanes : 1;
  const int64_t units = (pages + b->group - 1) / b->group;
  // threads also take pages of a tree, if there are enough and no BLAS takes part
  const int plain = !job->wy && job->q_columns <= job->n && job->c_rows <= job->n;
  const int deal = gla_cpu_qr_in_threads (job, path) ||
                   (path == GLA_CPU_QR_TALL && plain && units >= 2 * e->threads_max);
  kept_job *kept = (void *)e->job;
  *kept = (kept_job){*job, path};
  b->job = kept;
  b->solve = solve;
  b->threads = deal ? gla_cpu_threads_for (e, units, gla_cpu_qr_alone (e, job, pages)) : 1;
  b->team = deal ? 1 : e->threads_max;
  // pages in lanes are factored without the BLAS
  b->blas = path != GLA_CPU_QR_LANES && path != GLA_CPU_QR_ROWS;
  b->work_bytes = (kernel->workspace (job, path, b->team) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
}

const gla_batch_ops gla_cpu_qr_ops = {
    .supports = supports,
    .seconds = gla_cpu_qr_seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};
