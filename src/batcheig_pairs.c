// batcheig_pairs.c: eigenvalues and eigenvectors of many Hermitian-definite pairs
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pages are done in groups, so that what passes between the steps stays in the cache: B is
// factored, A is reduced to a standard problem, gla_batcheig solves that, and its eigenvectors are
// transformed back where they are.

#include "arrays.h"
#include "batch/finish_pages.h"
#include "common/pool.h"
#include "eig_range.h"
#include "pencil_steps.h"
#include "structs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of the pages of a group, of A, B, L, C and V together: on the CPU they should stay in the
// cache, and a GPU wants many.
static const double GROUP_BYTES_CPU = 6e6, GROUP_BYTES_GPU = 2e8;

// Up to this order backends of the CPU may have one page per lane.
enum { LANES_LIKELY = 256 };

typedef struct {
  gla_context *ctx;
  gla_array A, B;
  gla_eig_pairs_results r;
  gla_eig_pairs_options o;
  int64_t n, pages, group;
  int64_t columns; // of V, and rows of lambda
  int32_t *info;   // of all pages
  int64_t *count;  // of all pages; NULL where all eigenvalues are wanted
  gla_array L, C;  // of a group; L of one page where B is shared
  // Of a group, where a part of the spectrum is wanted: all eigenvalues and eigenvectors.
  gla_array lambda, V;
  int32_t *eig_info; // of a group
  int32_t *exponents;
  double *skew_a, *skew_b;
  gla_callbacks callbacks; // of the caller
  int64_t first;           // page of the group at work
  char warned[2][24];      // ids of warnings that were given
  gla_eig_pairs_report report;
} pairs_run;

//------------------------------------------------------------------------------
// check inputs
//------------------------------------------------------------------------------

static gla_status check_options (gla_context *ctx, const gla_eig_pairs_options *o)
{
  if (o->method != GLA_EIG_METHOD_AUTO && o->method != GLA_EIG_METHOD_QR &&
      o->method != GLA_EIG_METHOD_JACOBI)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "method = %d is not a gla_eig_method",
                     (int)o->method);
  if (o->triangle != GLA_TRIANGLE_FULL && o->triangle != GLA_TRIANGLE_LOWER &&
      o->triangle != GLA_TRIANGLE_UPPER)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "triangle = %d is not a gla_triangle",
                     (int)o->triangle);
  if (!(o->tol >= 0 && o->tol < 1))
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "tol = %g must be at least 0 and less than 1",
                     o->tol);
  if (o->maxit < 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "maxit = %d must not be negative", o->maxit);
  if (o->itype < 0 || o->itype > 3)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "itype = %d must be 1, 2 or 3", o->itype);
  return GLA_OK;
}

static gla_status check_input (gla_context *ctx, const char *name, const gla_array *a,
                               const gla_array *lambda)
{
  const gla_status status = gla_check_input (ctx, name, a);
  if (status != GLA_OK)
    return status;
  if (a->rows != a->columns)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is %lldx%lldx%lld, its pages must be square",
                     name, (long long)a->rows, (long long)a->columns, (long long)a->pages);
  if (a->pages != lambda->pages && a->pages != 1)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s has %lld pages, it must have 1 or %lld", name,
                     (long long)a->pages, (long long)lambda->pages);
  if (a->device != GLA_DEVICE_HOST)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s is in place %d, it must be on the host", name,
                     a->device);
  return GLA_OK;
}

static gla_status check_results (gla_context *ctx, const gla_array *A, const gla_array *B,
                                 const gla_eig_pairs_results *r, int64_t columns)
{
  const int64_t n = A->rows, pages = r->lambda.pages;
  const gla_type real_type = gla_type_real (A->type);
  gla_status status = gla_check_array (ctx, "lambda", &r->lambda, real_type, columns, 1, pages);
  if (status == GLA_OK)
    status = gla_check_place (ctx, "lambda", &r->lambda, "A", A);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_array (ctx, "V", &r->V, A->type, n, columns, pages);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_rows (ctx, "V", &r->V);
  if (status == GLA_OK && r->V.data != NULL)
    status = gla_check_place (ctx, "V", &r->V, "A", A);
  if (status == GLA_OK && r->rcond.data != NULL)
    status = gla_check_array (ctx, "rcond", &r->rcond, real_type, 1, 1, pages);
  if (status == GLA_OK && r->rcond.data != NULL)
    status = gla_check_place (ctx, "rcond", &r->rcond, "A", A);
  const gla_named_array arrays[] = {
      {"A", A}, {"B", B}, {"lambda", &r->lambda}, {"V", &r->V}, {"rcond", &r->rcond}};
  return status == GLA_OK ? gla_check_apart (ctx, arrays, 2, 5) : status;
}

