// gpu_slices.cc: sums, extremes, positions and norms of arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_device.h"

#include <octave/lo-array-errwarn.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gla
{

namespace on_gpu
{

namespace
{

// Returns dimension `dim` of an array as slices of the library.
gla_slices slices_of (const gpu_value &x, const dim_vector &dims, int dim)
{
  gla_slices s = {};
  s.x = x.numel () > 0 ? x.data () : nullptr;
  s.type = x.type ();
  s.inner = s.outer = 1;
  for (int k = 0; k < dims.ndims (); k++)
    (k < dim ? s.inner : k == dim ? s.n : s.outer) *= dims (k);
  s.n = dim < dims.ndims () ? dims (dim) : 1;
  return s;
}

// Returns the first dimension that is not 1, as Octave does.
int first_dim (const dim_vector &dims, int dim)
{
  return dim >= 0 ? dim : dims.first_non_singleton ();
}

// Octave sums an empty 0 x 0 array to one element.
dim_vector dims_to_sum (const gpu_value &x)
{
  const dim_vector d = x.dims ();
  return d.zero_by_zero () ? dim_vector (0, 1) : d;
}

gla_reduction reduction_of (const std::string &name)
{
  return name == "sum" || name == "cumsum"     ? GLA_REDUCE_SUM
         : name == "prod" || name == "cumprod" ? GLA_REDUCE_PROD
         : name == "sumsq"                     ? GLA_REDUCE_SUMSQ
         : name == "any"                       ? GLA_REDUCE_ANY
                                               : GLA_REDUCE_ALL;
}

gpu_value scanned (gla_reduction op, const gpu_value &x, const dim_vector &dims, int dim)
{
  const char type = x.type () == 'b' ? 'd' : x.type ();
  gpu_value y = new_on_gpu (x.device (), type, dims);
  const gla_slices s = slices_of (x, dims, dim);
  device_call ([&] (gla_context *c) { return gla_scan (c, x.device (), op, &s, y.data ()); });
  return y;
}

} // namespace

gpu_value reduced (const char *name, const gpu_value &array, int dim)
{
  const gla_reduction op = reduction_of (name);
  const bool logical = op == GLA_REDUCE_ANY || op == GLA_REDUCE_ALL;
  if (name[0] == 'c')
    return scanned (op, array, array.dims (), first_dim (array.dims (), dim));
  const gpu_value x =
      op == GLA_REDUCE_SUMSQ && array.type () == 'b' ? gla::converted (array, 'd') : array;
  const dim_vector dims = dims_to_sum (x);
  // any and all of a matrix of one row are taken along the row
  const int along = first_dim (dims, dim);
  char type = x.type () == 'b' ? 'd' : x.type ();
  if (op == GLA_REDUCE_SUMSQ)
    type = type_letter (is_single (type), false);
  dim_vector result = dims;
  if (along < dims.ndims ())
    result (along) = 1;
  gpu_value y = new_on_gpu (x.device (), logical ? 'b' : type, result);
  const gla_slices s = slices_of (x, dims, along);
  device_call (
      [&] (gla_context *c) { return gla_reduce (c, x.device (), op, &s, y.data (), nullptr); });
  return y;
}

octave_value_list extremes (const char *name, const gpu_value &array, int dim, int outputs)
{
  const gpu_value x = array.type () == 'b' ? gla::converted (array, 'd') : array;
  const dim_vector dims = x.dims ();
  const int along = first_dim (dims, dim);
  dim_vector result = dims;
  if (along < dims.ndims () && dims (along) != 0)
    result (along) = 1;
  gpu_value y = new_on_gpu (x.device (), x.type (), result);
  gpu_value at = new_on_gpu (x.device (), 'd', outputs > 1 ? result : dim_vector (0, 0));
  if (y.numel () > 0) {
    const gla_slices s = slices_of (x, dims, along);
    const gla_reduction op = std::strcmp (name, "max") == 0 ? GLA_REDUCE_MAX : GLA_REDUCE_MIN;
    double *index = outputs > 1 ? static_cast<double *> (at.data ()) : nullptr;
    device_call (
        [&] (gla_context *c) { return gla_reduce (c, x.device (), op, &s, y.data (), index); });
  }
  if (array.type () == 'b')
    y = gla::converted (y, 'b');
  return outputs > 1 ? ovl (value_of (y), value_of (at)) : ovl (value_of (y));
}

//------------------------------------------------------------------------------
// positions
//------------------------------------------------------------------------------

// Does what Array<T>::find does.
static dim_vector dims_of_positions (const dim_vector &dims, octave_idx_type found)
{
  const bool none = dims.numel () == 1 && found == 0;
  if (none || (dims (0) == 0 && dims.numel (1) == 0))
    return dim_vector (0, 0);
  return dims (0) == 1 && dims.ndims () == 2 ? dim_vector (1, found) : dim_vector (found, 1);
}

// Returns at, or the rows and columns of these positions, and the elements there.
static octave_value_list found_parts (const gpu_value &x, const gpu_value &at, int outputs)
{
  const dim_vector dims = x.dims ();
  if (outputs < 2)
    return ovl (value_of (at));
  const octave_value rows (
      static_cast<double> (dims.ndims () > 0 ? std::max<octave_idx_type> (dims (0), 1) : 1));
  const octave_value from_zero =
      value_of (on_gpu::binary (gpu_op::minus, value_of (at), octave_value (1.0)));
  const gpu_value row = on_gpu::binary (
      gpu_op::plus, value_of (on_gpu::binary (gpu_op::mod, from_zero, rows)), octave_value (1.0));
  const gpu_value column = on_gpu::binary (
      gpu_op::plus,
      value_of (on_gpu::unary (gpu_op::floor, on_gpu::binary (gpu_op::rdivide, from_zero, rows))),
      octave_value (1.0));
  octave_value_list all = ovl (value_of (row), value_of (column));
  if (outputs > 2)
    all.append (value_of (gla::index (x, ovl (value_of (at)))));
  return all;
}

// Does find (x), find (x, n), find (x, n, "last"); [i, j, v] = find (...). Computed as the index
// x(x != 0) of an array with the positions.
octave_value_list find (const octave_value_list &args, int outputs)
{
  const gpu_value x = gpu_value_of (args (0));
  const gpu_value mask =
      x.type () == 'b' ? x : on_gpu::binary (gpu_op::ne, args (0), octave_value (0.0));
  const dim_vector dims = x.dims ();
  // positions, counted by summing ones
  const gpu_value ones = on_gpu::binary (gpu_op::eq, value_of (mask), value_of (mask));
  const gpu_value count = reduced ("cumsum", reshaped (ones, dim_vector (x.numel (), 1)), 0);
  gpu_value at = gla::index (reshaped (count, dims), ovl (value_of (mask)));
  // for a logical array Octave takes the positions from the index that it is; N-d ones are columns
  if (x.type () != 'b' || outputs > 1 || args.length () > 1)
    at = reshaped (at, dims_of_positions (dims, at.numel ()));
  else if (dims.ndims () > 2)
    at = reshaped (at, dim_vector (at.numel (), 1));
  if (args.length () > 1) {
    const octave_value n = gathered (args (1));
    const double most = n.is_real_scalar () ? n.double_value () : -1;
    if (!(most >= 0 && most == std::floor (most)))
      error_with_id ("gpulinalg:bad-value", "find: N must be an integer that is not negative");
    const std::string direction = args.length () < 3   ? "first"
                                  : is_text (args (2)) ? args (2).string_value ()
                                                       : "";
    if (direction != "first" && direction != "last")
      error_with_id ("gpulinalg:bad-value", "find: DIRECTION must be \"first\" or \"last\"");
    const octave_idx_type found = at.numel (),
                          some = static_cast<octave_idx_type> (std::min (most, 9e15)),
                          keep = std::min (found, some);
    if (keep == found)
      return found_parts (x, at, outputs);
    const bool last = direction == "last";
    NDArray which (at.dims () (0) == 1 && at.dims () (1) != 1 ? dim_vector (1, keep)
                                                              : dim_vector (keep, 1));
    for (octave_idx_type k = 0; k < keep; k++)
      which.xelem (k) = static_cast<double> ((last ? found - keep : 0) + k + 1);
    at = gla::index (at, ovl (which));
  }
  return found_parts (x, at, outputs);
}

// Returns GLA_ERROR_OUT_OF_MEMORY, and throws all other errors.
static gla_status sort_columns (const gpu_value &x, bool descending, const gpu_value &y,
                                double *index)
{
  const gla_slices s = slices_of (x, x.dims (), 0);
  gla_status status = GLA_OK;
  device_call ([&] (gla_context *c) {
    status = gla_sort (c, x.device (), &s, descending, y.data (), index);
    return status == GLA_ERROR_OUT_OF_MEMORY ? GLA_OK : status;
  });
  return status;
}

octave_value_list sorted (const gpu_value &x, bool descending, int outputs)
{
  const dim_vector dims = x.dims ();
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  gpu_value at = new_on_gpu (x.device (), 'd', outputs > 1 ? dims : dim_vector (0, 0));
  double *index = outputs > 1 ? static_cast<double *> (at.data ()) : nullptr;
  gla_status status = sort_columns (x, descending, y, index);
  if (status == GLA_ERROR_OUT_OF_MEMORY) {
    // memory that other contexts keep for later calls may be missing
    release_memory ("sort", the_interpreter (), x.device ());
    status = sort_columns (x, descending, y, index);
  }
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    error_with_id ("gpulinalg:device-memory", "sort: out of memory: %s",
                   gla_message (array_context ()));
  return outputs > 1 ? ovl (value_of (y), value_of (at)) : ovl (value_of (y));
}

//------------------------------------------------------------------------------
// products and norms
//------------------------------------------------------------------------------

// Does dot (x, y): vectors of the same length may be a row and a column. Two arrays of 0x0 give
// 1x0, where sum gives 0.
gpu_value product_sum (const octave_value &x, const octave_value &y, int dim)
{
  if (!x.isnumeric () || !y.isnumeric ())
    error_with_id ("gpulinalg:bad-class", "dot: X and Y must be numeric");
  octave_value a = x, b = y;
  const dim_vector da = x.dims (), db = y.dims ();
  const bool vectors = da.ndims () == 2 && db.ndims () == 2 && (da (0) == 1 || da (1) == 1) &&
                       (db (0) == 1 || db (1) == 1);
  if (vectors && dim < 0 && x.numel () == y.numel ()) {
    const dim_vector column (x.numel (), 1);
    a = x.reshape (column);
    b = y.reshape (column);
  } else if (da != db)
    octave::err_nonconformant ("dot", da, db);
  if (is_complex (element_type ("dot", a)))
    a = a.conj ();
  const gpu_value products = on_gpu::binary (gpu_op::times, a, b);
  dim_vector dims = products.dims ();
  if (!dims.zero_by_zero ())
    return reduced ("sum", products, dim);
  if (dim < 2)
    dims (dim < 0 ? 0 : dim) = 1;
  return new_on_gpu (products.device (), products.type (), dims);
}

// Norms that gla_pagenorm has, of a matrix or a vector.
gpu_value norm (const gpu_value &x, gla_norm p)
{
  const gpu_value a = x.type () == 'b' ? gla::converted (x, 'd') : x;
  const char real = type_letter (is_single (a.type ()), false);
  gpu_value y = new_on_gpu (a.device (), real, dim_vector (1, 1));
  if (a.numel () == 0)
    return gpu_value (Matrix (1, 1, 0.0), false);
  const dim_vector d = a.dims ();
  const gla_array A =
      gla_array_packed (a.data (), static_cast<gla_type> (a.type ()), d (0), d (1), 1, a.device ());
  const gla_array norms =
      gla_array_packed (y.data (), static_cast<gla_type> (real), 1, 1, 1, a.device ());
  call c ("norm", the_interpreter (), array_context ());
  c.finish (gla_pagenorm (c.context (), &A, p, &norms, nullptr));
  return y;
}

} // namespace on_gpu

} // namespace gla
