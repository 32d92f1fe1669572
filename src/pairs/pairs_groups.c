// pairs_groups.c: a group of Hermitian-definite pairs, step by step
// SPDX-License-Identifier: GPL-3.0-or-later
//
// B is factored, A is reduced to a standard problem, gla_batcheig solves that, and its eigenvectors
// are transformed back in place. Groups are so small that data between the steps stays in the
// cache.

#include "arrays.h"
#include "batch/host_page.h"
#include "eig/eig_options.h"
#include "pairs_run.h"
#include "pairs_steps.h"
#include "threads/pool.h"

#include <math.h>
#include <stdlib.h>

// Bytes of the pages of a group, of A, B, L, C and V together: on the CPU they should stay in the
// cache, and a GPU wants many.
static const double GROUP_BYTES_CPU = 6e6, GROUP_BYTES_GPU = 2e8;

// Up to this order backends of the CPU may have one page per lane.
enum { LANES_LIKELY = 256 };

//------------------------------------------------------------------------------
// groups
//------------------------------------------------------------------------------

int gla_pairs_share_b (const gla_pairs_run *p)
{
  return p->B.pages == 1 && p->pages > 1;
}

gla_array gla_pairs_pages (const gla_array *a, int64_t first, int64_t count)
{
  gla_array some = gla_array_pages (a, a->pages == 1 ? 0 : first, count);
  if (a->pages == 1)
    some.page_stride = 0;
  return some;
}

// Returns the pages that keep all threads busy: so many for each that they fill its registers, if
// pages are in lanes.
static int64_t unit_of (const gla_pairs_run *p)
{
  const int64_t lanes = 64 / (int64_t)gla_type_size (gla_type_real (p->A.type));
  return (int64_t)gla_pool_threads () * (p->n <= LANES_LIKELY ? 2 * lanes : 1);
}

// Returns groups of nearly equal size.
int64_t gla_pairs_group (const gla_pairs_run *p)
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

static int wants_vectors (const gla_pairs_run *p)
{
  return p->r.V.data != NULL && p->columns > 0;
}

gla_status gla_pairs_take_memory (gla_pairs_run *p)
{
  const size_t group = (size_t)p->group;
  p->L = gla_take_pages (p->A.type, p->n, p->n, gla_pairs_share_b (p) ? 1 : p->group);
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

void gla_pairs_free_memory (gla_pairs_run *p)
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

static gla_pencil_chunk chunk_of (const gla_pairs_run *p, int64_t first, int64_t count)
{
  const gla_array none = {.type = p->A.type, .device = GLA_DEVICE_HOST};
  return (gla_pencil_chunk){.L = gla_pairs_pages (&p->L, 0, count),
                            .A = none,
                            .B = none,
                            .C = none,
                            .X = none,
                            .info = p->info + first,
                            .exponents = p->exponents,
                            .skew_a = p->skew_a,
                            .skew_b = p->skew_b};
}

// Returns the place of all eigenvalues of a group, and of all eigenvectors.
static gla_array all_values (const gla_pairs_run *p, int64_t first, int64_t count)
{
  return p->count != NULL ? gla_array_pages (&p->lambda, 0, count)
                          : gla_array_pages (&p->r.lambda, first, count);
}

static gla_array all_vectors (const gla_pairs_run *p, int64_t first, int64_t count)
{
  return p->count != NULL ? gla_array_pages (&p->V, 0, count)
                          : gla_array_pages (&p->r.V, first, count);
}

static gla_pencil_job job_of (const gla_pairs_run *p)
{
  return (gla_pencil_job){.n = p->n,
                          .product = p->o.itype > 1,
                          .times = p->o.itype == 3,
                          .triangle = p->o.triangle,
                          .phase = p->o.phase == GLA_EIG_PHASE_MAX};
}

gla_status gla_pairs_not_hermitian (gla_pairs_run *p, char name, int64_t page, double difference)
{
  const int is_b = name == 'B', swap = p->o.way == GLA_PAIRS_SWAP;
  p->report.bad_matrix = is_b != swap ? 'B' : 'A';
  p->report.bad_page = (is_b ? p->B.pages : p->A.pages) == 1 ? 0 : page;
  p->report.bad_difference = difference;
  return gla_fail (p->ctx, GLA_ERROR_NOT_HERMITIAN,
                   "page %lld of %c is not Hermitian: the largest |%c - %c'| is %g",
                   (long long)p->report.bad_page, p->report.bad_matrix, p->report.bad_matrix,
                   p->report.bad_matrix, p->report.bad_difference);
}

// Ends the call if a page is not Hermitian. info is that of the pages.
static gla_status look_for_skew (gla_pairs_run *p, const int32_t *info, int64_t first,
                                 int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    if (info[k] == GLA_INFO_NOT_HERMITIAN) {
      const int is_b = p->skew_b[k] != 0;
      return gla_pairs_not_hermitian (p, is_b ? 'B' : 'A', first + k,
                                      is_b ? p->skew_b[k] : p->skew_a[k]);
    }
  return GLA_OK;
}

// One B for all pages.
gla_status gla_pairs_factor_once (gla_pairs_run *p)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, 0, 1);
  job.factor = 1;
  c.info = &p->shared_info;
  c.B = gla_pairs_pages (&p->B, 0, 1);
  const gla_status status = gla_pencil_steps (p->ctx, &job, &c);
  return status == GLA_OK ? look_for_skew (p, &p->shared_info, 0, 1) : status;
}

