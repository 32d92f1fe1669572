// gpu_subscripts.cc: indexing, assignment and deletion of elements of arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_subscript.h"

#include <octave/lo-array-errwarn.h>

#include <algorithm>
#include <cmath>

namespace gla
{

namespace on_gpu
{

gpu_value index (const gpu_value &x, const octave_value_list &idx)
{
  const octave_idx_type count = idx.length ();
  if (count == 0)
    return x;
  check_subscripts (count);
  const dim_vector dims = folded (x, count);
  std::vector<subscript> all = subscripts_of (x, idx, dims);
  dim_vector result = dims;
  for (octave_idx_type k = 0; k < count; k++) {
    const int d = static_cast<int> (k);
    const octave_idx_type extent = all[static_cast<std::size_t> (k)].extent ();
    if (extent > dims (d))
      octave::err_index_out_of_range (static_cast<int> (count), d + 1, extent, dims (d), x.dims ());
    result (d) = all[static_cast<std::size_t> (k)].length ();
  }
  if (count == 1)
    result = dims_of_linear (x, all[0]);
  result.chop_trailing_singletons ();
  gpu_value y = new_on_gpu (x.device (), x.type (), result);
  if (y.numel () == 0)
    return y;
  const std::vector<gla_subscripts> s = for_library (all);
  const gla_nd from = seen_as (x, dims, count);
  device_call (
      [&] (gla_context *c) { return gla_take (c, x.device (), &from, s.data (), y.data ()); });
  return y;
}

//------------------------------------------------------------------------------
// assignment
//------------------------------------------------------------------------------

namespace
{

// Returns the sizes that the array must have, as Array<T>::resize1 gives them to vectors.
dim_vector dims_for_linear (const gpu_value &x, octave_idx_type extent)
{
  const dim_vector d = x.dims ();
  if (d.ndims () == 2 && (d (0) == 0 || d (0) == 1))
    return dim_vector (1, extent);
  if (d.ndims () == 2 && d (1) == 1)
    return dim_vector (extent, 1);
  octave::err_nonconformant ("=", dim_vector (extent, 1), d);
}

bool fits (const std::vector<subscript> &all, const dim_vector &target, dim_vector rhs)
{
  rhs.chop_all_singletons ();
  int j = 0;
  const int count = rhs.ndims ();
  for (std::size_t k = 0; k < all.size (); k++) {
    const octave_idx_type length = all[k].length ();
    if (length == 1)
      continue;
    if (j >= count || length != rhs (j++))
      return false;
  }
  (void)target;
  return j == count || rhs (j) == 1;
}

dim_vector lengths_of (const std::vector<subscript> &all)
{
  dim_vector lengths (1, 1);
  lengths.resize (std::max<int> (2, static_cast<int> (all.size ())), 1);
  for (std::size_t k = 0; k < all.size (); k++)
    lengths (static_cast<int> (k)) = all[k].length ();
  return lengths;
}

// Colons of an empty array take their length from the right side.
dim_vector dims_after (const gpu_value &x, const octave_value_list &idx, const dim_vector &dims,
                       const std::vector<subscript> &all, const dim_vector &rhs)
{
  dim_vector after = dims;
  if (x.dims ().all_zero () && idx.length () > 1) {
    Array<idx_vector> ia (dim_vector (idx.length (), 1));
    for (octave_idx_type k = 0; k < idx.length (); k++)
      ia (k) = gathered (idx (k)).index_vector ();
    return zero_dims_inquire (ia, rhs);
  }
  for (std::size_t k = 0; k < all.size (); k++)
    after (static_cast<int> (k)) = std::max (dims (static_cast<int> (k)), all[k].extent ());
  return after;
}

// Drops the values for subscripts that are repeated later.
gpu_value without_repeated (const gpu_value &y, const std::vector<octave_idx_type> &keep,
                            std::size_t at, const dim_vector &lengths)
{
  octave_value_list idx;
  for (int k = 0; k < lengths.ndims (); k++)
    if (static_cast<std::size_t> (k) != at)
      idx.append (octave_value (octave_value::magic_colon_t));
    else {
      NDArray list (dim_vector (static_cast<octave_idx_type> (keep.size ()), 1));
      for (std::size_t j = 0; j < keep.size (); j++)
        list.xelem (static_cast<octave_idx_type> (j)) = static_cast<double> (keep[j] + 1);
      idx.append (octave_value (list));
    }
  return gla::index (reshaped (y, lengths), idx);
}

octave_value only (const octave_value &v, octave_idx_type n,
                   const std::vector<octave_idx_type> &keep)
{
  const idx_vector idx = v.index_vector ();
  (void)n;
  NDArray list (dim_vector (static_cast<octave_idx_type> (keep.size ()), 1));
  for (std::size_t j = 0; j < keep.size (); j++)
    list.xelem (static_cast<octave_idx_type> (j)) = static_cast<double> (idx (keep[j]) + 1);
  return list;
}

// Does x(idx) = y with sizes that fit; x is large enough and not shared.
void put (gpu_value &x, octave_value_list idx, const gpu_operand &y, const dim_vector &dims)
{
  const octave_idx_type count = idx.length ();
  std::vector<subscript> all = subscripts_of (x, idx, dims);
  gla_nd from = y.nd ();
  gpu_value rest;
  const bool fill = y.dims ().numel () == 1;
  for (std::size_t k = 0; k < all.size (); k++) {
    const std::vector<octave_idx_type> keep = all[k].last_ones ();
    if (keep.empty ())
      continue;
    if (!fill) {
      rest = without_repeated (rest.numel () > 0 && rest.on_gpu () ? rest : y.array (), keep, k,
                               lengths_of (all));
      from = nd_of (rest);
    }
    idx (static_cast<octave_idx_type> (k)) =
        only (gathered (idx (static_cast<octave_idx_type> (k))), dims (static_cast<int> (k)), keep);
    all[k] = subscript (idx (static_cast<octave_idx_type> (k)), dims (static_cast<int> (k)),
                        x.device ());
  }
  const std::vector<gla_subscripts> s = for_library (all);
  const gla_nd to = seen_as (x, dims, count);
  int64_t step = 1;
  from.dims = static_cast<int> (count);
  for (std::size_t k = 0; k < all.size (); k++) {
    from.size[k] = s[k].count;
    from.step[k] = fill ? 0 : step;
    step *= s[k].count;
  }
  device_call ([&] (gla_context *c) { return gla_put (c, x.device (), &to, s.data (), &from); });
}

// Returns the dimension whose elements are deleted; -1: all colons. Ends with an error if there are
// several.
int erased_dimension (const octave_value_list &idx, const dim_vector &dims, bool &nothing)
{
  int which = -1, others = 0;
  nothing = false;
  for (octave_idx_type k = 0; k < idx.length (); k++) {
    const idx_vector i = idx (k).index_vector ();
    if (i.is_colon ())
      continue;
    which = which < 0 ? static_cast<int> (k) : which;
    others++;
    nothing = nothing || i.length (dims (static_cast<int> (k))) == 0;
  }
  if (others > 1 && !nothing)
    error_with_id ("Octave:nonconformant-args",
                   "a null assignment can only have one nonscalar index");
  nothing = others > 1;
  return which;
}

void erase (gpu_value &x, const octave_value_list &idx)
{
  const octave_idx_type count = idx.length ();
  const bool linear = count == 1;
  const dim_vector own = x.dims (),
                   dims = linear
                              ? dim_vector (x.numel (), 1)
                              : own.redim (std::max<int> (static_cast<int> (count), own.ndims ()));
  const octave_value_list host = gathered (idx);
  bool nothing;
  const int which = erased_dimension (host, dims, nothing);
  if (nothing)
    return;
  if (which < 0) { // all elements
    dim_vector none = linear ? dim_vector (0, 0) : dims;
    none (0) = 0;
    x = new_on_gpu (x.device (), x.type (), none);
    return;
  }
  if (!linear && which >= own.ndims ())
    error ("invalid dimension in delete_elements"); // Octave's words
  const idx_vector gone = host (which).index_vector ();
  const octave_idx_type n = dims (which);
  if (gone.length (n) == 0)
    return;
  if (gone.extent (n) != n)
    octave::err_del_index_out_of_range (linear, gone.extent (n), n);
  const Array<octave_idx_type> left = gone.complement (n).as_array ();
  NDArray keep (dim_vector (left.numel (), 1));
  for (octave_idx_type k = 0; k < left.numel (); k++)
    keep.xelem (k) = static_cast<double> (left.xelem (k) + 1);
  octave_value_list rest;
  for (int k = 0; k < (linear ? 1 : dims.ndims ()); k++)
    rest.append (k == which ? octave_value (keep) : octave_value (octave_value::magic_colon_t));
  gpu_value y = gla::index (x, rest);
  // deleting by a range leaves a vector, by a list of a matrix a column
  octave_idx_type lower, upper;
  const bool column = own.ndims () == 2 && own (1) == 1 && own (0) != 1;
  if (linear && gone.is_cont_range (n, lower, upper))
    y = reshaped (y, column ? dim_vector (y.numel (), 1) : dim_vector (1, y.numel ()));
  x = y;
}

// Returns the type of x after an assignment, as in Octave: a double array stays double, and a
// logical one logical if the assigned value is double.
char type_after (char x, char y)
{
  if (x == y || y == 'b' || (x == 'b' && y == 'd'))
    return x;
  return type_letter (is_single (x), is_complex (x) || is_complex (y));
}

} // namespace

void assign (gpu_value &x, const octave_value_list &idx, const octave_value &rhs)
{
  const octave_idx_type count = idx.length ();
  if (count == 0)
    error_with_id ("Octave:index", "invalid empty index list");
  check_subscripts (count);
  if (rhs.isnull ()) {
    erase (x, idx);
    return;
  }
  gpu_operand y ("=", rhs, x.device ());
  const dim_vector dims = folded (x, count);
  const std::vector<subscript> all = subscripts_of (x, idx, dims);
  dim_vector after = dims_after (x, idx, dims, all, y.dims ());
  const dim_vector lengths = x.dims ().all_zero () && count > 1 ? after : lengths_of (all);
  const bool fill = y.dims ().numel () == 1;
  const octave_idx_type wanted = count == 1 ? all[0].length () : lengths.numel ();
  const bool colons = x.dims ().all_zero () && count > 1;
  if (!fill &&
      (count == 1 ? wanted != y.dims ().numel () : !colons && !fits (all, after, y.dims ()))) {
    if (wanted == 0 && y.dims ().numel () == 0)
      return;
    octave::err_nonconformant ("=", count == 1 ? dim_vector (wanted, 1) : lengths, y.dims ());
  }
  const char type = type_after (x.type (), y.type ());
  if (type == 'b' && y.nd ().data == nullptr && std::isnan (y.nd ().value[0]))
    error_with_id ("Octave:undefined-function", "NaN can't be converted to logical value");
  gpu_value z = gla::converted (x, type);
  if (after != dims) {
    if (count == 1)
      z = gla::resized (z, x.dims ().all_zero () && all[0].is_colon ()
                               ? y.dims ()
                               : dims_for_linear (x, after (0)));
    else if (count < x.dims ().ndims ())
      error_with_id ("Octave:invalid-resize",
                     "Invalid resizing operation or ambiguous assignment to an out-of-bounds array "
                     "element");
    else
      z = gla::resized (z, after);
  } else if (z.shares (x) && x.block ().use_count () > 2) // by others than z and x
    z.own ();
  y.make (type);
  x = gpu_value (); // so that nothing else holds the elements
  x = z;
  if (wanted > 0)
    put (x, idx, y, folded (x, count));
}

} // namespace on_gpu

} // namespace gla
