// norm.c: norms of pages on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/engine.h"

#include <complex.h>
#include <math.h>
#include <string.h>

//------------------------------------------------------------------------------
// one page
//------------------------------------------------------------------------------

// The magnitudes of a column. Those of single numbers are exact in double but for one rounding.
static void load (gla_type type, const void *column, int64_t rows, double *to)
{
  switch (type) {
  case GLA_TYPE_S:
    for (int64_t i = 0; i < rows; i++)
      to[i] = fabs ((double)((const float *)column)[i]);
    break;
  case GLA_TYPE_D:
    for (int64_t i = 0; i < rows; i++)
      to[i] = fabs (((const double *)column)[i]);
    break;
  case GLA_TYPE_C:
    for (int64_t i = 0; i < rows; i++)
      to[i] = cabs ((double complex) ((const float complex *)column)[i]);
    break;
  case GLA_TYPE_Z:
    for (int64_t i = 0; i < rows; i++)
      to[i] = cabs (((const double complex *)column)[i]);
    break;
  }
}

// NaN wins.
static double larger (double a, double b)
{
  return b > a || isnan (b) ? b : a;
}

static double sum (const double *x, int64_t count)
{
  double s = 0;
  for (int64_t i = 0; i < count; i++)
    s += x[i];
  return s;
}

static double largest (const double *x, int64_t count)
{
  double most = 0;
  for (int64_t i = 0; i < count; i++)
    most = larger (most, x[i]);
  return most;
}

static const char *column_at (const gla_array *A, int64_t page, int64_t j)
{
  return (const char *)A->data +
         (size_t)(page * A->page_stride + j * A->column_stride) * gla_type_size (A->type);
}

static double norm_one (const gla_array *A, int64_t page, double *column)
{
  double most = 0;
  for (int64_t j = 0; j < A->columns; j++) {
    load (A->type, column_at (A, page, j), A->rows, column);
    most = larger (most, sum (column, A->rows));
  }
  return most;
}

static double norm_inf (const gla_array *A, int64_t page, double *column, double *rows)
{
  memset (rows, 0, (size_t)A->rows * sizeof *rows);
  for (int64_t j = 0; j < A->columns; j++) {
    load (A->type, column_at (A, page, j), A->rows, column);
    for (int64_t i = 0; i < A->rows; i++)
      rows[i] += column[i];
  }
  return largest (rows, A->rows);
}

// Scaled by a power of 2, so that no square overflows or vanishes.
static double norm_frobenius (const gla_array *A, int64_t page, double *column)
{
  double most = 0, squares = 0;
  for (int64_t j = 0; j < A->columns; j++) {
    load (A->type, column_at (A, page, j), A->rows, column);
    most = larger (most, largest (column, A->rows));
  }
  if (most == 0 || !isfinite (most))
    return most;
  const int exponent = ilogb (most) > -1000 ? ilogb (most) : -1000;
  const double down = ldexp (1, -exponent);
  for (int64_t j = 0; j < A->columns; j++) {
    load (A->type, column_at (A, page, j), A->rows, column);
    for (int64_t i = 0; i < A->rows; i++)
      squares += column[i] * down * (column[i] * down);
  }
  return ldexp (sqrt (squares), exponent);
}

//------------------------------------------------------------------------------
// the row of the operation
//------------------------------------------------------------------------------

// Seconds of one thread for a page, as it comes from memory.
static double page_seconds (const gla_pagenorm_job *job)
{
  return 5e-8 + (double)job->m * (double)job->n * (double)gla_type_size (job->head.type) / 4e9;
}

static int supports (const gla_job *job)
{
  return !job->device_arrays;
}

static double seconds (gla_engine *engine, const gla_job *head, int64_t pages)
{
  const double alone = page_seconds ((const gla_pagenorm_job *)head) * (double)pages;
  return 2e-5 + alone / gla_cpu_threads_for ((const gla_cpu_engine *)engine, pages, alone);
}

static gla_status begin (gla_engine *engine, const gla_job *head, int64_t pages)
{
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const gla_pagenorm_job *job = (const gla_pagenorm_job *)head;
  const double page = page_seconds (job), together = 2e-5 / page;
  gla_cpu_batch *b = &e->batch;
  e->pagenorm_job = *job;
  b->group = together > 1 ? (int)together : 1;
  b->threads = gla_cpu_threads_for (e, (pages + b->group - 1) / b->group, page * (double)pages);
  b->team = 1;
  b->blas = 0;
  b->work_bytes = (2 * (size_t)job->m * sizeof (double) + 63) / 64 * 64;
  return gla_cpu_engine_take (e, (size_t)b->threads * b->work_bytes);
}

static void solve (const gla_cpu_worker *w, int64_t first, int count)
{
  const gla_pagenorm_job *job = &((const gla_cpu_engine *)w->engine)->pagenorm_job;
  const gla_pagenorm_chunk *chunk = w->chunk;
  double *column = (double *)(void *)w->work;
  for (int64_t page = first; page < first + count; page++) {
    const double norm = job->norm == GLA_NORM_ONE ? norm_one (&chunk->A, page, column)
                        : job->norm == GLA_NORM_INF
                            ? norm_inf (&chunk->A, page, column, column + job->m)
                            : norm_frobenius (&chunk->A, page, column);
    const int64_t at = page * chunk->norms.page_stride;
    if (chunk->norms.type == GLA_TYPE_S)
      ((float *)chunk->norms.data)[at] = (float)norm;
    else
      ((double *)chunk->norms.data)[at] = norm;
  }
}

static gla_status submit (gla_engine *engine, int slot, const void *chunk)
{
  (void)slot;
  gla_cpu_engine *e = (gla_cpu_engine *)engine;
  const int64_t pages = ((const gla_pagenorm_chunk *)chunk)->A.pages;
  return gla_cpu_batch_run (e, &e->pagenorm_job.head, chunk, pages, solve);
}

const gla_batch_ops gla_cpu_pagenorm_ops = {
    .supports = supports,
    .seconds = seconds,
    .chunk_pages = gla_cpu_batch_pages,
    .begin = begin,
    .submit = submit,
    .finish = gla_cpu_batch_finish,
    .end = gla_cpu_batch_end,
};
