// gpu_steps.cc: operations on gpuArrays in C++, from which other functions are made
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An operation of the interpreter takes 1 to 5 us of the host in addition to the 1 to 2 us of the
// work itself, and an m-file function calls dozens of them. These are called from C++, and do the
// same work.

#include "gpu_steps.h"

#include <cctype>
#include <limits>

namespace gla
{

//------------------------------------------------------------------------------
// several steps in one kernel
//------------------------------------------------------------------------------

gla_nd number_of (double value)
{
  gla_nd a = {};
  a.type = 'd';
  a.value[0] = value;
  return a;
}

gla_nd spread_operand (const gpu_operand &x, const dim_vector &dims)
{
  return spread (x.nd (), x.dims (), dims);
}

// Returns a new array of this type and these sizes: the last of the steps.
gpu_value computed (int device, char type, const dim_vector &dims,
                    const std::vector<gla_nd> &inputs, const std::vector<gla_nd_step> &steps)
{
  gpu_value z = new_on_gpu (device, type, dims);
  if (z.numel () == 0)
    return z;
  const gla_nd to = nd_of (z, dims);
  const int result = static_cast<int> (inputs.size () + steps.size ()) - 1;
  auto program = sized<gla_nd_steps> ();
  program.inputs = inputs.data ();
  program.input_count = static_cast<int> (inputs.size ());
  program.steps = steps.data ();
  program.step_count = static_cast<int> (steps.size ());
  program.results = &result;
  program.outputs = &to;
  program.output_count = 1;
  device_call (
      [&] (gla_context *c) { return gla_elementwise_steps (c, device, &program, nullptr); });
  return z;
}

//------------------------------------------------------------------------------
// operators and functions
//------------------------------------------------------------------------------

bool is_on_gpu (const octave_value &v)
{
  return is_gpu_array (v) && gpu_value_of (v).on_gpu ();
}

octave_value op (gpu_op which, const octave_value &x, const octave_value &y)
{
  if (is_gpu_array (x) || is_gpu_array (y))
    return value_of (binary (which, x, y));
  return feval (the_interpreter (), name_of (which), ovl (x, y)) (0);
}

octave_value of_each (gpu_op which, const octave_value &x)
{
  if (is_gpu_array (x))
    return value_of (unary (which, gpu_value_of (x)));
  return feval (the_interpreter (), name_of (which), ovl (x)) (0);
}

octave_value along (const char *name, const octave_value &x, int dim)
{
  const bool extreme = std::strcmp (name, "max") == 0 || std::strcmp (name, "min") == 0;
  const octave_value d (static_cast<double> (dim));
  const octave_value_list args = extreme ? ovl (x, Matrix (), d) : ovl (x, d);
  return is_gpu_array (x) ? gpu_function (name, args, 1) (0)
                          : feval (the_interpreter (), name, args) (0);
}

octave_value adjoint_pages (const octave_value &x)
{
  Array<int> order (dim_vector (std::max (x.ndims (), 2), 1));
  for (int k = 0; k < order.numel (); k++)
    order (k) = k < 2 ? 1 - k : k;
  const octave_value turned = x.permute (order);
  return x.iscomplex () ? turned.conj () : turned;
}

octave_value replaced (const octave_value &x, const octave_value &mask, double number)
{
  if (is_on_gpu (x) && is_on_gpu (mask)) {
    const gpu_value &a = gpu_value_of (x), &m = gpu_value_of (mask);
    const dim_vector dims = a.dims ();
    return value_of (computed (a.device (), a.type (), dims,
                               {nd_of (a, dims), nd_of (m, dims), number_of (number)},
                               {{GLA_ND_SELECT, a.type (), 2, 0, 1}}));
  }
  octave_value y = x;
  y.assign (octave_value::op_asn_eq, "(", std::list<octave_value_list> (1, ovl (gathered (mask))),
            octave_value (number));
  return y;
}

octave_value column (const octave_value &x)
{
  return x.reshape (dim_vector (x.numel (), 1));
}

double largest (const octave_value &x)
{
  if (x.isempty ())
    return std::numeric_limits<double>::quiet_NaN ();
  return gathered (along ("max", column (x), 1)).double_value ();
}

bool is_any (const octave_value &x)
{
  return !x.isempty () && gathered (along ("any", column (x), 1)).is_true ();
}

dim_vector dims_of_page_numbers (const dim_vector &dims)
{
  dim_vector ones = dims;
  ones (0) = ones (1) = 1;
  return ones;
}

std::string with_name (const char *who, const std::string &text)
{
  std::size_t end = 0;
  while (end < text.size () &&
         (std::isalnum (static_cast<unsigned char> (text[end])) || text[end] == '_'))
    end++;
  return end > 0 && text.compare (end, 2, ": ") == 0 ? who + text.substr (end) : text;
}

} // namespace gla
