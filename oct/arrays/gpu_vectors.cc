// gpu_vectors.cc: circshift, cross and inv of gpuArrays, for the table in gpu_functions.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each is one kernel. Octave's m-files do forms of circshift and cross that are not here, and give
// all errors.

#include "gpu_operators.h"
#include "gpu_steps.h"
#include "gpu_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gla
{

namespace
{

// Whether it is an integer of the host, of class double.
bool is_plain_integer (const octave_value &v, double &number)
{
  if (is_gpu_array (v) || !v.is_double_type () || !is_real_scalar (v))
    return false;
  number = v.double_value ();
  return number == std::floor (number) && std::fabs (number) < 1e15;
}

// Moves element k along this dimension, from 0, to k + by, where by is from 1 to n - 1.
gpu_value shifted (const gpu_value &x, int dim, octave_idx_type by)
{
  const dim_vector dims = x.dims ();
  const gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  const gla_nd to = nd_of (y, dims), from = nd_of (x, dims);
  dim_vector begin = dims, first = dims, rest = dims, at = dims, end = dims;
  for (int k = 0; k < dims.ndims (); k++)
    begin (k) = at (k) = end (k) = 0;
  first (dim) = at (dim) = by;
  rest (dim) = end (dim) = dims (dim) - by;
  copy_all (x.device (), {on_gpu::part_of (to, begin, first), on_gpu::part_of (to, at, rest)},
            {on_gpu::part_of (from, end, first), on_gpu::part_of (from, begin, rest)});
  return y;
}

// Returns the slices of an array with three along this dimension, from 0.
std::vector<gla_nd> three_slices (const gla_nd &whole, const dim_vector &dims, int dim)
{
  std::vector<gla_nd> slices;
  dim_vector at = dims, one = dims;
  for (int j = 0; j < at.ndims (); j++)
    at (j) = 0;
  one (dim) = 1;
  for (int k = 0; k < 3; k++) {
    at (dim) = k;
    slices.push_back (on_gpu::part_of (whole, at, one));
  }
  return slices;
}

gpu_value crossed (const octave_value &x, const octave_value &y, char type, int dim)
{
  const int device = device_of ("cross", ovl (x, y));
  const dim_vector dims = x.dims ();
  const gpu_operand a ("cross", x, device), b ("cross", y, device);
  const gpu_value z = new_on_gpu (device, type, dims);
  std::vector<gla_nd> inputs = three_slices (a.nd (), dims, dim);
  for (const gla_nd &slice : three_slices (b.nd (), dims, dim))
    inputs.push_back (slice);
  const std::vector<gla_nd> outputs = three_slices (nd_of (z, dims), dims, dim);
  const gla_nd_step steps[] = {
      {GLA_ND_MUL, type, 1, 5, 0}, {GLA_ND_MUL, type, 2, 4, 0}, {GLA_ND_SUB, type, 6, 7, 0},
      {GLA_ND_MUL, type, 2, 3, 0}, {GLA_ND_MUL, type, 0, 5, 0}, {GLA_ND_SUB, type, 9, 10, 0},
      {GLA_ND_MUL, type, 0, 4, 0}, {GLA_ND_MUL, type, 1, 3, 0}, {GLA_ND_SUB, type, 12, 13, 0},
  };
  const int results[] = {8, 11, 14};
  auto program = sized<gla_nd_steps> ();
  program.inputs = inputs.data ();
  program.input_count = 6;
  program.steps = steps;
  program.step_count = 9;
  program.results = results;
  program.outputs = outputs.data ();
  program.output_count = 3;
  device_call (
      [&] (gla_context *c) { return gla_elementwise_steps (c, device, &program, nullptr); });
  return z;
}

bool is_full_float (const octave_value &v)
{
  return v.isfloat () && !v.issparse () && (is_gpu_array (v) ? is_on_gpu (v) : !v.is_range ());
}

// Whether the arrays have one size and precision, and three elements in this dimension, from 1.
bool fits_cross (const octave_value_list &args, int &dim)
{
  if (args.length () < 2 || args.length () > 3 || any_traced (args))
    return false;
  const octave_value &x = args (0), &y = args (1);
  const dim_vector dims = x.dims ();
  if (!is_full_float (x) || !is_full_float (y) || !any_on_gpu (ovl (x, y)) ||
      x.is_single_type () != y.is_single_type () || dims != y.dims () || x.isempty ())
    return false;
  dim = 1;
  while (dim <= dims.ndims () && dims (dim - 1) != 3)
    dim++;
  double d = dim;
  if (args.length () == 3 && !is_plain_integer (args (2), d))
    return false;
  dim = d >= 1 && d <= dims.ndims () ? static_cast<int> (d) : 0;
  return dim > 0 && dims (dim - 1) == 3;
}

// rcond is a number of the precision of the matrix.
void warn_of_singular (const octave_value &rcond_of_matrix)
{
  const double rcond = rcond_of_matrix.double_value ();
  const double eps = rcond_of_matrix.is_single_type () ? std::numeric_limits<float>::epsilon ()
                                                       : std::numeric_limits<double>::epsilon ();
  if (!(rcond > 0)) // NaN: the matrix holds NaN or Inf
    warning_with_id ("Octave:singular-matrix", "matrix singular to machine precision");
  else if (rcond <= eps / 2) // 1 + rcond is 1
    warning_with_id ("Octave:nearly-singular-matrix",
                     "matrix singular to machine precision, rcond = %g", rcond);
}

} // namespace

octave_value_list circshift (const char *name, const octave_value_list &args, int outputs)
{
  const octave_idx_type count = args.length ();
  double by, d;
  if (count < 2 || count > 3 || !is_on_gpu (args (0)) || args (0).isempty () ||
      !is_plain_integer (args (1), by))
    return call_file (the_interpreter (), name, args, outputs);
  const gpu_value &x = gpu_value_of (args (0));
  const dim_vector dims = x.dims ();
  d = dims.first_non_singleton () + 1;
  if (count == 3 && !(is_plain_integer (args (2), d) && d >= 1 && d <= dims.ndims ()))
    return call_file (the_interpreter (), name, args, outputs);
  const int dim = static_cast<int> (d) - 1;
  const auto n = dims (dim), rest = static_cast<octave_idx_type> (by) % n;
  if (rest == 0)
    return ovl (args (0));
  return ovl (value_of (shifted (x, dim, rest > 0 ? rest : rest + n)));
}

octave_value_list cross (const char *name, const octave_value_list &args, int outputs)
{
  int dim;
  if (!fits_cross (args, dim))
    return call_file (the_interpreter (), name, args, outputs);
  const octave_value &x = args (0), &y = args (1);
  const char type = type_letter (x.is_single_type (), x.iscomplex () || y.iscomplex ());
  return ovl (value_of (crossed (x, y, type, dim - 1)));
}

// [y, rcond] = inv (a)
octave_value_list inverse (const char *name, const octave_value_list &args, int outputs)
{
  if (args.length () != 1)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  octave_value a = args (0);
  if (a.ndims () > 2 || a.rows () != a.columns ())
    error_with_id ("gpulinalg:bad-shape", "inverse: argument must be a square matrix");
  if (is_gpu_array (a) && a.islogical ())
    a = value_of (converted (gpu_value_of (a), 'd'));
  if (a.numel () == 1 && outputs < 2)
    return ovl (op (gpu_op::rdivide, octave_value (1.0), a));
  const octave_value_list found =
      in_name_of (name, [&] () { return feval (the_interpreter (), "pageinv", ovl (a), 3); });
  if (outputs < 2)
    warn_of_singular (gathered (found (1)));
  return found;
}

} // namespace gla
