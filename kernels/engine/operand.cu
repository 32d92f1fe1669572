// operand.cu: brings the pages of A and B that a chunk of a page function needs to the GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "operand.cuh"

#include <cstdlib>

namespace
{

// The page of the operand for page p of the result.
int64_t page_for (const operand_steps &s, int64_t p)
{
  int64_t page = 0;
  for (int d = 0; d < s.dims; d++) {
    page += p % s.size[d] * s.step[d];
    p /= s.size[d];
  }
  return page;
}

// The step where it is the same in all dimensions that have more than one page, else -1.
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
