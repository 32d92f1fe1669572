// gpu_join.cc: arrays on a GPU that are joined from other arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_join.h"

#include <algorithm>

namespace gla
{

char joined_type (char x, char y)
{
  return x == y ? x
                : type_letter (is_single (x) || is_single (y), is_complex (x) || is_complex (y));
}

void gpu_join::add (int device, const char *who, const octave_value &y,
                    const Array<octave_idx_type> &at)
{
  part p = {gpu_operand (who, y, device), dim_vector ()};
  p.at.resize (std::max<int> (2, static_cast<int> (at.numel ())), 0);
  for (int k = 0; k < p.at.ndims (); k++)
    p.at (k) = k < at.numel () ? at (k) : 0;
  if (m_parts->size () != m_count) // another join has gone on with the list
    m_parts = std::make_shared<std::vector<part>> (m_parts->begin (), m_parts->begin () + m_count);
  m_parts->push_back (p);
  m_count++;
  m_covered += p.from.dims ().numel ();
}

std::size_t gpu_join::byte_size () const
{
  const std::size_t size = m_type == 'b' ? 1 : gla_type_size (static_cast<gla_type> (m_type));
  return static_cast<std::size_t> (m_dims.numel ()) * size;
}

void gpu_join::run (int device, void *data) const
{
  int count = static_cast<int> (m_dims.ndims ());
  for (std::size_t k = 0; k < m_count; k++)
    count = std::max<int> (count, (*m_parts)[k].from.dims ().ndims ());
  const gla_nd whole = nd_of (data, m_type, m_dims.redim (count));
  std::vector<gla_nd> to, from;
  if (!is_full ()) {
    gla_nd zero = {};
    zero.type = m_type;
    elementwise (device, GLA_ND_COPY, whole, zero, nullptr);
  }
  for (std::size_t k = 0; k < m_count; k++) {
    const part &p = (*m_parts)[k];
    to.push_back (on_gpu::part_of (whole, p.at, p.from.dims ()));
    from.push_back (spread (p.from.nd (), p.from.dims (), p.from.dims ()));
  }
  copy_all (device, to, from);
}

namespace on_gpu
{

gpu_value begun_join (const gpu_value &x, const dim_vector &dims)
{
  const dim_vector d = checked_dims (dims);
  std::unique_ptr<gpu_join> join (new gpu_join (x.type (), d));
  return gpu_value (std::make_shared<gpu_block> (x.device (), std::move (join)), x.type (), d);
}

gpu_value joined (const gpu_value &x, char type, const octave_value &y,
                  const Array<octave_idx_type> &at)
{
  const int device = x.device ();
  std::unique_ptr<gpu_join> join (new gpu_join (type, *x.block ()->join ()));
  join->add (device, "concatenation", y, at);
  const bool full = join->is_full ();
  const auto block = std::make_shared<gpu_block> (device, std::move (join));
  if (full)
    (void)block->data ();
  return gpu_value (block, type, x.dims ());
}

} // namespace on_gpu

} // namespace gla
