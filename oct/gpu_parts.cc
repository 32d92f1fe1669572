// gpu_parts.cc: triu, tril and bsxfun of gpuArrays, for the table in gpu_functions.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave's own triu and tril assign column by column to arrays whose type they do not know, and
// its bsxfun calls the function column by column.

#include "gpu_device.h"
#include "gpu_operators.h"

#include <cmath>

namespace gla
{

namespace
{

// first, first + 1, ... as a row or column on this GPU.
octave_value counted (double first, const dim_vector &dims, int device)
{
  NDArray numbers (dims);
  for (octave_idx_type k = 0; k < numbers.numel (); k++)
    numbers.xelem (k) = first + static_cast<double> (k);
  return value_of (to_gpu (numbers, 'd', device));
}

} // namespace

// triu (x), triu (x, k), and tril. What is not taken becomes 0.
octave_value_list triangle (const char *name, const octave_value_list &args, int)
{
  const octave_idx_type count = args.length ();
  const octave_value k = count == 2 ? gathered (args (1)) : octave_value (0.0);
  if (!is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  const gpu_value &x = gpu_value_of (args (0));
  if (count > 2 || !is_real_scalar (k) || k.is_string ())
    gather_needed (name);
  if (!x.on_gpu ())
    return ovl (value_of (on_host_as (name, ovl (args (0), k), is_complex (x.type ()))));
  const dim_vector dims = x.dims ();
  if (dims.ndims () != 2)
    error_with_id ("gpulinalg:bad-shape", "%s: need a 2-D matrix", name);
  if (x.numel () == 0)
    return ovl (args (0));
  const octave_value rows = counted (std::trunc (k.double_value ()), dim_vector (dims (0), 1),
                                     x.device ()),
                     columns = counted (0, dim_vector (1, dims (1)), x.device ());
  const char *outside = std::strcmp (name, "triu") == 0 ? "gt" : "lt";
  gpu_value y = x;
  const octave_value zero = x.type () == 'b' ? octave_value (false) : octave_value (0.0);
  y.assign (ovl (value_of (binary (outside, rows, columns))), zero);
  return ovl (value_of (y));
}

// Operations of gpuArrays expand themselves.
octave_value_list bsxfun (const char *name, const octave_value_list &args, int)
{
  if (args.length () != 3)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  return feval (the_interpreter (), args (0), args.slice (1, 2), 1);
}

} // namespace gla
