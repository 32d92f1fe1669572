// batcheig.c: eigenvalues and eigenvectors of many Hermitian matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the arguments, chooses the engines, deals the pages out to them in chunks, gives pages
// that did not converge a second chance by the other method, and lets the CPU finish what a
// failing GPU left. The arithmetic is the backends'.

#include "run.h"

#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  gla_run pages;
  gla_eig_job job;
  gla_array A, lambda, V;
  int32_t *info;
  int suspect; // whether a page has info != 0
  gla_eig_report report;
} eig_run;

// A chunk that an engine works on.
typedef struct {
  gla_range range;
  gla_eig_chunk chunk;
} flight;

// One engine's share of the run: a ring of chunks in flight, oldest at `head`.
typedef struct {
  gla_engine *engine;
  int64_t chunk_pages;
  int head, count;
  flight flights[GLA_MAX_SLOTS];
  double *skew;       // slots x chunk_pages
  gla_status trouble; // why the lane left
} lane;

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_array (gla_context *ctx, const char *name, const gla_array *a,
                               gla_type type, int64_t rows, int64_t columns, int64_t pages)
{
  if (a == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not be NULL", name);
  if (a->type != type)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has type '%c', it must be '%c'", name,
                     (char)a->type, (char)type);
  if (a->rows != rows || a->columns != columns || a->pages != pages)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s is %lldx%lldx%lld, it must be %lldx%lldx%lld", name,
                     (long long)a->rows, (long long)a->columns, (long long)a->pages,
                     (long long)rows, (long long)columns, (long long)pages);
  int empty = rows == 0 || columns == 0 || pages == 0;
  if (!empty && a->data == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has no data", name);
  if (!empty && (a->row_stride < 1 || (columns > 1 && a->column_stride < rows * a->row_stride) ||
                 (pages > 1 && a->page_stride < 1)))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has overlapping strides (%lld, %lld, %lld)", name,
                     (long long)a->row_stride, (long long)a->column_stride,
                     (long long)a->page_stride);
  return GLA_OK;
}

// Bytes from the first to the last element.
static size_t extent (const gla_array *a)
{
  int64_t last = (a->rows - 1) * a->row_stride + (a->columns - 1) * a->column_stride +
                 (a->pages - 1) * a->page_stride;
  return (size_t)(last + 1) * gla_type_size (a->type);
}

static int overlap (const gla_array *a, const gla_array *b)
{
  const char *x = a->data, *y = b->data;
  return x < y + extent (b) && y < x + extent (a);
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *lambda,
                         const gla_array *V, const gla_eig_options *o)
{
  if (A == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A must not be NULL");
  if (gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->rows < 0 || A->pages < 0 || A->rows != A->columns)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A is %lldx%lldx%lld, its pages must be square",
                     (long long)A->rows, (long long)A->columns, (long long)A->pages);
  gla_status status = check_array (ctx, "A", A, A->type, A->rows, A->rows, A->pages);
  if (status == GLA_OK)
    status = check_array (ctx, "lambda", lambda, gla_type_real (A->type), A->rows, 1, A->pages);
  if (status == GLA_OK && V != NULL)
    status = check_array (ctx, "V", V, A->type, A->rows, A->rows, A->pages);
  if (status != GLA_OK)
    return status;
  if (A->row_stride != 1 || (V != NULL && V->row_stride != 1))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s has row stride %lld, it must be 1",
                     A->row_stride != 1 ? "A" : "V",
                     (long long)(A->row_stride != 1 ? A->row_stride : V->row_stride));
  if (lambda->device != A->device || (V != NULL && V->device != A->device))
    return gla_fail (ctx, GLA_BAD_ARGUMENT,
                     "A, lambda and V must be in the same place, not %d, "
                     "%d and %d",
                     A->device, lambda->device, V != NULL ? V->device : A->device);
  int empty = A->rows == 0 || A->pages == 0;
  if (!empty && V != NULL && overlap (A, V))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "V must not overlap A");
  if (!empty && (overlap (A, lambda) || (V != NULL && overlap (V, lambda))))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "lambda must not overlap %s",
                     overlap (A, lambda) ? "A" : "V");
  if (o->method != GLA_METHOD_AUTO && o->method != GLA_METHOD_QR && o->method != GLA_METHOD_JACOBI)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "method = %d is not a gla_eig_method", (int)o->method);
  if (o->triangle != GLA_FULL && o->triangle != GLA_LOWER && o->triangle != GLA_UPPER)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "triangle = %d is not a gla_triangle",
                     (int)o->triangle);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "tol = %g must be at least 0 and less than 1", o->tol);
  if (o->maxit < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "maxit = %d must not be negative", o->maxit);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// lanes: engines with their chunks in flight
