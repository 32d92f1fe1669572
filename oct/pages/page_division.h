// page_division.h: what pagemldivide, pagemrdivide and pageinv share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_DIVISION_H
#define GPULINALG_PAGE_DIVISION_H

#include "arrays/gpu_pages.h"
#include "pages.h"

#include <octave/int32NDArray.h>

namespace gla
{

// Describes op (A) \ B, or B / op (A), of each page.
struct page_division {
  const char *who;
  octave_value A, B;
  char op = 'N';
  gla_side side = GLA_SIDE_LEFT;
  int outputs = 1;
};

// The results of gla_pagesolve; rcond is empty if there is one output.
template <typename Array, typename Real> struct solved_pages {
  Array X;
  Real rcond;
  int32NDArray info;
};

// Solves with a and b, or inverts a if b is NULL; X has these dimensions.
template <typename Array, typename Real>
solved_pages<Array, Real> solve_pages (gla::call &call, const page_division &want,
                                       const gla_array &a, const gla_array *b,
                                       const gla_pagesolve_options *options, const dim_vector &dims)
{
  const octave_idx_type pages = pages_of (dims);
  dim_vector one = dims;
  one (0) = one (1) = 1;
  solved_pages<Array, Real> found = {unfilled_pages<Array> (dims),
                                     Real (want.outputs > 1 ? one : dim_vector (0, 0)),
                                     int32NDArray (dim_vector (pages, 1))};
  auto results = sized<gla_pagesolve_results> ();
  results.X = output (found.X);
  if (want.outputs > 1)
    results.rcond = output (found.rcond);
  results.info = reinterpret_cast<int32_t *> (found.info.fortran_vec ());
  auto report = sized<gla_pagesolve_report> ();
  call.finish (gla_pagesolve (call.context (), &a, b, &results, options, &report));
  if (want.outputs < 3 && report.base.pages_failed > 0)
    warn_of_failed_pages (want.who, results.info, pages, {not_finite (want.A.rows ())});
  return found;
}

// Copies an array of the host to the GPU of option "device": the first of its numbers, or for "gpu"
// the current one.
octave_value placed_on_gpu (const char *who, const octave_value &x, const octave_value &device);

// Ends with the errors of the options "device" and "progress".
void check_place (const char *who, octave::interpreter &interp, const options &opts);

// Does pagemldivide (A, transpA, B, ...), or from the right pagemrdivide (B, A, transpA, ...);
// returns X, rcondA and info.
octave_value_list divide_pages (octave::interpreter &interp, const char *who, gla_side side,
                                const octave_value_list &args, int outputs);

} // namespace gla

#endif
