// lanczos.c: the Lanczos basis on the CPU: memory, threads, what does not depend on the type
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/blas.h"
#include "common/host_memory.h"
#include "cpu/engine.h"
#include "lanczos.h"
#include "threads/blas_threads.h"

static int krylov_supports (const gla_krylov_job *job)
{
  return job->n <= (sizeof (gla_blas_int) > 4 ? INT64_MAX : INT_MAX) / 16;
}

static double krylov_seconds (gla_engine *engine, const gla_krylov_job *job, int64_t products)
{
  // two reads of the basis for every block, at a third of its columns kept on average
  const double bytes = (double)gla_type_size (job->type) * (double)job->n;
  const double sweep = job->plain ? 6 * bytes : 1.5 * bytes * (double)job->basis;
  double product = 1e-3;
  if (job->matrix != NULL)
    product = gla_cpu_spmv_ops.seconds (engine, job->matrix, NULL, job->block);
  return (double)products * (product + sweep / 12e9 + 10e-6);
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static void free_all (gla_cpu_krylov *k)
{
  free (k->V);
  free (k->rows);
  free (k->W);
  free (k->lost);
  free (k->weak);
  free (k->turn);
  free (k->chunked);
  free (k->sums);
  free (k->factor);
  free (k->rotated);
  free (k->first);
  free (k->before);
  free (k->now);
  free (k->window);
  free (k);
}

// Returns count vectors of this length, or NULL.
static void *vectors (const gla_krylov_job *job, int64_t length, int64_t count)
{
  const size_t size = gla_type_size (job->type);
  if (length > 0 && (uint64_t)count > (SIZE_MAX / 2 - 64) / size / (uint64_t)length)
    return NULL;
  const size_t bytes = (size_t)count * (size_t)length * size;
  void *memory = malloc (bytes + 64);
  if (memory != NULL)
    gla_host_prefer_huge_pages (memory, bytes);
  return memory;
}

static int take_all (gla_cpu_krylov *k)
{
  const gla_krylov_job *job = &k->job;
  const size_t size = gla_type_size (job->type);
  const size_t width = job->block == 1 && !job->plain ? GLA_KRYLOV_GROUP : (size_t)job->block;
  const size_t panel = (size_t)(job->basis + job->block) * width;
  const size_t window = GLA_KRYLOV_WINDOW * (size_t)job->basis;
  const size_t factor = panel > window ? panel : window;
  const int64_t n = job->n, reach = job->ranks != NULL ? job->ranks->reach : n;
  const size_t square = (size_t)job->basis * (size_t)job->basis;
  k->V = vectors (job, n, job->basis + job->block);
  k->rows = vectors (job, reach, job->block);
  k->W = vectors (job, n, job->block);
  k->lost = malloc ((size_t)(job->basis + job->block) * 2 * sizeof (double));
  k->weak = malloc ((size_t)(job->basis + job->block) * 2 * sizeof (double));
  k->turn = malloc (job->plain ? 1 : square * size);
  k->chunked = malloc (panel * (size_t)k->chunks * size + 1);
  k->sums = malloc (panel * 2 * sizeof (double));
  k->factor = malloc (factor * size);
  k->rotated = malloc ((size_t)k->threads * GLA_KRYLOV_ROTATED_ROWS * (size_t)job->basis * size);
  if (job->plain) {
    k->first = vectors (job, n, 1);
    k->before = vectors (job, n, 1);
    k->now = vectors (job, n, 1);
    k->window = vectors (job, n, GLA_KRYLOV_WINDOW);
  }
  const int plain = !job->plain || (k->first && k->before && k->now && k->window);
  return plain && k->V && k->rows && k->W && k->lost && k->weak && k->turn && k->chunked &&
         k->sums && k->factor && k->rotated;
}

static void krylov_end (gla_engine *engine)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  if (e->krylov != NULL)
    free_all (e->krylov);
  e->krylov = NULL;
}

