// product.c: products of pages on the CPU: threads and predicted time
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"
#include "product.h"

GLA_KERNEL_LIST (product);

// A job as the engine keeps it.
typedef struct {
  gla_pagemul_job job; // must stay first
  int shared;          // a page is shared by all threads
} kept_job;
_Static_assert(sizeof (kept_job) <= GLA_CPU_JOB_BYTES, "");

static const gla_cpu_product_kernel *kernel_of (const gla_cpu_engine *e, const gla_pagemul_job *job)
{
  return gla_cpu_product_kernels[e->isa][gla_cpu_type_index (job->head.type)];
}

// A rough model of the seconds of one thread for a page: operations, and bytes moved. It decides
// how many threads work and whether they share a page; it was not fitted to a machine.
static double page_seconds (const gla_pagemul_job *job)
{
  const double m = (double)job->m, n = (double)job->n, k = (double)job->k;
  const double size = (double)gla_type_size (job->head.type);
  const double multiplications = (1 + job->a_complex) * (1 + job->b_complex);
  const double rate = gla_type_real (job->head.type) == GLA_TYPE_S ? 8e10 : 4e10;
  const double a_moved = gla_cpu_product_joins (job) ? 0 : m * k;
  const double moved = size * (a_moved + k * n + 2 * m * n);
  return 1e-8 + 2 * m * n * k * multiplications / rate + moved / 1.5e10;
}

static int supports (const gla_job *head)
{
  return !head->device_arrays;
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_cpu_engine *e = (const gla_cpu_engine *)engine;
  const double alone = page_seconds ((const gla_pagemul_job *)head) * (double)pages;
  const int64_t pieces = pages < e->threads_max ? pages : e->threads_max;
  return alone / gla_cpu_threads_for (e, pieces, alone);
}

// All threads do a page strip by strip if there are fewer than twice as many pages as threads and
// it takes longer than the first; and always if it takes longer than the second, so that the user
// can stop it.
static const double SHARED_SECONDS = 2e-4, LONG_SECONDS = 2e-2;

static int is_shared (const gla_cpu_engine *e, double page, int64_t pages)
{
  return page > LONG_SECONDS || (page > SHARED_SECONDS && pages < 2 * e->threads_max);
}

// A group of pages with one page of A has at least so many columns: A is read once for all of them.
enum { JOINED_COLUMNS = 8 };

// The strips of one page, for the threads of a team.
typedef struct {
  const gla_cpu_worker *worker;
  int64_t page;
} shared_page;

static void do_strip (void *user, int64_t strip, int slot)
{
  const shared_page *s = user;
  const gla_pagemul_job *job = s->worker->job;
  const gla_cpu_engine *e = s->worker->engine;
  if (gla_cpu_parallel_stopped (s->worker->region, slot))
    return;
  kernel_of (e, job)->strip (job, s->worker->chunk, s->page, strip,
                             s->worker->work + (size_t)slot * e->batch.work_bytes);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const kept_job *kept = w->job;
  const gla_pagemul_job *job = &kept->job;
  const gla_cpu_product_kernel *kernel = kernel_of (w->engine, job);
  if (!kept->shared) {
    kernel->pages (job, w->chunk, first, count, w->work);
    return;
  }
  for (int64_t p = first; p < first + count; p++) {
    shared_page s = {w, p};
    gla_cpu_parallel_for (w->region, kernel->strips (job), w->team, do_strip, &s);
    if (job->hermitian)
      kernel->mirror (job, w->chunk, p);
  }
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagemul_job *job = (const gla_pagemul_job *)head;
  gla_cpu_batch *b = &e->batch;
  const double page = page_seconds (job);
  const int share = is_shared (e, page, pages);
  kept_job *kept = (void *)e->job;
  *kept = (kept_job){*job, share};
  b->job = kept;
  b->solve = solve;
  b->group = share ? 1 : gla_cpu_group_of (page, 1);
  if (!share && gla_cpu_product_joins (job) && b->group * job->n < JOINED_COLUMNS)
    b->group = (int)((JOINED_COLUMNS + job->n - 1) / job->n);
  const int64_t units = (pages + b->group - 1) / b->group;
  b->threads = share ? 1 : gla_cpu_threads_for (e, units, page * (double)pages);
  b->team = share ? e->threads_max : 1;
  b->blas = 0;
  b->work_bytes = (kernel_of (e, job)->workspace (job) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)(b->threads * b->team) * b->work_bytes);
}

const gla_batch_ops gla_cpu_pagemul_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = gla_cpu_batch_submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};
