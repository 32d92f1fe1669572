// gpu_shares.h: jobs of many chunks whose operands expand, and what they copy to the GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPU_SHARES_H
#define GPU_SHARES_H

#include "gpu_runs.h"

// Pages of the result: size[0] * size[1], in chunks of `chunk`.
typedef struct {
  gla_type type;
  int64_t n, chunk, size[2], a_step[2], b_step[2];
} share_shape;

enum { SHARE_SLOTS = 3 };
typedef union {
  gla_pagemul_chunk product;
  gla_pagesolve_chunk solve;
} share_chunk;

static gla_array some_pages (const gla_array *a, int64_t first, int64_t count)
{
  gla_array part = *a;
  part.data = (char *)a->data + (size_t)(first * a->page_stride) * gla_type_size (a->type);
  part.pages = count;
  return part;
}

static gla_status submit_share (gla_engine *engine, gla_batch_op op, int slot, share_chunk *c,
                                const gla_array whole[3], int64_t first, int64_t count)
{
  const gla_array part = some_pages (&whole[2], first, count);
  if (op == GLA_BATCH_PAGEMUL)
    c->product = (gla_pagemul_chunk){.C = part, .A = whole[0], .B = whole[1], .first = first};
  else {
    int32_t *info = c->solve.info;
    c->solve = (gla_pagesolve_chunk){.X = part, .A = whole[0], .B = whole[1], .first = first};
    c->solve.info = info;
    c->solve.clean = &c->solve.clean_word;
  }
  return gpu->batch[op]->submit (engine, slot, c);
}

// The job from begin to end, with as many chunks in flight as there are slots.
static gla_status run_share_job (gla_engine *engine, gla_batch_op op, const gla_job *job,
                                 const share_shape *v, const gla_array whole[3], arrays *s)
{
  const gla_batch_ops *ops = gpu->batch[op];
  const int64_t pages = whole[2].pages, chunks = (pages + v->chunk - 1) / v->chunk;
  share_chunk chunk[SHARE_SLOTS] = {0};
  for (int k = 0; k < SHARE_SLOTS && op == GLA_BATCH_PAGESOLVE; k++)
    chunk[k].solve.info = take_info (s, v->chunk);
  gla_status status = ops->begin (engine, job, v->chunk);
  for (int64_t k = 0; k < chunks + SHARE_SLOTS && status == GLA_OK; k++) {
    const int slot = (int)(k % SHARE_SLOTS);
    const int64_t first = k * v->chunk, left = pages - first;
    if (k >= SHARE_SLOTS && k - SHARE_SLOTS < chunks)
      status = ops->finish (engine, slot);
    if (k < chunks && status == GLA_OK)
      status = submit_share (engine, op, slot, &chunk[slot], whole, first,
                             left < v->chunk ? left : v->chunk);
  }
  ops->end (engine);
  return status;
}

// Pages of an operand, and bytes that one copy of them and of the numbers of pages has.
static int64_t share_pages (const int64_t size[2], const int64_t step[2])
{
  return 1 + (size[0] - 1) * step[0] + (size[1] - 1) * step[1];
}
static int64_t share_bytes (const gla_array *a, const int64_t size[2], const int64_t step[2])
{
  const int listed = size[0] > 1 && size[1] > 1 && step[1] != step[0] * size[0];
  return (int64_t)gla_type_size (a->type) * a->rows * a->columns * a->pages +
         (listed ? 8 * size[0] * size[1] : 0);
}

// op (0: product, 1: solve), type, n, pages in both dimensions, of a chunk, steps of A, of B
static gla_status run_shares (gla_engine *engine, const int *v)
{
  const share_shape shape = {.type = (gla_type)v[1],
                             .n = v[2],
                             .chunk = v[5],
                             .size = {v[3], v[4]},
                             .a_step = {v[6], v[7]},
                             .b_step = {v[8], v[9]}};
  const gla_batch_op op = v[0] ? GLA_BATCH_PAGESOLVE : GLA_BATCH_PAGEMUL;
  const int64_t n = shape.n, *size = shape.size;
  const int wide = gla_type_is_complex (shape.type);
  arrays s = {0};
  const gla_array whole[3] = {array (&s, shape.type, n, n, share_pages (size, shape.a_step)),
                              array (&s, shape.type, n, n, share_pages (size, shape.b_step)),
                              array (&s, shape.type, n, n, size[0] * size[1])};
  const gla_job head = {.type = shape.type, .monitor = monitor};
  gla_pagemul_job product = {.head = head, .m = n, .n = n, .k = n, .op_a = 'N', .op_b = 'N'};
  gla_pagesolve_job solve = {.head = head, .n = n, .rhs = n, .op_a = 'N', .side = GLA_SIDE_LEFT};
  product.a_complex = product.b_complex = solve.a_complex = solve.b_complex = wide;
  product.dims = solve.dims = 2;
  product.dim_size = solve.dim_size = size;
  product.a_step = solve.a_step = shape.a_step;
  product.b_step = solve.b_step = shape.b_step;
  const gla_job *job = v[0] ? &solve.head : &product.head;
  gla_status status = GLA_OK;
  if (!predict_only) {
    const int64_t before = fake_cuda_uploaded ();
    status = run_share_job (engine, op, job, &shape, whole, &s);
    const int64_t copied = fake_cuda_uploaded () - before;
    const int64_t once =
        share_bytes (&whole[0], size, shape.a_step) + share_bytes (&whole[1], size, shape.b_step);
    CHECK (status != GLA_OK || fake_cuda_has_failed () != FAKE_NONE || copied == once,
           "shares %d, n = %d, pages %d x %d by %d: %lld bytes to the GPU, not %lld", v[0], v[2],
           v[3], v[4], v[5], (long long)copied, (long long)once);
  }
  free_arrays (&s);
  return status;
}

#endif
