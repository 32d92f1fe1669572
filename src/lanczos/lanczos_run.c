// lanczos_run.c: runs gla_eigs on an engine: size of the basis, memory, results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "lanczos.h"
#include "threads/pool.h"
#include "arrays/job.h"
#include "backend.h"

#include <math.h>
#include <stdlib.h>

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

enum { DENSE_ORDER = 64, DENSE_RATHER = 1024, BLOCK_CPU = 1, BLOCK_GPU = 4 };

static int64_t whole_blocks (int64_t columns, int b)
{
  return (columns + b - 1) / b * b;
}

// The smallest basis that can be restarted.
static int64_t least_basis (int64_t k, int b)
{
  return whole_blocks (k, b) + 2 * b;
}

// Blocks of several vectors need a larger basis for as many powers of the matrix.
static int64_t default_basis (int64_t k, int b)
{
  const int64_t basis = b > 2 ? 4 * k : 2 * k + 20, least = b > 2 ? 64 : 40;
  return basis > least ? basis : least;
}

// Whether all eigenvalues are computed: of small matrices, and if a basis is as large as n.
int gla_eigs_is_dense (const gla_eigs_run *run)
{
  const gla_eigs_options *o = &run->o;
  const int b = o->block > 0 ? o->block : BLOCK_GPU;
  if (o->method == GLA_EIGS_METHOD_PLAIN && o->steps > 0 && run->k < run->n)
    return 0;
  if (run->n <= DENSE_ORDER || run->k >= run->n)
    return 1;
  if (o->method == GLA_EIGS_METHOD_PLAIN)
    return 0;
  const int64_t basis = o->basis > 0 ? o->basis : default_basis (run->k, b);
  const int64_t least = least_basis (run->k, b);
  return least + b > run->n || (whole_blocks (basis, b) + b > run->n && run->n <= DENSE_RATHER);
}

int gla_eigs_can_be_dense (const gla_eigs_run *run)
{
  return run->o.method == GLA_EIGS_METHOD_RESTARTED && run->n <= DENSE_RATHER;
}

static void choose_sizes (gla_eigs_run *run, int on_gpu)
{
  gla_krylov_job *job = &run->job;
  const int64_t k = run->k, n = run->n;
  job->plain = run->o.method == GLA_EIGS_METHOD_PLAIN;
  if (job->plain) {
    job->block = 1;
    job->basis = run->vectors || run->check ? k : 1;
    return;
  }
  const int b = run->o.block > 0 ? run->o.block : on_gpu ? BLOCK_GPU : BLOCK_CPU;
  const int64_t wish = run->o.basis > 0 ? run->o.basis : default_basis (k, b);
  const int64_t most = (n - b) / b * b, least = least_basis (k, b);
  int64_t basis = whole_blocks (wish, b);
  basis = basis > least ? basis : least;
  job->block = b;
  job->basis = basis < most ? basis : most;
}

static gla_status describe_job (gla_eigs_run *run)
{
  gla_sparse_use use;
  gla_status status = GLA_OK;
  run->job = (gla_krylov_job){.type = run->type,
                              .n = run->rows,
                              .apply = gla_eigs_apply_scaled,
                              .user = run,
                              .monitor = {gla_poll_stop, run->ctx}};
  if (run->ranks != NULL) {
    run->job.ranks = &run->ranks->krylov.ranks;
    run->job.monitor = (gla_monitor){NULL, NULL};
  }
  if (run->S != NULL) {
    status = gla_sparse_find_use (run->scaled ? run->scaled : run->S, 'N', 0, &use);
    run->job.matrix = &use.face->M;
    run->job.conjugate = use.conjugate;
  }
  return status;
}

//------------------------------------------------------------------------------
// choose the place
//------------------------------------------------------------------------------

