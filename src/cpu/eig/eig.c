// eig.c: eigenvalue jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"

// The largest n with two registers of pages at a time.
enum { TWO_REGISTERS_MAX = 64 };

// Pages that a thread takes at a time: the lanes of one register, or of two where QL takes a good
// part of the time, unless that left threads without work.
static int group_of (const gla_cpu_engine *e, int64_t pages)
{
  const gla_cpu_eig_kernel *kernel = e->eig_kernels[gla_cpu_type_index (e->eig_job.head.type)];
  const int lanes = gla_cpu_eig_lanes (kernel, e->eig_path);
  const int both = e->eig_path == GLA_CPU_EIG_LANES_QR && e->eig_job.n <= TWO_REGISTERS_MAX;
  return both && pages >= 2 * (int64_t)lanes * e->threads_max ? 2 * lanes : lanes;
}

// Both methods serve every n whose workspace LAPACK can count in its integers.
static int supports (const gla_job *head)
{
  const gla_eig_job *job = (const gla_eig_job *)head;
  return !head->device_arrays && job->n >= 1 && job->n <= gla_cpu_largest_order ();
}

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

int gla_cpu_eig_stopped (gla_cpu_eig_task *task)
{
  return gla_cpu_parallel_stopped (task->region, task->thread);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_cpu_engine *e = w->engine;
  gla_cpu_eig_task task = {&e->eig_job, w->chunk, w->region, w->thread, w->work, w->team};
  e->eig_kernels[gla_cpu_type_index (e->eig_job.head.type)]->solve (&task, e->eig_path, first,
                                                                    count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_eig_job *job = (const gla_eig_job *)head;
  const gla_cpu_eig_path path = gla_cpu_eig_path_of (job);
  const gla_cpu_eig_kernel *kernel = e->eig_kernels[gla_cpu_type_index (job->head.type)];
  e->eig_job = *job;
  e->eig_path = path;
  gla_cpu_batch *b = &e->batch;
  b->job = &e->eig_job.head;
  b->solve = solve;
  b->group = group_of (e, pages);
  b->team = gla_cpu_eig_team (e, job, pages);
  b->threads = b->team > 1 ? 1
                           : gla_cpu_threads_for (e, (pages + b->group - 1) / b->group,
                                                  gla_cpu_eig_alone (e, job, pages));
  // pages in lanes are solved without the BLAS
  b->blas = path != GLA_CPU_EIG_LANES_JACOBI && path != GLA_CPU_EIG_LANES_QR;
  b->work_bytes = kernel->workspace (job, path, b->group, b->team);
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
}

const gla_batch_ops gla_cpu_eig_ops = {
    .supports = supports,
    .seconds = gla_cpu_eig_seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};
