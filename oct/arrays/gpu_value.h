// gpu_value.h: the contents of a variable of class gpuArray, and its operations
// SPDX-License-Identifier: GPL-3.0-or-later
//
// On a GPU the functions of the library do the work (gpu_device.h). Without one the elements are an
// ordinary value of Octave, and the interpreter does every operation. So scripts run unchanged
// there, and the tests compare both.

#ifndef GPULINALG_GPU_VALUE_H
#define GPULINALG_GPU_VALUE_H

#include "gpu_op.h"

#include <memory>

namespace gla
{

class gpu_block; // gpu_device.h

#if OCTAVE_MAJOR_VERSION >= 7
using octave::idx_vector;
#else
using ::idx_vector;
#endif

// The types of elements: the letters of gla_type, and 'b' for logical.
inline bool is_single (char type)
{
  return type == 's' || type == 'c';
}
inline bool is_complex (char type)
{
  return type == 'c' || type == 'z';
}
inline char type_letter (bool single, bool complex)
{
  return single ? (complex ? 'c' : 's') : complex ? 'z' : 'd';
}
inline const char *class_of (char type)
{
  return type == 'b' ? "logical" : is_single (type) ? "single" : "double";
}

// Copies share the elements; whoever changes shared ones makes a copy first.
class gpu_value
{
public:
  gpu_value () : m_host (Matrix ()), m_type ('d') {}
  // Made on the GPU if there is one. Zero imaginary parts are kept with `complex`: the type of a
  // result must not depend on its values.
  gpu_value (const octave_value &host, bool complex);
  // What is on a GPU already.
  gpu_value (const std::shared_ptr<gpu_block> &block, char type, const dim_vector &dims)
      : m_block (block), m_dims (dims), m_type (type)
  {
  }

  char type () const { return m_type; }
  dim_vector dims () const { return on_gpu () ? m_dims : m_host.dims (); }
  octave_idx_type numel () const { return dims ().numel (); }
  std::size_t byte_size () const;
  const char *class_name () const;

  bool on_gpu () const { return static_cast<bool> (m_block); }
  // Returns the elements if they are not on a GPU, with zero imaginary parts.
  const octave_value &host () const { return m_host; }

  // Of elements on a GPU.
  const std::shared_ptr<gpu_block> &block () const { return m_block; }
  int device () const;
  void *data () const;
  bool shares (const gpu_value &x) const { return m_block == x.m_block; }
  // Copies the elements if they are shared.
  void own ();

  // Does x(idx) = rhs, where rhs may be [].
  void assign (const octave_value_list &idx, const octave_value &rhs);

private:
  octave_value m_host;
  std::shared_ptr<gpu_block> m_block; // NULL: the elements are m_host
  dim_vector m_dims;
  char m_type;
};

//------------------------------------------------------------------------------
// values of Octave
//------------------------------------------------------------------------------

// Registers the class and its operators with Octave, once, and lets built-in functions of Octave
// take gpuArrays. Nothing of Octave changes until a program asks for its first gpuArray or for a
// GPU.
void begin_gpu_arrays (octave::interpreter &interp);
// While it lives, functions of this package may use gpuArrays inside of a call that has none; at
// its end Octave's functions are as they were before.
class gpu_arrays_inside
{
public:
  explicit gpu_arrays_inside (octave::interpreter &interp);
  ~gpu_arrays_inside ();
  gpu_arrays_inside (const gpu_arrays_inside &) = delete;
  gpu_arrays_inside &operator= (const gpu_arrays_inside &) = delete;

private:
  octave::interpreter &m_interp;
  bool m_restore;
};
// Serves functions that may be called earlier: an error if another copy of this package has made
// the gpuArrays.
void refuse_other_gpu_arrays (octave::interpreter &interp);

bool is_gpu_array (const octave_value &v);
const gpu_value &gpu_value_of (const octave_value &v);
octave_value value_of (const gpu_value &x);

// Returns the elements of a gpuArray as Octave has them: without zero imaginary parts. Any other
// value is returned unchanged.
octave_value gathered (const octave_value &v);
octave_value_list gathered (const octave_value_list &args);

// Returns the letter of a value's elements: of a gpuArray, or of a full array of a class that a
// gpuArray may have. Ends with gpulinalg:bad-class for others.
char element_type (const char *who, const octave_value &v);
// The value as a gpuArray.
gpu_value moved (const char *who, const octave_value &v);

// Ends with gpulinalg:gather-needed.
OCTAVE_NORETURN void gather_needed (const char *who);

//------------------------------------------------------------------------------
// operations; arguments may be gpuArrays or values of the host
//------------------------------------------------------------------------------

// Returns the results of Octave's function of this name for the host's values. complex: whether the
// first result is complex whatever its values are.
octave_value_list on_host (const char *name, const octave_value_list &args, int outputs = 1);
gpu_value on_host_as (const char *name, const octave_value_list &args, bool complex);
// Does x * y' and so on for arrays on the host, by Octave's operator.
gpu_value turned_on_host (octave_value::compound_binary_op op, const octave_value &x,
                          const octave_value &y);

// Operators, and functions of each element; two arrays expand.
gpu_value binary (gpu_op op, const octave_value &x, const octave_value &y);
gpu_value unary (gpu_op op, const gpu_value &x);

gpu_value index (const gpu_value &x, const octave_value_list &idx);
gpu_value reshaped (const gpu_value &x, const dim_vector &dims);
gpu_value permuted (const gpu_value &x, const Array<int> &order, bool inverse);
gpu_value resized (const gpu_value &x, const dim_vector &dims);
gpu_value converted (const gpu_value &x, char type);
// Writes y into x from this corner on, and widens the type of x if that of y needs it.
gpu_value inserted (const gpu_value &x, const octave_value &y, const Array<octave_idx_type> &at);

// A function of the table in gpu_functions.cc.
octave_value_list gpu_function (const std::string &name, const octave_value_list &args,
                                int outputs);

} // namespace gla

#endif
