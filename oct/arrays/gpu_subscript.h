// gpu_subscript.h: a subscript of an array on a GPU, for gpu_subscripts.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules for sizes are those of Octave's Array<T>. Lists of subscripts come from the host,
// except for a mask on the GPU, whose positions are found there.

#ifndef GPULINALG_GPU_SUBSCRIPT_H
#define GPULINALG_GPU_SUBSCRIPT_H

#include "gpu_device.h"

#include <octave/Array-util.h>

namespace gla
{

namespace on_gpu
{

// Whether one dimension alone is not 1, as dim_vector::is_nd_vector.
inline bool is_nd_vector (const dim_vector &dims)
{
  int count = 0;
  for (int k = 0; k < dims.ndims (); k++)
    count += dims (k) != 1;
  return count == 1;
}

// Returns such dimensions with another length.
inline dim_vector as_vector (dim_vector dims, octave_idx_type length)
{
  for (int k = 0; k < dims.ndims (); k++)
    if (dims (k) != 1)
      dims (k) = length;
  return dims;
}

// A subscript of one dimension: Octave's, or the positions of a mask on the GPU.
class subscript
{
public:
  // n: the size of the dimension. A list is copied to the GPU unless it is a range.
  subscript (const octave_value &v, octave_idx_type n, int device)
  {
    check_device ("index", v, device);
    m_device = device;
    m_n = n;
    if (is_gpu_array (v) && gpu_value_of (v).on_gpu () && gpu_value_of (v).type () == 'b')
      find_mask (gpu_value_of (v));
    else
      m_idx = gathered (v).index_vector ();
  }

  bool is_mask () const { return m_mask; }
  bool is_colon () const { return !m_mask && m_idx.is_colon (); }
  bool is_scalar () const { return m_mask ? m_count == 1 : m_idx.is_scalar (); }
  octave_idx_type length () const { return m_mask ? m_count : m_idx.length (m_n); }
  // Returns the least size that the dimension must have.
  octave_idx_type extent () const { return m_mask ? std::max (m_n, m_extent) : m_idx.extent (m_n); }
  dim_vector orig_dimensions () const { return m_mask ? m_dims : m_idx.orig_dimensions (); }
  bool is_colon_equiv (octave_idx_type n) const { return !m_mask && m_idx.is_colon_equiv (n); }
  const idx_vector &idx () const { return m_idx; }

  // Describes it to the library. The list lives as long as this.
  gla_subscripts on_device ()
  {
    gla_subscripts s = {};
    s.count = length ();
    s.step = 1;
    if (m_mask) {
      s.list = static_cast<const int64_t *> (m_list->data ());
      return s;
    }
    if (m_idx.is_colon () || s.count == 0)
      return s;
    if (m_idx.is_scalar () || m_idx.is_range () || s.count == 1) {
      s.first = m_idx (0);
      s.step = s.count > 1 ? m_idx (1) - m_idx (0) : 1;
      return s;
    }
    if (!m_list)
      upload ();
    s.list = static_cast<const int64_t *> (m_list->data ());
    return s;
  }