static int supports (const gla_backend *backend, const void *call)
{
  const gla_eigs_run *run = ((const gla_eigs_call *)call)->run;
  return backend->krylov != NULL && backend->krylov->supports (&run->job) &&
         (run->job.matrix == NULL || backend->spmv->supports (run->job.matrix));
}

// Predicts as many products as a few restarts have.
double gla_eigs_seconds (gla_engine *engine, const void *call, int64_t pages)
{
  const gla_eigs_run *run = ((const gla_eigs_call *)call)->run;
  (void)pages;
  return engine->backend->krylov->seconds (engine, &run->job, 50 + 2 * run->k);
}

static const gla_placing placing = {.unsupported =
                                        "a block other than 1, 2, 4 or 8, \"plain\" on ranks, and "
                                        "matrices and bases that are larger "
                                        "than its kernels can count are not done on a GPU",
                                    .supports = supports,
                                    .seconds = gla_eigs_seconds};

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

static gla_status prepare_matrix (gla_eigs_run *run)
{
  gla_sparse *S = run->scaled != NULL ? run->scaled : run->S;
  gla_sparse_use use;
  run->job.sparse = NULL;
  if (S == NULL)
    return GLA_OK;
  GLA_TRY (gla_sparse_find_use (S, 'N', 0, &use));
  return run->job.team != NULL ? gla_sparse_share (S, use.face, run->job.team, run->devices)
                               : gla_sparse_prepare (S, use.face, run->engine, &run->job.sparse);
}

// Opens the job with the largest basis that there is memory for.
static gla_status open_job (gla_eigs_run *run)
{
  gla_krylov_job *job = &run->job;
  const int64_t least = job->plain ? job->basis : least_basis (run->k, job->block);
  gla_status status = gla_eigs_agree (run, prepare_matrix (run));
  if (status != GLA_OK)
    return status;
  while (1) {
    status = gla_eigs_agree (run, run->engine->backend->krylov->begin (run->engine, job));
    if (status == GLA_OK)
      return status;
    if (run->ranks != NULL) // this rank may have had the memory
      run->engine->backend->krylov->end (run->engine);
    if (status != GLA_ERROR_OUT_OF_MEMORY || job->basis <= least)
      return status;
    const int64_t half = whole_blocks (job->basis / 2, job->block);
    job->basis = half > least ? half : least;
  }
}

typedef struct {
  const gla_eigs_run *run;
  void *column;
} nan_column;

static void nan_range (void *user, int64_t first, int64_t end)
{
  const nan_column *c = user;
  for (int64_t j = first; j < end; j++)
    if (gla_type_real (c->run->type) == GLA_TYPE_S)
      ((float *)c->column)[j] = NAN;
    else
      ((double *)c->column)[j] = NAN;
}

// A vector that has not converged. The memory is new as a rule, and clearing it takes the most of
// the time, so all threads do that.
static void fill_nan (const gla_eigs_run *run, void *column)
{
  enum { LENGTH = 1 << 18 }; // 2 MB of doubles, a huge page
  nan_column c = {run, column};
  gla_pool_ranges (run->rows * run->parts, LENGTH, nan_range, &c);
}

