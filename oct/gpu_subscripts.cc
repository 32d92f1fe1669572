// gpu_subscripts.cc: indexing, assignment, deletion and other shapes of arrays on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules for sizes are those of Octave's Array<T>. Lists of subscripts come from the host, but
// for a mask on the GPU, whose positions are found there.

#include "gpu_device.h"

#include <octave/Array-util.h>
#include <octave/lo-array-errwarn.h>

#include <algorithm>
#include <cmath>

namespace gla
{

namespace on_gpu
{

namespace
{

//------------------------------------------------------------------------------
// subscripts
//------------------------------------------------------------------------------

// Whether one dimension alone is not 1, as dim_vector::is_nd_vector.
bool is_nd_vector (const dim_vector &dims)
{
  int count = 0;
  for (int k = 0; k < dims.ndims (); k++)
    count += dims (k) != 1;
  return count == 1;
}

// Such dimensions with another length.
dim_vector as_vector (dim_vector dims, octave_idx_type length)
{
  for (int k = 0; k < dims.ndims (); k++)
    if (dims (k) != 1)
      dims (k) = length;
  return dims;
}

// A subscript of one dimension: as Octave has it, or the positions of a mask that is on the GPU.
class subscript
{
public:
  // n: the size of the dimension. A list is copied to the GPU where it is no range.
  subscript (const octave_value &v, octave_idx_type n, int device)
  {
    if (is_gpu_array (v) && gpu_value_of (v).on_gpu () && gpu_value_of (v).type () == 'b')
      find_mask (gpu_value_of (v));
    else
      m_idx = gathered (v).index_vector ();
    m_device = device;
    m_n = n;
  }

  bool is_mask () const { return m_mask; }
  bool is_colon () const { return !m_mask && m_idx.is_colon (); }
  bool is_scalar () const { return m_mask ? m_count == 1 : m_idx.is_scalar (); }
  octave_idx_type length () const { return m_mask ? m_count : m_idx.length (m_n); }
  // The size that the dimension must have at least.
  octave_idx_type extent () const { return m_mask ? std::max (m_n, m_extent) : m_idx.extent (m_n); }
  dim_vector orig_dimensions () const { return m_mask ? m_dims : m_idx.orig_dimensions (); }
  bool is_colon_equiv (octave_idx_type n) const { return !m_mask && m_idx.is_colon_equiv (n); }
  const idx_vector &idx () const { return m_idx; }

  // For the library. The list lives as long as this.
  gla_subscripts on_device ()
  {
    gla_subscripts s = {};
    s.count = length ();
    s.step = 1;
    if (m_mask) {
      s.list = static_cast<const int64_t *> (m_list->data ());
      return s;
    }
    if (m_idx.is_colon () || s.count == 0)
      return s;
    if (m_idx.is_scalar () || m_idx.is_range () || s.count == 1) {
      s.first = m_idx (0);
      s.step = s.count > 1 ? m_idx (1) - m_idx (0) : 1;
      return s;
    }
    if (!m_list)
      upload ();
    s.list = static_cast<const int64_t *> (m_list->data ());
    return s;
  }