  // Only the last of equal subscripts may be assigned: returns their positions, or an empty list if
  // no subscripts are equal.
  std::vector<octave_idx_type> last_ones () const
  {
    std::vector<octave_idx_type> keep;
    if (m_mask || m_idx.is_colon () || m_idx.is_range () || m_idx.is_scalar () ||
        m_idx.idx_class () == idx_vector::class_mask) // its elements are searched for one by one
      return keep;
    const octave_idx_type count = m_idx.length (m_n);
    std::vector<bool> seen (static_cast<std::size_t> (m_idx.extent (m_n)));
    for (octave_idx_type k = count - 1; k >= 0; k--) {
      if (!seen[static_cast<std::size_t> (m_idx (k))])
        keep.push_back (k);
      seen[static_cast<std::size_t> (m_idx (k))] = true;
    }
    std::reverse (keep.begin (), keep.end ());
    if (static_cast<octave_idx_type> (keep.size ()) == count)
      keep.clear ();
    return keep;
  }

private:
  // A short mask is read at once: there is room for all of its elements.
  void find_mask (const gpu_value &x)
  {
    int64_t count = 0;
    const int64_t n = x.numel ();
    const auto find = [&] (void *list) {
      device_call ([&] (gla_context *c) {
        return gla_find (c, x.device (), n > 0 ? x.data () : nullptr, n,
                         static_cast<int64_t *> (list), &count);
      });
    };
    m_mask = true;
    const bool at_once = n <= 1 << 16;
    if (!at_once)
      find (nullptr);
    m_list = std::make_shared<gpu_block> (x.device (),
                                          static_cast<std::size_t> (at_once ? n : count) * 8);
    if (at_once || count > 0)
      find (m_list->data ());
    m_count = static_cast<octave_idx_type> (count);
    // a mask is a column, unless it is a row, and its length is what it addresses
    const dim_vector dims = x.dims ();
    m_dims = is_nd_vector (dims) ? as_vector (dims, m_count) : dim_vector (m_count, 1);
    if (n == 1)
      m_dims = dim_vector (m_count, m_count);
    // a mask that is no longer than the dimension cannot reach beyond it
    m_extent = count > 0 && n > m_n ? last_position (x.device ()) + 1 : 0;
  }

  octave_idx_type last_position (int device) const
  {
    int64_t last = 0;
    device_call ([&] (gla_context *c) {
      return gla_memory_get (c, device, &last,
                             static_cast<const int64_t *> (m_list->data ()) + m_count - 1, 8);
    });
    return static_cast<octave_idx_type> (last);
  }

  void upload ()
  {
    const auto count = static_cast<std::size_t> (m_idx.length (m_n));
    const octave_idx_type *at = m_idx.raw ();
    std::vector<int64_t> list;
    if (sizeof (octave_idx_type) != 8)
      list.assign (at, at + count);
    const void *from = list.empty () ? static_cast<const void *> (at) : list.data ();
    m_list = std::make_shared<gpu_block> (m_device, count * 8);
    device_call ([&] (gla_context *c) {
      return gla_memory_put (c, m_device, m_list->data (), from, count * 8);
    });
  }

  idx_vector m_idx;
  std::shared_ptr<gpu_block> m_list;
  bool m_mask = false;
  octave_idx_type m_n = 0, m_count = 0, m_extent = 0;
  dim_vector m_dims;
  int m_device = 0;
};

inline std::vector<subscript> subscripts_of (const gpu_value &x, const octave_value_list &idx,
                                             const dim_vector &dims)
{
  std::vector<subscript> all;
  for (octave_idx_type k = 0; k < idx.length (); k++) {
    try {
      all.emplace_back (idx (k), dims (static_cast<int> (k)), x.device ());
    } catch (octave::index_exception &e) {
      e.set_pos_if_unset (idx.length (), k + 1);
      throw;
    }
  }
  return all;
}

inline std::vector<gla_subscripts> for_library (std::vector<subscript> &all)
{
  std::vector<gla_subscripts> s;
  for (subscript &one : all)
    s.push_back (one.on_device ());
  return s;
}

// Returns x with so many dimensions: the last one takes the rest.
inline dim_vector folded (const gpu_value &x, octave_idx_type count)
{
  return count == 1 ? dim_vector (x.numel (), 1) : x.dims ().redim (static_cast<int> (count));
}

// Returns the dimensions for the library: one for a linear index.
inline gla_nd seen_as (const gpu_value &x, const dim_vector &dims, octave_idx_type count)
{
  gla_nd a = nd_of (x, dims);
  a.dims = static_cast<int> (count);
  return a;
}

// Does what Array<T>::index does.
inline dim_vector dims_of_linear (const gpu_value &x, const subscript &s)
{
  const octave_idx_type n = x.numel (), length = s.length ();
  if (s.is_colon ())
    return dim_vector (n, 1);
  const dim_vector own = x.dims (), idx = s.orig_dimensions ();
  return n != 1 && is_nd_vector (own) && is_nd_vector (idx) ? as_vector (own, length) : idx;
}

} // namespace on_gpu

} // namespace gla

#endif