static gla_eig_wanted wanted_of (const gla_eig_pairs_options *o)
{
  return (gla_eig_wanted){.range = o->range, .il = o->il, .iu = o->iu, .vl = o->vl, .vu = o->vu};
}

static gla_status check (gla_context *ctx, const gla_array *A, const gla_array *B,
                         const gla_eig_pairs_results *r, const gla_eig_pairs_options *o,
                         int64_t *columns)
{
  if (A == NULL || B == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", A == NULL ? "A" : "B");
  gla_status status = check_input (ctx, "A", A, &r->lambda);
  if (status == GLA_OK)
    status = check_input (ctx, "B", B, &r->lambda);
  if (status != GLA_OK)
    return status;
  if (A->type != B->type)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B has type '%c', it must be '%c' as A",
                     (char)B->type, (char)A->type);
  if (A->rows != B->rows)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "B has %lld rows, and A has %lld",
                     (long long)B->rows, (long long)A->rows);
  const gla_eig_wanted wanted = wanted_of (o);
  status = gla_check_wanted (ctx, &wanted, A->rows, &r->lambda, columns);
  if (status == GLA_OK)
    status = check_results (ctx, A, B, r, *columns);
  return status == GLA_OK ? check_options (ctx, o) : status;
}

//------------------------------------------------------------------------------
// groups
//------------------------------------------------------------------------------

static int shared_b (const pairs_run *p)
{
  return p->B.pages == 1 && p->pages > 1;
}

// `count` pages of an array that may have one page for all.
static gla_array pages_of (const gla_array *a, int64_t first, int64_t count)
{
  gla_array some = gla_array_pages (a, a->pages == 1 ? 0 : first, count);
  if (a->pages == 1)
    some.page_stride = 0;
  return some;
}

// Pages that keep all threads busy: so many for each that they fill its registers, where pages
// stand in lanes.
static int64_t unit_of (const pairs_run *p)
{
  const int64_t lanes = 64 / (int64_t)gla_type_size (gla_type_real (p->A.type));
  return (int64_t)gla_pool_threads () * (p->n <= LANES_LIKELY ? 2 * lanes : 1);
}

// Groups of nearly equal size.
static int64_t group_of (const pairs_run *p)
{
  const gla_context *ctx = p->ctx;
  const int cpu =
      ctx->place == GLA_PLACE_CPU || ctx->gpu_backend == NULL || (ctx->counted && ctx->n_gpus == 0);
  const double page = 5.0 * (double)p->n * (double)p->n * (double)gla_type_size (p->A.type);
  const double fitting = (cpu ? GROUP_BYTES_CPU : GROUP_BYTES_GPU) / page;
  const int64_t unit = unit_of (p);
  const int64_t most = fitting > (double)unit ? (int64_t)fitting : unit;
  if (most >= p->pages)
    return p->pages;
  const int64_t groups = (p->pages + most - 1) / most, equal = (p->pages + groups - 1) / groups;
  return (equal + unit - 1) / unit * unit;
}

static int wants_vectors (const pairs_run *p)
{
  return p->r.V.data != NULL && p->columns > 0;
}

static gla_status take_memory (pairs_run *p)
{
  const size_t group = (size_t)p->group;
  p->L = gla_take_pages (p->A.type, p->n, p->n, shared_b (p) ? 1 : p->group);
  p->C = gla_take_pages (p->A.type, p->n, p->n, p->group);
  p->eig_info = malloc (group * sizeof *p->eig_info);
  p->exponents = calloc (group, sizeof *p->exponents);
  p->skew_a = calloc (group, sizeof *p->skew_a);
  p->skew_b = calloc (group, sizeof *p->skew_b);
  int all = p->L.data && p->C.data && p->eig_info && p->exponents && p->skew_a && p->skew_b;
  if (p->count != NULL) {
    p->lambda = gla_take_pages (gla_type_real (p->A.type), p->n, 1, p->group);
    all = all && p->lambda.data;
  }
  if (p->count != NULL && wants_vectors (p)) {
    p->V = gla_take_pages (p->A.type, p->n, p->n, p->group);
    all = all && p->V.data;
  }
  return all ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
}

