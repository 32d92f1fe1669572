// gpu_join.h: arrays on a GPU that are joined from other arrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave evaluates [x, y; z] by making an empty array as large as the result and writing one part
// after the other into a copy of it. So that one kernel writes all of them, such an array remembers
// its parts; the last one, which fills it, starts the kernel. An array that is used earlier has 0
// where there is no part.

#ifndef GPULINALG_GPU_JOIN_H
#define GPULINALG_GPU_JOIN_H

#include "gpu_device.h"

#include <memory>
#include <vector>

namespace gla
{

class gpu_join
{
public:
  gpu_join (char type, const dim_vector &dims)
      : m_type (type), m_dims (dims), m_parts (std::make_shared<std::vector<part>> ())
  {
  }
  // Copies it, with elements of another type.
  gpu_join (char type, const gpu_join &join) : gpu_join (join) { m_type = type; }

  // Adds the array y, which is on this GPU or is copied there, from this corner on. Arrays do not
  // overlap.
  void add (int device, const char *who, const octave_value &y, const Array<octave_idx_type> &at);
  bool is_full () const { return m_covered == m_dims.numel (); }
  std::size_t byte_size () const;
  // Writes the elements to this memory.
  void run (int device, void *data) const;

private:
  struct part {
    gpu_operand from;
    dim_vector at;
  };
  char m_type;
  dim_vector m_dims;
  // Joins that are made from one another share the list, of which each has the first m_count.
  std::shared_ptr<std::vector<part>> m_parts;
  std::size_t m_count = 0;
  octave_idx_type m_covered = 0; // elements that belong to a part
};

// Returns the type of an array that is made of arrays of both: numbers replace logical, single
// replaces double.
char joined_type (char x, char y);

namespace on_gpu
{
// Returns an array of these sizes with the type and GPU of x, for parts to come.
gpu_value begun_join (const gpu_value &x, const dim_vector &dims);
// Returns the join x with another part.
gpu_value joined (const gpu_value &x, char type, const octave_value &y,
                  const Array<octave_idx_type> &at);
} // namespace on_gpu

} // namespace gla

#endif
