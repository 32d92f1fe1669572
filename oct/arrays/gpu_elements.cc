// gpu_elements.cc: operators and functions of single elements on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_device.h"
#include "gpu_trace.h"

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

// What Octave calls the function, and in messages the operator.
struct operation {
  const char *name;
  gla_nd_op op;
  const char *shown;
};

const operation binary_operations[] = {
    {"plus", GLA_ND_ADD, "operator +"},   {"minus", GLA_ND_SUB, "operator -"},
    {"times", GLA_ND_MUL, "product"},     {"rdivide", GLA_ND_DIV, "quotient"},
    {"power", GLA_ND_POW, "operator .^"}, {"eq", GLA_ND_EQ, "mx_el_eq"},
    {"ne", GLA_ND_NE, "mx_el_ne"},        {"lt", GLA_ND_LT, "mx_el_lt"},
    {"le", GLA_ND_LE, "mx_el_le"},        {"gt", GLA_ND_GT, "mx_el_gt"},
    {"ge", GLA_ND_GE, "mx_el_ge"},        {"and", GLA_ND_AND, "operator &"},
    {"or", GLA_ND_OR, "operator |"},      {"max", GLA_ND_MAX, "max"},
    {"min", GLA_ND_MIN, "min"},           {"mod", GLA_ND_MOD, "mod"},
    {"rem", GLA_ND_REM, "rem"},           {"atan2", GLA_ND_ATAN2, "atan2"},
    {"hypot", GLA_ND_HYPOT, "hypot"},
};

const operation functions[] = {
    {"uminus", GLA_ND_NEG, ""},  {"conj", GLA_ND_CONJ, ""},   {"floor", GLA_ND_FLOOR, ""},
    {"ceil", GLA_ND_CEIL, ""},   {"round", GLA_ND_ROUND, ""}, {"fix", GLA_ND_FIX, ""},
    {"sign", GLA_ND_SIGN, ""},   {"real", GLA_ND_REAL, ""},   {"imag", GLA_ND_IMAG, ""},
    {"abs", GLA_ND_ABS, ""},     {"arg", GLA_ND_ARG, ""},     {"not", GLA_ND_NOT, ""},
    {"isnan", GLA_ND_ISNAN, ""}, {"isinf", GLA_ND_ISINF, ""}, {"isfinite", GLA_ND_ISFINITE, ""},
    {"exp", GLA_ND_EXP, ""},     {"expm1", GLA_ND_EXPM1, ""}, {"log", GLA_ND_LOG, ""},
    {"log2", GLA_ND_LOG2, ""},   {"log10", GLA_ND_LOG10, ""}, {"log1p", GLA_ND_LOG1P, ""},
    {"sqrt", GLA_ND_SQRT, ""},   {"sin", GLA_ND_SIN, ""},     {"cos", GLA_ND_COS, ""},
    {"tan", GLA_ND_TAN, ""},     {"sinh", GLA_ND_SINH, ""},   {"cosh", GLA_ND_COSH, ""},
    {"tanh", GLA_ND_TANH, ""},   {"asin", GLA_ND_ASIN, ""},   {"acos", GLA_ND_ACOS, ""},
    {"atan", GLA_ND_ATAN, ""},   {"asinh", GLA_ND_ASINH, ""}, {"acosh", GLA_ND_ACOSH, ""},
    {"atanh", GLA_ND_ATANH, ""}, {"cbrt", GLA_ND_CBRT, ""},   {"erf", GLA_ND_ERF, ""},
    {"erfc", GLA_ND_ERFC, ""},
};

template <typename Table> const operation &find_operation (const Table &table, const char *name)
{
  for (const operation &o : table)
    if (std::strcmp (o.name, name) == 0)
      return o;
  gather_needed (name);
}

bool is_logical (gla_nd_op op)
{
  return op >= GLA_ND_EQ && op <= GLA_ND_ISFINITE;
}

bool needs_real (gla_nd_op op)
{
  return (op >= GLA_ND_MOD && op <= GLA_ND_HYPOT) || op >= GLA_ND_CBRT;
}

bool may_leave (gla_nd_op op)
{
  return op == GLA_ND_POW || op == GLA_ND_SQRT || (op >= GLA_ND_LOG && op <= GLA_ND_LOG1P) ||
         op == GLA_ND_ASIN || op == GLA_ND_ACOS || op == GLA_ND_ACOSH || op == GLA_ND_ATANH;
}

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
bool may_be_nan (gla_nd_op op, const gpu_operand &x, const gpu_operand &y)
{
  return (op == GLA_ND_AND || op == GLA_ND_OR) && (x.type () != 'b' || y.type () != 'b');
}

