// gpu_combined.cc: functions of gpuArrays that are one or two operations of the library, for the
// table in gpu_functions.cc: merge, diff, cummax, cummin, kron, linspace, sinc
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_operators.h"
#include "gpu_steps.h"

#include <algorithm>
#include <cmath>

namespace gla
{

namespace
{

void check_arguments (const char *name, const octave_value_list &args, int least, int most)
{
  if (args.length () < least)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  if (args.length () > most)
    gather_needed (name);
}

bool any_complex (const char *name, const octave_value_list &args)
{
  bool complex = false;
  for (octave_idx_type k = 0; k < args.length (); k++)
    complex = is_complex (element_type (name, args (k))) || complex;
  return complex;
}

//------------------------------------------------------------------------------
// merge
//------------------------------------------------------------------------------

void check_merge (const octave_value &mask, const octave_value &x, const octave_value &y)
{
  const octave_value *const values[] = {&x, &y};
  for (const octave_value *v : values)
    if (v->numel () != 1 && v->dims () != mask.dims ())
      error_with_id (
          "gpulinalg:bad-shape",
          "merge: MASK, TVAL, and FVAL dimensions must match, but they are %s, %s and %s",
          mask.dims ().str ().c_str (), x.dims ().str ().c_str (), y.dims ().str ().c_str ());
  const char *p = class_of (element_type ("merge", x)), *q = class_of (element_type ("merge", y));
  if (std::strcmp (p, q) != 0)
    error_with_id ("gpulinalg:bad-class", "merge: cannot merge %s with %s with array mask", p, q);
}

gpu_value merged_on_gpu (const octave_value &mask, const octave_value &x, const octave_value &y,
                         char type)
{
  const int device = device_of ("merge", ovl (mask, x, y));
  const gpu_operand m ("merge", mask, device), a ("merge", x, device), b ("merge", y, device);
  const dim_vector dims = m.dims ();
  return computed (device, type, dims,
                   {spread_operand (a, dims), spread_operand (b, dims), spread_operand (m, dims)},
                   {{GLA_ND_SELECT, type, 0, 1, 2}});
}

//------------------------------------------------------------------------------
// diff
//------------------------------------------------------------------------------

// Whether it is a number or a logical value, which counts as a number.
bool is_count (const octave_value &v)
{
  return is_real_scalar (v) || (v.islogical () && !v.issparse () && v.numel () == 1);
}

// Returns a number of this argument that is at least `least`; -1 if it is [] or missing.
octave_idx_type read_number (const char *name, const octave_value_list &args, octave_idx_type at,
                             double least, const char *text)
{
  if (args.length () <= at)
    return -1;
  const octave_value v = gathered (args (at));
  if (v.isempty () && v.isnumeric ())
    return -1;
  const double x = is_count (v) && !v.is_string () ? v.double_value () : -1;
  if (!(x >= least && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value", "%s: %s", name, text);
  return static_cast<octave_idx_type> (std::min (x, 1e9));
}

// Returns x(2:n) - x(1:n-1) along this dimension, from 0.
gpu_value one_difference (const gpu_value &x, int dim)
{
  dim_vector own = x.dims ();
  own.resize (std::max<int> (own.ndims (), dim + 1), 1);
  dim_vector dims = own, begin = own;
  dims (dim) = std::max<octave_idx_type> (own (dim) - 1, 0);
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  if (y.numel () == 0)
    return y;
  for (int k = 0; k < begin.ndims (); k++)
    begin (k) = k == dim;
  const gla_nd whole = nd_of (x, own), lower = on_gpu::part_of (whole, dim_vector (0, 0), dims);
  elementwise (x.device (), GLA_ND_SUB, nd_of (y, dims), on_gpu::part_of (whole, begin, dims),
               &lower);
  return y;
}

gpu_value differences_on_host (const gpu_value &x, octave_idx_type order, int dim)
{
  if (dim < x.dims ().ndims ())
    return on_host_as ("diff",
                       ovl (x.host (), static_cast<double> (order), static_cast<double> (dim + 1)),
                       is_complex (x.type ()));
  dim_vector none = x.dims ();
  none.resize (dim + 1, 1);
  none (dim) = 0;
  return resized (x, none);
}

//------------------------------------------------------------------------------
// cummax and cummin
//------------------------------------------------------------------------------

// Makes log2 (n) steps along this dimension, from 0 (Hillis, Steele 1986): element k is combined
// with the one 1, 2, 4, .. before it.
gpu_value running_extreme (gla_nd_op op, const gpu_value &x, int dim)
{
  dim_vector dims = x.dims ();
  dims.resize (std::max<int> (dims.ndims (), dim + 1), 1);
  dim_vector from = dims;
  for (int k = 0; k < from.ndims (); k++)
    from (k) = 0;
  const dim_vector begin = from;
  gpu_value y = x;
  for (octave_idx_type step = 1; step < dims (dim); step *= 2) {
    const gpu_value z = new_on_gpu (x.device (), x.type (), x.dims ());
    const gla_nd old = nd_of (y, dims), next = nd_of (z, dims);
    dim_vector first = dims, rest = dims;
    first (dim) = step;
    rest (dim) = dims (dim) - step;
    from (dim) = step;
    elementwise (x.device (), GLA_ND_COPY, on_gpu::part_of (next, begin, first),
                 on_gpu::part_of (old, begin, first), nullptr);
    const gla_nd own = on_gpu::part_of (old, from, rest);
    elementwise (x.device (), op, on_gpu::part_of (next, from, rest),
                 on_gpu::part_of (old, begin, rest), &own);
    y = z;
  }
  return y;
}

//------------------------------------------------------------------------------
// kron
//------------------------------------------------------------------------------

octave_value product_of_two (const octave_value &a, const octave_value &b)
{
  const dim_vector p = a.dims (), q = b.dims ();
  if (p.ndims () > 2 || q.ndims () > 2)
    error_with_id ("gpulinalg:bad-shape", "kron: A and B must be matrices, not %s and %s",
                   p.str ().c_str (), q.str ().c_str ());
  const bool complex = any_complex ("kron", ovl (a, b));
  if (!any_on_gpu (ovl (a, b)))
    return value_of (on_host_as ("kron", ovl (a, b), complex));
  const octave_value y = b.reshape (dim_vector (q (0), 1, q (1))),
                     x = a.reshape (dim_vector (1, p (0), 1, p (1)));
  return value_of (
      reshaped (binary (gpu_op::times, y, x), dim_vector (p (0) * q (0), p (1) * q (1))));
}

//------------------------------------------------------------------------------
// linspace
//------------------------------------------------------------------------------

octave_value column_of (const octave_value &v)
{
  const dim_vector d = v.dims ();
  if (d.ndims () != 2 || (d (0) != 1 && d (1) != 1))
    error_with_id ("gpulinalg:bad-shape", "linspace: START, END must be scalars or vectors, not %s",
                   d.str ().c_str ());
  return v.reshape (dim_vector (v.numel (), 1));
}

// [] means one point, as in Octave.
octave_idx_type read_points (const octave_value &v)
{
  if (v.isnumeric () && v.isempty ())
    return 1;
  if (!is_count (v) || v.is_string () || !(v.double_value () < 9e15))
    error_with_id ("gpulinalg:bad-value", "linspace: N must be a scalar");
  return static_cast<octave_idx_type> (std::max (std::floor (v.double_value ()), 1.0));
}

// Returns from + (to - from) / (n - 1) * k for k = 0 .. n - 2, and to.
gpu_value spaced_on_gpu (const octave_value &from, const octave_value &to, octave_idx_type n)
{
  const int device = device_of ("linspace", ovl (from, to));
  gpu_operand a ("linspace", from, device), b ("linspace", to, device);
  const octave_idx_type p = a.dims () (0), q = b.dims () (0);
  if (p != q && p != 1 && q != 1)
    error_with_id ("Octave:nonconformant-args", "linspace: vectors must be of equal length");
  const bool single = is_single (a.type ()) || is_single (b.type ()),
             complex = is_complex (a.type ()) || is_complex (b.type ());
  const char real = type_letter (single, false), type = type_letter (single, complex);
  a.make (type_letter (single, is_complex (a.type ())));
  b.make (type_letter (single, is_complex (b.type ())));
  NDArray numbers (dim_vector (1, n));
  for (octave_idx_type k = 0; k < n; k++)
    numbers.xelem (k) = static_cast<double> (k);
  const gpu_value k = to_gpu (numbers, real, device);
  const dim_vector dims (std::max (std::min (p, q), p == 1 ? q : p), n);
  const double last = static_cast<double> (n - 1);
  return computed (device, type, dims,
                   {spread_operand (a, dims), spread_operand (b, dims),
                    spread (nd_of (k), k.dims (), dims), number_of (last),
                    number_of (std::max (last, 1.0)), number_of (0)},
                   {{GLA_ND_SUB, type, 1, 0, 0},
                    {GLA_ND_EQ, 'b', 0, 1, 0}, // Inf to Inf has no steps
                    {GLA_ND_SELECT, type, 5, 6, 7},
                    {GLA_ND_DIV, type, 8, 4, 0},
                    {GLA_ND_MUL, type, 9, 2, 0},
                    {GLA_ND_ADD, type, 0, 10, 0},
                    {GLA_ND_GE, 'b', 5, 2, 0}, // the ends are exact, also where one is infinite
                    {GLA_ND_SELECT, type, 0, 11, 12},
                    {GLA_ND_GE, 'b', 2, 3, 0},
                    {GLA_ND_SELECT, type, 1, 13, 14}});
}

gpu_value spaced_on_host (const octave_value &from, const octave_value &to, octave_idx_type n)
{
  const bool complex = any_complex ("linspace", ovl (from, to));
  return on_host_as ("linspace", ovl (from, to, static_cast<double> (n)), complex);
}

} // namespace

//------------------------------------------------------------------------------
// the functions
//------------------------------------------------------------------------------

// merge (mask, x, y)
octave_value_list merge (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 3, 3);
  const octave_value mask = args (0), x = args (1), y = args (2);
  if (element_type (name, mask) != 'b')
    error_with_id ("gpulinalg:bad-class",
                   "merge: the first argument, MASK, must be logical, not of class %s",
                   class_of (element_type (name, mask)));
  if (mask.numel () == 1)
    return ovl (value_of (moved_to (device_of (name, args), name, mask.is_true () ? x : y)));
  check_merge (mask, x, y);
  const char p = element_type (name, x), q = element_type (name, y);
  const char type = p == 'b' ? 'b' : type_letter (is_single (p), is_complex (p) || is_complex (q));
  if (any_on_gpu (args))
    return ovl (value_of (merged_on_gpu (mask, x, y, type)));
  // Octave does not merge logical arrays
  const octave_value_list all = type == 'b'
                                    ? ovl (mask, value_of (converted (moved (name, x), 'd')),
                                           value_of (converted (moved (name, y), 'd')))
                                    : args;
  return ovl (value_of (converted (on_host_as (name, all, is_complex (type)), type)));
}

// diff (x), (x, k), (x, k, dim)
octave_value_list differences (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 1, 3);
  if (!is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  octave_idx_type order = read_number (name, args, 1, 0, "order K must be a scalar or []"),
                  dim = read_number (name, args, 2, 1, "DIM must be a valid dimension");
  const gpu_value &x = gpu_value_of (args (0));
  const dim_vector dims = x.dims ();
  order = order < 0 ? 1 : order;
  if (dim < 0) {
    dim = dims.first_non_singleton () + 1;
    const octave_idx_type n = dims (static_cast<int> (dim) - 1);
    if (order > 0 && n <= order)
      gather_needed (name); // Octave continues in the next dimension
  } else if (dim > GLA_ND_DIMS)
    error_with_id ("gpulinalg:bad-value", "diff: DIM must be at most %d", GLA_ND_DIMS);
  if (order == 0)
    return ovl (args (0));
  gpu_value y = converted (x, x.type () == 'b' ? 'd' : x.type ());
  if (!y.on_gpu ())
    return ovl (value_of (differences_on_host (y, order, static_cast<int> (dim) - 1)));
  const octave_idx_type n = dim <= dims.ndims () ? dims (static_cast<int> (dim) - 1) : 1;
  for (octave_idx_type k = 0; k < std::min (order, std::max<octave_idx_type> (n, 1)); k++)
    y = one_difference (y, static_cast<int> (dim) - 1);
  return ovl (value_of (y));
}

// cummax (x), (x, dim), and on the host the positions, too
octave_value_list running (const char *name, const octave_value_list &args, int outputs)
{
  check_arguments (name, args, 1, 2);
  if (!is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), outputs);
  const octave_idx_type given = read_number (name, args, 1, 1, "DIM must be a valid dimension");
  const gpu_value &x = gpu_value_of (args (0));
  const octave_idx_type dim = given < 0 ? x.dims ().first_non_singleton () + 1 : given;
  if (!x.on_gpu () || x.numel () == 0) {
    const octave_value_list found = feval (
        the_interpreter (), name, ovl (gathered (args (0)), static_cast<double> (dim)), outputs);
    octave_value_list all;
    for (octave_idx_type k = 0; k < found.length (); k++)
      all.append (value_of (gpu_value (found (k), k == 0 && is_complex (x.type ()))));
    return all;
  }
  if (outputs > 1)
    gather_needed (name);
  const gpu_value numbers = converted (x, x.type () == 'b' ? 'd' : x.type ());
  const gla_nd_op op = std::strcmp (name, "cummax") == 0 ? GLA_ND_MAX : GLA_ND_MIN;
  const gpu_value y = dim > x.dims ().ndims ()
                          ? numbers
                          : running_extreme (op, numbers, static_cast<int> (dim) - 1);
  return ovl (value_of (converted (y, x.type ())));
}

// kron (a, b, ...)
octave_value_list kronecker (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 2, static_cast<int> (args.length ()));
  octave_value y = args (0);
  for (octave_idx_type k = 1; k < args.length (); k++)
    y = product_of_two (y, args (k));
  return ovl (y);
}

