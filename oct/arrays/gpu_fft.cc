// gpu_fft.cc: Fourier transforms of gpuArrays: fft, fft2, fftn and their inverses
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This file reads the arguments, and makes arrays without elements: Octave's own functions differ
// from version to version, and in some of them fftn does not return.

#include "gpu_device.h"

#include <cmath>

namespace gla
{

namespace
{

bool is_given (const octave_value_list &args, int k)
{
  return args.length () > k && !args (k).isempty ();
}

// Reads a number of points or a dimension, at least `least`.
octave_idx_type read_count (const char *name, const octave_value &v, const char *what, int least)
{
  const octave_value given = gathered (v);
  const double x =
      given.isreal () && given.isnumeric () && given.numel () == 1 ? given.double_value () : -1;
  if (!(x >= least && x == std::floor (x) && x < 9e15))
    error_with_id ("gpulinalg:bad-value", "%s: %s must be an integer of at least %d", name, what,
                   least);
  return static_cast<octave_idx_type> (x);
}

// The dimensions, from 0, along which an array of `from` is transformed, and its sizes then.
struct plan {
  int first = 0, last = 0;
  dim_vector from, to;
};

plan plan_of_one (const char *name, const octave_value_list &args)
{
  plan p;
  p.from = p.to = args (0).dims ();
  p.first = p.to.first_non_singleton ();
  if (is_given (args, 2)) {
    const octave_idx_type dim = read_count (name, args (2), "DIM", 1);
    if (dim > p.to.ndims ())
      error_with_id ("gpulinalg:bad-value",
                     "%s: DIM must be a valid dimension along which to perform FFT", name);
    p.first = static_cast<int> (dim) - 1;
  }
  p.last = p.first;
  if (is_given (args, 1))
    p.to (p.first) = read_count (name, args (1), "the number of points N", 0);
  return p;
}

plan plan_of_two (const char *name, const octave_value_list &args)
{
  plan p;
  p.from = p.to = args (0).dims ();
  p.last = 1;
  if (is_given (args, 1))
    p.to (0) = read_count (name, args (1), "the number of rows M", 0);
  if (is_given (args, 2))
    p.to (1) = read_count (name, args (2), "the number of columns N", 0);
  // Octave's own has the requested size from version 11 on, and 0 x 0 before
  if ((p.to (0) == 0 || p.to (1) == 0) && on_host ("fft2", ovl (0.0, 0.0, 2.0)) (0).columns () == 0)
    p.to = dim_vector (0, 0);
  return p;
}

plan plan_of_all (const char *name, const octave_value_list &args)
{
  plan p;
  p.from = p.to = args (0).dims ();
  p.last = p.to.ndims () - 1;
  if (args.length () < 2)
    return p;
  const octave_value size = gathered (args (1));
  if (!size.isnumeric () || !size.isreal () || size.numel () != p.to.ndims ())
    error_with_id ("gpulinalg:bad-value", "%s: SIZE must be a vector of %d elements", name,
                   static_cast<int> (p.to.ndims ()));
  const NDArray sizes = size.array_value ();
  for (int k = 0; k < p.to.ndims (); k++)
    p.to (k) = read_count (name, octave_value (sizes (k)), "each element of SIZE", 0);
  return p;
}

// Stores the result in `to`, which may be x. Returns GLA_ERROR_OUT_OF_MEMORY, and throws all other
// errors.
gla_status transform (const gpu_value &x, int dim, bool inverse, const gpu_value &to)
{
  const dim_vector dims = x.dims ();
  gla_slices s = {};
  s.x = x.data ();
  s.type = x.type ();
  s.inner = s.n = s.outer = 1;
  for (int k = 0; k < dims.ndims (); k++)
    (k < dim ? s.inner : k == dim ? s.n : s.outer) *= dims (k);
  gla_status status = GLA_OK;
  device_call ([&] (gla_context *c) {
    status = gla_fft (c, x.device (), &s, inverse, to.data ());
    return status == GLA_ERROR_OUT_OF_MEMORY ? GLA_OK : status;
  });
  return status;
}

// Transforms along all dimensions, in place after the first. Returns GLA_ERROR_OUT_OF_MEMORY, and
// then y is empty.
gla_status attempt (const gpu_value &x, const plan &p, bool inverse, gpu_value &y)
{
  dim_vector dims = p.to;
  dims.chop_trailing_singletons ();
  y = dims == x.dims () ? x : resized (x, dims);
  y = converted (y, type_letter (is_single (x.type ()), true));
  gla_status status = GLA_OK;
  for (int dim = p.first; dim <= p.last && dim < dims.ndims () && status == GLA_OK; dim++) {
    if (dims (dim) == 1)
      continue;
    const gpu_value to = y.shares (x) ? new_on_gpu (x.device (), y.type (), dims) : y;
    status = transform (y, dim, inverse, to);
    y = to;
  }
  return status;
}

gpu_value transformed (const char *name, const gpu_value &x, const plan &p, bool inverse)
{
  gpu_value y;
  gla_status status = attempt (x, p, inverse, y);
  if (status == GLA_ERROR_OUT_OF_MEMORY) {
    // memory that other contexts keep for later calls may be missing
    y = gpu_value ();
    release_memory (name, the_interpreter (), x.device ());
    status = attempt (x, p, inverse, y);
  }
  if (status != GLA_OK)
    error_with_id ("gpulinalg:device-memory", "%s: out of memory: %s", name,
                   gla_message (array_context ()));
  return y;
}

// Calls Octave's function. A logical array would stay one if a transform has one point.
gpu_value of_octave (const char *name, const octave_value_list &args, const plan &p)
{
  octave_value_list all = ovl (gathered (args (0)));
  if (all (0).islogical ())
    all (0) = octave_value (all (0).array_value ());
  if (p.first == p.last)
    all.append (ovl (octave_value (p.to (p.first)), octave_value (p.first + 1)));
  else if (std::strchr (name, '2') != nullptr)
    all.append (ovl (octave_value (p.to (0)), octave_value (p.to (1))));
  else if (p.to != p.from) {
    RowVector sizes (p.to.ndims ());
    for (int k = 0; k < p.to.ndims (); k++)
      sizes (k) = static_cast<double> (p.to (k));
    all.append (octave_value (sizes));
  }
  return on_host_as (name, all, true);
}

} // namespace

octave_value_list fourier (const char *name, const octave_value_list &args, int)
{
  const std::string word = name;
  const char kind = word.back ();
  if (args.length () < 1 || args.length () > (kind == 'n' ? 2 : 3))
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  if (!is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  const plan p = kind == '2'   ? plan_of_two (name, args)
                 : kind == 'n' ? plan_of_all (name, args)
                               : plan_of_one (name, args);
  const gpu_value &x = gpu_value_of (args (0));
  if (p.to.any_zero () || x.numel () == 0) {
    const octave_value zeros = is_single (x.type ()) ? octave_value (FloatNDArray (p.to, 0))
                                                     : octave_value (NDArray (p.to, 0));
    return ovl (value_of (gpu_value (zeros, true)));
  }
  if (x.on_gpu ())
    return ovl (value_of (transformed (name, x, p, word[0] == 'i')));
  return ovl (value_of (of_octave (name, args, p)));
}

} // namespace gla
