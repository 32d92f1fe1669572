// eigs.c: a few eigenvalues of a large Hermitian matrix: check, choose the place, run, results
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eigs.h"
#include "arrays.h"
#include "choose.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_operator (gla_context *ctx, const gla_operator *A)
{
  const gla_sparse *S = A->sparse;
  if (S == NULL && A->apply == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A has neither a sparse matrix nor a function");
  if (S != NULL && S->ctx != ctx)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A belongs to another context");
  if (S != NULL && S->rows != S->columns)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A is %lldx%lld, it must be square", (long long)S->rows,
                     (long long)S->columns);
  if (S == NULL && gla_type_size (A->type) == 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "A has type %d, it must be one of s d c z",
                     (int)A->type);
  if (A->inverse && !isfinite (A->sigma))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "sigma = %g must be finite", A->sigma);
  return GLA_OK;
}

static gla_status check_options (gla_context *ctx, const gla_eigs_options *o)
{
  if (o->method != GLA_EIGS_RESTARTED && o->method != GLA_EIGS_PLAIN)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "method = %d is not a gla_eigs_method", (int)o->method);
  if (o->block < 0 || o->block > 8)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "block = %d must be 1 to 8", o->block);
  if (o->basis < 0 || o->maxit < 0 || o->steps < 0)
    return gla_fail (ctx, GLA_BAD_ARGUMENT,
                     "basis = %lld, maxit = %lld and steps = %lld must not be negative",
                     (long long)o->basis, (long long)o->maxit, (long long)o->steps);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "tol = %g must be from 0 to 1", o->tol);
  if (o->steps > 0 && o->method != GLA_EIGS_PLAIN)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "steps are for the plain method only");
  return GLA_OK;
}

static gla_status check (gla_eigs_run *run, const gla_eigs_results *r)
{
  gla_context *ctx = run->ctx;
  gla_status status = check_options (ctx, &run->o);
  if (status != GLA_OK)
    return status;
  if (run->k < 1 || run->k > run->n)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "k = %lld must be 1 to n = %lld", (long long)run->k,
                     (long long)run->n);
  if (run->which < GLA_EIGS_LM || run->which > GLA_EIGS_BE)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "which = %d is not a gla_eigs_which", (int)run->which);
  if (run->A->inverse && run->which != GLA_EIGS_LM)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "of an inverse only GLA_EIGS_LM is wanted");
  status = gla_check_array (ctx, "values", &r->values, gla_type_real (run->type), run->k, 1, 1);
  if (status == GLA_OK && r->vectors.data != NULL)
    status = gla_check_array (ctx, "vectors", &r->vectors, run->type, run->n, run->k, 1);
  if (status != GLA_OK)
    return status;
  if (r->values.device != GLA_HOST || (r->vectors.data != NULL && r->vectors.device != GLA_HOST))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "values and vectors must be on the host");
  if (r->vectors.data != NULL && r->vectors.row_stride != 1)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "vectors has row stride %lld, it must be 1",
                     (long long)r->vectors.row_stride);
  if (run->o.v0 != NULL && isnan (gla_eigs_largest (run->type, run->o.v0, run->n)))
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "v0 has NaN or Inf");
  return GLA_OK;
}

static gla_status check_matrix (gla_eigs_run *run)
{
  int hermitian;
  int64_t row, column;
  if (run->S == NULL)
    return GLA_OK;
  gla_sparse_scan (run->S);
  if (isnan (run->S->largest))
    return gla_fail (run->ctx, GLA_BAD_ARGUMENT, "A has NaN or Inf");
  gla_status status = gla_sparse_hermitian (run->S, &hermitian, &row, &column);
  if (status == GLA_OK && !hermitian)
    return gla_fail (run->ctx, GLA_NOT_HERMITIAN,
                     "A is not Hermitian: element (%lld, %lld), from 1, differs from its mirror "
                     "image",
                     (long long)row + 1, (long long)column + 1);
  return status;
}

