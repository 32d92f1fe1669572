// fun.c: functions of Hermitian pages on the CPU: eigenvectors by the row of batcheig, products
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/fun/fun.h"

#include "common/status.h"
#include "cpu/engine.h"
#include "cpu/product/product.h"
#include "eig/job.h"
#include "threads/pool.h"

#include <stdlib.h>
#include <string.h>

GLA_KERNEL_LIST (fun);

extern const gla_batch_ops gla_cpu_eig_ops, gla_cpu_pagemul_ops;

//------------------------------------------------------------------------------
// the job
//------------------------------------------------------------------------------

static gla_eig_job eig_job_of (const gla_pagefun_job *job)
{
  return (gla_eig_job){.head = job->head,
                       .n = job->n,
                       .columns = job->n,
                       .vectors = 1,
                       .method = job->method,
                       .triangle = job->triangle,
                       .tol = gla_type_eps (job->head.type),
                       .maxit = 30};
}

static gla_type type_of_result (const gla_pagefun_job *job)
{
  const gla_type complex_type = job->head.type == GLA_TYPE_S ? GLA_TYPE_C : GLA_TYPE_Z;
  return job->wide ? complex_type : job->head.type;
}

static int supports (const gla_job *head)
{
  const gla_eig_job eig = eig_job_of ((const gla_pagefun_job *)head);
  return gla_cpu_eig_ops.supports (&eig.head);
}

// The time is mostly that of batcheig.
static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const gla_eig_job eig = eig_job_of ((const gla_pagefun_job *)head);
  return 1.2 * gla_cpu_eig_ops.seconds (engine, &eig.head, pages);
}

// A chunk stays in the cache: V has so many bytes for each thread, but each has a minimum of pages,
// because the CPU does up to 32 pages at a time.
static const double CHUNK_BYTES = 5e5, MOST_BYTES = 5e8;
enum { LEAST_PAGES = 32 };

static int64_t chunk_pages (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double n = (double)((const gla_pagefun_job *)head)->n;
  const double page = n * n * (double)gla_type_size (head->type);
  const double threads = gla_pool_threads ();
  (void)engine;
  double count = threads * CHUNK_BYTES / page;
  count = count < threads * LEAST_PAGES ? threads * LEAST_PAGES : count;
  count = count > MOST_BYTES / page ? MOST_BYTES / page : count;
  if (count >= (double)pages)
    return pages;
  return count < LEAST_PAGES ? (int64_t)count + 1 : (int64_t)(count / LEAST_PAGES) * LEAST_PAGES;
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static void end (gla_engine *engine)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  gla_cpu_fun_work *w = e->parts;
  e->parts = NULL;
  if (w == NULL)
    return;
  free (w->V.data);
  free (w->Y.data);
  free (w->lambda);
  free (w->values);
  free (w);
}

// The rows that work for this one store their jobs in the engine, so this one's is stored
// separately.
static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagefun_job *job = (const gla_pagefun_job *)head;
  const gla_type type = type_of_result (job);
  const gla_cpu_product_kernel *product =
      gla_cpu_product_kernels[e->isa][gla_cpu_type_index (type)];
  end (engine);
  gla_cpu_fun_work *w = calloc (1, sizeof *w);
  if (w == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  e->parts = w;
  w->job = *job;
  w->kernels =
      (gla_cpu_fun_use){.kernel = gla_cpu_fun_kernels[e->isa][gla_cpu_type_index (head->type)],
                        .workspace = product->workspace,
                        .pages = product->pages,
                        .row = &gla_cpu_pagemul_ops};
  w->pages = pages;
  w->alone = gla_cpu_fun_alone (job->n, pages);
  const size_t numbers = (size_t)(pages * job->n);
  w->values = malloc (numbers * sizeof *w->values);
  w->lambda = malloc (numbers * sizeof (double));
  gla_status status = w->values && w->lambda ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
  if (status == GLA_OK && !job->solved && !gla_cpu_fun_in_place (w))
    status = gla_cpu_fun_take (w, head->type, &w->V);
  if (status != GLA_OK)
    end (engine);
  return status;
}

//------------------------------------------------------------------------------
// a chunk
//------------------------------------------------------------------------------

// Returns where the eigenvectors of the pages go: to their own memory, or to F.
static gla_array place_of_vectors (const gla_cpu_fun_work *w, const gla_pagefun_chunk *c)
{
  gla_array V = w->V.data != NULL ? w->V : c->F;
  if (w->V.data == NULL && w->job.wide) {
    V.type = w->job.head.type;
    V.column_stride *= 2;
    V.page_stride *= 2;
  }
  V.pages = c->A.pages;
  return V;
}

static gla_status find_eigenvalues (gla_engine *engine, const gla_cpu_fun_work *w,
                                    gla_pagefun_chunk *c)
{
  const gla_eig_job job = eig_job_of (&w->job);
  c->V = place_of_vectors (w, c);
  c->lambda = gla_array_packed (w->lambda, gla_type_real (job.head.type), job.n, 1, c->A.pages,
                                GLA_DEVICE_HOST);
  gla_eig_chunk eig = {.A = c->A, .lambda = c->lambda, .V = c->V, .info = c->info, .skew = c->skew};
  eig.clean = &eig.clean_word;
  memset (c->info, 0, (size_t)c->A.pages * sizeof *c->info); // a second try begins anew
  GLA_TRY (gla_cpu_eig_ops.begin (engine, &job.head, c->A.pages));
  return gla_cpu_eig_ops.submit (engine, 0, &eig);
}

// Clears infos of an attempt without enough memory, which finds the values again.
static void forget_infos (const gla_pagefun_chunk *c, int64_t n)
{
  for (int64_t p = 0; p < c->F.pages; p++)
    if (c->info[p] > n + 1)
      c->info[p] = 0;
}

// The eigenvalues report the pages, or the products if eigenvalues already exist.
static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  gla_cpu_fun_work *w = ((gla_cpu_engine *)engine)->parts;
  const gla_monitor *monitor = &w->job.head.monitor;
  gla_pagefun_chunk c = *(const gla_pagefun_chunk *)chunk;
  (void)slot;
  gla_status status = w->job.solved ? GLA_OK : find_eigenvalues (engine, w, &c);
  if (status == GLA_OK)
    status = gla_cpu_fun_products (engine, w, &c);
  if (status == GLA_ERROR_OUT_OF_MEMORY && w->job.solved)
    forget_infos (&c, w->job.n);
  if (status == GLA_OK && w->job.solved && monitor->poll != NULL &&
      monitor->poll (monitor->user, c.F.pages))
    status = GLA_ERROR_STOPPED;
  return status;
}

const gla_batch_ops gla_cpu_pagefun_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = gla_cpu_batch_finish,
    .end = end,
};
