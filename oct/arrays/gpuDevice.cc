// gpuDevice.cc: gpuDevice for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpuDevice.h"

#include <octave/oct-map.h>
#include <octave/ov-typeinfo.h>

#include <cmath>

namespace
{

//------------------------------------------------------------------------------
// the value
//------------------------------------------------------------------------------

octave_scalar_map fields_of (int device)
{
  octave_scalar_map map;
  map.assign ("Index", device < 0 ? octave_value (Matrix ()) : octave_value (device));
  if (device < 0) {
    map.assign ("Name", std::string ("the host, because there is no GPU"));
    map.assign ("DeviceAvailable", false);
    return map;
  }
  const gla_device_info info = gla::gpu_device_info (device);
  auto memory = gla::sized<gla_memory_info> ();
  gla::device_call ([&] (gla_context *c) { return gla_memory_query (c, device, &memory); });
  map.assign ("Name", std::string (info.name));
  map.assign ("DeviceAvailable", true);
  map.assign ("ComputeCapability", std::to_string (info.major) + "." + std::to_string (info.minor));
  map.assign ("MultiprocessorCount", static_cast<double> (info.multiprocessors));
  map.assign ("TotalMemory", static_cast<double> (info.memory_total));
  map.assign ("AvailableMemory", static_cast<double> (info.memory_free));
  map.assign ("ArrayMemory", static_cast<double> (memory.live));
  map.assign ("PeakArrayMemory", static_cast<double> (memory.peak));
  map.assign ("KeptMemory", static_cast<double> (memory.kept));
  return map;
}

// The number of a GPU; its fields are queried when they are used.
class octave_gpu_device : public octave_base_value
{
public:
  octave_gpu_device () {}
  explicit octave_gpu_device (int device) : m_device (device) {}

  octave_base_value *clone () const { return new octave_gpu_device (*this); }
  octave_base_value *empty_clone () const { return new octave_gpu_device (); }
  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const { return dim_vector (1, 1); }
  int device () const { return m_device; }

  octave_value subsref (const std::string &type, const std::list<octave_value_list> &idx)
  {
    std::string name;
    if (type[0] == '.' && idx.front ().length () == 1 && idx.front () (0).is_string ())
      name = idx.front () (0).string_value ();
    const octave_value field = fields_of (m_device).getfield (name);
    if (field.is_undefined ())
      error_with_id ("gpulinalg:bad-value",
                     "gpuDevice: a GPU has no field \"%s\"; display it to see those it has",
                     name.c_str ());
    octave_value value = field;
    return type.length () == 1 ? value : value.next_subsref (type, idx);
  }
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &idx, int)
  {
    return ovl (subsref (type, idx));
  }

  void print (std::ostream &os, bool = false) { print_raw (os); }
  void print_raw (std::ostream &os, bool = false) const
  {
    const octave_scalar_map map = fields_of (m_device);
    os << "gpuDevice:\n";
    const string_vector names = map.keys ();
    for (octave_idx_type k = 0; k < names.numel (); k++) {
      const octave_value v = map.getfield (names (k));
      os << "  " << names (k) << ": ";
      if (v.is_string ())
        os << v.string_value ();
      else if (v.isempty ())
        os << "[]";
      else
        os << v.double_value ();
      os << "\n";
    }
  }

private:
  int m_device = -1;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpu_device, "gpuDevice", "gpuDevice");

