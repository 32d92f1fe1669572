// gpu_pages.h: gpuArrays as arguments and results of the functions on pages
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The functions on pages are templates over the class of their arrays. gpu_pages<A> replaces A
// there: the same elements, on a GPU. Then the library works in place. Without a GPU gpuArrays are
// gathered before the function and made again after it.

#ifndef GPULINALG_GPU_PAGES_H
#define GPULINALG_GPU_PAGES_H

#include "gpu_device.h"

#include <algorithm>

namespace gla
{

// Returns the GPU of the results of the current call.
int &gpu_of_call ();

template <typename A> class gpu_pages
{
public:
  typedef typename A::element_type element_type;

  gpu_pages () {}
  gpu_pages (const dim_vector &dims) : m_dims (dims), m_made (true)
  {
    m_value = new_on_gpu (gpu_of_call (), static_cast<char> (type_of (A ())), dims);
  }
  gpu_pages (const gpu_value &value) : m_value (value), m_dims (value.dims ()), m_made (true) {}

  dim_vector dims () const { return m_dims; }
  octave_idx_type rows () const { return m_dims (0); }
  octave_idx_type columns () const { return m_dims (1); }
  octave_idx_type numel () const { return m_made ? m_dims.numel () : 0; }
  // On the GPU.
  const void *data () const { return pointer (); }
  void *fortran_vec () { return pointer (); }
  const gpu_value &value () const { return m_value; }
  operator octave_value () const { return value_of (m_value); }

private:
  void *pointer () const { return numel () > 0 ? m_value.data () : nullptr; }

  gpu_value m_value;
  dim_vector m_dims; // the last ones may be 1
  bool m_made = false;
};

template <typename A> gla_type type_of (const gpu_pages<A> &)
{
  return type_of (A ());
}

// Reads a gpuArray, or an array of the host that is copied to the GPU of the call.
template <typename A> void read (const octave_value &v, gpu_pages<A> &a)
{
  const gpu_value x = moved_to (gpu_of_call (), "gpuArray", v);
  a = gpu_pages<A> (gla::converted (x, static_cast<char> (type_of (A ()))));
}

// Returns the context for a call of a function on pages. It is that of the gpuArrays, if there are
// some, so that its work is done in their order; but a function that shows progress may itself work
// with gpuArrays, so then it is another one, which is NULL here.
inline gla_context *context_of_pages (const octave_value_list &args, const octave_value &progress)
{
  return any_on_gpu (args) && progress.is_undefined () ? array_context () : nullptr;
}

template <typename A> gla_array array_of (const gpu_pages<A> &a)
{
  const dim_vector dims = a.dims ();
  return gla_array_packed (const_cast<void *> (a.data ()), type_of (A ()), dims (0), dims (1),
                           pages_of (dims), gpu_of_call ());
}
// Waits for pending work with the memory: a call with another context than that of the arrays has
// its own streams.
inline void wait_for_arrays (int device)
{
  if (!call::works_with (array_context ()))
    wait_for_gpu (device);
}
template <typename A> gla_array on_gpu_pages (const gpu_pages<A> &a)
{
  wait_for_arrays (gpu_of_call ());
  return array_of (a);
}
template <typename A> gla_array input (const gpu_pages<A> &a)
{
  return on_gpu_pages (a);
}
template <typename A> gla_array output (gpu_pages<A> &a)
{
  return on_gpu_pages (a);
}

// Returns the place of the elements.
template <typename A> int place_of (const A &)
{
  return GLA_DEVICE_HOST;
}
template <typename A> int place_of (const gpu_pages<A> &)
{
  return gpu_of_call ();
}

// Provides `unfilled` and `zeros` of gla_octave.h for both places.
template <typename A> struct new_pages {
  static A unfilled (const dim_vector &dims) { return gla::unfilled<A> (dims); }
  static A zeros (const dim_vector &dims) { return gla::zeros<A> (dims); }
};
template <typename A> struct new_pages<gpu_pages<A>> {
  static gpu_pages<A> unfilled (const dim_vector &dims) { return gpu_pages<A> (dims); }
  static gpu_pages<A> zeros (const dim_vector &dims)
  {
    gpu_pages<A> a (dims);
    gla_nd zero = {};
    zero.type = type_of (A ());
    elementwise (gpu_of_call (), GLA_ND_COPY, nd_of (a.value ()), zero, nullptr);
    return a;
  }
};
template <typename A> A unfilled_pages (const dim_vector &dims)
{
  return new_pages<A>::unfilled (dims);
}
template <typename A> A zero_pages (const dim_vector &dims)
{
  return new_pages<A>::zeros (dims);
}

// Does `allocate` of gla_octave.h, on a GPU.
template <typename A>
void allocate (gpu_pages<A> &a, gla_array &result, dim_vector dims, octave_idx_type rows,
               octave_idx_type columns)
{
  dims (0) = rows;
  dims (1) = columns;
  a = gpu_pages<A> (dims);
  result = output (a);
}

// Returns 1, 2, .., n.
inline NDArray first_numbers (octave_idx_type n)
{
  NDArray numbers (dim_vector (1, n));
  for (octave_idx_type k = 0; k < n; k++)
    numbers.xelem (k) = static_cast<double> (k + 1);
  return numbers;
}

// Returns the first elements in some dimensions of each page: rows x columns of them.
template <typename A>
gpu_pages<A> corner_of (const gpu_pages<A> &x, octave_idx_type rows, octave_idx_type columns)
{
  dim_vector dims = x.dims ();
  const octave_value all (octave_value::magic_colon_t);
  octave_value_list idx;
  for (int k = 0; k < dims.ndims (); k++)
    idx.append (all);
  idx (0) = octave_value (first_numbers (rows));
  idx (1) = octave_value (first_numbers (columns));
  return gpu_pages<A> (gla::index (x.value (), idx));
}

// Returns pages of `rows` rows with the columns of `values` on the diagonal that is `above` the
// main one.
template <typename A>
gpu_pages<A> diagonal_pages (const gpu_pages<A> &values, octave_idx_type rows,
                             octave_idx_type above)
{
  dim_vector dims = values.dims ();
  const octave_idx_type q = dims (0), count = std::min (q - above, rows);
  const dim_vector diagonal (count, pages_of (dims));
  dims (0) = rows;
  dims (1) = q;
  const gpu_pages<A> D = zero_pages<gpu_pages<A>> (dims);
  gla_nd to = nd_of (D.value (), diagonal), from = nd_of (values.value (), diagonal);
  if (D.numel () == 0 || count <= 0)
    return D;
  to.step[0] = rows + 1;
  to.step[1] = rows * q;
  from.step[1] = q;
  to.data = static_cast<typename A::element_type *> (to.data) + above * rows;
  from.data = static_cast<typename A::element_type *> (from.data) + above;
  elementwise (gpu_of_call (), GLA_ND_COPY, to, from, nullptr);
  return D;
}

// Does in_class_of for both places: on a GPU if an array is there.
template <typename Body>
octave_value_list in_page_class_of (const octave_value &A, const octave_value &B, Body body)
{
  octave_value_list arrays = ovl (A);
  if (B.is_defined ())
    arrays.append (B);
  if (!any_on_gpu (arrays))
    return in_class_of (A, B, body);
  gpu_of_call () = device_of ("gpuArray", arrays);
  const bool complex = A.iscomplex () || B.iscomplex ();
  if (A.is_single_type () || B.is_single_type ())
    return complex ? body (gpu_pages<FloatComplexNDArray> (), gpu_pages<FloatNDArray> ())
                   : body (gpu_pages<FloatNDArray> (), gpu_pages<FloatNDArray> ());
  return complex ? body (gpu_pages<ComplexNDArray> (), gpu_pages<NDArray> ())
                 : body (gpu_pages<NDArray> (), gpu_pages<NDArray> ());
}

// Calls inst/__gpu_pages__.m: functions on pages of gpuArrays that use several other functions.
octave_value_list gpu_pages_function (const char *name, const octave_value_list &args,
                                      int outputs = 1);

inline bool any_gpu_array (const octave_value_list &args)
{
  bool any = false;
  for (octave_idx_type k = 0; k < args.length (); k++)
    any = any || is_gpu_array (args (k));
  return any;
}

// Calls body (args) with gathered arguments. outputs says what its results become: 'a' a gpuArray
// that is complex if an argument is, 'r' a gpuArray, 'h' unchanged.
template <typename Body>
octave_value_list with_gathered (const octave_value_list &args, const char *outputs, Body body)
{
  bool complex = false;
  for (octave_idx_type k = 0; k < args.length (); k++)
    complex = complex || args (k).iscomplex ();
  const octave_value_list results = body (gathered (args));
  octave_value_list wrapped = results;
  for (octave_idx_type k = 0; k < results.length () && outputs[k] != '\0'; k++)
    if (outputs[k] != 'h')
      wrapped (k) = value_of (gpu_value (results (k), complex && outputs[k] == 'a'));
  return wrapped;
}

// Calls body (args) for a function of pages; with_gathered if gpuArrays are on the host.
template <typename Body>
octave_value_list with_gpu_arrays (const octave_value_list &args, const char *outputs, Body body)
{
  return any_gpu_array (args) && !any_on_gpu (args) ? with_gathered (args, outputs, body)
                                                    : body (args);
}

// Does so for functions that the library does not have for empty arrays on a GPU: nothing is copied
// for these.
template <typename Body>
octave_value_list with_gpu_matrices (const octave_value_list &args, const char *outputs, Body body)
{
  return args.length () > 0 && args (0).isempty () && any_gpu_array (args)
             ? with_gathered (args, outputs, body)
             : with_gpu_arrays (args, outputs, body);
}

} // namespace gla

#endif
