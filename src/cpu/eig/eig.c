// eig.c: eigenvalue jobs on the CPU: threads, workspace
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"
#include "eig.h"

GLA_KERNEL_LIST (eig);

// A job as the engine keeps it.
typedef struct {
  gla_eig_job job; // must stay first
  gla_cpu_eig_path path;
} kept_job;
_Static_assert(sizeof (kept_job) <= GLA_CPU_JOB_BYTES, "");

const gla_cpu_eig_kernel *gla_cpu_eig_kernel_of (const gla_cpu_engine *e, const gla_eig_job *job)
{
  return gla_cpu_eig_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

// The largest n with two registers of pages at a time.
enum { TWO_REGISTERS_MAX = 64 };

// Returns the pages that a thread takes at a time: the lanes of one register, or of two if QL takes
// a large part of the time, unless that left threads without work.
static int group_of (const gla_cpu_engine *e, const kept_job *kept, int64_t pages)
{
  const int lanes = gla_cpu_eig_lanes (gla_cpu_eig_kernel_of (e, &kept->job), kept->path);
  const int both = kept->path == GLA_CPU_EIG_LANES_QR && kept->job.n <= TWO_REGISTERS_MAX;
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
  const kept_job *kept = w->job;
  gla_cpu_eig_task task = {&kept->job, w->chunk, w->region, w->thread, w->work, w->team};
  gla_cpu_eig_kernel_of (w->engine, &kept->job)->solve (&task, kept->path, first, count);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_eig_job *job = (const gla_eig_job *)head;
  const gla_cpu_eig_path path = gla_cpu_eig_path_of (job);
  kept_job *kept = (void *)e->job;
  *kept = (kept_job){*job, path};
  gla_cpu_batch *b = &e->batch;
  b->job = kept;
  b->solve = solve;
  b->group = group_of (e, kept, pages);
  b->team = gla_cpu_eig_team (e, job, pages);
  b->threads = b->team > 1 ? 1
                           : gla_cpu_threads_for (e, (pages + b->group - 1) / b->group,
                                                  gla_cpu_eig_alone (e, job, pages));
  // pages in lanes are solved without the BLAS
  b->blas = path != GLA_CPU_EIG_LANES_JACOBI && path != GLA_CPU_EIG_LANES_QR;
  b->work_bytes = gla_cpu_eig_kernel_of (e, job)->workspace (job, path, b->group, b->team);
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
