// gpu_device.h: gpuArrays on a GPU: memory, copies, and the operations of the library
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GPU_DEVICE_H
#define GPULINALG_GPU_DEVICE_H

#include "gpu_value.h"

namespace gla
{

class gpu_join; // gpu_join.h

// Memory of a GPU, freed when nothing holds it any more.
class gpu_block
{
public:
  // Empty arrays take memory only when it is requested.
  gpu_block (int device, std::size_t bytes);
  // The elements are those of a join, which is done when they are requested.
  gpu_block (int device, std::unique_ptr<gpu_join> join);
  ~gpu_block ();
  gpu_block (const gpu_block &) = delete;
  gpu_block &operator= (const gpu_block &) = delete;

  // Ends with an error if the GPU was reset or has failed since.
  void *data () const;
  int device () const { return m_device; }
  bool lost () const;
  // NULL: there is none, or it is done.
  const gpu_join *join () const { return m_join.get (); }

private:
  void take (std::size_t bytes) const;

  mutable std::unique_ptr<gpu_join> m_join;
  mutable void *m_data;
  int m_device;
  unsigned m_era; // of the GPU: reset begins a new one
};

// Returns the GPU for new arrays; -1: there is none. Asks the driver at the first call.
int gpu_device ();
void set_gpu_device (int device);
int gpu_device_count ();
// Ends the life of all arrays on this GPU.
void reset_gpu (int device);
void wait_for_gpu (int device);
gla_device_info gpu_device_info (int device);

// Calls the library for arrays: device_call ([&] (gla_context *c) { return gla_wait (c, d); })
// returns after Ctrl-C and errors have been thrown.
template <typename Body> void device_call (Body body);
gla_context *array_context ();

// Returns the dimensions without trailing ones; ends with an error if a GPU has no such array.
dim_vector checked_dims (const dim_vector &dims);
// Arrays without gaps.
gpu_value new_on_gpu (int device, char type, const dim_vector &dims);
gpu_value to_gpu (const octave_value &v, char type, int device = gpu_device ());
octave_value from_gpu (const gpu_value &x);
// Returns the value as a gpuArray; an array of the host on this GPU, or on the host if it is -1.
gpu_value moved_to (int device, const char *who, const octave_value &v);
// Ends with gpulinalg:device-mismatch if the value is on another GPU than this one.
void check_device (const char *who, const octave_value &v, int device);
gla_nd nd_of (void *data, char type, const dim_vector &dims);
gla_nd nd_of (const gpu_value &x);
gla_nd nd_of (const gpu_value &x, const dim_vector &dims);

// Returns the array or number with the sizes of the result, if its own are 1 or the same.
gla_nd spread (const gla_nd &a, const dim_vector &own, const dim_vector &dims);

// An operand of an operation: an array on the GPU, or a number.
class gpu_operand
{
public:
  gpu_operand (const char *who, const octave_value &v, int device);
  const gla_nd &nd () const { return m_nd; }
  const gpu_value &array () const { return m_array; }
  const dim_vector &dims () const { return m_dims; }
  char type () const { return m_type; }
  // Converts an array; a number needs none.
  void make (char type);

private:
  gpu_value m_array;
  gla_nd m_nd;
  dim_vector m_dims;
  char m_type;
};

// Returns the GPU of these arguments' arrays. Ends with gpulinalg:device-mismatch if they have
// several.
int device_of (const char *who, const octave_value_list &args);
bool any_on_gpu (const octave_value_list &args);

void elementwise (int device, gla_nd_op op, const gla_nd &to, const gla_nd &x, const gla_nd *y,
                  int *outside = nullptr);
// Sets to[k] = from[k] for all k, in one launch; both have equally many.
void copy_all (int device, const std::vector<gla_nd> &to, const std::vector<gla_nd> &from);

// Returns the result of a function such as "zeros" with these arguments, as a gpuArray of this type
// on this GPU; type 0: its own.
gpu_value made_on_gpu (const std::string &name, const octave_value_list &args, char type,
                       int device = gpu_device ());

// Does fft, ifft, fft2, ifft2, fftn and ifftn, for the table in gpu_functions.cc.
octave_value_list fourier (const char *name, const octave_value_list &args, int outputs);

// The functions of gpu_value.h, for arrays on a GPU.
namespace on_gpu
{
gpu_value binary (gpu_op op, const octave_value &x, const octave_value &y);
gpu_value unary (gpu_op op, const gpu_value &x);
gpu_value converted (const gpu_value &x, char type);
gpu_value made_complex (const octave_value &x, const octave_value &y);
gpu_value real_function (const char *name, const octave_value_list &args);

gpu_value index (const gpu_value &x, const octave_value_list &idx);
void assign (gpu_value &x, const octave_value_list &idx, const octave_value &rhs);
// Ends with an error if an array on a GPU has no such number of subscripts.
void check_subscripts (octave_idx_type count);
gpu_value permuted (const gpu_value &x, const Array<int> &order);
gpu_value resized (const gpu_value &x, const dim_vector &dims);
void insert (gpu_value &x, const gpu_value &y, const Array<octave_idx_type> &at);
// Returns a part of this size from this corner on, of an array with at least as many dimensions.
gla_nd part_of (const gla_nd &whole, const dim_vector &at, const dim_vector &size);
gpu_value concatenated (const char *who, int dim, const octave_value_list &arrays);
gpu_value diagonal (const gpu_value &x, const octave_value_list &more);

// dim from 0; -1: the first one that is not 1.
gpu_value reduced (const char *name, const gpu_value &x, int dim);
octave_value_list extremes (const char *name, const gpu_value &x, int dim, int outputs);
octave_value_list find (const octave_value_list &args, int outputs);
// Sorts the columns of a matrix, and with two outputs returns their positions.
octave_value_list sorted (const gpu_value &x, bool descending, int outputs);
gpu_value product_sum (const octave_value &x, const octave_value &y, int dim);
gpu_value norm (const gpu_value &x, gla_norm p);

gpu_value product (gpu_op op, const octave_value &x, const octave_value &y);
// Returns op_x (x) * op_y (y) of matrices on a GPU; an op is 'N', 'T' or 'C'. x * x' and x' * x are
// exactly Hermitian.
gpu_value product_turned (const octave_value &x, char op_x, const octave_value &y, char op_y);
} // namespace on_gpu

template <typename Body> void device_call (Body body)
{
  gla_context *context = array_context ();
  call c ("gpuArray", the_interpreter (), context);
  c.finish (body (context));
}

} // namespace gla

#endif
