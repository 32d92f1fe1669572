// gpu_repeat.cc: repmat and mean of gpuArrays, for the table in gpu_functions.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave's repmat makes a list of subscripts as long as the result and copies that to the GPU; its
// mean is an m-file of many lines. Both kept the GPU waiting for longer than their work takes.

#include "gpu_device.h"
#include "gpu_operators.h"

#include <algorithm>
#include <cmath>

namespace gla
{

namespace
{

void check_arguments (const char *name, const octave_value_list &args, int least)
{
  if (args.length () < least || args.length () > 2 || !is_gpu_array (args (0)))
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
}

// The numbers of a row, none below 0.
std::vector<octave_idx_type> read_times (const char *name, const octave_value &v)
{
  const octave_value numbers = gathered (v);
  std::vector<octave_idx_type> times;
  if (!numbers.isnumeric () || !numbers.isreal ())
    error_with_id ("gpulinalg:bad-value", "%s: the numbers of copies must be integers", name);
  const NDArray a = numbers.array_value ();
  for (octave_idx_type k = 0; k < a.numel (); k++) {
    if (!(a.xelem (k) == std::floor (a.xelem (k)) && a.xelem (k) < 9e15))
      error_with_id ("gpulinalg:bad-value", "%s: the numbers of copies must be integers", name);
    times.push_back (static_cast<octave_idx_type> (std::max (a.xelem (k), 0.0)));
  }
  return times;
}

// The copy of an array to one with its elements again and again, for which it has step 0.
// Neighbouring dimensions that are one for both are merged.
struct expansion {
  gla_nd to, from;
  bool fits; // few enough dimensions

  void add (int64_t size, int64_t to_step, int64_t from_step)
  {
    const int last = to.dims - 1;
    if (size == 1)
      return;
    if (last >= 0 && to_step == to.step[last] * to.size[last] &&
        from_step == from.step[last] * from.size[last]) {
      to.size[last] *= size;
      from.size[last] *= size;
      return;
    }
    fits = fits && to.dims < GLA_ND_DIMS;
    if (!fits)
      return;
    to.size[to.dims] = from.size[to.dims] = size;
    to.step[to.dims] = to_step;
    from.step[to.dims] = from_step;
    from.dims = ++to.dims;
  }
};

// times: for each dimension of the result.
gpu_value repeated (const gpu_value &x, const std::vector<octave_idx_type> &times)
{
  dim_vector own = x.dims ();
  own.resize (static_cast<int> (times.size ()), 1);
  dim_vector dims = own;
  for (int k = 0; k < dims.ndims (); k++)
    dims (k) *= times[k];
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  if (dims.any_zero ())
    return y;
  expansion e = {nd_of (y, dim_vector (1, 1)), nd_of (x, dim_vector (1, 1)), true};
  e.to.dims = e.from.dims = 0;
  int64_t to = 1, from = 1;
  for (int k = 0; k < dims.ndims (); k++) {
    e.add (own (k), to, from);
    to *= own (k);
    e.add (times[k], to, 0);
    to *= times[k];
    from *= own (k);
  }
  if (e.to.dims == 0)
    e.to.dims = e.from.dims = 1; // of size 1
  if (e.fits) {
    elementwise (x.device (), GLA_ND_COPY, e.to, e.from, nullptr);
    return y;
  }
  y = x;
  for (int k = 0; k < dims.ndims (); k++) {
    std::vector<octave_idx_type> one (times.size (), 1);
    one[k] = times[k];
    y = repeated (y, one);
  }
  return y;
}

} // namespace

// repmat (x, times): inst/@gpuArray/repmat.m has read the forms of the arguments.
octave_value_list repeat (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 2);
  const gpu_value &x = gpu_value_of (args (0));
  std::vector<octave_idx_type> times = read_times (name, args (1));
  times.resize (std::max (times.size (), static_cast<std::size_t> (x.dims ().ndims ())), 1);
  if (x.on_gpu ())
    return ovl (value_of (repeated (x, times)));
  return ovl (
      value_of (on_host_as (name, ovl (args (0), gathered (args (1))), is_complex (x.type ()))));
}

// "mean_along" (x), (x, dim): mean of an array with elements; inst/@gpuArray/mean.m has other
// forms.
octave_value_list mean (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 1);
  const gpu_value &x = gpu_value_of (args (0));
  const dim_vector dims = x.dims ();
  octave_value_list all = ovl (value_of (x.type () == 'b' ? converted (x, 'd') : x));
  int dim = dims.first_non_singleton ();
  if (args.length () > 1) {
    all.append (args (1));
    const octave_value d = gathered (args (1));
    dim = is_real_scalar (d) && d.double_value () >= 1
              ? static_cast<int> (std::min (d.double_value (), 1e9)) - 1
              : -1;
  }
  const octave_value sum = gpu_function ("sum", all, 1) (0);
  const double count = dim >= 0 && dim < dims.ndims () ? static_cast<double> (dims (dim)) : 1;
  return ovl (value_of (binary ("rdivide", sum, octave_value (count))));
}

} // namespace gla
