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

// Reads numbers of copies as Octave has them in all releases: n, [n1, n2, ...], or n1, n2, ...
// False: something else.
bool read_times (const octave_value_list &args, std::vector<octave_idx_type> &times)
{
  const octave_idx_type count = args.length ();
  for (octave_idx_type k = 1; k < count; k++) {
    const octave_value v = gathered (args (k));
    if (!v.isnumeric () || !v.isreal () || v.ndims () != 2 || v.rows () != 1 ||
        (count > 2 && v.columns () != 1))
      return false;
    const NDArray a = v.array_value ();
    for (octave_idx_type j = 0; j < a.numel (); j++) {
      const double number = a.xelem (j);
      if (!(number >= 0 && number == std::floor (number) && number < 9e15))
        return false;
      times.push_back (static_cast<octave_idx_type> (number));
    }
  }
  if (times.size () == 1)
    times.push_back (times[0]);
  return !times.empty ();
}

// Returns the numbers of copies in other forms, by Octave's result for one element; it also gives
// the errors.
std::vector<octave_idx_type> times_of_octave (const octave_value_list &args)
{
  octave_value_list all = gathered (args.slice (1, args.length () - 1));
  all.prepend (octave_value (true));
  const dim_vector dims = feval (the_interpreter (), "repmat", all, 1) (0).dims ();
  std::vector<octave_idx_type> times;
  for (int k = 0; k < dims.ndims (); k++)
    times.push_back (dims (k));
  return times;
}

// The copy of an array to one that repeats its elements, for which it has step 0. Adjacent
// dimensions that are one for both are merged.
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

// repmat (x, n), (x, [n1, n2, ...]), (x, n1, n2, ...).
octave_value_list repeat (const char *name, const octave_value_list &args, int)
{
  if (args.length () == 0 || !is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  std::vector<octave_idx_type> times;
  if (!read_times (args, times))
    times = times_of_octave (args);
  const gpu_value &x = gpu_value_of (args (0));
  times.resize (std::max (times.size (), static_cast<std::size_t> (x.dims ().ndims ())), 1);
  if (x.on_gpu ())
    return ovl (value_of (repeated (x, times)));
  octave_value_list all = gathered (args);
  all (0) = args (0);
  return ovl (value_of (on_host_as (name, all, is_complex (x.type ()))));
}

// Does mean (x), (x, dim) of an array with elements; inst/__gpu_mean__.m does other forms.
octave_value_list mean (const char *name, const octave_value_list &args, int)
{
  const octave_idx_type count = args.length ();
  if (count == 2 && is_text (args (1)) && args (1).string_value () == "other")
    gather_needed (name);
  if (count > 0 && !is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  if (count < 1 || count > 2 || args (0).isempty () ||
      (count == 2 && !(args (1).isnumeric () && args (1).numel () == 1)))
    return feval (the_interpreter (), "__gpu_mean__", args, 1);
  const gpu_value &x = gpu_value_of (args (0));
  const dim_vector dims = x.dims ();
  octave_value_list all = ovl (value_of (x.type () == 'b' ? converted (x, 'd') : x));
  int dim = dims.first_non_singleton ();
  if (count == 2) {
    all.append (args (1));
    const octave_value d = gathered (args (1));
    dim = is_real_scalar (d) && d.double_value () >= 1
              ? static_cast<int> (std::min (d.double_value (), 1e9)) - 1
              : -1;
  }
  const octave_value sum = gpu_function ("sum", all, 1) (0);
  const double length = dim >= 0 && dim < dims.ndims () ? static_cast<double> (dims (dim)) : 1;
  return ovl (value_of (binary (gpu_op::rdivide, sum, octave_value (length))));
}

} // namespace gla