gpu_value compute (const operation &o, gpu_operand &x, gpu_operand &y, int device)
{
  const char type = type_of_both (x.type (), y.type ());
  // where a number makes the result single, the array is single before
  if (is_single (type) && x.type () != 'b' && !is_single (x.type ()))
    x.make (type_letter (true, is_complex (x.type ())));
  if (is_single (type) && y.type () != 'b' && !is_single (y.type ()))
    y.make (type_letter (true, is_complex (y.type ())));
  const bool numbers = is_single (type) && !(x.nd ().data && is_single (x.type ())) &&
                       !(y.nd ().data && is_single (y.type ()));
  if (numbers) // a logical array and a single number
    (x.nd ().data ? x : y).make (type_letter (true, false));
  const dim_vector dims = dims_of_both (o.shown, x.dims (), y.dims ());
  gpu_value z = new_on_gpu (device, is_logical (o.op) ? 'b' : type, dims);
  const gla_nd to = nd_of (z, dims), a = spread (x.nd (), x.dims (), dims),
               b = spread (y.nd (), y.dims (), dims);
  int outside = 0;
  const bool asks = !is_complex (type) && (may_leave (o.op) || may_be_nan (o.op, x, y));
  elementwise (device, o.op, to, a, &b, asks || may_be_nan (o.op, x, y) ? &outside : nullptr);
  if (outside && is_logical (o.op))
    nan_as_logical ();
  if (outside) { // again, and complex
    z = new_on_gpu (device, type_letter (is_single (type), true), dims);
    elementwise (device, o.op, nd_of (z, dims), a, &b);
  }
  return z;
}

// Whether v is this number, and x times x has the class of x to the power of v.
bool is_number (const octave_value &v, double number, const octave_value &x)
{
  return !is_gpu_array (v) && v.isreal () && v.numel () == 1 && v.double_value () == number &&
         (x.is_single_type () || !v.is_single_type ());
}

gpu_value work (const char *name, octave_value x, octave_value y)
{
  const int device = device_of (name, ovl (x, y));
  if (std::strcmp (name, "ldivide") == 0) {
    std::swap (x, y);
    name = "rdivide";
  }
  if (std::strcmp (name, "power") == 0 && is_number (y, 2, x)) { // as Octave does
    y = x;
    name = "times";
  }
  const operation &o = find_operation (binary_operations, name);
  gpu_operand a (name, x, device), b (name, y, device);
  if (needs_real (o.op) && (is_complex (a.type ()) || is_complex (b.type ())))
    error_with_id ("gpulinalg:bad-class", "%s: not defined for complex numbers", name);
  const bool extreme = o.op == GLA_ND_MAX || o.op == GLA_ND_MIN;
  const gpu_value z = compute (o, a, b, device);
  return extreme && a.type () == 'b' && b.type () == 'b' ? gla::converted (z, 'b') : z;
}

} // namespace

gpu_value binary (const char *name, const octave_value &x, const octave_value &y)
{
  return work (name, x, y);
}

gpu_value expanded (const char *name, const octave_value &x, const octave_value &y)
{
  return work (name, x, y);
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

static gpu_value apply (const char *name, const gpu_value &x)
{
  const operation &o = find_operation (functions, name);
  const bool complex = is_complex (x.type ());
  if (needs_real (o.op) && complex)
    error_with_id ("gpulinalg:bad-class", "%s: not defined for complex numbers", name);
  const bool real = o.op >= GLA_ND_REAL && o.op <= GLA_ND_ARG;
  const char type = is_logical (o.op) ? 'b' : type_letter (is_single (x.type ()), complex && !real);
  const bool asks = (!complex && may_leave (o.op)) || (o.op == GLA_ND_NOT && x.type () != 'b');
  gpu_value y = new_on_gpu (x.device (), type, x.dims ());
  int outside = 0;
  elementwise (x.device (), o.op, nd_of (y), nd_of (x), nullptr, asks ? &outside : nullptr);
  if (!outside)
    return y;
  if (is_logical (o.op))
    nan_as_logical ();
  y = new_on_gpu (x.device (), type_letter (is_single (x.type ()), true), x.dims ());
  elementwise (x.device (), o.op, nd_of (y), nd_of (x), nullptr);
  return y;
}

gpu_value unary (const char *name, const gpu_value &x)
{
  if (std::strcmp (name, "transpose") == 0 || std::strcmp (name, "ctranspose") == 0)
    return transposed (x, name[0] == 'c');
  return apply (name, x);
}

gpu_value mapped (const char *name, const gpu_value &x)
{
  return apply (name, x);
}

// realsqrt, reallog, realpow: an element that leaves the domain is an error.
gpu_value real_function (const char *name, const octave_value_list &args)
{
  const gpu_value y = args.length () == 2 ? work ("power", args (0), args (1))
                                          : apply (name + 4, moved (name, args (0)));
  if (is_complex (y.type ()))
    error_with_id ("gpulinalg:bad-value", "%s: produced complex result", name);
  return y;
}

// Each part is copied to every second number.
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

//------------------------------------------------------------------------------
// for arrayfun
//------------------------------------------------------------------------------

template <typename Table>
static bool describe (const Table &table, const std::string &name, element_operation *o)
{
  for (const on_gpu::operation &entry : table)
    if (name == entry.name) {
      const gla_nd_op op = entry.op;
      o->op = op;
      o->logical = on_gpu::is_logical (op);
      o->real = op >= GLA_ND_REAL && op <= GLA_ND_ARG;
      o->real_only = on_gpu::needs_real (op);
      o->may_leave =
          on_gpu::may_leave (op) || op == GLA_ND_AND || op == GLA_ND_OR || op == GLA_ND_NOT;
      return true;
    }
  return false;
}

bool find_element_operation (const std::string &name, int operands, element_operation *o)
{
  return operands == 2 ? describe (on_gpu::binary_operations, name, o)
                       : operands == 1 && describe (on_gpu::functions, name, o);
}

} // namespace gla
