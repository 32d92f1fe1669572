// gpu_parts.cc: triu, tril, blkdiag, toeplitz and bsxfun of gpuArrays, for the table in
// gpu_functions.cc
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave's own triu and tril assign column by column to arrays whose type they do not know, and
// its bsxfun calls the function column by column.

#include "gpu_device.h"
#include "gpu_join.h"
#include "gpu_operators.h"

#include <algorithm>
#include <cmath>

namespace gla
{

// Does triu (x), triu (x, k), and tril. Other elements become 0.
octave_value_list triangle (const char *name, const octave_value_list &args, int)
{
  const octave_idx_type count = args.length ();
  const octave_value k = count == 2 ? gathered (args (1)) : octave_value (0.0);
  if (!is_gpu_array (args (0)))
    return feval (the_interpreter (), name, gathered (args), 1);
  const gpu_value &x = gpu_value_of (args (0));
  if (count > 2 || !is_real_scalar (k) || k.is_string () || std::isnan (k.double_value ()))
    gather_needed (name);
  if (!x.on_gpu ())
    return ovl (value_of (on_host_as (name, ovl (args (0), k), is_complex (x.type ()))));
  const dim_vector dims = x.dims ();
  if (dims.ndims () != 2)
    error_with_id ("gpulinalg:bad-shape", "%s: need a 2-D matrix", name);
  if (x.numel () == 0)
    return ovl (args (0));
  const double most = 1e15,
               shift = std::max (-most, std::min (std::trunc (k.double_value ()), most));
  const int64_t here = static_cast<int64_t> (shift), far = static_cast<int64_t> (2 * most);
  const bool upper = std::strcmp (name, "triu") == 0;
  gpu_value y = new_on_gpu (x.device (), x.type (), dims);
  const gla_nd from = nd_of (x), to = nd_of (y);
  device_call ([&] (gla_context *c) {
    return gla_take_triangle (c, x.device (), &to, &from, upper ? here : -far, upper ? far : here);
  });
  return ovl (value_of (y));
}

// Does blkdiag (a, b, ...): the blocks and the rectangles of zeros above and below them are one
// join.
octave_value_list block_diagonal (const char *name, const octave_value_list &args, int)
{
  octave_idx_type m = 0, n = 0, row = 0, column = 0;
  char type = 'd'; // of Octave's zeros
  for (octave_idx_type k = 0; k < args.length (); k++) {
    const char own = element_type (name, args (k));
    const dim_vector d = args (k).dims ();
    if (own == 'b')
      error_with_id ("gpulinalg:bad-class", "blkdiag: all arguments must be numeric, not logical");
    if (d.ndims () != 2)
      error_with_id (
          "gpulinalg:bad-shape",
          "blkdiag: all arguments must be two-dimensional matrices, but array %lld is %s",
          static_cast<long long> (k + 1), d.str ().c_str ());
    type = type_letter (is_single (type) || is_single (own), is_complex (type) || is_complex (own));
    m += d (0);
    n += d (1);
  }
  if (!any_on_gpu (args))
    return ovl (value_of (converted (on_host_as (name, args, is_complex (type)), type)));
  const int device = device_of (name, args);
  gpu_value y = new_on_gpu (device, type, dim_vector (m, n));
  const gla_nd whole = nd_of (y);
  std::vector<gla_nd> to, from;
  gla_nd zero = {};
  zero.type = 'd';
  std::vector<gpu_value> kept; // until the copies are launched
  for (octave_idx_type k = 0; k < args.length (); k++) {
    const dim_vector d = args (k).dims ();
    const gpu_operand x (name, args (k), device);
    kept.push_back (x.array ());
    to.push_back (on_gpu::part_of (whole, dim_vector (0, column), dim_vector (row, d (1))));
    from.push_back (zero);
    to.push_back (on_gpu::part_of (whole, dim_vector (row, column), d));
    from.push_back (spread (x.nd (), x.dims (), d));
    row += d (0);
    to.push_back (on_gpu::part_of (whole, dim_vector (row, column), dim_vector (m - row, d (1))));
    from.push_back (zero);
    column += d (1);
  }
  copy_all (device, to, from);
  return ovl (value_of (y));
}

static octave_idx_type bytes_of (char type)
{
  return type == 'b' ? 1
                     : static_cast<octave_idx_type> (gla_type_size (static_cast<gla_type> (type)));
}

// Does toeplitz (c, r): element (i, j) is number n - 1 + i - j of r(n), ..., r(2), c(1), c(2), ...,
// which is a copy with a negative step along the rows.
static gpu_value toeplitz_on_gpu (const octave_value &c, const octave_value &r, int device)
{
  const gpu_operand column ("toeplitz", c, device), row ("toeplitz", r, device);
  const octave_idx_type m = column.dims ().numel (), n = row.dims ().numel ();
  const char type = joined_type (column.type (), row.type ());
  const gpu_value all = new_on_gpu (device, type, dim_vector (m + n - 1, 1));
  const gla_nd whole = nd_of (all);
  gla_nd back = spread (row.nd (), row.dims (), row.dims ());
  if (back.data != nullptr)
    back.data = static_cast<char *> (back.data) + (n - 1) * bytes_of (row.type ());
  gla_nd down = spread (column.nd (), column.dims (), column.dims ());
  const dim_vector before (n - 1, 1), behind (m, 1);
  gla_nd *const vectors[] = {&back, &down};
  const octave_idx_type sizes[] = {n - 1, m}, steps[] = {-1, 1};
  for (int k = 0; k < 2; k++) {
    vectors[k]->dims = 2;
    vectors[k]->size[0] = sizes[k];
    vectors[k]->size[1] = 1;
    vectors[k]->step[0] = steps[k];
    vectors[k]->step[1] = 0;
  }
  copy_all (device,
            {on_gpu::part_of (whole, dim_vector (0, 0), before),
             on_gpu::part_of (whole, dim_vector (n - 1, 0), behind)},
            {back, down});
  const gpu_value y = new_on_gpu (device, type, dim_vector (m, n));
  gla_nd from = nd_of (all, dim_vector (m, n));
  from.data = static_cast<char *> (from.data) + (n - 1) * bytes_of (type);
  from.step[0] = 1;
  from.step[1] = -1;
  elementwise (device, GLA_ND_COPY, nd_of (y), from, nullptr);
  return y;
}

static bool is_vector_value (const octave_value &v)
{
  return v.ndims () == 2 && (v.rows () == 1 || v.columns () == 1) && v.numel () > 0;
}

octave_value_list toeplitz (const char *name, const octave_value_list &args, int)
{
  if (args.length () < 1)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  if (args.length () > 2)
    gather_needed (name);
  octave_value c = args (0);
  const octave_value r = args (args.length () - 1);
  const bool complex = is_complex (element_type (name, c)) || is_complex (element_type (name, r));
  for (const octave_value &v : {c, r})
    if (!is_vector_value (v) && !v.isempty ())
      error_with_id ("gpulinalg:bad-shape", "toeplitz: C and R must be vectors, not %s",
                     v.dims ().str ().c_str ());
  if (!any_on_gpu (args) || !is_vector_value (c) || !is_vector_value (r))
    return ovl (value_of (on_host_as (name, gathered (args), complex)));
  const octave_value first (1.0);
  if (args.length () == 2) {
    octave_value top = c, left = r;
    const octave_value differ = value_of (binary (gpu_op::ne, top.single_subsref ("(", ovl (first)),
                                                  left.single_subsref ("(", ovl (first))));
    if (gathered (differ).is_true ())
      warning ("toeplitz: column wins diagonal conflict");
  } else if (complex) { // Hermitian except for the diagonal
    gpu_value conjugate = gpu_value_of (c.conj ());
    conjugate.assign (ovl (first), value_of (index (gpu_value_of (c), ovl (first))));
    c = value_of (conjugate);
  }
  return ovl (value_of (toeplitz_on_gpu (c, r, device_of (name, ovl (c, r)))));
}

// Operations of gpuArrays expand themselves.
octave_value_list bsxfun (const char *name, const octave_value_list &args, int)
{
  if (args.length () != 3)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  return feval (the_interpreter (), args (0), args.slice (1, 2), 1);
}

} // namespace gla