static gla_status put_nan (gla_eigs_run *run, void *column)
{
  const size_t bytes = (size_t)run->rows * gla_type_size (run->type);
  void *host = malloc (bytes);
  if (host == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  fill_nan (run, host);
  const gla_status status = run->engine->backend->nd->put (run->engine, column, host, bytes);
  free (host);
  return status;
}

// Returns how many vectors from this one on are copied together: those that have converged,
// contiguous.
static int64_t how_many (const gla_eigs_run *run, const gla_array *to, int64_t first)
{
  int64_t count = 1;
  while (to->column_stride == run->rows && run->converged[first] && first + count < run->k &&
         run->converged[first + count])
    count++;
  return count;
}

// Copies vectors to the caller's place: on the host, or on the GPU that has computed them.
static gla_status take_vectors (gla_eigs_run *run, const gla_array *to)
{
  const size_t size = gla_type_size (run->type);
  gla_status status = GLA_OK;
  for (int64_t i = 0, count; i < run->k && status == GLA_OK; i += count) {
    char *column = (char *)to->data + (size_t)(i * to->column_stride) * size;
    count = how_many (run, to, i);
    if (run->converged[i])
      status = run->engine->backend->krylov->get (run->engine, i, count, column);
    else if (to->device != GLA_DEVICE_HOST)
      status = put_nan (run, column);
    else
      fill_nan (run, column);
  }
  return status;
}

gla_status gla_eigs_run_on (void *call, gla_engine *engine)
{
  gla_eigs_run *run = ((const gla_eigs_call *)call)->run;
  const gla_eigs_results *results = ((const gla_eigs_call *)call)->results;
  const int64_t products = run->report.products;
  run->engine = engine;
  choose_sizes (run, engine->device != GLA_DEVICE_HOST);
  if (run->job.plain && run->o.basis == 0)
    run->o.basis = 2 * run->k + 20 > 64 ? 2 * run->k + 20 : 64;
  GLA_TRY (open_job (run));
  run->opened = 1;
  run->report = (gla_eigs_report){.products = products,
                                  .basis = run->job.basis,
                                  .block = run->job.block,
                                  .device = engine->device};
  gla_status status = run->job.plain ? gla_eigs_plain (run) : gla_eigs_restarted (run);
  if (status == GLA_OK && results->vectors.data != NULL)
    status = take_vectors (run, &results->vectors);
  engine->backend->krylov->end (engine);
  return status;
}

static gla_status run_on_cpus (gla_eigs_call *call)
{
  gla_engine *cpu = NULL;
  GLA_TRY (gla_eigs_agree (call->run, gla_context_cpu (call->run->ctx, &cpu)));
  return gla_eigs_run_on (call, cpu);
}

// Runs rows that are spread over ranks: on the GPU of each, or on the CPU of each. All ranks have
// the same agreements before the first vector.
static gla_status run_by_rows (gla_eigs_call *call)
{
  gla_eigs_run *run = call->run;
  gla_engine *gpu = NULL;
  if (run->ranks->gpu == GLA_DEVICE_HOST)
    return run_on_cpus (call);
  gla_status status = gla_eigs_agree (run, gla_context_gpu (run->ctx, run->ranks->gpu, &gpu));
  if (status == GLA_OK)
    status = gla_eigs_run_on (call, gpu);
  if (status != GLA_ERROR_OUT_OF_MEMORY || run->opened || !run->ranks->rather)
    return status;
  gla_warn (run->ctx, "device-memory", "the GPUs have too little free memory; the CPUs do it");
  return run_on_cpus (call);
}

gla_status gla_eigs_choose (gla_eigs_run *run, const gla_eigs_results *results, gla_choice *choice)
{
  const gla_eigs_call call = {run, results};
  GLA_TRY (describe_job (run));
  choose_sizes (run, 1);
  return gla_choose (run->ctx, &placing, &call, 1, GLA_DEVICE_HOST, choice);
}

gla_status gla_eigs_run_somewhere (gla_eigs_run *run, const gla_eigs_results *results)
{
  static const gla_placed_work work = {.on_gpus = gla_eigs_on_gpus, .on_engine = gla_eigs_run_on};
  gla_eigs_call call = {run, results};
  const gla_placed placed = {.placing = &placing,
                             .work = &work,
                             .call = &call,
                             .pages = 1,
                             .data_device = results->vectors.data != NULL ? results->vectors.device
                                                                          : GLA_DEVICE_HOST};
  int device;
  GLA_TRY (gla_eigs_agree (run, describe_job (run)));
  if (run->ranks != NULL)
    return run_by_rows (&call);
  choose_sizes (run, 1);
  return gla_place_call (run->ctx, &placed, &device);
}
