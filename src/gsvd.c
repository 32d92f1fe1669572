// gsvd.c: generalized singular value decomposition
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments, answers what needs no arithmetic, has the pages dealt out to engines
// (lanes.c), and pages that a GPU does not serve done by the CPU. The arithmetic is the backends'.

#include "arrays.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

// What is described here belongs to a gla_run of the same call.
typedef struct {
  gla_run pages;
  gla_gsvd_job job;
  gla_gsvd_chunk all; // the whole arrays
  gla_gsvd_report report;
  pthread_mutex_t cpu; // one thread at a time redoes pages on the CPU
  int64_t redone;      // pages
} gsvd_run;

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

enum { OUTPUTS = 5 };

typedef struct {
  const char *name;
  const gla_array *array; // NULL: not wanted
  gla_type type;
  int64_t rows;
  int64_t columns[2]; // what may be, full and economy
} expectation;

static gla_status check_output (gla_context *ctx, const expectation *e, const gla_array *A)
{
  const gla_array *a = e->array;
  const int which = a->columns == e->columns[1];
  gla_status status =
      gla_check_array (ctx, e->name, a, e->type, e->rows, e->columns[which], A->pages);
  if (status == GLA_OK && e->rows > 1 && a->columns > 1 && a->row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1", e->name,
                     (long long)a->row_stride);
  if (status == GLA_OK && a->device != A->device)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is in place %d, it must be where A is, %d", e->name,
                     a->device, A->device);
  return status;
}

static gla_status check_overlap (gla_context *ctx, const char *name, const gla_array *a,
                                 const char *other_name, const gla_array *b)
{
  if (!gla_array_empty (a) && !gla_array_empty (b) && gla_arrays_overlap (a, b))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not overlap %s", name, other_name);
  return GLA_OK;
}

static gla_status check_input (gla_context *ctx, const char *name, const gla_array *a)
{
  if (gla_type_size (a->type) == 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has type %d, it must be one of s d c z", name,
                     (int)a->type);
  if (a->rows < 0 || a->columns < 0 || a->pages < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is %lldx%lldx%lld", name, (long long)a->rows,
                     (long long)a->columns, (long long)a->pages);
  if (a->row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1", name,
                     (long long)a->row_stride);
  return gla_check_array (ctx, name, a, a->type, a->rows, a->columns, a->pages);
}

static gla_status check_inputs (gla_context *ctx, const gla_array *A, const gla_array *B)
{
  gla_status status = check_input (ctx, "A", A);
  if (status == GLA_OK)
    status = check_input (ctx, "B", B);
  if (status == GLA_OK)
    status = gla_check_array (ctx, "B", B, A->type, B->rows, A->columns, A->pages);
  if (status == GLA_OK && B->device != A->device)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "B is in place %d, it must be where A is, %d",
                     B->device, A->device);
  return status;
}

static gla_status check_options (gla_context *ctx, const gla_gsvd_options *o)
{
  const struct {
    const char *name;
    int value, most;
  } choices[] = {{"method", (int)o->method, GLA_GSVD_TANGENT},
                 {"blocking", (int)o->blocking, GLA_FULL_BLOCK},
                 {"ordering", (int)o->ordering, GLA_ORDER_MM}};
  for (int k = 0; k < 3; k++)
    if (choices[k].value < 0 || choices[k].value > choices[k].most)
      return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s = %d must be 0 to %d", choices[k].name,
                       choices[k].value, choices[k].most);
  if (o->block < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "block = %d must not be negative", o->block);
  return GLA_OK;
}

static const gla_array *wanted (const gla_array *a)
{
  return a->data != NULL ? a : NULL;
}

static int64_t least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_gsvd_results *r, const gla_gsvd_options *o)
{
  if (A == NULL || B == NULL || r == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not be NULL",
                     A == NULL   ? "A"
                     : B == NULL ? "B"
                                 : "results");
  gla_status status = check_inputs (ctx, A, B);
  if (status == GLA_OK)
    status = check_options (ctx, o);
  if (status != GLA_OK)
    return status;

  const int64_t m = A->rows, n = B->rows, p = A->columns, q = least (m + n, p);
  const gla_type real = gla_type_real (A->type);
  const expectation outputs[OUTPUTS] = {{"alpha", wanted (&r->alpha), real, q, {1, 1}},
                                        {"beta", wanted (&r->beta), real, q, {1, 1}},
                                        {"U", wanted (&r->U), A->type, m, {m, least (m, q)}},
                                        {"V", wanted (&r->V), A->type, n, {n, least (n, q)}},
                                        {"X", wanted (&r->X), A->type, p, {q, q}}};
  for (int x = 0; x < OUTPUTS && status == GLA_OK; x++) {
    if (outputs[x].array == NULL)
      continue;
    status = check_output (ctx, &outputs[x], A);
    if (status == GLA_OK)
      status = check_overlap (ctx, outputs[x].name, outputs[x].array, "A", A);
    if (status == GLA_OK)
      status = check_overlap (ctx, outputs[x].name, outputs[x].array, "B", B);
    for (int y = 0; y < x && status == GLA_OK; y++)
      if (outputs[y].array != NULL)
        status = check_overlap (ctx, outputs[x].name, outputs[x].array, outputs[y].name,
                                outputs[y].array);
  }
  return status;
}

