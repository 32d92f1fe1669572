// gpu_statistics.cc: median, var and std of gpuArrays, for the table in gpu_functions.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The m-files of Octave take 15 to 50 operations of the interpreter, and two to five suffice on a
// GPU. They do forms that are not here, and give all errors.

#include "gpu_operators.h"
#include "gpu_steps.h"

#include <cmath>
#include <limits>

namespace gla
{

namespace
{

const double nan = std::numeric_limits<double>::quiet_NaN ();

//------------------------------------------------------------------------------
// median
//------------------------------------------------------------------------------

// Returns the slice number k, from 0, along this dimension, from 0.
gla_nd slice_of (const gpu_value &x, int dim, octave_idx_type k)
{
  dim_vector at = x.dims (), size = at;
  for (int j = 0; j < at.ndims (); j++)
    at (j) = j == dim ? k : 0;
  size (dim) = 1;
  return on_gpu::part_of (nd_of (x, x.dims ()), at, size);
}

// Finds the middle of sorted slices, in which NaN is last. Equal elements in the middle may be
// infinite.
gpu_value middle_of (const gpu_value &s, int dim)
{
  dim_vector dims = s.dims ();
  const octave_idx_type n = dims (dim);
  const char type = s.type ();
  const gla_nd y = slice_of (s, dim, (n - 1) / 2), z = slice_of (s, dim, n / 2),
               last = slice_of (s, dim, n - 1);
  dims (dim) = 1;
  if (n % 2 == 1)
    return computed (s.device (), type, dims, {y, last, number_of (nan)},
                     {{GLA_ND_ISNAN, 'b', 1, 0, 0}, {GLA_ND_SELECT, type, 2, 0, 3}});
  return computed (s.device (), type, dims, {y, z, last, number_of (nan), number_of (2)},
                   {{GLA_ND_EQ, 'b', 0, 1, 0},
                    {GLA_ND_DIV, type, 0, 4, 0},
                    {GLA_ND_DIV, type, 1, 4, 0},
                    {GLA_ND_ADD, type, 6, 7, 0},
                    {GLA_ND_SELECT, type, 0, 8, 5},
                    {GLA_ND_ISNAN, 'b', 2, 0, 0},
                    {GLA_ND_SELECT, type, 3, 9, 10}});
}

//------------------------------------------------------------------------------
// var and std
//------------------------------------------------------------------------------

// Whether it is a double number of the host.
bool is_plain (const octave_value &v, double &number)
{
  if (is_gpu_array (v) || !v.is_double_type () || !is_real_scalar (v))
    return false;
  number = v.double_value ();
  return true;
}

// Reads the forms (x), (x, w) and (x, w, dim) with w = 0, 1 or [], of slices of at least two
// elements.
bool read_form (const octave_value_list &args, double &w, int &dim)
{
  const octave_idx_type count = args.length ();
  if (count < 1 || count > 3 || !is_on_gpu (args (0)) || args (0).isempty () ||
      args (0).islogical ())
    return false;
  const dim_vector dims = args (0).dims ();
  w = 0;
  const bool none = count > 1 && args (1).is_double_type () && args (1).is_zero_by_zero () &&
                    !is_gpu_array (args (1));
  if (count > 1 && !none && !(is_plain (args (1), w) && (w == 0 || w == 1)))
    return false;
  double d = dims.first_non_singleton () + 1;
  if (count > 2 && !is_plain (args (2), d))
    return false;
  if (!(d >= 1 && d <= dims.ndims () && d == std::floor (d)))
    return false;
  dim = static_cast<int> (d);
  return dims (dim - 1) > 1;
}

// Calls Octave's own function. From Octave 9 on it makes double what isa does not call single, and
// some results of all releases are new arrays of the host: these become gpuArrays of the class of
// x. The class of results without elements differs between releases.
octave_value_list by_file (const char *name, const octave_value_list &args, int outputs)
{
  const octave_value x = args.length () > 0 ? args (0) : octave_value ();
  const bool empty = x.is_defined () && x.isempty (),
             single = !empty && is_gpu_array (x) && is_single (gpu_value_of (x).type ());
  octave_value_list results =
      call_file (the_interpreter (), name, empty ? gathered (args) : args, outputs);
  for (octave_idx_type k = 0; k < results.length (); k++) {
    if (!is_gpu_array (results (k)))
      results (k) = feval (the_interpreter (), "gpuArray", ovl (results (k)), 1) (0);
    const gpu_value &y = gpu_value_of (results (k));
    if (single)
      results (k) = value_of (converted (y, is_complex (y.type ()) ? 'c' : 's'));
  }
  return results;
}

} // namespace

// Does median (x), (x, dim), (x, []) on a GPU; elsewhere all forms of Octave's.
octave_value_list median (const char *name, const octave_value_list &args, int)
{
  if (args.length () < 1)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  const octave_value x = args (0);
  const octave_value along_dim =
      args.length () > 1 ? gathered (args (1)) : octave_value (Matrix ());
  if (!is_on_gpu (x) || x.isempty ()) {
    octave_value_list all = gathered (args);
    if (all.length () == 2 && along_dim.isempty ())
      all = all.slice (0, 1);
    return feval (the_interpreter (), "gpuArray", feval (the_interpreter (), name, all, 1), 1);
  }
  if (args.length () > 2)
    gather_needed (name);
  double d = x.dims ().first_non_singleton () + 1;
  if (!along_dim.isempty ())
    d = along_dim.numel () == 1 && !along_dim.is_string () &&
                (along_dim.isnumeric () || along_dim.islogical ())
            ? along_dim.double_value ()
            : 0;
  if (along_dim.is_string () || !(d >= 1 && d == std::floor (d)) || !x.isreal ())
    gather_needed (name);
  gpu_value numbers = gpu_value_of (x);
  numbers = converted (numbers, numbers.type () == 'b' ? 'd' : numbers.type ());
  if (d > x.ndims ())
    return ovl (value_of (numbers));
  const int dim = static_cast<int> (d);
  const octave_value sorted = gpu_function ("sort", ovl (value_of (numbers), dim), 1) (0);
  return ovl (value_of (middle_of (gpu_value_of (sorted), dim - 1)));
}

// Does var and std: the bits are those of sumsq (x - mean (x, dim), dim) / (n - 1 + w).
octave_value_list variance (const char *name, const octave_value_list &args, int outputs)
{
  double w;
  int dim;
  if (outputs > 1 || !read_form (args, w, dim))
    return by_file (name, args, outputs);
  const octave_value &x = args (0);
  const double n = static_cast<double> (x.dims () (dim - 1));
  const octave_value mean = op (gpu_op::rdivide, along ("sum", x, dim), octave_value (n)),
                     squares = along ("sumsq", op (gpu_op::minus, x, mean), dim);
  const gpu_value &s = gpu_value_of (squares);
  const dim_vector dims = s.dims ();
  std::vector<gla_nd_step> steps = {{GLA_ND_DIV, s.type (), 0, 1, 0}};
  if (std::strcmp (name, "std") == 0)
    steps.push_back ({GLA_ND_SQRT, s.type (), 2, 0, 0});
  return ovl (value_of (
      computed (s.device (), s.type (), dims, {nd_of (s, dims), number_of (n - 1 + w)}, steps)));
}

} // namespace gla
