// gpu_elements.cc: operators and functions on single elements on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_device.h"

#include <octave/lo-array-errwarn.h>

#include <algorithm>

namespace gla
{

gla_nd spread (const gla_nd &a, const dim_vector &own, const dim_vector &dims)
{
  gla_nd b = a;
  if (a.data == nullptr)
    return b;
  b.dims = dims.ndims ();
  for (int k = 0; k < b.dims; k++) {
    const bool here = k < own.ndims () && own (k) != 1;
    b.step[k] = here ? a.step[k] : 0;
    b.size[k] = dims (k);
  }
  return b;
}

namespace on_gpu
{

namespace
{

OCTAVE_NORETURN void nan_as_logical ()
{
  error_with_id ("Octave:undefined-function", "NaN can't be converted to logical value");
}

dim_vector dims_of_both (const char *shown, const dim_vector &x, const dim_vector &y)
{
  const int count = std::max (x.ndims (), y.ndims ());
  dim_vector dims = x.ndims () >= y.ndims () ? x : y;
  for (int k = 0; k < count; k++) {
    const octave_idx_type a = k < x.ndims () ? x (k) : 1, b = k < y.ndims () ? y (k) : 1;
    if (a != b && a != 1 && b != 1)
      octave::err_nonconformant (shown, x, y);
    dims (k) = a == 1 ? b : a;
  }
  return dims;
}

char type_of_both (char x, char y)
{
  return type_letter (is_single (x) || is_single (y), is_complex (x) || is_complex (y));
}

// Whether elements of AND and OR may be NaN.
bool may_be_nan (gpu_op op, const gpu_operand &x, const gpu_operand &y)
{
  return (op == gpu_op::and_ || op == gpu_op::or_) && (x.type () != 'b' || y.type () != 'b');
}

gpu_value compute (gpu_op op, gpu_operand &x, gpu_operand &y, int device)
{
  const char type = type_of_both (x.type (), y.type ());
  // if a number makes the result single, the array becomes single first
  if (is_single (type) && x.type () != 'b' && !is_single (x.type ()))
    x.make (type_letter (true, is_complex (x.type ())));
  if (is_single (type) && y.type () != 'b' && !is_single (y.type ()))
    y.make (type_letter (true, is_complex (y.type ())));
  const bool numbers = is_single (type) && !(x.nd ().data && is_single (x.type ())) &&
                       !(y.nd ().data && is_single (y.type ()));
  if (numbers) // a logical array and a single number
    (x.nd ().data ? x : y).make (type_letter (true, false));
  const dim_vector dims = dims_of_both (shown_name_of (op), x.dims (), y.dims ());
  gpu_value z = new_on_gpu (device, is_logical (op) ? 'b' : type, dims);
  const gla_nd to = nd_of (z, dims), a = spread (x.nd (), x.dims (), dims),
               b = spread (y.nd (), y.dims (), dims);
  int outside = 0;
  const bool asks = !is_complex (type) && (may_leave (op) || may_be_nan (op, x, y));
  elementwise (device, library_op (op), to, a, &b,
               asks || may_be_nan (op, x, y) ? &outside : nullptr);
  if (outside && is_logical (op))
    nan_as_logical ();
  if (outside) { // again, and complex
    z = new_on_gpu (device, type_letter (is_single (type), true), dims);
    elementwise (device, library_op (op), nd_of (z, dims), a, &b);
  }
  return z;
}

// Whether v is this number, and x times x has the class of x to the power of v.
bool is_number (const octave_value &v, double number, const octave_value &x)
{
  return !is_gpu_array (v) && v.isreal () && v.numel () == 1 && v.double_value () == number &&
         (x.is_single_type () || !v.is_single_type ());
}

} // namespace

gpu_value binary (gpu_op given, const octave_value &first, const octave_value &second)
{
  const int device = device_of (name_of (given), ovl (first, second));
  gpu_op op = given;
  octave_value x = first, y = second;
  if (op == gpu_op::ldivide) {
    std::swap (x, y);
    op = gpu_op::rdivide;
  }
  if (op == gpu_op::power && is_number (y, 2, x)) { // as Octave does
    y = x;
    op = gpu_op::times;
  }
  const char *name = name_of (op);
  gpu_operand a (name, x, device), b (name, y, device);
  if (needs_real (op) && (is_complex (a.type ()) || is_complex (b.type ())))
    error_with_id ("gpulinalg:bad-class", "%s: not defined for complex numbers", name);
  const bool extreme = op == gpu_op::max || op == gpu_op::min;
  const gpu_value z = compute (op, a, b, device);
  return extreme && a.type () == 'b' && b.type () == 'b' ? gla::converted (z, 'b') : z;
}

//------------------------------------------------------------------------------
// one operand
//------------------------------------------------------------------------------

gpu_value converted (const gpu_value &x, char type)
{
  if (type == x.type ())
    return x;
  gpu_value y = new_on_gpu (x.device (), type, x.dims ());
  int outside = 0;
  elementwise (x.device (), GLA_ND_COPY, nd_of (y), nd_of (x), nullptr,
               type == 'b' ? &outside : nullptr);
  if (outside)
    error_with_id ("Octave:undefined-function", "logical: NaN can't be converted to logical value");
  return y;
}

static gpu_value transposed (const gpu_value &x, bool conjugate)
{
  const dim_vector dims = x.dims ();
  if (dims.ndims () != 2)
    error_with_id ("Octave:undefined-function", "transpose not defined for N-D objects");
  const dim_vector turned (dims (1), dims (0));
  gpu_value y = new_on_gpu (x.device (), x.type (), turned);
  gla_nd from = nd_of (x);
  std::swap (from.size[0], from.size[1]);
  std::swap (from.step[0], from.step[1]);
  elementwise (x.device (), conjugate && is_complex (x.type ()) ? GLA_ND_CONJ : GLA_ND_COPY,
               nd_of (y, turned), from, nullptr);
  return y;
}

static gpu_value apply (gpu_op op, const gpu_value &x)
{
  const bool complex = is_complex (x.type ());
  if (needs_real (op) && complex)
    error_with_id ("gpulinalg:bad-class", "%s: not defined for complex numbers", name_of (op));
  const char type =
      is_logical (op) ? 'b' : type_letter (is_single (x.type ()), complex && !is_always_real (op));
  const bool asks = (!complex && may_leave (op)) || (op == gpu_op::not_ && x.type () != 'b');
  gpu_value y = new_on_gpu (x.device (), type, x.dims ());
  int outside = 0;
  elementwise (x.device (), library_op (op), nd_of (y), nd_of (x), nullptr,
               asks ? &outside : nullptr);
  if (!outside)
    return y;
  if (is_logical (op))
    nan_as_logical ();
  y = new_on_gpu (x.device (), type_letter (is_single (x.type ()), true), x.dims ());
  elementwise (x.device (), library_op (op), nd_of (y), nd_of (x), nullptr);
  return y;
}

gpu_value unary (gpu_op op, const gpu_value &x)
{
  if (op == gpu_op::transpose || op == gpu_op::ctranspose)
    return transposed (x, op == gpu_op::ctranspose);
  return apply (op, x);
}

// For realsqrt, reallog and realpow an element that leaves the domain is an error.
gpu_value real_function (const char *name, const octave_value_list &args)
{
  gpu_value y;
  if (args.length () == 2) {
    y = on_gpu::binary (gpu_op::power, args (0), args (1));
  } else {
    const char *root = name + 4;
    const gpu_value x = moved (name, args (0));
    gpu_op op;
    if (!find_op (root, 1, &op))
      gather_needed (root);
    y = apply (op, x);
  }
  if (is_complex (y.type ()))
    error_with_id ("gpulinalg:bad-value", "%s: produced complex result", name);
  return y;
}

// Copies each part to every second number.
gpu_value made_complex (const octave_value &x, const octave_value &y)
{
  const int device = device_of ("complex", ovl (x, y));
  gpu_operand a ("complex", x, device), b ("complex", y, device);
  if (is_complex (a.type ()) || is_complex (b.type ()))
    error_with_id ("gpulinalg:bad-class", "complex: invalid conversion: the parts must be real");
  const bool single = is_single (a.type ()) || is_single (b.type ());
  const dim_vector dims = dims_of_both ("complex", a.dims (), b.dims ());
  gpu_value z = new_on_gpu (device, type_letter (single, true), dims);
  gla_nd part = nd_of (z, dims);
  part.type = single ? 's' : 'd';
  for (int k = 0; k < part.dims; k++)
    part.step[k] *= 2;
  gla_nd other = part;
  if (part.data != nullptr)
    other.data = static_cast<char *> (part.data) + (single ? sizeof (float) : sizeof (double));
  copy_all (device, {part, other},
            {spread (a.nd (), a.dims (), dims), spread (b.nd (), b.dims (), dims)});
  return z;
}

} // namespace on_gpu

} // namespace gla
