// qr_costs.c: the calls of gla_qr that "auto" measures
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "qr_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The job of a sample: R and, where the call makes any orthogonal factor, economy Q. Q'*B and what
// a full Q costs more are left to the formula.
static gla_qr_job job_of (const void *call, const gla_sample *sample)
{
  const gla_qr_job *wanted = &((const gla_qr_run *)call)->job;
  const int64_t m = sample->size[0], n = sample->size[1], k = m < n ? m : n;
  return (gla_qr_job){.type = wanted->type,
                      .m = m,
                      .n = n,
                      .q_columns = wanted->q_columns > 0 || wanted->wy ? k : 0,
                      .r_rows = k,
                      .pivot = wanted->pivot,
                      .monitor = wanted->monitor};
}

static int64_t page_bytes (const void *call, const gla_sample *sample)
{
  const gla_qr_job job = job_of (call, sample);
  return job.m * job.n * (int64_t)gla_type_size (job.type);
}

static double seconds (gla_engine *engine, const void *call, const gla_sample *sample,
                       int64_t pages)
{
  const gla_qr_job job = job_of (call, sample);
  return engine->backend->qr_seconds (engine, &job, pages);
}

//------------------------------------------------------------------------------
// which samples
//------------------------------------------------------------------------------

// Samples have one of these for the smaller of m and n, and for the ratio of the larger to it.
static const int64_t widths[] = {4, 16, 64, 256}, aspects[] = {1, 8, 64, 512};
enum { WIDTHS = 4, ASPECTS = 4 };

// Operations of a sample, at most: some 50 ms of one thread of a CPU.
static const double most_work = 6e8;

// The place of x in an ascending grid, from 0 to count-1, between its numbers as in the logarithm.
static double place_in (const int64_t *grid, int count, double x)
{
  if (x <= (double)grid[0])
    return 0;
  for (int k = 1; k < count; k++)
    if (x <= (double)grid[k])
      return k - 1 + log (x / (double)grid[k - 1]) / log ((double)grid[k] / (double)grid[k - 1]);
  return count - 1;
}

// A sample of the grid, less long where it would take too long.
static void fill_sample (gla_sample *sample, const gla_qr_job *job, int width, int aspect,
                         double weight)
{
  const int64_t k = widths[width];
  const double work = (gla_type_is_complex (job->type) ? 16.0 : 4.0) * (double)(k * k * k);
  while (aspect > 0 && work * (double)aspects[aspect] > most_work)
    aspect--;
  const int64_t longer = k * aspects[aspect];
  *sample = (gla_sample){.weight = weight};
  sample->size[0] = job->m < job->n ? k : longer;
  sample->size[1] = job->m < job->n ? longer : k;
  snprintf (sample->key, sizeof sample->key, "%c,%lldx%lld,%s%s", (char)job->type,
            (long long)sample->size[0], (long long)sample->size[1],
            job->q_columns > 0 || job->wy ? "qr" : "r", job->pivot ? "p" : "");
}

// The corners of the grid's cell that the size is in, those with a weight.
static int list (const void *call, gla_sample *samples)
{
  const gla_qr_job *job = &((const gla_qr_run *)call)->job;
  const double m = (double)job->m, n = (double)job->n, k = fmin (m, n);
  const double at[2] = {place_in (widths, WIDTHS, k), place_in (aspects, ASPECTS, fmax (m, n) / k)};
  int count = 0;
  for (int corner = 0; corner < 4; corner++) {
    double weight = 1;
    int where[2];
    for (int d = 0; d < 2; d++) {
      const int upper = d == 0 ? corner % 2 : corner / 2;
      const double below = floor (at[d]), part = at[d] - below;
      where[d] = (int)below + upper;
      weight *= upper ? part : 1 - part;
    }
    if (weight > 0)
      fill_sample (&samples[count++], job, where[0], where[1], weight);
  }
  return count;
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

// Random numbers in (-1, 1).
static void fill_page (const void *what, void *page, uint64_t seed)
{
  const gla_qr_job *job = what;
  const int64_t numbers = job->m * job->n * (gla_type_is_complex (job->type) ? 2 : 1);
  for (int64_t i = 0; i < numbers; i++) {
    const double x = gla_sample_random (&seed);
    if (gla_type_real (job->type) == GLA_D)
      ((double *)page)[i] = x;
    else
      ((float *)page)[i] = (float)x;
  }
}

static gla_status prepare (gla_sample_run *r, int64_t pages)
{
  const gla_qr_job job = job_of (r->call, r->sample);
  return gla_sample_fill (r, pages, (size_t)page_bytes (r->call, r->sample), &job, fill_page);
}

static gla_status make (gla_sample_run *r, int64_t pages)
{
  const gla_qr_job job = job_of (r->call, r->sample);
  const size_t el = gla_type_size (job.type);
  void *R = gla_sample_results ((size_t)(pages * job.r_rows * job.n) * el);
  void *Q =
      job.q_columns > 0 ? gla_sample_results ((size_t)(pages * job.m * job.q_columns) * el) : NULL;
  int64_t *jpvt = malloc ((size_t)(pages * job.n) * sizeof *jpvt);
  gla_status status = GLA_OUT_OF_MEMORY;
  if (R != NULL && jpvt != NULL && (Q != NULL || job.q_columns == 0)) {
    const gla_array A = gla_array_packed (r->memory, job.type, job.m, job.n, pages, GLA_HOST);
    const gla_qr_results results = {
        .Q = gla_array_packed (Q, job.type, job.m, job.q_columns, pages, GLA_HOST),
        .R = gla_array_packed (R, job.type, job.r_rows, job.n, pages, GLA_HOST),
        .jpvt = jpvt};
    const gla_qr_options options = {job.pivot, 0};
    status = gla_qr (r->ctx, &A, NULL, &results, &options, NULL);
  }
  free (jpvt);
  free (Q);
  free (R);
  return status;
}

const gla_sampling gla_qr_sampling = {
    .name = "qr",
    .list = list,
    .seconds = seconds,
    .page_bytes = page_bytes,
    .prepare = prepare,
    .make = make,
};