//------------------------------------------------------------------------------

static void *page_address (const gla_array *a, int64_t page)
{
  if (a->data == NULL)
    return NULL;
  return (char *)a->data + (size_t)(page * a->page_stride) * gla_type_size (a->type);
}

static gla_array page_range (const gla_array *a, gla_range range)
{
  gla_array part = *a;
  part.data = page_address (a, range.first);
  part.pages = range.count;
  return part;
}

static void lane_end (lane *l)
{
  l->engine->backend->eig_end (l->engine);
  free (l->skew);
  l->skew = NULL;
}

// Takes memory for chunks of at most `pages` pages; halves them as long as memory is short.
static gla_status lane_begin (lane *l, const gla_eig_job *job, int64_t pages)
{
  const gla_backend *backend = l->engine->backend;
  for (; pages >= 1; pages /= 2) {
    gla_status status = backend->eig_begin (l->engine, job, pages);
    if (status == GLA_OK) {
      l->skew = malloc ((size_t)pages * (size_t)backend->slots * sizeof *l->skew);
      if (l->skew != NULL) {
        l->chunk_pages = pages;
        return GLA_OK;
      }
      backend->eig_end (l->engine);
      status = GLA_OUT_OF_MEMORY;
    }
    if (status != GLA_OUT_OF_MEMORY)
      return status;
  }
  return GLA_OUT_OF_MEMORY;
}

static gla_status lane_submit (lane *l, eig_run *run, gla_range range)
{
  int slot = (l->head + l->count) % l->engine->backend->slots;
  flight *f = &l->flights[slot];
  f->range = range;
  f->chunk.A = page_range (&run->A, range);
  f->chunk.lambda = page_range (&run->lambda, range);
  f->chunk.V = page_range (&run->V, range);
  f->chunk.info = run->info + range.first;
  f->chunk.skew = l->skew + (int64_t)slot * l->chunk_pages;
  gla_status status = l->engine->backend->eig_submit (l->engine, slot, &f->chunk);
  if (status == GLA_OK)
    l->count++;
  else
    gla_run_give_back (&run->pages, range);
  pthread_mutex_lock (&run->pages.lock);
  if (range.count > run->report.chunk_pages)
    run->report.chunk_pages = range.count;
  pthread_mutex_unlock (&run->pages.lock);
  return status;
}

// Looks for pages with something to tell; of those that are not Hermitian it keeps the first one.
static void look_for_skew (eig_run *run, const flight *f)
{
  int32_t any = 0; // without a branch in the loop: there may be a million pages and nothing to find
  for (int64_t p = 0; p < f->range.count; p++)
    any |= f->chunk.info[p];
  if (any == 0)
    return;
  pthread_mutex_lock (&run->pages.lock);
  run->suspect = 1;
  pthread_mutex_unlock (&run->pages.lock);
  for (int64_t p = 0; p < f->range.count; p++)
    if (f->chunk.info[p] == GLA_INFO_SKEW) {
      int64_t page = f->range.first + p;
      pthread_mutex_lock (&run->pages.lock);
      if (run->report.bad_page < 0 || page < run->report.bad_page) {
        run->report.bad_page = page;
        run->report.bad_difference = f->chunk.skew[p];
      }
      pthread_mutex_unlock (&run->pages.lock);
      return;
    }
}

