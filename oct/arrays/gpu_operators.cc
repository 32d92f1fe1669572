// gpu_operators.cc: the operators of the class gpuArray
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave looks operators up by the types of both operands, so each is registered for a gpuArray
// with every type that the other operand may have.

#include "gpu_device.h"
#include "gpu_operators.h"
#include "gpu_trace.h"

#include <octave/ov-typeinfo.h>

#include <algorithm>

namespace gla
{

namespace
{

struct registered_op {
  octave_value::binary_op octave;
  gpu_op op;
};
constexpr registered_op binary_ops[] = {
    {octave_value::op_add, gpu_op::plus},     {octave_value::op_sub, gpu_op::minus},
    {octave_value::op_mul, gpu_op::mtimes},   {octave_value::op_div, gpu_op::mrdivide},
    {octave_value::op_pow, gpu_op::mpower},   {octave_value::op_ldiv, gpu_op::mldivide},
    {octave_value::op_lt, gpu_op::lt},        {octave_value::op_le, gpu_op::le},
    {octave_value::op_eq, gpu_op::eq},        {octave_value::op_ge, gpu_op::ge},
    {octave_value::op_gt, gpu_op::gt},        {octave_value::op_ne, gpu_op::ne},
    {octave_value::op_el_mul, gpu_op::times}, {octave_value::op_el_div, gpu_op::rdivide},
    {octave_value::op_el_pow, gpu_op::power}, {octave_value::op_el_ldiv, gpu_op::ldivide},
    {octave_value::op_el_and, gpu_op::and_},  {octave_value::op_el_or, gpu_op::or_},
};
constexpr int op_count = sizeof binary_ops / sizeof *binary_ops;

octave_value shared (const octave_base_value &v)
{
  return octave_value (v.clone ());
}

octave_value result_of (gpu_op op, const octave_value &x, const octave_value &y)
{
  if (is_traced (x) || is_traced (y))
    return traced_binary (op, x, y);
  return value_of (binary (op, x, y));
}

template <int k> octave_value binary_of (const octave_base_value &x, const octave_base_value &y)
{
  constexpr gpu_op op = binary_ops[k].op;
  return guarded (name_of (op),
                  [&] () { return ovl (result_of (op, shared (x), shared (y))); }) (0);
}

// Octave has operators for these, too: x * y', x' * y, x * y.' and x.' * y.
struct turned_op {
  octave_value::compound_binary_op op;
  char op_x, op_y;
};
constexpr turned_op turned_ops[] = {{octave_value::op_mul_herm, 'N', 'C'},
                                    {octave_value::op_herm_mul, 'C', 'N'},
                                    {octave_value::op_mul_trans, 'N', 'T'},
                                    {octave_value::op_trans_mul, 'T', 'N'}};
constexpr int turned_count = sizeof turned_ops / sizeof *turned_ops;

octave_value turned (const octave_value &x, char op)
{
  const gpu_op turn = op == 'C' ? gpu_op::ctranspose : gpu_op::transpose;
  return op == 'N' ? x : value_of (unary (turn, gpu_value_of (x)));
}

// Whether Octave's operator serves such products; it makes x * x' exactly Hermitian. Of arrays with
// more dimensions it takes the first pages without an error.
bool has_operator (const octave_value &x, const octave_value &y)
{
  const bool traced = is_traced (x) || is_traced (y), sparse = x.issparse () || y.issparse ();
  const bool matrices = x.ndims () == 2 && y.ndims () == 2 && x.isfloat () && y.isfloat ();
  return matrices && !traced && !sparse && !any_on_gpu (ovl (x, y));
}

template <int k> octave_value turned_of (const octave_base_value &x, const octave_base_value &y)
{
  constexpr turned_op how = turned_ops[k];
  return guarded ("mtimes", [&] () {
    const octave_value X = shared (x), Y = shared (y);
    const bool whole = any_on_gpu (ovl (X, Y)) && X.ndims () == 2 && Y.ndims () == 2 &&
                       X.numel () != 1 && Y.numel () != 1;
    if (whole)
      return ovl (value_of (on_gpu::product_turned (X, how.op_x, Y, how.op_y)));
    if (has_operator (X, Y))
      return ovl (value_of (turned_on_host (how.op, X, Y)));
    return ovl (result_of (gpu_op::mtimes, turned (X, how.op_x), turned (Y, how.op_y)));
  }) (0);
}

template <gpu_op op> octave_value unary_of (const octave_base_value &x)
{
  return guarded (name_of (op), [&] () {
    const octave_value v = shared (x);
    return ovl (is_traced (v) ? traced_unary (op, v) : value_of (unary (op, gpu_value_of (x))));
  }) (0);
}
octave_value op_uplus (const octave_base_value &x)
{
  if (is_traced (shared (x)))
    return x.islogical () ? traced_conversion (shared (x), 'd') : shared (x);
  const gpu_value &v = gpu_value_of (x);
  return value_of (v.type () == 'b' ? converted (v, 'd') : v);
}

void op_increment (octave_base_value &x)
{
  set_gpu_value (x, binary (gpu_op::plus, shared (x), octave_value (1.0)));
}
void op_decrement (octave_base_value &x)
{
  set_gpu_value (x, binary (gpu_op::minus, shared (x), octave_value (1.0)));
}

// Serves [x, y] and [x; y]: x already has the size of the result.
#if OCTAVE_MAJOR_VERSION >= 7
typedef const octave_base_value cat_first;
#else
typedef octave_base_value cat_first;
#endif
octave_value concatenate (cat_first &x, const octave_base_value &y,
                          const Array<octave_idx_type> &at)
{
  if (is_traced (shared (x)) || is_traced (shared (y)))
    not_traced ("concatenation");
  const octave_value first = shared (x), second = shared (y);
  const int device = device_of ("concatenation", ovl (first, second));
  return value_of (inserted (moved_to (device, "concatenation", first), second, at));
}

// Does x(idx) = y for an array of the host.
octave_value assign_to_host (octave_base_value &, const octave_value_list &,
                             const octave_base_value &)
{
  error_with_id ("gpulinalg:gather-needed",
                 "gpuArray: elements of an array of the host cannot be assigned a gpuArray; assign "
                 "gather (G), or make the array a gpuArray first");
}

// All types of numbers and characters. Types that cannot be combined with a gpuArray are here, too,
// because the error of element_type says what to do.
const char *const others[] = {"matrix",
                              "complex matrix",
                              "float matrix",
                              "float complex matrix",
                              "scalar",
                              "complex scalar",
                              "float scalar",
                              "float complex scalar",
                              "bool matrix",
                              "bool",
                              "range",
                              "double_range",
                              "diagonal matrix",
                              "complex diagonal matrix",
                              "float diagonal matrix",
                              "float complex diagonal matrix",
                              "permutation matrix",
                              "sparse matrix",
                              "sparse complex matrix",
                              "sparse bool matrix",
                              "string",
                              "sq_string",
                              "int8 matrix",
                              "int16 matrix",
                              "int32 matrix",
                              "int64 matrix",
                              "uint8 matrix",
                              "uint16 matrix",
                              "uint32 matrix",
                              "uint64 matrix",
                              "int8 scalar",
                              "int16 scalar",
                              "int32 scalar",
                              "int64 scalar",
                              "uint8 scalar",
                              "uint16 scalar",
                              "uint32 scalar",
                              "uint64 scalar"};

// Several names may have one number.
std::vector<int> numbers_of_others (octave::type_info &types)
{
  std::vector<int> numbers;
  for (const char *name : others) {
    const octave_value example = types.lookup_type (name);
    if (example.is_defined ())
      numbers.push_back (example.type_id ());
  }
  std::sort (numbers.begin (), numbers.end ());
  numbers.erase (std::unique (numbers.begin (), numbers.end ()), numbers.end ());
  return numbers;
}

template <int k> void install_binary (octave::type_info &types, int gpu, int other)
{
  types.install_binary_op (binary_ops[k].octave, gpu, other, binary_of<k>);
  if (other != gpu)
    types.install_binary_op (binary_ops[k].octave, other, gpu, binary_of<k>);
  install_binary<k + 1> (types, gpu, other);
}
template <> void install_binary<op_count> (octave::type_info &, int, int) {}

template <int k> void install_turned (octave::type_info &types, int gpu)
{
  types.install_binary_op (turned_ops[k].op, gpu, gpu, turned_of<k>);
  install_turned<k + 1> (types, gpu);
}
template <> void install_turned<turned_count> (octave::type_info &, int) {}

} // namespace

// Registers unary operators, and binary ones with values of the host.
static void register_operators (octave::type_info &types, int gpu)
{
  types.install_unary_op (octave_value::op_not, gpu, unary_of<gpu_op::not_>);
  types.install_unary_op (octave_value::op_uplus, gpu, op_uplus);
  types.install_unary_op (octave_value::op_uminus, gpu, unary_of<gpu_op::uminus>);
  types.install_unary_op (octave_value::op_transpose, gpu, unary_of<gpu_op::transpose>);
  types.install_unary_op (octave_value::op_hermitian, gpu, unary_of<gpu_op::ctranspose>);
  install_binary<0> (types, gpu, gpu);
  types.install_cat_op (gpu, gpu, concatenate);
  for (int other : numbers_of_others (types)) {
    install_binary<0> (types, gpu, other);
    types.install_cat_op (gpu, other, concatenate);
    types.install_cat_op (other, gpu, concatenate);
    types.install_assign_op (octave_value::op_asn_eq, other, gpu, assign_to_host);
  }
}

void register_gpu_operators (octave::type_info &types, int gpu, int traced)
{
  types.install_non_const_unary_op (octave_value::op_incr, gpu, op_increment);
  types.install_non_const_unary_op (octave_value::op_decr, gpu, op_decrement);
  register_operators (types, gpu);
  install_turned<0> (types, gpu);
  register_operators (types, traced);
  install_binary<0> (types, traced, gpu);
  types.install_cat_op (gpu, traced, concatenate);
  types.install_cat_op (traced, gpu, concatenate);
}

} // namespace gla
