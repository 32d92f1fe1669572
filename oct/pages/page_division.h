// page_division.h: what pagemldivide, pagemrdivide and pageinv share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_DIVISION_H
#define GPULINALG_PAGE_DIVISION_H

#include "pages.h"

namespace gla
{

// op (A) \ B, or B / op (A), of each page.
struct page_division {
  const char *who;
  octave_value A, B;
  char op = 'N';
  gla_side side = GLA_SIDE_LEFT;
  int outputs = 1;
};

// An array of the host on the GPU of option "device": the first of its numbers, or for "gpu" the
// current one.
octave_value placed_on_gpu (const char *who, const octave_value &x, const octave_value &device);

// The body of pagemldivide and pagemrdivide, after their own arguments: X, rcondA, info.
octave_value_list divide_pages (octave::interpreter &interp, const page_division &want,
                                const options &opts);

} // namespace gla

#endif