// Waits for the oldest chunk of the lane.
static gla_status lane_finish (lane *l, eig_run *run)
{
  int slot = l->head;
  flight *f = &l->flights[slot];
  gla_status status = l->engine->backend->eig_finish (l->engine, slot);
  l->head = (slot + 1) % l->engine->backend->slots;
  l->count--;
  if (status == GLA_OK) {
    look_for_skew (run, f);
    gla_run_complete (&run->pages, f->range);
  } else {
    gla_run_give_back (&run->pages, f->range);
  }
  return status;
}

// Gives back all that the lane still has in flight, after a failure.
static void lane_abandon (lane *l, eig_run *run)
{
  for (; l->count > 0; l->count--) {
    gla_run_give_back (&run->pages, l->flights[l->head].range);
    l->head = (l->head + 1) % l->engine->backend->slots;
  }
}

// What to do when an engine reports that memory is short or that it failed.
// Returns GLA_OK when the lane goes on, else why it does not.
static gla_status lane_recover (lane *l, eig_run *run, gla_status status)
{
  gla_context *ctx = run->pages.ctx;
  if (status == GLA_OUT_OF_MEMORY) {
    while (l->count > 0 && status == GLA_OUT_OF_MEMORY) {
      gla_status finished = lane_finish (l, run);
      if (finished != GLA_OK && finished != GLA_OUT_OF_MEMORY)
        status = finished;
    }
    if (status == GLA_OUT_OF_MEMORY) {
      int64_t fewer = l->chunk_pages / 2;
      lane_end (l);
      l->head = 0;
      if (fewer >= 1)
        return lane_begin (l, &run->job, fewer);
      return GLA_OUT_OF_MEMORY;
    }
  }
  lane_abandon (l, run);
  lane_end (l);
  if (status == GLA_DEVICE_FAILURE && l->engine->device != GLA_HOST) {
    pthread_mutex_lock (&run->pages.lock);
    gla_context_lose (ctx, l->engine->device);
    pthread_mutex_unlock (&run->pages.lock);
    l->engine = NULL;
  }
  return status;
}

//------------------------------------------------------------------------------
// run the pages on some engines
//------------------------------------------------------------------------------

static int bad_page_found (eig_run *run)
{
  pthread_mutex_lock (&run->pages.lock);
  int found = run->report.bad_page >= 0;
  pthread_mutex_unlock (&run->pages.lock);
  return found;
}

// Fills the lane's slots and waits for its oldest chunk; its engine is NULL after a failure that it
// does not survive. GLA_STOPPED, or GLA_OK.
static gla_status lane_turn (lane *l, eig_run *run)
{
  gla_status step = GLA_OK;
  while (step == GLA_OK && l->count < l->engine->backend->slots && !bad_page_found (run)) {
    gla_range range = gla_run_take (&run->pages, l->chunk_pages);
    if (range.count == 0)
      break;
    step = lane_submit (l, run, range);
  }
  if (step == GLA_OK && l->count > 0)
    step = lane_finish (l, run);
  if (step == GLA_STOPPED || (step == GLA_OK && gla_run_poll (&run->pages, 0)))
    return GLA_STOPPED;
  if (step != GLA_OK)
    step = lane_recover (l, run, step);
  if (step != GLA_OK && step != GLA_STOPPED) {
    l->trouble = step;
    l->engine = NULL;
  }
  return step == GLA_STOPPED ? GLA_STOPPED : GLA_OK;
}

// Works until nothing waits and nothing can come back from another lane.
static void lane_work (lane *l, eig_run *run)
{
  gla_status status = GLA_OK;
  while (l->engine != NULL && status == GLA_OK &&
         (l->count > 0 || (!bad_page_found (run) && gla_run_open (&run->pages)))) {
    status = lane_turn (l, run);
    if (l->count == 0 && run->pages.threaded) {
      struct timespec nap = {0, 200000}; // another lane may fail and give its pages back
      nanosleep (&nap, NULL);
    }
  }
  if (status == GLA_STOPPED)
    lane_abandon (l, run);
  if (l->engine != NULL)
    lane_end (l);
}

typedef struct {
  lane *l;
  eig_run *run;
  int cpus; // this lane's share of the cores, for copies
  pthread_t thread;
  int started;
} lane_thread;

static void *lane_main (void *argument)
{
  lane_thread *t = argument;
  omp_set_num_threads (t->cpus);
  lane_work (t->l, t->run);
  gla_run_workers (&t->run->pages, -1);
  return NULL;
}