void register_devices (octave::interpreter &interp)
{
  static bool registered = false;
  gla::begin_gpu_arrays (interp);
  if (!registered)
    octave_gpu_device::register_type ();
  registered = true;
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

int read_device (const octave_value &v)
{
  const double x = gla::is_real_scalar (v) ? v.double_value () : -1;
  const int count = gla::gpu_device_count ();
  if (!(x >= 0 && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value",
                   "gpuDevice: the number of a GPU must be an integer from 0, as gpulinalg_info "
                   "counts them%s",
                   gla::not_this_number (v).c_str ());
  if (x >= count)
    error_with_id ("gpulinalg:no-device", "gpuDevice: there is no GPU %g; the number of GPUs is %d",
                   x, count);
  return static_cast<int> (x);
}

octave_value_list device_body (octave::interpreter &interp, const octave_value_list &args,
                               int nargout)
{
  gla::check_counts ("gpuDevice", args, 0, 1, nargout, 1);
  register_devices (interp);
  if (args.length () == 1)
    gla::set_gpu_device (read_device (args (0)));
  return ovl (octave_value (new octave_gpu_device (gla::gpu_device ())));
}

} // namespace

void gpu_device_method (octave::interpreter &interp, const octave_value_list &args)
{
  register_devices (interp);
  if (args.length () != 2 || args (1).type_id () != octave_gpu_device::static_type_id ())
    print_usage ();
  const int device = static_cast<const octave_gpu_device &> (args (1).get_rep ()).device ();
  const std::string what = args (0).string_value ();
  if (device >= 0 && what == "wait")
    gla::wait_for_gpu (device);
  else if (device >= 0 && what == "reset")
    gla::reset_gpu (device);
}

DEFMETHOD_DLD (gpuDevice, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{D} =} gpuDevice ()
 @deftypefnx {gpulinalg} {@var{D} =} gpuDevice (@var{number})
The GPU that holds new gpuArrays.

With @var{number} (from 0, as @code{gpulinalg_info} counts them) that GPU is chosen
first; arrays that exist stay where they are.  @var{D} shows its properties:
@code{@var{D}.Name}, @code{Index}, @code{DeviceAvailable}, @code{ComputeCapability},
@code{MultiprocessorCount}, and in bytes @code{TotalMemory}, @code{AvailableMemory},
@code{ArrayMemory} (of gpuArrays), @code{PeakArrayMemory} (the most that there were)
and @code{KeptMemory} (kept for new gpuArrays; @code{gpulinalg_release} gives it back).
Without a GPU @code{DeviceAvailable} is false and @code{Index} is empty.

A program that begins with @code{zeros (@dots{}, "gpuArray")} or with @code{load} of a
saved gpuArray calls @code{gpuDevice} first: see @code{gpuArray}.

@code{wait (@var{D})} waits until the GPU has done all work on gpuArrays; functions
return before it is done, so a measurement of time needs this.  @code{reset
(@var{D})} ends the life of all gpuArrays on the GPU: using one afterwards is the
error @code{gpulinalg:device-failed}.

@example
@group
D = gpuDevice ();
D.DeviceAvailable == (gpuDeviceCount () > 0)
   @result{} ans = 1
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-value
@var{number} is not an integer from 0, or the field does not exist.
@item gpulinalg:no-device
There is no GPU of that number.
@end table

@seealso{gpuArray, gpuDeviceCount, gpulinalg_info, gputimeit}
@end deftypefn)doc")
{
  return gla::guarded ("gpuDevice", [&] () { return device_body (interp, args, nargout); });
}

/*
%!test
%! D = gpuDevice ();
%! wait (D);
%! assert (size (D), [1, 1]);
%! assert (D.DeviceAvailable, gpuDeviceCount () > 0);

%!## reset ends the life of arrays
%!testif ; gpuDeviceCount () > 0
%! G = gpuArray ([1, 2]);
%! reset (gpuDevice ());
%! assert (existsOnGPU (G), false);
%! fail ("G + 1", "lost");
%! assert (gather (gpuArray ([1, 2]) + 1), [2, 3]);

%!error <Invalid call> gpuDevice (1, 2)
%!error id=gpulinalg:bad-value gpuDevice (-1)
%!error <as gpulinalg_info counts them, not -1$> gpuDevice (-1)
%!error id=gpulinalg:no-device gpuDevice (99)
%!error <there is no GPU 99; the number of GPUs is \d+$> gpuDevice (99)
%!error id=gpulinalg:bad-value gpuDevice ().Colour
%!error <too many outputs> [a, b] = gpuDevice ();
*/
