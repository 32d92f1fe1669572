// pages.h: what the functions on pages of two arrays share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGES_H
#define GPULINALG_PAGES_H

#include "arrays/gpu_pages.h"

namespace gla
{

// An array argument in the precision of the result, real if it is real. It shares the memory of the
// Octave value if that has the class. gpu: it is copied to the GPU of the call.
class operand
{
public:
  operand (const octave_value &v, bool single, bool gpu = false);
  const gla_array &array () const { return m_array; }

private:
  FloatNDArray m_s;
  NDArray m_d;
  FloatComplexNDArray m_c;
  ComplexNDArray m_z;
  gpu_value m_gpu;
  gla_array m_array;
};

// Whether the option "device" asks for a GPU, even if there is none.
bool asks_for_gpu (const octave_value &device);

// Reads what is done to a page first: 'N' nothing, 'T' transposed, 'C' conjugated and transposed.
// Ends with an error that names the argument unless the value is "none", "transpose" or
// "ctranspose".
char read_op (const char *who, const char *name, const octave_value &v);
// Whether the value is one of these words.
bool is_op (const octave_value &v);

octave_idx_type rows_of (const octave_value &v, char op);
octave_idx_type columns_of (const octave_value &v, char op);
// Whether the pages are single elements.
bool is_scalar (const octave_value &v);

// Returns op (v) as an array.
octave_value transposed (const octave_value &v, char op);

// Pages that two arrays share: which page of each belongs to a page of the result. A dimension in
// which one of them has a single page is expanded. Adjacent dimensions are merged if possible.
struct page_grid {
  std::vector<int64_t> size, x_step, y_step;

  void add (int64_t n, int64_t x, int64_t y);
  // Returns the page that belongs to page p of the result, for the steps of one of the arrays.
  int64_t page (int64_t p, const std::vector<int64_t> &step) const;
};

// Whether these steps take page p for page p.
bool in_order (const std::vector<int64_t> &step);

// dims: those of the result, from the third on. Ends with an error that names the arguments if the
// pages do not match.
page_grid expand_pages (const char *who, const char *x_name, const dim_vector &x,
                        const char *y_name, const dim_vector &y, dim_vector &dims);

// Returns the pages of v in the order of the result, in three dimensions, for the steps of v in the
// grid. Shares the memory of v if that is their own order.
octave_value gather (const octave_value &v, const page_grid &grid,
                     const std::vector<int64_t> &step);

// Two arrays of which products are formed page by page, and the operation on each (pagemtimes.cc).
struct page_factors {
  octave_value X, Y;
  char op_x = 'N', op_y = 'N';
};
// Returns their product; device and progress are values of options.
octave_value page_product (const char *who, octave::interpreter &interp, page_factors factors,
                           const octave_value &device = octave_value (),
                           const octave_value &progress = octave_value ());

} // namespace gla

#endif