// A thread for every lane; this one carries callbacks until they are done.
static void work_in_threads (eig_run *run, lane *lanes, int n_lanes)
{
  lane_thread threads[GLA_MAX_DEVICES];
  int cpus = omp_get_max_threads () / n_lanes;
  sigset_t all, before;
  run->pages.threaded = 1;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before); // signals are for the caller's thread
  for (int k = 0; k < n_lanes; k++) {
    threads[k] = (lane_thread){.l = &lanes[k], .run = run, .cpus = cpus > 1 ? cpus : 1};
    gla_run_workers (&run->pages, 1);
    threads[k].started = pthread_create (&threads[k].thread, NULL, lane_main, &threads[k]) == 0;
    if (!threads[k].started)
      gla_run_workers (&run->pages, -1);
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  while (gla_run_workers (&run->pages, 0) > 0) {
    struct timespec nap = {0, 200000};
    nanosleep (&nap, NULL);
    gla_run_watch (&run->pages);
  }
  for (int k = 0; k < n_lanes; k++)
    if (threads[k].started)
      pthread_join (threads[k].thread, NULL);
  run->pages.threaded = 0;
  for (int k = 0; k < n_lanes; k++)
    if (!threads[k].started) // what they leave is done here
      lane_work (&lanes[k], run);
  gla_run_watch (&run->pages); // the last pages
}

// Keeps every lane busy until nothing waits. Lanes that fail leave; their reason goes to
// *trouble. Pages that no lane could do stay waiting.
static gla_status run_lanes (eig_run *run, lane *lanes, int n_lanes, gla_status *trouble)
{
  if (n_lanes > 1)
    work_in_threads (run, lanes, n_lanes);
  else if (n_lanes == 1)
    lane_work (&lanes[0], run);
  for (int k = 0; k < n_lanes; k++)
    if (lanes[k].trouble != GLA_OK)
      *trouble = lanes[k].trouble;
  return run->pages.stopped ? GLA_STOPPED : GLA_OK;
}