  // Only the last of equal subscripts may be assigned: the positions of those that count, or an
  // empty list where all do.
  std::vector<octave_idx_type> last_ones () const
  {
    std::vector<octave_idx_type> keep;
    if (m_mask || m_idx.is_colon () || m_idx.is_range () || m_idx.is_scalar ())
      return keep;
    const octave_idx_type count = m_idx.length (m_n);
    std::vector<bool> seen (static_cast<std::size_t> (m_idx.extent (m_n)));
    for (octave_idx_type k = count - 1; k >= 0; k--) {
      if (!seen[static_cast<std::size_t> (m_idx (k))])
        keep.push_back (k);
      seen[static_cast<std::size_t> (m_idx (k))] = true;
    }
    std::reverse (keep.begin (), keep.end ());
    if (static_cast<octave_idx_type> (keep.size ()) == count)
      keep.clear ();
    return keep;
  }

private:
  void find_mask (const gpu_value &x)
  {
    int64_t count = 0;
    const int64_t n = x.numel ();
    m_mask = true;
    device_call ([&] (gla_context *c) {
      return gla_find (c, x.device (), n > 0 ? x.data () : nullptr, n, nullptr, &count);
    });
    m_list = std::make_shared<gpu_block> (x.device (), static_cast<std::size_t> (count) * 8);
    m_count = static_cast<octave_idx_type> (count);
    if (count > 0)
      device_call ([&] (gla_context *c) {
        return gla_find (c, x.device (), x.data (), n, static_cast<int64_t *> (m_list->data ()),
                         &count);
      });
    // a mask is a column, but for a row, and its length is what it addresses
    const dim_vector dims = x.dims ();
    m_dims = is_nd_vector (dims) ? as_vector (dims, m_count) : dim_vector (m_count, 1);
    if (n == 1)
      m_dims = dim_vector (m_count, m_count);
    m_extent = count > 0 ? last_position (x.device ()) + 1 : 0;
  }

  octave_idx_type last_position (int device) const
  {
    int64_t last = 0;
    device_call ([&] (gla_context *c) {
      return gla_memory_get (c, device, &last,
                             static_cast<const int64_t *> (m_list->data ()) + m_count - 1, 8);
    });
    return static_cast<octave_idx_type> (last);
  }

  void upload ()
  {
    const octave_idx_type count = m_idx.length (m_n);
    std::vector<int64_t> list (static_cast<std::size_t> (count));
    for (octave_idx_type k = 0; k < count; k++)
      list[static_cast<std::size_t> (k)] = m_idx (k);
    m_list = std::make_shared<gpu_block> (m_device, list.size () * 8);
    device_call ([&] (gla_context *c) {
      return gla_memory_put (c, m_device, m_list->data (), list.data (), list.size () * 8);
    });
  }

  idx_vector m_idx;
  std::shared_ptr<gpu_block> m_list;
  bool m_mask = false;
  octave_idx_type m_n = 0, m_count = 0, m_extent = 0;
  dim_vector m_dims;
  int m_device = 0;
};

std::vector<subscript> subscripts_of (const gpu_value &x, const octave_value_list &idx,
                                      const dim_vector &dims)
{
  std::vector<subscript> all;
  for (octave_idx_type k = 0; k < idx.length (); k++) {
    try {
      all.emplace_back (idx (k), dims (static_cast<int> (k)), x.device ());
    } catch (octave::index_exception &e) {
      e.set_pos_if_unset (idx.length (), k + 1);
      throw;
    }
  }
  return all;
}

std::vector<gla_subscripts> for_library (std::vector<subscript> &all)
{
  std::vector<gla_subscripts> s;
  for (subscript &one : all)
    s.push_back (one.on_device ());
  return s;
}

// x with so many dimensions: the last one takes the rest.
dim_vector folded (const gpu_value &x, octave_idx_type count)
{
  return count == 1 ? dim_vector (x.numel (), 1) : x.dims ().redim (static_cast<int> (count));
}

// The dimensions that the library is told: one for a linear index.
gla_nd seen_as (const gpu_value &x, const dim_vector &dims, octave_idx_type count)
{
  gla_nd a = nd_of (x, dims);
  a.dims = static_cast<int> (count);
  return a;
}

void check_count (octave_idx_type count)
{
  if (count > GLA_ND_DIMS)
    error_with_id ("gpulinalg:bad-shape", "gpuArray: an array on a GPU has at most %d subscripts",
                   GLA_ND_DIMS);
}

// As Array<T>::index.
dim_vector dims_of_linear (const gpu_value &x, const subscript &s)
{
  const octave_idx_type n = x.numel (), length = s.length ();
  if (s.is_colon ())
    return dim_vector (n, 1);
  const dim_vector own = x.dims (), idx = s.orig_dimensions ();
  return n != 1 && is_nd_vector (own) && is_nd_vector (idx) ? as_vector (own, length) : idx;
}

} // namespace

gpu_value index (const gpu_value &x, const octave_value_list &idx)
{
  const octave_idx_type count = idx.length ();
  if (count == 0)
    return x;
  check_count (count);
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

// The sizes that the array must have, as Array<T>::resize1 gives them to vectors.
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

// Drops the values for subscripts that come again later.
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

// x(idx) = y with sizes that fit; x is large enough and nobody else's.
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

// The dimension whose elements go; -1: all colons. Ends with an error where there are several.
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
  // a range that goes leaves a vector, a list from a matrix a column
  octave_idx_type lower, upper;
  const bool column = own.ndims () == 2 && own (1) == 1 && own (0) != 1;
  if (linear && gone.is_cont_range (n, lower, upper))
    y = reshaped (y, column ? dim_vector (y.numel (), 1) : dim_vector (1, y.numel ()));
  x = y;
}

// Of x after an assignment, as in Octave: a double array stays double, and a logical one logical
// where what is assigned is double.
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
  check_count (count);
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
  } else if (z.shares (x))
    z.own ();
  y.make (type);
  x = gpu_value (); // so that nobody else holds the elements
  x = z;
  if (wanted > 0)
    put (x, idx, y, folded (x, count));
}

