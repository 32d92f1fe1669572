// operand.cu: brings the pages of A and B that a chunk of a page function needs to the GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "operand.cuh"
#include "memory.cuh"

#include <cstdlib>

namespace
{

// Returns the page of the operand for page p of the result.
int64_t page_for (const operand_steps &s, int64_t p)
{
  int64_t page = 0;
  for (int d = 0; d < s.dims; d++) {
    page += p % s.size[d] * s.step[d];
    p /= s.size[d];
  }
  return page;
}

// Returns the step if it is the same in all dimensions that have more than one page, else -1.
int64_t common_step (const operand_steps &s)
{
  int64_t step = -1, pages = 1; // pages: of the result, up to here
  for (int d = 0; d < s.dims; d++) {
    if (s.size[d] <= 1)
      continue;
    if (step == -1)
      step = s.step[d];
    else if (s.step[d] != step * pages)
      return -1;
    pages *= s.size[d];
  }
  return step == -1 ? 0 : step;
}

bool on_host (const gla_array &a)
{
  return a.device == GLA_DEVICE_HOST;
}

} // namespace

operand_pages operand_pages_of (const operand_steps &steps, int64_t first, int64_t count)
{
  const int64_t step = common_step (steps);
  if (step >= 0)
    return {first * step, (count - 1) * step + 1, step};
  int64_t lowest = page_for (steps, first), highest = lowest;
  for (int64_t p = first + 1; p < first + count; p++) {
    const int64_t page = page_for (steps, p);
    lowest = page < lowest ? page : lowest;
    highest = page > highest ? page : highest;
  }
  return {lowest, highest - lowest + 1, -1};
}

double operand_page_bytes (const gla_array &a, const operand_steps &steps, int64_t pages)
{
  const double page = (double)a.rows * (double)a.columns * (double)gla_type_size (a.type);
  const int64_t step = common_step (steps);
  if (!on_host (a) || step == 0)
    return step == -1 ? sizeof (int64_t) : 0;
  return step > 0 ? page * (double)step : page * (double)a.pages / (double)pages + 8;
}

operand_memory operand_take (const gla_array &a, const operand_steps &steps, int64_t first,
                             int64_t count, carver &c)
{
  const operand_pages needed = operand_pages_of (steps, first, count);
  operand_memory m = {a.data, a.column_stride, a.page_stride, nullptr};
  if (on_host (a)) {
    m.ld = a.rows;
    m.page = a.rows * a.columns;
    m.data = c.take<char> (needed.pages * m.page * (int64_t)gla_type_size (a.type));
  } else if (a.data != nullptr)
    m.data = static_cast<char *> (a.data) +
             (size_t)(needed.lowest * a.page_stride) * gla_type_size (a.type);
  if (needed.step >= 0)
    m.page *= needed.step;
  else
    m.index = c.take<int64_t> (count);
  return m;
}

static gla_status upload_index (cuda_engine *e, int slot, const operand_steps &steps, int64_t first,
                                int64_t count, int64_t lowest, int64_t *to)
{
  int64_t *index = static_cast<int64_t *> (malloc ((size_t)count * sizeof *index));
  if (index == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t p = 0; p < count; p++)
    index[p] = page_for (steps, first + p) - lowest;
  // numbers of 8 bytes, as type d has; engine_upload returns when it has read them
  const gla_array list = gla_array_packed (index, GLA_TYPE_D, count, 1, 1, GLA_DEVICE_HOST);
  const gla_status status = engine_upload (e, slot, to, &list);
  free (index);
  return status;
}

gla_status operand_upload (cuda_engine *e, int slot, const gla_array &a, const operand_steps &steps,
                           int64_t first, int64_t count, const operand_memory &to)
{
  const operand_pages needed = operand_pages_of (steps, first, count);
  if (needed.step < 0)
    GLA_TRY (upload_index (e, slot, steps, first, count, needed.lowest, to.index));
  if (!on_host (a))
    return GLA_OK;
  gla_array part = a;
  part.data = static_cast<char *> (a.data) +
              (size_t)(needed.lowest * a.page_stride) * gla_type_size (a.type);
  part.pages = needed.pages;
  return engine_upload (e, slot, to.data, &part);
}