//------------------------------------------------------------------------------
// chunks
//------------------------------------------------------------------------------

static gla_gsvd_chunk chunk_of (const gla_gsvd_chunk *all, int64_t first, int64_t count)
{
  return (gla_gsvd_chunk){.A = gla_array_pages (&all->A, first, count),
                          .B = gla_array_pages (&all->B, first, count),
                          .alpha = gla_array_pages (&all->alpha, first, count),
                          .beta = gla_array_pages (&all->beta, first, count),
                          .U = gla_array_pages (&all->U, first, count),
                          .V = gla_array_pages (&all->V, first, count),
                          .X = gla_array_pages (&all->X, first, count),
                          .info = all->info + first,
                          .stats = all->stats == NULL ? NULL : all->stats + first};
}

// A backend may do without the GSVD: its entries in the table are NULL then.
static int supports (const gla_backend *backend, const void *call)
{
  return backend->gsvd_supports != NULL && backend->gsvd_supports (&((const gsvd_run *)call)->job);
}

static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->gsvd_seconds (engine, &((const gsvd_run *)call)->job, pages);
}

static int64_t chunk_pages (gla_engine *engine, const void *call, int64_t pages)
{
  return engine->backend->gsvd_chunk_pages (engine, &((const gsvd_run *)call)->job, pages);
}

static gla_status begin (gla_lane *l, int64_t pages)
{
  const gsvd_run *run = l->call;
  l->memory = malloc (GLA_MAX_SLOTS * sizeof (gla_gsvd_chunk));
  if (l->memory == NULL)
    return GLA_OUT_OF_MEMORY;
  const gla_status status = l->engine->backend->gsvd_begin (l->engine, &run->job, pages);
  if (status != GLA_OK) {
    free (l->memory);
    l->memory = NULL;
  }
  return status;
}

static gla_status submit (gla_lane *l, int slot, gla_range range)
{
  gsvd_run *run = l->call;
  gla_gsvd_chunk *chunk = (gla_gsvd_chunk *)l->memory + slot;
  *chunk = chunk_of (&run->all, range.first, range.count);
  pthread_mutex_lock (&run->pages.lock);
  if (range.count > run->report.chunk_pages)
    run->report.chunk_pages = range.count;
  pthread_mutex_unlock (&run->pages.lock);
  return l->engine->backend->gsvd_submit (l->engine, slot, chunk);
}

// The next run of irregular pages in the range, from `from` on; count 0 where there is none.
static gla_range next_irregular (const gsvd_run *run, gla_range range, int64_t from)
{
  const int32_t *info = run->all.info;
  const int64_t end = range.first + range.count;
  while (from < end && info[from] != GLA_INFO_IRREGULAR)
    from++;
  gla_range found = {from, 0};
  while (from + found.count < end && info[from + found.count] == GLA_INFO_IRREGULAR)
    found.count++;
  return found;
}

static gla_status on_cpu (gsvd_run *run, gla_range range)
{
  gla_engine *cpu;
  gla_status status = gla_context_cpu (run->pages.ctx, &cpu);
  if (status == GLA_OK)
    status = cpu->backend->gsvd_begin (cpu, &run->job, range.count);
  if (status != GLA_OK)
    return status;
  const gla_gsvd_chunk chunk = chunk_of (&run->all, range.first, range.count);
  status = cpu->backend->gsvd_submit (cpu, 0, &chunk);
  if (status == GLA_OK)
    status = cpu->backend->gsvd_finish (cpu, 0);
  cpu->backend->gsvd_end (cpu);
  return status;
}

// Pages that the GPU does not serve: the CPU does them, unless they are in device memory.
static gla_status redo (gsvd_run *run, gla_range range)
{
  gla_status status = GLA_OK;
  gla_range r = next_irregular (run, range, range.first);
  for (; r.count > 0 && status == GLA_OK; r = next_irregular (run, range, r.first + r.count)) {
    if (run->job.device_arrays) {
      for (int64_t page = r.first; page < r.first + r.count; page++)
        run->all.info[page] = -1;
      continue;
    }
    pthread_mutex_lock (&run->cpu);
    status = on_cpu (run, r);
    run->redone += status == GLA_OK ? r.count : 0;
    pthread_mutex_unlock (&run->cpu);
  }
  return status;
}

static gla_status finish (gla_lane *l, int slot, gla_range range)
{
  const gla_status status = l->engine->backend->gsvd_finish (l->engine, slot);
  return status == GLA_OK ? redo (l->call, range) : status;
}

static void end (gla_lane *l)
{
  l->engine->backend->gsvd_end (l->engine);
}