static void free_memory (pairs_run *p)
{
  free (p->L.data);
  free (p->C.data);
  free (p->lambda.data);
  free (p->V.data);
  free (p->eig_info);
  free (p->exponents);
  free (p->skew_a);
  free (p->skew_b);
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

static gla_pencil_chunk chunk_of (const pairs_run *p, int64_t first, int64_t count)
{
  const gla_array none = {.type = p->A.type, .device = GLA_DEVICE_HOST};
  return (gla_pencil_chunk){.L = pages_of (&p->L, 0, count),
                            .A = none,
                            .B = none,
                            .C = none,
                            .X = none,
                            .info = p->info + first,
                            .exponents = p->exponents,
                            .skew_a = p->skew_a,
                            .skew_b = p->skew_b};
}

// Where all eigenvalues of a group are found, and all eigenvectors.
static gla_array all_values (const pairs_run *p, int64_t first, int64_t count)
{
  return p->count != NULL ? gla_array_pages (&p->lambda, 0, count)
                          : gla_array_pages (&p->r.lambda, first, count);
}

static gla_array all_vectors (const pairs_run *p, int64_t first, int64_t count)
{
  return p->count != NULL ? gla_array_pages (&p->V, 0, count)
                          : gla_array_pages (&p->r.V, first, count);
}

static gla_pencil_job job_of (const pairs_run *p)
{
  return (gla_pencil_job){
      .n = p->n, .product = p->o.itype > 1, .times = p->o.itype == 3, .triangle = p->o.triangle};
}

// Ends the call where a page is not Hermitian.
static gla_status look_for_skew (pairs_run *p, int64_t first, int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    if (p->info[first + k] == GLA_INFO_NOT_HERMITIAN) {
      const int is_b = p->skew_b[k] != 0;
      p->report.bad_matrix = is_b ? 'B' : 'A';
      p->report.bad_page = (is_b ? p->B.pages : p->A.pages) == 1 ? 0 : first + k;
      p->report.bad_difference = is_b ? p->skew_b[k] : p->skew_a[k];
      return gla_fail (p->ctx, GLA_ERROR_NOT_HERMITIAN,
                       "page %lld of %c is not Hermitian: the largest |%c - %c'| is %g",
                       (long long)p->report.bad_page, p->report.bad_matrix, p->report.bad_matrix,
                       p->report.bad_matrix, p->report.bad_difference);
    }
  return GLA_OK;
}

// One B for all pages.
static gla_status factor_once (pairs_run *p)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, 0, 1);
  job.factor = 1;
  c.B = pages_of (&p->B, 0, 1);
  gla_status status = gla_pencil_steps (p->ctx, &job, &c);
  if (status == GLA_OK)
    status = look_for_skew (p, 0, 1);
  for (int64_t k = 1; k < p->pages; k++)
    p->info[k] = p->info[0];
  return status;
}

static gla_status reduce (pairs_run *p, int64_t first, int64_t count)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, first, count);
  job.factor = !shared_b (p);
  job.reduce = 1;
  c.A = pages_of (&p->A, first, count);
  if (job.factor)
    c.B = pages_of (&p->B, first, count);
  c.C = gla_array_pages (&p->C, 0, count);
  const gla_status status = gla_pencil_steps (p->ctx, &job, &c);
  return status == GLA_OK ? look_for_skew (p, first, count) : status;
}

static gla_status transform_back (pairs_run *p, int64_t first, int64_t count)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, first, count);
  if (!wants_vectors (p))
    return GLA_OK;
  job.back = 1;
  c.X = all_vectors (p, first, count);
  return gla_pencil_steps (p->ctx, &job, &c);
}

