// gpu_device.cc: memory of GPUs for gpuArrays, and copies
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_join.h"
#include "gpu_pages.h"

#include <algorithm>
#include <cstdlib>

namespace gla
{

//------------------------------------------------------------------------------
// devices
//------------------------------------------------------------------------------

// It is a separate context, because arrays belong to the context that made them.
gla_context *array_context ()
{
  static gla_context *context = take_context ("gpuArray", the_interpreter ());
  return context;
}

namespace
{

const int most_devices = 64;

// When a GPU is reset or lost a new era begins for it; arrays of an earlier one are lost.
unsigned era[most_devices];
int64_t blocks[most_devices]; // how many arrays there are on each

int &current_device ()
{
  static int device = gpu_device_count () > 0 ? 0 : -1;
  return device;
}

} // namespace

// GPULINALG_GPUARRAY=host: behaves as without a GPU.
int gpu_device_count ()
{
  static const int count = [] () {
    const char *place = std::getenv ("GPULINALG_GPUARRAY");
    return place != nullptr && std::string (place) == "host" ? 0
                                                             : gla_device_count (array_context ());
  }();
  return std::min (count, most_devices);
}

int &gpu_of_call ()
{
  static int device = 0;
  return device;
}

octave_value_list gpu_pages_function (const char *name, const octave_value_list &args, int outputs)
{
  octave_value_list all = ovl (name);
  all.append (args);
  return feval (the_interpreter (), "__gpu_pages__", all, outputs);
}

int gpu_device ()
{
  return current_device ();
}

void set_gpu_device (int device)
{
  current_device () = device;
}

// A GPU that failed is closed, and can no longer report its memory; asking replaces the message of
// the context.
void note_lost_arrays (gla_context *context)
{
  for (int device = 0; device < most_devices; device++) {
    auto info = sized<gla_memory_info> ();
    if (blocks[device] > 0 && context == array_context () &&
        gla_memory_query (context, device, &info) != GLA_OK)
      era[device]++;
  }
}

void reset_gpu (int device)
{
  era[device]++;
  gla_release (array_context (), device);
}

void wait_for_gpu (int device)
{
  device_call ([&] (gla_context *c) { return gla_wait (c, device); });
}

gla_device_info gpu_device_info (int device)
{
  auto info = sized<gla_device_info> ();
  device_call ([&] (gla_context *c) { return gla_device_query (c, device, &info); });
  return info;
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

gpu_block::gpu_block (int device, std::size_t bytes)
    : m_data (nullptr), m_device (device), m_era (era[device])
{
  if (bytes > 0)
    take (bytes);
  blocks[device]++;
}

gpu_block::gpu_block (int device, std::unique_ptr<gpu_join> join)
    : m_join (std::move (join)), m_data (nullptr), m_device (device), m_era (era[device])
{
  blocks[device]++;
}

void gpu_block::take (std::size_t bytes) const
{
  gla_context *context = array_context ();
  gla_status status = gla_memory_take (context, m_device, bytes, &m_data);
  if (status == GLA_ERROR_OUT_OF_MEMORY) {
    // memory that other contexts keep for later calls may be missing
    release_memory ("gpuArray", the_interpreter (), m_device);
    status = gla_memory_take (context, m_device, bytes, &m_data);
  }
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    error_with_id ("gpulinalg:device-memory", "gpuArray: out of memory: %s", gla_message (context));
  if (status != GLA_OK)
    device_call ([&] (gla_context *) { return status; });
}

gpu_block::~gpu_block ()
{
  blocks[m_device]--;
  if (m_data != nullptr)
    gla_memory_give (array_context (), m_device, m_data);
}

bool gpu_block::lost () const
{
  return m_era != era[m_device];
}

void *gpu_block::data () const
{
  if (lost ())
    error_with_id ("gpulinalg:device-failed",
                   "gpuArray: this array is lost, because GPU %d was reset or has failed",
                   m_device);
  if (m_data == nullptr)
    take (m_join ? m_join->byte_size () : 0);
  if (m_join) {
    const std::unique_ptr<gpu_join> join = std::move (m_join);
    try {
      join->run (m_device, m_data);
    } catch (...) { // the elements may be requested again
      m_join.reset (new gpu_join (*join));
      throw;
    }
  }
  return m_data;
}

//------------------------------------------------------------------------------
// arrays
//------------------------------------------------------------------------------

static std::size_t bytes_of (char type)
{
  return type == 'b' ? 1 : gla_type_size (static_cast<gla_type> (type));
}

dim_vector checked_dims (const dim_vector &dims)
{
  dim_vector d = dims;
  d.chop_trailing_singletons ();
  if (d.ndims () > GLA_ND_DIMS)
    error_with_id ("gpulinalg:bad-shape", "gpuArray: an array on a GPU has at most %d dimensions",
                   GLA_ND_DIMS);
  (void)d.safe_numel ();
  return d;
}

gpu_value new_on_gpu (int device, char type, const dim_vector &dims)
{
  const dim_vector d = checked_dims (dims);
  const std::size_t bytes = static_cast<std::size_t> (d.safe_numel ()) * bytes_of (type);
  return gpu_value (std::make_shared<gpu_block> (device, bytes), type, d);
}

template <typename A> static void put (const gpu_value &x, const A &a)
{
  device_call ([&] (gla_context *c) {
    return gla_memory_put (c, x.device (), x.data (), a.data (),
                           static_cast<std::size_t> (a.numel ()) * bytes_of (x.type ()));
  });
}

gpu_value to_gpu (const octave_value &v, char type, int device)
{
  gpu_value x = new_on_gpu (device, type, v.dims ());
  switch (type) {
  case 's':
    put (x, v.float_array_value ());
    break;
  case 'c':
    put (x, v.float_complex_array_value ());
    break;
  case 'z':
    put (x, v.complex_array_value ());
    break;
  case 'b':
    put (x, v.bool_array_value ());
    break;
  default:
    put (x, v.array_value ());
  }
  return x;
}

template <typename A> static octave_value get (const gpu_value &x)
{
  A a = unfilled<A> (x.dims ());
  device_call ([&] (gla_context *c) {
    return gla_memory_get (c, x.device (), a.fortran_vec (), x.data (),
                           static_cast<std::size_t> (a.numel ()) * bytes_of (x.type ()));
  });
  return a;
}

octave_value from_gpu (const gpu_value &x)
{
  switch (x.type ()) {
  case 's':
    return get<FloatNDArray> (x);
  case 'c':
    return get<FloatComplexNDArray> (x);
  case 'z':
    return get<ComplexNDArray> (x);
  case 'b':
    return get<boolNDArray> (x);
  default:
    return get<NDArray> (x);
  }
}

gla_nd nd_of (void *data, char type, const dim_vector &dims)
{
  gla_nd a = {};
  a.data = data;
  a.type = type;
  a.dims = dims.ndims ();
  int64_t step = 1;
  for (int k = 0; k < dims.ndims (); k++) {
    a.size[k] = dims (k);
    a.step[k] = step;
    step *= dims (k);
  }
  return a;
}

gla_nd nd_of (const gpu_value &x, const dim_vector &dims)
{
  return nd_of (x.numel () > 0 ? x.data () : nullptr, x.type (), dims);
}

gla_nd nd_of (const gpu_value &x)
{
  return nd_of (x, x.dims ());
}

//------------------------------------------------------------------------------
// operands
//------------------------------------------------------------------------------

OCTAVE_NORETURN static void devices_differ (const char *who, int one, int other)
{
  error_with_id ("gpulinalg:device-mismatch",
                 "%s: arrays on different GPUs, %d and %d; gather one of them and make it a "
                 "gpuArray where the other one is",
                 who, one, other);
}

void check_device (const char *who, const octave_value &v, int device)
{
  if (device >= 0 && is_gpu_array (v) && gpu_value_of (v).on_gpu () &&
      gpu_value_of (v).device () != device)
    devices_differ (who, device, gpu_value_of (v).device ());
}

gpu_value moved_to (int device, const char *who, const octave_value &v)
{
  const char type = element_type (who, v);
  check_device (who, v, device);
  return device < 0 || is_gpu_array (v) ? moved (who, v) : to_gpu (v.full_value (), type, device);
}

gpu_operand::gpu_operand (const char *who, const octave_value &v, int device)
    : m_nd (), m_dims (v.dims ()), m_type (element_type (who, v))
{
  if (!is_gpu_array (v) && v.numel () == 1) {
    const Complex number = v.complex_value ();
    m_nd.type = m_type;
    m_nd.value[0] = number.real ();
    m_nd.value[1] = number.imag ();
    return;
  }
  m_array = moved_to (device, who, v);
  m_nd = nd_of (m_array);
}

void gpu_operand::make (char type)
{
  if (m_nd.data != nullptr && m_type != type) {
    m_array = on_gpu::converted (m_array, type);
    m_nd = nd_of (m_array);
  }
  m_type = type;
}

bool any_on_gpu (const octave_value_list &args)
{
  for (octave_idx_type k = 0; k < args.length (); k++)
    if (is_gpu_array (args (k)) && gpu_value_of (args (k)).on_gpu ())
      return true;
  return false;
}

int device_of (const char *who, const octave_value_list &args)
{
  int device = -1;
  for (octave_idx_type k = 0; k < args.length (); k++) {
    if (!is_gpu_array (args (k)) || !gpu_value_of (args (k)).on_gpu ())
      continue;
    check_device (who, args (k), device);
    device = gpu_value_of (args (k)).device ();
  }
  return device;
}

void elementwise (int device, gla_nd_op op, const gla_nd &to, const gla_nd &x, const gla_nd *y,
                  int *outside)
{
  for (int k = 0; k < to.dims; k++)
    if (to.size[k] == 0)
      return;
  device_call (
      [&] (gla_context *c) { return gla_elementwise (c, device, op, &to, &x, y, outside); });
}

void copy_all (int device, const std::vector<gla_nd> &to, const std::vector<gla_nd> &from)
{
  device_call ([&] (gla_context *c) {
    return gla_join (c, device, to.data (), from.data (), static_cast<int> (to.size ()));
  });
}

} // namespace gla