static gla_status krylov_begin (gla_engine *engine, const gla_krylov_job *job)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  krylov_end (engine);
  gla_cpu_krylov *k = calloc (1, sizeof *k);
  if (k == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  k->job = *job;
  k->sparse = job->sparse;
  k->product = gla_cpu_spmv_kernels[e->isa][gla_cpu_type_index (job->type)];
  k->threads = e->threads_max;
  k->chunks = (job->n + GLA_KRYLOV_ROWS - 1) / GLA_KRYLOV_ROWS;
  if (!take_all (k)) {
    free_all (k);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  if (job->sparse != NULL)
    gla_cpu_spmv_narrow (job->sparse);
  e->krylov = k;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// columns from and to the host
//------------------------------------------------------------------------------

static char *columns_at (const gla_cpu_krylov *k, int64_t first)
{
  return (char *)k->V + (size_t)first * (size_t)k->job.n * gla_type_size (k->job.type);
}

static gla_status krylov_put (gla_engine *engine, int64_t first, int64_t count, const void *from)
{
  const gla_cpu_krylov *k = ((gla_cpu_engine *)engine)->krylov;
  memcpy (columns_at (k, first), from,
          (size_t)count * (size_t)k->job.n * gla_type_size (k->job.type));
  return GLA_OK;
}

static gla_status krylov_get (gla_engine *engine, int64_t first, int64_t count, void *to)
{
  const gla_cpu_krylov *k = ((gla_cpu_engine *)engine)->krylov;
  memcpy (to, columns_at (k, first),
          (size_t)count * (size_t)k->job.n * gla_type_size (k->job.type));
  return GLA_OK;
}

//------------------------------------------------------------------------------
// passes over the basis
//------------------------------------------------------------------------------

void gla_cpu_krylov_add (gla_cpu_krylov *k, double *sums, int64_t count)
{
  const gla_krylov_ranks *ranks = k->job.ranks;
  if (ranks != NULL && ranks->add (ranks->user, sums, count))
    atomic_store (&k->region.stop, 1);
}

// Long passes are shared: in short ones the waits of threads after every pass cost more than they
// gain.
void gla_cpu_krylov_for (gla_cpu_krylov *k, int64_t columns, int64_t pieces, gla_pool_work work,
                         void *user)
{
  const int64_t bytes = columns * k->job.n * (int64_t)gla_type_size (k->job.type);
  gla_cpu_parallel_for (&k->region, pieces, bytes >= GLA_KRYLOV_SHARED ? k->team : 1, work, user);
}

//------------------------------------------------------------------------------
// operations, with one-threaded BLAS in our threads
//------------------------------------------------------------------------------

// By gla_cpu_type_index.
static const gla_cpu_krylov_functions *const types[4] = {&gla_cpu_krylov_s, &gla_cpu_krylov_d,
                                                         &gla_cpu_krylov_c, &gla_cpu_krylov_z};

typedef struct {
  gla_cpu_krylov *k;
  const gla_cpu_krylov_functions *f;
} operation;

// team == 0: too little memory for threads of the BLAS, on any rank.
static operation begin (gla_engine *engine)
{
  gla_cpu_krylov *k = ((gla_cpu_engine *)engine)->krylov;
  const gla_krylov_ranks *ranks = k->job.ranks;
  gla_cpu_parallel_start (&k->region, &k->job.monitor);
  k->team = gla_blas_enter (k->threads);
  if (ranks != NULL &&
      ranks->agree (ranks->user, k->team > 0 ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY) != GLA_OK) {
    if (k->team > 0)
      gla_blas_leave (k->team);
    k->team = 0;
  }
  return (operation){k, types[gla_cpu_type_index (k->job.type)]};
}

static gla_status end (const operation *o, gla_status status)
{
  gla_blas_leave (o->k->team);
  const gla_status asked = gla_cpu_parallel_end (&o->k->region);
  return status == GLA_OK ? asked : status;
}

static gla_status krylov_start (gla_engine *engine, int64_t at, int64_t given, uint64_t seed)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  o.k->seed = seed;
  o.k->steps = 0;
  o.k->grown = -1;
  return end (&o, o.f->start (o.k, at, given));
}

static gla_status krylov_expand (gla_engine *engine, int64_t from, int64_t to, double *T,
                                 int64_t ldt, int64_t *replaced)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  return end (&o, o.f->expand (o.k, from, to, T, ldt, replaced));
}

static gla_status krylov_rotate (gla_engine *engine, int64_t count, const double *S, int64_t keep)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  o.k->grown = -1;
  return end (&o, o.f->rotate (o.k, count, S, keep));
}

static gla_status krylov_check (gla_engine *engine, int64_t count, const double *theta,
                                double *residuals, double *orthogonality)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  return end (&o, o.f->check (o.k, count, theta, residuals, orthogonality));
}

static gla_status krylov_plain (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                                int64_t *done)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  return end (&o, o.f->plain (o.k, steps, alpha, beta, done));
}

static gla_status krylov_combine (gla_engine *engine, int64_t steps, const double *alpha,
                                  const double *beta, const double *S, int64_t count)
{
  const operation o = begin (engine);
  if (o.k->team == 0)
    return GLA_ERROR_OUT_OF_MEMORY;
  return end (&o, o.f->combine (o.k, steps, alpha, beta, S, count));
}

const gla_krylov_ops gla_cpu_krylov_ops = {
    .supports = krylov_supports,
    .seconds = krylov_seconds,
    .begin = krylov_begin,
    .put = krylov_put,
    .get = krylov_get,
    .start = krylov_start,
    .expand = krylov_expand,
    .rotate = krylov_rotate,
    .check = krylov_check,
    .plain = krylov_plain,
    .combine = krylov_combine,
    .end = krylov_end,
};