// Eigenvalues of scaled pages.
static void scale_values (const pairs_run *p, int64_t first, int64_t count)
{
  const gla_array lambda = all_values (p, first, count);
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; p->exponents[k] != 0 && i < p->n; i++) {
      const int64_t at = k * lambda.page_stride + i * lambda.row_stride;
      if (lambda.type == GLA_TYPE_S)
        ((float *)lambda.data)[at] = ldexpf (((float *)lambda.data)[at], p->exponents[k]);
      else
        ((double *)lambda.data)[at] = ldexp (((double *)lambda.data)[at], p->exponents[k]);
    }
}

// The wanted part of a group's results, where not all are wanted.
static void take_part (const pairs_run *p, int64_t first, int64_t count)
{
  const gla_eig_wanted wanted = wanted_of (&p->o);
  const gla_array lambda = gla_array_pages (&p->r.lambda, first, count);
  const gla_array V = gla_array_pages (&p->r.V, first, count);
  for (int64_t k = 0; p->count != NULL && k < count; k++)
    p->count[first + k] = gla_take_part (&wanted, &p->lambda, &p->V, &lambda, &V, k);
}

//------------------------------------------------------------------------------
// the standard problem
//------------------------------------------------------------------------------

// The progress of a group is that of the call.
static void report_group (void *user, int64_t done, int64_t total)
{
  const pairs_run *p = user;
  (void)total;
  p->callbacks.progress (p->callbacks.progress_user, p->first + done, p->pages);
}

// Every id once, though each group is a call.
static void warn_once (void *user, const char *id, const char *text)
{
  pairs_run *p = user;
  for (int k = 0; k < 2; k++) {
    if (strcmp (p->warned[k], id) == 0)
      return;
    if (p->warned[k][0] == '\0') {
      strncpy (p->warned[k], id, sizeof p->warned[k] - 1);
      break;
    }
  }
  p->callbacks.warning (p->callbacks.warning_user, id, text);
}

static gla_status eigenvalues (pairs_run *p, int64_t first, int64_t count)
{
  const gla_array C = gla_array_pages (&p->C, 0, count);
  const gla_eig_results results = {.size = sizeof results,
                                   .lambda = all_values (p, first, count),
                                   .V = all_vectors (p, first, count),
                                   .info = p->eig_info};
  const gla_eig_options options = {.size = sizeof options,
                                   .method = p->o.method,
                                   .triangle = GLA_TRIANGLE_LOWER,
                                   .tol = p->o.tol,
                                   .maxit = p->o.maxit};
  gla_eig_report eig = {.base.size = sizeof eig};
  p->first = first;
  if (p->callbacks.progress != NULL)
    gla_set_progress (p->ctx, report_group, p);
  if (p->callbacks.warning != NULL)
    gla_set_warning (p->ctx, warn_once, p);
  const gla_status status = gla_batcheig (p->ctx, &C, &results, &options, &eig);
  p->ctx->callbacks = p->callbacks;
  if (status != GLA_OK)
    return status;
  if (p->report.base.device == GLA_DEVICE_HOST)
    p->report.base.device = eig.base.device;
  if (eig.base.chunk_pages > p->report.base.chunk_pages)
    p->report.base.chunk_pages = eig.base.chunk_pages;
  for (int64_t k = 0; k < count; k++) {
    int32_t *info = p->info + first + k;
    *info = *info == 0 ? p->eig_info[k] : *info;
    if (*info != 0 && p->report.base.pages_failed++ == 0)
      p->report.base.first_failed = first + k;
  }
  return GLA_OK;
}

static gla_status do_group (pairs_run *p, int64_t first, int64_t count)
{
  gla_status status = reduce (p, first, count);
  if (status == GLA_OK)
    status = eigenvalues (p, first, count);
  if (status != GLA_OK)
    return status;
  scale_values (p, first, count);
  status = transform_back (p, first, count);
  if (status == GLA_OK)
    take_part (p, first, count);
  return status;
}

//------------------------------------------------------------------------------
// condition numbers
//------------------------------------------------------------------------------

static void put_real (const gla_array *a, int64_t page, double x)
{
  if (a->type == GLA_TYPE_S)
    ((float *)a->data)[page * a->page_stride] = (float)x;
  else
    ((double *)a->data)[page * a->page_stride] = x;
}

static double get_real (const gla_array *a, int64_t page)
{
  return a->type == GLA_TYPE_S ? (double)((float *)a->data)[page * a->page_stride]
                               : ((double *)a->data)[page * a->page_stride];
}