//------------------------------------------------------------------------------
// the operator
//------------------------------------------------------------------------------

double gla_eigs_largest (gla_type type, const void *x, int64_t count)
{
  const int64_t numbers = count * (1 + gla_type_is_complex (type));
  const int single = gla_type_real (type) == GLA_S;
  const float *f = x;
  const double *d = x;
  double largest = 0;
  int bad = 0;
  for (int64_t i = 0; i < numbers; i++) {
    const double a = fabs (single ? (double)f[i] : d[i]);
    bad |= !(a <= DBL_MAX);
    largest = a > largest ? a : largest;
  }
  return bad ? NAN : largest;
}

gla_status gla_eigs_apply (gla_eigs_run *run, const void *X, void *Y, int64_t columns)
{
  if (run->S != NULL) {
    const gla_array x =
        gla_array_packed ((void *)(uintptr_t)X, run->type, run->n, columns, 1, GLA_HOST);
    const gla_array y = gla_array_packed (Y, run->type, run->n, columns, 1, GLA_HOST);
    return gla_spmv (run->ctx, run->S, 'N', &x, &y, NULL);
  }
  run->report.products += columns;
  if (run->A->apply (run->A->user, X, Y, columns) != 0)
    return gla_fail (run->ctx, GLA_STOPPED, "the function ended the call");
  if (isnan (gla_eigs_largest (run->type, Y, run->n * columns)))
    return gla_fail (run->ctx, GLA_BAD_ARGUMENT, "the function returned NaN or Inf");
  return GLA_OK;
}

static void scale (gla_type type, void *x, int64_t count, int exponent)
{
  const int64_t numbers = count * (1 + gla_type_is_complex (type));
  float *f = x;
  double *d = x;
  for (int64_t i = 0; i < numbers; i++)
    if (gla_type_real (type) == GLA_S)
      f[i] = ldexpf (f[i], exponent);
    else
      d[i] = ldexp (d[i], exponent);
}

static gla_status apply_scaled (void *user, const void *X, void *Y, int64_t columns)
{
  gla_eigs_run *run = user;
  const int64_t products = run->report.products; // the methods count them
  gla_status status = gla_eigs_apply (run, X, Y, columns);
  run->report.products = products;
  if (status == GLA_OK && run->exponent != 0)
    scale (run->type, Y, run->n * columns, run->exponent);
  return status;
}

// The exponent that brings numbers of this size to about 1, where their squares could overflow or
// vanish.
static int exponent_for (gla_type type, double largest)
{
  const int safe = gla_type_real (type) == GLA_S ? 20 : 250;
  int e = 0;
  if (largest > 0)
    (void)frexp (largest, &e);
  return e > safe || e < -safe ? -e : 0;
}

// How large the function's products are.
static gla_status measure_function (gla_eigs_run *run)
{
  const size_t bytes = (size_t)run->n * gla_type_size (run->type);
  void *x = malloc (bytes), *y = malloc (bytes);
  gla_status status = x != NULL && y != NULL ? GLA_OK : GLA_OUT_OF_MEMORY;
  if (status == GLA_OK) {
    for (int64_t i = 0; i < run->n * run->parts; i++)
      if (gla_type_real (run->type) == GLA_S)
        ((float *)x)[i] = i % 3 == 0 ? -1 : 1;
      else
        ((double *)x)[i] = i % 3 == 0 ? -1 : 1;
    status = gla_eigs_apply (run, x, y, 1);
  }
  if (status == GLA_OK)
    run->exponent = exponent_for (run->type, gla_eigs_largest (run->type, y, run->n));
  free (x);
  free (y);
  return status;
}

static gla_status scale_operator (gla_eigs_run *run)
{
  if (run->S == NULL)
    return measure_function (run);
  run->exponent = exponent_for (run->type, run->S->largest);
  return run->exponent != 0 ? gla_sparse_scaled (run->S, run->exponent, &run->scaled) : GLA_OK;
}

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

