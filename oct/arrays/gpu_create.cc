// gpu_create.cc: zeros (..., "gpuArray") and other functions that make arrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave rejects the word "gpuArray" before it looks for methods. So wrappers replace its functions
// of these names; they check the last argument, and pass all other calls on. Called by
// gpu_functions.cc.

#include "gpu_device.h"
#include "gpu_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gla
{

namespace
{

const char *const makers[] = {"zeros", "ones",     "eye",  "rand",  "randn", "Inf",
                              "NaN",   "linspace", "true", "false", "randi"};
constexpr int maker_count = sizeof makers / sizeof *makers;

octave_value &own_function (int k)
{
  static octave_value functions[maker_count];
  return functions[k];
}

// Finds the value of all elements, for functions that fill.
bool fills (const std::string &name, double &value)
{
  value = name == "ones" || name == "true" ? 1
          : name == "Inf"                  ? std::numeric_limits<double>::infinity ()
          : name == "NaN"                  ? std::numeric_limits<double>::quiet_NaN ()
                                           : 0;
  return name == "zeros" || name == "false" || value != 0;
}

// Reads the dimensions that these sizes mean: none, one n, one vector or several numbers. False if
// an argument is something else; then Octave's function gives the error.
bool read_sizes (const octave_value_list &args, dim_vector &dims)
{
  std::vector<double> sizes;
  for (octave_idx_type k = 0; k < args.length (); k++) {
    if (!args (k).isnumeric () || !args (k).isreal () || args (k).issparse () ||
        (args.length () > 1 && args (k).numel () != 1))
      return false;
    const NDArray a = args (k).array_value ();
    for (octave_idx_type j = 0; j < a.numel (); j++)
      sizes.push_back (std::max (a.xelem (j), 0.0));
  }
  if (args.length () == 1 && sizes.size () < 2)
    sizes.resize (2, sizes.empty () ? 0 : sizes[0]);
  sizes.resize (std::max<std::size_t> (sizes.size (), 2), 1);
  dims = dim_vector::alloc (static_cast<int> (sizes.size ()));
  for (std::size_t k = 0; k < sizes.size (); k++) {
    if (!(sizes[k] == std::floor (sizes[k]) && sizes[k] < 9e15))
      return false;
    dims (static_cast<int> (k)) = static_cast<octave_idx_type> (sizes[k]);
  }
  dims.chop_trailing_singletons ();
  return true;
}

gpu_value filled (double value, char type, const dim_vector &dims, int device)
{
  gpu_value x = new_on_gpu (device, type, dims);
  gla_nd number = {};
  number.type = type;
  number.value[0] = value;
  elementwise (x.device (), GLA_ND_COPY, nd_of (x), number, nullptr);
  return x;
}

} // namespace

gpu_value made_on_gpu (const std::string &name, const octave_value_list &args, char type,
                       int device)
{
  octave_value_list sizes = args;
  bool single = is_single (type);
  if (args.length () > 0 && is_text (args (args.length () - 1))) {
    const std::string word = args (args.length () - 1).string_value ();
    single = word == "single" || single;
    if (word == "single" || word == "double")
      sizes = args.slice (0, args.length () - 1);
  }
  const bool logical = name == "true" || name == "false";
  const char wanted = type != 0 ? type : logical ? 'b' : type_letter (single, false);
  double value;
  dim_vector dims;
  if (device >= 0 && fills (name, value) && read_sizes (sizes, dims))
    return filled (value, wanted, dims, device);
  const auto k = std::find (makers, makers + maker_count, name) - makers; // it is one of them
  const octave_value own = own_function (static_cast<int> (k));
  const octave_value made = call_own (the_interpreter (), name.c_str (), own, args, 1) (0);
  const gpu_value x = moved_to (device, name.c_str (), made);
  return type != 0 ? converted (x, type) : x;
}

namespace
{

template <int k>
octave_value_list maker (octave::interpreter &interp, const octave_value_list &args, int nargout)
{
  const octave_idx_type last = args.length () - 1;
  bool any = false; // of the sizes, or the one after "like"
  for (octave_idx_type j = 0; j <= last; j++)
    any = any || is_gpu_array (args (j)) || is_traced (args (j));
  if (last < 0 || !is_text (args (last)) || args (last).string_value () != "gpuArray")
    return any ? guarded (makers[k], [&] () { return gpu_function (makers[k], args, nargout); })
               : call_own (interp, makers[k], own_function (k), args, nargout);
  return guarded (makers[k], [&] () {
    return ovl (value_of (made_on_gpu (makers[k], gathered (args.slice (0, last)), 0)));
  });
}

template <int k> void install_makers (octave::interpreter &interp)
{
  own_function (k) = replace_function (interp, makers[k], maker<k>);
  install_makers<k + 1> (interp);
}
template <> void install_makers<maker_count> (octave::interpreter &) {}

} // namespace

void install_gpu_makers (octave::interpreter &interp)
{
  install_makers<0> (interp);
}

} // namespace gla
