// arrays_engine.cu: arrays that stay on a GPU: reductions, subscripts, the row of the table
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All work is in the stream of the first slot, so it runs in the order of the calls.

#include "arrays.cuh"
#include "arrays/arrays_types.h"
#include "common/runtime.cuh"
#include "arrays/job.h"
#include "arrays_reduce.cuh"
#include "engine/engine_memory.cuh"

namespace
{

cudaStream_t stream_of (const cuda_engine *e)
{
  return e->slots[0].stream;
}

//------------------------------------------------------------------------------
// reductions
//------------------------------------------------------------------------------

// Returns the bytes of an accumulator.
size_t bytes_of_sum (gla_reduction op, int type)
{
  if (op == GLA_REDUCE_ANY || op == GLA_REDUCE_ALL)
    return 1;
  if (op == GLA_REDUCE_MAX || op == GLA_REDUCE_MIN)
    return gla_nd_bytes (type);
  return gla_nd_is_complex (type) && op != GLA_REDUCE_SUMSQ ? 16 : 8;
}

struct partial {
  void *values, *index;
};

gla_status take_partial (cuda_engine *e, gla_reduction op, int type, int64_t count, partial *p)
{
  const bool extremes = op == GLA_REDUCE_MAX || op == GLA_REDUCE_MIN;
  *p = {nullptr, nullptr};
  gla_status status =
      engine_status (heap_take (e, (size_t)count * bytes_of_sum (op, type), &p->values));
  if (status == GLA_OK && extremes)
    status = engine_status (heap_take (e, (size_t)count * sizeof (double), &p->index));
  return status;
}

void give_partial (cuda_engine *e, const partial &p)
{
  heap_give (e, p.values);
  heap_give (e, p.index);
}

gla_status reduce (gla_engine *engine, gla_reduction op, const gla_slices *x, void *to,
                   double *index)
{
  cuda_engine *e = engine_of (engine);
  nd_reduction r = {};
  r.x = x->x;
  r.inner = x->inner;
  r.n = x->n;
  r.outer = x->outer;
  r.smaller = op == GLA_REDUCE_MIN;
  partial before = {};
  gla_status status = GLA_OK;
  for (bool first = true; status == GLA_OK; first = false) {
    r.segments = (r.n + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH;
    r.finish = r.segments <= 1;
    r.segments += r.segments == 0; // a slice without elements has a sum, too
    partial next = {};
    if (!r.finish)
      status = take_partial (e, op, x->type, r.inner * r.segments * r.outer, &next);
    r.to = r.finish ? to : next.values;
    r.to_index = r.finish ? index : static_cast<double *> (next.index);
    if (status == GLA_OK)
      status = engine_status (nd_reduce_step (op, x->type, r, first, stream_of (e)));
    give_partial (e, before); // later work in the stream may use the memory
    before = next;
    r.x = next.values;
    r.index = static_cast<const double *> (next.index);
    r.n = r.segments;
    if (r.finish)
      break;
  }
  give_partial (e, before);
  return status;
}

gla_status scan (gla_engine *engine, gla_reduction op, const gla_slices *x, void *to)
{
  return nd_scan (engine_of (engine), op, x, to);
}

//------------------------------------------------------------------------------
// subscripts
//------------------------------------------------------------------------------

// A kernel counts its elements in 32 bits. So dimension `last` is cut into pieces, or, if a single
// subscript of it has too many elements, the previous dimension for each of them.
gla_status subscript_pieces (cuda_engine *e, const nd_subscripts &a, const int64_t *count, int last,
                             size_t size, bool store)
{
  const int64_t most = (int64_t)1 << 30; // elements of a piece
  int64_t below = 1;
  for (int d = 0; d < last; d++)
    below = count[d] <= most / below ? below * count[d] : most + 1;
  const int64_t width = below <= most ? most / below : 1;
  for (int64_t at = 0; at < count[last]; at += width) {
    const int64_t here = count[last] - at < width ? count[last] - at : width;
    nd_subscripts piece = a;
    piece.count[last] = nd_divisor_of (here);
    if (piece.list[last] != nullptr)
      piece.list[last] += at;
    piece.first[last] += at * piece.step[last];
    if (piece.y != nullptr)
      piece.y += at * piece.y_step[last] * (int64_t)size;
    if (below > most) {
      GLA_TRY (subscript_pieces (e, piece, count, last - 1, size, store));
      continue;
    }
    for (int d = 0; d < last; d++)
      piece.count[d] = nd_divisor_of (count[d]);
    piece.n = (uint32_t)(below * here);
    GLA_TRY (nd_subscript (piece, size, store, stream_of (e)));
  }
  return GLA_OK;
}

gla_status subscript (gla_engine *engine, const gla_nd *x, const gla_subscripts *s,
                      const gla_nd *elements, int store)
{
  nd_subscripts a = {};
  int64_t count[GLA_ND_DIMS];
  a.dims = x->dims;
  a.x = static_cast<char *> (x->data);
  a.y = static_cast<char *> (elements->data);
  nd_put_value (x->type, elements->value, a.value);
  for (int d = 0; d < x->dims; d++) {
    count[d] = s[d].count;
    a.list[d] = s[d].list;
    a.first[d] = s[d].first;
    a.step[d] = s[d].step;
    a.x_step[d] = x->step[d];
    a.y_step[d] = elements->step[d];
  }
  return subscript_pieces (engine_of (engine), a, count, x->dims - 1, gla_nd_bytes (x->type),
                           store != 0);
}

gla_status find (gla_engine *engine, const void *mask, int64_t n, int64_t *list, int64_t *count)
{
  cuda_engine *e = engine_of (engine);
  const int64_t blocks = nd_find_blocks (n);
  void *memory = nullptr;
  *count = 0;
  GLA_TRY (heap_take (e, (size_t)(blocks + 1) * sizeof (int64_t), &memory));
  int64_t *counts = static_cast<int64_t *> (memory);
  gla_status status = engine_status (nd_find_count (mask, n, counts, stream_of (e)));
  if (status == GLA_OK && list != nullptr)
    status = engine_status (nd_find_write (mask, n, counts, list, stream_of (e)));
  if (status == GLA_OK)
    status = engine_status (cudaMemcpyAsync (e->counter, counts + blocks, sizeof (int64_t),
                                             cudaMemcpyDeviceToHost, stream_of (e)));
  if (status == GLA_OK)
    status = engine_throttle (e, 0);
  if (status == GLA_OK)
    *count = *reinterpret_cast<const int64_t *> (e->counter);
  heap_give (e, memory);
  return status;
}

} // namespace

cudaError_t nd_reduce_step (gla_reduction op, int type, const nd_reduction &r, bool first,
                            cudaStream_t stream)
{
  switch (type) {
  case GLA_TYPE_S:
    return nd_reduce_s (op, r, first, stream);
  case GLA_TYPE_D:
    return nd_reduce_d (op, r, first, stream);
  case GLA_TYPE_C:
    return nd_reduce_c (op, r, first, stream);
  case GLA_TYPE_Z:
    return nd_reduce_z (op, r, first, stream);
  default:
    return nd_reduce_b (op, r, first, stream);
  }
}

extern "C" const gla_nd_ops cuda_nd_ops = {
    .watch = engine_watch,
    .take = engine_take,
    .give = engine_give,
    .query = engine_memory,
    .put = engine_put,
    .get = engine_get,
    .wait = engine_finish,
    .elementwise = nd_elementwise,
    .steps = nd_run_steps,
    .join = nd_join,
    .triangle = nd_triangle,
    .reduce = reduce,
    .scan = scan,
    .subscript = subscript,
    .find = find,
    .sort = nd_sort,
    .fft = nd_fft,
    .fetch = engine_fetch,
};
