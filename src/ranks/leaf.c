// leaf.c: factorisations and products of one rank: of its rows, and of stacked triangles
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of a rank are nearly all of the work and of the bytes: where they are factored on the
// GPU they go there once, Q waits there for its factor, and only their product comes back.
// Triangles are small: they stay on the host, and are factored where that is predicted to be
// faster.

#include "rows.h"
#include "batch/host_page.h"
#include "qr/qr_run.h"
#include "backend.h"

#include <stdlib.h>
#include <string.h>

static int64_t least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

//------------------------------------------------------------------------------
// memory of the host
//------------------------------------------------------------------------------

gla_array gla_rows_new (gla_rows *rows, int64_t r, int64_t c)
{
  gla_array a = gla_take_pages (rows->A.type, r, c, rows->pages);
  if (a.data == NULL)
    gla_ranks_note (rows->ranks,
                    gla_fail (rows->ranks->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory"));
  return a;
}

void gla_rows_drop (gla_array *a)
{
  free (a->data);
  a->data = NULL;
}

static gla_array column_of (const gla_array *a, int64_t page, int64_t j)
{
  gla_array c = *a;
  c.data = (char *)a->data +
           (size_t)(page * a->page_stride + j * a->column_stride) * gla_type_size (a->type);
  c.columns = c.pages = 1;
  return c;
}

void gla_rows_copy (const gla_array *to, const gla_array *from)
{
  for (int64_t p = 0; p < from->pages; p++)
    for (int64_t j = 0; j < from->columns; j++) {
      const gla_array t = column_of (to, p, j), f = column_of (from, p, j);
      (void)gla_put_full (t.data, &f);
    }
}

gla_array gla_rows_stack (gla_rows *rows, const gla_array *upper, int64_t below)
{
  gla_array s = gla_rows_new (rows, upper->rows + below, upper->columns);
  if (gla_ranks_well (rows->ranks))
    gla_rows_copy (&s, upper);
  return s;
}

//------------------------------------------------------------------------------
// small matrices
//------------------------------------------------------------------------------

// Whether the formulas alone, which know nothing of earlier calls, say that the GPU of this rank
// factors stacked triangles faster.
static int gpu_is_faster (const gla_rows *rows, int64_t m)
{
  gla_context *ctx = rows->ranks->ctx;
  gla_engine *gpu, *cpu;
  int devices[GLA_MAX_DEVICES];
  const gla_qr_job job = {.head.type = rows->A.type,
                          .m = m,
                          .n = rows->n,
                          .q_columns = rows->with_q ? least (m, rows->n) : 0,
                          .r_rows = least (m, rows->n),
                          .rhs = rows->rhs,
                          .c_rows = least (m, rows->n),
                          .block = rows->block};
  if (gla_context_devices (ctx, devices) == 0 ||
      gla_context_gpu (ctx, devices[0], &gpu) != GLA_OK || gla_context_cpu (ctx, &cpu) != GLA_OK)
    return 1; // the call itself says what is wrong
  const gla_batch_ops *on_gpu = gpu->backend->batch[GLA_BATCH_QR],
                      *on_cpu = cpu->backend->batch[GLA_BATCH_QR];
  return on_gpu->supports (&job.head) && on_gpu->seconds (gpu, &job.head, rows->pages) <
                                             on_cpu->seconds (cpu, &job.head, rows->pages);
}

// For work on matrices of m rows; returns what is to be put back. "auto" chooses for itself.
static gla_place place_small (const gla_rows *rows, int64_t m)
{
  gla_context *ctx = rows->ranks->ctx;
  const gla_place before = ctx->place;
  if (before != GLA_PLACE_AUTO && before != GLA_PLACE_CPU && !gpu_is_faster (rows, m))
    ctx->place = GLA_PLACE_CPU;
  return before;
}

// The report is that of the first factorisation: of this rank's rows, where it has some.
static gla_status factor_here (gla_rows *rows, const gla_array *A, const gla_array *B,
                               const gla_qr_results *results)
{
  const gla_qr_options options = {.size = sizeof options, .block = rows->block};
  gla_qr_report report = {.base.size = sizeof report};
  const gla_status status =
      gla_qr (rows->ranks->ctx, A, rows->rhs > 0 ? B : NULL, results, &options, &report);
  if (rows->base.chunk_pages == 0)
    rows->base = report.base;
  return status;
}

// Takes R and C for the factors of A in the place of those before.
static gla_qr_results take_results (gla_rows *rows, const gla_array *A)
{
  const int64_t k = least (A->rows, rows->n);
  gla_qr_results results = {.size = sizeof results};
  const gla_array R = gla_rows_new (rows, k, rows->n), C = gla_rows_new (rows, k, rows->rhs);
  gla_rows_drop (&rows->R);
  gla_rows_drop (&rows->C);
  rows->R = results.R = R;
  rows->C = C;
  if (rows->rhs > 0)
    results.C = C;
  return results;
}

static int has_work (const gla_rows *rows, const gla_qr_results *results)
{
  return gla_ranks_well (rows->ranks) && results->R.rows > 0 && results->R.columns > 0 &&
         rows->pages > 0;
}

void gla_rows_factor (gla_rows *rows, const gla_array *A, const gla_array *B, gla_array *Q)
{
  gla_qr_results results = take_results (rows, A);
  if (rows->with_q)
    *Q = results.Q = gla_rows_new (rows, A->rows, results.R.rows);
  if (!has_work (rows, &results))
    return;
  const gla_place before = place_small (rows, A->rows);
  gla_ranks_note (rows->ranks, factor_here (rows, A, B, &results));
  rows->ranks->ctx->place = before;
}

static gla_status product (gla_rows *rows, const gla_array *A, const gla_array *B,
                           const gla_array *C)
{
  const gla_pagemul_results results = {.size = sizeof results, .C = *C};
  return gla_pagemul (rows->ranks->ctx, A, B, &results, NULL, NULL);
}

static int is_empty (const gla_array *a)
{
  return a->rows == 0 || a->columns == 0 || a->pages == 0;
}

void gla_rows_multiply (gla_rows *rows, const gla_array *A, const gla_array *B, const gla_array *C)
{
  if (!gla_ranks_well (rows->ranks) || is_empty (C))
    return;
  const gla_place before = place_small (rows, A->rows);
  gla_ranks_note (rows->ranks, product (rows, A, B, C));
  rows->ranks->ctx->place = before;
}

//------------------------------------------------------------------------------
// matrices between the host and the GPU
//------------------------------------------------------------------------------

// Columns shorter than this many bytes are not sent one by one.
enum { LONG_COLUMN = 64 << 10 };

typedef gla_status (*transfer) (gla_context *ctx, int device, void *to, const void *from,
                                size_t bytes);

static gla_status take_there (gla_context *ctx, int device, const gla_array *shape, gla_array *to)
{
  void *memory = NULL;
  const size_t numbers = (size_t)(shape->rows * shape->columns * shape->pages);
  const gla_status status =
      gla_memory_take (ctx, device, numbers * gla_type_size (shape->type) + 1, &memory);
  *to = gla_array_packed (memory, shape->type, shape->rows, shape->columns, shape->pages, device);
  return status;
}

static int is_packed (const gla_array *a)
{
  return (a->columns == 1 || a->column_stride == a->rows) &&
         (a->pages == 1 || a->page_stride == a->rows * a->columns);
}

// One of both is packed.
static gla_status transfer_columns (gla_context *ctx, int device, transfer move,
                                    const gla_array *to, const gla_array *from)
{
  const size_t bytes = (size_t)to->rows * gla_type_size (to->type);
  gla_status status = GLA_OK;
  for (int64_t p = 0; p < to->pages; p++)
    for (int64_t j = 0; j < to->columns && status == GLA_OK; j++)
      status = move (ctx, device, column_of (to, p, j).data, column_of (from, p, j).data, bytes);
  return status;
}

static gla_status put (gla_context *ctx, const gla_array *from, const gla_array *to)
{
  const size_t size = gla_type_size (from->type), bytes = gla_full_bytes (from);
  if (is_packed (from))
    return gla_memory_put (ctx, to->device, to->data, from->data, bytes);
  if ((size_t)from->rows * size >= LONG_COLUMN)
    return transfer_columns (ctx, to->device, gla_memory_put, to, from);
  char *packed = malloc (bytes + 1);
  if (packed == NULL)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  (void)gla_put_full (packed, from);
  const gla_status status = gla_memory_put (ctx, to->device, to->data, packed, bytes);
  free (packed);
  return status;
}

static gla_status get (gla_context *ctx, const gla_array *from, const gla_array *to)
{
  const size_t size = gla_type_size (to->type), bytes = gla_full_bytes (to);
  if (is_packed (to))
    return gla_memory_get (ctx, from->device, to->data, from->data, bytes);
  if ((size_t)to->rows * size >= LONG_COLUMN)
    return transfer_columns (ctx, from->device, gla_memory_get, to, from);
  char *packed = malloc (bytes + 1);
  if (packed == NULL)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  const gla_status status = gla_memory_get (ctx, from->device, packed, from->data, bytes);
  if (status == GLA_OK)
    (void)gla_get_full (packed, to);
  free (packed);
  return status;
}

//------------------------------------------------------------------------------
// the rows of this rank
//------------------------------------------------------------------------------

// A, B and the results on the GPU.
typedef struct {
  gla_array A, B, Q, R, C;
} there;

static gla_status take_all (gla_rows *rows, int device, const gla_array *A, const gla_array *B,
                            there *t)
{
  gla_context *ctx = rows->ranks->ctx;
  const gla_array Q =
      gla_array_packed (NULL, A->type, A->rows, rows->R.rows, A->pages, GLA_DEVICE_HOST);
  gla_status status = take_there (ctx, device, A, &t->A);
  if (status == GLA_OK && rows->rhs > 0)
    status = take_there (ctx, device, B, &t->B);
  if (status == GLA_OK && rows->with_q)
    status = take_there (ctx, device, &Q, &t->Q);
  if (status == GLA_OK)
    status = take_there (ctx, device, &rows->R, &t->R);
  if (status == GLA_OK && rows->rhs > 0)
    status = take_there (ctx, device, &rows->C, &t->C);
  return status;
}

static gla_status factor_there (gla_rows *rows, const gla_array *A, const gla_array *B, there *t)
{
  gla_context *ctx = rows->ranks->ctx;
  gla_status status = put (ctx, A, &t->A);
  if (status == GLA_OK && rows->rhs > 0)
    status = put (ctx, B, &t->B);
  if (status != GLA_OK)
    return status;
  const gla_qr_results results = {.size = sizeof results, .Q = t->Q, .R = t->R, .C = t->C};
  status = factor_here (rows, &t->A, &t->B, &results);
  if (status == GLA_OK)
    status = get (ctx, &t->R, &rows->R);
  return status == GLA_OK && rows->rhs > 0 ? get (ctx, &t->C, &rows->C) : status;
}

static gla_status factor_on_gpu (gla_rows *rows, int device, const gla_array *A, const gla_array *B)
{
  gla_context *ctx = rows->ranks->ctx;
  there t = {.A.data = NULL};
  gla_status status = take_all (rows, device, A, B, &t);
  if (status == GLA_OK)
    status = factor_there (rows, A, B, &t);
  gla_memory_give (ctx, device, t.A.data);
  gla_memory_give (ctx, device, t.B.data);
  gla_memory_give (ctx, device, t.R.data);
  gla_memory_give (ctx, device, t.C.data);
  if (status == GLA_OK)
    rows->leaf = t.Q;
  else
    gla_memory_give (ctx, device, t.Q.data);
  return status;
}

static gla_status factor_on_cpu (gla_rows *rows, const gla_array *A, const gla_array *B,
                                 gla_qr_results *results)
{
  gla_context *ctx = rows->ranks->ctx;
  const gla_place before = ctx->place;
  if (rows->with_q)
    rows->leaf = results->Q = gla_rows_new (rows, A->rows, results->R.rows);
  if (!gla_ranks_well (rows->ranks))
    return GLA_OK;
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = factor_here (rows, A, B, results);
  ctx->place = before;
  return status;
}

// Where the place of the context, or a prediction, is a GPU, that does it. Where it has too little
// memory "auto" takes the CPU.
static gla_status factor_somewhere (gla_rows *rows, const gla_array *A, const gla_array *B,
                                    gla_qr_results *results)
{
  gla_context *ctx = rows->ranks->ctx;
  gla_choice choice;
  gla_qr_results wanted = *results;
  char some; // Q is taken in the place that is chosen
  wanted.Q = gla_array_packed (rows->with_q ? &some : NULL, A->type, A->rows, results->R.rows,
                               A->pages, GLA_DEVICE_HOST);
  gla_status status =
      gla_qr_choose (ctx, A, rows->rhs > 0 ? B : NULL, &wanted, rows->block, &choice);
  if (status != GLA_OK)
    return status;
  if (choice.count > 0)
    status = factor_on_gpu (rows, choice.devices[0], A, B);
  if (choice.count > 0 && (status != GLA_ERROR_OUT_OF_MEMORY || ctx->place != GLA_PLACE_AUTO)) {
    gla_choice_end (ctx, &choice);
    return status;
  }
  if (choice.count > 0)
    gla_warn (ctx, "device-memory", "the GPU has too little free memory; the CPU does the rest");
  status = factor_on_cpu (rows, A, B, results);
  gla_choice_end (ctx, &choice);
  return status;
}

void gla_leaf_factor (gla_rows *rows, const gla_array *A, const gla_array *B)
{
  gla_qr_results results = take_results (rows, A);
  rows->leaf = gla_array_packed (NULL, A->type, A->rows, results.R.rows, A->pages, GLA_DEVICE_HOST);
  if (has_work (rows, &results))
    gla_ranks_note (rows->ranks, factor_somewhere (rows, A, B, &results));
}

//------------------------------------------------------------------------------
// its Q
//------------------------------------------------------------------------------

static gla_status multiply_there (gla_rows *rows, const gla_array *G, const gla_array *to)
{
  gla_context *ctx = rows->ranks->ctx;
  const int device = rows->leaf.device;
  gla_array g = {.data = NULL}, c = {.data = NULL};
  gla_status status = take_there (ctx, device, G, &g);
  if (status == GLA_OK)
    status = take_there (ctx, device, to, &c);
  if (status == GLA_OK)
    status = put (ctx, G, &g);
  if (status == GLA_OK)
    status = product (rows, &rows->leaf, &g, &c);
  if (status == GLA_OK)
    status = get (ctx, &c, to);
  gla_memory_give (ctx, device, g.data);
  gla_memory_give (ctx, device, c.data);
  return status;
}

static gla_status multiply_on_cpu (gla_rows *rows, const gla_array *G, const gla_array *to)
{
  gla_context *ctx = rows->ranks->ctx;
  const gla_place before = ctx->place;
  ctx->place = GLA_PLACE_CPU;
  const gla_status status = product (rows, &rows->leaf, G, to);
  ctx->place = before;
  return status;
}

void gla_leaf_multiply (gla_rows *rows, const gla_array *G, const gla_array *to)
{
  gla_status status = GLA_OK;
  if (!gla_ranks_well (rows->ranks) || is_empty (to))
    return;
  const int on_host = rows->leaf.device == GLA_DEVICE_HOST;
  if (G != NULL)
    status = on_host ? multiply_on_cpu (rows, G, to) : multiply_there (rows, G, to);
  else if (on_host)
    gla_rows_copy (to, &rows->leaf);
  else
    status = get (rows->ranks->ctx, &rows->leaf, to);
  gla_ranks_note (rows->ranks, status);
}

void gla_leaf_end (gla_rows *rows)
{
  if (rows->leaf.data == NULL)
    return;
  if (rows->leaf.device != GLA_DEVICE_HOST)
    gla_memory_give (rows->ranks->ctx, rows->leaf.device, rows->leaf.data);
  else
    free (rows->leaf.data);
  rows->leaf.data = NULL;
}