//------------------------------------------------------------------------------
// one copy for all chunks
//------------------------------------------------------------------------------

namespace
{

double bytes_of (const gla_array &a, int64_t pages)
{
  return (double)a.rows * (double)a.columns * (double)pages * (double)gla_type_size (a.type);
}

// Whether chunks would copy the pages more than once, and a copy of all of them is small enough.
// The second chunk decides: the first may begin at a page that no other needs.
bool pays (const cuda_engine *e, const gla_array &a, const operand_steps &s)
{
  int64_t total = 1;
  for (int d = 0; d < s.dims; d++)
    total *= s.size[d];
  const int64_t chunk = e->chunk_pages;
  if (!on_host (a) || bytes_of (a, 1) <= 0 || total <= chunk)
    return false;
  const int64_t second = total - chunk < chunk ? total - chunk : chunk;
  const int64_t needed = operand_pages_of (s, chunk, second).pages;
  const double chunks = (double)((total + chunk - 1) / chunk);
  const bool whole = needed == a.pages; // a chunk would take as much
  return chunks * (double)needed > 1.5 * (double)a.pages &&
         (whole || bytes_of (a, a.pages) <= (double)(e->memory_total / 8));
}

void drop (operand_copy *o)
{
  memory_free_copy (o->data);
  if (o->ready != nullptr)
    cudaEventDestroy (o->ready);
  *o = {};
}

// Takes memory and an event. Without memory the operand is not shared.
gla_status take (cuda_engine *e, operand_copy *o, const gla_array &a)
{
  const cudaError_t error =
      memory_take_copy (e->base.device, &o->data, (size_t)bytes_of (a, a.pages));
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError ();
    return GLA_OK;
  }
  if (error != cudaSuccess)
    return engine_status (error);
  o->state = OPERAND_SHARED;
  return engine_status (cudaEventCreateWithFlags (&o->ready, cudaEventDisableTiming));
}

} // namespace

gla_array operand_source (const cuda_engine *e, int which, const gla_array &a)
{
  if (e->copies[which].state != OPERAND_SHARED)
    return a;
  return gla_array_packed (e->copies[which].data, a.type, a.rows, a.columns, a.pages,
                           e->base.device);
}

gla_status operand_share (cuda_engine *e, int slot, int which, const gla_array &a,
                          const operand_steps &steps)
{
  operand_copy *o = &e->copies[which];
  const cudaStream_t stream = e->slots[slot].stream;
  if (o->state == OPERAND_SHARED)
    return engine_status (cudaStreamWaitEvent (stream, o->ready, 0));
  if (o->state == OPERAND_APART)
    return GLA_OK;
  o->state = OPERAND_APART;
  if (pays (e, a, steps))
    GLA_TRY (take (e, o, a));
  if (o->state == OPERAND_APART)
    return GLA_OK;
  GLA_TRY (engine_upload (e, slot, o->data, &a)); // a failure ends the job, and so the copy
  return engine_status (cudaEventRecord (o->ready, stream));
}

bool operand_give_way (cuda_engine *e)
{
  bool shared = false;
  for (const engine_slot &slot : e->slots)
    if (slot.chunk != nullptr)
      return false;
  for (operand_copy &o : e->copies) {
    shared |= o.state == OPERAND_SHARED;
    drop (&o);
    o.state = OPERAND_APART;
  }
  return shared;
}

void operand_begin_job (cuda_engine *e)
{
  for (operand_copy &o : e->copies)
    drop (&o); // of a job that has begun and not ended
}

void operand_end_job (gla_engine *engine)
{
  engine_end_job (engine);
  operand_begin_job (engine_of (engine));
}
