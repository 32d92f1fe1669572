// gpu_trace.cc: operators and functions of values that stand for an element of arrayfun
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_trace.h"
#include "gpu_operators.h"

#include <octave/ov-typeinfo.h>

#include <algorithm>
#include <cstring>

using gla::trace;

namespace
{

// The value of an element of a gpuArray while a function is traced.
class octave_traced : public octave_base_value
{
public:
  octave_traced () {}
  octave_traced (const std::shared_ptr<trace> &owner, int number)
      : m_owner (owner), m_number (number)
  {
  }

  octave_base_value *clone () const { return new octave_traced (*this); }
  const std::shared_ptr<trace> &owner () const { return m_owner; }
  int number () const { return m_number; }
  // x++ and x--
  void step (gla::gpu_op op)
  {
    const octave_value next = gla::traced_binary (op, itself (), octave_value (1.0));
    m_number = static_cast<const octave_traced &> (next.get_rep ()).number ();
  }

  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const { return dim_vector (1, 1); }
  bool islogical () const { return type () == 'b'; }
  bool isnumeric () const { return !islogical (); }
  bool isfloat () const { return !islogical (); }
  bool iscomplex () const { return gla::is_complex (type ()); }
  bool isreal () const { return !iscomplex (); }
  bool is_single_type () const { return gla::is_single (type ()); }
  bool is_double_type () const { return isfloat () && !is_single_type (); }
  bool is_matrix_type () const { return true; }

  octave_value map (unary_mapper_t f) const
  {
    gla::gpu_op op;
    if (!gla::find_mapper (f, &op))
      gla::not_traced (get_umap_name (f));
    return gla::traced_unary (op, itself ());
  }
  octave_value as_double () const
  {
    return gla::traced_conversion (itself (), gla::type_letter (false, iscomplex ()));
  }
  octave_value as_single () const
  {
    return gla::traced_conversion (itself (), gla::type_letter (true, iscomplex ()));
  }
  octave_value full_value () const { return itself (); }

  bool is_true () const
  {
    error_with_id ("gpulinalg:gather-needed",
                   "arrayfun: the function asks whether an element is true, which only the GPU "
                   "knows; use merge (mask, a, b) for \"if\", and & and | for && and ||");
  }
  octave_value subsref (const std::string &, const std::list<octave_value_list> &)
  {
    gla::not_traced ("indexing");
  }
  octave_value_list subsref (const std::string &, const std::list<octave_value_list> &, int)
  {
    gla::not_traced ("indexing");
  }
  octave_value resize (const dim_vector &, bool = false) const
  {
    gla::not_traced ("concatenation");
  }
  octave_value reshape (const dim_vector &) const { gla::not_traced ("reshape"); }
  octave_value permute (const Array<int> &, bool = false) const { gla::not_traced ("permute"); }
  octave_value squeeze () const { return itself (); }
  void print (std::ostream &, bool = false) { gla::not_traced ("display"); }
  void print_raw (std::ostream &, bool = false) const { gla::not_traced ("display"); }
  double double_value (bool = false) const { gla::not_traced ("a conversion to a number"); }
  NDArray array_value (bool = false) const { gla::not_traced ("a conversion to an array"); }

private:
  octave_value itself () const { return octave_value (clone ()); }
  char type () const { return m_owner ? m_owner->value (m_number).type : 'd'; }

  std::shared_ptr<trace> m_owner;
  int m_number = 0;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

// The class is that of gpuArrays, so that Octave calls the same functions.
DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_traced, "gpuArray element", "gpuArray");

const octave_traced &traced (const octave_value &v)
{
  return static_cast<const octave_traced &> (v.get_rep ());
}

} // namespace