static gla_status reduce (gla_pairs_run *p, int64_t first, int64_t count)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, first, count);
  job.factor = !gla_pairs_share_b (p);
  job.reduce = 1;
  for (int64_t k = 0; k < count && !job.factor; k++)
    c.info[k] = p->shared_info;
  c.A = gla_pairs_pages (&p->A, first, count);
  if (job.factor)
    c.B = gla_pairs_pages (&p->B, first, count);
  c.C = gla_array_pages (&p->C, 0, count);
  const gla_status status = gla_pencil_steps (p->ctx, &job, &c);
  return status == GLA_OK ? look_for_skew (p, c.info, first, count) : status;
}

static gla_status transform_back (gla_pairs_run *p, int64_t first, int64_t count)
{
  gla_pencil_job job = job_of (p);
  gla_pencil_chunk c = chunk_of (p, first, count);
  if (!wants_vectors (p))
    return GLA_OK;
  job.back = 1;
  c.X = all_vectors (p, first, count);
  return gla_pencil_steps (p->ctx, &job, &c);
}

// Scales eigenvalues of scaled pages back.
static void scale_values (const gla_pairs_run *p, int64_t first, int64_t count)
{
  const gla_array lambda = all_values (p, first, count);
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; p->exponents[k] != 0 && i < p->n; i++) {
      const int64_t at = k * lambda.page_stride + i * lambda.row_stride;
      gla_put_number (&lambda, at, ldexp (gla_get_number (&lambda, at), p->exponents[k]));
    }
}

static void swap_back (const gla_pairs_run *p, int64_t first, int64_t count)
{
  const gla_array lambda = all_values (p, first, count);
  const gla_array V = wants_vectors (p) ? all_vectors (p, first, count) : (gla_array){0};
  gla_pairs_swap (&lambda, &V, p->exponents, p->r.rank != NULL ? p->r.rank + first : NULL);
}

// Takes the wanted part of a group's results, if not all are wanted.
static void take_part (const gla_pairs_run *p, int64_t first, int64_t count)
{
  const gla_eig_options common = gla_common_options (&p->o);
  const gla_array lambda = gla_array_pages (&p->r.lambda, first, count);
  const gla_array V = gla_array_pages (&p->r.V, first, count);
  for (int64_t k = 0; p->count != NULL && k < count; k++)
    p->count[first + k] = gla_take_part (&common, &p->lambda, &p->V, &lambda, &V, k);
}

//------------------------------------------------------------------------------
// the standard problem
//------------------------------------------------------------------------------

void gla_pairs_note_report (gla_pairs_run *p, const gla_eig_report *eig)
{
  if (p->report.base.device == GLA_DEVICE_HOST)
    p->report.base.device = eig->base.device;
  if (eig->base.chunk_pages > p->report.base.chunk_pages)
    p->report.base.chunk_pages = eig->base.chunk_pages;
}

void gla_pairs_note_info (gla_pairs_run *p, int64_t page, int32_t info)
{
  p->info[page] = info;
  if (info != 0 && p->report.base.pages_failed++ == 0)
    p->report.base.first_failed = page;
}

static gla_status eigenvalues (gla_pairs_run *p, int64_t first, int64_t count)
{
  const gla_array C = gla_array_pages (&p->C, 0, count);
  const gla_eig_results results = {.size = sizeof results,
                                   .lambda = all_values (p, first, count),
                                   .V = all_vectors (p, first, count),
                                   .info = p->eig_info};
  gla_eig_options options = gla_common_options (&p->o);
  options.triangle = GLA_TRIANGLE_LOWER;
  options.range = GLA_EIG_ALL;
  options.phase = GLA_EIG_PHASE_NONE;
  gla_eig_report eig = {.base.size = sizeof eig};
  gla_group_enter (p->ctx, &p->groups, first);
  const gla_status status = gla_batcheig (p->ctx, &C, &results, &options, &eig);
  gla_group_leave (p->ctx, &p->groups);
  if (status != GLA_OK)
    return status;
  gla_pairs_note_report (p, &eig);
  for (int64_t k = 0; k < count; k++) {
    // A and B are finite, so if C is not, the inverse of B is too large
    const int32_t n = (int32_t)p->n, found = p->eig_info[k] == n + 1 ? 2 * n + 1 : p->eig_info[k];
    gla_pairs_note_info (p, first + k, p->info[first + k] == 0 ? found : p->info[first + k]);
  }
  return GLA_OK;
}

gla_status gla_pairs_do_group (gla_pairs_run *p, int64_t first, int64_t count)
{
  gla_status status = reduce (p, first, count);
  if (status == GLA_OK)
    status = eigenvalues (p, first, count);
  if (status != GLA_OK)
    return status;
  if (p->o.way != GLA_PAIRS_SWAP)
    scale_values (p, first, count);
  status = transform_back (p, first, count);
  if (status != GLA_OK)
    return status;
  if (p->o.way == GLA_PAIRS_SWAP)
    swap_back (p, first, count);
  take_part (p, first, count);
  return GLA_OK;
}