// linspace (from, to, n)
octave_value_list spaced (const char *name, const octave_value_list &args, int)
{
  check_arguments (name, args, 2, 3);
  if (!is_gpu_array (args (0)) && !is_gpu_array (args (1)))
    return feval (the_interpreter (), name, gathered (args), 1);
  const octave_idx_type n = args.length () == 3 ? read_points (gathered (args (2))) : 100;
  const octave_value from = column_of (args (0)), to = column_of (args (1));
  return ovl (value_of (any_on_gpu (ovl (from, to)) ? spaced_on_gpu (from, to, n)
                                                    : spaced_on_host (from, to, n)));
}

// Returns sin (pi x) / (pi x), and 1 for x = 0.
octave_value_list sinc (const char *name, const octave_value_list &args, int)
{
  const double pi = 3.14159265358979323846;
  check_arguments (name, args, 1, 1);
  const gpu_value &given = gpu_value_of (args (0)),
                  x = converted (given, given.type () == 'b' ? 'd' : given.type ());
  const char type = x.type ();
  if (!x.on_gpu ()) // Octave's values are double if all elements are 0
    return ovl (value_of (converted (on_host_as (name, ovl (x.host ()), is_complex (type)), type)));
  return ovl (value_of (computed (x.device (), type, x.dims (),
                                  {nd_of (x), number_of (pi), number_of (0), number_of (1)},
                                  {{GLA_ND_MUL, type, 0, 1, 0},
                                   {GLA_ND_SIN, type, 4, 0, 0},
                                   {GLA_ND_DIV, type, 5, 4, 0},
                                   {GLA_ND_NE, 'b', 0, 2, 0},
                                   {GLA_ND_SELECT, type, 6, 3, 7}})));
}

} // namespace gla