// Whether all eigenvalues are computed: of small matrices, and where a basis is as large as n.
static int is_dense (const gla_eigs_run *run)
{
  const gla_eigs_options *o = &run->o;
  const int b = o->block > 0 ? o->block : BLOCK_GPU;
  if (o->method == GLA_EIGS_PLAIN && o->steps > 0 && run->k < run->n)
    return 0;
  if (run->n <= DENSE_ORDER || run->k >= run->n)
    return 1;
  if (o->method == GLA_EIGS_PLAIN)
    return 0;
  const int64_t basis = o->basis > 0 ? o->basis : default_basis (run->k, b);
  const int64_t least = least_basis (run->k, b);
  return least + b > run->n || (whole_blocks (basis, b) + b > run->n && run->n <= DENSE_RATHER);
}

static void choose_sizes (gla_eigs_run *run, int on_gpu)
{
  gla_krylov_job *job = &run->job;
  const int64_t k = run->k, n = run->n;
  job->plain = run->o.method == GLA_EIGS_PLAIN;
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

static int poll_stop (void *ctx, int64_t pages)
{
  (void)pages;
  return gla_stop_asked (ctx);
}

static gla_status describe_job (gla_eigs_run *run)
{
  gla_sparse_use use;
  gla_status status = GLA_OK;
  run->job = (gla_krylov_job){.type = run->type,
                              .n = run->n,
                              .apply = apply_scaled,
                              .user = run,
                              .monitor = {poll_stop, run->ctx}};
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
  const gla_eigs_run *run = call;
  return backend->krylov_supports != NULL && backend->krylov_supports (&run->job) &&
         (run->job.matrix == NULL || backend->spmv_supports (run->job.matrix));
}

// As many products as a few restarts have.
static double seconds (gla_engine *engine, const void *call, int64_t pages)
{
  const gla_eigs_run *run = call;
  (void)pages;
  return engine->backend->krylov_seconds (engine, &run->job, 50 + 2 * run->k);
}

static const gla_operation operation = {.supports = supports, .seconds = seconds};

// The GPU to use, or GLA_HOST.
static gla_status choose (gla_eigs_run *run, int *device)
{
  gla_context *ctx = run->ctx;
  int faster = 0, first = GLA_HOST;
  *device = GLA_HOST;
  if (ctx->place == GLA_CPU || ctx->n_gpus == 0)
    return GLA_OK;
  for (int k = ctx->n_devices - 1; k >= 0; k--)
    first = ctx->lost[ctx->devices[k]] ? first : ctx->devices[k];
  choose_sizes (run, 1);
  const int can = supports (ctx->gpu_backend, run);
  if (ctx->place != GLA_AUTO) {
    *device = first;
    if (first == GLA_HOST)
      return gla_fail (ctx, GLA_NO_DEVICE, "device %d failed earlier and is not used again",
                       ctx->devices[0]);
    return can ? GLA_OK : gla_fail (ctx, GLA_BAD_ARGUMENT, "this is not done on a GPU");
  }
  if (first == GLA_HOST || !can)
    return GLA_OK;
  gla_status status = gla_gpu_is_faster (ctx, first, &operation, run, 1, &faster);
  *device = faster ? first : GLA_HOST;
  return status;
}

//------------------------------------------------------------------------------
// run
//------------------------------------------------------------------------------

// Opens the job with as large a basis as there is memory for.
static gla_status open_job (gla_eigs_run *run)
{
  gla_krylov_job *job = &run->job;
  const int64_t least = job->plain ? job->basis : least_basis (run->k, job->block);
  gla_status status = GLA_OK;
  if (run->S != NULL) {
    gla_sparse *S = run->scaled != NULL ? run->scaled : run->S;
    gla_sparse_use use;
    status = gla_sparse_find_use (S, 'N', 0, &use);
    if (status == GLA_OK)
      status = gla_sparse_prepare (S, use.face, run->engine, &job->sparse);
  }
  while (status == GLA_OK) {
    status = run->engine->backend->krylov_begin (run->engine, job);
    if (status != GLA_OUT_OF_MEMORY || job->basis <= least)
      break;
    const int64_t half = whole_blocks (job->basis / 2, job->block);
    job->basis = half > least ? half : least;
    status = GLA_OK;
  }
  return status;
}

// Vectors to where the caller wants them; NaN where one has not converged.
static gla_status take_vectors (gla_eigs_run *run, const gla_array *to)
{
  const size_t size = gla_type_size (run->type);
  gla_status status = GLA_OK;
  for (int64_t i = 0; i < run->k && status == GLA_OK; i++) {
    char *column = (char *)to->data + (size_t)(i * to->column_stride) * size;
    if (run->converged[i]) {
      status = run->engine->backend->krylov_get (run->engine, i, 1, column);
      continue;
    }
    for (int64_t j = 0; j < run->n * run->parts; j++)
      if (gla_type_real (run->type) == GLA_S)
        ((float *)column)[j] = NAN;
      else
        ((double *)column)[j] = NAN;
  }
  return status;
}

static gla_status run_on (gla_eigs_run *run, gla_engine *engine, const gla_eigs_results *results)
{
  const int64_t products = run->report.products;
  run->engine = engine;
  choose_sizes (run, engine->device != GLA_HOST);
  if (run->job.plain && run->o.basis == 0)
    run->o.basis = 2 * run->k + 20 > 64 ? 2 * run->k + 20 : 64;
  gla_status status = open_job (run);
  if (status != GLA_OK)
    return status;
  run->report = (gla_eigs_report){.products = products,
                                  .basis = run->job.basis,
                                  .block = run->job.block,
                                  .device = engine->device};
  status = run->job.plain ? gla_eigs_plain (run) : gla_eigs_restarted (run);
  if (status == GLA_OK && results->vectors.data != NULL)
    status = take_vectors (run, &results->vectors);
  engine->backend->krylov_end (engine);
  return status;
}

// On the GPU where one was chosen; what that cannot do the CPU does.
static gla_status run_somewhere (gla_eigs_run *run, const gla_eigs_results *results)
{
  gla_context *ctx = run->ctx;
  gla_engine *engine;
  int device;
  gla_status status = describe_job (run);
  if (status == GLA_OK)
    status = choose (run, &device);
  if (status != GLA_OK)
    return status;
  if (device != GLA_HOST) {
    status = gla_context_gpu (ctx, device, &engine);
    if (status == GLA_OK)
      status = run_on (run, engine, results);
    if (status != GLA_OUT_OF_MEMORY && status != GLA_DEVICE_FAILURE)
      return status;
    if (status == GLA_DEVICE_FAILURE)
      gla_context_lose (ctx, device);
    gla_warn (ctx, status == GLA_OUT_OF_MEMORY ? "device-memory" : "device-failed",
              "the GPU cannot do it (%s); the CPU does", gla_status_text (status));
    ctx->message[0] = '\0';
  }
  status = gla_context_cpu (ctx, &engine);
  return status == GLA_OK ? run_on (run, engine, results) : status;
}

//------------------------------------------------------------------------------
// gla_eigs
//------------------------------------------------------------------------------

static void resolve_options (gla_eigs_run *run, const gla_eigs_options *options)
{
  const gla_eigs_options defaults = {.method = GLA_EIGS_RESTARTED};
  // rounding errors of products and of the projected matrix leave no smaller residuals
  const double least = 64 * gla_type_eps (run->type);
  run->o = options != NULL ? *options : defaults;
  if (!(run->o.tol < 0) && run->o.tol < least)
    run->o.tol = least;
  if (run->o.maxit == 0)
    run->o.maxit = 300;
}

// v0 with a largest entry of about 1, so that its norm is a number.
static gla_status copy_start (gla_eigs_run *run, void **copy)
{
  if (run->o.v0 == NULL)
    return GLA_OK;
  const size_t bytes = (size_t)run->n * gla_type_size (run->type);
  *copy = malloc (bytes);
  if (*copy == NULL)
    return GLA_OUT_OF_MEMORY;
  memcpy (*copy, run->o.v0, bytes);
  scale (run->type, *copy, run->n,
         exponent_for (run->type, gla_eigs_largest (run->type, run->o.v0, run->n)));
  run->o.v0 = *copy;
  return GLA_OK;
}

static void take_values (const gla_eigs_run *run, const gla_eigs_results *results)
{
  const gla_array *to = &results->values;
  for (int64_t i = 0; i < run->k; i++) {
    const double theta = ldexp (run->theta[i], -run->exponent);
    const double value = !run->converged[i] ? NAN
                         : run->A->inverse  ? run->A->sigma + 1 / theta
                                            : theta;
    if (to->type == GLA_S)
      ((float *)to->data)[i * to->row_stride] = (float)value;
    else
      ((double *)to->data)[i * to->row_stride] = value;
    if (results->residuals != NULL)
      results->residuals[i] = ldexp (run->residuals[i], -run->exponent);
  }
}

static gla_status solve (gla_eigs_run *run, const gla_eigs_results *results)
{
  void *start = NULL;
  gla_status status = GLA_OK;
  run->theta = calloc ((size_t)run->k, sizeof *run->theta);
  run->residuals = calloc ((size_t)run->k, sizeof *run->residuals);
  run->converged = calloc ((size_t)run->k, 1);
  if (run->theta == NULL || run->residuals == NULL || run->converged == NULL)
    status = GLA_OUT_OF_MEMORY;
  if (status == GLA_OK && is_dense (run)) {
    status = gla_eigs_dense (run, results);
  } else if (status == GLA_OK) {
    status = copy_start (run, &start);
    if (status == GLA_OK)
      status = scale_operator (run);
    if (status == GLA_OK)
      status = run_somewhere (run, results);
  }
  if (status == GLA_OK) {
    run->report.norm = ldexp (run->report.norm, -run->exponent);
    take_values (run, results);
  }
  gla_sparse_destroy (run->scaled);
  free (start);
  free (run->theta);
  free (run->residuals);
  free (run->converged);
  return status;
}

gla_status gla_eigs (gla_context *ctx, const gla_operator *A, int64_t k, gla_eigs_which which,
                     const gla_eigs_results *results, const gla_eigs_options *options,
                     gla_eigs_report *report)
{
  if (ctx == NULL)
    return GLA_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (A == NULL || results == NULL)
    return gla_fail (ctx, GLA_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "results");
  gla_status status = check_operator (ctx, A);
  if (status != GLA_OK)
    return status;
  gla_eigs_run run = {.ctx = ctx,
                      .A = A,
                      .S = A->sparse,
                      .type = A->sparse ? A->sparse->faces[0].M.csr.type : A->type,
                      .n = A->sparse ? A->sparse->rows : A->n,
                      .k = k,
                      .which = which,
                      .vectors = results->vectors.data != NULL,
                      .check = results->residuals != NULL,
                      .report.device = GLA_HOST};
  run.parts = 1 + gla_type_is_complex (run.type);
  resolve_options (&run, options);
  status = check (&run, results);
  if (status == GLA_OK)
    status = check_matrix (&run);
  if (status == GLA_OK)
    status = solve (&run, results);
  if (report != NULL)
    *report = run.report;
  if (status == GLA_OK)
    ctx->message[0] = '\0';
  else if (ctx->message[0] == '\0')
    gla_fail (ctx, status, "%s", gla_status_text (status));
  return status;
}
