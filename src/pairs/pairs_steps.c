// pairs_steps.c: the steps of gla_batcheig_pairs as an operation on pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pairs_steps.h"

#include "arrays.h"
#include "batch/queue.h"
#include "batch/host_page.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  gla_call call; // must stay first
  gla_pencil_job job;
  gla_pencil_chunk all;
} pencil_run;

static void slice (const gla_call *call, gla_range range, void *chunk, void *memory)
{
  const gla_pencil_chunk *all = &((const pencil_run *)call)->all;
  gla_pencil_chunk *c = chunk;
  (void)memory;
  c->info = all->info + range.first;
  c->exponents = all->exponents + range.first;
  c->skew_a = all->skew_a + range.first;
  c->skew_b = all->skew_b + range.first;
}

static const gla_operation pencil_operation = {
    .row = GLA_BATCH_PENCIL,
    .placing = {.unsupported = "n is too large for LAPACK's integers",
                .supports = gla_batch_supports,
                .seconds = gla_batch_seconds},
    .arrays = 5,
    .chunk_bytes = sizeof (gla_pencil_chunk),
    .slice = slice,
};

gla_status gla_pencil_steps (gla_context *ctx, const gla_pencil_job *job,
                             const gla_pencil_chunk *pages)
{
  const gla_place place = ctx->place;
  const gla_callbacks before = gla_silence (ctx);
  pencil_run run = {.job = *job, .all = *pages};
  ctx->place = GLA_PLACE_CPU;
  run.call.arrays = run.all.arrays;
  run.job.head = (gla_job){.type = pages->L.type, .monitor = {gla_run_poll, &run.call.run}};
  gla_call_start (&run.call, &pencil_operation, &run.job.head, ctx, pages->L.pages);
  const gla_status status = gla_call_run (&run.call);
  ctx->place = place;
  ctx->callbacks = before;
  return status;
}

//------------------------------------------------------------------------------
// condition numbers
//------------------------------------------------------------------------------

// Sets an element of `to` from one of `from`, its imaginary part times `imaginary`.
static void copy_element (const gla_array *to, int64_t at, const gla_array *from, int64_t source,
                          int imaginary)
{
  const int64_t parts = 1 + gla_type_is_complex (to->type);
  for (int64_t k = 0; k < parts; k++) {
    const double sign = k == 1 ? imaginary : 1;
    if (gla_type_real (to->type) == GLA_TYPE_S)
      ((float *)to->data)[at * parts + k] =
          (float)sign * ((const float *)from->data)[source * parts + k];
    else
      ((double *)to->data)[at * parts + k] =
          sign * ((const double *)from->data)[source * parts + k];
  }
}

// Makes both triangles from the one that is read, with a real diagonal.
static void complete_pages (const gla_array *from, gla_triangle triangle, const gla_array *to)
{
  const int64_t n = from->rows;
  for (int64_t p = 0; p < from->pages; p++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        const int mirrored = triangle == GLA_TRIANGLE_LOWER ? i < j : i > j;
        const int64_t row = mirrored ? j : i, column = mirrored ? i : j;
        copy_element (to, i + (j + p * n) * n, from,
                      row + column * from->column_stride + p * from->page_stride,
                      i == j     ? 0
                      : mirrored ? -1
                                 : 1);
      }
}

gla_status gla_pencil_rcond (gla_context *ctx, const gla_array *B, gla_triangle triangle,
                             const gla_array *rcond)
{
  const int64_t n = B->rows;
  const int copied = triangle != GLA_TRIANGLE_FULL;
  gla_array whole = copied ? gla_take_pages (B->type, n, n, B->pages) : *B;
  gla_array zeros = gla_take_pages (B->type, n, 1, 1);
  const gla_pagesolve_results r = {
      .size = sizeof r, .X = gla_take_pages (B->type, n, 1, B->pages), .rcond = *rcond};
  const gla_place place = ctx->place;
  const gla_callbacks before = gla_silence (ctx);
  gla_status status = GLA_ERROR_OUT_OF_MEMORY;
  if (whole.data != NULL && zeros.data != NULL && r.X.data != NULL) {
    memset (zeros.data, 0, (size_t)n * gla_type_size (B->type));
    if (copied)
      complete_pages (B, triangle, &whole);
    ctx->place = GLA_PLACE_CPU;
    status = gla_pagesolve (ctx, &whole, &zeros, &r, NULL, NULL);
    ctx->place = place;
  }
  ctx->callbacks = before;
  if (copied)
    free (whole.data);
  free (zeros.data);
  free (r.X.data);
  return status;
}