static gla_status run_on_cpu (eig_run *run)
{
  gla_engine *cpu;
  gla_status trouble = GLA_OK, status = gla_context_cpu (run->pages.ctx, &cpu);
  if (status != GLA_OK)
    return status;
  lane l = {.engine = cpu};
  int64_t pages = cpu->backend->eig_chunk_pages (cpu, &run->job, run->pages.pages);
  status = lane_begin (&l, &run->job, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
  if (status == GLA_OK)
    status = run_lanes (run, &l, 1, &trouble);
  return status == GLA_OK ? trouble : status;
}

// The GPUs in `devices`; what they leave undone stays waiting, with one warning. *trouble is GLA_OK
// or the reason.
static gla_status run_on_gpus (eig_run *run, const int *devices, int count, gla_status *trouble)
{
  lane lanes[GLA_MAX_DEVICES] = {0};
  int n_lanes = 0;
  for (int k = 0; k < count; k++) {
    lane *l = &lanes[n_lanes];
    gla_status status = gla_context_gpu (run->pages.ctx, devices[k], &l->engine);
    if (status == GLA_OK) {
      int64_t share = (run->pages.pages + count - 1) / count;
      int64_t pages = l->engine->backend->eig_chunk_pages (l->engine, &run->job, share);
      int64_t chunks = (share + pages - 1) / pages; // of equal size, so that all end together
      if (count > 1)
        pages = (share + chunks - 1) / chunks;
      status = lane_begin (l, &run->job, pages < GLA_MAX_CHUNK ? pages : GLA_MAX_CHUNK);
      if (status == GLA_DEVICE_FAILURE)
        gla_context_lose (run->pages.ctx, devices[k]);
    }
    if (status == GLA_OK)
      n_lanes++;
    else
      *trouble = status;
  }
  if (n_lanes > 0)
    run->report.device = lanes[0].engine->device;
  return run_lanes (run, lanes, n_lanes, trouble);
}

//------------------------------------------------------------------------------
// second chances
//------------------------------------------------------------------------------

// A retried page is already counted; only the wish to stop matters.
static int poll_stop (void *pages, int64_t ignored)
{
  (void)ignored;
  return gla_run_poll (pages, 0);
}

// Runs one page on an engine by a method; returns whether it converged.
static int retry_page (eig_run *run, gla_engine *engine, gla_eig_method method, int64_t page)
{
  lane l = {.engine = engine};
  gla_eig_job job = run->job;
  job.method = method;
  job.maxit = 30;
  if (!engine->backend->eig_supports (&job) || lane_begin (&l, &job, 1) != GLA_OK)
    return 0;
  run->pages.in_flight = 1;
  gla_status status = lane_submit (&l, run, (gla_range){page, 1});
  if (status == GLA_OK)
    status = lane_finish (&l, run);
  run->pages.n_waiting = 0; // a page that was given back stays failed
  lane_end (&l);
  return status == GLA_OK && run->info[page] == 0;
}

// Pages that did not converge: the other method where the page was, then the CPU by either.
static void second_chances (eig_run *run)
{
  gla_context *ctx = run->pages.ctx;
  gla_eig_method other = run->job.method == GLA_METHOD_JACOBI ? GLA_METHOD_QR : GLA_METHOD_JACOBI;
  run->job.monitor.poll = poll_stop;
  for (int64_t page = 0; page < run->pages.pages && !run->pages.stopped; page++) {
    if (run->info[page] < 1 || run->info[page] > run->job.n)
      continue;
    int32_t first_info = run->info[page];
    gla_engine *engine = NULL;
    int solved = 0;
    if (run->report.device != GLA_HOST && !ctx->lost[run->report.device] &&
        gla_context_gpu (ctx, run->report.device, &engine) == GLA_OK)
      solved = retry_page (run, engine, other, page);
    if (!solved && !run->job.device_arrays && gla_context_cpu (ctx, &engine) == GLA_OK)
      solved =
          retry_page (run, engine, other, page) || retry_page (run, engine, GLA_METHOD_AUTO, page);
    if (!solved)
      run->info[page] = first_info;
  }
}

//------------------------------------------------------------------------------
// where to run
//------------------------------------------------------------------------------

// Lists the GPUs to use: none means the CPU.
static gla_status choose_gpus (eig_run *run, int *devices, int *count)
{
  gla_context *ctx = run->pages.ctx;
  gla_engine *gpu, *cpu;
  *count = 0;
  if (run->A.device != GLA_HOST) {
    devices[0] = run->A.device;
    *count = 1;
    gla_status status = gla_context_gpu (ctx, devices[0], &gpu);
    if (status == GLA_OK && !gpu->backend->eig_supports (&run->job))
      return gla_fail (ctx, GLA_BAD_ARGUMENT, "n = %lld is too large for this method on a GPU",
                       (long long)run->job.n);
    return status;
  }
  if (ctx->place == GLA_CPU || ctx->n_gpus == 0)
    return GLA_OK;
  for (int k = 0; k < ctx->n_devices; k++)
    if (!ctx->lost[ctx->devices[k]])
      devices[(*count)++] = ctx->devices[k];
  if (ctx->place != GLA_AUTO) {
    if (*count == 0)
      return gla_fail (ctx, GLA_NO_DEVICE, "device %d failed earlier and is not used again",
                       ctx->devices[0]);
    if (!ctx->gpu_backend->eig_supports (&run->job))
      return gla_fail (ctx, GLA_BAD_ARGUMENT, "n = %lld is too large for this method on a GPU",
                       (long long)run->job.n);
    return GLA_OK;
  }
  // "auto": one GPU, where it is predicted to be faster, transfers included
  if (*count == 0 || !ctx->gpu_backend->eig_supports (&run->job) ||
      gla_context_gpu (ctx, devices[0], &gpu) != GLA_OK || gla_context_cpu (ctx, &cpu) != GLA_OK) {
    *count = 0;
    return GLA_OK;
  }
  double on_gpu = gpu->backend->eig_seconds (gpu, &run->job, run->pages.pages);
  double on_cpu = cpu->backend->eig_seconds (cpu, &run->job, run->pages.pages);
  *count = on_gpu < on_cpu ? 1 : 0;
  return GLA_OK;
}

static gla_status run_pages (eig_run *run)
{
  gla_context *ctx = run->pages.ctx;
  int devices[GLA_MAX_DEVICES], count;
  gla_status status = choose_gpus (run, devices, &count);
  if (status != GLA_OK)
    return status;

  if (count > 0) {
    gla_status trouble = GLA_OK;
    status = run_on_gpus (run, devices, count, &trouble);
    int undone = run->pages.n_waiting > 0 && run->report.bad_page < 0;
    if (status != GLA_OK)
      return status;
    if (undone && run->job.device_arrays)
      return gla_fail (ctx, trouble, "device %d: %s", devices[0], gla_status_text (trouble));
    if (trouble == GLA_OUT_OF_MEMORY && undone)
      gla_warn (ctx, "device-memory", "the GPU has too little free memory; the CPU does the rest");
    else if (trouble != GLA_OK && trouble != GLA_OUT_OF_MEMORY)
      gla_warn (ctx, "device-failed", "a GPU failed (%s)%s", gla_status_text (trouble),
                undone ? "; the CPU does the rest" : "");
  }
  if (run->pages.n_waiting > 0 && run->report.bad_page < 0)
    status = run_on_cpu (run);
  return status;
}

//------------------------------------------------------------------------------
// gla_batcheig
//------------------------------------------------------------------------------

static void fill_job (eig_run *run, const gla_eig_options *o)
{
  gla_eig_job *job = &run->job;
  job->type = run->A.type;
  job->n = run->A.rows;
  job->vectors = run->V.data != NULL;
  job->method = o->method;
  job->triangle = o->triangle;
  job->tol = o->tol > 0 ? o->tol : gla_type_eps (job->type);
  job->maxit = o->maxit > 0 ? o->maxit : 30;
  job->device_arrays = run->A.device != GLA_HOST;
  job->monitor.poll = gla_run_poll;
  job->monitor.user = &run->pages;
}

static void count_failed (eig_run *run)
{
  for (int64_t p = 0; p < run->pages.pages; p++)
    if (run->info[p] != 0 && run->report.pages_failed++ == 0)
      run->report.first_failed = p;
}

gla_status gla_batcheig (gla_context *ctx, const gla_array *A, const gla_array *lambda,
                         const gla_array *V, int32_t *info, const gla_eig_options *options,
                         gla_eig_report *report)
{
  const gla_eig_options defaults = {GLA_METHOD_AUTO, GLA_FULL, 0, 0};
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  if (options == NULL)
    options = &defaults;
  ctx->message[0] = '\0';

  // check inputs
  gla_status status = check (ctx, A, lambda, V, options);
  if (status != GLA_OK)
    return status;

  // allocate
  int64_t pages = A->pages;
  int32_t *own_info = NULL;
  if (info == NULL && pages > 0) {
    info = own_info = malloc ((size_t)pages * sizeof *info);
    if (info == NULL)
      return gla_fail (ctx, GLA_OUT_OF_MEMORY, "no memory for %lld status words", (long long)pages);
  }

  // work
  eig_run run = {.A = *A, .lambda = *lambda, .info = info};
  if (V != NULL)
    run.V = *V;
  run.report.first_failed = run.report.bad_page = -1;
  run.report.device = GLA_HOST;
  gla_run_start (&run.pages, ctx, pages);
  fill_job (&run, options);
  if (A->rows == 0) {
    for (int64_t p = 0; p < pages; p++)
      info[p] = 0;
  } else if (pages > 0) {
    status = run_pages (&run);
    if (status == GLA_OK && run.report.bad_page >= 0)
      status = gla_fail (ctx, GLA_NOT_HERMITIAN,
                         "page %lld is not Hermitian: the largest |A - A'| is %g",
                         (long long)run.report.bad_page, run.report.bad_difference);
    if (status == GLA_OK && run.suspect) {
      second_chances (&run);
      count_failed (&run);
      if (run.pages.stopped)
        status = GLA_STOPPED;
    }
  }

  // free
  if (report != NULL)
    *report = run.report;
  free (own_info);
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}