// By the columns; pairs of more rows take longer as the formulas say.
static int kinds (const void *call, gla_kind *kinds)
{
  const gla_gsvd_job *job = &((const gsvd_run *)call)->job;
  const char type[] = {(char)job->type, '\0'};
  const int vectors = job->u_columns > 0 || job->v_columns > 0 || job->x;
  return gla_kinds_of_size (job->p, type, vectors ? "vectors" : "values", kinds);
}

static const gla_operation gsvd_operation = {
    .placing = {.name = "gsvd",
                .unsupported = "pairs of this size or this option are not done on a GPU",
                .supports = supports,
                .seconds = seconds,
                .kinds = kinds},
    .chunk_pages = chunk_pages,
    .begin = begin,
    .submit = submit,
    .finish = finish,
    .end = end,
};

//------------------------------------------------------------------------------
// gla_gsvd
//------------------------------------------------------------------------------

static void store_identity (const gla_array *a)
{
  const size_t size = gla_type_size (a->type);
  for (int64_t p = 0; p < a->pages && a->data != NULL; p++)
    for (int64_t j = 0; j < a->columns; j++) {
      char *column = (char *)a->data + (size_t)(p * a->page_stride + j * a->column_stride) * size;
      memset (column, 0, (size_t)a->rows * size);
      if (gla_type_real (a->type) == GLA_S)
        *(float *)(column + (size_t)j * size) = 1;
      else
        *(double *)(column + (size_t)j * size) = 1;
    }
}

// Without columns, or without rows at all, U and V are identities and the rest is empty.
static void answer_empty (const gsvd_run *run)
{
  const gla_gsvd_chunk *all = &run->all;
  store_identity (&all->U);
  store_identity (&all->V);
  for (int64_t p = 0; p < run->pages.pages; p++) {
    all->info[p] = 0;
    if (all->stats != NULL)
      all->stats[p] = (gla_gsvd_stats){.method = GLA_GSVD_AUTO};
  }
}

static void count_failures (gsvd_run *run)
{
  run->report.first_failed = -1;
  for (int64_t p = run->pages.pages - 1; p >= 0; p--)
    if (run->all.info[p] != 0) {
      run->report.pages_failed++;
      run->report.first_failed = p;
    }
}

static void describe (gsvd_run *run, const gla_array *A, const gla_array *B,
                      const gla_gsvd_results *r, const gla_gsvd_options *o)
{
  gla_gsvd_job *job = &run->job;
  run->all = (gla_gsvd_chunk){.A = *A,
                              .B = *B,
                              .alpha = r->alpha,
                              .beta = r->beta,
                              .U = r->U,
                              .V = r->V,
                              .X = r->X,
                              .info = r->info,
                              .stats = r->stats};
  job->type = A->type;
  job->m = A->rows;
  job->n = B->rows;
  job->p = A->columns;
  job->u_columns = r->U.data != NULL ? r->U.columns : 0;
  job->v_columns = r->V.data != NULL ? r->V.columns : 0;
  job->x = r->X.data != NULL;
  job->options = *o;
  job->device_arrays = A->device != GLA_HOST;
  job->monitor.poll = gla_run_poll;
  job->monitor.user = &run->pages;
  job->swept = gla_run_swept;
}

static gla_status work (gsvd_run *run)
{
  const gla_gsvd_job *job = &run->job;
  const int device = run->all.A.device;
  if (job->p == 0 || job->m + job->n == 0) {
    if (device != GLA_HOST)
      return gla_fail (run->pages.ctx, GLA_BAD_ARGUMENT,
                       "A is empty, it must not be in device memory");
    answer_empty (run);
    return GLA_OK;
  }
  if (run->pages.pages == 0)
    return GLA_OK;
  const gla_status status =
      gla_run_call (&run->pages, &gsvd_operation, run, device, &run->report.device);
  if (run->redone >= run->pages.pages)
    run->report.device = GLA_HOST;
  return status;
}

gla_status gla_gsvd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gsvd_results *results, const gla_gsvd_options *options,
                     gla_gsvd_report *report)
{
  const gla_gsvd_options defaults = {.method = GLA_GSVD_AUTO};
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  if (options == NULL)
    options = &defaults;
  ctx->message[0] = '\0';

  // check inputs
  gla_status status = check (ctx, A, B, results, options);
  if (status != GLA_OK)
    return status;

  // work
  gsvd_run run = {.report.device = GLA_HOST, .report.first_failed = -1};
  int32_t *own = NULL;
  gla_run_start (&run.pages, ctx, A->pages);
  describe (&run, A, B, results, options);
  if (run.all.info == NULL && A->pages > 0) {
    run.all.info = own = malloc ((size_t)A->pages * sizeof *own);
    if (own == NULL)
      status = GLA_OUT_OF_MEMORY;
  }
  pthread_mutex_init (&run.cpu, NULL);
  if (status == GLA_OK)
    status = work (&run);
  if (status == GLA_OK)
    count_failures (&run);
  pthread_mutex_destroy (&run.cpu);
  free (own);

  if (report != NULL)
    *report = run.report;
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}
