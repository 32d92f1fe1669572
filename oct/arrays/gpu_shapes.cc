// gpu_shapes.cc: permuted, resized, joined and diagonal arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_join.h"

#include <algorithm>

namespace gla
{

namespace on_gpu
{

void check_subscripts (octave_idx_type count)
{
  if (count > GLA_ND_DIMS)
    error_with_id ("gpulinalg:bad-shape", "gpuArray: an array on a GPU has at most %d subscripts",
                   GLA_ND_DIMS);
}

gpu_value permuted (const gpu_value &x, const Array<int> &order)
{
  const int count = static_cast<int> (order.numel ());
  check_subscripts (count);
  dim_vector own = x.dims ();
  own.resize (count, 1);
  dim_vector dims = own;
  const gla_nd plain = nd_of (x, own);
  gla_nd from = plain;
  for (int k = 0; k < count; k++) {
    dims (k) = own (order (k));
    from.size[k] = dims (k);
    from.step[k] = plain.step[order (k)];
  }
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  elementwise (x.device (), GLA_ND_COPY, nd_of (y, dims), from, nullptr);
  return y;
}

static gla_nd number (char type, double value)
{
  gla_nd a = {};
  a.type = type;
  a.value[0] = value;
  return a;
}

gla_nd part_of (const gla_nd &whole, const dim_vector &at, const dim_vector &size)
{
  gla_nd a = whole;
  int64_t first = 0;
  for (int k = 0; k < a.dims; k++) {
    first += (k < at.ndims () ? at (k) : 0) * a.step[k];
    a.size[k] = k < size.ndims () ? size (k) : 1;
  }
  const std::size_t bytes = a.type == 'b' ? 1 : gla_type_size (static_cast<gla_type> (a.type));
  if (a.data != nullptr)
    a.data = static_cast<char *> (a.data) + first * static_cast<int64_t> (bytes);
  return a;
}

static gla_nd part_of (const gpu_value &x, const dim_vector &at, const dim_vector &size)
{
  return part_of (nd_of (x, x.dims ().redim (std::max (x.dims ().ndims (), size.ndims ()))), at,
                  size);
}

gpu_value resized (const gpu_value &x, const dim_vector &dims)
{
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  const dim_vector own = x.dims ();
  dim_vector common = dims;
  common.resize (std::max (dims.ndims (), own.ndims ()), 1);
  for (int k = 0; k < common.ndims (); k++)
    common (k) = std::min (common (k), k < own.ndims () ? own (k) : 1);
  elementwise (x.device (), GLA_ND_COPY, nd_of (y), number (x.type (), 0), nullptr);
  if (common.numel () > 0)
    elementwise (x.device (), GLA_ND_COPY, part_of (y, dim_vector (), common),
                 part_of (x, dim_vector (), common), nullptr);
  return y;
}

void insert (gpu_value &x, const gpu_value &y, const Array<octave_idx_type> &at)
{
  dim_vector corner;
  corner.resize (std::max<int> (2, static_cast<int> (at.numel ())), 0);
  for (int k = 0; k < corner.ndims (); k++)
    corner (k) = k < at.numel () ? at (k) : 0;
  if (y.numel () == 0)
    return;
  x.own ();
  elementwise (x.device (), GLA_ND_COPY, part_of (x, corner, y.dims ()),
               part_of (y, dim_vector (), y.dims ()), nullptr);
}

gpu_value concatenated (const char *who, int dim, const octave_value_list &arrays)
{
  const int device = device_of (who, arrays);
  dim_vector dims;
  char type = 0;
  for (octave_idx_type k = 0; k < arrays.length (); k++) {
    const dim_vector d = arrays (k).dims ();
    const char t = element_type (who, arrays (k));
    type = type == 0 ? t : joined_type (type, t);
    if (k == 0)
      dims = d;
    else if (!dims.hvcat (d, dim))
      error_with_id ("Octave:nonconformant-args", "%s: dimension mismatch: %s and %s", who,
                     dims.str ().c_str (), d.str ().c_str ());
  }
  gpu_join join (type, dims);
  Array<octave_idx_type> at (
      dim_vector (std::max<int> (static_cast<int> (dims.ndims ()), dim + 1), 1), 0);
  for (octave_idx_type k = 0; k < arrays.length (); k++) {
    if (arrays (k).isempty ())
      continue;
    join.add (device, who, arrays (k), at);
    at (dim) += dim < arrays (k).ndims () ? arrays (k).dims () (dim) : 1;
  }
  gpu_value y = new_on_gpu (device, type, dims);
  join.run (device, y.numel () > 0 ? y.data () : nullptr);
  return y;
}

// diag (v, k), diag (v, m, n) of a vector, diag (A, k) of a matrix.
gpu_value diagonal (const gpu_value &x, const octave_value_list &more)
{
  const dim_vector dims = x.dims ();
  const bool vector = dims.ndims () == 2 && (dims (0) == 1 || dims (1) == 1);
  if (dims.ndims () != 2 || (more.length () == 2 && !vector))
    error_with_id ("gpulinalg:bad-shape", "diag: requires a vector%s, not %s",
                   more.length () == 2 ? "" : " or a matrix", dims.str ().c_str ());
  if (dims.zero_by_zero ())
    return x;
  const octave_idx_type k = more.length () == 1 ? gathered (more (0)).idx_type_value () : 0;
  const octave_idx_type below = std::max<octave_idx_type> (-k, 0),
                        right = std::max<octave_idx_type> (k, 0);
  if (!vector) {
    const octave_idx_type count =
        std::max<octave_idx_type> (0, std::min (dims (0) - below, dims (1) - right));
    gpu_value y = new_on_gpu (x.device (), x.type (), dim_vector (count, 1));
    gla_nd from = part_of (x, dim_vector (below, right), dim_vector (count, 1));
    from.step[0] = dims (0) + 1;
    elementwise (x.device (), GLA_ND_COPY, nd_of (y), from, nullptr);
    return y;
  }
  const octave_idx_type n = x.numel ();
  dim_vector size (n + below + right, n + below + right);
  if (more.length () == 2)
    size =
        dim_vector (gathered (more (0)).idx_type_value (), gathered (more (1)).idx_type_value ());
  if (size (0) < 0 || size (1) < 0)
    error_with_id ("gpulinalg:bad-value", "diag: M and N must not be negative, but they are %s",
                   size.str ().c_str ());
  gpu_value y = new_on_gpu (x.device (), x.type (), size);
  elementwise (x.device (), GLA_ND_COPY, nd_of (y), number (x.type (), 0), nullptr);
  const octave_idx_type count =
      more.length () == 2 ? std::min (n, std::min (size (0), size (1))) : n;
  gla_nd to = part_of (y, dim_vector (below, right), dim_vector (count, 1));
  to.step[0] = size (0) + 1;
  gla_nd from = nd_of (x, dim_vector (n, 1));
  from.size[0] = count;
  elementwise (x.device (), GLA_ND_COPY, to, from, nullptr);
  return y;
}

} // namespace on_gpu

} // namespace gla