//------------------------------------------------------------------------------
// shapes
//------------------------------------------------------------------------------

gpu_value permuted (const gpu_value &x, const Array<int> &order)
{
  const int count = static_cast<int> (order.numel ());
  check_count (count);
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

// A part of an array, from this corner on.
static gla_nd part_of (const gpu_value &x, const dim_vector &at, const dim_vector &size)
{
  gla_nd a = nd_of (x, x.dims ().redim (std::max (x.dims ().ndims (), size.ndims ())));
  int64_t first = 0;
  for (int k = 0; k < a.dims; k++) {
    first += (k < at.ndims () ? at (k) : 0) * a.step[k];
    a.size[k] = k < size.ndims () ? size (k) : 1;
  }
  const std::size_t bytes =
      x.type () == 'b' ? 1 : gla_type_size (static_cast<gla_type> (x.type ()));
  if (a.data != nullptr)
    a.data = static_cast<char *> (a.data) + static_cast<std::size_t> (first) * bytes;
  return a;
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
    if (type == 0 || type == t)
      type = t;
    else
      type = type_letter (is_single (type) || is_single (t), is_complex (type) || is_complex (t));
    if (k == 0)
      dims = d;
    else if (!dims.hvcat (d, dim))
      error_with_id ("Octave:nonconformant-args", "%s: dimension mismatch: %s and %s", who,
                     dims.str ().c_str (), d.str ().c_str ());
  }
  gpu_value y = new_on_gpu (device, type, dims);
  Array<octave_idx_type> at (
      dim_vector (std::max<int> (static_cast<int> (dims.ndims ()), dim + 1), 1), 0);
  for (octave_idx_type k = 0; k < arrays.length (); k++) {
    if (arrays (k).isempty ())
      continue;
    insert (y, moved (who, arrays (k)), at);
    at (dim) += dim < arrays (k).ndims () ? arrays (k).dims () (dim) : 1;
  }
  return y;
}

// diag (v, k), diag (v, m, n) of a vector, diag (A, k) of a matrix.
gpu_value diagonal (const gpu_value &x, const octave_value_list &more)
{
  const dim_vector dims = x.dims ();
  const bool vector = dims.ndims () == 2 && (dims (0) == 1 || dims (1) == 1);
  if (dims.ndims () != 2 || (more.length () == 2 && !vector))
    error_with_id ("gpulinalg:bad-shape", "diag: requires a vector or a matrix, not %s",
                   dims.str ().c_str ());
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