namespace gla
{

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

void not_traced (const std::string &what)
{
  error_with_id ("gpulinalg:gather-needed",
                 "arrayfun: %s is not done with elements of gpuArrays; the function may use "
                 "operators, functions of single elements, and merge",
                 what.c_str ());
}

bool is_traced (const octave_value &v)
{
  return v.type_id () == octave_traced::static_type_id ();
}

bool any_traced (const octave_value_list &args)
{
  for (octave_idx_type k = 0; k < args.length (); k++)
    if (is_traced (args (k)))
      return true;
  return false;
}

const std::shared_ptr<trace> &trace_of (const octave_value &v)
{
  return traced (v).owner ();
}

static void increment (octave_base_value &x)
{
  static_cast<octave_traced &> (x).step (gpu_op::plus);
}
static void decrement (octave_base_value &x)
{
  static_cast<octave_traced &> (x).step (gpu_op::minus);
}

int register_traced_type (octave::type_info &types)
{
  octave_traced::register_type ();
  const int number = octave_traced::static_type_id ();
  types.install_non_const_unary_op (octave_value::op_incr, number, increment);
  types.install_non_const_unary_op (octave_value::op_decr, number, decrement);
  return number;
}

std::string traced_class (const octave_value &v)
{
  const octave_traced &x = traced (v);
  return class_of (x.owner ()->value (x.number ()).type);
}

int trace::add (const traced_value &v)
{
  m_values.push_back (v);
  return count () - 1;
}

octave_value trace::add_array (const std::shared_ptr<trace> &self, const octave_value &array)
{
  traced_value v;
  v.input = array;
  v.type = element_type ("arrayfun", array);
  return octave_value (new octave_traced (self, add (v)));
}

// Each number is an input once. Zeros of both signs differ.
static bool is_same_number (const traced_value &a, const traced_value &b)
{
  if (a.input.is_undefined () || a.type != b.type || is_gpu_array (a.input) ||
      is_gpu_array (b.input))
    return false;
  const Complex x = a.input.complex_value (), y = b.input.complex_value ();
  return std::memcmp (&x, &y, sizeof x) == 0;
}

int trace::number_of (const octave_value &v)
{
  if (is_traced (v)) {
    if (traced (v).owner ().get () != this)
      not_traced ("arrayfun within arrayfun");
    return traced (v).number ();
  }
  traced_value number;
  number.type = element_type ("arrayfun", v);
  if (v.numel () != 1)
    error_with_id ("gpulinalg:bad-shape",
                   "arrayfun: the function combines an element with an array that is %s; give the "
                   "array to arrayfun as an argument",
                   v.dims ().str ().c_str ());
  number.input = v;
  for (int k = 0; k < count (); k++)
    if (is_same_number (m_values[k], number))
      return k;
  return add (number);
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

static octave_value element (const std::shared_ptr<trace> &t, const traced_value &v)
{
  return octave_value (new octave_traced (t, t->add (v)));
}

static const std::shared_ptr<trace> &trace_of_any (const octave_value_list &args)
{
  octave_idx_type k = 0;
  while (!is_traced (args (k)))
    k++;
  return trace_of (args (k));
}

static char type_of_step (const trace &t, gpu_op op, const std::vector<int> &of)
{
  bool single = false, complex = false;
  for (int v : of) {
    single = single || is_single (t.value (v).type);
    complex = complex || is_complex (t.value (v).type);
  }
  return is_logical (op) ? 'b' : type_letter (single, complex && !is_always_real (op));
}

octave_value traced_conversion (const octave_value &x, char type)
{
  traced_value step;
  const std::shared_ptr<trace> t = trace_of (x);
  step.of = {t->number_of (x)};
  const char from = t->value (step.of[0]).type;
  if (from == type)
    return x;
  step.op = GLA_ND_COPY;
  step.type = type;
  step.may_leave = type == 'b'; // NaN
  return element (t, step);
}

static octave_value traced_step (gpu_op op, const octave_value_list &args)
{
  const std::shared_ptr<trace> t = trace_of_any (args);
  traced_value step;
  step.op = library_op (op);
  bool complex = false, any_numeric = false;
  for (octave_idx_type k = 0; k < args.length (); k++) {
    step.of.push_back (t->number_of (args (k)));
    complex = complex || is_complex (t->value (step.of.back ()).type);
    any_numeric = any_numeric || t->value (step.of.back ()).type != 'b';
  }
  if (needs_real (op) && complex)
    error_with_id ("gpulinalg:bad-class", "%s: not defined for complex numbers", name_of (op));
  step.type = type_of_step (*t, op, step.of);
  // for a logical operator, an element that is NaN counts as outside
  const bool no_nan = op >= gpu_op::and_ && op <= gpu_op::not_;
  step.may_leave = (no_nan && any_numeric) || (may_leave (op) && !complex);
  return element (t, step);
}

// Returns the operation by elements for products and quotients of matrices, of which an element is
// one.
static gpu_op by_element (gpu_op op)
{
  switch (op) {
  case gpu_op::mtimes:
    return gpu_op::times;
  case gpu_op::mrdivide:
    return gpu_op::rdivide;
  case gpu_op::mldivide:
    return gpu_op::ldivide;
  case gpu_op::mpower:
    return gpu_op::power;
  default:
    return op;
  }
}

// Octave computes the square as a product.
static bool is_square (const octave_value &x, const octave_value &y)
{
  return !is_traced (y) && !is_gpu_array (y) && (y.isfloat () || y.islogical ()) && y.isreal () &&
         y.numel () == 1 && y.double_value () == 2 && (x.is_single_type () || !y.is_single_type ());
}

octave_value traced_binary (gpu_op op, const octave_value &x, const octave_value &y)
{
  const gpu_op each = by_element (op);
  if (each == gpu_op::ldivide)
    return traced_step (gpu_op::rdivide, ovl (y, x));
  if (each == gpu_op::power && is_square (x, y))
    return traced_step (gpu_op::times, ovl (x, x));
  const octave_value z = traced_step (each, ovl (x, y));
  const bool extreme = each == gpu_op::max || each == gpu_op::min;
  return extreme && x.islogical () && y.islogical () ? traced_conversion (z, 'b') : z;
}

octave_value traced_unary (gpu_op op, const octave_value &x)
{
  if (op == gpu_op::transpose)
    return x;
  if (op == gpu_op::ctranspose) // an element of a real array may leave the domain of a step before
    return x.islogical () ? x : traced_step (gpu_op::conj, ovl (x));
  return traced_step (op, ovl (x));
}

//------------------------------------------------------------------------------
// functions
//------------------------------------------------------------------------------

// Functions that the library cannot do in the same pass.
static octave_value separate_step (const std::string &name, const octave_value_list &args,
                                   bool complex)
{
  const std::shared_ptr<trace> t = trace_of_any (args);
  traced_value step;
  step.name = name;
  bool single = false;
  for (octave_idx_type k = 0; k < args.length (); k++) {
    step.of.push_back (t->number_of (args (k)));
    const char type = t->value (step.of.back ()).type;
    single = single || is_single (type);
    if (is_complex (type) && args.length () == 2)
      error_with_id ("gpulinalg:bad-class", "%s: the arguments must be real", name.c_str ());
  }
  step.type = type_letter (single, complex);
  return element (t, step);
}

static octave_value traced_merge (const octave_value_list &args)
{
  const octave_value &mask = args (0);
  if (!mask.islogical ())
    error_with_id ("gpulinalg:bad-class", "merge: the first argument, MASK, must be logical");
  if (!is_traced (mask)) // f did not compute it
    return mask.is_true () ? args (1) : args (2);
  const std::shared_ptr<trace> t = trace_of (mask);
  traced_value step;
  step.op = GLA_ND_SELECT;
  step.of = {t->number_of (args (1)), t->number_of (args (2)), t->number_of (mask)};
  const char x = t->value (step.of[0]).type, y = t->value (step.of[1]).type;
  if (std::string (class_of (x)) != class_of (y))
    error_with_id ("gpulinalg:bad-class", "merge: cannot merge %s with %s with array mask",
                   class_of (x), class_of (y));
  step.type = x == 'b' ? 'b' : type_letter (is_single (x), is_complex (x) || is_complex (y));
  return element (t, step);
}

octave_value_list traced_function (const std::string &name, const octave_value_list &args)
{
  const octave_idx_type count = args.length ();
  gpu_op op;
  if (count == 2 && find_op (name, 2, &op))
    return ovl (traced_binary (op, args (0), args (1)));
  if (name == "logical" && count == 1)
    return ovl (traced_conversion (args (0), 'b'));
  if ((name == "merge" || name == "ifelse") && count == 3)
    return ovl (traced_merge (args));
  if (name == "complex" && count == 1 && args (0).iscomplex ())
    return ovl (args (0));
  if (name == "complex" && (count == 1 || count == 2))
    return ovl (separate_step (name, args, true));
  if ((name == "realsqrt" || name == "reallog") && count == 1)
    return ovl (separate_step (name, args, false));
  if (name == "realpow" && count == 2)
    return ovl (separate_step (name, args, false));
  not_traced (name);
}

} // namespace gla
