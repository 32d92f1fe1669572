// pages.cc: operands of functions on pages of two arrays, and pages that expand
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages.h"

#include <algorithm>

#include <octave/quit.h>

namespace gla
{

//------------------------------------------------------------------------------
// operands
//------------------------------------------------------------------------------

template <typename A> static gla_array view (const octave_value &v, A &a)
{
  read (v, a);
  return input (a);
}

operand::operand (const octave_value &v, bool single, bool gpu)
{
  if (gpu) {
    const char type = type_letter (single, v.iscomplex ());
    m_gpu = converted (moved_to (gpu_of_call (), "gpuArray", v), type);
    const dim_vector dims = v.dims ();
    wait_for_arrays (m_gpu.device ());
    m_array = gla_array_packed (m_gpu.numel () > 0 ? m_gpu.data () : nullptr,
                                static_cast<gla_type> (type), dims (0), dims (1), pages_of (dims),
                                m_gpu.device ());
    return;
  }
  if (single && v.iscomplex ())
    m_array = view (v, m_c);
  else if (single)
    m_array = view (v, m_s);
  else if (v.iscomplex ())
    m_array = view (v, m_z);
  else
    m_array = view (v, m_d);
}

bool asks_for_gpu (const octave_value &device)
{
  if (is_text (device))
    return lower_case (device.string_value ()) == "gpu";
  return device.is_defined () && device.isnumeric ();
}

// Returns 'N', 'T' or 'C', or 0 for anything else.
static char op_of (const octave_value &v)
{
  const std::string word = is_text (v) ? lower_case (v.string_value ()) : "";
  return word == "none" ? 'N' : word == "transpose" ? 'T' : word == "ctranspose" ? 'C' : 0;
}

bool is_op (const octave_value &v)
{
  return op_of (v) != 0;
}

char read_op (const char *who, const char *name, const octave_value &v)
{
  const char op = op_of (v);
  if (op == 0)
    error_with_id ("gpulinalg:bad-value",
                   "%s: %s must be \"none\", \"transpose\" or \"ctranspose\"%s", who, name,
                   not_this (v).c_str ());
  return op;
}

octave_idx_type rows_of (const octave_value &v, char op)
{
  return v.dims () (op == 'N' ? 0 : 1);
}

octave_idx_type columns_of (const octave_value &v, char op)
{
  return v.dims () (op == 'N' ? 1 : 0);
}

bool is_scalar (const octave_value &v)
{
  return v.rows () == 1 && v.columns () == 1;
}

octave_value transposed (const octave_value &v, char op)
{
  Array<int> order (dim_vector (1, std::max (v.ndims (), 2)));
  for (int k = 0; k < order.numel (); k++)
    order (k) = k < 2 ? 1 - k : k;
  // Octave's permute does not change a rectangular diagonal matrix if the order is [2, 1].
  const octave_value t = (v.is_diag_matrix () ? v.full_value () : v).permute (order);
  return op == 'C' && t.iscomplex () ? t.conj () : t;
}

//------------------------------------------------------------------------------
// pages that expand
//------------------------------------------------------------------------------

void page_grid::add (int64_t n, int64_t x, int64_t y)
{
  if (n == 1)
    return;
  if (!size.empty () && x == x_step.back () * size.back () && y == y_step.back () * size.back ()) {
    size.back () *= n;
    return;
  }
  size.push_back (n);
  x_step.push_back (x);
  y_step.push_back (y);
}

page_grid expand_pages (const char *who, const char *x_name, const dim_vector &dx,
                        const char *y_name, const dim_vector &dy, dim_vector &dims)
{
  const int count = std::max (dx.ndims (), dy.ndims ());
  page_grid grid;
  dims.resize (count);
  int64_t x_pages = 1, y_pages = 1;
  for (int k = 2; k < count; k++) {
    const octave_idx_type nx = k < dx.ndims () ? dx (k) : 1, ny = k < dy.ndims () ? dy (k) : 1;
    if (nx != ny && nx != 1 && ny != 1)
      error_with_id ("gpulinalg:bad-shape",
                     "%s: the pages of %s and %s do not match in dimension %d: %lld and %lld", who,
                     x_name, y_name, k + 1, static_cast<long long> (nx),
                     static_cast<long long> (ny));
    dims (k) = nx == 1 ? ny : nx;
    grid.add (dims (k), nx == 1 ? 0 : x_pages, ny == 1 ? 0 : y_pages);
    x_pages *= nx;
    y_pages *= ny;
  }
  return grid;
}

int64_t page_grid::page (int64_t p, const std::vector<int64_t> &step) const
{
  int64_t page = 0;
  for (std::size_t d = 0; d < step.size (); d++) {
    page += p % size[d] * step[d];
    p /= size[d];
  }
  return page;
}

bool in_order (const std::vector<int64_t> &step)
{
  return step.empty () || (step.size () == 1 && step[0] == 1);
}

// Copies page page (p) of `from` to page p.
template <typename Array>
static Array copy_pages (const Array &from, const page_grid &grid, const std::vector<int64_t> &step,
                         octave_idx_type pages)
{
  const dim_vector dims = from.dims ();
  const octave_idx_type size = dims (0) * dims (1), piece = 1 << 20;
  Array to = unfilled<Array> (dim_vector (dims (0), dims (1), pages));
  const auto *source = from.data ();
  auto *target = to.fortran_vec ();
  octave_idx_type copied = 0; // elements since Ctrl-C was looked for
  for (octave_idx_type p = 0; p < pages; p++) {
    std::copy_n (source + grid.page (p, step) * size, size, target + p * size);
    copied += size;
    if (copied > piece) {
      octave_quit ();
      copied = 0;
    }
  }
  return to;
}

octave_value gather (const octave_value &v, const page_grid &grid, const std::vector<int64_t> &step)
{
  const dim_vector dims = v.dims ();
  if (in_order (step))
    return v.reshape (dim_vector (dims (0), dims (1), pages_of (dims)));
  octave_idx_type pages = 1;
  for (int64_t n : grid.size)
    pages *= n;
  return in_class (v.is_single_type (), v.iscomplex (), [&] (auto array, auto) {
    read (v, array);
    return ovl (copy_pages (array, grid, step, pages));
  }) (0);
}

} // namespace gla