// In groups, because copies of B may be made.
static gla_status condition_numbers (const pairs_run *p)
{
  const gla_array *rcond = &p->r.rcond;
  const int64_t pages = p->B.pages == 1 && p->pages > 0 ? 1 : p->pages;
  gla_status status = GLA_OK;
  if (rcond->data == NULL)
    return GLA_OK;
  for (int64_t first = 0; first < pages && status == GLA_OK; first += p->group) {
    const int64_t count = pages - first < p->group ? pages - first : p->group;
    const gla_array B = gla_array_pages (&p->B, first, count);
    const gla_array part = gla_array_pages (rcond, first, count);
    status = gla_pencil_rcond (p->ctx, &B, p->o.triangle, &part);
  }
  for (int64_t k = pages; k < p->pages && status == GLA_OK; k++)
    put_real (rcond, k, get_real (rcond, 0));
  return status;
}

//------------------------------------------------------------------------------
// gla_batcheig_pairs
//------------------------------------------------------------------------------

static void count_all (const pairs_run *p)
{
  for (int64_t k = 0; k < p->pages; k++)
    p->r.count[k] = p->info[k] == 0 ? p->n : 0;
}

static gla_status work (pairs_run *p)
{
  if (p->pages == 0)
    return GLA_OK;
  if (p->count != NULL)
    memset (p->count, 0, (size_t)p->pages * sizeof *p->count);
  if (p->n == 0) {
    memset (p->info, 0, (size_t)p->pages * sizeof *p->info);
    for (int64_t k = 0; p->r.rcond.data != NULL && k < p->pages; k++)
      put_real (&p->r.rcond, k, INFINITY);
    return GLA_OK;
  }
  p->group = group_of (p);
  gla_status status = take_memory (p);
  if (status == GLA_OK && shared_b (p))
    status = factor_once (p);
  for (int64_t first = 0; first < p->pages && status == GLA_OK; first += p->group) {
    const int64_t rest = p->pages - first;
    status = do_group (p, first, rest < p->group ? rest : p->group);
  }
  if (status == GLA_OK)
    status = condition_numbers (p);
  free_memory (p);
  return status;
}

gla_status gla_batcheig_pairs (gla_context *ctx, const gla_array *A, const gla_array *B,
                               const gla_eig_pairs_results *results,
                               const gla_eig_pairs_options *options, gla_eig_pairs_report *report)
{
  pairs_run p = {.ctx = ctx, .report = {.bad_page = -1}};
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';

  // check inputs
  if (!gla_take_struct (ctx, "results", results, &p.r, sizeof p.r) ||
      !gla_take_options (ctx, "options", options, &p.o, sizeof p.o) ||
      !gla_check_report (ctx, "report", report))
    return GLA_ERROR_BAD_ARGUMENT;
  gla_status status = check (ctx, A, B, &p.r, &p.o, &p.columns);
  if (status != GLA_OK)
    return status;

  // allocate
  const int64_t pages = p.r.lambda.pages;
  const int part = p.o.range != GLA_EIG_ALL;
  int32_t *own_info = p.r.info == NULL ? malloc ((size_t)(pages + 1) * sizeof *own_info) : NULL;
  int64_t *own_count =
      part && p.r.count == NULL ? malloc ((size_t)(pages + 1) * sizeof *own_count) : NULL;
  p.info = own_info != NULL ? own_info : p.r.info;
  p.count = !part ? NULL : own_count != NULL ? own_count : p.r.count;
  if (p.info == NULL || (part && p.count == NULL)) {
    free (own_info);
    free (own_count);
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "no memory for %lld status words",
                     (long long)pages);
  }

  // work
  p.A = *A;
  p.B = *B;
  p.n = A->rows;
  p.pages = pages;
  p.callbacks = ctx->callbacks;
  p.report.base = (gla_report){.device = GLA_DEVICE_HOST, .first_failed = -1};
  status = work (&p);
  if (!part && p.r.count != NULL)
    count_all (&p);
  p.report.most = gla_largest_count (part ? p.count : p.r.count, pages);
  gla_give_struct (report, &p.report, sizeof p.report);
  free (own_info);
  free (own_count);
  return gla_end_call (ctx, status);
}
