// eig_costs.c: the calls of batcheig that "auto" measures
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eig_lanes.h"
#include "choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The job of the call, of the sample's size and with the options as they are unless given.
static gla_eig_job job_of (const void *call, const gla_sample *sample)
{
  gla_eig_job job = ((const gla_eig_run *)call)->job;
  job.n = sample->size[0];
  job.triangle = GLA_FULL;
  job.tol = gla_type_eps (job.type);
  job.maxit = 30;
  return job;
}

static int64_t page_bytes (const void *call, const gla_sample *sample)
{
  const gla_eig_job job = job_of (call, sample);
  return job.n * job.n * (int64_t)gla_type_size (job.type);
}

static double seconds (gla_engine *engine, const void *call, const gla_sample *sample,
                       int64_t pages)
{
  const gla_eig_job job = job_of (call, sample);
  return engine->backend->eig_seconds (engine, &job, pages);
}

//------------------------------------------------------------------------------
// which samples
//------------------------------------------------------------------------------

static void fill_sample (gla_sample *sample, const gla_eig_job *job, int64_t n, double weight)
{
  const char *method = job->method == GLA_METHOD_QR       ? "qr"
                       : job->method == GLA_METHOD_JACOBI ? "jacobi"
                                                          : "auto";
  *sample = (gla_sample){.size = {n}, .weight = weight};
  snprintf (sample->key, sizeof sample->key, "%c,%lld,%s,%s", (char)job->type, (long long)n,
            job->vectors ? "vectors" : "values", method);
}

// The measured size that n is, or those on either side, or the last one.
static int list (const void *call, gla_sample *samples)
{
  static const int64_t grid[] = {2, 4, 8, 16, 32, 64, 128, 256};
  const gla_eig_job *job = &((const gla_eig_run *)call)->job;
  const int last = (int)(sizeof grid / sizeof *grid) - 1;
  int k = 0;
  while (k < last && grid[k] < job->n)
    k++;
  if (k == 0 || grid[k] <= job->n) {
    fill_sample (&samples[0], job, grid[k], 1);
    return 1;
  }
  const double upper = log2 ((double)job->n / (double)grid[k - 1]);
  fill_sample (&samples[0], job, grid[k - 1], 1 - upper);
  fill_sample (&samples[1], job, grid[k], upper);
  return 2;
}

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

// Random numbers in (-1, 1), Hermitian.
static void fill_page (const void *what, void *page, uint64_t seed)
{
  const gla_eig_job *job = what;
  const int64_t n = job->n;
  const int parts = gla_type_is_complex (job->type) ? 2 : 1;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      for (int part = 0; part < parts; part++) {
        const double drawn = gla_sample_random (&seed), x = part == 1 && i == j ? 0 : drawn;
        double mirrored = part == 1 ? -x : x;
        int64_t lower = (j * n + i) * parts + part, upper = (i * n + j) * parts + part;
        if (gla_type_real (job->type) == GLA_D) {
          ((double *)page)[upper] = mirrored;
          ((double *)page)[lower] = x;
        } else {
          ((float *)page)[upper] = (float)mirrored;
          ((float *)page)[lower] = (float)x;
        }
      }
}

static gla_status prepare (gla_sample_run *r, int64_t pages)
{
  const gla_eig_job job = job_of (r->call, r->sample);
  return gla_sample_fill (r, pages, (size_t)page_bytes (r->call, r->sample), &job, fill_page);
}

static gla_status make (gla_sample_run *r, int64_t pages)
{
  const gla_eig_job job = job_of (r->call, r->sample);
  const int64_t n = job.n;
  const gla_type real = gla_type_real (job.type);
  const size_t bytes = job.vectors ? (size_t)(pages * page_bytes (r->call, r->sample)) : 0;
  void *lambda = gla_sample_results ((size_t)(pages * n) * gla_type_size (real));
  void *V = job.vectors ? gla_sample_results (bytes) : NULL;
  int32_t *info = malloc ((size_t)pages * sizeof *info);
  gla_status status = GLA_OUT_OF_MEMORY;
  if (lambda != NULL && info != NULL && (V != NULL || !job.vectors)) {
    const gla_array a = gla_array_packed (r->memory, job.type, n, n, pages, GLA_HOST);
    const gla_array l = gla_array_packed (lambda, real, n, 1, pages, GLA_HOST);
    const gla_array v = gla_array_packed (V, job.type, n, n, pages, GLA_HOST);
    const gla_eig_options options = {job.method, GLA_FULL, 0, 0};
    status = gla_batcheig (r->ctx, &a, &l, job.vectors ? &v : NULL, info, &options, NULL);
  }
  free (info);
  free (V);
  free (lambda);
  return status;
}

const gla_sampling gla_eig_sampling = {
    .name = "eig",
    .list = list,
    .seconds = seconds,
    .page_bytes = page_bytes,
    .prepare = prepare,
    .make = make,
};
